//! Files of a view by path, by file name and by folder. Made when it is first asked for, once per generation.

use std::hash::{BuildHasher, Hasher};

use rustc_hash::{FxBuildHasher, FxHashSet};

use spyhop_base::path;

/// Files by the hash of a text, sorted: small, and made in a few milliseconds for a hundred thousand files.
#[derive(Default)]
pub(super) struct ByHash(Vec<(u32, u32)>);

/// The files of a view by path, by file name and by folder.
pub(super) struct PathIndex {
    pub whole: ByHash,
    pub name: ByHash,
    pub folder: ByHash,
    /// The first file of each folder, by the last part of the folder's path.
    pub folder_name: ByHash,
}

impl ByHash {
    fn new(mut rows: Vec<(u32, u32)>) -> ByHash {
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
    pub fn new<'p>(paths: impl ExactSizeIterator<Item = &'p str>) -> PathIndex {
        let (mut whole, mut name) = (Vec::with_capacity(paths.len()), Vec::with_capacity(paths.len()));
        let (mut folder, mut folder_name) = (Vec::with_capacity(paths.len()), Vec::new());
        let mut seen = FxHashSet::default();
        for (file, path) in (0..).zip(paths) {
            let (folder_of_file, name_of_file) = path::split(path);
            whole.push((hash(path), file));
            name.push((hash(name_of_file), file));
            folder.push((hash(folder_of_file), file));
            if seen.insert(folder_of_file) {
                folder_name.push((hash(path::split(folder_of_file).1), file));
            }
        }
        let [whole, name, folder, folder_name] = [whole, name, folder, folder_name].map(ByHash::new);
        PathIndex { whole, name, folder, folder_name }
    }
}
