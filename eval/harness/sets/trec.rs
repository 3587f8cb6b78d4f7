//! A folder with `topics*` and `qrels*`, as TREC's tools have them. Documents are files of the tree that is called as
//! the folder is, or lines of one: `path` or `path:first-last`. Blanks and `%` stand as `%20` and `%25`, because blanks
//! end a document's id.
//!
//! Topics are either `id<TAB>text`, a line each, or `<top>` with `<num>` and `<title>`. What is judged 0 or less does not
//! answer; a topic without an answer cannot be measured and is left out.

use std::collections::HashMap;
use std::path::Path;

use spyhop::text::Lines;

use super::form::{self, Id, Text};
use super::{SetError, Target, Tree, files, stem};

const TOPICS: &str = "`id<TAB>text`, or <top> with `<num> Number: id` and `<title> text`";
const QRELS: &str = "`topic iteration document grade`, the document a path or path:first-last";

/// Whether the path is such a folder.
pub fn is(path: &Path) -> bool {
    let any = |start: &str| files(path, |name| name.starts_with(start)).is_ok_and(|found| !found.is_empty());
    path.is_dir() && any("topics") && any("qrels")
}

/// Reads it.
pub fn read(path: &Path) -> Result<Vec<Tree>, SetError> {
    let mut judged: HashMap<String, Vec<Target>> = HashMap::new();
    for file in files(path, |name| name.starts_with("qrels"))? {
        let text = form::text(&file)?;
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let bad = |problem: String| SetError::bad(&file, number, problem, QRELS);
            let [topic, _, document, grade] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                return Err(bad("this is no judgement".to_string()));
            };
            let grade: i64 = grade.parse().map_err(|_| bad(format!("'{grade}' is no grade")))?;
            if grade > 0 {
                let target = target(document, u32::try_from(grade).unwrap_or(u32::MAX)).map_err(bad)?;
                judged.entry(topic.to_string()).or_default().push(target);
            }
        }
    }
    let known = path.canonicalize().map_err(|source| SetError::read(path, source))?;
    let name = stem(&known);
    let mut queries = Vec::new();
    for file in files(path, |name| name.starts_with("topics"))? {
        for (id, text) in topics(&file)? {
            if let Some(targets) = judged.remove(&id) {
                queries.push(form::query(&name, queries.len(), Some(Id::Text(id)), None, text, targets));
            }
        }
    }
    let folder = name.clone();
    Ok(vec![Tree { name, folder, root: ".".to_string(), language: None, documents: None, queries }])
}

/// The id of a place as a document, which [`target`] reads.
pub fn document_id(path: &str, lines: Option<Lines>) -> String {
    let mut id = String::new();
    for sign in path.chars() {
        if sign == '%' || sign.is_whitespace() || sign.is_control() {
            let mut bytes = [0; 4];
            sign.encode_utf8(&mut bytes).bytes().for_each(|byte| id.push_str(&format!("%{byte:02X}")));
        } else {
            id.push(sign);
        }
    }
    match lines {
        Some(lines) => format!("{id}:{}-{}", lines.first, lines.last),
        None => id,
    }
}

fn path_of(id: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = id.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = tail
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The target that a document's id names.
fn target(document: &str, grade: u32) -> Result<Target, String> {
    let (path, lines) = match document.rsplit_once(':').map(|(path, lines)| (path, span(lines))) {
        Some((path, Some(lines))) => (path, Some(lines)),
        _ => (document, None),
    };
    Target::new(&path_of(path), lines, grade)
}

fn span(text: &str) -> Option<Lines> {
    let (first, last) = text.split_once('-')?;
    Some(Lines { first: first.parse().ok()?, last: last.parse().ok()? })
}

fn topics(file: &Path) -> Result<Vec<(String, Text)>, SetError> {
    let text = form::text(file)?;
    if text.trim_start().starts_with("<top>") { tagged(file, &text) } else { tabbed(file, &text) }
}

fn tabbed(file: &Path, text: &str) -> Result<Vec<(String, Text)>, SetError> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            let bad = |problem: &str| SetError::bad(file, number, problem, TOPICS);
            let (id, text) = line.split_once('\t').ok_or_else(|| bad("there is no tab"))?;
            Ok((id.trim().to_string(), Text::try_from(text.to_string()).map_err(bad)?))
        })
        .collect()
}

fn tagged(file: &Path, text: &str) -> Result<Vec<(String, Text)>, SetError> {
    let mut topics = Vec::new();
    let mut line = 1;
    for part in text.split_inclusive("</top>") {
        let bad = |problem: &str| SetError::bad(file, line, problem, TOPICS);
        if part.contains("<top>") {
            let number = tag(part, "<num>").ok_or_else(|| bad("a topic has no <num>"))?;
            let id = number.trim_start_matches("Number:").trim();
            let title = tag(part, "<title>").ok_or_else(|| bad("a topic has no <title>"))?;
            let text = Text::try_from(title.trim_start_matches("Topic:").to_string()).map_err(bad)?;
            topics.push((id.to_string(), text));
        }
        line += part.matches('\n').count();
    }
    Ok(topics)
}

/// What stands behind a tag, up to the next one.
fn tag<'t>(part: &'t str, tag: &str) -> Option<&'t str> {
    let rest = &part[part.find(tag)? + tag.len()..];
    Some(rest[..rest.find('<').unwrap_or(rest.len())].trim())
}
