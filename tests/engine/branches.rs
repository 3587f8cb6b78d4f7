//! Branches: a view of each is kept, coming back parses nothing, and no answer comes from another one.

use spyhop_engine::api::{GrepRequest, Options, SearchRequest, StalePolicy, State};
use spyhop_engine::{Engine, ErrorKind};

use super::{Tree, ask, open, options, paths, refresh, rendered};
use crate::support::SMALL;

/// A repository on `main`, and a branch `topic` that has other and more files.
pub fn two_branches() -> Tree {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "one"]);
    tree.git(&["checkout", "-q", "-b", "topic"]);
    tree.write("src/auth.rs", "pub fn only_on_topic() {}\n");
    tree.write("src/more.rs", "pub fn more_of_topic() { only_on_topic() }\n");
    tree.git(&["add", "."]);
    tree.git(&["commit", "-q", "-m", "two"]);
    tree.git(&["checkout", "-q", "main"]);
    tree
}

fn with(tree: &Tree, stale_policy: StalePolicy) -> Engine {
    Engine::open(tree.root(), Options { stale_policy, ..options(tree) }).unwrap()
}

#[test]
fn coming_back_parses_nothing() {
    let tree = two_branches();
    let engine = open(&tree);
    assert_eq!(refresh(&engine).parsed, 3);
    tree.git(&["checkout", "-q", "topic"]);
    let there = refresh(&engine);
    assert_eq!((there.parsed, there.added), (2, 4), "{there:?}");
    for _ in 0..3 {
        tree.git(&["checkout", "-q", "main"]);
        assert_eq!(refresh(&engine).parsed, 0);
        assert_eq!(paths(&ask(&engine, "secret of the provider")), ["src/auth.rs"]);
        assert!(!paths(&ask(&engine, "more_of_topic")).contains(&"src/more.rs"));
        tree.git(&["checkout", "-q", "topic"]);
        assert_eq!(refresh(&engine).parsed, 0);
        assert_eq!(paths(&ask(&engine, "more_of_topic"))[0], "src/more.rs");
    }
    let heads: Vec<String> = engine.status().unwrap().views.into_iter().map(|view| view.head).collect();
    assert!(heads.contains(&"main".to_string()) && heads.len() == 2, "{heads:?}");
}

#[test]
fn a_new_branch_without_a_change_reads_nothing() {
    let tree = two_branches();
    tree.git(&["checkout", "-q", "topic"]);
    let engine = open(&tree);
    std::thread::sleep(std::time::Duration::from_millis(2100)); // so that stat data prove something
    refresh(&engine);
    tree.git(&["checkout", "-q", "-b", "third"]);
    let report = refresh(&engine);
    assert_eq!((report.added, report.parsed, report.bytes), (4, 0, 0), "{report:?}");
    assert_eq!(ask(&engine, "more_of_topic").snapshot.branch.as_deref(), Some("third"));
}

#[test]
fn an_answer_never_comes_from_another_branch() {
    let tree = two_branches();
    refresh(&open(&tree));
    let main = ask(&with(&tree, StalePolicy::Ignore), "secret of the provider");
    assert_eq!(main.snapshot.branch.as_deref(), Some("main"));
    tree.git(&["checkout", "-q", "topic"]);
    for policy in [StalePolicy::Ignore, StalePolicy::Warn, StalePolicy::Error] {
        let engine = with(&tree, policy);
        let error = engine.search(&SearchRequest::new("secret")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Stale, "{error}");
        assert!(error.to_string().contains("holds main, not topic"), "{error}");
        assert_eq!(engine.status().unwrap().state, State::Stale);
        // An exact search needs no view, and takes none of another branch.
        assert_eq!(engine.ask(&GrepRequest::new("only_on_topic")).unwrap().total_lines, 2);
        assert_eq!(engine.ask(&GrepRequest::new("secret of the provider")).unwrap().total_lines, 0);
    }
    assert_eq!(ask(&open(&tree), "secret of the provider").total, 0);
    let topic = ask(&with(&tree, StalePolicy::Ignore), "more_of_topic");
    assert_eq!(topic.snapshot.branch.as_deref(), Some("topic"));
    // The commit is the one that was indexed, whatever has been committed since.
    let indexed = topic.snapshot.commit.clone();
    tree.git(&["commit", "-q", "--allow-empty", "-m", "three"]);
    assert_eq!(ask(&with(&tree, StalePolicy::Ignore), "more_of_topic").snapshot.commit, indexed);
    assert_ne!(ask(&open(&tree), "more_of_topic").snapshot.commit, indexed);
}

#[test]
fn a_commit_checked_out_by_itself_has_a_separate_view() {
    let tree = two_branches();
    let engine = open(&tree);
    refresh(&engine);
    tree.git(&["checkout", "-q", "--detach", "topic"]);
    let reply = ask(&engine, "more_of_topic");
    assert_eq!((paths(&reply)[0], &reply.snapshot.branch), ("src/more.rs", &None));
    tree.git(&["checkout", "-q", "main"]);
    assert_eq!(refresh(&engine).parsed, 0);
}

#[test]
fn a_collection_drops_what_cannot_come_back() {
    let tree = two_branches();
    let engine = open(&tree);
    refresh(&engine);
    tree.git(&["checkout", "-q", "topic"]);
    refresh(&engine);
    tree.git(&["checkout", "-q", "main"]);
    refresh(&engine);
    let nothing = engine.collect(false, &|_| ()).unwrap();
    assert_eq!((nothing.dropped.len(), nothing.versions), (0, 0), "both branches can come back");
    tree.git(&["branch", "-q", "-D", "topic"]);
    let before = rendered(&ask(&engine, "secret of the provider"));
    let would = engine.collect(true, &|_| ()).unwrap();
    assert_eq!((would.dropped.len(), would.versions), (1, 2), "{would:?}");
    assert_eq!(engine.status().unwrap().views.len(), 2);
    let did = engine.collect(false, &|_| ()).unwrap();
    assert_eq!((&did.dropped, did.versions, did.segments_after), (&would.dropped, 2, 1), "{did:?}");
    assert_eq!(engine.status().unwrap().views.len(), 1);
    assert_eq!(rendered(&ask(&engine, "secret of the provider")), before);
}
