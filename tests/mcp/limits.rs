//! What a client may not take from others: connections without a token, requests without end.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Session;
use super::http::{Answer, GOOD, Server, TOKEN, hello, request};
use crate::support::{SMALL, Tree};

/// More connections than the server takes without the token, every other one with half of a head.
fn flood(server: &Server, connections: usize) -> Vec<TcpStream> {
    let open = |number: usize| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        if number.is_multiple_of(2) {
            let _ = stream.write_all(b"POST /mcp HTTP/1.1\r\nHost: a\r\nX: ");
        }
        stream
    };
    (0..connections).map(open).collect()
}

/// A request over a connection that stays open.
fn ask(server: &Server, stream: &mut TcpStream, pattern: &str) -> String {
    let body = request("grep_files", json!({ "pattern": pattern }));
    let head = GOOD.join("\r\n").replace("HOST", &server.address.to_string()).replace("TOKEN", TOKEN);
    write!(stream, "POST /mcp HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    super::http::read(stream).body
}

#[test]
fn connections_without_a_token_keep_nobody_out() {
    let tree = Tree::new(SMALL);
    let server = Server::new(&tree, &[]);
    let mut known = TcpStream::connect(server.address).unwrap();
    assert!(ask(&server, &mut known, "circle").contains("paint.py"));
    let begun = Instant::now();
    let mut idle = flood(&server, 400);
    let opened = Instant::now();
    for _ in 0..10 {
        assert_eq!(server.post(GOOD, &hello()).status, 200);
    }
    let answered = opened.elapsed();
    assert!(answered < Duration::from_secs(3), "{answered:?}");
    // Who has shown the token is not displaced.
    assert!(ask(&server, &mut known, "provider").contains("auth.rs"));
    println!("http: 400 idle connections in {:?}, ten answers in {answered:?}", opened - begun);
    // The oldest have made room, the newest are still waited for.
    let is_closed = |stream: &mut TcpStream, patience: Duration| {
        stream.set_read_timeout(Some(patience)).unwrap();
        matches!(stream.read(&mut [0; 64]), Ok(0)) || stream.take_error().unwrap().is_some()
    };
    assert!(is_closed(&mut idle[0], Duration::from_secs(2)));
    let newest = idle.last_mut().unwrap();
    assert!(!is_closed(newest, Duration::from_millis(50)) || begun.elapsed() > Duration::from_secs(4));
    // Nor are they for ever.
    assert!(is_closed(newest, Duration::from_secs(9)), "no head is waited for longer than five seconds");
    let waited = begun.elapsed();
    assert!(waited > Duration::from_secs(4) && waited < Duration::from_secs(12), "{waited:?}");
    assert!(ask(&server, &mut known, "beans").contains("guide.md"));
}

#[cfg(target_os = "linux")]
#[test]
fn who_has_no_token_gives_way_where_descriptors_end() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let mut command = std::process::Command::new("sh");
    let script = "ulimit -n 96; exec \"$0\" mcp --http 127.0.0.1:0";
    command.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_spyhop")).current_dir(tree.root());
    command.env("SPYHOP_INDEX_DIR", tree.index_dir()).env("SPYHOP_MCP_TOKEN", TOKEN);
    let server = Server::start(&mut command, 2);
    let _idle = flood(&server, 200);
    let begun = Instant::now();
    assert_eq!(server.post(GOOD, &hello()).status, 200);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}

#[test]
fn a_request_that_is_too_long_is_answered_over_pipes() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    let long = "x".repeat(17 << 20);
    let id = session.request("tools/call", json!({ "name": "grep_files", "arguments": { "pattern": long } }));
    let answer: Value = serde_json::from_str(&session.line()).unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(id), &json!(-32600)), "{answer}");
    let said = answer["error"]["message"].as_str().unwrap();
    assert_eq!(said, "the request is longer than 16777216 bytes, which is the most");
    // A notification wants no answer, and what comes behind is answered as ever.
    session
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": { "text": long } }));
    let found = session.call("grep_files", json!({ "pattern": "circle" }));
    assert!(found.to_string().contains("paint.py"), "{found}");
    assert_eq!(session.end(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_without_a_thread_is_answered() {
    use std::os::unix::process::CommandExt;

    use crate::cli::limits;

    if !crate::support::is_root("a_call_without_a_thread_is_answered") {
        return;
    }
    let uid = 200_000 + std::process::id();
    let mut refused = 0;
    for threads in 1..=4 {
        let tree = Tree::new(SMALL);
        tree.run(&["index", "-q"]);
        limits::give(&tree, uid);
        let mut command = tree.command();
        let command = command.args(["mcp", "--http", "127.0.0.1:0"]).env("SPYHOP_MCP_TOKEN", TOKEN);
        limits::limit(command.uid(uid).gid(uid), libc::RLIMIT_NPROC, threads);
        let server = Server::start(command, 2);
        for (tool, given) in [("index_status", json!({})), ("grep_files", json!({ "pattern": "circle" }))] {
            let Answer { status, head, body: answer } = server.post(GOOD, &request(tool, given));
            refused += usize::from(answer.contains("no further thread") && answer.contains("no-thread"));
            let is_answered = answer.contains("paint.py") || answer.contains("state: ");
            assert!(
                is_answered || answer.contains("no further thread"),
                "{threads}, {tool}: {status} {head} {answer}"
            );
        }
    }
    assert!(refused > 0, "the limit was not met");
}
