//! `--open`, which starts an editor, the extension for VS Code, and a session as Helix begins it.

use std::process::Command;

use serde_json::json;

use super::{Editor, POOLS, uri};
use crate::mcp::in_package;
use crate::support::{Tree, ran};

#[cfg(unix)]
#[test]
fn a_hit_is_opened_in_the_users_editor() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(POOLS);
    let folder = tempfile::tempdir().unwrap();
    // A program with an editor's name that writes down how it was started.
    let editor = folder.path().join("nvim");
    std::fs::write(&editor, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n").unwrap();
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = |args: &[&str]| ran(tree.command().env_remove("VISUAL").env("EDITOR", &editor).args(args), "");
    let root = tree.root();
    let opened = run(&["symbols", "Pool.take", "--open", "1"]);
    assert_eq!(
        (opened.code, opened.out),
        (0, format!("+10\n{}/src/pool.rs\n", root.display())),
        "{}",
        opened.err
    );
    let opened = run(&["take a permit", "--lang", "rust", "--open", "1"]);
    assert_eq!(
        (opened.code, opened.out),
        (0, format!("+10\n{}/src/pool.rs\n", root.display())),
        "{}",
        opened.err
    );
    let beyond = run(&["symbols", "Pool.take", "--open", "999"]);
    assert_eq!(beyond.code, 2);
    assert!(beyond.err.contains("--open 999: the answer has"), "{}", beyond.err);
    let none = ran(
        tree.command().env_remove("VISUAL").env_remove("EDITOR").args(["symbols", "take", "--open", "1"]),
        "",
    );
    assert_eq!(none.code, 2);
    assert!(none.err.contains("set VISUAL or EDITOR"), "{}", none.err);
    assert_eq!(run(&["symbols", "take", "--open", "1", "--json"]).code, 2);
}

#[test]
fn the_extension_for_vs_code_speaks_with_the_server() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("SKIPPED, NOTHING IS PROVED: node is not installed");
        return;
    }
    let tree = Tree::new(POOLS);
    tree.run(&["index", "-q"]);
    let mut command = Command::new("node");
    command.arg(in_package("editors/vscode/test/run.js")).env("SPYHOP_INDEX_DIR", tree.index_dir());
    command.env("SPYHOP", env!("CARGO_BIN_EXE_spyhop")).env("ROOT", tree.root());
    let ran = ran(&mut command, "");
    assert_eq!((ran.code, ran.out.lines().last()), (0, Some("ok")), "{}{}", ran.out, ran.err);
}

/// The parts of the first message of Helix 25 that say what Helix can do: its `helix-lsp/src/client.rs`.
fn capabilities_of_helix() -> serde_json::Value {
    let fixed = json!({ "dynamicRegistration": false });
    json!({
        "workspace": {
            "configuration": true, "workspaceFolders": true, "applyEdit": true, "symbol": fixed, "executeCommand": fixed,
            "didChangeConfiguration": fixed, "inlayHint": { "refreshSupport": false },
            "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create", "rename", "delete"] },
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": false },
            "fileOperations": { "willRename": true, "didRename": true },
        },
        "textDocument": {
            "completion": { "completionItem": { "snippetSupport": true, "tagSupport": { "valueSet": [1] } } },
            "hover": { "contentFormat": ["markdown"] },
            "rename": { "dynamicRegistration": false, "prepareSupport": true },
            "formatting": fixed, "inlayHint": fixed,
            "publishDiagnostics": { "versionSupport": true, "tagSupport": { "valueSet": [1, 2] } },
        },
        "window": { "workDoneProgress": true },
        "general": { "positionEncodings": ["utf-8", "utf-32", "utf-16"] },
    })
}

#[test]
fn a_session_of_helix_has_columns_in_utf_8_and_symbols_of_the_workspace() {
    let tree = Tree::new(POOLS);
    let root = tree.root();
    let mut editor = Editor::silent(&tree);
    let hello = json!({
        "processId": std::process::id(), "rootPath": root, "rootUri": uri(&root), "initializationOptions": null,
        "workspaceFolders": [{ "name": "tree", "uri": uri(&root) }], "capabilities": capabilities_of_helix(),
        "clientInfo": { "name": "helix", "version": "25.07" },
    });
    let answer = editor.ask("initialize", hello);
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-8", "{answer}");
    editor.notify("initialized", json!({}));
    editor.notify("workspace/didChangeConfiguration", json!({ "settings": {} }));
    let text = std::fs::read_to_string(root.join("src/main.rs")).unwrap();
    let document =
        json!({ "uri": uri(&root.join("src/main.rs")), "languageId": "rust", "version": 0, "text": text });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));

    let symbols = editor.result("workspace/symbol", json!({ "query": "Pool.take" }));
    assert_eq!(
        (&symbols[0]["name"], &symbols[0]["location"]["uri"]),
        (&json!("take"), &json!(uri(&root.join("src/pool.rs"))))
    );
    // Without hierarchical symbols, as Helix asks, the list is flat.
    let outline = editor.result(
        "textDocument/documentSymbol",
        json!({ "textDocument": { "uri": uri(&root.join("src/pool.rs")) } }),
    );
    assert!(
        outline.as_array().unwrap().iter().any(|row| row["name"] == "take" && row["location"].is_object()),
        "{outline}"
    );
    // Bytes, not characters, stand before the last call on the line.
    let column = text.lines().nth(5).unwrap().rfind("größe").unwrap() as u32;
    let place = editor.at("textDocument/definition", &tree, "src/main.rs", (5, column));
    let start = if place.is_array() { &place[0]["range"]["start"] } else { &place["range"]["start"] };
    assert_eq!(start, &json!({ "line": 2, "character": 3 }), "{place}");
    let references = editor.at("textDocument/references", &tree, "src/main.rs", (5, column));
    let columns: Vec<u64> = references
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["range"]["start"]["character"].as_u64())
        .collect();
    assert!(columns.contains(&u64::from(column)), "{references}");
    let hit = editor.command("spyhop.search", json!({ "query": "take a permit", "n": 1 }));
    assert_eq!(hit[0]["path"], "src/pool.rs", "{hit}");
    assert_eq!(editor.end(), 0);
}
