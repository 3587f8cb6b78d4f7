//! The declarations of JavaScript and TypeScript: variables in blocks, parameters of functions, fields of classes.

use super::declarations::{Declaration, LambdaParameter, LocalSource, ValuePart};
use super::family::Family;
use super::generics::{called_at, end_of_type, generic_arguments, split_types};
use super::scopes::Scopes;
use super::tokens::Tokens;

/// Adds the declarations of a text.
pub(super) fn scan(tokens: &Tokens, scopes: &mut Scopes) {
    let mut scan = WebScan { tokens, scopes };
    for at in (0..tokens.len()).take_while(|_| tokens.goes_on()) {
        scan.token(at);
    }
}

/// The most tokens of the type of a variable whose value is a function.
const MAX_WRITTEN: usize = 60;

/// The most tokens of the type arguments of a call.
const MAX_GENERICS: usize = 200;

/// Words before a parenthesis that is not one of parameters.
pub(super) const CONTROL: &[&str] = &["if", "for", "while", "switch", "catch", "with", "return", "await"];

/// Words before the name of a field or of a parameter that is a field.
const MODIFIERS: &[&str] =
    &["public", "private", "protected", "readonly", "override", "static", "declare", "abstract"];

struct WebScan<'s> {
    tokens: &'s Tokens,
    scopes: &'s mut Scopes,
}

impl WebScan<'_> {
    fn token(&mut self, at: usize) {
        let is_member = at > 0 && self.tokens.is(at - 1, b'.');
        match self.tokens.word(at) {
            "const" | "let" | "var" if !is_member => self.variables(at + 1),
            "catch" if self.tokens.is(at + 1, b'(') => self.caught(at + 1),
            "function" if !is_member => {
                let name = if self.tokens.is(at + 1, b'*') { at + 2 } else { at + 1 };
                if self.tokens.is_word(name) {
                    self.declare(name, self.block(at), LocalSource::Item);
                }
            }
            "class" | "interface" | "enum" | "namespace" if self.tokens.is_word(at + 1) && !is_member => {
                self.declare(at + 1, self.block(at), LocalSource::Item);
                if matches!(self.tokens.word(at), "class" | "interface") {
                    self.members(at + 1);
                }
            }
            "this" if self.tokens.is(at + 1, b'.') && self.is_assignment(at + 3) => {
                let end = self.end_of_expression(at + 4);
                self.declare_field(at + 2, LocalSource::Value(at + 4, end, Vec::new()));
            }
            "(" => self.function(at),
            _ if self.tokens.is_word(at) && self.tokens.is_operator(at + 1, "=>") && !is_member => {
                let is_async_name = self.tokens.is(at.wrapping_sub(1), b':');
                let scope = self.body(at, at + 3);
                if !is_async_name {
                    self.declare(at, (scope, false), parameter(self.argument(at), 0));
                }
            }
            _ => {}
        }
    }

    fn is_assignment(&self, at: usize) -> bool {
        self.tokens.is(at, b'=') && !self.tokens.is_operator(at, "==") && !self.tokens.is_operator(at, "=>")
    }

    fn start(&self, at: usize) -> u32 {
        self.tokens.at(at).map_or(u32::MAX, |token| token.start)
    }

    /// The bytes of the innermost block around a token, and whether that is the file.
    fn block(&self, at: usize) -> ((u32, u32), bool) {
        let mut around = self.tokens.around(at);
        while let Some(open) = around.filter(|open| !self.tokens.is(*open, b'{')) {
            around = self.tokens.around(open);
        }
        match around {
            Some(open) => {
                let close = self.tokens.partner(open);
                ((self.start(open), close.map_or(u32::MAX, |close| self.start(close))), false)
            }
            None => ((0, u32::MAX), true),
        }
    }

    /// The bytes of a function from `from` on whose body begins at token `body`.
    fn body(&self, from: usize, body: usize) -> (u32, u32) {
        let end = match self.tokens.partner(body) {
            Some(close) if self.tokens.is(body, b'{') => self.start(close),
            _ => self.start(self.end_of_expression(body)),
        };
        (self.start(from), end)
    }

    /// The end of an expression: a comma, a semicolon, the bracket around it, or a line that begins another statement.
    fn end_of_expression(&self, at: usize) -> usize {
        let close = self.tokens.around(at).and_then(|open| self.tokens.partner(open));
        let close = close.unwrap_or(self.tokens.len());
        let ends = |index: usize| {
            let begins_line = index > at
                && self.tokens.at(index).is_some_and(|token| token.indent.is_some())
                && self.begins_statement(index);
            self.tokens.is(index, b',') || self.tokens.is(index, b';') || begins_line
        };
        let mut index = at;
        while index < close && !ends(index) && self.tokens.goes_on() {
            let after_brackets =
                || self.tokens.partner(index).filter(|partner| *partner > index).map(|at| at + 1);
            index = self.after_generics(index).or_else(after_brackets).unwrap_or(index + 1);
        }
        index.min(close)
    }

    /// The parenthesis after the type arguments that begin at `at`: `<A, B>` in `f<A, B>(c)` and in `<A, B>(c) => d`.
    fn after_generics(&self, at: usize) -> Option<usize> {
        if !self.tokens.is(at, b'<') {
            return None;
        }
        let most = (at + MAX_GENERICS).min(self.tokens.len());
        let statement = (at..most).find(|index| self.tokens.is(*index, b';'));
        let end = generic_arguments(self.tokens, at, statement.unwrap_or(most)).1;
        (self.tokens.is(end - 1, b'>') && self.tokens.is(end, b'(')).then_some(end)
    }

    /// Whether the first token of a line begins a statement, so that no semicolon is needed before it.
    fn begins_statement(&self, index: usize) -> bool {
        let ends_open = b"=+-*/%&|^<:?,.(".iter().any(|sign| self.tokens.is(index - 1, *sign))
            || self.tokens.is_operator(index.saturating_sub(2), "=>");
        self.tokens.is_word(index)
            && !ends_open
            && !matches!(self.tokens.word(index), "as" | "instanceof" | "in" | "extends" | "satisfies" | "is")
    }

    /// The variables of `const a: T = b, { c } = d`.
    fn variables(&mut self, from: usize) {
        // The head of a loop is in parentheses before its block.
        let in_loop = self.tokens.around(from).filter(|open| {
            self.tokens.is(*open, b'(') && *open > 0 && matches!(self.tokens.word(open - 1), "for" | "await")
        });
        let scope = match in_loop.and_then(|open| self.tokens.partner(open)) {
            Some(close) => (self.body(from, close + 1), false),
            None => self.block(from),
        };
        let mut at = from;
        loop {
            let pattern_end = match self.tokens.partner(at) {
                Some(close) if close > at => close + 1,
                _ => at + 1,
            };
            let mut type_end = pattern_end;
            if self.tokens.is(pattern_end, b'!') {
                type_end += 1;
            }
            let written = self.tokens.is(type_end, b':').then(|| {
                let end = self.end_of_type(type_end + 1);
                std::mem::replace(&mut type_end, end) + 1
            });
            let mut end = type_end;
            let is_loop = self.tokens.word(type_end) == "of";
            if is_loop || self.is_assignment(type_end) {
                end = self.end_of_expression(type_end + 1);
            }
            let parts = if is_loop { vec![ValuePart::Element] } else { Vec::new() };
            let source = match written {
                Some(start) => LocalSource::Written(start, type_end),
                None if end > type_end => LocalSource::Value(type_end + 1, end, parts),
                None => LocalSource::Untyped,
            };
            self.pattern(at, pattern_end, scope, source);
            if !self.tokens.is(end, b',') || in_loop.is_some() {
                return;
            }
            at = end + 1;
        }
    }

    /// The end of a type that begins at `at`: an `=` that is not an arrow, a comma, a semicolon, a brace after a type, or
    /// the bracket around it.
    fn end_of_type(&self, at: usize) -> usize {
        let close = self.tokens.around(at).and_then(|open| self.tokens.partner(open));
        // A function type goes on after its arrow.
        let is_function =
            |arrow: usize| self.tokens.is(at, b'(') && self.tokens.partner(at) == Some(arrow - 1);
        end_of_type(self.tokens, at, close.unwrap_or(self.tokens.len()), |index| {
            self.is_assignment(index)
                || self.tokens.is_operator(index, "=>") && !is_function(index)
                || self.tokens.is(index, b',')
                || self.tokens.is(index, b';')
                || self.tokens.is(index, b'{') && index > at && !self.continues_type(index - 1)
                || index > at
                    && self.tokens.at(index).is_some_and(|token| token.indent.is_some())
                    && self.begins_statement(index)
        })
    }

    fn continues_type(&self, at: usize) -> bool {
        let is_arrow = at > 0 && self.tokens.is_operator(at - 1, "=>");
        is_arrow
            || b"|&<,:(=".iter().any(|sign| self.tokens.is(at, *sign))
            || self.tokens.word(at) == "extends"
    }

    /// Declares a name, or the names of a destructuring pattern.
    fn pattern(&mut self, from: usize, to: usize, scope: ((u32, u32), bool), source: LocalSource) {
        if to == from + 1 {
            if self.tokens.is_word(from) {
                self.declare(from, scope, source);
            }
            return;
        }
        let is_object = self.tokens.is(from, b'{');
        for (number, (start, end)) in self.tokens.split(from + 1, to - 1).into_iter().enumerate() {
            let default = self.tokens.find(start, end, |at| self.is_assignment(at));
            let colon = self.tokens.find(start, default, |at| self.tokens.is(at, b':'));
            let rest = self.tokens.is(start, b'.');
            let target = match () {
                () if rest => start + 3,
                () if is_object && colon < default => colon + 1,
                () => start,
            };
            let inner = match rest {
                true => LocalSource::Untyped,
                false if is_object => source.clone().part(ValuePart::Member(start)),
                false => source.clone().part(ValuePart::OfTuple(number)),
            };
            match self.tokens.partner(target) {
                Some(close) if close > target => self.pattern(target, close + 1, scope, inner),
                _ if self.tokens.is_word(target) => self.declare(target, scope, inner),
                _ => {}
            }
        }
    }

    fn caught(&mut self, open: usize) {
        let Some(close) = self.tokens.partner(open) else { return };
        let scope = (self.body(open, close + 1), false);
        self.pattern(open + 1, open + 2, scope, LocalSource::Untyped);
    }

    /// The parameters of the function whose parameters `open` begins, if a body follows.
    fn function(&mut self, open: usize) {
        let Some(close) = self.tokens.partner(open) else { return };
        let before = if open > 0 { self.tokens.word(open - 1) } else { "" };
        let mut body = close + 1;
        if self.tokens.is(body, b':') {
            body = self.end_of_type(body + 1);
        }
        let is_arrow = self.tokens.is_operator(body, "=>");
        let is_method = self.tokens.is(body, b'{') && !CONTROL.contains(&before);
        if !is_arrow && !is_method {
            return;
        }
        let body = if is_arrow { body + 2 } else { body };
        let scope = (self.body(open, body), false);
        let head = if before == "function" { open - 1 } else { open };
        let argument = self.argument(head).filter(|_| is_arrow || before == "function");
        let written = self.written_before(head).filter(|_| is_arrow);
        for (number, (from, to)) in split_types(self.tokens, open + 1, close).into_iter().enumerate() {
            let untyped = match written {
                Some((from, to)) => LocalSource::PartOfType(from, to, vec![ValuePart::Parameter(number)]),
                None => parameter(argument, number),
            };
            self.parameter(from, to, scope, before == "constructor", untyped);
        }
    }

    /// The type of the variable that the function at `head` is the value of: `const take: Take = (pool) => ...`.
    fn written_before(&self, head: usize) -> Option<(usize, usize)> {
        let before = head.checked_sub(1)?;
        let equals = if self.tokens.word(before) == "async" { before.checked_sub(1)? } else { before };
        if !self.is_assignment(equals) {
            return None;
        }
        let near = (equals.saturating_sub(MAX_WRITTEN)..equals).rev();
        let name = near.into_iter().take_while(|at| !self.tokens.is(*at, b';')).find(|at| {
            let is_declared = |at: usize| {
                matches!(self.tokens.word(at), "const" | "let" | "var")
                    || MODIFIERS.contains(&self.tokens.word(at))
            };
            self.tokens.is(*at + 1, b':') && self.tokens.is_word(*at) && *at > 0 && is_declared(*at - 1)
        })?;
        (self.end_of_type(name + 2) == equals).then_some((name + 2, equals))
    }

    /// The call whose argument a function is that begins at `at`: the name of what is called, and the number of the argument.
    fn argument(&self, at: usize) -> Option<(usize, usize)> {
        let at = if at > 0 && self.tokens.word(at - 1) == "async" { at - 1 } else { at };
        let open = self.tokens.around(at).filter(|open| self.tokens.is(*open, b'(') && *open > 0)?;
        let called = called_at(Family::Web, self.tokens, open)?;
        let is_start = self.tokens.is(at - 1, b'(') || self.tokens.is(at - 1, b',');
        let parts = self.tokens.split(open + 1, at).len();
        let is_call = !CONTROL.contains(&self.tokens.word(called));
        (is_call && is_start).then_some((called, parts))
    }

    fn parameter(
        &mut self,
        from: usize,
        to: usize,
        scope: ((u32, u32), bool),
        is_constructor: bool,
        untyped: LocalSource,
    ) {
        let mut at = from;
        while self.tokens.is(at, b'@') {
            at += 2;
            at = self.tokens.partner(at).map_or(at, |close| close + 1);
        }
        let is_modifier =
            |at: usize| MODIFIERS.contains(&self.tokens.word(at)) && self.tokens.is_word(at + 1);
        let is_field = is_constructor && is_modifier(at);
        while is_modifier(at) {
            at += 1;
        }
        if self.tokens.is(at, b'.') {
            at += 3;
        }
        let end = match self.tokens.partner(at) {
            Some(close) if close > at => close + 1,
            _ => at + 1,
        };
        let colon = if self.tokens.is(end, b'?') { end + 1 } else { end };
        let equals = self.tokens.find(colon, to, |at| self.is_assignment(at));
        let source = if self.tokens.is(colon, b':') {
            LocalSource::Written(colon + 1, equals.min(to))
        } else if equals < to {
            LocalSource::Value(equals + 1, to, Vec::new())
        } else {
            untyped
        };
        if is_field {
            self.declare_field(at, source.clone());
        }
        self.pattern(at, end, scope, source);
    }

    /// The fields in the body of the class or interface with the name at `name`.
    fn members(&mut self, name: usize) {
        let end = self.tokens.len().min(name + 200);
        let open = self.tokens.find(name + 1, end, |at| {
            self.tokens.is(at, b'{') && !self.continues_type(at - 1) || self.tokens.is(at, b';')
        });
        let Some(close) = self.tokens.partner(open).filter(|_| self.tokens.is(open, b'{')) else { return };
        let class = self.tokens.word(name).to_string();
        let mut at = open + 1;
        while at < close && self.tokens.goes_on() {
            let is_start = matches!(
                at.checked_sub(1).map(|before| self.tokens.word(before)),
                Some("{" | ";" | "}" | ",")
            ) || self.tokens.at(at).is_some_and(|token| token.indent.is_some())
                || MODIFIERS.contains(&self.tokens.word(at - 1));
            let colon = if matches!(self.tokens.word(at + 1), "?" | "!") { at + 2 } else { at + 1 };
            if is_start && self.tokens.is_word(at) && !MODIFIERS.contains(&self.tokens.word(at)) {
                let source = if self.tokens.is(colon, b':') {
                    Some(LocalSource::Written(colon + 1, self.end_of_type(colon + 1)))
                } else if self.is_assignment(colon) {
                    Some(LocalSource::Value(colon + 1, self.end_of_expression(colon + 1), Vec::new()))
                } else {
                    None
                };
                if let Some(source) = source {
                    self.add_field(&class, at, source);
                }
            }
            at = match self.tokens.partner(at) {
                Some(partner) if partner > at => partner + 1,
                _ => at + 1,
            };
        }
    }

    fn declare(&mut self, at: usize, (scope, is_global): ((u32, u32), bool), source: LocalSource) {
        let declaration = Declaration { at: self.start(at), scope, source, is_global, is_in_class: false };
        self.scopes.add(self.tokens.word(at), declaration);
    }

    /// Declares a field of the class around a token.
    fn declare_field(&mut self, at: usize, source: LocalSource) {
        let mut around = self.tokens.around(at);
        while let Some(open) = around {
            if let Some(class) = self.class_before(open) {
                let class = self.tokens.word(class).to_string();
                return self.add_field(&class, at, source);
            }
            around = self.tokens.around(open);
        }
    }

    /// The name of the class whose body a brace opens.
    fn class_before(&self, open: usize) -> Option<usize> {
        if !self.tokens.is(open, b'{') {
            return None;
        }
        let near = open.saturating_sub(40)..open;
        let class = near.rev().take_while(|at| !matches!(self.tokens.word(*at), ";" | "}" | "{"));
        let class = class.into_iter().find(|at| self.tokens.word(*at) == "class")?;
        self.tokens.is_word(class + 1).then_some(class + 1)
    }

    fn add_field(&mut self, class: &str, at: usize, source: LocalSource) {
        let start = self.start(at);
        let scope = (start, start);
        let declaration = Declaration { at: start, scope, source, is_global: false, is_in_class: true };
        self.scopes.add_field(class, self.tokens.word(at), declaration);
    }
}

/// The parameter with a number of the function that is an argument.
fn parameter(argument: Option<(usize, usize)>, number: usize) -> LocalSource {
    argument.map_or(LocalSource::Untyped, |(called, argument)| {
        LocalSource::Parameter(LambdaParameter { called, argument, number, count: 0, parts: Vec::new() })
    })
}
