//! Secrets that span lines: a value on the line after its name, the lines of a YAML scalar, and the body of a private
//! key whose first line is missing.

use std::ops::Range;

use memchr::memmem;

use super::file::MaskScope;
use super::secret::{KEY, Secret, SecretBlock};
use super::table::TABLE;
use super::{assign, line, name};

/// The last bytes of a line in which a name is searched, and the first bytes of the next line that may be its value.
const MAX_HEAD: usize = 200;
const MAX_VALUE: usize = 1_000;

/// The shortest line that names a value is `pw:`.
const MIN_OPEN: usize = 3;

/// The most lines of a YAML scalar that can be a secret; a longer scalar is a text.
const MAX_SCALAR: usize = 100;

/// The most lines between the name of a variable of Terraform and its default.
const MAX_VARIABLE: usize = 12;

/// The most lines of a key's body; a longer body is an image or a program.
const MAX_BODY: usize = 250;

/// The fewest base64 characters on a line of a body, except on the last line.
const MIN_WIDTH: usize = 40;

/// The state after the lines read so far: a name whose value may follow.
enum AroundState {
    /// The line may name the value on the next line that is not empty.
    Name(Range<usize>),
    /// The line names all following lines that are indented more than the line itself.
    Scalar(Range<usize>, usize),
    /// The line opens a variable of Terraform, whose default may be one of the next lines.
    Variable(Range<usize>, usize),
}

pub fn find(bytes: &[u8], found: &mut Vec<SecretBlock>) {
    let (mut open, mut body, mut at) = (None, None, 0);
    let may_hold_body = holds_run(bytes);
    for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
        let line = at..end;
        at = end + 1;
        if let Some(head) = open.take() {
            open = follow(bytes, head, line.clone(), found);
        }
        // Nothing follows the last line.
        if open.is_none() && end < bytes.len() {
            open = opens(&bytes[line.clone()], line.start);
        }
        if body.is_some() || (may_hold_body && line.len() >= MIN_WIDTH) {
            extend(bytes, &mut body, line, found);
        }
    }
    close(bytes, body, bytes.len(), found);
}

/// Whether a text may have a line such as `password: |`. Every line for which [`scalar_head`] finds a head is such a line.
pub(crate) fn may_hold_scalar(text: &[u8]) -> bool {
    let is_blank = |byte: &u8| byte.is_ascii_whitespace() && *byte != b'\n';
    memchr::memchr2_iter(b'|', b'>', text).any(|at| {
        let behind = &text[at + 1..];
        let behind = behind.strip_prefix(b"-").or_else(|| behind.strip_prefix(b"+")).unwrap_or(behind);
        let ends_line = behind.iter().find(|byte| !is_blank(byte)).is_none_or(|byte| *byte == b'\n');
        ends_line && text[..at].iter().rev().find(|byte| !is_blank(byte)) == Some(&b':')
    })
}

/// Whether a text may have a line such as `variable "password" {`.
pub(crate) fn may_hold_variable(text: &[u8]) -> bool {
    memmem::find(text, b"variable \"").is_some()
}

/// Whether a line may belong to a [`Base64Body`]: each line of a body but the last has [`MIN_WIDTH`] characters of base64.
pub(crate) fn may_be_body(text: &[u8], line: Range<usize>) -> bool {
    let width = |line: &[u8]| inner(line).map_or(0, |inner| inner.len());
    match width(&text[line.clone()]) {
        0 => false,
        MIN_WIDTH.. => true,
        _ => line_before(text, line.start).is_some_and(|before| width(&text[before]) >= MIN_WIDTH),
    }
}

/// Whether a line contains a secret whose name is on the last line before it that is not blank. This holds if the text has no
/// scalar of several lines.
pub(crate) fn follows_name(text: &[u8], line: Range<usize>) -> bool {
    let line = line.start..line.start + text[line].trim_ascii_end().len();
    let mut before = line_before(text, line.start);
    while let Some(blank) = before.clone().filter(|before| text[before.clone()].trim_ascii().is_empty()) {
        before = line_before(text, blank.start);
    }
    let mut found = Vec::new();
    if let Some(before) = before
        && !text[line.clone()].is_empty()
        && let Some(open) = opens(&text[before.clone()], before.start)
    {
        follow(text, open, line, &mut found);
    }
    !found.is_empty()
}

/// The line that ends before the line at `start`, without its end.
fn line_before(text: &[u8], start: usize) -> Option<Range<usize>> {
    let end = start.checked_sub(1)?;
    Some(memchr::memrchr(b'\n', &text[..end]).map_or(0, |at| at + 1)..end)
}

/// Whether there are [`MIN_WIDTH`] base64 characters in a row, as on the first line of a body. Such a run covers one of the
/// bytes at this distance, so that most bytes of other texts are not looked at.
fn holds_run(bytes: &[u8]) -> bool {
    let mut at = MIN_WIDTH - 1;
    while let Some(window) = bytes.get(..=at) {
        let signs = window.iter().rev().take(MIN_WIDTH).take_while(|byte| is_base64(**byte)).count();
        if signs == MIN_WIDTH {
            return true;
        }
        at += MIN_WIDTH - signs;
    }
    false
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Processes a line while a value is open, and returns the new state.
fn follow(
    bytes: &[u8],
    open: AroundState,
    line: Range<usize>,
    found: &mut Vec<SecretBlock>,
) -> Option<AroundState> {
    let text = &bytes[line.clone()];
    if text.trim_ascii().is_empty() {
        return Some(open);
    }
    match open {
        AroundState::Name(head) => {
            join(bytes, head, line, found);
            None
        }
        AroundState::Scalar(head, lines) => {
            if lines >= MAX_SCALAR || indent(text) <= indent(&bytes[head.clone()]) {
                return None;
            }
            join(bytes, head.clone(), line, found);
            Some(AroundState::Scalar(head, lines + 1))
        }
        AroundState::Variable(head, lines) => {
            let text = text.trim_ascii_start();
            if text.starts_with(b"default") {
                join(bytes, head, line, found);
                return None;
            }
            (lines < MAX_VARIABLE && text != b"}").then_some(AroundState::Variable(head, lines + 1))
        }
    }
}

/// Returns the state after a line at `at` if the line may name a value on the next lines.
fn opens(line: &[u8], at: usize) -> Option<AroundState> {
    let text = line.trim_ascii_end();
    if text.len() < MIN_OPEN {
        return None;
    }
    let from = text.len().saturating_sub(MAX_HEAD);
    let whole = at + from..at + text.len();
    let is_open = match *text.last()? {
        b'=' | b':' => names(&text[from..text.len() - 1]),
        b'>' if text.ends_with(b"=>") => names(&text[from..text.len() - 2]),
        b'>' | b'|' | b'-' | b'+' => {
            let Some(head) = scalar_head(text) else {
                return names_pair(line).then_some(AroundState::Name(whole));
            };
            let is_named = from == 0 && names(&head[..head.len() - 1]);
            return is_named.then(|| AroundState::Scalar(at..at + head.len(), 0));
        }
        b'(' => {
            let before = text[from..text.len() - 1].trim_ascii_end();
            match before.last()? {
                b'=' | b':' => names(&before[..before.len() - 1]),
                _ => name::kind_of(function(name::ending(before))).is_some(),
            }
        }
        b',' => {
            let before = &text[from..text.len() - 1];
            let quote = before.last().filter(|quote| b"\"'".contains(quote));
            let inner = quote.and_then(|quote| {
                let end = before.len() - 1;
                memchr::memrchr(*quote, &before[..end]).map(|start| &before[start + 1..end])
            });
            inner.is_some_and(|inner| name::kind_of(inner).is_some()) || names_pair(line)
        }
        b'{' => {
            let name = text[..text.len() - 1].trim_ascii().strip_prefix(b"variable");
            let name = name.map(<[u8]>::trim_ascii);
            let name =
                name.and_then(|name| name.strip_prefix(b"\"")).and_then(|name| name.strip_suffix(b"\""));
            let is_named = name.is_some_and(|name| name::kind_of(name).is_some());
            return is_named.then_some(AroundState::Variable(whole, 0));
        }
        b'\\' => {
            let before = text[from..text.len() - 1].trim_ascii_end();
            let flag = name::ending(before);
            flag.starts_with(b"--") && name::kind_of(flag).is_some()
        }
        last if last.is_ascii_alphanumeric() || b"\"'_".contains(&last) => names_pair(line),
        // The common case for lines of code.
        _ => false,
    };
    is_open.then_some(AroundState::Name(whole))
}

/// Whether the last name in `text`, before a sign or before a type, is that of a secret.
fn names(text: &[u8]) -> bool {
    assign::named(text, MaskScope::SecretLike).is_some()
}

/// The last part of a dotted path in code.
fn function(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'.').next().unwrap_or(path)
}

/// Returns `password:` for the line `password: >-`.
fn scalar_head(text: &[u8]) -> Option<&[u8]> {
    let head = text.strip_suffix(b"-").or_else(|| text.strip_suffix(b"+")).unwrap_or(text);
    let head = head.strip_suffix(b"|").or_else(|| head.strip_suffix(b">"))?.trim_ascii_end();
    head.ends_with(b":").then_some(head)
}

/// Whether a line is the first half of a pair whose second half is a value: `- name: DB_PASSWORD`, `"name":
/// "DB_PASSWORD",`, `<key>password</key>`.
fn names_pair(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    if !text.first().is_some_and(|first| b"-<\"'nN".contains(first)) {
        return false;
    }
    let text = text.strip_prefix(b"- ").unwrap_or(text);
    if let Some(name) = text.strip_prefix(b"<key>").and_then(|text| text.strip_suffix(b"</key>")) {
        return name::kind_of(name).is_some();
    }
    let text = text.strip_prefix(b"\"").or_else(|| text.strip_prefix(b"'")).unwrap_or(text);
    let Some(rest) = [b"name", b"Name"].iter().find_map(|word| text.strip_prefix(*word)) else {
        return false;
    };
    let name = rest.trim_ascii_start().strip_prefix(b"\"").unwrap_or(rest).trim_ascii_start();
    let Some(name) = name.strip_prefix(b":").or_else(|| name.strip_prefix(b"=")) else { return false };
    let is_quote = |byte: &u8| b"\"', \t".contains(byte);
    let start = name.iter().position(|byte| !is_quote(byte)).unwrap_or(name.len());
    let end = name.iter().rposition(|byte| !is_quote(byte)).map_or(start, |last| last + 1);
    let name = &name[start..end.max(start)];
    !name.is_empty() && name.iter().all(|byte| name::is_part(*byte)) && name::kind_of(name).is_some()
}

/// Adds the secrets of a line after the line `head`, as if both were one line.
fn join(bytes: &[u8], head: Range<usize>, line: Range<usize>, found: &mut Vec<SecretBlock>) {
    let text = &bytes[line.clone()];
    let value_at = line.start + indent(text);
    let value = text.trim_ascii();
    let value = &value[..value.len().min(MAX_VALUE)];
    let mut joined = head_of(&bytes[head], value);
    joined.push(b' ');
    let start = joined.len();
    let rest = pair_value(value);
    joined.extend_from_slice(&value[rest..]);
    let mut secrets: Vec<Secret> = Vec::new();
    line::find(&joined, &mut secrets);
    for secret in secrets.into_iter().filter(|secret| secret.span.start >= start) {
        let from = value_at + rest + secret.span.start + secret.keep - start;
        let to = value_at + rest + secret.span.end - start;
        found.push(SecretBlock { span: from as u64..to as u64, name: secret.name });
    }
}

/// The text of a line that names a value, in the form that it would have on the line of the value.
fn head_of(head: &[u8], value: &[u8]) -> Vec<u8> {
    let head = head.trim_ascii();
    let head = head.strip_suffix(b"\\").unwrap_or(head).trim_ascii_end();
    // `NAME = (`
    let head = match head.strip_suffix(b"(").map(<[u8]>::trim_ascii_end) {
        Some(before) if before.ends_with(b"=") || before.ends_with(b":") => before,
        _ => head,
    };
    // `- name: DB_PASSWORD` becomes `DB_PASSWORD:`.
    if pair_value(value) > 0 {
        let head = head.trim_ascii_end();
        let end = head.iter().rposition(|byte| byte.is_ascii_alphanumeric()).map_or(0, |last| last + 1);
        return [name::ending(&head[..end]), b":"].concat();
    }
    head.to_vec()
}

/// The start of the value in a line that is the second half of a pair, such as `value: x`; 0 for any other line.
fn pair_value(text: &[u8]) -> usize {
    let bare = text.strip_prefix(b"\"").or_else(|| text.strip_prefix(b"'")).unwrap_or(text);
    if let Some(rest) =
        [b"value".as_slice(), b"Value", b"default"].iter().find_map(|word| bare.strip_prefix(*word))
    {
        let signs = rest.iter().take_while(|byte| b"\"':= \t".contains(byte)).count();
        // The quotes of the value belong to it.
        let quotes = rest[..signs].iter().rev().take_while(|byte| b"\"'".contains(byte)).count();
        let has_sign = rest[..signs].iter().any(|byte| b":=".contains(byte));
        return if has_sign { text.len() - rest.len() + signs - quotes } else { 0 };
    }
    0
}

fn indent(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Consecutive lines that contain only base64.
struct Base64Body {
    start: usize,
    end: usize,
    lines: usize,
    /// The number of characters on the first line.
    width: usize,
    /// Whether the body has ended with a shorter line.
    is_over: bool,
    /// Whether the first line begins as a private key does.
    is_key: bool,
}

impl Base64Body {
    /// Whether a line of base64 continues the body.
    fn takes(&self, line: &[u8]) -> bool {
        let is_last = line.len() < self.width && !line.iter().all(u8::is_ascii_lowercase);
        line.len() == self.width || is_last || (self.is_key && line.len() >= MIN_WIDTH)
    }
}

/// Adds a line to the open body, or closes the body.
fn extend(bytes: &[u8], body: &mut Option<Base64Body>, line: Range<usize>, found: &mut Vec<SecretBlock>) {
    let text = &bytes[line.clone()];
    let inner = inner(text);
    if let (Some(inner), Some(open)) = (&inner, body.as_mut())
        && !open.is_over
        && open.takes(&text[inner.clone()])
    {
        open.end = line.start + inner.end;
        open.lines += 1;
        // The first line may be shorter because other text was before it.
        open.is_over = inner.len() < open.width.min(MIN_WIDTH) || (inner.len() < open.width && !open.is_key);
        return;
    }
    close(bytes, body.take(), line.start, found);
    let Some(inner) = inner.filter(|inner| inner.len() >= MIN_WIDTH && is_mixed(&text[inner.clone()])) else {
        return;
    };
    let is_key = TABLE.is_key(&text[inner.clone()]);
    let (start, end) = (line.start + inner.start, line.start + inner.end);
    *body = Some(Base64Body { start, end, lines: 1, width: inner.len(), is_over: false, is_key });
}

/// Closes a body whose last line ends before `next`, and adds the body if it belongs to a private key.
fn close(bytes: &[u8], body: Option<Base64Body>, next: usize, found: &mut Vec<SecretBlock>) {
    let Some(body) = body else { return };
    let behind = &bytes[next..bytes.len().min(next + 80)];
    let behind = &behind[..memchr::memchr(b'\n', behind).unwrap_or(behind.len())];
    let ends = memmem::find(behind, b"-- END").or_else(|| memmem::find(behind, b"--END")).is_some();
    let ends_key = ends && memmem::find(behind, b"PRIVATE KEY").is_some();
    // OpenSSL writes 64 characters on a line, OpenSSH 70.
    let is_likely = [64, 70].contains(&body.width) && body.lines >= 3 && body.lines <= MAX_BODY && !ends;
    if (body.is_key || ends_key || is_likely) && !has_head(&bytes[..body.start]) {
        found.push(SecretBlock { span: body.start as u64..body.end as u64, name: KEY });
    }
}

/// Whether the first line of a PEM text closely precedes a body, and so tells what the body is.
fn has_head(before: &[u8]) -> bool {
    let before = &before[before.len().saturating_sub(500)..];
    let last = |mark: &[u8]| memmem::rfind(before, mark);
    last(b"--BEGIN").or_else(|| last(b"-- BEGIN")) > last(b"--END").or_else(|| last(b"-- END"))
}

/// The range of base64 in a line that otherwise contains only quotes and signs that join strings.
fn inner(line: &[u8]) -> Option<Range<usize>> {
    let is_quote = |byte: &u8| b" \t\r\"'`,;+".contains(byte);
    let start = line.iter().position(|byte| !b" \t\"'`".contains(byte))?;
    let end = line.iter().rposition(|byte| !is_quote(byte))? + 1;
    // `+` is a base64 character and also joins strings.
    let quote = line[end..].iter().any(|byte| b"\"'`".contains(byte));
    let end = if quote { end } else { end + line[end..].iter().take_while(|byte| **byte == b'+').count() };
    let mut text = line.get(start..end)?;
    for escape in [b"\\n", b"\\r"] {
        text = text.strip_suffix(escape).unwrap_or(text);
    }
    (!text.is_empty() && text.iter().all(|byte| is_base64(*byte))).then(|| start..start + text.len())
}

/// Whether a line of base64 has letters of both cases and digits, as nearly all lines of a key have.
fn is_mixed(text: &[u8]) -> bool {
    let has = |of: fn(&u8) -> bool| text.iter().any(of);
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_found_wherever_it_begins() {
        for before in 0..100 {
            for len in [MIN_WIDTH - 1, MIN_WIDTH, MIN_WIDTH + 1, 3 * MIN_WIDTH] {
                let text =
                    ["let x ".repeat(20)[..before].to_string(), ".".into(), "aB3/".repeat(40)[..len].into()];
                for end in ["", ";\n", " and more text after the run"] {
                    assert_eq!(
                        holds_run([&text.concat(), end].concat().as_bytes()),
                        len >= MIN_WIDTH,
                        "{before} {len}"
                    );
                }
            }
        }
        assert!(!holds_run(b""));
    }
}
