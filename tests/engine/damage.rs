//! Damage of every kind to every file of an index: an answer is that of the sound index, or the damage is told.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use spyhop::{CheckupRequest, GraphQuestion, GraphRequest};
use spyhop_base::model::SymbolKind;
use spyhop_engine::api::{
    FilesRequest, GrepRequest, OnMissing, Options, SearchRequest, StalePolicy, SymbolsRequest,
};
use spyhop_engine::{Engine, Error, ErrorKind};
use spyhop_search::filter::FilterSpec;

use super::{Tree, data, exact, open, options, refresh};
use crate::support::Random;

/// An indexed tree whose index has files of every kind: two segments, deletions, a base and a delta, trigrams.
fn indexed(name: &str) -> Tree {
    let mut text = String::new();
    for file in 0..6 {
        let _ = write!(text, "\n=== src/{name}{file}.rs\n/// Gathers the {name} of part {file}.\n");
        let _ = write!(
            text,
            "pub fn gather{file}(window: u32) -> u32 {{\n    shared_quota(window) + {file}\n}}\n"
        );
    }
    let _ =
        write!(text, "\n=== src/quota.rs\npub fn shared_quota(window: u32) -> u32 {{\n    window * 2\n}}\n");
    let _ = write!(text, "\n=== words.txt\n");
    (0..4_400).for_each(|word| _ = write!(text, "{name}{word:x}{}", if word % 9 == 8 { '\n' } else { ' ' }));
    let tree = Tree::new(&text);
    let engine = Engine::open(tree.root(), Options { threads: Some(1), ..options(&tree) }).unwrap();
    refresh(&engine);
    tree.write(
        &format!("src/{name}0.rs"),
        format!("pub fn gather0() -> u32 {{\n    shared_quota(7) // {name}\n}}\n"),
    );
    refresh(&engine);
    tree
}

/// The answers to questions of every kind, from the index as it is.
fn answers(tree: &Tree) -> Result<Vec<String>, Error> {
    let stale_policy = StalePolicy::Ignore;
    let options = Options { on_missing: OnMissing::Fail, stale_policy, threads: Some(1), ..options(tree) };
    let engine = Engine::open(tree.root(), options)?;
    let kinds = FilterSpec { kind: vec![SymbolKind::Fn], ..FilterSpec::default() };
    let grep = |filter| engine.ask(&GrepRequest { filter, ..GrepRequest::new("quota") });
    let lines = |filter| grep(filter).map(|reply| format!("{:?} {:?}", reply.lines, reply.incomplete));
    let graph = engine.ask(&GraphRequest::new(GraphQuestion::Callers, "shared_quota"))?;
    let symbols = engine.ask(&SymbolsRequest::new("gath"))?;
    let files = engine.ask(&FilesRequest::new("quota"))?;
    Ok(vec![
        exact(&engine.search(&SearchRequest::new("gather the shared quota"))?).join("\n"),
        exact(&engine.search(&SearchRequest::new("shared_quota"))?).join("\n"),
        lines(kinds)?,
        lines(FilterSpec::default())?,
        format!("{:?} {:?}", graph.rows, graph.incomplete),
        format!("{:?} {}", symbols.symbols, symbols.total),
        format!("{:?} {}", files.files, files.total),
    ])
}

/// The files of an index, without locks and empty files.
fn files_of(tree: &Tree) -> Vec<PathBuf> {
    let data = data(&tree.index_dir());
    let below =
        |folder: &str| std::fs::read_dir(data.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = below("meta").chain(below("tantivy")).collect();
    files.retain(|path| path.metadata().is_ok_and(|found| found.len() > 0));
    files.sort();
    files
}

fn extension(path: &Path) -> &str {
    path.extension().unwrap().to_str().unwrap()
}

/// Checks the answers from an index whose file `path` holds `bytes` instead. Returns whether the damage was told.
fn check(tree: &Tree, sound: &[String], path: &Path, bytes: &[u8], what: &str) -> bool {
    let whole = std::fs::read(path).unwrap();
    std::fs::write(path, bytes).unwrap();
    let found = answers(tree);
    std::fs::write(path, whole).unwrap();
    match found {
        Ok(found) => {
            assert!(found == sound, "{what}: {} gives other answers", path.display());
            false
        }
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Damaged, "{what}: {}: {error}", path.display());
            assert!(!error.to_string().contains("panicked"), "{what}: {}: {error}", path.display());
            true
        }
    }
}

#[test]
fn a_flipped_bit_is_told_or_changes_no_answer() {
    let tree = indexed("balance");
    let sound = answers(&tree).unwrap();
    let files = files_of(&tree);
    for kind in ["base", "delta", "term", "idx", "fast", "fieldnorm", "del", "grams", "json"] {
        assert!(files.iter().any(|path| extension(path) == kind), "no {kind}: {files:?}");
    }
    let mut random = Random(46);
    let mut told = 0;
    for path in &files {
        let whole = std::fs::read(path).unwrap();
        for flip in 0..10 {
            let mut bytes = whole.clone();
            let bit = random.below(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
            told += u32::from(check(&tree, &sound, path, &bytes, &format!("bit {bit}")));
            // Parts of a record that nothing names any more have no checksum to compare.
            if flip == 0 && !matches!(extension(path), "base" | "delta") {
                std::fs::write(path, &bytes).unwrap();
                let checkup = open(&tree).ask(&CheckupRequest).unwrap();
                let name = path.file_name().unwrap().to_str().unwrap();
                let names_it = checkup.checks.iter().any(|check| check.detail.contains(name));
                assert!(!checkup.is_clean() && (names_it || name == "meta.json"), "{name}: {checkup:?}");
                std::fs::write(path, &whole).unwrap();
            }
        }
    }
    assert!(told > 60, "{told}");
    assert!(answers(&tree).unwrap() == sound && open(&tree).ask(&CheckupRequest).unwrap().is_clean());
}
