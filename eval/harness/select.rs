//! The selection of a run: sets, which of their trees and queries, and an engine over each tree.
//!
//! Every tree of a set has a separate index folder, so that the cost of an index is measured for that tree alone.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use spyhop::{
    Call, Engine, OnMissing, Options, Profile, SemanticAction, SemanticRequest, StalePolicy, Status,
};

use crate::failure::Failure;
use crate::sets::{self, Query, Set, Tree};

/// The arguments that choose trees and queries.
#[derive(Clone, Debug, clap::Args)]
pub struct Selection {
    /// Query sets: files or folders in any of the forms that eval/README.md lists
    #[arg(required = true, value_name = "SET")]
    pub sets: Vec<PathBuf>,
    /// A folder that holds trees, each in a folder of its name; may be given several times
    #[arg(long, required = true, value_name = "DIR")]
    pub trees: Vec<PathBuf>,
    /// Only queries of this kind
    #[arg(long, value_name = "K")]
    pub kind: Option<String>,
    /// Only trees of this language
    #[arg(long, value_name = "L")]
    pub lang: Option<String>,
    /// Only these trees, by name
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Keep the indexes here from run to run; otherwise they are made anew and go when the command ends
    #[arg(long, value_name = "DIR")]
    pub index_dir: Option<PathBuf>,
    /// Rank by this profile instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Threads for indexing; one for each core unless given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub models: Models,
}

/// The models that order the first files as well, in a program with the feature `semantic-all`.
#[derive(Clone, Debug, clap::Args)]
pub struct Models {
    /// Compare the first files by vectors of the transformer in this folder, which are made if they are missing
    #[arg(long, value_name = "FOLDER")]
    pub local_model: Option<PathBuf>,
    /// Compare the first files by expansions of the SPLADE model in this folder, which are made if they are missing
    #[arg(long, value_name = "FOLDER")]
    pub expansion_folder: Option<PathBuf>,
    /// Rerank the first files by the cross-encoder in this folder
    #[arg(long, value_name = "FOLDER")]
    pub rerank_folder: Option<PathBuf>,
}

impl Models {
    /// Opts in to the models, to none if none is named, and makes what is missing.
    fn enable(&self, engine: &Engine) -> Result<(), Failure> {
        let asked = |request: SemanticRequest| engine.call(&request, &Call::default());
        asked(SemanticRequest::new(SemanticAction::Disable))?;
        let enable = || SemanticRequest::new(SemanticAction::Enable);
        let Models { local_model, expansion_folder, rerank_folder } = self.clone();
        let has_stored = local_model.is_some() || expansion_folder.is_some();
        let all = [
            (local_model.is_some(), SemanticRequest { local_model, ..enable() }),
            (expansion_folder.is_some(), SemanticRequest { expansion_folder, ..enable() }),
            (rerank_folder.is_some(), SemanticRequest { rerank_folder, ..enable() }),
        ];
        for (_, request) in all.into_iter().filter(|(is_named, _)| *is_named) {
            asked(request)?;
        }
        if has_stored {
            asked(SemanticRequest::new(SemanticAction::Build))?;
        }
        Ok(())
    }
}

impl Selection {
    /// Reads the sets and leaves out what was not chosen.
    pub fn read(&self) -> Result<Vec<Set>, Failure> {
        let mut all = Vec::new();
        for path in &self.sets {
            let set = sets::read(path)?;
            if all.iter().any(|other: &Set| other.name == set.name) {
                return Err(Failure::Asked(format!("two sets are called '{}'; rename one", set.name)));
            }
            all.push(set);
        }
        self.check(&all)?;
        for set in &mut all {
            set.trees.retain(|tree| self.takes(tree));
            for tree in &mut set.trees {
                tree.queries.retain(|query| self.kind.as_ref().is_none_or(|kind| *kind == query.kind));
            }
            set.trees.retain(|tree| !tree.queries.is_empty());
        }
        if all.iter().all(|set| set.trees.is_empty()) {
            return Err(Failure::Asked("no query is left to ask".to_string()));
        }
        Ok(all)
    }

    /// Visits every tree with its engine. A tree that is not there is named on standard error; the result is the names of
    /// these trees, as `set/folder`.
    pub fn each(
        &self,
        sets: &[Set],
        mut visit: impl FnMut(&Set, &Tree, &Opened) -> Result<(), Failure>,
    ) -> Result<Vec<String>, Failure> {
        if let Some(gone) = self.trees.iter().find(|trees| !trees.is_dir()) {
            return Err(Failure::Asked(format!("--trees: there is no folder {}", gone.display())));
        }
        let scratch = tempfile::Builder::new().prefix("spyhop-eval-").tempdir()?;
        let indexes = self.index_dir.as_deref().unwrap_or(scratch.path());
        fs::create_dir_all(indexes)?;
        let indexes = indexes.canonicalize()?;
        let shows_progress = io::stderr().is_terminal();
        let mut missing = Vec::new();
        for (set, tree) in sets.iter().flat_map(|set| set.trees.iter().map(move |tree| (set, tree))) {
            let mut roots = self.trees.iter().map(|trees| trees.join(&tree.folder).join(&tree.root));
            let Some(root) = roots.find(|root| root.is_dir()) else {
                eprintln!("left out, not there: {}", tree.folder);
                missing.push(format!("{}/{}", set.name, tree.folder));
                continue;
            };
            if shows_progress {
                eprintln!("{}/{}: {} queries", set.name, tree.folder, tree.queries.len());
            }
            let index = indexes.join(&set.name).join(&tree.folder).join("index");
            let opened = Opened::new(&root, index, self.threads.map(usize::from))?;
            self.models.enable(&opened.engine)?;
            visit(set, tree, &opened)?;
        }
        Ok(missing)
    }

    /// The profile of `--profile`; the built-in one without it.
    pub fn profile(&self) -> Result<Arc<Profile>, Failure> {
        let file = self.profile.as_deref();
        Ok(Arc::new(file.map(Profile::read).transpose()?.unwrap_or_else(|| Profile::built_in().clone())))
    }

    fn takes(&self, tree: &Tree) -> bool {
        let named =
            self.only.is_empty() || self.only.iter().any(|name| *name == tree.name || *name == tree.folder);
        let spoken = self
            .lang
            .as_ref()
            .is_none_or(|lang| tree.language.as_deref().is_some_and(|of_tree| of_tree == lang));
        named && spoken
    }

    /// A name that stands for nothing is a mistake.
    fn check(&self, sets: &[Set]) -> Result<(), Failure> {
        let trees = || sets.iter().flat_map(|set| &set.trees);
        let names: BTreeSet<&str> =
            trees().flat_map(|tree| [tree.name.as_str(), tree.folder.as_str()]).collect();
        let languages = trees().filter_map(|tree| tree.language.as_deref()).collect();
        let kinds = trees().flat_map(|tree| &tree.queries).map(|query: &Query| query.kind.as_str()).collect();
        for name in &self.only {
            check_name("--only", name, &names)?;
        }
        self.lang.iter().try_for_each(|lang| check_name("--lang", lang, &languages))?;
        self.kind.iter().try_for_each(|kind| check_name("--kind", kind, &kinds))
    }
}

/// A tree with its engine, indexed.
pub struct Opened {
    /// The engine, which does not compare the tree with the index when it answers.
    pub engine: Engine,
    /// The state of the index.
    pub status: Status,
    /// The number of files that were parsed for the index.
    pub parsed: usize,
    /// The duration of indexing.
    pub index_ms: f64,
}

impl Opened {
    fn new(root: &Path, index: PathBuf, threads: Option<usize>) -> Result<Opened, Failure> {
        let options = Options {
            index_dir: Some(index),
            on_missing: OnMissing::Fail,
            stale_policy: StalePolicy::Ignore,
            threads,
            ..Options::default()
        };
        let engine = Engine::open(root, options)?;
        let begun = Instant::now();
        let report = engine.refresh(&|_| ())?;
        let index_ms = begun.elapsed().as_secs_f64() * 1e3;
        let status = engine.status()?;
        Ok(Opened { engine, status, parsed: report.parsed, index_ms })
    }
}

fn check_name(option: &str, value: &str, choices: &BTreeSet<&str>) -> Result<(), Failure> {
    if choices.contains(value) {
        return Ok(());
    }
    let choices: Vec<&str> = choices.iter().copied().collect();
    Err(Failure::Asked(format!("{option}: nothing is called '{value}'; choose of: {}", choices.join(", "))))
}
