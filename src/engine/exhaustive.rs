//! The exact search for a query as written. It replaces the literal pass, which has a budget.

use rustc_hash::{FxHashMap, FxHashSet};

use super::api::GrepFiles;
use super::core::Engine;
use super::open_index::Viewed;
use super::scope::{self, BeyondIndex};
use crate::error::Error;
use spyhop_base::id::VersionId;
use spyhop_base::path::RelPath;
use spyhop_files::read::TreeSource;
use spyhop_grep::{Line, LineScan, NarrowPlan, Pattern, Reading, Wanted};
use spyhop_index::inverted;
use spyhop_search::SearchSnapshot;
use spyhop_search::filter::Filter;

/// The files that contain a query as written.
#[derive(Default)]
pub(crate) struct ExhaustiveMatches {
    /// The result for ranking.
    pub known: spyhop_search::ExhaustivePass,
    /// The unranked files, sorted by path.
    pub unranked: Vec<UnrankedFile>,
}

/// A file that is not ranked.
pub(crate) struct UnrankedFile {
    /// The number of its tree among those of the answer.
    pub member: usize,
    /// The number of lines that contain the query.
    pub lines: u32,
    /// The first of these lines.
    pub first: Line,
}

impl ExhaustiveMatches {
    /// Adds the matches of one more tree, whose files have numbers from `first_file` in the joined snapshot. `member` is
    /// the number of the tree; the first tree is added to an empty value.
    pub fn add(&mut self, own: ExhaustiveMatches, member: usize, first_file: u32) {
        let spyhop_search::ExhaustivePass { candidates, lines, complete } = own.known;
        self.known.candidates.extend(candidates.into_iter().map(|file| first_file + file));
        self.known.lines.extend(lines.into_iter().map(|(file, lines)| (first_file + file, lines)));
        self.known.complete = complete && (member == 0 || self.known.complete);
        self.unranked.extend(own.unranked.into_iter().map(|file| UnrankedFile { member, ..file }));
    }
}

/// Searches for `text` in all files that an exact search reads, and selects the indexed files that may contain it
/// after decoding. With `masks`, secrets in lines are masked.
pub(super) fn exhaustive(
    engine: &Engine,
    snapshot: &SearchSnapshot,
    filter: &Filter,
    text: &str,
    masks: bool,
) -> Result<ExhaustiveMatches, Error> {
    let wanted = Wanted { fixed: true, multi_line: text.contains('\n'), ..Wanted::new(text) };
    let (pattern, plan) = (Pattern::new(&wanted)?, NarrowPlan::new(&wanted));
    let candidates = match narrowed(Viewed::from_snapshot(snapshot), &plan) {
        Some(versions) => versions.into_iter().filter_map(|version| snapshot.file_of(version)).collect(),
        None => (0..snapshot.n_files() as u32).collect(),
    };
    let scope =
        scope::scope(engine, filter, &plan, &BeyondIndex { binary: false, files: &GrepFiles::default() })?;
    let takes = scope::takes(engine, filter, &scope.source_tree);
    let scan = |files: &[RelPath], page: usize, max_count: Option<u64>| {
        let counting = counting(&scope.source_tree, files, &pattern, engine.options().threads);
        spyhop_grep::scan(&LineScan { takes: &takes, page, max_count, masks, ..counting })
    };
    let found = scan(&scope.files, 0, None);
    super::cancel::check()?;
    let numbers = 0..snapshot.n_files() as u32;
    let ranked: FxHashMap<&str, u32> = numbers.map(|file| (snapshot.path(file), file)).collect();
    let (mut lines, mut others, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for (place, count) in found.by_file {
        let path = &scope.files[place];
        match ranked.get(path.as_str()) {
            Some(file) => lines.push((*file, count as u32)),
            None => {
                others.push(path.clone());
                counts.push(count as u32);
            }
        }
    }
    // Files that were deleted meanwhile are not shown.
    let firsts = scan(&others, others.len(), Some(1)).lines;
    let counts: FxHashMap<&RelPath, u32> = others.iter().zip(counts).collect();
    let unranked = firsts
        .into_iter()
        .map(|first| UnrankedFile { member: 0, lines: counts[&first.path], first })
        .collect();
    let complete = scope.incomplete(&found.unread).is_none();
    Ok(ExhaustiveMatches { known: spyhop_search::ExhaustivePass { candidates, lines, complete }, unranked })
}

/// The first line of the present file that contains `text`; `None` if no line does or the file cannot be read.
pub(super) fn first_line(
    source_tree: &TreeSource,
    path: &RelPath,
    text: &str,
    masks: bool,
) -> Result<Option<Line>, Error> {
    let wanted = Wanted { fixed: true, multi_line: text.contains('\n'), ..Wanted::new(text) };
    let pattern = Pattern::new(&wanted)?;
    let counting = counting(source_tree, std::slice::from_ref(path), &pattern, Some(1));
    let found = spyhop_grep::scan(&LineScan { page: 1, max_count: Some(1), masks, ..counting });
    Ok(found.lines.into_iter().next())
}

/// The files of a view whose present content contains each of `texts`.
pub(super) fn files_with_all(
    engine: &Engine,
    viewed: Viewed<'_>,
    filter: &Filter,
    texts: &[String],
) -> Result<FxHashSet<String>, Error> {
    let mut plans = Vec::new();
    let mut patterns = Vec::new();
    for text in texts {
        let wanted = Wanted { fixed: true, multi_line: true, ..Wanted::new(text) };
        patterns.push(Pattern::new(&wanted)?);
        plans.push(NarrowPlan::new(&wanted));
    }
    let source_tree = engine.tree().source_of(viewed)?;
    let mut files = viewed.files(filter, narrowed(viewed, &NarrowPlan::And(plans)));
    for pattern in &patterns {
        let counting = counting(&source_tree, &files, pattern, engine.options().threads);
        let found = spyhop_grep::scan(&LineScan { page: usize::MAX, max_count: Some(1), ..counting });
        files = found.lines.into_iter().map(|line| line.path).collect();
        files.dedup();
    }
    Ok(files.iter().map(|path| path.as_str().to_string()).collect())
}

/// The versions of a view that may match; `None` for all, including when the index cannot be read.
fn narrowed(viewed: Viewed<'_>, plan: &NarrowPlan) -> Option<Vec<VersionId>> {
    inverted::guarded(|| viewed.narrowed(plan)).unwrap_or_else(|error| {
        tracing::warn!(%error, "the index cannot tell which files may match; all are read");
        None
    })
}

/// A scan that counts the matching lines of all files and shows none.
pub(super) fn counting<'s>(
    source_tree: &'s TreeSource,
    files: &'s [RelPath],
    pattern: &'s Pattern,
    threads: Option<usize>,
) -> LineScan<'s> {
    LineScan {
        source_tree,
        files,
        takes: &|_| true,
        pattern,
        after: None,
        counts: true,
        within: None,
        page: 0,
        context: (0, 0),
        max_count: None,
        masks: false,
        threads,
        reading: Reading::default(),
    }
}
