//! Values that a blank separates from their names: `--password x`, `ENV API_KEY x`, `setx API_KEY x`.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::assign::{MIN_VALUE, bare};
use super::file::Care;
use super::judge::{self, Stand};
use super::name;
use super::secret::Secret;

/// The text before a flag's name.
static FLAG: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" -"));

/// Words at the start of a line that assign a value to a name.
const SETTERS: &[&str] = &["ENV", "ARG", "set", "setx", "setenv", "export", "#define", "define"];

/// Adds the secrets of `line`.
pub fn find(line: &[u8], care: Care, found: &mut Vec<Secret>) {
    if care != Care::SecretLike {
        return;
    }
    setting(line, found);
    flags(line, found);
}

/// Finds `ENV NAME VALUE`.
fn setting(line: &[u8], found: &mut Vec<Secret>) {
    let start = line.len() - line.trim_ascii_start().len();
    if !line.get(start).is_some_and(|first| b"EAse#d".contains(first)) {
        return;
    }
    let first = word(line, start);
    if !SETTERS.iter().any(|setter| setter.as_bytes() == &line[first.clone()]) {
        return;
    }
    let mut at = skip(line, first.end);
    // Flags, such as those of fish's `set -gx`.
    while line.get(at) == Some(&b'-') {
        at = skip(line, word(line, at).end);
    }
    let name = word(line, at);
    value(line, &line[name.clone()], name.end, found);
}

/// Finds `--name VALUE` and `-name VALUE`.
fn flags(line: &[u8], found: &mut Vec<Secret>) {
    for at in FLAG.find_iter(line) {
        let flag = word(line, at + 1);
        let name = line[flag.clone()].trim_ascii_start();
        // Short flags have no name.
        if name.len() > 3 && !name.contains(&b'=') {
            value(line, name, flag.end, found);
        }
    }
}

/// Adds the value after a name that ends at `end`.
fn value(line: &[u8], name: &[u8], end: usize, found: &mut Vec<Secret>) {
    let start = skip(line, end);
    if start == end || name.is_empty() || !name.iter().all(|byte| name::is_part(*byte)) {
        return;
    }
    let quote = line.get(start).filter(|byte| b"\"'".contains(byte));
    let value = match quote {
        Some(quote) => match memchr::memchr(*quote, &line[start + 1..]) {
            Some(len) => start + 1..start + 1 + len,
            None => return,
        },
        None => bare(line, start),
    };
    if value.len() < MIN_VALUE {
        return;
    }
    let stand = if quote.is_some() { Stand::Quoted } else { Stand::Literal };
    if let Some(kind) =
        name::kind_of(name).filter(|kind| judge::is_secret(*kind, &line[value.clone()], stand))
    {
        found.push(Secret { span: value, keep: 0, name: kind.label() });
    }
}

/// The range of the word at `at`.
fn word(line: &[u8], at: usize) -> std::ops::Range<usize> {
    let len = line[at..].iter().position(|byte| *byte <= b' ').unwrap_or(line.len() - at);
    at..at + len
}

/// The end of the blanks at `at`.
fn skip(line: &[u8], at: usize) -> usize {
    at + line[at..].iter().take_while(|byte| b" \t".contains(byte)).count()
}
