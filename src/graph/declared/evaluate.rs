//! The types of expressions.

use super::fields::{name_and_parameters, substituted};
use super::item::TypedExpression;
use super::library;
use super::locals::{LambdaParameter, LocalSource, ValuePart, declaration};
use super::members::of_nearest;
use super::site::Site;
use super::written::{LIST, TUPLE, WrittenType, end_of_type, written};
use crate::definition::Definition;
use crate::expressions::{before_generics, is_end_of_operand};
use crate::family::Family;
use crate::files::Graph;
use crate::tokens::{TokenKind, Tokens};
use crate::uses::FileFacts;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The least confidence of the meaning of a call whose result is followed.
const MIN_CONFIDENCE: f32 = 0.5;

/// The most types of one expression.
const MAX_TYPES: usize = 3;

/// Types of the library whose constructors take the value inside.
const HOLDERS: &[&str] =
    &["Arc", "Box", "Rc", "Mutex", "RwLock", "RefCell", "Cell", "Pin", "Some", "Ok", "Cow", "ManuallyDrop"];

impl Graph<'_> {
    pub(super) fn site<'f>(&self, file: u32, facts: &'f FileFacts, owner: Option<u32>) -> Option<Site<'f>> {
        let symbols = &facts.symbols;
        let parents = std::iter::successors(owner, |at| symbols[*at as usize].parent);
        let functions = parents.filter(|at| symbols[*at as usize].kind.is_function());
        let whole = Span::new(0, facts.text.len());
        let span = functions.last().map_or(whole, |at| symbols[at as usize].span);
        Some(Site { file, facts, owner, item: self.item(file, span)? })
    }

    /// The types of the expression that ends with the token `at`.
    pub(super) fn ending_at(&self, site: &Site<'_>, at: usize) -> Result<TypedExpression, SearchError> {
        let key = (site.file, site.item.span, site.owner, at as u32);
        self.declared.expressions.of(key, || self.evaluated_at(site, at))
    }

    fn evaluated_at(&self, site: &Site<'_>, at: usize) -> Result<TypedExpression, SearchError> {
        let tokens = &site.item.tokens;
        let family = self.family(site.file);
        let Some(token) = tokens.at(at) else { return Ok(None) };
        match token.kind {
            TokenKind::Sign(b'?') if at > 0 => {
                let Some((types, first)) = self.ending_at(site, at - 1)? else { return Ok(None) };
                Ok(Some((types.iter().filter_map(library::unwrapped).collect(), first)))
            }
            TokenKind::Sign(b')') => self.call_or_group(site, at),
            TokenKind::Sign(b']') => {
                let Some(open) = tokens.partner(at).filter(|open| *open > 0) else { return Ok(None) };
                if !is_operand(tokens, open - 1) {
                    return Ok(Some((Vec::new(), open)));
                }
                let Some((types, first)) = self.ending_at(site, open - 1)? else { return Ok(None) };
                Ok(Some((types.iter().filter_map(library::indexed).collect(), first)))
            }
            TokenKind::Sign(b'}') => self.literal(site, at),
            TokenKind::Word | TokenKind::Number if at > 1 && tokens.is(at - 1, b'.') => {
                if family == Family::Jvm && tokens.word(at) == "this" {
                    // The object of the class around an inner class: `Pool.this`.
                    return Ok(Some((vec![WrittenType::new(site.file, tokens.word(at - 2))], at - 2)));
                }
                let Some((types, first)) = self.ending_at(site, at - 2)? else { return Ok(None) };
                if family == Family::Rust && tokens.word(at) == "await" {
                    return Ok(Some((types, first)));
                }
                Ok(Some((self.field(site, &types, at)?, first)))
            }
            TokenKind::Word => Ok(Some((self.name(site, at)?, first_of_path(tokens, at)))),
            _ => Ok(None),
        }
    }

    /// The types of the expression in `from..to`.
    pub(super) fn in_range(
        &self,
        site: &Site<'_>,
        from: usize,
        to: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let (tokens, mut from, mut n_followed) = (&site.item.tokens, from, 0);
        while from < to
            && ([b'&', b'*'].iter().any(|sign| tokens.is(from, *sign)) || tokens.word(from) == "mut")
        {
            n_followed += usize::from(tokens.is(from, b'*'));
            from += 1;
        }
        // What is behind a second reference, an implementation of `Deref` says.
        if from >= to || n_followed > 1 {
            return Ok(Vec::new());
        }
        let family = self.family(site.file);
        if family == Family::Jvm && tokens.is(from, b'(') {
            let close = tokens.partner(from).unwrap_or(to);
            if close + 1 < to && is_operand(tokens, close + 1) {
                return Ok(written((family, site.file), tokens, from + 1, close));
            }
        }
        let evaluated = self.ending_at(site, to - 1)?;
        Ok(evaluated.filter(|(_, first)| *first == from).map_or_else(Vec::new, |(types, _)| types))
    }

    /// A literal of a struct that ends with the brace at `close`.
    pub(super) fn literal(&self, site: &Site<'_>, close: usize) -> Result<TypedExpression, SearchError> {
        let tokens = &site.item.tokens;
        let Some(open) = tokens.partner(close).filter(|open| *open > 0) else { return Ok(None) };
        let home = (self.family(site.file), site.file);
        if tokens.is(open - 1, b')') {
            // The body of an anonymous class.
            return if home.0 == Family::Jvm { self.ending_at(site, open - 1) } else { Ok(None) };
        }
        if !tokens.is_word(open - 1) {
            return Ok(None);
        }
        let mut first = first_of_path(tokens, open - 1);
        while first > 1 && tokens.is(first - 1, b'.') && tokens.is_word(first - 2) {
            first -= 2;
        }
        if first > 1 && tokens.is(first - 1, b'*') && tokens.is(first - 2, b']') {
            first -= 1;
        }
        if first > 0 && tokens.is(first - 1, b']') {
            first = tokens.partner(first - 1).unwrap_or(first);
            first = if first > 0 && tokens.word(first - 1) == "map" { first - 1 } else { first };
        }
        let mut types = written(home, tokens, first, open);
        self.replace_self(site, &mut types);
        Ok(Some((types, first)))
    }

    fn replace_self(&self, site: &Site<'_>, types: &mut [WrittenType]) {
        if let Some(around) = site.facts.type_around(site.owner) {
            for of_self in types.iter_mut().filter(|of_self| &*of_self.name == "Self") {
                *of_self = WrittenType::new(site.file, around);
            }
        }
    }

    /// A call, a conversion or an expression in parentheses that ends with the parenthesis at `close`.
    fn call_or_group(&self, site: &Site<'_>, close: usize) -> Result<TypedExpression, SearchError> {
        let tokens = &site.item.tokens;
        let Some(open) = tokens.partner(close) else { return Ok(None) };
        let home = (self.family(site.file), site.file);
        let Some(before) = open.checked_sub(1) else { return Ok(None) };
        if home.0 == Family::Go && tokens.is(before, b'.') && before > 0 {
            let first = self.ending_at(site, before - 1)?.map_or(before, |(_, first)| first);
            return Ok(Some((written(home, tokens, open + 1, close), first)));
        }
        let called = match tokens.is(before, b'>') || home.0 == Family::Go && tokens.is(before, b']') {
            true => before_arguments(tokens, before),
            false => Some(before),
        };
        let called = called.filter(|called| tokens.is_word(*called) && !is_keyword(tokens.word(*called)));
        let Some(called) = called else {
            if tokens.is(before, b'!') {
                return Ok(Some((Vec::new(), before.saturating_sub(1))));
            }
            return Ok(Some((self.in_range(site, open + 1, close)?, open)));
        };
        if tokens.is(called.wrapping_sub(1), b'.') && called > 1 {
            let Some((receiver, first)) = self.ending_at(site, called - 2)? else { return Ok(None) };
            return Ok(Some((self.call_types(site, called, Some(receiver), (open, close))?, first)));
        }
        let first = first_of_path(tokens, called);
        let is_new = home.0 == Family::Jvm && first > 0 && tokens.word(first - 1) == "new";
        if is_new {
            return Ok(Some((written(home, tokens, first, open), first - 1)));
        }
        Ok(Some((self.call_types(site, called, None, (open, close))?, first)))
    }

    /// The types that a call of the name at token `called` gives, for these types of its receiver.
    fn call_types(
        &self,
        site: &Site<'_>,
        called: usize,
        receiver: Option<Vec<WrittenType>>,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let mut found = self.built_in(site, called, (open, close))?;
        if found.is_empty() {
            let receivers = receiver.as_deref().unwrap_or_default();
            let mut functions = Vec::new();
            for receiver_type in receivers {
                functions.extend(self.members_of(site, receiver_type, tokens.word(called))?);
            }
            if functions.is_empty() {
                let name = tokens.word(called);
                found.extend(receivers.iter().filter_map(|receiver_type| match self.family(site.file) {
                    Family::Rust => library::result(receiver_type, name),
                    Family::Jvm => library::java_result(receiver_type, name),
                    _ => None,
                }));
                if found.is_empty() && receiver.is_some() {
                    found = self.mapped(site, receivers, name, (open, close))?;
                }
            }
            if functions.is_empty() && found.is_empty() {
                functions = self.definitions_at(site, site.item.span_of(called))?;
            }
            for function in &functions {
                found.extend(self.results(function, receivers)?);
            }
            if found.is_empty() {
                found = self.constructed(site, called)?;
            }
        }
        unique(&mut found);
        Ok(found)
    }

    /// The types that a function such as `map` gives, by the result of the function that is its argument.
    fn mapped(
        &self,
        site: &Site<'_>,
        receivers: &[WrittenType],
        name: &str,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let is_flat = library::FLAT_MAPS.contains(&name);
        let Some(receiver) = receivers.first().filter(|_| is_flat || library::MAPS.contains(&name)) else {
            return Ok(Vec::new());
        };
        let tokens = &site.item.tokens;
        let results = match self.family(site.file) {
            Family::Rust if tokens.is(open + 1, b'|') || tokens.word(open + 1) == "move" => {
                let bar = tokens.find(open + 1, close, |at| tokens.is(at, b'|'));
                let body = tokens.find(bar + 1, close, |at| tokens.is(at, b'|')) + 1;
                self.in_range(site, body, close)?
            }
            _ => {
                let arrow = tokens.find(open + 1, close, |at| tokens.is_operator(at, "->"));
                let is_reference = close > 2 && tokens.is(close - 2, b':') && tokens.is_word(close - 1);
                match arrow < close {
                    true => self.in_range(site, arrow + 2, close)?,
                    false if is_reference => self.results_of_reference(site, receiver, close - 1)?,
                    false => Vec::new(),
                }
            }
        };
        Ok(match is_flat || matches!(name, "filter_map" | "and_then") {
            true => results,
            false => {
                let holder = |held: WrittenType| WrittenType::new(held.file, &receiver.name).with(vec![held]);
                results.into_iter().map(holder).collect()
            }
        })
    }

    /// The types that a function that is named without a call gives: `Pool::take`.
    fn results_of_reference(
        &self,
        site: &Site<'_>,
        receiver: &WrittenType,
        name: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let element = library::element(receiver);
        let mut functions = Vec::new();
        if let Some(held) = &element {
            functions.extend(self.members_of(site, held, site.item.tokens.word(name))?);
        }
        if functions.is_empty() {
            functions = self.definitions_at(site, site.item.span_of(name))?;
        }
        let mut found = Vec::new();
        for function in &functions {
            found.extend(self.results(function, element.as_slice())?);
        }
        Ok(found)
    }

    /// The types of a parameter of a function that is an argument.
    fn parameter_types(
        &self,
        site: &Site<'_>,
        own: &LambdaParameter,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let called = own.called;
        if called < 2 || !tokens.is(called - 1, b'.') {
            return Ok(Vec::new());
        }
        let Some((receivers, _)) = self.ending_at(site, called - 2)? else { return Ok(Vec::new()) };
        let name = tokens.word(called);
        let mut found = Vec::new();
        for receiver in &receivers {
            let functions = self.members_of(site, receiver, name)?;
            match functions.is_empty() && self.type_definitions(receiver)?.is_empty() {
                true => found.extend(library::parameter(receiver, name, (own.number, own.count))),
                false => {
                    let taken =
                        functions.iter().filter_map(|function| self.argument_type(function, own.argument));
                    found.extend(taken.filter_map(|taken| taken.args.get(own.number).cloned()));
                }
            }
        }
        Ok(found)
    }

    /// Calls that a language or its library defines: `new(T)`, `Some(x)`, `Box::new(x)`.
    fn built_in(
        &self,
        site: &Site<'_>,
        called: usize,
        (open, close): (usize, usize),
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let (family, name) = (self.family(site.file), tokens.word(called));
        let is_plain =
            first_of_path(tokens, called) == called && !(called > 0 && tokens.is(called - 1, b'.'));
        let argument = tokens.split(open + 1, close).first().copied();
        let Some((from, to)) = argument else { return Ok(Vec::new()) };
        match (family, name) {
            (Family::Go, "new" | "make") if is_plain => Ok(written((family, site.file), tokens, from, to)),
            (Family::Go, "append") if is_plain => self.in_range(site, from, to),
            (Family::Rust, "Some" | "Ok") => {
                let inner = self.in_range(site, from, to)?;
                Ok(inner
                    .into_iter()
                    .map(|held| WrittenType::new(held.file, "Option").with(vec![held]))
                    .collect())
            }
            (Family::Rust, "new" | "from" | "pin" | "clone") if called > 2 && tokens.is(called - 1, b':') => {
                let holder = tokens.word(called - 3);
                if !HOLDERS.contains(&holder) {
                    return Ok(Vec::new());
                }
                let inner = self.in_range(site, from, to)?;
                Ok(match name {
                    "clone" => inner,
                    _ => inner
                        .into_iter()
                        .map(|held| WrittenType::new(held.file, holder).with(vec![held]))
                        .collect(),
                })
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The type before a call whose function the tree does not define, such as that of a derived `default` or a variant.
    fn constructed(&self, site: &Site<'_>, called: usize) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        if self.family(site.file) != Family::Rust || called < 3 || !tokens.is(called - 1, b':') {
            return Ok(Vec::new());
        }
        let mut types = vec![WrittenType::new(site.file, tokens.word(called - 3))];
        self.replace_self(site, &mut types);
        let name = tokens.word(called);
        let definitions = self.type_definitions(&types[0])?;
        let is_variant =
            |symbol: &Definition| symbol.kind == SymbolKind::Enum && name.starts_with(char::is_uppercase);
        let gives_type = matches!(name, "default" | "from" | "new") || definitions.iter().any(is_variant);
        Ok(if gives_type && !definitions.is_empty() { types } else { Vec::new() })
    }

    /// The definitions that the name at a span of the file means, apart from the type of a receiver: the expression before
    /// the name is evaluated already, and has no such member.
    fn definitions_at(&self, site: &Site<'_>, span: Span) -> Result<Vec<Definition>, SearchError> {
        let used = site.facts.use_at(span);
        let meanings = self.meanings_by_rules(site.file, site.facts, &used)?;
        let certain = meanings.into_iter().filter(|meaning| meaning.confidence >= MIN_CONFIDENCE);
        Ok(certain.map(|meaning| meaning.definition).collect())
    }

    /// The types that a call of a definition gives.
    fn results(
        &self,
        symbol: &Definition,
        receivers: &[WrittenType],
    ) -> Result<Vec<WrittenType>, SearchError> {
        if symbol.kind.is_type_like() {
            return Ok(vec![WrittenType::new(symbol.file, &symbol.name)]);
        }
        if !symbol.kind.is_function() {
            return Ok(Vec::new());
        }
        let mut found = self.result_types(symbol);
        let Some(container) = symbol.container.as_deref() else { return Ok(found) };
        let container = container.rsplit(['.', ':']).next().unwrap_or(container);
        let around = WrittenType::new(symbol.file, container);
        let definitions = self.type_definitions(&around)?;
        let is_trait = definitions.iter().any(|definition| definition.kind == SymbolKind::Trait);
        let itself = receivers.first().filter(|first| is_trait || first.name == around.name).cloned();
        let itself = itself.unwrap_or_else(|| around.clone());
        for result in &mut found {
            result.replace("Self", &itself);
            *result = std::mem::replace(result, WrittenType::new(result.file, "")).bounded();
        }
        if let (Some(definition), Some(receiver)) = (definitions.first(), receivers.first())
            && receiver.name == around.name
            && let Some(item) = self.item(definition.file, definition.span)
            && let family = self.family(symbol.file)
            && let Some((name, _)) = name_and_parameters(family, &item.tokens, &definition.name)
        {
            found = substituted(family, &item.tokens, name, found, receiver);
        }
        Ok(found)
    }

    /// The types of the field at token `at` of values of these types.
    fn field(
        &self,
        site: &Site<'_>,
        types: &[WrittenType],
        at: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let name = site.item.tokens.word(at);
        let mut found = Vec::new();
        for holder in types {
            found.extend(self.field_of(holder, name)?);
        }
        if found.is_empty() && types.is_empty() {
            for definition in self.definitions_at(site, site.item.span_of(at))? {
                found.extend(self.constant_types(&definition)?);
            }
        }
        unique(&mut found);
        Ok(found)
    }

    /// The types of a field of a type, or of the nearest types that it embeds, extends or passes on.
    fn field_of(&self, holder: &WrittenType, name: &str) -> Result<Vec<WrittenType>, SearchError> {
        of_nearest(holder, |holder| self.direct_field(holder, name))
    }

    /// The types of a field of a type itself, and without any the types that may have the field instead.
    fn direct_field(
        &self,
        holder: &WrittenType,
        name: &str,
    ) -> Result<(Vec<WrittenType>, Vec<WrittenType>), SearchError> {
        if let (TUPLE, Ok(place)) = (&*holder.name, name.parse::<usize>()) {
            return Ok((holder.args.get(place).cloned().into_iter().collect(), Vec::new()));
        }
        let definitions = self.type_definitions(holder)?;
        if definitions.is_empty() {
            return Ok((Vec::new(), library::inner(holder).cloned().into_iter().collect()));
        }
        let (mut found, mut bases) = (Vec::new(), Vec::new());
        for definition in &definitions {
            found.extend(self.field_types(definition, holder, name));
            if found.is_empty() && self.family(holder.file) != Family::Rust {
                bases.extend(self.written_bases(definition, holder)?);
            }
        }
        Ok((found, bases))
    }

    /// The types of the name at token `at` that nothing with a dot stands before.
    fn name(&self, site: &Site<'_>, at: usize) -> Result<Vec<WrittenType>, SearchError> {
        let (tokens, family) = (&site.item.tokens, self.family(site.file));
        let name = tokens.word(at);
        let around = || site.facts.type_around(site.owner).map(|name| WrittenType::new(site.file, name));
        if matches!(name, "self" | "this" | "Self") {
            return Ok(around().into_iter().collect());
        }
        let is_path = at > 0 && tokens.is(at - 1, b':');
        if !is_path && let Some(source) = declaration(family, tokens, name, at) {
            return self.local(site, source);
        }
        if family == Family::Jvm
            && let Some(container) = around()
        {
            let found = self.field_of(&container, name)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let mut found = Vec::new();
        for definition in self.definitions_at(site, site.item.span_of(at))? {
            found.extend(self.constant_types(&definition)?);
        }
        // A class of Java before a static member, or a variant of an enum of Rust.
        if found.is_empty() && family == Family::Jvm && name.starts_with(char::is_uppercase) {
            found.push(WrittenType::new(site.file, name));
        }
        if found.is_empty() && is_path {
            found = self.constructed(site, at)?;
        }
        unique(&mut found);
        Ok(found)
    }

    fn local(&self, site: &Site<'_>, source: LocalSource) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let home = (self.family(site.file), site.file);
        let (mut types, parts) = match source {
            LocalSource::Untyped => return Ok(Vec::new()),
            LocalSource::Parameter(own) => (self.parameter_types(site, &own)?, own.parts),
            LocalSource::Written(from, to) => {
                let mut types = written(home, tokens, from, to);
                // A list of further arguments.
                if home.0 == Family::Go && tokens.is(from, b'.') {
                    types = vec![WrittenType::new(site.file, LIST).with(types)];
                }
                (types, Vec::new())
            }
            LocalSource::Value(from, to, parts) => (self.in_range(site, from, to)?, parts),
        };
        self.replace_self(site, &mut types);
        for part in parts {
            let mut inner = Vec::new();
            for whole in &types {
                inner.extend(self.part(site, whole, part)?);
            }
            types = inner;
        }
        Ok(types)
    }

    fn part(
        &self,
        site: &Site<'_>,
        whole: &WrittenType,
        part: ValuePart,
    ) -> Result<Vec<WrittenType>, SearchError> {
        match part {
            ValuePart::Element => Ok(library::element(whole).into_iter().collect()),
            ValuePart::OfTuple(place) if &*whole.name == TUPLE => {
                Ok(whole.args.get(place).cloned().into_iter().collect())
            }
            ValuePart::OfTuple(_) => Ok(Vec::new()),
            ValuePart::OfField(name, field) => {
                let (name, field) = (site.item.tokens.word(name), site.item.tokens.word(field));
                let mut found = Vec::new();
                for definition in self.type_definitions(whole)? {
                    found.extend(self.named_variant_types(&definition, whole, name, field));
                }
                Ok(found)
            }
            ValuePart::OfVariant(name, place) => match site.item.tokens.word(name) {
                "Some" | "Ok" => Ok(library::unwrapped(whole).into_iter().collect()),
                "Err" => Ok(whole.args.get(1).cloned().into_iter().collect()),
                variant => {
                    let mut found = Vec::new();
                    for definition in self.type_definitions(whole)? {
                        found.extend(self.variant_types(&definition, whole, variant, place));
                    }
                    Ok(found)
                }
            },
        }
    }

    /// The types of a constant or variable of a file, and a type as its value.
    fn constant_types(&self, definition: &Definition) -> Result<Vec<WrittenType>, SearchError> {
        let family = self.family(definition.file);
        if definition.kind.is_type_like() {
            return Ok(vec![WrittenType::new(definition.file, &definition.name)]);
        }
        if definition.kind.is_function() {
            return Ok(Vec::new());
        }
        let Some(item) = self.item(definition.file, definition.span) else { return Ok(Vec::new()) };
        let tokens = &item.tokens;
        let Some((name, _)) = name_and_parameters(family, tokens, &definition.name) else {
            return Ok(Vec::new());
        };
        let ends = |at: usize| tokens.is(at, b'=') || tokens.is(at, b';');
        let from = if family == Family::Rust { name + 2 } else { name + 1 };
        let equals = end_of_type(tokens, from, tokens.len(), ends);
        if equals > from {
            return Ok(written((family, definition.file), tokens, from, equals));
        }
        let Some(facts) = self.facts(definition.file).filter(|_| tokens.is(from, b'=')) else {
            return Ok(Vec::new());
        };
        let site = Site { file: definition.file, facts: &facts, owner: None, item: item.clone() };
        self.in_range(&site, from + 1, tokens.len())
    }
}

fn unique(types: &mut Vec<WrittenType>) {
    let mut seen: Vec<WrittenType> = Vec::new();
    types.retain(|listed| {
        !seen.contains(listed) && {
            seen.push(listed.clone());
            true
        }
    });
    types.truncate(MAX_TYPES);
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "if"
            | "match"
            | "in"
            | "while"
            | "for"
            | "else"
            | "await"
            | "case"
            | "range"
            | "func"
            | "switch"
    )
}

fn is_operand(tokens: &Tokens, at: usize) -> bool {
    is_end_of_operand(tokens, at, is_keyword) || tokens.is(at, b'?')
}

/// The first token of a path such as `pool::Pool::new` that ends with the word at `at`.
fn first_of_path(tokens: &Tokens, at: usize) -> usize {
    let mut first = at;
    while first > 2 && tokens.is(first - 1, b':') && tokens.is(first - 2, b':') {
        first = match tokens.is(first - 3, b'>') {
            true => match before_arguments(tokens, first - 3) {
                Some(before) => before,
                None => return first,
            },
            false => first - 3,
        };
    }
    first
}

/// The word before the generic arguments that end at `close`.
fn before_arguments(tokens: &Tokens, close: usize) -> Option<usize> {
    if tokens.is(close, b']') {
        return tokens.partner(close)?.checked_sub(1);
    }
    let before = before_generics(tokens, close, |word| matches!(word, ";" | "{" | "}"))?;
    let is_path = before > 1 && tokens.is(before, b':') && tokens.is(before - 1, b':');
    if is_path { before.checked_sub(2) } else { Some(before) }
}
