//! A tree that is watched, on real files: who asks gets what is there now, though it compares nothing.

use std::fs;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use spyhop_engine::api::{GrepRequest, Options, SearchRequest, StalePolicy, State, WatchEnd, WatchEvent};
use spyhop_engine::{Engine, ErrorKind, Stop};

use super::{Tree, open, options, paths, refresh};
use crate::support::SMALL;

const DEADLINE: Duration = Duration::from_secs(60);

/// A tree with a watcher in a thread.
struct Watch {
    stop: Stop,
    thread: Option<std::thread::JoinHandle<Result<WatchEnd, spyhop::Error>>>,
    told: Receiver<WatchEvent>,
}

impl Watch {
    /// Begins, and waits until it has.
    fn begin(tree: &Tree) -> Watch {
        let engine = open(tree);
        let (stop, (tell, told)) = (Stop::default(), channel());
        let stopping = stop.clone();
        let thread = std::thread::spawn(move || engine.watch(&stopping, &|event| _ = tell.send(event)));
        let watch = Watch { stop, thread: Some(thread), told };
        match watch.told.recv_timeout(DEADLINE).unwrap() {
            WatchEvent::Begun { folders } => assert!(folders > 0),
            other => panic!("{other:?}"),
        }
        watch
    }

    fn end(mut self) -> WatchEnd {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap().unwrap()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.stop();
        self.thread.take().map(std::thread::JoinHandle::join);
    }
}

/// An engine that indexes nothing itself and fails rather than answering from an index that is behind.
fn trusting(tree: &Tree) -> Engine {
    Engine::open(tree.root(), Options { stale_policy: StalePolicy::Error, ..options(tree) }).unwrap()
}

/// The reply to a query once the watcher has caught up.
fn asked(engine: &Engine, query: &str) -> spyhop::SearchReply {
    let deadline = Instant::now() + DEADLINE;
    loop {
        match engine.search(&SearchRequest::new(query)) {
            Ok(reply) => return reply,
            Err(error) => assert!(error.kind() == ErrorKind::Stale && Instant::now() < deadline, "{error}"),
        }
    }
}

fn found(engine: &Engine, word: &str) -> Vec<String> {
    let reply = asked(engine, word);
    assert!(reply.snapshot.checked_at.is_some() && reply.warnings.is_empty(), "{:?}", reply.warnings);
    let grep = engine.ask(&GrepRequest { fixed: true, ..GrepRequest::new(word) }).unwrap();
    let mut lines: Vec<&str> = grep.lines.iter().map(|line| line.path.as_str()).collect();
    lines.dedup();
    let mut hits = paths(&reply);
    hits.sort_unstable();
    hits.dedup();
    assert_eq!(hits, lines, "what is ranked and what is there");
    hits.into_iter().map(str::to_string).collect()
}

fn write(tree: &Tree, path: &str, word: &str) {
    tree.write(path, format!("/// {word}\npub fn about_{word}() {{}}\n"));
}

#[test]
fn every_change_is_there_for_who_asks_next() {
    let tree = Tree::new(SMALL);
    refresh(&open(&tree));
    let watch = Watch::begin(&tree);
    let engine = trusting(&tree);
    let root = tree.root();
    let is = |word: &str, expected: &[&str]| assert_eq!(found(&engine, word), expected, "{word}");
    write(&tree, "src/new.rs", "qxnewqx");
    is("qxnewqx", &["src/new.rs"]);
    // An editor's way to save.
    write(&tree, "src/.new.rs.tmp", "qxsavedqx");
    fs::rename(root.join("src/.new.rs.tmp"), root.join("src/new.rs")).unwrap();
    is("qxsavedqx", &["src/new.rs"]);
    is("qxnewqx", &[]);
    // Folders that are new are watched, and so are those within them.
    write(&tree, "a/b/c/deep.rs", "qxdeepqx");
    is("qxdeepqx", &["a/b/c/deep.rs"]);
    write(&tree, "a/b/c/deep.rs", "qxdeeperqx");
    write(&tree, "a/b/next.rs", "qxdeeperqx");
    is("qxdeeperqx", &["a/b/c/deep.rs", "a/b/next.rs"]);
    fs::rename(root.join("a/b"), root.join("moved")).unwrap();
    is("qxdeeperqx", &["moved/c/deep.rs", "moved/next.rs"]);
    write(&tree, "moved/c/deep.rs", "qxmovedqx");
    is("qxmovedqx", &["moved/c/deep.rs"]);
    // What comes from elsewhere, with all that is in it, and goes there.
    fs::create_dir(tree.index_dir().with_file_name("beside")).unwrap();
    let beside = tree.index_dir().with_file_name("beside").join("moved");
    fs::rename(root.join("moved"), &beside).unwrap();
    is("qxmovedqx", &[]);
    fs::write(beside.join("c/more.rs"), "/// qxmoreqx\n").unwrap();
    fs::rename(&beside, root.join("src/moved")).unwrap();
    is("qxmoreqx", &["src/moved/c/more.rs"]);
    fs::remove_dir_all(root.join("src/moved")).unwrap();
    is("qxmoreqx", &[]);
    write(&tree, "src/moved/c/more.rs", "qxagainqx");
    is("qxagainqx", &["src/moved/c/more.rs"]);
    assert_eq!(engine.status().unwrap().watcher, Some(std::process::id()));
    assert_eq!(watch.end(), WatchEnd::Stopped);
    assert_eq!(engine.status().unwrap().watcher, None);
    write(&tree, "src/new.rs", "qxunseenqx");
    assert_eq!(engine.search(&SearchRequest::new("q")).unwrap_err().kind(), ErrorKind::Stale);
}

#[test]
fn files_that_decide_about_others_are_watched_as_well() {
    let tree = Tree::new(SMALL);
    let root = tree.root();
    tree.git(&["init", "-q", "-b", "main"]);
    write(&tree, "out/gen.rs", "qxgenqx");
    write(&tree, "target/made.rs", "qxmadeqx");
    write(&tree, "repo/inner.rs", "qxinnerqx");
    fs::create_dir_all(root.join("repo/.git/info")).unwrap();
    refresh(&open(&tree));
    let _watch = Watch::begin(&tree);
    let engine = trusting(&tree);
    // An exact search reads what built-in rules leave out, so only ranks are looked at here.
    let is = |word: &str, expected: &[&str]| assert_eq!(paths(&asked(&engine, word)), expected, "{word}");
    is("qxgenqx", &["out/gen.rs"]);
    tree.write(".gitignore", "out\n");
    is("qxgenqx", &[]);
    tree.write(".gitignore", "");
    is("qxgenqx", &["out/gen.rs"]);
    write(&tree, "out/gen.rs", "qxlaterqx");
    is("qxlaterqx", &["out/gen.rs"]);
    tree.write(".git/info/exclude", "out/\n");
    is("qxlaterqx", &[]);
    fs::remove_file(root.join(".git/info/exclude")).unwrap();
    is("qxlaterqx", &["out/gen.rs"]);
    tree.write("repo/.git/info/exclude", "inner.rs\n");
    is("qxinnerqx", &[]);
    tree.write("repo/.git/info/exclude", "");
    is("qxinnerqx", &["repo/inner.rs"]);
    // A built-in rule, by what lies beside the folder and by what lies in it.
    is("qxmadeqx", &["target/made.rs"]);
    tree.write("Cargo.toml", "[package]\n");
    is("qxmadeqx", &[]);
    fs::remove_file(root.join("Cargo.toml")).unwrap();
    is("qxmadeqx", &["target/made.rs"]);
    tree.write("target/CACHEDIR.TAG", "Signature\n");
    is("qxmadeqx", &[]);
    fs::remove_file(root.join("target/CACHEDIR.TAG")).unwrap();
    is("qxmadeqx", &["target/made.rs"]);
    // What git tracks is kept.
    tree.write("target/CACHEDIR.TAG", "Signature\n");
    is("qxmadeqx", &[]);
    tree.git(&["add", "-f", "target/made.rs"]);
    is("qxmadeqx", &["target/made.rs"]);
}

#[test]
fn a_commit_of_another_process_is_not_taken_on_trust() {
    let tree = Tree::new(SMALL);
    refresh(&open(&tree));
    let _watch = Watch::begin(&tree);
    let engine = trusting(&tree);
    for turn in 0..4 {
        let word = format!("qx{}qx", char::from(b'a' + turn));
        write(&tree, "src/new.rs", &word);
        // It walks, indexes and commits beside the watcher.
        open(&tree).rebuild(&|_| ()).ok();
        write(&tree, "src/newer.rs", &word);
        assert_eq!(found(&engine, &word), ["src/new.rs", "src/newer.rs"]);
    }
}

#[test]
fn a_watch_ends_when_the_tree_becomes_another_repositorys() {
    let tree = Tree::new(SMALL);
    refresh(&open(&tree));
    let mut watch = Watch::begin(&tree);
    tree.git(&["init", "-q"]);
    assert_eq!(watch.thread.take().unwrap().join().unwrap().unwrap(), WatchEnd::Elsewhere);
}

#[test]
fn an_index_within_its_tree_is_no_change_of_it() {
    let tree = Tree::new(SMALL);
    let options = Options { index_dir: Some("idx".into()), ..Options::default() };
    let engine = Engine::open(tree.root(), options.clone()).unwrap();
    let (stop, (tell, told)) = (Stop::default(), channel());
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| engine.watch(&stop, &move |event| _ = tell.send(event)));
        assert!(matches!(told.recv_timeout(DEADLINE), Ok(WatchEvent::Begun { .. })));
        write(&tree, "src/new.rs", "qxnewqx");
        let updated = told.recv_timeout(DEADLINE);
        assert!(
            matches!(&updated, Ok(WatchEvent::Updated { report, .. }) if report.added == 1),
            "{updated:?}"
        );
        let asking = Engine::open(tree.root(), options).unwrap();
        assert_eq!(paths(&super::ask(&asking, "qxnewqx")), ["src/new.rs"]);
        assert_eq!(asking.status().unwrap().state, State::Ready);
        stop.stop();
        assert_eq!(watching.join().unwrap().unwrap(), WatchEnd::Stopped);
    });
    assert!(told.try_recv().is_err());
}
