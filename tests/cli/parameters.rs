//! Each parameter of a search, by every name it has.

use super::{SMALL, Tree, described};

/// Files that all answer to `beacon`, in different places, languages and kinds.
fn beacons() -> Tree {
    described(include_str!("transcripts/parameters.txt"))
}

#[test]
fn a_profile_ranks_by_its_weights() {
    let tree = beacons();
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
fn scores_have_a_floor() {
    let tree = beacons();
    let reply = tree.json(&["beacon tower", "--min-score", "0.3"]);
    for hit in reply["results"].as_array().unwrap() {
        assert!(hit["score"].as_f64().unwrap() >= 0.3 - 1e-6, "{hit}");
    }
    // What contains the query as written stays, whatever its score.
    assert_eq!(tree.run(&["The beacon stands", "--min-score", "1"]).code, 0);
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
