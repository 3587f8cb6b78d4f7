//! The command line that opens places in the user's editor.
//!
//! This module owns what is known about editors. `VISUAL` and then `EDITOR` name the editor, with arguments quoted as in
//! a shell. An unknown editor gets `+LINE FILE`, which POSIX defines for vi and most editors understand.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A place to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditorTarget {
    /// The path as the editor gets it.
    pub path: String,
    pub line: u32,
    pub column: u32,
}

/// How an editor is told a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineSyntax {
    /// `+LINE FILE`, for the first file only: a further `+LINE` would be about the first file too.
    PlusOnce,
    /// `+LINE FILE` for each file.
    Plus,
    /// `+LINE:COLUMN FILE` for each file.
    PlusColumn,
    /// `-g FILE:LINE:COLUMN` for each file.
    Goto,
    /// `FILE:LINE:COLUMN`.
    Suffix,
    /// `--line LINE --column COLUMN FILE`, for one file.
    LineFlag,
}

/// The editor where neither variable is set.
const DEFAULT: &str = if cfg!(windows) { "notepad" } else { "vi" };

/// The editor that the environment names: `VISUAL`, else `EDITOR`.
pub fn named(variable: impl Fn(&str) -> Option<OsString>) -> Option<String> {
    let named = |name: &str| variable(name)?.into_string().ok().filter(|value| !value.trim().is_empty());
    named("VISUAL").or_else(|| named("EDITOR"))
}

/// The editor that the environment names, or else the usual one of the system.
pub fn chosen(variable: impl Fn(&str) -> Option<OsString>) -> String {
    named(variable).unwrap_or_else(|| DEFAULT.to_string())
}

fn syntax(program: &str) -> LineSyntax {
    let stem = Path::new(program).file_stem().and_then(OsStr::to_str).unwrap_or(program);
    match stem {
        "code" | "code-insiders" | "codium" | "vscodium" | "code-oss" | "cursor" | "windsurf"
        | "positron" => LineSyntax::Goto,
        "hx" | "helix" | "subl" | "sublime_text" | "zed" | "zeditor" | "zed-editor" => LineSyntax::Suffix,
        "emacs" | "emacsclient" | "kak" => LineSyntax::PlusColumn,
        "nano" | "micro" | "joe" | "jed" | "mg" | "ne" => LineSyntax::Plus,
        "idea" | "pycharm" | "clion" | "goland" | "rustrover" | "webstorm" => LineSyntax::LineFlag,
        _ => LineSyntax::PlusOnce,
    }
}

/// The command line that opens `targets` with `editor`.
pub fn command(editor: &str, targets: &[EditorTarget]) -> Result<Vec<String>, String> {
    let mut argv =
        shlex::split(editor).ok_or_else(|| format!("the editor is '{editor}', which has an open quote"))?;
    let program = argv.first().ok_or("no editor is named; set EDITOR")?;
    let syntax = syntax(program);
    for (place, EditorTarget { path, line, column }) in targets.iter().enumerate() {
        // A name that begins with a sign would be an option.
        let path = match path.starts_with(['-', '+']) {
            true => format!("./{path}"),
            false => path.clone(),
        };
        match syntax {
            LineSyntax::PlusOnce if place > 0 => argv.push(path),
            LineSyntax::PlusOnce | LineSyntax::Plus => argv.extend([format!("+{line}"), path]),
            LineSyntax::PlusColumn => argv.extend([format!("+{line}:{column}"), path]),
            LineSyntax::Goto => argv.extend(["-g".to_string(), format!("{path}:{line}:{column}")]),
            LineSyntax::Suffix => argv.push(format!("{path}:{line}:{column}")),
            LineSyntax::LineFlag if place > 0 => argv.push(path),
            LineSyntax::LineFlag => {
                argv.extend(["--line".into(), line.to_string(), "--column".into(), column.to_string(), path]);
            }
        }
    }
    Ok(argv)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(path: &str, line: u32) -> EditorTarget {
        EditorTarget { path: path.to_string(), line, column: 5 }
    }

    #[test]
    fn each_editor_gets_its_own_syntax() {
        let targets = [target("a b.rs", 3), target("-c.rs", 7)];
        let check = |editor: &str, one: &str, two: &str| {
            let of = |targets: &[EditorTarget]| command(editor, targets).unwrap().join(" ");
            assert_eq!((of(&targets[..1]).as_str(), of(&targets).as_str()), (one, two), "{editor}");
        };
        check("vi", "vi +3 a b.rs", "vi +3 a b.rs ./-c.rs");
        check("/usr/bin/nvim -R", "/usr/bin/nvim -R +3 a b.rs", "/usr/bin/nvim -R +3 a b.rs ./-c.rs");
        check("nano", "nano +3 a b.rs", "nano +3 a b.rs +7 ./-c.rs");
        check("emacs -nw", "emacs -nw +3:5 a b.rs", "emacs -nw +3:5 a b.rs +7:5 ./-c.rs");
        check("code --wait", "code --wait -g a b.rs:3:5", "code --wait -g a b.rs:3:5 -g ./-c.rs:7:5");
        check("hx", "hx a b.rs:3:5", "hx a b.rs:3:5 ./-c.rs:7:5");
        check("idea", "idea --line 3 --column 5 a b.rs", "idea --line 3 --column 5 a b.rs ./-c.rs");
        check("my-editor", "my-editor +3 a b.rs", "my-editor +3 a b.rs ./-c.rs");
    }

    #[test]
    fn the_command_is_quoted_as_in_a_shell() {
        let argv = command("'/opt/my editor/vim' -c \"set nu\"", &[target("a", 1)]).unwrap();
        assert_eq!(argv, ["/opt/my editor/vim", "-c", "set nu", "+1", "a"]);
        assert_eq!(command("'vim", &[]).unwrap_err(), "the editor is ''vim', which has an open quote");
        assert_eq!(command(" ", &[]).unwrap_err(), "no editor is named; set EDITOR");
    }

    #[test]
    fn visual_comes_before_editor() {
        let of = |visual: Option<&str>, editor: Option<&str>| {
            chosen(|name| if name == "VISUAL" { visual } else { editor }.map(OsString::from))
        };
        assert_eq!(of(Some("a"), Some("b")), "a");
        assert_eq!(of(Some(" "), Some("b")), "b");
        assert_eq!(of(None, None), DEFAULT);
    }
}
