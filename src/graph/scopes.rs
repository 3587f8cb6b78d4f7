//! The declarations of variables, parameters and fields in a text, each with its scope and with what tells its type.
//!
//! Python's scopes are functions by indentation; scopes of JavaScript and TypeScript are blocks in braces and the bodies of
//! functions. Other families have no scopes here.

use rustc_hash::{FxHashMap, FxHashSet};

use super::declarations::{Declaration, LambdaParameter, LocalSource, NameDeclarations, ValuePart};
use super::family::Family;
use super::steps::Steps;
use super::tokens::Tokens;
use spyhop_base::text::Span;

/// The declarations of a text.
#[derive(Default)]
pub(super) struct Scopes {
    declarations: FxHashMap<Box<str>, NameDeclarations>,
    /// Fields by class and name.
    fields: FxHashMap<(Box<str>, Box<str>), Vec<Declaration>>,
    /// The spans and names of Python's functions and classes, outer ones first.
    bodies: Vec<Body>,
}

/// A function or class.
#[derive(Debug)]
struct Body {
    start: u32,
    end: u32,
    indent: u32,
    is_class: bool,
    name: Box<str>,
    /// The body around this one.
    parent: Option<usize>,
    /// Names that belong to an outer scope.
    outer_names: FxHashSet<Box<str>>,
}

impl Scopes {
    pub fn new(family: Family, tokens: &Tokens) -> Scopes {
        let mut scopes = Scopes::default();
        match family {
            Family::Python => PythonScan { tokens, scopes: &mut scopes }.scan(),
            Family::Web => super::web_scopes::scan(tokens, &mut scopes),
            _ => {}
        }
        scopes
    }

    /// The declaration that `name` means at a byte: that of the innermost scope, there the last one before the byte.
    pub fn declaration(&self, name: &str, at: u32, steps: &Steps) -> Option<&Declaration> {
        let all = self.declarations.get(name)?;
        let body = self.body_around(at);
        let is_class_body = |start: u32| body.is_some_and(|body| self.bodies[body].start == start);
        let takes = |it: &Declaration| !it.is_in_class || is_class_body(it.scope.0);
        all.at(at, takes, |looked| _ = steps.take(looked))
    }

    /// The declarations of a name in all scopes, in the order in which they were found.
    pub fn declarations(&self, name: &str) -> impl Iterator<Item = &Declaration> {
        self.declarations.get(name).into_iter().flat_map(NameDeclarations::iter)
    }

    /// The declaration of a symbol with this name and span. A type and a variable may have one name.
    pub(crate) fn declared_in(&self, name: &str, span: Span, steps: &Steps) -> Option<&Declaration> {
        let mut all = self.declarations.get(name)?.iter().take_while(|_| steps.take(1));
        let inside = all.find(|inside| span.start <= inside.at && inside.at < span.end);
        inside.or_else(|| self.declaration(name, span.start, steps))
    }

    pub fn fields(&self, class: &str, name: &str) -> &[Declaration] {
        let key = (Box::from(class), Box::from(name));
        self.fields.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The innermost body around a byte.
    fn body_around(&self, at: u32) -> Option<usize> {
        self.bodies_around(at).next()
    }

    /// The bodies around a byte, innermost first. Bodies are nested, so that only the last one before the byte and those
    /// around that one can be around the byte.
    fn bodies_around(&self, at: u32) -> impl Iterator<Item = usize> {
        let last = self.bodies.partition_point(|body| body.start <= at).checked_sub(1);
        let above = std::iter::successors(last, |body| self.bodies[*body].parent);
        above.filter(move |body| at < self.bodies[*body].end)
    }

    pub(super) fn add(&mut self, name: &str, declaration: Declaration) {
        self.declarations.entry(name.into()).or_default().add(declaration);
    }

    pub(super) fn add_field(&mut self, class: &str, name: &str, declaration: Declaration) {
        self.fields.entry((class.into(), name.into())).or_default().push(declaration);
    }
}

/// The most tokens of the parameters of a lambda expression.
const MAX_PARAMETERS: usize = 1_000;

/// The scan of a Python text.
struct PythonScan<'s> {
    tokens: &'s Tokens,
    scopes: &'s mut Scopes,
}

impl PythonScan<'_> {
    fn scan(mut self) {
        let starts: Vec<usize> = (0..self.tokens.len()).filter(|at| self.is_statement_start(*at)).collect();
        self.find_bodies(&starts);
        for (next, &start) in starts.iter().enumerate().take_while(|_| self.tokens.goes_on()) {
            let end = starts.get(next + 1).copied().unwrap_or(self.tokens.len());
            self.statement(start, end);
        }
        for at in (0..self.tokens.len()).take_while(|_| self.tokens.goes_on()) {
            match self.tokens.word(at) {
                "for" if self.tokens.around(at).is_some() => self.comprehension(at),
                "lambda" => self.lambda(at),
                _ if self.tokens.is_word(at) && self.tokens.is_operator(at + 1, ":=") => {
                    let end = self.end_of_part(at + 3);
                    self.declare(at, LocalSource::Value(at + 3, end, Vec::new()));
                }
                _ => {}
            }
        }
    }

    fn is_statement_start(&self, at: usize) -> bool {
        let is_line_start = self.tokens.at(at).is_some_and(|token| token.indent.is_some());
        // A bracket that closes others begins no statement: the body of a function goes on behind `\n) -> None:`.
        let closes = self.tokens.partner(at).is_some_and(|open| open < at);
        let is_outside = self.tokens.around(at).is_none() && !closes;
        is_outside && (is_line_start || at > 0 && self.tokens.is(at - 1, b';'))
    }

    /// The end of an expression: a comma or the bracket around it.
    fn end_of_part(&self, at: usize) -> usize {
        let close = self.tokens.around(at).and_then(|open| self.tokens.partner(open));
        let close = close.unwrap_or(self.tokens.len());
        self.tokens.find(at, close, |index| {
            self.tokens.is(index, b',') || self.tokens.is(index, b':') || self.is_statement_start(index)
        })
    }

    fn find_bodies(&mut self, starts: &[usize]) {
        let mut open: Vec<usize> = Vec::new();
        for &start in starts {
            let Some(token) = self.tokens.at(start) else { continue };
            let Some(indent) = token.indent else { continue };
            while let Some(last) = open.pop_if(|last| self.scopes.bodies[*last].indent >= indent) {
                self.scopes.bodies[last].end = token.start;
            }
            let word = if self.tokens.word(start) == "async" { start + 1 } else { start };
            let is_class = self.tokens.word(word) == "class";
            if is_class || self.tokens.word(word) == "def" {
                let parent = open.last().copied();
                open.push(self.scopes.bodies.len());
                let (start, end) = (token.start, u32::MAX);
                let name = self.tokens.word(word + 1).into();
                let outer_names = FxHashSet::default();
                self.scopes.bodies.push(Body { start, end, indent, is_class, name, parent, outer_names });
            }
        }
    }

    fn statement(&mut self, start: usize, end: usize) {
        let start = if self.tokens.word(start) == "async" { start + 1 } else { start };
        match self.tokens.word(start) {
            "def" => self.function(start),
            "class" => self.declare_item(start + 1),
            "for" => {
                let inside = self.tokens.find(start + 1, end, |at| self.tokens.word(at) == "in");
                let colon = self.tokens.find(inside, end, |at| self.tokens.is(at, b':'));
                self.targets(
                    start + 1,
                    inside,
                    LocalSource::Value(inside + 1, colon, vec![ValuePart::Element]),
                );
            }
            "with" => self.with(start + 1, end),
            word @ ("except" | "case") if word == "except" || self.tokens.is_word(start + 1) => {
                let alias = self.tokens.find(start, end, |at| self.tokens.word(at) == "as");
                if alias < end {
                    let from = if self.tokens.is(start + 1, b'*') { start + 2 } else { start + 1 };
                    self.declare(alias + 1, LocalSource::Written(from, alias));
                }
            }
            "global" | "nonlocal" => {
                let names: FxHashSet<Box<str>> =
                    (start + 1..end).map(|at| self.tokens.word(at).into()).collect();
                let at = self.tokens.at(start).map_or(0, |token| token.start);
                if let Some(body) = self.scopes.body_around(at) {
                    self.scopes.bodies[body].outer_names.extend(names);
                }
            }
            "import" | "from" | "return" | "if" | "elif" | "while" | "assert" | "raise" | "del" | "yield" => {
            }
            "else" | "try" | "finally" | "pass" | "break" | "continue" => {}
            _ => self.assignment(start, end),
        }
    }

    fn with(&mut self, start: usize, end: usize) {
        let inner = match self.tokens.partner(start) {
            Some(close) if self.tokens.is(start, b'(') && self.tokens.is(close + 1, b':') => {
                (start + 1, close)
            }
            _ => (start, self.tokens.find(start, end, |at| self.tokens.is(at, b':'))),
        };
        for (from, to) in self.tokens.split(inner.0, inner.1) {
            let alias = self.tokens.find(from, to, |at| self.tokens.word(at) == "as");
            if alias < to {
                self.targets(alias + 1, to, LocalSource::Value(from, alias, vec![ValuePart::Entered]));
            }
        }
    }

    fn assignment(&mut self, start: usize, end: usize) {
        let is_plain = |at: usize| {
            self.tokens.is(at, b'=')
                && !self.tokens.is_operator(at, "==")
                && !(at > 0 && b"=!<>+-*/%&|^@:".iter().any(|sign| self.tokens.is(at - 1, *sign)))
        };
        let equals = self.tokens.find(start, end, is_plain);
        let colon = self.tokens.find(start, equals, |at| self.tokens.is(at, b':'));
        if colon < equals {
            self.target(start, colon, LocalSource::Written(colon + 1, equals));
            return;
        }
        let (mut from, mut equals) = (start, equals);
        let mut parts = Vec::new();
        while equals < end {
            parts.push((from, equals));
            from = equals + 1;
            equals = self.tokens.find(from, end, is_plain);
        }
        for (target, target_end) in parts {
            self.targets(target, target_end, LocalSource::Value(from, end, Vec::new()));
        }
    }

    /// Declares one target, or the names of several targets without a type.
    fn targets(&mut self, from: usize, to: usize, source: LocalSource) {
        let is_many = self.tokens.find(from, to, |at| self.tokens.is(at, b',')) < to
            || matches!(self.tokens.word(from), "(" | "[" | "*");
        if !is_many {
            return self.target(from, to, source);
        }
        for at in from..to {
            let is_member = at > from && self.tokens.is(at - 1, b'.') || self.tokens.is(at + 1, b'.');
            if self.tokens.is_word(at) && !is_member && !self.tokens.is(at + 1, b'[') {
                self.declare(at, self.part_of(&source, from, at));
            }
        }
    }

    /// The source of one of several targets.
    fn part_of(&self, source: &LocalSource, from: usize, at: usize) -> LocalSource {
        let is_flat = self.tokens.around(at) == self.tokens.around(from);
        match source {
            LocalSource::Value(_, _, parts) if is_flat && matches!(parts[..], [] | [ValuePart::Element]) => {
                source.clone().part(ValuePart::OfTuple(self.tokens.split(from, at).len()))
            }
            _ => LocalSource::Untyped,
        }
    }

    /// Declares a name, or a field: `name`, `self.name`.
    fn target(&mut self, from: usize, to: usize, source: LocalSource) {
        if to == from + 1 && self.tokens.is_word(from) {
            self.declare(from, source);
        } else if to == from + 3 && self.tokens.is(from + 1, b'.') && self.tokens.word(from) == "self" {
            self.declare_field(from + 2, source);
        }
    }

    fn declare_field(&mut self, at: usize, source: LocalSource) {
        let Some(token) = self.tokens.at(at) else { return };
        let start = token.start;
        let bodies = &self.scopes.bodies;
        let class = self.scopes.bodies_around(start).find(|body| bodies[*body].is_class);
        let Some(class) = class.map(|body| bodies[body].name.clone()) else { return };
        let scope = (start, start);
        let declaration = Declaration { at: start, scope, source, is_global: false, is_in_class: true };
        self.scopes.add_field(&class, self.tokens.word(at), declaration);
    }

    fn declare(&mut self, at: usize, source: LocalSource) {
        let Some(token) = self.tokens.at(at) else { return };
        let name = self.tokens.word(at);
        let body = self.scopes.body_around(token.start).map(|body| &self.scopes.bodies[body]);
        if body.is_some_and(|body| body.outer_names.contains(name)) {
            return;
        }
        let scope = body.map_or((0, u32::MAX), |body| (body.start, body.end));
        let (is_global, is_in_class) = (body.is_none(), body.is_some_and(|body| body.is_class));
        if is_in_class && source != LocalSource::Item {
            self.declare_field(at, source.clone());
        }
        let declaration = Declaration { at: token.start, scope, source, is_global, is_in_class };
        self.scopes.add(name, declaration);
    }

    /// Declares the name of a function or class in the scope around the item.
    fn declare_item(&mut self, at: usize) {
        let Some(token) = self.tokens.at(at) else { return };
        let start = token.start;
        // The innermost body around the name is the item itself.
        let around = self.scopes.bodies_around(start).nth(1).map(|body| &self.scopes.bodies[body]);
        let declaration = Declaration {
            at: start,
            scope: around.map_or((0, u32::MAX), |body| (body.start, body.end)),
            source: LocalSource::Item,
            is_global: around.is_none(),
            is_in_class: around.is_some_and(|body| body.is_class),
        };
        self.scopes.add(self.tokens.word(at), declaration);
    }

    fn function(&mut self, start: usize) {
        self.declare_item(start + 1);
        let open = if self.tokens.is(start + 2, b'[') {
            self.tokens.partner(start + 2).map_or(start + 2, |close| close + 1)
        } else {
            start + 2
        };
        if let Some(close) = self.tokens.partner(open) {
            self.parameters(open + 1, close);
        }
    }

    fn parameters(&mut self, from: usize, to: usize) {
        for (start, end) in self.tokens.split(from, to) {
            let name = self.tokens.find(start, end, |at| self.tokens.is_word(at));
            let equals = self.tokens.find(name, end, |at| self.tokens.is(at, b'='));
            let is_rest = self.tokens.is(start, b'*');
            let source = if name >= end {
                continue;
            } else if self.tokens.is(name + 1, b':') {
                LocalSource::Written(name + 2, equals)
            } else if !is_rest && equals + 1 < end && self.tokens.word(equals + 1) != "None" {
                LocalSource::Value(equals + 1, end, Vec::new())
            } else {
                LocalSource::Untyped
            };
            self.declare(name, source);
        }
    }

    /// The targets of a comprehension or generator.
    fn comprehension(&mut self, at: usize) {
        let Some(open) = self.tokens.around(at) else { return };
        let (Some(close), Some(from)) = (self.tokens.partner(open), self.tokens.at(open)) else { return };
        let inside = self.tokens.find(at + 1, close, |index| self.tokens.word(index) == "in");
        let is_end = |index: usize| matches!(self.tokens.word(index), "if" | "for" | "async");
        let end = self.tokens.find(inside + 1, close, is_end);
        let scope = (from.start, self.tokens.at(close).map_or(u32::MAX, |token| token.end));
        let is_single = inside == at + 2;
        for name in (at + 1..inside).filter(|index| self.tokens.is_word(*index)) {
            let whole = LocalSource::Value(inside + 1, end, vec![ValuePart::Element]);
            let source = if is_single { whole } else { self.part_of(&whole, at + 1, name) };
            self.declare_in(name, scope, source);
        }
    }

    fn lambda(&mut self, at: usize) {
        let most = self.tokens.len().min(at + MAX_PARAMETERS);
        let colon = self.tokens.find(at + 1, most, |index| self.tokens.is(index, b':'));
        let end = self.end_of_part(colon + 1);
        let start = self.tokens.at(at).map_or(0, |token| token.start);
        let scope = (start, self.tokens.at(end).map_or(u32::MAX, |token| token.start));
        let call = self.tokens.around(at).filter(|open| self.tokens.is(*open, b'(') && *open > 0);
        let parameters = self.tokens.split(at + 1, colon);
        for (number, (from, to)) in parameters.iter().enumerate() {
            let name = self.tokens.find(*from, *to, |index| self.tokens.is_word(index));
            let source = call.map_or(LocalSource::Untyped, |open| {
                let argument = self.tokens.split(open + 1, at).len();
                let count = parameters.len();
                let parts = Vec::new();
                LocalSource::Parameter(LambdaParameter { called: open - 1, argument, number, count, parts })
            });
            self.declare_in(name, scope, source);
        }
    }

    fn declare_in(&mut self, at: usize, scope: (u32, u32), source: LocalSource) {
        let Some(token) = self.tokens.at(at) else { return };
        let declaration =
            Declaration { at: token.start, scope, source, is_global: false, is_in_class: false };
        self.scopes.add(self.tokens.word(at), declaration);
    }
}
