//! What people see on a terminal: colours of code, pages of one screen, the pager. The terminals are pseudo-terminals,
//! and tmux where it is installed.

use std::process::Command;

use super::pty::Pty;
use super::terminal::plain;
use super::ui::Terminal;
use super::{SMALL, Tree};

/// Variables that turn the pager off.
const AGENTS: [&str; 6] =
    ["CI", "CLAUDECODE", "CODEX_SANDBOX", "CURSOR_AGENT", "GEMINI_CLI", "SPYHOP_NO_PAGER"];

/// A command of a person, with a pager that marks the lines that it shows.
fn command(tree: &Tree, args: &[&str]) -> Command {
    let mut command = tree.command();
    command.args(args).env("SPYHOP_PAGER", "sed 's/^/P:/'");
    AGENTS.iter().for_each(|name| _ = command.env_remove(name));
    command
}

/// A tree with many hits for `lantern`, some of them in long lines.
fn lanterns() -> Tree {
    let tree = Tree::new("\n=== src/lantern.rs\n/// Lights the lantern.\npub fn light_lantern() {}\n");
    for n in 0..20 {
        let wide = format!("\tlet lantern_{n} = \"{}\"; // 漢字\n", "wide ".repeat(40));
        tree.write(&format!("src/part_{n}.rs"), format!("pub fn lantern_{n}() {{\n{}}}\n", wide.repeat(5)));
    }
    tree
}

#[test]
fn a_page_fits_its_screen_and_its_width() {
    let tree = lanterns();
    tree.run(&["index", "-q"]);
    for (rows, columns) in [(24, 80), (50, 200), (50, 80), (24, 200)] {
        for query in ["lantern", "where is the lantern lit", "light_lantern"] {
            let (code, text) = Pty::written(command(&tree, &[query, "-q"]), (rows, columns));
            let text = plain(&text);
            assert_eq!(code, 0, "{text}");
            assert!(!text.contains("P:"), "no pager: {text}");
            assert!(text.lines().count() < rows as usize, "{query} on {rows}x{columns}: {text}");
            for line in text.lines() {
                assert!(line.chars().count() <= columns as usize, "{query} on {rows}x{columns}: {line}");
            }
        }
    }
}

#[test]
fn code_has_colours_that_flags_turn_off() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let keyword = "\u{1b}[34mpub\u{1b}[0m \u{1b}[34mfn\u{1b}[0m";
    let (_, text) = Pty::written(command(&tree, &["resolve_api_key"]), (40, 120));
    assert!(text.contains(keyword) && text.contains("\u{1b}[1m\u{1b}[31mresolve_api_key"), "{text:?}");
    let (_, text) = Pty::written(command(&tree, &["resolve_api_key", "--color", "never"]), (40, 120));
    assert!(!text.contains("\u{1b}["), "{text:?}");
    let mut without = command(&tree, &["resolve_api_key"]);
    without.env("NO_COLOR", "1");
    assert!(!Pty::written(without, (40, 120)).1.contains("\u{1b}["));
}

#[test]
fn a_pager_shows_what_does_not_fit() {
    let tree = lanterns();
    tree.run(&["index", "-q"]);
    let is_paged = |command: Command| {
        let (code, text) = Pty::written(command, (24, 80));
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("python"), "{text}");
        plain(&text).lines().all(|line| line.starts_with("P:"))
    };
    assert!(is_paged(command(&tree, &["languages"])));
    assert!(!is_paged(command(&tree, &["languages", "--no-pager"])));
    assert!(!is_paged(command(&tree, &["languages", "--json"])));
    for (name, value) in [("SPYHOP_PAGER", ""), ("SPYHOP_PAGER", "no-such-pager"), ("CI", "1")] {
        let mut without = command(&tree, &["languages"]);
        without.env(name, value);
        assert!(!is_paged(without), "{name}={value}");
    }
    let mut second = command(&tree, &["languages"]);
    second.env_remove("SPYHOP_PAGER").env("PAGER", "sed 's/^/P:/'");
    assert!(is_paged(second));
    let (_, text) = Pty::written(command(&tree, &["files", "light"]), (24, 80));
    assert!(!text.contains("P:"), "what fits is not paged: {text}");
    let piped = command(&tree, &["languages"]).output().unwrap();
    assert!(!String::from_utf8_lossy(&piped.stdout).contains("P:"), "a pipe has no pager");
}

#[test]
fn the_pager_of_the_machine_shows_the_first_screen() {
    let tree = Tree::new(SMALL);
    let name = "the_pager_of_the_machine_shows_the_first_screen";
    let Some(terminal) = Terminal::open(name, &tree, (80, 24)) else { return };
    let without: Vec<String> = AGENTS.iter().map(|name| format!("-u {name}")).collect();
    terminal.enter(&format!("clear; env {} PAGER=less spyhop languages; echo done=$?", without.join(" ")));
    let shown = terminal.wait("bash");
    assert!(!shown.contains("zig") && !shown.contains("done=0"), "less shows the first screen:\n{shown}");
    terminal.press(&["q"]);
    terminal.wait("done=0");
}
