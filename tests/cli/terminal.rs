//! A real terminal: what files, names and branches hold must not steer it, and the colours of the program stay.

use super::Tree;
use super::pty::Pty;

/// What hides or steers, and an ordinary character of many bytes.
const HOSTILE: &str =
    "\u{1b}]0;evil\u{7}\u{9b}31m\u{202e}\u{200b}\u{61c}\u{feff}\u{fe0f}\u{e0100}\u{e0041}\rwalrusß";

/// What a terminal shows of it.
const SHOWN: &str = "␛]0;evil␇␦31m␦␦␦␦␦␦␦␍walrusß";

/// The text without the colours and links of the program.
pub(super) fn plain(text: &str) -> String {
    let colours = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    let links = regex::Regex::new("\u{1b}\\]8;;[!-~]*\u{1b}\\\\").unwrap();
    links.replace_all(&colours.replace_all(text, ""), "").into_owned()
}

fn check_clean(args: &[&str], text: &str) {
    let text = plain(text);
    let is_bad = |c: char| HOSTILE.contains(c) && !"]0;evil31mwalrusß".contains(c);
    assert!(!text.contains(is_bad), "{args:?}: {text:?}");
}

fn hostile() -> Tree {
    let tree = Tree::new("\n=== calm.rs\n/// The calm walrus.\npub fn calm_walrus() {}\n");
    tree.write("loud.rs", format!("pub fn loud() {{}} // {HOSTILE}\n"));
    tree.write("two\nlines\u{1b}[31m\u{202e}.rs", "pub fn named_walrus() {}\n");
    tree.write("bytes.txt", b"walrus \x9b31m \xff\n");
    tree
}

fn run(tree: &Tree, args: &[&str]) -> (i32, String) {
    let mut command = tree.command();
    command.args(args).env("SPYHOP_PAGER", "");
    Pty::written(command, (24, 300))
}

#[test]
fn grep_cleans_contents_and_names_on_a_terminal() {
    let tree = hostile();
    for more in [&[][..], &["--color", "never"], &["-o"], &["--no-heading"], &["-C", "1"]] {
        let args = [&["grep", "fn|walrus"], more].concat();
        let (code, text) = run(&tree, &args);
        assert_eq!(code, 0, "{args:?}: {text}");
        check_clean(&args, &text);
        assert_eq!(text.contains("\u{1b}[0m"), !more.contains(&"never"), "{args:?}: {text:?}");
        let text = plain(&text);
        assert!(text.contains(r#""two\nlines\u{1b}[31m\u{202e}.rs""#), "{args:?}: {text}");
        assert!(more == ["-o"] || text.contains(SHOWN), "{args:?}: {text}");
        assert!(more == ["-o"] || text.contains("walrus \u{fffd}31m \u{fffd}\n"), "{args:?}: {text}");
    }
    for more in ["-l", "-c", "-L", "--count-matches"] {
        let (_, text) = run(&tree, &["grep", "fn", more]);
        check_clean(&[more], &text);
    }
    // The same text means the same to a program that reads JSON from a terminal.
    let (_, text) = run(&tree, &["grep", "loud", "--rg-json"]);
    check_clean(&["--rg-json"], &text);
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let found: Vec<String> =
        lines.filter_map(|event| Some(event["data"]["lines"]["text"].as_str()?.to_string())).collect();
    assert_eq!(found, [format!("pub fn loud() {{}} // {HOSTILE}\n")]);
}

#[test]
fn grep_keeps_the_bytes_in_a_pipe() {
    let tree = hostile();
    let output = tree.command().args(["grep", "walrus"]).output().unwrap();
    let expected = [
        "calm.rs:/// The calm walrus.\ncalm.rs:pub fn calm_walrus() {}\n",
        &format!("loud.rs:pub fn loud() {{}} // {HOSTILE}\n"),
        "two\nlines\u{1b}[31m\u{202e}.rs:pub fn named_walrus() {}\n",
    ];
    let expected = [b"bytes.txt:walrus \x9b31m \xff\n", expected.concat().as_bytes()].concat();
    assert_eq!(String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&expected));
    assert_eq!(output.stdout, expected);
}

#[test]
fn branches_errors_and_answers_are_clean_on_a_terminal() {
    let tree = hostile();
    let branch = "odd\u{9b}31m\u{202e}\u{200b}\u{e0041}name";
    tree.git(&["init", "-q"]);
    tree.git(&["checkout", "-q", "-b", branch]);
    tree.commit();
    tree.run(&["index", "-q"]);
    for args in [
        &["status"][..],
        &["views"],
        &["walrus"],
        &["walrus", "--mode", "compact"],
        &["walrus", "--json"],
        &["files", "rs"],
        &["map"],
        &["search", "walrus", "--view", "odd\u{9b}31m\u{202e}\u{200b}nam"],
        &["search", "walrus", "--view", branch],
        &["grep", "walrus", "--view", "\u{1b}[31modd"],
        &["search", "walrus", "--path", "no\u{1b}[31m\u{202e}"],
        &["why-not", "loud.rs", "walrus"],
        &["skipped"],
        &["--no-such-\u{1b}[31m\u{202e}"],
    ] {
        // On a busy machine a progress line with its carriage returns would be drawn.
        let quiet: Vec<&str> = args.iter().copied().chain(["-q"]).collect();
        let (_, text) = run(&tree, &quiet);
        check_clean(args, &text);
        assert!(!text.is_empty(), "{args:?}");
    }
    let (_, text) = run(&tree, &["status"]);
    assert!(plain(&text).contains("branch      odd␦31m␦␦␦name"), "{text:?}");
}

#[test]
fn lists_and_exports_are_clean_on_a_terminal_and_whole_in_a_pipe() {
    let tree = hostile();
    let name = "osc\u{1b}]0;evil\u{7}\u{9b}31m\u{202e}walrus.py";
    tree.write(name, "import other_walrus\n");
    tree.write("other_walrus.py", "def other_walrus():\n    pass\n");
    tree.run(&["index", "-q"]);
    assert_eq!(tree.run(&["memory", "add", &format!("note {HOSTILE}"), "-q"]).code, 0);
    let type_add = format!("odd:*.{HOSTILE}");
    let explained = format!("walrus{HOSTILE}");
    let cases: &[(&[&str], bool)] = &[
        (&["grep", "--files"], true),
        (&["grep", "--files", "-0"], true),
        (&["files", "walrus", "-0"], true),
        (&["graph", "export", "--format", "jsonl"], false),
        (&["graph", "export", "--format", "graphml"], false),
        (&["graph", "export", "--format", "dot"], false),
        (&["memory", "export"], false),
        (&["grep", "--type-list", "--type-add", &type_add], false),
        (&["grep", "--explain-plan", &explained], false),
        (&["imports", "other_walrus.py"], false),
        (&["importers", "other_walrus.py"], false),
        (&["symbols", "named_walrus"], false),
        (&["grep", "--vimgrep", "walrus"], false),
    ];
    for (args, keeps_name) in cases {
        let quiet: Vec<&str> = args.iter().copied().chain(args.contains(&"export").then_some("-q")).collect();
        let (_, text) = run(&tree, &quiet);
        check_clean(args, &text);
        assert!(text.contains("walrus") || text.contains("odd"), "{args:?}: {text:?}");
        let piped = tree.command().args(*args).output().unwrap().stdout;
        assert!(!keeps_name || String::from_utf8_lossy(&piped).contains(name), "{args:?}");
    }
}
