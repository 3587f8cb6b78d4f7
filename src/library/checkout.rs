//! The files of a git commit, written from git's objects.
//!
//! No conversion of a checkout is applied: neither line ends nor filters, which could run programs. Links and submodules
//! are left out.

use std::io;

use super::error::LibraryError;
use super::extent;
use super::unpack::{TreeWriter, UnpackFault};
use spyhop_base::path::RelPath;
use spyhop_files::git::CommitTree;
use spyhop_files::tree::{Tree, TreeKind};

/// Writes the files of the tree, unless the tree is above the limits of the writer.
pub(super) fn check_out(tree: &CommitTree, writer: &mut TreeWriter<'_>) -> Result<(), LibraryError> {
    writer.accept_names();
    extent::check(tree, writer)?;
    let mut folders = vec![RelPath::root()];
    while let Some(folder) = folders.pop() {
        let listed = tree.list(&tree.path_in_repository(&folder));
        let listed = listed.map_err(|error| damaged(writer, &folder, &error))?;
        if let Some(refused) = listed.refused().first() {
            let name = refused.name.to_string_lossy();
            let path = format!("{folder}/{name}");
            return Err(writer
                .error(path.trim_start_matches('/').as_bytes(), UnpackFault::Part(refused.fault))
                .into());
        }
        for entry in listed.entries() {
            let Some(name) = entry.name.to_str() else {
                writer.leave_out(entry.name.as_encoded_bytes(), "its name is not UTF-8");
                continue;
            };
            let path = folder.join(name);
            match entry.kind {
                TreeKind::Folder => folders.push(path),
                TreeKind::Link => writer.leave_out(path.as_str().as_bytes(), "a link"),
                TreeKind::Submodule => writer.leave_out(path.as_str().as_bytes(), "a submodule"),
                TreeKind::File => {
                    let bytes = tree.size(entry).map_err(|error| damaged(writer, &path, &error))?;
                    if writer.leaves_out_size(path.as_str().as_bytes(), bytes) {
                        continue;
                    }
                    let content = tree.read(entry).map_err(|error| damaged(writer, &path, &error))?;
                    writer.file(path.as_str().as_bytes(), None, &mut &content[..])?;
                }
            }
        }
    }
    Ok(())
}

fn damaged(writer: &TreeWriter<'_>, path: &RelPath, error: &io::Error) -> LibraryError {
    writer.error(path.as_str().as_bytes(), UnpackFault::Damaged(error.to_string())).into()
}
