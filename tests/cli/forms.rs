//! The forms of an answer: text, JSON, JSON lines, batch; and what streams do to them.

use std::process::Stdio;

use serde_json::Value;

use super::{SMALL, Tree, ran};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Field names in the order in which they are written; `serde_json` sorts what it reads.
fn written(json: &str, names: &[&str]) {
    let places: Vec<usize> = names
        .iter()
        .map(|name| json.find(&format!("\"{name}\":")).unwrap_or_else(|| panic!("no {name} in {json}")))
        .collect();
    assert!(places.is_sorted(), "{names:?} in {json}");
}

#[test]
fn first_use_indexes_and_answers() {
    let tree = Tree::new(SMALL);
    let ran = tree.run(&["resolve_api_key"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("src/auth.rs:"), "{}", ran.out);
    assert!(ran.out.contains("resolve_api_key"), "{}", ran.out);
    assert!(ran.out.contains(" │ pub fn resolve_api_key(provider: &str) -> String {\n"), "{}", ran.out);
    assert!(!ran.out.contains('\x1b') && ran.err.is_empty(), "{}{}", ran.out, ran.err);
}

#[test]
fn nothing_found() {
    let tree = Tree::new(SMALL);
    let ran = tree.run(&["zyzzyva"]);
    assert_eq!(
        (ran.code, ran.out.lines().next(), ran.err.as_str()),
        (1, Some("No results found for: zyzzyva"), "")
    );
    let ran = tree.run(&["zyzzyva", "--json"]);
    let reply: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((ran.code, &reply["results"], &reply["total"]), (1, &serde_json::json!([]), &0.into()));
    let ran = tree.run(&["zyzzyva", "--jsonl"]);
    assert_eq!((ran.code, ran.out.lines().count()), (1, 1), "{}", ran.out);
}

#[test]
fn words_need_no_quotes() {
    let tree = Tree::new(SMALL);
    assert_eq!(tree.json(&["draws", "a", "circle"])["query"], "draws a circle");
    assert_eq!(tree.json(&["search", "index", "status"])["query"], "index status");
    assert_eq!(tree.json(&["draws", "-n", "1", "status"])["query"], "draws status");
    assert_eq!(tree.json(&["search", "help", "me", "find"])["query"], "help me find");
    let ran = tree.run(&["help", "me", "find"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert!(ran.err.contains("unrecognized subcommand 'me'"), "{}", ran.err);
}

#[test]
fn options_stand_before_a_command_as_well() {
    let tree = Tree::new(SMALL);
    for (before, behind) in [
        (vec!["--color", "never", "languages"], vec!["languages", "--color", "never"]),
        (vec!["--lang", "rust", "files"], vec!["files", "--lang", "rust"]),
        (vec!["-q", "--no-refresh", "symbols", "circle"], vec!["symbols", "circle", "-q", "--no-refresh"]),
    ] {
        let (before, behind) = (tree.run(&before), tree.run(&behind));
        assert_eq!((before.code, before.out), (behind.code, behind.out), "{} {}", before.err, behind.err);
    }
    // An option of another command is refused and does not turn the command into a query.
    let ran = tree.run(&["--mode", "compact", "symbols", "circle"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
}

#[test]
fn json_has_the_contract_s_shape() {
    let tree = Tree::new(SMALL);
    let ran = tree.run(&["resolve_api_key", "--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let top = ["query", "results", "backend", "fallback_grep_hits", "total", "complete", "next", "snapshot"];
    written(&ran.out, &top);
    let hit =
        ["path", "line", "end_line", "kind", "symbol", "language", "snippet", "score", "band", "reasons"];
    written(&ran.out, &hit);
    let snapshot = [
        "root",
        "branch",
        "commit",
        "generation",
        "checked_at",
        "indexed_files",
        "skipped_files",
        "stale_files",
    ];
    written(&ran.out, &snapshot);

    let reply: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(keys(&reply).len(), top.len() + 1, "and warnings");
    assert_eq!(keys(&reply["snapshot"]).len(), snapshot.len());
    let first = &reply["results"][0];
    assert_eq!(keys(first).len(), hit.len() + 3, "and stale, snippet_line and highlights");
    assert_eq!((&first["path"], &first["language"]), (&"src/auth.rs".into(), &"rust".into()));
    assert_eq!(first["stale"], false);
    assert_eq!(reply["snapshot"]["root"], tree.root().to_str().unwrap());
    assert_eq!(reply["snapshot"]["indexed_files"], 3);
    assert_eq!((&reply["snapshot"]["branch"], &reply["snapshot"]["commit"]), (&Value::Null, &Value::Null));
    let checked = reply["snapshot"]["checked_at"].as_str().unwrap();
    assert!(checked.len() == 24 && checked.ends_with('Z'), "{checked}");
    assert_eq!(reply["fallback_grep_hits"], 1);
    assert_eq!(reply["complete"], true);
}

#[test]
fn shares_add_up_and_highlights_lie_in_the_snippet() {
    let tree = Tree::new(SMALL);
    for query in ["resolve_api_key", "provider secret", "draws a circle", "how are beans brewed"] {
        let reply = tree.json(&[query]);
        for hit in reply["results"].as_array().unwrap() {
            let reasons = hit["reasons"].as_array().unwrap();
            assert!(!reasons.is_empty(), "{query}: {hit}");
            let sum: f64 = reasons.iter().map(|reason| reason["share"].as_f64().unwrap()).sum();
            assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-4, "{query}: {hit}");
            let snippet = hit["snippet"].as_str().unwrap();
            for span in hit["highlights"].as_array().unwrap() {
                let (from, to) = (span[0].as_u64().unwrap() as usize, span[1].as_u64().unwrap() as usize);
                assert!(from < to && snippet.get(from..to).is_some(), "{query}: {hit}");
            }
        }
    }
}

#[test]
fn json_lines_are_hits_and_then_the_rest() {
    let tree = Tree::new(SMALL);
    let ran = tree.run(&["resolve_api_key", "--jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (rest, hits) = lines.split_last().unwrap();
    assert!(!hits.is_empty());
    assert!(hits.iter().all(|hit| hit["path"].is_string() && hit["reasons"].is_array()));
    assert!(rest["snapshot"].is_object() && rest.get("results").is_none());
    assert_eq!(rest["query"], "resolve_api_key");
}

#[test]
fn a_batch_answers_line_for_line() {
    let tree = Tree::new(SMALL);
    let input = "resolve_api_key\nzyzzyva\n\ndraw_circle\r\n";
    let ran = tree.feed(&["--batch", "-n", "1"], input);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((ran.code, lines.len()), (2, 4), "{}{}", ran.out, ran.err);
    assert_eq!(lines[0]["results"][0]["path"], "src/auth.rs");
    assert_eq!(lines[1]["results"], serde_json::json!([]));
    assert_eq!(lines[2], serde_json::json!({ "error": "query is empty", "kind": "bad-request" }));
    assert_eq!(
        (&lines[3]["query"], &lines[3]["results"][0]["path"]),
        (&"draw_circle".into(), &"src/paint.py".into())
    );

    assert_eq!(tree.feed(&["--batch"], "draw_circle").code, 0);
    assert_eq!(tree.feed(&["--batch"], "zyzzyva\n").code, 1);
    let none = tree.feed(&["--batch"], "");
    assert_eq!((none.code, none.out.as_str()), (1, ""));
}

#[test]
fn a_batch_answers_before_the_next_query_is_asked() {
    use std::io::{BufRead, BufReader, Write};
    let tree = Tree::new(SMALL);
    let mut command = tree.command();
    let mut child = command
        .arg("--batch")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for query in ["resolve_api_key", "draw_circle"] {
        writeln!(stdin, "{query}").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["query"], query);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn several_queries_in_one() {
    let tree = Tree::new(SMALL);
    let reply = tree.json(&["--queries", "resolve_api_key | draw_circle|", "--exclude", "docs"]);
    assert_eq!(reply["query"], "resolve_api_key | draw_circle");
    assert_eq!(reply["queries"], serde_json::json!(["resolve_api_key", "draw_circle"]));
    for hit in reply["results"].as_array().unwrap() {
        let expected = if hit["path"] == "src/auth.rs" { 0 } else { 1 };
        assert_eq!(hit["query_index"], expected, "{hit}");
    }
    // A plain query never splits.
    assert_eq!(tree.json(&["resolve_api_key | draw_circle"])["query"], "resolve_api_key | draw_circle");
    let ran = tree.run(&["--queries", "resolve_api_key|draw_circle", "--whole-page"]);
    assert!(ran.out.contains("← draw_circle\n"), "{}", ran.out);
}

#[test]
fn compact_hits_are_lines_for_editors_and_nothing_else() {
    let tree = Tree::new(SMALL);
    let ran = tree.run(&["--mode", "compact", "resolve_api_key circle", "-n", "1"]);
    let line = regex::Regex::new(r"^([^:]+):(\d+):(\d+): (\S.*)$").unwrap();
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{}", ran.out);
    for text in ran.out.lines() {
        let parts = line.captures(text).unwrap_or_else(|| panic!("{text}"));
        let source = std::fs::read_to_string(tree.root().join(&parts[1])).unwrap();
        let own = source.lines().nth(parts[2].parse::<usize>().unwrap() - 1).unwrap();
        assert_eq!(own.trim(), &parts[4]);
        assert!(parts[3].parse::<usize>().unwrap() <= own.len(), "{text}");
    }
    assert!(ran.err.starts_with("1 of ") && ran.err.contains("more: --cursor "), "{}", ran.err);

    let same = tree.run(&["search", "--vimgrep", "resolve_api_key circle", "-n", "1"]);
    assert_eq!((same.out, same.err.as_str()), (ran.out, ""), "an editor may read both streams");
    assert_eq!(tree.run(&["--mode", "compact", "resolve_api_key", "-q"]).err, "");
    let nothing = tree.run(&["--mode", "compact", "zyzzyva"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (1, ""));
    assert!(nothing.err.starts_with("No results found for: zyzzyva\n"), "{}", nothing.err);
    let symbols = tree.run(&["symbols", "--vimgrep", "resolve_api"]).out;
    assert!(
        symbols.lines().all(|text| line.is_match(text)) && symbols.contains(":1: fn resolve_api_key\n"),
        "{symbols}"
    );
}

#[test]
fn colours_are_for_those_who_want_them() {
    let tree = Tree::new(SMALL);
    let has_colour = |env: &[(&str, &str)], args: &[&str]| {
        let out = ran(tree.command().envs(env.iter().copied()).arg("draw_circle").args(args), "").out;
        assert!(!out.contains("\x1b]8"), "no links in a pipe: {out}");
        out.contains("\x1b[")
    };
    assert!(!has_colour(&[], &[]), "a pipe");
    assert!(has_colour(&[], &["--color", "always"]));
    assert!(has_colour(&[("NO_COLOR", "1")], &["--color", "always"]), "the flag is nearer than the variable");
    assert!(!has_colour(&[("NO_COLOR", "1")], &[]));
    assert!(!has_colour(&[("TERM", "dumb")], &[]));
    assert!(!has_colour(&[], &["--color", "never"]));
    assert!(!has_colour(&[], &["--color", "always", "--json"]), "JSON has no colours");
}

#[test]
fn highlights_are_painted() {
    let tree = Tree::new(SMALL);
    let out = tree.run(&["draw_circle", "--color", "always"]).out;
    assert!(out.contains("\x1b[1m\x1b[31m"), "{out}");
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_error() {
    let tree = Tree::new(SMALL);
    tree.run(&["index"]);
    for args in [&["draw_circle"][..], &["draw_circle", "--json"], &["man"], &["completions", "bash"]] {
        let mut child =
            tree.command().args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{args:?}");
    }
}

#[test]
fn logging_is_off_unless_asked_for() {
    let tree = Tree::new(SMALL);
    assert_eq!(tree.run(&["draw_circle"]).err, "");
    let told = tree.run(&["draw_circle", "-v", "--color", "never"]);
    assert!(told.err.contains("code.search") && told.err.contains("resultCount"), "{}", told.err);
    let told = ran(tree.command().env("SPYHOP_LOG", "spyhop=info").args(["index", "--rebuild"]), "");
    assert!(told.err.contains("code.index.build") && told.err.contains("fileCount"), "{}", told.err);
}
