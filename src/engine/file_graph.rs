//! The graph of files by their imports, for people who look at the architecture of a tree.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::{Corpus, incomplete_of, of_source};
use super::current;
use super::lookup::{self, check_rows};
use super::open_index::Viewed;
use super::operation::Operation;
use super::origin::sums;
use super::source::ReplySources;
use super::{api, cancel};
use crate::error::Error;
use spyhop_base::cores::{cores, spread};
use spyhop_base::model::Analysis;
use spyhop_base::path::RelPath;
use spyhop_base::text::LineIndex;
use spyhop_graph::{Graph, GraphFiles, GraphLimits, cycles, has_imports};
use spyhop_search::filter::Filter;
use spyhop_search::{CurrentFile, SearchSnapshot, test_part};

/// The most files whose imports are read for one answer.
const MAX_FILES: usize = 50_000;

/// The number of files that a thread takes at a time.
const BATCH: usize = 32;

/// The imports between files, and the circles among them.
impl Operation for FileGraphRequest {
    const NAME: &'static str = "file_graph";

    type Reply = FileGraphReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<FileGraphReply, Error> {
        check_rows("max_results", self.max_results, MAX_ROWS)?;
        let mut whole = match corpus.alone() {
            Some(engine) => export_of_tree(engine, self, call)?,
            None => export_of_sources(corpus, self, call)?,
        };
        whole = answered(whole, self.max_results);
        whole.settle_sources();
        Ok(whole)
    }
}

/// The files of each tree, and the imports between them, tree by tree.
fn export_of_sources(
    corpus: &Corpus,
    request: &FileGraphRequest,
    call: &Call<'_>,
) -> Result<FileGraphReply, Error> {
    let export = FileGraphRequest { question: FileGraphQuestion::Export, ..request.clone() };
    let (answers, warnings) = corpus.each(|_, answers| answers.call(&export, call))?;
    let missing = (!warnings.is_empty()).then(|| corpus.missing(warnings.len()));
    let mut whole = FileGraphReply {
        question: request.question,
        files: Vec::new(),
        edges: Vec::new(),
        cycles: Vec::new(),
        total: 0,
        incomplete: missing,
        snapshot: Snapshot::default(),
        sources: Vec::new(),
        warnings,
    };
    for (member, reply) in answers {
        let (name, before) = (member.name(), whole.files.len());
        let named = |file| FileNode { source: Some(name.clone()), ..file };
        whole.files.extend(reply.files.into_iter().map(named));
        let moved = |edge: FileEdge| FileEdge::new(before + edge.from, before + edge.to, edge.line);
        whole.edges.extend(reply.edges.into_iter().map(moved));
        let incomplete = reply.incomplete.map(|why| incomplete_of(name, why));
        whole.incomplete = whole.incomplete.take().or(incomplete);
        whole.warnings.extend(reply.warnings.iter().map(|text| of_source(name, text)));
        whole.sources.push(member.snapshot(reply.snapshot));
    }
    whole.snapshot = sums(&whole.sources);
    Ok(whole)
}

/// The files of a graph: those that are shown, and those that only count as importers.
struct GraphedFiles {
    shown: Vec<u32>,
    others: Vec<u32>,
    /// The files that pass the filter and are left out.
    left_out: usize,
    /// The other files whose imports are not read.
    unread: usize,
}

impl GraphedFiles {
    fn new(
        engine: &Engine,
        snapshot: &SearchSnapshot,
        request: &FileGraphRequest,
        filter: &Filter,
    ) -> GraphedFiles {
        let importing = (0..snapshot.n_files() as u32)
            .filter(|file| has_imports(engine.grammars().name(snapshot.version(*file).language())));
        let (mut shown, mut others): (Vec<u32>, Vec<u32>) = importing.partition(|file| {
            let version = snapshot.version(*file);
            filter.takes_file(version.path(), version.language())
        });
        shown.sort_by_key(|file| snapshot.path(*file));
        let left_out = shown.len().saturating_sub(MAX_FILES);
        shown.truncate(MAX_FILES);
        // Circles are those among the shown files; the other questions count the importers of the whole tree.
        if shown.is_empty() || request.question == FileGraphQuestion::Cycles {
            others.clear();
        }
        let most = MAX_FILES - shown.len();
        let unread = others.len().saturating_sub(most);
        others.sort_by_key(|file| snapshot.path(*file));
        others.truncate(most);
        GraphedFiles { shown, others, left_out, unread }
    }

    /// Why the graph is not complete.
    fn incomplete(&self, engine: &Engine, snapshot: &SearchSnapshot, filter: &Filter) -> Option<Incomplete> {
        let partial = Viewed::from_snapshot(snapshot).building().map(|building| {
            let done = building.files.saturating_sub(building.text_only);
            IncompleteCause::Indexing.with(format!(
                "the index is being built: {done} of {} files have their structure",
                building.total_files
            ))
        });
        // Without any file whose imports are read, an empty graph says nothing.
        let unread = || {
            let mut files = (0..snapshot.n_files() as u32).map(|file| snapshot.version(file));
            let first = files.find(|version| {
                filter.takes_file(version.path(), version.language()) && version.symbols() > 0
            });
            let language = first
                .filter(|_| self.shown.is_empty())
                .map(|version| engine.grammars().name(version.language()));
            language.map(IncompleteCause::unread_imports)
        };
        match (self.left_out, self.unread) {
            (0, 0) => partial.or_else(unread),
            (0, files) => {
                let text =
                    format!("the imports of {files} more files are not read, so importers may be missing");
                Some(IncompleteCause::Limit.with(text))
            }
            (files, _) => {
                let text = format!("{files} more files are left out; choose a folder with --path");
                Some(IncompleteCause::Limit.with(text))
            }
        }
    }
}

/// The files of a tree that pass the filter, and the imports between them. The numbers of importers are those of the whole
/// tree.
fn export_of_tree(
    engine: &Engine,
    request: &FileGraphRequest,
    call: &Call<'_>,
) -> Result<FileGraphReply, Error> {
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let (snapshot, freshness) = current::ready(engine, call.progress())?;
    cancel::begin_answer()?;
    let graphed = GraphedFiles::new(engine, &snapshot, request, &filter);
    let n_shown = graphed.shown.len();
    let read = [&graphed.shown[..], &graphed.others].concat();
    let mut edges = import_edges(engine, &snapshot, &read, n_shown)?;
    let mut files: Vec<FileNode> = Vec::with_capacity(n_shown);
    for file in &graphed.shown {
        let version = snapshot.version(*file);
        files.push(FileNode {
            source: None,
            path: RelPath::new(version.path())?,
            language: engine.grammars().name(version.language()),
            imports: 0,
            importers: 0,
            is_test: test_part(version.path()).is_some(),
        });
    }
    // Several imports of one file count once.
    let mut counted = edges.clone();
    counted.dedup_by_key(|edge| (edge.from, edge.to));
    for edge in counted.iter().filter(|edge| edge.from != edge.to) {
        files.get_mut(edge.from).into_iter().for_each(|file| file.imports += 1);
        files.get_mut(edge.to).into_iter().for_each(|file| file.importers += 1);
    }
    edges.retain(|edge| edge.from < n_shown && edge.to < n_shown);
    Ok(FileGraphReply {
        question: request.question,
        files,
        edges,
        cycles: Vec::new(),
        total: 0,
        incomplete: graphed.incomplete(engine, &snapshot, &filter),
        snapshot: lookup::snapshot(engine.tree(), Some(Viewed::from_snapshot(&snapshot)), &freshness),
        sources: Vec::new(),
        warnings: freshness.warnings.clone(),
    })
}

/// The imports between files of which one at least is among the first `shown`, as places in `files`, sorted. Threads take
/// batches of files.
fn import_edges(
    engine: &Engine,
    snapshot: &SearchSnapshot,
    files: &[u32],
    shown: usize,
) -> Result<Vec<FileEdge>, Error> {
    let places: rustc_hash::FxHashMap<u32, usize> =
        files.iter().enumerate().map(|(place, file)| (*file, place)).collect();
    let tree = engine.tree().source_of(Viewed::from_snapshot(snapshot))?;
    let sources = ReplySources::new(tree, snapshot);
    let taken = AtomicUsize::new(0);
    let work = || {
        let texts = FileTexts { engine, snapshot, sources: &sources };
        let graph = Graph::new(snapshot, engine.grammars(), &texts, GraphLimits::of_work(usize::MAX));
        let mut found = Vec::new();
        loop {
            let begin = taken.fetch_add(BATCH, Ordering::Relaxed);
            let Some(batch) =
                files.get(begin..(begin + BATCH).min(files.len())).filter(|own| !own.is_empty())
            else {
                return found;
            };
            for (place, file) in (begin..).zip(batch) {
                let imports = graph.imports_of(*file);
                let is_asked = |file: &u32| places.get(file).is_some_and(|to| place < shown || *to < shown);
                let inside = imports.iter().filter(|import| import.files.iter().any(is_asked));
                let Some(text) = inside.clone().next().and_then(|_| texts.text(*file)) else { continue };
                let lines = LineIndex::new(&text);
                for import in inside {
                    let line = lines.line_of(import.start);
                    let to = import.files.iter().filter(|file| is_asked(file)).map(|file| &places[file]);
                    found.extend(to.map(|to| api::FileEdge::new(place, *to, line)));
                }
            }
        }
    };
    let mut edges: Vec<FileEdge> = spread(cores(), work).concat();
    cancel::check()?;
    edges.sort_unstable();
    edges.dedup();
    Ok(edges)
}

/// The reply with the files and imports that answer its question.
fn answered(mut reply: FileGraphReply, most: usize) -> FileGraphReply {
    match reply.question {
        FileGraphQuestion::Export => {
            reply.total = reply.files.len();
            return reply;
        }
        FileGraphQuestion::Cycles => {
            let mut groups = cycles(reply.files.len(), &reply.edges);
            reply.total = groups.len();
            groups.truncate(most);
            let (mut files, mut circles) = (Vec::new(), Vec::new());
            for group in &mut groups {
                let begin = files.len();
                circles.extend(circle(group, &reply.edges, begin));
                files.extend(group.iter().map(|place| reply.files[*place].clone()));
                *group = (begin..files.len()).collect();
            }
            (reply.files, reply.edges, reply.cycles) = (files, circles, groups);
            return reply;
        }
        FileGraphQuestion::Orphans => {
            reply.files.retain(|file| file.imports == 0 && file.importers == 0);
            reply.total = reply.files.len();
            reply.files.truncate(most);
        }
        FileGraphQuestion::Hubs => {
            reply.files.retain(|file| file.importers > 0);
            reply.files.sort_by(|a, b| {
                b.importers.cmp(&a.importers).then_with(|| (&a.source, &a.path).cmp(&(&b.source, &b.path)))
            });
            reply.total = reply.files.len();
            reply.files.truncate(most);
        }
    }
    reply.edges = Vec::new();
    reply
}

/// The imports of the circle that a group begins with, between the places from `begin` on. `edges` are sorted.
fn circle(group: &[usize], edges: &[FileEdge], begin: usize) -> Vec<FileEdge> {
    let line = |from: usize, to: usize| {
        let at = edges.partition_point(|edge| (edge.from, edge.to) < (from, to));
        edges.get(at).filter(|edge| (edge.from, edge.to) == (from, to)).map(|edge| edge.line)
    };
    let mut found = Vec::new();
    for (at, file) in group.iter().enumerate() {
        // No file of a shortest circle but the last imports its first.
        if let Some(line) = line(*file, group[0]) {
            found.push(FileEdge::new(begin + at, begin, line));
            break;
        }
        let next = group.get(at + 1).and_then(|next| line(*file, *next));
        found.extend(next.map(|line| FileEdge::new(begin + at, begin + at + 1, line)));
    }
    found
}

/// The texts of files, which are not kept: a tree may be large.
struct FileTexts<'t> {
    engine: &'t Engine,
    snapshot: &'t SearchSnapshot,
    sources: &'t ReplySources<'t>,
}

impl GraphFiles for FileTexts<'_> {
    fn text(&self, file: u32) -> Option<Arc<String>> {
        match self.sources.read(file, None, false) {
            CurrentFile::Text(text) => Some(text),
            CurrentFile::Changed | CurrentFile::Without => None,
        }
    }

    /// Each file is read once, so nothing is read ahead.
    fn prepare(&self, _: &[u32]) {}

    /// Imports are read from the text.
    fn analyze(&self, file: u32, text: &str) -> Analysis {
        let language = self.snapshot.version(file).language();
        self.engine.parsers().by_lines(language, text)
    }
}
