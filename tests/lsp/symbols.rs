//! Answers about names: symbols, definitions, uses, descriptions, and the commands.

use serde_json::{Value, json};

use super::{Editor, POOLS, places, uri};
use crate::support::Tree;

#[test]
fn symbols_of_the_workspace_are_found_by_letters() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    let found = editor.result("workspace/symbol", json!({ "query": "Pool.tk" }));
    assert_eq!(found[0]["name"], "take", "{found}");
    assert_eq!((&found[0]["containerName"], &found[0]["kind"]), (&json!("Pool"), &json!(6)));
    assert_eq!(places(&tree, &json!([found[0]["location"]])), ["src/pool.rs:9:11-15"]);
    assert_eq!(editor.end(), 0);
}

#[test]
fn definitions_follow_what_stands_before_the_word() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    let (pool, queue) = ("src/pool.rs:9:11-15", "src/queue.rs:3:11-15");
    // `Pool::take`: one definition.
    let found = editor.at("textDocument/definition", &tree, "src/main.rs", (6, 12));
    assert_eq!(places(&tree, &found), [pool]);
    // `pool.take`: the file `pool`.
    let found = editor.at("textDocument/definition", &tree, "src/main.rs", (7, 9));
    assert_eq!(places(&tree, &found), [pool]);
    // A definition itself.
    let found = editor.at("textDocument/definition", &tree, "src/queue.rs", (3, 11));
    assert_eq!(places(&tree, &found), [queue]);
    // Between words, and a word that nothing defines.
    assert_eq!(editor.at("textDocument/definition", &tree, "src/main.rs", (1, 0)), Value::Null);
    assert_eq!(editor.at("textDocument/definition", &tree, "src/main.rs", (5, 5)), json!([]));
    assert_eq!(editor.end(), 0);
}

#[test]
fn columns_count_what_was_agreed() {
    let tree = Tree::new(POOLS);
    // `    let länge = größe(); let s = "𝄞"; größe();`: the second use begins at code unit 39 and at byte 44.
    for (encodings, second, first, definition) in [
        (json!(["utf-16"]), "src/main.rs:5:39-44", "src/main.rs:5:16-21", "src/main.rs:2:3-8"),
        (json!(["utf-32", "utf-8"]), "src/main.rs:5:44-51", "src/main.rs:5:17-24", "src/main.rs:2:3-10"),
    ] {
        let capabilities = json!({ "general": { "positionEncodings": encodings } });
        let (mut editor, answer) = Editor::of(&tree, &[&tree.root()], capabilities);
        let is_bytes = answer["capabilities"]["positionEncoding"] == "utf-8";
        assert_eq!(is_bytes, second.ends_with("51"));
        let column = if is_bytes { 46 } else { 41 };
        let found = editor.at("textDocument/definition", &tree, "src/main.rs", (5, column));
        assert_eq!(places(&tree, &found), [definition]);
        let found = editor.at("textDocument/references", &tree, "src/main.rs", (5, column));
        assert_eq!(places(&tree, &found), [definition, first, second]);
        assert_eq!(editor.end(), 0);
    }
}

#[test]
fn references_are_uses_of_what_the_word_means() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    let found = editor.at("textDocument/references", &tree, "src/pool.rs", (9, 12));
    let all = ["src/pool.rs:9:11-15", "src/main.rs:6:10-14", "src/main.rs:7:9-13"];
    assert_eq!(places(&tree, &found), all);
    let mut params = super::position(&tree, "src/pool.rs", (9, 12));
    params["context"] = json!({ "includeDeclaration": false });
    let found = editor.result("textDocument/references", params);
    assert_eq!(places(&tree, &found), ["src/main.rs:6:10-14", "src/main.rs:7:9-13"]);
    // A file that changes is searched as it is, at once.
    tree.write("src/new.rs", "fn f(p: &Pool) { p.take(); retake(); }\n");
    let found = editor.at("textDocument/references", &tree, "src/pool.rs", (9, 12));
    assert!(places(&tree, &found).contains(&"src/new.rs:0:19-23".to_string()), "{found}");
    assert_eq!(found.as_array().unwrap().len(), all.len() + 1);
    assert_eq!(editor.end(), 0);
}

/// A symbol as `name start-end (children)`, lines as the protocol has them.
fn nested(symbols: &Value) -> String {
    let one = |symbol: &Value| {
        let (range, selected) = (&symbol["range"], &symbol["selectionRange"]);
        let before = |a: &Value, b: &Value| {
            let place = |at: &Value| (at["line"].as_u64(), at["character"].as_u64());
            place(a) <= place(b)
        };
        assert!(before(&range["start"], &selected["start"]) && before(&selected["end"], &range["end"]));
        let children = symbol.get("children").map(|children| format!(" ({})", nested(children)));
        let (name, children) = (symbol["name"].as_str().unwrap(), children.unwrap_or_default());
        format!("{name} {}-{}{children}", range["start"]["line"], range["end"]["line"])
    };
    symbols.as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn the_symbols_of_a_document_are_nested() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    let document = json!({ "textDocument": { "uri": uri(&tree.root().join("src/pool.rs")) } });
    let symbols = editor.result("textDocument/documentSymbol", document.clone());
    assert_eq!(nested(&symbols), "Pool 3-5 (permits 4-4), Pool 7-12 (take 9-11)");
    assert_eq!(editor.end(), 0);
    // A client that understands no nesting gets a list.
    let (mut editor, _) = Editor::of(&tree, &[&tree.root()], json!({}));
    let symbols = editor.result("textDocument/documentSymbol", document);
    let names: Vec<_> = symbols.as_array().unwrap().iter().map(|row| row["name"].clone()).collect();
    assert_eq!(names, ["Pool", "permits", "Pool", "take"]);
    assert_eq!(symbols[3]["containerName"], "Pool");
    assert_eq!(editor.end(), 0);
}

#[test]
fn the_cursor_counts_in_unsaved_text() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    let main = uri(&tree.root().join("src/main.rs"));
    let opened = json!({ "uri": main, "languageId": "rust", "version": 1, "text": "fn f() {}\n" });
    editor.notify("textDocument/didOpen", json!({ "textDocument": opened }));
    let changed = json!({
        "textDocument": { "uri": main, "version": 2 },
        "contentChanges": [{ "text": "\n\n// 𝄞 Queue::take\n" }],
    });
    editor.notify("textDocument/didChange", changed);
    let found = editor.at("textDocument/definition", &tree, "src/main.rs", (2, 14));
    assert_eq!(places(&tree, &found), ["src/queue.rs:3:11-15"]);
    editor.notify("textDocument/didSave", json!({ "textDocument": { "uri": main } }));
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": main } }));
    assert_eq!(editor.at("textDocument/definition", &tree, "src/main.rs", (2, 14)), json!([]));
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_description_shows_signature_and_documentation() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    let hover = editor.at("textDocument/hover", &tree, "src/main.rs", (6, 5));
    let text = "```rust\npub struct Pool {\n```\n\nA pool of permits.\n\nHands out what is free.\n\n\
                struct `Pool` · `src/pool.rs:4` · no rule decides which one is meant";
    assert_eq!(hover["contents"], json!({ "kind": "markdown", "value": text }));
    let hover = editor.at("textDocument/hover", &tree, "src/queue.rs", (3, 11));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("    pub fn take(&self) -> bool {\n"), "{text}");
    assert!(text.ends_with("method `Queue.take` · `src/queue.rs:4`"), "{text}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_directive_is_no_documentation() {
    let tree = Tree::new(
        "\n=== a.c\n#define MOST 10\n#define LEAST 1\nint n = LEAST;\n=== b.py\n#The least.\ndef least():\n    pass\n",
    );
    let mut editor = Editor::new(&tree);
    let hover = editor.at("textDocument/hover", &tree, "a.c", (2, 10));
    assert!(hover.to_string().contains("LEAST 1") && !hover.to_string().contains("MOST"), "{hover}");
    let hover = editor.at("textDocument/hover", &tree, "b.py", (1, 5));
    assert!(hover.to_string().contains("The least."), "{hover}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn an_unknown_name_has_at_most_1000_places() {
    let line = "checks checks checks\n".repeat(400);
    let tree = Tree::new(&format!("\n=== a.txt\n{line}"));
    let mut editor = Editor::new(&tree);
    let found = editor.at("textDocument/references", &tree, "a.txt", (0, 1));
    assert_eq!(found.as_array().unwrap().len(), 1_000);
    assert_eq!(editor.end(), 0);
}

#[test]
fn texts_are_masked() {
    // Letters and digits in turns, so that no value that looks real stands in this repository.
    let secret: String = (0..18u8).map(|at| if at % 2 == 0 { (b'a' + at) as char } else { '7' }).collect();
    let file = format!("\n=== a.py\n# password = \"{secret}Zq4\"\ndef connect():\n    pass\n");
    let tree = Tree::new(&file);
    let mut editor = Editor::new(&tree);
    let hover = editor.at("textDocument/hover", &tree, "a.py", (1, 5));
    let search = editor.command("spyhop.search", json!({ "query": "connect" }));
    let grep = editor.command("spyhop.grep", json!({ "pattern": "password" }));
    for answer in [&hover, &search, &grep] {
        assert!(!answer.to_string().contains(&secret[2..6]), "{answer}");
    }
    assert!(hover.to_string().contains("password"), "{hover}");
    assert_eq!(places(&tree, &grep), ["a.py:0:2-10"]);
    assert_eq!(editor.end(), 0);
}

#[test]
fn a_ranked_search_is_a_command() {
    let tree = Tree::new(POOLS);
    let mut editor = Editor::new(&tree);
    let found =
        editor.command("spyhop.search", json!({ "query": "take a permit", "lang": "rust", "n": "3" }));
    let best = &found[0];
    assert_eq!((&best["path"], &best["symbol"]), (&json!("src/pool.rs"), &json!("Pool.take")), "{found}");
    assert_eq!(best["range"]["start"], json!({ "line": 9, "character": 0 }));
    assert!(best["score"].as_f64().unwrap() > 0.0 && best["band"].is_string());
    assert!(best["text"].as_str().unwrap().contains("pub fn take"), "{best}");
    assert!(!best["reasons"].as_array().unwrap().is_empty());
    let evidence = best["evidence"].as_array().unwrap();
    assert!((1..=2).contains(&evidence.len()) && !best["evidence"].to_string().contains("lines"), "{best}");
    let hits = found.as_array().unwrap();
    assert!(hits.len() <= 3 && hits.iter().all(|hit| hit["language"] == "rust"), "{found}");
    let only = json!({ "query": "take", "path": uri(&tree.root().join("other")), "kind": ["fn"] });
    let found = editor.command("spyhop.search", only);
    assert_eq!(found[0]["path"], "other/helper.py", "{found}");
    for (argument, part) in [
        (json!([{ "query": "take", "kind": "verb" }]), "unknown kind 'verb'"),
        (json!([{ "query": "take", "many": 3 }]), "unknown field `many`"),
        (json!([{ "query": "take", "lang": "latin" }]), "latin"),
        (json!([{ "query": "take", "n": 0 }]), "max_results is 0"),
        (json!([]), "spyhop.search takes one argument"),
    ] {
        let params = json!({ "command": "spyhop.search", "arguments": argument });
        let reply = editor.ask("workspace/executeCommand", params);
        assert_eq!(reply["error"]["code"], -32602, "{reply}");
        assert!(reply["error"]["message"].as_str().unwrap().contains(part), "{reply}");
    }
    assert_eq!(editor.end(), 0);
}

#[test]
fn fields_and_variants_are_symbols_of_a_document_and_described() {
    let tree = Tree::new("\n=== s.h\nenum xfer { XFER_OK, XFER_STALLED };\nstruct pool {\n  int size;\n};\n");
    tree.write(
        "s.c",
        "#include \"s.h\"\nint f(struct pool *p) { return p->size ? XFER_OK : XFER_STALLED; }\n",
    );
    let mut editor = Editor::new(&tree);
    let document = json!({ "textDocument": { "uri": uri(&tree.root().join("s.h")) } });
    let symbols = editor.result("textDocument/documentSymbol", document);
    let names = |rows: &Value| -> Vec<(String, u64)> {
        let row = |row: &Value| (row["name"].as_str().unwrap().to_string(), row["kind"].as_u64().unwrap());
        rows.as_array().unwrap().iter().map(row).collect()
    };
    assert_eq!(
        names(&symbols),
        [
            ("xfer".to_string(), 10),
            ("XFER_OK".to_string(), 22),
            ("XFER_STALLED".to_string(), 22),
            ("pool".to_string(), 23)
        ]
    );
    assert_eq!(names(&symbols[3]["children"]), [("size".to_string(), 8)]);
    let found = editor.at("textDocument/definition", &tree, "s.c", (1, 60));
    assert_eq!(places(&tree, &found), ["s.h:0:21-33"]);
    let hover = editor.at("textDocument/hover", &tree, "s.c", (1, 36));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("int size") && text.ends_with("field `pool.size` · `s.h:3`"), "{text}");
    assert_eq!(editor.end(), 0);
}
