//! What a person types who has not read the manual: places as results print them, several words, globs, misspelled values.

use super::{SMALL, Tree};

const CODE: &str = r#"
=== src/pool/mod.rs
pub struct Pool;

impl Pool {
    pub fn take_permit(&self) {}

    pub fn take_all_permits(&self) {}
}

pub fn spawn_worker() {}
=== src/pool/permit_queue.rs
pub fn queue_of_permits() {}
=== src/parse/outline_of_lists.rs
pub fn parse() {}
=== docs/pool.md
# Pool

How permits are taken.
"#;

/// Runs a command, which must have this exit code, and returns what it printed.
fn check(tree: &Tree, args: &[&str], code: i32, expected: &[&str]) {
    let ran = tree.run(args);
    let printed = format!("{}{}", ran.out, ran.err);
    assert_eq!(ran.code, code, "{args:?}: {printed}");
    for part in expected {
        assert!(printed.contains(part), "{args:?}: no {part:?} in:\n{printed}");
    }
}

#[test]
fn read_takes_places_as_results_print_them_and_names() {
    let tree = Tree::new(CODE);
    tree.run(&["index", "-q"]);
    check(
        &tree,
        &["read", "src/pool/mod.rs:4"],
        0,
        &["src/pool/mod.rs:4-9 of 9 lines\n4\t    pub fn take_permit"],
    );
    check(&tree, &["read", "src/pool/mod.rs:4-6"], 0, &["src/pool/mod.rs:4-6 of 9 lines\n"]);
    check(
        &tree,
        &["read", "src/pool/mod.rs:9:8: pub fn spawn_worker() {}"],
        0,
        &["9\tpub fn spawn_worker() {}\n"],
    );
    check(&tree, &["read", "spawn_worker"], 0, &["src/pool/mod.rs:9-9 fn spawn_worker"]);
    check(&tree, &["read", "Pool.take_permit"], 0, &["method Pool.take_permit"]);
    check(&tree, &["read", "src/pool/mod.rs:90"], 2, &["'src/pool/mod.rs' has 9 lines"]);
    check(&tree, &["read", "src/pool/permits_queue.rs"], 2, &["the nearest are 'src/pool/permit_queue.rs'"]);
    check(
        &tree,
        &["read", "src/pool/permits_queue.rs:3"],
        2,
        &["the nearest are 'src/pool/permit_queue.rs'"],
    );
    let inside = tree.run_in("src/pool", &["read", "mod.rs:9"]);
    assert!(inside.out.starts_with("mod.rs:9-9 of 9 lines\n"), "{}{}", inside.out, inside.err);
    let inside = tree.run_in("src/pool", &["read", "spawn_worker"]);
    assert!(inside.out.starts_with("mod.rs:9-9 fn spawn_worker"), "{}{}", inside.out, inside.err);
}

#[test]
fn files_and_symbols_take_words_in_any_order_and_globs() {
    let tree = Tree::new(CODE);
    let lines = |args: &[&str]| tree.run(args).out.lines().map(str::to_string).collect::<Vec<_>>();
    assert_eq!(lines(&["files", "permit", "pool"]), ["src/pool/permit_queue.rs"]);
    assert_eq!(lines(&["files", "pool permit"]), ["src/pool/permit_queue.rs"]);
    assert_eq!(lines(&["files", "pool", "rs", "mod"]), ["src/pool/mod.rs"]);
    check(&tree, &["files", "pool", "zyzzyva"], 1, &["No results found for: pool zyzzyva"]);
    let of_folder = ["src/pool/mod.rs", "src/pool/permit_queue.rs"];
    assert_eq!(lines(&["files", "src/pool"])[..2], of_folder);
    assert_eq!(lines(&["files", "src/pool/"])[..2], of_folder);
    let all = lines(&["files", "src/pool", "--scattered"]);
    assert_eq!((&all[..2], &*all[2]), (&of_folder.map(String::from)[..], "src/parse/outline_of_lists.rs"));
    assert_eq!(lines(&["symbols", "permit", "take"])[0], "src/pool/mod.rs:4: method Pool.take_permit");
    assert_eq!(lines(&["symbols", "pool", "permits"]), ["src/pool/mod.rs:6: method Pool.take_all_permits"]);
    assert_eq!(lines(&["symbols", "spawn*"]), ["src/pool/mod.rs:9: fn spawn_worker"]);
    assert_eq!(lines(&["symbols", "Pool.*all*"]), ["src/pool/mod.rs:6: method Pool.take_all_permits"]);
    check(&tree, &["symbols", "a["], 2, &["pattern is 'a['"]);
}

#[test]
fn misspelled_values_are_answered_with_what_is_meant() {
    let tree = Tree::new(SMALL);
    tree.write("fast.toml", "");
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    check(&tree, &["circle", "--kind", "strct"], 2, &["unknown kind 'strct'", "did you mean 'struct'?"]);
    check(
        &tree,
        &["circle", "--lang", "pyhton"],
        2,
        &["unknown language 'pyhton'", "did you mean 'python'?"],
    );
    check(&tree, &["circle", "--path", "scr"], 2, &["path 'scr' does not exist", "did you mean 'src'?"]);
    check(&tree, &["circle", "--path", "src/pant.py"], 2, &["did you mean 'src/paint.py'?"]);
    check(&tree, &["circle", "--profile", "fats.toml"], 2, &["did you mean 'fast.toml'?"]);
    check(&tree, &["circle", "--view", "mian"], 2, &["there is no revision 'mian'", "did you mean 'main'?"]);
    check(&tree, &["grep", "-P", "a(?=b)"], 2, &["grep has no option '-P': PCRE2", "look-around"]);
}

#[test]
fn words_that_are_nowhere_are_named_with_similar_words() {
    let tree = Tree::new(SMALL);
    check(
        &tree,
        &["resovles the secrte of a provider"],
        0,
        &["no file contains 'resovles' (similar: 'Resolves') or 'secrte' (similar: 'secret')"],
    );
    check(&tree, &["zyzzyva quokka"], 1, &["no file contains 'zyzzyva' or 'quokka'"]);
    let ran = tree.run(&["where is the secret of a provider resolved by the zyzzyva"]);
    assert_eq!(ran.err, "", "one word of many, without similar words, is no typing error");
    assert_eq!(tree.run(&["draw a circle"]).err, "");
}

#[test]
fn a_path_that_lies_deeper_is_suggested() {
    let tree = Tree::new(SMALL);
    for folder in ["lib/net/http", "apps/one/net/http", ".hidden/net/http"] {
        tree.write(&format!("{folder}/a.rs"), "fn f() {}\n");
    }
    tree.run(&["index", "-q"]);
    let either = &["path 'net/http' does not exist", "did you mean 'lib/net/http' or 'apps/one/net/http'?"];
    check(&tree, &["map", "net/http"], 2, either);
    check(&tree, &["circle", "--path", "paint.py"], 2, &["did you mean 'src/paint.py'?"]);
    let ran = tree.run_in("lib", &["map", "one/net"]);
    assert!(ran.err.contains("did you mean '../apps/one/net'?"), "{}", ran.err);
}

#[test]
fn why_not_names_the_file_relative_to_the_current_folder() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let ran = tree.run_in("src", &["why-not", "paint.py", "draw circle"]);
    assert!(ran.out.starts_with("paint.py ranks 1 of "), "{}", ran.out);
    let ran = tree.run_in("src", &["why-not", "piant.py", "draw circle"]);
    assert!(ran.out.ends_with("; the nearest are 'paint.py'\n"), "{}", ran.out);
    let ran = tree.run_in("docs", &["read", "piant.py"]);
    assert!(ran.err.contains("the nearest are '../src/paint.py'"), "{}", ran.err);
    let ran = tree.run_in("src", &["why-not", "../docs/guide.md", "zyzzyva"]);
    assert!(ran.out.starts_with("../docs/guide.md holds none of "), "{}", ran.out);
}

#[test]
fn paths_out_of_the_tree_follow_one_rule() {
    let (tree, other) = (Tree::new(SMALL), Tree::new(SMALL));
    let name = other.root().parent().unwrap().file_name().unwrap().to_str().unwrap().to_string();
    let guide = format!("../../{name}/tree/docs/guide.md");
    check(&tree, &["why-not", &guide, "beans"], 0, &["guide.md ranks 1 of 1 files"]);
    check(&tree, &["touch", &guide], 0, &[]);
    check(&tree, &["read", &guide], 0, &["Brewing"]);
    check(&tree, &["map", ".."], 2, &["path '..' lies outside the root", "--root '..' searches that folder"]);
    check(&tree, &["circle", "--path", ".."], 2, &["path '..' lies outside the root"]);
}

#[test]
fn a_folder_in_an_indexed_tree_without_git_uses_the_index_of_the_tree() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let ran = tree.run_in("src", &["files"]);
    assert_eq!(ran.out, "../docs/guide.md\nauth.rs\npaint.py\n", "{}", ran.err);
    let own = tree.run_in("src", &["files", "--root", "."]);
    assert_eq!(own.out, "auth.rs\npaint.py\n", "{}", own.err);
}

#[test]
fn hits_and_editors_are_named_in_words_of_the_command_line() {
    let tree = Tree::new(SMALL);
    check(
        &tree,
        &["symbols", "key", "--open", "99999"],
        2,
        &["--open 99999: the answer has 1 hit; choose 1"],
    );
    let mut command = tree.command();
    command.args(["symbols", "key", "--open", "1"]).env("VISUAL", "no-such-editor -w --flag");
    let ran = super::ran(&mut command, "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("the editor 'no-such-editor' did not start: there is no such program"),
        "{}",
        ran.err
    );
}
