//! The secrets in a single line: tokens by their prefixes, values by the names that they belong to.

use std::iter::Peekable;
use std::ops::Range;

use regex::bytes::Captures;

use super::file::MaskScope;
use super::judge::{self, ValueContext, ValueKind};
use super::secret::Secret;
use super::table::{Rule, TABLE};
use super::{assign, call, command, near};

/// The shortest line with room for a name and a secret.
const MIN_LINE: usize = 6;

pub fn find(line: &[u8], found: &mut Vec<Secret>) {
    tokens(line, found);
    values(line, MaskScope::SecretLike, found);
}

/// Adds the values in `line` that belong to names.
pub fn values(line: &[u8], scope: MaskScope, found: &mut Vec<Secret>) {
    if line.len() >= MIN_LINE {
        assign::find(line, scope, found);
        call::find(line, scope, found);
        command::find(line, scope, found);
        near::find(line, found);
    }
}

/// The positions in several lines where tokens may start: a single search of all lines is faster than one of each line.
pub(crate) struct LineStarts(Peekable<std::vec::IntoIter<usize>>);

impl LineStarts {
    /// The positions in all lines of `bytes`.
    pub fn of(bytes: &[u8]) -> LineStarts {
        let ends: Vec<usize> = TABLE.starts.find(bytes).map(|start| start.end()).collect();
        LineStarts(ends.into_iter().peekable())
    }

    /// Advances past a line that ends at byte `end`, and returns whether a token may start in that line.
    pub fn pass(&mut self, end: usize) -> bool {
        let mut holds = false;
        while self.0.next_if(|start| *start <= end).is_some() {
            holds = true;
        }
        holds
    }
}

/// Whether one of several whole lines contains a token of a known issuer.
pub(crate) fn hold_tokens(lines: &[u8]) -> bool {
    let mut starts = LineStarts::of(lines);
    if starts.0.peek().is_none() {
        return false;
    }
    let (mut end, mut found) = (0, Vec::new());
    lines.split_inclusive(|byte| *byte == b'\n').any(|line| {
        end += line.len();
        if starts.pass(end) {
            tokens(line, &mut found);
        }
        !found.is_empty()
    })
}

/// Adds the tokens of known issuers in `line`.
pub fn tokens(line: &[u8], found: &mut Vec<Secret>) {
    let mut tried: Vec<usize> = Vec::new();
    for start in TABLE.starts.find(line) {
        let rule = TABLE.starts.rule_of[start.pattern().as_usize()];
        if !tried.contains(&rule) {
            tried.push(rule);
        }
    }
    let rules = tried.into_iter().map(|place| &TABLE.rules[place]);
    for rule in rules.filter(|rule| rule.may_match(line)) {
        for value in matches(rule, line) {
            let body = &line[(value.start + rule.keep).min(value.end)..value.end];
            if is_meant(rule, body) {
                found.push(Secret { span: value, keep: rule.keep, name: rule.name });
            }
        }
    }
}

/// The ranges of a rule's values.
fn matches(rule: &Rule, line: &[u8]) -> Vec<Range<usize>> {
    let all = rule.regex().captures_iter(line);
    // The first group that takes part: alternatives have a group each.
    let value = |groups: Captures| {
        groups.iter().skip(1).flatten().next().or(groups.get(0)).map(|value| value.range())
    };
    all.filter_map(value).collect()
}

fn is_meant(rule: &Rule, body: &[u8]) -> bool {
    if rule.password && rule.random {
        return !judge::is_placeholder(body) && judge::is_generated(body);
    }
    if rule.password {
        return judge::is_secret(ValueKind::Password, body, ValueContext::Quoted);
    }
    !judge::is_placeholder(body) && (!rule.random || judge::looks_random(body) || judge::is_generated(body))
}
