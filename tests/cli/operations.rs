//! The other subcommands.

use super::{SMALL, Tree};

#[test]
fn index_says_what_it_did() {
    let tree = Tree::new(SMALL);
    let root = tree.root();
    let ran = tree.run_in("/", &["index", root.to_str().unwrap()]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(
        ran.out.starts_with("generation 1: 3 added, 0 changed, 0 deleted, 0 renamed; 3 parsed"),
        "{}",
        ran.out
    );
    assert!(tree.run(&["index"]).out.starts_with("nothing changed"));
    tree.write("src/paint.py", "def draw_square(side):\n    return side\n");
    std::fs::remove_file(root.join("docs/guide.md")).unwrap();
    let report = tree.json(&["index"]);
    assert_eq!(
        (&report["changed"], &report["deleted"], &report["parsed"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(tree.json(&["index", "--rebuild"])["parsed"], 2);
    assert_eq!(tree.run(&["index", "-q"]).out, "");
}

#[test]
fn status_before_and_after() {
    let tree = Tree::new(SMALL);
    let missing = tree.run(&["status"]);
    assert_eq!((missing.code, missing.err.as_str()), (1, ""));
    let lines: Vec<&str> = missing.out.lines().collect();
    assert!(lines.contains(&&*format!("Run: spyhop index {}", tree.root().display())), "{}", missing.out);
    assert!(lines.iter().any(|line| line.starts_with("Expected index at: ")), "{}", missing.out);
    assert_eq!(tree.json(&["status"])["state"], "missing");

    tree.run(&["index"]);
    let status = tree.json(&["status"]);
    assert_eq!(
        (&status["state"], &status["files"], &status["stale_files"]),
        (&"ready".into(), &3.into(), &0.into())
    );
    assert_eq!(status["root"], tree.root().to_str().unwrap());
    assert!(status["index_path"].as_str().unwrap().starts_with(tree.index_dir().to_str().unwrap()));
    assert!(status["chunks"].as_u64().unwrap() >= 3 && status["symbols"].as_u64().unwrap() >= 3, "{status}");
    assert!(
        status["languages"].as_array().unwrap().contains(&serde_json::json!({ "name": "rust", "files": 1 }))
    );

    tree.write("src/new.rs", "fn new() {}\n");
    let stale = tree.run(&["status"]);
    assert_eq!(stale.code, 0);
    assert!(stale.out.starts_with("state       stale\n"), "{}", stale.out);
}

#[test]
fn grep_prints_lines_as_grep_does() {
    let tree = Tree::new(SMALL);
    let check = |args: &[&str], code: i32, out: &str| {
        let ran = tree.run(&[&["grep"], args].concat());
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (code, out, ""), "{args:?}");
    };
    check(
        &["cIrcle", "-i"],
        0,
        "src/paint.py:def draw_circle(radius):\nsrc/paint.py:    \"\"\"Draws a circle on the canvas.\"\"\"\n",
    );
    check(&["circle", "-nw", "src"], 0, "src/paint.py:2:    \"\"\"Draws a circle on the canvas.\"\"\"\n");
    check(&["circle", "docs"], 1, "");
    check(&["circle", "--path", "docs"], 1, "");
    check(&["circle", "docs", "src", "-l"], 0, "src/paint.py\n");
    check(&["-e", "circle", "-e", "Vault", "src", "-c"], 0, "src/auth.rs:1\nsrc/paint.py:2\n");
    check(&["Vault", "src/auth.rs"], 0, "pub struct Vault;\n");
    check(&["(provider", "-F"], 0, "src/auth.rs:pub fn resolve_api_key(provider: &str) -> String {\n");
    check(
        &["Brewing|format!|Vault", "-nC", "1"],
        0,
        "docs/guide.md:1:# Brewing\ndocs/guide.md-2-\n--\nsrc/auth.rs-2-pub fn resolve_api_key(provider: &str) -> String {\n\
         src/auth.rs:3:    format!(\"secret of {provider}\")\nsrc/auth.rs-4-}\nsrc/auth.rs-5-\nsrc/auth.rs:6:pub struct Vault;\n",
    );
    check(&["resolve_\\w+key", "--explain-plan"], 0, "*resolve_* and *key*\n");
    let page = "src/auth.rs:1:/// Resolves the secret of a provider.\n\n1 of 3 lines in 1 file\nmore: --cursor l1-src/auth.rs\n";
    check(&["provider", "--max-results", "1"], 0, page);
    check(&["circle", "docs", "--max-results", "1"], 1, "No results found for: circle\n");
    check(
        &["provider", "--limit", "1", "--cursor", "l3-src/auth.rs"],
        1,
        "No further results for: provider (3 in all)\n",
    );
    assert!(!tree.index_dir().exists(), "grep makes no index");
    let reply = tree.json(&["grep", "provider"]);
    let first = &reply["results"][0];
    assert_eq!(
        (&first["path"], &first["line"], &first["column"]),
        (&"src/auth.rs".into(), &1.into(), &30.into())
    );
    assert_eq!(first["highlights"], serde_json::json!([[29, 37]]));
    assert_eq!(
        (&reply["total_lines"], &reply["complete"], &reply["next"]),
        (&3.into(), &true.into(), &serde_json::Value::Null)
    );
    let out = tree.run(&["grep", "Vault", "-n", "--color", "always"]).out;
    assert!(out.contains("pub struct \x1b[0m\x1b[1m\x1b[31mVault"), "{out:?}");
}

/// What `files` and `symbols` say about words that name nothing.
const NO_FILE: &str =
    "No results found for: zyzzyva\n  `spyhop search zyzzyva` searches the code for these words.\n";

#[test]
fn files_are_found_by_name() {
    let tree = Tree::new(SMALL);
    tree.write("data/table.csv", "1,2\n".repeat(300_000));
    let check = |args: &[&str], code: i32, out: &str| {
        let ran = tree.run(&[&["files"], args].concat());
        assert_eq!((ran.code, ran.out.as_str()), (code, out), "{args:?}");
        ran.err
    };
    assert_eq!(check(&["paint"], 0, "src/paint.py\n"), "");
    check(&["*.rs"], 0, "src/auth.rs\n");
    assert_eq!(check(&["zyzzyva"], 1, ""), NO_FILE);
    check(&["table"], 0, "data/table.csv\n");
    assert_eq!(check(&["-n", "1"], 0, "data/table.csv\n"), "1 of 4 files\nmore: --cursor g1-1\n");
    check(&["-n", "2", "--cursor", "g1-2", "--path", "."], 0, "src/auth.rs\nsrc/paint.py\n");
    check(&["e", "--path", "docs"], 0, "docs/guide.md\n");
    check(&["-0", "paint"], 0, "src/paint.py\0");
    check(&["--glob", "!*.csv", "--glob", "!docs/**"], 0, "src/auth.rs\nsrc/paint.py\n");
    let reply = tree.json(&["files", "auth"]);
    let expected = serde_json::json!({
        "path": "src/auth.rs", "language": "rust", "lines": 6, "bytes": 147, "matched": "name", "highlights": [[4, 8]]
    });
    assert_eq!((&reply["results"][0], &reply["total"]), (&expected, &1.into()));
}

#[test]
fn a_pipe_gets_every_file_and_definition() {
    let tree = Tree::new("\n=== zebra/crossing.rs\npub fn zebra() {}\n");
    for n in 0..60 {
        tree.write(&format!("many/file_{n}.rs"), format!("pub fn number_{n}() {{}}\n"));
    }
    // Letters in order, scattered over the path, are no match beside a good one.
    tree.write("z/every/bright/rainbow/apple.rs", "pub fn apple() {}\n");
    let lines = |args: &[&str]| {
        let ran = tree.run(args);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        ran.out.lines().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(lines(&["files"]).len(), 62);
    // The rule is that of every front end, whatever the number of files asked for.
    for args in [&["files", "zebra"][..], &["files", "zebra", "-n", "9"]] {
        let ran = tree.run(args);
        assert_eq!(ran.out, "zebra/crossing.rs\n", "{args:?}");
        assert_eq!(ran.err, "1 of 1 file · 1 scattered match left out: --scattered shows it\n", "{args:?}");
        let reply = tree.json(args);
        assert_eq!((&reply["total"], &reply["left_out"]), (&1.into(), &1.into()), "{args:?}");
    }
    assert_eq!(
        lines(&["files", "zebra", "--scattered"]),
        ["zebra/crossing.rs", "z/every/bright/rainbow/apple.rs"]
    );
    assert_eq!(lines(&["files", "zbrp"]), ["z/every/bright/rainbow/apple.rs"], "there is no better match");
    let symbols = lines(&["symbols"]);
    assert_eq!(symbols.len(), 62);
    assert!(symbols.contains(&"many/file_7.rs:1: fn number_7".to_string()), "{symbols:?}");
    assert_eq!(tree.run(&["symbols", "number", "-n", "3"]).out.lines().count(), 3);
}

#[test]
fn kinds_have_the_names_that_people_type() {
    let tree = Tree::new(SMALL);
    let of = |kind: &str| tree.run(&["symbols", "--kind", kind]).out;
    for kind in ["func", "Fn", "function", "functions", "def"] {
        assert_eq!(of(kind), of("fn"), "{kind}");
    }
    assert_eq!(of("Structs"), of("struct"));
    for kind in ["methods", "classes", "class", "properties", "comments", "constants"] {
        assert_ne!(tree.run(&["symbols", "--kind", kind]).code, 2, "{kind}");
    }
    assert_eq!(tree.run(&["symbols", "--kind", "ss"]).code, 2);
}

#[test]
fn nothing_to_search_says_what_to_do() {
    let tree = Tree::new("\n=== notes.log\nwalrus\n=== .ignore\n*.log\n");
    let out = tree.run(&["walrus"]).out;
    assert!(out.contains("no file that is searched") && out.contains("`spyhop skipped`"), "{out}");
    let err = tree.run(&["files"]).err;
    assert!(err.contains("no file that is searched"), "{err}");
    let index = Tree::new(SMALL).run(&["index"]).out;
    let line = regex::Regex::new(r"(?m)^indexed 3 files, \d+ B, in \d+\.\d s; next: spyhop QUERY").unwrap();
    assert!(line.is_match(&index), "{index}");
}

#[test]
fn help_is_short_and_names_the_commands() {
    let tree = Tree::new(SMALL);
    let bare = tree.run(&[]);
    assert_eq!((bare.code, bare.out.as_str()), (2, ""));
    for command in
        ["spyhop QUERY", "spyhop grep", "spyhop files", "spyhop symbols", "spyhop map", "spyhop -h"]
    {
        assert!(bare.err.contains(command), "{command}: {}", bare.err);
    }
    assert!(bare.err.lines().count() < 24, "{}", bare.err);
    let wrong = tree.run(&["help", "serach"]);
    assert_eq!((wrong.code, wrong.out.as_str()), (2, ""));
    assert!(
        wrong.err.contains("did you mean 'search'?") && wrong.err.contains("Commands: "),
        "{}",
        wrong.err
    );
    let long = tree.run(&["symbols", "--help"]).out;
    assert!(long.contains("Examples:\n  spyhop symbols Pool.take"), "{long}");
    let page = tree.run(&["man", "symbols"]).out;
    assert!(page.contains("spyhop symbols Pool.take"), "{page}");
}

#[test]
fn a_map_shows_what_is_where() {
    let tree = Tree::new(SMALL);
    let whole = "./  3 files, 12 lines: markdown 1, python 1, rust 1\n\
                 \x20 docs/  1 file, 3 lines: markdown 1\n\
                 \x20   docs/guide.md  3 lines: markdown\n\
                 \x20     doc Brewing  1-3\n\
                 \x20 src/  2 files, 9 lines: python 1, rust 1\n\
                 \x20   src/auth.rs  6 lines: rust\n\
                 \x20     fn resolve_api_key  2-4\n\
                 \x20     struct Vault  6-6\n\
                 \x20   src/paint.py  3 lines: python\n\
                 \x20     fn draw_circle  1-3\n";
    assert_eq!(tree.run(&["map"]).out, whole);
    let file = "src/paint.py  3 lines: python\n  fn draw_circle  1-3\n";
    assert_eq!(tree.run(&["map", "src/paint.py"]).out, file);
    let cut = "./  3 files, 12 lines: markdown 1, python 1, rust 1\n\
               \x20 doc Brewing  docs/guide.md:1\n\
               \x20 src/  2 files, 9 lines: python 1, rust 1\n\
               not complete: ask for a folder below, or for more with --max-items\n";
    assert_eq!(tree.run(&["map", "-n", "3"]).out, cut);
    let reply = tree.json(&["map", "--depth", "0", "--kind", "struct"]);
    assert_eq!((&reply["files"], &reply["entries"][0]["path"]), (&3.into(), &"".into()));
    let vault = serde_json::json!({
        "name": "Vault", "kind": "struct", "path": "src/auth.rs", "line": 6, "end_line": 6, "depth": 0
    });
    assert!(reply["entries"].as_array().unwrap().iter().any(|entry| entry["symbols"][0] == vault), "{reply}");
}

#[test]
fn skipped_lists_every_hole() {
    let tree = Tree::new(SMALL);
    tree.write(".gitignore", "*.log\n/junk\n");
    tree.write("debug.log", "noise\n");
    tree.write("junk/a.rs", "fn junk() {}\n");
    tree.write("junk/b.rs", "fn junk() {}\n");
    tree.write("data.bin", b"a\0b\0c");
    tree.run(&["index"]);
    let reply = tree.json(&["skipped"]);
    let entries: Vec<(&str, &str, bool)> = reply["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            let text = |name: &str| entry[name].as_str().unwrap();
            (text("path"), text("reason"), entry["is_dir"].as_bool().unwrap())
        })
        .collect();
    for expected in
        [("data.bin", "binary", false), ("debug.log", "ignored", false), ("junk", "ignored", true)]
    {
        assert!(entries.contains(&expected), "{expected:?} in {entries:?}");
    }
    let only = tree.run(&["skipped", "--reason", "binary"]);
    assert_eq!(only.code, 0);
    assert!(only.out.starts_with("data.bin  binary"), "{}", only.out);
    assert!(!only.out.contains("debug.log"), "{}", only.out);
    let none = tree.run(&["skipped", "--reason", "minified"]);
    assert_eq!((none.code, none.out.as_str()), (1, "Nothing was left out.\n"));
}

#[test]
fn why_not_gives_a_verdict() {
    let tree = Tree::new(SMALL);
    tree.write("data.bin", b"a\0b\0c");
    tree.run(&["index"]);
    let check = |args: &[&str], code: i32, verdict: &str| {
        let args = [&["why-not"], args].concat();
        assert_eq!(tree.run(&args).code, code, "{args:?}");
        let answer = tree.json(&args);
        assert_eq!(answer["verdict"], verdict, "{answer}");
        assert!(!answer["text"].as_str().unwrap().is_empty());
        answer
    };
    let ranked = check(&["src/paint.py", "draw", "circle"], 0, "ranked");
    assert_eq!((&ranked["rank"], &ranked["hit"]["path"]), (&1.into(), &"src/paint.py".into()));
    check(&["src/auth.rs", "draw circle"], 1, "no-term");
    let gone = check(&["pain.py", "draw circle"], 1, "no-such-file");
    assert!(gone["text"].as_str().unwrap().ends_with("; the nearest are 'src/paint.py'"), "{gone}");
    let binary = check(&["data.bin", "draw circle"], 1, "skipped");
    assert_eq!(binary["detail"], "binary");
    assert_eq!(binary["text"], "data.bin is left out: binary (NUL at byte 1)");
    let folder = check(&[".", "draw circle"], 1, "not-indexed");
    assert_eq!(folder["text"], ". is a folder; name a file");
    check(&["src/paint.py", "draw circle", "--lang", "rust"], 1, "filtered");
    tree.write("src/new.rs", "fn draw() {}\n");
    check(&["src/new.rs", "draw circle", "--no-refresh"], 1, "not-indexed");
}

#[test]
fn touch_takes_paths_from_where_one_stands() {
    let tree = Tree::new(SMALL);
    tree.run(&["index"]);
    let root = tree.root().join("docs/guide.md");
    let ran = tree.run(&["touch", "src/paint.py", root.to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""));
    let bad = tree.run(&["touch", "gone.rs", "src/auth.rs", "/elsewhere"]);
    assert_eq!((bad.code, bad.err.lines().count()), (2, 2), "{}", bad.err);
    assert!(bad.err.contains("gone.rs") && bad.err.contains("/elsewhere"), "{}", bad.err);
}

#[test]
fn a_touched_file_weighs_more() {
    let tree = Tree::new("\n=== a/one.rs\npub fn hoist_sail() {}\n=== b/two.rs\npub fn hoist_sail() {}\n");
    assert_eq!(tree.paths(&["hoist sail"]), ["a/one.rs", "b/two.rs"]);
    tree.run(&["touch", "b/two.rs"]);
    let reply = tree.json(&["hoist sail"]);
    assert_eq!(reply["results"][0]["path"], "b/two.rs");
    let reasons = reply["results"][0]["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["signal"] == "session"), "{reply}");
}

#[test]
fn languages_are_listed() {
    let tree = Tree::new(SMALL);
    for name in ["languages", "langs"] {
        let ran = tree.run(&[name]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.lines().any(|line| line.starts_with("rust ") && line.contains("rs")), "{}", ran.out);
    }
    let reply = tree.json(&["languages"]);
    let rust = reply["languages"].as_array().unwrap().iter().find(|row| row["name"] == "rust").unwrap();
    assert_eq!((&rust["extensions"][0], &rust["overridden"]), (&"rs".into(), &false.into()));
}

#[test]
fn completions_and_manual() {
    let tree = Tree::new(SMALL);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = tree.run(&["completions", shell]);
        assert!(ran.code == 0 && ran.out.contains("spyhop"), "{shell}: {}", ran.err);
    }
    let page = tree.run(&["man"]);
    assert!(page.code == 0 && page.out.contains(".TH spyhop 1"), "{}", page.out);
    assert!(page.out.contains("max\\-results"), "{}", page.out);
    assert!(tree.run(&["man", "why-not"]).out.contains("why\\-not"));
}

#[test]
fn help_and_version() {
    let tree = Tree::new(SMALL);
    let help = tree.run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    for word in ["Usage: spyhop [OPTIONS] <QUERY>...", "--max-results", "why-not", "Exit codes: 0 found"] {
        assert!(help.out.contains(word), "{word} in {}", help.out);
    }
    let version = tree.run(&["--version"]);
    assert_eq!(version.out, format!("spyhop {}\n", env!("CARGO_PKG_VERSION")));
    assert!(tree.run(&["help", "status"]).out.contains("the state of the index"));
}

#[test]
fn read_prints_lines_with_their_numbers() {
    let tree = Tree::new(SMALL);
    let ran = tree.run(&["read", "src/paint.py", "--lines", "2-3"]);
    let lines = "2\t    \"\"\"Draws a circle on the canvas.\"\"\"\n3\t    return canvas.arc(radius)\n";
    assert_eq!((ran.code, ran.out), (0, format!("src/paint.py:2-3 of 3 lines\n{lines}")));
    let ran = tree.run_in(tree.root().join("src"), &["read", "auth.rs", "--symbol", "Vault"]);
    assert_eq!(ran.out, "auth.rs:6-6 struct Vault of 6 lines\n6\tpub struct Vault;\n");
    assert_eq!(
        tree.run(&["read", "--symbol", "Vault"]).out,
        "src/auth.rs:6-6 struct Vault of 6 lines\n6\tpub struct Vault;\n"
    );
    let ran = tree.run(&["read", "src/pait.py"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("; the nearest are 'src/paint.py'"), "{}", ran.err);
    let ran = tree.run(&["read", "canvas"]);
    assert!(ran.err.contains("To search for these words: spyhop search read canvas"), "{}", ran.err);
    let reply = tree.json(&["read", "src/auth.rs", "--symbol", "resolve_api_key"]);
    assert_eq!((&reply["line"], &reply["symbol"]["kind"]), (&1.into(), &"fn".into()));
}
