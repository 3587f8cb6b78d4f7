//! Ink: colours, hyperlinks and clipping.
//!
//! This module owns every escape sequence the library can emit. Which stream takes them is the front end's decision,
//! handed in as a [`Style`]. Text that comes from a repository goes through [`crate::clean`] first: a file must not be
//! able to retitle a window or hide a line because a hit quotes it.

use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style as Ansi};

use crate::clean;

/// What the reader's terminal can show. The default is plain text of any width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether colours may be used.
    pub color: bool,
    /// Whether paths are links (OSC 8).
    pub hyperlinks: bool,
    /// The host that links name, so that a terminal on another machine does not open its own file; may be empty.
    pub host: String,
    /// Whether an agent reads it, to whom a name must not look like a line of the answer.
    pub agent: bool,
    /// Columns at which explanations are clipped; 0 for never. Source lines are never clipped.
    pub width: usize,
}

/// The parts of a text that are told apart by colour.
#[derive(Clone, Copy)]
pub(super) enum Ink {
    Path,
    Line,
    Symbol,
    High,
    Good,
    Weak,
    Match,
    Dim,
    Alarm,
}

impl Ink {
    fn ansi(self) -> Ansi {
        let colour = |colour: AnsiColor| Ansi::new().fg_color(Some(colour.into()));
        match self {
            Ink::Path => colour(AnsiColor::Magenta),
            Ink::Line => colour(AnsiColor::Green),
            Ink::Symbol => Ansi::new().bold(),
            Ink::High => colour(AnsiColor::Green).bold(),
            Ink::Good => colour(AnsiColor::Yellow),
            Ink::Weak | Ink::Dim => Ansi::new().dimmed(),
            Ink::Match => colour(AnsiColor::Red).bold(),
            Ink::Alarm => colour(AnsiColor::Yellow).bold(),
        }
    }
}

impl Style {
    /// `text` in `ink`; `text` must be clean already.
    pub(super) fn paint(&self, ink: Ink, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_string();
        }
        let ansi = ink.ansi();
        format!("{}{text}{}", ansi.render(), ansi.render_reset())
    }

    /// `text` as a link to the file `target`.
    pub(super) fn link(&self, target: &Path, text: &str) -> String {
        if !self.hyperlinks {
            return text.to_string();
        }
        let uri = file_uri(&self.host, target);
        format!("\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\")
    }

    /// `text` clipped so that it and `indent` columns before it fit the width.
    pub(super) fn clip(&self, indent: usize, text: &str) -> String {
        let room = self.width.saturating_sub(indent);
        if self.width == 0 || text.chars().count() <= room {
            return text.to_string();
        }
        let mut clipped: String = text.chars().take(room.saturating_sub(1)).collect();
        clipped.push('…');
        clipped
    }
}

/// `file://HOST/path`, with every byte escaped that is not plain in a path.
pub(super) fn file_uri(host: &str, target: &Path) -> String {
    let path = target.to_string_lossy();
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.into_owned() };
    let mut uri = format!("file://{host}");
    if !path.starts_with('/') {
        uri.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(byte as char)
            }
            b':' if cfg!(windows) => uri.push(':'),
            _ => write!(uri, "%{byte:02X}").expect("a string takes everything"),
        }
    }
    uri
}

/// A path of the system as it is shown on one line.
pub(super) fn shown(path: &Path) -> String {
    clean::line(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_escaped() {
        let style = Style { hyperlinks: true, host: "box".into(), ..Style::default() };
        assert_eq!(
            style.link(Path::new("/a b/ü;c.rs"), "x"),
            "\x1b]8;;file://box/a%20b/%C3%BC%3Bc.rs\x1b\\x\x1b]8;;\x1b\\"
        );
        assert_eq!(Style::default().link(Path::new("/a"), "x"), "x");
    }

    #[test]
    fn long_explanations_are_clipped() {
        let style = Style { width: 10, ..Style::default() };
        assert_eq!(style.clip(2, "12345678"), "12345678");
        assert_eq!(style.clip(2, "123456789"), "1234567…");
        assert_eq!(Style::default().clip(2, "123456789"), "123456789");
    }
}
