//! Symbolic links that a user asks an exact search to follow (`--follow`), as ripgrep follows them.
//!
//! A link then counts as the file or folder that it leads to, wherever that lies. A link that leads nowhere, and a link to
//! a folder above itself, are rows for entries that could not be read. No other walk follows links.

use std::fs;
use std::path::Path;

use super::folder::{FolderListing, ListedKind};
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;

/// The entries of the folder `dir` below `root`, in which links have the kind of what they lead to.
pub(super) fn followed(
    root: &Path,
    dir: &RelPath,
    listed: FolderListing,
    broken: &mut Vec<Skipped>,
) -> FolderListing {
    let folder = dir.below(root);
    listed.with_kinds(|listed, entry| {
        if entry.kind != ListedKind::Link || entry.exact.is_some() {
            return None;
        }
        let name = listed.name(entry);
        let link = folder.join(name);
        let failure = match fs::metadata(&link) {
            Ok(metadata) if metadata.is_file() => return Some(ListedKind::File),
            Ok(metadata) if !metadata.is_dir() => return Some(ListedKind::Special("not a regular file")),
            Ok(_) => match folder_above(root, dir, &link) {
                None => return Some(ListedKind::Dir),
                Some(above) => format!("it is a link to the folder {} above it", above.display()),
            },
            Err(error) => error.to_string(),
        };
        let (path, reason) = (dir.join(name), SkipReason::Unreadable);
        broken.push(Skipped::new(path, reason, failure, false));
        None
    })
}

/// The folder on the way from `root` to `dir` that `link` leads to, if there is one.
fn folder_above(root: &Path, dir: &RelPath, link: &Path) -> Option<std::path::PathBuf> {
    let target = fs::canonicalize(link).ok()?;
    let below = dir.below(root);
    let way = below.ancestors().take_while(|folder| folder.starts_with(root));
    way.map(Path::to_path_buf).find(|folder| fs::canonicalize(folder).is_ok_and(|folder| folder == target))
}
