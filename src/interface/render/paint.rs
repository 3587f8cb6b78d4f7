//! Colours, hyperlinks and truncation for terminals.
//!
//! This module contains every escape sequence that the library can emit, except for those of the exact search. The front
//! end decides which stream gets them and passes a [`Style`]. Text from a repository must go through [`spyhop_base::clean`] first,
//! so that a quoted file cannot change the title of a window or hide a line.

use std::fmt::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style as Ansi};
use unicode_width::UnicodeWidthChar;

use spyhop_base::clean;
use spyhop_base::path::PathBase;
use spyhop_base::text::Span;
use spyhop_syntax::analyze::SyntaxClass;

/// The capabilities of the terminal. The default is plain text of unlimited width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether colours may be used.
    pub color: bool,
    /// Whether paths are links (OSC 8).
    pub hyperlinks: bool,
    /// The host name in links, so that a terminal on another machine does not open a local file. May be empty.
    pub host: String,
    /// Whether the text is for an agent. Then a file name must not look like a line of the answer.
    pub agent: bool,
    /// The rows of the screen; 0 where they are unknown.
    pub height: usize,
    /// Whether all of a page is shown, however many screens it takes.
    pub all: bool,
    /// How paths are shown.
    pub paths: PathBase,
    /// The column at which explanations are truncated; 0 for no limit. Source lines are never truncated.
    pub width: usize,
}

/// The kinds of text that have a colour or weight of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    Path,
    Line,
    Symbol,
    High,
    Good,
    Weak,
    Match,
    Dim,
    Alarm,
    /// A token of source text.
    Syntax(SyntaxClass),
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
            Ink::Syntax(SyntaxClass::Keyword) => colour(AnsiColor::Blue),
            Ink::Syntax(SyntaxClass::Text) => colour(AnsiColor::Green),
            Ink::Syntax(SyntaxClass::Comment) => Ansi::new().dimmed(),
            Ink::Syntax(SyntaxClass::Number) => colour(AnsiColor::Cyan),
            Ink::Alarm => colour(AnsiColor::Yellow).bold(),
        }
    }
}

impl Style {
    /// `text` with the escape sequences of `ink`. The text must already be clean.
    pub fn paint(&self, ink: Ink, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_string();
        }
        let ansi = ink.ansi();
        format!("{}{text}{}", ansi.render(), ansi.render_reset())
    }

    /// `text` as a hyperlink to the file `target`, if the terminal supports hyperlinks.
    pub(super) fn link(&self, target: &Path, text: &str) -> String {
        if !self.hyperlinks {
            return text.to_string();
        }
        let uri = file_uri(&self.host, target);
        format!("\x1b]8;;{uri}\x1b\\{text}\x1b]8;;\x1b\\")
    }

    /// Whether a text has more rows than the screen, one of them the prompt's. False where the screen is unknown.
    pub fn overflows(&self, text: &str) -> bool {
        let rows = |line: &str| if self.width == 0 { 1 } else { visible(line).div_ceil(self.width).max(1) };
        self.height > 0 && text.lines().map(rows).sum::<usize>() >= self.height
    }

    /// `text`, truncated so that it fits the width after `indent` columns.
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

/// `file://HOST/path`, with percent encoding of all bytes except the unreserved characters and `/`.
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

/// A path of the file system, cleaned so that it stays on one line.
pub(super) fn shown(path: &Path) -> String {
    clean::line(&path.to_string_lossy())
}

/// `body` with its parts of `spans` highlighted. `offset` is the byte of the text at which `body` begins. A span that does
/// not begin and end between characters is ignored.
pub(super) fn highlighted(body: &str, offset: usize, spans: &[Span], style: &Style) -> String {
    let mut out = String::new();
    let mut done = 0;
    for span in spans {
        let from = (span.start as usize).saturating_sub(offset).min(body.len());
        let to = (span.end as usize).saturating_sub(offset).min(body.len());
        if from < done || from >= to || !body.is_char_boundary(from) || !body.is_char_boundary(to) {
            continue;
        }
        out.push_str(&clean::line(&body[done..from]));
        out.push_str(&style.paint(Ink::Match, &clean::line(&body[from..to])));
        done = to;
    }
    out.push_str(&clean::line(&body[done..]));
    out
}

/// The columns that a text takes on a terminal, a tab as [`TAB`] columns.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// The columns of a line with our own colours and links.
fn visible(line: &str) -> usize {
    let mut columns = 0;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\x1b' {
            columns += width(c);
        } else if chars.next() == Some('[') {
            chars.by_ref().find(|c| c.is_ascii_alphabetic());
        } else {
            chars.by_ref().find(|c| *c == '\\');
        }
    }
    columns
}

fn width(c: char) -> usize {
    if c == '\t' { TAB } else { c.width().unwrap_or(1) }
}

/// The columns of a tab in source text that is truncated.
const TAB: usize = 4;

/// What is marked in a source text, by spans that are sorted and do not overlap.
#[derive(Clone, Copy, Default)]
pub(super) struct TextMarks<'m> {
    /// What matched. Matches cover the colours of tokens.
    pub matches: &'m [Span],
    /// The tokens that have a colour.
    pub tokens: &'m [(Span, SyntaxClass)],
}

/// A line of source text with its marks, truncated to `room` columns; 0 for no limit. `offset` is the byte of the text at
/// which `body` begins.
pub(super) fn source(body: &str, offset: usize, marks: TextMarks<'_>, room: usize, style: &Style) -> String {
    let is_cut = room > 0 && columns(body) > room;
    let mut left = if is_cut { room.saturating_sub(1) } else { usize::MAX };
    let mut out = String::new();
    let mut run: (Option<Ink>, String) = (None, String::new());
    let end = offset + body.len();
    let reaches = |span: &Span| span.end as usize > offset && (span.start as usize) < end;
    let mut matches = marks.matches.iter().filter(|span| reaches(span)).peekable();
    let mut tokens = marks.tokens.iter().filter(|(span, _)| reaches(span)).peekable();
    for (at, c) in body.char_indices() {
        let at = (at + offset) as u32;
        while matches.next_if(|span| span.end <= at).is_some() {}
        while tokens.next_if(|(span, _)| span.end <= at).is_some() {}
        let is_match = matches.peek().is_some_and(|span| span.start <= at);
        let token = tokens.peek().filter(|(span, _)| span.start <= at).map(|(_, class)| Ink::Syntax(*class));
        let ink = if is_match { Some(Ink::Match) } else { token };
        let Some(rest) = left.checked_sub(width(c)) else { break };
        left = rest;
        if ink != run.0 {
            flush(&mut out, &mut run, style);
            run.0 = ink;
        }
        if c == '\t' && room > 0 { run.1.push_str(&" ".repeat(TAB)) } else { run.1.push(c) }
    }
    flush(&mut out, &mut run, style);
    if is_cut {
        out.push('…');
    }
    out
}

/// Writes a run of characters of one ink.
fn flush(out: &mut String, run: &mut (Option<Ink>, String), style: &Style) {
    let text = clean::line(&std::mem::take(&mut run.1));
    match run.0 {
        Some(ink) => out.push_str(&style.paint(ink, &text)),
        None => out.push_str(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_without_colours_and_links() {
        let style = Style { color: true, hyperlinks: true, width: 10, height: 4, ..Style::default() };
        let line = style.link(Path::new("/a"), &style.paint(Ink::Path, "0123456789"));
        assert!(!style.overflows(&format!("{line}\n{line}\n{line}\n")));
        assert!(style.overflows(&format!("{line}\n{line}x\n{line}\n")));
        assert!(!Style::default().overflows(&"\n".repeat(99)));
    }

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
