//! The inputs of a walk other than the candidates themselves, for callers that watch a tree instead of walking it.
//!
//! This module owns two answers: which names in a tree may, when they appear, vanish or change, affect other entries,
//! and which files outside the tree do.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::gitignore::gitconfig_excludes_path;

use super::built_in::{BUILT_IN, RuleEvidence};
use super::claim;
use super::rules::{self, ancestors_with_rules};
use super::small_file::bytes_of;
use spyhop_base::path::RelPath;

/// Whether an entry of this name affects other entries: an ignore file, a repository, the claim of an index, or
/// evidence for a built-in rule.
pub fn decides(name: &str) -> bool {
    let proves = |evidence: &RuleEvidence| match evidence {
        RuleEvidence::Name => false,
        RuleEvidence::Beside(pattern) => pattern.matches(name),
        RuleEvidence::Inside(inside) => *inside == name,
    };
    name == ".git"
        || claim::decides(name)
        || rules::NAMES.iter().any(|(known, _)| *known == name)
        || BUILT_IN.iter().any(|rule| rule.evidence.iter().any(proves))
}

/// The entries of a folder that are evidence for a built-in rule about this folder.
pub fn decides_inside(folder: &RelPath) -> impl Iterator<Item = &'static str> {
    let rule = BUILT_IN.iter().find(|rule| rule.is_dir && rule.name.matches(folder.file_name()));
    let evidence = rule.map_or(&[][..], |rule| rule.evidence);
    evidence.iter().filter_map(|evidence| match evidence {
        RuleEvidence::Inside(name) => Some(*name),
        RuleEvidence::Name | RuleEvidence::Beside(_) => None,
    })
}

/// The files outside the tree at `root` that affect a walk, whether or not they exist: ignore files above the root, and
/// the user's file. There must be no links in `root`.
pub fn outside(root: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = gitconfig_excludes_path().into_iter().collect();
    // Rules apply up to the top of a repository, and any folder above may become a repository.
    let mut is_inside = true;
    for (at, folder) in ancestors_with_rules(root).enumerate() {
        let dot_git = folder.join(".git");
        if at > 0 && is_inside {
            paths.extend(rules::NAMES.iter().map(|(name, _)| folder.join(name)));
        }
        if is_inside && fs::symlink_metadata(&dot_git).is_ok() {
            is_inside = false;
            paths.extend(rules::exclude_file(&dot_git));
        }
        // `objects` is created before the files that make the folder a repository.
        paths.extend([dot_git.join("objects"), dot_git]);
    }
    paths
}

/// The ignore files that apply in exact searches only, or in ranked searches only.
pub const DIFFERING: [&str; 2] = [rules::RIPGREPS_NAME, rules::SPYHOPS_NAME];

/// Whether a folder above `root` has an ignore file that applies in exact searches only, such as a `.rgignore` or a
/// `.ignore` above the repository of the tree, or in ranked searches only, a `.spyhopignore`.
pub fn has_ripgreps_rules_above(root: &Path) -> bool {
    let has = |folder: &Path, name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    let mut is_inside = ancestors_with_rules(root).any(|folder| has(folder, ".git"));
    for (at, folder) in ancestors_with_rules(root).enumerate() {
        if at > 0
            && (DIFFERING.iter().any(|name| has(folder, name)) || (!is_inside && has(folder, ".ignore")))
        {
            return true;
        }
        is_inside &= !has(folder, ".git");
    }
    false
}

/// Whether the tree at `root` lies in a repository, by ripgrep's definition.
pub fn is_in_repository(root: &Path) -> bool {
    let is_top = |folder: &Path| rules::REPOSITORIES.iter().any(|name| folder.join(name).exists());
    ancestors_with_rules(root).any(is_top)
}

/// The bytes of all rules that apply to the tree at `root` but are not in a tree: those of the user and of the repository.
pub fn private_rules(root: &Path) -> Vec<u8> {
    let exclude = ancestors_with_rules(root).find_map(exclude_of);
    let files = gitconfig_excludes_path().into_iter().chain(exclude);
    files.filter_map(|path| bytes_of(&path).ok()).flatten().collect()
}

/// The path of the private rules of the repository whose `.git` is in `folder`, whether or not the file exists.
pub(crate) fn exclude_of(folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    fs::symlink_metadata(&dot_git).ok()?;
    rules::exclude_file(&dot_git)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_decide_about_others() {
        for name in [
            ".gitignore",
            ".ignore",
            ".spyhopignore",
            ".git",
            "WORKSPACE",
            "Cargo.toml",
            "CACHEDIR.TAG",
            "a.xcodeproj",
        ] {
            assert!(decides(name), "{name}");
        }
        for name in ["main.rs", "target", "README.md", "Cargo.lock"] {
            assert!(!decides(name), "{name}");
        }
        let inside = |folder: &str| decides_inside(&RelPath::new(folder).unwrap()).collect::<Vec<_>>();
        assert_eq!(inside("a/target"), ["CACHEDIR.TAG"]);
        assert_eq!(inside("a/src"), [""; 0]);
    }

    #[test]
    fn the_rules_above_a_root_end_at_the_top_of_its_repository() {
        let dir = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(top.join("repo/.git/info")).unwrap();
        fs::create_dir_all(top.join("repo/a/b")).unwrap();
        let outside = outside(&top.join("repo/a/b"));
        for path in ["repo/a/.ignore", "repo/.gitignore", "repo/.git/info/exclude", "repo/a/b/.git", ".git"] {
            assert!(outside.contains(&top.join(path)), "{path}: {outside:?}");
        }
        for path in ["repo/a/b/.ignore", ".gitignore"] {
            assert!(!outside.contains(&top.join(path)), "{path}: {outside:?}");
        }
    }

    #[test]
    fn the_rules_above_a_root_end_at_a_library() {
        let dir = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(top.join("repo/.git/info")).unwrap();
        fs::write(top.join("repo/.git/info/exclude"), "*.rs\n").unwrap();
        fs::write(top.join("repo/.rgignore"), "*.rs\n").unwrap();
        let tree = top.join("repo/library/raw/tree");
        fs::create_dir_all(&tree).unwrap();
        assert!(is_in_repository(&tree) && has_ripgreps_rules_above(&tree));
        let rules = private_rules(&tree);
        fs::write(top.join("repo/library/SPYHOP-LIBRARY"), "").unwrap();
        assert!(!is_in_repository(&tree) && !has_ripgreps_rules_above(&tree));
        assert_eq!(private_rules(&tree).len() + "*.rs\n".len(), rules.len());
        assert!(!outside(&tree).iter().any(|path| path.starts_with(top.join("repo/.git"))));
    }
}
