//! `--explain-skips PATH`: the line of the file, the rule or the measure that leaves a path out.

use serde_json::{Value, json};

use super::{Ran, Tree};

const ODD: &str = r#"
=== .gitignore
# what tools leave behind
*.log
/logs/
!keep.log
=== .ignore
!logs.txt
=== src/.gitignore
local.rs
=== src/local.rs
fn local() {}
=== src/a.rs
fn a() {}
=== a.log
x
=== keep.log
x
=== logs/deep/x.rs
fn x() {}
=== .env
x
=== Cargo.toml
[package]
=== Cargo.lock
x
=== target/debug/x.rs
fn x() {}
=== drivers/target/core.c
int core;
=== bin.dat
"#;

fn odd() -> Tree {
    let tree = Tree::new(ODD);
    tree.write("bin.dat", b"a\0b");
    tree
}

fn asked(tree: &Tree, path: &str) -> Ran {
    tree.run(&["skipped", "--explain-skips", path])
}

#[test]
fn every_rule_is_named() {
    let tree = odd();
    let check = |path: &str, code: i32, expected: &str| {
        let ran = asked(&tree, path);
        assert_eq!((ran.code, ran.out.as_str()), (code, expected), "{path}: {}", ran.err);
        let same = tree.run(&["index", "--explain-skips", path]);
        assert_eq!((same.code, same.out), (ran.code, ran.out), "{path}");
    };
    let back =
        |pattern: &str| format!("  To bring it back, write '{pattern}' into .spyhopignore at the root.\n");
    let ignored = "  An ignore file names it.\n";
    check("src/a.rs", 1, "nothing leaves src/a.rs out\n");
    check("src", 1, "nothing leaves the folder src out\n");
    check(".", 1, "nothing leaves the folder . out\n");
    check(
        "a.log",
        0,
        &format!("a.log is left out: ignored (.gitignore:2: *.log)\n{ignored}{}", back("!/a.log")),
    );
    check(
        "src/local.rs",
        0,
        &format!(
            "src/local.rs is left out: ignored (src/.gitignore:1: local.rs)\n{ignored}{}",
            back("!/src/local.rs")
        ),
    );
    check(
        "logs/deep/x.rs",
        0,
        &format!(
            "logs/deep/x.rs is left out with the folder logs: ignored (.gitignore:3: /logs/)\n{ignored}{}",
            back("!/logs/")
        ),
    );
    check("keep.log", 1, "nothing leaves keep.log out\n");
    check(
        "target/debug",
        0,
        &format!(
            "target/debug is left out with the folder target: built-in (built-in rule 'target': Cargo.toml \
             beside it)\n  A built-in rule takes it for a build product or a dependency.\n  It is taken for what \
             cargo, Maven or sbt built.\n{}",
            back("!/target/")
        ),
    );
    check("drivers/target/core.c", 1, "nothing leaves drivers/target/core.c out\n");
    check(
        "bin.dat",
        0,
        "bin.dat is left out: binary (NUL at byte 1)\n  It holds NUL bytes or too many control characters.\n",
    );
    let missing = format!("there is no file none.rs below {}\n", tree.root().display());
    check("none.rs", 1, &missing);
    check("src/a.rs/b", 1, &missing.replace("none.rs", "src/a.rs/b"));
    // It made no index to answer that.
    assert!(!tree.index_dir().exists());
    let ran = asked(&tree, "../elsewhere");
    assert!(ran.code == 2 && ran.err.contains("lies outside the root"), "{}", ran.err);
}

#[test]
fn a_program_gets_the_parts() {
    let tree = odd();
    let of = |path: &str| -> Value {
        serde_json::from_str(&tree.run(&["skipped", "--explain-skips", path, "--json"]).out).unwrap()
    };
    assert_eq!(
        of("logs/deep/x.rs"),
        json!({
            "path": "logs/deep/x.rs", "fate": "left-out", "at": "logs", "is_dir": true, "reason": "ignored",
            "detail": ".gitignore:3: /logs/",
            "rule": { "kind": "gitignore", "file": ".gitignore", "line": 3, "pattern": "/logs/", "evidence": null },
            "exceptions": [], "tracked": false, "in_index": null, "remedy": "!/logs/",
            "text": "logs/deep/x.rs is left out with the folder logs: ignored (.gitignore:3: /logs/)",
        })
    );
    assert_eq!(of("Cargo.lock")["rule"]["evidence"], "Cargo.toml beside it");
    assert_eq!(of("src/a.rs")["rule"], Value::Null);
    tree.run(&["index"]);
    assert_eq!((&of("src/a.rs")["in_index"], &of("a.log")["in_index"]), (&json!(true), &json!(false)));
    tree.write("src/new.rs", "fn new() {}\n");
    assert_eq!(of("src/new.rs")["text"], "nothing leaves src/new.rs out; it is not indexed yet");
}

#[test]
fn what_keeps_a_path_is_named_too() {
    let tree = odd();
    tree.write(".ignore", "!a.log\n!.lint\n");
    tree.write(".lint", "x\n");
    tree.write(".spyhopignore", "!target/\n!big.txt\n");
    tree.write("big.txt", "word\n".repeat(300_000));
    let check = |path: &str, args: &[&str], expected: &[&str]| {
        let ran = tree.run(&[&["skipped", "--explain-skips", path], args].concat());
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        assert_eq!(ran.out.lines().skip(1).map(str::trim).collect::<Vec<_>>(), expected, "{path}");
    };
    check("a.log", &[], &["a.log: ignored (.gitignore:2: *.log), but .ignore:1: !a.log wants it"]);
    check(".lint", &[], &[".lint: hidden ('.lint' begins with a dot), but .ignore:2: !.lint wants it"]);
    let target = "target: built-in (built-in rule 'target': Cargo.toml beside it), but ";
    check("target/debug/x.rs", &[], &[&format!("{target}.spyhopignore:1: !target/ wants it")]);
    let big = "big.txt: too-large (1500000 bytes, above 1048576), but .spyhopignore:2: !big.txt wants it";
    check("big.txt", &[], &[big]);
    check(
        "Cargo.lock",
        &["--no-built-in"],
        &[
            "Cargo.lock: built-in (built-in rule 'Cargo.lock': Cargo.toml beside it), but --no-built-in is given",
        ],
    );
    check(
        ".gitignore",
        &["--hidden"],
        &[".gitignore: hidden ('.gitignore' begins with a dot), but --hidden is given"],
    );
}

#[test]
fn what_git_tracks_is_told_apart() {
    let tree = odd();
    tree.write("gen.go", "// Code generated by x. DO NOT EDIT.\npackage a\n");
    tree.git(&["init", "-q"]);
    tree.git(&["add", "-f", "target", "gen.go", "a.log"]);
    let lines =
        |path: &str| asked(&tree, path).out.lines().map(|line| line.trim().to_string()).collect::<Vec<_>>();
    assert_eq!(
        lines("target/debug/x.rs"),
        [
            "nothing leaves target/debug/x.rs out",
            "target: built-in (built-in rule 'target': Cargo.toml beside it), but git tracks it",
        ]
    );
    assert_eq!(
        lines("gen.go"),
        [
            "nothing leaves gen.go out",
            "gen.go: generated (// Code generated by x. DO NOT EDIT.), but git tracks it",
        ]
    );
    assert_eq!(
        lines("a.log")[2],
        "Git tracks it all the same; ignore files count for tracked files too, as in ripgrep."
    );
    tree.write(".git/info/exclude", "x.c\n");
    tree.write("x.c", "int x;\n");
    assert_eq!(lines("x.c")[0], "x.c is left out: ignored (.git/info/exclude:1: x.c)");
    assert_eq!(
        lines(".git/HEAD")[0],
        ".git/HEAD is left out with the folder .git: hidden (git's own folder)"
    );
    let home = tree.root().join("home");
    tree.write("home/git/ignore", "\n*.bak\n");
    tree.write("x.bak", "x");
    let ran = super::ran(
        tree.command().env("HOME", &home).env("XDG_CONFIG_HOME", &home).args([
            "skipped",
            "--explain-skips",
            "x.bak",
        ]),
        "",
    );
    let expected = format!("x.bak is left out: ignored ({}/git/ignore:2: *.bak)\n", home.display());
    assert!(ran.out.starts_with(&expected), "{}", ran.out);
}

#[test]
fn following_the_advice_brings_it_back() {
    let tree = odd();
    tree.write("odd [1]{a}*?\\.log", "x\n");
    tree.write("big.txt", "word\n".repeat(300_000));
    tree.write("run.js", "a();".repeat(3_000));
    for path in [
        "a.log",
        "src/local.rs",
        "logs/deep/x.rs",
        ".env",
        "Cargo.lock",
        "target/debug/x.rs",
        "odd [1]{a}*?\\.log",
        "big.txt",
        "run.js",
    ] {
        let reply: Value =
            serde_json::from_str(&tree.run(&["skipped", "--explain-skips", path, "--json"]).out).unwrap();
        assert!(["left-out", "path-only"].contains(&reply["fate"].as_str().unwrap()), "{reply}");
        tree.write(".spyhopignore", format!("{}\n", reply["remedy"].as_str().unwrap()));
        let ran = asked(&tree, path);
        assert_eq!(ran.code, 1, "{path}: {}", ran.out);
        std::fs::remove_file(tree.root().join(".spyhopignore")).unwrap();
    }
}

#[test]
fn paths_are_read_from_where_one_stands() {
    let tree = odd();
    tree.git(&["init", "-q"]);
    let first = |folder: &str, path: &str| {
        let ran = tree.run_in(folder, &["skipped", "--explain-skips", path]);
        ran.out.lines().next().unwrap_or_default().to_string()
    };
    assert_eq!(first("src", "local.rs"), "src/local.rs is left out: ignored (src/.gitignore:1: local.rs)");
    assert_eq!(first("src", "../keep.log"), "nothing leaves keep.log out");
    assert_eq!(first("src", "keep.log"), "nothing leaves keep.log out");
    let whole = tree.root().join("a.log");
    assert_eq!(first("src", whole.to_str().unwrap()), "a.log is left out: ignored (.gitignore:2: *.log)");
    // A path elsewhere chooses its own tree.
    let elsewhere = tempfile::tempdir().unwrap();
    let ran = tree.run_in(elsewhere.path(), &["skipped", "--explain-skips", whole.to_str().unwrap()]);
    assert!(ran.out.starts_with("a.log is left out"), "{}{}", ran.out, ran.err);
}

#[cfg(unix)]
#[test]
fn odd_entries_are_explained_themselves() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let tree = odd();
    std::os::unix::fs::symlink("/etc", tree.root().join("out")).unwrap();
    std::os::unix::fs::symlink("nowhere", tree.root().join("dangling")).unwrap();
    let first = |path: &OsStr| {
        let ran = super::ran(tree.command().args(["skipped", "--explain-skips"]).arg(path), "");
        (ran.code, ran.out.lines().next().unwrap_or_default().to_string())
    };
    let whole = tree.root().join("out");
    assert_eq!(first(whole.as_os_str()), (0, "out is left out: symlink (to /etc)".into()));
    assert_eq!(first(OsStr::new("dangling")), (0, "dangling is left out: symlink (to nowhere)".into()));
    assert_eq!(
        first(OsStr::new("out/passwd")),
        (0, "out/passwd is left out with the folder out: symlink (to /etc)".into())
    );
    let bad = OsStr::from_bytes(b"bad\xff.rs");
    std::fs::write(tree.root().join(bad), "").unwrap();
    assert_eq!(
        first(bad),
        (0, "bad\u{fffd}.rs is left out: name-not-utf8 (its name is \"bad\\xFF.rs\")".into())
    );
    std::fs::write(tree.root().join("two\nlines.log"), "").unwrap();
    assert_eq!(
        first(OsStr::new("two\nlines.log")),
        (0, "\"two\\nlines.log\" is left out: ignored (.gitignore:2: *.log)".into())
    );
}
