//! The answer of a tool, and the parts that all answers share.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::render::paint::file_uri;
pub(super) use spyhop_base::clean::short_name;
use spyhop_base::clean::{self, line as clean};
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;

/// The answer to a call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The text for the model.
    pub text: String,
    /// The data for the program that runs the model.
    pub data: Value,
}

impl Answer {
    /// Removes the links to files, for content that does not come from the worktree.
    pub fn without_links(mut self) -> Answer {
        for list in ["results", "entries", "choices"] {
            rows(&mut self.data, list).for_each(|row| _ = row.remove("link"));
        }
        if let Some(data) = self.data.as_object_mut() {
            data.remove("link");
        }
        self
    }

    /// Removes from the data what the text has already: lines, schemas, texts of files and packs. What remains is what a
    /// program needs: places, links, scores, cursors, counts and warnings; and of a ranked hit, its snippet and reasons.
    pub fn lean(mut self) -> Answer {
        for told in IN_TEXT {
            let mut objects = vec![&mut self.data];
            for list in told.lists {
                let rows = objects.into_iter().filter_map(|object| object.get_mut(*list)?.as_array_mut());
                objects = rows.flatten().collect();
            }
            let objects = objects.into_iter().filter_map(Value::as_object_mut);
            let objects = objects.filter(|object| told.beside.is_none_or(|name| object.contains_key(name)));
            objects.for_each(|object| told.fields.iter().for_each(|name| _ = object.remove(*name)));
        }
        self
    }

    /// Adds a warning to the text and to the data.
    pub fn warn(mut self, warning: &str) -> Answer {
        let _ = writeln!(self.text, "note: {}", clean(warning));
        if let Some(list) = self.data.get_mut("warnings").and_then(Value::as_array_mut) {
            list.push(clean::data(warning).into());
        } else if let Some(data) = self.data.as_object_mut() {
            data.insert("warnings".into(), json!([clean::data(warning)]));
        }
        self
    }
}

/// Fields that the text of an answer has too. The default content leaves them out, so their schemas do not require them.
pub struct TextFields {
    /// The lists that lead to the objects, from the reply inwards.
    pub lists: &'static [&'static str],
    /// A field that only the objects that are meant have.
    pub beside: Option<&'static str>,
    /// The fields.
    pub fields: &'static [&'static str],
}

/// All fields that the default content leaves out.
pub const IN_TEXT: &[TextFields] = &[
    TextFields {
        lists: &["results"],
        beside: None,
        fields: &["head", "highlights", "text", "before", "after", "cut", "enclosing"],
    },
    TextFields { lists: &["results", "units"], beside: None, fields: &["text", "enclosing", "reasons"] },
    TextFields { lists: &["tools"], beside: None, fields: &["description", "inputSchema"] },
    // The text describes the sources, and each row names its own.
    TextFields { lists: &[], beside: Some("answering"), fields: &["sources"] },
    TextFields { lists: &[], beside: Some("next_lines"), fields: &["text"] },
];

/// The estimated number of tokens of a text.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The number of rows, out of `rows`, that fit a budget. `answer` renders a reply with the given number of rows.
///
/// A binary search needs few renderings. More rows never make a shorter text.
pub(super) fn rows_that_fit(rows: usize, budget: usize, answer: impl Fn(usize) -> String) -> usize {
    if tokens(&answer(rows)) <= budget {
        return rows;
    }
    let (mut fits, mut too_many) = (0, rows);
    while too_many - fits > 1 {
        let middle = (fits + too_many) / 2;
        if tokens(&answer(middle)) <= budget { fits = middle } else { too_many = middle }
    }
    fits
}

/// Truncates the text of an answer at the end of a line so that it fits the budget. This is for an answer with a single
/// large row, such as a hit with much code. The footer, which contains the cursor of the next page, is kept.
pub fn cut(answer: Answer, budget: usize) -> Answer {
    let most = budget * 4;
    if answer.text.len() <= most {
        return answer;
    }
    let (body, end) = match answer.text.rfind("\n\n") {
        Some(at) => answer.text.split_at(at),
        None => (answer.text.as_str(), "\n"),
    };
    let mark = "\n… cut: raise max_tokens";
    let room = most.saturating_sub(end.len() + mark.len());
    let kept = body.match_indices('\n').map(|(at, _)| at).take_while(|at| *at <= room).last();
    let head = body.find('\n').unwrap_or(body.len());
    let begin = &body[..kept.unwrap_or(head)];
    let text = format!("{begin}{mark}{}", footer_within(end, most.saturating_sub(begin.len() + mark.len())));
    Answer { text, ..answer }
}

/// The lines of a footer that fit into `room` bytes. The cursor of the next page, the last line if there is one, is kept.
fn footer_within(end: &str, room: usize) -> String {
    let is_cursor = |line: &&str| line.starts_with("next: ");
    let bytes = |line: &str| line.len() + 1;
    let mut left = room.saturating_sub(end.lines().filter(is_cursor).map(bytes).sum());
    let mut is_kept = |line: &&str| {
        let fits = bytes(line) <= left;
        if fits && !is_cursor(line) {
            left -= bytes(line);
        }
        fits || is_cursor(line)
    };
    end.lines().filter(&mut is_kept).map(|line| format!("{line}\n")).collect()
}

/// Adds why the answer is not complete, the warnings and the cursor of the next page.
pub(super) fn with_footer(
    mut out: String,
    incomplete: Option<&str>,
    warnings: &[String],
    next: Option<&str>,
) -> String {
    let incomplete = incomplete.map(|why| ("not complete", why));
    let notes = warnings.iter().map(|warning| ("note", warning.as_str()));
    for (name, text) in incomplete.into_iter().chain(notes).chain(next.map(|next| ("next", next))) {
        let _ = writeln!(out, "{name}: {}", clean(text));
    }
    out
}

/// ` for: PATTERN`; nothing for an empty pattern.
pub(super) fn asked_for(pattern: &str) -> String {
    if pattern.trim().is_empty() { String::new() } else { format!(" for: {}", clean(pattern)) }
}

/// `first-last`, or a single number.
pub(super) fn span(lines: Lines) -> String {
    if lines.first == lines.last {
        lines.first.to_string()
    } else {
        format!("{}-{}", lines.first, lines.last)
    }
}

/// The link to a place: the `file:` URI of the file, with `#L3` for the first line.
pub(super) fn link(root: &Path, path: &RelPath, lines: Option<Lines>) -> String {
    let uri = file_uri("", &path.below(root));
    lines.map_or(uri.clone(), |lines| format!("{uri}#L{}", lines.first))
}

/// The rows of the list with the name `list` in `data`.
pub(super) fn rows<'d>(data: &'d mut Value, list: &str) -> impl Iterator<Item = &'d mut Map<String, Value>> {
    let list = data.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// The wire format as a value with clean strings, because clients also show the data to models. A cursor is not
/// changed, because the server reads the cursor.
pub(super) fn clean_value(wire: &impl Serialize) -> Value {
    let mut data = serde_json::to_value(wire).expect("wire structs hold only strings, numbers and lists");
    clean_data(&mut data);
    data
}

fn clean_data(data: &mut Value) {
    match data {
        Value::String(text) => {
            if let Cow::Owned(clean) = clean::data(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean_data),
        Value::Object(fields) => {
            fields.iter_mut().filter(|(name, _)| *name != "next").for_each(|(_, value)| clean_data(value));
        }
        _ => {}
    }
}
