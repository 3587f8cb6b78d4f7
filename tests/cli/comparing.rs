//! An exact search prints while it compares the tree with the index: the lines are those of the files as they are now, in the
//! order of their paths, and a reader that wants no more ends the search.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::{SMALL, Tree};

/// A tree with folders whose order as text is not that of ripgrep, and more files than one batch has.
fn tree() -> Tree {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q"]);
    for folder in ["a", "a-b", "a/b", "a/b-c", "a.d", "z"] {
        for file in 0..40 {
            tree.write(
                &format!("{folder}/f{file}.rs"),
                format!("fn walrus_{file}() {{}}\nfn other() {{}}\n"),
            );
        }
    }
    tree
}

/// What a search prints with the help of the index must equal what it prints when it reads every file.
fn check(tree: &Tree, args: &[&str]) -> String {
    let fast = tree.run(&[&["grep"], args].concat());
    let whole = tree.run(&[&["grep", "--brute"], args].concat());
    assert_eq!((fast.code, &fast.out, &fast.err), (whole.code, &whole.out, &whole.err), "{args:?}");
    fast.out
}

#[test]
fn changes_since_the_index_are_searched() {
    let tree = tree();
    assert_eq!(tree.run(&["index", "--wait", "-q"]).code, 0);
    assert_eq!(check(&tree, &["-n", "walrus_7"]).lines().count(), 6);
    // Changed, added, deleted, renamed, ignored, no longer a file.
    tree.write("a/f7.rs", "fn seal() {}\n");
    tree.write("a/b/f1.rs", "fn walrus_7() {}\n");
    tree.write("new/deep/er/x.rs", "fn walrus_7() {}\n");
    fs::remove_file(tree.root().join("a-b/f7.rs")).unwrap();
    fs::rename(tree.root().join("a.d/f7.rs"), tree.root().join("a.d/walrus.rs")).unwrap();
    tree.write(".gitignore", "/z\n");
    fs::remove_file(tree.root().join("a/b-c/f7.rs")).unwrap();
    fs::create_dir(tree.root().join("a/b-c/f7.rs")).unwrap();
    let out = check(&tree, &["walrus_7"]);
    let paths: Vec<&str> = out.lines().map(|line| line.split_once(':').unwrap().0).collect();
    assert_eq!(paths, ["a/b/f1.rs", "a/b/f7.rs", "a.d/walrus.rs", "new/deep/er/x.rs"]);
    for args in [
        &["walrus_7", "a"][..],
        &["-c", "walrus"],
        &["-l", "walrus_3\\b"],
        &["--files-without-match", "walrus_7"],
        &["-A1", "walrus_2\\b"],
        &["-q", "walrus_7"],
        &["zebra"],
        &["--sort", "modified", "-l", "walrus_1\\b"],
        &["walrus_7", "a/b", "new", "a/f1.rs"],
        &["-t", "rust", "-g", "!a/**", "walrus_4"],
        &["--hidden", "-j", "1", "walrus_5"],
    ] {
        check(&tree, args);
    }
}

#[test]
fn a_reader_that_closes_the_pipe_ends_the_search() {
    let tree = tree();
    let long = "fn walrus() {}\n".repeat(100_000);
    for file in 0..20 {
        tree.write(&format!("b/long{file}.rs"), &long);
    }
    let mut command = tree.command();
    command.args(["grep", "walrus"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "a/b/f0.rs:fn walrus_0() {}\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]));
}
