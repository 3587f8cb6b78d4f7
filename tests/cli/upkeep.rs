//! What keeps an index in shape, as a shell sees it: branches that are left and come back to, the collector, the
//! doctor, waiting for another writer, and a first build that is asked before it is done or killed on its way.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use spyhop_base::store::Lock;

use super::{SMALL, Tree, git};

/// A repository with one commit on `main`.
fn repository() -> Tree {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    tree
}

/// What `index --json` reports in a folder.
fn index(tree: &Tree, root: &Path) -> Value {
    let ran = tree.run_in(root, &["index", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn parsed(tree: &Tree) -> u64 {
    index(tree, &tree.root())["parsed"].as_u64().unwrap()
}

/// The doctor's exit code and its findings.
fn doctor(tree: &Tree) -> (i32, Value) {
    let ran = tree.run(&["doctor", "--json"]);
    (ran.code, serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err)))
}

fn is_clean(tree: &Tree) {
    let (code, found) = doctor(tree);
    assert_eq!((code, &found["clean"]), (0, &Value::Bool(true)), "{found}");
    let checks = found["checks"].as_array().unwrap();
    assert!(!checks.is_empty() && checks.iter().all(|check| check["state"] != "damaged"), "{found}");
}

/// The files of the index, however deep, with their sizes.
fn files(tree: &Tree) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    let mut waiting = vec![tree.index_dir()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path().is_dir() {
                true => waiting.push(entry.path()),
                false => found.push((entry.path(), entry.metadata().unwrap().len())),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn going_back_to_a_branch_parses_nothing() {
    let tree = repository();
    assert_eq!(parsed(&tree), 3);
    tree.git(&["checkout", "-q", "-b", "topic/one"]);
    tree.write("src/auth.rs", "pub fn qxtopicqx() {}\n");
    tree.write("src/more.rs", "pub fn qxmoreqx() {}\n");
    std::fs::remove_file(tree.root().join("docs/guide.md")).unwrap();
    tree.commit();
    assert_eq!(parsed(&tree), 2);
    let check = |at: &str, branch: Value, query: &str, found: &[&str], absent: &str| {
        tree.git(&["checkout", "-q", at]);
        assert_eq!(parsed(&tree), 0, "{at}");
        let reply = tree.json(&["search", query]);
        assert_eq!(reply["snapshot"]["branch"], branch, "{at}");
        assert_eq!(tree.paths(&["search", query]), found, "{at}");
        assert_eq!(tree.json(&["search", absent])["total"], 0, "{at}");
    };
    for _ in 0..2 {
        check("main", "main".into(), "brewing", &["docs/guide.md"], "qxmoreqx");
        check("topic/one", "topic/one".into(), "qxmoreqx", &["src/more.rs"], "brewing");
    }
    // A commit without a branch is known by what was parsed for the branches; and both stay as they were.
    check("topic/one~1", Value::Null, "brewing", &["docs/guide.md"], "qxtopicqx");
    check("main", "main".into(), "brewing", &["docs/guide.md"], "qxtopicqx");
    is_clean(&tree);
}

#[test]
fn an_edit_of_one_branch_does_not_reach_another() {
    let tree = repository();
    parsed(&tree);
    tree.write("src/auth.rs", "pub fn qxtopicqx() {}\n");
    // Not committed: it moves along, and both views have it in the end.
    tree.git(&["checkout", "-q", "-b", "topic"]);
    assert_eq!(parsed(&tree), 1);
    tree.git(&["checkout", "-q", "main"]);
    assert_eq!(parsed(&tree), 0);
    assert_eq!(tree.paths(&["search", "qxtopicqx"]), ["src/auth.rs"]);
    tree.git(&["checkout", "-q", "--", "."]);
    assert_eq!(tree.json(&["search", "qxtopicqx"])["total"], 0);
    assert_eq!(tree.paths(&["search", "secret"]), ["src/auth.rs"]);
}

#[test]
fn the_collector_drops_what_no_view_names() {
    let tree = repository();
    parsed(&tree);
    tree.git(&["checkout", "-q", "-b", "gone"]);
    let many = |number: usize| format!("src/gone{number}.rs");
    (0..40).for_each(|n| tree.write(&many(n), format!("pub fn only_on_gone_{n}() {{ brew(); }}\n")));
    tree.commit();
    assert_eq!(parsed(&tree), 40);
    let second = tree.root().with_file_name("second");
    tree.git(&["worktree", "add", "-q", "-b", "beside", second.to_str().unwrap(), "gone"]);
    assert_eq!(index(&tree, &second)["parsed"], 0);
    tree.git(&["checkout", "-q", "main"]);
    parsed(&tree);
    // Both branches are there, so there is nothing to collect.
    assert_eq!(tree.run(&["gc", "--json"]).code, 0);
    tree.git(&["checkout", "-q", "gone"]);
    assert_eq!(parsed(&tree), 0);
    tree.git(&["checkout", "-q", "main"]);
    tree.git(&["branch", "-q", "-D", "gone"]);
    // The worktree still has all of it.
    assert_eq!(tree.run(&["gc"]).code, 0);
    assert_eq!(index(&tree, &second)["parsed"], 0);
    std::fs::remove_dir_all(&second).unwrap();
    tree.git(&["worktree", "prune"]);
    let before = files(&tree);
    let ran = tree.run(&["gc", "--dry-run", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(files(&tree), before);
    let answer = tree.json(&["search", "secret", "--no-refresh"]);
    let ran = tree.run(&["gc", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let bytes = |files: &[(PathBuf, u64)]| files.iter().map(|(_, bytes)| bytes).sum::<u64>();
    let after = files(&tree);
    assert!(bytes(&after) < bytes(&before), "{before:?} {after:?}");
    assert_eq!(tree.json(&["search", "secret", "--no-refresh"])["results"], answer["results"]);
    is_clean(&tree);
    // It is gone: who wants it back has to parse it again.
    git(&tree.root(), &["checkout", "-q", "-b", "again", "beside"]);
    assert_eq!(parsed(&tree), 40);
}

#[test]
fn the_doctor_finds_damage_and_indexing_heals_it() {
    let damaged = |extension: &str| {
        let tree = Tree::new(SMALL);
        parsed(&tree);
        is_clean(&tree);
        let mut all = files(&tree).into_iter();
        let (path, bytes) =
            all.find(|(path, _)| path.extension().is_some_and(|found| found == extension)).unwrap();
        let mut content = std::fs::read(&path).unwrap();
        content[bytes as usize / 2] ^= 0x20;
        std::fs::write(&path, content).unwrap();
        let (code, found) = doctor(&tree);
        assert_eq!((code, &found["clean"]), (2, &Value::Bool(false)), "{}: {found}", path.display());
        let checks = found["checks"].as_array().unwrap();
        let bad = checks.iter().find(|check| check["state"] == "damaged");
        assert_ne!(bad.unwrap_or_else(|| panic!("{found}"))["detail"].as_str().unwrap(), "", "{found}");
        // Looking changes nothing.
        assert_eq!(doctor(&tree).0, 2);
        assert_eq!(tree.run(&["index", "--rebuild"]).code, 0, "{extension}");
        is_clean(&tree);
        assert_eq!(tree.paths(&["search", "secret"]), ["src/auth.rs"]);
    };
    ["base", "term", "idx", "fast", "fieldnorm"].into_iter().for_each(damaged);
}

#[test]
fn a_second_writer_waits_and_says_so_or_fails_at_once() {
    let tree = Tree::new(SMALL);
    let index_dir = tree.index_dir();
    let at = ["--index-dir", index_dir.to_str().unwrap()];
    assert_eq!(tree.run(&[&["index"][..], &at].concat()).code, 0);
    tree.write("src/auth.rs", "pub fn resolve_nothing() {}\n");
    let lock = Lock::acquire(&index_dir.join("lock"), Duration::ZERO, &mut |_| ()).unwrap();
    // The lock is held until after this run, so a run that ends did not wait for the lock.
    let ran = tree.run(&[&["index", "--no-wait"][..], &at].concat());
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains(&std::process::id().to_string()) && ran.err.contains("since"), "{}", ran.err);
    let mut command = tree.command();
    let mut child =
        command.arg("index").args(at).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let (tell, told) = std::sync::mpsc::channel();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    std::thread::spawn(move || {
        let mut said = String::new();
        stderr.read_line(&mut said).unwrap();
        tell.send(said).unwrap();
    });
    let said = told.recv_timeout(Duration::from_secs(120)).unwrap_or_default();
    let waits = child.try_wait().unwrap().is_none();
    drop(lock);
    assert!(child.wait().unwrap().success());
    assert!(waits && said.contains(&std::process::id().to_string()), "it waits: {waits}, and says '{said}'");
    let reply = tree.json(&[&["search", "resolve_nothing", "--no-refresh"][..], &at].concat());
    assert_eq!(reply["total"], 1);
}

/// What another process hears while the first index is being built: the reply once some files are in, and how many.
fn first_partial_answer(tree: &Tree, is_over: &mut dyn FnMut() -> bool) -> Option<(Value, u64)> {
    while !is_over() {
        let ran = tree.run(&["search", "--json", "--require-index", "--no-refresh", "session token"]);
        let Ok(reply) = serde_json::from_str::<Value>(&ran.out) else { continue };
        let building = &reply["snapshot"]["building"];
        if let Some(files) = building["files"].as_u64().filter(|files| *files > 0) {
            return Some((reply, files));
        }
    }
    None
}

#[test]
fn a_first_build_answers_on_its_way_and_is_resumed() {
    const FILES: u64 = 2000;
    let tree = Tree::new("");
    for number in 0..FILES {
        let mut text = format!("//! Part {number}, about the session and its token.\n\n");
        for item in 0..20 {
            text += &format!(
                "/// Turns {item} around.\npub fn turn_{item}_of_{number}(x: u64) -> u64 {{ x ^ {item} }}\n"
            );
        }
        tree.write(&format!("part{}/file{number}.rs", number % 40), text);
    }
    let mut command = tree.command();
    let mut child =
        command.args(["index", "--quiet", "--threads", "1"]).stdout(Stdio::null()).spawn().unwrap();
    let partial = first_partial_answer(&tree, &mut || child.try_wait().unwrap().is_some());
    let status = tree.json(&["status"]);
    let _ = child.kill();
    child.wait().unwrap();
    let (reply, done) = partial.expect("it answered before the build was done");
    assert_eq!(reply["snapshot"]["building"]["of"], FILES, "{}", reply["snapshot"]);
    assert_eq!(reply["complete"], false);
    assert!(done < FILES && !reply["results"].as_array().unwrap().is_empty(), "{done}");
    assert_eq!(status["state"], "indexing", "{status}");

    let report = index(&tree, &tree.root());
    let parsed = report["parsed"].as_u64().unwrap();
    assert!(parsed > 0 && parsed <= FILES - done, "{done} were in, and {parsed} were parsed");
    let reply = tree.json(&["search", "session token"]);
    assert_eq!(
        (&reply["snapshot"]["building"], &reply["snapshot"]["indexed_files"]),
        (&Value::Null, &FILES.into())
    );
    is_clean(&tree);
}

#[test]
fn the_collector_removes_what_killed_processes_left_behind() {
    let tree = repository();
    index(&tree, &tree.root());
    let meta = files(&tree).into_iter().map(|(path, _)| path).find(|path| path.ends_with("WORKSPACE"));
    let folder = meta.unwrap().parent().unwrap().to_path_buf();
    let [old, young, dead] = [".tmp-old", ".tmp-young", ".tmp-dead"].map(|name| folder.join(name));
    std::fs::write(&old, "half of it").unwrap();
    std::fs::write(&young, "half of it").unwrap();
    std::fs::create_dir(&dead).unwrap();
    std::fs::write(dead.join("manifest"), "half of it").unwrap();
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(24 * 3600);
    std::fs::File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    let are_there = || [&old, &young, &dead].map(|path| path.exists());
    assert_eq!(tree.run(&["gc", "--dry-run"]).code, 0);
    let lock = Lock::acquire(&folder.join("lock"), Duration::ZERO, &mut |_| ()).unwrap();
    assert_eq!(tree.run(&["gc", "--no-wait"]).code, 2);
    assert_eq!(are_there(), [true, true, true]);
    drop(lock);
    assert_eq!(tree.run(&["gc"]).code, 0);
    // What is young may be about to get its name.
    assert_eq!(are_there(), [false, true, false]);
}
