//! Ranked search: retrieval per field, fusion, rescoring, places and reasons. The scorer itself makes the reasons.
//!
//! ```text
//! Query -> Evidence (postings of each term, scored in one pass per field)
//!       -> lists per signal -> reciprocal rank fusion -> head of some hundred files
//!       -> MeasuredFile (the measure of each signal) -> weighed by the profile -> RankedFile -> Ranked hits
//!       -> places in the first files: functions, types and sections, by their lines
//!       -> reasons, for the hits that are shown
//! ```
//!
//! Files are ranked by the evidence of their chunks, names and paths. Places of the first files are ranked by the
//! evidence in their lines. The best place of a file has the rank of the file; the rank of a further place follows
//! from its probability relative to the best one. Other files are shown by their chunks. Ties are broken by path and
//! position, so the order does not depend on the segments.

#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod array;
mod calibration;
mod comments;
mod context;
mod counted;
mod definition;
mod error;
mod evidence;
mod face;
pub mod federated;
pub mod filter;
mod framed;
mod fuse;
pub mod fuzzy;
mod head_files;
mod hits;
mod host_measure;
mod host_signal;
mod literal;
mod measure;
mod members;
mod model;
mod named_files;
mod named_outline;
mod names;
mod occurrence;
mod order;
mod places;
pub mod profile;
pub mod query;
mod ranking;
mod rarity;
mod reason;
mod related;
mod relations;
mod rerank;
mod reranker;
mod role;
mod rounds;
pub mod session;
mod similar;
mod similar_texts;
mod snapshot;
mod snapshot_words;
pub mod snippet;
mod source;
mod spelling;
mod statistics;
mod unknown;
mod unranked;
mod usage;
mod words;

pub use calibration::{MIN_TERMS_TO_DOUBT, QueryCalibration, ScoreInputs};
pub use context::{Context, ExhaustivePass};
pub use error::SearchError;
pub use evidence::TermRarity;
pub use face::{HitDisplay, face, face_of_line};
pub use head_files::HeadFiles;
pub use hits::Ranked;
pub use host_signal::{HostSignal, HostSignals, PlaceInput, SignalInput, SignalValue};
pub use literal::MAX_FEW_FILES;
pub use measure::MeasuredFile;
pub use model::{FeatureMeasures, RankedFile, feature_measures};
pub use places::{MeasuredPlace, Place};
pub use ranking::Ranking;
pub use rarity::rarity;
pub use reason::{Contribution, reasons};
pub use reranker::{RerankText, Reranker};
pub use role::{compat_part, generated_part, is_aside, is_header, is_prose, test_part};
pub use similar::ComparedFiles;
pub use similar_texts::{SimilarTexts, Similarity};
pub use snapshot::SearchSnapshot;
pub use source::CurrentFile;
pub(crate) use source::ReadSource;
pub use spelling::{Respelled, near_names};
pub use unknown::{UnknownWord, unknown_words};
pub use unranked::{UnrankedMatch, unranked};
pub use usage::{Usage, files_with, usage};
pub use words::{Lookup, WordRow, WordRows};

use tracing::debug_span;

use crate::profile::Signal;
use crate::query::Query;

/// Ranks the files and places that answer a query. `source` reads the current text of a file of the snapshot.
pub fn search(query: &Query, context: &Context<'_>, source: &ReadSource<'_>) -> Result<Ranking, SearchError> {
    let respelled =
        debug_span!("search.spelling").in_scope(|| spelling::respelled(query, context.snapshot))?;
    let (other, question) = (respelled.clone(), query.text.as_str());
    let query = other.as_ref().map_or(query, |other| &other.query);
    let (evidence, literal) =
        debug_span!("search.evidence").in_scope(|| evidence::collect(query, context, source))?;
    let head =
        debug_span!("search.fusion").in_scope(|| fuse::head(&evidence, context, literal.files_if_few()));
    let (profile, snapshot) = (context.profile, context.snapshot);
    let n_framed = evidence.framed.len();
    let terms = evidence.rarities(context.totals().chunks);
    let vector = related::question_vector(query, profile, &terms);
    let (mut files, similar, expanded, reranked) = debug_span!("search.rescoring").in_scope(|| {
        let measured = measure::measure(query, context, &evidence, &head)?;
        let measured = measure::settled(context, &evidence, measured);
        let similarity = |ranked: &RankedFile| related::similarity(vector.as_ref()?, snapshot, ranked.file);
        let mut files = order::weighed(query, profile, &measured, similarity, snapshot);
        let asked = (question, query);
        let similar = similar::add_similar(Signal::Similar, asked, context, &mut files);
        let expanded = similar::add_similar(Signal::Expanded, asked, context, &mut files);
        let beside = (&mut files[..], similar.as_ref());
        let reranked = rerank::add_rerank(question, query, context, beside, source);
        Ok::<_, SearchError>((files, similar, expanded, reranked))
    })?;
    let bytes = |ranked: &RankedFile| places::bytes_to_divide(snapshot, ranked.file);
    let n_divided = places::n_divided(query, &files, bytes);
    let divided = files[..n_divided].iter().map(|ranked| &ranked.measured).collect();
    let found = debug_span!("search.places")
        .in_scope(|| places::places(query, context, &evidence, divided, source))?;
    let places = places::add_places(query, profile, &mut files, found, snapshot);
    let chunks = |ranked: &RankedFile| hits::shown_chunks(query, context, &evidence, &ranked.measured);
    let known = calibration::known_share(n_framed, &terms);
    let ranking = debug_span!("search.hits").in_scope(|| {
        order::ranking(query, (profile, context.per_file), (files, places), known, snapshot, chunks)
    });
    Ok(Ranking {
        related: vector,
        similar,
        expanded,
        reranked,
        respelled,
        literal_lines: literal.lines,
        literal_complete: literal.complete,
        holding: literal.holding,
        matching_files: evidence.matching.len(),
        ..ranking
    })
}

/// Whether a file of the snapshot matches the query at all, at any rank: by a term, by a name or by the query as written.
pub fn matches(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    file: u32,
) -> Result<bool, SearchError> {
    let (evidence, _) = evidence::collect(query, context, source)?;
    Ok(evidence.matching.contains(&file))
}
