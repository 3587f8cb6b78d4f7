//! What is answered while an index is built, and what a client can do meanwhile.

use serde_json::{Value, json};

use super::Session;
use crate::support::{SMALL, Tree};

/// A tree whose first index takes a while in one thread.
fn large() -> Tree {
    let file = |number: usize| {
        let body: String = (0..60)
            .map(|step| format!("/// Step {step} of part {number}.\npub fn step_{number}_{step}(value: u64) -> u64 {{\n    value + {step}\n}}\n\n"))
            .collect();
        format!("\n=== part{}/module{number}.rs\n{body}", number % 10)
    };
    Tree::new(&(0..250).map(file).collect::<String>())
}

#[test]
fn indexing_is_a_state_that_can_be_watched_and_left() {
    let tree = large();
    let mut session = Session::start(tree.command().args(["mcp", "--threads", "1"]));
    let status = session.data("index_status", json!({}));
    assert_eq!(status["state"], "indexing", "{status}");
    let text = session.text("index_status", json!({}));
    assert!(text.starts_with("state: indexing"), "{text}");

    // Lines need no index.
    let lines = session.data("grep_files", json!({ "pattern": "fn step_7_3\\b" }));
    assert_eq!(lines["total_lines"], 1, "{lines}");
    assert_eq!(session.data("index_status", json!({}))["state"], "indexing");

    // Watched: progress comes before the answer. Cancelled: no answer comes at all.
    let meta = json!({ "progressToken": "one" });
    let given = json!({ "name": "codebase_search", "arguments": { "query": "step" }, "_meta": meta });
    let watched = session.request("tools/call", given);
    let first: Value = serde_json::from_str(&session.line()).unwrap();
    assert_eq!(
        (&first["method"], &first["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("one"))
    );
    session.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": watched } }),
    );
    let id = session.request("tools/call", json!({ "name": "index_status", "arguments": {} }));
    session.reply(id, |message| assert_ne!(message["id"], watched, "a cancelled call was answered"));

    let mut parts: Vec<f64> = Vec::new();
    loop {
        let meta = json!({ "progressToken": 7 });
        let given =
            json!({ "name": "codebase_search", "arguments": { "query": "step 3 of part 5" }, "_meta": meta });
        let id = session.request("tools/call", given);
        let line = session.reply(id, |message| {
            assert_eq!(message["params"]["progressToken"], 7, "{message}");
            parts.push(message["params"]["progress"].as_f64().unwrap());
        });
        let message: Value = serde_json::from_str(&line).unwrap();
        let data = &message["result"]["structuredContent"];
        if data["state"] != "indexing" {
            assert!(!data["results"].as_array().unwrap().is_empty(), "{message}");
            break;
        }
    }
    assert!(!parts.is_empty());
    let status = session.data("index_status", json!({}));
    assert_eq!(
        (&status["state"], &status["files"], &status["indexing"]),
        (&json!("ready"), &json!(250), &Value::Null)
    );
    assert_eq!(session.end(), 0);
}

#[test]
fn without_leave_to_index_nothing_is_indexed() {
    let tree = Tree::new(SMALL);
    let mut session = Session::start(tree.command().args(["mcp", "--require-index"]));
    let message = session.call("codebase_search", json!({ "query": "circle" }));
    assert_eq!(message["result"]["structuredContent"]["kind"], "no-index");
    assert!(message["result"]["content"][0]["text"].as_str().unwrap().starts_with("Run: spyhop index "));
    let status = session.data("index_status", json!({}));
    assert_eq!(status["state"], "missing");
}
