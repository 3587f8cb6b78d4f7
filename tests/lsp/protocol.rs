//! The life of a session: initialization, errors, cancellation, folders, progress, shutdown.

use serde_json::{Value, json};

use super::{Editor, POOLS, places, position, uri};
use crate::support::{SMALL, Tree};

#[test]
fn a_session_begins_and_ends_as_the_protocol_wants() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::silent(&tree);
    let early = editor.ask("workspace/symbol", json!({ "query": "a" }));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    let hello = json!({ "processId": null, "capabilities": {}, "rootUri": uri(&tree.root()) });
    let answer = editor.ask("initialize", hello.clone());
    assert_eq!(answer["result"]["serverInfo"]["name"], "spyhop");
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["textDocumentSync"]["change"], 1);
    assert_eq!(capabilities["executeCommandProvider"]["commands"], json!(["spyhop.search", "spyhop.grep"]));
    assert_eq!(editor.ask("initialize", hello)["error"]["code"], -32600);
    // What the server does not know is no reason to end.
    editor.notify("$/setTrace", json!({ "value": "off" }));
    editor.notify("initialized", json!({}));
    editor.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    editor.notify("textDocument/didOpen", json!({ "wrong": true }));
    assert_eq!(editor.ask("textDocument/rename", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.ask("workspace/symbol", json!({ "query": 1 }))["error"]["code"], -32602);
    // A root alone is served too.
    let found = editor.result("workspace/symbol", json!({ "query": "Queue" }));
    assert_eq!(found[0]["name"], "Queue", "{found}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn after_a_shutdown_only_exit_follows() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    assert_eq!(editor.result("shutdown", Value::Null), Value::Null);
    assert_eq!(editor.ask("workspace/symbol", json!({ "query": "a" }))["error"]["code"], -32600);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.wait(), 0);
}

#[test]
fn an_end_without_shutdown_is_a_failure() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.wait(), 1);
    assert_eq!(Editor::new(&tree).hang_up(), 1);
    let mut editor = Editor::silent(&tree);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.wait(), 1);
}

#[test]
fn a_cancelled_request_is_answered_once_and_blocks_nothing() {
    let tree = Tree::new(POOLS);
    let body: String = (0..2_000).map(|number| format!("pub fn item_{number}() {{}}\n")).collect();
    for number in 0..150 {
        tree.write(&format!("many/file_{number}.rs"), &body);
    }
    let mut editor = Editor::new(&tree);
    // The first index takes a while, and these requests wait for it.
    let slow: Vec<u64> =
        (0..20).map(|_| editor.request("workspace/symbol", json!({ "query": "item" }))).collect();
    for id in &slow {
        editor.notify("$/cancelRequest", json!({ "id": id }));
    }
    editor.notify("$/cancelRequest", json!({ "id": "unknown" }));
    // An exact search needs no index.
    let grep = editor.request(
        "workspace/executeCommand",
        json!({ "command": "spyhop.grep", "arguments": [{ "pattern": "struct Queue" }] }),
    );
    let mut codes = Vec::new();
    while codes.len() < slow.len() + 1 {
        let message = editor.message().unwrap();
        if message["id"] == grep {
            assert_eq!(places(&tree, &message["result"]), ["src/queue.rs:0:4-16"], "{message}");
            codes.push(Value::Null);
        } else if slow.iter().any(|id| message["id"] == *id) {
            codes.push(message["error"]["code"].clone());
        }
    }
    assert_eq!(codes.iter().filter(|code| **code == -32800).count(), slow.len(), "{codes:?}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn folders_come_and_go() {
    let (one, two) = (Tree::new(POOLS), Tree::new(SMALL));
    let (mut editor, _) = Editor::of(&one, &[&one.root()], json!({}));
    let names = |editor: &mut Editor, query: &str| {
        let found = editor.result("workspace/symbol", json!({ "query": query }));
        let names = found.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_string());
        names.collect::<Vec<_>>()
    };
    let folder = |tree: &Tree| json!([{ "uri": uri(&tree.root()), "name": "a folder" }]);
    assert!(!names(&mut editor, "resolve_api_key").contains(&"resolve_api_key".to_string()));
    let added = json!({ "event": { "added": folder(&two), "removed": [] } });
    editor.notify("workspace/didChangeWorkspaceFolders", added);
    assert_eq!(names(&mut editor, "resolve_api_key")[0], "resolve_api_key");
    assert_eq!(names(&mut editor, "Queue")[0], "Queue");
    let removed = json!({ "event": { "added": [], "removed": folder(&one) } });
    editor.notify("workspace/didChangeWorkspaceFolders", removed);
    assert!(!names(&mut editor, "Queue").contains(&"Queue".to_string()));
    assert_eq!(names(&mut editor, "resolve_api_key")[0], "resolve_api_key");
    // Documents of a folder that is not served any more have no answers.
    assert_eq!(editor.at("textDocument/definition", &one, "src/main.rs", (6, 11)), Value::Null);
    assert_eq!(editor.end(), 0);
}

#[test]
fn the_first_index_shows_its_progress_where_the_client_can() {
    let tree = Tree::new(POOLS);
    let window = json!({ "window": { "workDoneProgress": true } });
    for is_first in [true, false] {
        let (mut editor, _) = Editor::of(&tree, &[&tree.root()], window.clone());
        editor.result("workspace/symbol", json!({ "query": "take" }));
        let kinds: Vec<_> = editor
            .seen
            .iter()
            .filter(|message| message["method"] == "$/progress")
            .map(|message| message["params"]["value"]["kind"].as_str().unwrap().to_string())
            .collect();
        let created = editor.seen.iter().any(|message| message["method"] == "window/workDoneProgress/create");
        assert_eq!(created, is_first);
        if is_first {
            assert_eq!(kinds.first().map(String::as_str), Some("begin"));
            assert_eq!(kinds.last().map(String::as_str), Some("end"));
        } else {
            assert!(kinds.is_empty(), "{kinds:?}");
        }
        assert_eq!(editor.end(), 0);
    }
}

#[test]
fn nothing_outside_of_the_roots_or_in_a_git_directory_is_read() {
    let tree = Tree::new(POOLS);
    tree.git(&["init", "-q"]);
    tree.write("sub/.git/HEAD.rs", "fn outside_secret() {}\n");
    let outside = tree.root().parent().unwrap().join("outside.rs");
    std::fs::write(&outside, "fn outside_secret() { outside_secret(); }\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, tree.root().join("src/link.rs")).unwrap();
    let mut editor = Editor::new(&tree);
    for path in ["../outside.rs", "src/../../outside.rs", "src/link.rs", "sub/.git/HEAD.rs"] {
        let definition = editor.result("textDocument/definition", position(&tree, path, (0, 5)));
        assert_eq!(definition, Value::Null, "{path}");
        let document = json!({ "textDocument": { "uri": uri(&tree.root().join(path)) } });
        let symbols = editor.result("textDocument/documentSymbol", document);
        assert_eq!(symbols, Value::Null, "{path}");
    }
    let found = editor.command("spyhop.grep", json!({ "pattern": "outside_secret" }));
    assert_eq!(found, json!([]));
    for path in ["../", "sub/.git"] {
        let refused = json!({ "command": "spyhop.grep", "arguments": [{ "pattern": "fn", "path": path }] });
        assert_eq!(editor.ask("workspace/executeCommand", refused)["error"]["code"], -32602, "{path}");
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_home_folder_is_not_indexed() {
    let tree = Tree::new(POOLS);
    let mut command = tree.command();
    command.env("HOME", tree.root()).arg("lsp");
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut editor = Editor::start(&mut command);
    editor.ask("initialize", json!({ "capabilities": {}, "rootUri": uri(&tree.root()) }));
    editor.notify("initialized", json!({}));
    assert_eq!(editor.result("workspace/symbol", json!({ "query": "take" })), json!([]));
    let shown = editor.seen.iter().find(|message| message["method"] == "window/showMessage").unwrap();
    assert!(shown["params"]["message"].as_str().unwrap().contains("home folder"), "{shown}");
    assert!(!tree.index_dir().exists());
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_bad_frame_ends_nothing() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    let valid = r#"{"jsonrpc":"2.0","method":"$/none"}"#;
    let frames: [&[u8]; 3] = [
        b"Content-Type: x\r\n\r\n{}",
        b"Content-Length: 1099511627776\r\n\r\n{",
        b"Content-Length: 9000\r\n\r\n{",
    ];
    for frame in frames {
        editor.send_bytes(frame);
        // The frame that is too short is known to be so when the next one begins.
        editor.send_bytes(format!("Content-Length: {}\r\n\r\n{valid}", valid.len()).as_bytes());
        let error = editor.message().unwrap();
        assert!(error["id"].is_null() && error["error"]["code"].as_i64() < Some(-32000), "{error}");
        assert!(error["error"]["message"].as_str().is_some_and(|text| text.len() > 20), "{error}");
        let found = editor.result("workspace/symbol", json!({ "query": "Queue" }));
        assert_eq!(found[0]["name"], "Queue", "{}", String::from_utf8_lossy(frame));
    }
    // A cut message is answered too, and then the session ends as it would without one.
    editor.send_bytes(b"Content-Length: 50\r\n\r\n{");
    editor.close_input();
    assert_eq!(editor.message().unwrap()["error"]["code"], -32700);
    assert_eq!(editor.message(), None);
    assert_eq!(editor.wait(), 1);
}
