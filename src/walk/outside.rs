//! What decides what a walk takes, beside the things themselves: for those who watch a tree instead of walking it.
//!
//! This module owns two answers: which names in a tree may, when they appear, vanish or change, affect other entries,
//! and which files outside the tree do.

use ignore::gitignore::gitconfig_excludes_path;

use super::*;

/// Whether an entry of this name decides about others: an ignore file, a repository, the claim of an index, or what
/// proves a built-in rule.
pub fn decides(name: &str) -> bool {
    let proves = |evidence: &Evidence| match evidence {
        Evidence::Name => false,
        Evidence::Beside(pattern) => pattern.matches(name),
        Evidence::Inside(inside) => *inside == name,
    };
    name == ".git"
        || name == claim::NAME
        || rules::NAMES.iter().any(|(known, _)| *known == name)
        || BUILT_IN.iter().any(|rule| rule.evidence.iter().any(proves))
}

/// What lies in a folder that a built-in rule is about and proves that rule.
pub fn decides_inside(folder: &RelPath) -> impl Iterator<Item = &'static str> {
    let rule = BUILT_IN.iter().find(|rule| rule.is_dir && rule.name.matches(folder.file_name()));
    let evidence = rule.map_or(&[][..], |rule| rule.evidence);
    evidence.iter().filter_map(|evidence| match evidence {
        Evidence::Inside(name) => Some(*name),
        Evidence::Name | Evidence::Beside(_) => None,
    })
}

/// The files outside of the tree at `root`, which has no link in it, that decide what a walk takes, whether or not they
/// are there: ignore files above it and the user's own.
pub fn outside(root: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = gitconfig_excludes_path().into_iter().collect();
    // Up to the top of a repository rules count, and any folder above may become one.
    let mut is_inside = true;
    for (at, folder) in root.ancestors().enumerate() {
        let dot_git = folder.join(".git");
        if at > 0 && is_inside {
            paths.extend(rules::NAMES.iter().map(|(name, _)| folder.join(name)));
        }
        if is_inside && fs::symlink_metadata(&dot_git).is_ok() {
            is_inside = false;
            paths.extend(rules::exclude_file(&dot_git));
        }
        // It is made before what makes it a repository.
        paths.extend([dot_git.join("objects"), dot_git]);
    }
    paths
}

/// Whether the tree at `root` lies in a repository, as ripgrep asks for one.
pub fn is_in_repository(root: &Path) -> bool {
    let is_top = |folder: &Path| rules::REPOSITORIES.iter().any(|name| folder.join(name).exists());
    root.ancestors().any(is_top)
}

/// What rules say that no tree holds and that count in the one at `root`: the user's own and its repository's.
pub fn private_rules(root: &Path) -> Vec<u8> {
    let exclude = root.ancestors().find_map(exclude_of);
    let files = gitconfig_excludes_path().into_iter().chain(exclude);
    files.filter_map(|path| rules::bytes_of(&path).ok()).flatten().collect()
}

/// The rules that a repository keeps for itself whose `.git` stands in `folder`, whether or not there are any.
pub fn exclude_of(folder: &Path) -> Option<PathBuf> {
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
}
