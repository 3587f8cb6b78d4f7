//! Which files `spyhop grep` searches under ripgrep's options about ignore files and links.
//!
//! Many combinations are compared with ripgrep 15 itself, with and without an index that answers. The files are named in
//! `transcripts/ignore-files.txt`, which needs no ripgrep.

use std::path::Path;
use std::process::Command;

use super::like_ripgrep::{ripgrep, words};
use super::{Tree, described, git};

/// A folder `inner` with ignore files of every kind, below a folder that has ignore files too. Every file has a line
/// with `needle`.
fn tree(is_repository: bool) -> Tree {
    let tree = described(include_str!("transcripts/ignore-files.txt"));
    if is_repository {
        git(&tree.root().join("inner"), &["init", "-q"]);
        tree.write("inner/.git/info/exclude", "exclude.txt\n");
    }
    tree
}

/// Links to a file, to a folder, out of the tree, to nothing, and to a folder above.
#[cfg(unix)]
fn add_links(tree: &Tree) {
    let link =
        |to: &str, at: &str| std::os::unix::fs::symlink(to, tree.root().join("inner").join(at)).unwrap();
    link("plain.txt", "link.txt");
    link("sub", "link-sub");
    link("../outside", "link-out");
    link("../outside/plain.txt", "link-out.txt");
}

/// Flags about ignore files and links, a line for each run.
const FLAGS: &str = include_str!("ripgrep/ignore.txt");

const PLACES: &[(&str, &[&str])] = &[
    ("inner", &[]),
    ("inner", &["sub", "left-out"]),
    ("inner", &[".github", "plain.txt"]),
    ("inner", &["./", "link.txt", "link-sub"]),
    ("inner/sub", &[]),
    ("inner/left-out", &["../sub"]),
    ("", &[]),
    ("", &["inner", "outside"]),
    ("outside", &["../inner/sub", "deep"]),
];

#[cfg(unix)]
#[test]
fn the_files_are_those_of_ripgrep() {
    let Some(rg) = ripgrep() else { return };
    let mut wrong = Vec::new();
    for is_repository in [true, false] {
        let tree = tree(is_repository);
        add_links(&tree);
        for indexed in ["inner", ""] {
            tree.run_in(indexed, &["index"]);
        }
        let named = tree.root().join("inner/.named");
        for (at, (folder, paths)) in PLACES.iter().enumerate() {
            for (_, flags) in
                FLAGS.lines().map(words).enumerate().filter(|(flag, _)| (flag + at) % 3 == 0 || at == 0)
            {
                // ripgrep prints a file once for each path that leads to the file.
                if flags.contains(&"-L") && paths.contains(&"./") {
                    continue;
                }
                let flags =
                    flags.iter().map(|flag| if *flag == "IGNORE" { named.to_str().unwrap() } else { flag });
                let mut args: Vec<&str> = flags.collect();
                args.extend(["-l", "needle"]);
                args.extend(*paths);
                wrong.extend(
                    same_files(&rg, &tree, folder, &args).map(|line| format!("{is_repository} {line}")),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Compares with ripgrep, under both policies. A file that two paths name is printed once.
fn same_files(rg: &str, tree: &Tree, folder: &str, args: &[&str]) -> Option<String> {
    let sorted = |out: Vec<u8>| {
        let mut lines: Vec<String> = String::from_utf8(out).unwrap().lines().map(str::to_string).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    };
    let folder = tree.root().join(folder);
    let theirs = Command::new(rg).args(["--no-config"]).args(args).current_dir(&folder).output().unwrap();
    let lines = sorted(theirs.stdout);
    for policy in ["ignore", "refresh"] {
        let ours = spyhop_in(tree, &folder, &[&["grep", "--stale-policy", policy], args].concat());
        let (mine, code) = (sorted(ours.stdout), ours.status.code());
        if mine != lines || code != theirs.status.code() {
            let folder = folder.display();
            return Some(format!("{folder} {args:?} {policy}: {code:?} {mine:?}, not {lines:?}"));
        }
    }
    None
}

fn spyhop_in(tree: &Tree, folder: &Path, args: &[&str]) -> std::process::Output {
    tree.command().current_dir(folder).args(args).stdin(std::process::Stdio::null()).output().unwrap()
}
