//! What keeps an index in shape, as a shell sees it: the collector, the doctor, and waiting for another writer.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use spyhop_base::store::Lock;

use super::{SMALL, Tree, files_below};

#[test]
fn the_doctor_ends_with_what_it_found() {
    let tree = Tree::new(SMALL);
    tree.run(&["index"]);
    let clean = tree.run(&["doctor", "--json"]);
    assert!(clean.code == 0 && clean.out.contains("\"clean\":true"), "{}", clean.out);
    let path = files_below(&tree.index_dir())
        .into_iter()
        .find(|path| path.extension().is_some_and(|found| found == "term"));
    let path = path.unwrap();
    let mut content = std::fs::read(&path).unwrap();
    let middle = content.len() / 2;
    content[middle] ^= 0x20;
    std::fs::write(&path, content).unwrap();
    let damaged = tree.run(&["doctor", "--json"]);
    assert!(damaged.code == 2 && damaged.out.contains("\"state\":\"damaged\""), "{}", damaged.out);
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

#[test]
fn the_collector_removes_what_killed_processes_left_behind() {
    let tree = Tree::new(SMALL);
    tree.run(&["index"]);
    let meta = files_below(&tree.index_dir()).into_iter().find(|path| path.ends_with("WORKSPACE"));
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
