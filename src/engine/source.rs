//! The sources that an answer reads. A source is read once, unless two threads read it at the same time, and is used
//! only if its content is the indexed content. The sources of an index that was imported without its tree are part of
//! the index.

use std::fs::Metadata;
use std::sync::{Arc, Mutex};

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

use super::lock::lock;
use spyhop_base::id::{ContentHash, PathOnlyKey, VersionContent};
use spyhop_base::model::Note;
use spyhop_base::path::RelPath;
use spyhop_files::read::{self, Reread, TreeSource};
use spyhop_files::tree::Tree;
use spyhop_index::meta::{RecordedIdentity, Version, View};
use spyhop_search::{CurrentFile, SearchSnapshot};

/// The sources read for one reply, by any of its threads.
pub(crate) struct ReplySources<'a> {
    source_tree: TreeSource,
    snapshot: &'a SearchSnapshot,
    view: &'a View,
    /// The text of each file that was read; `None` if the content has changed.
    known: Mutex<FxHashMap<u32, Option<Arc<String>>>>,
}

impl<'a> ReplySources<'a> {
    /// The sources of `snapshot`, read from `source_tree`.
    pub fn new(source_tree: TreeSource, snapshot: &'a SearchSnapshot) -> ReplySources<'a> {
        ReplySources { source_tree, snapshot, view: snapshot.view(), known: Mutex::default() }
    }

    /// The tree of the sources.
    pub fn source_tree(&self) -> &TreeSource {
        &self.source_tree
    }

    /// The text of a file, if its content is still the indexed content.
    pub fn text(&self, file: u32) -> Option<Arc<String>> {
        match self.read(file, None, true) {
            CurrentFile::Text(text) => Some(text),
            CurrentFile::Changed | CurrentFile::Without => None,
        }
    }

    /// The present content of a file, if the file may contain `wanted`. The content is cached if `keeps` is set.
    pub fn read(&self, file: u32, wanted: Option<&Finder<'_>>, keeps: bool) -> CurrentFile {
        if let Some(known) = lock(&self.known).get(&file) {
            return known.clone().map_or(CurrentFile::Changed, CurrentFile::Text);
        }
        let version = self.snapshot.version(file);
        let is_path_only = version.content().is_path_only();
        let has_outline = version.notes().any(|note| note == Note::ByRule);
        // A path-only file without an outline may be of any size, and hits do not show its text.
        if is_path_only && !has_outline && wanted.is_none() {
            return CurrentFile::Changed;
        }
        let keeps = keeps && (has_outline || !is_path_only);
        let text = match self.snapshot.meta().sources() {
            _ if is_path_only => self.path_only(version, wanted).unwrap_or(Reread::Changed),
            Some(sources) => {
                let bytes = version.content().ranked().and_then(|hash| sources.get(hash));
                bytes.map_or(Reread::Changed, |bytes| Reread::of(&bytes, wanted))
            }
            None => self.read_from_tree(version, wanted),
        };
        let text = match text {
            Reread::Without => return CurrentFile::Without,
            Reread::Changed => None,
            Reread::Text(text) => Some(Arc::new(text)),
        };
        // If two threads read a file at the same time, both use the result of the first.
        let text = if keeps { lock(&self.known).entry(file).or_insert(text).clone() } else { text };
        text.map_or(CurrentFile::Changed, CurrentFile::Text)
    }

    /// The content of a path-only file, if it may contain `wanted`, and if its stat data, its hash or its blob id is as recorded.
    fn path_only(&self, version: Version<'_>, wanted: Option<&Finder<'_>>) -> Option<Reread> {
        let recorded = self.view.identity(version.id())?;
        let path = RelPath::new(version.path()).ok()?;
        let is_same = |bytes: &[u8]| {
            version.content() == VersionContent::PathOnly(PathOnlyKey::of(ContentHash::of(bytes)))
        };
        match &self.source_tree {
            TreeSource::Folder(root) => read::with_content((root, &path), u64::MAX, |bytes, metadata| {
                (recorded.matches_stat(metadata) || is_same(bytes)).then(|| before_nul(bytes, wanted))
            })?,
            TreeSource::Tree(tree) => {
                let entry = read::entry_of(&**tree, &path).ok()?;
                let (is_fixed, is_recorded) = (tree.is_fixed(), recorded.matches_blob(entry.id));
                let bytes = (!is_fixed || is_recorded).then(|| tree.read(&entry).ok()).flatten()?;
                (is_fixed || is_same(&bytes)).then(|| before_nul(&bytes, wanted))
            }
        }
    }

    fn read_from_tree(&self, version: Version<'_>, wanted: Option<&Finder<'_>>) -> Reread {
        let recorded = self.view.identity(version.id());
        let matches_stat =
            |metadata: &Metadata| recorded.is_some_and(|recorded| recorded.matches_stat(metadata));
        match &self.source_tree {
            TreeSource::Folder(root) => {
                let Ok(path) = RelPath::new(version.path()) else { return Reread::Changed };
                let Some(hash) = version.content().ranked() else { return Reread::Changed };
                read::reread((root, &path), hash, matches_stat, wanted)
            }
            TreeSource::Tree(tree) => {
                let hash = version.content().ranked();
                reread_from_tree(&**tree, version.path(), (recorded, hash), wanted)
            }
        }
    }
}

/// The text of a path-only file before its first NUL, which is what ripgrep searches.
fn before_nul(bytes: &[u8], wanted: Option<&Finder<'_>>) -> Reread {
    let mut text = match Reread::of(bytes, wanted) {
        Reread::Without => return Reread::Without,
        Reread::Text(text) => text,
        Reread::Changed => String::from_utf8_lossy(bytes).into_owned(),
    };
    text.truncate(memchr::memchr(0, text.as_bytes()).unwrap_or(text.len()));
    Reread::Text(text)
}

/// Reads a file of a git tree. The blob id shows whether the content is the indexed content, or the hash of the bytes
/// where these may differ from those that the id means.
fn reread_from_tree(
    tree: &dyn Tree,
    path: &str,
    (recorded, hash): (Option<RecordedIdentity>, Option<ContentHash>),
    wanted: Option<&Finder<'_>>,
) -> Reread {
    let entry = || read::entry_of(tree, &RelPath::new(path).ok()?).ok();
    let is_same = |id| !tree.is_fixed() || recorded.is_some_and(|recorded| recorded.matches_blob(id));
    let bytes = entry().filter(|entry| is_same(entry.id)).and_then(|entry| tree.read(&entry).ok());
    let bytes = bytes.filter(|bytes| tree.is_fixed() || hash == Some(ContentHash::of(bytes)));
    bytes.map_or(Reread::Changed, |bytes| Reread::of(&bytes, wanted))
}
