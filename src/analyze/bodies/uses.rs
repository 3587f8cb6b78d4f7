//! The names that a function uses, told by the tokens beside them.

use super::lex::{Piece, Token};
use crate::grammar::{BodyRules, TypePlace};
use crate::model::{Reference, ReferenceRole};
use crate::text::Span;

/// What has been found in a body so far.
#[derive(Default)]
pub(super) struct Uses {
    pub references: Vec<Reference>,
    pub comments: Vec<Span>,
    /// The token before, comments left out, and the one before that.
    last: Option<Piece>,
    before: Option<Piece>,
    /// The name before the index that is being read, or has just been.
    indexed: Option<Span>,
    /// The name before the stars that are being read.
    starred: Option<Span>,
    /// Whether the type that comes next is one wherever it stands, and what it ends in so far.
    wanted: Wanted,
    /// A word was there that defines something where a brace follows it, with at most a name between.
    block: u8,
}

/// A type that is being read.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Wanted {
    #[default]
    None,
    /// The type begins here, or continues after a dot.
    Name,
    /// The type may end in this span.
    Ends(Span),
}

impl Uses {
    /// Takes the next token. Whether it shows that something is defined here that a parser should see.
    pub fn take(&mut self, text: &str, rules: &BodyRules, piece: Piece) -> bool {
        if piece.token == Token::Comment {
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

    /// The name that the last token is, if it is one.
    fn name(&self, text: &str, rules: &BodyRules) -> Option<Span> {
        self.last.filter(|last| is_name(text, rules, *last)).map(|last| last.span)
    }

    /// Notes what is called: `name(`, `name[what](`.
    fn call(&mut self, text: &str, rules: &BodyRules, piece: Piece) {
        let name = self.name(text, rules);
        match piece.token {
            Token::Open(b'(') => {
                let indexed = self.indexed.take().filter(|_| self.is_last(Token::Close(b']')));
                let called = name.or(indexed).map(|span| Reference { span, role: ReferenceRole::Call });
                self.references.extend(called);
            }
            Token::Open(b'[') => self.indexed = name,
            Token::Word | Token::Sign(b'.' | b',' | b'*') | Token::Close(b']') => {}
            _ => self.indexed = None,
        }
    }

    /// Takes note that the body ends.
    pub fn end(&mut self) {
        if let Wanted::Ends(span) = self.wanted {
            self.push_type(span);
        }
    }

    fn push_type(&mut self, span: Span) {
        // One letter is a type parameter, or tells nobody anything.
        if span.len() > 1 {
            self.references.push(Reference { span, role: ReferenceRole::Type });
        }
    }

    /// Whether something is defined with `piece`.
    fn defines(&mut self, text: &str, rules: &BodyRules, piece: Piece) -> bool {
        let word = || &text[piece.span.range()];
        let begins = self.block > 0 && piece.token == Token::Open(b'{');
        self.block = match piece.token {
            Token::Word if rules.opens_block(word()) => 2,
            Token::Word => self.block.saturating_sub(1),
            _ => 0,
        };
        let begins_statement = || {
            let after = self.last.map(|last| last.token);
            piece.first || matches!(after, None | Some(Token::Sign(b';') | Token::Open(b'{')))
        };
        begins || piece.token == Token::Word && rules.is_item(word()) && begins_statement()
    }

    /// Reads on in a type that has been announced, or notes that one is.
    fn typed(&mut self, text: &str, rules: &BodyRules, piece: Piece) {
        self.wanted = match (self.wanted, piece.token) {
            (Wanted::Name, Token::Word) if is_name(text, rules, piece) => Wanted::Ends(piece.span),
            (Wanted::Name, Token::Sign(b'*')) => Wanted::Name,
            (Wanted::Ends(_), Token::Sign(b'.')) => Wanted::Name,
            (Wanted::Ends(span), _) => {
                self.push_type(span);
                Wanted::None
            }
            _ => Wanted::None,
        };
        if piece.token == Token::Word && rules.announces_type(&text[piece.span.range()]) {
            self.wanted = Wanted::Name;
        }
    }

    /// `Type name`, `Type *name`, `(Type *)`.
    fn type_before(&mut self, text: &str, rules: &BodyRules, piece: Piece) {
        let found = match piece.token {
            Token::Sign(b'*') => {
                let name = self.name(text, rules).filter(|name| name.end < piece.span.start);
                self.starred = name.or(self.starred.filter(|_| self.is_last(Token::Sign(b'*'))));
                return;
            }
            Token::Word if is_name(text, rules, piece) => {
                let touches = self.last.is_some_and(|last| last.span.end == piece.span.start);
                self.starred.filter(|_| touches).or_else(|| self.name(text, rules))
            }
            Token::Close(b')') => self.starred.filter(|_| self.is_last(Token::Sign(b'*'))),
            _ => None,
        };
        self.starred = None;
        found.into_iter().for_each(|span| self.push_type(span));
    }

    /// `name Type`, `[]Type`, `Type{`, `.(Type)`.
    fn type_behind(&mut self, text: &str, rules: &BodyRules, piece: Piece) {
        let Some(last) = self.last else { return };
        let touches = last.span.end == piece.span.start;
        match (last.token, piece.token) {
            (Token::Word, Token::Open(b'{')) if touches => {
                if let Some(name) = self.name(text, rules) {
                    self.push_type(name);
                }
            }
            (Token::Close(b']'), Token::Word) if touches && is_name(text, rules, piece) => {
                self.wanted = Wanted::Ends(piece.span);
            }
            (Token::Close(b']'), Token::Sign(b'*')) if touches => self.wanted = Wanted::Name,
            (Token::Sign(b'.'), Token::Open(b'(')) => self.wanted = Wanted::Name,
            (Token::Word, Token::Open(b'[')) if &text[last.span.range()] == "map" => {
                self.wanted = Wanted::Name;
            }
            (Token::Word, Token::Open(b'(')) if matches!(&text[last.span.range()], "new" | "make") => {
                self.wanted = Wanted::Name;
            }
            // What a function literal returns.
            (Token::Close(b')'), Token::Word) if !piece.first && is_name(text, rules, piece) => {
                self.wanted = Wanted::Ends(piece.span);
            }
            (Token::Word, Token::Word)
                if !piece.first && is_name(text, rules, last) && is_name(text, rules, piece) =>
            {
                self.wanted = Wanted::Ends(piece.span);
            }
            (Token::Word, Token::Sign(b'*')) if !touches => self.starred = self.name(text, rules),
            (Token::Sign(b'*'), Token::Word) if touches && self.starred.take().is_some() => {
                self.wanted = Wanted::Ends(piece.span);
            }
            _ => self.starred = None,
        }
    }

    fn is_last(&self, token: Token) -> bool {
        self.last.is_some_and(|last| last.token == token)
    }
}

/// Whether a token is a name.
fn is_name(text: &str, rules: &BodyRules, piece: Piece) -> bool {
    let word = &text[piece.span.range()];
    piece.token == Token::Word
        && !word.starts_with(|first: char| first.is_ascii_digit())
        && !rules.is_reserved(word)
}
