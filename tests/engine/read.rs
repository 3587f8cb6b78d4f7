//! Reading: lines, definitions, masks, and what is refused.

use spyhop::{Error, ReadReply, ReadRequest, ReadText};
use spyhop_base::path::RelPath;

use super::open;
use crate::support::Tree;

const TREE: &str = r#"
=== src/pool.py
class Pool:
    # Takes a permit.
    def take(self):
        return 1

    def give(self):
        return 2

class Lake:
    def take(self):
        return 3
=== src/server.rs
/// Starts the server.
#[inline]
pub fn start_server() {
    run();
}
=== docs/guide.md
# Guide
=== .env
TOKEN=hunter2hunter2hunter2
"#;

fn request(path: &str) -> ReadRequest {
    ReadRequest { path: RelPath::new(path).ok(), ..ReadRequest::default() }
}

fn symbol(path: Option<&str>, name: &str) -> ReadRequest {
    ReadRequest { symbol: Some(name.to_string()), ..path.map(request).unwrap_or_default() }
}

/// The place and the lines of an answer, or the places of the choices.
fn shown(reply: Result<ReadReply, Error>) -> String {
    let text = |text: &ReadText| {
        let lines = text.lines().map_or("-".to_string(), |lines| format!("{}-{}", lines.first, lines.last));
        let name = text.symbol.as_ref().map(|row| format!(" {}", row.qualified())).unwrap_or_default();
        format!("{}:{lines}{name}", text.path)
    };
    match reply {
        Ok(ReadReply::Text(reply)) => text(&reply),
        Ok(ReadReply::Choices(reply)) => {
            let rows = reply.choices.iter().map(|row| format!("{}:{}", row.path, row.lines.first));
            format!("choices {}", rows.collect::<Vec<_>>().join(" "))
        }
        Err(error) => format!("{:?}: {error}", error.kind()),
    }
}

fn text(reply: Result<ReadReply, Error>) -> ReadText {
    match reply.unwrap() {
        ReadReply::Text(text) => *text,
        ReadReply::Choices(choices) => panic!("{choices:?}"),
    }
}

#[test]
fn lines_of_a_file_need_no_index() {
    let tree = Tree::new(TREE);
    let engine = open(&tree);
    let lines = |range: &str| ReadRequest { lines: range.parse().ok(), ..request("src/pool.py") };
    assert_eq!(shown(engine.ask(&request("src/pool.py"))), "src/pool.py:1-11");
    assert_eq!(text(engine.ask(&lines("3-4"))).text, ["    def take(self):", "        return 1"]);
    assert_eq!(shown(engine.ask(&lines("10-99"))), "src/pool.py:10-11");
    assert_eq!(shown(engine.ask(&lines("12-"))), "BadRequest: lines is 12-, and 'src/pool.py' has 11 lines");
    let mut page = text(engine.ask(&lines("2-9")));
    page.truncate(3);
    assert_eq!((page.text.len(), page.next.unwrap().to_string()), (3, "5-9".to_string()));
    tree.write("empty", "");
    assert_eq!(shown(engine.ask(&request("empty"))), "empty:-");
    tree.write("wide.txt", "ä".repeat(4_000));
    let wide = text(engine.ask(&request("wide.txt")));
    assert_eq!((wide.text[0].len(), wide.cut), (4_000, vec![1]));
    assert!(!engine.has_index());
}

#[test]
fn definitions_by_their_names() {
    let tree = Tree::new(TREE);
    let engine = open(&tree);
    let pool = Some("src/pool.py");
    assert_eq!(shown(engine.ask(&symbol(pool, "Pool.take"))), "src/pool.py:3-4 Pool.take");
    assert_eq!(shown(engine.ask(&symbol(pool, "give"))), "src/pool.py:6-7 Pool.give");
    assert_eq!(shown(engine.ask(&symbol(pool, "take"))), "choices src/pool.py:3 src/pool.py:10");
    assert!(!engine.has_index());
    // A doc comment and the attributes belong to the definition.
    assert_eq!(shown(engine.ask(&symbol(None, "start_server"))), "src/server.rs:1-5 start_server");
    assert_eq!(shown(engine.ask(&symbol(None, "Lake.take"))), "src/pool.py:10-11 Lake.take");
    assert_eq!(shown(engine.ask(&symbol(None, "take"))), "choices src/pool.py:3 src/pool.py:10");
    // The index is not asked for a file that has changed.
    tree.write("src/pool.py", "\n\ndef take():\n    return 4\n");
    assert_eq!(shown(engine.ask(&symbol(pool, "take"))), "src/pool.py:3-4 take");
}

#[test]
fn a_definition_is_read_beside_its_declaration_and_a_type_beside_its_constructor() {
    let tree = Tree::new(
        "
=== src/pool.h
class Pool {
public:
    Pool(int size);
    int take(int n);
    int size() const { return 1; }
};
=== src/pool.cpp
#include \"pool.h\"
Pool::Pool(int size)
{
}
int Pool::take(int n)
{
    return n;
}
",
    );
    let engine = open(&tree);
    assert_eq!(shown(engine.ask(&symbol(None, "Pool::take"))), "src/pool.cpp:5-8 Pool.take");
    assert_eq!(shown(engine.ask(&symbol(None, "take"))), "src/pool.cpp:5-8 Pool.take");
    assert_eq!(shown(engine.ask(&symbol(None, "Pool"))), "src/pool.h:1-6 Pool");
    assert_eq!(shown(engine.ask(&symbol(None, "Pool.size"))), "src/pool.h:5-5 Pool.size");
}

#[test]
fn a_file_by_its_name_alone_and_a_function_by_its_module() {
    let tree = Tree::new(TREE);
    let engine = open(&tree);
    engine.ask(&spyhop::SymbolsRequest::new("Pool")).unwrap();
    assert_eq!(shown(engine.ask(&request("server.rs"))), "src/server.rs:1-5");
    assert_eq!(shown(engine.ask(&request("server.rs:3-4"))), "src/server.rs:3-4");
    assert_eq!(shown(engine.ask(&symbol(None, "server.start_server"))), "src/server.rs:1-5 start_server");
}

#[test]
fn a_name_of_several_words_may_have_its_container() {
    let tree = Tree::new(
        "\n=== src/SumTest.kt\nclass SumTest {\n    fun `adds two numbers`() {\n        check(1 + 1 == 2)\n    }\n}\n",
    );
    let engine = open(&tree);
    for typed in ["SumTest.adds two numbers", "adds two numbers"] {
        let expected = "src/SumTest.kt:2-4 SumTest.adds two numbers";
        assert_eq!(shown(engine.ask(&request(typed))), expected);
        assert_eq!(shown(engine.ask(&symbol(None, typed))), expected);
    }
    let missing = shown(engine.ask(&symbol(None, "Other.adds two numbers")));
    assert!(missing.starts_with("NotFound: the tree defines no 'Other.adds two numbers'"), "{missing}");
}

#[test]
fn a_missing_path_is_an_error_with_the_nearest_names() {
    let tree = Tree::new(TREE);
    let engine = open(&tree);
    let root = tree.root().canonicalize().unwrap();
    let root = root.display();
    let check = |request: &ReadRequest, expected: &str| assert_eq!(shown(engine.ask(request)), expected);
    check(
        &request("src/sever.rs"),
        &format!("NotFound: there is no file 'src/sever.rs' below '{root}'; the nearest are 'src/server.rs'"),
    );
    check(
        &request("src"),
        "NotAFile: path 'src' is a folder; it holds src/pool.py, src/server.rs; give a file",
    );
    check(
        &symbol(Some("src/pool.py"), "Pool.tale"),
        "NotFound: 'src/pool.py' defines no 'Pool.tale'; the nearest are 'Lake.take', 'Pool.take'",
    );
    check(
        &symbol(None, "start_sever"),
        "NotFound: the tree defines no 'start_sever'; the nearest are 'start_server'",
    );
    // With an index, a file that has moved is found in another folder.
    check(
        &request("lib/pool.py"),
        &format!("NotFound: there is no file 'lib/pool.py' below '{root}'; the nearest are 'src/pool.py'"),
    );
    tree.write("data.bin", b"ab\0c".as_slice());
    check(&request("data.bin"), "NotText: 'data.bin' cannot be read as text: binary: NUL at byte 2");
    check(&ReadRequest::default(), "BadRequest: neither path nor symbol is given; give one of them");
    let both = ReadRequest { lines: "1-2".parse().ok(), ..symbol(Some("src/pool.py"), "give") };
    check(&both, "BadRequest: lines is 1-2 and symbol is 'give'; give only one of the two");
}

#[test]
fn secrets_are_masked() {
    let tree = Tree::new(TREE);
    let reply = text(open(&tree).ask(&request(".env")));
    assert!(!reply.text[0].contains("hunter2"), "{:?}", reply.text);
    assert_eq!(reply.text[0].len(), "TOKEN=hunter2hunter2hunter2".len());
}

#[cfg(unix)]
#[test]
fn links_do_not_lead_out() {
    let tree = Tree::new(TREE);
    let root = tree.root().canonicalize().unwrap();
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, root.join(at)).unwrap();
    link("/etc", "etc");
    link("/etc/passwd", "passwd");
    link("src/pool.py", "inner.py");
    link("src", "sources");
    let engine = open(&tree);
    for path in ["etc/passwd", "passwd"] {
        let expected = format!("BadRequest: path '{path}' leads out of the root '{}'", root.display());
        assert_eq!(shown(engine.ask(&request(path))), expected);
    }
    assert_eq!(shown(engine.ask(&request("inner.py"))), "src/pool.py:1-11");
    let expected = "NotAFile: path 'sources' is a folder; it holds src/pool.py, src/server.rs; give a file";
    assert_eq!(shown(engine.ask(&request("sources"))), expected);
}
