//! The scan: files on threads, lines by ripgrep's searcher, counts cut at the cap.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkMatch};

use super::Pattern;
use super::cover::Covered;
use super::line::{Block, context, shown};
use super::whole::Whole;
use super::within::{Within, holds};
use crate::cores::{cores, spread};
use crate::path::RelPath;
use crate::read::Ground;
use crate::text::{Lines, Span};

/// What is scanned, and how much of it is shown.
pub struct Scan<'s> {
    /// The tree.
    pub ground: &'s Ground,
    /// The files, in the order of the answer.
    pub files: &'s [RelPath],
    /// Whether a file may answer; asked on the threads, because it may have to read the file.
    pub takes: &'s (dyn Fn(&RelPath) -> bool + Sync),
    /// What is looked for.
    pub pattern: &'s Pattern,
    /// Only lines behind this line of the file at this place are shown; all are counted.
    pub after: Option<(usize, u32)>,
    /// The lines that count; `None` for all.
    pub within: Option<&'s Within>,
    /// How many lines are shown.
    pub page: usize,
    /// Lines of context before and after each.
    pub context: (u32, u32),
    /// How many lines a file may give.
    pub max_count: Option<u64>,
    /// Whether secrets are masked in what is shown.
    pub masks: bool,
    /// Threads; `None` for one a core.
    pub threads: Option<usize>,
}

/// What a scan found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The lines that are shown.
    pub lines: Vec<Line>,
    /// Whether there are counted lines behind them.
    pub more: bool,
    /// Lines that match.
    pub total_lines: usize,
    /// Files that hold them.
    pub total_files: usize,
    /// Each of these, by its place among the files, and how many lines it has.
    pub by_file: Vec<(usize, usize)>,
    /// Files that could not be read to their end.
    pub unread: Vec<Unread>,
}

/// A line that matches.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// The file.
    pub path: RelPath,
    /// The line, from 1.
    pub number: u32,
    /// Where the first match begins, from 1.
    pub column: u32,
    /// Its text, or a part of it.
    pub text: String,
    /// The matches in the text.
    pub highlights: Vec<Span>,
    /// Whether the text is a part.
    pub cut: bool,
    /// Context before: number and text.
    pub before: Vec<(u32, String)>,
    /// Context after.
    pub after: Vec<(u32, String)>,
}

/// A file that could not be read to its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Unread {
    /// Which one.
    pub path: RelPath,
    /// What the system said.
    pub error: String,
}

/// Scans.
pub fn scan(scan: &Scan<'_>) -> Found {
    let (next, kept) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        let mut searchers = Searchers::new(scan);
        let mut results: Vec<(usize, InFile)> = Vec::new();
        loop {
            // What is kept now is from files before this one.
            let room = scan.page.saturating_sub(kept.load(Ordering::SeqCst));
            let place = next.fetch_add(1, Ordering::SeqCst);
            let Some(path) = scan.files.get(place) else { break };
            let found = scan.file(place, path, room, &mut searchers);
            kept.fetch_add(found.lines.len(), Ordering::SeqCst);
            if found.count > 0 || found.unread.is_some() {
                results.push((place, found));
            }
        }
        results
    };
    let threads = scan.threads.unwrap_or_else(default_threads).min(scan.files.len()).max(1);
    let mut results: Vec<(usize, InFile)> = spread(threads, work).into_iter().flatten().collect();
    results.sort_unstable_by_key(|(place, _)| *place);
    scan.merged(results)
}

pub(super) fn default_threads() -> usize {
    cores().min(16)
}

/// What one file gave.
#[derive(Default)]
struct InFile {
    /// Lines that match.
    count: usize,
    /// How many of them stand at or before the place behind which the page begins.
    passed: usize,
    /// Those that may be shown: the first behind that place.
    lines: Vec<Line>,
    unread: Option<Unread>,
}

impl Scan<'_> {
    fn file(&self, place: usize, path: &RelPath, room: usize, searchers: &mut Searchers) -> InFile {
        // Everything that stands at or before this line was shown.
        let shown = match self.after {
            Some((last, _)) if place < last => u32::MAX,
            Some((last, line)) if place == last => line,
            _ => 0,
        };
        let within = match self.within.map(|within| within.get(path)) {
            Some(None) => return InFile::default(),
            Some(Some(lines)) => Some(&lines[..]),
            None => None,
        };
        if !(self.takes)(path) {
            return InFile::default();
        }
        let unread = |error: io::Error| Some(Unread { path: path.clone(), error: error.to_string() });
        let room = if shown == u32::MAX { 0 } else { room };
        let mut content = match searchers.whole.open(self.ground, path) {
            Ok(content) => content,
            // One that went away since the walk is not there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return InFile::default(),
            Err(error) => return InFile { unread: unread(error), ..InFile::default() },
        };
        let mut gather = Gather {
            scan: self,
            covered: Covered::new(self.masks, self.ground, path, content.bytes()),
            path,
            within,
            shown,
            room,
            is_open: false,
            pending: Vec::new(),
            found: InFile::default(),
        };
        // Counting alone needs no numbers of lines and no context.
        let counts_only = room == 0 && (shown == 0 || shown == u32::MAX) && within.is_none();
        let searcher = if counts_only { &mut searchers.count } else { &mut searchers.show };
        let result = content.search(searcher, &self.pattern.matcher, &mut gather);
        let mut found = gather.found;
        found.unread = result.err().and_then(unread);
        found
    }

    /// Counts and lines in the order of the paths.
    fn merged(&self, results: Vec<(usize, InFile)>) -> Found {
        let mut found = Found::default();
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

/// A thread's searchers: their buffers are reused from file to file.
struct Searchers {
    count: Searcher,
    show: Searcher,
    whole: Whole,
}

impl Searchers {
    fn new(scan: &Scan<'_>) -> Searchers {
        let builder = |line_numbers: bool| {
            let mut builder = super::searcher(scan.pattern);
            // Lines that do not count must not end the search.
            let most = scan.max_count.filter(|_| scan.within.is_none());
            builder.line_number(line_numbers).max_matches(most);
            builder
        };
        let (before, after) = scan.context;
        Searchers {
            count: builder(false).build(),
            show: builder(true).before_context(before as usize).after_context(after as usize).build(),
            whole: Whole::default(),
        }
    }
}

/// Takes the lines of a file from the searcher.
struct Gather<'g> {
    scan: &'g Scan<'g>,
    covered: Covered<'g>,
    path: &'g RelPath,
    /// The lines that count; `None` for all.
    within: Option<&'g [Lines]>,
    /// Lines up to this one are counted only.
    shown: u32,
    /// How many lines may be kept.
    room: usize,
    /// Whether the last line that matched was kept, so that what follows is its context.
    is_open: bool,
    /// Context that belongs before the next line that matches.
    pending: Vec<(u32, String)>,
    found: InFile,
}

impl Gather<'_> {
    fn line(&mut self, line: &[u8], (number, at): (u32, u64), block: Block<'_>) {
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

impl Sink for Gather<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let mut number = number(found.line_number());
        let mut start = 0;
        for line in found.lines() {
            let at = found.absolute_byte_offset() + start as u64;
            self.line(line, (number, at), Block { bytes: found.bytes(), start });
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
        // Where some lines do not count, what stands behind one of them may stand before one that does.
        let by_items = self.within.is_some();
        let is_after = |last: u32| match by_items {
            true => number <= last.saturating_add(self.scan.context.1),
            false => !is_before,
        };
        let row = || {
            let masked = self.covered.line(line.bytes(), line.absolute_byte_offset());
            (number, context(masked.as_deref().unwrap_or(line.bytes())))
        };
        match last {
            Some(last) if is_after(last.number) => last.after.push(row()),
            _ if (is_before || by_items) && !is_full => self.pending.push(row()),
            _ => {}
        }
        Ok(true)
    }
}

pub(super) fn number(line: Option<u64>) -> u32 {
    line.and_then(|line| u32::try_from(line).ok()).unwrap_or(u32::MAX)
}
