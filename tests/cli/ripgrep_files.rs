//! Which files `spyhop grep` searches under ripgrep's options about ignore files and links.
//!
//! The first tests name the files, so that they need no ripgrep. The last one compares many combinations with ripgrep 15
//! itself, with and without an index that answers.

use std::path::Path;
use std::process::Command;

use super::like_ripgrep::ripgrep;
use super::{Tree, git};

/// A folder `inner` with ignore files of every kind, below a folder with ignore files of its own. Every file has a line
/// with `needle`.
fn tree(is_repository: bool) -> Tree {
    let tree = Tree::new("");
    for path in [
        "inner/plain.txt",
        "inner/dot.txt",
        "inner/rg.txt",
        "inner/git.txt",
        "inner/exclude.txt",
        "inner/named.txt",
        "inner/.hidden.txt",
        "inner/up-dot.txt",
        "inner/up-rg.txt",
        "inner/up-git.txt",
        "inner/anchored.txt",
        "inner/sub/plain.txt",
        "inner/sub/dot.txt",
        "inner/sub/only-sub.txt",
        "inner/left-out/plain.txt",
        "inner/.github/plain.yaml",
        "outside/plain.txt",
        "outside/deep/git.txt",
    ] {
        tree.write(path, "needle\n");
    }
    tree.write(".ignore", "up-dot.txt\n/inner/anchored.txt\n");
    tree.write(".rgignore", "up-rg.txt\n");
    tree.write(".gitignore", "up-git.txt\n");
    tree.write("inner/.ignore", "dot.txt\n");
    tree.write("inner/.rgignore", "rg.txt\n");
    tree.write("inner/sub/.rgignore", "!dot.txt\n");
    tree.write("inner/.gitignore", "git.txt\nleft-out/\n");
    tree.write("inner/sub/.gitignore", "only-sub.txt\n");
    tree.write("inner/.named", "named.txt\n/plain.txt\n");
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

/// The files of a list, without those that no option is about.
fn files(tree: &Tree, args: &[&str]) -> String {
    let ran = tree.run_in("inner", &[&["grep", "--files"], args].concat());
    assert_ne!(ran.code, 2, "{args:?}: {}", ran.err);
    let lines = ran.out.lines().filter(|line| !line.contains("sub/"));
    lines.map(|line| line.trim_end_matches(".txt")).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_option_turns_its_own_ignore_files_off() {
    let tree = tree(true);
    for (args, expected) in [
        (&[][..], "named plain up-git"),
        (&["--no-ignore-dot"], "anchored dot named plain rg up-dot up-git up-rg"),
        (&["--no-ignore-dot", "--ignore-dot"], "named plain up-git"),
        (&["--no-ignore-vcs"], "exclude git left-out/plain named plain up-git"),
        (&["--no-ignore-exclude"], "exclude named plain up-git"),
        (&["--no-ignore-parent"], "anchored named plain up-dot up-git up-rg"),
        (&["--ignore-file", ".named"], "up-git"),
        (&["--ignore-file", ".named", "--no-ignore-files"], "named plain up-git"),
        (&["--no-require-git"], "named plain"),
        (&["--no-require-git", "--require-git"], "named plain up-git"),
        (&["--no-ignore", "--ignore-vcs"], "anchored dot exclude named plain rg up-dot up-git up-rg"),
        (
            &["-u", "--ignore-file", ".named"],
            "anchored dot exclude git left-out/plain rg up-dot up-git up-rg",
        ),
    ] {
        assert_eq!(files(&tree, args), expected, "{args:?}");
    }
}

#[test]
fn without_a_repository_gitignore_does_not_count() {
    let tree = tree(false);
    assert_eq!(files(&tree, &[]), "exclude git left-out/plain named plain up-git");
    assert_eq!(files(&tree, &["--no-require-git"]), "exclude named plain");
}

#[test]
fn an_index_never_hides_what_an_option_asks_for() {
    let tree = tree(true);
    assert_eq!(tree.run_in("inner", &["index"]).code, 0);
    let found = |args: &[&str]| {
        let ran = tree.run_in("inner", &[&["grep", "--no-refresh", "-l", "needle"], args].concat());
        ran.out.lines().filter(|line| !line.contains("sub/")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(found(&[]), "named.txt plain.txt up-git.txt");
    assert_eq!(
        found(&["--no-ignore-vcs"]),
        "exclude.txt git.txt left-out/plain.txt named.txt plain.txt up-git.txt"
    );
    assert_eq!(found(&["left-out"]), "left-out/plain.txt");
    assert_eq!(found(&[".github"]), ".github/plain.yaml");
    // A folder above gets another ignore file after the index was built.
    tree.write(".ignore", "named.txt\n");
    assert_eq!(found(&[]), "anchored.txt plain.txt up-dot.txt up-git.txt");
}

#[cfg(unix)]
#[test]
fn links_are_followed_where_they_are_named_or_all_are_asked_for() {
    let tree = tree(true);
    add_links(&tree);
    let list = |args: &[&str]| tree.run_in("inner", &[&["grep", "-l", "needle"], args].concat()).out;
    assert!(!list(&[]).contains("link"));
    assert_eq!(list(&["link.txt", "link-sub"]), "link.txt\nlink-sub/dot.txt\nlink-sub/plain.txt\n");
    let all = list(&["-L"]);
    for path in ["link.txt", "link-sub/plain.txt", "link-out/plain.txt", "link-out.txt"] {
        assert!(all.lines().any(|line| line == path), "{path}: {all}");
    }
    assert_eq!(list(&["-L", "--no-follow"]), list(&[]));
    std::os::unix::fs::symlink("nowhere", tree.root().join("inner/broken")).unwrap();
    std::os::unix::fs::symlink("..", tree.root().join("inner/sub/loop")).unwrap();
    let ran = tree.run_in("inner", &["grep", "-L", "-l", "needle"]);
    assert_eq!((ran.code, ran.out), (2, all));
    assert!(ran.err.contains("broken") || ran.err.contains("loop"), "{}", ran.err);
}

#[test]
fn a_linked_worktree_has_the_excludes_of_its_repository() {
    let tree = Tree::new("\n=== repo/a.txt\nneedle\n");
    let repo = tree.root().join("repo");
    git(&repo, &["init", "-q"]);
    git(&repo, &["add", "-A"]);
    git(&repo, &["commit", "-q", "-m", "a commit"]);
    git(&repo, &["worktree", "add", "-q", "../other"]);
    tree.write("repo/.git/info/exclude", "left-out.txt\n");
    tree.write("other/left-out.txt", "needle\n");
    assert_eq!(tree.run_in("other", &["grep", "-l", "needle"]).out, "a.txt\n");
}

#[test]
fn a_search_that_leaves_out_every_file_says_so() {
    let tree = Tree::new("\n=== a.txt\nneedle\n");
    tree.write(".ignore", "*\n");
    for setup in [&[][..], &["index"]] {
        if !setup.is_empty() {
            tree.run(setup);
        }
        let ran = tree.run(&["grep", "needle"]);
        assert_eq!(ran.code, 2, "{setup:?}");
        assert!(ran.err.contains("no files were searched"), "{}", ran.err);
        assert_eq!(tree.run(&["grep", "needle", "."]).code, 1);
    }
    tree.write(".ignore", "");
    assert_eq!(tree.run(&["grep", "no-such-word"]).code, 1);
}

#[cfg(unix)]
#[test]
fn compressed_files_are_searched_on_request() {
    let tree = Tree::new("\n=== a.txt\nneedle one\n");
    let packed = Command::new("gzip").args(["-k", "a.txt"]).current_dir(tree.root()).status();
    if !packed.is_ok_and(|status| status.success()) {
        eprintln!("skipped 1: compressed files were not searched, there is no gzip");
        return;
    }
    tree.write("a.txt", "other\n");
    tree.write("key.gz", "needle, and no gzip file\n");
    tree.run(&["index"]);
    let ran = tree.run(&["grep", "needle", "a.txt.gz"]);
    assert_eq!((ran.code, &*ran.out), (1, ""));
    let ran = tree.run(&["grep", "-z", "needle", "a.txt.gz"]);
    assert_eq!((ran.code, &*ran.out), (0, "needle one\n"));
    // A file that cannot be decompressed is reported, and the others are searched.
    let ran = tree.run(&["grep", "-z", "needle"]);
    assert_eq!((ran.code, &*ran.out), (2, "a.txt.gz:needle one\n"));
    assert!(ran.err.contains("key.gz"), "{}", ran.err);
    assert_eq!(tree.run(&["grep", "-z", "--no-search-zip", "needle", "a.txt.gz"]).code, 1);
}

#[test]
fn counts_are_printed_in_spite_of_quiet() {
    let tree = Tree::new("\n=== a.txt\nneedle\nneedle\n=== b.txt\nneedle\n");
    let ran = tree.run(&["grep", "-q", "--stats", "needle"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("3 matched lines\n2 files contained matches\n"), "{}", ran.out);
    assert!(!ran.out.contains("needle"), "{}", ran.out);
    let ran = tree.run(&["grep", "-q", "needle"]);
    assert_eq!((ran.code, &*ran.out), (0, ""));
    assert_eq!(tree.run(&["grep", "-q", "no-such-word"]).code, 1);
}

#[test]
fn paths_are_links_in_the_form_that_is_asked_for() {
    let tree = Tree::new("\n=== a.txt\nneedle\n");
    let args = ["grep", "--color=always", "-n", "needle", "--hyperlink-format"];
    let ran = tree.run(&[&args[..], &["x://{path}:{line}"]].concat());
    let link = format!("\u{1b}]8;;x://{}/a.txt:1\u{1b}\\", tree.root().display());
    assert!(ran.out.contains(&link), "{:?}", ran.out);
    assert!(!tree.run(&[&args[..], &["none"]].concat()).out.contains("\u{1b}]8;;"));
    let ran = tree.run(&[&args[..], &["{bad}"]].concat());
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("hyperlink_format '{bad}'"), "{}", ran.err);
}

const FLAGS: &[&[&str]] = &[
    &[],
    &["--no-ignore-vcs"],
    &["--no-ignore-dot"],
    &["--no-ignore-exclude"],
    &["--no-ignore-parent"],
    &["--no-ignore-global"],
    &["--no-require-git"],
    &["--no-require-git", "--hidden"],
    &["--no-ignore"],
    &["--no-ignore", "--ignore-vcs"],
    &["--no-ignore", "--ignore-dot", "--ignore-parent"],
    &["-uu", "-g", "!.git"],
    &["--ignore-file", "IGNORE", "--no-ignore-dot"],
    &["--ignore-file", "IGNORE", "-u"],
    &["--ignore-file-case-insensitive", "--ignore-file", "IGNORE"],
    &["--hidden", "-g", "!.git"],
    &["-t", "yaml"],
    &["-t", "txt"],
    &["-g", "*.txt", "--no-ignore-vcs"],
    &["-L"],
    &["-L", "--no-ignore-dot"],
    &["-L", "-d", "2"],
];

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
            for (_, flags) in FLAGS.iter().enumerate().filter(|(flag, _)| (flag + at) % 3 == 0 || at == 0) {
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
        let own = own_in(tree, &folder, &[&["grep", "--stale-policy", policy], args].concat());
        let (mine, code) = (sorted(own.stdout), own.status.code());
        if mine != lines || code != theirs.status.code() {
            let folder = folder.display();
            return Some(format!("{folder} {args:?} {policy}: {code:?} {mine:?}, not {lines:?}"));
        }
    }
    None
}

fn own_in(tree: &Tree, folder: &Path, args: &[&str]) -> std::process::Output {
    tree.command().current_dir(folder).args(args).stdin(std::process::Stdio::null()).output().unwrap()
}
