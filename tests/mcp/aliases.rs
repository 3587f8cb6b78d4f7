//! Other names of tools: a recorded session that calls them with their own parameters is answered again.

use serde_json::{Value, json};
use spyhop_interface::catalog::aliases::{ALIASES, Becomes, SPELLINGS, TargetPart};

use super::{Session, steady};
use crate::support::{SMALL, Tree};

/// What callers send under a name that is spelled otherwise in the tool.
fn sample(name: &str) -> Value {
    match name {
        "q" | "query" | "pattern" | "regex" => json!("draw_circle"),
        "content" | "memory" | "data" | "text" => json!("draw_circle needs a radius"),
        "top_k" | "k" | "perPage" | "per_page" | "num_results" | "head_limit" | "-A" | "-B" | "-C"
        | "limit" | "context_lines" | "max_depth" => {
            json!(3)
        }
        "directory" | "target_directory" => json!("src"),
        "target_directories" => json!(["src"]),
        "file_path" | "filePath" | "absolute_path" | "target_file" | "file" => json!("src/paint.py"),
        "offset" | "startLine" | "start_line" | "start_line_one_indexed" => json!(1),
        "endLine" | "end_line" | "end_line_one_indexed_inclusive" => json!(2),
        "view_range" | "line_range" => json!([1, 2]),
        "should_read_entire_file" => json!(true),
        "include" | "include_pattern" => json!("*.py"),
        "extensionFilter" => json!([".py"]),
        "glob_pattern" => json!("**/*.py"),
        "type" => json!("py"),
        "-i" | "-w" | "-n" | "-F" | "case_sensitive" | "case_insensitive" => json!(true),
        "explanation" | "output_mode" => json!("content"),
        "symbol" | "symbol_name" | "symbolName" | "function" | "function_name" | "name" | "name_path"
        | "identifier" => json!("draw_circle"),
        "relative_path" => json!("src/paint.py"),
        "line" | "column" | "character" => json!(1),
        "prompt" | "description" => json!("draw a circle"),
        "max_tokens" | "token_budget" => json!(500),
        "files" | "seed_files" => json!(["src/paint.py"]),
        "symbols" | "seed_symbols" => json!(["draw_circle"]),
        other => panic!("there is no sample of '{other}'"),
    }
}

#[test]
fn every_parameter_of_another_name_is_answered() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let mut session = Session::start(tree.command().args(["mcp", "--allow-memory"]));
    let aliases = ALIASES.iter().filter(|alias| alias.replay);
    let aliases = aliases.map(|alias| (alias.name, alias.canonical, alias.params, alias.own));
    let own_names = SPELLINGS.iter().map(|(tool, spellings)| (*tool, *tool, *spellings, &[][..]));
    for (name, canonical, spellings, own_params) in aliases.chain(own_names) {
        let (needed, value) = match canonical {
            "codebase_search" => ("query", json!("draw_circle")),
            "search_batch" => ("queries", json!(["draw_circle"])),
            "grep_files" | "file_search" => ("pattern", json!("*draw_circle*")),
            "read_file" => ("path", json!("src/paint.py")),
            "find_references" | "impact" | "trace_symbol" => ("target", json!("draw_circle")),
            "search_revision_memory" => ("query", json!("draw_circle")),
            "record_revision" => ("text", json!("draw_circle needs a radius")),
            "get_context_pack" => ("task", json!("draw a circle")),
            _ => ("", Value::Null),
        };
        let (needed, value) =
            if canonical == "grep_files" { (needed, json!("draw_circle")) } else { (needed, value) };
        let required = |given: &str| {
            if needed.is_empty() || given == needed { json!({}) } else { json!({ needed: value }) }
        };
        for (other, becomes) in spellings {
            // A table that several names share may hold more than one of them needs.
            if canonical == "search_batch" && matches!(becomes, Becomes::As("query", _)) {
                continue;
            }
            let given = match becomes {
                Becomes::As(own, _) => required(own),
                Becomes::Target(TargetPart::Symbol) => json!({}),
                Becomes::Target(_) => json!({ "symbol": "draw_circle" }),
                _ => required(""),
            };
            let mut given = given;
            given[*other] = sample(other);
            let data = session.data(name, given.clone());
            assert!(data.is_object(), "{name} {given}");
        }
        for own in own_params {
            for param in std::iter::once(&own.name).chain(own.aliases) {
                let mut given = required("");
                given[*param] = match own.name {
                    "db" => json!(index_of(&tree)),
                    "path" => json!("src"),
                    other => panic!("there is no sample of '{other}'"),
                };
                session.data(name, given);
            }
        }
    }
}

/// The folder of the tree's index.
fn index_of(tree: &Tree) -> String {
    tree.json(&["status"])["index_path"].as_str().unwrap().to_string()
}

#[test]
fn another_index_of_the_root_answers() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    tree.write("src/new.rs", "pub fn hoist_flag() {}\n");
    tree.run(&["index", "-q", "--index-dir", ".other/index"]);
    let other = tree.root().join(".other/index");
    // Neither index is compared with the tree, so they differ in what they know.
    let mut session = Session::start(tree.command().args(["mcp", "--no-refresh", "--require-index"]));
    let found = |data: Value| data["results"].as_array().unwrap().len();
    let asked = |db: Value| json!({ "query": "hoist_flag", "db": db });
    assert_eq!(found(session.data("code.search", json!({ "query": "hoist_flag" }))), 0);
    for db in [json!(other), json!(".other/index"), json!(other.join("."))] {
        assert_eq!(found(session.data("code.search", asked(db.clone()))), 1, "{db}");
        let batch = json!({ "queries": ["hoist_flag"], "db": db });
        assert_eq!(found(session.data("code.search_batch", batch)), 1, "{db}");
        let status = session.data("code.status", json!({ "db": db }));
        assert_eq!((&status["index_path"], &status["files"]), (&json!(other), &json!(4)), "{db}");
    }
    // The server's own by its name is as good as none.
    let own = index_of(&tree);
    assert_eq!(found(session.data("code.search", asked(json!(own)))), 0);
    assert_eq!(session.data("code.status", json!({ "db": own })), session.data("index_status", json!({})));
    // With another revision as well.
    let message = session.call("code.search", json!({ "query": "hoist_flag", "db": other, "view": "gone" }));
    assert_eq!(message["result"]["isError"], true, "{message}");
}

#[test]
fn a_folder_without_an_index_of_the_root_is_refused_and_left_alone() {
    let tree = Tree::new(SMALL);
    let stranger = Tree::new(SMALL);
    stranger.run(&["index", "-q"]);
    std::fs::create_dir(tree.root().join("empty")).unwrap();
    let mut session = Session::new(&tree);
    let foreign = index_of(&stranger);
    for db in [&*foreign, "/etc/passwd", "/gone", "docs/guide.md", "empty", "src", "new"] {
        let whole = tree.root().join(db);
        for (tool, mut given) in [("code.search", json!({ "query": "circle" })), ("code.status", json!({}))] {
            given["db"] = json!(db);
            let message = session.call(tool, given);
            let text = message["result"]["content"][0]["text"].as_str().unwrap();
            let expected = format!("db '{}' holds no index of '{}'", whole.display(), tree.root().display());
            assert!(text.contains(&expected), "{text}");
            assert_eq!(message["result"]["isError"], true, "{message}");
        }
    }
    assert!(!tree.root().join("new").exists());
    assert_eq!(std::fs::read_dir(tree.root().join("empty")).unwrap().count(), 0);
    for db in ["../index", "~/index", "C:\\index"] {
        let message = session.call("code.search", json!({ "query": "circle", "db": db }));
        assert_eq!(message["result"]["isError"], true, "{message}");
    }
    // Only those names take it.
    let message = session.call("codebase_search", json!({ "query": "circle", "db": foreign }));
    let text = message["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("codebase_search has no parameter 'db'"), "{text}");
}

#[test]
fn a_path_chooses_the_root_whose_state_is_told() {
    let (one, two) = (Tree::new(SMALL), Tree::new("\n=== lib/b.rs\npub fn hoist_flag() {}\n"));
    for tree in [&one, &two] {
        tree.run(&["index", "-q"]);
    }
    let mut command = one.command();
    command.args(["mcp"]).args([one.root(), two.root()]);
    two.run_in(".", &["index", "-q", "--index-dir", one.index_dir().join("two").to_str().unwrap()]);
    let mut session = Session::start(&mut command);
    let root = |session: &mut Session, given: Value| session.patient("code.status", given)["root"].take();
    assert_eq!(root(&mut session, json!({})), json!(one.root()));
    assert_eq!(root(&mut session, json!({ "path": "src" })), json!(one.root()));
    for path in [two.root(), two.root().join("lib"), two.root().join("lib/b.rs")] {
        assert_eq!(root(&mut session, json!({ "path": path })), json!(two.root()), "{path:?}");
    }
    // The server indexes the second root and begins to watch it meanwhile; what the calls say is compared after that.
    let mut by_root = Value::Null;
    for _ in 0..500 {
        by_root = session.data("index_status", json!({ "root": two.root() }));
        if by_root["indexing"].is_null() && by_root["watcher"].is_number() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(steady(session.data("code.status", json!({ "path": two.root() }))), steady(by_root));
    let other = session.data("code.status", json!({ "path": two.root(), "db": one.index_dir().join("two") }));
    assert_eq!((&other["root"], &other["files"]), (&json!(two.root()), &json!(1)));
    for path in ["gone", "/etc"] {
        let message = session.call("code.status", json!({ "path": path }));
        assert_eq!(message["result"]["isError"], true, "{message}");
    }
}

#[test]
fn recorded_calls_of_other_systems_have_their_meaning() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    let found = |data: &Value| data["results"].as_array().unwrap().len();
    let status = session.data("code.status", json!({ "path": tree.root() }));
    assert_eq!((&status["state"], &status["root"]), (&json!("ready"), &json!(tree.root())));
    let data = session.data("code.search", json!({ "query": "draw_circle", "db": index_of(&tree) }));
    assert_eq!(data["results"][0]["path"], "src/paint.py");
    assert_eq!(found(&session.data("file_search", json!({ "query": "paint" }))), 1);
    let given =
        json!({ "pattern": "CANVAS", "include": "*.py", "context_lines": 1, "case_insensitive": true });
    let data = session.data("grep_files", given);
    assert_eq!((found(&data), data["results"][0]["before"].as_array().unwrap().len()), (2, 1), "{data}");
    assert_eq!(found(&session.data("grep_files", json!({ "pattern": "CANVAS", "include": "*.py" }))), 0);
    assert_eq!(found(&session.data("grep_files", json!({ "pattern": "canvas", "include": "*.rs" }))), 0);
    let entries = |data: Value| data["entries"].as_array().unwrap().len();
    let flat = entries(session.data("project_map", json!({ "max_depth": 0 })));
    let deep = entries(session.data("project_map", json!({ "max_depth": 1 })));
    assert!(flat < deep, "{flat} {deep}");
    let given = json!({ "file_path": "src/paint.py", "offset": 2, "limit": 1 });
    assert_eq!((session.data("read", given.clone()), session.data("read_file", given.clone())).0["line"], 2);
    let given = json!({ "path": tree.root().join("src/paint.py"), "view_range": [2, -1] });
    assert_eq!(session.data("view", given)["text"].as_str().unwrap().lines().count(), 2);
}
