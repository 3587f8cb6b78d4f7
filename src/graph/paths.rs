//! The paths of a view, for looking up modules, and arithmetic on paths.

use rustc_hash::FxHashMap;

use crate::path;

/// The paths of a view, for looking up modules.
pub(super) struct Paths<'a> {
    by_path: FxHashMap<&'a str, u32>,
    /// By file name.
    by_name: FxHashMap<&'a str, Vec<u32>>,
    /// By folder, without the folders below.
    by_folder: FxHashMap<&'a str, Vec<u32>>,
}

impl<'a> Paths<'a> {
    pub fn new(paths: impl Iterator<Item = (u32, &'a str)>) -> Paths<'a> {
        let mut all = Paths {
            by_path: FxHashMap::default(),
            by_name: FxHashMap::default(),
            by_folder: FxHashMap::default(),
        };
        for (file, path) in paths {
            let (folder, name) = path::split(path);
            all.by_path.insert(path, file);
            all.by_name.entry(name).or_default().push(file);
            all.by_folder.entry(folder).or_default().push(file);
        }
        all
    }

    /// The file with exactly this path.
    pub fn file(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    /// The files with this name, in any folder.
    pub fn named(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The files of a folder.
    pub fn folder(&self, folder: &str) -> &[u32] {
        self.by_folder.get(folder).map_or(&[], Vec::as_slice)
    }

    /// The folders that end in `suffix`, a path of whole parts.
    pub fn folders_ending_in<'s>(&'s self, suffix: &'s str) -> impl Iterator<Item = &'s str> {
        self.by_folder.keys().copied().filter(move |folder| ends_in(folder, suffix))
    }
}

/// Whether `path` is `suffix` or ends in it after a `/`.
pub(super) fn ends_in(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The number of leading folders that two paths share.
pub(super) fn shared_folders(a: &str, b: &str) -> usize {
    let folders = |path| path::split(path).0.split('/').filter(|part: &&str| !part.is_empty());
    folders(a).zip(folders(b)).take_while(|(a, b)| a == b).count()
}

/// The path `name` below a folder, which is empty for the root.
pub(super) fn below(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_string(),
        (folder, "") => folder.to_string(),
        (folder, name) => format!("{folder}/{name}"),
    }
}

/// A path without `.` and `..`; `None` if the path leaves the root.
pub(super) fn normalize(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
