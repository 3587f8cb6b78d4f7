//! `spyhop serve`: the real binary, spoken to in bytes over a socket.

mod access;
mod assets;
mod contract;
pub mod definitions;
mod evaluation;
pub mod schema;
mod search;
mod shapes;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::Tree;

/// The token of the servers of these tests.
pub const TOKEN: &str = "a-token-of-the-tests";

/// A running server.
pub struct Page {
    child: Child,
    pub address: SocketAddr,
    /// The code of the link that it printed.
    pub code: String,
}

/// An answer, taken apart.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

impl Page {
    /// A server of `tree`, its index made, on a port that is free.
    pub fn new(tree: &Tree, args: &[&str]) -> Page {
        tree.run(&["index", "-q"]);
        Page::start(tree.command().args(["serve", "--port", "0"]).args(args).env("SPYHOP_MCP_TOKEN", TOKEN))
    }

    /// The server that `command` starts, once it has printed its link.
    pub fn start(command: &mut Command) -> Page {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let link = said.next().unwrap().unwrap();
        // What the server logs stands beside the failure of a test.
        std::thread::spawn(move || said.map_while(Result::ok).for_each(|line| eprintln!("server: {line}")));
        let rest = link.strip_prefix("spyhop: open http://").unwrap_or_else(|| panic!("{link}"));
        let (address, code) = rest.split_once("/enter?code=").unwrap();
        Page { child, address: address.parse().unwrap(), code: code.to_string() }
    }

    /// The answer to these bytes; `HOST` stands for the name of the server, `TOKEN` for its token.
    pub fn raw(&self, bytes: &str) -> Answer {
        let mut stream = self.connect();
        let bytes = bytes.replace("HOST", &self.address.to_string()).replace("TOKEN", TOKEN);
        // It may have refused before all of it was sent.
        let _ = stream.write_all(bytes.as_bytes());
        read(&mut BufReader::new(stream))
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream
    }

    /// A request with the token and these further headers.
    pub fn ask(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let length =
            if method == "POST" { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
        self.raw(&format!("{method} {path} HTTP/1.1\r\nHost: HOST\r\n{length}{headers}\r\n{body}"))
    }

    /// The answer to a GET with the token.
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[BEARER], "")
    }

    /// The JSON of an answer that must succeed.
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(&format!("/api/v1/{path}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.json()
    }

    /// The answer to a POST with the token.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", &format!("/api/v1/{path}"), &[BEARER], &body.to_string())
    }

    /// The cookie that the link gives.
    pub fn enter(&self) -> String {
        let answer = self.ask("GET", &format!("/enter?code={}", self.code), &[], "");
        assert_eq!((answer.status, answer.header("location")), (303, Some("/")), "{}", answer.head);
        let cookie = answer.header("set-cookie").unwrap();
        assert!(cookie.ends_with("HttpOnly; SameSite=Strict"), "{cookie}");
        cookie.split(';').next().unwrap().to_string()
    }

    /// The events of an answer, each with its data.
    pub fn events(&self, path: &str) -> Vec<(String, Value)> {
        let answer = self.ask("GET", path, &[BEARER, EVENTS], "");
        assert_eq!(answer.header("content-type"), Some("text/event-stream"), "{}", answer.head);
        events(&answer.text())
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub const BEARER: &str = "Authorization: Bearer TOKEN";
pub const EVENTS: &str = "Accept: text/event-stream";

/// The events of a body.
pub fn events(text: &str) -> Vec<(String, Value)> {
    let event = |block: &str| {
        let (name, data) = block.strip_prefix("event: ")?.split_once("\ndata: ")?;
        Some((name.to_string(), serde_json::from_str(data).unwrap()))
    };
    text.split("\n\n").filter_map(event).collect()
}

/// One answer, by its length or its chunks; a connection that ends without one has the status 0.
pub fn read(reader: &mut BufReader<TcpStream>) -> Answer {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        match reader.read_line(&mut head) {
            Ok(0) | Err(_) => return Answer { status: 0, head, body: Vec::new() },
            Ok(_) => {}
        }
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut answer = Answer { status, head, body: Vec::new() };
    if answer.header("transfer-encoding") == Some("chunked") {
        while let Some(mut chunk) = read_chunk(reader) {
            answer.body.append(&mut chunk);
        }
        return answer;
    }
    let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
    if status != 304 {
        answer.body = vec![0; length];
        reader.read_exact(&mut answer.body).unwrap();
    }
    answer
}

/// The first chunk of an answer in chunks; `None` if the server has closed the connection.
pub fn read_chunk_after_head(reader: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return None;
        }
    }
    read_chunk(reader)
}

/// The next chunk of a body; `None` after the last one.
pub fn read_chunk(reader: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut size = String::new();
    reader.read_line(&mut size).unwrap();
    let size = usize::from_str_radix(size.trim(), 16).unwrap();
    let mut chunk = vec![0; size + 2];
    reader.read_exact(&mut chunk).unwrap();
    chunk.truncate(size);
    (size > 0).then_some(chunk)
}
