//! Trees on this machine: where they lie, and an engine over each.
//!
//! Every tree of a set gets an index folder of its own, so that what an index costs is measured for that tree alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use spyhop::{Engine, OnMissing, Options, StalePolicy, Status};
use tempfile::TempDir;

use crate::failure::Failure;
use crate::sets::{self, Tree};

/// Where trees and indexes lie.
pub struct Places {
    trees: Vec<PathBuf>,
    indexes: PathBuf,
    threads: Option<usize>,
    _scratch: Option<TempDir>,
}

/// A tree with its engine, indexed.
pub struct Opened {
    /// The engine. It does not compare the tree with the index when it answers.
    pub engine: Engine,
    /// What the index holds.
    pub status: Status,
    /// How many files were parsed for it.
    pub parsed: usize,
    /// How long indexing took.
    pub index_ms: f64,
}

impl Places {
    /// Trees in one of the folders `trees`; indexes in `index_dir`, where they are kept, or in a folder that goes with
    /// this.
    pub fn new(trees: &[PathBuf], index_dir: Option<&Path>, threads: Option<usize>) -> io::Result<Places> {
        let scratch = index_dir.is_none().then(|| tempfile::Builder::new().prefix("spyhop-eval-").tempdir());
        let scratch = scratch.transpose()?;
        let indexes = match (index_dir, &scratch) {
            (Some(folder), _) => {
                fs::create_dir_all(folder)?;
                folder.canonicalize()?
            }
            (None, Some(scratch)) => scratch.path().canonicalize()?,
            (None, None) => unreachable!("one of the two is there"),
        };
        Ok(Places { trees: trees.to_vec(), indexes, threads, _scratch: scratch })
    }

    /// The folder that is indexed for `tree`, in the first of the folders that has it; `None` when none does. Documents
    /// are always there.
    pub fn find(&self, set: &str, tree: &Tree) -> Option<PathBuf> {
        if tree.documents.is_some() {
            return Some(self.own(set, tree).join("documents"));
        }
        let mut roots = self.trees.iter().map(|trees| trees.join(&tree.folder).join(&tree.root));
        roots.find(|root| root.is_dir())
    }

    /// Indexes a tree, or brings its index up to date; `None` when it is not there.
    pub fn open(&self, set: &str, tree: &Tree) -> Result<Option<Opened>, Failure> {
        let Some(root) = self.find(set, tree) else { return Ok(None) };
        if let Some(corpus) = &tree.documents {
            fs::create_dir_all(&root)?;
            sets::write_documents(corpus, &root)?;
        }
        // Documents were chosen by who made the set; no rule leaves one out.
        let all = tree.documents.is_some();
        let options = Options {
            index_dir: Some(self.own(set, tree).join("index")),
            on_missing: OnMissing::Fail,
            stale_policy: StalePolicy::Ignore,
            threads: self.threads,
            no_ignore: all,
            no_built_in: all,
            secrets: all,
            ..Options::default()
        };
        let engine = Engine::open(root, options)?;
        let begun = Instant::now();
        let report = engine.refresh(&|_| ())?;
        let index_ms = begun.elapsed().as_secs_f64() * 1e3;
        let status = engine.status()?;
        Ok(Some(Opened { engine, status, parsed: report.parsed, index_ms }))
    }

    fn own(&self, set: &str, tree: &Tree) -> PathBuf {
        self.indexes.join(set).join(&tree.folder)
    }
}
