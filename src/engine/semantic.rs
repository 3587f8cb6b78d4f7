//! Vectors of a model: what is enabled for the tree, what a build sends, and how searches come by them.
//!
//! The crate `semantic` has the providers and the files; this module selects the files of the tree. A file is sent only if
//! it is ranked in the view, its name says nothing of secrets, and its text is the indexed text, with secrets masked
//! whatever the policy says.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::current;
use super::open_index::Viewed;
use super::operation::Operation;
use super::source::ReplySources;
use crate::cancel;
use crate::error::{Error, ErrorKind};
use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;
use spyhop_base::store;
use spyhop_files::walk;
use spyhop_grep::secrets::{self, SecretMask};
use spyhop_index::update::{OnProgress, tell_waiting};
use spyhop_search::{CurrentFile, SearchSnapshot, SimilarTexts, Similarity};
use spyhop_semantic::{
    BuildProgress, BuildText, DatabaseSettings, EndpointSettings, ExpansionSettings, FolderSettings,
    ProviderSettings, QdrantSettings, RerankSettings, SemanticError, SemanticSettings, StoredKind,
    StoredVectors,
};

/// Vectors of one tree. Errors: `NotBuilt` and `NotEnabled` as `BadRequest`; those of the provider; `Locked`.
impl Operation for SemanticRequest {
    const NAME: &'static str = "semantic";

    type Reply = SemanticReply;

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<SemanticReply, Error> {
        let engine = corpus.only(Self::NAME, "vectors are those of one tree")?;
        let folder = engine.semantic().path();
        self.check_ready(engine)?;
        let done = match self.action {
            SemanticAction::Enable => return enable(engine, self, call),
            SemanticAction::Disable | SemanticAction::Purge => {
                let mut done = match SemanticSettings::remove(folder)? {
                    true => "disabled".to_string(),
                    false => "nothing was enabled".to_string(),
                };
                if self.action == SemanticAction::Purge {
                    let bytes = store::bytes_below(folder);
                    store::remove_folder(folder)?;
                    done += &format!("; removed {bytes} bytes of vectors");
                }
                return Ok(SemanticReply { done: Some(done), ..state(engine)? });
            }
            SemanticAction::Build if !self.dry_run => Some(build(engine, call)?),
            _ => None,
        };
        let reply = SemanticReply { done, ..state(engine)? };
        let kinds = kinds(engine)?;
        if self.action == SemanticAction::Status && (!reply.built || kinds.is_empty()) {
            return Ok(reply);
        }
        let listed = self.action == SemanticAction::Build && self.dry_run;
        current::with_snapshot(engine, call.progress(), |snapshot, freshness| {
            let selection = Selection::of(snapshot)?;
            let mut reply = SemanticReply { warnings: freshness.warnings, ..reply.clone() };
            for kind in &kinds {
                selection.describe((engine, snapshot), *kind, listed, &mut reply)?;
            }
            Ok(reply)
        })
    }
}

impl SemanticRequest {
    /// Refuses what needs vectors in a program without them or a tree without an opt-in, before the tree is looked at.
    fn check_ready(&self, engine: &Engine) -> Result<(), Error> {
        let is_enable = self.action == SemanticAction::Enable;
        if !is_enable && !matches!(self.action, SemanticAction::Estimate | SemanticAction::Build) {
            return Ok(());
        }
        if !spyhop_semantic::IS_BUILT {
            return Err(SemanticError::NotBuilt("dense-embed").into());
        }
        if !is_enable && kinds(engine)?.is_empty() {
            return Err(SemanticError::NotEnabled.into());
        }
        Ok(())
    }
}

/// The kinds of rows that the tree has opted in to.
pub(super) fn kinds(engine: &Engine) -> Result<Vec<StoredKind>, SemanticError> {
    Ok(SemanticSettings::read(engine.semantic().path())?.unwrap_or_default().kinds())
}

impl Engine {
    /// Whether the database of ChunkHound at `path` is the one whose vectors the tree has opted in to; `None` if the path
    /// names no such database.
    ///
    /// # Errors
    /// The database is missing, or the tree has not opted in to it; the message says how to make it or to opt in.
    pub fn database(&self, path: &Path) -> Option<Result<(), Error>> {
        let found = self.semantic().database(path, self.root())?;
        Some(found.map_err(Error::from))
    }
}

/// What is enabled, without a look at the tree.
fn state(engine: &Engine) -> Result<SemanticReply, Error> {
    let settings = SemanticSettings::read(engine.semantic().path())?.unwrap_or_default();
    let enabled = settings.provider.as_ref().map(|own| EnabledModel {
        model: own.model(),
        target: own.target(),
        sends: own.sends(),
    });
    let reranker = settings.rerank.as_ref().map(|own| EnabledModel {
        model: own.model(),
        target: own.target(),
        sends: own.sends(),
    });
    let expander = settings.expansion.map(|own| EnabledModel {
        model: own.model(),
        target: own.folder.display().to_string(),
        sends: false,
    });
    let database = settings.chunkhound.map(|own| own.database);
    let built = spyhop_semantic::IS_BUILT;
    let qdrant = settings.qdrant.map(|own| own.url);
    Ok(SemanticReply { built, enabled, expander, reranker, database, qdrant, ..SemanticReply::default() })
}

/// The model that is enabled for a tree, and where its texts go, as a line of the status.
pub(super) fn shown(engine: &Engine) -> Option<String> {
    if !spyhop_semantic::IS_BUILT {
        return None;
    }
    match SemanticSettings::read(engine.semantic().path()) {
        Ok(settings) => {
            let SemanticSettings { provider, expansion, rerank, .. } = settings?;
            let of_vectors = provider.map(|own| format!("{} at {}", own.model(), own.target()));
            let of_words =
                expansion.map(|own| format!("words by {} at {}", own.model(), own.folder.display()));
            let of_rerank = rerank.map(|own| format!("reranking by {} at {}", own.model(), own.target()));
            Some([of_vectors, of_words, of_rerank].into_iter().flatten().collect::<Vec<_>>().join("; "))
        }
        Err(error) => Some(error.to_string()),
    }
}

/// The comparison of texts of several trees: `None` unless all have opted in to vectors or expansions of one model, since
/// similarities to different models cannot be ordered. Each tree's settings permit that the question goes to the model.
pub(super) fn similar_in_all<'e>(
    kind: StoredKind,
    engines: impl Iterator<Item = &'e Engine>,
) -> Option<Arc<dyn SimilarTexts>> {
    if !spyhop_semantic::IS_BUILT {
        return None;
    }
    let mut all: Vec<Arc<dyn SimilarTexts>> = Vec::new();
    let mut first: Option<SemanticSettings> = None;
    for engine in engines {
        let settings = SemanticSettings::read(engine.semantic().path()).ok()??;
        let is_equal = |first: &SemanticSettings| match kind {
            StoredKind::Vectors => {
                (&first.provider, first.stored_dimensions) == (&settings.provider, settings.stored_dimensions)
            }
            StoredKind::Expansions => first.expansion == settings.expansion,
        };
        if first.as_ref().is_some_and(|first| !is_equal(first)) {
            return None;
        }
        first.get_or_insert(settings);
        all.push(engine.semantic().similar(kind)?);
    }
    (!all.is_empty()).then(|| Arc::new(SimilarInAll(all)) as Arc<dyn SimilarTexts>)
}

/// The rows of several trees. A content has the rows of the first tree that knows the content.
struct SimilarInAll(Vec<Arc<dyn SimilarTexts>>);

impl SimilarTexts for SimilarInAll {
    fn model(&self) -> &str {
        self.0[0].model()
    }

    fn prepare(&self, questions: &[&str]) {
        self.0.iter().for_each(|own| own.prepare(questions));
    }

    fn compare(&self, question: &str, contents: &[ContentHash]) -> Result<Vec<Option<Similarity>>, String> {
        let mut of_trees = self.0.iter().map(|own| own.compare(question, contents));
        let mut all = of_trees.next().expect("one tree or more")?;
        for of_tree in of_trees {
            all.iter_mut().zip(of_tree?).for_each(|(known, more)| *known = known.take().or(more));
        }
        Ok(all)
    }
}

/// Opts in.
fn enable(engine: &Engine, asked: &SemanticRequest, call: &Call<'_>) -> Result<SemanticReply, Error> {
    let settings = settings(engine, asked)?;
    let workspace = engine.index().workspace();
    // The folder of the index is claimed for the tree before anything is written there.
    let lock = workspace.lock(engine.policy().wait, &mut tell_waiting(call.progress()))?;
    let done = engine.semantic().enable(&settings)?;
    drop(lock);
    let mut reply = SemanticReply { done: Some(format!("enabled: {done}")), ..state(engine)? };
    if let Some(own) = settings.provider.filter(ProviderSettings::sends) {
        reply.warnings.push(format!(
            "'spyhop semantic build' and each search send text to {}; 'spyhop semantic build --dry-run' lists what is sent",
            own.target()
        ));
    }
    if let Some(own) = settings.qdrant.filter(QdrantSettings::sends) {
        reply.warnings.push(format!("'spyhop semantic build' sends vectors of texts to {}", own.url));
    }
    if let Some(own) = settings.rerank.filter(RerankSettings::sends) {
        reply.warnings.push(format!("each search sends parts of its first files to {}", own.target()));
    }
    Ok(reply)
}

/// The settings after an opt-in: to vectors, to a server for them, to expansions or to reranking. The others stay as they were.
fn settings(engine: &Engine, asked: &SemanticRequest) -> Result<SemanticSettings, Error> {
    // Settings that cannot be read are written anew.
    let kept = SemanticSettings::read(engine.semantic().path()).ok().flatten().unwrap_or_default();
    let SemanticRequest { table, local_model, expansion_folder, rerank_url, rerank_folder, .. } = asked;
    let names = [
        ("--table", table.is_some()),
        ("--local-model", local_model.is_some()),
        ("--base-url", asked.base_url.is_some()),
        ("--qdrant-url", asked.qdrant_url.is_some()),
        ("--expansion-folder", expansion_folder.is_some()),
        ("--rerank-url", rerank_url.is_some()),
        ("--rerank-folder", rerank_folder.is_some()),
    ];
    let given: Vec<&str> = names.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name).collect();
    if given.len() > 1 {
        return Err(Error::bad(format!(
            "{} each name a model; give one of them at a time",
            given.join(" and ")
        )));
    }
    let (key_variable, key_file) =
        (asked.key_variable.clone(), asked.key_file.as_deref().map(absolute).transpose()?);
    if let Some(url) = &asked.qdrant_url {
        let (url, collection) = (url.trim_end_matches('/').to_string(), asked.qdrant_collection.clone());
        let qdrant = Some(QdrantSettings { url, collection, key_variable, key_file });
        return Ok(SemanticSettings { qdrant, ..kept });
    }
    let rerank = match (rerank_url, rerank_folder, &asked.rerank_model) {
        (Some(url), _, Some(model)) => Some(RerankSettings::endpoint(url, model, key_variable, key_file)),
        (Some(_), _, None) => return Err(Error::bad("name the model by --rerank-model")),
        (None, Some(folder), _) => Some(RerankSettings::folder(absolute(folder)?)),
        (None, None, Some(_)) => return Err(Error::bad("--rerank-model is the model of --rerank-url")),
        (None, None, None) => None,
    };
    if rerank.is_some() {
        return Ok(SemanticSettings { rerank, ..kept });
    }
    if let Some(folder) = expansion_folder {
        let expansion = Some(ExpansionSettings::new(absolute(folder)?));
        return Ok(SemanticSettings { expansion, ..kept });
    }
    let folder = |folder: &Path| Ok::<_, Error>(FolderSettings { folder: absolute(folder)? });
    let provider = match (table, local_model) {
        (Some(table), _) => ProviderSettings::Model2vec(folder(table)?),
        (_, Some(model)) => ProviderSettings::Local(folder(model)?),
        _ => ProviderSettings::Openai(endpoint(asked)?),
    };
    let database = asked.chunkhound.as_deref().map(absolute).transpose()?;
    let chunkhound = database.map(|database| {
        DatabaseSettings::new(database, asked.chunkhound_provider.clone(), asked.duckdb.clone())
    });
    Ok(SemanticSettings { provider: Some(provider), chunkhound, ..kept })
}

fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(|error| Error::bad(error.to_string()))
}

fn endpoint(asked: &SemanticRequest) -> Result<EndpointSettings, Error> {
    let SemanticRequest { base_url, model, dimensions, .. } = asked;
    let mut endpoint = EndpointSettings::new(base_url.as_deref(), model.as_deref(), *dimensions)?;
    if let Some(variable) = &asked.key_variable {
        endpoint.key_variable = Some(variable.clone());
    }
    endpoint.key_file = asked.key_file.as_deref().map(absolute).transpose()?;
    endpoint.max_tokens = asked.max_tokens;
    endpoint.concurrency = asked.concurrency.unwrap_or(endpoint.concurrency);
    if let Some(text) = &asked.price {
        let price = text.parse::<f64>().ok().filter(|price| price.is_finite() && *price >= 0.0);
        endpoint.price =
            Some(price.ok_or_else(|| Error::bad(format!("price is '{text}'; give a number such as 0.02")))?);
    }
    Ok(endpoint)
}

/// The files of a view that can have vectors and expansions.
struct Selection {
    /// By number in the snapshot, each content once.
    files: Vec<u32>,
    contents: Vec<ContentHash>,
    /// Files whose names say that they hold secrets.
    secret: Vec<RelPath>,
}

impl Selection {
    fn of(snapshot: &SearchSnapshot) -> Result<Selection, Error> {
        let (mut seen, mut secret) = (FxHashSet::default(), Vec::new());
        let (mut files, mut contents) = (Vec::new(), Vec::new());
        for file in 0..snapshot.n_files() as u32 {
            let version = snapshot.version(file);
            let Some(content) = version.content().ranked() else { continue };
            if walk::holds_secrets(version.path()) {
                secret.push(RelPath::new(version.path())?);
            } else if seen.insert(content) {
                files.push(file);
                contents.push(content);
            }
        }
        secret.sort();
        Ok(Selection { files, contents, secret })
    }

    /// The files that lack what is to be stored, and what a build of it would send.
    fn lacking(
        &self,
        (engine, snapshot): (&Engine, &SearchSnapshot),
        kind: StoredKind,
    ) -> Result<(Vec<u32>, spyhop_semantic::Estimate), Error> {
        let lacks = engine.semantic().lacking(kind, &self.contents)?;
        let files: Vec<u32> =
            self.files.iter().zip(lacks).filter(|(_, lacks)| *lacks).map(|(file, _)| *file).collect();
        let bytes = files.iter().map(|file| snapshot.version(*file).bytes()).sum();
        let estimate = engine.semantic().estimate(kind, (files.len(), bytes))?;
        Ok((files, estimate))
    }

    fn describe(
        &self,
        (engine, snapshot): (&Engine, &SearchSnapshot),
        kind: StoredKind,
        lists: bool,
        reply: &mut SemanticReply,
    ) -> Result<(), Error> {
        let stored = engine.semantic().stored(kind)?;
        let (lacking, estimate) = self.lacking((engine, snapshot), kind)?;
        (reply.files, reply.bytes) = (self.files.len(), stored.bytes);
        let with = self.files.len() - lacking.len();
        match kind {
            StoredKind::Vectors => (reply.files_with_vectors, reply.vectors) = (with, stored.rows),
            StoredKind::Expansions => (reply.files_with_expansions, reply.expansions) = (with, stored.rows),
        }
        reply.warnings.extend(damage(kind, &stored));
        let spyhop_semantic::Estimate { files, bytes, tokens, cost, cap } = estimate;
        // Nothing is sent for expansions, if there are vectors as well.
        reply.estimate.get_or_insert(BuildEstimate { files, bytes, tokens, cost, max_tokens: cap });
        if lists {
            for file in lacking {
                let version = snapshot.version(file);
                reply
                    .would_send
                    .push(SentFile { path: RelPath::new(version.path())?, bytes: version.bytes() });
            }
            reply.would_send.sort_by(|a, b| a.path.cmp(&b.path));
            reply.would_send.dedup_by(|a, b| a.path == b.path);
            reply.never_sent.clone_from(&self.secret);
        }
        Ok(())
    }
}

/// The warning about damaged rows, if there are any.
pub(super) fn damage(kind: StoredKind, stored: &StoredVectors) -> Option<String> {
    let StoredVectors { damaged, .. } = stored;
    (*damaged > 0)
        .then(|| format!("{damaged} {} are damaged; 'spyhop semantic build' makes them anew", kind.name()))
}

/// Makes the vectors and expansions that are missing. Returns what was done.
fn build(engine: &Engine, call: &Call<'_>) -> Result<String, Error> {
    current::with_snapshot(engine, call.progress(), |snapshot, _| {
        let selection = Selection::of(snapshot)?;
        let of_kind = |kind| build_kind(&selection, (engine, snapshot), kind, call.progress());
        let done = kinds(engine)?.into_iter().map(of_kind).collect::<Result<Vec<_>, _>>()?;
        Ok(done.join("; "))
    })
}

fn build_kind(
    selection: &Selection,
    (engine, snapshot): (&Engine, &SearchSnapshot),
    kind: StoredKind,
    progress: OnProgress<'_>,
) -> Result<String, Error> {
    let (lacking, estimate) = selection.lacking((engine, snapshot), kind)?;
    let tree = engine.tree().source_of(Viewed::from_snapshot(snapshot))?;
    let sources = ReplySources::new(tree, snapshot);
    let mut changed = 0;
    let mut texts = lacking.into_iter().filter_map(|file| {
        if cancel::check().is_err() {
            return Some(Err(SemanticError::Cancelled));
        }
        let text = build_text(snapshot, &sources, file);
        changed += usize::from(text.is_none());
        text.map(Ok)
    });
    let progress = progress_of(progress, &estimate);
    let report = engine.semantic().build(kind, &estimate, &mut texts, &progress)?;
    drop(texts);
    let spyhop_semantic::BuildReport { files, sent, known, tokens, taken } = report;
    let mut done = match kind {
        _ if taken > 0 => {
            format!("{files} files: {taken} stored vectors taken, {sent} parts sent; {known} had vectors")
        }
        StoredKind::Vectors => {
            format!("{files} files: {sent} parts sent, about {tokens} tokens; {known} had vectors")
        }
        StoredKind::Expansions => format!("{files} files: {sent} parts expanded; {known} had expansions"),
    };
    if changed > 0 {
        done += &format!("; {changed} files have changed since they were indexed and were left out");
    }
    Ok(done)
}

/// The text of a file with its secrets masked; `None` if it is not the indexed text.
fn build_text(snapshot: &SearchSnapshot, sources: &ReplySources<'_>, file: u32) -> Option<BuildText> {
    let version = snapshot.version(file);
    let CurrentFile::Text(text) = sources.read(file, None, false) else { return None };
    let mut names = Vec::new();
    let outline = version.outline(&mut names).ok()?;
    let mask = SecretMask::new(version.path(), false, secrets::blocks(text.as_bytes()));
    let masked = secrets::mask_lines(&text, 0..text.len(), &mask).into_owned();
    let starts = outline.symbols.iter().map(|symbol| symbol.span.start).collect();
    let path = version.path().to_string();
    Some(BuildText { path, content: version.content().ranked()?, text: masked, starts })
}

/// Tells the progress of a build.
fn progress_of<'p>(
    progress: OnProgress<'p>,
    estimate: &spyhop_semantic::Estimate,
) -> impl Fn(BuildProgress) + Sync + 'p {
    let (total_files, total_bytes) = (estimate.files, estimate.bytes);
    move |done| {
        let BuildProgress { files, bytes } = done;
        let mut made = Progress::new(Stage::Vectors);
        (made.files, made.bytes, made.total_files, made.total_bytes) =
            (files, bytes, total_files, total_bytes);
        progress(made);
    }
}

impl From<SemanticError> for Error {
    fn from(error: SemanticError) -> Error {
        Error::caused_by(kind_of(&error), error)
    }
}

fn kind_of(error: &SemanticError) -> ErrorKind {
    match error {
        SemanticError::Provider { .. } => ErrorKind::Unreachable,
        SemanticError::Cancelled => ErrorKind::Cancelled,
        SemanticError::Lock(_) => ErrorKind::Locked,
        SemanticError::File(_) => ErrorKind::Io,
        SemanticError::Ended { cause, .. } => kind_of(cause),
        _ => ErrorKind::BadRequest,
    }
}
