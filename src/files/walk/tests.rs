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

#[track_caller]
fn check(fixture: &str, expected: &str) {
    check_at(tree(fixture).path(), &plain(), expected);
}

#[test]
fn an_empty_tree_has_nothing() {
    check("", "");
    check("-- a/b/", "");
}

#[test]
fn candidates_are_sorted_by_their_path_as_text() {
    check("-- b.rs\n-- a/z.rs\n-- a.rs\n-- a/b/c.rs", "a.rs\na/b/c.rs\na/z.rs\nb.rs");
}

#[test]
fn a_gitignore_counts_without_a_repository_and_a_directory_is_one_row() {
    check(
        "-- .gitignore
         *.log
         /logs/
         -- a.log
         -- sub/b.log
         -- sub/a.rs
         -- logs/deep/x.rs
         -- sub/logs/y.rs",
        "sub/a.rs
         sub/logs/y.rs
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! a.log [ignored: .gitignore:1: *.log]
         ! logs/ [ignored: .gitignore:2: /logs/]
         ! sub/b.log [ignored: .gitignore:1: *.log]",
    );
}

#[test]
fn a_later_line_and_a_deeper_file_win() {
    check(
        "-- .gitignore
         *.log
         !keep.log
         -- a/.gitignore
         !*.log
         deep.log
         /b/c.rs
         -- keep.log
         -- a/x.log
         -- a/deep.log
         -- a/b/c.rs
         -- a/b/b/c.rs",
        "a/b/b/c.rs
         a/x.log
         keep.log
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! a/.gitignore [hidden: '.gitignore' begins with a dot]
         ! a/b/c.rs [ignored: a/.gitignore:3: /b/c.rs]
         ! a/deep.log [ignored: a/.gitignore:2: deep.log]",
    );
}

#[test]
fn within_a_directory_the_nearer_tool_wins() {
    check(
        "-- .gitignore
         one
         !two
         three
         -- .ignore
         !one
         two
         !three
         -- .spyhopignore
         three
         -- one
         -- two
         -- three",
        "one
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! .ignore [hidden: '.ignore' begins with a dot]
         ! .spyhopignore [hidden: '.spyhopignore' begins with a dot]
         ! three [ignored: .spyhopignore:1: three]
         ! two [ignored: .ignore:2: two]",
    );
}

#[test]
fn the_nearer_tool_wins_across_directories_as_well() {
    check(
        "-- .spyhopignore
         !one
         -- .ignore
         !one
         !two
         three
         -- sub/.ignore
         one
         -- sub/.gitignore
         two
         !three
         four
         -- sub/one
         -- sub/two
         -- sub/three
         -- sub/four",
        "sub/one
         sub/two
         ! .ignore [hidden: '.ignore' begins with a dot]
         ! .spyhopignore [hidden: '.spyhopignore' begins with a dot]
         ! sub/.gitignore [hidden: '.gitignore' begins with a dot]
         ! sub/.ignore [hidden: '.ignore' begins with a dot]
         ! sub/four [ignored: sub/.gitignore:3: four]
         ! sub/three [ignored: .ignore:3: three]",
    );
}

#[test]
fn the_last_of_equal_lines_is_the_one_that_is_named() {
    check(
        "-- .gitignore
         # a.rs
         a.rs
         !a.rs
         a.rs
         -- a.rs",
        "! .gitignore [hidden: '.gitignore' begins with a dot]
         ! a.rs [ignored: .gitignore:4: a.rs]",
    );
}

#[test]
fn rules_can_be_switched_off() {
    let dir = tree(
        "-- .gitignore
         *.log
         -- .spyhopignore
         *.tmp
         -- .git/info/exclude
         *.own
         -- a.log
         -- a.tmp
         -- a.own
         -- package.json
         -- dist/a.js
         -- node_modules/b.js",
    );
    let hidden = "! .gitignore [hidden: '.gitignore' begins with a dot]
                  ! .spyhopignore [hidden: '.spyhopignore' begins with a dot]";
    check_at(
        dir.path(),
        &WalkOptions { no_ignore: true, ..plain() },
        &format!(
            "a.log\na.own\na.tmp\npackage.json\n{hidden}
             ! dist/ [built-in: built-in rule 'dist': package.json beside it]
             ! node_modules/ [built-in: built-in rule 'node_modules': package.json beside it]"
        ),
    );
    check_at(
        dir.path(),
        &WalkOptions { no_built_in: true, ..plain() },
        &format!(
            "dist/a.js\nnode_modules/b.js\npackage.json\n{hidden}
             ! a.log [ignored: .gitignore:1: *.log]
             ! a.own [ignored: .git/info/exclude:1: *.own]
             ! a.tmp [ignored: .spyhopignore:1: *.tmp]"
        ),
    );
}

#[test]
fn the_users_own_file_begins_anew_in_each_repository() {
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
fn hidden_names_stay_out_unless_wanted_and_git_always() {
    let fixture = "-- .github/ci.yml
                   -- .lint
                   -- .git/HEAD
                   -- sub/.git
                   -- a.rs
                   -- .ignore
                   !.github";
    check(
        fixture,
        ".github/ci.yml
         a.rs
         ! .ignore [hidden: '.ignore' begins with a dot]
         ! .lint [hidden: '.lint' begins with a dot]",
    );
    check_at(
        tree(fixture).path(),
        &WalkOptions { hidden: true, ..plain() },
        ".github/ci.yml\n.ignore\n.lint\na.rs",
    );
}

#[test]
fn files_of_secrets_stay_out_by_their_names() {
    let fixture = "-- .env
                   -- .env.example
                   -- .npmrc
                   -- keys/server.key
                   -- keys/server.crt
                   -- ignored.pem
                   -- wanted.tfvars
                   -- .gitignore
                   ignored.pem
                   -- .spyhopignore
                   !wanted.tfvars";
    let rows = "! .env [secret: built-in rule '.env': its name says so]
         ! .env.example [hidden: '.env.example' begins with a dot]
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! .npmrc [secret: built-in rule '.npmrc': its name says so]
         ! .spyhopignore [hidden: '.spyhopignore' begins with a dot]
         ! ignored.pem [ignored: .gitignore:1: ignored.pem]
         ! keys/server.key [secret: built-in rule '*.key': its name says so]";
    check(fixture, &format!("keys/server.crt\nwanted.tfvars\n{rows}"));
    let all = WalkOptions { hidden: true, secrets: true, ..plain() };
    check_at(
        tree(fixture).path(),
        &all,
        ".env\n.env.example\n.gitignore\n.npmrc\n.spyhopignore\nkeys/server.crt\nkeys/server.key\nwanted.tfvars
         ! ignored.pem [ignored: .gitignore:1: ignored.pem]",
    );
}

#[test]
fn rules_above_the_root_count_down_from_the_top_of_the_repository() {
    let dir = tree(
        "-- .gitignore
         *.outside
         -- top/.git/info/exclude
         /mid/root/secret.rs
         -- top/.gitignore
         *.log
         /mid/root/anchored.rs
         -- top/mid/.ignore
         *.tmp
         -- top/mid/root/a.log
         -- top/mid/root/a.tmp
         -- top/mid/root/a.outside
         -- top/mid/root/anchored.rs
         -- top/mid/root/secret.rs
         -- top/mid/root/sub/anchored.rs",
    );
    check_at(
        &dir.path().join("top/mid/root"),
        &plain(),
        "a.outside
         sub/anchored.rs
         ! a.log [ignored: ../../.gitignore:1: *.log]
         ! a.tmp [ignored: ../.ignore:1: *.tmp]
         ! anchored.rs [ignored: ../../.gitignore:2: /mid/root/anchored.rs]
         ! secret.rs [ignored: ../../.git/info/exclude:1: /mid/root/secret.rs]",
    );
}

#[test]
fn a_repository_below_keeps_to_its_own_git_rules() {
    check(
        "-- .git/info/exclude
         *.excluded
         -- .gitignore
         *.log
         -- .ignore
         *.tmp
         -- inner/.git
         gitdir: ../.git/modules/inner
         -- .git/modules/inner/config
         [core]
         worktree = ../../../inner
         -- .git/modules/inner/info/exclude
         *.own
         -- a.excluded
         -- inner/a.excluded
         -- inner/a.log
         -- inner/a.own
         -- inner/a.tmp",
        "inner/a.excluded
         inner/a.log
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! .ignore [hidden: '.ignore' begins with a dot]
         ! a.excluded [ignored: .git/info/exclude:1: *.excluded]
         ! inner/a.own [ignored: inner/.git/info/exclude:1: *.own]
         ! inner/a.tmp [ignored: .ignore:1: *.tmp]",
    );
}

#[test]
fn the_users_own_file_comes_last() {
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
fn a_built_in_rule_needs_its_evidence() {
    check(
        "-- Cargo.toml
         -- Cargo.lock
         -- target/debug/x.rs
         -- drivers/target/core.c
         -- drivers/Cargo.lock
         -- tagged/target/CACHEDIR.TAG
         -- web/package.json
         -- web/node_modules/m/index.js
         -- web/dist/a.js
         -- web/app.min.js
         -- web/target/CACHEDIR.TAG/x
         -- go/vendor/modules.txt
         -- go/build/a.go
         -- py/venv/pyvenv.cfg
         -- py/__pycache__/a.pyc
         -- App.xcodeproj/project.pbxproj
         -- DerivedData/a.swift
         -- Info.plist
         -- .plist.d/x",
        "App.xcodeproj/project.pbxproj
         Cargo.toml
         drivers/Cargo.lock
         drivers/target/core.c
         go/build/a.go
         go/vendor/modules.txt
         web/package.json
         ! .plist.d/ [hidden: '.plist.d' begins with a dot]
         ! Cargo.lock [built-in: built-in rule 'Cargo.lock': Cargo.toml beside it]
         ! DerivedData/ [built-in: built-in rule 'DerivedData': *.xcodeproj beside it]
         ! Info.plist [built-in: built-in rule '*.plist': its name says so]
         ! py/__pycache__/ [built-in: built-in rule '__pycache__': its name says so]
         ! py/venv/ [built-in: built-in rule 'venv': pyvenv.cfg inside it]
         ! tagged/target/ [built-in: built-in rule 'target': CACHEDIR.TAG inside it]
         ! target/ [built-in: built-in rule 'target': Cargo.toml beside it]
         ! web/app.min.js [built-in: built-in rule '*.min.js': its name says so]
         ! web/dist/ [built-in: built-in rule 'dist': package.json beside it]
         ! web/node_modules/ [built-in: built-in rule 'node_modules': package.json beside it]
         ! web/target/ [built-in: built-in rule 'target': CACHEDIR.TAG inside it]",
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
fn only_a_spyhopignore_overrides_a_built_in_rule() {
    check(
        "-- .spyhopignore
         !a/target
         -- .gitignore
         !target
         -- a/Cargo.toml
         -- a/.gitignore
         !target
         -- a/target/x.rs
         -- b/Cargo.toml
         -- b/target/x.rs",
        "a/Cargo.toml
         a/target/x.rs
         b/Cargo.toml
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! .spyhopignore [hidden: '.spyhopignore' begins with a dot]
         ! a/.gitignore [hidden: '.gitignore' begins with a dot]
         ! b/target/ [built-in: built-in rule 'target': Cargo.toml beside it]",
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
