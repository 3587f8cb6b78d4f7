//! The server watches its roots: the next answer has what changed, and the tree was not walked for it.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Session;
use crate::support::{SMALL, Tree};

const DEADLINE: Duration = Duration::from_secs(60);

/// A server that watches its tree by now.
fn watching(tree: &Tree) -> Session {
    let mut session = Session::new(tree);
    let begun = Instant::now();
    while session.data("index_status", json!({}))["watcher"] != session.pid() {
        assert!(begun.elapsed() < DEADLINE, "it does not watch");
        std::thread::sleep(Duration::from_millis(20));
    }
    session
}

fn reply(session: &mut Session, word: &str) -> Value {
    let reply = session.patient("codebase_search", json!({ "query": word }));
    assert_eq!(reply["warnings"], json!([]), "{reply}");
    assert!(
        reply["snapshot"]["checked_at"].is_string() || reply["snapshot"]["checked_at"].is_number(),
        "{reply}"
    );
    reply
}

fn found(session: &mut Session, word: &str) -> Vec<String> {
    let reply = reply(session, word);
    let mut paths: Vec<&str> =
        reply["results"].as_array().unwrap().iter().map(|hit| hit["path"].as_str().unwrap()).collect();
    paths.dedup();
    let lines = session.patient("grep_files", json!({ "pattern": word, "fixed": true }));
    let mut of_lines: Vec<&str> =
        lines["results"].as_array().unwrap().iter().map(|line| line["path"].as_str().unwrap()).collect();
    of_lines.dedup();
    paths.sort_unstable();
    assert_eq!(paths, of_lines, "what is ranked and what is there");
    paths.into_iter().map(str::to_string).collect()
}

fn about(word: &str) -> String {
    format!("/// {word}\npub fn about_{word}() {{}}\n")
}

/// What is written through a link elsewhere is the one change that a walk sees and no event tells of. An answer that does
/// not have it was not walked for; one that had to wait too long for the watcher on a busy machine may have it.
#[cfg(target_os = "linux")]
#[test]
fn no_answer_costs_a_walk_while_the_tree_is_watched() {
    let tree = Tree::new(SMALL);
    let elsewhere = tree.index_dir().with_file_name("elsewhere.rs");
    tree.write("src/linked.rs", about("qxbeforeqx"));
    std::fs::hard_link(tree.root().join("src/linked.rs"), &elsewhere).unwrap();
    let write = |path: &Path, word: &str| std::fs::write(path, about(word)).unwrap();
    let mut session = watching(&tree);
    let mut unwalked = 0;
    for turn in 0..20u8 {
        let letter = char::from(b'a' + turn);
        let (told, untold) = (format!("qxtold{letter}qx"), format!("qxuntold{letter}qx"));
        write(&elsewhere, &untold);
        tree.write("src/new.rs", about(&told));
        let mut has = |word: &str| reply(&mut session, word)["results"] != json!([]);
        assert!(has(&told), "{told}");
        unwalked += usize::from(!has(&untold));
    }
    assert!(unwalked > 0, "every answer walked the tree");
    // What is written where it is watched is told of, and all of the file is read.
    write(&tree.root().join("src/linked.rs"), "qxafterqx");
    assert_eq!(found(&mut session, "qxafterqx"), ["src/linked.rs"]);
    assert_eq!(session.data("index_status", json!({}))["watcher"], session.pid());
}
