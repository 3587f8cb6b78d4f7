//! Values that are assigned to names: `name = value`, `name: value`, `name=value`, `"name" => "value"`.

use std::ops::Range;

use super::file::Care;
use super::judge::{self, Stand, ValueKind};
use super::name;
use super::secret::{IN_FILE, Secret};

/// The most bytes of an assignment's name and of the text between the name and the sign.
const MAX_BEFORE: usize = 96;

/// The shortest value that can be recognized as a secret by its form.
pub const MIN_VALUE: usize = 8;
/// The shortest value that is masked in a file whose name announces secrets.
const MIN_IN_SETTINGS: usize = 3;

/// Adds the secrets that `line` assigns.
pub fn find(line: &[u8], care: Care, found: &mut Vec<Secret>) {
    let least = if care == Care::SecretLike { MIN_VALUE } else { MIN_IN_SETTINGS };
    let (mut from, mut quotes) = (0, Quotes::default());
    for sign in memchr::memchr2_iter(b'=', b':', line) {
        if sign < from {
            continue;
        }
        let Some((value, stand)) = value_after(line, sign, &mut quotes, care) else { continue };
        // The common case: the value is too short to be a secret.
        if value.len() < least {
            continue;
        }
        let before = &line[sign.saturating_sub(MAX_BEFORE)..sign];
        let kind = if stand == Stand::Literal { kind_before(before, care) } else { named(before, care) };
        let Some(kind) = kind else { continue };
        let text = &line[value.clone()];
        if judge::is_secret(kind, text, stand) || (care != Care::SecretLike && judge::is_given(text, stand)) {
            from = value.end;
            found.push(Secret { span: value, keep: 0, name: kind.label() });
        }
    }
}

/// The value after the sign at `at`, and its context.
fn value_after(line: &[u8], at: usize, quotes: &mut Quotes, care: Care) -> Option<(Range<usize>, Stand)> {
    let mut start = at + 1;
    // `=>`, `==`, `:=`.
    while line.get(start).is_some_and(|byte| b"=>~".contains(byte)) {
        start += 1;
    }
    start += blanks(&line[start..]);
    // A string prefix, such as Python's `b"`, Rust's `r"` or SQL's `N'`.
    if line.get(start).is_some_and(u8::is_ascii_alphabetic)
        && line.get(start + 1).is_some_and(|byte| b"\"'".contains(byte))
    {
        start += 1;
    }
    // The quotes may themselves be inside a string.
    if line.get(start) == Some(&b'\\') && line.get(start + 1).is_some_and(|byte| b"\"'".contains(byte)) {
        start += 1;
    }
    let quote = *line.get(start)?;
    if b"\"'`".contains(&quote) {
        let start = start + 1;
        let mut end = start + memchr::memchr(quote, &line[start..])?;
        if end > start && line[end - 1] == b'\\' {
            end -= 1;
        }
        return Some((start..end, Stand::Quoted));
    }
    let value = bare(line, start);
    if value.len() < MIN_VALUE && care == Care::SecretLike {
        return Some((value, Stand::Code));
    }
    let whole = start..start + line[start..].trim_ascii_end().len();
    if fills_line(line, at, start, &whole) {
        return Some((whole, Stand::Literal));
    }
    let is_literal = quotes.enclose(line, at) || is_environment(line, at, start);
    Some((value, if is_literal { Stand::Literal } else { Stand::Code }))
}

/// A value without quotes: it ends at a blank, or at a character that cannot be part of a value.
pub fn bare(line: &[u8], start: usize) -> Range<usize> {
    let is_end = |byte: &u8| *byte <= b' ' || b",;\"'`|&\\<".contains(byte);
    let len = line[start..].iter().position(is_end).unwrap_or(line.len() - start);
    start..start + len
}

/// The number of blanks at the start of `text`.
fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| b" \t".contains(byte)).count()
}

/// Whether only a name precedes the sign and only a value follows, as in YAML and in property files, and the value is
/// not a name in code.
fn fills_line(line: &[u8], at: usize, start: usize, value: &Range<usize>) -> bool {
    let before = line[..at].trim_ascii();
    let before = before.strip_prefix(b"- ").unwrap_or(before).trim_ascii_start();
    let before = before.strip_prefix(b"export ").unwrap_or(before);
    let name = before.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(before);
    if name.is_empty() || !name.iter().all(|byte| name::is_part(*byte)) {
        return false;
    }
    let value = &line[value.clone()];
    if value.iter().any(|byte| *byte <= b' ' || b"\"'`()[]{};,<>|".contains(byte)) {
        return false;
    }
    let is_name = value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte));
    let is_wide = line[at - 1] <= b' ' || (line[at] == b'=' && start > at + 1);
    // `password = password2` is code; `password=word2` and `password: word2` are settings.
    !(is_name && is_wide)
}

/// Whether `name=value` stands alone in a command, a URL or an environment, where a value needs no quotes.
fn is_environment(line: &[u8], at: usize, start: usize) -> bool {
    if line[at] != b'=' || start != at + 1 {
        return false;
    }
    let name = name::ending(&line[..at]);
    match line[..at - name.len()].last() {
        _ if name.is_empty() => false,
        None | Some(b'?' | b'&') => true,
        // An upper-case name, or a flag; code writes `a=b` as well.
        Some(b' ' | b'\t') => name.starts_with(b"-") || name.iter().all(|byte| !byte.is_ascii_lowercase()),
        _ => false,
    }
}

/// Counts the quotes before a position in a line; each quote is counted once, however long the line is.
#[derive(Default)]
struct Quotes {
    at: usize,
    count: usize,
}

impl Quotes {
    /// Whether byte `at` is inside a string. Calls must have ascending positions.
    fn enclose(&mut self, line: &[u8], at: usize) -> bool {
        let quotes = memchr::memchr_iter(b'"', &line[self.at..at]).map(|place| self.at + place);
        self.count += quotes.filter(|place| *place == 0 || line[*place - 1] != b'\\').count();
        self.at = at;
        self.count % 2 == 1
    }
}

/// The kind of value that the word before a sign names, where no type can be between the two.
fn kind_before(before: &[u8], care: Care) -> Option<ValueKind> {
    let before = before.trim_ascii_end();
    let name = name::ending(before.strip_suffix(b"\"").unwrap_or(before));
    if care == Care::SecretLike { name::kind_of(name) } else { name::kind_in_settings(name) }
}

/// The kind of value that the text before an assignment's sign names.
pub fn named(before: &[u8], care: Care) -> Option<ValueKind> {
    let is_part = |byte: &u8| name::is_part(*byte);
    // The last few words, as far as they belong to this assignment: `var secret string =`, `password: str =`.
    let words = before.rsplit(|byte| !is_part(byte)).filter(|word| !word.is_empty());
    let ends = |at: &usize| match before[*at] {
        // A type follows a blank or a colon.
        b'&' => !before[..*at].last().is_none_or(|last| b" :<".contains(last)),
        byte => b",;({?@".contains(&byte),
    };
    let reach = (0..before.len()).rev().find(ends).map_or(0, |at| at + 1);
    let reached = before[reach..].split(|byte| !is_part(byte)).filter(|word| !word.is_empty()).count();
    let kind = if care == Care::SecretLike { name::kind_of } else { name::kind_in_settings };
    words.take(reached.min(3)).find_map(kind)
}

/// Adds all values in a line of a file whose secrets have names of any kind; names and structure stay readable.
pub fn all_values(line: &[u8], found: &mut Vec<Secret>) {
    let text = line.trim_ascii();
    let is_comment = text.starts_with(b"#") || text.starts_with(b"//");
    if text.is_empty()
        || is_comment
        || text.starts_with(b"[")
        || text.starts_with(b"{{")
        || text.starts_with(b"{%")
    {
        return;
    }
    let mut add = |span: Range<usize>| {
        if judge::is_any_value(&line[span.clone()]) {
            found.push(Secret { span, keep: 0, name: IN_FILE });
        }
    };
    let mut from = 0;
    for sign in memchr::memchr2_iter(b'=', b':', line) {
        if sign < from {
            continue;
        }
        let name = line[from..sign].trim_ascii();
        let name = name.trim_ascii_start().rsplit(|byte| b"{,[ ".contains(byte)).next().unwrap_or_default();
        let value = value_of_any(line, sign, from == 0).unwrap_or(sign + 1..sign + 1);
        from = value.end.max(sign + 1);
        let bare: Vec<u8> = name.iter().copied().filter(|byte| !b"\"'-".contains(byte)).collect();
        if !STRUCTURE.iter().any(|it| it.as_bytes().eq_ignore_ascii_case(&bare)) {
            add(value);
        }
    }
    if from == 0 {
        // A list item, or a continuation line of a value.
        let start = line.len() - line.trim_ascii_start().len();
        let start = start + if text.starts_with(b"- ") { 2 } else { 0 };
        add(start..start + line[start..].trim_ascii_end().len());
    }
}

/// Names in Kubernetes manifests and JSON schemas whose values describe the file.
const STRUCTURE: &[&str] = &["apiversion", "kind", "name", "namespace", "type", "version", "$schema"];

/// The value of any name, after the sign at `at`. If the first name has a value without quotes, the value is the rest
/// of the line.
fn value_of_any(line: &[u8], at: usize, is_first: bool) -> Option<Range<usize>> {
    let start = at + 1 + blanks(&line[at + 1..]);
    let quote = *line.get(start)?;
    if b"\"'".contains(&quote) {
        let end = start + 1 + memchr::memchr(quote, &line[start + 1..]).unwrap_or(line.len() - start - 1);
        return Some(start + 1..end);
    }
    let rest = &line[start..];
    // Names and values within braces are processed one by one; a template is a value.
    if quote == b'{' && !rest.starts_with(b"{{") {
        return Some(start..start);
    }
    let is_whole =
        is_first && !line.trim_ascii_start().starts_with(b"{") && !line.trim_ascii_start().starts_with(b"\"");
    let len = if is_whole || rest.starts_with(b"{{") {
        rest.trim_ascii_end().len()
    } else {
        let is_end =
            |byte: &u8| if quote == b'[' { *byte == b']' } else { *byte <= b' ' || b",}]".contains(byte) };
        rest.iter().position(is_end).unwrap_or(rest.trim_ascii_end().len())
    };
    Some(start..start + len)
}

/// The whole line of a file of secrets except for a name at its start.
pub fn value_of(line: &[u8]) -> Option<Secret> {
    let text = line.trim_ascii_end().len();
    let blank = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let mut start = blank;
    if let Some(sign) = memchr::memchr2(b'=', b':', &line[..text]) {
        let name = line[blank.min(sign)..sign].trim_ascii();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-. \"'".contains(byte);
        // A line of base64 may end with `=` but is not a name.
        if name.len() <= 64 && name.iter().all(is_name) && sign + 1 < text && !judge::looks_random(name) {
            start =
                sign + 1 + line[sign + 1..text].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        }
    }
    (start < text).then_some(Secret { span: start..text, keep: 0, name: IN_FILE })
}
