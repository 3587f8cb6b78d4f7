//! An index that is asked to lie inside the indexed tree is not a part of it.

use spyhop::{AddNoteRequest, ListNotesRequest, NoteKind, SkippedRequest};
use spyhop_engine::api::{GrepRequest, Options, SearchRequest};
use spyhop_engine::{Engine, ErrorKind};

use super::{Tree, ask, open, paths, refresh};
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
        let skipped = engine.ask(&SkippedRequest::default()).unwrap().entries;
        let shown: Vec<String> =
            skipped.iter().map(|entry| format!("{}: {}", entry.path, entry.detail)).collect();
        assert_eq!(shown, [format!("{lies_at}: this tree's own index")]);
        std::fs::remove_dir_all(engine.index_dir()).unwrap();
    }
}

#[test]
fn an_index_in_the_indexed_tree_is_left_out() {
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

/// What an exact search finds, and its warnings.
fn found(engine: &Engine) -> (usize, String) {
    let reply = engine.ask(&GrepRequest::new("draw_circle")).unwrap();
    assert!(reply.incomplete.is_none());
    (reply.lines.len(), reply.warnings.join("\n"))
}

#[test]
fn an_index_that_has_lost_its_claim_is_repaired_with_its_notes() {
    for claim in [Some(""), Some("{\"format\":1"), Some("\0\0\0"), None] {
        let tree = Tree::new(SMALL);
        refresh(&open(&tree));
        let note = AddNoteRequest::new(NoteKind::Failure, "the circle was drawn twice");
        open(&tree).ask(&note).unwrap();
        let lose = |tree: &Tree| {
            let path = tree.index_dir().join("WORKSPACE");
            match claim {
                Some(text) => std::fs::write(path, text).unwrap(),
                None => std::fs::remove_file(path).unwrap(),
            }
        };
        lose(&tree);
        let engine = open(&tree);
        let (lines, warnings) = found(&engine);
        assert!(lines == 1 && warnings.contains("every file was read"), "{claim:?}: {warnings}");
        // The data say whose they are, so a search writes the claim anew.
        assert_eq!(paths(&ask(&engine, "draw a circle"))[0], "src/paint.py", "{claim:?}");
        assert_eq!(found(&engine), (1, String::new()), "{claim:?}");
        assert_eq!(engine.ask(&ListNotesRequest::default()).unwrap().notes.len(), 1, "{claim:?}");
        // Data of another tree are not claimed, unless a rebuild is asked for.
        let other = Tree::new(SMALL);
        std::fs::rename(tree.index_dir(), other.index_dir()).unwrap();
        lose(&other);
        let engine = open(&other);
        let error = engine.search(&SearchRequest::new("draw a circle")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{claim:?}: {error}");
        assert!(error.to_string().contains("'spyhop index --rebuild'"), "{error}");
        assert_eq!(found(&engine).0, 1);
        engine.rebuild(&|_| ()).unwrap();
        assert_eq!(paths(&ask(&engine, "draw a circle"))[0], "src/paint.py", "{claim:?}");
    }
}
