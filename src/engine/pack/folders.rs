//! The folders that hold much of a tree, whose names tell nothing of single files.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use spyhop_base::path;
use spyhop_search::SearchSnapshot;

/// The share of the files of a tree from which a folder such as `legacy` holds the code of the tree.
const COMMON: f32 = 0.1;

/// Whether folders of a name hold much of the tree, each name counted once for a pack.
#[derive(Default)]
pub(crate) struct CommonFolders(RefCell<FxHashMap<String, bool>>);

impl CommonFolders {
    /// Whether folders of a name hold a large share of the tree, so that the name says nothing about a file.
    pub fn has(&self, snapshot: &SearchSnapshot, folder: &str) -> bool {
        let mut known = self.0.borrow_mut();
        *known.entry(folder.to_lowercase()).or_insert_with(|| {
            let is_named = |part: &str| part.eq_ignore_ascii_case(folder);
            let n_files = snapshot.n_files();
            let is_inside = |file: &u32| path::split(snapshot.path(*file)).0.split('/').any(is_named);
            let inside = (0..n_files as u32).filter(is_inside).count();
            inside as f32 >= COMMON * n_files as f32
        })
    }
}
