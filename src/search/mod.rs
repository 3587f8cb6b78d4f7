//! Ranked search: retrieve per field, fuse, rescore, with the reasons made by the scorer itself.
//!
//! ```text
//! Query -> Evidence (postings of each term, scored in one pass a field)
//!       -> lists per signal -> reciprocal rank fusion -> head of some hundred files
//!       -> Measured (what each signal says) -> weighed by the profile -> RankedFile -> Ranked hits
//!       -> places in the first files: functions, types, sections, by what stands in their own lines
//!       -> reasons, for the hits that are shown
//! ```
//!
//! Files are ranked by the evidence of their chunks, names and paths, and the places of the first files by their own. A
//! file's best place stands at the file's rank; others follow by how probable they are beside it. Files beyond the first
//! are shown by their chunks. Equal scores are ordered by path and place; nothing depends on which segment a document
//! lies in.

mod beyond;
mod corpus;
mod definition;
mod evidence;
mod face;
mod framed;
mod fuse;
mod hits;
mod literal;
mod measure;
mod model;
mod names;
mod places;
mod reason;
mod relations;
mod role;
mod spelling;
mod standing;
mod usage;

pub use beyond::{Beyond, beyond};
pub use corpus::Corpus;
pub use face::{HitDisplay, face};
pub use hits::Ranked;
pub use literal::Everywhere;
pub use measure::Measured;
pub use model::{Forms, RankedFile, forms};
pub use places::{MeasuredPlace, Place};
pub use reason::{Contribution, file_reasons, reasons};
pub use role::{compat_part, is_aside, is_prose, test_part};
pub use spelling::{Respelled, near_names};
pub use standing::Standing;
pub use usage::{Usage, usage};

use std::sync::Arc;

use memchr::memmem::Finder;
use tracing::debug_span;

use crate::filter::Filter;
use crate::grammar::Grammars;
use crate::index::IndexError;
use crate::meta::MetaError;
use crate::profile::Profile;
use crate::query::Query;
use crate::session::Session;
use crate::tokenize::Tokenizers;

/// The most files that are few. If few files hold the query as written, each of them stands on the first page. A page has
/// twice as many hits, so ranking alone chooses at least half of it.
pub const FEW: usize = 5;

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The segments cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The metadata cannot be read.
    #[error(transparent)]
    Meta(#[from] MetaError),
}

/// What a search ranks by, besides the query.
pub struct Context<'c> {
    /// The commit and view that answer.
    pub corpus: &'c Corpus,
    /// The languages.
    pub grammars: &'c Grammars,
    /// Tokenizers, warm from earlier queries where there were any: names of definitions are cut and stemmed.
    pub tokenizers: &'c Tokenizers,
    /// Weights and constants.
    pub profile: &'c Profile,
    /// Which files and chunks may answer.
    pub filter: &'c Filter,
    /// What was touched; `None` leaves it out.
    pub session: Option<&'c Session>,
    /// How many chunks of one file may be hits.
    pub per_file: usize,
    /// What an exact search found; `None` leaves the query as written to the literal pass and its budget.
    pub everywhere: Option<&'c Everywhere>,
}

/// Reads the text of a file, by its number in the corpus, if it may hold what is wanted.
pub type ReadSource<'r> = dyn Fn(u32, &Finder<'_>) -> Present + Sync + 'r;

/// A file as it is now.
#[derive(Clone, Debug)]
pub enum Present {
    /// The content is not the indexed one.
    Changed,
    /// The content is the indexed one and does not hold the wanted text.
    Without,
    /// The content is the indexed one: this text.
    Text(Arc<String>),
}

/// The ranking of one query.
pub struct Ranking {
    /// The hits, best first.
    pub hits: Vec<Ranked>,
    /// The head's files, best first, as `hits` has them.
    pub files: Vec<RankedFile>,
    /// The places of the first files, best first.
    pub places: Vec<Vec<MeasuredPlace>>,
    /// How sums became scores.
    pub standing: Standing,
    /// What was looked for in place of a name that is not defined.
    pub respelled: Option<Respelled>,
    /// Lines that hold the query as written.
    pub literal_lines: usize,
    /// Whether every such line was seen.
    pub literal_complete: bool,
    /// The files that hold the query as written in lines that count, by number.
    pub holding: Vec<u32>,
    /// How many files hold any of the query's terms, or the query as written.
    pub matching_files: usize,
}

impl Ranking {
    /// The query that was answered: `asked`, or the one that stands for it.
    pub fn query<'q>(&'q self, asked: &'q Query) -> &'q Query {
        self.respelled.as_ref().map_or(asked, |respelled| &respelled.query)
    }
}

/// Ranks; `source` reads the present text of a file of the corpus.
pub fn search(query: &Query, context: &Context<'_>, source: &ReadSource<'_>) -> Result<Ranking, SearchError> {
    let respelled = debug_span!("search.spelling").in_scope(|| spelling::respelled(query, context.corpus))?;
    let other = respelled.clone();
    let query = other.as_ref().map_or(query, |other| &other.query);
    let (evidence, literal) =
        debug_span!("search.evidence").in_scope(|| evidence::gather(query, context, source))?;
    let head = debug_span!("search.fusion").in_scope(|| fuse::head(&evidence, context, literal.few()));
    let mut files = debug_span!("search.rescoring").in_scope(|| {
        let measured = measure::measure(query, context, &evidence, &head)?;
        Ok::<_, SearchError>(model::weigh(&measured, query.kind, context.profile, context.corpus))
    })?;
    let places = debug_span!("search.places")
        .in_scope(|| places::places(query, context, &evidence, &mut files, source))?;
    let standing = Standing::of(&files, query, context.profile);
    standing.calibrate(&mut files);
    let hits = debug_span!("search.hits")
        .in_scope(|| hits::hits(query, context, &evidence, &files, &places, &standing));
    Ok(Ranking {
        hits,
        files,
        places,
        standing,
        respelled,
        literal_lines: literal.lines,
        literal_complete: literal.complete,
        holding: literal.holding,
        matching_files: evidence.touched.len(),
    })
}

/// Whether file `path` holds any of the query's terms or the query as written, whatever its rank.
pub fn matches(
    query: &Query,
    context: &Context<'_>,
    source: &ReadSource<'_>,
    path: &str,
) -> Result<bool, SearchError> {
    let (evidence, _) = evidence::gather(query, context, source)?;
    Ok(evidence.touched.iter().any(|file| context.corpus.path(*file) == path))
}
