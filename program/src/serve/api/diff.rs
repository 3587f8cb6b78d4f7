//! The lines of a file that differ between two views.

use std::time::{Duration, Instant};

use hyper::StatusCode;
use serde_json::{Value, json};
use similar::{Algorithm, ChangeTag, TextDiff};

use super::super::ask::Ask;
use super::super::reply::ApiError;
use super::super::site::PageSite;
use super::files::{MAX_BYTES, asked_file, lines_of};

/// The lines of context around a change.
const CONTEXT: usize = 3;

/// The time after which a comparison becomes rougher.
const PATIENCE: Duration = Duration::from_secs(1);

/// A file in one view; `None` if the view does not have the file.
struct Side {
    lines: Option<Vec<String>>,
    language: Option<&'static str>,
    warnings: Vec<String>,
}

pub fn answer(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["path", "from", "to", "root"])?;
    let [from, to] = [ask.params.one("from")?, ask.params.one("to")?];
    let [old, new] = [side(site, ask, from)?, side(site, ask, to)?];
    if let (None, None) = (&old.lines, &new.lines) {
        let path = ask.params.required("path")?;
        return Err(ApiError::not_found(format!("neither view has a file '{path}'")));
    }
    let missing = [old.lines.is_none(), new.lines.is_none()];
    let [old_text, new_text] = [old.lines, new.lines].map(|lines| lines.unwrap_or_default());
    let (hunks, added, removed) = hunks(&old_text, &new_text);
    let warnings = [old.warnings, new.warnings].concat();
    Ok(json!({
        "path": ask.params.required("path")?,
        "from": from,
        "to": to,
        "language": new.language.or(old.language),
        "added": added,
        "removed": removed,
        "hunks": hunks,
        "is_missing_from": missing[0],
        "is_missing_to": missing[1],
        "warnings": warnings,
    })
    .to_string())
}

fn side(site: &PageSite, ask: &Ask, view: Option<&str>) -> Result<Side, ApiError> {
    let file = asked_file(site, ask, view)?;
    match lines_of(&file, None) {
        Ok(read) => {
            let bytes: usize = read.text.iter().map(|line| line.len() + 1).sum();
            if read.next.is_some() || bytes > MAX_BYTES {
                let text = format!("'{}' has more than {MAX_BYTES} bytes and is not compared", file.path);
                return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", text));
            }
            let mut warnings = read.warnings;
            if !read.cut.is_empty() {
                warnings.push(format!("long lines of '{}' are compared by their beginning", file.path));
            }
            Ok(Side { lines: Some(read.text), language: Some(read.language), warnings })
        }
        Err(error) if error.kind == "not-found" => {
            Ok(Side { lines: None, language: None, warnings: Vec::new() })
        }
        Err(error) => Err(error),
    }
}

fn hunks(old: &[String], new: &[String]) -> (Vec<Value>, usize, usize) {
    let [old, new] = [old, new].map(|lines| lines.iter().map(String::as_str).collect::<Vec<&str>>());
    let diff = TextDiff::configure()
        .algorithm(Algorithm::Patience)
        .deadline(Instant::now() + PATIENCE)
        .diff_slices(&old, &new);
    let (mut hunks, mut added, mut removed) = (Vec::new(), 0, 0);
    for group in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let changes = group.iter().flat_map(|op| diff.iter_changes(op));
        let lines: Vec<Value> = changes
            .map(|change| {
                let op = match change.tag() {
                    ChangeTag::Equal => "same",
                    ChangeTag::Delete => "removed",
                    ChangeTag::Insert => "added",
                };
                added += usize::from(op == "added");
                removed += usize::from(op == "removed");
                json!({
                    "op": op, "text": change.value(), "from_line": change.old_index().map(|at| at + 1),
                    "to_line": change.new_index().map(|at| at + 1),
                })
            })
            .collect();
        let (old, new) =
            (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
        hunks.push(json!({
            "from_line": old.start + 1, "from_count": old.len(), "to_line": new.start + 1, "to_count": new.len(),
            "lines": lines,
        }));
    }
    (hunks, added, removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_have_their_numbers() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let (hunks, added, removed) =
            hunks(&lines("a\nb\nc\nd\ne\nf\ng\n"), &lines("a\nb\nc\nD\nDD\ne\nf\ng\n"));
        assert_eq!((hunks.len(), added, removed), (1, 2, 1));
        let hunk = &hunks[0];
        assert_eq!(
            (&hunk["from_line"], &hunk["from_count"], &hunk["to_count"]),
            (&json!(1), &json!(7), &json!(8))
        );
        let changed: Vec<&Value> =
            hunk["lines"].as_array().unwrap().iter().filter(|line| line["op"] != "same").collect();
        assert_eq!(changed[0], &json!({ "op": "removed", "text": "d", "from_line": 4, "to_line": null }));
        assert_eq!(changed[2], &json!({ "op": "added", "text": "DD", "from_line": null, "to_line": 5 }));
    }
}
