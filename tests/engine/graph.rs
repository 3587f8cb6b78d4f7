//! The code graph: which definition a use means, in each family of languages, and what is said when a target means
//! nothing.
//!
//! Each file of `graph/` is a tree of files with questions, `? CALLERS TARGET`, and their answers: a use that is likely
//! enough is a row `PATH:LINE FROM -> TO`. `? mentions TARGET` asks for every mention, `? open QUESTION TARGET` why an answer is not complete. `SPYHOP_BLESS=1` rewrites the answers.

use spyhop::{GraphEnd, GraphQuestion, GraphReply, GraphRequest, GraphRow, SymbolRow};
use spyhop_engine::{Engine, ErrorKind};

use super::open;
use crate::support::{Tree, golden, repository};

/// A row as `path:line from -> to`, with what it takes to tell rows of this question apart.
fn shown(reply: &GraphReply, row: &GraphRow) -> String {
    let from = row.from.as_ref().map_or("-".to_string(), SymbolRow::qualified);
    let to = match &row.to {
        GraphEnd::Symbol(to) => format!("{}:{}", to.path, to.lines.first),
        GraphEnd::File(path) => path.to_string(),
        GraphEnd::Outside(module) => format!("outside {module}"),
        other => format!("{other:?}"),
    };
    let more = match reply.question {
        GraphQuestion::Tests => format!(" by {}", row.rule.name()),
        GraphQuestion::Impact => format!(" in {}", row.depth),
        _ if row.is_value => " as a value".to_string(),
        _ => String::new(),
    };
    format!("{}:{} {from} -> {to}{more}\n", row.path, row.line)
}

/// Every mention of a symbol with its part, and why the answer is not complete.
fn mentions(engine: &Engine, target: &str) -> String {
    let request = GraphRequest { all_mentions: true, ..GraphRequest::new(GraphQuestion::References, target) };
    let reply = engine.ask(&request).unwrap();
    let mut rows: Vec<String> = reply
        .mentions
        .iter()
        .flat_map(|mentions| &mentions.rows)
        .map(|row| format!("{}:{} {:?}\n", row.path, row.line, row.part))
        .collect();
    rows.sort();
    rows.concat() + &openness(&reply)
}

/// Why an answer is not complete, as a line.
fn openness(reply: &GraphReply) -> String {
    reply.incomplete.as_ref().map_or(String::new(), |why| format!("not complete: {}\n", why.text))
}

/// The answer to `QUESTION TARGET` in lines; to `mentions TARGET` every mention, to `open QUESTION TARGET` why it is not complete.
fn answer(engine: &Engine, asked: &str) -> String {
    let (name, target) = asked.split_once(' ').unwrap();
    match name {
        "mentions" => return mentions(engine, target),
        "open" => {
            let (name, target) = target.split_once(' ').unwrap();
            let question = GraphQuestion::ALL.into_iter().find(|question| question.name() == name).unwrap();
            return openness(&engine.ask(&GraphRequest::new(question, target)).unwrap());
        }
        _ => {}
    }
    let question = GraphQuestion::ALL.into_iter().find(|question| question.name() == name).unwrap();
    let request = GraphRequest { min_confidence: 0.5, ..GraphRequest::new(question, target) };
    let reply = match engine.ask(&request) {
        Ok(reply) => reply,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::BadRequest, "{asked}");
            return format!("error: {error}\n");
        }
    };
    let mut rows: Vec<String> = match question {
        GraphQuestion::Definitions => {
            reply.definitions.iter().map(|row| format!("{}\n", row.qualified())).collect()
        }
        _ => reply.rows.iter().map(|row| shown(&reply, row)).collect(),
    };
    rows.sort();
    rows.concat()
}

#[test]
fn uses_mean_the_definitions_that_the_files_name() {
    let folder = "tests/engine/graph";
    for entry in std::fs::read_dir(repository(folder)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = std::fs::read_to_string(repository(folder).join(&name)).unwrap();
        let (described, questions) = text.split_once("\n? ").unwrap();
        let tree = Tree::new(described);
        let engine = open(&tree);
        let mut now = format!("{described}\n");
        for part in questions.split("\n? ") {
            let asked = part.lines().next().unwrap();
            now += &format!("? {asked}\n{}", answer(&engine, asked));
        }
        golden(&format!("{folder}/{name}"), &now);
    }
}

#[test]
fn a_use_that_may_mean_several_definitions_is_one_row() {
    let class = |name: &str| format!("class {name}:\n    def fetch_all(self):\n        pass\n");
    let tree = Tree::new("\n=== c.py\ndef run(x):\n    return x.fetch_all()\n");
    tree.write("a.py", class("A"));
    tree.write("b.py", class("B"));
    let request =
        GraphRequest { min_confidence: 0.0, ..GraphRequest::new(GraphQuestion::Callers, "fetch_all") };
    let reply = open(&tree).ask(&request).unwrap();
    assert_eq!((reply.definitions.len(), reply.rows.len(), reply.total), (2, 1, 1), "{:?}", reply.rows);
}

#[test]
fn the_file_of_tests_alone_says_little_about_a_function_that_it_does_not_mention() {
    let tree = Tree::new("\n=== shop/pool.py\ndef take():\n    return 1\n\ndef give():\n    return 2\n");
    tree.write("tests/test_pool.py", "from shop import pool\n\ndef test_take_one():\n    assert pool\n");
    let reply = open(&tree).ask(&GraphRequest::new(GraphQuestion::Tests, "give")).unwrap();
    let rows: Vec<(&str, &str, bool)> =
        reply.rows.iter().map(|row| (row.path.as_str(), row.rule.name(), row.is_test)).collect();
    assert_eq!(rows, [("tests/test_pool.py", "test-file", true)]);
}

#[test]
fn a_name_is_undefined_only_if_no_file_without_structure_mentions_it() {
    let tree = Tree::new("\n=== a.c\nint take(void) { return 1; }\n=== b.zz9\n\nthing fetch_all of x\n");
    tree.write(
        "big.c",
        format!("{}\nint put_back(void) {{ return 1; }}\n", "/* padding */\n".repeat(90_000)),
    );
    let engine = open(&tree);
    let asked = |name: &str| {
        let questions = [
            GraphQuestion::Definitions,
            GraphQuestion::References,
            GraphQuestion::Callers,
            GraphQuestion::Impact,
        ];
        let answer = |question| engine.ask(&GraphRequest::new(question, name)).unwrap_err().to_string();
        let mut answers: Vec<String> = questions.map(answer).into();
        answers.dedup();
        assert_eq!(answers.len(), 1, "{answers:?}");
        answers.remove(0)
    };
    assert_eq!(asked("give_up"), "the tree defines no 'give_up'; no defined name is like it");
    assert_eq!(
        asked("fetch_all"),
        "'fetch_all' is not defined among 1 files with known structure; other files mention the name, 1 of unknown type: b.zz9:2; \
         no defined name is like it"
    );
    assert_eq!(
        asked("Pool.put_back"),
        "'Pool.put_back' is not defined among 1 files with known structure; other files mention the name, 1 above 1 MiB: big.c:90002; \
         did you mean put_back?"
    );
    let reply = engine.ask(&GraphRequest::new(GraphQuestion::Definitions, "put_back")).unwrap();
    let found: Vec<_> = reply.definitions.iter().map(|own| (own.path.as_str(), own.lines.first)).collect();
    assert_eq!(found, [("big.c", 90_002)]);
}

#[test]
fn a_target_that_is_no_file_of_the_index_is_told_from_others() {
    let tree = Tree::new("\n=== a.py\nimport b\n=== hidden.py\nimport a\n=== .gitignore\nhidden.py\n");
    tree.write("image.py", [0_u8, 159, 146, 150, 0, 1]);
    tree.git(&["init", "-q"]);
    let engine = open(&tree);
    for (target, expected) in [
        ("hidden.py", "'hidden.py' is not in the index"),
        ("image.py", "'image.py' is a binary file"),
        ("/etc/passwd", "'/etc/passwd' is outside of the tree"),
        ("../a.rs", "'../a.rs' is outside of the tree"),
        ("", "the target is empty; give a name, such as Engine.search, or a place, such as src/a.rs:10"),
    ] {
        let error = engine.ask(&GraphRequest::new(GraphQuestion::Imports, target)).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{target}: {error}");
    }
    let deep = GraphRequest { depth: Some(9), ..GraphRequest::new(GraphQuestion::Callers, "take") };
    assert_eq!(engine.ask(&deep).unwrap_err().to_string(), "depth is 9; choose 1 to 8");
}
