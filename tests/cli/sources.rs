//! One question over several sources of a library: `--in` and `--all`.

use std::fs;

use serde_json::Value;

use crate::support::{Shelf, Tree, ran};

/// The names of the sources of the rows, in order, each once.
fn sources(reply: &Value) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in reply["results"].as_array().unwrap() {
        let name = row["source"]["name"].as_str().unwrap().to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

#[test]
fn a_search_of_all_sources_names_the_source_of_each_hit() {
    let shelf = Shelf::new();
    let reply = shelf.tree.json(&["search", "delay", "attempt", "request", "--all"]);
    assert_eq!(sorted(sources(&reply)), ["client", "limits", "pages"]);
    assert_eq!((&reply["complete"], &reply["answering"]), (&true.into(), &3.into()));
    let row = |name: &str| {
        let rows = reply["results"].as_array().unwrap();
        rows.iter().find(|row| row["source"]["name"] == name).unwrap()["source"].clone()
    };
    let manifest = |name: &str| shelf.library.show(name).unwrap();
    let limits = row("limits");
    assert_eq!(limits["kind"], "git");
    assert_eq!(limits["url"], manifest("limits").origin.location.as_str());
    assert_eq!(limits["ref"], "v1");
    assert_eq!(limits["commit"], manifest("limits").commit.unwrap().as_str());
    assert!(limits["imported_at"].as_str().unwrap().ends_with('Z'), "{limits}");
    assert_eq!((&row("client")["kind"], &row("pages")["kind"]), (&"folder".into(), &"tar".into()));
    let text = shelf.tree.run(&["search", "backoff_delay", "--all"]);
    assert!(text.out.starts_with("limits:src/retry.rs:"), "{}", text.out);
    let lines = shelf.tree.run(&["search", "backoff_delay", "--all", "--vimgrep"]);
    assert!(lines.out.starts_with("limits:src/retry.rs:2:8: pub fn backoff_delay("), "{}", lines.out);
    let absolute = shelf.tree.json(&["search", "backoff_delay", "--in", "client", "--absolute"]);
    let path = absolute["results"][0]["absolute"].as_str().unwrap();
    assert_eq!(path, shelf.tree.root().join("src/lib.rs").to_str().unwrap());
}

#[test]
fn names_groups_and_ids_choose_sources() {
    let shelf = Shelf::new();
    let id = shelf.library.show("client").unwrap().id.to_string();
    let check = |given: &str, expected: &[&str]| {
        let reply = shelf.tree.json(&["delay", "attempt", "request", "--in", given]);
        assert_eq!(sorted(sources(&reply)), expected, "{given}");
        assert_eq!(reply["complete"], true, "{given}");
    };
    check("pages,limits", &["limits", "pages"]);
    check("deps", &["limits", "pages"]);
    check("deps,client", &["client", "limits", "pages"]);
    check(&id, &["client"]);
    check("all", &["client", "limits", "pages"]);
    let elsewhere = Tree::new("\n=== a.rs\nfn a() {}\n");
    let library = shelf.tree.library_dir();
    let by_option = ran(elsewhere.command().args(["backoff_delay", "--all", "--library"]).arg(library), "");
    assert!(by_option.out.starts_with("limits:"), "{} {}", by_option.out, by_option.err);
    let empty = elsewhere.run(&["backoff_delay", "--all"]);
    assert!(empty.code == 2 && empty.err.contains("no source"), "{}", empty.err);
}

#[test]
fn a_source_that_cannot_answer_is_named_and_the_rest_answers() {
    let shelf = Shelf::new();
    let check = |what: &str, name: &str| {
        for args in [&["search", "request", "--all"][..], &["files", "--all"], &["grep", "request", "--all"]]
        {
            let reply = shelf.tree.json(args);
            let warnings = reply["warnings"].to_string();
            assert!(warnings.contains(&format!("source '{name}")), "{what} {args:?}: {warnings}");
            assert_eq!(reply["complete"], false, "{what} {args:?}");
            assert!(sources(&reply).contains(&"limits".to_string()), "{what} {args:?}: {reply}");
        }
        let printed = shelf.tree.run(&["grep", "request", "--all"]);
        assert!(printed.code == 2 && printed.out.contains("limits:src/retry.rs:"), "{what} {}", printed.err);
    };
    // The index of an archive is missing, as while it is made.
    let pages = shelf.library.show("pages").unwrap();
    let index = shelf.tree.library_dir().join(format!("derived/{}/r1", pages.id));
    let aside = shelf.tree.library_dir().join("derived/aside");
    fs::rename(&index, &aside).unwrap();
    let reply = shelf.tree.json(&["search", "request", "--all"]);
    assert!(reply["warnings"].to_string().contains("source 'pages' does not answer"), "{reply}");
    assert_eq!(reply["complete"], false);
    fs::rename(&aside, &index).unwrap();
    // The folder of a source is gone.
    let gone = Tree::new("\n=== a.rs\n// request\n");
    shelf.add("gone", gone.root().to_str().unwrap(), &[]);
    drop(gone);
    check("gone", "gone");
    // A manifest is damaged.
    let manifest = shelf.tree.library_dir().join(format!("manifests/{}.json", pages.id));
    fs::write(&manifest, "{").unwrap();
    check("damaged manifest", "pages");
    // A removed source is named, and the others answer.
    let removed = shelf.tree.json(&["search", "request", "--in", "limits,never"]);
    assert_eq!((sources(&removed), &removed["complete"]), (vec!["limits".to_string()], &false.into()));
    assert!(removed["warnings"].to_string().contains("'never'"), "{removed}");
}

#[test]
fn a_source_that_is_locked_answers_from_its_last_commit() {
    let shelf = Shelf::new();
    let client = shelf.library.show("client").unwrap();
    let index = shelf.tree.library_dir().join(format!("derived/{}/r1", client.id));
    let lock = fs::OpenOptions::new().write(true).open(index.join("lock")).unwrap();
    lock.lock().unwrap();
    shelf.tree.write("src/new.rs", "pub fn request_later() {}\n");
    let reply = shelf.tree.json(&["search", "request", "--all"]);
    assert_eq!(sorted(sources(&reply)), ["client", "limits", "pages"]);
    assert!(reply["warnings"].to_string().contains("source 'client': "), "{reply}");
}

#[test]
fn pages_of_lines_go_from_source_to_source() {
    let shelf = Shelf::new();
    for size in ["1", "2", "3", "4"] {
        let mut paged = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut args = vec!["grep", "request", "--all", "--max-results", size];
            args.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor.as_str()]));
            let page = shelf.tree.json(&args);
            assert_eq!(page["total_lines"], 5);
            for row in page["results"].as_array().unwrap() {
                paged.push(format!("{}:{}", row["source"]["name"].as_str().unwrap(), row["line"]));
            }
            cursor = page["next"].as_str().map(String::from);
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(paged, ["client:4", "client:5", "limits:3", "limits:1", "pages:1"], "{size}");
    }
}

#[test]
fn states_come_source_by_source() {
    let shelf = Shelf::new();
    let status = shelf.tree.run(&["status", "--all"]);
    assert_eq!((status.code, status.out.lines().count()), (0, 4), "{}", status.out);
    assert!(status.out.starts_with("client  ready   "), "{}", status.out);
    let status = shelf.tree.json(&["status", "--in", "deps"]);
    let names: Vec<&str> = status["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["source"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["limits", "pages"]);
}

#[test]
fn a_path_of_an_answer_is_read_without_naming_the_source_again() {
    let shelf = Shelf::new();
    let read = shelf.tree.run(&["read", "limits:src/retry.rs", "--lines", "2"]);
    assert!(read.code == 0 && read.out.contains("pub fn backoff_delay("), "{} {}", read.out, read.err);
    let def = shelf.tree.run(&["def", "limits:src/retry.rs:2"]);
    assert!(def.code == 0 && def.out.contains("limits:src/retry.rs"), "{} {}", def.out, def.err);
    let why = shelf.tree.run(&["why-not", "limits:src/retry.rs", "delay"]);
    assert!(
        why.code == 0 && why.out.starts_with("limits:src/retry.rs ranks 1 of"),
        "{} {}",
        why.out,
        why.err
    );
    let only = shelf.tree.json(&["grep", "request", "--path", "limits:src"]);
    assert_eq!(sources(&only), ["limits"]);
    for line in [
        &["grep", "request", "--path", "limits:src"][..],
        &["grep", "request", "limits:src"],
        &["grep", "request", "--in", "limits", "src"],
        &["map", "limits:src"],
        &["map", "--in", "limits", "src"],
    ] {
        let found = shelf.tree.run(line);
        assert!(found.code == 0 && found.out.contains("retry.rs"), "{line:?}: {} {}", found.out, found.err);
    }
    let missing = shelf.tree.run(&["read", "limits:src/none.rs"]);
    assert!(missing.err.contains("there is no file 'src/none.rs'"), "{}", missing.err);
    for command in ["search", "grep", "symbols", "files"] {
        let missing = shelf.tree.run(&[command, "request", "--in", "limits", "--path", "none"]);
        let text = "path 'none' does not exist in 'limits'";
        assert!(missing.code == 2 && missing.err.contains(text), "{command}: {}", missing.err);
    }
    let unknown = shelf.tree.run(&["read", "limit:src/retry.rs"]);
    assert!(unknown.code == 2, "{}", unknown.err);
    let hint = "the library has no source 'limit', only 'client', 'limits', 'pages'; did you mean 'limits'?";
    assert!(unknown.err.contains(hint), "{}", unknown.err);
    let lines = shelf.tree.run(&["refs", "zzyzx_quux", "--in", "limits,pages"]);
    assert!(
        lines.err.contains("spyhop grep -w zzyzx_quux --in limits,pages searches for its lines"),
        "{}",
        lines.err
    );
    let several = shelf.tree.run(&["views", "--all"]);
    assert!(several.err.contains("views is about one tree, because"), "{}", several.err);
}
