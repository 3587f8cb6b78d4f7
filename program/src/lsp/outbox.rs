//! Messages to the client.
//!
//! The channel behind an outbox is closed once, at the end, so that the thread that writes to standard output ends after
//! the last message, whatever other threads still hold the outbox.

use std::sync::{Arc, PoisonError, RwLock};

use lsp_server::{Message, Notification, Request, RequestId};
use lsp_types::notification::Notification as _;
use lsp_types::request::Request as _;
use lsp_types::{
    MessageType, ProgressParams, ProgressParamsValue, ProgressToken, ShowMessageParams, WorkDoneProgress,
    WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd, WorkDoneProgressReport,
    notification, request,
};
use serde::Serialize;

use super::frames::BadFrame;

type SendText = Box<dyn Fn(String) + Send + Sync>;

/// A message with the version of the protocol.
#[derive(Serialize)]
struct Versioned {
    jsonrpc: &'static str,
    #[serde(flatten)]
    message: Message,
}

/// The way to the client.
#[derive(Clone)]
pub struct Outbox(Arc<RwLock<Option<SendText>>>);

impl Outbox {
    /// An outbox that sends the text of a message with `send`.
    pub fn new(send: impl Fn(String) + Send + Sync + 'static) -> Outbox {
        Outbox(Arc::new(RwLock::new(Some(Box::new(send)))))
    }

    /// Sends a message, unless the outbox is closed.
    pub fn send(&self, message: impl Into<Message>) {
        match serde_json::to_string(&Versioned { jsonrpc: "2.0", message: message.into() }) {
            Ok(text) => self.send_text(text),
            Err(error) => tracing::error!(%error, "a message is not JSON"),
        }
    }

    /// Answers input that is not a message.
    pub fn refuse(&self, bad: &BadFrame) {
        tracing::warn!(?bad, "input that is not a message");
        self.send_text(bad.response());
    }

    fn send_text(&self, text: String) {
        if let Some(send) = self.0.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
            send(text);
        }
    }

    /// Closes the outbox: later messages are dropped.
    pub fn close(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Shows a message to the user.
    pub fn show(&self, typ: MessageType, message: String) {
        let params = ShowMessageParams { typ, message };
        self.send(Notification::new(notification::ShowMessage::METHOD.to_string(), params));
    }

    /// Begins a progress that the client shows.
    pub fn begin_progress(&self, number: usize, title: String) -> ShownProgress {
        let token = ProgressToken::String(format!("spyhop/index/{number}"));
        let params = WorkDoneProgressCreateParams { token: token.clone() };
        let id = RequestId::from(format!("spyhop/progress/{number}"));
        self.send(Request::new(id, request::WorkDoneProgressCreate::METHOD.to_string(), params));
        let progress = ShownProgress { outbox: self.clone(), token };
        progress.send(WorkDoneProgress::Begin(WorkDoneProgressBegin {
            title,
            cancellable: Some(false),
            message: None,
            percentage: Some(0),
        }));
        progress
    }
}

/// A progress that the client shows until the value is dropped.
pub struct ShownProgress {
    outbox: Outbox,
    token: ProgressToken,
}

impl ShownProgress {
    /// Shows how far the work is.
    pub fn report(&self, percentage: u32, message: String) {
        let (cancellable, message, percentage) = (Some(false), Some(message), Some(percentage));
        self.send(WorkDoneProgress::Report(WorkDoneProgressReport { cancellable, message, percentage }));
    }

    fn send(&self, progress: WorkDoneProgress) {
        let value = ProgressParamsValue::WorkDone(progress);
        let params = ProgressParams { token: self.token.clone(), value };
        self.outbox.send(Notification::new(notification::Progress::METHOD.to_string(), params));
    }
}

impl Drop for ShownProgress {
    fn drop(&mut self) {
        self.send(WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
    }
}
