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
//! The stable API consists of the items that this page re-exports, and of the types of their public fields, parameters and
//! return values: the engine, its options, requests and replies, and one [`Error`] with a [`kind`](Error::kind). Some
//! of these types are not re-exported and can be named only by a path through a module. The types are stable, but these
//! paths are not. The modules are public for the command line and the evaluation programs of this repository. All other
//! items of the modules change without notice.

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "module docs lead readers of the code; `cargo doc --document-private-items` resolves the links"
)]

pub use engine::api::{
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
pub use engine::api::{ExtraTerms, HostSignal, HostSignals, SignalInput, SignalValue, TokenizerHook};
pub use engine::{Engine, Error, ErrorKind, SetSource, SourceSet, Stop};
pub use filter::FilterSpec;
pub use library::{
    AddPlan, AddProgress, AddReply, AddRequest, CollectedSources, DocumentRecord, FailedEntry, FailedSource,
    ImportEvent, ImportRecord, IndexSettings, IntakeClass, IntakeEvent, IntakeReply, Library, LibraryOptions,
    LibraryReply, LibraryStatus, PackageName, RemovedSource, SourceBatch, SourceChoice, SourceId, SourceKind,
    SourceManifest, SourceOrigin, SourceReader, SourceState, SourceStatus, TakenEntry, UnfinishedImport,
    UpdatedSource, VerifiedSource,
};
pub use profile::{
    Calibration, Feature, PlaceSignal, Profile, ProfileError, QueryKind, ReportParameters, ScoreCalibration,
    Signal, Transform,
};
pub use worker::{Isolation, WorkerPool, run_worker_if_asked};

pub use path::RelPath;
pub use source::{
    Change, ContentId, FolderTree, MemoryTree, RevisionTree, SourceEntry, SourceEntryKind, SourceTree,
    ZipTree,
};

// The floors, lowest first. Each module imports only from floors below (`tests/architecture.rs`).
mod cores;
pub mod id;
pub mod path;
mod similar;
pub mod text;
mod time;

pub mod clean;
mod gitdir;
pub mod model;
mod parallel;
pub mod tree;

pub mod git;
pub mod grammar;
pub mod profile;
pub mod query;
pub mod read;
pub mod secrets;
pub mod store;
pub mod tokenize;
pub mod walk;

pub mod analyze;
pub mod document;
pub mod filter;
pub mod fuzzy;
pub mod snippet;
pub mod source;
pub mod watch;

pub mod goals;
pub mod index;
pub mod memory;
pub mod meta;
mod pack;
pub mod session;
pub mod worker;

pub mod grep;
pub mod workspace;

pub mod graph;
pub mod retention;
pub mod search;

pub mod update;

pub mod archive;

pub mod engine;

pub mod library;

pub mod catalog;
pub mod render;

pub mod operations;

/// README's example is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
