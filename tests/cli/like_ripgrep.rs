//! What `spyhop grep` prints against what ripgrep 15 prints for the same flags, byte by byte.
//!
//! ripgrep is looked for in `SPYHOP_RG`, then as `rg`. Where it is missing or older, the test says that it was skipped;
//! with `SPYHOP_RG` set it fails instead.

use std::process::{Command, Output};

use super::{SMALL, Tree};
use crate::support::skipped;

/// ripgrep 15, if it is there.
pub fn ripgrep() -> Option<String> {
    let named = std::env::var("SPYHOP_RG").ok();
    let program = named.clone().unwrap_or_else(|| "rg".to_string());
    let out = Command::new(&program).arg("--version").output().ok();
    let version = out.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
    let is_good = version.starts_with("ripgrep 15");
    assert!(is_good || named.is_none(), "SPYHOP_RG is {program}, and that is {version:?}");
    if !is_good {
        skipped("the output of grep is not compared: ripgrep 15 is not installed (.ci/peers installs it)");
    }
    is_good.then_some(program)
}

/// Files with everything that a line can hold.
fn tree() -> Tree {
    let tree = Tree::new(SMALL);
    tree.write("crlf.c", "int one;\r\nint two; // two two\r\n\r\nvoid one_two(void);\r\n");
    tree.write(
        "utf16.txt",
        "\u{feff}two größe\nzwei\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    );
    tree.write("bom.txt", "\u{feff}two with a mark\n");
    tree.write("latin.txt", b"two gr\xf6\xdfe\nTwo\n");
    tree.write("shift-jis.c", b"// \x83\x65 two(\r\nint two;\r\n");
    tree.write("binary.bin", b"two\0two\n");
    tree.write("late.bin", ["two\n".repeat(18_000).as_bytes(), b"\0two\n"].concat());
    tree.write("control.dat", b"\x01\x02\x03\x04two\x05\x06\x07\n");
    tree.write("no-end.txt", "one\ntwo");
    tree.write("big.txt", format!("{}two\n", format!("{}\n", "filler ".repeat(50)).repeat(3_200)));
    tree.write("long.js", format!("var a = '{}'; two();\n", "x1".repeat(2_000)));
    tree.write("word.txt", format!("{}two\n{}\n", "w".repeat(80), "long".repeat(1_500)));
    tree.write("web/node_modules/dep/two.js", "two();\n");
    tree.write("web/package.json", "{}\n");
    tree.write("a-b/two.txt", "two\n");
    tree.write("a/two.txt", "one\ntwo\nTWO\nthree\ntwo_2\nfour\ntwo three\n");
    tree.write("a.txt", "two\n\n\ntwo·three\nMA\u{17f}K two\n");
    tree.write(".hidden", "two\n");
    tree.write(".gitignore", "*.log\n/left-out/\n!.asked-for\n");
    tree.write("ignored.log", "two\n");
    tree.write(".asked-for", "two\n");
    tree.write("left-out/two.txt", "two\n");
    tree.write(".github/two.txt", "two\n");
    tree.write("other/.gitignore", "*.txt\n");
    tree.write("other/ignored.txt", "two\n");
    tree.write("other/deep/ignored.txt", "two\n");
    tree.write("other/.ignore", "left-out-by-ignore.rs\n");
    tree.write("other/left-out-by-ignore.rs", "two\n");
    tree.write("nested/.git/HEAD", "ref: refs/heads/main\n");
    tree.write("nested/.gitignore", "*.rs\n");
    tree.write("nested/deep/ignored.rs", "two\n");
    tree.write("nested/two.txt", "two\n");
    tree
}

/// Whether git knows the tree.
#[derive(Clone, Copy, Debug)]
enum Of {
    Git,
    Nobody,
}

fn tree_of(of: Of) -> Tree {
    let tree = tree();
    if let Of::Git = of {
        tree.git(&["init", "-q"]);
        tree.git(&["add", "src", "crlf.c"]);
        tree.git(&["commit", "-q", "-m", "a commit"]);
    }
    tree
}

/// What a run of ours gives; lines need not be UTF-8.
fn spyhop(tree: &Tree, args: &[&str]) -> Output {
    tree.command().args(args).output().unwrap()
}

fn events(out: &[u8]) -> Vec<serde_json::Value> {
    let read = |line: &str| {
        let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
        let is_summary = row["type"] == "summary";
        let data = row["data"].as_object_mut().unwrap();
        data.remove("elapsed_total");
        if let Some(stats) = data.get_mut("stats").and_then(|stats| stats.as_object_mut()) {
            stats.remove("elapsed");
            if is_summary {
                // ripgrep has searched every file, and we have not.
                stats.remove("searches");
                stats.remove("bytes_searched");
            }
        }
        row
    };
    String::from_utf8_lossy(out).lines().map(read).collect()
}

/// Flags, a line for each run; `''` is an empty word.
const FLAGS: &str = include_str!("ripgrep/flags.txt");

/// Folders and what is asked there, a line for each run.
const PLACES: &str = include_str!("ripgrep/places.txt");

/// The words of a line.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().map(|word| if word == "''" { "" } else { word }).collect()
}

/// Patterns, one in each line; the last one is empty.
const PATTERNS: &str = include_str!("ripgrep/patterns.txt");

const MULTI: &[&str] = &["one\\ntwo", "two\\r?\\n\\s*\\n", "two(?s:.)+three"];

#[test]
fn grep_prints_what_ripgrep_prints() {
    compare(Of::Git);
}

#[test]
fn grep_prints_what_ripgrep_prints_without_a_repository() {
    compare(Of::Nobody);
}

fn compare(of: Of) {
    let Some(rg) = ripgrep() else { return };
    let tree = tree_of(of);
    tree.run(&["index"]);
    let mut wrong = Vec::new();
    let mut check = |flags: &[&str], pattern: &str, policy: &str| {
        let out = Command::new(&rg)
            .current_dir(tree.root())
            .args(["--no-config", "--sort", "path"])
            .args(flags)
            .args(["-e", pattern])
            .output()
            .unwrap();
        let spyhop_flags: Vec<&str> =
            flags.iter().map(|flag| if *flag == "--json" { "--rg-json" } else { flag }).collect();
        let ran = spyhop(
            &tree,
            &[&["grep"], &spyhop_flags[..], &["--stale-policy", policy, "-e", pattern]].concat(),
        );
        let form = flags.iter().rev().find(|flag| ["--json", "-c", "-l"].contains(flag));
        let same = match form == Some(&"--json") {
            true => events(&ran.stdout) == events(&out.stdout),
            false => ran.stdout == out.stdout,
        };
        if !same || ran.status.code() != out.status.code() {
            let [mine, theirs] = [&ran.stdout, &out.stdout].map(|text| head(text));
            wrong.push(format!("{flags:?} {pattern:?} {policy}: {mine:?}, not {theirs:?}"));
        }
    };
    let all: Vec<Vec<&str>> = FLAGS.lines().map(words).collect();
    let patterns: Vec<&str> = PATTERNS.split('\n').collect();
    for (place, flags) in all.iter().enumerate() {
        let multi = if flags.contains(&"-U") { MULTI } else { &[] };
        // Every pattern with some flags, every flag with some patterns: all of them together take minutes.
        let chosen = patterns.iter().enumerate().filter(|(at, _)| (at + place) % 6 == 0 || *at == 0);
        for pattern in chosen.map(|(_, pattern)| pattern).chain(multi) {
            check(flags, pattern, if place % 2 == 0 { "ignore" } else { "refresh" });
        }
    }
    for pattern in &patterns {
        check(&["-n"], pattern, "ignore");
        check(&["-i", "-n"], pattern, "ignore");
        check(&["-w", "-n"], pattern, "refresh");
    }
    // Which files are searched depends on the policy, whatever is looked for.
    for policy in ["ignore", "refresh"] {
        for flags in all.iter().filter(|flags| flags.contains(&"-g") || flags.is_empty()) {
            check(flags, "two", policy);
        }
    }
    assert!(wrong.is_empty(), "{} differ, {of:?}:\n{}", wrong.len(), wrong.join("\n"));
}

fn head(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(160).collect()
}

/// Compares a run in a folder of the tree, with standard input, with one of ripgrep; the path order is ripgrep's last.
fn same_in(rg: &str, tree: &Tree, folder: &str, args: &[&str], stdin: Option<&[u8]>) -> Option<String> {
    use std::io::Write;
    use std::process::Stdio;

    let run = |mut command: Command| {
        let input = if stdin.is_some() { Stdio::piped() } else { Stdio::null() };
        let command = command.current_dir(tree.root().join(folder)).stdin(input);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(text) = stdin {
            // A search of files reads none of it.
            let _ = child.stdin.take().unwrap().write_all(text);
        }
        child.wait_with_output().unwrap()
    };
    let mut theirs = Command::new(rg);
    theirs.args(["--no-config", "--sort", "path"]).args(args);
    let mut ours = tree.command();
    ours.arg("grep").args(args);
    let (theirs, ours) = (run(theirs), run(ours));
    let differs = theirs.stdout != ours.stdout || theirs.status.code() != ours.status.code();
    differs.then(|| format!("{folder:?} {args:?}: {:?}, not {:?}", head(&ours.stdout), head(&theirs.stdout)))
}

#[test]
fn paths_standard_input_and_lists_are_those_of_ripgrep() {
    let Some(rg) = ripgrep() else { return };
    let tree = tree_of(Of::Git);
    let other = tree_of(Of::Git);
    let other = other.root();
    let other = other.to_str().unwrap();
    tree.run(&["index"]);
    let mut wrong = Vec::new();
    for line in PLACES.lines() {
        let (folder, args) = line.split_once(": ").unwrap();
        let args: Vec<&str> =
            words(args).into_iter().map(|word| if word == "OTHER" { other } else { word }).collect();
        wrong.extend(same_in(&rg, &tree, folder, &args, None));
    }
    let text = b"one\ntwo\r\nTWO two\n";
    for args in [
        &["two"][..],
        &["-n", "two"],
        &["-c", "two"],
        &["-H", "two"],
        &["-o", "-i", "two"],
        &["two", "-"],
        &["-l", "two"],
        &["-q", "three"],
        &["-f", "-", "a.txt"],
        &["two", "a"],
    ] {
        wrong.extend(same_in(&rg, &tree, "", args, Some(text)));
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
