//! Folders and files that become links while questions are answered: no answer has anything from outside of the root.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use spyhop::Engine;
use spyhop_base::path::RelPath;
use spyhop_engine::api::{
    GrepRequest, OutputFormat, PackRequest, PrintOptions, ReadRequest, SearchRequest, SkippedRequest,
    StalePolicy, SymbolsRequest,
};

use super::{open, options};
use crate::support::Tree;

/// A word that only files outside of the root contain.
const FOREIGN: &str = "marker_from_outside";

/// How often the tree is asked about while links are swapped; every third question builds its index anew.
const ROUNDS: usize = 60;

/// A tree whose files have twins outside of the root, with other lines.
fn tree() -> Tree {
    let tree = Tree::new("");
    let outside = outside(&tree);
    for number in 0..8 {
        let text = format!("/// Draws the circle {number}.\npub fn draw_circle_{number}() {{}}\n");
        for folder in ["kept", "swapped", "swapped/deep"] {
            tree.write(&format!("{folder}/file_{number}.rs"), &text);
        }
        for folder in ["", "deep"] {
            let folder = outside.join(folder);
            fs::create_dir_all(&folder).unwrap();
            let text = format!("/// Draws the circle.\npub fn draw_circle_{FOREIGN}_{number}() {{}}\n");
            fs::write(folder.join(format!("file_{number}.rs")), text).unwrap();
        }
    }
    fs::write(outside.join(".gitignore"), format!("{FOREIGN}\n")).unwrap();
    tree.write("single.rs", "pub fn draw_single_circle() {}\n");
    tree
}

fn outside(tree: &Tree) -> std::path::PathBuf {
    tree.root().with_file_name("outside")
}

/// Turns a folder and a file of the tree into links and back until `done`.
fn swap(root: &Path, outside: &Path, done: &AtomicBool) {
    let link = root.with_file_name("link");
    let file_link = root.with_file_name("file-link");
    let _ = (symlink(outside, &link), symlink(outside.join("file_0.rs"), &file_link));
    let (away, file_away) = (root.with_file_name("away"), root.with_file_name("file-away"));
    let (folder, file) = (root.join("swapped"), root.join("single.rs"));
    while !done.load(Relaxed) {
        for (from, to) in [(&folder, &away), (&link, &folder), (&file, &file_away), (&file_link, &file)] {
            fs::rename(from, to).unwrap();
        }
        std::thread::yield_now();
        for (from, to) in [(&folder, &link), (&away, &folder), (&file, &file_link), (&file_away, &file)] {
            fs::rename(from, to).unwrap();
        }
    }
}

fn at(path: &str) -> ReadRequest {
    ReadRequest { path: Some(RelPath::new(path).unwrap()), ..ReadRequest::default() }
}

/// Everything that answers say, as text. A question may fail: its file may be gone.
fn answers(engine: &Engine, said: &mut String) {
    let mut say = |text: String| *said += &text;
    for (before, pattern) in [(0, FOREIGN), (2, "draw_circle")] {
        let request = GrepRequest { before: Some(before), brute: true, ..GrepRequest::new(pattern) };
        say(format!("{:?}", engine.ask(&request).map(|reply| reply.lines).ok()));
        let looks = PrintOptions { form: OutputFormat::Lines, ..PrintOptions::default() };
        let mut out = Vec::new();
        let _ = engine.print_grep(&request, &looks, |bytes| {
            out.extend_from_slice(bytes);
            true
        });
        say(String::from_utf8_lossy(&out).into_owned());
    }
    say(format!(
        "{:?}",
        engine.search(&SearchRequest::new("draw the circle")).map(|reply| reply.results).ok()
    ));
    say(format!("{:?}", engine.ask(&PackRequest::new("draw the circle")).map(|reply| reply.files).ok()));
    say(format!("{:?}", engine.ask(&SymbolsRequest::new("draw_circle")).map(|reply| reply.symbols).ok()));
    for path in ["swapped/file_1.rs", "swapped/none.rs", "single.rs"] {
        say(format!("{:?}", engine.ask(&at(path)).ok()));
    }
    say(format!("{:?}", engine.ask(&SkippedRequest::default()).map(|reply| reply.entries).ok()));
}

#[test]
fn links_that_are_swapped_during_questions_lead_nowhere() {
    let tree = tree();
    let outside = outside(&tree);
    open(&tree).refresh(&|_| ()).unwrap();
    let done = AtomicBool::new(false);
    let escapes = std::thread::scope(|scope| {
        scope.spawn(|| swap(&tree.root(), &outside, &done));
        let mut escapes = Vec::new();
        for round in 0..ROUNDS {
            // Questions of the whole path: with a comparison of the tree, from the last commit, and with a new index.
            let policy = if round % 2 == 0 { StalePolicy::Refresh } else { StalePolicy::Ignore };
            let engine =
                Engine::open(tree.root(), spyhop::Options { stale_policy: policy, ..options(&tree) })
                    .unwrap();
            if round % 3 == 0 {
                let _ = engine.rebuild(&|_| ());
            }
            let mut said = String::new();
            answers(&engine, &mut said);
            // What a question names is no escape.
            let found = said.matches(FOREIGN).count();
            escapes.extend((found > 0).then(|| format!("round {round}: {found} times")));
        }
        done.store(true, Relaxed);
        escapes
    });
    assert!(escapes.is_empty(), "{} of {ROUNDS} rounds: {escapes:?}", escapes.len());
}

#[test]
fn a_path_through_a_link_out_of_the_root_offers_no_names() {
    let tree = tree();
    symlink(outside(&tree), tree.root().join("leads-out")).unwrap();
    let error = open(&tree).ask(&at("leads-out/file_9.rs")).unwrap_err().to_string();
    assert!(!error.contains("file_1") && error.contains("leads-out"), "{error}");
}
