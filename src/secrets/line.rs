//! The secrets of one line: tokens by the texts they start with, values by the names they are assigned to.

use std::ops::Range;

use super::judge::{self, Kind};
use super::table::{Rule, TABLE};
use super::{IN_FILE, Secret};

/// No name is longer; it and what stands between it and its value are looked for in as many bytes before the sign.
const MOST_BEFORE: usize = 96;

/// Adds what `line` holds.
pub fn find(line: &[u8], found: &mut Vec<Secret>) {
    tokens(line, found);
    assignments(line, found);
}

/// Tokens of an issuer's form.
fn tokens(line: &[u8], found: &mut Vec<Secret>) {
    let mut tried: Vec<usize> = Vec::new();
    for start in TABLE.starts.find_iter(line) {
        let rule = TABLE.rule_of[start.pattern().as_usize()];
        if !tried.contains(&rule) {
            tried.push(rule);
        }
    }
    for rule in tried.into_iter().map(|place| &TABLE.rules[place]) {
        for value in values(rule, line) {
            let body = &line[(value.start + rule.keep).min(value.end)..value.end];
            if is_meant(rule, body) {
                found.push(Secret { span: value, keep: rule.keep, name: rule.name });
            }
        }
    }
}

/// Where a rule's values stand.
fn values(rule: &Rule, line: &[u8]) -> Vec<Range<usize>> {
    let all = rule.regex().captures_iter(line);
    all.filter_map(|groups| groups.get(1).or(groups.get(0)).map(|value| value.range())).collect()
}

fn is_meant(rule: &Rule, body: &[u8]) -> bool {
    if rule.password {
        return judge::is_secret(Kind::Password, body, true);
    }
    !judge::is_placeholder(body) && (!rule.random || judge::looks_random(body))
}

/// Values that are assigned to names of secrets.
fn assignments(line: &[u8], found: &mut Vec<Secret>) {
    let mut from = 0;
    for sign in memchr::memchr2_iter(b'=', b':', line) {
        if sign < from {
            continue;
        }
        let Some((value, quoted)) = value_after(line, sign) else { continue };
        // Most lines end here: what follows is too short to be anything.
        if value.len() < 8 {
            continue;
        }
        let Some(kind) = named(&line[sign.saturating_sub(MOST_BEFORE)..sign]) else { continue };
        if judge::is_secret(kind, &line[value.clone()], quoted) {
            let name = if kind == Kind::Password { "password" } else { "key or token" };
            from = value.end;
            found.push(Secret { span: value, keep: 0, name });
        }
    }
}

/// The value behind the sign at `at`, and whether it is in quotes.
fn value_after(line: &[u8], at: usize) -> Option<(Range<usize>, bool)> {
    let is_blank = |byte: &u8| b" \t".contains(byte);
    let mut start = at + 1;
    // `=>`, `==`, `:=`.
    while line.get(start).is_some_and(|byte| b"=>~".contains(byte)) {
        start += 1;
    }
    start += line[start..].iter().take_while(|byte| is_blank(byte)).count();
    // A prefix of a string, such as Python's `b"` or a Rust `r"`.
    if line.get(start).is_some_and(u8::is_ascii_alphabetic)
        && line.get(start + 1).is_some_and(|byte| b"\"'".contains(byte))
    {
        start += 1;
    }
    // Quotes may themselves stand in a string.
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
        return Some((start..end, true));
    }
    // Without quotes it goes on to a blank or to what cannot be a part of it.
    let is_end = |byte: &u8| *byte <= b' ' || b",;\"'`|&".contains(byte);
    let len = line[start..].iter().position(is_end).unwrap_or(line.len() - start);
    Some((start..start + len, false))
}

/// What the text before an assignment's sign is the name of, if of a secret.
fn named(before: &[u8]) -> Option<Kind> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    // The last few words, as far as they belong to this assignment: `var secret string =`, `password: str =`.
    let words = before.rsplit(|byte| !is_part(byte)).filter(|word| !word.is_empty());
    let ends = |at: &usize| match before[*at] {
        // What follows a blank or a colon is a type.
        b'&' => !before[..*at].last().is_none_or(|last| b" :<".contains(last)),
        byte => b",;({?@".contains(&byte),
    };
    let reach = (0..before.len()).rev().find(ends).map_or(0, |at| at + 1);
    let reached = before[reach..].split(|byte| !is_part(byte)).filter(|word| !word.is_empty()).count();
    words.take(reached.min(3)).find_map(kind_of)
}

/// What a name is the name of, if of a secret.
fn kind_of(name: &[u8]) -> Option<Kind> {
    let plain: String = name
        .iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .map(|byte| byte.to_ascii_lowercase() as char)
        .collect();
    let words = &TABLE.assignment;
    let held = |parts: &[String]| parts.iter().any(|part| plain.contains(part.as_str()));
    let kind = if held(&words.passwords) {
        Kind::Password
    } else if held(&words.keys) {
        Kind::Key
    } else {
        return None;
    };
    (!is_about(name, &plain)).then_some(kind)
}

/// Whether the last word of a name says that it is something about a secret.
fn is_about(name: &[u8], plain: &str) -> bool {
    let words = &TABLE.assignment;
    let last = last_word(name).to_ascii_lowercase();
    let is_word = |word: &String| word.as_bytes() == last;
    // `passwordhash` has no seam to be cut at.
    let is_end = |word: &String| word.len() >= 4 && plain.ends_with(word.as_str());
    words.about.iter().any(|word| is_word(word) || is_end(word))
}

/// The last word of a name with underscores or capitals.
fn last_word(name: &[u8]) -> &[u8] {
    let name =
        name.rsplit(|byte| !byte.is_ascii_alphanumeric()).find(|part| !part.is_empty()).unwrap_or(name);
    let capital =
        (1..name.len()).rev().find(|at| name[*at].is_ascii_uppercase() && name[*at - 1].is_ascii_lowercase());
    &name[capital.unwrap_or(0)..]
}

/// All of a line of a file of secrets but the name in front, if it has one.
pub fn value_of(line: &[u8]) -> Option<Secret> {
    let text = line.len() - line.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    let blank = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let mut start = blank;
    if let Some(sign) = memchr::memchr2(b'=', b':', &line[..text]) {
        let name = line[blank.min(sign)..sign].trim_ascii();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-. \"'".contains(byte);
        // A line of base64 ends with `=` and is no name.
        if name.len() <= 64 && name.iter().all(is_name) && sign + 1 < text && !judge::looks_random(name) {
            start =
                sign + 1 + line[sign + 1..text].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        }
    }
    (start < text).then_some(Secret { span: start..text, keep: 0, name: IN_FILE })
}
