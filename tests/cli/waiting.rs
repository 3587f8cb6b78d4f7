//! Commands that read standard input say on a terminal that they wait; in a pipe they say nothing.

use super::pty::Pty;
use super::{SMALL, Tree};

#[test]
fn a_batch_on_a_terminal_says_that_it_waits() {
    let tree = Tree::new(SMALL);
    let mut command = tree.command();
    command.args(["--batch"]);
    let mut pty = Pty::start(command);
    pty.wait_for(|seen| {
        seen.contains("spyhop: waiting for queries on standard input, one a line; Ctrl-D ends")
    });
    pty.send("resolve_api_key\n");
    pty.wait_for(|seen| seen.contains("\"path\":\"src/auth.rs\""));
    pty.send("\x04");
    let (code, seen) = pty.end();
    assert_eq!((code, seen.matches("waiting for").count()), (0, 1), "{seen}");

    let ran = tree.feed(&["--batch"], "resolve_api_key\n");
    assert!(ran.out.contains("src/auth.rs") && !ran.err.contains("waiting"), "{}", ran.err);
}

#[test]
fn servers_on_a_terminal_say_that_they_wait() {
    let tree = Tree::new(SMALL);
    for (name, text) in [
        ("mcp", "spyhop: waiting for an agent's messages on standard input"),
        ("lsp", "spyhop: waiting for an editor on standard input"),
    ] {
        let mut command = tree.command();
        command.arg(name);
        let mut pty = Pty::start(command);
        pty.wait_for(|seen| seen.contains(text));
        pty.send("\x04");
        assert!(pty.end().1.contains(text), "{name}");
        // An agent or editor at the other end of a pipe gets its protocol only.
        let ran = tree.run(&[name]);
        assert!(!ran.err.contains("waiting for") && !ran.out.contains("waiting for"), "{name}: {}", ran.err);
    }
}
