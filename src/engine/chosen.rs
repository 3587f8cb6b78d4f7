//! Selection and order in an exact search: lines inside items of some kinds, and files by relevance.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use super::Error;
use super::answer::AnswerContext;
use super::api::*;
use super::core::Engine;
use super::current::{Recorded, Viewed};
use super::lock::lock;
use super::scope::ExactScope;
use crate::analyze::{Analyzer, STACK_BYTES};
use crate::filter::Filter;
use crate::grep::{LineScan, NarrowPlan, Pattern, Reading, Wanted, Within, scan};
use crate::id::VersionId;
use crate::model::{KindSet, Note, SymbolKind};
use crate::path::RelPath;
use crate::query::Query;
use crate::read::{self, Limits, ReadOutcome, SourceTree};
use crate::search;
use crate::text::Lines;
use crate::update::Quarantine;
use crate::worker::{FileAnalyzer, Lost};

/// The kinds of the parts of a file that belong to no symbol.
const PART_KINDS: [SymbolKind; 3] = [SymbolKind::Doc, SymbolKind::Block, SymbolKind::Text];

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

impl Engine {
    /// The selection of a request among the files of its scope.
    pub(super) fn chosen(
        &self,
        request: &GrepRequest,
        scope: &ExactScope,
        filter: &Filter,
        pattern: &Pattern,
        wanted: &Wanted,
    ) -> Result<Chosen, Error> {
        let mut chosen = Chosen::default();
        if !request.rank && filter.kinds().is_none() {
            return Ok(chosen);
        }
        let reading = Reading { zip: request.files.search_zip, as_mapped: request.files.as_mapped };
        let matched = self.counted(scope, filter, pattern, reading);
        if let Some(kinds) = filter.kinds() {
            let recorded = scope.recorded.as_ref().map(Recorded::viewed);
            let paths = matched.iter().map(|(path, _)| path);
            chosen.within = Some(self.within(recorded, &scope.source_tree, paths, kinds)?);
        }
        if request.rank {
            let words = NarrowPlan::new(wanted).words().join(" ");
            let words = if request.fixed { &request.pattern } else { &words };
            let (files, warnings) = self.by_relevance(matched, words)?;
            (chosen.files, chosen.warnings) = (Some(files), warnings);
        }
        Ok(chosen)
    }

    /// The number of matching lines of each file of `scope` with any, sorted by path. Unreadable files are included
    /// with 0.
    fn counted(
        &self,
        scope: &ExactScope,
        filter: &Filter,
        pattern: &Pattern,
        reading: Reading,
    ) -> Vec<(RelPath, usize)> {
        let ExactScope { files, source_tree, .. } = scope;
        let found = scan(&LineScan {
            source_tree,
            files,
            takes: &self.takes(filter, source_tree),
            pattern,
            after: None,
            within: None,
            page: 0,
            context: (0, 0),
            max_count: None,
            masks: false,
            threads: self.options.threads,
            reading,
        });
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

    /// The lines of `files` inside items of `kinds`. They come from the index if a file is unchanged; otherwise the
    /// file is parsed.
    fn within<'f>(
        &self,
        viewed: Option<Viewed<'_>>,
        source_tree: &SourceTree,
        files: impl Iterator<Item = &'f RelPath>,
        kinds: KindSet,
    ) -> Result<Within, Error> {
        let recorded: FxHashMap<&str, VersionId> = viewed.map(versions_by_path).unwrap_or_default();
        // The index has only the outlines of files, so parts that belong to no symbol require parsing.
        let by_outline = !PART_KINDS.iter().any(|kind| kinds.contains(*kind));
        let known = |path: &RelPath| -> Option<Vec<Lines>> {
            let (viewed, version) = (viewed?, *recorded.get(path.as_str())?);
            let identity = viewed.view.identity(version)?;
            let is_same = match source_tree {
                SourceTree::Folder(root) | SourceTree::Followed(root) => {
                    identity.matches_stat(&path.below(root).metadata().ok()?)
                }
                SourceTree::Tree(tree) => identity.matches_blob(read::entry_of(&**tree, path).ok()?.id),
            };
            let is_known = by_outline && is_same;
            let version = viewed.meta().version(version).filter(|_| is_known)?;
            let mut names = Vec::new();
            let outline = version.outline(&mut names).ok().filter(|_| !version.content().is_path_only())?;
            let symbols = outline.symbols.iter().filter(|symbol| kinds.contains(symbol.kind));
            Some(symbols.map(|symbol| symbol.lines).collect())
        };
        let (mut within, mut others) = (Within::default(), Vec::new());
        for path in files {
            match known(path) {
                Some(lines) => _ = within.insert(path.clone(), lines),
                None => others.push(path),
            }
        }
        within.extend(self.cut_now(&others, source_tree, kinds)?);
        within.retain(|_, lines| !lines.is_empty());
        Ok(within)
    }

    /// Parses `files` and returns their lines inside items of `kinds`.
    fn cut_now(
        &self,
        files: &[&RelPath],
        source_tree: &SourceTree,
        kinds: KindSet,
    ) -> Result<Vec<(RelPath, Vec<Lines>)>, Error> {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let quarantine = self.updater(None)?.quarantine();
        let work = || {
            let mut analyzer = FileAnalyzer::new(&self.options.parsing, &self.grammars);
            while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let items = || self.items_of(&mut analyzer, &quarantine, (source_tree, *path), kinds);
                let lines = catch_unwind(AssertUnwindSafe(items));
                match lines {
                    Ok(lines) => lock(&found).push(((*path).clone(), lines)),
                    // A file on which this program panics has no items.
                    Err(_) => analyzer = FileAnalyzer::new(&self.options.parsing, &self.grammars),
                }
            }
        };
        let threads = self.options.threads.unwrap_or(2).min(files.len());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
                if let Err(error) = thread {
                    tracing::warn!(%error, "no thread to cut files with");
                }
            }
        });
        Ok(found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn items_of(
        &self,
        analyzer: &mut FileAnalyzer<'_>,
        quarantine: &Quarantine,
        (source_tree, path): (&SourceTree, &RelPath),
        kinds: KindSet,
    ) -> Vec<Lines> {
        let max_file_bytes = self.settings.max_file_bytes;
        let limits = Limits { max_file_bytes, skip_generated: false, skip_minified: false };
        let ReadOutcome::Source(source) = source_tree.read(path, &limits) else {
            return Vec::new();
        };
        let language = self.grammars.detect(path, &source.text);
        let by_lines = || Analyzer::by_lines(&self.grammars, language, &source.text, Note::Quarantined);
        let analysis = match quarantine.cause(source.hash) {
            Some(_) => by_lines(),
            None => analyzer.analyze(language, &source.text).unwrap_or_else(|Lost { cause }| {
                // Without an index, the quarantine cannot be written, and the next search parses the file again.
                if let Err(error) = quarantine.add(path, source.hash, cause) {
                    tracing::warn!(%error, "the quarantine could not be written");
                }
                by_lines()
            }),
        };
        let symbols = analysis.symbols.iter().map(|symbol| (symbol.kind, symbol.lines));
        let chunks = analysis.chunks.iter().map(|chunk| (chunk.kind, chunk.lines));
        let parts = chunks.filter(|(kind, _)| PART_KINDS.contains(kind));
        symbols.chain(parts).filter(|(kind, _)| kinds.contains(*kind)).map(|(_, lines)| lines).collect()
    }

    /// The matching files, the most relevant first, and warnings for the caller. Unranked files come last, by path.
    fn by_relevance(
        &self,
        matched: Vec<(RelPath, usize)>,
        words: &str,
    ) -> Result<(Vec<RelPath>, Vec<String>), Error> {
        let paths = |matched: Vec<(RelPath, usize)>| matched.into_iter().map(|(path, _)| path);
        let Ok(query) = Query::parse(words) else {
            let text = "the pattern holds no words to rank by; the lines are in the order of their paths";
            return Ok((paths(matched).collect(), vec![text.to_string()]));
        };
        let request =
            SearchRequest { per_file: 1, session: Recall::Off, ..SearchRequest::new(query.text.as_str()) };
        let (mut order, warnings) = self.answered(&|_| (), |snapshot, freshness| {
            let numbers: FxHashMap<&str, u32> =
                (0..snapshot.n_files() as u32).map(|file| (snapshot.path(file), file)).collect();
            let known = matched.iter().filter_map(|(path, lines)| {
                Some((*numbers.get(path.as_str())?, u32::try_from(*lines).unwrap_or(u32::MAX)))
            });
            let exhaustive =
                search::ExhaustivePass { candidates: Vec::new(), lines: known.collect(), complete: true };
            let wanted: FxHashSet<u32> = exhaustive.lines.iter().map(|(file, _)| *file).collect();
            let filter = Filter::default();
            let ranked =
                AnswerContext::new(self, snapshot, &filter, &request)?.ranked_of(&query, &exhaustive)?;
            let files = ranked.into_iter().filter(|file| wanted.contains(file));
            let order = files.map(|file| RelPath::new(snapshot.path(file))).collect::<Result<Vec<_>, _>>()?;
            Ok((order, freshness.warnings))
        })?;
        let ranked: FxHashSet<RelPath> = order.iter().cloned().collect();
        order.extend(paths(matched).filter(|path| !ranked.contains(path)));
        Ok((order, warnings))
    }
}

/// The versions of a view by their paths.
fn versions_by_path(viewed: Viewed<'_>) -> FxHashMap<&str, VersionId> {
    let versions = viewed.view.versions();
    versions.iter().filter_map(|id| Some((viewed.meta().version(*id)?.path(), *id))).collect()
}
