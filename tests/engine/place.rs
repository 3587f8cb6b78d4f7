//! An index that is asked to lie inside its own tree is not a part of it.

use spyhop::engine::api::Options;
use spyhop::engine::{Engine, ErrorKind};

use super::{Tree, ask, paths, refresh};
use crate::support::SMALL;

/// An index at `index_dir` stays out of the tree of three files that it is of.
fn check(tree: &Tree, index_dir: &str, lies_at: &str) {
    for hidden in [false, true] {
        let options = Options { index_dir: Some(index_dir.into()), hidden, ..Options::default() };
        let engine = Engine::open(tree.root(), options).unwrap();
        assert_eq!(engine.index_dir(), tree.root().join(lies_at));
        let generation = refresh(&engine).generation;
        for _ in 0..2 {
            let reply = ask(&engine, "generation of the secret");
            assert_eq!(paths(&reply), ["src/auth.rs"], "{index_dir}");
            assert_eq!(
                (reply.snapshot.indexed_files, reply.snapshot.generation),
                (3, generation),
                "{index_dir}"
            );
        }
        let skipped = engine.skipped().unwrap().entries;
        let shown: Vec<String> =
            skipped.iter().map(|entry| format!("{}: {}", entry.path, entry.detail)).collect();
        assert_eq!(shown, [format!("{lies_at}: this tree's own index")]);
        std::fs::remove_dir_all(engine.index_dir()).unwrap();
    }
}

#[test]
fn an_index_in_its_own_tree_is_left_out() {
    let tree = Tree::new(SMALL);
    for index_dir in [".spyhop", "idx", "src/deep/index", "./src/../idx"] {
        let lies_at = index_dir.trim_start_matches("./src/../");
        check(&tree, index_dir, lies_at);
        let _ = std::fs::remove_dir(tree.root().join("src/deep"));
    }
}

#[test]
fn an_index_folder_that_is_a_file_is_a_bad_request() {
    let tree = Tree::new(SMALL);
    for folder in ["docs/guide.md", "docs/guide.md/below"] {
        let options = Options { index_dir: Some(folder.into()), ..Options::default() };
        let Err(error) = Engine::open(tree.root(), options) else { panic!("{folder}") };
        assert_eq!(error.kind(), ErrorKind::BadRequest);
    }
}

#[cfg(unix)]
#[test]
fn however_it_is_named() {
    let tree = Tree::new(SMALL);
    let link = tree.root().with_file_name("link");
    std::os::unix::fs::symlink(tree.root(), &link).unwrap();
    check(&tree, link.join("idx").to_str().unwrap(), "idx");
}
