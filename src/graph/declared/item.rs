//! The tokens of one item, such as a function or a type, and what is known already.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::written::WrittenType;
use crate::graph::definition::Definition;
use crate::graph::tokens::Tokens;
use crate::graph::words::end_of_raw_string;
use crate::search::SearchError;
use crate::text::Span;

/// The deepest nesting of questions about types.
const MAX_DEPTH: u32 = 24;

/// The tokens of a part of a file.
pub(super) struct ItemTokens {
    /// The byte of the file at which the part begins.
    pub start: u32,
    pub tokens: Tokens,
}

impl ItemTokens {
    /// The index of the token at a byte of the file.
    pub fn index_at(&self, byte: u32) -> usize {
        self.tokens.index_at(byte.saturating_sub(self.start))
    }

    /// The span of a token in the file.
    pub fn span(&self, index: usize) -> Span {
        let token = self.tokens.at(index);
        token.map_or(Span::new(0, 0), |own| Span { start: own.start + self.start, end: own.end + self.start })
    }
}

/// Items by file, start and end; `None` for an item that cannot be read.
type ItemsBySpan = FxHashMap<(u32, u32, u32), Option<Rc<ItemTokens>>>;

/// The types that a name means, by the file that names them.
type TypesByName = FxHashMap<(u32, Box<str>), Vec<Definition>>;

/// What a graph knows about types.
#[derive(Default)]
pub(in crate::graph) struct DeclaredTypes {
    pub(super) items: RefCell<ItemsBySpan>,
    /// The types of calls, by file and by the byte of the called name.
    pub(super) calls: RefCell<FxHashMap<(u32, u32), Vec<WrittenType>>>,
    /// The definitions of types by the file that names them.
    pub(super) types: RefCell<TypesByName>,
    depth: Cell<u32>,
}

impl DeclaredTypes {
    /// Answers a question of a question, unless there are too many already.
    pub(super) fn nested<T: Default>(
        &self,
        answer: impl FnOnce() -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let depth = self.depth.get();
        if depth >= MAX_DEPTH {
            return Ok(T::default());
        }
        self.depth.set(depth + 1);
        let answered = answer();
        self.depth.set(depth);
        answered
    }
}

/// The comments of a text in a language with `//` and `/* */`.
pub(super) fn comments_in(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    let until = |from: usize, end: &[u8]| {
        memchr::memmem::find(&bytes[from..], end).map_or(bytes.len(), |next| from + next + end.len())
    };
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied();
        at = match (bytes[at], next) {
            (b'/', Some(b'/')) => {
                let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |next| at + next);
                found.push(Span::new(at, end));
                end
            }
            (b'/', Some(b'*')) => {
                let end = until(at + 2, b"*/");
                found.push(Span::new(at, end));
                end
            }
            (b'`', _) => until(at + 1, b"`"),
            (b'"', _) => end_of_raw_string(bytes, at).unwrap_or_else(|| end_of_string(bytes, at)),
            (b'\'', Some(b'\\')) => until(at + 3, b"'"),
            (b'\'', _) if bytes.get(at + 2) == Some(&b'\'') => at + 3,
            _ => at + 1,
        };
    }
    found
}

/// The byte after the string literal that begins at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_outside_of_literals() {
        let text = "a(r#\"\" // no\"#, \"// no\", '\"', `/* no */`) // yes\n/* and */ b";
        let found: Vec<&str> = comments_in(text).iter().map(|own| &text[own.range()]).collect();
        assert_eq!(found, ["// yes", "/* and */"]);
    }
}
