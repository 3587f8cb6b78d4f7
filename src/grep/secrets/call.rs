//! Strings that are not assigned to a name but have a name next to them: `set_password("x")`, `getenv("API_KEY", "x")`,
//! `#define API_KEY "x"`, `"name": "API_KEY", "value": "x"`, `process.env.API_KEY || "x"`.

use std::ops::Range;

use super::assign::{self, MIN_VALUE};
use super::file::MaskScope;
use super::judge::{self, ValueContext, ValueKind};
use super::name;
use super::secret::Secret;

/// The largest distance in bytes between a name and its value.
const MAX_GAP: usize = 48;

/// Functions whose argument names the secret to fetch: `get_secret("db-password-2")`.
const GETTERS: &[&str] = &[
    "get", "find", "fetch", "lookup", "load", "read", "list", "describe", "delete", "remove", "parse",
    "next", "expect", "peek", "has", "is", "new", "test", "check", "assert",
];

/// Operators between an environment variable and its default value.
const FALLBACKS: [&[u8]; 5] = [b"||", b"??", b"?:", b" or", b"||="];

/// Names of the value in a pair such as `"name": "API_KEY", "value": "x"`.
const VALUE_NAMES: [&[u8]; 4] = [b"value", b"Value", b"default", b"VALUE"];

/// Adds the secrets among the strings of `line`.
pub fn find(line: &[u8], scope: MaskScope, found: &mut Vec<Secret>) {
    // The previous strings, which may name the next one.
    let mut before: [Option<Range<usize>>; 2] = [None, None];
    let mut from = 0;
    while let Some(at) = memchr::memchr3(b'"', b'\'', b'`', &line[from..]) {
        let open = from + at;
        let Some(text) = string_at(line, open) else {
            from = open + 1;
            continue;
        };
        from = (text.end + 1).min(line.len());
        if is_candidate(&line[text.clone()], scope)
            && let Some(kind) = kind_at(line, open, &before, scope)
        {
            let value = &line[text.clone()];
            if judge::is_secret(kind, value, ValueContext::Quoted)
                || (scope != MaskScope::SecretLike && judge::is_given(value, ValueContext::Quoted))
            {
                found.push(Secret { span: text.clone(), keep: 0, name: kind.label() });
            }
        }
        before = [before[1].take(), Some(text)];
    }
}

/// The contents of the string whose opening quote is at `open`.
fn string_at(line: &[u8], open: usize) -> Option<Range<usize>> {
    let quote = line[open];
    // An apostrophe, or the lifetime of a reference.
    if quote == b'\'' && open > 0 && (line[open - 1] == b'&' || is_word_before(line, open)) {
        return None;
    }
    assign::quoted(line, open)
}

/// Whether the text before a quote is a letter that is not a string prefix.
fn is_word_before(line: &[u8], open: usize) -> bool {
    let word = line[..open].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    word > 1 || (word == 1 && !b"bruRNLfB".contains(&line[open - 1]))
}

/// Whether a text begins with a backquote, a name and `=`.
fn is_quoted_assignment(text: &[u8]) -> bool {
    let Some(code) = text.strip_prefix(b"`") else { return false };
    let name = code.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    name > 0 && code[0].is_ascii_alphabetic() && code.get(name) == Some(&b'=')
}

/// Whether a string may be a secret at all; most are words or text.
fn is_candidate(text: &[u8], scope: MaskScope) -> bool {
    if scope != MaskScope::SecretLike {
        return text.len() >= 3;
    }
    (MIN_VALUE..=1_000).contains(&text.len())
        && text.iter().any(|byte| !byte.is_ascii_lowercase() && !b"_-./ ".contains(byte))
        && !text.contains(&b' ')
}

/// The kind of value that the text before the string names.
fn kind_at(
    line: &[u8],
    open: usize,
    before: &[Option<Range<usize>>; 2],
    scope: MaskScope,
) -> Option<ValueKind> {
    let kind_of = if scope == MaskScope::SecretLike { name::kind_of } else { name::kind_in_settings };
    let prefix =
        open - usize::from(open > 0 && line[open - 1].is_ascii_alphabetic() && !is_word_before(line, open));
    // The quote is escaped.
    let prefix = prefix - usize::from(prefix > 0 && line[prefix - 1] == b'\\');
    let text = line[..prefix].trim_ascii_end();
    let is_apart = text.len() < prefix;
    let by_call = || text.strip_suffix(b"(").and_then(|callee| callee_kind(callee, kind_of));
    let by_word = || {
        let word = if is_apart { name::ending(text) } else { b"" };
        let is_option = word.starts_with(b"-") && !word.starts_with(b"--");
        // An assignment in backquotes after this verb is code, such as `MODE=fast`.
        let is_verb = word.eq_ignore_ascii_case(b"pass") && is_quoted_assignment(&line[open..]);
        if is_option || is_verb { None } else { kind_of(word) }
    };
    let by_fallback = || {
        let operator = FALLBACKS.iter().find(|operator| text.ends_with(operator))?;
        let text = text[..text.len() - operator.len()].trim_ascii_end();
        kind_of(name::ending(text.strip_suffix(b"]").unwrap_or(text)))
    };
    by_call().or_else(by_word).or_else(by_fallback).or_else(|| by_string(line, prefix, before, kind_of))
}

/// The kind of value that a function takes, by the function's name.
fn callee_kind(callee: &[u8], kind_of: fn(&[u8]) -> Option<ValueKind>) -> Option<ValueKind> {
    let path = name::ending(callee.trim_ascii_end());
    let function = path.rsplit(|byte| *byte == b'.').next()?;
    let first = name::first_word(function);
    let is_getter = first.len() < function.len()
        && GETTERS.iter().any(|verb| verb.as_bytes().eq_ignore_ascii_case(first));
    if is_getter { None } else { kind_of(function) }
}

/// The kind of value that an earlier string names: the string just before, or the one before `"value":`.
fn by_string(
    line: &[u8],
    open: usize,
    before: &[Option<Range<usize>>; 2],
    kind_of: fn(&[u8]) -> Option<ValueKind>,
) -> Option<ValueKind> {
    let [second, first] = before;
    let first = first.clone()?;
    let is_value = VALUE_NAMES.contains(&&line[first.clone()]);
    let named = if is_value { second.clone()? } else { first };
    let name = &line[named.clone()];
    let gap = line.get(named.end + 1..open)?;
    let is_gap = |byte: &u8| byte.is_ascii_alphanumeric() || b"_ .,()|?:=&>!-[]\"'\t".contains(byte);
    if gap.len() > MAX_GAP
        || !gap.iter().all(is_gap)
        || name.len() < 2
        || !name.iter().all(|byte| name::is_part(*byte))
    {
        return None;
    }
    // The value belongs to another name: `"secrets", Name: "x"`.
    let end = gap.trim_ascii_end();
    if let Some(other) = end.strip_suffix(b":").or_else(|| end.strip_suffix(b"="))
        && let other = name::ending(other.trim_ascii_end())
        && !(other.is_empty() || is_value || VALUE_NAMES.contains(&other))
    {
        return None;
    }
    // In `"token": "a", "b"` the second string does not belong to the name, and neither does `"x"` in `a == "token" &&
    // b == "x"`.
    let has_sign = gap.iter().any(|byte| b",:=|?(".contains(byte));
    let compares = memchr::memmem::find(gap, b"==").is_some() || memchr::memmem::find(gap, b"&&").is_some();
    (has_sign && !compares).then(|| kind_of(name)).flatten()
}
