//! The sources that an answer reads: each one time, or by two threads at the same time, and only where they still have the
//! indexed content. Where the index came without its tree, they came with it.

use std::fs::Metadata;
use std::io::Read;
use std::sync::{Arc, Mutex};

use memchr::memmem::Finder;
use rustc_hash::FxHashMap;

use super::lock;
use crate::id::ContentHash;
use crate::meta::{FileStat, Version, View};
use crate::path::RelPath;
use crate::read::{self, Ground, Reread, Rereader};
use crate::search::{Corpus, Present};
use crate::tree::Tree;
use crate::update::{is_blob, matches_stat};

/// The sources read for one reply, by any of its threads.
pub struct Sources<'a> {
    ground: Ground,
    corpus: &'a Corpus,
    view: &'a View,
    /// By file: its text; `None` when it is not what was indexed.
    known: Mutex<FxHashMap<u32, Option<Arc<String>>>>,
    /// Those that no thread reads with just now.
    readers: Mutex<Vec<Rereader>>,
}

impl<'a> Sources<'a> {
    /// Those of `corpus`, which lie on `ground`.
    pub fn new(ground: Ground, corpus: &'a Corpus) -> Sources<'a> {
        Sources { ground, corpus, view: corpus.view(), known: Mutex::default(), readers: Mutex::default() }
    }

    /// Where they lie.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// The text of a file if its content still is the indexed one.
    pub fn text(&self, file: u32) -> Option<Arc<String>> {
        match self.read(file, None, true) {
            Present::Text(text) => Some(text),
            Present::Changed | Present::Without => None,
        }
    }

    /// The present content of a file, if the file may hold `wanted`. The content is cached if `keeps` is set.
    pub fn read(&self, file: u32, wanted: Option<&Finder<'_>>, keeps: bool) -> Present {
        if let Some(known) = lock(&self.known).get(&file) {
            return known.clone().map_or(Present::Changed, Present::Text);
        }
        let version = self.corpus.version(file);
        if crate::read::is_path_only(version.hash()) {
            // It may be of any size, and none of it is shown.
            return wanted.map_or(Present::Changed, |wanted| self.path_only(version, wanted));
        }
        let text = match self.corpus.meta().sources() {
            Some(sources) => {
                sources.get(version.hash()).map_or(Reread::Changed, |bytes| Reread::of(&bytes, wanted))
            }
            None => self.read_from_tree(version, wanted),
        };
        let text = match text {
            Reread::Without => return Present::Without,
            Reread::Changed => None,
            Reread::Text(text) => Some(Arc::new(text)),
        };
        // Where two threads read a file at once, what the first one found holds for both.
        let text = if keeps { lock(&self.known).entry(file).or_insert(text).clone() } else { text };
        text.map_or(Present::Changed, Present::Text)
    }

    /// What a file holds that is found by its path only, if that may hold what is `wanted`: the text that ripgrep
    /// searches, which is what stands before a NUL.
    fn path_only(&self, version: Version<'_>, wanted: &Finder<'_>) -> Present {
        let Some(bytes) = self.bytes_from_tree(version) else { return Present::Changed };
        let mut text = match Reread::of(&bytes, Some(wanted)) {
            Reread::Without => return Present::Without,
            Reread::Text(text) => text,
            Reread::Changed => String::from_utf8_lossy(&bytes).into_owned(),
        };
        text.truncate(text.find('\0').unwrap_or(text.len()));
        Present::Text(Arc::new(text))
    }

    /// The bytes of a file that is found by its path only, if its stat, its hash or git's name for it is the recorded one.
    fn bytes_from_tree(&self, version: Version<'_>) -> Option<Vec<u8>> {
        let recorded = self.view.stat(version.id())?;
        match &self.ground {
            Ground::Folder(root) => {
                let (file, len) = read::open(&root.join(version.path())).ok()?;
                let matches_stat = matches_stat(recorded, &file.metadata().ok()?);
                let mut bytes = Vec::new();
                bytes.try_reserve_exact(usize::try_from(len).ok()?).ok()?;
                file.take(len).read_to_end(&mut bytes).ok()?;
                let is_same = || read::path_only(ContentHash::of(&bytes)) == version.hash();
                (bytes.len() as u64 == len && (matches_stat || is_same())).then_some(bytes)
            }
            Ground::Tree(tree) => {
                let entry = read::entry_of(&**tree, &RelPath::new(version.path()).ok()?).ok()?;
                is_blob(recorded, entry.id).then(|| tree.read(&entry).ok()).flatten()
            }
        }
    }

    fn read_from_tree(&self, version: Version<'_>, wanted: Option<&Finder<'_>>) -> Reread {
        let recorded = self.view.stat(version.id());
        let matches_stat =
            |metadata: &Metadata| recorded.is_some_and(|row: FileStat| matches_stat(row, metadata));
        match &self.ground {
            Ground::Folder(root) => {
                let path = root.join(version.path());
                let mut reader = lock(&self.readers).pop().unwrap_or_default();
                let read = reader.read(&path, version.hash(), matches_stat, wanted);
                lock(&self.readers).push(reader);
                read
            }
            Ground::Tree(tree) => of_tree(&**tree, version.path(), recorded, wanted),
        }
    }
}

/// Reads a file of a git tree. The blob id tells whether the content is the indexed one.
fn of_tree(tree: &dyn Tree, path: &str, recorded: Option<FileStat>, wanted: Option<&Finder<'_>>) -> Reread {
    let entry = || read::entry_of(tree, &RelPath::new(path).ok()?).ok();
    let entry = entry().filter(|entry| recorded.is_some_and(|row| is_blob(row, entry.id)));
    let bytes = entry.and_then(|entry| tree.read(&entry).ok());
    bytes.map_or(Reread::Changed, |bytes| Reread::of(&bytes, wanted))
}
