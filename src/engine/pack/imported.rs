//! The files that files import, each read once for a pack.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

/// The imports that a pack has read.
#[derive(Default)]
pub(crate) struct KnownImports {
    by_file: RefCell<FxHashMap<u32, Rc<[u32]>>>,
}

impl KnownImports {
    /// The number of edges between files.
    pub fn edges(&self) -> usize {
        self.by_file.borrow().values().map(|files| files.len()).sum()
    }

    /// For each file that is imported: the number of files that import it.
    pub fn importers(&self) -> FxHashMap<u32, usize> {
        let mut importers: FxHashMap<u32, usize> = FxHashMap::default();
        for target in self.by_file.borrow().values().flat_map(|files| files.iter()) {
            *importers.entry(*target).or_default() += 1;
        }
        importers
    }

    /// Keeps the files that a file imports.
    pub fn keep(&self, file: u32, mut files: Vec<u32>) -> Rc<[u32]> {
        files.sort_unstable();
        files.dedup();
        let files: Rc<[u32]> = files.into();
        self.by_file.borrow_mut().insert(file, Rc::clone(&files));
        files
    }

    /// The files that a file imports, if they were read.
    pub fn of(&self, file: u32) -> Option<Rc<[u32]>> {
        self.by_file.borrow().get(&file).cloned()
    }
}
