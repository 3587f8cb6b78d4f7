//! Standard output and standard error, configured by the user's terminal and flags.
//!
//! This module owns the decisions about streams: colour, links, width, and whether warnings are shown. Rendering is the
//! library's. An answer is written whole and flushed at once, so the reader of a pipe never waits for half an answer.

use std::borrow::Cow;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::PathBuf;

use anstream::{AutoStream, ColorChoice};
use clap::ArgMatches;
use serde::Serialize;
use spyhop_base::path::PathBase;
use spyhop_interface::render::json::JsonPaths;
use spyhop_interface::render::{Style, clean};

use super::place::TreePlace;
use super::values::{given, optional};
use super::{args, pager};

/// The destination and the format of answers.
pub struct Output {
    pub style: Style,
    pub json: bool,
    pub quiet: bool,
    /// Whether paths are absolute.
    absolute: bool,
    /// The root below which paths in JSON are repeated as absolute ones, if they are.
    root: Option<PathBuf>,
    choice: ColorChoice,
    /// Whether standard output is a terminal.
    terminal: bool,
    /// The command that shows a text which does not fit the screen.
    pager: Option<String>,
}

impl Output {
    /// The output that flags, environment and terminal ask for.
    pub fn new(matches: &ArgMatches) -> Output {
        let choice = match optional::<String>(matches, args::COLOR.name).map(String::as_str) {
            Some("always" | "ansi") => ColorChoice::Always,
            Some("never") => ColorChoice::Never,
            _ => AutoStream::choice(&io::stdout()),
        };
        let terminal = io::stdout().is_terminal();
        let color = choice != ColorChoice::Never;
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let hyperlinks = terminal && color && !dumb && !given(matches, args::NO_HYPERLINKS.name);
        let size = if terminal { terminal_size::terminal_size() } else { None };
        let (width, height) = size.map_or((0, 0), |(width, height)| (width.0, height.0));
        Output {
            style: Style {
                color,
                hyperlinks,
                host: if hyperlinks { host() } else { String::new() },
                width: width.into(),
                height: height.into(),
                all: given(matches, args::WHOLE_PAGE.name),
                ..Style::default()
            },
            json: given(matches, args::JSON.name),
            quiet: given(matches, args::QUIET.name),
            absolute: given(matches, args::ABSOLUTE.name),
            root: None,
            choice,
            terminal,
            pager: pager::command().filter(|_| terminal && !given(matches, args::NO_PAGER.name)),
        }
    }

    /// Shows paths of a tree as this tree's commands do: relative to the current folder, or absolute if asked.
    pub fn show_paths_of(&mut self, place: &TreePlace) {
        self.show_paths(place, place.base());
    }

    /// Shows paths of a tree relative to `base`, or absolute if asked.
    pub fn show_paths(&mut self, place: &TreePlace, base: PathBase) {
        self.root = self.absolute.then(|| place.root.clone());
        self.style.paths = self.root.clone().map_or(base, PathBase::Absolute);
    }

    /// Shows paths of several sources: behind the names of their sources, or absolute if asked.
    pub fn show_paths_of_sources(&mut self) {
        // Each row has a root of its own.
        self.root = self.absolute.then(PathBuf::new);
        self.style.paths = self.root.clone().map_or(PathBase::Root, PathBase::Absolute);
    }

    /// Which paths JSON has.
    pub fn json_paths(&self) -> JsonPaths<'_> {
        JsonPaths { absolute_below: self.root.as_deref() }
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Writes text, with or without colours; on a terminal with a pager if the text does not fit the screen.
    pub fn text(&mut self, text: &str) -> io::Result<()> {
        if let Some(pager) = self.pager.as_ref().filter(|_| self.style.overflows(text))
            && pager::show(pager, text)?
        {
            return Ok(());
        }
        let mut stream = AutoStream::new(io::stdout().lock(), self.choice);
        stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).map_err(unwritten)
    }

    /// Writes text without colours, such as paths for another program. On a terminal it is cleaned.
    pub fn data(&self, text: &str) -> io::Result<()> {
        let mut stream = io::stdout().lock();
        stream.write_all(on_screen(text).as_bytes()).and_then(|()| stream.flush()).map_err(unwritten)
    }

    /// Writes a value as a line of JSON.
    pub fn json(&self, value: &impl Serialize) -> io::Result<()> {
        self.json_text(&self.json_paths().line(value))
    }

    /// Writes a reply as a line of JSON or as text.
    pub fn reply<T: Serialize>(
        &mut self,
        reply: &T,
        text: impl FnOnce(&T, &Style) -> String,
    ) -> io::Result<()> {
        if self.json {
            return self.json(reply);
        }
        let text = text(reply, &self.style);
        self.text(&text)
    }

    /// Writes what a command did, as [`Output::reply`] does, unless `--quiet` is given and no JSON.
    pub fn done<T: Serialize>(&mut self, report: &T, text: impl FnOnce(&T) -> String) -> io::Result<()> {
        if self.quiet && !self.json { Ok(()) } else { self.reply(report, |report, _| text(report)) }
    }

    /// Writes JSON and a final line end if there is none. On a terminal, control characters are escaped.
    pub fn json_text(&self, json: &str) -> io::Result<()> {
        let json = if self.terminal { clean::json(json) } else { json.into() };
        let mut stream = io::stdout().lock();
        let end = if json.ends_with('\n') { "" } else { "\n" };
        let written = stream.write_all(json.as_bytes()).and_then(|()| stream.write_all(end.as_bytes()));
        written.and_then(|()| stream.flush()).map_err(unwritten)
    }

    /// Writes lines of JSON. On a terminal, control characters are escaped.
    pub fn json_lines(&self, lines: &str) -> io::Result<()> {
        if lines.is_empty() { Ok(()) } else { self.json_text(lines) }
    }

    /// Writes text about an answer to standard error, unless `--quiet` is given.
    pub fn remark(&self, text: &str) -> io::Result<()> {
        if self.quiet {
            return Ok(());
        }
        let choice = if self.style.color { AutoStream::choice(&io::stderr()) } else { ColorChoice::Never };
        AutoStream::new(io::stderr().lock(), choice).write_all(text.as_bytes())
    }

    /// Writes warnings to standard error, unless `--quiet` is given.
    pub fn warn(&self, warnings: &[String]) {
        for warning in warnings.iter().filter(|_| !self.quiet) {
            let _ = writeln!(io::stderr(), "{}", warning_line(warning));
        }
    }

    /// Writes the warnings about an answer that follows. The rows that they take on a screen are not left for the answer.
    pub fn warn_above(&mut self, warnings: &[String]) {
        self.warn(warnings);
        if self.quiet || self.style.height == 0 || !io::stderr().is_terminal() {
            return;
        }
        let rows = |text: &String| warning_line(text).chars().count().div_ceil(self.style.width.max(1));
        let taken: usize = warnings.iter().map(rows).sum();
        self.style.height = self.style.height.saturating_sub(taken).max(1);
    }
}

/// Text of files and names as standard output gets it: cleaned, if standard output is a terminal. Line ends stay, and the
/// NUL bytes that separate paths.
pub fn on_screen(text: &str) -> Cow<'_, str> {
    match io::stdout().is_terminal() {
        true => text.split('\0').map(clean::lines).collect::<Vec<_>>().join("\0").into(),
        false => text.into(),
    }
}

fn warning_line(warning: &str) -> String {
    format!("spyhop: warning: {}", clean::line(warning))
}

/// The error of a stream, with what was tried.
fn unwritten(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write the answer to standard output: {error}"))
}

/// Asks a question on standard error. Any answer but yes declines.
pub fn agrees(question: &str, answers: &mut impl BufRead) -> io::Result<bool> {
    write!(io::stderr(), "{question} [y/N] ")?;
    io::stderr().flush()?;
    let mut answer = String::new();
    answers.read_line(&mut answer)?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

/// The host name, for links; empty where reading it would take a system-specific call.
pub fn host() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = named.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    let named = named.trim();
    let plain = named.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    if plain { named.to_string() } else { String::new() }
}
