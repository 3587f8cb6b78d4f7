//! The messages of the base protocol: a head with the length of a body, and the body.
//!
//! Input that is not a message is an error of its own ([`BadFrame`]), and reading goes on at the next head. No valid body
//! contains a head: letters of a JSON text are in strings, and a string contains no line end. So a head is recognized
//! wherever it stands, in a body that is too long, or that is shorter than its head says.

use std::io::{self, BufRead, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// The longest body: far longer than any source file in an editor.
pub const MAX_BODY: u64 = 32 << 20;

/// The longest head.
const MAX_HEAD: usize = 1 << 10;

/// The name of the header that has the length, with its colon, in lower case.
const LENGTH: &[u8] = b"content-length:";

/// The most characters of a value in an error.
const SHOWN: usize = 40;

/// Input that is not a message.
#[derive(Debug)]
pub struct BadFrame {
    /// The id of the request, or null if it is not known.
    id: Value,
    fault: FrameFault,
}

/// Why input is not a message.
#[derive(Debug, thiserror::Error)]
enum FrameFault {
    #[error("'{0}' is not a header; send 'Content-Length: BYTES' and an empty line before each message")]
    Header(String),
    #[error("a message without Content-Length; send 'Content-Length: BYTES' and an empty line before it")]
    NoLength,
    #[error("Content-Length '{0}' is not a number of bytes")]
    Length(String),
    #[error("a head of more than {MAX_HEAD} bytes")]
    LongHead,
    #[error("Content-Length is {0}, and a message may have {MAX_BODY} bytes; the message is skipped")]
    TooLong(String),
    #[error("the body is shorter than the {0} bytes of its Content-Length")]
    Short(u64),
    #[error("the input ends inside of a message")]
    Cut,
    #[error("the message is not UTF-8: {0}")]
    Encoding(std::str::Utf8Error),
    #[error("the message is not JSON: {0}")]
    Json(serde_json::Error),
    #[error("{0}")]
    NoMessage(&'static str),
}

impl BadFrame {
    /// The error response, as the protocol has it.
    pub fn response(&self) -> String {
        let code = match self.fault {
            FrameFault::NoMessage(_) | FrameFault::TooLong(_) => ErrorCode::InvalidRequest,
            _ => ErrorCode::ParseError,
        };
        let error = json!({ "code": code as i32, "message": self.fault.to_string() });
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error }).to_string()
    }
}

/// A head at the beginning of some bytes.
enum FrameHead {
    /// The head is `end` bytes long. A length that is larger than a number can be is the largest number.
    Whole {
        end: usize,
        length: u64,
    },
    /// More bytes are needed.
    Partial,
    Fault(FrameFault),
}

/// Reads messages.
pub struct FrameReader<R> {
    input: R,
    /// What was read and not taken yet.
    buffer: Vec<u8>,
    /// Whether the input is not at the beginning of a head.
    is_lost: bool,
}

impl<R: BufRead> FrameReader<R> {
    pub fn new(input: R) -> FrameReader<R> {
        FrameReader { input, buffer: Vec::new(), is_lost: false }
    }

    /// The next message, or what stands in its place; `None` at the end of the input.
    pub fn next(&mut self) -> io::Result<Option<Result<Message, BadFrame>>> {
        let length = match self.head()? {
            Some(Ok(length)) => length,
            Some(Err(fault)) => return Ok(Some(Err(self.lost(fault)))),
            None => return Ok(None),
        };
        if length > MAX_BODY {
            let shown = if length == u64::MAX { "too large".to_string() } else { length.to_string() };
            return Ok(Some(Err(self.lost(FrameFault::TooLong(shown)))));
        }
        if let Err(fault) = self.fill_body(length)? {
            return Ok(Some(Err(self.lost(fault))));
        }
        let length = length as usize;
        let text = std::str::from_utf8(&self.buffer[..length]).map_err(FrameFault::Encoding);
        match text.and_then(|text| serde_json::from_str(text).map_err(FrameFault::Json)) {
            Ok(value) => {
                self.take(length);
                Ok(Some(message(value)))
            }
            Err(fault) => {
                let id = id_of(&self.buffer[..length]);
                if let Some(id) = id {
                    self.take(length);
                    return Ok(Some(Err(BadFrame { id, fault })));
                }
                // The length may be wrong, so the next head may begin in what was taken for the body.
                Ok(Some(Err(self.lost(fault))))
            }
        }
    }

    /// Takes the next head and returns the length of its body. After a fault, skips to the next head.
    fn head(&mut self) -> io::Result<Option<Result<u64, FrameFault>>> {
        let mut searched = 0;
        loop {
            let head = match self.is_lost {
                false => Some((0, head(&self.buffer))),
                true => next_head(&self.buffer, &mut searched),
            };
            match head {
                Some((start, FrameHead::Whole { end, length })) => {
                    self.take(start + end);
                    self.is_lost = false;
                    return Ok(Some(Ok(length)));
                }
                Some((_, FrameHead::Fault(fault))) => return Ok(Some(Err(fault))),
                Some((_, FrameHead::Partial)) | None => {}
            }
            // What was skipped is not kept, only the part in which a head may begin.
            let skipped = if self.is_lost { std::mem::take(&mut searched) } else { 0 };
            self.take(skipped);
            if !self.fill()? {
                let is_cut = !self.buffer.is_empty() && !self.is_lost;
                return Ok(is_cut.then_some(Err(FrameFault::Cut)));
            }
        }
    }

    /// Reads until the buffer has a body of this length.
    fn fill_body(&mut self, length: u64) -> io::Result<Result<(), FrameFault>> {
        let mut searched = 0;
        loop {
            let have = self.buffer.len().min(length as usize);
            if let Some((start, FrameHead::Whole { .. })) = next_head(&self.buffer[..have], &mut searched) {
                self.take(start);
                return Ok(Err(FrameFault::Short(length)));
            }
            if have as u64 == length {
                return Ok(Ok(()));
            }
            if !self.fill()? {
                return Ok(Err(FrameFault::Cut));
            }
        }
    }

    fn lost(&mut self, fault: FrameFault) -> BadFrame {
        self.is_lost = true;
        BadFrame { id: Value::Null, fault }
    }

    /// Reads more; `false` at the end of the input.
    fn fill(&mut self) -> io::Result<bool> {
        let more = self.input.fill_buf()?;
        let read = more.len();
        self.buffer.extend_from_slice(more);
        self.input.consume(read);
        Ok(read > 0)
    }

    fn take(&mut self, bytes: usize) {
        self.buffer.drain(..bytes);
        if self.buffer.is_empty() && self.buffer.capacity() > 1 << 20 {
            self.buffer = Vec::new();
        }
    }
}

/// The head at the beginning of `bytes`.
fn head(bytes: &[u8]) -> FrameHead {
    let (mut end, mut length) = (0, None);
    loop {
        let rest = &bytes[end..];
        let Some(line_end) = rest.iter().position(|byte| *byte == b'\n') else {
            return if bytes.len() > MAX_HEAD {
                FrameHead::Fault(FrameFault::LongHead)
            } else {
                FrameHead::Partial
            };
        };
        end += line_end + 1;
        if end > MAX_HEAD {
            return FrameHead::Fault(FrameFault::LongHead);
        }
        let line = rest[..line_end].strip_suffix(b"\r").unwrap_or(&rest[..line_end]);
        if line.is_empty() {
            return length
                .map_or(FrameHead::Fault(FrameFault::NoLength), |length| FrameHead::Whole { end, length });
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':').filter(|at| is_name(&line[..*at]))
        else {
            return FrameHead::Fault(FrameFault::Header(shown(line)));
        };
        if line[..=colon].eq_ignore_ascii_case(LENGTH) {
            let value = line[colon + 1..].trim_ascii();
            if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
                return FrameHead::Fault(FrameFault::Length(shown(value)));
            }
            length = Some(String::from_utf8_lossy(value).parse().unwrap_or(u64::MAX));
        }
    }
}

/// The first head in `bytes` that begins with its length, from `searched` on. `searched` then tells where the next search
/// has to begin when there are more bytes.
fn next_head(bytes: &[u8], searched: &mut usize) -> Option<(usize, FrameHead)> {
    let most = (bytes.len() + 1).saturating_sub(LENGTH.len());
    while *searched < most {
        let start = *searched;
        if bytes[start..start + LENGTH.len()].eq_ignore_ascii_case(LENGTH) {
            match head(&bytes[start..]) {
                FrameHead::Fault(_) => {}
                found => return Some((start, found)),
            }
        }
        *searched += 1;
    }
    None
}

/// Whether the bytes may be the name of a header.
fn is_name(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).chars().take(SHOWN).collect()
}

/// The id of a message that is JSON, and nested too deeply to be read.
fn id_of(body: &[u8]) -> Option<Value> {
    #[derive(serde::Deserialize)]
    struct WithId {
        id: Value,
    }
    // What is passed over may be nested as deeply as it likes.
    let WithId { id } = serde_json::from_slice(body).ok()?;
    is_id(&id).then_some(id)
}

fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_number()
}

/// A JSON value as a message.
fn message(value: Value) -> Result<Message, BadFrame> {
    let id = value.get("id").filter(|id| is_id(id)).cloned().unwrap_or_default();
    let bad = |text| Err(BadFrame { id: id.clone(), fault: FrameFault::NoMessage(text) });
    let Value::Object(fields) = &value else {
        return bad("a message has to be a JSON object; send each message by itself");
    };
    let has_id = fields.get("id").is_some_and(|id| !id.is_null());
    match fields.get("method") {
        None if !has_id || !(fields.contains_key("result") || fields.contains_key("error")) => {
            return bad("a message has to have a method, or an id and a result or an error");
        }
        Some(method) if !method.is_string() => return bad("the method of a message has to be a string"),
        _ => {}
    }
    match serde_json::from_value(value) {
        // What has an id is a request, so it waits for an answer.
        Ok(Message::Notification(_)) | Err(_) if has_id => bad(
            "the id of a message has to be a string or an integer of 32 bits, and an error has to be an object",
        ),
        Ok(message) => Ok(message),
        Err(_) => bad("the message is none that the protocol knows"),
    }
}

/// Writes a message.
pub fn write(out: &mut impl Write, text: &str) -> io::Result<()> {
    write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    const GOOD: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ok"}"#;

    fn framed(body: &[u8]) -> Vec<u8> {
        [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
    }

    /// What a reader finds: the methods of messages, and the codes and ids of errors. The result is the same however the
    /// input is divided.
    fn read(input: &[u8]) -> Vec<String> {
        let all = [1, 7, 1 << 16].map(|size| {
            let mut frames = FrameReader::new(BufReader::with_capacity(size, input));
            let mut found = Vec::new();
            while let Some(frame) = frames.next().unwrap() {
                found.push(match frame {
                    Ok(Message::Request(request)) => request.method,
                    Ok(Message::Notification(message)) => message.method,
                    Ok(Message::Response(_)) => "response".to_string(),
                    Err(bad) => {
                        let response: Value = serde_json::from_str(&bad.response()).unwrap();
                        format!("{} {}", response["error"]["code"], response["id"])
                    }
                });
            }
            found
        });
        assert!(all.iter().all(|found| *found == all[0]), "{all:?}");
        all[0].clone()
    }

    /// A bad frame is answered by one error, and the messages around it are read.
    fn is_bad(frame: &[u8], error: &str) {
        let input = [&framed(GOOD.as_bytes()), frame, &framed(GOOD.as_bytes())].concat();
        assert_eq!(read(&input), ["ok", error, "ok"], "{}", String::from_utf8_lossy(frame));
        assert_eq!(read(frame), [error], "{}", String::from_utf8_lossy(frame));
    }

    #[test]
    fn every_kind_of_bad_frame_is_one_error() {
        let parse = "-32700 null";
        is_bad(b"\r\n", parse);
        is_bad(b"Content-Type: x\r\n\r\n{}", parse);
        is_bad(b"Content-Length\r\n\r\n{}", parse);
        is_bad(b"{\"jsonrpc\":\"2.0\"}\r\n", parse);
        for length in ["-5", "+5", "five", "", "5.0", "0x10", "5 5"] {
            is_bad(format!("Content-Length: {length}\r\n\r\n{{}}").as_bytes(), parse);
        }
        is_bad(b"Content-Length: 5\r\nno header\r\n\r\n{}", parse);
        is_bad(b"Content-Length: 5\r\n\xff: x\r\n\r\n{}", parse);
        is_bad(&[b"X: ", &b"y".repeat(2 * MAX_HEAD)[..], b"\r\n\r\n"].concat(), parse);
        is_bad(&framed(b""), parse);
        is_bad(&framed(b"{"), parse);
        is_bad(&framed(b"\"\xff\xfe\""), parse);
        is_bad(&framed("[".repeat(300).as_bytes()), parse);
        let nested = format!("{{\"params\":{}{},\"id\":9}}", "[".repeat(300), "]".repeat(300));
        is_bad(&framed(nested.as_bytes()), "-32700 9");
        // The length is one byte too short or too long, or far too long.
        is_bad(&framed(b"{} ")[..21], parse);
        is_bad(b"Content-Length: 1\r\n\r\n{}", parse);
        is_bad(b"Content-Length: 9\r\n\r\n{}", parse);
        is_bad(b"Content-Length: 9000\r\n\r\n{}", parse);
        for length in ["1099511627776", "33554433", "99999999999999999999999999"] {
            is_bad(format!("Content-Length: {length}\r\n\r\n{GOOD}").as_bytes(), "-32600 null");
        }
    }

    #[test]
    fn what_is_no_message_is_refused_by_its_id() {
        is_bad(&framed(b"[]"), "-32600 null");
        is_bad(&framed(b"5"), "-32600 null");
        is_bad(&framed(b"{}"), "-32600 null");
        is_bad(&framed(br#"{"id":3}"#), "-32600 3");
        is_bad(&framed(br#"{"id":"a","method":5}"#), "-32600 \"a\"");
        is_bad(&framed(br#"{"id":5000000000,"method":"m"}"#), "-32600 5000000000");
        is_bad(&framed(br#"{"id":1.5,"method":"m"}"#), "-32600 1.5");
        is_bad(&framed(br#"{"id":[1],"method":"m"}"#), "-32600 null");
        assert_eq!(read(&framed(br#"{"id":null,"method":"m"}"#)), ["m"]);
        assert_eq!(read(&framed(br#"{"id":1,"result":null}"#)), ["response"]);
    }

    #[test]
    fn heads_of_other_clients_are_read() {
        let other = format!("content-length:{}\nContent-Type: x; charset=utf-8\n\n{GOOD}", GOOD.len());
        let usual = format!("Content-Type: x\r\nContent-Length:  {} \r\n\r\n{GOOD}", GOOD.len());
        assert_eq!(read(format!("{other}{usual}{other}").as_bytes()), ["ok"; 3]);
        // A head in a string is text.
        let text = br#"{"method":"m","params":["Content-Length: 5\r\n\r\n"]}"#;
        assert_eq!(read(&framed(text)), ["m"]);
    }

    #[test]
    fn a_body_that_is_too_long_is_skipped_and_not_kept() {
        let body = MAX_BODY + 1;
        let long =
            io::Cursor::new(format!("Content-Length: {body}\r\n\r\n")).chain(io::repeat(b'x').take(body));
        let mut frames =
            FrameReader::new(BufReader::new(long.chain(io::Cursor::new(framed(GOOD.as_bytes())))));
        assert!(frames.next().unwrap().unwrap().is_err());
        assert!(matches!(frames.next().unwrap(), Some(Ok(Message::Request(_)))));
        assert!(frames.buffer.capacity() < 1 << 20 && frames.next().unwrap().is_none());
    }
}
