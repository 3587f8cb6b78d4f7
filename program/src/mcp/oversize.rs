//! Requests over pipes that are too long: each is answered with an error.
//!
//! rmcp limits the length of a line, because an endless line would fill the memory, and silently drops a longer one; a
//! client would wait for its answer for ever. This reader stands in front of rmcp, passes every byte on, and watches
//! for the request's `id`. After a line that is too long it inserts a short request with the same id and the method
//! [`METHOD`], which the server answers with the error. So nothing of the long line is kept, and answers are still
//! written in one place.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;
use tokio::io::{AsyncRead, ReadBuf};

/// The longest line, including its line end.
pub const MAX_LINE: usize = DEFAULT_MAX_LINE_LENGTH;

/// The method of the request that stands for one that was too long.
pub const METHOD: &str = "spyhop/oversize";

/// The longest id that is recognized; clients use counters or UUIDs.
const MAX_ID: usize = 256;

/// A reader that inserts a short request after each line that is too long.
pub struct Oversize<R> {
    inner: R,
    line: LongLine,
    /// Bytes that are not passed on yet.
    pending: Vec<u8>,
}

impl<R> Oversize<R> {
    pub fn new(inner: R) -> Oversize<R> {
        Oversize { inner, line: LongLine::default(), pending: Vec::new() }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Oversize<R> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, out: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.pending.is_empty() {
            let begin = out.filled().len();
            ready!(Pin::new(&mut this.inner).poll_read(cx, out))?;
            // Bytes after the end of a line that is too long wait until the inserted request has been passed on.
            let read = &out.filled()[begin..];
            let Some((end, request)) = this.line.first_oversize(read) else { return Poll::Ready(Ok(())) };
            this.pending = request;
            this.pending.extend_from_slice(&read[end..]);
            out.set_filled(begin + end);
            return Poll::Ready(Ok(()));
        }
        // The rest of what was read is shorter than a line that is too long, so no other such line can end in it.
        let n = this.pending.len().min(out.remaining());
        out.put_slice(&this.pending[..n]);
        this.pending.drain(..n);
        Poll::Ready(Ok(()))
    }
}

/// The state of the line that is being read: a state machine over the JSON of one message, as far as its top-level
/// keys.
#[derive(Default)]
struct LongLine {
    length: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// Whether the next value at depth 1 belongs to a key, and the bytes of the last string at that depth.
    after_colon: bool,
    key: Vec<u8>,
    /// The bytes of the value of `id`, once that value has begun.
    id: Option<Vec<u8>>,
    in_id: bool,
}

impl LongLine {
    /// Processes `bytes`. Returns where the first line that is too long ends in them, and the request to insert there.
    /// A line without an id needs no answer.
    fn first_oversize(&mut self, bytes: &[u8]) -> Option<(usize, Vec<u8>)> {
        let mut found = None;
        for (at, &byte) in bytes.iter().enumerate() {
            self.length += 1;
            if byte != b'\n' {
                self.take(byte);
                continue;
            }
            let line = std::mem::take(self);
            if line.length > MAX_LINE
                && let Some(request) = line.request()
            {
                found.get_or_insert((at + 1, request));
            }
        }
        found
    }

    fn request(self) -> Option<Vec<u8>> {
        let id: serde_json::Value = serde_json::from_slice(&self.id?).ok()?;
        let request = serde_json::json!({ "jsonrpc": "2.0", "id": id, "method": METHOD });
        Some(format!("{request}\n").into_bytes())
    }

    fn take(&mut self, byte: u8) {
        let was_in_string = self.in_string;
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
        } else if byte == b'"' {
            self.in_string = true;
        }
        if was_in_string || self.in_string {
            self.note(byte);
            return;
        }
        match byte {
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        match byte {
            b':' if self.depth == 1 && !self.after_colon => {
                self.after_colon = true;
                if self.key == b"\"id\"" && self.id.is_none() {
                    (self.id, self.in_id) = (Some(Vec::new()), true);
                }
            }
            b',' if self.depth == 1 => self.end_value(),
            b'}' | b']' if self.depth == 0 => self.end_value(),
            _ => self.note(byte),
        }
    }

    fn end_value(&mut self) {
        (self.after_colon, self.in_id) = (false, false);
        self.key.clear();
    }

    /// Appends a byte to a key or to the id.
    fn note(&mut self, byte: u8) {
        let kept = match &mut self.id {
            Some(id) if self.in_id => id,
            _ if self.depth == 1 && !self.after_colon && !byte.is_ascii_whitespace() && byte != b'{' => {
                &mut self.key
            }
            _ => return,
        };
        if kept.len() <= MAX_ID {
            kept.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_wherever_it_stands() {
        let id = |message: &str| {
            let mut line = LongLine::default();
            message.bytes().for_each(|byte| line.take(byte));
            line.request().map(|request| {
                let request: serde_json::Value = serde_json::from_slice(&request).unwrap();
                assert_eq!(request["method"], METHOD);
                request["id"].to_string()
            })
        };
        let check = |message: &str, expected: Option<&str>| assert_eq!(id(message).as_deref(), expected);
        check(r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"id":8}}"#, Some("7"));
        check(
            r#"{ "method" : "a" , "params" : {"id":8,"b":[{"id":9}]} , "id" : "x\"}," }"#,
            Some(r#""x\"},""#),
        );
        check(r#"{"params":{"text":"\",\"id\":1,"},"id":2}"#, Some("2"));
        check(r#"{"text":"id","id":3}"#, Some("3"));
        check(r#"{"jsonrpc":"2.0","method":"a","params":{"id":8}}"#, None);
        check(r#"["id",1]"#, None);
        check(r#"{"id":}"#, None);
    }

    #[test]
    fn only_a_line_that_is_too_long_has_a_request_behind_it() {
        let of = |length: usize| {
            let head = r#"{"id":5,"text":""#;
            format!("{head}{}\"}}\n", "x".repeat(length - head.len() - 3))
        };
        let mut line = LongLine::default();
        assert_eq!(line.first_oversize(of(MAX_LINE).as_bytes()), None);
        let long = of(MAX_LINE + 1) + "{}\n";
        let (end, request) = line.first_oversize(long.as_bytes()).unwrap();
        assert_eq!((end, request.ends_with(b"\n")), (MAX_LINE + 1, true));
    }
}
