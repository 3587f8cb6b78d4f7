//! A pack of several trees: the budget is divided by what one search finds in each tree, and each tree fills its share.
//!
//! One search over all trees tells where the task is at home, so that scores are comparable. A share is then filled as the
//! pack of a tree alone, because imports, callers and folders are those of one tree.

use crate::api::cursor::page_cursor;
use crate::api::*;
use crate::call::Call;
use crate::code_graph::present;
use crate::corpus::{Corpus, CorpusMember, of_source};
use crate::error::{Error, ErrorKind};
use crate::operation::Operation;
use crate::{lookup, search};
use spyhop_base::path::RelPath;
use spyhop_search::filter::FilterSpec;

use super::assemble::MAX_LEFT_OUT;
use super::run::pack_of_tree;

/// The least budget of a tree, in tokens. A tree whose share is smaller is left out.
const LEAST_SHARE: usize = 400;

/// The hits that divide the budget.
const DIVIDING_HITS: usize = 30;

/// The most notes of a pack.
const MAX_PACK_NOTES: usize = 3;

/// A tree with its part of the request.
struct PackShare<'c> {
    member: &'c CorpusMember,
    /// The sum of the scores of the hits in the tree, which divides the budget.
    mass: f32,
    request: PackRequest,
}

/// A part of a pack of several sources: the pack of one of them, whose name stands before the paths of files.
#[derive(Clone, Debug)]
pub(crate) struct PackOfSource {
    pub request: PackRequest,
    pub source: SourceName,
}

impl Operation for PackOfSource {
    const NAME: &'static str = "pack_of_source";

    type Reply = PackReply;

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<PackReply, Error> {
        match corpus.alone() {
            Some(engine) => pack_of_tree(engine, &self.request, call, Some(&self.source)),
            None => pack_of_sources(corpus, &self.request, call),
        }
    }
}

/// Collects the pack of several trees.
pub(super) fn pack_of_sources(
    corpus: &Corpus,
    request: &PackRequest,
    call: &Call<'_>,
) -> Result<PackReply, Error> {
    if request.changes.is_some() {
        return Err(Error::bad("a diff is about one tree; ask that tree alone"));
    }
    let page = lookup::parse_offset(request.cursor.as_deref())?;
    let (shares, found) = shares(corpus, request, call)?;
    let mut whole: Option<PackReply> = None;
    let mut warnings = match &corpus.remote {
        Some(remote) => remote.state().warnings,
        // The other warnings are about the words of the task, which each tree has as well.
        None => found.warnings.into_iter().filter(|text| text.starts_with("source '")).collect(),
    };
    let mut has_more = false;
    let pack = |share: &PackShare<'_>| {
        let part = PackOfSource { request: share.request.clone(), source: share.member.name().clone() };
        corpus.answers_of(share.member)?.call(&part, call)
    };
    // All sources are asked before one is waited for.
    let packs: Vec<Result<PackReply, Error>> = shares.iter().map(pack).collect();
    for (share, own) in shares.iter().zip(packs) {
        let (name, mut own) = (share.member.name(), own?);
        has_more |= own.next.is_some();
        warnings.extend(own.warnings.drain(..).map(|text| of_source(name, &text)));
        own.files.iter_mut().for_each(|file| file.source = Some(name.clone()));
        own.left_out.iter_mut().for_each(|place| place.source = Some(name.clone()));
        own.notes.iter_mut().for_each(|note| note.source = Some(name.clone()));
        match &mut whole {
            Some(whole) => {
                whole.files.append(&mut own.files);
                whole.left_out.append(&mut own.left_out);
                for (reason, count) in own.left_out_counts {
                    match whole.left_out_counts.iter_mut().find(|(known, _)| *known == reason) {
                        Some((_, all)) => *all += count,
                        None => whole.left_out_counts.push((reason, count)),
                    }
                }
                whole.notes.append(&mut own.notes);
                whole.tokens += own.tokens;
            }
            None => whole = Some(own),
        }
    }
    let Some(mut whole) = whole else {
        return Err(Error::new(ErrorKind::NotFound, "no source that answers has code for the task"));
    };
    whole.files.sort_by(|a, b| a.is_backup.cmp(&b.is_backup).then_with(|| b.score.total_cmp(&a.score)));
    whole.left_out.sort_by(|a, b| b.score.total_cmp(&a.score));
    whole.left_out.truncate(MAX_LEFT_OUT);
    whole.notes.sort_by(|a, b| b.score.unwrap_or(0.0).total_cmp(&a.score.unwrap_or(0.0)));
    whole.notes.truncate(MAX_PACK_NOTES);
    whole.snapshot = found.snapshot;
    whole.next = has_more.then(|| page_cursor(whole.snapshot.generation, page + 1));
    let sources = match &corpus.remote {
        Some(_) => corpus.members.iter().filter_map(|source| present(corpus, source)).collect(),
        None => found.sources,
    };
    (whole.budget, whole.sources, whole.warnings) = (request.budget, sources, warnings);
    whole.settle_sources();
    Ok(whole)
}

/// The trees that the pack takes code of, those with the most evidence first, and the search that divides the budget.
fn shares<'c>(
    corpus: &'c Corpus,
    request: &PackRequest,
    call: &Call<'_>,
) -> Result<(Vec<PackShare<'c>>, SearchReply), Error> {
    let search = SearchRequest {
        filter: request.filter.clone(),
        mode: Mode::Compact,
        max_results: DIVIDING_HITS,
        ..SearchRequest::new(&*request.task)
    };
    corpus.check_scope(search.filter.path.as_deref())?;
    let found = search::search_all(corpus, std::slice::from_ref(&search.query), &search, call)?;
    let bare = PackRequest { seed_files: Vec::new(), seed_symbols: Vec::new(), ..request.clone() };
    let mut shares: Vec<PackShare<'c>> = Vec::new();
    for member in corpus.members.iter().filter(|member| corpus.answers_of(member).is_ok()) {
        let own = found.results.iter().filter(|hit| hit.source.as_ref() == Some(member.name()));
        shares.push(PackShare { member, mass: own.map(|hit| hit.score).sum(), request: bare.clone() });
    }
    let most = shares.iter().map(|share| share.mass).fold(f32::MIN_POSITIVE, f32::max);
    for (seeds, is_file) in [(&request.seed_files, true), (&request.seed_symbols, false)] {
        for typed in seeds {
            add_seed(corpus, &mut shares, typed, is_file)?;
        }
    }
    // A start point says more of where the task is at home than a search.
    let has_seed = |share: &PackShare<'_>| {
        !(share.request.seed_files.is_empty() && share.request.seed_symbols.is_empty())
    };
    shares.iter_mut().filter(|share| has_seed(share)).for_each(|share| share.mass = most);
    if shares.iter().all(|share| share.mass == 0.0) {
        // One tree says that nothing was found.
        shares.truncate(1);
        shares.iter_mut().for_each(|share| share.mass = most);
    }
    shares.retain(|share| share.mass > 0.0);
    shares.sort_by(|a, b| b.mass.total_cmp(&a.mass));
    let part = |all: &[PackShare<'_>], at: usize| {
        let sum: f32 = all.iter().map(|share| share.mass).sum();
        (request.budget as f32 * all[at].mass / sum) as usize
    };
    while shares.len() > 1 && part(&shares, shares.len() - 1) < LEAST_SHARE {
        shares.pop();
    }
    let budgets: Vec<usize> = (0..shares.len()).map(|at| part(&shares, at)).collect();
    for (share, budget) in shares.iter_mut().zip(budgets) {
        share.request.budget = budget.max(*super::BUDGETS.start());
    }
    Ok((shares, found))
}

/// Adds a start point to the tree that it names, as in `client:src/lib.rs`, or to each tree that has it.
fn add_seed(corpus: &Corpus, shares: &mut [PackShare<'_>], typed: &str, is_file: bool) -> Result<(), Error> {
    let (only, rest) = corpus.addressed(typed);
    let mut is_known = false;
    for share in shares {
        let Ok(answers) = corpus.answers_of(share.member) else { continue };
        let is_there = match only {
            Some(only) => only == share.member.name(),
            None if is_file => {
                let path = RelPath::new(rest)?;
                let filter = FilterSpec { path: Some(path.to_string()), ..FilterSpec::default() };
                let asked = answers.ask(&FilesRequest { filter, max_results: 1, ..FilesRequest::new("") });
                asked.is_ok_and(|reply| reply.files.iter().any(|file| file.path == path))
            }
            None => {
                let asked = answers.ask(&GraphRequest::new(GraphQuestion::Definitions, rest));
                asked.is_ok_and(|reply| !reply.definitions.is_empty())
            }
        };
        if is_there {
            let own = &mut share.request;
            if is_file { &mut own.seed_files } else { &mut own.seed_symbols }.push(rest.to_string());
        }
        is_known |= is_there;
    }
    if is_known {
        return Ok(());
    }
    corpus.check_source_of(typed)?;
    let name = if is_file { "seed_file" } else { "seed_symbol" };
    Err(Error::bad(format!("{name} '{typed}' is in no source; name one of a source, as in SOURCE:{rest}")))
}
