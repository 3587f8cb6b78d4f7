//! Lines within items: what a search for some kinds of item lets through.
//!
//! A file is looked through once to see which lines count; then only they, and the context near them, are passed on to
//! what prints. A line that matches elsewhere is not printed, not even as context.

use std::io;

use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch};
use rustc_hash::{FxHashMap, FxHashSet};

use super::whole::Content;
use crate::path::RelPath;
use crate::text::Lines;

/// The lines of each file that count; of a file without any none does.
pub type Within = FxHashMap<RelPath, Vec<Lines>>;

/// Whether a line is among some.
pub fn holds(lines: &[Lines], number: u32) -> bool {
    lines.iter().any(|lines| lines.first <= number && number <= lines.last)
}

/// The places in a file of the lines that may be passed on: those that match within `lines`, so many at most, and their
/// context.
pub fn places(
    builder: &SearcherBuilder,
    matcher: &RegexMatcher,
    file: &mut Content<'_>,
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

/// A line that the searcher gave.
struct Row {
    place: u64,
    number: u32,
    matches: bool,
}

/// Notes what there is.
struct Survey<'s> {
    lines: &'s [Lines],
    most: u64,
    rows: Vec<Row>,
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
            self.rows.push(Row { place, number, matches: true });
            place += line.len() as u64;
            number = number.saturating_add(1);
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        let number = super::scan::number(line.line_number());
        self.rows.push(Row { place: line.absolute_byte_offset(), number, matches: false });
        Ok(true)
    }
}

/// Passes on what stands at some places.
pub struct Gate<S> {
    /// What gets it.
    pub sink: S,
    /// The places.
    pub places: FxHashSet<u64>,
    /// Whether anything was passed on, and a gap has come since.
    pub gap: (bool, bool),
}

impl<S: Sink> Gate<S> {
    /// A gate before `sink`.
    pub fn new(sink: S, places: FxHashSet<u64>) -> Gate<S> {
        Gate { sink, places, gap: (false, false) }
    }

    fn pass(&mut self, searcher: &Searcher) -> Result<(), S::Error> {
        let (any, gap) = std::mem::replace(&mut self.gap, (true, false));
        if any && gap {
            self.sink.context_break(searcher)?;
        }
        Ok(())
    }
}

impl<S: Sink> Sink for Gate<S> {
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
        self.pass(searcher)?;
        self.sink.matched(searcher, found)
    }

    fn context(&mut self, searcher: &Searcher, line: &SinkContext<'_>) -> Result<bool, S::Error> {
        if !self.places.contains(&line.absolute_byte_offset()) {
            self.gap.1 = true;
            return Ok(true);
        }
        self.pass(searcher)?;
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
