//! The forms of an answer: text, JSON, JSON lines, batch; and what streams do to them.

use std::process::Stdio;

use serde_json::Value;

use super::{SMALL, Tree, ran};

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
fn compact_hits_are_lines_for_editors_and_nothing_else() {
    let tree = Tree::new(SMALL);
    let ran = tree.run(&["--mode", "compact", "resolve_api_key circle", "-n", "1"]);
    let line = regex::Regex::new(r"^([^:]+):(\d+):(\d+): (\S.*)$").unwrap();
    assert_eq!((ran.code, ran.out.lines().count()), (0, 1), "{}", ran.out);
    for text in ran.out.lines() {
        let parts = line.captures(text).unwrap_or_else(|| panic!("{text}"));
        let source = std::fs::read_to_string(tree.root().join(&parts[1])).unwrap();
        let line = source.lines().nth(parts[2].parse::<usize>().unwrap() - 1).unwrap();
        assert_eq!(line.trim(), &parts[4]);
        assert!(parts[3].parse::<usize>().unwrap() <= line.len(), "{text}");
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
fn the_time_of_each_stage_is_told_beside_the_answer() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let plain = tree.run(&["draw_circle"]);
    let timed = tree.run(&["draw_circle", "--timings"]);
    assert_eq!((timed.code, &timed.out), (plain.code, &plain.out));
    for stage in
        ["search.evidence", "search.places", "search.snippet", "index.open", "render", "whole process"]
    {
        assert!(timed.err.lines().any(|line| line.starts_with(stage)), "{stage}: {}", timed.err);
    }
    assert!(!plain.err.contains("whole process"));
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
