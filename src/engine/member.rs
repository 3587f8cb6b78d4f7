//! The trees of an answer: one tree, or the trees of several engines that are searched as one.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::api::SourceName;
use super::core::Engine;
use super::corpus::ReadyMember;
use super::open_index::Viewed;
use super::source::ReplySources;
use crate::error::Error;
use spyhop_search::{CurrentFile, SearchSnapshot};

/// A tree of an answer. Its files have adjacent numbers in the snapshot that is searched.
pub(crate) struct MemberTree<'a> {
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
pub(crate) struct MemberTrees<'a> {
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
        members: &'a [ReadyMember<'a>],
        snapshot: &'a SearchSnapshot,
    ) -> Result<MemberTrees<'a>, Error> {
        let tree = |(place, ready): (usize, &'a ReadyMember<'a>)| {
            let own = &*ready.snapshot;
            let tree = ready.engine.tree().source_of(Viewed::from_snapshot(own))?;
            Ok::<_, Error>(MemberTree {
                name: ready.member.name.clone(),
                engine: ready.engine,
                snapshot: own,
                sources: Arc::new(ReplySources::new(tree, own)),
                first_file: snapshot.first_file_of(place),
            })
        };
        Ok(MemberTrees { all: members.iter().enumerate().map(tree).collect::<Result<_, _>>()?, snapshot })
    }

    /// The engine by whose settings secrets are masked: one that masks them, if there is one.
    pub(crate) fn masking_engine(&self) -> &'a Engine {
        let mut engines = self.all.iter().map(|tree| tree.engine);
        let masking = engines.clone().find(|engine| !engine.policy().show_secrets);
        masking.or_else(|| engines.next()).expect("a set of trees is not empty")
    }

    /// The engines of the trees.
    pub(crate) fn engines(&self) -> impl Iterator<Item = &'a Engine> + '_ {
        self.all.iter().map(|tree| tree.engine)
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
