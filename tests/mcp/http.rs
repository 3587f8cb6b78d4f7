//! The server over HTTP: the real binary, spoken to in bytes over a socket.
//!
//! What the official clients make of it is tried in `tests/clients/`. Here is what no client sends: heads that must be
//! refused, bodies without end, twenty requests at the same moment, a signal while a request is under way.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::support::{SMALL, Tree};

pub const TOKEN: &str = "a-token-of-the-tests";

/// A running server.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// What it said when it began to listen.
    greeting: Vec<String>,
}

/// An answer, taken apart.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Server {
    /// A server of `tree` whose token is [`TOKEN`], on a port that is free.
    pub fn new(tree: &Tree, args: &[&str]) -> Server {
        tree.run(&["index", "-q"]);
        let mut command = tree.command();
        Server::start(
            command
                .args(["mcp", "--structured", "full", "--http", "127.0.0.1:0"])
                .args(args)
                .env("SPYHOP_MCP_TOKEN", TOKEN),
            2,
        )
    }

    /// The server that `command` starts, once it has said `lines` lines.
    pub fn start(command: &mut Command, lines: usize) -> Server {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let greeting: Vec<String> = said.by_ref().take(lines).map(|line| line.unwrap()).collect();
        // What the server logs stands beside the failure of a test.
        std::thread::spawn(move || said.map_while(Result::ok).for_each(|line| eprintln!("server: {line}")));
        let url = greeting.first().and_then(|line| line.strip_prefix("spyhop: serving http://"));
        let address = url.and_then(|url| url.strip_suffix("/mcp")).expect("it says where it listens");
        Server { child, address: address.parse().unwrap(), greeting }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    /// A POST with these headers and body; `HOST` stands for the name of the server, `TOKEN` for its token.
    pub fn post(&self, headers: &[&str], body: &str) -> Answer {
        let lines: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let lines = lines.replace("HOST", &self.address.to_string()).replace("TOKEN", TOKEN);
        self.raw(&format!("POST /mcp HTTP/1.1\r\n{lines}Content-Length: {}\r\n\r\n{body}", body.len()))
    }

    /// What the server says to these bytes.
    pub fn raw(&self, bytes: &str) -> Answer {
        let mut stream = self.connect();
        // It may have refused before all of it was sent.
        let _ = stream.write_all(bytes.as_bytes());
        read(&mut stream)
    }

    #[cfg(unix)]
    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// How it ended, and what it wrote to standard output.
    fn end(mut self) -> (Option<i32>, String) {
        let mut out = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
        (self.child.wait().unwrap().code(), out)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One answer, by its length; a connection that ends without one has the status 0.
pub fn read(stream: &mut TcpStream) -> Answer {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        match reader.read_line(&mut head) {
            Ok(0) | Err(_) => return Answer { status: 0, head, body: String::new() },
            Ok(_) => {}
        }
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    Answer { status, head, body: String::from_utf8(body).unwrap() }
}

pub fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.filter(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
}

/// The headers of a request that is let in.
pub const GOOD: &[&str] = &["Host: HOST", "Authorization: Bearer TOKEN", JSON, ACCEPT];
const JSON: &str = "Content-Type: application/json";
const ACCEPT: &str = "Accept: application/json, text/event-stream";

pub fn request(tool: &str, arguments: Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

pub fn hello() -> String {
    let client = json!({ "name": "test", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

#[test]
fn refused_callers_are_told_why_and_allowed_pages_get_headers() {
    let tree = Tree::new(SMALL);
    let server = Server::new(&tree, &["--allow-origin", "https://app.example"]);
    let check = |headers: &[&str], status: u16, words: &str| {
        let answer = server.post(headers, &hello());
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.body);
        assert!(answer.body.contains(words), "{headers:?}: {}", answer.body);
        let challenged = header(&answer.head, "www-authenticate").is_some();
        assert_eq!(challenged, status == 401, "{}", answer.head);
        assert!(!answer.body.contains(TOKEN) && !answer.head.contains(TOKEN));
        header(&answer.head, "access-control-allow-origin").map(str::to_string)
    };
    let (from_app, app) = ("Origin: https://app.example", Some("https://app.example".to_string()));
    assert_eq!(check(GOOD, 200, "spyhop"), None);
    assert_eq!(check(&[GOOD, &[from_app]].concat(), 200, "spyhop"), app);
    // It may also read that it has the wrong token; others may read nothing.
    assert_eq!(check(&["Host: HOST", from_app, JSON, ACCEPT], 401, "Authorization: Bearer"), app);
    check(&["Host: HOST", "Authorization: Bearer TOKENx", JSON, ACCEPT], 401, "invalid bearer token");
    check(&[GOOD[1], JSON, ACCEPT], 400, "one Host");
    let evil = ["Host: evil.example", from_app, GOOD[1], JSON, ACCEPT];
    assert_eq!(check(&evil, 403, "'evil.example' is not served here; choose localhost:"), None);
    let evil = [GOOD, &["Origin: http://evil.example"]].concat();
    assert_eq!(check(&evil, 403, "pages of 'http://evil.example'"), None);
    let answer = server.raw(&format!(
        "OPTIONS /mcp HTTP/1.1\r\nHost: {}\r\n{from_app}\r\nAccess-Control-Request-Method: POST\r\n\r\n",
        server.address
    ));
    assert_eq!((answer.status, header(&answer.head, "access-control-allow-origin")), (204, app.as_deref()));
    assert!(header(&answer.head, "access-control-allow-headers").unwrap().contains("Authorization"));
    assert!(header(&answer.head, "access-control-allow-methods").unwrap().contains("POST"));
}

#[test]
fn other_addresses_methods_and_forms() {
    let tree = Tree::new(SMALL);
    let server = Server::new(&tree, &[]);
    let check = |line: &str, more: &str, status: u16| {
        let head =
            format!("{line}\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n{more}\r\n", server.address);
        let answer = server.raw(&head);
        assert_eq!(answer.status, status, "{line} {more}: {}", answer.body);
    };
    check("GET / HTTP/1.1", "", 404);
    check("POST /mcp/../etc HTTP/1.1", "", 404);
    check("GET /.well-known/oauth-protected-resource/mcp HTTP/1.1", "", 404);
    check("GET /mcp HTTP/1.1", "Accept: text/event-stream\r\n", 405);
    check("DELETE /mcp HTTP/1.1", "", 405);
    check("OPTIONS /mcp HTTP/1.1", "", 405);
    check("POST http://evil.example/mcp HTTP/1.1", "", 403);
    check("POST /mcp HTTP/1.1", "Content-Length: 0\r\n", 406);
    check(
        "POST /mcp HTTP/1.1",
        &format!("{ACCEPT}\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n"),
        415,
    );
    check("GET /mcp HTTP/1.1", &format!("X: {}\r\n", "x".repeat(40_000)), 431);
    assert_eq!(server.raw("nonsense\r\n\r\n").status, 400);
}

#[test]
fn bodies_are_bounded() {
    let tree = Tree::new(SMALL);
    let server = Server::new(&tree, &[]);
    let large = request("codebase_search", json!({ "query": "x".repeat(1 << 20) }));
    let answer = server.post(GOOD, &large);
    assert_eq!((answer.status, answer.body.contains("1048576 bytes")), (413, true), "{}", answer.body);
    // One whose length nobody says, and one that claims more than anybody has.
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\n{JSON}\r\n{ACCEPT}\r\n",
        server.address
    );
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let pieces = piece.repeat(17);
    assert_eq!(server.raw(&format!("{head}Transfer-Encoding: chunked\r\n\r\n{pieces}")).status, 413);
    let endless = format!("{head}Content-Length: 99999999999\r\n\r\n{}", "x".repeat((1 << 20) + 1));
    assert_eq!(server.raw(&endless).status, 413);
    // What is refused by its head is not waited for.
    let answer =
        server.raw("POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 99999999999\r\n\r\n");
    assert_eq!(answer.status, 403);
    assert_eq!(header(&answer.head, "connection"), Some("close"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_after_what_is_under_way() {
    let tree = Tree::new(SMALL);
    for name in ["-TERM", "-INT"] {
        let server = Server::new(&tree, &[]);
        let address = server.address;
        // Idle ones do not hold it up.
        let _idle = server.connect();
        let mut stream = server.connect();
        let body = request("grep_files", json!({ "pattern": "circle" }));
        let head = GOOD.join("\r\n").replace("HOST", &address.to_string()).replace("TOKEN", TOKEN);
        // It asks for the body before it gets it, so it has taken the request up when it is told to end.
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\n{head}\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )
        .unwrap();
        assert_eq!(read(&mut stream).status, 100);
        server.signal(name);
        stream.write_all(body.as_bytes()).unwrap();
        let answer = read(&mut stream);
        assert!(answer.status == 200 && answer.body.contains("paint.py"), "{name}: {}", answer.body);
        assert_eq!(server.end(), (Some(0), String::new()), "{name}");
        assert!(TcpStream::connect(address).is_err(), "{name}: it still listens");
    }
}

/// What a server that does not start says.
fn refused(tree: &Tree, args: &[&str], token: &str) -> String {
    let mut command = tree.command();
    let output =
        command.arg("mcp").args(args).env("SPYHOP_MCP_TOKEN", token).stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn addresses_that_others_reach_are_refused() {
    let tree = Tree::new(SMALL);
    for address in ["0.0.0.0:0", "[::]:0", "10.1.2.3:80", "example.com:80"] {
        let said = refused(&tree, &["--http", address], TOKEN);
        assert!(said.contains(address) && said.contains("choose 127.0.0.1:PORT, [::1]:PORT"), "{said}");
    }
    let said = refused(&tree, &["--http", "src"], TOKEN);
    assert!(said.contains("'src' is not ADDR:PORT"), "{said}");
    let said = refused(&tree, &["--http", "127.0.0.1:0", "--allow-origin", "*"], TOKEN);
    assert!(said.contains("name each origin"), "{said}");
    // Nothing is said to be served that is not.
    let said = refused(&tree, &["--http", "127.0.0.1:0", "no-such-root"], TOKEN);
    assert!(said.contains("no-such-root") && !said.contains("serving"), "{said}");
    let taken = Server::new(&tree, &[]);
    let said = refused(&tree, &["--http", &taken.address.to_string()], TOKEN);
    assert!(said.contains(&format!("cannot listen on {}", taken.address)), "{said}");
}

#[test]
fn a_token_is_drawn_and_shown_once() {
    let tree = Tree::new(SMALL);
    let start = || Server::start(tree.command().args(["mcp", "--http", "127.0.0.1:0"]), 3);
    let token = |server: &Server| {
        let line = &server.greeting[1];
        line.split("Bearer ").nth(1).unwrap().trim_end_matches('\'').to_string()
    };
    let [one, two] = [start(), start()];
    assert_ne!(token(&one), token(&two));
    let ask = |server: &Server, token: &str| {
        let bearer = format!("Authorization: Bearer {token}");
        server.post(&["Host: HOST", &bearer, JSON, ACCEPT], &hello()).status
    };
    assert_eq!([ask(&one, &token(&one)), ask(&one, &token(&two))], [200, 401]);
    assert_eq!(one.greeting.iter().filter(|line| line.contains(&token(&one))).count(), 1);
}
