//! Each format is read from a small example, and an error names the line of the fault.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A folder with the files that `text` describes: `=== PATH` heads each.
fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for part in format!("\n{text}").split("\n=== ").skip(1) {
        let (path, content) = part.split_once('\n').unwrap();
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// A set as lines: trees, then their queries with targets.
fn printed(set: &Set) -> String {
    let mut out = format!("set {}\n", set.name);
    for tree in &set.trees {
        let language = tree.language.as_deref().unwrap_or("-");
        out += &format!("{} {} {} {language}\n", tree.name, tree.folder, tree.root);
        for query in &tree.queries {
            let targets: Vec<String> = query.targets.iter().map(shown).collect();
            out += &format!("  {} {} '{}' {}\n", query.id, query.kind, query.text, targets.join(" "));
        }
    }
    out
}

fn shown(target: &Target) -> String {
    let lines = target.lines.map_or(String::new(), |lines| format!(":{}-{}", lines.first, lines.last));
    format!("{}{lines}*{}", target.path, target.grade)
}

fn check(text: &str, path: &str, expected: &str) {
    let folder = folder(text);
    let set = read(&folder.path().join(path)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(printed(&set), expected);
}

/// The error, without the folder that it is about.
fn refused(text: &str, path: &str) -> String {
    let folder = folder(text);
    let path: PathBuf = folder.path().join(path);
    read(&path).unwrap_err().to_string().replace(&format!("{}/", folder.path().display()), "")
}

fn refuses(text: &str, path: &str, beginning: &str) {
    let error = refused(text, path);
    assert!(error.starts_with(beginning) && error.contains("; expected "), "{error}");
}

#[test]
fn sets_of_spyhop_in_toml() {
    check(
        r#"
=== a.toml
corpus = "web"
root = "src"
language = "rust"

[[queries]]
id = "auth"
kind = "semantic"
query = "where is  the key\nresolved"
relevant = ["src/auth.rs", { path = "src/key.rs", lines = [3, 9], grade = 2 }]

[[queries]]
query = "resolve_key"
relevant = ["src/key.rs"]
"#,
        "a.toml",
        "set a\nweb web src rust\n  auth semantic 'where is the key resolved' src/auth.rs*1 src/key.rs:3-9*2\n  \
         web-2 names 'resolve_key' src/key.rs*1\n",
    );
}

#[test]
fn sets_of_spyhop_in_lines() {
    check(
        r#"
=== web.jsonl
{"id": 7, "query": "where is the key resolved?", "relevant": ["auth.rs"], "note": "read by hand"}

{"query": "what does KeyStore hold", "relevant": [{"path": "store.rs", "start_line": 1, "end_line": 2}]}
{"corpus": "other", "language": "go", "id": "x y", "query": "main", "relevant": ["main.go"]}
"#,
        "web.jsonl",
        "set web\nweb web . -\n  web-7 words 'where is the key resolved?' auth.rs*1\n  \
         web-2 mixed 'what does KeyStore hold' store.rs:1-2*1\nother other . go\n  x-y names 'main' main.go*1\n",
    );
}

#[test]
fn the_benchmark() {
    check(
        r#"
=== b/repos.json
[{"name": "web.js", "root": "lib", "language": "javascript", "revision": "0"}]
=== b/annotations/web.js.json
[{"query": "Router", "category": "symbol", "relevant": ["lib/r.js"], "secondary": [{"path": "x", "start_line": 1, "end_line": 4}]}]
"#,
        "b",
        "set b\nweb.js web.js lib javascript\n  web.js-1 symbol 'Router' lib/r.js*1 x:1-4*1\n",
    );
}

#[test]
fn commits() {
    check(
        r#"
=== c/web.json
{"name": "web", "language": "rust", "queries": [
  {"revision": "0123456789ab", "query": "fix the lock", "relevant": ["a.rs"]},
  {"revision": "ffffffffffff", "query": "add a lock", "relevant": ["b.rs"]},
  {"revision": "0123456789ab", "query": "drop the lock", "relevant": ["c.rs"]}]}
"#,
        "c",
        "set c\nweb web@0123456789 . rust\n  web-1 words 'fix the lock' a.rs*1\n  \
         web-3 words 'drop the lock' c.rs*1\nweb web@ffffffffff . rust\n  web-2 words 'add a lock' b.rs*1\n",
    );
}

#[test]
fn an_error_names_the_line_of_the_fault() {
    let toml = "=== a.toml\ncorpus = \"web\"\n\n[[queries]]\nquery = \"lock\"\n";
    refuses(&format!("{toml}relevant = [3]\n"), "a.toml", "a.toml:5: a target is neither a path nor");
    refuses(&format!("{toml}relevant = []\n"), "a.toml", "a.toml:5: a query has no target");
    refuses(&format!("{toml}relevant = [\"/a\"]\n"), "a.toml", "a.toml:5: '/a' is no path below a root");
    refuses(toml, "a.toml", "a.toml:3: missing field `relevant`");
    refuses(&format!("{toml}relevent = []\n"), "a.toml", "a.toml:5: unknown field `relevent`");

    let line = "=== a.jsonl\n{\"query\": \"lock\", \"relevant\": [\"a\"]}\n";
    refuses(&format!("{line}{{\n"), "a.jsonl", "a.jsonl:2: EOF while parsing an object");
    refuses(
        &format!("{line}{{\"query\": \" \", \"relevant\": [\"a\"]}}\n"),
        "a.jsonl",
        "a.jsonl:2: a query is empty",
    );
    let span = "{\"query\": \"x\", \"relevant\": [{\"path\": \"a\", \"lines\": [9, 3]}]}";
    refuses(&format!("{line}{span}\n"), "a.jsonl", "a.jsonl:2: lines 9 to 3 of 'a' are none");

    let commits = "=== c/web.json\n{\"name\": \"web\", \"queries\": [\n{\"revision\": \"xyz\", \"query\": \"a\", \"relevant\": [\"b\"]}]}\n";
    refuses(commits, "c", "c/web.json:2: 'xyz' is no revision");
    let repos = "=== b/repos.json\n[{\"name\": \"web\", \"root\": \".\"}]\n=== b/annotations/web.json\n[\n{\"query\": \"a\", \"relevant\": []}]\n";
    refuses(repos, "b", "b/annotations/web.json:2: a query has no target");

    let twice = line.replace("{\"query\"", "{\"id\": 1, \"query\"");
    let again = twice.lines().nth(1).unwrap().to_string();
    refuses(&format!("{twice}{again}\n"), "a.jsonl", "a.jsonl: two queries have the id 'a-1'");
    refuses("=== x/readme.md\nnothing\n", "x", "x: no query set");
    assert!(refused("=== x/readme.md\nnothing\n", "y").starts_with("y: "));
}

#[test]
fn a_hit_answers_by_path_and_lines() {
    let target = |path: &str, lines: Option<(u32, u32)>| Target {
        path: path.to_string(),
        lines: lines.map(|(first, last)| Lines { first, last }),
        grade: 1,
    };
    let hit = Lines { first: 10, last: 20 };
    let check =
        |target: Target, path: &str, expected: bool| assert_eq!(target.answered_by(path, hit), expected);
    check(target("src/a.rs", None), "src/a.rs", true);
    check(target("src/a.rs", None), "a.rs", true);
    check(target("a.rs", None), "src/a.rs", true);
    check(target("a.rs", None), "src/aa.rs", false);
    check(target("src/a.rs", None), "lib/a.rs", false);
    check(target("a.rs", Some((20, 30))), "a.rs", true);
    check(target("a.rs", Some((21, 30))), "a.rs", false);
    check(target("a.rs", Some((1, 10))), "a.rs", true);
}

#[test]
fn kinds_follow_the_shape() {
    let check = |text: &str, expected: &str| assert_eq!(kind_by_shape(text), expected, "{text}");
    check("Router", "names");
    check("how does JoinMap::remove work", "mixed");
    check("where is `retry` computed", "mixed");
    check("where is the delay computed", "words");
}

#[test]
fn folders_keep_what_looks_like_an_extension() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("lazy.nvim")).unwrap();
    assert_eq!(stem(&folder.path().join("lazy.nvim")), "lazy.nvim");
    assert_eq!(stem(Path::new("a.b.jsonl")), "a.b");
}
