//! The other subcommands.

use super::{SMALL, Tree};

#[test]
fn a_pipe_gets_every_file_and_definition() {
    let tree = Tree::new("\n=== zebra/crossing.rs\npub fn zebra() {}\n");
    for n in 0..60 {
        tree.write(&format!("many/file_{n}.rs"), format!("pub fn number_{n}() {{}}\n"));
    }
    // Letters in order, scattered over the path, are no match beside a good one.
    tree.write("z/every/bright/rainbow/apple.rs", "pub fn apple() {}\n");
    let check = |args: &[&str], lines: usize, err: &str| {
        let ran = tree.run(args);
        assert_eq!((ran.code, ran.out.lines().count(), ran.err.as_str()), (0, lines, err), "{args:?}");
    };
    check(&["files"], 62, "");
    let left_out = "1 of 1 file · 1 scattered match left out: --scattered shows it\n";
    check(&["files", "zebra"], 1, left_out);
    check(&["files", "zebra", "-n", "9"], 1, left_out);
    check(&["files", "zebra", "--scattered"], 2, "");
    check(&["symbols"], 62, "");
    assert_eq!(tree.run(&["files", "-0", "zebra"]).out, "zebra/crossing.rs\0");
    assert_eq!(tree.run(&["symbols", "number_7"]).out.lines().next(), Some("many/file_7.rs:1: fn number_7"));
}

#[test]
fn help_is_short_and_names_the_commands() {
    let tree = Tree::new(SMALL);
    let bare = tree.run(&[]);
    assert_eq!((bare.code, bare.out.as_str()), (2, ""));
    for command in
        ["spyhop QUERY...", "spyhop grep", "spyhop files", "spyhop symbols", "spyhop map", "spyhop -h"]
    {
        assert!(bare.err.contains(command), "{command}: {}", bare.err);
    }
    assert!(bare.err.lines().count() < 24, "{}", bare.err);
    for page in [&["symbols", "--help"], &["man", "symbols"]] {
        assert!(tree.run(page).out.contains("spyhop symbols Pool.take"), "{page:?}");
    }
}

#[test]
fn help_manual_and_version() {
    let tree = Tree::new(SMALL);
    let help = tree.run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for word in ["Usage: spyhop [OPTIONS] <QUERY>...", "--max-results", "why-not", "Exit codes: 0 found"] {
        assert!(help.out.contains(word), "{word} in {}", help.out);
    }
    let version = tree.run(&["--version"]);
    assert_eq!(version.out, format!("spyhop {}\n", env!("CARGO_PKG_VERSION")));
    let page = tree.run(&["man"]);
    assert!(page.out.contains(".TH spyhop 1") && page.out.contains("max\\-results"), "{}", page.out);
}
