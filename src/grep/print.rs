//! Prints with ripgrep's printers, in the order of the paths.
//!
//! Threads take batches of files in this order and print into memory. The output is passed on in the same order, so it does
//! not depend on threads. If much output is waiting, a thread that is ahead waits too.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use grep_printer::{
    ColorSpecs, JSON, JSONBuilder, Standard, StandardBuilder, Stats, Summary, SummaryBuilder, SummaryKind,
    default_color_specs,
};
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder, Sink};
use rustc_hash::FxHashSet;

use super::cover::{Covered, MaskedFile, PassedLines, PlainFile, Searched, SecretGuard};
use super::options::{OutputFormat, PrintOptions};
use super::pattern::Pattern;
use super::scan::Unread;
use super::screen::Screen;
use super::source::{FileSource, NextBatch};
use super::whole::{Reading, Whole};
use super::within::{self, PlaceFilter, Within};
use spyhop_base::clean;
use spyhop_base::path::RelPath;
use spyhop_base::threads;
use spyhop_files::read::TreeSource;

/// The files to print from, and the options.
pub struct Print<'p> {
    pub source_tree: &'p TreeSource,
    /// The files, in the order in which they are printed.
    pub files: FileSource<'p>,
    /// Whether a file may be in the answer. The threads call this function, because it may read the file.
    pub takes: &'p (dyn Fn(&RelPath) -> bool + Sync),
    pub pattern: &'p Pattern,
    /// The paths that the request names; a file among them is searched to its end, also if it is binary.
    pub named: &'p [RelPath],
    /// The number of context lines before and after each line.
    pub context: (u32, u32),
    /// The most lines that are printed from a file.
    pub max_count: Option<u64>,
    /// The line ranges in which matches count; `None` for all lines.
    pub within: Option<&'p Within>,
    pub masks: bool,
    /// The number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// How files are read.
    pub reading: Reading,
    /// How lines are printed.
    pub options: PrintOptions,
}

/// The result of printing.
#[derive(Debug, Default)]
pub struct Printed {
    /// Whether a file matched. For [`OutputFormat::FilesWithout`], whether a file did not match.
    pub matched: bool,
    /// The files that could not be read completely.
    pub unread: Vec<Unread>,
}

/// The number of batches that a thread may be ahead of the output.
const MAX_AHEAD: usize = 256;

/// The size at which the output of a batch is flushed as a piece before the next file.
const PIECE_BYTES: usize = 256 << 10;

/// The most bytes that wait for output, apart from one piece per thread.
const MAX_WAITING_BYTES: usize = 16 << 20;

/// Prints to `out` in pieces, until `out` returns false.
pub fn print(print: &Print<'_>, mut out: impl FnMut(&[u8]) -> bool) -> Printed {
    let started = Instant::now();
    let mut total = PrintedBatch::default();
    let mut emit = |piece: PrintedBatch| -> bool {
        let PrintedBatch { bytes, matched, unread, stats, .. } = piece;
        total.matched |= matched;
        total.unread.extend(unread);
        total.stats += stats;
        if print.options.quiet {
            // The first match decides, unless all matches are counted.
            return print.options.stats || print.options.form == OutputFormat::Events || !total.matched;
        }
        if bytes.is_empty() {
            return true;
        }
        let first = std::mem::replace(&mut total.bytes, vec![0]).is_empty();
        let separator = print.separator();
        (first || separator.is_empty() || out(&separator)) && out(&bytes)
    };
    let threads = print.threads.unwrap_or_else(super::scan::default_threads).min(print.files.most_threads());
    let ended =
        if threads <= 1 { print_alone(print, &mut emit) } else { print_in_order(print, threads, &mut emit) };
    print.files.stop();
    if ended && print.options.form == OutputFormat::Events {
        out(summary(&total.stats, started).as_bytes());
    } else if ended && print.options.stats {
        out(statistics(&total.stats, started).as_bytes());
    }
    Printed { matched: total.matched, unread: total.unread }
}

/// Prints the lines of a stream that match, as [`print()`] prints those of a file; whether any matched.
pub fn print_stream(
    print: &Print<'_>,
    name: &str,
    stream: impl io::Read,
    mut out: impl FnMut(&[u8]) -> bool,
) -> io::Result<bool> {
    let started = Instant::now();
    let mut worker = PrintWorker::new(print);
    let matcher = &print.pattern.matcher;
    let (matched, stats) = match &mut worker.printer {
        Printer::Lines(printer) => {
            let mut sink = printer.sink_with_path(matcher, name);
            worker.searcher.search_reader(matcher, stream, &mut sink)?;
            (sink.has_match(), sink.stats().cloned().unwrap_or_default())
        }
        Printer::Summary(printer) => {
            let mut sink = printer.sink_with_path(matcher, name);
            worker.searcher.search_reader(matcher, stream, &mut sink)?;
            (sink.has_match(), sink.stats().cloned().unwrap_or_default())
        }
        Printer::Events(printer) => {
            let mut sink = printer.sink_with_path(matcher, name);
            worker.searcher.search_reader(matcher, stream, &mut sink)?;
            (sink.has_match(), sink.stats().clone())
        }
    };
    if !print.options.quiet {
        out(worker.printer.screen().bytes());
    }
    if print.options.form == OutputFormat::Events {
        out(summary(&stats, started).as_bytes());
    } else if print.options.stats {
        out(statistics(&stats, started).as_bytes());
    }
    Ok(matched)
}

/// Counts and times after the output, in ripgrep's words.
fn statistics(stats: &Stats, started: Instant) -> String {
    format!(
        "\n{} matches\n{} matched lines\n{} files contained matches\n{} files searched\n{} bytes printed\n{} bytes \
         searched\n{:0.6} seconds spent searching\n{:0.6} seconds total\n",
        stats.matches(),
        stats.matched_lines(),
        stats.searches_with_match(),
        stats.searches(),
        stats.bytes_printed(),
        stats.bytes_searched(),
        stats.elapsed().as_secs_f64(),
        started.elapsed().as_secs_f64(),
    )
}

/// The pieces that wait for output, by batch and by position in the batch.
#[derive(Default)]
struct Done {
    pieces: BTreeMap<(usize, usize), PrintedBatch>,
    bytes: usize,
    /// The batch whose output is being passed on.
    current: usize,
    /// The number of batches, once it is known.
    batches: Option<usize>,
    /// Whether the threads have to stop.
    stopped: bool,
}

impl Done {
    /// Whether a thread with a piece of `batch` has to wait. The thread of the current batch does not wait, unless a piece
    /// of this batch is already here.
    fn is_full_for(&self, batch: usize) -> bool {
        let is_awaited =
            batch == self.current && self.pieces.keys().next().is_none_or(|first| first.0 > batch);
        let is_full = self.bytes > MAX_WAITING_BYTES || batch > self.current + MAX_AHEAD;
        is_full && !is_awaited && !self.stopped
    }
}

/// Prints on this thread. Returns whether `emit` never returned false.
fn print_alone(print: &Print<'_>, emit: &mut impl FnMut(PrintedBatch) -> bool) -> bool {
    let mut worker = PrintWorker::new(print);
    while let NextBatch::Batch(_, files) = print.files.next() {
        if !worker.print_batch(&files, emit) {
            return false;
        }
    }
    true
}

/// Prints on several threads and passes the pieces on in order. Returns whether `emit` never returned false.
fn print_in_order(print: &Print<'_>, threads: usize, emit: &mut impl FnMut(PrintedBatch) -> bool) -> bool {
    let (done, moved) = (Mutex::new(Done::default()), Condvar::new());
    let lock = || done.lock().unwrap_or_else(PoisonError::into_inner);
    let wait = |guard| moved.wait(guard).unwrap_or_else(PoisonError::into_inner);
    let stop = || {
        lock().stopped = true;
        moved.notify_all();
        print.files.stop();
    };
    let work = || {
        let mut worker = PrintWorker::new(print);
        loop {
            let (batch, files) = match print.files.next() {
                NextBatch::Batch(batch, files) => (batch, files),
                NextBatch::End(batches) => {
                    lock().batches = Some(batches);
                    moved.notify_all();
                    return;
                }
            };
            let mut place = 0;
            let is_wanted = worker.print_batch(&files, &mut |piece| {
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
        let start = |_| threads::for_call(scope, std::thread::Builder::new(), guarded).ok();
        let workers: Vec<_> = (0..threads).map_while(start).collect();
        if workers.is_empty() {
            // The system allows no further thread.
            return print_alone(print, emit);
        }
        // Nor must the end of this thread, which takes their pieces, for any reason.
        let _stop_on_drop = OnDrop(stop);
        let (mut batch, mut place) = (0, 0);
        loop {
            let mut guard = lock();
            let piece = loop {
                if guard.batches == Some(batch) {
                    return true;
                }
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
    })
}

/// Calls a function when dropped, also in a panic.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// A piece: the output of some files of a batch.
#[derive(Default)]
struct PrintedBatch {
    bytes: Vec<u8>,
    is_last: bool,
    matched: bool,
    unread: Vec<Unread>,
    stats: Stats,
}

/// The searcher, the printer and the buffer of a thread.
struct PrintWorker<'p> {
    print: &'p Print<'p>,
    /// A copy for this thread: threads that share a matcher wait for its memory.
    matcher: RegexMatcher,
    builder: SearcherBuilder,
    searcher: Searcher,
    /// The searcher of files that the request names.
    named: Searcher,
    printer: Printer,
    whole: Whole,
    passed: PassedLines,
}

enum Printer {
    Lines(Standard<Screen>),
    Summary(Summary<Screen>),
    Events(JSON<Screen>),
}

impl Print<'_> {
    /// A searcher with what the request says of lines.
    fn configured(&self, mut builder: SearcherBuilder) -> SearcherBuilder {
        let (before, after) = self.context;
        builder
            .max_matches(self.max_count.filter(|_| self.within.is_none()))
            .line_number(self.options.line_numbers || self.options.form == OutputFormat::Events)
            .before_context(before as usize)
            .after_context(after as usize)
            .passthru(self.options.passthru);
        builder
    }

    /// The separator between the output of two files.
    fn separator(&self) -> Vec<u8> {
        match (self.options.form, &self.options.context_separator) {
            (OutputFormat::Lines, _) if self.options.heading => self.pattern.line_end().to_vec(),
            (OutputFormat::Lines, Some(line)) if self.context != (0, 0) && !self.options.passthru => {
                [line, self.pattern.line_end()].concat()
            }
            _ => Vec::new(),
        }
    }

    fn printer(&self) -> Printer {
        let options = &self.options;
        let screen = Screen::new(options);
        let mut specs = default_color_specs();
        specs.extend(options.colors.iter().filter_map(|spec| spec.parse().ok()));
        let colors = ColorSpecs::new(&specs);
        let links = options.links().unwrap_or_default();
        let kind = match options.form {
            OutputFormat::Lines => {
                let mut builder = StandardBuilder::new();
                builder
                    .color_specs(colors)
                    .hyperlink(links)
                    .heading(options.heading)
                    .path(options.paths)
                    .only_matching(options.only_matching)
                    .column(options.columns)
                    .replacement(options.replacement.clone())
                    .trim_ascii(options.trim)
                    .path_terminator(options.null.then_some(0))
                    .max_columns(options.max_columns)
                    .max_columns_preview(options.max_columns_preview)
                    .byte_offset(options.byte_offset)
                    .separator_path(options.path_separator)
                    .separator_field_match(options.field_match_separator.clone())
                    .separator_field_context(options.field_context_separator.clone())
                    .separator_context(options.context_separator.clone())
                    .per_match(options.per_match)
                    .stats(options.stats)
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
        builder
            .color_specs(colors)
            .hyperlink(links)
            .kind(kind)
            .path(options.paths)
            .path_terminator(options.null.then_some(0))
            .separator_path(options.path_separator)
            .separator_field(options.field_match_separator.clone())
            .stats(options.stats)
            .exclude_zero(!options.include_zero);
        Printer::Summary(builder.build(screen))
    }
}

impl<'p> PrintWorker<'p> {
    fn new(print: &'p Print<'p>) -> PrintWorker<'p> {
        let builder = print.configured(print.pattern.searcher());
        let named = print.configured(print.pattern.searcher_of_named());
        let (searcher, named, printer) = (builder.build(), named.build(), print.printer());
        let whole = Whole::new(print.reading, print.pattern.is_encoded());
        let matcher = print.pattern.matcher.clone();
        PrintWorker {
            print,
            matcher,
            searcher,
            named,
            builder,
            printer,
            whole,
            passed: PassedLines::default(),
        }
    }

    /// Searches the files and passes their output on in pieces, until `pass` returns false. Returns whether `pass` never
    /// did.
    fn print_batch(&mut self, files: &[RelPath], pass: &mut impl FnMut(PrintedBatch) -> bool) -> bool {
        let mut piece = PrintedBatch::default();
        for path in files.iter().filter(|path| (self.print.takes)(path)) {
            match self.search(path) {
                Ok((matched, stats)) => {
                    piece.matched |= matched;
                    piece.stats += stats;
                }
                // The file was deleted since the walk.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => piece.unread.push(Unread { path: path.clone(), error: error.to_string() }),
            }
            let printed = self.printer.screen();
            match (piece.bytes.is_empty(), printed.bytes().is_empty()) {
                (_, true) => {}
                (true, false) if printed.len() >= PIECE_BYTES => {
                    piece.bytes = printed.replace(Screen::new(&self.print.options));
                }
                (is_first, false) => {
                    if !is_first {
                        piece.bytes.extend_from_slice(&self.print.separator());
                    }
                    piece.bytes.extend_from_slice(printed.bytes());
                    printed.clear();
                }
            }
            if piece.bytes.len() >= PIECE_BYTES && !pass(std::mem::take(&mut piece)) {
                return false;
            }
        }
        pass(PrintedBatch { is_last: true, ..piece })
    }

    /// Searches a file. Returns whether the file matched, and ripgrep's statistics.
    fn search(&mut self, path: &RelPath) -> io::Result<(bool, Stats)> {
        let PrintWorker { print, matcher, searcher, named, builder, printer, whole, passed } = self;
        let searcher = if print.named.contains(path) { named } else { searcher };
        let Print { max_count, context, within, .. } = **print;
        let matcher = &*matcher;
        let mut content = whole.open(print.source_tree, path)?;
        // The byte offsets of the lines that may be printed, if not all lines may.
        let places = within.map(|within| {
            let lines = within.get(path).map(Vec::as_slice).unwrap_or_default();
            within::places(builder, matcher, &mut content, lines, max_count, context)
        });
        let places = places.transpose()?;
        // Counts and paths show no content.
        let masks = print.masks && !matches!(printer, Printer::Summary(_));
        let bytes = content.bytes();
        let covered = Covered::new(masks, print.source_tree, path, bytes);
        let mut search = FileSearch { searcher, covered: &covered, places: places.as_ref(), passed };
        let plain = PlainFile { matcher, content: &mut content };
        // A path must not continue on another line of the terminal. Events escape paths themselves.
        let is_quoted = print.options.terminal && print.options.form != OutputFormat::Events;
        let shown = print.options.base.shown(path.as_str());
        let shown = if is_quoted { clean::path(&shown) } else { shown };
        if let Some(found) = search.print(printer, &shown, plain)? {
            return Ok(found);
        }
        // A line contains a secret, so the file is searched again with masks.
        printer.screen().clear();
        let file = covered.masked()?;
        let mut search =
            FileSearch { covered: &Covered::new(false, print.source_tree, path, bytes), ..search };
        let found = search.print(printer, &shown, MaskedFile { matcher, file: &file })?;
        Ok(found.unwrap_or_default())
    }
}

/// One search of a file.
struct FileSearch<'o> {
    searcher: &'o mut Searcher,
    covered: &'o Covered<'o>,
    places: Option<&'o FxHashSet<u64>>,
    passed: &'o PassedLines,
}

impl FileSearch<'_> {
    /// Searches and prints. Returns whether the file matched, and ripgrep's statistics; `None` if a line
    /// contains a secret; what was printed must then be discarded.
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
                let passed = self.search(&mut searched, &mut sink)?;
                Ok(passed.then(|| (sink.has_match(), sink.stats().cloned().unwrap_or_default())))
            }
            Printer::Summary(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                let passed = self.search(&mut searched, &mut sink)?;
                Ok(passed.then(|| (sink.has_match(), sink.stats().cloned().unwrap_or_default())))
            }
            Printer::Events(printer) => {
                let mut sink = printer.sink_with_path(matcher, path);
                let passed = self.search(&mut searched, &mut sink)?;
                Ok(passed.then(|| (sink.has_match(), sink.stats().clone())))
            }
        }
    }

    /// Searches, restricted to `places` if there are any. Returns whether no line contains a secret.
    fn search<S: Sink<Error = io::Error>>(
        &mut self,
        searched: &mut impl Searched,
        sink: &mut S,
    ) -> io::Result<bool> {
        let guard = SecretGuard { sink, covered: self.covered, passed: self.passed };
        let searched = match self.places {
            Some(places) => searched.search(self.searcher, PlaceFilter::new(guard, places.clone())),
            None => searched.search(self.searcher, guard),
        };
        // Lines that were passed on before an error may contain secrets too.
        if self.passed.end() { Ok(false) } else { searched.map(|()| true) }
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
