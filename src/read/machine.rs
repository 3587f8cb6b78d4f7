//! What machines have written, by its looks: code that says so of itself, and minified code.

use std::path::Path;

/// A marker of generated code stands in the first lines, or it is something that only speaks of markers.
const MARKER_LINES: usize = 40;
pub(super) const MARKER_BYTES: usize = 4 << 10;

/// The line that says that `text` is generated.
pub(super) fn generated(text: &str) -> Option<String> {
    let head = cut(text, MARKER_BYTES);
    head.lines().take(MARKER_LINES).find(|line| is_marker(line)).map(|line| cut(line.trim(), 120).to_string())
}

/// The first `max` bytes of `text`, or a little less where that would split a character.
fn cut(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(0)]
}

/// Whether a line is Go's `Code generated ... DO NOT EDIT.`, in whatever comment, or holds `@generated` as a word of
/// a comment: not quoted, which is how prose and linters mention it.
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

/// Shorter texts cost nothing, whatever they are.
pub(super) const MINIFIED_BYTES: usize = 5 << 10;
/// No one writes lines of this length on average.
const MINIFIED_LINE: usize = 400;
/// Where machines write long lines; prose and tables in other files may have them too.
const MINIFIED_KINDS: [&str; 8] = ["js", "mjs", "cjs", "css", "json", "svg", "html", "map"];

/// How long the lines are of a text that no one has written by hand.
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
