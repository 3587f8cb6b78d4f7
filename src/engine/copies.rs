//! Tests, vendored and generated files with the content of a file that ranks before them are not hits of their own: that
//! file names them.

use rustc_hash::FxHashMap;

use super::rows::{HitRow, RowKind};
use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;
use spyhop_search::{HeadFiles, is_aside};

/// The most copies that a hit names.
const MAX_NAMED: usize = 10;

/// By file: the other files with its content, in the order of their ranks.
#[derive(Default)]
pub struct Copies(FxHashMap<u32, Vec<u32>>);

/// Drops the rows of tests, vendored and generated files whose content a file before them has. Copies are files of one
/// tree.
pub fn collapsed(rows: Vec<HitRow>, table: &dyn HeadFiles) -> (Vec<HitRow>, Copies) {
    let mut first: FxHashMap<(usize, ContentHash), u32> = FxHashMap::default();
    let mut copies: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut is_first = |row: &HitRow| {
        let Some(file) = file_of(row, table) else { return true };
        let Some(content) = table.content(file) else { return true };
        let shown = *first.entry((table.member_of(file), content)).or_insert(file);
        let is_copy = shown != file && is_aside(table.path(file));
        if is_copy {
            let others = copies.entry(shown).or_default();
            if !others.contains(&file) {
                others.push(file);
            }
        }
        !is_copy
    };
    let rows = rows.into_iter().filter(|row| is_first(row)).collect();
    (rows, Copies(copies))
}

impl Copies {
    /// The paths of the other files with the content of a row's file.
    pub fn of(&self, row: &HitRow, table: &dyn HeadFiles) -> Vec<RelPath> {
        let others = file_of(row, table).and_then(|file| self.0.get(&file));
        let paths = others.into_iter().flatten().filter_map(|file| RelPath::new(table.path(*file)).ok());
        paths.take(MAX_NAMED).collect()
    }
}

fn file_of(row: &HitRow, table: &dyn HeadFiles) -> Option<u32> {
    match &row.kind {
        RowKind::Ranked(hit) => Some(table.file_of_doc(hit.doc)),
        RowKind::UnrankedMatch(..) => None,
    }
}
