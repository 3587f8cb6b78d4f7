//! `spyhop lsp`: a server for editors, over the Language Server Protocol on standard input and output.
//!
//! This module owns the order of a session: initialization, requests, shutdown, exit. Any editor can use the server
//! beside the server of a language: it finds definitions, uses and symbols by name in every language that the index
//! knows, and searches by rank. Standard output carries the protocol and nothing else; logs go to standard error.

mod commands;
mod documents;
mod frames;
mod navigate;
mod outbox;
mod permits;
mod request_error;
mod roots;
mod server;
mod symbols;
mod text;
pub mod uri;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use lsp_server::{Message, Request};
use lsp_types::InitializeParams;
use lsp_types::notification::{Exit, Notification as _};
use lsp_types::request::{Initialize, Request as _, Shutdown};
use spyhop_engine::api::Options;

use frames::{BadFrame, FrameReader};
use outbox::Outbox;
use request_error::RequestError;
use server::{LanguageServer, answer_to};

/// Without a message for this long, the server releases whatever is cheap to open again.
const IDLE: Duration = Duration::from_secs(60);

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The client shut the server down first, as the protocol wants.
    Orderly,
    /// The client told the server to exit, or closed its input, without a shutdown.
    Abrupt,
}

/// Serves one client until it says `exit` or closes its input. `give_back` returns free memory to the system.
pub fn serve(options: Options, give_back: fn()) -> io::Result<SessionEnd> {
    let frames = read_frames()?;
    let (sender, texts) = sync_channel::<String>(0);
    let writing = thread::Builder::new().name("lsp-output".to_string()).spawn(move || {
        let mut out = io::stdout().lock();
        texts.iter().try_for_each(|text| frames::write(&mut out, &text))
    })?;
    let outbox = Outbox::new(move |text| _ = sender.send(text));
    let mut session = ClientSession { options, outbox: outbox.clone(), server: None, is_shut_down: false };
    let mut is_resting = true;
    let end = loop {
        let message = match frames.recv_timeout(IDLE) {
            Ok(frame) => match frame? {
                Ok(message) => message,
                Err(bad) => {
                    outbox.refuse(&bad);
                    continue;
                }
            },
            Err(RecvTimeoutError::Timeout) => {
                if !is_resting {
                    session.rest();
                    give_back();
                }
                is_resting = true;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => break SessionEnd::Abrupt,
        };
        is_resting = false;
        match message {
            Message::Notification(message) if message.method == Exit::METHOD => {
                break if session.is_shut_down { SessionEnd::Orderly } else { SessionEnd::Abrupt };
            }
            Message::Notification(message) => session.server.iter().for_each(|server| {
                server.notified(message.clone());
            }),
            Message::Request(request) => session.requested(request),
            // The server asks only whether progress may be shown, and shows it anyway: the client drops what it refuses.
            Message::Response(_) => {}
        }
    };
    session.server.iter().for_each(|server| server.stop());
    outbox.close();
    writing.join().unwrap_or_else(|_| Err(io::Error::other("the thread that writes has failed")))?;
    Ok(end)
}

/// Starts the thread that reads standard input. The thread ends with the input, or else with the process.
fn read_frames() -> io::Result<Receiver<io::Result<Result<Message, BadFrame>>>> {
    let (sender, frames) = sync_channel(0);
    thread::Builder::new().name("lsp-input".to_string()).spawn(move || {
        let mut reader = FrameReader::new(io::stdin().lock());
        while let Some(frame) = reader.next().transpose() {
            let has_failed = frame.is_err();
            if sender.send(frame).is_err() || has_failed {
                return;
            }
        }
    })?;
    Ok(frames)
}

/// What is known of the client.
struct ClientSession {
    options: Options,
    outbox: Outbox,
    /// `None` before the client initializes.
    server: Option<Arc<LanguageServer>>,
    is_shut_down: bool,
}

impl ClientSession {
    fn requested(&mut self, request: Request) {
        let id = request.id.clone();
        let outcome = match (request.method.as_str(), &self.server) {
            _ if self.is_shut_down => Err(RequestError::shut_down()),
            (Initialize::METHOD, None) => server::of::<InitializeParams>(request.params).map(|params| {
                let (server, answer) =
                    LanguageServer::new(&params, self.options.clone(), self.outbox.clone());
                self.server = Some(Arc::new(server));
                answer
            }),
            (Initialize::METHOD, Some(_)) => Err(RequestError::initialized()),
            (_, None) => Err(RequestError::not_initialized()),
            (Shutdown::METHOD, Some(server)) => {
                server.stop();
                self.is_shut_down = true;
                Ok(serde_json::Value::Null)
            }
            (_, Some(server)) => {
                server.requested(request);
                return;
            }
        };
        self.outbox.send(answer_to(id, outcome));
    }

    fn rest(&self) {
        self.server.iter().for_each(|server| server.rest());
    }
}
