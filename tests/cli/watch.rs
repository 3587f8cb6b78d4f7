//! `spyhop watch`: what it says, and what others see of it, also when it is killed or cannot watch.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{SMALL, Tree};

const DEADLINE: Duration = Duration::from_secs(60);

/// A running watcher.
struct Watching {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Watching {
    fn start(command: &mut Command) -> Watching {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Watching { child, output }
    }

    /// What happens next.
    fn event(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: '{line}'"))
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_watcher_says_what_it_does_and_others_see_it() {
    let tree = Tree::new(SMALL);
    let mut watching = Watching::start(tree.command().args(["watch", "--json"]));
    let begun = watching.event();
    assert_eq!(begun["event"], "watching");
    tree.write("src/new.rs", "fn qxnewqx() {}\n");
    let updated = watching.event();
    assert_eq!((&updated["event"], &updated["added"]), (&"updated".into(), &1.into()));
    let second = tree.run(&["watch"]);
    let pid = watching.child.id();
    assert_eq!((second.code, second.err), (2, format!("spyhop: process {pid} watches this tree already\n")));
    if cfg!(target_os = "linux") {
        assert_eq!(tree.json(&["status"])["watcher"], pid);
        // Others do not index what it takes in.
        tree.write("src/newer.rs", "fn qxnewerqx() {}\n");
        assert_eq!(tree.paths(&["qxnewerqx", "--stale-policy", "wait"]), ["src/newer.rs"]);
        assert_eq!(watching.event()["added"], 1);
    }
    watching.kill();
    assert_eq!(tree.json(&["status"])["watcher"], Value::Null);
    tree.write("src/newest.rs", "fn qxnewestqx() {}\n");
    assert_eq!(tree.paths(&["qxnewestqx"]), ["src/newest.rs"]);
}

#[cfg(target_os = "linux")]
#[test]
fn without_watches_the_tree_is_walked_periodically_with_a_message() {
    let tree = Tree::new(SMALL);
    for folder in 0..10 {
        tree.write(&format!("more/f{folder}/a.rs"), "fn more() {}\n");
    }
    // A new namespace has separate limits.
    let limited = "echo 6 > /proc/sys/user/max_inotify_watches && exec \"$@\"";
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-Ur", "sh", "-c", script, "sh"]);
        command
    };
    let can = unshare(limited).arg("true").stderr(Stdio::null()).status();
    if !can.is_ok_and(|status| status.success()) {
        println!("not tried: there may be no namespaces here");
        return;
    }
    let binary = tree.command();
    let mut command = unshare(limited);
    command.arg(binary.get_program()).args(["watch", "--json"]).current_dir(tree.root());
    command.env("SPYHOP_INDEX_DIR", tree.index_dir());
    let mut watching = Watching::start(&mut command);
    let mut events = vec![watching.event()];
    while events.last().unwrap()["event"] != "polling" {
        events.push(watching.event());
    }
    let why = events.last().unwrap()["why"].as_str().unwrap();
    assert!(why.contains("max_user_watches"), "{why}");
    tree.write("src/new.rs", "fn qxnewqx() {}\n");
    // Who asks compares for himself, waiting for the other one in case that just looks; and what nobody asks for is there
    // before long.
    assert_eq!(tree.paths(&["qxnewqx", "--stale-policy", "wait"]), ["src/new.rs"]);
    tree.write("src/newer.rs", "fn qxnewerqx() {}\n");
    let deadline = Instant::now() + DEADLINE;
    while tree.paths(&["qxnewerqx", "--no-refresh"]).is_empty() {
        assert!(Instant::now() < deadline, "it does not look");
        std::thread::sleep(Duration::from_millis(50));
    }
}
