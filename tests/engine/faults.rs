//! Indexes of others, of other formats, and damaged ones: which error comes, and what is made anew without losing
//! anything.

use std::path::{Path, PathBuf};

use spyhop_engine::api::{CheckupRequest, OnMissing, Options, SearchRequest, StalePolicy, State};
use spyhop_engine::{Engine, ErrorKind};

use super::{Tree, ask, data, open, options, paths, refresh};
use crate::support::SMALL;

/// An engine that takes the index as it is.
fn as_it_is(tree: &Tree) -> Engine {
    let stale_policy = StalePolicy::Ignore;
    Engine::open(tree.root(), Options { on_missing: OnMissing::Fail, stale_policy, ..options(tree) }).unwrap()
}

fn kind_of_opening(root: &Path, index_dir: PathBuf) -> ErrorKind {
    let opened = Engine::open(root, Options { index_dir: Some(index_dir), ..Options::default() });
    opened.map(|_| ()).unwrap_err().kind()
}

#[test]
fn a_root_must_be_a_folder() {
    let tree = Tree::new(SMALL);
    assert_eq!(kind_of_opening(&tree.root().join("src/auth.rs"), tree.index_dir()), ErrorKind::NoRoot);
    assert_eq!(kind_of_opening(&tree.root().join("none"), tree.index_dir()), ErrorKind::NoRoot);
    assert!(!tree.index_dir().exists());
}

#[test]
fn the_index_of_another_tree_is_refused() {
    let (tree, other) = (Tree::new(SMALL), Tree::new(SMALL));
    refresh(&open(&tree));
    assert_eq!(kind_of_opening(&other.root(), tree.index_dir()), ErrorKind::ForeignIndex);
    // So is a folder with anything else in it, which must not be touched.
    assert_eq!(kind_of_opening(&other.root(), other.root().join("src")), ErrorKind::ForeignIndex);
    assert_eq!(std::fs::read_dir(other.root().join("src")).unwrap().count(), 2);
    assert_eq!(paths(&ask(&open(&tree), "secret")), ["src/auth.rs"]);
}

#[test]
fn a_folder_that_a_crash_left_unclaimed_is_taken() {
    let tree = Tree::new(SMALL);
    std::fs::create_dir(tree.index_dir()).unwrap();
    std::fs::write(tree.index_dir().join("lock"), "").unwrap();
    std::fs::write(tree.index_dir().join(".tmp-a1b2c3"), "{\"form").unwrap();
    assert_eq!(paths(&ask(&open(&tree), "secret")), ["src/auth.rs"]);
}

#[test]
fn a_newer_format_is_refused() {
    let tree = Tree::new(SMALL);
    refresh(&open(&tree));
    let claim = tree.index_dir().join("WORKSPACE");
    let text = std::fs::read_to_string(&claim).unwrap();
    let newer = text.replace("\"format\":1", "\"format\":1000");
    assert_ne!(newer, text);
    std::fs::write(&claim, newer).unwrap();
    assert_eq!(kind_of_opening(&tree.root(), tree.index_dir()), ErrorKind::NewerFormat);
}

#[test]
fn a_commit_that_was_cut_short_can_be_made_again() {
    let tree = Tree::new(SMALL);
    let engine = Engine::open(tree.root(), Options { threads: Some(1), ..options(&tree) }).unwrap();
    refresh(&engine);
    // Killed just before the commit point is replaced, a commit leaves everything it wrote but that.
    let commit_point = data(&tree.index_dir()).join("tantivy/meta.json");
    let before = std::fs::read(&commit_point).unwrap();
    tree.write("src/auth.rs", "pub fn resolve_nothing() {}\n");
    let generation = refresh(&engine).generation;
    for _ in 0..2 {
        std::fs::write(&commit_point, &before).unwrap();
        assert_eq!(paths(&as_it_is(&tree).search(&SearchRequest::new("secret")).unwrap()), ["src/auth.rs"]);
        assert_eq!(refresh(&open(&tree)).generation, generation);
        assert_eq!(paths(&ask(&engine, "resolve_nothing")), ["src/auth.rs"]);
        assert_eq!(ask(&engine, "secret").total, 0);
    }
}

/// The files of the index's folder `name`, by path, sorted.
fn files(tree: &Tree, name: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data(&tree.index_dir()).join(name)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn the_record(tree: &Tree) -> PathBuf {
    let records = files(tree, "meta");
    assert_eq!(records.len(), 1);
    records.into_iter().next().unwrap()
}

/// Damages an index with `damage`; it must be called damaged, be put aside as it is, and be made anew.
fn check_damage(name: &str, damage: impl FnOnce(&Tree)) {
    let tree = Tree::new(SMALL);
    refresh(&open(&tree));
    damage(&tree);
    let read = |path: PathBuf| (path.file_name().unwrap().to_owned(), std::fs::read(&path).unwrap());
    let contents = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| read(entry.unwrap().path())).collect::<std::collections::BTreeMap<_, _>>()
    };
    let whole = data(&tree.index_dir());
    let before = (contents(whole.join("meta")), contents(whole.join("tantivy")));

    let engine = as_it_is(&tree);
    let error = engine.search(&SearchRequest::new("secret")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged, "{name}: {error}");
    let status = engine.status().unwrap();
    assert_eq!((status.state, status.detail.is_some()), (State::Damaged, true), "{name}");
    let aside = |number: u32| tree.index_dir().join(format!("damaged-{number}"));
    assert!(!aside(1).exists(), "{name}");

    let reply = ask(&open(&tree), "secret");
    assert_eq!(paths(&reply), ["src/auth.rs"], "{name}");
    assert!(reply.warnings[0].contains("damaged-1"), "{name}: {:?}", reply.warnings);
    let kept = data(&aside(1));
    assert_eq!((contents(kept.join("meta")), contents(kept.join("tantivy"))), before, "{name}");
    assert!(!std::fs::read_to_string(aside(1).join("REASON")).unwrap().trim().is_empty(), "{name}");
    assert_eq!(paths(&as_it_is(&tree).search(&SearchRequest::new("secret")).unwrap()), ["src/auth.rs"]);
    assert!(!aside(2).exists(), "{name}");
}

#[test]
fn a_damaged_index_is_put_aside_and_made_anew() {
    let change = |path: &Path, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = std::fs::read(path).unwrap();
        change(&mut bytes);
        std::fs::write(path, bytes).unwrap();
    };
    for at in [0, 20, 40, 60] {
        let flip = |bytes: &mut Vec<u8>| bytes[at] ^= 0x20;
        check_damage(&format!("record, byte {at}"), |tree| change(&the_record(tree), &flip));
    }
    check_damage("record, cut", |tree| change(&the_record(tree), &|bytes| _ = bytes.pop()));
    check_damage("record, gone", |tree| std::fs::remove_file(the_record(tree)).unwrap());
    check_damage("commit, empty", |tree| {
        change(&data(&tree.index_dir()).join("tantivy/meta.json"), &Vec::clear)
    });
    check_damage("commit, cut", |tree| {
        change(&data(&tree.index_dir()).join("tantivy/meta.json"), &|bytes| bytes.truncate(bytes.len() / 2))
    });
    for extension in ["term", "idx", "fast", "fieldnorm"] {
        let segment_file = |tree: &Tree| {
            let mut files = files(tree, "tantivy").into_iter();
            files.find(|path| path.extension().is_some_and(|found| found == extension)).unwrap()
        };
        check_damage(&format!("{extension}, cut"), |tree| {
            change(&segment_file(tree), &|bytes| bytes.truncate(bytes.len() / 2))
        });
        check_damage(&format!("{extension}, gone"), |tree| std::fs::remove_file(segment_file(tree)).unwrap());
    }
}

#[test]
fn an_index_that_loses_a_file_while_it_is_open_is_made_anew_by_an_update() {
    for extension in ["term", "idx", "fast", "fieldnorm"] {
        let tree = Tree::new(SMALL);
        let engine = open(&tree);
        refresh(&engine);
        assert_eq!(paths(&ask(&engine, "secret")), ["src/auth.rs"]);
        let mut files = files(&tree, "tantivy").into_iter();
        let lost = files.find(|path| path.extension().is_some_and(|found| found == extension)).unwrap();
        std::fs::remove_file(&lost).unwrap();
        tree.write("src/auth.rs", "pub fn later_secret() {}\n");
        let reply = ask(&engine, "later_secret");
        assert_eq!(paths(&reply), ["src/auth.rs"], "{extension}");
        let reason = std::fs::read_to_string(tree.index_dir().join("damaged-1/REASON")).unwrap_or_default();
        assert!(reason.contains(lost.to_str().unwrap()), "{extension}: {reason}");
    }
}

#[test]
fn damage_that_a_search_comes_upon_is_mended_and_told() {
    let tree = Tree::new(SMALL);
    refresh(&open(&tree));
    let record = the_record(&tree);
    let mut bytes = std::fs::read(&record).unwrap();
    let outline = bytes.windows(15).rposition(|name| name == b"resolve_api_key").unwrap();
    bytes[outline] ^= 1;
    std::fs::write(&record, bytes).unwrap();

    let error = as_it_is(&tree).search(&SearchRequest::new("resolve_api_key")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
    assert!(!open(&tree).ask(&CheckupRequest).unwrap().is_clean());
    let reply = ask(&open(&tree), "resolve_api_key");
    assert_eq!(paths(&reply)[0], "src/auth.rs");
    assert!(reply.warnings[0].contains("damaged-1"), "{:?}", reply.warnings);
    assert!(open(&tree).ask(&CheckupRequest).unwrap().is_clean());
    assert!(ask(&open(&tree), "resolve_api_key").warnings.is_empty());
}
