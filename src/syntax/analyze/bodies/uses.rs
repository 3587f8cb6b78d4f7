//! The names that a function uses, recognized by their neighbouring tokens.

use super::lex::{CodeToken, PlacedToken};
use crate::grammar::{BodyRules, TypePlace};
use spyhop_base::model::{Reference, ReferenceRole};
use spyhop_base::text::Span;

/// The references and comments found in a body so far, and the lexer state needed to find more.
#[derive(Default)]
pub(super) struct Uses {
    pub references: Vec<Reference>,
    pub comments: Vec<Span>,
    /// The previous token, not counting comments, and the token before that.
    last: Option<PlacedToken>,
    before: Option<PlacedToken>,
    /// The name before the index expression that is being read, or that was just read.
    indexed: Option<Span>,
    /// The name before the stars that are being read.
    starred: Option<Span>,
    /// The state of a type whose position was announced, with the last name read so far.
    wanted: TypeProgress,
    /// Nonzero after a word that defines something if a brace follows, with at most a name between.
    block: u8,
}

/// The state of a type that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum TypeProgress {
    #[default]
    None,
    /// The type begins here, or continues after a dot.
    Name,
    /// The type may end in this span.
    Ends(Span),
}

impl Uses {
    /// Processes the next token. Returns whether the token shows a definition that a parser should see.
    pub fn take(&mut self, text: &str, rules: &BodyRules, piece: PlacedToken) -> bool {
        if piece.token == CodeToken::Comment {
            let end = piece.span.start + text[piece.span.range()].trim_end().len() as u32;
            self.comments.push(Span { start: piece.span.start, end });
            return false;
        }
        let defines = self.defines(text, rules, piece);
        self.typed(text, rules, piece);
        match rules.types {
            TypePlace::Before => self.type_before(text, rules, piece),
            TypePlace::Behind => self.type_behind(text, rules, piece),
        }
        self.call(text, rules, piece);
        (self.before, self.last) = (self.last, Some(piece));
        defines
    }

    /// The span of the last token, if that token is a name.
    fn name(&self, text: &str, rules: &BodyRules) -> Option<Span> {
        self.last.filter(|last| is_name(text, rules, *last)).map(|last| last.span)
    }

    /// Records the name that is called: `name(`, `name[what](`.
    fn call(&mut self, text: &str, rules: &BodyRules, piece: PlacedToken) {
        let name = self.name(text, rules);
        match piece.token {
            CodeToken::Open(b'(') => {
                let indexed = self.indexed.take().filter(|_| self.is_last(CodeToken::Close(b']')));
                let called = name.or(indexed).map(|span| Reference { span, role: ReferenceRole::Call });
                self.references.extend(called);
            }
            CodeToken::Open(b'[') => self.indexed = name,
            CodeToken::Word | CodeToken::Sign(b'.' | b',' | b'*') | CodeToken::Close(b']') => {}
            _ => self.indexed = None,
        }
    }

    /// Processes the end of the body.
    pub fn end(&mut self) {
        if let TypeProgress::Ends(span) = self.wanted {
            self.push_type(span);
        }
    }

    fn push_type(&mut self, span: Span) {
        // A single letter is a type parameter, or too short to be useful.
        if span.len() > 1 {
            self.references.push(Reference { span, role: ReferenceRole::Type });
        }
    }

    /// Whether `piece` defines something.
    fn defines(&mut self, text: &str, rules: &BodyRules, piece: PlacedToken) -> bool {
        let word = || &text[piece.span.range()];
        let begins = self.block > 0 && piece.token == CodeToken::Open(b'{');
        self.block = match piece.token {
            CodeToken::Word if rules.opens_block(word()) => 2,
            CodeToken::Word => self.block.saturating_sub(1),
            _ => 0,
        };
        let begins_statement = || {
            let after = self.last.map(|last| last.token);
            piece.first || matches!(after, None | Some(CodeToken::Sign(b';') | CodeToken::Open(b'{')))
        };
        begins || piece.token == CodeToken::Word && rules.is_item(word()) && begins_statement()
    }

    /// Continues a type that was announced, or notes that a type is announced.
    fn typed(&mut self, text: &str, rules: &BodyRules, piece: PlacedToken) {
        self.wanted = match (self.wanted, piece.token) {
            (TypeProgress::Name, CodeToken::Word) if is_name(text, rules, piece) => {
                TypeProgress::Ends(piece.span)
            }
            (TypeProgress::Name, CodeToken::Sign(b'*')) => TypeProgress::Name,
            (TypeProgress::Ends(_), CodeToken::Sign(b'.')) => TypeProgress::Name,
            (TypeProgress::Ends(span), _) => {
                self.push_type(span);
                TypeProgress::None
            }
            _ => TypeProgress::None,
        };
        if piece.token == CodeToken::Word && rules.announces_type(&text[piece.span.range()]) {
            self.wanted = TypeProgress::Name;
        }
    }

    /// Records types in a language that writes the type first: `Type name`, `Type *name`, `(Type *)`.
    fn type_before(&mut self, text: &str, rules: &BodyRules, piece: PlacedToken) {
        let found = match piece.token {
            CodeToken::Sign(b'*') => {
                let name = self.name(text, rules).filter(|name| name.end < piece.span.start);
                self.starred = name.or(self.starred.filter(|_| self.is_last(CodeToken::Sign(b'*'))));
                return;
            }
            CodeToken::Word if is_name(text, rules, piece) => {
                let touches = self.last.is_some_and(|last| last.span.end == piece.span.start);
                self.starred.filter(|_| touches).or_else(|| self.name(text, rules))
            }
            CodeToken::Close(b')') => self.starred.filter(|_| self.is_last(CodeToken::Sign(b'*'))),
            _ => None,
        };
        self.starred = None;
        found.into_iter().for_each(|span| self.push_type(span));
    }

    /// Records types in a language that writes the type last: `name Type`, `[]Type`, `Type{`, `.(Type)`.
    fn type_behind(&mut self, text: &str, rules: &BodyRules, piece: PlacedToken) {
        let Some(last) = self.last else { return };
        let touches = last.span.end == piece.span.start;
        match (last.token, piece.token) {
            (CodeToken::Word, CodeToken::Open(b'{')) if touches => {
                if let Some(name) = self.name(text, rules) {
                    self.push_type(name);
                }
            }
            (CodeToken::Close(b']'), CodeToken::Word) if touches && is_name(text, rules, piece) => {
                self.wanted = TypeProgress::Ends(piece.span);
            }
            (CodeToken::Close(b']'), CodeToken::Sign(b'*')) if touches => self.wanted = TypeProgress::Name,
            (CodeToken::Sign(b'.'), CodeToken::Open(b'(')) => self.wanted = TypeProgress::Name,
            (CodeToken::Word, CodeToken::Open(b'[')) if &text[last.span.range()] == "map" => {
                self.wanted = TypeProgress::Name;
            }
            (CodeToken::Word, CodeToken::Open(b'('))
                if matches!(&text[last.span.range()], "new" | "make") =>
            {
                self.wanted = TypeProgress::Name;
            }
            // The return type of a function literal.
            (CodeToken::Close(b')'), CodeToken::Word) if !piece.first && is_name(text, rules, piece) => {
                self.wanted = TypeProgress::Ends(piece.span);
            }
            (CodeToken::Word, CodeToken::Word)
                if !piece.first && is_name(text, rules, last) && is_name(text, rules, piece) =>
            {
                self.wanted = TypeProgress::Ends(piece.span);
            }
            (CodeToken::Word, CodeToken::Sign(b'*')) if !touches => self.starred = self.name(text, rules),
            (CodeToken::Sign(b'*'), CodeToken::Word) if touches && self.starred.take().is_some() => {
                self.wanted = TypeProgress::Ends(piece.span);
            }
            _ => self.starred = None,
        }
    }

    fn is_last(&self, token: CodeToken) -> bool {
        self.last.is_some_and(|last| last.token == token)
    }
}

fn is_name(text: &str, rules: &BodyRules, piece: PlacedToken) -> bool {
    let word = &text[piece.span.range()];
    piece.token == CodeToken::Word
        && !word.starts_with(|first: char| first.is_ascii_digit())
        && !rules.is_reserved(word)
}
