//! Values that a blank separates from their names: `--password x`, `ENV API_KEY x`, `setx API_KEY x`.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::assign::{self, MIN_VALUE};
use super::file::MaskScope;
use super::judge::{self, ValueContext};
use super::name;
use super::secret::Secret;

/// The text before a flag's name.
static FLAG: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" -"));

/// Words at the start of a line that assign a value to a name.
const SETTERS: &[&str] = &["ENV", "ARG", "set", "setx", "setenv", "export", "#define", "define"];

pub fn find(line: &[u8], scope: MaskScope, found: &mut Vec<Secret>) {
    if scope != MaskScope::SecretLike {
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
    let Some(kind) = name::kind_of(name) else { return };
    let is_meant = |(value, value_context): &(Range<usize>, ValueContext)| {
        value.len() >= MIN_VALUE && judge::is_secret(kind, &line[value.clone()], *value_context)
    };
    if let Some((value, _)) = assign::words_at(line, start).into_iter().find(is_meant) {
        found.push(Secret { span: value, keep: 0, name: kind.label() });
    }
}

fn word(line: &[u8], at: usize) -> Range<usize> {
    let len = line[at..].iter().position(|byte| *byte <= b' ').unwrap_or(line.len() - at);
    at..at + len
}

/// The end of the blanks at `at`.
fn skip(line: &[u8], at: usize) -> usize {
    at + line[at..].iter().take_while(|byte| b" \t".contains(byte)).count()
}
