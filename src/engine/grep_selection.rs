//! Selection and order in an exact search: lines inside items of some kinds, and files by relevance.

use rustc_hash::{FxHashMap, FxHashSet};

use super::answer::AnswerContext;
use super::api::*;
use super::core::Engine;
use super::items::{FileItem, ItemSources, PART_KINDS};
use super::open_index::{Recorded, Viewed};
use super::scope::ExactScope;
use super::{current, exhaustive, items, scope};
use crate::error::Error;
use spyhop_base::model::KindSet;
use spyhop_base::path::RelPath;
use spyhop_files::read::TreeSource;
use spyhop_grep::{LineScan, NarrowPlan, Pattern, Reading, Wanted, Within, scan};
use spyhop_search::filter::Filter;

/// The selection among the matching files and lines.
#[derive(Default)]
pub(super) struct Chosen {
    /// The selected files in order; `None` for all files of the scope.
    pub files: Option<Vec<RelPath>>,
    /// The lines that may match; `None` for all.
    pub within: Option<Within>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// Whether a request selects among the matching files and lines.
pub(super) fn chooses(request: &GrepRequest, filter: &Filter) -> bool {
    request.rank || filter.kinds().is_some()
}

/// The words of a pattern by which files are ranked.
pub(crate) fn ranking_words(request: &GrepRequest, wanted: &Wanted) -> String {
    match request.fixed {
        true => request.pattern.clone(),
        false => NarrowPlan::new(wanted).words().join(" "),
    }
}

/// The warning about a pattern without such words.
pub(crate) const NO_WORDS: &str =
    "the pattern holds no words to rank by; the lines are in the order of their paths";

/// The selection of a request among the files of its scope. `ordered` are the files in an order that other trees led to as well.
pub(super) fn chosen(
    engine: &Engine,
    request: &GrepRequest,
    scope: &ExactScope,
    (filter, ordered): (&Filter, Option<&[RelPath]>),
    (pattern, wanted): (&Pattern, &Wanted),
) -> Result<Chosen, Error> {
    let mut chosen = Chosen::default();
    if !chooses(request, filter) {
        return Ok(chosen);
    }
    let reading = Reading { zip: request.files.search_zip, as_mapped: request.files.as_mapped };
    let matched = match ordered {
        Some(files) => files.iter().map(|path| (path.clone(), 0)).collect(),
        None => counted(engine, scope, filter, pattern, reading),
    };
    if let Some(kinds) = filter.kinds() {
        let recorded = scope.recorded.as_ref().map(Recorded::viewed);
        let paths = matched.iter().map(|(path, _)| path);
        chosen.within = Some(within(engine, recorded, &scope.source_tree, paths, kinds)?);
    }
    if let Some(files) = ordered {
        chosen.files = Some(files.to_vec());
    } else if request.rank {
        let (files, warnings) = by_relevance(engine, matched, &ranking_words(request, wanted))?;
        (chosen.files, chosen.warnings) = (Some(files), warnings);
    }
    Ok(chosen)
}

/// The number of matching lines of each file of `scope` with any, sorted by path. Unreadable files are included
/// with 0.
pub(super) fn counted(
    engine: &Engine,
    scope: &ExactScope,
    filter: &Filter,
    pattern: &Pattern,
    reading: Reading,
) -> Vec<(RelPath, usize)> {
    let ExactScope { files, source_tree, .. } = scope;
    let takes = scope::takes(engine, filter, source_tree);
    let counting = exhaustive::counting(source_tree, files, pattern, engine.options().threads);
    let found = scan(&LineScan { takes: &takes, reading, ..counting });
    // The pass that reads the lines reports unreadable files.
    let unread = found.unread.into_iter().map(|unread| (unread.path, 0));
    let matched = found.by_file.into_iter().map(|(place, count)| (files[place].clone(), count));
    let mut all: Vec<(RelPath, usize)> = matched.chain(unread).collect();
    all.sort_unstable();
    all.dedup_by(|next, first| {
        next.0 == first.0 && {
            first.1 = first.1.max(next.1);
            true
        }
    });
    all
}

/// The lines of `files` inside items of `kinds`.
fn within<'f>(
    engine: &Engine,
    viewed: Option<Viewed<'_>>,
    source_tree: &TreeSource,
    files: impl Iterator<Item = &'f RelPath>,
    kinds: KindSet,
) -> Result<Within, Error> {
    let by_outline = !PART_KINDS.iter().any(|kind| kinds.contains(*kind));
    let most_parsed = usize::MAX;
    let sources = ItemSources { viewed, source_tree, by_outline, with_minor: true, most_parsed };
    let take = |item: FileItem<'_>| kinds.contains(item.kind).then_some(item.lines);
    let mut within: Within = items::items(engine, &sources, files, &take)?;
    within.retain(|_, lines| !lines.is_empty());
    Ok(within)
}

/// The matching files, the most relevant first, and warnings for the caller. Unranked files come last, by path.
fn by_relevance(
    engine: &Engine,
    matched: Vec<(RelPath, usize)>,
    words: &str,
) -> Result<(Vec<RelPath>, Vec<String>), Error> {
    let paths = |matched: Vec<(RelPath, usize)>| matched.into_iter().map(|(path, _)| path);
    let Ok(query) = engine.parsers().query(words) else {
        return Ok((paths(matched).collect(), vec![NO_WORDS.to_string()]));
    };
    let request = SearchRequest { per_file: 1, ..SearchRequest::new(query.text.as_str()) };
    let (mut order, warnings) = current::with_snapshot(engine, &|_| (), |snapshot, freshness| {
        let numbers: FxHashMap<&str, u32> =
            (0..snapshot.n_files() as u32).map(|file| (snapshot.path(file), file)).collect();
        let known = matched.iter().filter_map(|(path, lines)| {
            Some((*numbers.get(path.as_str())?, u32::try_from(*lines).unwrap_or(u32::MAX)))
        });
        let counted =
            spyhop_search::ExhaustivePass { candidates: Vec::new(), lines: known.collect(), complete: true };
        let wanted: FxHashSet<u32> = counted.lines.iter().map(|(file, _)| *file).collect();
        let filter = Filter::default();
        let ranked = AnswerContext::new(engine, snapshot, &filter, (&request, &ActivitySource::Ignored))?
            .ranked_of(&query, &counted)?;
        let files = ranked.into_iter().filter(|file| wanted.contains(file));
        let order = files.map(|file| RelPath::new(snapshot.path(file))).collect::<Result<Vec<_>, _>>()?;
        Ok((order, freshness.warnings))
    })?;
    let ranked: FxHashSet<RelPath> = order.iter().cloned().collect();
    order.extend(paths(matched).filter(|path| !ranked.contains(path)));
    Ok((order, warnings))
}
