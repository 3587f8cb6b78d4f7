//! Spyhop is a code search engine. It ranks code by lexical and structural evidence, without a language model, and gives
//! the reasons for each result.
//!
//! An [`Engine`] indexes one source tree and answers questions about it:
//!
//! ```
//! use spyhop::{Engine, Options, SearchRequest};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let tree = folder.path().join("tree");
//! # std::fs::create_dir(&tree)?;
//! # std::fs::write(tree.join("auth.rs"), "/// Resolves the provider's key.\npub fn resolve_api_key() {}\n")?;
//! let options = Options { index_dir: Some(folder.path().join("index")), ..Options::default() };
//! let engine = Engine::open(&tree, options)?;
//!
//! // The first search builds the index; later searches index the changed files.
//! let reply = engine.search(&SearchRequest::new("where is the api key resolved?"))?;
//! let best = &reply.results[0];
//! assert_eq!((best.path.as_str(), best.symbol.as_deref()), ("auth.rs", Some("resolve_api_key")));
//!
//! // Each hit has reasons, whose contributions add up to its score.
//! let total: f32 = best.reasons.iter().map(|reason| reason.contribution).sum();
//! assert!((total - best.score).abs() < 1e-4);
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `serde`, requests, replies and [`Error`] implement `Serialize`, and requests also `Deserialize`. The form is
//! that of the Rust types: fields have their names, and variants of enums have theirs in kebab case. A deserialized request may
//! leave out what `new` or `default` sets; an unknown field is refused. A profile is its TOML text. What lives in this process
//! has no form: sessions, helpers of packs, and what is measured for learning weights. The program's JSON (`docs/json.md`) has a
//! form of its own.
//!
//! The feature `async` adds `AsyncEngine`, whose calls can be awaited and are cancelled when their future is dropped.
//!
//! The stable API consists of the items on this page: the engine, its options, requests and replies with the types of their
//! fields, and one [`Error`] with a [`kind`](Error::kind). `docs/api.txt` lists them. Modules that this page does not show are
//! public for the program and the evaluation of this repository only; what can be named by a path through a module changes
//! without notice.

#![deny(missing_docs)]
#![allow(
    rustdoc::private_intra_doc_links,
    reason = "module docs lead readers of the code; `cargo doc --document-private-items` resolves the links"
)]

#[doc(inline)]
pub use spyhop_base::id::{ContentHash, Generation};
#[doc(inline)]
pub use spyhop_context::goals::{Clusterer, Planner};
#[cfg(feature = "async")]
#[doc(inline)]
pub use spyhop_engine::AsyncEngine;
/// ```
/// use std::sync::Arc;
///
/// use spyhop::{
///     Engine, HostSignal, MemoryTree, Options, Profile, SearchRequest, SignalInput, SignalValue, Transform,
/// };
///
/// /// Prefers the files that were deployed.
/// struct Deployed;
///
/// impl HostSignal for Deployed {
///     fn name(&self) -> &str {
///         "deployed"
///     }
///
///     fn measure(&self, input: &SignalInput<'_>) -> Option<SignalValue> {
///         input.path.starts_with("live/").then(|| SignalValue::new(1.0, "runs in production"))
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = "pub fn resolve_api_key() {}\n";
/// let tree = MemoryTree::of([("draft/key.rs", text), ("live/key.rs", text)])?;
/// let options = Options { signals: vec![Arc::new(Deployed) as _].into(), ..Options::default() };
/// let engine = Engine::in_memory(tree, options)?;
///
/// let mut profile = Profile::built_in().clone();
/// profile.set_own_weight("deployed", None, Transform::Value, 2.0);
/// let profile = Some(Arc::new(profile));
/// let reply = engine.search(&SearchRequest { profile, ..SearchRequest::new("resolve_api_key") })?;
/// assert_eq!(reply.results[0].path.as_str(), "live/key.rs");
/// assert!(reply.results[0].reasons.iter().any(|reason| reason.text == "deployed: runs in production"));
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_engine::api::HostSignal;
#[doc(inline)]
pub use spyhop_engine::api::{
    ALL_ROWS, ActivitySource, AddNoteRequest, AffectedTest, Applicability, BadLine, Band, CallPolicy,
    ContextLine, Enclosing, EntriesReply, EntriesRequest, EntryKind, EntryRow, Explanation,
    ExportNotesRequest, ExportedNotes, FileActivity, FileMatch, FilePlaces, FileRow, FilesReply,
    FilesRequest, Gap, GraphChanges, GraphEnd, GraphQuestion, GraphReply, GraphRequest, GraphRow, GrepLine,
    GrepReply, GrepRequest, Hit, ImportNotesRequest, ImportedNotes, LanguageRow, LeftOutPlace, LeftOutReason,
    LineRange, LinkRow, LinkState, ListNotesRequest, MapEntry, MapReply, MapRequest, MapSymbol, Mode,
    NamedStatus, NoteKind, NoteLink, NoteReason, NoteRow, NotesReply, OnMissing, Options, PackBackup,
    PackDiagnostics, PackFile, PackGoal, PackLine, PackMode, PackPair, PackRegion, PackReply, PackRequest,
    PackStages, PackTrace, PackUnit, PathOutcome, PlaceCandidate, PlaceCandidates, Progress, Provenance,
    RankedCandidate, RankedCandidates, ReadReply, ReadRequest, ReadText, Reason, RefreshReport,
    RetireNoteRequest, Retirement, RevisionNote, SearchNotesRequest, SearchReply, SearchRequest, Sent,
    Session, SkippedReply, Snapshot, Snippet, SourceName, SourcePackage, SourceSnapshot, SourceStatuses,
    Stage, StalePolicy, State, Status, SymbolChoices, SymbolRow, SymbolsReply, SymbolsRequest, Verdict,
    Verification, Verifier, VerifyNoteRequest, WatchEvent, WhyNot,
};
#[doc(inline)]
pub use spyhop_engine::api::{
    Building, BuiltInFire, Cause, Check, Checkup, Collected, Cost, DropReason, Dropped, Exception, Export,
    Exported, FileEdge, FileGraphQuestion, FileGraphReply, FileGraphRequest, FileNode, GitReach, GrepFiles,
    HitCallers, IgnoreKind, IgnoreRule, Import, Imported, Incomplete, IncompleteCause, IndexRecipe, KeptView,
    LockHolder, Neighbour, OverridingRule, PackHelpers, PrintedGrep, Remedy, SourceLine, SpaceTarget,
    SymlinkPolicy, ViewRow, ViewsReply, WatchEnd, WorkerPool,
};
#[doc(inline)]
pub use spyhop_engine::api::{ExtraTerms, HostSignals, PlaceInput, SignalInput, SignalValue, TokenizerHook};
#[doc(inline)]
pub use spyhop_engine::{Cancel, Engine, Error, ErrorKind, SetSource, SourceSet, Stop};
#[doc(inline)]
pub use spyhop_graph::{EdgeRule, Relation};
#[doc(inline)]
pub use spyhop_grep::{Binary, Bounds, Case, FileOrder, FileTime, OutputFormat, PrintOptions};
#[doc(inline)]
pub use spyhop_library::{
    AddPlan, AddProgress, AddReply, AddRequest, CollectedSources, DocumentRecord, FailedEntry, FailedSource,
    ImportEvent, ImportRecord, IndexSettings, IntakeClass, IntakeEvent, IntakeReply, Library, LibraryOptions,
    LibraryReply, LibraryStatus, PackageName, PlannedUpdate, RemovedSource, SourceBatch, SourceChoice,
    SourceId, SourceKind, SourceManifest, SourceOrigin, SourceReader, SourceState, SourceStatus, TakenEntry,
    UnfinishedImport, UpdateStep, UpdatedSource, VerifiedSource,
};
#[doc(inline)]
pub use spyhop_library::{LeftOutEntry, LibraryPaths, OnAddProgress, OnIntake};
#[doc(inline)]
pub use spyhop_search::filter::FilterSpec;
#[doc(inline)]
pub use spyhop_search::profile::{
    Calibration, Feature, PlaceSignal, Profile, ProfileError, QueryKind, ReportParameters, ScoreCalibration,
    Signal, Transform,
};
#[doc(inline)]
pub use spyhop_syntax::document::Heading;
#[doc(inline)]
pub use spyhop_syntax::worker::Isolation;
/// ```
/// spyhop::run_worker_if_asked();
/// let options = spyhop::Options { isolation: spyhop::Isolation::own_program(), ..Default::default() };
/// # let _ = options;
/// ```
#[doc(inline)]
pub use spyhop_syntax::worker::run_worker_if_asked;

#[doc(inline)]
pub use spyhop_base::model::{Note, SkipReason, Skipped, SymbolKind, UnknownKind};
#[doc(inline)]
pub use spyhop_base::path::{PathBase, PathError, RelPath};
/// ```
/// use spyhop::{Change, Engine, MemoryTree, Options, SearchRequest};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tree = MemoryTree::of([("src/auth.rs", "/// Resolves the key.\npub fn resolve_api_key() {}\n")])?;
/// let engine = Engine::in_memory(tree, Options::default())?;
/// let reply = engine.search(&SearchRequest::new("resolve_api_key"))?;
/// assert_eq!(reply.results[0].path.as_str(), "src/auth.rs");
///
/// // A host that knows what changed says so. The next answer indexes the changed file only.
/// engine.apply([Change::write("src/auth.rs", "pub fn resolve_token() {}\n")])?;
/// let reply = engine.search(&SearchRequest::new("resolve_token"))?;
/// assert_eq!(reply.results[0].symbol.as_deref(), Some("resolve_token"));
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_files::source::MemoryTree;
/// ```
/// use std::io;
///
/// use spyhop::{ContentId, Engine, Options, SearchRequest, SourceEntry, SourceTree};
///
/// /// The pages of a wiki, each a file in the root.
/// struct Wiki(Vec<(String, String)>);
///
/// impl SourceTree for Wiki {
///     fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
///         if !folder.is_empty() {
///             return Err(io::ErrorKind::NotFound.into());
///         }
///         let entry = |(name, text): &(String, String)| {
///             SourceEntry::file(name, text.len() as u64, ContentId::of(text.as_bytes()))
///         };
///         Ok(self.0.iter().map(entry).collect())
///     }
///
///     fn read(&self, path: &str) -> io::Result<Vec<u8>> {
///         let page = self.0.iter().find(|(name, _)| name == path);
///         page.map(|(_, text)| text.clone().into_bytes()).ok_or_else(|| io::ErrorKind::NotFound.into())
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let pages = vec![("release.md".to_string(), "# Making a release\n\nRun the checklist.\n".to_string())];
/// let engine = Engine::in_memory(Wiki(pages), Options::default())?;
/// let reply = engine.search(&SearchRequest::new("release checklist"))?;
/// assert_eq!(reply.results[0].path.as_str(), "release.md");
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_files::source::SourceTree;
#[doc(inline)]
pub use spyhop_files::source::{
    Change, ContentId, FolderTree, RevisionTree, SourceEntry, SourceEntryKind, ZipTree,
};
#[doc(inline)]
pub use spyhop_search::profile::{Bm25, Bm25Fields, Fusion};

#[doc(inline)]
pub use spyhop_base::text::{Lines, Span};
#[doc(inline)]
pub use spyhop_files::walk::IgnoreSources;
#[doc(inline)]
pub use spyhop_index::update::OnProgress;

/// README's example is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
