//! Files by name: which are found, in which order, and what is refused.

use spyhop_engine::api::{FileMatch, FilesReply, FilesRequest};

use super::open;
use crate::support::Tree;

const TREE: &str = r#"
=== src/search/mod.rs
pub fn search() {}
=== src/search/model_loader.rs
pub fn load() {}
=== src/walk/mod.rs
pub fn walk() {}
=== src/walker_of_all.rs
pub fn all() {}
=== docs/search.md
# Search
=== tests/search_mod_test.py
def test(): pass
"#;

fn ask(tree: &Tree, pattern: &str) -> FilesReply {
    open(tree).ask(&FilesRequest::new(pattern)).unwrap()
}

fn paths(reply: &FilesReply) -> Vec<&str> {
    reply.files.iter().map(|row| row.path.as_str()).collect()
}

#[test]
fn the_name_comes_before_the_path_and_the_short_before_the_long() {
    let tree = Tree::new(TREE);
    let first = |pattern: &str| ask(&tree, pattern).files.into_iter().next().map(|row| row.path.to_string());
    let check = |pattern: &str, path: &str| assert_eq!(first(pattern).as_deref(), Some(path), "{pattern}");
    check("mod.rs", "src/walk/mod.rs");
    check("mod", "src/walk/mod.rs");
    check("SEARCH", "docs/search.md");
    check("srchmod", "tests/search_mod_test.py");
    check("srchmodrs", "src/search/mod.rs");
    check("search/mod", "src/search/mod.rs");
    check("search mod rs", "src/search/mod.rs");
    check("walkmod", "src/walk/mod.rs");
    check("walker", "src/walker_of_all.rs");
    check("ml", "src/search/model_loader.rs");
    tree.write("net/server/BUILD", "rule\n");
    tree.write("net/server/server.go", "package server\n");
    check("net server", "net/server/server.go");
    check("net/server", "net/server/server.go");
    assert_eq!(first("walkmodx"), None);
    assert_eq!(first("domrs"), None, "letters stand in their order");
    let row = &ask(&tree, "mod.rs").files[0];
    assert_eq!((row.matched, row.language, row.lines, row.bytes), (FileMatch::Name, "rust", Some(1), 17));
    let [span] = row.highlights[..] else { panic!("{row:?}") };
    assert_eq!(&row.path.as_str()[span.range()], "mod.rs");
    assert_eq!(ask(&tree, "walk/m").files[0].matched, FileMatch::Path);
}

#[test]
fn letters_that_are_scattered_over_a_name_are_left_out_beside_a_better_match() {
    let tree = Tree::new(
        "\n=== a/org.signin.ts\nlet a\n=== b/org.settings.email-domains._index.ts\nlet b\n=== b/org.settings.branding.ts\nlet \
         c\n=== src/user_controller.ts\nlet d\n=== src/usrctl.ts\nlet e\n",
    );
    let reply = ask(&tree, "signin");
    assert_eq!((paths(&reply), reply.left_out), (vec!["a/org.signin.ts"], 2));
    // Letters of an abbreviation are few runs, or begin words.
    for (pattern, expected) in [("usrctl", 2), ("uc", 2), ("orgbranding", 1)] {
        assert_eq!(ask(&tree, pattern).total, expected, "{pattern}");
    }
    // Scattered letters are shown where nothing else matches.
    assert_eq!(paths(&ask(&tree, "sngbrndng")), ["b/org.settings.branding.ts"]);
}

#[test]
fn globs_and_lists_are_in_the_order_of_paths() {
    let tree = Tree::new(TREE);
    let globbed = ask(&tree, "*mod*");
    let expected =
        ["src/search/mod.rs", "src/search/model_loader.rs", "src/walk/mod.rs", "tests/search_mod_test.py"];
    assert_eq!(paths(&globbed), expected);
    assert!(globbed.files.iter().all(|row| row.matched == FileMatch::Glob));
    assert_eq!(paths(&ask(&tree, "src/*/mod.rs")), ["src/search/mod.rs", "src/walk/mod.rs"]);
    let mut all: Vec<String> = Vec::new();
    let mut request = FilesRequest { max_results: 4, ..FilesRequest::new(" ") };
    loop {
        let reply = open(&tree).ask(&request).unwrap();
        assert_eq!(reply.total, 6);
        all.extend(paths(&reply).iter().map(|path| path.to_string()));
        match reply.next {
            Some(next) => request.cursor = Some(next),
            None => break,
        }
    }
    assert!(all.is_sorted() && all.len() == 6, "{all:?}");
}

#[test]
fn path_only_files_and_new_files_are_found() {
    let tree = Tree::new(TREE);
    tree.write("data/large_table.csv", "1,2\n".repeat(300_000));
    let reply = ask(&tree, "largetable");
    assert_eq!((reply.files[0].lines, reply.files[0].bytes), (None, 1_200_000));
    tree.write("src/newcomer.rs", "fn new() {}\n");
    assert_eq!(paths(&ask(&tree, "newcomer")), ["src/newcomer.rs"]);
    std::fs::remove_file(tree.root().join("src/newcomer.rs")).unwrap();
    assert_eq!(ask(&tree, "newcomer").total, 0);
}

#[test]
fn names_that_are_no_ascii() {
    let tree = Tree::new("\n=== src/größe/Übersicht.rs\nfn a() {}\n");
    let reply = ask(&tree, "übersicht");
    let row = &reply.files[0];
    let shown: Vec<&str> = row.highlights.iter().map(|span| &row.path.as_str()[span.range()]).collect();
    assert_eq!(shown, ["Übersicht"]);
    assert_eq!(ask(&tree, "größe").files[0].matched, FileMatch::Path);
}

#[test]
fn a_path_with_brackets_is_found_as_it_is() {
    let tree =
        Tree::new("\n=== app/[slug]/page.tsx\nexport default 1\n=== app/s/page.tsx\nexport default 2\n");
    assert_eq!(paths(&ask(&tree, "app/[slug]/page.tsx")), ["app/[slug]/page.tsx", "app/s/page.tsx"]);
    assert!(paths(&ask(&tree, "[slug]/page.tsx")).contains(&"app/[slug]/page.tsx"));
}
