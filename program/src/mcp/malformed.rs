//! Messages that are not of the protocol: each is answered with an error of JSON-RPC, so that no client waits for ever.
//!
//! rmcp passes over a line that is not JSON, or is too long, without an answer. Here every line is read before rmcp sees a
//! message. An error has the request's `id` if it can be read, also in a text that is not JSON.

use rmcp::RoleServer;
use rmcp::model::ErrorCode;
use rmcp::service::RxJsonRpcMessage;
use rmcp::transport::async_rw::DEFAULT_MAX_LINE_LENGTH;
use serde_json::{Value, json};
use spyhop_interface::catalog::lenient;

/// The longest line, including its line end.
pub const MAX_LINE: usize = DEFAULT_MAX_LINE_LENGTH;

/// The longest id that is recognized; clients use counters or UUIDs.
const MAX_ID: usize = 256;

/// What a client has sent.
pub enum Received {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// No message; the error to answer with.
    Refused(Value),
    /// A blank line, a notification of another protocol, or an answer to nothing: nobody waits for an answer.
    Nothing,
}

/// A call of a tool whose arguments are the text of an object, with the object in place of the text; `None` for any other
/// message. A message whose arguments begin as an object is not parsed here.
pub fn with_object(bytes: &[u8]) -> Option<Vec<u8>> {
    const KEY: &[u8] = b"\"arguments\"";
    let begins_otherwise = |at: usize| {
        let rest = bytes[at + KEY.len()..].trim_ascii_start().strip_prefix(b":");
        rest.is_some_and(|value| !value.trim_ascii_start().starts_with(b"{"))
    };
    let may_be_text = memchr::memmem::find_iter(bytes, KEY).any(begins_otherwise);
    let mut message: Value = may_be_text.then(|| serde_json::from_slice(bytes).ok())??;
    if message["method"] != "tools/call" {
        return None;
    }
    let given = message.get_mut("params")?.get_mut("arguments")?;
    *given = lenient::arguments(given)?.into();
    serde_json::to_vec(&message).ok()
}

/// Reads one message.
pub fn received(bytes: &[u8]) -> Received {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii();
    if bytes.is_empty() {
        return Received::Nothing;
    }
    let error = match serde_json::from_slice(bytes) {
        Ok(message) => return Received::Message(Box::new(message)),
        Err(error) => error,
    };
    let refuse = |id, text: String| Received::Refused(refusal(ErrorCode::INVALID_REQUEST, id, &text));
    match serde_json::from_slice(bytes) {
        Err(error) => {
            let mut message = MessageHead::default();
            message.read(bytes);
            let id = message.id().unwrap_or_default();
            let text = format!("the message is not JSON that can be read: {error}");
            Received::Refused(refusal(ErrorCode::PARSE_ERROR, id, &text))
        }
        Ok(Value::Object(fields)) => {
            let is_answer = fields.contains_key("result") || fields.contains_key("error");
            match (fields.contains_key("method"), fields.get("id")) {
                (true, None) => Received::Nothing,
                (false, _) if is_answer => Received::Nothing,
                (_, id) => {
                    let id = id.cloned().filter(is_id).unwrap_or_default();
                    refuse(id, format!("the message is no request of the protocol: {error}"))
                }
            }
        }
        Ok(Value::Array(list)) => {
            let text = format!("the message is a list of {}; send one message after the other", list.len());
            refuse(Value::Null, text)
        }
        Ok(_) => refuse(Value::Null, "the message is not a JSON object".to_string()),
    }
}

/// The error for a message that is too long; `None` without an id, because nobody waits for an answer then.
pub fn oversize(message: &MessageHead) -> Option<Value> {
    let text = format!("the request is longer than {MAX_LINE} bytes, which is the most");
    Some(refusal(ErrorCode::INVALID_REQUEST, message.id()?, &text))
}

fn refusal(code: ErrorCode, id: Value, text: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code.0, "message": text } })
}

fn is_id(value: &Value) -> bool {
    value.is_string() || value.is_i64()
}

/// The state of a message that is read byte by byte: a state machine over its JSON, as far as the top-level keys.
#[derive(Default)]
pub struct MessageHead {
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

impl MessageHead {
    /// Reads the next bytes.
    pub fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.take(*byte));
    }

    /// The id of the request.
    fn id(&self) -> Option<Value> {
        serde_json::from_slice(self.id.as_ref()?).ok().filter(is_id)
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
        let check = |message: &str, expected: Option<&str>| {
            let mut head = MessageHead::default();
            head.read(message.as_bytes());
            assert_eq!(head.id().map(|id| id.to_string()).as_deref(), expected, "{message}");
        };
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
        check(r#"{"id":{"a":1},"method":"a"}"#, None);
    }

    #[test]
    fn arguments_may_be_the_text_of_an_object() {
        let call = |arguments: &str| {
            let params = format!(r#"{{"name":"grep_files","arguments" : {arguments}}}"#);
            format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{params}}}"#)
        };
        let object = |arguments: &str| {
            let repaired: Value = serde_json::from_slice(&with_object(call(arguments).as_bytes())?).unwrap();
            Some(repaired["params"]["arguments"].clone())
        };
        assert_eq!(object(r#""{\"pattern\":\"a\"}""#), Some(json!({ "pattern": "a" })));
        assert_eq!((object(r#""""#), object("[]")), (Some(json!({})), Some(json!({}))));
        for other in [r#"{"pattern":"a"}"#, r#"{"pattern":"\"arguments\": x"}"#, r#""pattern""#, "[1]", "7"] {
            assert_eq!(object(other), None, "{other}");
        }
        assert_eq!(with_object(br#"{"method":"ping","params":{"arguments":"{}"}}"#), None);
    }

    /// The code and the id of the error, `nothing`, or `message`.
    fn judged(bytes: &[u8]) -> String {
        match received(bytes) {
            Received::Message(_) => "message".to_string(),
            Received::Nothing => "nothing".to_string(),
            Received::Refused(error) => format!("{} {}", error["error"]["code"], error["id"]),
        }
    }

    #[test]
    fn what_is_no_message_is_answered() {
        let check =
            |message: &str, expected: &str| assert_eq!(judged(message.as_bytes()), expected, "{message}");
        let call = |arguments: &str| {
            let params = format!(r#"{{"name":"grep_files","arguments":{arguments}}}"#);
            format!(r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{params}}}"#)
        };
        check(&call("{}"), "message");
        check(&format!("\u{feff}{} \r\n", call("{}")), "message");
        check(&call(r#"{"pattern":}"#), "-32700 5");
        check(&call("{}")[..60], "-32700 5");
        check(&call(&format!(r#"{{"pattern":{}1{}}}"#, "[".repeat(300), "]".repeat(300))), "-32700 5");
        check(&call(r#"{"pattern":"\ud800"}"#), "-32700 5");
        check("{not json", "-32700 null");
        check("\0", "-32700 null");
        check("[]", "-32600 null");
        check(&format!("[{}]", call("{}")), "-32600 null");
        check("\"text\"", "-32600 null");
        check("17", "-32600 null");
        check("{}", "-32600 null");
        check(r#"{"id":5}"#, "-32600 5");
        check(r#"{"jsonrpc":"2.0","id":"a"}"#, "-32600 \"a\"");
        check(r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, "-32600 5");
        check(r#"{"jsonrpc":"2.0","id":[5],"method":"ping"}"#, "-32600 null");
        check(r#"{"jsonrpc":"2.0","id":5,"method":7}"#, "-32600 5");
        check(r#"{"jsonrpc":"2.0","method":7}"#, "nothing");
        check(r#"{"jsonrpc":"2.0","id":5,"result":7}"#, "message");
        check(r#"{"jsonrpc":"2.0","id":[5],"result":7}"#, "nothing");
        check("  \r\n", "nothing");
        let latin = [&call(r#"{"pattern":"x"}"#).as_bytes()[..86], b"\xe9\"}}}"].concat();
        assert!(judged(&latin).starts_with("-32700 5"), "{}", judged(&latin));
    }
}
