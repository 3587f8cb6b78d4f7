//! Files of a view by path, by file name and by folder. Each index is made when it is first asked for, once per generation.

use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;

use rustc_hash::{FxBuildHasher, FxHashSet};

use spyhop_base::path;

/// Files by the hash of a text, sorted: small, and made in a few milliseconds for a hundred thousand files.
#[derive(Default)]
pub(super) struct ByHash(Vec<(u32, u32)>);

/// The files of a view by path, by file name and by folder. The paths that a function gets are those of all files, in order.
#[derive(Default)]
pub(super) struct PathIndex {
    whole: OnceLock<ByHash>,
    name: OnceLock<ByHash>,
    folder: OnceLock<ByHash>,
    folder_name: OnceLock<ByHash>,
}

impl ByHash {
    fn new<'p>(texts: impl Iterator<Item = (u32, &'p str)>) -> ByHash {
        let mut rows: Vec<(u32, u32)> = texts.map(|(file, text)| (hash(text), file)).collect();
        rows.sort_unstable();
        ByHash(rows)
    }

    /// The files that may be under a text, increasing; the caller compares the texts.
    pub fn files(&self, text: &str) -> impl Iterator<Item = u32> + '_ {
        let hash = hash(text);
        let start = self.0.partition_point(|(other, _)| *other < hash);
        self.0[start..].iter().take_while(move |(other, _)| *other == hash).map(|(_, file)| *file)
    }
}

fn hash(text: &str) -> u32 {
    let mut hasher = FxBuildHasher.build_hasher();
    hasher.write(text.as_bytes());
    (hasher.finish() >> 32) as u32
}

impl PathIndex {
    pub fn whole<'p>(&self, paths: impl Iterator<Item = &'p str>) -> &ByHash {
        self.whole.get_or_init(|| ByHash::new((0..).zip(paths)))
    }

    pub fn name<'p>(&self, paths: impl Iterator<Item = &'p str>) -> &ByHash {
        let name = |(file, path): (u32, &'p str)| (file, path::split(path).1);
        self.name.get_or_init(|| ByHash::new((0..).zip(paths).map(name)))
    }

    pub fn folder<'p>(&self, paths: impl Iterator<Item = &'p str>) -> &ByHash {
        self.folder.get_or_init(|| ByHash::new((0..).zip(paths).map(in_folder)))
    }

    /// The first file of each folder, by the last part of the folder's path.
    pub fn folder_name<'p>(&self, paths: impl Iterator<Item = &'p str>) -> &ByHash {
        self.folder_name.get_or_init(|| {
            let mut seen = FxHashSet::default();
            let folders = (0..).zip(paths).map(in_folder).filter(|(_, folder)| seen.insert(*folder));
            ByHash::new(folders.map(|(file, folder)| (file, path::split(folder).1)))
        })
    }
}

fn in_folder((file, path): (u32, &str)) -> (u32, &str) {
    (file, path::split(path).0)
}
