//! Types that comments of PHP tell: `@var Pool[]`, `@param Pool $pool`, `@return static`.

use super::site::Site;
use super::written::{LIST, WrittenType};
use crate::definition::Definition;
use crate::files::Graph;
use crate::syntax_facts::SyntaxFacts;
use crate::uses::{FileFacts, around};

/// The most bytes between a comment and the name that it is about.
const MAX_BETWEEN: usize = 200;

impl Graph<'_> {
    /// The types that the comment before a byte of a file tells behind a tag, of the variable `name` if the tag names one.
    pub(super) fn documented(
        &self,
        facts: &FileFacts,
        file: u32,
        at: u32,
        (tag, name): (&str, &str),
    ) -> Vec<WrittenType> {
        if self.language(file) != "php" {
            return Vec::new();
        }
        let before = facts.comments().partition_point(|comment| comment.end <= at);
        let Some(comment) = before.checked_sub(1).map(|last| facts.comments()[last]) else {
            return Vec::new();
        };
        let between = facts.text.get(comment.end as usize..at as usize).unwrap_or_default();
        if between.len() > MAX_BETWEEN || between.contains([';', '}']) {
            return Vec::new();
        }
        let rows = facts.at(comment).split(tag).skip(1).filter(|row| row.starts_with([' ', '\t']));
        let mut rows = rows.map(|row| type_and_rest(row.trim_start()));
        let is_of_name = |rest: &str| match rest.trim_start().strip_prefix('$') {
            Some(named) => named
                .strip_prefix(name)
                .is_some_and(|rest| !rest.starts_with(|c: char| c == '_' || c.is_alphanumeric())),
            None => tag != "@param",
        };
        let row = rows.find(|(_, rest)| is_of_name(rest));
        row.map_or_else(Vec::new, |(written, _)| documented_types(file, written))
    }

    /// The types that comments tell of a local name: of a parameter that of the function, of a variable the one before a statement.
    pub(super) fn documented_local(&self, site: &Site<'_>, name: &str, at: usize) -> Vec<WrittenType> {
        let name = name.trim_start_matches('$');
        let function = around(&site.facts.symbols, site.owner).find(|own| own.kind.is_function());
        let start = function.map_or(0, |own| own.signature.start.max(own.span.start));
        let of_parameter = self.documented(site.facts, site.file, start, ("@param", name));
        if !of_parameter.is_empty() {
            return of_parameter;
        }
        let tokens = &site.item.tokens;
        let mut assigned = (0..at)
            .rev()
            .filter(|at| tokens.word(*at).trim_start_matches('$') == name && tokens.is(at + 1, b'='));
        assigned.next().map_or_else(Vec::new, |at| {
            self.documented(site.facts, site.file, site.item.byte_of(at), ("@var", name))
        })
    }

    /// The types that the comment before a function tells of its result.
    pub(super) fn documented_result(&self, function: &Definition) -> Vec<WrittenType> {
        let Some(facts) = self.facts(function.file) else { return Vec::new() };
        let Some(symbol) = facts.symbols.get(function.place as usize) else { return Vec::new() };
        let start = symbol.signature.start.max(function.span.start);
        self.documented(&facts, function.file, start, ("@return", ""))
    }

    /// Whether types say less than a comment may: none, or types of the language such as `array`.
    pub(super) fn are_basic(&self, file: u32, types: &[WrittenType]) -> bool {
        let basic = &SyntaxFacts::of(self.language(file)).types;
        types.iter().all(|own| own.args.is_empty() && basic.iter().any(|basic| **basic == *own.name))
    }
}

/// The type at the beginning of a text, and what follows it.
fn type_and_rest(text: &str) -> (&str, &str) {
    let mut depth = 0;
    let end = text.find(|c: char| {
        depth += i32::from(matches!(c, '<' | '(' | '{')) - i32::from(matches!(c, '>' | ')' | '}'));
        depth <= 0 && c.is_whitespace()
    });
    text.split_at(end.unwrap_or(text.len()))
}

/// The types that a comment writes: `Pool|null`, `Pool[]`, `array<int, Pool>`.
fn documented_types(file: u32, written: &str) -> Vec<WrittenType> {
    let parts = split_at_top(written, '|')
        .into_iter()
        .map(|part| part.trim().trim_start_matches(['?', '(']).trim_end_matches(')'));
    let one = |part: &str| -> Option<WrittenType> {
        if let Some(held) = part.strip_suffix("[]") {
            return Some(WrittenType::new(file, LIST).with(documented_types(file, held)));
        }
        let (path, args) =
            part.split_once('<').map_or((part, ""), |(path, rest)| (path, rest.trim_end_matches('>')));
        let (package, name) =
            path.rsplit_once('\\').map_or((None, path), |(before, name)| (Some(before), name));
        let args: Vec<WrittenType> = split_at_top(args, ',')
            .into_iter()
            .flat_map(|own| documented_types(file, own.trim()).into_iter().take(1))
            .collect();
        Some(match name {
            "" | "null" | "false" | "true" | "void" | "mixed" => return None,
            "static" | "self" | "$this" => WrittenType::new(file, "Self"),
            _ if name.starts_with(char::is_lowercase) && !args.is_empty() => {
                WrittenType::new(file, LIST).with(args.into_iter().last().into_iter().collect())
            }
            _ => WrittenType {
                package: package.map(|own| own.trim_start_matches('\\').into()),
                ..WrittenType::new(file, name)
            }
            .with(args),
        })
    };
    parts.filter_map(one).collect()
}

/// The parts of a text between signs that are in no brackets.
fn split_at_top(text: &str, sign: char) -> Vec<&str> {
    let (mut depth, mut parts, mut from) = (0, Vec::new(), 0);
    for (at, c) in text.char_indices() {
        depth += i32::from(matches!(c, '<' | '(' | '{')) - i32::from(matches!(c, '>' | ')' | '}'));
        if c == sign && depth == 0 {
            parts.push(&text[from..at]);
            from = at + 1;
        }
    }
    parts.push(&text[from..]);
    parts.retain(|part| !part.is_empty());
    parts
}
