//! Other worktrees of the repository that lie inside the walked tree: ranking leaves them out, because their files would be
//! indexed twice. An exact search walks them, and so does a walk whose root is the worktree itself.

use std::path::{Path, PathBuf};

use super::folder::{FolderListing, ListedKind};
use spyhop_base::model::{SkipReason, Skipped};
use spyhop_base::path::RelPath;

/// Whether a folder has a `.git` file, as a worktree and a submodule have.
pub(super) fn has_link(listed: &FolderListing) -> bool {
    listed.entries.iter().any(|entry| entry.kind == ListedKind::File && listed.name(entry) == ".git")
}

/// Whether the `.git` file of `folder` with this content leads to a worktree of the repository around `root`.
pub(super) fn is_of_repository(root: &Path, folder: &Path, link: &[u8]) -> bool {
    let Some(link) = std::str::from_utf8(link).ok().and_then(|text| text.trim().strip_prefix("gitdir:"))
    else {
        return false;
    };
    let git_folder = folder.join(link.trim());
    // `<repository>/worktrees/<name>`
    let mut above = git_folder.ancestors().skip(1);
    let is_worktree = above.next().is_some_and(|above| above.ends_with("worktrees"));
    let (Some(common), true) = (above.next(), is_worktree) else { return false };
    common_folder(root).zip(common.canonicalize().ok()).is_some_and(|(own, other)| own == other)
}

/// The git folder that all worktrees of the repository around `root` share.
fn common_folder(root: &Path) -> Option<PathBuf> {
    let git =
        root.ancestors().map(|folder| folder.join(".git")).find(|git| git.symlink_metadata().is_ok())?;
    if git.is_dir() {
        return git.canonicalize().ok();
    }
    let text = String::from_utf8(super::small_file::bytes_of(&git).ok()?).ok()?;
    let own = git.parent()?.join(text.trim().strip_prefix("gitdir:")?.trim());
    own.ancestors().nth(2)?.canonicalize().ok()
}

/// The row for such a folder.
pub(super) fn row(folder: &RelPath) -> Skipped {
    let detail = "another worktree of the repository".to_string();
    Skipped::new(folder.clone(), SkipReason::BuiltIn, detail, true)
}
