//! `--explain-skips PATH`: the line of the file, the rule or the measure that leaves a path out.

use serde_json::{Value, json};

use super::{Ran, Tree, described};

/// The tree of `transcripts/left-out.txt`.
fn odd() -> Tree {
    let tree = described(include_str!("transcripts/left-out.txt"));
    tree.write("bin.dat", b"a\0b");
    tree
}

fn asked_for(tree: &Tree, path: &str) -> Ran {
    tree.run(&["skipped", "--explain-skips", path])
}

#[test]
fn a_program_gets_the_parts() {
    let tree = odd();
    let of = |path: &str| -> Value {
        serde_json::from_str(&tree.run(&["skipped", "--explain-skips", path, "--json"]).out).unwrap()
    };
    assert_eq!(
        of("logs/deep/x.rs"),
        json!({
            "path": "logs/deep/x.rs", "fate": "left-out", "at": "logs", "is_dir": true, "reason": "ignored",
            "detail": ".gitignore:3: /logs/",
            "rule": { "kind": "gitignore", "file": ".gitignore", "line": 3, "pattern": "/logs/", "evidence": null },
            "exceptions": [], "tracked": false, "in_index": null, "remedy": "!/logs/",
            "text": "logs/deep/x.rs is left out with the folder logs: ignored (.gitignore:3: /logs/)",
        })
    );
    assert_eq!(of("Cargo.lock")["rule"]["evidence"], "Cargo.toml beside it");
    assert_eq!(of("src/a.rs")["rule"], Value::Null);
    tree.run(&["index"]);
    assert_eq!((&of("src/a.rs")["in_index"], &of("a.log")["in_index"]), (&json!(true), &json!(false)));
    tree.write("src/new.rs", "fn new() {}\n");
    assert_eq!(of("src/new.rs")["text"], "nothing leaves src/new.rs out; it is not indexed yet");
}

#[test]
fn following_the_advice_brings_it_back() {
    let tree = odd();
    tree.write("odd [1]{a}*?\\.log", "x\n");
    tree.write("big.txt", "word\n".repeat(300_000));
    tree.write("run.js", "a();".repeat(3_000));
    for path in [
        "a.log",
        "src/local.rs",
        "logs/deep/x.rs",
        ".env",
        "Cargo.lock",
        "target/debug/x.rs",
        "odd [1]{a}*?\\.log",
        "big.txt",
        "run.js",
    ] {
        let reply: Value =
            serde_json::from_str(&tree.run(&["skipped", "--explain-skips", path, "--json"]).out).unwrap();
        assert!(["left-out", "path-only"].contains(&reply["fate"].as_str().unwrap()), "{reply}");
        tree.write(".spyhopignore", format!("{}\n", reply["remedy"].as_str().unwrap()));
        let ran = asked_for(&tree, path);
        assert_eq!(ran.code, 1, "{path}: {}", ran.out);
        std::fs::remove_file(tree.root().join(".spyhopignore")).unwrap();
    }
}
