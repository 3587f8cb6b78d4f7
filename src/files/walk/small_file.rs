//! The small files that a walk reads whole: ignore files, and the claim of an index.

use std::io;
use std::path::Path;

use crate::confined::RootFolder;
use crate::tree::Tree;
use spyhop_base::input;
use spyhop_base::path::RelPath;

/// The largest ignore file that is read. This is arbitrary, and far above any that people write.
const MAX_RULES_BYTES: u64 = 4 << 20;

/// The bytes of an ignore file outside of the walked tree.
pub(super) fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    input::bounded(path, MAX_RULES_BYTES)
}

/// The bytes of an ignore file in the walked tree.
pub(super) fn bytes_below(root: &RootFolder, path: &RelPath) -> io::Result<Vec<u8>> {
    input::bounded_file(root.open(path)?, MAX_RULES_BYTES)
}

/// Refuses an ignore file that is too large.
fn check_size(bytes: u64) -> io::Result<()> {
    match bytes {
        0..=MAX_RULES_BYTES => Ok(()),
        _ => Err(io::Error::other(format!("it is above {MAX_RULES_BYTES} bytes"))),
    }
}

/// The bytes of a file of a tree, if it is not larger than an ignore file may be. `folder` is relative to the tree's
/// top.
pub(super) fn small_file(tree: &dyn Tree, folder: &RelPath, name: &str) -> io::Result<Vec<u8>> {
    let entry = tree.find(&folder.join(name))?;
    check_size(tree.size(&entry)?)?;
    tree.read(&entry)
}
