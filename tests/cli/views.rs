//! What an index keeps, and making room: `spyhop views`, `spyhop gc --max-bytes`, `--view` on a command line.

use std::path::PathBuf;

use serde_json::Value;

use super::{SMALL, Tree, files_below};

/// A repository with the branches `one` and `two`, each with many files that the other has not.
fn repository() -> Tree {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    for branch in ["one", "two"] {
        tree.git(&["checkout", "-q", "-b", branch, "main"]);
        for number in 0..60 {
            let text = format!("pub fn only_on_{branch}_{number}() {{ brew_{branch}_{number}(); }}\n");
            tree.write(&format!("src/{branch}{number}.rs"), text);
        }
        tree.commit();
    }
    tree.git(&["checkout", "-q", "main"]);
    tree
}

fn views(tree: &Tree) -> Vec<Value> {
    tree.json(&["views"])["views"].as_array().unwrap().clone()
}

fn heads(tree: &Tree) -> Vec<String> {
    let head = |view: &Value| {
        let mark = if view["committed"] == true { ":" } else { "" };
        format!("{}{mark}", view["head"].as_str().unwrap())
    };
    views(tree).iter().map(head).collect()
}

fn search(tree: &Tree, view: &str) -> Value {
    tree.json(&["search", "only on", "--view", view])
}

#[test]
fn views_are_listed_by_their_last_use_with_what_they_cost() {
    let tree = repository();
    assert_eq!(tree.run(&["views"]).code, 2);
    tree.json(&["index"]);
    search(&tree, "one");
    search(&tree, "two");
    search(&tree, "main");
    assert_eq!(heads(&tree)[..3], ["main:", "two:", "one:"]);
    tree.json(&["search", "secret"]);
    search(&tree, "one");
    let listed = views(&tree);
    assert_eq!(heads(&tree), ["one:", "main", "main:", "two:"]);
    let cost =
        |place: usize| (&listed[place]["files"], &listed[place]["own_files"], &listed[place]["current"]);
    assert_eq!(cost(0), (&63.into(), &60.into(), &false.into()));
    // What the worktree shows is what main holds, so neither has a file that the other has not.
    assert_eq!(cost(1), (&3.into(), &0.into(), &true.into()));
    assert_eq!(cost(2), (&3.into(), &0.into(), &false.into()));
    let bytes = |place: usize| listed[place]["own_bytes"].as_u64().unwrap();
    assert!(bytes(0) > 4 * bytes(1) && bytes(3) > 4 * bytes(2), "{listed:?}");
    let text = tree.run(&["views"]).out;
    assert!(text.contains("* worktree   main "), "{text}");
    assert!(text.contains("  commit     one ") && text.contains("63 files, 60 own files"), "{text}");
}

/// Every file of the index with its size.
fn files(tree: &Tree) -> Vec<(PathBuf, u64)> {
    let sized = |path: PathBuf| (path.clone(), path.metadata().unwrap().len());
    files_below(&tree.index_dir()).into_iter().map(sized).collect()
}

fn bytes(tree: &Tree) -> u64 {
    files(tree).iter().map(|(_, bytes)| bytes).sum()
}

#[test]
fn room_is_made_by_dropping_the_longest_unused_view() {
    let tree = repository();
    tree.json(&["index"]);
    search(&tree, "one");
    search(&tree, "two");
    tree.run(&["gc", "-q"]); // so that merging alone makes no room
    search(&tree, "one");
    let before = files(&tree);
    let max = (bytes(&tree) - 1).to_string();
    let would = tree.json(&["gc", "--max-bytes", &max, "--dry-run"]);
    let dropped = |reply: &Value| -> Vec<String> {
        let views = reply["views"].as_array().unwrap().iter();
        views.map(|view| view["head"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!((dropped(&would), files(&tree)), (vec!["two".to_string()], before));
    let did = tree.json(&["gc", "--max-bytes", &max]);
    assert_eq!(
        (dropped(&did), &did["room"]["fits"], &did["versions"]),
        (vec!["two".into()], &true.into(), &60.into())
    );
    assert_eq!(heads(&tree), ["one:", "main"]);
    assert_eq!(did["room"]["bytes_after"].as_u64().unwrap(), bytes(&tree));
    // It comes back when it is asked for.
    assert_eq!(search(&tree, "two")["snapshot"]["indexed_files"], 63);
}

#[test]
fn then_the_indexes_of_other_trees_go_but_never_the_current_one() {
    let tree = repository();
    tree.json(&["index"]);
    search(&tree, "one");
    let others: Vec<Tree> = (0..2).map(|_| Tree::new(SMALL)).collect();
    for other in &others {
        let mut command = other.command();
        let index = command.env("SPYHOP_INDEX_DIR", tree.index_dir()).args(["index", "-q"]);
        assert!(index.status().unwrap().success());
    }
    let folders = || std::fs::read_dir(tree.index_dir()).unwrap().map(|entry| entry.unwrap().path());
    let of = |other: &Tree| {
        let claims = |folder: &PathBuf| {
            let claim = std::fs::read_to_string(folder.join("WORKSPACE")).unwrap_or_default();
            claim.contains(other.root().to_str().unwrap())
        };
        folders().find(claims)
    };
    // What is no index of ours stays, whatever it takes.
    std::fs::create_dir(tree.index_dir().join("not-ours")).unwrap();
    std::fs::write(tree.index_dir().join("not-ours/file"), "text").unwrap();
    let busy = std::fs::File::open(of(&others[0]).unwrap().join("lock")).unwrap();
    busy.lock().unwrap();
    let ran = tree.run(&["gc", "--max-bytes", "1", "--json"]);
    assert_eq!(ran.code, 1, "it does not fit: {}", ran.err);
    let reply: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(reply["room"]["indexes"].as_array().unwrap().len(), 1, "{reply}");
    assert_eq!(reply["room"]["busy"].as_array().unwrap().len(), 1, "{reply}");
    assert!(of(&others[0]).is_some() && of(&others[1]).is_none());
    assert_eq!(heads(&tree), ["main"]);
    drop(busy);
    // One by itself stays where there is room for it.
    let max = bytes(&tree).to_string();
    let reply = tree.json(&["gc", "--max-bytes", &max]);
    assert_eq!(
        (reply["room"]["indexes"].as_array().unwrap().len(), &reply["room"]["fits"]),
        (0, &true.into())
    );
    assert!(of(&others[0]).is_some() && tree.index_dir().join("not-ours/file").exists());
    assert_eq!(tree.run(&["search", "secret", "--no-refresh"]).code, 0);
}

#[test]
fn read_takes_names_and_places_of_a_view() {
    let tree = repository();
    let read = |typed: &str| {
        let ran = tree.run(&["read", "--view", "one", typed]);
        (ran.code, ran.out, ran.err)
    };
    let (code, out, _) = read("only_on_one_7");
    assert!(code == 0 && out.contains("brew_one_7"), "{out}");
    let (code, out, _) = read("src/one7.rs:1-1");
    assert!(code == 0 && out.contains("brew_one_7"), "{out}");
    let (code, _, err) = read("src/two7.rs");
    assert!(code == 2 && err.contains("there is no file 'src/two7.rs'"), "{code} {err}");
}
