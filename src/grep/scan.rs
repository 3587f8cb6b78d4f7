//! The scan: threads search the files with ripgrep's searcher, count the matching lines and keep a page of them.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};

use super::cover::Covered;
use super::line::{MatchBlock, context, shown};
use super::pattern::Pattern;
use super::whole::{Reading, Whole};
use super::within::{Within, holds};
use spyhop_base::cores::{cores, spread};
use spyhop_base::path::RelPath;
use spyhop_base::text::{Lines, Span};
use spyhop_files::read::TreeSource;

/// The files and the pattern of a scan, and how many lines are shown.
pub struct LineScan<'s> {
    pub source_tree: &'s TreeSource,
    /// The files, in the order of the answer.
    pub files: &'s [RelPath],
    /// Whether a file may be in the answer. The threads call this function, because it may read the file.
    pub takes: &'s (dyn Fn(&RelPath) -> bool + Sync),
    pub pattern: &'s Pattern,
    /// The page begins after this position: the index of a file and a line number.
    pub after: Option<(usize, u32)>,
    /// Whether all lines are counted, also those of other pages. Otherwise the files before the page are not read, and the
    /// scan ends when it knows whether a line follows the page.
    pub counts: bool,
    /// The line ranges in which matches count; `None` for all lines.
    pub within: Option<&'s Within>,
    /// The most lines that are shown.
    pub page: usize,
    /// The number of context lines before and after each line.
    pub context: (u32, u32),
    /// The most lines that are counted in a file.
    pub max_count: Option<u64>,
    /// Whether secrets are masked in the lines that are shown.
    pub masks: bool,
    /// The number of threads; `None` for one per core.
    pub threads: Option<usize>,
    /// How files are read.
    pub reading: Reading,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct ScanResult {
    /// The lines that are shown.
    pub lines: Vec<Line>,
    /// Whether there are matching lines after those that are shown.
    pub more: bool,
    /// The number of matching lines, of those that were searched.
    pub total_lines: usize,
    /// The number of files with matching lines, of those that were searched.
    pub total_files: usize,
    /// For each of these files, its index in the list of files and its number of matching lines.
    pub by_file: Vec<(usize, usize)>,
    /// The files that could not be read completely.
    pub unread: Vec<Unread>,
}

/// A line that matches.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    pub path: RelPath,
    /// The line number, from 1.
    pub number: u32,
    /// The byte of the line at which the first match begins, from 1.
    pub column: u32,
    /// The text of the line, or a part.
    pub text: String,
    pub highlights: Vec<Span>,
    /// Whether the text is truncated.
    pub cut: bool,
    /// The context before the line: numbers and texts.
    pub before: Vec<(u32, String)>,
    pub after: Vec<(u32, String)>,
}

/// A file that could not be read completely.
#[derive(Debug, PartialEq, Eq)]
pub struct Unread {
    pub path: RelPath,
    pub error: String,
}

/// Searches all files and returns the counts and a page of lines.
pub fn scan(scan: &LineScan<'_>) -> ScanResult {
    let first = scan.after.filter(|_| !scan.counts).map_or(0, |(file, _)| file);
    let (next, kept, met) = (AtomicUsize::new(first), AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut searchers = Searchers::new(scan);
        let mut results: Vec<(usize, FileResult)> = Vec::new();
        loop {
            // The lines that are kept so far come from earlier files.
            let room = scan.page.saturating_sub(kept.load(Ordering::SeqCst));
            // So do the lines that were met: every file before the next one has been taken, and is searched to its end.
            if !scan.counts && met.load(Ordering::SeqCst) > scan.page {
                break;
            }
            let place = next.fetch_add(1, Ordering::SeqCst);
            let Some(path) = scan.files.get(place) else { break };
            let found = scan.file(place, path, room, &mut searchers);
            kept.fetch_add(found.lines.len(), Ordering::SeqCst);
            met.fetch_add(found.count - found.passed, Ordering::SeqCst);
            if found.count > 0 || found.unread.is_some() {
                results.push((place, found));
            }
        }
        results
    };
    let threads = scan.threads.unwrap_or_else(default_threads).min(scan.files.len()).max(1);
    let mut results: Vec<(usize, FileResult)> = spread(threads, work).into_iter().flatten().collect();
    results.sort_unstable_by_key(|(place, _)| *place);
    scan.merged(results)
}

pub(super) fn default_threads() -> usize {
    cores().min(16)
}

/// The result of one file.
#[derive(Default)]
struct FileResult {
    /// The number of matching lines.
    count: usize,
    /// The number of matching lines at or before the position after which the page begins.
    passed: usize,
    /// The first matching lines after this position.
    lines: Vec<Line>,
    unread: Option<Unread>,
}

impl LineScan<'_> {
    fn file(&self, place: usize, path: &RelPath, room: usize, searchers: &mut Searchers) -> FileResult {
        // Lines up to this one were shown on earlier pages.
        let shown = match self.after {
            Some((last, _)) if place < last => u32::MAX,
            Some((last, line)) if place == last => line,
            _ => 0,
        };
        let within = match self.within.map(|within| within.get(path)) {
            Some(None) => return FileResult::default(),
            Some(Some(lines)) => Some(&lines[..]),
            None => None,
        };
        if !(self.takes)(path) {
            return FileResult::default();
        }
        let unread = |error: io::Error| Some(Unread { path: path.clone(), error: error.to_string() });
        let room = if shown == u32::MAX { 0 } else { room };
        let mut content = match searchers.whole.open(self.source_tree, path) {
            Ok(content) => content,
            // The file was deleted since the walk.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return FileResult::default(),
            Err(error) => return FileResult { unread: unread(error), ..FileResult::default() },
        };
        let mut collector = LineCollector {
            scan: self,
            covered: Covered::new(self.masks, self.source_tree, path, content.bytes()),
            path,
            within,
            shown,
            room,
            is_open: false,
            pending: Vec::new(),
            found: FileResult::default(),
        };
        // Counting needs no line numbers and no context.
        let counts_only = room == 0 && (shown == 0 || shown == u32::MAX) && within.is_none();
        let searcher = if counts_only { &mut searchers.count } else { &mut searchers.show };
        let result = content.search(searcher, &self.pattern.matcher, &mut collector);
        let mut found = collector.found;
        found.unread = result.err().and_then(unread);
        found
    }

    /// Merges the results of the files, in the order of the paths.
    fn merged(&self, results: Vec<(usize, FileResult)>) -> ScanResult {
        let mut found = ScanResult::default();
        let mut passed = 0;
        for (place, file) in results {
            found.unread.extend(file.unread);
            if file.count == 0 {
                continue;
            }
            passed += file.passed;
            let room = self.page - found.lines.len();
            found.lines.extend(file.lines.into_iter().take(room));
            found.total_lines += file.count;
            found.total_files += 1;
            found.by_file.push((place, file.count));
        }
        found.more = passed + found.lines.len() < found.total_lines;
        found
    }
}

/// The searchers of a thread, whose buffers are reused for each file.
struct Searchers {
    count: Searcher,
    show: Searcher,
    whole: Whole,
}

impl Searchers {
    fn new(scan: &LineScan<'_>) -> Searchers {
        let builder = |line_numbers: bool| {
            let mut builder = scan.pattern.searcher();
            // Matching lines that do not count must not end the search early.
            let most = scan.max_count.filter(|_| scan.within.is_none());
            builder.line_number(line_numbers).max_matches(most);
            builder
        };
        let (before, after) = scan.context;
        Searchers {
            count: builder(false).build(),
            show: builder(true).before_context(before as usize).after_context(after as usize).build(),
            whole: Whole::new(scan.reading, scan.pattern.is_encoded()),
        }
    }
}

/// Collects the lines of a file from the searcher.
struct LineCollector<'g> {
    scan: &'g LineScan<'g>,
    covered: Covered<'g>,
    path: &'g RelPath,
    /// The line ranges in which matches count; `None` for all lines.
    within: Option<&'g [Lines]>,
    /// Lines up to this one are only counted.
    shown: u32,
    /// The most lines that may be kept.
    room: usize,
    /// Whether the last matching line was kept, so that the next lines are its context.
    is_open: bool,
    /// The context before the next matching line.
    pending: Vec<(u32, String)>,
    found: FileResult,
}

impl LineCollector<'_> {
    fn add_line(&mut self, line: &[u8], (number, at): (u32, u64), block: MatchBlock<'_>) {
        if let Some(within) = self.within {
            let is_full = self.scan.max_count.is_some_and(|most| self.found.count as u64 >= most);
            if is_full || !holds(within, number) {
                return;
            }
        }
        self.found.count += 1;
        let mut before = std::mem::take(&mut self.pending);
        before.retain(|(line, _)| line.saturating_add(self.scan.context.0) >= number);
        self.found.passed += usize::from(number <= self.shown);
        self.is_open = number > self.shown && !self.is_full();
        if self.is_open {
            let masked = self.covered.line(line, at);
            let shown = shown(line, masked.as_deref(), &self.scan.pattern.matcher, block);
            self.found.lines.push(Line {
                path: self.path.clone(),
                number,
                column: shown.column,
                text: shown.text,
                highlights: shown.highlights,
                cut: shown.cut,
                before,
                after: Vec::new(),
            });
        }
    }

    fn is_full(&self) -> bool {
        self.found.lines.len() >= self.room
    }
}

impl Sink for LineCollector<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let mut number = number(found.line_number());
        let mut start = 0;
        for line in found.lines() {
            let at = found.absolute_byte_offset() + start as u64;
            self.add_line(line, (number, at), MatchBlock { bytes: found.bytes(), start });
            start += line.len();
            number = number.saturating_add(1);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let number = number(line.line_number());
        let is_before = matches!(line.kind(), SinkContextKind::Before);
        let is_full = self.is_full();
        let last = self.found.lines.last_mut().filter(|_| self.is_open);
        // The searcher attributes context to a matching line, even to a line that does not count. So context after such a
        // line may be context before a line that counts.
        let has_ranges = self.within.is_some();
        let is_after = |last: u32| match has_ranges {
            true => number <= last.saturating_add(self.scan.context.1),
            false => !is_before,
        };
        let row = || {
            let masked = self.covered.line(line.bytes(), line.absolute_byte_offset());
            (number, context(masked.as_deref().unwrap_or(line.bytes())))
        };
        match last {
            Some(last) if is_after(last.number) => last.after.push(row()),
            _ if (is_before || has_ranges) && !is_full => self.pending.push(row()),
            _ => {}
        }
        Ok(true)
    }
}

pub(super) fn number(line: Option<u64>) -> u32 {
    line.and_then(|line| u32::try_from(line).ok()).unwrap_or(u32::MAX)
}
