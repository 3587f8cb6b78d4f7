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
    let wrong = shelf.tree.run(&["delay", "--in", "limit"]);
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.err.contains("there is no source 'limit'") && wrong.err.contains("limits"),
        "{}",
        wrong.err
    );
    let unused = shelf.tree.run(&["delay", "--library", "x"]);
    assert!(unused.err.contains("--library has no effect without --all or --in"), "{}", unused.err);
    let both = shelf.tree.run(&["delay", "--in", "deps", "--root", "."]);
    assert!(both.code == 2 && both.err.contains("cannot be used with"), "{}", both.err);
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
    // The index is damaged.
    let data = fs::read_dir(&index)
        .unwrap()
        .flatten()
        .find(|entry| entry.file_name().to_string_lossy().starts_with('v'));
    let segments = data.unwrap().path().join("tantivy");
    for entry in fs::read_dir(&segments).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".term") || name.ends_with(".idx") {
            let len = entry.metadata().unwrap().len() as usize;
            fs::write(entry.path(), vec![0x5a; len]).unwrap();
        }
    }
    let reply = shelf.tree.json(&["search", "request", "--all"]);
    assert!(reply["warnings"].to_string().contains("source 'pages' does not answer"), "{reply}");
    assert!(sources(&reply).contains(&"limits".to_string()) && reply["complete"] == false, "{reply}");
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
fn names_of_files_and_definitions_have_one_order_over_all_sources() {
    let shelf = Shelf::new();
    let files = shelf.tree.run(&["files", "--all"]);
    let expected = "client:Cargo.toml\nlimits:Cargo.toml\npages:index.js\npages:package.json\nclient:src/lib.rs\n\
                    limits:src/lib.rs\nlimits:src/retry.rs\n";
    assert_eq!(files.out, expected);
    assert_eq!(shelf.tree.run(&["files", "lib.rs", "--in", "limits"]).out, "limits:src/lib.rs\n");
    assert_eq!(shelf.tree.run(&["files", "--all", "--path", "src/retry.rs"]).out, "limits:src/retry.rs\n");
    let symbols = shelf.tree.run(&["symbols", "delay", "--all"]);
    let expected = "limits:src/retry.rs:2: fn backoff_delay\npages:index.js:2: fn showDelay\n";
    assert_eq!(sorted(symbols.out.lines().map(String::from).collect()), expected.lines().collect::<Vec<_>>());
    let mut paged = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["files", "--all", "-n", "2"];
        args.extend(cursor.iter().flat_map(|cursor| ["--cursor", cursor.as_str()]));
        let page = shelf.tree.json(&args);
        paged.extend(page["results"].as_array().unwrap().iter().map(|row| row["path"].to_string()));
        cursor = page["next"].as_str().map(String::from);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged.len(), 7);
}

#[test]
fn lines_come_source_by_source() {
    let shelf = Shelf::new();
    let ran = shelf.tree.run(&["grep", "request", "--all"]);
    let expected = "client:src/lib.rs:/// Sends a request, and waits between attempts.\n\
                    client:src/lib.rs:pub fn send_request(bucket: &Bucket) -> u64 {\n\
                    limits:src/lib.rs:/// Permits of requests.\n\
                    limits:src/retry.rs:/// The delay before the next attempt of a request.\n\
                    pages:index.js:// Shows how long a request waits for its next attempt.\n";
    assert_eq!((ran.code, ran.out.as_str()), (0, expected), "{}", ran.err);
    assert_eq!(shelf.tree.run(&["grep", "request", "--in", "deps", "-l"]).out.lines().count(), 3);
    assert_eq!(shelf.tree.run(&["grep", "nowhere_at_all", "--all"]).code, 1);
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
    let wrong = shelf.tree.run(&["grep", "(", "--all"]);
    assert_eq!((wrong.code, wrong.out.as_str()), (2, ""));
}

#[test]
fn outlines_and_states_come_source_by_source() {
    let shelf = Shelf::new();
    let map = shelf.tree.run(&["map", "--all"]);
    for line in ["client:/", "limits:src/", "pages:index.js"] {
        assert!(map.out.contains(line), "{line}: {}", map.out);
    }
    let map = shelf.tree.json(&["map", "--all", "--path", "src"]);
    let entries = map["entries"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["source"]["name"] != "pages"), "{map}");
    let missing = shelf.tree.run(&["map", "--all", "--path", "nowhere"]);
    assert_eq!(missing.code, 2);
    let status = shelf.tree.run(&["status", "--all"]);
    assert_eq!((status.code, status.out.lines().count()), (0, 4), "{}", status.out);
    assert!(status.out.starts_with("client  ready   "), "{}", status.out);
    let status = shelf.tree.json(&["status", "--in", "deps"]);
    let names: Vec<&str> = status["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|own| own["source"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["limits", "pages"]);
}

#[test]
fn the_code_graph_is_asked_source_by_source() {
    let shelf = Shelf::new();
    let def = shelf.tree.run(&["def", "backoff_delay", "--all"]);
    assert_eq!(def.out, "limits:src/retry.rs:2  fn backoff_delay\n", "{}", def.err);
    let callees = shelf.tree.json(&["callees", "client:src/lib.rs#send_request", "--all"]);
    assert_eq!(callees["definitions"][0]["source"]["name"], "client");
    // An import leads to the source that is the package.
    let def = shelf.tree.run(&["def", "client:src/lib.rs:7:6", "--all"]);
    assert_eq!(def.out, "limits:src/retry.rs:2  fn backoff_delay\n", "{}", def.err);
    let def = shelf.tree.run(&["def", "src/lib.rs:1:17", "--all"]);
    assert_eq!(def.out, "limits:src/lib.rs:4  struct Bucket\n", "{}", def.err);
    let alone = shelf.tree.run(&["def", "src/lib.rs:2:25"]);
    assert!(!alone.out.contains("retry.rs"), "{}", alone.out);
    let callers = shelf.tree.json(&["callers", "backoff_delay", "--all"]);
    let row = &callers["results"][0];
    assert_eq!((&row["source"]["name"], &row["line"]), (&"client".into(), &7.into()), "{callers}");
    assert_eq!(row["from"]["symbol"], "send_request");
    assert_eq!(row["to"]["source"]["name"], "limits");
    // Filters, kinds and limits hold for the uses in importing sources too.
    for args in [["--exclude", "src/"], ["--path", "nowhere"], ["--lang", "python"], ["--kind", "class"]] {
        let asked = ["callers", "backoff_delay", "--all", args[0], args[1]];
        let callers = shelf.tree.json(&asked);
        assert_eq!(
            (&callers["total"], callers["results"].as_array().unwrap().len()),
            (&0.into(), 0),
            "{callers}"
        );
    }
    let refs = shelf.tree.run(&["refs", "Bucket", "--all"]);
    assert!(refs.out.contains("client:src/lib.rs:5  send_request"), "{}", refs.out);
    assert_eq!(shelf.tree.json(&["callers", "backoff_delay", "--in", "limits"])["total"], 0);
    let unknown = shelf.tree.run(&["def", "no_such_name", "--all"]);
    assert!(unknown.code == 2 && unknown.err.contains("no_such_name"), "{}", unknown.err);
}
