//! What ripgrep prints, by its own printers, in the order of the paths.
//!
//! Threads take files in their order and print each into memory; what is printed is passed on in that order, so the
//! output does not depend on threads. A thread that is ahead of what was passed on waits where much is held.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, Standard, StandardBuilder, Stats, Summary, SummaryBuilder, SummaryKind,
};
use grep_searcher::{Searcher, SearcherBuilder, Sink};
use rustc_hash::FxHashSet;

use super::cover::{AsItIs, Covered, Guard, Searched, WithMasks};
use super::screen::Screen;
use super::whole::Whole;
use super::within::{self, Gate, Within};
use super::{Pattern, Unread};
use crate::clean;
use crate::path::RelPath;
use crate::read::Ground;

/// How lines are printed. The default is ripgrep's into a pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// What is printed of a file.
    pub form: OutputFormat,
    /// Whether the path stands above its lines and not before each.
    pub heading: bool,
    /// Whether lines have numbers.
    pub line_numbers: bool,
    /// Whether lines have the column of the first match.
    pub columns: bool,
    /// Whether only what matches is printed, each match on a line.
    pub only_matching: bool,
    /// Whether paths are printed with lines and counts.
    pub paths: bool,
    /// Whether there are colours.
    pub color: bool,
    /// Whether a terminal shows it: what would steer the terminal, or stay invisible, is replaced ([`crate::clean`]).
    pub terminal: bool,
}

impl Default for PrintOptions {
    fn default() -> PrintOptions {
        PrintOptions {
            form: OutputFormat::Lines,
            heading: false,
            line_numbers: false,
            columns: false,
            only_matching: false,
            paths: true,
            color: false,
            terminal: false,
        }
    }
}

/// What is printed of a file that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Its lines.
    Lines,
    /// How many lines match.
    Count,
    /// How many matches there are.
    CountMatches,
    /// Its path.
    Files,
    /// Its path, when nothing matches.
    FilesWithout,
    /// ripgrep's events, as lines of JSON.
    Events,
}

/// What is printed.
pub struct Print<'p> {
    /// The tree.
    pub ground: &'p Ground,
    /// The files, in the order in which they are printed.
    pub files: &'p [RelPath],
    /// Whether a file may answer; asked on the threads, because it may have to read the file.
    pub takes: &'p (dyn Fn(&RelPath) -> bool + Sync),
    /// What is looked for.
    pub pattern: &'p Pattern,
    /// Lines of context before and after each.
    pub context: (u32, u32),
    /// How many lines a file may give.
    pub max_count: Option<u64>,
    /// The lines that count; `None` for all.
    pub within: Option<&'p Within>,
    /// Whether secrets are masked.
    pub masks: bool,
    /// Threads; `None` for one a core.
    pub threads: Option<usize>,
    /// How it looks.
    pub looks: PrintOptions,
}

/// What printing came to.
#[derive(Debug, Default)]
pub struct Printed {
    /// Whether any file matched; for [`OutputFormat::FilesWithout`], whether any did not.
    pub matched: bool,
    /// Files that could not be read to their end.
    pub unread: Vec<Unread>,
}

/// How many files a thread takes at once: few enough to keep all threads busy, and enough to be worth a turn.
fn batch(files: usize) -> usize {
    (files / 256).clamp(2, 64)
}

/// How many batches a thread may be ahead.
const AHEAD: usize = 256;

/// A batch that has printed this many bytes passes them on before its next file.
const PIECE_BYTES: usize = 256 << 10;

/// How many bytes are held, beside a piece a thread, before they are passed on.
const HELD_BYTES: usize = 16 << 20;

/// Prints, in pieces, to `out`, until it returns false.
pub fn print(print: &Print<'_>, mut out: impl FnMut(&[u8]) -> bool) -> Printed {
    let started = Instant::now();
    let batches: Vec<&[RelPath]> = print.files.chunks(batch(print.files.len())).collect();
    let mut total = Piece::default();
    let mut emit = |piece: Piece| -> bool {
        let Piece { bytes, matched, unread, stats, .. } = piece;
        total.matched |= matched;
        total.unread.extend(unread);
        total.stats += stats;
        if bytes.is_empty() {
            return true;
        }
        let first = std::mem::replace(&mut total.bytes, vec![0]).is_empty();
        let separator = print.separator();
        (first || separator.is_empty() || out(separator)) && out(&bytes)
    };
    let threads = print.threads.unwrap_or_else(super::scan::default_threads).min(batches.len());
    let ended = if threads <= 1 {
        let mut hand = PrintWorker::new(print);
        batches.iter().all(|files| hand.batch(files, &mut emit))
    } else {
        in_order(print, &batches, threads, &mut emit)
    };
    if ended && print.looks.form == OutputFormat::Events {
        out(summary(&total.stats, started).as_bytes());
    }
    Printed { matched: total.matched, unread: total.unread }
}

/// What is done and not passed on yet: pieces by their batch and their place in it.
#[derive(Default)]
struct Done {
    pieces: BTreeMap<(usize, usize), Piece>,
    bytes: usize,
    /// The batch that is being passed on.
    current: usize,
    /// Nothing is wanted any more.
    stopped: bool,
}

impl Done {
    /// Whether a thread with a piece of `batch` waits. The one that all wait for does not, unless a piece of it is here
    /// already.
    fn is_full_for(&self, batch: usize) -> bool {
        let is_awaited =
            batch == self.current && self.pieces.keys().next().is_none_or(|first| first.0 > batch);
        let is_full = self.bytes > HELD_BYTES || batch > self.current + AHEAD;
        is_full && !is_awaited && !self.stopped
    }
}

fn in_order(
    print: &Print<'_>,
    batches: &[&[RelPath]],
    threads: usize,
    emit: &mut impl FnMut(Piece) -> bool,
) -> bool {
    let next = AtomicUsize::new(0);
    let (done, moved) = (Mutex::new(Done::default()), Condvar::new());
    let lock = || done.lock().unwrap_or_else(PoisonError::into_inner);
    let wait = |guard| moved.wait(guard).unwrap_or_else(PoisonError::into_inner);
    let stop = || {
        lock().stopped = true;
        moved.notify_all();
    };
    let work = || {
        let mut hand = PrintWorker::new(print);
        loop {
            let batch = next.fetch_add(1, Ordering::Relaxed);
            let Some(files) = batches.get(batch) else { return };
            let mut place = 0;
            let is_wanted = hand.batch(files, &mut |piece| {
                let mut guard = lock();
                while guard.is_full_for(batch) {
                    guard = wait(guard);
                }
                guard.bytes += piece.bytes.capacity();
                guard.pieces.insert((batch, place), piece);
                place += 1;
                moved.notify_all();
                !guard.stopped
            });
            if !is_wanted {
                return;
            }
        }
    };
    std::thread::scope(|scope| {
        // A thread that panics must not leave the others waiting.
        let guarded = || {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            if let Err(panic) = ended {
                stop();
                std::panic::resume_unwind(panic);
            }
        };
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, guarded).ok();
        let hands: Vec<_> = (0..threads).map_while(start).collect();
        if hands.is_empty() {
            // There is no further thread.
            let mut hand = PrintWorker::new(print);
            return batches.iter().all(|files| hand.batch(files, emit));
        }
        // Nor must one that no longer takes what they have, for whatever reason.
        let _stopped_at_the_end = AtTheEnd(stop);
        let (mut batch, mut place) = (0, 0);
        while batch < batches.len() {
            let mut guard = lock();
            let piece = loop {
                if let Some(piece) = guard.pieces.remove(&(batch, place)) {
                    break piece;
                }
                if guard.stopped {
                    return false;
                }
                guard = wait(guard);
            };
            guard.bytes -= piece.bytes.capacity();
            (batch, place) = if piece.is_last { (batch + 1, 0) } else { (batch, place + 1) };
            guard.current = batch;
            drop(guard);
            moved.notify_all();
            if !emit(piece) {
                return false;
            }
        }
        true
    })
}

/// Does something when it goes, in a panic too.
struct AtTheEnd<F: Fn()>(F);

impl<F: Fn()> Drop for AtTheEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// What some files of a batch gave.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    is_last: bool,
    matched: bool,
    unread: Vec<Unread>,
    stats: Stats,
}

/// A thread with its tools.
struct PrintWorker<'p> {
    print: &'p Print<'p>,
    builder: SearcherBuilder,
    searcher: Searcher,
    printer: Printer,
    whole: Whole,
}

enum Printer {
    Lines(Standard<Screen>),
    Summary(Summary<Screen>),
    Events(JSON<Screen>),
}

impl Print<'_> {
    /// What stands between the output of two files.
    fn separator(&self) -> &'static [u8] {
        match self.looks.form {
            OutputFormat::Lines if self.looks.heading => b"\n",
            OutputFormat::Lines if self.context != (0, 0) => b"--\n",
            _ => b"",
        }
    }

    fn printer(&self) -> Printer {
        let looks = self.looks;
        let screen = Screen::new(looks);
        let colors = ColorSpecs::default_with_color();
        let kind = match looks.form {
            OutputFormat::Lines => {
                let mut builder = StandardBuilder::new();
                builder
                    .color_specs(colors)
                    .heading(looks.heading)
                    .path(looks.paths)
                    .only_matching(looks.only_matching)
                    .column(looks.columns)
                    .per_match_one_line(true);
                return Printer::Lines(builder.build(screen));
            }
            OutputFormat::Events => return Printer::Events(JSONBuilder::new().build(screen)),
            OutputFormat::Count => SummaryKind::Count,
            OutputFormat::CountMatches => SummaryKind::CountMatches,
            OutputFormat::Files => SummaryKind::PathWithMatch,
            OutputFormat::FilesWithout => SummaryKind::PathWithoutMatch,
        };
        let mut builder = SummaryBuilder::new();
        builder.color_specs(colors).kind(kind).path(looks.paths).exclude_zero(true);
        Printer::Summary(builder.build(screen))
    }
}

impl<'p> PrintWorker<'p> {
    fn new(print: &'p Print<'p>) -> PrintWorker<'p> {
        let (before, after) = print.context;
        let mut builder = super::searcher(print.pattern);
        builder
            .max_matches(print.max_count.filter(|_| print.within.is_none()))
            .line_number(print.looks.line_numbers || print.looks.form == OutputFormat::Events)
            .before_context(before as usize)
            .after_context(after as usize);
        let (searcher, printer) = (builder.build(), print.printer());
        PrintWorker { print, searcher, builder, printer, whole: Whole::default() }
    }

    /// Searches the files and passes on what they gave, in pieces, until that is refused; whether it never was.
    fn batch(&mut self, files: &[RelPath], pass: &mut impl FnMut(Piece) -> bool) -> bool {
        let mut piece = Piece::default();
        for path in files.iter().filter(|path| (self.print.takes)(path)) {
            match self.search(path) {
                Ok((matched, stats)) => {
                    piece.matched |= matched;
                    piece.stats += stats;
                }
                // It went away since it was seen.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => piece.unread.push(Unread { path: path.clone(), error: error.to_string() }),
            }
            let printed = self.printer.screen();
            match (piece.bytes.is_empty(), printed.bytes().is_empty()) {
                (_, true) => {}
                (true, false) if printed.len() >= PIECE_BYTES => {
                    piece.bytes = printed.replace(Screen::new(self.print.looks));
                }
                (is_first, false) => {
                    let separator = if is_first { b"" } else { self.print.separator() };
                    piece.bytes.extend_from_slice(separator);
                    piece.bytes.extend_from_slice(printed.bytes());
                    printed.clear();
                }
            }
            if piece.bytes.len() >= PIECE_BYTES && !pass(std::mem::take(&mut piece)) {
                return false;
            }
        }
        pass(Piece { is_last: true, ..piece })
    }

    /// Searches a file: whether it matched, and what ripgrep counts.
    fn search(&mut self, path: &RelPath) -> io::Result<(bool, Stats)> {
        let PrintWorker { print, searcher, builder, printer, whole } = self;
        let Print { pattern, max_count, context, within, .. } = **print;
        let matcher = &pattern.matcher;
        let mut content = whole.open(print.ground, path)?;
        // The places of the lines that may be printed, where not all may.
        let places = within.map(|within| {
            let lines = within.get(path).map(Vec::as_slice).unwrap_or_default();
            within::places(builder, matcher, &mut content, lines, max_count, context)
        });
        let places = places.transpose()?;
        // Counts and paths show nothing.
        let masks = print.masks && !matches!(printer, Printer::Summary(_));
        let bytes = content.bytes();
        let covered = Covered::new(masks, print.ground, path, bytes);
        let mut once = Once { searcher, covered: &covered, places: places.as_ref() };
        let as_it_is = AsItIs { matcher, content: &mut content };
        // A name must not go on in another line of a terminal; events escape it themselves.
        let is_quoted = print.looks.terminal && print.looks.form != OutputFormat::Events;
        let shown = if is_quoted { clean::path(path.as_str()) } else { path.as_str().into() };
        if let Some(found) = once.print(printer, &shown, as_it_is)? {
            return Ok(found);
        }
        // A line would have shown a secret.
        printer.screen().clear();
        let file = covered.masked()?;
        let mut once = Once { covered: &Covered::new(false, print.ground, path, bytes), ..once };
        let found = once.print(printer, &shown, WithMasks { matcher, file: &file })?;
        Ok(found.unwrap_or_default())
    }
}

/// One search of a file.
struct Once<'o> {
    searcher: &'o mut Searcher,
    covered: &'o Covered<'o>,
    places: Option<&'o FxHashSet<u64>>,
}

impl Once<'_> {
    /// Whether the file matched, and what ripgrep counts; `None` where a line was held back.
    fn print(
        &mut self,
        printer: &mut Printer,
        path: &str,
        mut searched: impl Searched,
    ) -> io::Result<Option<(bool, Stats)>> {
        let matcher = searched.matcher();
        match printer {
            Printer::Lines(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                let passed = self.through(&mut searched, &mut sink)?;
                Ok(passed.then(|| (sink.has_match(), Stats::new())))
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                let passed = self.through(&mut searched, &mut sink)?;
                Ok(passed.then(|| (sink.has_match(), Stats::new())))
            }
            Printer::Events(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                let passed = self.through(&mut searched, &mut sink)?;
                Ok(passed.then(|| (sink.has_match(), sink.stats().clone())))
            }
        }
    }

    /// Searches, at some places only where there are any; whether no line was held back.
    fn through<S: Sink<Error = io::Error>>(
        &mut self,
        searched: &mut impl Searched,
        sink: &mut S,
    ) -> io::Result<bool> {
        let held = Cell::new(false);
        let guard = Guard { sink, covered: self.covered, held: &held };
        match self.places {
            Some(places) => searched.search(self.searcher, Gate::new(guard, places.clone()))?,
            None => searched.search(self.searcher, guard)?,
        }
        Ok(!held.get())
    }
}

impl Printer {
    fn screen(&mut self) -> &mut Screen {
        match self {
            Printer::Lines(printer) => printer.get_mut(),
            Printer::Summary(printer) => printer.get_mut(),
            Printer::Events(printer) => printer.get_mut(),
        }
    }
}

/// ripgrep's last event.
fn summary(stats: &Stats, started: Instant) -> String {
    let elapsed = started.elapsed();
    let summary = serde_json::json!({
        "type": "summary",
        "data": {
            "stats": stats,
            "elapsed_total": {
                "secs": elapsed.as_secs(),
                "nanos": elapsed.subsec_nanos(),
                "human": format!("{:0.6}s", elapsed.as_secs_f64()),
            },
        },
    });
    format!("{summary}\n")
}
