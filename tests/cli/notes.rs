//! `spyhop memory`: the commands, other processes, killed processes, full disks.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{SMALL, Tree};
use crate::support::Random;

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
    let note = add(
        &tree,
        &[
            "A circle needs a radius",
            "--kind",
            "failure",
            "--link",
            "src/paint.py#draw_circle",
            "--signal",
            "radius is None",
            "--author",
            "me",
            "--time",
            "2026-01-31",
            "--when",
            "on the canvas",
        ],
    );
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
    let again = tree.run(&[
        "memory",
        "add",
        "A circle needs a radius",
        "--kind",
        "failure",
        "--link",
        "src/paint.py#draw_circle",
        "--signal",
        "radius is None",
        "--author",
        "me",
        "--when",
        "on the canvas",
    ]);
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
fn an_export_is_imported_once_and_bad_lines_are_named() {
    let tree = Tree::new(SMALL);
    add(&tree, &["One", "--link", "src/auth.rs"]);
    add(&tree, &["Two"]);
    let exported = tree.run(&["memory", "export"]);
    assert_eq!(exported.out.lines().count(), 2);
    let other = Tree::new(SMALL);
    let imported = other.feed(&["memory", "import", "-"], &format!("{}no note\n", exported.out));
    assert_eq!(
        (imported.code, imported.out.contains("line 3: the line is not JSON")),
        (2, true),
        "{}",
        imported.out
    );
    assert!(imported.out.starts_with("2 notes added"), "{}", imported.out);
    assert!(other.feed(&["memory", "import", "-"], &exported.out).out.contains("2 known already"));
    assert_eq!(other.run(&["memory", "export"]).out, exported.out);
    // The links hold in the other clone as well.
    assert_eq!(other.json(&["memory", "list"])["results"][1]["stale"], false);
}

#[test]
fn killed_at_any_moment_no_acknowledged_note_is_lost() {
    let tree = Tree::new(SMALL);
    let mut random = Random(7);
    let mut acknowledged: Vec<String> = Vec::new();
    let begun = Instant::now();
    add(&tree, &["note 0"]);
    acknowledged.push("note 0".to_string());
    let usual = begun.elapsed();
    let mut killed = 0;
    for number in 1..60 {
        let title = format!("note {number}");
        let mut command = tree.command();
        command.args(["memory", "add", &title, "--quiet"]).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(random.moment(usual).min(Duration::from_secs(2)));
        let _ = child.kill();
        let ended = child.wait().unwrap();
        match ended.signal() {
            Some(_) => killed += 1,
            None => {
                assert!(ended.success(), "{title}");
                acknowledged.push(title);
            }
        }
        let present = listed(&tree);
        for own in &acknowledged {
            assert!(present.contains(own), "{own} is lost after {number} runs");
        }
        assert!(present.iter().all(|title| title.starts_with("note ")), "{present:?}");
    }
    assert!(killed > 5, "{killed} of 59 were killed");
    let warnings = tree.json(&["memory", "list"])["warnings"].take();
    assert_eq!(warnings.as_array().unwrap().len(), 0, "{warnings}");
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
fn a_search_shows_a_line_about_a_note_that_helps() {
    let tree = Tree::new(SMALL);
    let without = tree.json(&["search", "resolve the secret of a provider"]);
    assert!(without.get("notes").is_none(), "{without}");
    add(
        &tree,
        &["Resolving the secret of a provider needs the vault", "--link", "src/auth.rs#resolve_api_key"],
    );
    let ran = tree.run(&["search", "resolve the secret of a provider"]);
    assert!(ran.out.contains("note ") && ran.out.contains("explanation, unverified"), "{}", ran.out);
    let with = tree.json(&["search", "resolve the secret of a provider"]);
    assert_eq!(with["notes"].as_array().unwrap().len(), 1);
    assert_eq!(with["results"], without["results"]);
    // Lines for programs stay lines for programs.
    let compact = tree.run(&["search", "resolve the secret of a provider", "--vimgrep"]);
    assert!(!compact.out.contains("note "), "{}", compact.out);
    assert!(tree.json(&["search", "draw a circle"]).get("notes").is_none());
}

#[test]
fn secrets_in_a_note_are_masked_before_they_are_stored() {
    let tree = Tree::new(SMALL);
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    add(&tree, &[&format!("It fails with {token}"), "--signal", &format!("Authorization: Bearer {token}")]);
    let shown = tree.run(&["memory", "list", "--json"]).out + &tree.run(&["memory", "export"]).out;
    assert!(!shown.contains(&token[8..]) && shown.contains("masked"), "{shown}");
    let line = format!("{{\"kind\":\"failure\",\"text\":\"imported {token}\"}}\n");
    assert_eq!(tree.feed(&["memory", "import", "-"], &line).code, 0);
    let link = |at: &str| {
        let content = "0".repeat(32);
        format!(
            "{{\"path\":\"src/auth.rs\",\"symbol\":\"{token}\",\"content\":\"{content}\",\"at\":\"{at}\"}}"
        )
    };
    let linked = |commit: &str, at: &str| {
        let link = link(at);
        format!("{{\"kind\":\"failure\",\"text\":\"linked\",\"commit\":\"{commit}\",\"links\":[{link}]}}\n")
    };
    let commit = "0123456789abcdef0123456789abcdef01234567";
    for (commit, at, code) in [(commit, commit, 0), (&token, commit, 2), (commit, &token, 2)] {
        let imported = tree.feed(&["memory", "import", "-"], &linked(commit, at));
        assert_eq!(imported.code, code, "{}", imported.out);
        assert!(!imported.out.contains(&token[8..]), "{}", imported.out);
    }
    let listed = tree.run(&["memory", "list", "--json"]).out + &tree.run(&["memory", "list"]).out;
    assert!(!listed.contains(&token[8..]) && listed.contains("linked"), "{listed}");
    for entry in walk(&tree.index_dir()) {
        let bytes = std::fs::read(&entry).unwrap();
        let found = bytes.windows(token.len()).any(|window| window == token.as_bytes());
        assert!(!found, "{}", entry.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { found.extend(walk(&entry)) } else { found.push(entry) }
    }
    found
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
