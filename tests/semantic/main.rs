//! Vectors of a model, with the real binary: a server in the test has the interface of OpenAI, and misbehaves.
//!
//! ```text
//! cargo test -p spyhop-cli --features semantic-all --test semantic
//! ```
#![cfg(unix)]

#[cfg(feature = "chunkhound")]
mod chunkhound;
#[cfg(feature = "sparse-splade")]
mod expansion;
mod joined;
#[cfg(feature = "local-model")]
mod local;
mod model;
#[cfg(feature = "qdrant")]
mod qdrant;
#[cfg(feature = "rerank")]
mod rerank;
mod server;
#[path = "../support/mod.rs"]
mod support;
mod table;

use std::process::{Command, Stdio};
use std::time::Duration;

use server::{Behaviour, DIMENSIONS, Server};
use support::{Random, Tree, skipped};

/// A question whose words occur in no file, and files of which one is about it.
const QUESTION: &str = "forgotten longest ago";
const TREE: &str = r#"
=== src/cache.rs
/// Drops the entry that nobody asked for in the most time.
pub fn evict_lru(entries: &mut Vec<Entry>) -> Option<Entry> {
    let at = entries.iter().position(|entry| entry.age == 0)?;
    Some(entries.remove(at))
}
=== src/paint.rs
/// Draws the longest line of a shape.
pub fn draw_longest(shape: &Shape) -> Line {
    shape.lines().max().unwrap()
}
=== src/clock.rs
/// How long ago a file was written.
pub fn ago(file: &File) -> Duration {
    file.modified().elapsed()
}
=== src/keys.rs
/// The longest key.
pub fn longest_key() -> &'static str {
    let token = "ghp_TOKEN";
    token
}
=== .env
PASSWORD=hunter2hunter2
"#;

/// The end of a token of GitHub, which is written apart so that no scanner takes this file for a leak.
const TOKEN: &str = "Zk4Tq9LmX2vRw7BnY5sJd8HcF3gAe6Uo1iPz";

/// A tree that has opted in to the model of a server.
fn enabled(server: &Server, more: &[&str]) -> Tree {
    let tree = Tree::new(TREE);
    enable(&tree, server, more);
    tree
}

fn enable(tree: &Tree, server: &Server, more: &[&str]) {
    let dimensions = DIMENSIONS.to_string();
    let args =
        ["semantic", "enable", "--base-url", &server.url, "--model", "fake", "--dimensions", &dimensions];
    let ran = tree.run(&[&args, more].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
}

fn build(tree: &Tree) {
    let ran = tree.run(&["semantic", "build"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

/// The paths of the hits of the question, and the warnings of the reply.
fn asked(tree: &Tree) -> (Vec<String>, String) {
    let reply = tree.json(&["search", QUESTION]);
    (tree_paths(&reply), reply["warnings"].to_string())
}

fn tree_paths(reply: &serde_json::Value) -> Vec<String> {
    let hits = reply["results"].as_array().unwrap();
    hits.iter().map(|hit| hit["path"].as_str().unwrap().to_string()).collect()
}

#[test]
fn similar_files_come_first_and_say_why() {
    let server = Server::start();
    let tree = enabled(&server, &[]);
    let (before, warnings) = asked(&tree);
    assert!(warnings.contains("'spyhop semantic build' makes them"), "{warnings}");
    assert_eq!(server.n_calls(), 0, "nothing is sent before a build");
    build(&tree);
    let reply = tree.json(&["search", "key forgotten longest ago", "--mode", "debug"]);
    assert!(!reply["warnings"].to_string().contains("vectors"), "{}", reply["warnings"]);
    assert_eq!(reply["backend"], "lexical+symbol+path+semantic");
    let reasons = reply["results"].to_string();
    assert!(reasons.contains("similar: 'key forgotten longest ago' to "), "{reasons}");
    assert!(reasons.contains(" (fake, "), "{reasons}");
    assert!(before.len() <= asked(&tree).0.len());
    // An opt-out gives the answer of a tree that never opted in.
    assert_eq!(tree.run(&["semantic", "disable"]).code, 0);
    assert_eq!(asked(&tree).0, before);
    let n_calls = server.n_calls();
    asked(&tree);
    assert_eq!(server.n_calls(), n_calls);
}

#[test]
fn a_threshold_leaves_out_what_seems_not_to_answer() {
    let server = Server::start();
    let tree = enabled(&server, &[]);
    build(&tree);
    let scores = |threshold: &str| -> Vec<f64> {
        let reply = tree.json(&["search", "longest key forgotten longest ago", "--min-score", threshold]);
        assert_eq!(reply["backend"], "lexical+symbol+path+semantic");
        reply["results"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect()
    };
    let all = scores("0");
    let above: Vec<f64> = all.iter().copied().filter(|score| *score >= 0.4).collect();
    assert!(!above.is_empty() && above.len() < all.len(), "{all:?}");
    assert_eq!(scores("0.4"), above);
}

#[test]
fn without_opt_in_nothing_connects() {
    let server = Server::start();
    let tree = Tree::new(TREE);
    let ran = support::ran(
        tree.command()
            .args(["search", QUESTION])
            .env("OPENAI_API_KEY", "secret-key")
            .env("OPENAI_BASE_URL", &server.url),
        "",
    );
    assert_ne!(ran.code, 2, "{}", ran.err);
    for command in ["build", "estimate"] {
        let ran = tree.run(&["semantic", command]);
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("'spyhop semantic enable'"), "{}", ran.err);
    }
    assert_eq!(server.n_calls(), 0);
    let calls = tree.root().with_file_name("network-calls");
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", "trace=%network", "-o"]).arg(&calls).arg(support::program());
    command.args(["search", QUESTION]).current_dir(tree.root()).env("SPYHOP_INDEX_DIR", tree.index_dir());
    if command.env("OPENAI_API_KEY", "secret-key").output().is_err() {
        return skipped("system calls of a search: there is no program strace");
    }
    let calls = std::fs::read_to_string(calls).unwrap();
    assert!(!calls.contains("AF_INET"), "{calls}");
}

#[test]
fn nothing_is_sent_twice() {
    let server = Server::start();
    let tree = Tree::new(TREE);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    enable(&tree, &server, &[]);
    build(&tree);
    let first = server.texts().len();
    assert!(first >= 4, "{first}");
    build(&tree);
    assert_eq!(server.texts().len(), first);
    tree.git(&["checkout", "-q", "-b", "other"]);
    tree.write("src/clock.rs", "/// The present time.\npub fn now() -> Time {\n    Time::now()\n}\n");
    tree.commit();
    build(&tree);
    assert_eq!(server.texts().len(), first + 1);
    tree.git(&["checkout", "-q", "main"]);
    build(&tree);
    assert_eq!(server.texts().len(), first + 1);
    let status = tree.json(&["semantic", "status"]);
    assert_eq!(status["files"], status["files_with_vectors"], "{status}");
}

#[test]
fn secrets_are_masked_and_secret_files_stay() {
    let server = Server::start();
    let tree = Tree::new(&TREE.replace("TOKEN", TOKEN));
    enable(&tree, &server, &[]);
    let listed = tree.run(&["semantic", "build", "--dry-run", "--hidden"]);
    assert!(listed.out.contains("src/keys.rs"), "{}{}", listed.out, listed.err);
    assert_eq!(server.n_calls(), 0, "a dry run sends nothing");
    build(&tree);
    assert_eq!(tree.run(&["semantic", "build", "--hidden"]).code, 0);
    tree.run(&["search", &format!("where is ghp_{TOKEN} used as the longest key")]);
    let sent = server.texts().join("\n");
    assert!(sent.contains("longest_key"), "{sent}");
    assert!(sent.contains("used as the longest key"), "{sent}");
    assert!(!sent.contains(&TOKEN[8..]), "{sent}");
    assert!(!sent.contains("hunter2"), "{sent}");
}

#[test]
fn a_key_is_named_and_never_told() {
    let server = Server::start();
    let tree = enabled(&server, &["--key-variable", "OPENAI_API_KEY"]);
    let ran = support::ran(tree.command().args(["semantic", "build"]).env_remove("OPENAI_API_KEY"), "");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("OPENAI_API_KEY not configured"), "{}", ran.err);
    assert!(ran.err.contains("environment"), "{}", ran.err);
    let with_key = |args: &[&str]| {
        let mut command = tree.command();
        command.args(args).env("OPENAI_API_KEY", "sk-test-12345").env("SPYHOP_LOG", "trace");
        support::ran(&mut command, "")
    };
    server.push(&[Behaviour::Status(401, "no such key")]);
    let ran = with_key(&["semantic", "build"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("401: no such key"), "{}", ran.err);
    assert!(!ran.err.contains("sk-test"), "{}", ran.err);
    assert_eq!(with_key(&["semantic", "build"]).code, 0);
    assert!(server.keys().iter().all(|key| key == "Bearer sk-test-12345"), "{:?}", server.keys());
    let settings = find(&tree.index_dir(), "settings.toml");
    assert!(!std::fs::read_to_string(settings).unwrap().contains("sk-test"));
}

/// The file of this name below a folder.
fn find(folder: &std::path::Path, name: &str) -> std::path::PathBuf {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.ends_with(name) {
                return entry;
            }
        }
    }
    panic!("there is no {name}");
}

#[test]
fn a_search_goes_on_whatever_the_server_does() {
    let server = Server::start();
    let tree = enabled(&server, &[]);
    let (plain, _) = asked(&tree);
    build(&tree);
    let settings = find(&tree.index_dir(), "settings.toml");
    let text = std::fs::read_to_string(&settings).unwrap().replace("question_ms = 2000", "question_ms = 300");
    std::fs::write(&settings, text).unwrap();
    for (behaviour, expected) in [
        (Behaviour::Status(429, "slow down"), "429: slow down"),
        (Behaviour::Status(500, "oops"), "500: oops"),
        (Behaviour::Slow(Duration::from_secs(2)), "timeout"),
        (Behaviour::WrongDimensions, "have 3 numbers, and the settings say"),
        (Behaviour::CutJson, "the answer"),
        (Behaviour::NotJson, "not as expected"),
        (Behaviour::Close, "gave no answer"),
    ] {
        server.push(&[behaviour]);
        let (paths, warnings) = asked(&tree);
        assert_eq!(paths, plain, "{behaviour:?}");
        assert!(
            warnings.contains("ranked without vectors") && warnings.contains(expected),
            "{behaviour:?}: {warnings}"
        );
    }
    drop(server);
    let (paths, warnings) = asked(&tree);
    assert_eq!(paths, plain);
    assert!(warnings.contains("ranked without vectors"), "{warnings}");
}

#[test]
fn a_build_tries_again_and_goes_on_after_an_end() {
    let server = Server::start();
    let tree = enabled(&server, &[]);
    let settings = find(&tree.index_dir(), "settings.toml");
    let text = std::fs::read_to_string(&settings).unwrap().replace("build_ms = 60000", "build_ms = 1000");
    std::fs::write(&settings, text).unwrap();
    server.push(&[
        Behaviour::Status(429, "slow down"),
        Behaviour::Status(500, "oops"),
        Behaviour::CutJson,
        Behaviour::Close,
        Behaviour::Slow(Duration::from_secs(2)),
    ]);
    build(&tree);
    // Many files, so that several groups are sent; the server dies after some of them.
    many_files(&tree, 600);
    server.push(&[Behaviour::Answer, Behaviour::Answer, Behaviour::Answer, Behaviour::WrongDimensions]);
    let ran = tree.run(&["semantic", "build"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("the next build goes on from there"), "{}", ran.err);
    let with = |tree: &Tree| tree.json(&["semantic", "status"])["files_with_vectors"].as_u64().unwrap();
    assert!(with(&tree) >= 4, "{}", with(&tree));
    build(&tree);
    let status = tree.json(&["semantic", "status"]);
    assert_eq!(status["files"], status["files_with_vectors"], "{status}");
    let mut texts = server.answered();
    let sent = texts.len();
    texts.sort();
    texts.dedup();
    // What a failed batch had is sent again; nothing that was answered and written is.
    assert!(sent - texts.len() <= 4 * 64, "{sent} sent, {} different", texts.len());
}

#[test]
fn an_endpoint_that_dies_in_a_build_costs_what_it_had_not_answered() {
    let server = Server::start();
    server.delay(Duration::from_millis(20));
    let tree = enabled(&server, &["--concurrency", "1"]);
    many_files(&tree, 600);
    assert_eq!(tree.run(&["index"]).code, 0);
    let mut command = tree.command();
    let child =
        command.args(["semantic", "build"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    while server.answered().len() < 300 {
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(server);
    let ran = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    assert!(told.contains("gave no answer") && told.contains("the next build goes on from there"), "{told}");
    let status = tree.json(&["semantic", "status"]);
    let (with, files) = (status["files_with_vectors"].as_u64().unwrap(), status["files"].as_u64().unwrap());
    assert!(with >= 200 && with < files, "{status}");
    let (_, warnings) = asked(&tree);
    assert!(warnings.contains("ranked without vectors"), "{warnings}");
}

fn many_files(tree: &Tree, n: usize) {
    for file in 0..n {
        tree.write(
            &format!("many/f{file}.rs"),
            format!("/// Item {file}.\npub fn item_{file}() -> u32 {{\n    {file}\n}}\n"),
        );
    }
}

#[test]
fn a_killed_build_loses_nothing() {
    let server = Server::start();
    server.delay(Duration::from_millis(3));
    let tree = enabled(&server, &["--concurrency", "2"]);
    many_files(&tree, 400);
    killed_builds(&tree, "files_with_vectors");
}

/// Builds that are killed at some moments, and one that is not. `counted` is the field of the status that counts files.
fn killed_builds(tree: &Tree, counted: &str) {
    assert_eq!(tree.run(&["index"]).code, 0);
    let mut random = Random(53);
    let moments = support::cases(6, 30);
    let mut last = 0;
    for _ in 0..moments {
        let mut command = tree.command();
        command.args(["semantic", "build"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + random.below(200) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        let status = tree.json(&["semantic", "status"]);
        let with = status[counted].as_u64().unwrap();
        assert!(with >= last, "{with} of {last} are left");
        assert_eq!(status["warnings"].as_array().unwrap().len(), 0, "{status}");
        last = with;
    }
    build(tree);
    let status = tree.json(&["semantic", "status"]);
    assert_eq!(status["files"], status[counted], "{status}");
    assert_eq!(tree.run(&["doctor"]).code, 0);
}

#[test]
fn a_cap_and_a_price_are_told_before_anything_is_sent() {
    let server = Server::start();
    let tree = enabled(&server, &["--max-tokens", "10", "--price", "0.02"]);
    let estimate = tree.json(&["semantic", "estimate"]);
    let tokens = estimate["estimate"]["tokens"].as_u64().unwrap();
    assert!(tokens > 10 && estimate["estimate"]["cost"].as_f64().unwrap() > 0.0, "{estimate}");
    let ran = tree.run(&["semantic", "build"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains(&format!("about {tokens} tokens would be sent and 10 are allowed")),
        "{}",
        ran.err
    );
    assert_eq!(server.n_calls(), 0);
}

#[test]
fn the_questions_of_a_batch_are_one_call() {
    let server = Server::start();
    let tree = enabled(&server, &[]);
    build(&tree);
    let n_calls = server.n_calls();
    let reply = tree.json(&["search", "--queries", "longest ago|longest key|draw a shape"]);
    assert!(!reply["results"].as_array().unwrap().is_empty());
    assert_eq!(server.n_calls(), n_calls + 1);
}

#[test]
fn damaged_vectors_are_told_and_made_anew() {
    let server = Server::start();
    let tree = enabled(&server, &[]);
    build(&tree);
    let rows = find(&tree.index_dir(), "vectors");
    let mut bytes = std::fs::read(&rows).unwrap();
    let at = bytes.len() - 2;
    bytes[at] ^= 0x55;
    std::fs::write(&rows, bytes).unwrap();
    let checked = tree.run(&["doctor"]).out;
    assert!(checked.contains("1 vectors are damaged"), "{checked}");
    asked(&tree);
    build(&tree);
    let checked = tree.run(&["doctor"]).out;
    assert!(!checked.contains("damaged"), "{checked}");
    assert_eq!(tree.run(&["semantic", "purge"]).code, 0);
    assert!(!rows.exists());
}
