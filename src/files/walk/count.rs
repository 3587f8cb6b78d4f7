//! Counting the candidates of a tree, up to a limit.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::error::{WalkError, root_error};
use super::options::WalkOptions;
use super::queue;
use super::tally::Tally;
use super::walker::{Walker, default_threads};
use spyhop_base::cancel::Cancel;

/// The number of candidates below `root`. Counting ends at the first folder that makes the number larger than `limit`,
/// so a larger number is a lower bound. A folder that cannot be read has no candidates.
pub fn count(root: &Path, options: &WalkOptions, limit: usize) -> Result<usize, WalkError> {
    let enough = Cancel::default();
    let options = WalkOptions { cancel: Some(&enough), ..*options };
    let walker = Walker::new(root, &options)?;
    let counted = AtomicUsize::new(0);
    let add = |tally: &mut Tally| {
        let found: usize = tally.blocks.drain(..).map(|block| block.files.len()).sum();
        tally.skipped.clear();
        if counted.fetch_add(found, Relaxed) + found > limit {
            enough.cancel();
        }
    };
    let top = walker.top();
    let listing = walker.list(&top).map_err(|source| root_error(root, source))?;
    let mut tally = Tally::default();
    let dirs = walker.sort_out(&top, listing, &mut tally);
    add(&mut tally);
    let threads = options.threads.unwrap_or_else(default_threads).max(1);
    queue::drain(dirs, threads, |dir, tally: &mut Tally| {
        let dirs = walker.visit(dir, tally);
        add(tally);
        dirs
    });
    Ok(counted.into_inner())
}
