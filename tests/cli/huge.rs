//! The question before a home folder is indexed that nobody has asked to index.

use super::pty::Pty;
use super::{SMALL, Tree, ran};

/// A command in a tree that is the user's home folder.
fn at_home(tree: &Tree, args: &[&str]) -> std::process::Command {
    let mut command = tree.command();
    command.env("HOME", tree.root()).args(args);
    command
}

#[test]
fn a_pipe_is_refused_with_the_command_that_means_it() {
    let tree = Tree::new(SMALL);
    let root = tree.root().display().to_string();
    for args in
        [&["search", "provider"][..], &["provider"], &["files"], &["symbols", "x"], &["map"], &["skipped"]]
    {
        let refused = ran(&mut at_home(&tree, args), "");
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{args:?}: {}", refused.err);
        let expected = format!(
            "spyhop: {root} is your home folder, and has 3 files and no index; to index it, run: spyhop index {root}\n\
             or add --yes to this command\n"
        );
        assert_eq!(refused.err, expected, "{args:?}");
    }
    assert!(!tree.index_dir().exists(), "nothing is written");
    // Neither needs an index.
    assert_eq!(ran(&mut at_home(&tree, &["grep", "provider"]), "").code, 0);
    assert_eq!(ran(&mut at_home(&tree, &["status"]), "").code, 1);
    let agreed = ran(&mut at_home(&tree, &["search", "provider", "--yes"]), "");
    assert_eq!(agreed.code, 0, "{}", agreed.err);
    assert_eq!(ran(&mut at_home(&tree, &["search", "provider"]), "").code, 0, "an index is not refused");
}

#[test]
fn an_explicit_index_is_no_question() {
    let tree = Tree::new(SMALL);
    let root = tree.root();
    assert_eq!(ran(&mut at_home(&tree, &["index", root.to_str().unwrap()]), "").code, 0);
    assert_eq!(ran(&mut at_home(&tree, &["search", "provider"]), "").code, 0);
}

#[test]
fn a_person_is_asked() {
    let tree = Tree::new(SMALL);
    let ask = |answer: &str| {
        let mut pty = Pty::start(at_home(&tree, &["search", "provider", "--color", "never"]));
        pty.wait_for(|seen| seen.contains("Index it now? [y/N] "));
        pty.send(answer);
        pty.end()
    };
    let (code, text) = ask("\n");
    assert!(code == 2 && text.contains("nothing was indexed"), "{code} {text:?}");
    assert!(!tree.index_dir().exists());
    let (code, text) = ask("y\n");
    assert!(code == 0 && text.contains("src/auth.rs"), "{code} {text:?}");
}
