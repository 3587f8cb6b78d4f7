//! Vectors from a database of ChunkHound. The program `duckdb` makes one with ChunkHound's tables, and reads it.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::TREE;
use super::server::{DIMENSIONS, Server, vector};
use super::support::{Tree, skipped};

/// The program of DuckDB, if there is one.
fn duckdb() -> Option<PathBuf> {
    let program = std::env::var_os("SPYHOP_DUCKDB").map_or_else(|| PathBuf::from("duckdb"), PathBuf::from);
    Command::new(&program).arg("-version").output().ok().filter(|out| out.status.success())?;
    Some(program)
}

/// The statements that make ChunkHound's tables with some parts of files, as ChunkHound 6.1 has them.
fn statements(parts: &[(&str, &str, usize)]) -> String {
    let mut text = format!(
        "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, name TEXT NOT NULL, content_hash TEXT);
         CREATE TABLE chunks (id INTEGER PRIMARY KEY, file_id INTEGER REFERENCES files(id), chunk_type TEXT NOT NULL,
             symbol TEXT, code TEXT NOT NULL, start_line INTEGER, end_line INTEGER, start_byte INTEGER, end_byte INTEGER);
         CREATE TABLE embeddings_{DIMENSIONS} (id INTEGER PRIMARY KEY, chunk_id INTEGER NOT NULL, provider TEXT NOT NULL,
             model TEXT NOT NULL, embedding FLOAT[{DIMENSIONS}], dims INTEGER NOT NULL);"
    );
    for (id, (path, code, start)) in parts.iter().enumerate() {
        let code = code.replace('\'', "''");
        let end = start + code.len();
        for (provider, sign) in [("openai", 1.0), ("other", -1.0)] {
            let vector: Vec<f32> = vector(&code).iter().map(|number| number * sign).collect();
            let number = 2 * id + usize::from(sign < 0.0);
            let _ = write!(
                text,
                "INSERT INTO embeddings_{DIMENSIONS} VALUES ({number}, {id}, '{provider}', 'fake', {vector:?}, {DIMENSIONS});"
            );
        }
        let _ = write!(
            text,
            "INSERT INTO files VALUES ({id}, '{path}', '{path}', NULL);
             INSERT INTO chunks VALUES ({id}, {id}, 'function', NULL, '{code}', 1, 9, {start}, {end});"
        );
    }
    text
}

#[test]
fn a_build_takes_the_vectors_of_a_database() {
    let server = Server::start();
    let tree = Tree::new(TREE);
    let database = tree.root().join(".chunkhound/db/chunks.db");
    let dimensions = DIMENSIONS.to_string();
    let enable = |more: &[&str]| {
        let args =
            ["semantic", "enable", "--base-url", &server.url, "--model", "fake", "--dimensions", &dimensions];
        tree.run(&[&args, &["--chunkhound", ".chunkhound/db/chunks.db"][..], more].concat())
    };
    let ran = enable(&[]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    let expected = format!(
        "Run: chunkhound index {}\nExpected database at: {}\n",
        tree.root().display(),
        database.display()
    );
    assert!(ran.err.contains(&expected), "{}", ran.err);
    let Some(program) = duckdb() else {
        return skipped("a database of ChunkHound: there is no program duckdb");
    };
    let program = program.to_str().unwrap();
    std::fs::create_dir_all(database.parent().unwrap()).unwrap();
    let read = |path: &str| std::fs::read_to_string(tree.root().join(path)).unwrap();
    let (keys, clock) = (read("src/keys.rs"), read("src/clock.rs"));
    let paint = read("src/paint.rs");
    let parts =
        [("src/keys.rs", &keys[..], 0), ("src/clock.rs", &clock[..], 0), ("src/paint.rs", &paint[..], 0)];
    let made = Command::new(program).arg(&database).args(["-c", &statements(&parts)]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = enable(&["--duckdb", "no-such-program"]);
    assert!(ran.err.contains("no-such-program'") && ran.err.contains("--duckdb"), "{}", ran.err);
    let ran = enable(&["--duckdb", program, "--chunkhound-provider", "voyageai"]);
    assert!(ran.err.contains("it has no vectors of 'voyageai', 'fake' with 24 numbers"), "{}", ran.err);
    let ran = enable(&["--duckdb", program]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("vectors of 3 files from a database"), "{}", ran.out);
    let before = std::fs::read(&database).unwrap();
    let ran = tree.run(&["semantic", "build"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    // What a build reads of keys.rs has a masked value, which the database does not have.
    assert!(ran.out.contains("2 files: 2 stored vectors taken"), "{}", ran.out);
    assert_eq!(server.n_calls(), 0, "nothing is sent by a build");
    let reply = tree.json(&["search", "draw the longest shape long ago", "--mode", "debug"]);
    assert_eq!(server.n_calls(), 1);
    assert_eq!(reply["backend"], "lexical+symbol+path+semantic");
    let reasons = reply["results"].to_string();
    assert!(reasons.contains("to draw_longest (fake, "), "{reasons}");
    assert_eq!(std::fs::read(&database).unwrap(), before, "the database is only read");
    let status = tree.json(&["semantic", "status"]);
    assert_eq!(status["files_with_vectors"], 2, "{status}");
    assert_eq!(status["database"], database.to_str().unwrap());
}

/// What a server for agents answers to `code.search` with these databases: the text, and whether it is an error.
fn searched_with(tree: &Tree, databases: &[&str]) -> Vec<(String, bool)> {
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
    let mut lines = vec![json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello })];
    lines.push(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    for (id, database) in databases.iter().enumerate() {
        let arguments = json!({ "query": "draw the longest shape long ago", "db": database });
        let params = json!({ "name": "code.search", "arguments": arguments });
        lines.push(json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let ran = tree.feed(&["mcp", "--no-refresh"], &input);
    let mut answers: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.retain(|answer| answer["id"].is_number());
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let result = |answer: &Value| {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (text.to_string(), result["isError"] == true)
    };
    assert_eq!(answers.len(), databases.len(), "{}{}", ran.out, ran.err);
    answers.iter().map(result).collect()
}

#[test]
fn a_database_that_is_missing_or_not_enabled_says_what_to_run() {
    let tree = Tree::new(TREE);
    assert_eq!(tree.run(&["index"]).code, 0);
    let root = tree.root().display().to_string();
    // What DuckDB writes first. Nobody has opted in, so nothing more of it is read.
    tree.write(".chunkhound/db/chunks.db", b"\0\0\0\0\0\0\0\0DUCK\0\0\0\0");
    tree.write("src/other.db", "no database");
    let found = searched_with(&tree, &[".chunkhound/db", "gone/chunks.db", "src/other.db"]);
    let expected = [
        format!("Run: spyhop semantic enable --chunkhound {root}/.chunkhound/db/chunks.db --model MODEL\n"),
        format!("Run: chunkhound index {root}\nExpected database at: {root}/gone/chunks.db\n"),
        format!("Run: spyhop index {root} --index-dir {root}/src/other.db\n"),
    ];
    for ((text, is_error), expected) in found.iter().zip(expected) {
        assert!(*is_error && text.starts_with(&expected), "{text}");
    }
}

#[test]
fn a_database_that_chunkhound_made_is_read() {
    let (Some(program), Some(duckdb)) = (std::env::var_os("SPYHOP_CHUNKHOUND"), duckdb()) else {
        return skipped(
            "a database that ChunkHound makes: SPYHOP_CHUNKHOUND names no program, or there is no duckdb",
        );
    };
    let server = Server::start();
    let tree = Tree::new(TREE);
    let mut command = Command::new(program);
    command.current_dir(tree.root()).args(["index", ".", "--provider", "openai", "--model", "fake"]);
    let made = command.args(["--base-url", &server.url, "--api-key", "none"]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let n_calls = server.n_calls();
    let dimensions = DIMENSIONS.to_string();
    let of_model = ["--base-url", &server.url, "--model", "fake", "--dimensions", &dimensions];
    let of_database = ["--chunkhound", ".chunkhound/db", "--duckdb", duckdb.to_str().unwrap()];
    let ran = tree.run(&[&["semantic", "enable"][..], &of_model, &of_database].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = tree.run(&["semantic", "build"]);
    assert!(ran.out.contains(" stored vectors taken, 0 parts sent"), "{}{}", ran.out, ran.err);
    assert_eq!(server.n_calls(), n_calls, "nothing is sent by a build");
    let reply = tree.json(&["search", "draw the longest shape long ago", "--mode", "debug"]);
    assert_eq!(reply["backend"], "lexical+symbol+path+semantic");
    assert!(reply["results"].to_string().contains("to draw_longest (fake, "), "{reply}");
    // An agent may name the database, by its folder or by its file, and no other one.
    let other = Tree::new(TREE);
    let foreign = other.root().join("chunks.db");
    std::fs::copy(tree.root().join(".chunkhound/db/chunks.db"), &foreign).unwrap();
    let found =
        searched_with(&tree, &[".chunkhound/db", ".chunkhound/db/chunks.db", foreign.to_str().unwrap()]);
    let is_compared = |(text, is_error): &(String, bool)| !is_error && text.contains("src/paint.rs");
    assert!(found[..2].iter().all(is_compared), "{found:?}");
    assert!(found[2].1 && found[2].0.starts_with("Run: spyhop semantic enable --chunkhound "), "{found:?}");
}
