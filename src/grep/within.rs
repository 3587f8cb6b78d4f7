//! Matching lines inside items, for a search that is restricted to kinds of items.
//!
//! The first search of a file determines the lines that count. The second search passes only these lines and their context
//! on to the printer. A matching line outside of the items is not printed, not even as context.

use std::io;

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use rustc_hash::{FxHashMap, FxHashSet};

use super::whole::OpenContent;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;

/// The line ranges of each file in which matches count. In a file without an entry, no match counts.
pub type Within = FxHashMap<RelPath, Vec<Lines>>;

/// Whether one of the ranges contains a line.
pub fn holds(lines: &[Lines], number: u32) -> bool {
    lines.iter().any(|lines| lines.first <= number && number <= lines.last)
}

/// The byte offsets of the lines to pass on: up to `most` lines that match within `lines`, and their context.
pub fn places(
    builder: &SearcherBuilder,
    matcher: &RegexMatcher,
    file: &mut OpenContent<'_>,
    lines: &[Lines],
    most: Option<u64>,
    (before, after): (u32, u32),
) -> io::Result<FxHashSet<u64>> {
    let mut survey = Survey { lines, most: most.unwrap_or(u64::MAX), rows: Vec::new(), counted: Vec::new() };
    let mut searcher = builder.clone().line_number(true).max_matches(None).build();
    file.search(&mut searcher, matcher, &mut survey)?;
    let Survey { rows, counted, .. } = survey;
    let is_near = |number: u32| {
        let from = counted.partition_point(|counted| counted.saturating_add(after) < number);
        counted.get(from).is_some_and(|counted| *counted <= number.saturating_add(before))
    };
    let wanted = rows.into_iter().filter(|row| match row.matches {
        true => counted.binary_search(&row.number).is_ok(),
        false => is_near(row.number),
    });
    Ok(wanted.map(|row| row.place).collect())
}

/// A line that the searcher reported.
struct SearchedLine {
    place: u64,
    number: u32,
    matches: bool,
}

/// Records the lines that the searcher reports.
struct Survey<'s> {
    lines: &'s [Lines],
    most: u64,
    rows: Vec<SearchedLine>,
    /// The lines that count, increasing.
    counted: Vec<u32>,
}

impl Sink for Survey<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let (mut place, mut number) =
            (found.absolute_byte_offset(), super::scan::number(found.line_number()));
        for line in found.lines() {
            if holds(self.lines, number) && (self.counted.len() as u64) < self.most {
                self.counted.push(number);
            }
            self.rows.push(SearchedLine { place, number, matches: true });
            place += line.len() as u64;
            number = number.saturating_add(1);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let number = super::scan::number(line.line_number());
        self.rows.push(SearchedLine { place: line.absolute_byte_offset(), number, matches: false });
        Ok(true)
    }
}

/// Passes on the lines at some byte offsets.
pub(crate) struct PlaceFilter<S> {
    /// Receives the lines.
    pub sink: S,
    /// The byte offsets of the lines to pass on.
    pub places: FxHashSet<u64>,
    /// Whether a line was passed on, and whether a line was left out since.
    pub gap: (bool, bool),
}

impl<S: Sink> PlaceFilter<S> {
    /// A filter in front of `sink`.
    pub fn new(sink: S, places: FxHashSet<u64>) -> PlaceFilter<S> {
        PlaceFilter { sink, places, gap: (false, false) }
    }

    /// Reports a context break if lines were left out since the last line that was passed on.
    fn break_after_gap(&mut self, searcher: &Searcher) -> Result<(), S::Error> {
        let (has_passed, gap) = std::mem::replace(&mut self.gap, (true, false));
        if has_passed && gap {
            self.sink.context_break(searcher)?;
        }
        Ok(())
    }
}

impl<S: Sink> Sink for PlaceFilter<S> {
    type Error = S::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, S::Error> {
        let mut place = found.absolute_byte_offset();
        let passes = found.lines().any(|line| {
            let passes = self.places.contains(&place);
            place += line.len() as u64;
            passes
        });
        if !passes {
            self.gap.1 = true;
            return Ok(true);
        }
        self.break_after_gap(searcher)?;
        self.sink.matched(searcher, found)
    }

    fn context(&mut self, searcher: &Searcher, line: &SinkContext<'_>) -> Result<bool, S::Error> {
        if !self.places.contains(&line.absolute_byte_offset()) {
            self.gap.1 = true;
            return Ok(true);
        }
        self.break_after_gap(searcher)?;
        self.sink.context(searcher, line)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, S::Error> {
        self.gap.1 = true;
        Ok(true)
    }

    fn binary_data(&mut self, searcher: &Searcher, offset: u64) -> Result<bool, S::Error> {
        self.sink.binary_data(searcher, offset)
    }

    fn begin(&mut self, searcher: &Searcher) -> Result<bool, S::Error> {
        self.sink.begin(searcher)
    }

    fn finish(&mut self, searcher: &Searcher, finish: &SinkFinish) -> Result<(), S::Error> {
        self.sink.finish(searcher, finish)
    }
}
