//! The stored uses of a file version: where the file uses names, where its comments are, and which part of each symbol
//! is the signature. With these and with the text of the file, the code graph resolves the uses of a name without
//! parsing the file.
//!
//! Uses are stored beside the outline, have a separate checksum, and are read only by questions to the code graph.
//! Most names are words, so their lengths follow from the text and are not stored:
//!
//! ```text
//! number of uses, number of comments
//! of each use: the distance of its start from the start of the use before, times 4, plus the role; the role
//!     [`LENGTH_FOLLOWS`] means that another number follows: the length in bytes, times 4, plus the role
//! of each comment: the distance of its start from the end of the comment before, and the length in bytes
//! of each symbol whose signature is not its whole item: the distance from the symbol before of this kind, the distance
//!     of the signature's start from the start of the item, and its length in bytes
//! ```
//!
//! All numbers are varints. A version of which only the path or the text is indexed has no stored uses.

use super::outline::{checked, sealed};
use spyhop_base::model::{Analysis, ReferenceRole};
use spyhop_base::store::{push_varint, take_varint};
use spyhop_base::text::Span;

/// The role that announces a length.
const LENGTH_FOLLOWS: u64 = 3;

/// The uses of a file version, as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredUses {
    /// The uses, in order.
    pub uses: Vec<StoredUse>,
    /// The comments and doc strings, in order.
    pub comments: Vec<Span>,
    /// The signatures that are not whole items, in the order of the symbols.
    pub signatures: Vec<StoredSignature>,
}

/// A stored use of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredUse {
    /// The first byte of the name.
    pub start: u32,
    /// The length of the name in bytes; 0 for the length of the word that begins at `start`.
    len: u32,
    /// How the name is used.
    pub role: ReferenceRole,
}

/// The signature of a symbol, relative to its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredSignature {
    /// The symbol, as an index into the outline.
    pub symbol: u32,
    /// The distance of the start from the start of the item.
    pub skipped: u32,
    pub len: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedUses {
    pub(super) bytes: Vec<u8>,
}

impl EncodedUses {
    /// The uses as stored; `None` if the bytes are damaged.
    pub fn decoded(&self) -> Option<StoredUses> {
        StoredUses::decode(&self.bytes)
    }
}

impl StoredUse {
    /// The span of the name in the text of the file.
    pub fn span(self, text: &str) -> Span {
        let len = match self.len {
            0 => word_len(text, self.start),
            len => len,
        };
        Span { start: self.start, end: self.start.saturating_add(len) }
    }
}

impl StoredUses {
    /// Encodes the uses of `analysis`, the analysis of `text`, so that a build holds bytes only.
    pub fn encode(text: &str, analysis: &Analysis) -> EncodedUses {
        let Analysis { references, comments, symbols, .. } = analysis;
        let mut body = Vec::with_capacity(references.len() * 2 + comments.len() * 3 + 8);
        push_varint(&mut body, references.len() as u64);
        push_varint(&mut body, comments.len() as u64);
        let mut before = 0;
        for reference in references {
            let Span { start, end } = reference.span;
            let (gap, len) = (u64::from(start.wrapping_sub(before)) << 2, end - start);
            before = start;
            let role = number_of(reference.role);
            if len > 0 && word_len(text, start) == len {
                push_varint(&mut body, gap | role);
            } else {
                push_varint(&mut body, gap | LENGTH_FOLLOWS);
                push_varint(&mut body, u64::from(len) << 2 | role);
            }
        }
        let mut before = 0;
        for comment in comments {
            push_varint(&mut body, u64::from(comment.start.wrapping_sub(before)));
            push_varint(&mut body, comment.len() as u64);
            before = comment.end;
        }
        let mut before = 0;
        for (at, symbol) in symbols.iter().enumerate() {
            let Span { start, end } = symbol.signature;
            if symbol.signature != symbol.span {
                push_varint(&mut body, at as u64 - before);
                push_varint(&mut body, u64::from(start.wrapping_sub(symbol.span.start)));
                push_varint(&mut body, u64::from(end - start));
                before = at as u64;
            }
        }
        EncodedUses { bytes: sealed(body) }
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<StoredUses> {
        let mut rest = checked(bytes)?;
        let rest = &mut rest;
        let (n_uses, n_comments) = (take_varint(rest)? as usize, take_varint(rest)? as usize);
        // Every use takes a byte at least, and every comment two.
        if n_uses > rest.len() || n_comments > rest.len() / 2 {
            return None;
        }
        let mut uses = Vec::with_capacity(n_uses);
        let mut start = 0u32;
        for _ in 0..n_uses {
            let first = take_varint(rest)?;
            start = start.wrapping_add((first >> 2) as u32);
            let (len, role) = match first & 3 {
                LENGTH_FOLLOWS => {
                    let second = take_varint(rest)?;
                    ((second >> 2) as u32, second & 3)
                }
                role => (0, role),
            };
            uses.push(StoredUse { start, len, role: role_of(role)? });
        }
        let mut comments = Vec::with_capacity(n_comments);
        let mut end = 0u32;
        for _ in 0..n_comments {
            let start = end.wrapping_add(take_varint(rest)? as u32);
            end = start.checked_add(u32::try_from(take_varint(rest)?).ok()?)?;
            comments.push(Span { start, end });
        }
        let mut signatures = Vec::new();
        let mut symbol = 0u32;
        while !rest.is_empty() {
            symbol = symbol.checked_add(u32::try_from(take_varint(rest)?).ok()?)?;
            let (skipped, len) = (take_varint(rest)? as u32, take_varint(rest)? as u32);
            signatures.push(StoredSignature { symbol, skipped, len });
        }
        Some(StoredUses { uses, comments, signatures })
    }
}

fn number_of(role: ReferenceRole) -> u64 {
    match role {
        ReferenceRole::Call => 0,
        ReferenceRole::Type => 1,
        ReferenceRole::Import => 2,
    }
}

fn role_of(number: u64) -> Option<ReferenceRole> {
    [ReferenceRole::Call, ReferenceRole::Type, ReferenceRole::Import].get(number as usize).copied()
}

/// The length of the word that begins at `start`.
fn word_len(text: &str, start: u32) -> u32 {
    let rest = text.as_bytes().get(start as usize..).unwrap_or_default();
    let is_word = |byte: &u8| *byte == b'_' || *byte >= 0x80 || byte.is_ascii_alphanumeric();
    rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_base::model::{Reference, Symbol, SymbolKind};
    use spyhop_base::text::Lines;
    use spyhop_syntax::analyze::Analyzer;
    use spyhop_syntax::grammar::Grammars;

    fn decoded(text: &str, analysis: &Analysis) -> (StoredUses, usize) {
        let encoded = StoredUses::encode(text, analysis);
        (encoded.decoded().unwrap(), encoded.bytes.len())
    }

    fn references_of(text: &str, stored: &StoredUses) -> Vec<Reference> {
        stored.uses.iter().map(|used| Reference { span: used.span(text), role: used.role }).collect()
    }

    #[test]
    fn uses_comments_and_signatures_of_a_file_come_back() {
        let text = include_str!("outline.rs");
        let grammars = Grammars::built_in();
        let language = grammars.by_name("rust").unwrap();
        let analysis = Analyzer::new().analyze(&grammars, language, text);
        let (stored, bytes) = decoded(text, &analysis);
        assert!(analysis.references.len() > 250, "{}", analysis.references.len());
        assert_eq!(references_of(text, &stored), analysis.references);
        assert_eq!(stored.comments, analysis.comments);
        let mut signatures: Vec<Span> = analysis.symbols.iter().map(|symbol| symbol.span).collect();
        for signature in &stored.signatures {
            let start = signatures[signature.symbol as usize].start + signature.skipped;
            signatures[signature.symbol as usize] = Span { start, end: start + signature.len };
        }
        let expected: Vec<Span> = analysis.symbols.iter().map(|symbol| symbol.signature).collect();
        assert_eq!(signatures, expected);
        let most = analysis.references.len() * 2 + analysis.comments.len() * 3 + analysis.symbols.len() * 4;
        assert!(bytes < most, "{bytes} bytes");
    }

    #[test]
    fn names_that_are_no_words_keep_their_lengths() {
        let text = "a.b-c() größe größer! r#type";
        let span = |part: &str| text.find(part).map(|at| Span::new(at, at + part.len())).unwrap();
        let used = |part: &str, role| Reference { span: span(part), role };
        let symbol = Symbol {
            name: "a".into(),
            kind: SymbolKind::Fn,
            span: Span::new(0, text.len()),
            lines: Lines { first: 1, last: 1 },
            container: None,
            parent: None,
            signature: Span::new(2, 5),
        };
        let analysis = Analysis {
            references: vec![
                used("b-c", ReferenceRole::Call),
                used("größe", ReferenceRole::Type),
                used("größer!", ReferenceRole::Import),
                used("r#type", ReferenceRole::Call),
            ],
            comments: vec![Span::new(0, 1), Span::new(1, 1), Span::new(7, 300)],
            symbols: vec![symbol],
            ..Analysis::default()
        };
        let (stored, _) = decoded(text, &analysis);
        assert_eq!(references_of(text, &stored), analysis.references);
        assert_eq!(stored.comments, analysis.comments);
        assert_eq!(stored.signatures, [StoredSignature { symbol: 0, skipped: 2, len: 3 }]);
    }

    #[test]
    fn a_changed_byte_is_found() {
        let analysis = Analysis { comments: vec![Span::new(3, 9)], ..Analysis::default() };
        let EncodedUses { bytes } = StoredUses::encode("", &analysis);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(StoredUses::decode(&changed), None, "byte {at}");
        }
        assert_eq!(StoredUses::decode(&[]), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_uses_or_none(body: Vec<u8>) {
            if let Some(stored) = StoredUses::decode(&sealed(body.clone())) {
                proptest::prop_assert!(stored.uses.len() + stored.comments.len() <= body.len());
                stored.uses.iter().for_each(|used| _ = used.span("text"));
            }
        }
    }
}
