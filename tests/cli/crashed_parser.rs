//! A file that crashes its parser, and with it the process, costs that file only.
//!
//! The crash is a real one: Ruby's scanner keeps the length of a heredoc's word in one byte and asserts that what it
//! reads back is what it wrote.
#![cfg(all(unix, feature = "ruby"))]

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use super::{SMALL, Tree};

/// A heredoc whose word is too long for the scanner, with a method before it.
fn deadly(word: &str) -> String {
    let end = "A".repeat(300);
    format!("def zorblax\n  1\nend\n\nx = <<~{end}\n  {word}\n{end}\n")
}

/// Runs `spyhop index` and expects it to be killed by its own parser.
fn index_and_die(tree: &Tree) {
    let mut command = tree.command();
    let status =
        command.arg("index").stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it starts");
    assert_eq!(status.signal(), Some(libc::SIGABRT), "{status}");
}

#[test]
fn a_crash_costs_one_file_from_the_next_run_on() {
    let tree = Tree::new(SMALL);
    tree.write("lib/deadly.rb", deadly("quexalt"));
    index_and_die(&tree);
    let report = tree.json(&["index"]);
    assert_eq!(report["added"], 4, "{report}");

    let skipped = tree.json(&["skipped"]);
    let rows = skipped["entries"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{skipped}");
    assert_eq!(
        (&rows[0]["path"], &rows[0]["reason"], &rows[0]["detail"]),
        (&"lib/deadly.rb".into(), &"quarantined".into(), &"its parser aborted (SIGABRT)".into())
    );
    // It is found by its lines all the same.
    assert_eq!(tree.paths(&["quexalt"]), ["lib/deadly.rb"]);
    assert_eq!(tree.paths(&["resolve api key"])[0], "src/auth.rs");
    assert!(tree.run(&["index"]).out.starts_with("nothing changed"));
    assert_eq!(tree.json(&["status"])["state"], "ready");
    assert_eq!(tree.json(&["index", "--rebuild"])["added"], 4);

    // The same content elsewhere is known; other content is a new suspect, and once it is mended it is parsed.
    tree.write("lib/copy.rb", deadly("quexalt"));
    assert_eq!(tree.json(&["index"])["added"], 1);
    tree.write("lib/copy.rb", deadly("vorpalin"));
    index_and_die(&tree);
    assert_eq!(tree.paths(&["quexalt"]), ["lib/deadly.rb"]);
    assert_eq!(tree.json(&["skipped"])["entries"].as_array().unwrap().len(), 2);
    tree.write("lib/copy.rb", "def vorpalin\n  2\nend\n");
    assert_eq!(tree.json(&["vorpalin"])["results"][0]["symbol"], "vorpalin");
    assert_eq!(tree.json(&["skipped"])["entries"].as_array().unwrap().len(), 1);
}
