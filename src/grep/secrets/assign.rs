//! Values that are assigned to names: `name = value`, `name: value`, `name=value`, `"name" => "value"`.

use std::ops::Range;

use memchr::memmem;

use super::file::MaskScope;
use super::judge::{self, ValueContext, ValueKind};
use super::name;
use super::secret::{IN_FILE, Secret};

/// The most bytes of an assignment's name and of the text between the name and the sign.
const MAX_BEFORE: usize = 96;

/// The shortest value that can be recognized as a secret by its form.
pub(crate) const MIN_VALUE: usize = 8;
/// The shortest value that is masked in a file whose name announces secrets.
const MIN_IN_SETTINGS: usize = 3;

/// The most bytes of a value without quotes and of a string that are looked at, so that the time for a long line grows with its
/// length.
const MAX_WORD: usize = 1_100;
const MAX_STRING: usize = 16 << 10;

/// Adds the secrets that `line` assigns.
pub fn find(line: &[u8], scope: MaskScope, found: &mut Vec<Secret>) {
    let least = if scope == MaskScope::SecretLike { MIN_VALUE } else { MIN_IN_SETTINGS };
    let (mut from, mut quotes) = (0, Quotes::default());
    for sign in memchr::memchr2_iter(b'=', b':', line) {
        if sign < from || is_path_sign(line, sign) {
            continue;
        }
        let Some(start) = value_start(line, sign) else { continue };
        // The common case: the value is too short to be a secret.
        if line[start..].iter().take(least).take_while(|byte| **byte > b' ').count() < least {
            continue;
        }
        let before = &line[sign.saturating_sub(MAX_BEFORE)..sign];
        let Some(kind) = named(before, scope) else { continue };
        let is_meant = |(value, value_context): &(Range<usize>, ValueContext)| {
            let text = &line[value.clone()];
            text.len() >= least
                && (*value_context != ValueContext::Literal || kind_before(before, scope).is_some())
                && (judge::is_secret(kind, text, *value_context)
                    || (scope != MaskScope::SecretLike && judge::is_given(text, *value_context)))
        };
        if let Some((value, _)) = values_at(line, sign, start, &mut quotes).into_iter().find(is_meant) {
            from = value.end;
            found.push(Secret { span: value, keep: 0, name: kind.label() });
        }
    }
}

/// Whether a colon belongs to a path in code, such as `token::Kind`.
fn is_path_sign(line: &[u8], at: usize) -> bool {
    line[at] == b':' && (line.get(at + 1) == Some(&b':') || (at > 0 && line[at - 1] == b':'))
}

/// The start of the value after the sign at `at`, with its quote.
fn value_start(line: &[u8], at: usize) -> Option<usize> {
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
    (start < line.len()).then_some(start)
}

/// The values that may begin at `start`, after the sign at `at`, and the context of each; the longest first. A format
/// without quotes says little of where a value ends: a value that contains signs of code is one only if it looks drawn.
fn values_at(line: &[u8], at: usize, start: usize, quotes: &mut Quotes) -> Vec<(Range<usize>, ValueContext)> {
    let whole = start..start + word_len(&line[start..]);
    let is_drawn = |value: &Range<usize>| judge::is_generated(&line[value.clone()]);
    let is_alone = stands_alone(line, at);
    let mut values = Vec::new();
    if let Some(value) = quoted(line, start) {
        // A setting may have a quote within its quotes, and nothing behind them.
        let rest = line[start + 1..whole.end].trim_ascii_end();
        let rest = rest.strip_suffix(b",").or_else(|| rest.strip_suffix(b";")).unwrap_or(rest);
        let to_last = start + 1..start + rest.len();
        if is_alone && rest.ends_with(&line[start..=start]) && to_last.end > value.end && is_drawn(&to_last) {
            values.push((to_last, ValueContext::Quoted));
        }
        values.push((value, ValueContext::Quoted));
        return values;
    }
    let value = bare(line, start);
    let is_in_string = quotes.enclose(line, at);
    if is_alone && !is_code(&line[whole.clone()], is_wide(line, at, start)) {
        return vec![(whole, ValueContext::Literal)];
    }
    let is_literal = is_in_string || is_environment(line, at, start);
    if is_alone || is_literal || is_tight(line, at, start) {
        // The value ends where the string around it does, where the next pair of a list begins, or at a blank.
        let end =
            enclosing_quote(line, at, is_in_string).and_then(|quote| string_end(line, start, quote, false));
        let whole = start..end.map_or(whole.end, |end| end.min(whole.end));
        let pair = memchr::memchr2(b'&', b';', &line[whole.clone()]).map(|len| start..start + len);
        let is_followed = |pair: &Range<usize>| {
            let behind = &line[pair.end + 1..whole.end];
            let name = behind.iter().take_while(|byte| name::is_part(**byte)).count();
            (name > 1 && behind.get(name) == Some(&b'=')) || (behind.is_empty() && line[pair.end] == b';')
        };
        let end = pair.filter(is_followed).unwrap_or(whole);
        values.extend(Some(end).filter(is_drawn).map(|value| (value, ValueContext::Literal)));
    }
    values.push((value, if is_literal { ValueContext::Literal } else { ValueContext::Code }));
    values
}

/// The values that may begin at `start` where a blank separates a value from its name, the longest first.
pub(crate) fn words_at(line: &[u8], start: usize) -> Vec<(Range<usize>, ValueContext)> {
    if let Some(value) = quoted(line, start) {
        return vec![(value, ValueContext::Quoted)];
    }
    let whole = start..start + word_len(&line[start..]);
    let drawn = judge::is_generated(&line[whole.clone()]).then_some(whole);
    drawn.into_iter().chain([bare(line, start)]).map(|value| (value, ValueContext::Literal)).collect()
}

/// The number of bytes before the first blank, or more than a secret has.
fn word_len(text: &[u8]) -> usize {
    let text = &text[..text.len().min(MAX_WORD)];
    text.iter().position(|byte| *byte <= b' ').unwrap_or(text.len())
}

/// The text within the quotes that open at `start`.
pub fn quoted(line: &[u8], start: usize) -> Option<Range<usize>> {
    let quote = *line.get(start).filter(|quote| b"\"'`".contains(quote))?;
    let is_escaped = start > 0 && line[start - 1] == b'\\';
    // Three quotes open the strings of several lines.
    let three = [quote; 3];
    if line[start..].starts_with(&three) {
        let text = &line[start + 3..line.len().min(start + MAX_STRING)];
        return Some(
            start + 3..start + 3 + memmem::find(text, &three).unwrap_or(text.trim_ascii_end().len()),
        );
    }
    string_end(line, start + 1, quote, is_escaped).map(|end| start + 1..end)
}

/// The end of the string that begins at `start`. A quote within the string is escaped by a backslash, or doubled; in a string
/// within a string the quotes at the ends have one backslash, those between them more.
fn string_end(line: &[u8], start: usize, quote: u8, is_escaped: bool) -> Option<usize> {
    let (mut first, mut from) = (None, start);
    let line = &line[..line.len().min(start + MAX_STRING)];
    while let Some(len) = memchr::memchr(quote, &line[from..]) {
        let at = from + len;
        from = at + 1;
        let backslashes = line[start..at].iter().rev().take_while(|byte| **byte == b'\\').count();
        if is_escaped {
            first = first.or(Some(at - backslashes.min(1)));
            if backslashes == 1 {
                return Some(at - 1);
            }
            continue;
        }
        if backslashes % 2 == 1 && quote != b'`' {
            first = first.or(Some(at));
            continue;
        }
        let behind = &line[from..];
        if at > start && behind.first() == Some(&quote) {
            from += 1;
        } else if quote == b'\'' && behind.starts_with(b"\\''") {
            from += 3;
        } else if at > start
            && behind.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_$@#^~!".contains(byte))
            && judge::is_generated(&line[start..from + word_len(behind)])
        {
            first = first.or(Some(at));
        } else {
            return Some(at);
        }
    }
    first
}

/// A value without quotes: it ends at a blank, or at a character that cannot be part of a value.
fn bare(line: &[u8], start: usize) -> Range<usize> {
    let is_end = |byte: &u8| *byte <= b' ' || b",;\"'`|&\\<".contains(byte);
    let len = line[start..].iter().position(is_end).unwrap_or(line.len() - start);
    start..start + len
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|byte| b" \t".contains(byte)).count()
}

/// Whether only a name precedes the sign, as in YAML, in property files and in environments.
fn stands_alone(line: &[u8], at: usize) -> bool {
    let mut before = line[..at].trim_ascii();
    for word in [b"- ".as_slice(), b"export ", b"set ", b"ENV ", b"ARG "] {
        before = before.strip_prefix(word).unwrap_or(before).trim_ascii_start();
    }
    let name = before.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(before);
    !name.is_empty() && name.iter().all(|byte| name::is_part(*byte))
}

/// Whether blanks surround the sign at `at`, as people write code.
fn is_wide(line: &[u8], at: usize, start: usize) -> bool {
    at > 0 && (line[at - 1] <= b' ' || (line[at] == b'=' && start > at + 1))
}

/// Whether a value without quotes may be code: it contains signs of code and does not look drawn, or it is a name.
fn is_code(value: &[u8], is_wide: bool) -> bool {
    if value.iter().any(|byte| b"\"'`()[]{};,<>|&".contains(byte)) {
        return !judge::is_generated(value);
    }
    let is_name = value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(byte));
    // `password = password2` is code; `password=word2` and `password: word2` are settings.
    is_name && is_wide
}

/// Whether `name=value` has no blanks around its sign, and stands behind a blank, a quote or a sign of a list or a URL.
fn is_tight(line: &[u8], at: usize, start: usize) -> bool {
    let name = name::ending(&line[..at]);
    let before = line[..at - name.len()].last();
    !name.is_empty()
        && line[at] == b'='
        && start == at + 1
        && before.is_none_or(|before| b" \t\"'`?&;:/,".contains(before))
}

/// The quote of the string around the assignment at `at`, if its name begins the string or the line says so.
fn enclosing_quote(line: &[u8], at: usize, is_in_string: bool) -> Option<u8> {
    let name = name::ending(&line[..at]);
    let before = line[..at - name.len()].last().copied();
    before.filter(|before| b"\"'`".contains(before)).or(is_in_string.then_some(b'"'))
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
fn kind_before(before: &[u8], scope: MaskScope) -> Option<ValueKind> {
    let before = before.trim_ascii_end();
    let name = name::ending(before.strip_suffix(b"\"").unwrap_or(before));
    if scope == MaskScope::SecretLike { name::kind_of(name) } else { name::kind_in_settings(name) }
}

/// The kind of value that the text before an assignment's sign names.
pub fn named(before: &[u8], scope: MaskScope) -> Option<ValueKind> {
    let is_part = |byte: &u8| name::is_part(*byte);
    // The accessors of a property of C#.
    let before = memmem::rfind(before, b"{ get;").map_or(before, |accessors| &before[..accessors]);
    // The last few words, as far as they belong to this assignment: `var secret string =`, `password: str =`.
    let words = before.rsplit(|byte| !is_part(byte)).filter(|word| !word.is_empty());
    let ends = |at: &usize| match before[*at] {
        // A type follows a blank or a colon.
        b'&' => !before[..*at].last().is_none_or(|last| b" :<".contains(last)),
        byte => b",;({?@".contains(&byte),
    };
    let reach = (0..before.len()).rev().find(ends).map_or(0, |at| at + 1);
    let reached = before[reach..].split(|byte| !is_part(byte)).filter(|word| !word.is_empty()).count();
    let kind = if scope == MaskScope::SecretLike { name::kind_of } else { name::kind_in_settings };
    words.take(reached.min(3)).find_map(kind)
}

/// Adds all values in a line of a file whose secrets have names of any kind; names and structure stay readable.
pub(crate) fn all_values(line: &[u8], found: &mut Vec<Secret>) {
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
