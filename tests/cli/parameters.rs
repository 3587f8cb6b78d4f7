//! Each parameter of a search, by every name it has.

use super::{SMALL, Tree};

/// Files that all answer to `beacon`, in different places, languages and kinds.
const BEACONS: &str = r#"
=== app/src/light.rs
pub fn beacon_light() {}
=== app/src/Mirror.py
class BeaconMirror:
    def beacon_turn(self):
        return 1
=== lib/tower.md
# Beacon

The beacon stands on a tower.
=== lib/tests/light_test.rs
pub struct BeaconTest;
"#;

#[test]
fn narrowing() {
    let tree = Tree::new(BEACONS);
    let check = |args: &[&str], expected: &[&str]| {
        let mut paths = tree.paths(&[&["beacon"], args].concat());
        paths.sort();
        assert_eq!(paths, expected, "{args:?}");
    };
    let [light, mirror, test, tower] =
        ["app/src/light.rs", "app/src/Mirror.py", "lib/tests/light_test.rs", "lib/tower.md"];
    check(&[], &[mirror, light, test, tower]);
    check(&["--path", "app"], &[mirror, light]);
    check(&["--path", "lib/tower.md"], &[tower]);
    check(&["--path", "."], &[mirror, light, test, tower]);
    check(&["--path-glob", "**/src/*.rs"], &[light]);
    check(&["--glob", "*.rs"], &[light, test]);
    check(&["--glob", "*.rs", "--glob", "*.md"], &[light, test, tower]);
    check(&["--exclude", "MIRROR"], &[light, test, tower]);
    check(&["--exclude", "mirror|tests"], &[light, tower]);
    check(&["--exclude", "mirror", "--exclude", "tests"], &[light, tower]);
    check(&["--lang", "rust"], &[light, test]);
    check(&["--language", "rust,python"], &[mirror, light, test]);
    check(&["--lang", "rust", "--lang", "markdown"], &[light, test, tower]);
    check(&["--kind", "struct"], &[test]);
    check(&["--chunk-type", "function"], &[light]);
    check(&["--kind", "fn,struct", "--exclude", "test"], &[light]);
}

#[test]
fn a_profile_ranks_by_its_weights() {
    let tree = Tree::new(BEACONS);
    let mut profile = spyhop::Profile::built_in().clone();
    profile.set_weight(None, "test.value".parse().unwrap(), 50.0);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), profile.to_toml()).unwrap();
    let file = file.path().to_str().unwrap();
    assert_ne!(tree.paths(&["beacon"])[0], "lib/tests/light_test.rs");
    assert_eq!(tree.paths(&["beacon", "--profile", file])[0], "lib/tests/light_test.rs");
    let why = tree.json(&["why-not", "lib/tests/light_test.rs", "beacon", "--profile", file]);
    assert_eq!(why["rank"], 1);
}

#[test]
fn pages() {
    let tree = Tree::new(BEACONS);
    let all = tree.json(&["beacon", "--per-file", "1"]);
    let all = all["results"].as_array().unwrap();
    assert_eq!(all.len(), 4);
    let mut seen = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut args = vec!["beacon", "--per-file", "1", "-n", "3"];
        if let Some(cursor) = &cursor {
            args.extend(["--cursor", cursor]);
        }
        let page = tree.json(&args);
        assert_eq!(page["total"], 4);
        seen.extend(page["results"].as_array().unwrap().iter().map(|hit| hit["path"].clone()));
        match page["next"].as_str() {
            Some(next) => cursor = Some(next.to_string()),
            None => break,
        }
    }
    assert_eq!(seen, all.iter().map(|hit| hit["path"].clone()).collect::<Vec<_>>());
    for name in ["--max-results", "--limit", "-n"] {
        assert_eq!(tree.json(&["beacon", name, "1"])["results"].as_array().unwrap().len(), 1, "{name}");
    }
    assert_eq!(tree.run(&["beacon", "-n", "50"]).code, 0);
}

#[test]
fn hits_of_one_file_are_bounded() {
    // Three functions too long to be gathered into one chunk.
    let body: String = (0..60).map(|number| format!("    let step_{number} = {number};\n")).collect();
    let file: String =
        ["one", "two", "three"].map(|name| format!("fn beacon_{name}() {{\n{body}}}\n\n")).concat();
    let tree = Tree::new(&format!("\n=== src/many.rs\n{file}\n=== src/other.rs\nfn unlike() {{}}\n"));
    let hits = |most: &str| tree.json(&["beacon", "--per-file", most])["results"].as_array().unwrap().len();
    assert_eq!((hits("1"), hits("2")), (1, 2));
}

#[test]
fn context_ends_with_the_file() {
    let tree = Tree::new(SMALL);
    for lines in ["0", "1", "1000000", "99999999999"] {
        let reply = tree.json(&["draw_circle", "--expand", lines, "-n", "1"]);
        let hit = &reply["results"][0];
        assert_eq!(hit["path"], "src/paint.py", "{lines}");
        let snippet = hit["snippet"].as_str().unwrap();
        assert!(snippet.contains("def draw_circle(radius):"), "{snippet}");
        if lines.len() > 1 {
            assert_eq!((snippet.lines().count(), &hit["snippet_line"]), (3, &1.into()), "{snippet}");
        }
    }
}

#[test]
fn scores_have_a_floor() {
    let tree = Tree::new(BEACONS);
    let reply = tree.json(&["beacon tower", "--min-score", "0.3"]);
    for hit in reply["results"].as_array().unwrap() {
        assert!(hit["score"].as_f64().unwrap() >= 0.3 - 1e-6, "{hit}");
    }
    // What contains the query as written stays, whatever its score.
    assert_eq!(tree.run(&["The beacon stands", "--min-score", "1"]).code, 0);
}

#[test]
fn modes() {
    let tree = Tree::new(SMALL);
    let compact = tree.run(&["draw_circle", "--mode", "compact", "-n", "1"]).out;
    let first = compact.lines().next().unwrap();
    assert_eq!(first, "src/paint.py:1:5: def draw_circle(radius):", "{compact}");
    assert!(tree.json(&["draw_circle", "--mode", "compact"])["results"][0]["snippet"].is_null());
    let default = tree.json(&["draw_circle", "--mode", "default"]);
    assert!(default["results"][0]["snippet"].as_str().unwrap().len() <= 500);
    let debug = tree.run(&["draw_circle", "--mode", "debug"]).out;
    assert!(debug.contains("\n  +") && debug.contains("checked at "), "{debug}");
}

#[test]
fn roots() {
    let tree = Tree::new(SMALL);
    let root = tree.root();
    let root_of = |reply: &serde_json::Value| reply["snapshot"]["root"].as_str().unwrap().to_string();
    std::fs::create_dir(root.join("src/deep")).unwrap();

    // Without git the current folder is the root.
    let ran = tree.run_in("src", &["draw_circle", "--json"]);
    let reply: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(root_of(&reply), root.join("src").to_str().unwrap());
    assert_eq!(reply["results"][0]["path"], "paint.py");

    // With git it is the repository's top, from wherever one stands.
    std::fs::create_dir(root.join(".git")).unwrap();
    for (path, content) in
        [("HEAD", "ref: refs/heads/main\n"), ("config", "[core]\n\trepositoryformatversion = 0\n")]
    {
        tree.write(&format!(".git/{path}"), content);
    }
    std::fs::create_dir_all(root.join(".git/objects")).unwrap();
    std::fs::create_dir_all(root.join(".git/refs/heads")).unwrap();
    let ran = tree.run_in("src/deep", &["draw_circle", "--json"]);
    let reply: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(root_of(&reply), root.to_str().unwrap(), "{}", ran.err);
    assert_eq!(reply["results"][0]["path"], "src/paint.py");

    // A typed path is read from the current folder, then from the root.
    for path in ["..", "../paint.py", "src", "src/paint.py"] {
        let ran = tree.run_in("src/deep", &["draw_circle", "--path", path]);
        assert_eq!(ran.code, 0, "{path}: {}", ran.err);
    }
    assert_eq!(tree.run_in("src/deep", &["draw_circle", "--path", "../auth.rs"]).code, 1);

    // `--root` is exact, an absolute path finds the repository around it.
    let folder = root.join("src");
    let folder = folder.to_str().unwrap();
    assert_eq!(root_of(&tree.json(&["draw_circle", "--root", folder])), folder);
    let elsewhere = tempfile::tempdir().unwrap();
    let ran = tree.run_in(elsewhere.path(), &["draw_circle", "--path", folder, "--json"]);
    let reply: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (root_of(&reply).as_str(), &reply["results"][0]["path"]),
        (root.to_str().unwrap(), &"src/paint.py".into())
    );
}

#[test]
fn a_path_may_begin_at_home() {
    let tree = Tree::new(SMALL);
    let ran = super::ran(
        tree.command().env("HOME", tree.root()).current_dir("/").args([
            "draw_circle",
            "--path",
            "~/src",
            "--json",
        ]),
        "",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    let reply: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(reply["snapshot"]["root"], tree.root().join("src").to_str().unwrap());
}

#[test]
fn the_index_lies_where_it_is_told() {
    let tree = Tree::new(SMALL);
    tree.run(&["index"]);
    assert!(std::fs::read_dir(tree.index_dir()).unwrap().count() > 0);
    for name in ["--index-dir", "--db"] {
        let folder = format!("own{name}");
        assert_eq!(tree.run(&["draw_circle", name, &folder]).code, 0);
        // Relative to the tree.
        assert!(std::fs::read_dir(tree.root().join(&folder)).unwrap().count() > 0, "{name}");
    }
}

/// The command that an error or a status advises.
fn advised(text: &str) -> String {
    let line = text.lines().find_map(|line| line.split_once("un: ")).unwrap_or_else(|| panic!("{text}"));
    line.1.to_string()
}

#[cfg(unix)]
#[test]
fn advice_leads_to_the_index_that_was_missing() {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q"]);
    tree.commit();
    tree.git(&["branch", "other"]);
    let cases: &[&[&str]] = &[
        &["--index-dir", "own index"],
        &["--db", "own"],
        &["--hidden", "--no-ignore", "--no-built-in", "--secrets", "--max-file-size", "2K"],
        &["--index-dir", "it's", "--no-ignore"],
        &["--view", "other", "--index-dir", "of-views"],
    ];
    for flags in cases {
        for _ in 0..2 {
            let asked = [&["draw_circle", "--require-index", "--no-refresh"], *flags].concat();
            let refused = tree.run(&asked);
            assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{flags:?}");
            let advice = advised(&refused.err);
            // The words reach the program as a shell reads them, from another folder.
            let program = env!("CARGO_BIN_EXE_spyhop");
            let line = format!("\"{program}\" {}", advice.strip_prefix("spyhop ").unwrap());
            let mut shell = std::process::Command::new("sh");
            shell.args(["-c", &line]).current_dir("/").env("SPYHOP_INDEX_DIR", tree.index_dir());
            let ran = super::ran(&mut shell, "");
            assert_eq!(ran.code, 0, "{line}: {}", ran.err);
            let answered = tree.run(&asked);
            assert_eq!(answered.code, 0, "{flags:?}: {}", answered.err);
            // Again under another branch: then there is an index, and not of what is checked out.
            tree.git(&["checkout", "-q", "-B", "elsewhere"]);
            if flags.contains(&"--view") {
                break;
            }
        }
        tree.git(&["checkout", "-q", "-B", "main"]);
    }
    let status = tree.run(&["status", "--index-dir", "none yet"]);
    assert!(advised(&status.out).ends_with("/none yet'"), "{}", status.out);
    let doctor = tree.run(&["doctor", "--index-dir", "none"]);
    assert!(advised(&doctor.out).ends_with("/none"), "{}", doctor.out);
}

#[test]
fn an_index_folder_that_is_a_file_is_named() {
    let tree = Tree::new(SMALL);
    for command in [&["draw_circle"][..], &["index"], &["status"], &["grep", "x"]] {
        for (folder, why) in
            [("docs/guide.md", "is a file"), ("docs/guide.md/below", "lies below the file '")]
        {
            let ran = tree.run(&[command, &["--db", folder]].concat());
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{command:?}");
            let expected = format!("index_dir '{}' {why}", tree.root().join(folder).display());
            assert!(ran.err.contains(&expected) && ran.err.contains("choose a folder"), "{}", ran.err);
        }
    }
}

#[test]
fn the_index_of_another_place_is_no_source() {
    let tree = Tree::new(SMALL);
    tree.write("bazel/WORKSPACE", "workspace(name = \"circle_drawing\")\n");
    tree.run(&["index", "--index-dir", "idx/own"]);
    tree.run(&["index", "--index-dir", "idx/other"]);
    let skipped = tree.run(&["skipped"]).out;
    // This run has an index beside the tree, so both are those of others.
    for folder in ["idx/other/", "idx/own/"] {
        let row = format!("{folder}  built-in  an index of spyhop, by its structure");
        assert!(skipped.contains(&row), "{skipped}");
    }
    let mut files: Vec<String> = tree.run(&["files"]).out.lines().map(str::to_string).collect();
    files.sort();
    assert!(files.iter().all(|line| !line.contains("idx/")), "{files:?}");
    assert!(files.iter().any(|line| line.contains("bazel/WORKSPACE")), "{files:?}");
    assert_eq!(tree.run(&["circle_drawing"]).code, 0);
    // An exact search reads what ripgrep would read.
    for policy in ["refresh", "ignore"] {
        let found = tree.run(&["grep", "-l", "\"owner\"", "--stale-policy", policy]).out;
        assert_eq!(found, "idx/other/WORKSPACE\nidx/own/WORKSPACE\n");
    }
    let explained = tree.run(&["skipped", "--explain-skips", "idx/other/lock"]).out;
    assert!(explained.contains("an index of spyhop") && !explained.contains(".spyhopignore"), "{explained}");
}

#[test]
fn freshness() {
    let tree = Tree::new(SMALL);
    let missing = tree.run(&["draw_circle", "--require-index"]);
    assert_eq!((missing.code, missing.out.as_str()), (2, ""));
    let lines: Vec<&str> = missing.err.lines().collect();
    assert!(lines.contains(&&*format!("Run: spyhop index {}", tree.root().display())), "{}", missing.err);
    assert!(lines.iter().any(|line| line.starts_with("Expected index at: ")), "{}", missing.err);

    assert_eq!(tree.run(&["index"]).code, 0);
    assert_eq!(tree.run(&["draw_circle", "--require-index"]).code, 0);
    tree.write("src/new.rs", "pub fn hoist_flag() {}\n");
    let run = |policy: &str| tree.run(&["hoist_flag", "--stale-policy", policy, "--json"]);
    assert_eq!(run("ignore").code, 1);
    assert_eq!(tree.run(&["hoist_flag", "--no-refresh"]).code, 1);
    let reply: serde_json::Value = serde_json::from_str(&run("ignore").out).unwrap();
    assert!(reply["snapshot"]["checked_at"].is_null());
    let warned = run("warn");
    let reply: serde_json::Value = serde_json::from_str(&warned.out).unwrap();
    assert_eq!((warned.code, &reply["snapshot"]["stale_files"]), (1, &1.into()));
    let refused = run("error");
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(refused.err.contains("1 file has changed"), "{}", refused.err);
    assert_eq!(run("refresh").code, 0);
    tree.write("src/newer.rs", "pub fn lower_flag() {}\n");
    assert_eq!(tree.run(&["lower_flag", "--stale-policy", "wait"]).code, 0);
}

#[test]
fn what_is_indexed() {
    let tree = Tree::new(SMALL);
    tree.write(".hidden/secret.rs", "pub fn hidden_cove() {}\n");
    tree.write("big.rs", format!("pub fn large_whale() {{}}\n{}", "// filler\n".repeat(400)));
    assert_eq!(tree.run(&["hidden_cove"]).code, 1);
    assert_eq!(tree.run(&["hidden_cove", "--hidden"]).code, 0);
    tree.write(".ignore", "ignored.rs\n");
    tree.write("ignored.rs", "pub fn ignored_bird() {}\n");
    assert_eq!(tree.run(&["ignored_bird"]).code, 1);
    assert_eq!(tree.run(&["ignored_bird", "--no-ignore"]).code, 0);
    tree.write("leaf.plist", "fine_leaf\n");
    assert_eq!(tree.run(&["fine_leaf"]).code, 1);
    assert_eq!(tree.run(&["fine_leaf", "--no-built-in"]).code, 0);
    tree.write("prod.tfvars", "lantern_oil = 1\n");
    assert_eq!(tree.run(&["lantern_oil"]).code, 1);
    assert_eq!(tree.run(&["lantern_oil", "--secrets"]).code, 0);
    assert_eq!(
        tree.run(&["skipped", "--reason", "secret"]).out.lines().next(),
        Some("prod.tfvars  secret  built-in rule '*.tfvars': its name says so")
    );
    let grep = |args: &[&str]| tree.run(&[&["grep", "lantern"], args].concat()).out;
    assert_eq!(grep(&[]), "prod.tfvars:lantern_oil = *\n");
    assert_eq!(grep(&["--show-secrets"]), "prod.tfvars:lantern_oil = 1\n");
    assert_eq!(tree.paths(&["large_whale", "--threads", "1"]), ["big.rs"]);
    assert_eq!(tree.run(&["a large whale", "--max-file-size", "2K"]).code, 1);
    assert_eq!(tree.run(&["a large whale", "--max-file-size", "1M", "--threads", "2"]).code, 0);
}

#[test]
fn equal_trees_give_equal_answers() {
    let replies = ["1", "4"].map(|threads| {
        let tree = Tree::new(BEACONS);
        let mut reply = tree.json(&["beacon light", "--threads", threads]);
        reply["snapshot"] = serde_json::Value::Null;
        reply
    });
    assert_eq!(replies[0], replies[1]);
}
