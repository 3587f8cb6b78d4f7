//! Compares the files that we walk with ripgrep's: random trees with random ignore files, walked by us and by `ignore`.
//!
//! Two differences are intended and left out of the comparison: the folder `.git`, and links, which are never read as
//! ignore files. The user's excludes are off, since `ignore` finds them only through the environment.

use std::collections::BTreeSet;

use ignore::overrides::Override;
use proptest::prelude::*;

use super::*;

/// A part of a random tree: a folder's ignore file, a repository, or a file.
#[derive(Clone, Debug)]
enum Odd {
    Rules { name: &'static str, lines: Vec<String> },
    Repository { exclude: Vec<String> },
    File(&'static str),
}

fn folder() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(vec!["a", "b", "cc", ".d"]), 0..4)
        .prop_map(|dirs| dirs.join("/"))
}

/// Lines about the few names in the trees, and some lines that are hardly ever written.
fn line() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a", "b", "cc", ".d", "x", "y.rs", "z.log", ".h", "*", "**", "*.log", "?", "[ab]", "{a,b}", "a/b",
        "a/**", "**/b", "**/cc/*", "b/*", "*/x", ".*", "c*", "a/*/b", "\\!x", "\\#", "# a", "", "[", "a\\",
        "!", "/",
    ]);
    let lead = prop::sample::select(vec!["", "", "!", "/", "!/"]);
    let tail = prop::sample::select(vec!["", "", "/", " ", "\\ ", "\t", "\r"]);
    (lead, name, tail).prop_map(|(lead, name, tail)| format!("{lead}{name}{tail}"))
}

fn odd() -> impl Strategy<Value = Odd> {
    let lines = || prop::collection::vec(line(), 1..4);
    let name = prop::sample::select(vec![".gitignore", ".ignore", ".spyhopignore"]);
    prop_oneof![
        4 => (name, lines()).prop_map(|(name, lines)| Odd::Rules { name, lines }),
        1 => lines().prop_map(|exclude| Odd::Repository { exclude }),
        6 => prop::sample::select(vec!["x", "y.rs", "z.log", ".h", "!x", "#"]).prop_map(Odd::File),
    ]
}

fn build(root: &Path, parts: &[(String, Odd)]) {
    for (folder, odd) in parts {
        let folder = root.join(folder);
        fs::create_dir_all(&folder).unwrap();
        match odd {
            Odd::Rules { name, lines } => fs::write(folder.join(name), lines.join("\n")).unwrap(),
            Odd::Repository { exclude } => {
                fs::create_dir_all(folder.join(".git/info")).unwrap();
                fs::write(folder.join(".git/info/exclude"), exclude.join("\n")).unwrap();
            }
            Odd::File(name) => fs::write(folder.join(name), "").unwrap(),
        }
    }
}

fn ripgreps(root: &Path, hidden: bool) -> BTreeSet<String> {
    let walk = ignore::WalkBuilder::new(root)
        .hidden(!hidden)
        .parents(false)
        .git_global(false)
        .add_custom_ignore_filename(".spyhopignore")
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let files = walk.map(Result::unwrap).filter(|entry| entry.file_type().is_some_and(|t| t.is_file()));
    files.map(|entry| entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_string()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_trees(parts in prop::collection::vec((folder(), odd()), 1..24), hidden: bool) {
        let dir = tempfile::tempdir().unwrap();
        // Without a repository around the tree, `ignore` ignores a nested one.
        fs::create_dir(dir.path().join(".git")).unwrap();
        build(dir.path(), &parts);
        let options = WalkOptions { hidden, no_built_in: true, ..plain() };
        let walked = walk(dir.path(), &options).unwrap();
        let ours: BTreeSet<String> = walked.candidates.iter().map(|c| c.path.as_str().to_string()).collect();
        prop_assert_eq!(&ours, &ripgreps(dir.path(), hidden));
        // Nothing is missing: every file that is not a candidate lies at or below a row.
        for path in files_below(dir.path(), dir.path()) {
            let is_listed = walked.skipped.iter().any(|row| {
                let rest = path.strip_prefix(row.path.as_str());
                rest.is_some_and(|rest| rest.is_empty() || (row.is_dir && rest.starts_with('/')))
            });
            prop_assert!(ours.contains(&path) != is_listed, "{}", path);
        }
    }
}

/// Globs of `-g`; those that begin with `!` exclude.
fn globs() -> impl Strategy<Value = Vec<&'static str>> {
    let glob = prop::sample::select(vec![
        "*", "*.rs", "!*.rs", "*.log", "a", "!a", "a/**", "!a/**", ".d", ".d/**", ".h", "/x", "**/b/*",
        "!.h", "cc", "x",
    ]);
    prop::collection::vec(glob, 0..4)
}

/// Which ignore files apply, and the part of the tree that is walked.
#[derive(Clone, Debug)]
struct WalkChoice {
    sources: IgnoreSources,
    hidden: bool,
    is_repository: bool,
    below: &'static str,
}

fn choice() -> impl Strategy<Value = WalkChoice> {
    let flag = || prop::sample::select(vec![true, true, false]);
    let flags = (flag(), flag(), flag(), flag(), flag(), any::<bool>(), any::<bool>());
    (flags, prop::sample::select(vec!["", "", "a", "a/b"])).prop_map(|(flags, below)| {
        let (dot, vcs, exclude, parents, require_git, hidden, is_repository) = flags;
        let sources =
            IgnoreSources { dot, vcs, exclude, parents, require_git, global: false, ..Default::default() };
        WalkChoice { sources, hidden, is_repository, below }
    })
}

/// The files that `ignore` finds with these options; the rules of Spyhop have no part.
fn chosen_by_ripgrep(root: &Path, choice: &WalkChoice, globs: &Override) -> BTreeSet<String> {
    let IgnoreSources { dot, vcs, exclude, parents, require_git, .. } = choice.sources;
    let mut builder = ignore::WalkBuilder::new(root);
    builder
        .hidden(!choice.hidden)
        .overrides(globs.clone())
        .parents(parents)
        .ignore(dot)
        .git_ignore(vcs)
        .git_exclude(vcs && exclude)
        .git_global(false)
        .require_git(require_git)
        .filter_entry(|entry| entry.file_name() != ".git");
    if dot {
        builder.add_custom_ignore_filename(".rgignore");
    }
    let files =
        builder.build().filter_map(Result::ok).filter(|entry| entry.file_type().is_some_and(|t| t.is_file()));
    files.map(|entry| entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_string()).collect()
}

/// A part of a tree whose rules are those of ripgrep.
fn ripgreps_part() -> impl Strategy<Value = (String, Odd)> {
    (folder(), odd(), any::<bool>()).prop_map(|(folder, odd, is_ripgreps)| match odd {
        // Otherwise the file has no effect.
        Odd::Rules { name: ".spyhopignore", lines } if is_ripgreps => {
            (folder, Odd::Rules { name: ".rgignore", lines })
        }
        other => (folder, other),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn random_trees_as_ripgrep(
        parts in prop::collection::vec(ripgreps_part(), 1..24),
        choice in choice(),
        globs in globs(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        if choice.is_repository {
            fs::create_dir(dir.path().join(".git")).unwrap();
        }
        build(dir.path(), &parts);
        let root = dir.path().join(choice.below);
        fs::create_dir_all(&root).unwrap();
        let globs_at = |root: &Path| {
            let mut builder = ignore::overrides::OverrideBuilder::new(root);
            globs.iter().for_each(|glob| _ = builder.add(glob).unwrap());
            builder.build().unwrap()
        };
        let globs_of_walk = globs_at(Path::new(""));
        let as_ripgrep =
            Some(AsRipgrep { globs: Some(&globs_of_walk), sources: &choice.sources, ..AsRipgrep::default() });
        let options = WalkOptions { hidden: choice.hidden, no_built_in: true, as_ripgrep, ..plain() };
        let walked = walk(&root, &options).unwrap();
        let paths = walked.candidates.iter().map(|candidate| candidate.path.as_str());
        // A glob may ask for the folder `.git`; only that folder is kept from the other walk.
        let ours: BTreeSet<String> =
            paths.filter(|path| path.split('/').all(|name| name != ".git")).map(str::to_string).collect();
        prop_assert_eq!(&ours, &chosen_by_ripgrep(&root, &choice, &globs_at(&root)));
    }
}

fn files_below(root: &Path, dir: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap().map(Result::unwrap).filter(|entry| entry.file_name() != ".git") {
        if entry.file_type().unwrap().is_dir() {
            files.extend(files_below(root, &entry.path()));
        } else {
            files.push(entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_string());
        }
    }
    files
}
