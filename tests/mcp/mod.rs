//! The server for agents: the real binary, spoken to in JSON-RPC over its pipes, or over HTTP.
//!
//! What the official clients make of it is tried in `tests/clients/`. Here the bytes are looked at: the heads that
//! agents see at first, the states of names, paths that may not be followed, and that the same request gets the same
//! results whichever way it is asked.

mod aliases;
#[cfg(unix)]
mod cancel;
mod given;
mod guards;
mod http;
mod lean;
mod library;
mod limits;
#[cfg(unix)]
mod notes;
mod pages;
mod paths;
mod reference;
mod same;
mod schemas;
mod sessions;
mod sources;
mod state;
mod untrusted;
mod views;
mod watch;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Tree;

/// A running server and the client's side of its pipes.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Session {
    /// A server of `tree` in the profile `default`, its index made.
    pub fn new(tree: &Tree) -> Session {
        tree.run(&["index", "-q"]);
        Session::start(tree.command().arg("mcp"))
    }

    /// A server as `command` starts it, initialized.
    /// Structured content is full unless the command says otherwise.
    pub fn start(command: &mut Command) -> Session {
        if !command.get_args().any(|arg| arg == "--structured") {
            command.args(["--structured", "full"]);
        }
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut session = Session { child, input, output, asked: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        assert_eq!(session.ask("initialize", hello)["result"]["serverInfo"]["name"], "spyhop");
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    pub fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{message}").unwrap();
        input.flush().unwrap();
    }

    /// Sends a line as it is.
    pub fn write(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(&[line, b"\n"].concat()).unwrap();
        input.flush().unwrap();
    }

    /// The next line that the server writes, as it is.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.output.read_line(&mut line).unwrap(), 0, "the server has ended");
        line
    }

    /// Sends a request; its number.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    /// The line that answers a request; what comes before it is passed to `seen`.
    pub fn reply(&mut self, id: u64, mut seen: impl FnMut(Value)) -> String {
        loop {
            let line = self.line();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return line;
            }
            seen(message);
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        serde_json::from_str(&self.reply(id, |_| ())).unwrap()
    }

    /// The same from a client who watches the progress, for whom the server waits long: where the machine is slow it would
    /// answer from the last commit otherwise.
    pub fn patient(&mut self, tool: &str, arguments: Value) -> Value {
        let given = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "patient" } });
        let mut message = self.ask("tools/call", given);
        assert_eq!(message["result"]["isError"], false, "{tool}: {message}");
        message["result"]["structuredContent"].take()
    }

    /// The process that serves.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The whole message that answers a call.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The structured content of a call that must succeed.
    pub fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let mut message = self.call(tool, arguments);
        assert_eq!(message["result"]["isError"], false, "{tool}: {message}");
        message["result"]["structuredContent"].take()
    }

    /// The text of a call.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let message = self.call(tool, arguments);
        message["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{tool}: {message}"))
            .to_string()
    }

    /// The names that are listed at first.
    pub fn listed(&mut self) -> Vec<String> {
        let tools = self.ask("tools/list", json!({}))["result"]["tools"].take();
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_string()).collect()
    }

    /// Closes the pipe; how the server ended.
    pub fn end(mut self) -> i32 {
        self.input.take();
        self.child.wait().unwrap().code().expect("it was not killed")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A reply without what differs from one moment to the next.
pub fn steady(mut data: Value) -> Value {
    if let Some(snapshot) = data.get_mut("snapshot").and_then(Value::as_object_mut) {
        snapshot.remove("checked_at");
    }
    if let Some(data) = data.as_object_mut().filter(|data| data.contains_key("next_lines")) {
        data.remove("link");
    }
    for list in ["results", "entries", "choices"] {
        let list = data.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten();
        list.filter_map(Value::as_object_mut).for_each(|row| _ = row.remove("link"));
    }
    data
}
