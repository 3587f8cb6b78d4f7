//! Tests of files that links would lead out of a root.

use std::io::Read;
use std::os::unix::fs::symlink;

use super::*;

/// A root with files and links, and a folder outside that the links lead to.
fn tree(top: &Path) -> RootFolder {
    let at = |path: &str| top.join(path);
    for folder in ["root/a/b", "outside/b"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    for (path, text) in [("root/a/b/file", "own"), ("outside/b/file", "foreign"), ("outside/file", "foreign")]
    {
        fs::write(at(path), text).unwrap();
    }
    symlink(at("outside"), at("root/out")).unwrap();
    symlink("../outside/file", at("root/up")).unwrap();
    symlink("a/b", at("root/in")).unwrap();
    symlink(at("root/a"), at("root/in-whole")).unwrap();
    symlink("a/b/file", at("root/file")).unwrap();
    symlink("/proc/self/cwd", at("root/magic")).unwrap();
    RootFolder::new(at("root"))
}

fn text(mut file: File) -> String {
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn a_folder_that_becomes_a_link_after_the_check_leads_nowhere() {
    let top = tempfile::tempdir().unwrap();
    let root = tree(top.path());
    let rel = RelPath::new("a/b/file").unwrap();
    assert!(root.has_file(&rel));
    fs::rename(top.path().join("root/a"), top.path().join("root/was-a")).unwrap();
    symlink(top.path().join("outside"), top.path().join("root/a")).unwrap();
    assert!(rel.below(root.path()).is_file(), "by its path it leads out");
    assert!(root.open(&rel).is_err() && root.metadata(&rel).is_err() && !root.has_file(&rel));
    assert!(root.names(&RelPath::new("a/b").unwrap()).is_err());
    let inside = RootFolder::following(root.path(), LinkReach::Inside);
    assert!(inside.open(&rel).is_err() && inside.metadata(&rel).is_err());
}

#[test]
fn links_are_followed_as_far_as_asked() {
    let top = tempfile::tempdir().unwrap();
    let root = tree(top.path());
    let opened = |links: LinkReach, path: &str| {
        let root = RootFolder::following(root.path(), links);
        let rel = RelPath::new(path).unwrap();
        let found = root.open(&rel).ok().map(text);
        assert_eq!(found.is_some(), root.has_file(&rel), "{links:?} {path}");
        found.unwrap_or_default()
    };
    for path in ["in/file", "in-whole/b/file", "file"] {
        assert_eq!(opened(LinkReach::Nowhere, path), "", "{path}");
        assert_eq!(opened(LinkReach::Inside, path), "own", "{path}");
        assert_eq!(opened(LinkReach::Anywhere, path), "own", "{path}");
    }
    for path in ["out/file", "out/b/file", "up"] {
        assert_eq!(opened(LinkReach::Nowhere, path), "", "{path}");
        assert_eq!(opened(LinkReach::Inside, path), "", "{path}");
        assert_eq!(opened(LinkReach::Anywhere, path), "foreign", "{path}");
    }
}

#[test]
fn the_metadata_are_those_of_the_entry_itself() {
    let top = tempfile::tempdir().unwrap();
    let root = tree(top.path());
    let of = |path: &str| root.metadata(&RelPath::new(path).unwrap()).unwrap();
    assert!(of("up").is_symlink() && of("a").is_dir() && of("").is_dir());
    assert_eq!(of("a/b/file").len(), 3);
    assert_eq!(root.names(&RelPath::new("a").unwrap()).unwrap(), ["b"]);
}
