//! Sessions: what one client was sent and touched weighs for it alone, and is not sent to it twice if it wants.

use serde_json::{Value, json};

use super::Session;
use super::http::{GOOD, Server, TOKEN, header, hello, request};
use crate::support::{SMALL, Tree};

/// Two files that answer alike.
const ALIKE: &str = "
=== a/one.rs
pub fn lantern() {}
=== b/two.rs
pub fn lantern() {}
";

/// The reason of the session for the file, if it has one.
fn remembered(reply: &Value, path: &str) -> Option<String> {
    let hit = reply["results"].as_array().unwrap().iter().find(|hit| hit["path"] == path).unwrap();
    let reasons = hit["reasons"].as_array().unwrap().iter();
    reasons
        .filter(|reason| reason["signal"] == "session")
        .map(|reason| reason["text"].as_str().unwrap().to_string())
        .next()
}

fn first(reply: &Value) -> &str {
    reply["results"][0]["path"].as_str().unwrap()
}

#[test]
fn the_activity_of_a_client_weighs_for_this_client_only() {
    let tree = Tree::new(ALIKE);
    let mut one = Session::new(&tree);
    let mut other = Session::start(tree.command().arg("mcp"));
    let query = json!({ "query": "lantern" });
    let compact = json!({ "query": "lantern", "mode": "compact" });
    // Without code nothing is shown.
    for _ in 0..2 {
        let reply = one.data("codebase_search", compact.clone());
        assert_eq!((first(&reply), remembered(&reply, "a/one.rs")), ("a/one.rs", None));
        assert_eq!(reply["backend"], "lexical+symbol+path");
    }
    one.data("touch", json!({ "files": ["b/two.rs"] }));
    let reply = one.data("codebase_search", query.clone());
    assert_eq!(first(&reply), "b/two.rs");
    assert_eq!(remembered(&reply, "b/two.rs").unwrap(), "session: file read just now");
    assert_eq!(remembered(&reply, "a/one.rs"), None);
    let reply = one.data("codebase_search", query.clone());
    assert_eq!(remembered(&reply, "b/two.rs").unwrap(), "session: file read 1 turn ago");
    assert_eq!(remembered(&reply, "a/one.rs").unwrap(), "session: code of it shown just now");
    // Not in another session, and not in what people ask.
    let reply = other.data("codebase_search", query);
    assert_eq!((first(&reply), remembered(&reply, "b/two.rs")), ("a/one.rs", None));
    assert_eq!(first(&tree.json(&["lantern"])), "a/one.rs");
    // What people touched does not weigh for a client.
    tree.run(&["touch", "b/two.rs"]);
    assert_eq!(first(&tree.json(&["lantern"])), "b/two.rs");
    let mut third = Session::start(tree.command().arg("mcp"));
    assert_eq!(first(&third.data("codebase_search", compact)), "a/one.rs");
}

#[test]
fn each_root_has_a_separate_session() {
    let [one, two] = [Tree::new(ALIKE), Tree::new(ALIKE)];
    let roots = [&one, &two].map(|tree| tree.root().canonicalize().unwrap().to_str().unwrap().to_string());
    let mut session = Session::start(one.command().arg("mcp").args(&roots));
    let ask = |session: &mut Session, root: &str| {
        session.data("codebase_search", json!({ "query": "lantern", "root": root, "dedupe": true }))
    };
    session.data("touch", json!({ "files": ["b/two.rs"], "root": roots[0] }));
    assert_eq!(first(&ask(&mut session, &roots[0])), "b/two.rs");
    let reply = ask(&mut session, &roots[1]);
    assert_eq!((first(&reply), remembered(&reply, "b/two.rs")), ("a/one.rs", None));
    // The same bytes under the same path were sent of the first root only.
    assert!(reply["results"].as_array().unwrap().iter().all(|hit| hit["sent_before"].is_null()), "{reply}");
    assert_eq!(ask(&mut session, &roots[0])["results"][0]["sent_before"]["result"], 1);
}

#[test]
fn code_is_sent_once_until_it_changes() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    let once = json!({ "query": "resolve_api_key", "limit": 1, "dedupe": true });
    let twice = json!({ "query": "resolve_api_key", "limit": 1 });
    let ask = |session: &mut Session, given: &Value| {
        let message = session.call("codebase_search", given.clone());
        let text = message["result"]["content"][0]["text"].as_str().unwrap().to_string();
        (text, message["result"]["structuredContent"]["results"][0].clone())
    };
    let code = "pub fn resolve_api_key";
    let (text, hit) = ask(&mut session, &once);
    assert!(text.contains(code) && hit["sent_before"].is_null(), "{text}");
    let (text, hit) = ask(&mut session, &once);
    assert!(text.starts_with("src/auth.rs:2-4 ") && !text.contains(code), "{text}");
    assert!(text.contains("\n  already sent: result 1 of call 1, resolve_api_key\n"), "{text}");
    assert_eq!(hit["sent_before"], json!({ "call": 1, "result": 1, "query": "resolve_api_key" }));
    assert_eq!(
        (&hit["snippet"], &hit["path"], &hit["line"]),
        (&Value::Null, &json!("src/auth.rs"), &json!(2))
    );
    // Who does not ask for it gets everything.
    let (text, hit) = ask(&mut session, &twice);
    assert!(text.contains(code) && hit.get("sent_before").is_none(), "{text}");
    // Another session was sent nothing yet.
    let mut other = Session::start(tree.command().arg("mcp"));
    assert!(ask(&mut other, &once).0.contains(code));
    // An edit anywhere in the file, here behind the lines that were sent.
    let source = std::fs::read_to_string(tree.root().join("src/auth.rs")).unwrap();
    tree.write("src/auth.rs", format!("{source}\n// edited\n"));
    let (text, _) = ask(&mut session, &once);
    assert!(text.contains(code), "{text}");
    let (text, hit) = ask(&mut session, &once);
    assert!(!text.contains(code) && hit["sent_before"]["call"] == 4, "{text}");
    // A batch refers to what a search has sent.
    let given = json!({ "queries": ["resolve_api_key"], "limit": 1, "dedupe": true });
    let reply = session.data("search_batch", given);
    assert_eq!(reply["results"][0]["sent_before"]["query"], "resolve_api_key", "{reply}");
}

/// Greets; the name of the session that began.
fn greet(server: &Server) -> String {
    let answer = server.post(GOOD, &hello());
    assert_eq!(answer.status, 200, "{}", answer.body);
    header(&answer.head, "mcp-session-id").expect("it names a session").to_string()
}

/// A call in a session; its structured content.
fn call(server: &Server, session: Option<&str>, tool: &str, arguments: Value) -> Value {
    let named = session.map(|name| format!("Mcp-Session-Id: {name}"));
    let headers: Vec<&str> = GOOD.iter().copied().chain(named.as_deref()).collect();
    let answer = server.post(&headers, &request(tool, arguments));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let message: Value = serde_json::from_str(&answer.body).unwrap();
    message["result"]["structuredContent"].clone()
}

#[test]
fn clients_over_http_do_not_see_each_others() {
    let tree = Tree::new(ALIKE);
    let server = Server::new(&tree, &[]);
    let [one, other] = [greet(&server), greet(&server)];
    assert_ne!(one, other);
    let query = || json!({ "query": "lantern", "dedupe": true });
    call(&server, Some(&one), "touch", json!({ "files": ["b/two.rs"] }));
    let reply = call(&server, Some(&one), "codebase_search", query());
    assert_eq!(first(&reply), "b/two.rs");
    let reply = call(&server, Some(&one), "codebase_search", query());
    assert_eq!(reply["results"][0]["sent_before"]["call"], 1, "{reply}");
    for session in [Some(other.as_str()), None, None] {
        let reply = call(&server, session, "codebase_search", query());
        assert_eq!((first(&reply), remembered(&reply, "b/two.rs")), ("a/one.rs", None), "{session:?}");
        assert_eq!(reply["backend"], "lexical+symbol+path");
        assert!(reply["results"][0]["sent_before"].is_null() && !reply["results"][0]["snippet"].is_null());
    }
    let noted = call(&server, None, "touch", json!({ "files": ["b/two.rs"] }));
    assert!(noted["warnings"][0].as_str().unwrap().contains("no session"), "{noted}");
}

#[test]
fn a_session_that_is_gone_is_not_found_and_another_begins() {
    let tree = Tree::new(ALIKE);
    let server = Server::new(&tree, &[]);
    let name = greet(&server);
    let ask = |name: &str| {
        let named = format!("Mcp-Session-Id: {name}");
        let headers: Vec<&str> = GOOD.iter().copied().chain([named.as_str()]).collect();
        server.post(&headers, &request("codebase_search", json!({ "query": "lantern" })))
    };
    assert_eq!(ask(&name).status, 200);
    let unknown = ask("0123456789abcdef");
    assert_eq!(unknown.status, 404);
    assert!(unknown.body.contains("send initialize again"), "{}", unknown.body);
    let end = |name: &str| {
        let head = format!(
            "DELETE /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nMcp-Session-Id: {name}\r\n\r\n",
            server.address
        );
        server.raw(&head).status
    };
    assert_eq!([end(&name), end(&name), ask(&name).status], [204, 404, 404]);
    // Another server, as after a restart, does not know it either, and greets again.
    let name = greet(&server);
    let restarted = Server::new(&tree, &[]);
    let named = format!("Mcp-Session-Id: {name}");
    let headers: Vec<&str> = GOOD.iter().copied().chain([named.as_str()]).collect();
    let body = request("codebase_search", json!({ "query": "lantern" }));
    assert_eq!(restarted.post(&headers, &body).status, 404);
    assert_eq!(
        first(&call(&restarted, Some(&greet(&restarted)), "codebase_search", json!({ "query": "lantern" }))),
        "a/one.rs"
    );
}

#[test]
fn a_file_that_was_read_weighs_and_a_long_one_is_read_in_pages() {
    let tree = Tree::new(ALIKE);
    let many: String = (1..=400).map(|number| format!("line number {number}\n")).collect();
    tree.write("long.txt", many);
    let mut session = Session::new(&tree);
    let reply = session.data("read_file", json!({ "path": "b/two.rs" }));
    assert_eq!((&reply["text"], &reply["next_lines"]), (&json!("pub fn lantern() {}"), &Value::Null));
    let reply = session.data("codebase_search", json!({ "query": "lantern", "mode": "compact" }));
    assert_eq!(first(&reply), "b/two.rs");
    assert_eq!(remembered(&reply, "b/two.rs").unwrap(), "session: file opened just now");
    let mut next = json!("1-");
    let mut seen = Vec::new();
    while next.is_string() {
        let asked = json!({ "path": "long.txt", "lines": next, "max_tokens": 500 });
        let text = session.text("read", asked.clone());
        assert!(text.len() <= 2_000, "{}", text.len());
        let numbers = text.lines().filter_map(|line| line.split_once('\t')?.0.parse::<u32>().ok());
        seen.extend(numbers);
        let reply = session.data("read", asked);
        next = reply["next_lines"].clone();
        if let Some(next) = next.as_str() {
            assert!(text.ends_with(&format!("next: path 'long.txt' with lines '{next}'\n")), "{text}");
        }
    }
    assert_eq!(seen, (1..=400).collect::<Vec<u32>>());
}

#[test]
fn a_file_that_is_edited_weighs_without_being_touched() {
    let tree = Tree::new(ALIKE);
    let mut session = Session::new(&tree);
    let query = json!({ "query": "lantern", "mode": "compact" });
    let reply = session.data("codebase_search", query.clone());
    assert_eq!((first(&reply), remembered(&reply, "b/two.rs")), ("a/one.rs", None));
    tree.write("b/two.rs", "pub fn lantern() {}\n\n");
    let mut other = Session::start(tree.command().arg("mcp"));
    assert_eq!(first(&other.data("codebase_search", query.clone())), "a/one.rs");
    // The watcher of the first server may still be at work.
    let mut reply = session.data("codebase_search", query.clone());
    for _ in 0..100 {
        if remembered(&reply, "b/two.rs").is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        reply = session.data("codebase_search", query.clone());
    }
    assert_eq!(first(&reply), "b/two.rs");
    assert_eq!(remembered(&reply, "b/two.rs").unwrap(), "session: file edited just now");
    // A session that begins after the edit knows of none.
    assert_eq!(first(&other.data("codebase_search", query)), "a/one.rs");
}
