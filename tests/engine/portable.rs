//! Indexes that travel: what is parsed after an import, that answers are those of a fresh index, and what is refused.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use spyhop_engine::api::{
    CheckupRequest, Export, GrepRequest, Import, Options, Remedy, SearchReply, SearchRequest, State,
};
use spyhop_engine::{Engine, ErrorKind, Stop};

use super::same_answers::{as_indexed, check_alike, requests};
use super::{Random, Tree, generated, open, refresh};
use crate::support::SMALL;

const FORCED: Import = Import { force: true, without_sources: false };

/// Where a tree's archive is written.
fn archive_of(tree: &Tree) -> PathBuf {
    tree.root().with_file_name("archive")
}

/// Indexes a tree and exports that.
fn exported(tree: &Tree) -> PathBuf {
    let engine = open(tree);
    refresh(&engine);
    engine.export(&archive_of(tree), &Export::default()).unwrap();
    archive_of(tree)
}

/// The same files elsewhere, older than those of the first tree.
fn copy_of(tree: &Tree) -> Tree {
    let copy = Tree::new("");
    super::copy_into(&copy, &tree.root(), ".");
    age(&copy.root());
    copy
}

fn age(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age(&path);
        } else {
            let file = File::options().append(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(1000)).unwrap();
        }
    }
}

fn many_files() -> Tree {
    let tree = Tree::new("");
    let mut random = Random(11);
    for number in 0..80 {
        let (path, text) = generated(number, &mut random);
        tree.write(&path, text);
    }
    tree
}

#[test]
fn after_an_import_only_what_differs_is_parsed() {
    let tree = many_files();
    let archive = exported(&tree);
    let copy = copy_of(&tree);
    let mut random = Random(11);
    for number in 0..10 {
        let (path, text) = generated(number, &mut random);
        copy.write(&path, format!("{text}\n// merge the edited window {number}\n"));
    }
    age(&copy.root());
    let engine = open(&copy);
    let imported = engine.import(&archive, &Import::default(), &|_| ()).unwrap();
    let report = &imported.report;
    assert_eq!((imported.files, report.parsed, report.changed), (80, 10, 10), "{imported:?}");
    assert_eq!((report.added, report.deleted), (0, 0));
    assert_eq!(refresh(&engine).parsed, 0);
    assert_eq!(engine.status().unwrap().stale_files, Some(0));
    assert!(engine.ask(&CheckupRequest).unwrap().is_clean());
    let fresh_dir = copy.root().with_file_name("fresh");
    let fresh = Options { index_dir: Some(fresh_dir), ..as_indexed(&copy) };
    let fresh = Engine::open(copy.root(), fresh).unwrap();
    refresh(&fresh);
    check_alike(&Engine::open(copy.root(), as_indexed(&copy)).unwrap(), &fresh, &requests(), "imported");
}

#[test]
fn an_archive_holds_the_view_of_what_is_checked_out_and_no_other() {
    let tree = Tree::new(SMALL);
    let git = |args: &[&str]| tree.git(args);
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "one"]);
    let engine = open(&tree);
    refresh(&engine);
    git(&["checkout", "-q", "-b", "topic"]);
    tree.write("src/secret.rs", "pub fn qxhiddenqx() {}\n");
    refresh(&engine);
    fs::remove_file(tree.root().join("src/secret.rs")).unwrap();
    git(&["checkout", "-q", "main"]);
    let root = tree.root().to_string_lossy().into_owned();
    let holds = |text: &str| {
        let contents = unpacked(&archive_of(&tree));
        contents.iter().any(|(_, bytes)| memchr::memmem::find(bytes, text.as_bytes()).is_some())
    };
    let exported = engine.export(&archive_of(&tree), &Export::default()).unwrap();
    assert_eq!((exported.files, &exported.heads[..]), (3, &["main".to_string()][..]));
    assert!(holds("src/auth.rs") && !holds("src/secret.rs") && !holds("qxhiddenqx") && !holds(&root));
    let all = Export { all_views: true, ..Export::default() };
    let exported = engine.export(&archive_of(&tree), &all).unwrap();
    assert_eq!(exported.heads, ["main", "topic"]);
    assert!(holds("src/secret.rs") && !holds(&root));
    // Elsewhere another branch is checked out: its files are known all the same.
    let copy = copy_of(&tree);
    copy.git(&["checkout", "-q", "-b", "other"]);
    let imported = open(&copy).import(&archive_of(&tree), &Import::default(), &|_| ()).unwrap();
    assert_eq!((imported.report.parsed, imported.head.as_str()), (0, "main"));
    let heads = open(&copy).status().unwrap().views.into_iter().map(|view| view.head);
    let mut heads: Vec<String> = heads.collect();
    heads.sort();
    assert_eq!(heads, ["main", "other", "topic"]);
}

#[test]
fn an_export_needs_an_index() {
    let tree = Tree::new(SMALL);
    let error = open(&tree).export(&archive_of(&tree), &Export::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NoIndex);
    assert!(!archive_of(&tree).exists());
    let left = fs::read_dir(tree.root().parent().unwrap()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["tree"]);
}

#[test]
fn an_index_is_replaced_only_when_that_is_asked_for() {
    let tree = Tree::new(SMALL);
    let archive = exported(&tree);
    let copy = copy_of(&tree);
    let engine = open(&copy);
    refresh(&engine);
    copy.write("src/new.rs", "pub fn qxnewqx() {}\n");
    let generation = refresh(&engine).generation;
    let error = engine.import(&archive, &Import::default(), &|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::IndexExists);
    assert_eq!(error.remedy(), Some(&Remedy::ReplaceIndex), "{error}");
    for _ in 0..2 {
        let imported = engine.import(&archive, &FORCED, &|_| ()).unwrap();
        assert_eq!(imported.report.parsed, 1, "{imported:?}");
        assert!(imported.report.generation > generation);
        assert_eq!(engine.search(&SearchRequest::new("qxnewqx")).unwrap().results.len(), 1);
        assert!(engine.ask(&CheckupRequest).unwrap().is_clean());
    }
}

/// The entries of an archive.
fn unpacked(archive: &Path) -> Vec<(String, Vec<u8>)> {
    let mut tar = tar::Archive::new(GzDecoder::new(File::open(archive).unwrap()));
    let entries = tar.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_string(), bytes)
    });
    entries.collect()
}

/// An entry's header: the name is written as it is, however bad.
fn header(name: &str, len: usize, kind: tar::EntryType) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_size(len as u64);
    header.set_mode(0o600);
    header.set_entry_type(kind);
    header.set_cksum();
    header
}

/// An archive of these entries, its checksums right: as somebody makes it who means harm.
fn packed(entries: &[(String, Vec<u8>)], manifest: impl Fn(&mut Value), kind: tar::EntryType) -> Vec<u8> {
    let mut text: Value = serde_json::from_slice(&entries[1].1).unwrap();
    for (row, (name, bytes)) in text["files"].as_array_mut().unwrap().iter_mut().zip(&entries[2..]) {
        row["name"] = name.as_str().into();
        row["len"] = bytes.len().into();
        row["blake3"] = blake3::hash(bytes).to_hex().as_str().into();
    }
    manifest(&mut text);
    let text = serde_json::to_vec(&text).unwrap();
    let head = String::from_utf8(entries[0].1.clone()).unwrap();
    let version = head.split(' ').nth(2).unwrap();
    let head = format!("spyhop index {version} {}\n", blake3::hash(&text).to_hex());
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut put =
        |name: &str, bytes: &[u8], kind| tar.append(&header(name, bytes.len(), kind), bytes).unwrap();
    put(&entries[0].0, head.as_bytes(), tar::EntryType::Regular);
    put(&entries[1].0, &text, tar::EntryType::Regular);
    for (name, bytes) in &entries[2..] {
        put(name, bytes, if bytes.is_empty() { kind } else { tar::EntryType::Regular });
    }
    tar.into_inner().unwrap().finish().unwrap()
}

/// A tree with an index, and archives that it refuses.
struct Refusing {
    tree: Tree,
    engine: Engine,
    /// What lies in the folder of the index, which stays so.
    there: Vec<PathBuf>,
}

impl Refusing {
    fn new() -> Refusing {
        let tree = Tree::new(SMALL);
        let engine = open(&tree);
        refresh(&engine);
        // An answer leaves a mark that says when the view was used.
        engine.search(&SearchRequest::new("brewing")).unwrap();
        let there = below(tree.root().parent().unwrap());
        Refusing { tree, engine, there }
    }

    /// Imports these bytes, which must fail like that.
    fn check(&self, archive: &[u8], kind: ErrorKind, text: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive");
        fs::write(&path, archive).unwrap();
        let error = self.engine.import(&path, &FORCED, &|_| ()).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{text}");
        assert_eq!(below(self.tree.root().parent().unwrap()), self.there, "{text}");
        let reply = self.engine.search(&SearchRequest::new("brewing")).unwrap();
        assert_eq!(reply.results[0].path.as_str(), "docs/guide.md", "{text}");
    }
}

/// Every path below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                waiting.push(path.clone());
            }
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn a_truncated_or_altered_archive_is_refused_by_its_checksum() {
    let bytes = fs::read(exported(&Tree::new(SMALL))).unwrap();
    let refusing = Refusing::new();
    for len in [0, 1, 30, 300, bytes.len() / 2, bytes.len() - 20, bytes.len() - 1] {
        refusing.check(&bytes[..len], ErrorKind::BadArchive, "not a valid archive of an index");
    }
    refusing.check(&[&bytes[..], b"more"].concat(), ErrorKind::BadArchive, "follows behind its end");
    refusing.check(b"something else", ErrorKind::BadArchive, "SPYHOP cannot be unpacked");
    // What is altered inside, behind the back of the compression's checksum.
    let mut tar = Vec::new();
    GzDecoder::new(&bytes[..]).read_to_end(&mut tar).unwrap();
    let mut random = Random(5);
    let entries = unpacked_bytes(&tar);
    let mut named = 0;
    for (name, start, len) in &entries {
        let mut altered = tar.clone();
        altered[start + random.below((*len).max(1))] ^= 0x55;
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        out.write_all(&altered).unwrap();
        let text = if name == "SPYHOP" { String::new() } else { format!("the checksum of {name} is wrong") };
        named += usize::from(!text.is_empty());
        // A version in the first line may come out as a higher one.
        if name != "SPYHOP" {
            refusing.check(&out.finish().unwrap(), ErrorKind::BadArchive, &text);
        }
    }
    assert!(named >= 7, "{named} entries");
}

/// The entries of a tar: name, where the bytes begin, how many there are.
fn unpacked_bytes(tar: &[u8]) -> Vec<(String, usize, usize)> {
    let mut archive = tar::Archive::new(tar);
    let entries = archive.entries().unwrap().map(Result::unwrap).map(|entry| {
        let name = entry.path().unwrap().to_str().unwrap().to_string();
        (name, entry.raw_file_position() as usize, entry.size() as usize)
    });
    entries.filter(|(_, _, len)| *len > 0).collect()
}

#[test]
fn a_foreign_archive_is_refused_and_both_sides_are_named() {
    let entries = unpacked(&exported(&Tree::new(SMALL)));
    let refusing = Refusing::new();
    let check = |manifest: &dyn Fn(&mut Value), kind, text: &str| {
        refusing.check(&packed(&entries, manifest, tar::EntryType::Regular), kind, text);
    };
    let format = spyhop_base::store::FORMAT_VERSION;
    let text = format!("format {} (made by spyhop 9.9), this program has format {format}", format + 1);
    let newer = move |it: &mut Value| (it["format"], it["made_by"]) = ((format + 1).into(), "9.9".into());
    check(&newer, ErrorKind::ForeignArchive, &text);
    let other = |it: &mut Value| it["fingerprint"] = "0123456789ab".into();
    let expected = refusing.there.iter().find(|path| path.join("tantivy").is_dir()).unwrap();
    let expected = expected.file_name().unwrap().to_str().unwrap().split_once('-').unwrap().1.to_string();
    check(&other, ErrorKind::ForeignArchive, "0123456789ab");
    check(&other, ErrorKind::ForeignArchive, &format!("this program has {expected}"));
    let elsewhere = unpacked(&exported(&many_files()));
    let bytes = packed(&elsewhere, |_| (), tar::EntryType::Regular);
    refusing.check(&bytes, ErrorKind::ForeignArchive, "0 of its 80 files are in ");
    let mut next = entries.clone();
    next[0].1 = String::from_utf8(next[0].1.clone()).unwrap().replace("index 1 ", "index 2 ").into_bytes();
    let bytes = packed(&next, |_| (), tar::EntryType::Regular);
    refusing.check(&bytes, ErrorKind::ForeignArchive, "version 2, this program reads version 1");
}

#[test]
fn nothing_leaves_the_folder() {
    let entries = unpacked(&exported(&Tree::new(SMALL)));
    let refusing = Refusing::new();
    let bad = ErrorKind::BadArchive;
    for name in
        ["../evil", "/evil", "tantivy/../../evil", "meta/..", "evil", "meta/.evil", "meta/a/b", "meta/a\\b"]
    {
        let mut entries = entries.clone();
        entries.push((name.to_string(), b"evil".to_vec()));
        let row =
            serde_json::json!({"name": name, "len": 4, "blake3": blake3::hash(b"evil").to_hex().as_str()});
        let manifest = |it: &mut Value| it["files"].as_array_mut().unwrap().push(row.clone());
        let text = format!("it holds a file called {name:?}");
        refusing.check(&packed(&entries, manifest, tar::EntryType::Regular), bad, &text);
        // Beside the manifest.
        let bytes = packed(&entries, |_| (), tar::EntryType::Regular);
        refusing.check(&bytes, bad, "something follows behind its end");
    }
    for kind in
        [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Directory, tar::EntryType::Fifo]
    {
        let mut entries = entries.clone();
        entries.push(("meta/link".to_string(), Vec::new()));
        let row =
            serde_json::json!({"name": "meta/link", "len": 0, "blake3": blake3::hash(b"").to_hex().as_str()});
        let manifest = |it: &mut Value| it["files"].as_array_mut().unwrap().push(row.clone());
        refusing.check(&packed(&entries, manifest, kind), bad, "the next entry is not meta/link");
    }
    let bomb = |it: &mut Value| it["files"][0]["len"] = (1u64 << 40).into();
    refusing.check(&packed(&entries, bomb, tar::EntryType::Regular), bad, "it says that it unpacks to");
    let less = |it: &mut Value| it["files"][0]["len"] = 1.into();
    refusing.check(&packed(&entries, less, tar::EntryType::Regular), bad, "bytes and not 1");
    let twice = |it: &mut Value| it["files"][1]["name"] = it["files"][0]["name"].clone();
    refusing.check(&packed(&entries, twice, tar::EntryType::Regular), bad, "twice");
    let none = |it: &mut Value| it["views"] = serde_json::json!([]);
    refusing.check(&packed(&entries, none, tar::EntryType::Regular), bad, "it holds no view");
    let mut lacking = entries.clone();
    let gone = lacking.iter().position(|(name, _)| name.ends_with(".term")).unwrap();
    lacking.remove(gone);
    let manifest = |it: &mut Value| _ = it["files"].as_array_mut().unwrap().pop();
    refusing.check(&packed(&lacking, manifest, tar::EntryType::Regular), bad, ".term: it is missing");
}

#[test]
fn an_index_with_snippets_is_searched_where_the_sources_are_not() {
    let tree = many_files();
    let engine = open(&tree);
    refresh(&engine);
    let snippets = Export { snippets: true, ..Export::default() };
    let exported = engine.export(&archive_of(&tree), &snippets).unwrap();
    assert_eq!((exported.sources, exported.lacking), (80, 0));
    let empty = Tree::new("");
    let elsewhere = open(&empty);
    let error = elsewhere.import(&archive_of(&tree), &Import::default(), &|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ForeignArchive);
    let without = Import { without_sources: true, ..Import::default() };
    let plain = exported_plain(&tree);
    let error = elsewhere.import(&plain, &without, &|_| ()).unwrap_err();
    assert_eq!(
        (error.kind(), error.remedy()),
        (ErrorKind::NoSources, Some(&Remedy::ExportSources)),
        "{error}"
    );
    elsewhere.import(&archive_of(&tree), &without, &|_| ()).unwrap();
    let here = Engine::open(tree.root(), as_indexed(&tree)).unwrap();
    for request in requests() {
        let (expected, other) = (here.search(&request).unwrap(), elsewhere.search(&request).unwrap());
        assert_eq!(super::exact(&expected), super::exact(&other), "{}", request.query);
        let shown = |reply: &SearchReply| -> Vec<_> {
            reply.results.iter().map(|hit| (hit.snippet.clone(), hit.stale)).collect()
        };
        assert_eq!(shown(&expected), shown(&other), "{}", request.query);
        assert_eq!(expected.literal_lines, other.literal_lines, "{}", request.query);
        assert!(other.warnings[0].contains("came without its tree"), "{:?}", other.warnings);
    }
    // Nothing takes an empty folder for what the tree has become.
    let kind = |result: Result<(), spyhop_engine::Error>| result.unwrap_err().kind();
    assert_eq!(kind(elsewhere.refresh(&|_| ()).map(drop)), ErrorKind::NoSources);
    assert_eq!(kind(elsewhere.collect(false, &|_| ()).map(drop)), ErrorKind::NoSources);
    assert_eq!(kind(elsewhere.ask(&GrepRequest::new("merge")).map(drop)), ErrorKind::NoSources);
    assert_eq!(kind(elsewhere.watch(&Stop::default(), &|_| ()).map(drop)), ErrorKind::NoSources);
    let hidden = Options { hidden: true, ..super::options(&empty) };
    let hidden = Engine::open(empty.root(), hidden).unwrap();
    assert_eq!(kind(hidden.search(&SearchRequest::new("merge")).map(drop)), ErrorKind::NoSources);
    let status = elsewhere.status().unwrap();
    assert_eq!((status.files, status.stale_files, status.state), (80, None, State::Ready));
    assert!(elsewhere.ask(&CheckupRequest).unwrap().is_clean());
    // It can be handed on, and made anew from what is here.
    let again = elsewhere.export(&archive_of(&empty), &snippets).unwrap();
    assert_eq!((again.sources, again.lacking), (80, 0));
    empty.write("src/only.rs", "pub fn qxonlyqx() {}\n");
    assert_eq!(elsewhere.rebuild(&|_| ()).unwrap().parsed, 1);
    assert_eq!(elsewhere.search(&SearchRequest::new("qxonlyqx")).unwrap().results.len(), 1);
    // What the commit before names goes with the one after.
    empty.write("src/second.rs", "pub fn qxsecondqx() {}\n");
    assert_eq!(refresh(&elsewhere).parsed, 1);
    let names = below(&empty.index_dir());
    assert!(!names.iter().any(|path| path.extension().is_some_and(|it| it == "sources")), "{names:?}");
}

/// An archive without sources beside the other.
fn exported_plain(tree: &Tree) -> PathBuf {
    let path = tree.root().with_file_name("plain");
    open(tree).export(&path, &Export::default()).unwrap();
    path
}
