//! Vectors in a program that is built without them: nothing happens, and every command says how to get them.

use crate::support::{SMALL, Tree};

#[test]
fn a_program_without_vectors_says_how_to_get_them() {
    let tree = Tree::new(SMALL);
    for args in [&["enable"][..], &["enable", "--table", "src"], &["build"], &["estimate"]] {
        let ran = tree.run(&[&["semantic"], args].concat());
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.out);
        assert!(ran.err.contains("--features dense-embed"), "{args:?}: {}", ran.err);
    }
    let status = tree.run(&["semantic", "status"]);
    assert_eq!(status.code, 0);
    assert!(status.out.contains("not in this program"), "{}", status.out);
    for args in [&["disable"], &["purge"]] {
        assert_eq!(tree.run(&[&["semantic"], &args[..]].concat()).code, 0, "{args:?}");
    }
}

#[test]
fn settings_of_a_program_with_vectors_change_no_answer() {
    let tree = Tree::new(SMALL);
    let before = tree.json(&["search", "secret of a provider"]);
    let folder =
        std::fs::read_dir(tree.index_dir()).unwrap().next().unwrap().unwrap().path().join("semantic");
    std::fs::create_dir(&folder).unwrap();
    let settings =
        "[provider]\nkind = \"openai\"\nbase_url = \"http://127.0.0.1:1\"\nmodel = \"m\"\ndimensions = 8\n";
    std::fs::write(folder.join("settings.toml"), settings).unwrap();
    let after = tree.json(&["search", "secret of a provider"]);
    assert_eq!(before["results"], after["results"]);
    assert_eq!(before["warnings"], after["warnings"]);
    assert_eq!(tree.run(&["doctor"]).code, 0);
}
