//! Trees as text, and walks as text.
//!
//! A fixture holds several files, each after a line `-- path`; a path that ends with `/` is an empty directory. A walk
//! prints one line for each candidate, and one line with the prefix `!` for each skipped row.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use spyhop_base::model::Skipped;
use spyhop_base::path::RelPath;

mod index_folder;
mod like_ripgrep;
#[cfg(unix)]
mod unix;

fn tree(fixture: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), fixture);
    dir
}

fn write(root: &Path, fixture: &str) {
    let mut file: Option<PathBuf> = None;
    for line in fixture.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(path) = line.strip_prefix("-- ") {
            let at = root.join(path);
            if path.ends_with('/') {
                fs::create_dir_all(at).unwrap();
                file = None;
            } else {
                fs::create_dir_all(at.parent().unwrap()).unwrap();
                fs::write(&at, "").unwrap();
                file = Some(at);
            }
        } else {
            let file = file.as_ref().expect("a line of a file");
            let text = fs::read_to_string(file).unwrap();
            fs::write(file, format!("{text}{line}\n")).unwrap();
        }
    }
}

fn plain() -> WalkOptions<'static> {
    WalkOptions { global_excludes: GlobalExcludes::None, ..WalkOptions::default() }
}

fn row(skipped: &Skipped) -> String {
    let slash = if skipped.is_dir { "/" } else { "" };
    let colon = if skipped.detail.is_empty() { "" } else { ": " };
    format!("! {}{slash} [{}{colon}{}]\n", skipped.path, skipped.reason.name(), skipped.detail)
}

fn print(walked: &Walked) -> String {
    let candidates = walked.candidates.iter().map(|candidate| format!("{}\n", candidate.path));
    candidates.chain(walked.skipped.iter().map(row)).collect()
}

#[track_caller]
fn check_at(root: &Path, options: &WalkOptions, expected: &str) {
    let expected: String =
        expected.lines().map(str::trim).filter(|l| !l.is_empty()).fold(String::new(), |mut text, line| {
            text.push_str(line);
            text.push('\n');
            text
        });
    let walked = walk(root, options).unwrap();
    assert_eq!(print(&walked), expected);
    // The explanation of every row is the row, and no candidate has an explanation.
    for skipped in &walked.skipped {
        assert_eq!(explain(root, &skipped.path, options).as_ref(), Some(skipped));
    }
    for candidate in &walked.candidates {
        assert_eq!(explain(root, &candidate.path, options), None, "{}", candidate.path);
        let stat = stat_of(&candidate.path.below(root)).unwrap();
        assert_eq!(FileIdentity::Stat(stat), candidate.identity, "{}", candidate.path);
    }
}

/// The cases of `rules.txt`: after `## TITLE` a fixture, and after each `=> OPTIONS` the walk.
#[test]
fn each_rule_leaves_out_what_it_names() {
    for case in include_str!("tests/rules.txt").split("## ").skip(1) {
        let (title, case) = case.split_once('\n').unwrap();
        println!("{title}");
        let mut parts = case.split("=>");
        let dir = tree(parts.next().unwrap());
        for part in parts {
            let (words, expected) = part.split_once('\n').unwrap();
            let has = |word: &str| words.split(' ').any(|listed| listed == word);
            let options = WalkOptions {
                hidden: has("hidden"),
                secrets: has("secrets"),
                no_ignore: has("no_ignore"),
                no_built_in: has("no_built_in"),
                ..plain()
            };
            let below = words.trim().strip_prefix("in=").unwrap_or_default();
            check_at(&dir.path().join(below), &options, expected);
        }
    }
}

#[test]
fn the_users_file_begins_anew_in_each_repository() {
    let user = tree("-- excludes\n/a.rs");
    let excludes = user.path().join("excludes");
    let dir = tree("-- a.rs\n-- sub/a.rs\n-- sub/inner/.git/HEAD\n-- sub/inner/a.rs\n-- sub/inner/b/a.rs");
    let shown = excludes.display();
    check_at(
        dir.path(),
        &WalkOptions { global_excludes: GlobalExcludes::File(&excludes), ..plain() },
        &format!(
            "sub/a.rs
             sub/inner/b/a.rs
             ! a.rs [ignored: {shown}:1: /a.rs]
             ! sub/inner/a.rs [ignored: {shown}:1: /a.rs]"
        ),
    );
}

#[test]
fn only_a_spyhopignore_asks_for_content() {
    let dir = tree("-- .spyhopignore\n!a.rs\n-- .ignore\n!b.rs\n-- sub/a.rs\n-- a.rs\n-- b.rs\n-- c.rs");
    let walked = walk(dir.path(), &plain()).unwrap();
    let wanted: Vec<String> = walked
        .candidates
        .iter()
        .map(|candidate| format!("{} {}", candidate.path, candidate.wanted))
        .collect();
    assert_eq!(wanted, ["a.rs true", "b.rs false", "c.rs false", "sub/a.rs true"]);
}

#[test]
fn the_users_file_comes_last() {
    let user = tree("-- excludes\n*.swp\n*.bak");
    let excludes = user.path().join("excludes");
    let dir = tree("-- sub/.gitignore\n!*.bak\n-- sub/a.bak\n-- sub/a.swp");
    check_at(
        dir.path(),
        &WalkOptions { global_excludes: GlobalExcludes::File(&excludes), ..plain() },
        &format!(
            "sub/a.bak
             ! sub/.gitignore [hidden: '.gitignore' begins with a dot]
             ! sub/a.swp [ignored: {}:1: *.swp]",
            excludes.display()
        ),
    );
}

#[test]
fn a_built_in_rule_gives_way_to_what_git_tracks() {
    let dir = tree("-- Cargo.toml\n-- Cargo.lock\n-- target/a.rs\n-- x/Cargo.toml\n-- x/target/b.rs");
    let asked = std::sync::Mutex::new(Vec::new());
    let is_tracked = |path: &RelPath, is_dir: bool| {
        asked.lock().unwrap().push(format!("{path} {is_dir}"));
        path.as_str() != "x/target"
    };
    let walked = walk(dir.path(), &WalkOptions { is_tracked: Some(&is_tracked), ..plain() }).unwrap();
    assert_eq!(
        print(&walked),
        "Cargo.lock\nCargo.toml\ntarget/a.rs\nx/Cargo.toml\n\
         ! x/target/ [built-in: built-in rule 'target': Cargo.toml beside it]\n"
    );
    let mut asked = asked.into_inner().unwrap();
    asked.sort();
    assert_eq!(asked, ["Cargo.lock false", "target true", "x/target true"]);
}

#[test]
fn lines_of_git_have_no_effect_on_what_git_tracks() {
    let dir = tree(
        "-- .gitignore\nbin/\n*.log\n-- .ignore\nown.txt\n-- bin/release.py\n-- bin/new.py\n-- bin/a/b.py\n-- bin/c/d.py\n\
         -- kept.log\n-- left.log\n-- own.txt",
    );
    let tracked = ["bin/release.py", "bin/a/b.py", "kept.log", "own.txt"];
    let is_tracked = |path: &RelPath, is_dir: bool| {
        let is_below =
            |file: &&str| file.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if is_dir { tracked.iter().any(is_below) } else { tracked.contains(&path.as_str()) }
    };
    let walked = walk(dir.path(), &WalkOptions { is_tracked: Some(&is_tracked), ..plain() }).unwrap();
    assert_eq!(
        print(&walked),
        "bin/a/b.py\nbin/release.py\nkept.log\n\
         ! .gitignore [hidden: '.gitignore' begins with a dot]\n! .ignore [hidden: '.ignore' begins with a dot]\n\
         ! bin/c/ [ignored: .gitignore:1: bin/]\n! bin/new.py [ignored: .gitignore:1: bin/]\n\
         ! left.log [ignored: .gitignore:2: *.log]\n! own.txt [ignored: .ignore:1: own.txt]\n"
    );
}

#[test]
fn an_explanation_names_the_directory_that_was_left_out() {
    let dir = tree("-- .gitignore\nlogs\n-- logs/deep/x.rs\n-- a.rs\n-- .git/HEAD");
    let explained = |path: &str| {
        explain(dir.path(), &RelPath::new(path).unwrap(), &plain()).map_or("kept".to_string(), |s| row(&s))
    };
    assert_eq!(explained("logs/deep/x.rs"), "! logs/ [ignored: .gitignore:1: logs]\n");
    assert_eq!(explained(".git/HEAD"), "! .git/ [hidden: git's own folder]\n");
    assert_eq!(explained("none.rs"), "! none.rs [unreadable: there is no 'none.rs']\n");
    assert_eq!(explained("a.rs/b"), "! a.rs/b [unreadable: 'a.rs' is not a directory]\n");
    assert_eq!(explained(""), "kept");
}

#[test]
fn a_root_that_is_none_is_an_error_with_its_name() {
    let dir = tree("-- file");
    let shown = |name: &str| {
        let root = dir.path().join(name);
        walk(&root, &plain()).unwrap_err().to_string().replace(&*dir.path().to_string_lossy(), "")
    };
    assert_eq!(shown("none"), "root '/none' does not exist");
    assert_eq!(shown("file"), "root '/file' is not a directory");
}

#[test]
fn every_number_of_threads_gives_the_same_walk() {
    let dir = tempfile::tempdir().unwrap();
    for at in 0..60 {
        let fixture = format!("-- d{}/e{at}/f/a.rs\n-- d{}/e{at}/x.log", at % 7, at % 7);
        write(dir.path(), &fixture);
    }
    write(dir.path(), "-- .gitignore\n*.log\n-- d3/.gitignore\n!*.log");
    let of = |threads: usize| walk(dir.path(), &WalkOptions { threads: Some(threads), ..plain() }).unwrap();
    let one = of(1);
    assert_eq!((one.candidates.len(), one.skipped.len()), (60 + 9, 51 + 2));
    for threads in [0, 2, 8] {
        assert_eq!(print(&of(threads)), print(&one));
    }
}

#[test]
#[should_panic(expected = "asked")]
fn a_panic_in_the_callers_function_does_not_hang_the_walk() {
    let dir = tree("-- a/Cargo.toml\n-- a/target/\n-- b/c/d\n-- e/f/g");
    let is_tracked = |_: &RelPath, _: bool| panic!("asked");
    let _ = walk(dir.path(), &WalkOptions { is_tracked: Some(&is_tracked), threads: Some(3), ..plain() });
}

/// A pattern of 200,000 wildcards exceeds the limit of the matcher; the other lines of its file apply.
#[test]
fn a_line_that_does_not_count_costs_only_itself() {
    let dir = tree("-- a.log\n-- b.tmp\n-- c.rs\n-- keep.log");
    let many = |sign: &str| sign.repeat(200_000);
    let rules = format!("*.log\n{}\n#{}\n*.tmp\n[{}\n!keep.log\n", many("?"), many("?"), many("a"));
    fs::write(dir.path().join(".gitignore"), rules).unwrap();
    check_at(
        dir.path(),
        &plain(),
        "c.rs
         keep.log
         ! .gitignore [unreadable: line 2 (200000 bytes), 5 (200001 bytes) do not count, being above 16384 bytes; the other lines count]
         ! a.log [ignored: .gitignore:1: *.log]
         ! b.tmp [ignored: .gitignore:4: *.tmp]",
    );
}

/// If all patterns together exceed the limit of one matcher, several share them, and the last pattern that matches
/// decides.
#[test]
fn patterns_that_are_too_much_together_all_count() {
    let dir = tree("-- a.log\n-- b.tmp\n-- keep.log");
    // A pattern that ends with an extension would be looked up separately.
    let long = |name: &str| format!("{}{name}*", "[acegikmoqsuwy]".repeat(1000));
    let long: Vec<String> = (0..100).map(|number| long(&number.to_string())).collect();
    let rules = format!("*.log\n{}\n!keep.log\n{}\n*.tmp\n", long[..50].join("\n"), long[50..].join("\n"));
    fs::write(dir.path().join(".gitignore"), rules).unwrap();
    check_at(
        dir.path(),
        &plain(),
        "keep.log
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! a.log [ignored: .gitignore:1: *.log]
         ! b.tmp [ignored: .gitignore:103: *.tmp]",
    );
}
