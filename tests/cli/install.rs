//! `spyhop mcp install` and `uninstall`: the real binary on files of every client, in a new home.
//!
//! What a file looks like afterwards is committed in `tests/cli/installed/`, a page for each client, with blanks made
//! visible. Each layout is then taken back and has to be what it was, to the byte.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

#[cfg(target_os = "linux")]
use super::pty::Pty;
use super::{Ran, ran};
use crate::support::{cases, golden, repository};

/// A home, a project in it, and nothing of this machine's settings.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Home {
        let home = Home { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(home.project()).unwrap();
        home
    }

    fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn project(&self) -> PathBuf {
        self.path().join("project")
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spyhop"));
        command.current_dir(self.project()).env("HOME", self.path()).arg("mcp").args(args);
        for name in
            ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "APPDATA", "SPYHOP_LOG"]
        {
            command.env_remove(name);
        }
        command
    }

    /// A run without a terminal.
    fn run(&self, args: &[&str]) -> Ran {
        ran(&mut self.command(args), "")
    }

    /// A run that must end with this code.
    fn ends(&self, args: &[&str], code: i32) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, code, "{args:?}: {}{}", ran.out, ran.err);
        ran
    }

    /// Every file and folder but the project, with what the files say.
    fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.path()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path.clone());
                }
                found.push((path.clone(), std::fs::read(&path).unwrap_or_default()));
            }
        }
        found.sort();
        found
    }
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// How the entry starts the server, so that no page names a folder of this machine.
const COMMAND: [&str; 2] = ["--command", "/opt/bin/spyhop"];

/// Scopes, and where each has its file.
type Scopes = &'static [(&'static str, &'static str)];

/// A client, the table of its servers, and its scopes.
const JSON: &[(&str, &str, Scopes)] = &[
    ("claude-code", "mcpServers", &[("user", ".claude.json"), ("project", "project/.mcp.json")]),
    ("cursor", "mcpServers", &[("project", "project/.cursor/mcp.json")]),
    ("vscode", "servers", &[("project", "project/.vscode/mcp.json")]),
    (
        "zed",
        "context_servers",
        &[("user", ".config/zed/settings.json"), ("project", "project/.zed/settings.json")],
    ),
    (
        "gemini-cli",
        "mcpServers",
        &[("user", ".gemini/settings.json"), ("project", "project/.gemini/settings.json")],
    ),
];

/// Files as people have them, with blanks made visible; KEY stands for the table of servers.
const JSON_LAYOUTS: &str = include_str!("installed/layouts-json.txt");

const TOML_LAYOUTS: &str = include_str!("installed/layouts-toml.txt");

/// The text whose blanks are visible here.
fn with_blanks(shown: &str) -> String {
    let text = format!("{shown}\n").replace("<mark>", "\u{feff}").replace("<tab>", "\t");
    text.replace("<cr>\n", "\r\n").replace("<end>\n", "")
}

/// Text with its blanks made visible.
fn visible(text: &str) -> String {
    let shown = text.replace('\u{feff}', "<mark>").replace('\t', "<tab>").replace("\r\n", "<cr>\n");
    let end = if shown.ends_with('\n') { "" } else { "<end>\n" };
    format!("{shown}{end}")
}

/// Puts the entry into a file of each layout, compares the file with the page of the client, and takes the entry back. A thorough
/// run also repeats both commands and writes to the file between them. Another run has the first layouts only by day, because one
/// editor serves all clients.
fn layouts((client, scope): (&str, &str), file: &str, key: &str, layouts: &str, is_thorough: bool) {
    let mut page = String::new();
    let is_whole = is_thorough || std::env::var_os("SPYHOP_BLESS").is_some();
    let n_layouts = if is_whole { usize::MAX } else { cases(3, usize::MAX) };
    for layout in format!("\n{}", layouts.trim_end_matches('\n')).split("\n=== ").skip(1).take(n_layouts) {
        let (name, text) = layout.split_once('\n').unwrap();
        let home = Home::new();
        let text = with_blanks(text).replace("KEY", key);
        let path = home.path().join(file);
        write(&path, text.as_bytes());
        let before = home.everything();
        let install = [&["install", client, "--scope", scope, "--yes"], &COMMAND[..]].concat();
        let uninstall = ["uninstall", client, "--scope", scope, "--yes"];
        home.ends(&install, 0);
        let after = std::fs::read_to_string(&path).unwrap();
        page += &format!("=== {name}\n{}", visible(&after));
        if !is_thorough {
            home.ends(&uninstall, 0);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{client}, {name}");
            continue;
        }
        let again = home.ends(&install, 0);
        assert_eq!(again.out, "it is set up already\n", "{client}, {name}");
        home.ends(&uninstall, 0);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{client}, {name}");
        assert_eq!(left(&home), before, "{client}, {name}");
        home.ends(&uninstall, if text.contains("spyhop") { 0 } else { 1 });

        // Where something else was written since, that stays.
        write(&path, text.as_bytes());
        home.ends(&install, 0);
        let sign = if file.ends_with(".toml") { "#" } else { "//" };
        let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        let later = format!("{mark}{sign} later\n");
        let written = std::fs::read_to_string(&path).unwrap();
        write(&path, format!("{later}{}", written.strip_prefix(mark).unwrap()).as_bytes());
        home.ends(&uninstall, 0);
        let left = std::fs::read_to_string(&path).unwrap();
        assert!(left.starts_with(&later) && !left.contains("/opt/bin/spyhop"), "{client}, {name}: {left}");
        let theirs = text.matches(sign).count() - text.matches("://").count() * usize::from(sign == "//");
        let comments = left.matches(sign).count();
        assert!(comments > theirs || text.contains("spyhop"), "{client}, {name}: a comment is lost: {left}");
    }
    let file = format!("tests/cli/installed/{client}-{scope}.txt");
    match n_layouts {
        usize::MAX => golden(&file, &page),
        _ => {
            assert!(std::fs::read_to_string(repository(&file)).unwrap().starts_with(&page), "{file}\n{page}")
        }
    }
}

/// Everything but the notes, whose folders stay.
fn left(home: &Home) -> Vec<(PathBuf, Vec<u8>)> {
    let state = home.path().join(".local");
    let mut left = home.everything();
    left.retain(|(path, _)| !path.starts_with(&state));
    left
}

#[test]
fn every_layout_of_json_and_back() {
    // Only the first file gets a thorough run by day.
    let mut n_thorough = cases(1, usize::MAX);
    for (client, key, files) in JSON {
        for (scope, file) in *files {
            layouts((client, scope), file, key, JSON_LAYOUTS, n_thorough > 0);
            n_thorough = n_thorough.saturating_sub(1);
        }
    }
}

#[test]
fn every_layout_of_toml_and_back() {
    layouts(("codex", "user"), ".codex/config.toml", "mcp_servers", TOML_LAYOUTS, true);
    layouts(
        ("codex", "project"),
        "project/.codex/config.toml",
        "mcp_servers",
        TOML_LAYOUTS,
        cases(0, 1) == 1,
    );
}

#[test]
fn a_file_that_did_not_exist_is_removed_again() {
    let mut files: Vec<(&str, &str, &str)> = Vec::new();
    for (client, _, scopes) in JSON {
        files.extend(scopes.iter().map(|(scope, file)| (*client, *scope, *file)));
    }
    files.extend([
        ("codex", "user", ".codex/config.toml"),
        ("codex", "project", "project/.codex/config.toml"),
    ]);
    for (client, scope, file) in files {
        let home = Home::new();
        let before = home.everything();
        let args = [client, "--scope", scope, "--yes"];
        let ran = home.ends(&[&["install"], &args[..], &COMMAND].concat(), 0);
        let path = home.path().join(file);
        assert!(ran.out.contains(&format!("+++ {}\n", path.display())), "{}", ran.out);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("/opt/bin/spyhop") && text.ends_with('\n'), "{text}");
        home.ends(&[&["uninstall"], &args[..]].concat(), 0);
        assert_eq!(left(&home), before, "{client} {scope}");
    }
}

#[test]
fn two_changes_are_taken_back_as_one() {
    let home = Home::new();
    let path = home.path().join(".gemini/settings.json");
    write(&path, b"{ \"a\": 1 }");
    home.ends(&["install", "gemini-cli", "--yes", "--command", "one"], 0);
    home.ends(&["install", "gemini-cli", "--yes", "--command", "two", "."], 0);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"two\"") && text.contains(home.project().to_str().unwrap()), "{text}");
    home.ends(&["uninstall", "gemini-cli", "--yes"], 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ \"a\": 1 }");
}

#[test]
fn without_the_note_the_entry_goes() {
    let home = Home::new();
    let path = home.path().join(".gemini/settings.json");
    let text = "{\n  \"mcpServers\": {\n    \"other\": {}\n  }\n}\n";
    write(&path, text.as_bytes());
    home.ends(&["install", "gemini-cli", "--yes"], 0);
    std::fs::remove_dir_all(home.path().join(".local")).unwrap();
    home.ends(&["uninstall", "gemini-cli", "--yes"], 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn the_entry_has_the_command_and_its_arguments() {
    let home = Home::new();
    let entry = |args: &[&str], file: &str| {
        home.ends(&[&["install"], args, &["--yes"]].concat(), 0);
        let text = std::fs::read_to_string(home.path().join(file)).unwrap();
        let whole: Value = serde_json::from_str(&text).unwrap();
        whole.as_object().unwrap().values().next().unwrap()["spyhop"].clone()
    };
    let program = env!("CARGO_BIN_EXE_spyhop");
    let project = home.project().display().to_string();
    use serde_json::json;
    for (args, file, expected) in [
        (
            &["claude-code"][..],
            ".claude.json",
            json!({ "type": "stdio", "command": program, "args": ["mcp"] }),
        ),
        (
            &["claude-code", "--scope", "project"],
            "project/.mcp.json",
            json!({ "type": "stdio", "command": "spyhop", "args": ["mcp"] }),
        ),
        (
            &["vscode"],
            "project/.vscode/mcp.json",
            json!({ "type": "stdio", "command": "spyhop", "args": ["mcp", "${workspaceFolder}"] }),
        ),
        (
            &["cursor", "--scope", "user", "."],
            ".cursor/mcp.json",
            json!({ "type": "stdio", "command": program, "args": ["mcp", project] }),
        ),
        (&["zed", "--file", "zed.json"], "project/zed.json", json!({ "command": program, "args": ["mcp"] })),
        (
            &["generic", "--file", "any/mcp.json"],
            "project/any/mcp.json",
            json!({ "command": program, "args": ["mcp"] }),
        ),
    ] {
        assert_eq!(entry(args, file), expected, "{args:?}");
    }
    home.ends(&["uninstall", "generic", "--file", "any/mcp.json", "--yes"], 0);
    assert!(!home.project().join("any").exists());
    // The name in the path, not the file behind it.
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(program, bin.join("spyhop")).unwrap();
        let mut command = home.command(&["install", "gemini-cli", "--print"]);
        let shown = ran(command.env("PATH", &bin), "").out;
        assert!(shown.contains(&format!("\"command\": \"{}\"", bin.join("spyhop").display())), "{shown}");
    }
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let home = Home::new();
    let before = home.everything();
    for name in ["install", "uninstall"] {
        let ran = home.ends(&[name, "gemini-cli"], 2);
        assert!(ran.err.contains("no terminal") && ran.err.contains("--yes"), "{}", ran.err);
        assert_eq!(ran.out, "");
    }
    let ran = home.ends(&["install", "gemini-cli", "--print"], 0);
    assert!(
        ran.out.starts_with("--- /dev/null\n+++ ") && ran.out.contains("+    \"spyhop\": {\n"),
        "{}",
        ran.out
    );
    let ran = home.ends(&["install", "generic", "--print"], 0);
    let entry: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(entry["mcpServers"]["spyhop"]["args"][0], "mcp");
    assert_eq!(home.everything(), before, "only printed");
}

#[test]
fn incomplete_or_contradictory_arguments_are_refused() {
    let home = Home::new();
    let refused = |args: &[&str], words: &str| {
        let ran = home.ends(args, 2);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    };
    refused(
        &["install", "emacs", "--yes"],
        "possible values: claude-code, cursor, vscode, codex, zed, gemini-cli, generic",
    );
    refused(&["install", "vscode", "--scope", "user", "--yes"], "give the trees, or choose --scope project");
    refused(&["install", "generic", "--yes"], "choose --file FILE");
    refused(&["install", "cursor", "--scope", "user", "--yes", "no/such"], "no/such");
    refused(&["install", "gemini-cli", "--yes", "--print"], "cannot be used with");
    assert_eq!(home.everything(), [(home.project(), Vec::new())]);
}

#[test]
fn files_that_are_not_understood_are_left_alone() {
    let check = |client: &str, file: &str, bytes: &[u8], words: &str| {
        let home = Home::new();
        let path = home.path().join(file);
        write(&path, bytes);
        let ran = home.ends(&["install", client, "--yes"], 2);
        assert!(ran.err.contains(words) && ran.err.contains(path.to_str().unwrap()), "{}", ran.err);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    };
    let gemini = |bytes: &[u8], words| check("gemini-cli", ".gemini/settings.json", bytes, words);
    gemini(b"{ \"a\": }", "line 1 column");
    gemini(b"{ a: 1 }", "line 1 column 3");
    gemini(b"[1]", "the file is not a table");
    gemini(b"{ \"mcpServers\": [] }", "'mcpServers' is not a table");
    gemini(b"{ \"mcpServers\": {}, \"mcpServers\": {} }", "'mcpServers' twice");
    gemini(b"{ \"mcpServers\": { \"spyhop\": {}, \"spyhop\": {} } }", "'spyhop' twice");
    gemini(b"{ \"a\": \"\xff\" }", "UTF-8");
    let codex = |bytes: &[u8], words| check("codex", ".codex/config.toml", bytes, words);
    codex(b"a = \n", "line 1");
    codex(b"mcp_servers = 1\n", "'mcp_servers' is not a table");
    codex(b"[[mcp_servers]]\na = 1\n", "'mcp_servers' is not a table");
}

#[cfg(unix)]
#[test]
fn links_modes_and_locks_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set =
        |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    // A file that lies in a repository of dotfiles, linked twice, once by a relative path.
    let real = home.path().join("dotfiles/gemini.json");
    write(&real, b"{}\n");
    set(&real, 0o640);
    let between = home.path().join("dotfiles/link.json");
    std::os::unix::fs::symlink("gemini.json", &between).unwrap();
    let link = home.path().join(".gemini/settings.json");
    std::fs::create_dir(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&between, &link).unwrap();
    home.ends(&["install", "gemini-cli", "--yes"], 0);
    assert!(link.is_symlink() && between.is_symlink() && !real.is_symlink());
    assert!(std::fs::read_to_string(&real).unwrap().contains("spyhop"));
    assert_eq!(mode(&real), 0o640);
    assert_eq!(std::fs::read_dir(real.parent().unwrap()).unwrap().count(), 2, "nothing is left over");
    home.ends(&["uninstall", "gemini-cli", "--yes"], 0);
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "{}\n");
    assert!(link.is_symlink() && mode(&real) == 0o640);
    // What may not be written is not replaced either, though the folder would allow it.
    set(&real, 0o440);
    let ran = home.ends(&["install", "gemini-cli", "--yes"], 2);
    assert!(ran.err.contains("may not be written"), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "{}\n");
    // New ones: the user's is the user's alone, a project's is for those who may read the project.
    home.ends(&["install", "codex", "--yes"], 0);
    assert_eq!(mode(&home.path().join(".codex/config.toml")), 0o600);
    let mut command = home.command(&["install", "vscode", "--yes"]);
    assert_eq!(ran_with_umask(&mut command, 0o022), 0);
    assert_eq!(mode(&home.project().join(".vscode/mcp.json")), 0o644);
    let notes = home.path().join(".local/state/spyhop/installed");
    for note in std::fs::read_dir(notes).unwrap() {
        assert_eq!(mode(&note.unwrap().path()), 0o600);
    }
}

#[cfg(unix)]
fn ran_with_umask(command: &mut Command, mask: libc::mode_t) -> i32 {
    use std::os::unix::process::CommandExt;
    // SAFETY: setting the mask of a process that is about to begin touches nothing of ours.
    unsafe {
        command.pre_exec(move || {
            libc::umask(mask);
            Ok(())
        });
    }
    ran(command, "").code
}

#[cfg(target_os = "linux")]
#[test]
fn somebody_at_a_terminal_is_asked() {
    let home = Home::new();
    let path = home.path().join(".gemini/settings.json");
    let answered = |name: &str, answer: &str| {
        let mut pty = Pty::start(home.command(&[name, "gemini-cli"]));
        pty.send(answer);
        pty.end()
    };
    let (code, said) = answered("install", "n\n");
    assert_eq!((code, path.exists()), (1, false));
    assert!(said.contains(&format!("Write {}? [y/N]", path.display())), "{said}");
    assert_eq!(answered("install", "\n").0, 1);
    assert_eq!((answered("install", "y\n").0, path.exists()), (0, true));
    assert_eq!((answered("uninstall", "no\n").0, path.exists()), (1, true));
    let (code, said) = answered("uninstall", "yes\n");
    assert_eq!((code, path.exists()), (0, false));
    assert!(said.contains(&format!("Remove {}? [y/N]", path.display())), "{said}");
}
