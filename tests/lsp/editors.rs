//! `--open`, which starts an editor, the extension for VS Code, and a session as Helix begins it.

use std::process::Command;

use super::POOLS;
use crate::support::repository;
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
    // Uses and matches open at their column.
    for asked in [&["callers", "Pool.take", "--open", "1"][..], &["grep", "-F", "pool.take(", "--open", "1"]]
    {
        let opened = run(asked);
        let place = format!("{}/src/", root.display());
        assert!(opened.code == 0 && opened.out.contains(&place), "{asked:?}: {}{}", opened.out, opened.err);
    }
    let opened = run(&["def", "Pool.take", "--open", "1"]);
    assert_eq!(opened.out, format!("+10\n{}/src/pool.rs\n", root.display()), "{}", opened.err);
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
    command.arg(repository("editors/vscode/test/run.js")).env("SPYHOP_INDEX_DIR", tree.index_dir());
    command.env("SPYHOP", env!("CARGO_BIN_EXE_spyhop")).env("ROOT", tree.root());
    let ran = ran(&mut command, "");
    assert_eq!((ran.code, ran.out.lines().last()), (0, Some("ok")), "{}{}", ran.out, ran.err);
}
