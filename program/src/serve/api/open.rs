//! Opens a file in the editor of the person who runs the server; only where `--allow-open` permits it.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use super::super::ask::Ask;
use super::super::reply::ApiError;
use super::super::site::PageSite;
use crate::editor::{self, EditorTarget};

/// Editors that draw in the terminal. That terminal is the one of the server.
const IN_TERMINAL: &[&str] = &[
    "vi", "vim", "nvim", "view", "nano", "micro", "joe", "jed", "mg", "ne", "hx", "helix", "kak", "ed", "ex",
];

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenTarget {
    root: Option<String>,
    path: String,
    line: Option<u32>,
    column: Option<u32>,
}

pub fn answer(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    if !site.can_open {
        return Err(ApiError::forbidden("files are opened only with spyhop serve --allow-open"));
    }
    let target: OpenTarget = serde_json::from_value(ask.body()?.clone())
        .map_err(|error| ApiError::bad(format!("the body is not {{root, path, line, column}}: {error}")))?;
    let tree = site.tree(target.root.as_deref())?;
    let path = site.place(tree, "path", &target.path)?;
    let file = path.below(site.trees[tree].engines.worktree().root());
    if !file.is_file() {
        return Err(ApiError::not_found(format!("there is no file '{path}'")));
    }
    let editor = editor::named(|name| std::env::var_os(name)).ok_or_else(|| {
        ApiError::bad("no editor is named; start spyhop serve with VISUAL or EDITOR set, such as EDITOR=code")
    })?;
    let place = EditorTarget {
        path: file.to_string_lossy().into_owned(),
        line: target.line.unwrap_or(1).max(1),
        column: target.column.unwrap_or(1).max(1),
    };
    let argv = editor::command(&editor, &[place]).map_err(ApiError::bad)?;
    check(&editor, &argv)?;
    let started = Command::new(&argv[0])
        .args(&argv[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child =
        started.map_err(|error| ApiError::bad(format!("the editor '{}' did not start: {error}", argv[0])))?;
    // Somebody has to take the exit code, or the process stays in the table of the system.
    let waiting = std::thread::Builder::new().spawn(move || _ = child.wait());
    if let Err(error) = waiting {
        tracing::debug!(%error, "nobody waits for the editor");
    }
    Ok(json!({ "opened": path.as_str(), "editor": argv[0] }).to_string())
}

/// Refuses editors that need the terminal of the server.
fn check(editor: &str, argv: &[String]) -> Result<(), ApiError> {
    let program = Path::new(&argv[0]).file_name().map(|name| name.to_string_lossy().into_owned());
    let program = program.unwrap_or_default();
    let has_own_window = !IN_TERMINAL.contains(&program.as_str())
        && !argv.iter().any(|arg| ["-nw", "-t", "--tty"].contains(&arg.as_str()));
    if has_own_window {
        return Ok(());
    }
    let text = format!(
        "the editor '{editor}' needs a terminal; set VISUAL to one with a window, such as VISUAL=code, and start \
         spyhop serve again"
    );
    Err(ApiError::bad(text))
}
