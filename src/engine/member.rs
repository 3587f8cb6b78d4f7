//! The trees of an answer: one tree, or the trees of several engines that are searched as one.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::Error;
use super::api::SourceName;
use super::core::Engine;
use super::current::Viewed;
use super::source::ReplySources;
use crate::search::{CurrentFile, SearchSnapshot};

/// A tree of an answer. Its files have adjacent numbers in the snapshot that is searched.
pub struct MemberTree<'a> {
    /// The name of the source; `None` if the engine answers alone.
    pub name: Option<SourceName>,
    pub engine: &'a Engine,
    /// The snapshot of this tree alone.
    pub snapshot: &'a SearchSnapshot,
    pub sources: Arc<ReplySources<'a>>,
    /// The number of its first file in the snapshot that is searched.
    pub first_file: u32,
}

/// The trees of an answer, and the snapshot of all of them.
pub struct MemberTrees<'a> {
    all: Vec<MemberTree<'a>>,
    snapshot: &'a SearchSnapshot,
}

impl<'a> MemberTrees<'a> {
    /// One tree that answers alone.
    pub fn one(
        engine: &'a Engine,
        snapshot: &'a SearchSnapshot,
        sources: Arc<ReplySources<'a>>,
    ) -> MemberTrees<'a> {
        let tree = MemberTree { name: None, engine, snapshot, sources, first_file: 0 };
        MemberTrees { all: vec![tree], snapshot }
    }

    /// The trees of the `members` of a joined snapshot, in the order of the members.
    pub fn joined(
        members: &'a [(SourceName, &'a Engine, Arc<SearchSnapshot>)],
        snapshot: &'a SearchSnapshot,
    ) -> Result<MemberTrees<'a>, Error> {
        let tree =
            |(place, (name, engine, own)): (usize, &'a (SourceName, &'a Engine, Arc<SearchSnapshot>))| {
                let sources = ReplySources::new(engine.source_tree_of(Viewed::from_snapshot(own))?, own);
                Ok::<_, Error>(MemberTree {
                    name: Some(name.clone()),
                    engine,
                    snapshot: own,
                    sources: Arc::new(sources),
                    first_file: snapshot.first_file_of(place),
                })
            };
        Ok(MemberTrees { all: members.iter().enumerate().map(tree).collect::<Result<_, _>>()?, snapshot })
    }

    /// All trees.
    pub fn all(&self) -> &[MemberTree<'a>] {
        &self.all
    }

    /// The tree that has a file of the snapshot.
    pub fn of_file(&self, file: u32) -> &MemberTree<'a> {
        &self.all[self.snapshot.member_of(file)]
    }

    /// The present content of a file of the snapshot, as [`ReplySources::read`] returns it.
    pub fn read(&self, file: u32, wanted: Option<&Finder<'_>>, keeps: bool) -> CurrentFile {
        let tree = self.of_file(file);
        tree.sources.read(file - tree.first_file, wanted, keeps)
    }

    /// The text of a file of the snapshot, if its content is still the indexed content.
    pub fn text(&self, file: u32) -> Option<Arc<String>> {
        let tree = self.of_file(file);
        tree.sources.text(file - tree.first_file)
    }
}
