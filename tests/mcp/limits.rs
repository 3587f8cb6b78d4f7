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

/// How long ten requests take. A slow machine takes as many times longer where other clients are about.
fn time_of_answers(server: &Server) -> Duration {
    let begun = Instant::now();
    for _ in 0..10 {
        assert_eq!(server.post(GOOD, &hello()).status, 200);
    }
    begun.elapsed()
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
    let slack = 20 * time_of_answers(&server);
    let begun = Instant::now();
    let mut idle = flood(&server, 400);
    let opened = Instant::now();
    time_of_answers(&server);
    let answered = opened.elapsed();
    assert!(answered < Duration::from_secs(3) + slack, "{answered:?}, slack {slack:?}");
    // Who has shown the token is not displaced.
    assert!(ask(&server, &mut known, "provider").contains("auth.rs"));
    println!("http: 400 idle connections in {:?}, ten answers in {answered:?}", opened - begun);
    // The oldest have made room, the newest are still waited for.
    let is_closed = |stream: &mut TcpStream, patience: Duration| {
        stream.set_read_timeout(Some(patience)).unwrap();
        matches!(stream.read(&mut [0; 64]), Ok(0)) || stream.take_error().unwrap().is_some()
    };
    assert!(is_closed(&mut idle[0], Duration::from_secs(2) + slack));
    let newest = idle.last_mut().unwrap();
    assert!(!is_closed(newest, Duration::from_millis(50)) || begun.elapsed() > Duration::from_secs(4));
    // Nor are they for ever.
    assert!(
        is_closed(newest, Duration::from_secs(9) + slack),
        "no head is waited for longer than five seconds"
    );
    let waited = begun.elapsed();
    // The newest connection was opened at the end of the flood.
    let most = Duration::from_secs(12) + slack + (opened - begun);
    assert!(waited > Duration::from_secs(4) && waited < most, "{waited:?}, slack {slack:?}");
    assert!(ask(&server, &mut known, "beans").contains("guide.md"));
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

/// Messages that are not of the protocol, with the code and the id of the error.
fn malformed() -> Vec<(Vec<u8>, i64, Value)> {
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"grep_files","arguments":{arguments}}}}}"#
        )
    };
    let deep = format!(r#"{{"pattern":{}1{}}}"#, "[".repeat(300), "]".repeat(300));
    let latin = [&call(r#"{"pattern":"x"}"#).as_bytes()[..86], b"\xe9\"}}}"].concat();
    vec![
        (b"{not json".to_vec(), -32700, Value::Null),
        (call(r#"{"pattern":}"#).into_bytes(), -32700, json!(5)),
        (call(&deep).into_bytes(), -32700, json!(5)),
        (call(r#"{"pattern":"\ud83d"}"#).into_bytes(), -32700, json!(5)),
        (latin, -32700, json!(5)),
        (format!("[{}]", call("{}")).into_bytes(), -32600, Value::Null),
        (br#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#.to_vec(), -32600, json!("a")),
        (b"7".to_vec(), -32600, Value::Null),
    ]
}

#[test]
fn text_that_is_not_a_message_is_answered_with_an_error() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    for (message, code, id) in malformed() {
        let shown = String::from_utf8_lossy(&message[..message.len().min(100)]).into_owned();
        session.write(&message);
        let answer: Value = serde_json::from_str(&session.line()).unwrap();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{shown}: {answer}");
    }
    // A list in place of parameters is the fault of one request.
    for params in [json!([1, 2]), json!("text"), json!({ "name": ["a"] })] {
        let answer = session.ask("tools/call", params);
        assert!(answer["error"]["code"].is_i64(), "{answer}");
    }
    // Nobody waits for an answer to a notification.
    session.write(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}"#);
    let found = session.call("grep_files", json!({ "pattern": "circle" }));
    assert!(found.to_string().contains("paint.py"), "{found}");
    assert_eq!(session.end(), 0);

    let server = Server::new(&tree, &[]);
    for (message, code, id) in malformed() {
        // The client of this test sends text.
        let Ok(message) = String::from_utf8(message) else { continue };
        let Answer { status, body, .. } = server.post(GOOD, &message);
        let answer: Value = serde_json::from_str(&body).unwrap_or_else(|_| panic!("{status}: {body}"));
        assert_eq!((status, &answer["error"]["code"], &answer["id"]), (400, &json!(code), &id), "{answer}");
    }
    assert_eq!(server.post(GOOD, &hello()).status, 200);
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
