//! Completion in real shells: what the completion systems of the shells make of the printed scripts.

use std::process::{Command, Stdio};

use super::pty::Pty;
use super::{SMALL, Tree};

/// A repository with branches and a tag.
fn repository() -> Tree {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    tree.git(&["branch", "topic/paint"]);
    tree.git(&["tag", "v1.0"]);
    tree.write("profiles/own.toml", "");
    assert_eq!(tree.run(&["add", ".", "-q"]).code, 0);
    tree
}

/// A shell in the tree that finds the binary under its name; `None` if the shell is not installed.
fn shell(tree: &Tree, name: &str) -> Option<Command> {
    let there = Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED, NOTHING IS PROVED: {name} is not installed");
        return None;
    }
    let command = tree.command();
    let folder = std::path::Path::new(command.get_program()).parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut command = Command::new(name);
    command.current_dir(tree.root()).env("PATH", path).env("HOME", tree.root());
    command.env("SPYHOP_INDEX_DIR", tree.index_dir());
    command.env("SPYHOP_LIBRARY", tree.index_dir().with_file_name("library"));
    Some(command)
}

/// The lines that a shell prints.
fn lines(mut command: Command) -> Vec<String> {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text} {}", String::from_utf8_lossy(&output.stderr));
    text.lines().map(str::to_string).collect()
}

/// Command lines, the last word of each being completed, with some candidates that must and one that must not be there.
const CASES: &[(&[&str], &[&str], &str)] = &[
    (&["sea"], &["search"], "files"),
    (&[""], &["search", "grep", "files", "index", "completions"], "struct"),
    (&["search", "--kind", "str"], &["struct"], "fn"),
    (&["search", "--kind", "fn,str"], &["fn,struct"], "struct"),
    (&["search", "--lang", "ru"], &["rust", "ruby"], "python"),
    (&["--lang", "py"], &["python"], "rust"),
    (&["search", "--view", ""], &["main", "topic/paint", "v1.0"], "rust"),
    (&["grep", "fn", "--view", "to"], &["topic/paint"], "main"),
    (&["grep", "fn", "-t", "rus"], &["rust"], "ruby"),
    (&["files", "--path", ""], &["src/", "docs/"], "src/auth.rs"),
    (&["search", "--profile", "profiles/"], &["profiles/own.toml"], "src/auth.rs"),
    (&["search", "--mode", ""], &["compact", "default", "debug"], "rust"),
    (&["completions", ""], &["bash", "fish", "nushell", "powershell", "zsh"], "csh"),
    (&["library", "show", ""], &["tree"], "rust"),
    (&["library", "sta"], &["status"], "show"),
    (&["search", "--stale-"], &["--stale-policy"], "--kind"),
];

fn check(complete: impl Fn(&[&str]) -> Vec<String>) {
    for (words, expected, absent) in CASES {
        let found = complete(words);
        for candidate in *expected {
            assert!(
                found.iter().any(|found| found.trim_end() == *candidate),
                "{words:?}: {candidate}: {found:?}"
            );
        }
        assert!(!found.iter().any(|found| found == absent), "{words:?}: {absent}: {found:?}");
    }
}

#[test]
fn bash_completes() {
    let tree = repository();
    if shell(&tree, "bash").is_none() {
        return;
    }
    check(|words| {
        let mut command = shell(&tree, "bash").unwrap();
        let script = r#"
            source <(spyhop completions bash)
            function=$(complete -p spyhop | sed 's/.*-F \([^ ]*\) .*/\1/')
            COMP_WORDS=(spyhop "$@") COMP_CWORD=$# COMP_TYPE=9 COMPREPLY=()
            $function spyhop "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
            printf '%s\n' "${COMPREPLY[@]}""#;
        command.args(["--norc", "--noprofile", "-c", script, "bash"]).args(words);
        lines(command)
    });
    assert!(!tree.index_dir().exists(), "a completion builds no index");
}

#[test]
fn fish_completes() {
    let tree = repository();
    if shell(&tree, "fish").is_none() {
        return;
    }
    check(|words| {
        let mut command = shell(&tree, "fish").unwrap();
        let line = format!("spyhop {}", words.join(" "));
        command.args([
            "--no-config",
            "-c",
            "spyhop completions fish | source; complete -C $argv[1]",
            "--",
            &line,
        ]);
        let value = |line: String| line.split('\t').next().unwrap().to_string();
        lines(command).into_iter().map(value).collect()
    });
    assert!(!tree.index_dir().exists(), "a completion builds no index");
}

#[test]
fn zsh_completes() {
    let tree = repository();
    let Some(mut command) = shell(&tree, "zsh") else { return };
    command.args(["-f", "-i"]);
    let mut pty = Pty::start(command);
    // The line is printed in brackets and not run.
    let setting = "PS1='ready> '; autoload -Uz compinit; compinit -u -D; source <(spyhop completions zsh); \
                   show() { print; print -r -- \"[$BUFFER]\"; zle send-break }; zle -N show; bindkey '^X' show; print se''t\n";
    pty.send(setting);
    pty.wait_for(|seen| seen.contains("\nset"));
    for (typed, completed) in [
        ("spyhop sea", "spyhop search"),
        ("spyhop search --kind meth", "spyhop search --kind method"),
        ("spyhop search --lang pyt", "spyhop search --lang python"),
        ("spyhop search --view top", "spyhop search --view topic/paint"),
        ("spyhop grep fn --view v1", "spyhop grep fn --view v1.0"),
        ("spyhop files --path sr", "spyhop files --path src/"),
        ("spyhop search --profile profiles/", "spyhop search --profile profiles/own.toml"),
        ("spyhop search --stale-", "spyhop search --stale-policy"),
    ] {
        pty.send(&format!("{typed}\t"));
        // A widget runs when the completion before it has ended.
        pty.send("\u{18}");
        pty.wait_for(|seen| {
            seen.contains(&format!("[{completed}]")) || seen.contains(&format!("[{completed} ]"))
        });
    }
    assert!(!tree.index_dir().exists(), "a completion builds no index");
}

#[test]
fn the_scripts_of_other_shells_are_printed() {
    let tree = Tree::new(SMALL);
    let script = |name: &str| {
        let ran = tree.run(&["completions", name]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        ran.out
    };
    assert!(script("powershell").contains("Register-ArgumentCompleter"));
    assert!(script("elvish").contains("edit:completion:arg-completer"));
    let nushell = script("nushell");
    assert!(nushell.contains("export extern spyhop") && nushell.contains("\"method\""), "{nushell}");
    let unknown = tree.run(&["completions", "csh"]);
    assert!(unknown.code == 2 && unknown.err.contains("nushell"), "{}", unknown.err);
}
