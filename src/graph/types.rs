//! The values of expressions, as far as declarations tell: which class, function or module an expression means.
//!
//! The evaluation follows declarations of variables, parameters and fields, imports, constructors, members with inheritance
//! and the types that signatures write. An expression whose value is not known has no values.

use std::sync::Arc;

use super::expressions::{Chain, Step};
use super::files::{Definition, Graph};
use super::scopes::{Declaration, Scopes, Source};
use super::tokens::Tokens;
use super::uses::{FileFacts, innermost};
use crate::model::SymbolKind;
use crate::search::SearchError;
use crate::text::Span;

/// The longest chain of declarations that an evaluation follows.
const MAX_DEPTH: usize = 7;

/// The most values of one expression.
const MAX_VALUES: usize = 6;

/// The tokens of a file with its declarations.
pub(super) struct Reading {
    pub tokens: Tokens,
    pub scopes: Scopes,
}

/// What an expression means.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An object of a type of the tree.
    Instance(Definition),
    /// A type of the tree.
    Class(Definition),
    /// The own object with the members of the base types only.
    Super(Definition),
    /// A function, and the type of the object that it was taken from.
    Function(Definition, Option<Box<Definition>>),
    /// The files of a module.
    Module(Vec<u32>),
    /// An object of a written type: the tokens of a file.
    Written(u32, usize, usize),
    /// Something that the tree does not define.
    Outside,
}

/// The member of a type.
pub(super) enum Member {
    /// Functions, types and other symbols, and whether a base type has them.
    Symbols(Vec<Definition>, bool),
    /// A field that no symbol stands for.
    Field(u32, Declaration),
    /// All base types are known, and none has the member.
    Missing,
    /// A base type is not of the tree.
    Outside,
}

impl Graph<'_> {
    /// The tokens and declarations of a file.
    pub(super) fn reading(&self, file: u32) -> Option<Arc<Reading>> {
        if let Some(known) = self.readings.borrow().get(&file) {
            return known.clone();
        }
        let reading = self.facts(file).map(|facts| {
            let family = self.family(file);
            let tokens = Tokens::new(family, facts.text.clone(), facts.comments());
            let scopes = Scopes::new(family, &tokens);
            Arc::new(Reading { tokens, scopes })
        });
        self.readings.borrow_mut().insert(file, reading.clone());
        reading
    }

    /// The values of a chain in `file`.
    pub(super) fn values(&self, file: u32, chain: &Chain, depth: usize) -> Result<Vec<Value>, SearchError> {
        let Some(reading) = self.reading(file).filter(|_| depth < MAX_DEPTH) else { return Ok(Vec::new()) };
        let mut values = Vec::new();
        for (index, step) in chain.steps.iter().enumerate() {
            let is_super_call = index == 1
                && matches!(step, Step::Call)
                && values.iter().any(|value| matches!(value, Value::Super(_)));
            if is_super_call {
                continue;
            }
            values = match *step {
                Step::Name(at) => self.values_of_name(file, &reading, at, depth)?,
                Step::Group(from, to) => self.values_of_tokens(file, &reading, from, to, depth)?,
                Step::Literal => vec![Value::Outside],
                Step::As(from, to) => vec![Value::Written(file, from, to)],
                Step::Member(at) => {
                    let name = reading.tokens.word(at).to_string();
                    self.each(values, |value| self.member_values(&value, &name, depth))?
                }
                Step::Call => self.each(values, |value| self.called(value, depth))?,
                Step::Index => self.each(values, |value| self.indexed(value, depth))?,
            };
            values.truncate(MAX_VALUES);
            if values.is_empty() {
                break;
            }
        }
        Ok(values)
    }

    fn each(
        &self,
        values: Vec<Value>,
        of: impl Fn(Value) -> Result<Vec<Value>, SearchError>,
    ) -> Result<Vec<Value>, SearchError> {
        let mut found = Vec::new();
        for value in values {
            found.extend(of(value)?);
        }
        Ok(found)
    }

    fn values_of_tokens(
        &self,
        file: u32,
        reading: &Reading,
        from: usize,
        to: usize,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let family = self.family(file);
        match Chain::in_range(family, &reading.tokens, from, to) {
            Some(chain) => self.values(file, &chain, depth + 1),
            None => Ok(Vec::new()),
        }
    }

    /// The values of a name without a receiver.
    fn values_of_name(
        &self,
        file: u32,
        reading: &Reading,
        token: usize,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let (name, at) = (reading.tokens.word(token), reading.tokens.at(token).map_or(0, |token| token.start));
        let Some(facts) = self.facts(file) else { return Ok(Vec::new()) };
        if let "self" | "this" | "cls" | "super" = name {
            let own = self.type_at(file, &facts, at)?.into_iter();
            let own = own.map(|own| match name {
                "cls" => Value::Class(own),
                "super" => Value::Super(own),
                _ => Value::Instance(own),
            });
            return Ok(own.collect());
        }
        self.named(file, &facts, reading, name, at, depth)
    }

    /// The values of `name` at a byte.
    fn named(
        &self,
        file: u32,
        facts: &FileFacts,
        reading: &Reading,
        name: &str,
        at: u32,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let declared = reading.scopes.declaration(name, at);
        if let Some(local) = declared.filter(|own| !own.is_global) {
            return match local.source {
                Source::Item => {
                    let own = self.item_at(file, name, local.at)?;
                    self.each_definition(own.into_iter().collect(), depth)
                }
                _ => self.source_values(file, reading, local, depth),
            };
        }
        let bound = facts.imports.iter().flat_map(|import| import.bindings.iter().map(move |own| (import, own)));
        if let Some((import, binding)) = bound.into_iter().find(|(_, binding)| &*binding.local == name) {
            let definitions = self.bound(file, import, binding)?;
            if !definitions.is_empty() {
                return self.each_definition(definitions, depth);
            }
            let modules = self.bound_module(file, import, binding);
            if !modules.is_empty() {
                return Ok(vec![Value::Module(modules)]);
            }
            let is_outside = self.module_files(file, import).is_empty();
            return Ok(if is_outside { vec![Value::Outside] } else { Vec::new() });
        }
        let is_first_part = |module: &str| module.split('.').next() == Some(name) && module.len() > name.len();
        if facts.imports.iter().any(|import| is_first_part(&import.module) && import.bindings.iter().any(|own| own.name.is_none() && own.local == import.module)) {
            let modules = self.module(file, name);
            return Ok(vec![if modules.is_empty() { Value::Outside } else { Value::Module(modules) }]);
        }
        let own = self.definitions(name)?;
        let own: Vec<Definition> =
            own.iter().filter(|own| own.file == file && own.container.is_none()).cloned().collect();
        if !own.is_empty() {
            return self.each_definition(own, depth);
        }
        if let Some(global) = declared {
            return self.source_values(file, reading, global, depth);
        }
        let mut found = Vec::new();
        for import in facts.imports.iter().filter(|import| import.is_wildcard) {
            found.extend(self.reached(&self.module_files(file, import), name, 0)?);
        }
        self.each_definition(found, depth)
    }

    /// The symbol with this name whose item contains a byte, the innermost one.
    pub(super) fn item_at(&self, file: u32, name: &str, at: u32) -> Result<Option<Definition>, SearchError> {
        let all = self.definitions(name)?;
        let own = all.iter().filter(|own| own.file == file && own.span.start <= at && at < own.span.end);
        Ok(own.min_by_key(|own| own.span.len()).cloned())
    }

    /// The type around a byte.
    pub(super) fn type_at(
        &self,
        file: u32,
        facts: &FileFacts,
        at: u32,
    ) -> Result<Option<Definition>, SearchError> {
        let owner = innermost(&facts.symbols, Span::new(at as usize, at as usize));
        let Some(name) = facts.type_around(owner) else { return Ok(None) };
        let all = self.definitions(name)?;
        let own = all.iter().filter(|own| own.file == file && own.kind.is_type_like());
        let around = own.clone().filter(|own| own.span.start <= at && at < own.span.end);
        Ok(around.min_by_key(|own| own.span.len()).or_else(|| own.clone().next()).cloned())
    }

    fn each_definition(&self, own: Vec<Definition>, depth: usize) -> Result<Vec<Value>, SearchError> {
        let mut values = Vec::new();
        for own in own.into_iter().take(MAX_VALUES) {
            values.extend(self.value_of(own, None, depth)?);
        }
        Ok(values)
    }

    /// The values of a symbol, taken from an object of the type `receiver`.
    fn value_of(
        &self,
        own: Definition,
        receiver: Option<&Definition>,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        if own.kind.is_type_like() {
            return Ok(vec![Value::Class(own)]);
        }
        if own.kind.is_function() {
            let function = Value::Function(own, receiver.cloned().map(Box::new));
            let Value::Function(own, _) = &function else { return Ok(Vec::new()) };
            return if self.is_property(own) { self.called(function, depth) } else { Ok(vec![function]) };
        }
        let Some(reading) = self.reading(own.file) else { return Ok(Vec::new()) };
        let declared = match &own.container {
            Some(class) => reading.scopes.fields(class, &own.name).first(),
            None => reading.scopes.declaration(&own.name, own.span.start),
        };
        match declared {
            Some(declared) => self.source_values(own.file, &reading, declared, depth),
            None => Ok(Vec::new()),
        }
    }

    /// Whether a method is read like a field.
    fn is_property(&self, own: &Definition) -> bool {
        let Some(facts) = self.facts(own.file) else { return false };
        let Some(symbol) = facts.symbols.get(own.place as usize) else { return false };
        let before = Span::new(own.span.start as usize, symbol.signature.start.max(own.span.start) as usize);
        let signature = facts.at(symbol.signature).trim_start();
        facts.at(before).contains("property") || signature.starts_with("get ") || signature.contains(" get ")
    }

    /// The values of what declares a name.
    pub(super) fn source_values(
        &self,
        file: u32,
        reading: &Reading,
        declared: &Declaration,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        if depth >= MAX_DEPTH {
            return Ok(Vec::new());
        }
        match declared.source {
            Source::Type(from, to) => Ok(vec![Value::Written(file, from, to)]),
            Source::Value(from, to) => self.values_of_tokens(file, reading, from, to, depth),
            Source::Element(from, to) => {
                let values = self.values_of_tokens(file, reading, from, to, depth)?;
                self.each(values, |value| self.element(value, depth))
            }
            Source::Entered(from, to) => {
                let values = self.values_of_tokens(file, reading, from, to, depth)?;
                self.each(values, |value| self.entered(value, depth))
            }
            Source::Member(from, to, name) => {
                let values = self.values_of_tokens(file, reading, from, to, depth)?;
                let name = reading.tokens.word(name).to_string();
                self.each(values, |value| self.member_values(&value, &name, depth))
            }
            Source::Item | Source::Opaque => Ok(Vec::new()),
        }
    }

    /// The values of a member of a value.
    fn member_values(&self, value: &Value, name: &str, depth: usize) -> Result<Vec<Value>, SearchError> {
        if depth >= MAX_DEPTH {
            return Ok(Vec::new());
        }
        match value {
            Value::Module(files) => {
                let found = self.reached(files, name, 0)?;
                if !found.is_empty() {
                    return self.each_definition(found, depth + 1);
                }
                let inner: Vec<u32> =
                    files.iter().flat_map(|file| self.module(*file, &format!(".{name}"))).collect();
                Ok(if inner.is_empty() { Vec::new() } else { vec![Value::Module(inner)] })
            }
            Value::Written(..) => {
                let values = self.instances(value.clone(), None, depth)?;
                self.each(values, |value| self.member_values(&value, name, depth + 1))
            }
            Value::Instance(own) | Value::Class(own) | Value::Super(own) => {
                let is_super = matches!(value, Value::Super(_));
                match self.member(own, name, is_super)? {
                    Member::Symbols(found, _) => {
                        let mut values = Vec::new();
                        for found in found.into_iter().take(MAX_VALUES) {
                            values.extend(self.value_of(found, Some(own), depth + 1)?);
                        }
                        Ok(values)
                    }
                    Member::Field(file, declared) => match self.reading(file) {
                        Some(reading) => self.source_values(file, &reading, &declared, depth + 1),
                        None => Ok(Vec::new()),
                    },
                    Member::Outside => Ok(vec![Value::Outside]),
                    Member::Missing => Ok(Vec::new()),
                }
            }
            Value::Outside => Ok(vec![Value::Outside]),
            Value::Function(..) => Ok(Vec::new()),
        }
    }

    /// The member `name` of a type, or of its base types.
    pub(super) fn member(&self, own: &Definition, name: &str, skips_own: bool) -> Result<Member, SearchError> {
        let (mut types, mut seen) = (vec![own.clone()], Vec::new());
        let mut is_complete = true;
        let all = self.definitions(name)?;
        while let Some(own) = (!types.is_empty()).then(|| types.remove(0)) {
            let key = (own.file, own.place);
            if seen.contains(&key) || seen.len() > 24 {
                continue;
            }
            let is_base = !seen.is_empty();
            seen.push(key);
            if is_base || !skips_own {
                let is_member = |found: &&Definition| {
                    found.file == own.file
                        && found.container.as_deref() == Some(&*own.name)
                        && own.span.contains(found.span)
                };
                let found: Vec<Definition> = all.iter().filter(is_member).cloned().collect();
                let is_symbol = |own: &Definition| own.kind.is_function() || own.kind.is_type_like();
                if found.iter().any(is_symbol) {
                    return Ok(Member::Symbols(found, is_base));
                }
                let reading = self.reading(own.file);
                let fields = reading.as_ref().map_or(&[][..], |reading| reading.scopes.fields(&own.name, name));
                let typed = fields.iter().find(|own| matches!(own.source, Source::Type(..))).or(fields.first());
                if let Some(declared) = typed {
                    return Ok(Member::Field(own.file, *declared));
                }
                if !found.is_empty() {
                    return Ok(Member::Symbols(found, is_base));
                }
            }
            let (bases, are_all_known) = self.bases(&own)?;
            is_complete &= are_all_known;
            types.extend(bases);
        }
        Ok(if is_complete { Member::Missing } else { Member::Outside })
    }

    /// The base types of a type that are of the tree, and whether these are all.
    fn bases(&self, own: &Definition) -> Result<(Vec<Definition>, bool), SearchError> {
        let Some(reading) = self.reading(own.file) else { return Ok((Vec::new(), false)) };
        let Some(facts) = self.facts(own.file) else { return Ok((Vec::new(), false)) };
        let Some(symbol) = facts.symbols.get(own.place as usize) else { return Ok((Vec::new(), false)) };
        let tokens = &reading.tokens;
        let (start, end) = (tokens.index_at(symbol.signature.start), tokens.index_at(symbol.signature.end));
        let name = tokens.find(start, end, |at| tokens.word(at) == &*own.name);
        let (mut bases, mut are_all_known) = (Vec::new(), true);
        for (from, to) in super::expressions::base_types(self.family(own.file), tokens, name + 1, end) {
            let values = self.instances(Value::Written(own.file, from, to), None, MAX_DEPTH - 3)?;
            let found: Vec<Definition> = values
                .iter()
                .filter_map(|value| match value {
                    Value::Instance(base) if !base.is(own) => Some(base.clone()),
                    _ => None,
                })
                .collect();
            are_all_known &= !found.is_empty() || matches!(tokens.word(from), "object" | "Protocol" | "Generic" | "ABC");
            bases.extend(found);
        }
        Ok((bases, are_all_known))
    }

    /// What a call of a value gives.
    fn called(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Class(own) => Ok(vec![Value::Instance(own)]),
            Value::Outside => Ok(vec![Value::Outside]),
            Value::Function(own, receiver) => self.returned(&own, receiver.as_deref(), depth + 1),
            Value::Instance(own) => match self.member(&own, "__call__", false)? {
                Member::Symbols(found, _) => {
                    let mut values = Vec::new();
                    for found in &found {
                        values.extend(self.returned(found, Some(&own), depth + 1)?);
                    }
                    Ok(values)
                }
                _ => Ok(Vec::new()),
            },
            Value::Written(file, from, to) => {
                let values = self.instances(Value::Written(file, from, to), None, depth)?;
                self.each(values, |value| match value {
                    Value::Written(..) => Ok(Vec::new()),
                    value => self.called(value, depth + 1),
                })
            }
            Value::Super(_) | Value::Module(_) => Ok(Vec::new()),
        }
    }

    /// The values that a function returns: of the type that its signature writes, or else those of its `return` statements.
    fn returned(
        &self,
        own: &Definition,
        receiver: Option<&Definition>,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let (Some(reading), Some(facts)) = (self.reading(own.file), self.facts(own.file)) else {
            return Ok(Vec::new());
        };
        let Some(symbol) = facts.symbols.get(own.place as usize).filter(|_| depth < MAX_DEPTH) else {
            return Ok(Vec::new());
        };
        let tokens = &reading.tokens;
        let family = self.family(own.file);
        let start = tokens.index_at(symbol.signature.start);
        let end = tokens.index_at(own.span.end);
        if let Some((from, to, own_type)) =
            super::expressions::return_type(family, tokens, start, end, &own.name)
        {
            let is_own = matches!(tokens.word(from), "Self" | "this")
                || own_type.is_some_and(|(own_from, own_to)| tokens.text(own_from, own_to) == tokens.text(from, to));
            if is_own && let Some(receiver) = receiver {
                return Ok(vec![Value::Instance(receiver.clone())]);
            }
            return self.instances_or_written(own.file, from, to, receiver, depth);
        }
        let mut values = Vec::new();
        for at in (start..end).filter(|at| tokens.word(*at) == "return").take(4) {
            let byte = tokens.at(at).map_or(0, |token| token.start);
            let is_own = innermost(&facts.symbols, Span::new(byte as usize, byte as usize)) == Some(own.place);
            let to = super::expressions::end_of_statement(family, tokens, at + 1, end);
            if is_own && to > at + 1 {
                let found = self.values_of_tokens(own.file, &reading, at + 1, to, depth)?;
                if found.is_empty() {
                    return Ok(Vec::new());
                }
                values.extend(found);
            }
        }
        values.truncate(MAX_VALUES);
        Ok(values)
    }

    /// A written type that stays as written if it is one of containers, so that its elements are known.
    fn instances_or_written(
        &self,
        file: u32,
        from: usize,
        to: usize,
        receiver: Option<&Definition>,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let values = self.instances(Value::Written(file, from, to), receiver, depth)?;
        let is_outside = values.iter().all(|value| matches!(value, Value::Outside));
        Ok(if is_outside { vec![Value::Written(file, from, to)] } else { values })
    }

    /// What an index into a value gives.
    fn indexed(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Written(file, from, to) => {
                let Some(reading) = self.reading(file) else { return Ok(Vec::new()) };
                let parts = super::expressions::arguments(&reading.tokens, from, to);
                Ok(match parts.last() {
                    Some((from, to)) => vec![Value::Written(file, *from, *to)],
                    None => self.instances(value, None, depth)?.into_iter().filter(|own| matches!(own, Value::Outside)).collect(),
                })
            }
            Value::Class(own) => Ok(vec![Value::Class(own)]),
            Value::Instance(own) => match self.member(&own, "__getitem__", false)? {
                Member::Symbols(found, _) => {
                    let found = found.first().map(|found| self.returned(found, Some(&own), depth + 1));
                    found.unwrap_or(Ok(Vec::new()))
                }
                _ => Ok(Vec::new()),
            },
            Value::Outside => Ok(vec![Value::Outside]),
            _ => Ok(Vec::new()),
        }
    }

    /// An element of a value.
    fn element(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Written(file, from, to) => {
                let Some(reading) = self.reading(file) else { return Ok(Vec::new()) };
                let parts = super::expressions::arguments(&reading.tokens, from, to);
                Ok(parts.first().map(|(from, to)| Value::Written(file, *from, *to)).into_iter().collect())
            }
            Value::Instance(own) => match self.member(&own, "__iter__", false)? {
                Member::Symbols(found, _) => {
                    let mut values = Vec::new();
                    for found in found.iter().take(1) {
                        for value in self.returned(found, Some(&own), depth + 1)? {
                            if matches!(value, Value::Written(..)) {
                                values.extend(self.element(value, depth + 1)?);
                            }
                        }
                    }
                    Ok(values)
                }
                _ => Ok(Vec::new()),
            },
            Value::Outside => Ok(vec![Value::Outside]),
            _ => Ok(Vec::new()),
        }
    }

    /// What a context manager yields.
    fn entered(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Instance(own) => {
                for name in ["__enter__", "__aenter__"] {
                    if let Member::Symbols(found, _) = self.member(&own, name, false)? {
                        let found = found.first().map(|found| self.returned(found, Some(&own), depth + 1));
                        let values = found.unwrap_or(Ok(Vec::new()))?;
                        return Ok(if values.is_empty() { vec![Value::Instance(own)] } else { values });
                    }
                }
                Ok(vec![Value::Instance(own)])
            }
            Value::Written(..) => self.element(value, depth),
            Value::Outside => Ok(vec![Value::Outside]),
            _ => Ok(Vec::new()),
        }
    }

    /// The types of the tree that a written type means, as instances.
    pub(super) fn instances(
        &self,
        value: Value,
        receiver: Option<&Definition>,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let Value::Written(file, from, to) = value else { return Ok(vec![value]) };
        let Some(reading) = self.reading(file).filter(|_| depth < MAX_DEPTH) else { return Ok(Vec::new()) };
        let family = self.family(file);
        let mut found = Vec::new();
        for part in super::expressions::type_parts(family, &reading.tokens, from, to) {
            use super::expressions::TypePart;
            match part {
                TypePart::Own => found.extend(receiver.cloned().map(Value::Instance)),
                TypePart::Unknown => {}
                TypePart::Outside => found.push(Value::Outside),
                TypePart::Quoted(at, name) => {
                    let byte = reading.tokens.at(at).map_or(0, |token| token.start);
                    found.extend(self.instances_of_name(file, &name, byte, depth)?);
                }
                TypePart::Value(chain) => found.extend(self.values(file, &chain, depth + 1)?),
                TypePart::Class(chain) => {
                    let values = self.values(file, &chain, depth + 1)?;
                    found.extend(values.into_iter().filter(|value| matches!(value, Value::Class(_))));
                }
                TypePart::Name(chain) => {
                    let values = self.values(file, &chain, depth + 1)?;
                    let is_unknown = values.is_empty();
                    for value in values {
                        found.extend(self.instance_of(value, depth)?);
                    }
                    if is_unknown && self.is_unknown_outside(&reading, &chain)? {
                        found.push(Value::Outside);
                    }
                }
            }
        }
        found.truncate(MAX_VALUES);
        Ok(found)
    }

    /// Whether a name that means nothing known is one of the language or of a library, and not a type parameter.
    fn is_unknown_outside(&self, reading: &Reading, chain: &Chain) -> Result<bool, SearchError> {
        let Some(Step::Name(at)) = chain.steps.first() else { return Ok(false) };
        let name = reading.tokens.word(*at);
        let is_parameter = name.len() < 3 || name.starts_with('T') && name.chars().nth(1).is_some_and(char::is_uppercase);
        Ok(!is_parameter && self.definitions(name)?.is_empty())
    }

    fn instances_of_name(
        &self,
        file: u32,
        name: &str,
        at: u32,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let (Some(facts), Some(reading)) = (self.facts(file), self.reading(file)) else { return Ok(Vec::new()) };
        let mut parts = name.split('.');
        let first = parts.next().unwrap_or_default();
        let mut values = self.named(file, &facts, &reading, first, at, depth + 1)?;
        for part in parts {
            values = self.each(values, |value| self.member_values(&value, part, depth + 1))?;
        }
        let mut found = Vec::new();
        for value in values {
            found.extend(self.instance_of(value, depth)?);
        }
        Ok(found)
    }

    /// An object of the type that a value names; of an alias, of the type that the alias stands for.
    fn instance_of(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Class(own) if own.kind == SymbolKind::Type => {
                let Some((from, to)) = self.alias_of(&own) else { return Ok(vec![Value::Instance(own)]) };
                let values = self.instances(Value::Written(own.file, from, to), None, depth + 1)?;
                Ok(if values.is_empty() { vec![Value::Instance(own)] } else { values })
            }
            Value::Class(own) => Ok(vec![Value::Instance(own)]),
            Value::Outside => Ok(vec![Value::Outside]),
            _ => Ok(Vec::new()),
        }
    }

    /// The tokens of the type that an alias stands for.
    fn alias_of(&self, own: &Definition) -> Option<(usize, usize)> {
        let reading = self.reading(own.file)?;
        let tokens = &reading.tokens;
        let (start, end) = (tokens.index_at(own.span.start), tokens.index_at(own.span.end));
        let name = tokens.find(start, end, |at| tokens.word(at) == &*own.name);
        let equals = tokens.find(name, end, |at| tokens.is(at, b'=') && !tokens.is_operator(at, "=>"));
        let end = if tokens.is(end.saturating_sub(1), b';') { end - 1 } else { end };
        (equals + 1 < end).then_some((equals + 1, end))
    }
}
