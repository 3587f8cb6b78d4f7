//! Notes as JSON lines, for other machines: one note a line, as in the log, without checksums.

use spyhop_attributes::reply;

use super::error::MemoryError;
use super::limits::MAX_LINE_BYTES;
use super::note::RevisionNote;
use super::{check, note};

/// A line of an import that is not a note.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The number of the line, from 1.
    pub line: usize,
    /// Why the line is refused.
    pub reason: String,
}

pub fn to_lines<'n>(notes: impl IntoIterator<Item = &'n RevisionNote>) -> String {
    let mut text = String::new();
    for note in notes {
        text += &serde_json::to_string(note).expect("plain data");
        text.push('\n');
    }
    text
}

/// The notes of JSON lines, and the lines that are not notes. A note without an id gets the id of what it says, so
/// importing a file twice adds nothing. Empty lines are passed over.
pub fn from_lines(text: &str) -> (Vec<RevisionNote>, Vec<BadLine>) {
    let (mut notes, mut bad) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() {
            continue;
        }
        match parse(line) {
            Ok(note) => notes.push(note),
            Err(reason) => bad.push(BadLine { line: number, reason }),
        }
    }
    (notes, bad)
}

fn parse(line: &str) -> Result<RevisionNote, String> {
    if line.len() > MAX_LINE_BYTES {
        return Err(format!("the line has {} bytes; the limit is {MAX_LINE_BYTES}", line.len()));
    }
    let mut value: serde_json::Value =
        serde_json::from_str(line).map_err(|error| format!("the line is not JSON: {error}"))?;
    let Some(fields) = value.as_object_mut() else { return Err("the line is not a JSON object".to_string()) };
    let id = fields.entry("id").or_insert_with(|| "".into()).as_str().unwrap_or_default().to_string();
    fields.entry("time").or_insert_with(|| "".into());
    let mut parsed: RevisionNote =
        serde_json::from_value(value).map_err(|error| format!("the line is not a note: {error}"))?;
    check::prepare(&mut parsed).map_err(|error: MemoryError| error.to_string())?;
    if id.is_empty() {
        parsed.id = parsed.id_of();
    } else if id.len() != note::ID_LEN || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(format!("the id '{id}' does not have {} hexadecimal digits; leave it out", note::ID_LEN));
    }
    Ok(parsed)
}
