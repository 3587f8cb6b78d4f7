//! Walks of a whole tree, and of whole folders of a tree.

use std::io;
use std::path::Path;

use super::error::{WalkError, root_error};
use super::options::WalkOptions;
use super::queue;
use super::tally::{self, Tally};
use super::walked::Walked;
use super::walker::{Walker, default_threads, unreadable_dir};
use spyhop_base::path::RelPath;

/// The candidates below `root`, and everything that was seen and skipped. The root itself may be a symbolic link; no
/// link below it is followed. A directory that cannot be read becomes a skipped row, and the walk continues.
pub fn walk(root: &Path, options: &WalkOptions) -> Result<Walked, WalkError> {
    let walker = Walker::new(root, options)?;
    let top = walker.top();
    let listing = walker.list(&top).map_err(|source| root_error(root, source))?;
    let mut tally = Tally::default();
    let dirs = walker.sort_out(&top, listing, &mut tally);

    let threads = options.threads.unwrap_or_else(default_threads).max(1);
    let parts = queue::drain(dirs, threads, |dir, part: &mut Tally| walker.visit(dir, part));
    walker.spent.checked()?;
    Ok(tally::sum(parts.into_iter().chain([tally])))
}

/// Walks some folders of the tree at `root`, under the rules of the folders above them. The caller decides that these
/// folders are walked at all; a folder that has gone yields nothing.
pub fn walk_below(root: &Path, folders: &[RelPath], options: &WalkOptions) -> Result<Walked, WalkError> {
    let walker = Walker::new(root, options)?;
    let mut skipped = Vec::new();
    let mut dirs = Vec::new();
    for folder in folders {
        match walker.dir(folder) {
            Ok(dir) => dirs.push(dir),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => skipped.push(unreadable_dir(folder, &error)),
        }
    }
    let threads = options.threads.unwrap_or_else(default_threads).max(1);
    let parts = queue::drain(dirs, threads, |dir, part: &mut Tally| walker.visit(dir, part));
    walker.spent.checked()?;
    Ok(tally::heap(parts.into_iter().chain([Tally { skipped, ..Tally::default() }])))
}
