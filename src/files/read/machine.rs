//! Recognizing machine-written code by its content: code with a marker of generated code, and minified code.

use std::path::Path;

/// How many lines may precede a marker of generated code: a file with a later one only mentions markers.
const MARKER_LINES: usize = 40;
pub(super) const MARKER_BYTES: usize = 4 << 10;

/// The line that says that `text` is generated.
pub(super) fn generated(text: &str) -> Option<String> {
    let head = cut(text, MARKER_BYTES);
    head.lines().take(MARKER_LINES).find(|line| is_marker(line)).map(|line| cut(line.trim(), 120).to_string())
}

/// The first `max` bytes of `text`, or slightly fewer if that would split a character.
fn cut(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

/// Whether a line is Go's `Code generated ... DO NOT EDIT.`, in any kind of comment, or contains `@generated` as a word
/// of a comment. A quoted marker does not count, because prose and linters mention markers in quotes.
fn is_marker(line: &str) -> bool {
    let line = line.trim();
    const COMMENTS: [&str; 9] = ["//", "#", "/*", "*", "--", ";", "<!--", "%", "\"\"\""];
    let Some(comment) = COMMENTS.iter().find_map(|lead| line.strip_prefix(lead)) else {
        return line == "@generated";
    };
    if let Some(rest) = comment.trim_start().strip_prefix("Code generated ") {
        let rest = rest.trim_end_matches([' ', '*', '/', '-', '>']);
        return rest.ends_with("DO NOT EDIT.");
    }
    comment
        .split(|c: char| c.is_whitespace() || matches!(c, '*' | '/' | '<' | '!'))
        .any(|word| word == "@generated")
}

/// The size of texts that are never treated as minified, because they cost little.
pub(super) const MINIFIED_BYTES: usize = 5 << 10;
/// The average length of lines that no person writes.
const MINIFIED_LINE: usize = 400;
/// Extensions of files in which machines write long lines; prose and tables in other files may have them too.
const MINIFIED_KINDS: [&str; 8] = ["js", "mjs", "cjs", "css", "json", "svg", "html", "map"];

/// The average line length of a minified text, as a detail; `None` for other texts.
pub(super) fn minified(path: &Path, text: &str) -> Option<String> {
    if text.len() <= MINIFIED_BYTES {
        return None;
    }
    let extension = path.extension()?.to_str()?;
    if !MINIFIED_KINDS.iter().any(|kind| kind.eq_ignore_ascii_case(extension)) {
        return None;
    }
    let ends = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let lines = ends + usize::from(!text.ends_with('\n'));
    let average = text.len() / lines;
    (average > MINIFIED_LINE).then(|| format!("lines of {average} bytes on average"))
}
