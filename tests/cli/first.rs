//! The first search of a tree: the text of a large tree answers at once, and a separate process completes the index.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::Tree;

const DEADLINE: Duration = Duration::from_secs(240);

/// A tree above the size from which its text answers alone. Few long words keep its index cheap.
fn large() -> Tree {
    let tree = Tree::new("\n=== src/lib.rs\n/// Resolves the provider.\npub fn resolve_provider() {}\n");
    let line = format!("{}\n", "sediment ".repeat(8000));
    for number in 0..18 {
        let text = line.repeat((1 << 20) / line.len() - 1);
        tree.write(&format!("data/part{number:02}.txt"), format!("provider {number}\n{text}"));
    }
    tree
}

fn building(reply: &Value) -> &Value {
    &reply["snapshot"]["building"]
}

/// Waits until the index is complete.
fn wait_until_complete(tree: &Tree) {
    let begun = Instant::now();
    while tree.json(&["status"])["state"] != "ready" {
        assert!(begun.elapsed() < DEADLINE, "{}", tree.json(&["status"]));
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn the_text_of_a_large_tree_answers_while_a_detached_process_completes_the_index() {
    let tree = large();
    let ran = tree.run(&["search", "--threads", "2", "provider", "--json"]);
    let reply: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(building(&reply)["files"], 19, "{reply}");
    assert_eq!(building(&reply)["text_only"], 19, "{reply}");
    assert_eq!(reply["complete"], false);
    assert!(!reply["results"].as_array().unwrap().is_empty());
    let pid = ran.err.split("process ").nth(1).unwrap_or_else(|| panic!("{}", ran.err));
    let pid: u32 = pid.split(' ').next().unwrap().parse().unwrap();
    if cfg!(target_os = "linux") {
        // The process leads a session, so nothing of the terminal ends it.
        if let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) {
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
            assert_eq!(fields[3], pid.to_string(), "{stat}");
        }
    }
    wait_until_complete(&tree);
    let reply = tree.json(&["search", "resolve_provider"]);
    assert_eq!((building(&reply), &reply["results"][0]["path"]), (&Value::Null, &"src/lib.rs".into()));
    assert_eq!(tree.json(&["symbols", "resolve"])["total"], 1);
}

#[cfg(unix)]
#[test]
fn the_next_search_goes_on_if_the_detached_process_is_killed() {
    let tree = large();
    let pid = |err: &str| {
        let pid = err.split("process ").nth(1)?.split(' ').next()?;
        Some(pid.parse::<i32>().unwrap())
    };
    let ran = tree.run(&["search", "provider"]);
    let first = pid(&ran.err).unwrap_or_else(|| panic!("{}", ran.err));
    // SAFETY: the call sends a signal to the process that the search has started.
    unsafe { libc::kill(first, libc::SIGKILL) };
    let begun = Instant::now();
    let second = loop {
        let ran = tree.run(&["files", "part00"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        match pid(&ran.err) {
            Some(pid) => break pid,
            // The killed process may still hold the lock for a moment, or it had ended before.
            None if tree.json(&["status"])["state"] == "ready" => return,
            None => assert!(begun.elapsed() < DEADLINE, "{}", ran.err),
        }
    };
    assert_ne!(first, second);
    wait_until_complete(&tree);
}
