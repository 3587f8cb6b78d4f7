//! Path safety: a table of paths against every parameter of every tool that takes one.

use serde_json::{Map, Value, json};
use spyhop_interface::catalog::Takes;
use spyhop_interface::catalog::tools::{TOOLS, Tool};

use super::Session;
use crate::support::{SMALL, Tree};

/// Parameters that are patterns of paths and no paths; what is absolute or leaves the root is refused in them too.
fn is_pattern(tool: &Tool, name: &str) -> bool {
    name == "path_glob" || (tool.name, name) == ("file_search", "pattern")
}

/// A value for each parameter that a tool insists on.
fn required(tool: &Tool) -> Map<String, Value> {
    let value = |takes: Takes| match takes {
        Takes::Paths => json!(["src/auth.rs"]),
        Takes::Path => json!("src/auth.rs"),
        Takes::Repeated => json!(["secret"]),
        _ => json!("secret"),
    };
    tool.required.iter().map(|param| (param.name.to_string(), value(param.takes))).collect()
}

/// Every parameter that takes a path or a pattern of paths.
fn path_params() -> Vec<(&'static Tool, &'static str, Takes)> {
    let takes_path = |takes: Takes| matches!(takes, Takes::Path | Takes::Paths);
    let params =
        TOOLS.iter().flat_map(|tool| tool.params().map(move |param| (tool, param.name, param.takes)));
    params.filter(|(tool, name, takes)| takes_path(*takes) || is_pattern(tool, name)).collect()
}

#[test]
fn nothing_outside_the_roots_is_reached_by_any_parameter() {
    let tree = Tree::new(SMALL);
    let other = Tree::new(SMALL);
    std::fs::write(other.root().join("secret.txt"), "secret outside\n").unwrap();
    std::os::unix::fs::symlink(other.root(), tree.root().join("out")).unwrap();
    std::os::unix::fs::symlink(other.root().join("secret.txt"), tree.root().join("src/out.txt")).unwrap();
    std::os::unix::fs::symlink("/no/such/place", tree.root().join("dangling")).unwrap();
    let elsewhere = other.root().to_string_lossy().into_owned();
    let inside = tree.root().to_string_lossy().into_owned();
    let fixed = r"
        .. ../ src/../../tree src/../auth.rs ..\..\windows / /etc /etc/passwd out out/secret.txt out/not/there
        src/out.txt dangling dangling/x ~ ~/.ssh/id_rsa ~root C:\Windows c:/Windows C: \\server\share
        //server/share //?/C:/Windows \\?\C:\Windows \\.\pipe\x";
    let built = [
        format!("{inside}/../tree/src"),
        format!("{inside}x"),
        elsewhere.clone(),
        format!("{elsewhere}/secret.txt"),
        format!("{inside}/out/secret.txt"),
    ];
    let table: Vec<&str> = fixed
        .split_whitespace()
        .chain(built.iter().map(String::as_str))
        .chain(["src\0/auth.rs", "\0"])
        .collect();
    tree.run(&["index", "-q"]);
    let mut session = Session::start(tree.command().args(["mcp", "--allow-memory"]));
    let params = path_params();
    assert!(params.len() >= 10, "{params:?}");
    for (tool, name, takes) in params {
        for path in &table {
            // A pattern is compared with paths below the root; what it names there is never followed.
            let below = path.strip_prefix(&format!("{inside}/")).unwrap_or(path);
            let is_link = ["out", "dangling", "src/out.txt"].iter().any(|link| below.starts_with(link));
            if is_pattern(tool, name) && is_link {
                continue;
            }
            let mut given = required(tool);
            let value = match takes {
                Takes::Path | Takes::Text => json!(path),
                _ => json!([path]),
            };
            given.insert(name.to_string(), value);
            let message = session.call(tool.name, given.into());
            let result = &message["result"];
            assert_eq!(result["isError"], true, "{} {name} {path:?}: {message}", tool.name);
            assert_eq!(result["structuredContent"]["kind"], "bad-request", "{} {name} {path:?}", tool.name);
            assert!(!message.to_string().contains("secret outside"), "{message}");
        }
    }
}

#[test]
fn paths_in_the_roots_are_reached() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    let root = tree.root().to_string_lossy().into_owned();
    for path in ["src", "./src/", "src/paint.py", &format!("{root}/src"), &format!("{root}/src/paint.py")] {
        let reply = session.data("codebase_search", json!({ "query": "circle", "path": path }));
        assert_eq!(reply["results"][0]["path"], "src/paint.py", "{path}: {reply}");
    }
    for path in ["", ".", root.as_str()] {
        let reply = session.data("codebase_search", json!({ "query": "beans", "path": path, "root": root }));
        assert_eq!(reply["results"][0]["path"], "docs/guide.md", "{path}: {reply}");
    }
}

#[test]
fn a_call_reads_one_of_several_roots_only() {
    let [one, two] = [Tree::new(SMALL), Tree::new("\n=== lib/boat.rs\nfn row_the_boat() {}\n")];
    one.run(&["index", "-q"]);
    let roots = [one.root(), two.root()].map(|root| root.to_string_lossy().into_owned());
    let index = one.index_dir();
    let mut session = Session::start(
        one.command().current_dir("/").args(["mcp", &roots[0], &roots[1]]).env("SPYHOP_INDEX_DIR", index),
    );
    let status = session.data("index_status", json!({ "root": roots[1] }));
    assert_eq!((&status["root"], &status["roots"]), (&json!(roots[1]), &json!(roots)));
    let first = |session: &mut Session, given: Value| {
        session.data("codebase_search", given)["results"][0]["path"].clone()
    };
    assert_eq!(first(&mut session, json!({ "query": "boat", "root": roots[1] })), "lib/boat.rs");
    assert_eq!(
        first(&mut session, json!({ "query": "boat", "path": format!("{}/lib", roots[1]) })),
        "lib/boat.rs"
    );
    assert_eq!(first(&mut session, json!({ "query": "boat" })), Value::Null);
    let both = json!({ "query": "boat", "root": roots[0], "path": format!("{}/lib", roots[1]) });
    assert_eq!(session.call("codebase_search", both)["result"]["isError"], true);
    let touched = session.data("touch", json!({ "files": [format!("{}/lib/boat.rs", roots[1])] }));
    assert_eq!(touched["touched"], json!(["lib/boat.rs"]));
    // What one root does not have may be in another.
    let note = "only the root 'tree' was asked; in: [\"tree\", \"tree-2\"] asks all";
    for (tool, given) in [
        ("codebase_search", json!({ "query": "boat" })),
        ("find_references", json!({ "target": "row_the_boat" })),
        ("read_file", json!({ "path": "lib/boat.rs" })),
        ("symbol_search", json!({ "pattern": "row_the_boat" })),
    ] {
        let message = session.call(tool, given.clone());
        assert!(
            message["result"]["structuredContent"]["warnings"].to_string().contains("only the root"),
            "{message}"
        );
        let text = message["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(note), "{tool}: {text}");
        let mut all = given;
        all["in"] = json!("all");
        assert_eq!(session.call(tool, all)["result"]["isError"], false, "{tool}");
    }
    let text = session.text("codebase_search", json!({ "query": "boat", "path": "lib" }));
    assert!(text.contains(&format!("'{}', but below the root '{}'", roots[0], roots[1])), "{text}");
    let by_name = json!({ "query": "boat", "root": "tree-2" });
    assert_eq!(first(&mut session, by_name), "lib/boat.rs");
    let mut alone = Session::new(&one);
    let found = alone.data("codebase_search", json!({ "query": "circle", "in": "tree" }));
    assert_eq!(found["results"][0]["source"]["name"], "tree", "{found}");
    let parent = json!({ "query": "boat", "root": one.root().parent().unwrap().to_str().unwrap() });
    assert_eq!(session.call("codebase_search", parent)["result"]["isError"], true);
}

#[test]
fn no_parameter_reads_a_git_directory() {
    const SECRET: &str = "walruszz";
    let tree = Tree::new(SMALL);
    let at = |path: &str| tree.root().join(path);
    tree.git(&["init", "-q"]);
    tree.commit();
    std::fs::create_dir_all(at("store/refs")).unwrap();
    std::fs::create_dir_all(at("store/objects")).unwrap();
    tree.write("store/HEAD", "ref: refs/heads/main\n");
    std::os::unix::fs::symlink("../.git/config", at("src/link.txt")).unwrap();
    std::os::unix::fs::symlink("../.git", at("src/folder")).unwrap();
    let files = [".git/config", ".git/modules/sub/config", "sub/.git/config", ".GIT/config", "store/config"];
    for file in files {
        tree.write(file, format!("[core]\n\tbare = false\n[x]\n\tnote = {SECRET}\n"));
    }
    let links = ["src/link.txt", "src/folder/config", "src/folder/modules/sub/config"];
    tree.run(&["index", "-q"]);
    let mut session = Session::start(tree.command().args(["mcp", "--allow-memory"]));
    for (tool, name, takes) in path_params() {
        for path in files.iter().chain(&links).chain(&[".git", "sub/.git", "store", ".git/config:1-9"]) {
            let mut given = required(tool);
            for wanted in ["pattern", "query", "queries", "task"] {
                given.entry(wanted).and_modify(|value| {
                    *value = json!(if value.is_array() { json!([SECRET]) } else { json!(SECRET) })
                });
            }
            given.insert(
                name.to_string(),
                match takes {
                    Takes::Paths => json!([path]),
                    _ => json!(path),
                },
            );
            let message = session.call(tool.name, given.clone().into());
            let result = message["result"].to_string();
            // A pattern names no path, and the index knows git directories by the name `.git` only.
            if !is_pattern(tool, name) || !path.starts_with("store") {
                assert!(!result.contains("note = walrus"), "{} {name} {path}: {message}", tool.name);
            }
            if !is_pattern(tool, name) {
                assert_eq!(message["result"]["isError"], true, "{} {name} {path}: {message}", tool.name);
                assert!(
                    name == "root" || result.contains("git directory"),
                    "{} {name} {path}: {message}",
                    tool.name
                );
            }
        }
    }
    for path in links {
        let message = session.call("read_file", json!({ "path": path }));
        assert!(message.to_string().contains("git directory"), "{path}: {message}");
    }
    let found = session.data("grep_files", json!({ "pattern": SECRET }));
    assert_eq!(found["total_lines"], 0, "{found}");
    // Whoever runs the program may read it.
    assert!(tree.run(&["read", ".git/config"]).out.contains("note = walrus"));
    assert!(tree.run(&["grep", SECRET, ".git"]).out.contains("config"));
}
