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
    BuildProgress, BuildText, DatabaseSettings, EndpointSettings, FolderSettings, ProviderSettings,
    RerankSettings, SemanticError, SemanticSettings,
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
        if self.action == SemanticAction::Status && (!reply.built || reply.enabled.is_none()) {
            return Ok(reply);
        }
        let listed = self.action == SemanticAction::Build && self.dry_run;
        current::with_snapshot(engine, call.progress(), |snapshot, freshness| {
            let selection = Selection::of(engine, snapshot)?;
            let mut reply = SemanticReply { warnings: freshness.warnings, ..reply.clone() };
            selection.describe((engine, snapshot), listed, &mut reply)?;
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
        let settings = SemanticSettings::read(engine.semantic().path());
        if !is_enable && settings?.and_then(|settings| settings.provider).is_none() {
            return Err(SemanticError::NotEnabled.into());
        }
        Ok(())
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
    let database = settings.chunkhound.map(|own| own.database);
    let built = spyhop_semantic::IS_BUILT;
    Ok(SemanticReply { built, enabled, reranker, database, ..SemanticReply::default() })
}

/// The model that is enabled for a tree, and where its texts go, as a line of the status.
pub(super) fn shown(engine: &Engine) -> Option<String> {
    if !spyhop_semantic::IS_BUILT {
        return None;
    }
    match SemanticSettings::read(engine.semantic().path()) {
        Ok(settings) => {
            let SemanticSettings { provider, rerank, .. } = settings?;
            let of_vectors = provider.map(|own| format!("{} at {}", own.model(), own.target()));
            let of_rerank = rerank.map(|own| format!("reranking by {} at {}", own.model(), own.target()));
            Some(of_vectors.into_iter().chain(of_rerank).collect::<Vec<_>>().join("; "))
        }
        Err(error) => Some(error.to_string()),
    }
}

/// What compares texts of several trees: `None` unless all have opted in to vectors of one model, since similarities to
/// different models cannot be ordered. Each tree's settings permit that the question goes to the model.
pub(super) fn similar_in_all<'e>(engines: impl Iterator<Item = &'e Engine>) -> Option<Arc<dyn SimilarTexts>> {
    if !spyhop_semantic::IS_BUILT {
        return None;
    }
    let mut all: Vec<Arc<dyn SimilarTexts>> = Vec::new();
    let mut first: Option<SemanticSettings> = None;
    for engine in engines {
        let settings = SemanticSettings::read(engine.semantic().path()).ok()??;
        let key = |own: &SemanticSettings| (own.provider.clone(), own.stored_dimensions);
        if first.as_ref().is_some_and(|first| key(first) != key(&settings)) {
            return None;
        }
        first.get_or_insert(settings);
        all.push(engine.semantic().similar()?);
    }
    (!all.is_empty()).then(|| Arc::new(SimilarInAll(all)) as Arc<dyn SimilarTexts>)
}

/// The vectors of several trees. A content has those of the first tree that knows the content.
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
            all.iter_mut().zip(of_tree?).for_each(|(known, more)| *known = known.or(more));
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
    if let Some(own) = settings.rerank.filter(RerankSettings::sends) {
        reply.warnings.push(format!("each search sends parts of its first files to {}", own.target()));
    }
    Ok(reply)
}

/// The settings after an opt-in: to vectors or to reranking. The other one stays as it was.
fn settings(engine: &Engine, asked: &SemanticRequest) -> Result<SemanticSettings, Error> {
    // Settings that cannot be read are written anew.
    let kept = SemanticSettings::read(engine.semantic().path()).ok().flatten().unwrap_or_default();
    let SemanticRequest { table, local_model, rerank_url, rerank_folder, .. } = asked;
    let names = [
        ("--table", table.is_some()),
        ("--local-model", local_model.is_some()),
        ("--base-url", asked.base_url.is_some()),
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
    let rerank = match (rerank_url, rerank_folder, &asked.rerank_model) {
        (Some(url), _, Some(model)) => {
            let key_file = asked.key_file.as_deref().map(absolute).transpose()?;
            Some(RerankSettings::endpoint(url, model, asked.key_variable.clone(), key_file))
        }
        (Some(_), _, None) => return Err(Error::bad("name the model by --rerank-model")),
        (None, Some(folder), _) => Some(RerankSettings::folder(absolute(folder)?)),
        (None, None, Some(_)) => return Err(Error::bad("--rerank-model is the model of --rerank-url")),
        (None, None, None) => None,
    };
    if rerank.is_some() {
        return Ok(SemanticSettings { rerank, ..kept });
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

/// The files of a view that can have vectors.
struct Selection {
    /// By number in the snapshot, each content once, and whether it lacks vectors.
    files: Vec<(u32, ContentHash, bool)>,
    /// Files whose names say that they hold secrets.
    secret: Vec<RelPath>,
}

impl Selection {
    fn of(engine: &Engine, snapshot: &SearchSnapshot) -> Result<Selection, Error> {
        let (mut seen, mut files, mut secret) = (FxHashSet::default(), Vec::new(), Vec::new());
        for file in 0..snapshot.n_files() as u32 {
            let version = snapshot.version(file);
            let Some(content) = version.content().ranked() else { continue };
            if walk::holds_secrets(version.path()) {
                secret.push(RelPath::new(version.path())?);
            } else if seen.insert(content) {
                files.push((file, content));
            }
        }
        let contents: Vec<ContentHash> = files.iter().map(|(_, content)| *content).collect();
        let lacking = engine.semantic().lacking(&contents)?;
        let files = files.into_iter().zip(lacking).map(|((file, content), lacks)| (file, content, lacks));
        secret.sort();
        Ok(Selection { files: files.collect(), secret })
    }

    fn lacking(&self) -> impl Iterator<Item = u32> {
        self.files.iter().filter(|(_, _, lacks)| *lacks).map(|(file, ..)| *file)
    }

    /// What a build would send.
    fn estimate(
        &self,
        engine: &Engine,
        snapshot: &SearchSnapshot,
    ) -> Result<spyhop_semantic::Estimate, Error> {
        let bytes = self.lacking().map(|file| snapshot.version(file).bytes()).sum();
        Ok(engine.semantic().estimate(self.lacking().count(), bytes)?)
    }

    fn describe(
        &self,
        (engine, snapshot): (&Engine, &SearchSnapshot),
        lists: bool,
        reply: &mut SemanticReply,
    ) -> Result<(), Error> {
        let stored = engine.semantic().stored()?;
        let estimate = self.estimate(engine, snapshot)?;
        reply.files = self.files.len();
        reply.files_with_vectors = self.files.len() - estimate.files;
        (reply.vectors, reply.bytes) = (stored.rows, stored.bytes);
        if stored.damaged > 0 {
            let text =
                format!("{} vectors are damaged; 'spyhop semantic build' makes them anew", stored.damaged);
            reply.warnings.push(text);
        }
        let spyhop_semantic::Estimate { files, bytes, tokens, cost, cap } = estimate;
        reply.estimate = Some(BuildEstimate { files, bytes, tokens, cost, max_tokens: cap });
        if lists {
            for file in self.lacking() {
                let version = snapshot.version(file);
                reply
                    .would_send
                    .push(SentFile { path: RelPath::new(version.path())?, bytes: version.bytes() });
            }
            reply.would_send.sort_by(|a, b| a.path.cmp(&b.path));
            reply.never_sent.clone_from(&self.secret);
        }
        Ok(())
    }
}

/// Makes the vectors that are missing. Returns what was done.
fn build(engine: &Engine, call: &Call<'_>) -> Result<String, Error> {
    current::with_snapshot(engine, call.progress(), |snapshot, _| {
        let selection = Selection::of(engine, snapshot)?;
        let estimate = selection.estimate(engine, snapshot)?;
        let tree = engine.tree().source_of(Viewed::from_snapshot(snapshot))?;
        let sources = ReplySources::new(tree, snapshot);
        let mut changed = 0;
        let mut texts = selection.lacking().filter_map(|file| {
            if cancel::check().is_err() {
                return Some(Err(SemanticError::Cancelled));
            }
            let text = build_text(snapshot, &sources, file);
            changed += usize::from(text.is_none());
            text.map(Ok)
        });
        let progress = progress_of(call.progress(), &estimate);
        let report = engine.semantic().build(&estimate, &mut texts, &progress)?;
        drop(texts);
        let spyhop_semantic::BuildReport { files, sent, known, tokens, taken } = report;
        let mut done =
            format!("{files} files: {sent} parts sent, about {tokens} tokens; {known} had vectors");
        if taken > 0 {
            done = format!("{files} files: {taken} vectors taken from the database");
        }
        if changed > 0 {
            done += &format!("; {changed} files have changed since they were indexed and were left out");
        }
        Ok(done)
    })
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
