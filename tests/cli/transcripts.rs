//! What commands print, word for word, with their exit codes.
//!
//! Each file of `transcripts/` is a tree of files with command lines, which a shell runs in the tree one after the other.
//! `SPYHOP_BLESS=1` rewrites what they print.

use std::process::Command;

use super::{Tree, ran};
use crate::support::{golden, repository};

/// What a shell prints for a line, and below that its exit code if it is not 0. `ROOT` is the tree, `ABOVE` the folder
/// that it is in.
fn printed(tree: &Tree, line: &str) -> String {
    let command = tree.command();
    let program = std::path::Path::new(command.get_program()).parent().unwrap();
    let mut shell = Command::new("sh");
    let git = "git() { command git -c user.name=a -c user.email=a@example.com \"$@\"; }";
    shell.args(["-c", &format!("{git}; {{ {line}\n}} 2>&1")]).current_dir(tree.root());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let path = std::env::var("PATH").unwrap_or_default();
    shell.env("PATH", format!("{}:{path}", program.display())).env("HOME", tree.index_dir());
    shell.envs([("LC_ALL", "C"), ("GIT_CONFIG_NOSYSTEM", "1")]);
    for name in ["XDG_CONFIG_HOME", "GIT_DIR", "GIT_INDEX_FILE"] {
        shell.env_remove(name);
    }
    let ran = ran(&mut shell, "");
    let out = ran.out.replace(tree.root().to_str().unwrap(), "ROOT");
    let out = out.replace(tree.root().parent().unwrap().to_str().unwrap(), "ABOVE");
    let code = if ran.code == 0 { String::new() } else { format!("[{}]\n", ran.code) };
    format!("{out}{}{code}", if out.is_empty() || out.ends_with('\n') { "" } else { "\n" })
}

#[test]
fn commands_print_what_they_printed() {
    let folder = "tests/cli/transcripts";
    for entry in std::fs::read_dir(repository(folder)).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = std::fs::read_to_string(repository(folder).join(&name)).unwrap();
        let (described, lines) = text.split_once("\n$ ").unwrap();
        let tree = Tree::new(described);
        let mut now = format!("{described}\n");
        for part in lines.split("\n$ ") {
            let line = part.lines().next().unwrap();
            now += &format!("$ {line}\n{}", printed(&tree, line));
        }
        golden(&format!("{folder}/{name}"), &now);
    }
}
