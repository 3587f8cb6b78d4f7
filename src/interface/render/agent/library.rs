//! A library of sources for agents.

use serde_json::{Value, json};

use super::answer::{Answer, clean_value};
use crate::operations::PlainReply;
use crate::render::Style;
use crate::render::json::JsonPaths;

/// The answer of an operation of a library: its text for people, and its reply as data.
pub fn of_library(reply: &dyn PlainReply) -> Answer {
    let data: Value = serde_json::from_str(&reply.json(JsonPaths::default())).unwrap_or_default();
    Answer { text: reply.text(&Style::default()), data: clean_value(&data) }
}

/// A call has waited for another import as long as a call may.
pub fn import_is_running() -> Answer {
    super::error(
        "another change of the library is running, and this one has not begun; try again when that one has ended",
        "locked",
    )
}

/// An import takes longer than a call may.
pub fn import_goes_on() -> Answer {
    let text = "The import takes longer and goes on. The tool library shows its state.\n";
    Answer { text: text.to_string(), data: json!({ "state": "indexing" }) }
}
