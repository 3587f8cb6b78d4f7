//! The rows of a map before their symbols are known.

use std::collections::BTreeMap;

use spyhop_search::SearchSnapshot;

/// What is counted of some files.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileTally {
    pub files: usize,
    pub lines: u64,
    pub symbols: usize,
    pub languages: BTreeMap<spyhop_base::id::LanguageId, usize>,
}

impl FileTally {
    pub fn count(snapshot: &SearchSnapshot, files: &[u32]) -> FileTally {
        let mut tally = FileTally::default();
        files.iter().for_each(|file| tally.add(snapshot, *file));
        tally
    }

    pub fn add(&mut self, snapshot: &SearchSnapshot, file: u32) {
        let version = snapshot.version(file);
        self.files += 1;
        self.lines += u64::from(version.lines());
        self.symbols += version.symbols() as usize;
        *self.languages.entry(version.language()).or_default() += 1;
    }
}

/// The row of a folder or file.
pub(crate) struct MapRow {
    pub path: String,
    pub is_dir: bool,
    pub depth: u32,
    pub tally: FileTally,
    /// The files whose symbols the row shows.
    pub symbol_files: Vec<u32>,
}

/// The rows of a map without their symbols. A folder comes before its content.
pub(crate) struct MapPlan {
    pub rows: Vec<MapRow>,
    /// Whether the map is of one file.
    pub is_file: bool,
    /// The number of rows that were dropped.
    pub left_out: usize,
}
