//! Bad input: each gives exit code 2, nothing on standard output, and a message that names the value and, where
//! there are any, the choices.

use super::{SMALL, Tree};

/// Runs and expects failure with a message that contains each of `parts`.
fn refuses(tree: &Tree, args: &[&str], parts: &[&str]) {
    let ran = tree.run(args);
    let shown: Vec<String> = args.iter().map(|arg| arg.chars().take(40).collect()).collect();
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{shown:?}: {}", ran.err);
    assert!(ran.err.starts_with("spyhop: "), "{shown:?}: {}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "{shown:?}: no '{part}' in: {}", ran.err);
    }
}

#[test]
fn of_queries() {
    let tree = Tree::new(SMALL);
    refuses(&tree, &[""], &["query is empty"]);
    refuses(&tree, &["   "], &["query is empty"]);
    refuses(&tree, &["search"], &["QUERY"]);
    refuses(&tree, &["--queries", " | "], &["empty"]);
    refuses(&tree, &[&"x".repeat(100_000)], &["100000", "10000"]);
    refuses(&tree, &["canvas", "--queries", "a|b"], &["--queries"]);
    refuses(&tree, &["canvas", "--batch"], &["--batch"]);
}

#[test]
fn a_query_of_only_punctuation_is_answered() {
    let tree = Tree::new(SMALL);
    for query in ["?!", "...", "::", "(", "\\", "*", "\u{1f433}"] {
        let ran = tree.run(&["--", query]);
        assert!(ran.code <= 1, "{query}: {}", ran.err);
        if ran.code == 1 {
            assert!(ran.out.starts_with(&format!("No results found for: {query}\n")), "{}", ran.out);
        }
    }
}

#[test]
fn of_profiles() {
    let tree = Tree::new(SMALL);
    let with = |edit: fn(&str) -> String, parts: &[&str]| {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = spyhop::Profile::built_in().to_toml();
        let changed = edit(&text);
        assert_ne!(changed, text);
        std::fs::write(file.path(), changed).unwrap();
        refuses(&tree, &["canvas", "--profile", file.path().to_str().unwrap()], parts);
    };
    with(
        |text| {
            text.replace("[signals.size]", "[signals.colour]").replace("[signals.depth]", "[signals.weight]")
        },
        &["unknown signals: colour, weight", "lexical", "path-related"],
    );
    with(|text| text.replace("version = 2", "version = 7"), &["profile version 7 is not 2"]);
    with(|_| "hits = 3".to_string(), &["profile version 0 is not 2"]);
    with(|text| text.replacen("k1 = ", "k1 = -", 1), &["k1 = -", "choose k1 of 0 or more"]);
    refuses(&tree, &["canvas", "--profile", "no/such/file.toml"], &["no/such/file.toml"]);
}

#[test]
fn of_numbers() {
    let tree = Tree::new(SMALL);
    refuses(&tree, &["canvas", "-n", "0"], &["max_results is 0; choose 1 to 50"]);
    refuses(&tree, &["canvas", "-n", "51"], &["max_results is 51; choose 1 to 50"]);
    refuses(&tree, &["canvas", "-n", "many"], &["many"]);
    refuses(&tree, &["canvas", "--per-file", "0"], &["per_file is 0"]);
    refuses(&tree, &["canvas", "--min-score", "1.5"], &["min_score is 1.5"]);
    refuses(&tree, &["canvas", "--min-score", "-1"], &["min_score is -1"]);
    refuses(&tree, &["canvas", "--min-score", "NaN"], &["min_score is NaN"]);
    refuses(&tree, &["canvas", "--expand", "-1"], &["-1"]);
    refuses(&tree, &["canvas", "--threads", "0"], &["threads is 0; choose 1 to"]);
    refuses(&tree, &["canvas", "--max-memory", "63M"], &["max_memory is 66060288; choose 67108864 (64M)"]);
    refuses(&tree, &["canvas", "--max-memory", "1T"], &["1T", "choose K, M or G"]);
    refuses(&tree, &["canvas", "--max-file-size", "0"], &["max_file_bytes is 0; choose 1 to"]);
    refuses(&tree, &["canvas", "--max-file-size", "1X"], &["1X", "choose K, M or G"]);
}

#[test]
fn of_choices() {
    let tree = Tree::new(SMALL);
    refuses(&tree, &["canvas", "--lang", "klingon"], &["klingon", "rust", "typescript"]);
    refuses(
        &tree,
        &["canvas", "--kind", "klass"],
        &["unknown kind 'klass'; choose one of fn, method, struct"],
    );
    refuses(&tree, &["canvas", "--glob", "src/[a"], &["src/[a"]);
    refuses(&tree, &["canvas", "--mode", "loud"], &["loud", "compact, default, debug"]);
    refuses(&tree, &["canvas", "--color", "red"], &["red", "auto, always, never"]);
    refuses(&tree, &["canvas", "--stale-policy", "no"], &["'no'", "refresh, warn, ignore, error, wait"]);
    refuses(&tree, &["canvas", "--stale-policy", "wait", "--no-refresh"], &["--no-refresh", "wait"]);
    refuses(&tree, &["canvas", "--cursor", "nonsense!"], &["nonsense!"]);
    refuses(&tree, &["canvas", "--nonsense"], &["--nonsense"]);
    refuses(&tree, &["canvas", "--json", "--jsonl"], &["--json"]);
    refuses(&tree, &["skipped", "--reason", "boredom"], &["boredom", "ignored", "binary"]);
    refuses(&tree, &["completions", "tcl"], &["tcl", "bash"]);
    refuses(
        &tree,
        &["man", "woman"],
        &["unknown command 'woman'", "search, grep, files, symbols, def, refs"],
    );
}

#[test]
fn of_patterns() {
    let tree = Tree::new(SMALL);
    refuses(&tree, &["grep"], &["PATTERN"]);
    refuses(&tree, &["grep", "fn ("], &["pattern 'fn (' cannot be searched: unclosed group"]);
    refuses(&tree, &["grep", "x", "--max-results", "1001"], &["max_results is 1001; choose 1 to 1000"]);
    refuses(&tree, &["grep", "x", "-C", "101"], &["expand is 101; choose 0 to 100"]);
    refuses(&tree, &["grep", "x", "gone"], &["path 'gone' does not exist"]);
    refuses(&tree, &["grep", "x", "src", "--path", "docs"], &["--path"]);
    refuses(&tree, &["grep", "x", "--kind", "banana"], &["banana"]);
    refuses(&tree, &["files", "x", "--kind", "fn"], &["--kind"]);
    refuses(&tree, &["grep", "x", "--cursor", "g1-2"], &["cursor 'g1-2' is invalid"]);
    refuses(&tree, &["files", "x", "-n", "0"], &["max_results is 0; choose 1 to 1000"]);
    refuses(&tree, &["files", "a["], &["glob 'a['"]);
    refuses(&tree, &["map", "gone"], &["path 'gone' does not exist"]);
    refuses(&tree, &["map", "-n", "5001"], &["max_items is 5001; choose 1 to 5000"]);
}

#[test]
fn of_places() {
    let tree = Tree::new(SMALL);
    let file = tree.root().join("src/auth.rs");
    let gone = tree.root().join("gone");
    let (file, gone) = (file.to_str().unwrap(), gone.to_str().unwrap());
    refuses(&tree, &["canvas", "--root", gone], &[gone]);
    refuses(&tree, &["canvas", "--root", file], &[file]);
    refuses(&tree, &["index", gone], &[gone]);
    refuses(&tree, &["index", file], &[file]);
    refuses(&tree, &["canvas", "--path", gone], &[gone]);
    refuses(&tree, &["canvas", "--path", "gone"], &["path 'gone' does not exist"]);
    refuses(&tree, &["canvas", "--path", "../.."], &["lies outside the root"]);
    refuses(&tree, &["why-not", "../../x", "canvas"], &["lies outside the root"]);
    let root = tree.root().join("src");
    refuses(&tree, &["canvas", "--root", root.to_str().unwrap(), "--path", "/"], &["lies outside the root"]);
    refuses(&tree, &["canvas", "--grammars", gone], &[gone]);
}

#[test]
fn nothing_to_do_shows_help() {
    let ran = Tree::new(SMALL).run(&[]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("spyhop QUERY..."), "{}", ran.err);
}

#[test]
fn logging_directives_are_checked() {
    let tree = Tree::new(SMALL);
    let ran = super::ran(tree.command().env("SPYHOP_LOG", "spyhop=loudly").arg("canvas"), "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.starts_with("spyhop: SPYHOP_LOG is 'spyhop=loudly'"), "{}", ran.err);
}
