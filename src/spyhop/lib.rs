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
//! Replies and [`Error`] implement `Serialize`; the form is the JSON that the program prints (`docs/json.md`). With the feature
//! `serde`, requests implement `Serialize` and `Deserialize`: fields have their names, and variants of enums have theirs in kebab
//! case. A deserialized request may leave out what `new` or `default` sets; an unknown field is refused. A profile is its TOML
//! text. What lives in this process has no form: sessions, helpers of packs, and what is measured for learning weights. With the
//! feature `schema`, replies implement `schemars::JsonSchema`.
//!
//! The feature `async` adds `AsyncEngine`, whose calls can be awaited and are cancelled when their future is dropped.
//!
//! The stable API consists of the items on this page: the engine, its options, requests and replies with the types of their
//! fields, and one [`Error`] with a [`kind`](Error::kind). `docs/api.txt` lists them. Modules that this page does not show are
//! public for the program and the evaluation of this repository only; what can be named by a path through a module changes
//! without notice.

#![deny(missing_docs)]

#[doc(inline)]
pub use spyhop_base::id::{ContentHash, Generation};
#[doc(inline)]
pub use spyhop_context::goals::{Clusterer, Planner};
#[cfg(feature = "async")]
/// ```
/// use spyhop::{AsyncEngine, Options, SearchRequest};
///
/// # let folder = tempfile::tempdir()?;
/// # let tree = folder.path().join("tree");
/// # std::fs::create_dir(&tree)?;
/// # std::fs::write(tree.join("auth.rs"), "pub fn resolve_api_key() {}\n")?;
/// # let options = Options { index_dir: Some(folder.path().join("index")), ..Options::default() };
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let engine = AsyncEngine::open(tree, options).await?;
/// let reply = engine.ask(SearchRequest::new("where is the api key resolved?")).await?;
/// assert_eq!(reply.results[0].path.as_str(), "auth.rs");
/// # Ok::<(), spyhop::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(inline)]
pub use spyhop_engine::AsyncEngine;
/// ```
/// # use spyhop::{Corpus, Engine, Options, SearchRequest, SourceName};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # for (tree, code) in [("client", "pub fn send_request() {}\n"), ("server", "pub fn answer_request() {}\n")] {
/// #     std::fs::create_dir(folder.path().join(tree))?;
/// #     std::fs::write(folder.path().join(tree).join("lib.rs"), code)?;
/// # }
/// # let engine = |tree: &str| {
/// #     let index_dir = Some(folder.path().join("index").join(tree));
/// #     Engine::open(folder.path().join(tree), Options { index_dir, ..Options::default() })
/// # };
/// let corpus = Corpus::new([
///     (SourceName::new("client"), engine("client")?),
///     (SourceName::new("server"), engine("server")?),
/// ])?;
/// let reply = corpus.ask(&SearchRequest::new("where is a request answered?"))?;
/// assert_eq!(reply.results[0].source, Some(SourceName::new("server")));
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_engine::Corpus;
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tree = folder.path().join("tree");
/// # std::fs::create_dir(&tree)?;
/// # std::fs::write(tree.join("up.py"), "def retry_limit():\n    return 3\n")?;
/// # let options = spyhop::Options { index_dir: Some(folder.path().join("index")), ..spyhop::Options::default() };
/// # let engine = spyhop::Engine::open(&tree, options)?;
/// use spyhop::{AddNoteRequest, NoteKind, SearchNotesRequest};
///
/// let mut note = AddNoteRequest::new(NoteKind::Failure, "How many retries of an upload the server allows: 3");
/// note.links.push("up.py#retry_limit".to_string());
/// engine.ask(&note)?;
///
/// let found = engine.ask(&SearchNotesRequest::new("how many retries of an upload are allowed"))?;
/// assert_eq!(found.notes[0].links[0].state, spyhop::LinkState::Current);
///
/// std::fs::write(tree.join("up.py"), "def retry_limit():\n    return 9\n")?;
/// let found = engine.ask(&SearchNotesRequest::new("how many retries of an upload are allowed"))?;
/// assert_eq!(found.notes[0].links[0].state, spyhop::LinkState::Changed);
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_engine::api::AddNoteRequest;
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let tree = tempfile::tempdir()?;
/// # std::fs::write(tree.path().join("package.json"), r#"{"scripts": {"build": "tsc -b"}}"#)?;
/// # let options = spyhop::Options { index_dir: Some(tree.path().join("index")), ..spyhop::Options::default() };
/// # let engine = spyhop::Engine::open(tree.path(), options)?;
/// use spyhop::{EntriesRequest, EntryKind};
///
/// let reply = engine.ask(&EntriesRequest::new(EntryKind::Command, "build"))?;
/// assert_eq!((reply.rows[0].name.as_str(), reply.rows[0].handler.as_str()), ("build", "tsc -b"));
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_engine::api::EntriesRequest;
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let tree = tempfile::tempdir()?;
/// # std::fs::write(tree.path().join("pool.py"), "def take():\n    return 1\n\ndef run():\n    return take()\n")?;
/// # let options = spyhop::Options { index_dir: Some(tree.path().join("index")), ..spyhop::Options::default() };
/// # let engine = spyhop::Engine::open(tree.path(), options)?;
/// use spyhop::{GraphQuestion, GraphRequest};
///
/// let reply = engine.ask(&GraphRequest::new(GraphQuestion::Callers, "take"))?;
/// let caller = reply.rows[0].from.as_ref().unwrap();
/// assert_eq!((caller.name.as_str(), reply.rows[0].line), ("run", 5));
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_engine::api::GraphRequest;
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
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let tree = tempfile::tempdir()?;
/// # std::fs::write(tree.path().join("up.py"), "def retry_limit():\n    return 3\n\ndef other():\n    pass\n")?;
/// # let options = spyhop::Options { index_dir: Some(tree.path().join("index")), ..spyhop::Options::default() };
/// # let engine = spyhop::Engine::open(tree.path(), options)?;
/// use spyhop::PackRequest;
///
/// let pack = engine.ask(&PackRequest::new("raise the retry limit of uploads"))?;
/// assert_eq!(pack.files[0].units[0].symbol.as_deref(), Some("retry_limit"));
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_engine::api::PackRequest;
/// ```
/// # use spyhop::{ActivitySource, Call, Engine, Options, SearchRequest, Session};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tree = folder.path().join("tree");
/// # std::fs::create_dir(&tree)?;
/// # std::fs::write(tree.join("auth.rs"), "pub fn resolve_api_key() {}\n")?;
/// # let engine = Engine::open(&tree, Options { index_dir: Some(folder.path().join("i")), ..Options::default() })?;
/// let session = Session::new();
/// let call = Call::default().with_session(ActivitySource::Session(session.clone()));
/// let mut request = SearchRequest::new("api key");
/// request.dedupe = true;
/// let reply = engine.call(&request, &call)?;
/// session.record_reply(&request, &reply); // the caller has it now
/// let again = engine.call(&request, &call)?;
/// assert!(reply.results[0].snippet.is_some() && again.results[0].snippet.is_none());
/// assert_eq!(again.results[0].sent_before.as_ref().unwrap().result, 1);
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_engine::api::Session;
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let tree = tempfile::tempdir()?;
/// # std::fs::write(tree.path().join("pool.py"), "class Pool:\n    def take_permit(self):\n        return 1\n")?;
/// # let options = spyhop::Options { index_dir: Some(tree.path().join("index")), ..spyhop::Options::default() };
/// # let engine = spyhop::Engine::open(tree.path(), options)?;
/// let reply = engine.ask(&spyhop::SymbolsRequest::new("tkperm"))?;
/// assert_eq!(reply.symbols[0].name, "take_permit");
/// assert_eq!(reply.symbols[0].container.as_deref(), Some("Pool"));
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_engine::api::SymbolsRequest;
#[doc(inline)]
pub use spyhop_engine::api::{
    ALL_ROWS, ActivitySource, AffectedTest, Applicability, BadLine, Band, BuildEstimate, CallPolicy,
    CheckupRequest, ContextLine, DefinitionCode, EnabledModel, Enclosing, EntriesReply, EntryKind, EntryRow,
    ExplainSkipsRequest, Explanation, ExportNotesRequest, ExportedNotes, FileActivity, FileMatch, FilePlaces,
    FileRow, FilesReply, FilesRequest, Gap, GraphChanges, GraphEnd, GraphPlace, GraphQuestion, GraphReply,
    GraphRow, GrepLine, GrepReply, GrepRequest, Hit, ImportNotesRequest, ImportedNotes, LanguageRow,
    Languages, LanguagesRequest, LeftOutPlace, LeftOutReason, LineRange, LinkRow, LinkState,
    ListNotesRequest, MapEntry, MapReply, MapRequest, MapSymbol, MentionPart, MentionReason, MentionRow,
    Mentions, Mode, NamedStatus, NoteKind, NoteLink, NoteReason, NoteRow, NotesReply, OnMissing, Options,
    PackBackup, PackDiagnostics, PackFile, PackGoal, PackLine, PackMode, PackPair, PackRegion, PackReply,
    PackStages, PackTrace, PackUnit, PathOutcome, PlaceCandidate, PlaceCandidates, PlaceMeaning, Progress,
    Provenance, RankedCandidate, RankedCandidates, ReadReply, ReadRequest, ReadText, Reason, RefreshReport,
    RetireNoteRequest, Retirement, RevisionNote, SearchBatch, SearchNotesRequest, SearchReply, SearchRequest,
    SemanticAction, SemanticReply, SemanticRequest, Sent, SentFile, ShowNoteRequest, SkippedReply,
    SkippedRequest, SkippedRow, Snapshot, Snippet, SourceName, SourcePackage, SourceSnapshot, SourceStatuses,
    Stage, StalePolicy, State, Status, StatusReply, StatusRequest, SymbolChoices, SymbolRow, SymbolsReply,
    UnreadMentions, UnreadReason, Verdict, Verification, Verifier, VerifyNoteRequest, ViewsRequest,
    WatchEvent, WhyNot, WhyNotRequest,
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
pub use spyhop_engine::{Call, Cancel, CorpusMember, Engine, Error, ErrorKind, MaskTexts, Operation, Stop};
#[doc(inline)]
pub use spyhop_graph::{EdgeRule, Relation};
#[doc(inline)]
pub use spyhop_grep::{Binary, Bounds, Case, FileOrder, FileTime, OutputFormat, PrintOptions};
/// ```
/// # use spyhop::{AddRequest, Library, LibraryOptions, Options, SearchRequest};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let tree = folder.path().join("tree");
/// # std::fs::create_dir(&tree)?;
/// # std::fs::write(tree.join("auth.rs"), "pub fn resolve_api_key() {}\n")?;
/// let options = LibraryOptions { root: Some(folder.path().join("library")), ..LibraryOptions::default() };
/// let library = Library::open(options)?;
/// let request = AddRequest { name: Some("auth".into()), ..AddRequest::new(tree.to_str().unwrap()) };
/// library.add(&request, &Options::default(), &|_| ())?;
/// let reply = library.engine("auth", Options::default())?.search(&SearchRequest::new("api key"))?;
/// assert_eq!(reply.results[0].path.as_str(), "auth.rs");
/// # Ok(())
/// # }
/// ```
#[doc(inline)]
pub use spyhop_library::Library;
#[doc(inline)]
pub use spyhop_library::{
    AddPlan, AddProgress, AddReply, AddRequest, CollectedSources, DocumentRecord, FailedEntry, FailedSource,
    ImportEvent, ImportRecord, IndexSettings, IntakeClass, IntakeEvent, IntakeReply, LibraryOptions,
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
    ScoreInput, Signal, Transform,
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
