//! A walk that passes its candidates on while it goes on, in the order in which ripgrep sorts paths.
//!
//! This module owns that order: folder by folder, with the names of a folder's files and folders sorted together. A whole
//! walk sorts paths as text, where `a-b` comes before `a/c`; here `a/c` comes first. A folder that is listed early waits
//! until all that comes before it has been passed on.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::error::{WalkError, root_error};
use super::options::WalkOptions;
use super::queue;
use super::tally::Tally;
use super::walked::Candidate;
use super::walker::{Dir, Walker, default_threads, unreadable_dir};
use spyhop_base::model::Skipped;
use spyhop_base::path::RelPath;

/// Walks the tree at `root`, or one folder of the tree, and passes the candidates to `pass`, in pieces, until `pass` returns
/// false. Returns the skipped entries, sorted by path; not all of them if `pass` ended the walk.
pub fn walk_in_order(
    root: &Path,
    folder: Option<&RelPath>,
    options: &WalkOptions<'_>,
    pass: &mut (dyn FnMut(Vec<Candidate>) -> bool + Send),
) -> Result<Vec<Skipped>, WalkError> {
    let walker = Walker::new(root, options)?;
    let mut skipped = Vec::new();
    let passed = Mutex::new(Passed::new(pass));
    let stopped = AtomicBool::new(false);
    // Takes what a folder holds, and returns its folders.
    let arrived = |number: usize, mut part: Tally, dirs: Vec<Dir>, skipped: &mut Vec<Skipped>| {
        let files = part.blocks.pop().map(|block| block.files).unwrap_or_default();
        let (items, dirs) = in_order(files, dirs);
        skipped.append(&mut part.skipped);
        if !passed.lock().unwrap_or_else(PoisonError::into_inner).take(number, items) {
            stopped.store(true, Relaxed);
        }
        dirs
    };
    let visit = |dir: Dir, skipped: &mut Vec<Skipped>| {
        if stopped.load(Relaxed) {
            return Vec::new();
        }
        let (number, mut part) = (dir.number(), Tally::default());
        let dirs = walker.visit(dir, &mut part);
        arrived(number, part, dirs, skipped)
    };
    let first = |dir: &Dir| {
        passed.lock().unwrap_or_else(PoisonError::into_inner).awaited = Some(dir.number());
    };
    let dirs = match folder {
        None => {
            let (top, mut part) = (walker.top(), Tally::default());
            let listing = walker.list(&top).map_err(|source| root_error(root, source))?;
            first(&top);
            let dirs = walker.sort_out(&top, listing, &mut part);
            arrived(top.number(), part, dirs, &mut skipped)
        }
        Some(folder) => match walker.dir(folder) {
            Ok(dir) => {
                first(&dir);
                vec![dir]
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                skipped.push(unreadable_dir(folder, &error));
                Vec::new()
            }
        },
    };
    let threads = options.threads.unwrap_or_else(default_threads).max(1);
    let parts = queue::drain(dirs, threads, visit);
    walker.spent.checked()?;
    skipped.extend(parts.into_iter().flatten());
    skipped.sort_unstable();
    Ok(skipped)
}

/// An entry of a folder: a file, or the number of a folder that is walked.
enum FolderItem {
    File(Candidate),
    Folder(usize),
}

/// The entries of a folder in order, and its folders in the order in which a queue should hold them: the first one last.
fn in_order(files: Vec<Candidate>, mut dirs: Vec<Dir>) -> (Vec<FolderItem>, Vec<Dir>) {
    dirs.sort_unstable_by(|a, b| a.rel.cmp(&b.rel));
    let mut items = Vec::with_capacity(files.len() + dirs.len());
    let mut next = dirs.iter().peekable();
    for file in files {
        while let Some(dir) = next.next_if(|dir| dir.rel < file.path) {
            items.push(FolderItem::Folder(dir.number()));
        }
        items.push(FolderItem::File(file));
    }
    items.extend(next.map(|dir| FolderItem::Folder(dir.number())));
    dirs.reverse();
    (items, dirs)
}

/// The state between folders as they are listed, and candidates as they are passed on.
struct Passed<'p> {
    /// The entries of folders that were listed before their turn.
    early: FxHashMap<usize, Vec<FolderItem>>,
    /// The folder whose entries come next.
    awaited: Option<usize>,
    /// The remaining entries of the folders on the way to the present one.
    way: Vec<std::vec::IntoIter<FolderItem>>,
    pass: &'p mut (dyn FnMut(Vec<Candidate>) -> bool + Send),
}

impl<'p> Passed<'p> {
    fn new(pass: &'p mut (dyn FnMut(Vec<Candidate>) -> bool + Send)) -> Passed<'p> {
        Passed { early: FxHashMap::default(), awaited: None, way: Vec::new(), pass }
    }

    /// Takes the entries of a folder and passes on what can be passed on. Returns whether the walk goes on.
    fn take(&mut self, number: usize, items: Vec<FolderItem>) -> bool {
        self.early.insert(number, items);
        let mut files = Vec::new();
        loop {
            if let Some(number) = self.awaited {
                let Some(items) = self.early.remove(&number) else { break };
                self.awaited = None;
                self.way.push(items.into_iter());
            }
            // No recursion: a tree can be deeper than the stack.
            let Some(items) = self.way.last_mut() else { break };
            match items.next() {
                Some(FolderItem::File(file)) => files.push(file),
                Some(FolderItem::Folder(number)) => self.awaited = Some(number),
                None => _ = self.way.pop(),
            }
        }
        files.is_empty() || (self.pass)(files)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::walk::options::GlobalExcludes;
    use crate::walk::whole::{walk, walk_below};

    fn tree() -> tempfile::TempDir {
        let tree = tempfile::tempdir().unwrap();
        for path in [
            "a-b/x.rs",
            "a/c.rs",
            "a/b/d.rs",
            "a/b-c/e.rs",
            "a/b.rs",
            "a.rs",
            "b/out/f.rs",
            "b/deep/er/and/deeper/g.rs",
            "empty.d/.keep",
            "z.rs",
        ] {
            let path = tree.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::write(tree.path().join(".gitignore"), "out\n").unwrap();
        tree
    }

    fn options(threads: usize) -> WalkOptions<'static> {
        WalkOptions {
            threads: Some(threads),
            global_excludes: GlobalExcludes::None,
            ..WalkOptions::default()
        }
    }

    #[test]
    fn the_candidates_are_those_of_a_whole_walk_in_ripgreps_order() {
        let tree = tree();
        for (threads, folder) in [(1, None), (2, None), (4, None), (2, Some("a")), (2, Some("gone"))] {
            let folder = folder.map(|folder| RelPath::new(folder).unwrap());
            let mut found = Vec::new();
            let skipped = walk_in_order(tree.path(), folder.as_ref(), &options(threads), &mut |files| {
                found.extend(files);
                true
            });
            let mut whole = match &folder {
                None => walk(tree.path(), &options(1)).unwrap(),
                Some(folder) => walk_below(tree.path(), std::slice::from_ref(folder), &options(1)).unwrap(),
            };
            let parts = |candidate: &Candidate| -> Vec<String> {
                candidate.path.as_str().split('/').map(str::to_string).collect()
            };
            whole.candidates.sort_by_key(parts);
            assert_eq!((found, skipped.unwrap()), (whole.candidates, whole.skipped), "{folder:?}");
        }
    }

    #[test]
    fn the_walk_ends_where_nobody_wants_more() {
        let tree = tree();
        for folder in 0..200 {
            let folder = tree.path().join(format!("many/{folder}"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("x.rs"), "x").unwrap();
        }
        let listed = std::sync::atomic::AtomicUsize::new(0);
        let on_list = |_: &RelPath| {
            listed.fetch_add(1, Relaxed);
        };
        // One thread: a second one lists folders ahead for as long as the system suspends the first.
        let options = WalkOptions { on_list: Some(&on_list), ..options(1) };
        let mut pieces = 0;
        walk_in_order(tree.path(), None, &options, &mut |_| {
            pieces += 1;
            false
        })
        .unwrap();
        assert!(pieces <= 2 && listed.load(Relaxed) < 100, "{pieces} pieces, {listed:?} folders");
    }

    #[test]
    fn a_root_that_cannot_be_listed_is_an_error() {
        let gone = tree().path().join("gone");
        assert!(walk_in_order(&gone, None, &options(2), &mut |_| true).is_err());
    }
}
