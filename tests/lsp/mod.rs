//! The server for editors: the real binary, spoken to over its pipes, and a real Neovim that drives it.

mod editors;
mod neovim;
mod protocol;
mod symbols;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::support::Tree;

/// Files with one name in several places, and a line that is not ASCII.
pub const POOLS: &str = r#"
=== src/pool.rs
/// A pool of permits.
///
/// Hands out what is free.
pub struct Pool {
    permits: usize,
}

impl Pool {
    /// Takes a permit.
    pub fn take(&mut self) -> bool {
        self.permits > 0
    }
}
=== src/queue.rs
pub struct Queue;

impl Queue {
    pub fn take(&self) -> bool {
        true
    }
}
=== src/main.rs
mod pool;

fn größe() -> u32 { 1 }

fn main() {
    let länge = größe(); let s = "𝄞"; größe();
    Pool::take(länge, s);
    pool.take();
}
=== other/helper.py
def take(pool):
    return pool
"#;

/// A running server and the client's side of its pipes.
pub struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
    /// What the server sent besides answers.
    pub seen: Vec<Value>,
}

impl Editor {
    /// A server that nothing was said to.
    pub fn silent(tree: &Tree) -> Editor {
        let mut command = tree.command();
        let command =
            command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        Editor::start(command)
    }

    fn start(command: &mut Command) -> Editor {
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Editor { child, input, output, asked: 0, seen: Vec::new() }
    }

    /// An initialized server of `folders`, and the answer to `initialize`.
    pub fn of(tree: &Tree, folders: &[&Path], capabilities: Value) -> (Editor, Value) {
        let mut editor = Editor::silent(tree);
        let folders: Vec<Value> =
            folders.iter().map(|folder| json!({ "uri": uri(folder), "name": "a folder" })).collect();
        let params = json!({ "processId": null, "capabilities": capabilities, "workspaceFolders": folders });
        let answer = editor.ask("initialize", params);
        editor.notify("initialized", json!({}));
        (editor, answer["result"].clone())
    }

    /// An initialized server of a tree, for a client that understands what the server can do.
    pub fn new(tree: &Tree) -> Editor {
        let text = json!({ "documentSymbol": { "hierarchicalDocumentSymbolSupport": true } });
        Editor::of(tree, &[&tree.root()], json!({ "textDocument": text })).0
    }

    pub fn send(&mut self, message: &Value) {
        let (input, text) = (self.input.as_mut().unwrap(), message.to_string());
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    /// Sends what may be no message.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub fn close_input(&mut self) {
        self.input.take();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request; its number.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        self.asked
    }

    /// The next message; `None` when the server has closed its output.
    pub fn message(&mut self) -> Option<Value> {
        let mut length = None;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end() {
                "" => break,
                line => {
                    let (name, value) = line.split_once(": ").expect("a header");
                    if name.eq_ignore_ascii_case("content-length") {
                        length = Some(value.parse::<usize>().unwrap());
                    }
                }
            }
        }
        let mut body = vec![0; length.expect("a length")];
        self.output.read_exact(&mut body).unwrap();
        Some(serde_json::from_slice(&body).unwrap())
    }

    /// The answer to a request.
    pub fn reply(&mut self, id: u64) -> Value {
        loop {
            let message = self.message().expect("the server has ended");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.seen.push(message);
        }
    }

    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.reply(id)
    }

    /// The result of a request that must succeed.
    pub fn result(&mut self, method: &str, params: Value) -> Value {
        let mut reply = self.ask(method, params);
        assert!(reply.get("error").is_none(), "{method}: {reply}");
        reply["result"].take()
    }

    /// The result of a request about a position in a file of the tree.
    pub fn at(&mut self, method: &str, tree: &Tree, path: &str, (line, character): (u32, u32)) -> Value {
        let mut params = position(tree, path, (line, character));
        params["context"] = json!({ "includeDeclaration": true });
        self.result(method, params)
    }

    /// The result of a command.
    pub fn command(&mut self, command: &str, argument: Value) -> Value {
        self.result("workspace/executeCommand", json!({ "command": command, "arguments": [argument] }))
    }

    /// Ends the session as the protocol wants; the exit code.
    pub fn end(mut self) -> i32 {
        assert_eq!(self.result("shutdown", Value::Null), Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code().expect("it was not killed")
    }

    /// Closes the pipe; the exit code.
    pub fn hang_up(mut self) -> i32 {
        self.input.take();
        self.child.wait().unwrap().code().expect("it was not killed")
    }

    /// How the server ended.
    pub fn wait(&mut self) -> i32 {
        self.child.wait().unwrap().code().expect("it was not killed")
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.input.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The URI of a path whose characters need no encoding.
pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

pub fn position(tree: &Tree, path: &str, (line, character): (u32, u32)) -> Value {
    json!({
        "textDocument": { "uri": uri(&tree.root().join(path)) },
        "position": { "line": line, "character": character },
    })
}

/// Locations as `path:line:start-end` below a tree; lines and columns as the protocol has them.
pub fn places(tree: &Tree, locations: &Value) -> Vec<String> {
    let root = format!("{}/", uri(&tree.root()));
    let place = |location: &Value| {
        let path = location["uri"].as_str().unwrap().strip_prefix(&root).expect("below the root");
        let range = &location["range"];
        let (start, end) = (&range["start"], &range["end"]);
        format!("{path}:{}:{}-{}", start["line"], start["character"], end["character"])
    };
    locations.as_array().unwrap().iter().map(place).collect()
}
