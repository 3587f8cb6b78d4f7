//! Calls that take long: the state answers meanwhile, and a call that is cancelled makes room for others.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Session;
use crate::engine::repository::bomb;
use crate::support::{SMALL, Tree};

/// A server of a repository with a branch whose walk takes as long as the walk of a commit may take.
fn served() -> (Tree, Session) {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    bomb(&tree);
    let session = Session::new(&tree);
    (tree, session)
}

fn grep(session: &mut Session, view: Option<&str>) -> u64 {
    let arguments = json!({ "pattern": "circle", "view": view });
    let arguments = match view {
        Some(_) => arguments,
        None => json!({ "pattern": "circle" }),
    };
    session.request("tools/call", json!({ "name": "grep_files", "arguments": arguments }))
}

/// More calls than there are permits.
const MANY: usize = 40;

#[test]
fn the_state_answers_while_every_permit_is_taken() {
    let (_tree, mut session) = served();
    let walks: Vec<u64> = (0..MANY).map(|_| grep(&mut session, Some("bomb"))).collect();
    let searches: Vec<u64> = (0..MANY)
        .map(|_| {
            let arguments = json!({ "query": "circle", "view": "bomb" });
            session.request("tools/call", json!({ "name": "codebase_search", "arguments": arguments }))
        })
        .collect();
    let state = session.request("tools/call", json!({ "name": "index_status", "arguments": {} }));
    let mut before = 0;
    let line = session.reply(state, |message| {
        let id = message["id"].as_u64().unwrap();
        assert!(walks.contains(&id) || searches.contains(&id), "{message}");
        before += 1;
    });
    let message: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(message["result"]["isError"], false, "{message}");
    // They come one after the other, each after a walk of millions of entries.
    assert!(before < MANY, "{before} of {MANY} walks came first");
}

#[test]
fn a_call_that_is_cancelled_leaves_room_for_others() {
    let (_tree, mut session) = served();
    let begun = Instant::now();
    let id = grep(&mut session, Some("bomb"));
    let message: Value = serde_json::from_str(&session.reply(id, |_| ())).unwrap();
    let whole = begun.elapsed();
    let text = message["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("above the limit of 536870912"), "{text}");
    assert_eq!(message["result"]["structuredContent"]["kind"], "too-large", "{message}");

    // As many as there are permits, and more.
    let ids: Vec<u64> = (0..MANY).map(|_| grep(&mut session, Some("bomb"))).collect();
    std::thread::sleep(Duration::from_millis(200));
    for id in &ids {
        let params = json!({ "requestId": id });
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    }
    let begun = Instant::now();
    let id = grep(&mut session, None);
    let line = session.reply(id, |message| panic!("a cancelled call was answered: {message}"));
    let message: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(message["result"]["structuredContent"]["total_lines"], 2, "{message}");
    // The walks that had begun would have taken as long as the first one took, or longer.
    assert!(
        begun.elapsed() < whole / 2,
        "{:?} after the cancellation, {whole:?} for a walk",
        begun.elapsed()
    );
    assert_eq!(session.end(), 0);
}
