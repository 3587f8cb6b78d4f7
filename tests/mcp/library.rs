//! The library over the protocol: what an agent reads of it, and what it may change where the server allows that.

use serde_json::{Value, json};

use super::Session;
use crate::support::{SMALL, Tree, git};

fn changing(tree: &Tree) -> Session {
    tree.run(&["index", "-q"]);
    Session::start(tree.command().args(["mcp", "--allow-library"]))
}

fn refusal(session: &mut Session, tool: &str, given: Value) -> String {
    let message = session.call(tool, given);
    assert_eq!(message["result"]["isError"], true, "{message}");
    message["result"]["content"][0]["text"].as_str().unwrap().to_string()
}

#[test]
fn sources_are_added_only_where_the_server_was_started_for_it() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    for (tool, given) in [
        ("add_source", json!({ "source": "src" })),
        ("update_source", json!({})),
        ("rename_source", json!({ "source_name": "code", "new_name": "other" })),
        ("remove_source", json!({ "source_name": "code" })),
        ("unprotect_source", json!({ "source_name": "code" })),
        ("library_intake", json!({})),
        ("library_gc", json!({})),
    ] {
        let refused = session.call(tool, given);
        assert!(refused["error"]["message"].as_str().unwrap().contains("--allow-library"), "{refused}");
    }
    assert!(!session.text("tool_search", json!({ "query": "add a source" })).contains("add_source"));
    drop(session);

    let mut session = changing(&tree);
    assert!(session.text("tool_search", json!({ "query": "add a source" })).contains("add_source"));
    let added = session.data("add_source", json!({ "source": "src", "name": "code", "group": ["mine"] }));
    assert_eq!((&added["source"]["kind"], &added["report"]["added"]), (&"folder".into(), &2.into()));
    let found = session.data("codebase_search", json!({ "query": "draw a circle", "in": ["mine"] }));
    assert_eq!(found["results"][0]["path"], "paint.py");
    tree.write("src/later.py", "def draw_square(side):\n    return side\n");
    let planned = session.data("update_source", json!({ "dry_run": true }));
    assert_eq!(
        (&planned["sources"][0]["step"], &planned["sources"][0]["changed_files"]),
        (&"index".into(), &1.into())
    );
    let updated = session.data("update_source", json!({ "source_name": ["code"] }));
    assert_eq!((&updated["sources"][0]["report"]["added"], &updated["failed"]), (&1.into(), &json!([])));
    let known = refusal(&mut session, "add_source", json!({ "source": "src" }));
    assert!(known.contains("is in the library as 'code'"), "{known}");
}

#[test]
fn whatever_the_command_line_does_with_a_library_an_agent_does() {
    let tree = Tree::new(SMALL);
    let mut session = changing(&tree);
    let added = session.data("add_source", json!({ "source": "src", "name": "code" }));
    assert_eq!(session.data("library_status", json!({})), tree.json(&["library", "status"]));
    assert_eq!(session.data("verify_source", json!({})), tree.json(&["library", "verify"]));
    let inbox = tree.json(&["library", "intake"])["inbox"].as_str().unwrap().to_string();
    std::fs::write(
        std::path::Path::new(&inbox).join("lone.py"),
        "def draw_triangle(side):\n    return side\n",
    )
    .unwrap();
    let taken = session.data("library_intake", json!({ "all": true }));
    assert_eq!((&taken["taken"][0]["name"], &taken["failed"]), (&"lone.py".into(), &json!([])));
    let asked = json!({ "query": "draw a triangle", "in": ["all"] });
    assert_eq!(session.data("codebase_search", asked.clone())["results"][0]["path"], "lone.py");

    let shown = session.data("library", json!({ "source": "single-files" }));
    let lone = std::path::Path::new(shown["path"].as_str().unwrap()).join("lone.py");
    let is_protected = || std::fs::metadata(&lone).unwrap().permissions().readonly();
    assert!(is_protected());
    session.data("unprotect_source", json!({ "source_name": "single-files" }));
    assert!(!is_protected());
    let renamed =
        session.data("rename_source", json!({ "source_name": "single-files", "new_name": "shapes" }));
    assert_eq!(renamed["name"], "shapes");
    assert_eq!(session.data("codebase_search", asked.clone())["results"][0]["source"]["name"], "shapes");
    session.data("remove_source", json!({ "source_name": "shapes" }));
    session.data("remove_source", json!({ "source_name": "code" }));
    assert!(tree.root().join("src").is_dir());
    assert!(session.text("library", json!({})).starts_with("no sources in "));
    let unknown = refusal(&mut session, "remove_source", json!({ "source_name": "code" }));
    assert!(unknown.contains("there is no source 'code'"), "{unknown}");
    let root = tree.json(&["library", "list"])["library"].as_str().unwrap().to_string();
    let left = std::path::Path::new(&root).join("raw").join(added["source"]["id"].as_str().unwrap());
    std::fs::create_dir_all(left.join("r1/tree")).unwrap();
    assert_ne!(session.data("library_gc", json!({ "dry_run": true }))["removed"], json!([]));
    assert!(left.is_dir());
    session.data("library_gc", json!({}));
    assert!(!left.exists());
}

#[test]
fn an_agent_adds_nothing_of_this_machine_that_the_server_does_not_serve() {
    let tree = Tree::new(SMALL);
    let other = Tree::new(SMALL);
    std::os::unix::fs::symlink(other.root(), tree.root().join("out")).unwrap();
    git(&other.root(), &["init", "-q"]);
    let mut session = changing(&tree);
    let outside = other.root();
    let url = format!("file://{}", outside.display());
    for source in
        [outside.to_str().unwrap(), &url, "..", "../other", "out", "out/src", "/etc/passwd", "~/x", ""]
    {
        let refused = refusal(&mut session, "add_source", json!({ "source": source }));
        assert!(!refused.contains("resolve_api_key"), "{refused}");
    }
    assert_eq!(tree.run(&["library", "list"]).code, 1);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let unreachable = session.call("add_source", json!({ "source": format!("http://127.0.0.1:{port}/x") }));
    assert_eq!(unreachable["result"]["structuredContent"]["kind"], "unreachable", "{unreachable}");
    let secret = refusal(&mut session, "add_source", json!({ "source": "https://me:secret@host.invalid/x" }));
    assert!(secret.contains("has a password") && !secret.contains("secret"), "{secret}");
}
