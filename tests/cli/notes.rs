//! `spyhop memory`: the commands, other processes, killed processes, full disks.

use std::process::Stdio;

use serde_json::Value;

use super::{SMALL, Tree};

fn add(tree: &Tree, args: &[&str]) -> Value {
    tree.json(&[&["memory", "add"], args].concat())["results"][0].take()
}

fn listed(tree: &Tree) -> Vec<String> {
    let reply = tree.json(&["memory", "list", "--max-results", "2000"]);
    let title = |row: &Value| row["text"].as_str().unwrap().to_string();
    reply["results"].as_array().unwrap().iter().map(title).collect()
}

#[test]
fn a_note_is_recorded_shown_verified_and_retired() {
    let tree = Tree::new(SMALL);
    assert_eq!(tree.run(&["memory", "list"]).code, 1);
    let what = ["A circle needs a radius", "--kind", "failure", "--link", "src/paint.py#draw_circle"];
    let when = ["--signal", "radius is None", "--author", "me", "--when", "on the canvas"];
    let note = add(&tree, &[&what[..], &when, &["--time", "2026-01-31"]].concat());
    let id = note["id"].as_str().unwrap();
    assert_eq!(note["links"][0]["state"], "current");
    assert_eq!((note["time"].as_str(), note["untrusted"].as_bool()), (Some("2026-01-31"), Some(true)));
    let shown = tree.run(&["memory", "show", &id[..4]]);
    assert!(
        shown.out.contains("signal: radius is None") && shown.out.contains("when: on the canvas"),
        "{}",
        shown.out
    );
    let found = tree.run(&["memory", "search", "TypeError: radius is None (line 3)"]);
    assert_eq!(found.code, 0, "{}", found.err);
    assert_eq!(tree.run(&["memory", "search", "brewing beans"]).code, 1);
    let verified = tree.json(&["memory", "verify", id, "--test", "test_paint"]);
    assert_eq!(verified["results"][0]["verification"]["reference"], "test_paint");
    assert_eq!(tree.run(&["memory", "verify", id]).code, 2);
    assert_eq!(tree.run(&["memory", "show", "ffff"]).code, 2);
    // The same note again is no second one.
    let again = tree.run(&[&["memory", "add"], &what[..], &when].concat());
    assert!(again.err.contains("says the same"), "{}", again.err);
    assert_eq!(tree.run(&["memory", "retire", id, "--reason", "done"]).code, 0);
    assert_eq!((listed(&tree).len(), tree.run(&["memory", "list", "--retired"]).code), (0, 0));
    let shown = tree.run(&["memory", "show", id]).out;
    assert!(shown.contains("retired: done"), "{shown}");
    assert_eq!(tree.feed(&["memory", "add", "-"], "From a pipe\nwith two lines\n").code, 0);
    assert_eq!(listed(&tree), ["From a pipe\nwith two lines"]);
}

#[test]
fn standard_input_is_a_text_or_a_diff_and_never_an_option() {
    let tree = Tree::new(SMALL);
    let ran = tree.feed(&["memory", "add", "-"], "- one\n--kind is no option\n");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(listed(&tree), ["- one\n--kind is no option"]);
    // Another '-' is a value.
    let ran = tree.feed(&["memory", "add", "By a dash", "--author", "-"], "not read");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(tree.json(&["memory", "list"])["results"][0]["author"], "-");
    let diff = "--- a/src/paint.py\n+++ b/src/paint.py\n@@ -1 +1 @@\n-a\n+b\n";
    for (number, arguments) in [&["--diff=-"][..], &["--diff", "-"]].into_iter().enumerate() {
        let text = format!("Diff {number}");
        let ran = tree.feed(&[&["memory", "add", &text], arguments].concat(), diff);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let row = tree.json(&["memory", "list"])["results"][0].take();
        assert_eq!((row["text"].as_str(), row["diff"].as_str()), (Some(&*text), Some(diff)));
        let shown = tree.run(&["memory", "show", row["id"].as_str().unwrap()]).out;
        assert!(shown.contains("+++ b/src/paint.py"), "{shown}");
    }
    let both = tree.feed(&["memory", "add", "-", "--diff", "-"], diff);
    assert_eq!((both.code, both.err.contains("standard input is one text")), (2, true), "{}", both.err);
}

#[test]
fn an_export_replaces_a_file_as_a_whole_or_leaves_it() {
    let tree = Tree::new(SMALL);
    let backup = tree.root().with_file_name("backup.jsonl");
    let path = backup.to_str().unwrap();
    std::fs::write(&backup, "an earlier backup\n").unwrap();
    // Without a note, the backup stays.
    let ran = tree.run(&["memory", "export", path]);
    assert_eq!((ran.code, ran.err.contains("was not written")), (1, true), "{}", ran.err);
    assert_eq!(std::fs::read_to_string(&backup).unwrap(), "an earlier backup\n");
    add(&tree, &["One"]);
    // Whoever reads the earlier file reads it to its end.
    let earlier = tree.root().with_file_name("earlier.jsonl");
    std::fs::hard_link(&backup, &earlier).unwrap();
    let link = tree.root().with_file_name("link.jsonl");
    std::os::unix::fs::symlink(&backup, &link).unwrap();
    assert_eq!(tree.run(&["memory", "export", link.to_str().unwrap()]).code, 0);
    assert_eq!(std::fs::read_to_string(&earlier).unwrap(), "an earlier backup\n");
    assert_eq!(std::fs::read_to_string(&backup).unwrap(), tree.run(&["memory", "export"]).out);
    assert!(link.is_symlink());
    let piped = tree.run(&["memory", "export", "/dev/stdout"]);
    assert_eq!((piped.code, piped.out.lines().count()), (0, 1), "{}", piped.err);
}

#[test]
fn processes_that_record_at_once_all_succeed() {
    let tree = Tree::new(SMALL);
    let children: Vec<_> = (0..8)
        .map(|number| {
            let mut command = tree.command();
            command.args(["memory", "add", &format!("from {number}"), "-q"]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut titles = listed(&tree);
    titles.sort();
    assert_eq!(titles, (0..8).map(|number| format!("from {number}")).collect::<Vec<_>>());
}

#[test]
fn space_is_made_without_the_notes_of_other_trees() {
    let tree = Tree::new(SMALL);
    let other = Tree::new(SMALL);
    let at = tree.index_dir();
    let run = |of: &Tree, args: &[&str]| {
        let ran = crate::support::ran(of.command().env("SPYHOP_INDEX_DIR", &at).args(args), "");
        assert_ne!(ran.code, 2, "{args:?}: {}", ran.err);
        ran.out
    };
    run(&other, &["index", "-q"]);
    run(&other, &["memory", "add", "Kept", "-q"]);
    run(&tree, &["index", "-q"]);
    let ran = run(&tree, &["gc", "--max-bytes", "1", "--json"]);
    assert!(ran.contains("\"indexes\":[{"), "{ran}");
    assert!(
        run(&other, &["status"]).contains("no index")
            || run(&other, &["status", "--json"]).contains("missing")
    );
    assert!(run(&other, &["memory", "list"]).contains("Kept"));
    // What is left of the other index is nothing that a further collection removes.
    let again = run(&tree, &["gc", "--max-bytes", "1", "--json"]);
    assert!(again.contains("\"indexes\":[]"), "{again}");
    assert!(run(&other, &["search", "circle"]).contains("paint.py"));
}
