//! What `run`, `sweep` and their like are asked to work on: sets, and which of their trees and queries.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use spyhop::Profile;

use crate::corpus::Places;
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
}

impl Selection {
    /// Reads the sets and leaves out what was not chosen.
    pub fn read(&self) -> Result<Vec<Set>, Failure> {
        let mut all = Vec::new();
        for path in &self.sets {
            let set = sets::read(path)?;
            if all.iter().any(|known: &Set| known.name == set.name) {
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

    /// Where trees and indexes lie.
    pub fn places(&self) -> Result<Places, Failure> {
        if let Some(gone) = self.trees.iter().find(|trees| !trees.is_dir()) {
            return Err(Failure::Asked(format!("--trees: there is no folder {}", gone.display())));
        }
        let threads = self.threads.map(usize::from);
        Ok(Places::new(&self.trees, self.index_dir.as_deref(), threads)?)
    }

    /// What is ranked by.
    pub fn profile(&self) -> Result<Arc<Profile>, Failure> {
        profile(self.profile.as_deref())
    }

    fn takes(&self, tree: &Tree) -> bool {
        let named =
            self.only.is_empty() || self.only.iter().any(|name| *name == tree.name || *name == tree.folder);
        let spoken =
            self.lang.as_ref().is_none_or(|lang| tree.language.as_deref().is_some_and(|own| own == lang));
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
            known("--only", name, &names)?;
        }
        self.lang.iter().try_for_each(|lang| known("--lang", lang, &languages))?;
        self.kind.iter().try_for_each(|kind| known("--kind", kind, &kinds))
    }
}

/// The profile in `file`; the built-in one where none is named.
pub fn profile(file: Option<&Path>) -> Result<Arc<Profile>, Failure> {
    Ok(Arc::new(file.map(Profile::read).transpose()?.unwrap_or_else(|| Profile::built_in().clone())))
}

fn known(option: &str, value: &str, choices: &BTreeSet<&str>) -> Result<(), Failure> {
    if choices.contains(value) {
        return Ok(());
    }
    let choices: Vec<&str> = choices.iter().copied().collect();
    Err(Failure::Asked(format!("{option}: nothing is called '{value}'; choose of: {}", choices.join(", "))))
}
