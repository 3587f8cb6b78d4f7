//! Why a file has its rank for a query, or no rank.

use std::path::PathBuf;

use super::answer::AnswerContext;
use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::member::{MemberTree, MemberTrees};
use super::operation::Operation;
use super::ranked_query::RankedQuery;
use super::read::{nearest, offered};
use super::remote::{RemoteMembers, RemoteRank};
use super::search_defaults::Threshold;
use super::{current, search, structure};
use crate::error::{Error, ErrorKind};
use spyhop_base::clean;
use spyhop_base::model::{Note, Skipped};
use spyhop_base::path::RelPath;
use spyhop_files::walk::{self, WalkOptions};
use spyhop_search::filter::Filter;
use spyhop_search::profile::{Profile, Signal};
use spyhop_search::query::Query;
use spyhop_search::{RankedFile, SearchSnapshot};

/// The rank of the file with which a file of a later rank is compared.
const COMPARED_RANK: usize = 10;

/// The smallest difference that is a gap, in log-odds, and the most gaps that are listed.
const MIN_GAP: f32 = 0.05;
const MAX_GAPS: usize = 6;

/// Why a file has its rank for a query, or has none. Errors: as a [`SearchRequest`].
impl Operation for WhyNotRequest {
    const NAME: &'static str = "why_not";

    type Reply = WhyNot;

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<WhyNot, Error> {
        let first = corpus.first_engine()?;
        let asked = search::check(first, std::slice::from_ref(&self.search.query), &self.search)?;
        let filter = Filter::new(&self.search.filter, first.grammars())?;
        let request = SearchRequest { per_file: 1, ..self.search.clone() };
        let query = &asked.parsed[0];
        if let Some(remote) = &corpus.remote {
            let told = why_not_of_remote(corpus, &**remote, (self, query), &request)?;
            return Ok(with_threshold(told, &Threshold::given(&request)));
        }
        let Some(engine) = corpus.alone() else {
            let told = why_not_in_sources(corpus, &self.path, query, &filter, &request)?;
            return Ok(with_threshold(told, &Threshold::given(&request)));
        };
        let path = RelPath::new(&self.path)?;
        engine.tree().check_served(&path)?;
        current::with_snapshot(engine, call.progress(), |snapshot, _| {
            let Some(file) = snapshot.file_at(path.as_str()) else {
                return Ok(without_file(engine, snapshot, &path));
            };
            let answer = AnswerContext::new(engine, snapshot, &filter, (&request, call.session()))?;
            let told = why_not(&answer, &filter, query, file)?;
            Ok(with_threshold(told, &Threshold::of(engine, &request)))
        })
    }
}

/// Why a file is not in the head of a ranking over remote members: the answer of one of them.
#[derive(Clone, Debug)]
pub(crate) struct OutsideHead {
    pub request: WhyNotRequest,
    /// The number of files of the head.
    pub n_head: usize,
}

impl Operation for OutsideHead {
    const NAME: &'static str = "outside_head";

    type Reply = WhyNot;

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<WhyNot, Error> {
        let WhyNotRequest { path, search } = &self.request;
        let (path, first) = (RelPath::new(path)?, corpus.first_engine()?);
        let asked = search::check(first, std::slice::from_ref(&search.query), search)?;
        let filter = Filter::new(&search.filter, first.grammars())?;
        corpus.with_snapshot(call, |members, snapshot| {
            let trees = MemberTrees::joined(&members.ready, snapshot)?;
            trees.all().iter().try_for_each(|tree| tree.engine.tree().check_served(&path))?;
            let number =
                |tree: &MemberTree<'_>| Some(tree.first_file + tree.snapshot.file_at(path.as_str())?);
            let Some(file) = trees.all().iter().find_map(number) else {
                return best_of(
                    trees.all().iter().map(|tree| without_file(tree.engine, tree.snapshot, &path)),
                )
                .ok_or_else(|| {
                    Error::new(ErrorKind::NotFound, format!("no tree of this shard answers for '{path}'"))
                });
            };
            let answer = AnswerContext::joined(trees, snapshot, &filter, search);
            match filtered(&answer, &filter, file)? {
                Some(told) => Ok(told),
                None => outside(&answer, &filter, &asked.parsed[0], (file, self.n_head)),
            }
        })
    }
}

/// Explains the rank of a file among the files of remote members.
fn why_not_of_remote(
    corpus: &Corpus,
    remote: &dyn RemoteMembers,
    (asked, query): (&WhyNotRequest, &Query),
    request: &SearchRequest,
) -> Result<WhyNot, Error> {
    let (only, path) = corpus.addressed(&asked.path);
    let path = RelPath::new(path)?;
    let RemoteRank { files, place, hit } = remote.rank_of(query, request, &path)?;
    if let Some(place) = place {
        return Ok(ranked(&path, (&files, place), hit));
    }
    let search = request.clone();
    let outside = OutsideHead { request: WhyNotRequest::new(path.as_str(), search), n_head: files.len() };
    let (answers, _) =
        corpus.each(|member, answers| match only.is_none_or(|only| only == member.name()) {
            true => answers.ask(&outside).map(Some),
            false => Ok(None),
        })?;
    let told = best_of(answers.into_iter().filter_map(|(_, told)| told));
    told.ok_or_else(|| Error::new(ErrorKind::NotFound, format!("no shard that answers has '{path}'")))
}

/// The answer that says the most: a tree that leaves the file out says more than one without such a file.
fn best_of(answers: impl Iterator<Item = WhyNot>) -> Option<WhyNot> {
    answers.min_by_key(|answer| (answer.verdict == Verdict::NoSuchFile, answer.nearest.is_empty()))
}

/// Explains the rank of a file among the files of several trees. A path that begins with the name of a source and `:`, as in
/// `client:src/lib.rs`, is of that source; a path that several trees have needs the name.
fn why_not_in_sources(
    corpus: &Corpus,
    typed: &str,
    query: &Query,
    filter: &Filter,
    request: &SearchRequest,
) -> Result<WhyNot, Error> {
    let (only, path) = corpus.addressed(typed);
    let path = RelPath::new(path)?;
    corpus.with_joined(|members, snapshot| {
        let trees = MemberTrees::joined(&members.ready, snapshot)?;
        let asked: Vec<&MemberTree<'_>> = trees
            .all()
            .iter()
            .filter(|tree| only.is_none_or(|only| tree.name.as_ref() == Some(only)))
            .collect();
        asked.iter().try_for_each(|tree| tree.engine.tree().check_served(&path))?;
        let file_in = |tree: &MemberTree<'_>| Some(tree.first_file + tree.snapshot.file_at(path.as_str())?);
        let found: Vec<(&MemberTree<'_>, u32)> =
            asked.iter().filter_map(|tree| Some((*tree, file_in(tree)?))).collect();
        match found[..] {
            [(tree, file)] => {
                let source = tree.name.clone();
                let answer = AnswerContext::joined(
                    MemberTrees::joined(&members.ready, snapshot)?,
                    snapshot,
                    filter,
                    request,
                );
                Ok(WhyNot { source, ..why_not(&answer, filter, query, file)? })
            }
            [] => {
                corpus.check_source_of(typed)?;
                let answers = asked.iter().map(|tree| WhyNot {
                    source: tree.name.clone(),
                    ..without_file(tree.engine, tree.snapshot, &path)
                });
                best_of(answers).ok_or_else(|| {
                    Error::new(ErrorKind::NotFound, format!("source of '{typed}' does not answer"))
                })
            }
            _ => {
                let names: Vec<String> =
                    found.iter().filter_map(|(tree, _)| Some(format!("'{}'", tree.name.as_ref()?))).collect();
                let text = format!(
                    "the sources {} have the file; name one of them, as in SOURCE:PATH",
                    names.join(", ")
                );
                Err(Error::bad(text))
            }
        }
    })
}

/// An answer about a file that has no rank.
fn unranked(
    (engine, snapshot): (&Engine, &SearchSnapshot),
    path: &RelPath,
    verdict: Verdict,
    text: String,
) -> WhyNot {
    WhyNot {
        source: None,
        path: path.clone(),
        verdict,
        rank: None,
        hit: None,
        missing: Vec::new(),
        text,
        nearest: Vec::new(),
        structure: structure::counts(snapshot),
        root: engine.root().to_path_buf(),
    }
}

/// Why a file is not in the index, with the files of similar names.
fn without_file(engine: &Engine, snapshot: &SearchSnapshot, path: &RelPath) -> WhyNot {
    let near = near(snapshot, path);
    let (verdict, text) = not_in_index(engine, snapshot, path, &offered(&near));
    let is_missing = verdict == Verdict::NoSuchFile;
    WhyNot {
        nearest: if is_missing { near } else { Vec::new() },
        ..unranked((engine, snapshot), path, verdict, text)
    }
}

/// `told`, and whether the threshold of a search leaves the file out.
fn with_threshold(mut told: WhyNot, threshold: &Threshold) -> WhyNot {
    if let Some(hit) = told.hit.as_ref().filter(|hit| hit.score < threshold.score) {
        let of = threshold.file.map_or(String::new(), |file| format!(" of {file}"));
        let (score, least) = (hit.score, threshold.score);
        told.text += &format!(
            "; its score {score:.2} is below the min_score {least:.2}{of}, so a search leaves the file out unless it holds the query as written"
        );
    }
    told
}

/// Explains the rank of a file of the snapshot for `query`.
fn why_not(answer: &AnswerContext<'_>, filter: &Filter, query: &Query, file: u32) -> Result<WhyNot, Error> {
    let (request, tree) = (answer.request, answer.trees.of_file(file));
    if let Some(told) = filtered(answer, filter, file)? {
        return Ok(told);
    }
    let mut ranking = answer.rank(query)?;
    let Some(place) = ranking.files.iter().position(|ranked| ranked.file == file) else {
        return outside(answer, filter, query, (file, ranking.files.len()));
    };
    let path = RelPath::new(answer.snapshot.path(file))?;
    let told = ranked(&path, (&ranking.files, place), None);
    let hit = std::mem::take(&mut ranking.hits).into_iter().find(|hit| hit.file == place);
    let worth = spyhop_search::unranked(
        query,
        request.profile.as_deref().unwrap_or(Profile::built_in()),
        &ranking.calibration,
    );
    let asked = RankedQuery {
        place: 0,
        query,
        literal_complete: ranking.literal_complete,
        ranking,
        unranked: Vec::new(),
        worth,
        is_unquoted: false,
    };
    Ok(WhyNot {
        hit: match hit {
            Some(hit) => Some(Hit { query_index: None, ..answer.hit(&asked, hit)? }),
            None => None,
        },
        structure: structure::counts(tree.snapshot),
        root: tree.engine.root().to_path_buf(),
        ..told
    })
}

/// The answer that a filter leaves a file out; `None` if it does not.
fn filtered(answer: &AnswerContext<'_>, filter: &Filter, file: u32) -> Result<Option<WhyNot>, Error> {
    let (version, tree) = (answer.snapshot.version(file), answer.trees.of_file(file));
    let path = RelPath::new(version.path())?;
    Ok(filter.refusal(path.as_str(), version.language()).map(|why| {
        let text = format!("{} is filtered out: {why}", clean::answer_path(path.as_str()));
        unranked((tree.engine, tree.snapshot), &path, Verdict::Filtered(why), text)
    }))
}

/// The answer that a file is not in a head of `n_head` files.
fn outside(
    answer: &AnswerContext<'_>,
    filter: &Filter,
    query: &Query,
    (file, n_head): (u32, usize),
) -> Result<WhyNot, Error> {
    let tree = answer.trees.of_file(file);
    let below_head = answer.matches(query, file)?.then_some(n_head);
    let (verdict, text) = outside_head(tree.snapshot, filter, query, file - tree.first_file, below_head);
    let path = RelPath::new(answer.snapshot.path(file))?;
    Ok(unranked((tree.engine, tree.snapshot), &path, verdict, text))
}

/// The answer about the file at `place` of the ranked files, without what is told of its tree.
fn ranked(path: &RelPath, (files, place): (&[RankedFile], usize), hit: Option<Hit>) -> WhyNot {
    let missing = match place < COMPARED_RANK {
        true => Vec::new(),
        false => gaps(&files[place], &files[COMPARED_RANK - 1]),
    };
    let gap = missing.first().map(worst).unwrap_or_default();
    let (shown, n_files) = (clean::answer_path(path.as_str()), files.len());
    WhyNot {
        source: None,
        path: path.clone(),
        verdict: Verdict::Ranked,
        rank: Some(place + 1),
        hit,
        text: format!("{shown} ranks {} of {n_files} files{gap}", place + 1),
        missing,
        nearest: Vec::new(),
        structure: StructureCounts::default(),
        root: PathBuf::new(),
    }
}

/// Why an indexed file that passes the filter is not in the head. `below_head` is the number of files of the head, if
/// the file matches.
fn outside_head(
    snapshot: &SearchSnapshot,
    filter: &Filter,
    query: &Query,
    file: u32,
    below_head: Option<usize>,
) -> (Verdict, String) {
    let version = snapshot.version(file);
    let shown = clean::answer_path(version.path());
    if let Some(files) = below_head {
        let text = format!(
            "{shown} matches, but is not among the {files} files that match best by the index, and only these are ordered"
        );
        return (Verdict::NotRescored, text);
    }
    if version.notes().any(|note| note == Note::PathOnly)
        && let Some(skipped) = skipped_entry(snapshot, version.path())
    {
        let text = format!("{shown} is found by its path only: {}", reason(&skipped));
        return (Verdict::PartlyIndexed(skipped), text);
    }
    let words: Vec<&str> = query.terms.iter().map(|term| term.word.as_str()).collect();
    let words = words.join(", ");
    let text = match filter.kinds() {
        Some(_) => format!("no part of {shown} is of the kind asked for and holds any of [{words}]"),
        None => format!("{shown} holds none of [{words}]"),
    };
    (Verdict::NoTerm, text)
}

/// The indexed files with similar names.
fn near(snapshot: &SearchSnapshot, path: &RelPath) -> Vec<String> {
    let paths = (0..snapshot.n_files() as u32).map(|file| snapshot.path(file).to_string());
    nearest(path.as_str(), paths, |path| path)
}

/// Why a file is not in the index. `offered` ends the text about a missing file.
fn not_in_index(
    engine: &Engine,
    snapshot: &SearchSnapshot,
    path: &RelPath,
    offered: &str,
) -> (Verdict, String) {
    let (place, shown) = (path.below(engine.root()), clean::answer_path(path.as_str()));
    let hosted = engine.tree().hosted().map(|_| "the tree of the host");
    if let Some(view) = engine.view().or(hosted) {
        return match skipped_entry(snapshot, path.as_str()) {
            Some(skipped) => {
                let text = format!("{shown} is left out: {}", reason(&skipped));
                (Verdict::Skipped(skipped), text)
            }
            None => (Verdict::NoSuchFile, format!("there is no file {shown} in '{view}'{offered}")),
        };
    }
    if place.symlink_metadata().is_err() {
        let text = format!("there is no file {shown} below {}{offered}", engine.root().display());
        return (Verdict::NoSuchFile, text);
    }
    let tracked = engine.tree().tracked();
    let is_tracked =
        |path: &RelPath, is_dir: bool| tracked.as_ref().is_some_and(|t| t.contains(path, is_dir));
    let options = WalkOptions { is_tracked: Some(&is_tracked), ..engine.tree().settings().walk_options() };
    let skipped =
        skipped_entry(snapshot, path.as_str()).or_else(|| walk::explain(engine.root(), path, &options));
    match skipped {
        Some(skipped) => {
            let text = format!("{shown} is left out: {}", reason(&skipped));
            (Verdict::Skipped(skipped), text)
        }
        None if place.is_dir() => {
            let shown = if path.as_str().is_empty() { "." } else { &shown };
            (Verdict::NotIndexed, format!("{shown} is a folder; name a file"))
        }
        None => (Verdict::NotIndexed, format!("{shown} is not indexed yet; refresh the index")),
    }
}

/// The name of the reason and the detail. Renderers add the sentence of the reason.
pub(super) fn reason(skipped: &Skipped) -> String {
    let name = skipped.reason.name();
    if skipped.detail.is_empty() { name.to_string() } else { format!("{name} ({})", skipped.detail) }
}

/// The skipped entry of a file, or of a folder above it.
fn skipped_entry(snapshot: &SearchSnapshot, path: &str) -> Option<Skipped> {
    let path = RelPath::new(path).ok()?;
    snapshot
        .view()
        .skipped()
        .iter()
        .map(|entry| &entry.skipped)
        .find(|skipped| skipped.covers(&path))
        .cloned()
}

/// The sentence for the largest gap.
fn worst(gap: &Gap) -> String {
    match gap.own < 0.0 {
        true => format!("; what counts most against the file is '{}'", gap.signal),
        false => format!("; what the file lacks most is '{}'", gap.signal),
    }
}

/// The signals on which `own` is behind `tenth`, the largest gap first. Shares of a small score are all near zero, and
/// calibration changes each file by a factor of its own, so contributions before calibration are compared.
fn gaps(own: &RankedFile, tenth: &RankedFile) -> Vec<Gap> {
    let gap = |signal: &Signal| {
        let of = |ranked: &RankedFile| ranked.parts[*signal as usize] / ranked.factor;
        Gap { signal: *signal, own: of(own), tenth: of(tenth) }
    };
    let of_evidence = Signal::ALL.iter().filter(|signal| **signal != Signal::Base);
    let mut gaps: Vec<Gap> = of_evidence.map(gap).filter(|gap| gap.tenth - gap.own > MIN_GAP).collect();
    gaps.sort_by(|a, b| {
        (b.tenth - b.own).total_cmp(&(a.tenth - a.own)).then_with(|| a.signal.cmp(&b.signal))
    });
    gaps.truncate(MAX_GAPS);
    gaps
}
