//! The user's editor: the command line that opens a file at a line.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// How an editor takes a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineArgument {
    /// `+LINE FILE`, as vi has it.
    Plus,
    /// `-g FILE:LINE`, as VS Code has it.
    Goto,
    /// `FILE:LINE`.
    Colon,
    /// The editor is unknown and gets the file only.
    None,
}

/// Editors by the name of their program.
const EDITORS: &[(LineArgument, &[&str])] = &[
    (
        LineArgument::Plus,
        &[
            "vi",
            "vim",
            "nvim",
            "view",
            "gvim",
            "mvim",
            "emacs",
            "emacsclient",
            "nano",
            "pico",
            "micro",
            "kak",
            "joe",
            "mg",
            "ne",
            "gedit",
            "mcedit",
        ],
    ),
    (LineArgument::Goto, &["code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"]),
    (LineArgument::Colon, &["hx", "helix", "zed", "zeditor", "subl", "lapce"]),
];

/// The editor that the environment names: `VISUAL`, else `EDITOR`.
pub fn named() -> Option<String> {
    let names = ["VISUAL", "EDITOR"].iter().filter_map(|name| std::env::var(name).ok());
    names.into_iter().find(|editor| !editor.trim().is_empty())
}

/// The command that opens `file`, an absolute path, at a line in `editor`: a program with arguments, separated by
/// blanks; quotes hold a name with blanks together. `None` if no program is named.
pub fn command(editor: &str, file: &Path, line: u32) -> Option<Command> {
    let mut words = words(editor).into_iter();
    let program = words.next()?;
    let mut command = Command::new(&program);
    command.args(words);
    let at_line = || {
        let mut text = OsString::from(file);
        text.push(format!(":{line}"));
        text
    };
    match line_argument(&program) {
        LineArgument::Plus => command.arg(format!("+{line}")).arg(file),
        LineArgument::Goto => command.arg("-g").arg(at_line()),
        LineArgument::Colon => command.arg(at_line()),
        LineArgument::None => command.arg(file),
    };
    Some(command)
}

fn line_argument(program: &str) -> LineArgument {
    let name = Path::new(program).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let known = EDITORS.iter().find(|(_, names)| names.contains(&name.as_str()));
    known.map_or(LineArgument::None, |(argument, _)| *argument)
}

/// The words of a command line with quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if ['"', '\''].contains(&c) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_editor_gets_the_line_in_its_own_way() {
        let check = |editor: &str, expected: &[&str]| {
            let command = command(editor, Path::new("/w/a b.rs"), 12).unwrap();
            let program = command.get_program().to_string_lossy().into_owned();
            let args = command.get_args().map(|arg| arg.to_string_lossy().into_owned());
            assert_eq!([vec![program], args.collect()].concat(), expected, "{editor}");
        };
        check("vim", &["vim", "+12", "/w/a b.rs"]);
        check("emacsclient -t", &["emacsclient", "-t", "+12", "/w/a b.rs"]);
        check("/usr/bin/nvim --clean", &["/usr/bin/nvim", "--clean", "+12", "/w/a b.rs"]);
        check("code --wait", &["code", "--wait", "-g", "/w/a b.rs:12"]);
        check("hx", &["hx", "/w/a b.rs:12"]);
        check("'/opt/my editor/nano' -w", &["/opt/my editor/nano", "-w", "+12", "/w/a b.rs"]);
        check("ed", &["ed", "/w/a b.rs"]);
        assert!(command("  ", Path::new("/w/a"), 1).is_none());
    }
}
