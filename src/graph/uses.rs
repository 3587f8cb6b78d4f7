//! The uses of names in one file: where, by which symbol, with which receiver.

use std::sync::Arc;

use super::family::Family;
use super::imports::{ImportStatement, scan_imports};
use super::macros::calls_in_macros;
use super::words::{mentions, words_where};
use crate::model::{Analysis, ReferenceRole, Symbol};
use crate::text::{LineIndex, Span};

/// What stands before a used name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Receiver {
    /// Nothing: a plain name.
    Absent,
    /// The object or type itself: `self`, `this`, `Self`.
    Own,
    /// The base type: `super`.
    Base,
    /// A chain of names: `pool` of `pool.take()`, `self.pool` of `self.pool.take()`, `os.path` of `os.path.join()`.
    Chain(Box<str>),
    /// A path: `Pool` of `Pool::take()`, `crate::pool` of `crate::pool::take()`.
    Path(Box<str>),
    /// An expression that is not a name, such as the result of a call.
    Expression,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UseRole {
    Call,
    Type,
    Import,
    /// Any other mention, such as an argument.
    Mention,
}

/// A use of a name.
#[derive(Clone, Debug)]
pub(super) struct NameUse {
    pub span: Span,
    pub role: UseRole,
    /// The innermost symbol around the use, as an index into the symbols of the file.
    pub owner: Option<u32>,
    pub receiver: Receiver,
}

/// The text, the symbols, the uses and the imports of one file.
pub(super) struct FileFacts {
    pub text: Arc<String>,
    pub lines: LineIndex,
    pub symbols: Vec<Symbol>,
    pub uses: Vec<NameUse>,
    pub imports: Vec<ImportStatement>,
    comments: Vec<Span>,
}

impl FileFacts {
    /// The facts of a file with this text and analysis.
    pub fn new(family: Family, text: Arc<String>, analysis: Analysis) -> FileFacts {
        let Analysis { symbols, mut references, comments, .. } = analysis;
        if family == Family::Rust {
            references.extend(calls_in_macros(&text, &comments));
            references.sort_by_key(|reference| (reference.span.start, reference.span.end));
            references.dedup_by_key(|reference| reference.span);
        }
        let uses = references.into_iter().map(|reference| NameUse {
            span: reference.span,
            role: match reference.role {
                ReferenceRole::Call => UseRole::Call,
                ReferenceRole::Type => UseRole::Type,
                ReferenceRole::Import => UseRole::Import,
            },
            owner: innermost(&symbols, reference.span),
            receiver: receiver(family, &text, &comments, reference.span.start as usize),
        });
        let uses = uses.collect();
        let lines = LineIndex::new(&text);
        FileFacts { lines, imports: scan_imports(family, &text), uses, symbols, comments, text }
    }

    /// The mentions of `name` that the analysis has not recorded as uses.
    pub fn mentions(&self, family: Family, name: &str) -> Vec<NameUse> {
        self.unrecorded(family, mentions(family, &self.text, name, &self.comments))
    }

    /// The mentions of names that `takes` chooses, which the analysis has not recorded as uses.
    pub fn mentions_where(&self, family: Family, takes: impl FnMut(&str) -> bool) -> Vec<NameUse> {
        self.unrecorded(family, words_where(family, &self.text, &self.comments, takes))
    }

    fn unrecorded(&self, family: Family, mut found: Vec<Span>) -> Vec<NameUse> {
        found.retain(|span| {
            let next = self.uses.partition_point(|used| used.span.start < span.start);
            let is_recorded = self.uses.get(next).is_some_and(|used| used.span.start == span.start);
            !is_recorded && !self.is_own_name(*span, self.at(*span)) && !self.is_key(family, *span)
        });
        let new = |span| NameUse {
            span,
            role: if self.is_in_import(span) { UseRole::Import } else { UseRole::Mention },
            owner: innermost(&self.symbols, span),
            receiver: receiver(family, &self.text, &self.comments, span.start as usize),
        };
        found.into_iter().map(new).collect()
    }

    /// The comments of the file.
    pub fn comments(&self) -> &[Span] {
        &self.comments
    }

    /// Whether the name at `span` is that of a definition.
    fn is_own_name(&self, span: Span, name: &str) -> bool {
        self.symbols.iter().any(|symbol| {
            let signature = self.at(symbol.signature);
            let is_defined = &*symbol.name == name && symbol.signature.contains(span);
            is_defined
                && signature.find(name).is_some_and(|at| symbol.signature.start + at as u32 == span.start)
        })
    }

    /// Whether the name at `span` is a key or the name of an argument: `name=value` in a call, `name: value` in an object.
    fn is_key(&self, family: Family, span: Span) -> bool {
        let after = self.text[span.end as usize..].trim_start_matches([' ', '\t']);
        match family {
            Family::Python => {
                let before = self.text[..span.start as usize].trim_end();
                after.starts_with('=') && !after.starts_with("==") && before.ends_with(['(', ','])
            }
            Family::Web => {
                let before = self.text[..span.start as usize].trim_end();
                (after.starts_with(':') || after.starts_with("?:")) && !before.ends_with('?')
            }
            _ => false,
        }
    }

    /// Whether a span is in the statement of an import.
    fn is_in_import(&self, span: Span) -> bool {
        let next = self.imports.partition_point(|import| import.start <= span.start);
        let Some(import) = next.checked_sub(1).map(|at| &self.imports[at]) else { return false };
        let between = &self.text[import.start as usize..span.start as usize];
        // An import ends with a semicolon, or with its line outside of brackets.
        let mut depth = 0;
        between.len() < 4_000
            && between.bytes().all(|byte| {
                depth += i32::from(matches!(byte, b'{' | b'(')) - i32::from(matches!(byte, b'}' | b')'));
                byte != b';' && (byte != b'\n' || depth > 0)
            })
    }

    /// The text of a span.
    pub fn at(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The name of the type around a symbol or use: the container of `owner`, or `owner` itself if it is a type.
    pub fn type_around(&self, owner: Option<u32>) -> Option<&str> {
        let mut at = owner;
        while let Some(symbol) = at.and_then(|index| self.symbols.get(index as usize)) {
            if let Some(container) = &symbol.container {
                return Some(container);
            }
            if symbol.kind.is_type_like() || symbol.kind == crate::model::SymbolKind::Impl {
                return Some(&symbol.name);
            }
            at = symbol.parent;
        }
        None
    }
}

/// The innermost symbol that contains a span.
pub(super) fn innermost(symbols: &[Symbol], span: Span) -> Option<u32> {
    let end = symbols.partition_point(|symbol| symbol.span.start <= span.start);
    (0..end).rev().find(|&index| symbols[index].span.contains(span)).map(|index| index as u32)
}

/// The receiver of the name at `start`.
fn receiver(family: Family, text: &str, comments: &[Span], start: usize) -> Receiver {
    let Some(before) = text.get(..start).map(|before| without_comments(before, comments)) else {
        return Receiver::Absent;
    };
    if let Some(rest) = before.strip_suffix("::") {
        let path = path_before(without_generics(rest));
        return match path {
            "" => Receiver::Absent,
            "Self" | "self" => Receiver::Own,
            path => Receiver::Path(path.into()),
        };
    }
    // In other languages, `->` is before the type of a result or the body of a lambda.
    let has_arrows = matches!(family, Family::C | Family::Other(_));
    let signs: &[&str] = if has_arrows { &["?.", "!.", "->", "."] } else { &["?.", "!.", "."] };
    let rest = signs.iter().find_map(|sign| before.strip_suffix(sign));
    let Some(rest) = rest.filter(|rest| !rest.ends_with('.')) else { return Receiver::Absent };
    let rest = without_comments(rest, comments);
    if rest.ends_with("super()") {
        return Receiver::Base;
    }
    let chain = chain_before(rest);
    if let Some(path) = rest[..rest.len() - chain.len()].strip_suffix("::") {
        // A constant or variant of a type: `EdgeRule::Import.sentence()`.
        return match path_before(without_generics(path)) {
            "" | "Self" => Receiver::Own,
            path => Receiver::Path(path.into()),
        };
    }
    match chain {
        "" => Receiver::Expression,
        "self" | "this" | "cls" | "Self" => Receiver::Own,
        "super" => Receiver::Base,
        chain => Receiver::Chain(chain.into()),
    }
}

/// `text` without blanks and comments at its end.
fn without_comments<'t>(text: &'t str, comments: &[Span]) -> &'t str {
    let mut text = text.trim_end();
    let before = comments.partition_point(|comment| (comment.start as usize) < text.len());
    for comment in comments[..before].iter().rev() {
        if (comment.end as usize) < text.len() {
            break;
        }
        text = text[..comment.start as usize].trim_end();
    }
    text
}

fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// The chain of names joined by dots at the end of `text`; empty if an expression comes before the dots.
fn chain_before(text: &str) -> &str {
    let chain = text.len() - text.trim_end_matches(|c| is_word(c) || c == '.').len();
    let chain = &text[text.len() - chain..];
    // A chain that begins with a dot continues an expression: `make().pool` has no known root.
    if chain.starts_with('.') || chain.starts_with(|c: char| c.is_ascii_digit()) { "" } else { chain }
}

/// The path joined by `::` at the end of `text`.
fn path_before(text: &str) -> &str {
    let path = text.trim_end_matches(|c| is_word(c) || c == ':');
    text[path.len()..].trim_start_matches(':')
}

/// `text` without generic arguments at its end: `Vec` of `Vec<u8>`.
fn without_generics(text: &str) -> &str {
    if !text.ends_with('>') {
        return text;
    }
    let mut depth = 0;
    for (at, c) in text.char_indices().rev() {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[..at].trim_end_matches(':');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_are_read_from_the_text_before_a_name() {
        let check_in = |family: Family, text: &str, expected: Receiver| {
            let start = text.find("take").unwrap();
            let comments = text.find("//").map(|at| Span::new(at, text.find('\n').unwrap_or(text.len())));
            let comments: Vec<Span> = comments.into_iter().collect();
            assert_eq!(receiver(family, text, &comments, start), expected, "{text}");
        };
        let check = |text: &str, expected: Receiver| check_in(Family::C, text, expected);
        check_in(Family::Python, "def f(pool) -> take: pass", Receiver::Absent);
        check_in(Family::Jvm, "pool -> take(pool)", Receiver::Absent);
        check("// All of them.\n    take()", Receiver::Absent);
        check("pool // All of them.\n    .take()", Receiver::Chain("pool".into()));
        check("take()", Receiver::Absent);
        check("x = take()", Receiver::Absent);
        check("self.take()", Receiver::Own);
        check("Self::take()", Receiver::Own);
        check("super().take()", Receiver::Base);
        check("pool.take()", Receiver::Chain("pool".into()));
        check("self.pool.take()", Receiver::Chain("self.pool".into()));
        check("pool->take()", Receiver::Chain("pool".into()));
        check("make().take()", Receiver::Expression);
        check("make().pool.take()", Receiver::Expression);
        check("pool\n    .take()", Receiver::Chain("pool".into()));
        check("Pool::take()", Receiver::Path("Pool".into()));
        check("Pool::<u8>::take()", Receiver::Path("Pool".into()));
        check("crate::pool::take()", Receiver::Path("crate::pool".into()));
        check("0..take()", Receiver::Absent);
        check("Rule::Import.take()", Receiver::Path("Rule".into()));
    }
}
