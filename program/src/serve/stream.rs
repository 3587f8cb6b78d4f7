//! Server-sent events: a body that a thread fills while it is sent.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::{Body, Bytes, Frame};
use hyper::header::{self, HeaderValue};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::http::HttpResponse;

/// Sends events.
#[derive(Clone)]
pub struct Events(UnboundedSender<Bytes>);

/// The events that are to be sent. Dropping it drops `held`, so a guard in it learns that the client has gone.
struct EventBody<G> {
    waiting: UnboundedReceiver<Bytes>,
    _held: G,
}

impl Events {
    /// A sender, and the answer with what is sent. `held` is dropped with the answer.
    pub fn begin<G: Send + Sync + Unpin + 'static>(held: G) -> (Events, HttpResponse) {
        let (sender, waiting) = unbounded_channel();
        let mut answer = Response::new(EventBody { waiting, _held: held }.boxed());
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        (Events(sender), answer)
    }

    /// Sends an event whose data are one line of JSON. Returns whether anybody still listens.
    pub fn send(&self, name: &str, json: &str) -> bool {
        self.0.send(Bytes::from(format!("event: {name}\ndata: {json}\n\n"))).is_ok()
    }

    /// Waits until nobody listens any more.
    pub async fn unheard(&self) {
        self.0.closed().await;
    }

    /// Sends a comment, which keeps a connection from looking dead.
    pub fn keep_alive(&self) -> bool {
        self.0.send(Bytes::from_static(b": alive\n\n")).is_ok()
    }
}

impl<G: Send + Sync + Unpin> Body for EventBody<G> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.waiting.poll_recv(cx).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
