//! The values of expressions, as far as declarations tell: which class, function or module an expression means.
//!
//! The evaluation follows declarations of variables, parameters and fields, imports, constructors, members with inheritance
//! and the types that signatures write. An expression whose value is not known has no values.

use std::rc::Rc;

use super::declarations::{Declaration, TypeSource};
use super::expressions::{ChainStep, MemberChain};
use super::family::Family;
use super::files::Graph;
use super::resolve::MAX_MEANINGS;
use super::scopes::Scopes;
use super::tokens::Tokens;
use super::uses::{FileFacts, innermost};
use super::values::{FileReading, Value};
use crate::definition::Definition;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The longest chain of declarations that an evaluation follows.
pub(super) const MAX_DEPTH: usize = 7;

/// The most values of one expression.
pub(super) const MAX_VALUES: usize = 6;

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
    pub(super) fn reading(&self, file: u32) -> Option<Rc<FileReading>> {
        if let Some(known) = self.readings.borrow().get(&file) {
            return known.clone();
        }
        let reading = self.facts(file).map(|facts| {
            let family = self.family(file);
            let tokens = Tokens::new(family, facts.text.clone(), facts.comments(), Rc::clone(&self.steps));
            let scopes = Scopes::new(family, &tokens);
            Rc::new(FileReading { tokens, scopes })
        });
        self.readings.borrow_mut().insert(file, reading.clone());
        reading
    }

    /// The values of a chain in `file`.
    pub(super) fn values(
        &self,
        file: u32,
        chain: &MemberChain,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let Some(reading) = self.reading(file).filter(|_| depth < MAX_DEPTH) else { return Ok(Vec::new()) };
        let (mut values, mut held) = (Vec::new(), Vec::new());
        for (index, step) in chain.steps.iter().enumerate() {
            let is_super_call = index == 1
                && matches!(step, ChainStep::Call)
                && values.iter().any(|value| matches!(value, Value::Super(_)));
            if is_super_call {
                continue;
            }
            values = match *step {
                ChainStep::Name(at) => self.values_of_name(file, &reading, at, depth)?,
                ChainStep::Group(from, to) => self.values_of_tokens(file, &reading, from, to, depth)?,
                ChainStep::Literal => vec![Value::Outside],
                ChainStep::As(from, to) => vec![Value::Written(file, from, to)],
                ChainStep::Member(at) => {
                    held = values
                        .iter()
                        .filter(|value| matches!(value, Value::Written(..) | Value::Elements(..)))
                        .cloned()
                        .collect();
                    let name = reading.tokens.word(at).to_string();
                    self.each(values, |value| self.member_values(&value, &name, depth))?
                }
                ChainStep::Call => match chain.steps.get(index.wrapping_sub(1)) {
                    Some(ChainStep::Member(at)) if !held.is_empty() => {
                        self.passed_on(&held, reading.tokens.word(*at), values, depth)?
                    }
                    _ => self.each(values, |value| self.called(value, depth))?,
                },
                ChainStep::Index => self.each(values, |value| self.indexed(value, depth))?,
            };
            values.truncate(MAX_VALUES);
            let is_called = matches!(chain.steps.get(index + 1), Some(ChainStep::Call)) && !held.is_empty();
            if values.is_empty() && !(is_called && matches!(step, ChainStep::Member(_))) {
                break;
            }
        }
        Ok(values)
    }

    pub(super) fn each(
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
        reading: &FileReading,
        from: usize,
        to: usize,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let family = self.family(file);
        match MemberChain::in_range(family, &reading.tokens, from, to) {
            Some(chain) => self.values(file, &chain, depth + 1),
            None => Ok(Vec::new()),
        }
    }

    /// The values of a name without a receiver.
    fn values_of_name(
        &self,
        file: u32,
        reading: &FileReading,
        token: usize,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let (name, at) =
            (reading.tokens.word(token), reading.tokens.at(token).map_or(0, |token| token.start));
        let Some(facts) = self.facts(file) else { return Ok(Vec::new()) };
        if let "self" | "this" | "cls" | "super" = name {
            let around = self.type_at(file, &facts, at)?.into_iter();
            let around = around.map(|around| match name {
                "cls" => Value::Class(around),
                "super" => Value::Super(around),
                _ => Value::Instance(around),
            });
            return Ok(around.collect());
        }
        self.named(file, &facts, reading, name, at, depth)
    }

    /// The values of `name` at a byte.
    pub(super) fn named(
        &self,
        file: u32,
        facts: &FileFacts,
        reading: &FileReading,
        name: &str,
        at: u32,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let declared = reading.scopes.declaration(name, at, &self.steps);
        if let Some(local) = declared.filter(|local| !local.is_global) {
            return match local.source {
                TypeSource::Item => {
                    let item = self.item_at(file, name, local.at)?;
                    self.each_definition(item.into_iter().collect(), depth)
                }
                _ => self.source_values(file, reading, local, depth),
            };
        }
        if let Some((import, binding)) = facts.imports.bound(name).next() {
            let definitions = self.bound(file, import, binding)?;
            if !definitions.is_empty() {
                return self.each_definition(definitions, depth);
            }
            let modules = self.bound_namespace(file, import, binding);
            if !modules.is_empty() {
                return Ok(vec![Value::Module(modules)]);
            }
            let is_outside = self.module_files(file, import).is_empty();
            return Ok(if is_outside { vec![Value::Outside] } else { Vec::new() });
        }
        let is_first_part =
            |module: &str| module.split('.').next() == Some(name) && module.len() > name.len();
        let mut imports = facts.imports.iter().take_while(|_| self.steps.take(1));
        if imports.any(|import| {
            is_first_part(&import.module)
                && import
                    .bindings
                    .iter()
                    .any(|binding| binding.name.is_none() && binding.local == import.module)
        }) {
            let modules = self.module(file, name);
            return Ok(vec![if modules.is_empty() { Value::Outside } else { Value::Module(modules) }]);
        }
        let here = self.definitions(name)?;
        let here = here.in_file(file).iter().take_while(|_| self.steps.take(1));
        let here: Vec<Definition> =
            here.filter(|definition| definition.container.is_none()).take(MAX_MEANINGS).cloned().collect();
        if !here.is_empty() {
            return self.each_definition(here, depth);
        }
        if let Some(global) = declared {
            return self.source_values(file, reading, global, depth);
        }
        let modules = facts.imports.wildcards().take_while(|_| self.steps.take(1));
        let modules = modules.map(|import| self.module_files(file, import)).collect();
        self.each_definition(self.reached(modules, name)?, depth)
    }

    /// The symbol with this name whose item contains a byte, the innermost one.
    pub(super) fn item_at(&self, file: u32, name: &str, at: u32) -> Result<Option<Definition>, SearchError> {
        let all = self.definitions(name)?;
        let mut before = all.before(file, at).take_while(|_| self.steps.take(1));
        Ok(before.find(|item| at < item.span.end).cloned())
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
        let is_type = |definition: &&Definition| self.steps.take(1) && definition.kind.is_type_like();
        let around = all.before(file, at).filter(is_type).find(|definition| at < definition.span.end);
        Ok(around.or_else(|| all.in_file(file).iter().find(is_type)).cloned())
    }

    fn each_definition(&self, definitions: Vec<Definition>, depth: usize) -> Result<Vec<Value>, SearchError> {
        let mut values = Vec::new();
        for definition in definitions.into_iter().take(MAX_VALUES) {
            values.extend(self.value_of(definition, None, depth)?);
        }
        Ok(values)
    }

    /// The values of a symbol, taken from an object of the type `receiver`.
    fn value_of(
        &self,
        symbol: Definition,
        receiver: Option<&Definition>,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        if symbol.kind.is_type_like() {
            return Ok(vec![Value::Class(symbol)]);
        }
        if symbol.kind.is_function() {
            let function = Value::Function(symbol, receiver.cloned().map(Box::new));
            let Value::Function(symbol, _) = &function else { return Ok(Vec::new()) };
            return if self.is_property(symbol) { self.called(function, depth) } else { Ok(vec![function]) };
        }
        let Some(reading) = self.reading(symbol.file) else { return Ok(Vec::new()) };
        let declared = match &symbol.container {
            Some(class) => reading.scopes.fields(class, &symbol.name).first(),
            None => reading.scopes.declared_in(&symbol.name, symbol.span, &self.steps),
        };
        match declared {
            // The functions in an object are members with its name as their container.
            Some(Declaration { source: TypeSource::Value(from, to), .. })
                if is_object(&reading.tokens, *from, *to) =>
            {
                Ok(vec![Value::Class(symbol)])
            }
            Some(declared) => self.source_values(symbol.file, &reading, declared, depth),
            None => Ok(Vec::new()),
        }
    }

    /// Whether a method is read like a field.
    fn is_property(&self, method: &Definition) -> bool {
        let Some(facts) = self.facts(method.file) else { return false };
        let Some(symbol) = facts.symbols.get(method.place as usize) else { return false };
        let before =
            Span::new(method.span.start as usize, symbol.signature.start.max(method.span.start) as usize);
        let signature = facts.at(symbol.signature).trim_start();
        facts.at(before).contains("property") || signature.starts_with("get ") || signature.contains(" get ")
    }

    /// The values of what declares a name.
    pub(super) fn source_values(
        &self,
        file: u32,
        reading: &FileReading,
        declared: &Declaration,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        if let TypeSource::Type(from, to) = declared.source {
            return Ok(vec![Value::Written(file, from, to)]);
        }
        if depth >= MAX_DEPTH {
            return Ok(Vec::new());
        }
        self.evaluations.of((file, declared.at, None), || self.evaluated(file, reading, declared, depth))
    }

    fn evaluated(
        &self,
        file: u32,
        reading: &FileReading,
        declared: &Declaration,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        match declared.source {
            TypeSource::Type(from, to) => Ok(vec![Value::Written(file, from, to)]),
            TypeSource::Value(from, to) => self.values_of_tokens(file, reading, from, to, depth),
            TypeSource::Element(from, to) => {
                let values = self.values_of_tokens(file, reading, from, to, depth)?;
                self.each(values, |value| self.element(value, depth))
            }
            TypeSource::Entered(from, to) => {
                let values = self.values_of_tokens(file, reading, from, to, depth)?;
                self.each(values, |value| self.entered(value, depth))
            }
            TypeSource::Member(from, to, name) => {
                let values = self.values_of_tokens(file, reading, from, to, depth)?;
                let name = reading.tokens.word(name).to_string();
                self.each(values, |value| self.member_values(&value, &name, depth))
            }
            TypeSource::Argument(open, argument, parameter) => {
                self.contextual_values(file, reading, (open, argument, parameter), depth)
            }
            TypeSource::ElementPart(from, to, part) => {
                self.element_part(file, reading, (from, to, part), depth)
            }
            TypeSource::Lambda(lambda) => self.lambda_values(file, reading, lambda, depth),
            TypeSource::Item | TypeSource::Opaque => Ok(Vec::new()),
        }
    }

    pub(super) fn member_values(
        &self,
        value: &Value,
        name: &str,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        if depth >= MAX_DEPTH {
            return Ok(Vec::new());
        }
        match value {
            Value::Module(files) => {
                let found = self.reached(vec![files.clone()], name)?;
                if !found.is_empty() {
                    return self.each_definition(found, depth + 1);
                }
                let inner: Vec<u32> = match files.first().map(|file| self.family(*file)) {
                    Some(Family::Web) => self.namespace(files, name),
                    _ => files.iter().flat_map(|file| self.module(*file, &format!(".{name}"))).collect(),
                };
                Ok(if inner.is_empty() { Vec::new() } else { vec![Value::Module(inner)] })
            }
            Value::Written(..) => {
                let values = self.instances(value.clone(), None, depth)?;
                self.each(values, |value| self.member_values(&value, name, depth + 1))
            }
            Value::Instance(definition) | Value::Class(definition) | Value::Super(definition) => {
                let is_super = matches!(value, Value::Super(_));
                match self.member(definition, name, is_super)? {
                    Member::Symbols(found, _) => {
                        let mut values = Vec::new();
                        for found in found.into_iter().take(MAX_VALUES) {
                            values.extend(self.value_of(found, Some(definition), depth + 1)?);
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
            Value::Function(..) | Value::Elements(..) => Ok(Vec::new()),
        }
    }

    /// The member `name` of a type, or of its base types.
    pub(super) fn member(
        &self,
        of_type: &Definition,
        name: &str,
        only_bases: bool,
    ) -> Result<Member, SearchError> {
        let (mut types, mut seen) = (vec![of_type.clone()], Vec::new());
        let (mut is_complete, mut assigned) = (true, None);
        let all = self.definitions(name)?;
        while let Some(of_type) = (!types.is_empty()).then(|| types.remove(0)) {
            let key = (of_type.file, of_type.place);
            if seen.contains(&key) || seen.len() > 24 {
                continue;
            }
            let is_base = !seen.is_empty();
            seen.push(key);
            if is_base || !only_bases {
                let is_member = |found: &&Definition| {
                    found.container.as_deref() == Some(&*of_type.name) && of_type.span.contains(found.span)
                };
                let here = all.in_span(of_type.file, of_type.span).iter().take_while(|_| self.steps.take(1));
                let found: Vec<Definition> = here.filter(is_member).take(MAX_MEANINGS).cloned().collect();
                let is_symbol = |it: &Definition| it.kind.is_function() || it.kind.is_type_like();
                if found.iter().any(is_symbol) {
                    return Ok(Member::Symbols(found, is_base));
                }
                let reading = self.reading(of_type.file);
                let fields =
                    reading.as_ref().map_or(&[][..], |reading| reading.scopes.fields(&of_type.name, name));
                let typed = fields
                    .iter()
                    .find(|field| matches!(field.source, TypeSource::Type(..)))
                    .or(fields.first());
                match typed {
                    Some(declared) if matches!(declared.source, TypeSource::Type(..)) => {
                        return Ok(Member::Field(of_type.file, *declared));
                    }
                    // A method of a base type may be what is assigned to.
                    Some(declared) => assigned = assigned.or(Some(Member::Field(of_type.file, *declared))),
                    None => {}
                }
                if !found.is_empty() {
                    return Ok(Member::Symbols(found, is_base));
                }
            }
            let (bases, are_all_known) = self.bases(&of_type)?;
            is_complete &= are_all_known;
            types.extend(bases);
        }
        Ok(assigned.unwrap_or(if is_complete { Member::Missing } else { Member::Outside }))
    }

    /// The base types of a type that are of the tree, and whether these are all.
    fn bases(&self, of_type: &Definition) -> Result<(Vec<Definition>, bool), SearchError> {
        let Some(reading) = self.reading(of_type.file) else { return Ok((Vec::new(), false)) };
        let Some(facts) = self.facts(of_type.file) else { return Ok((Vec::new(), false)) };
        let Some(symbol) = facts.symbols.get(of_type.place as usize) else { return Ok((Vec::new(), false)) };
        let tokens = &reading.tokens;
        let (start, end) = (tokens.index_at(symbol.signature.start), tokens.index_at(symbol.signature.end));
        let name = tokens.find(start, end, |at| tokens.word(at) == &*of_type.name);
        let (mut bases, mut are_all_known) = (Vec::new(), true);
        for (from, to) in super::expressions::base_types(self.family(of_type.file), tokens, name + 1, end) {
            let values = self.instances(Value::Written(of_type.file, from, to), None, MAX_DEPTH - 3)?;
            let found: Vec<Definition> = values
                .iter()
                .filter_map(|value| match value {
                    Value::Instance(base) if !base.is(of_type) => Some(base.clone()),
                    _ => None,
                })
                .collect();
            are_all_known &=
                !found.is_empty() || matches!(tokens.word(from), "object" | "Protocol" | "Generic" | "ABC");
            bases.extend(found);
        }
        Ok((bases, are_all_known))
    }

    /// The values that a call of a value gives.
    pub(super) fn called(&self, value: Value, depth: usize) -> Result<Vec<Value>, SearchError> {
        match value {
            Value::Class(class) => Ok(vec![Value::Instance(class)]),
            Value::Outside => Ok(vec![Value::Outside]),
            Value::Function(function, receiver) => {
                let key = receiver.as_ref().map(|holder| (holder.file, holder.place));
                let key = (function.file, function.span.start, Some(key.unwrap_or((u32::MAX, 0))));
                self.evaluations.of(key, || self.returned(&function, receiver.as_deref(), depth + 1))
            }
            Value::Instance(instance) => match self.member(&instance, "__call__", false)? {
                Member::Symbols(found, _) => {
                    let mut values = Vec::new();
                    for found in &found {
                        values.extend(self.returned(found, Some(&instance), depth + 1)?);
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
            Value::Super(_) | Value::Module(_) | Value::Elements(..) => Ok(Vec::new()),
        }
    }

    /// The values that a function returns: of the type that its signature writes, or else those of its `return` statements.
    pub(super) fn returned(
        &self,
        function: &Definition,
        receiver: Option<&Definition>,
        depth: usize,
    ) -> Result<Vec<Value>, SearchError> {
        let (Some(reading), Some(facts)) = (self.reading(function.file), self.facts(function.file)) else {
            return Ok(Vec::new());
        };
        let Some(symbol) = facts.symbols.get(function.place as usize).filter(|_| depth < MAX_DEPTH) else {
            return Ok(Vec::new());
        };
        let tokens = &reading.tokens;
        let family = self.family(function.file);
        let start = tokens.index_at(symbol.signature.start);
        let end = tokens.index_at(function.span.end);
        if let Some(((from, to), of_self)) =
            super::expressions::return_type(family, tokens, start, end, &function.name)
        {
            let is_self = matches!(tokens.word(from), "Self" | "this")
                || of_self.is_some_and(|(first, last)| tokens.text(first, last) == tokens.text(from, to));
            if is_self && let Some(receiver) = receiver {
                return Ok(vec![Value::Instance(receiver.clone())]);
            }
            return self.instances_or_written(function.file, from, to, receiver, depth);
        }
        let mut values = Vec::new();
        for at in (start..end).filter(|at| tokens.word(*at) == "return").take(4) {
            let byte = tokens.at(at).map_or(0, |token| token.start);
            let is_direct =
                innermost(&facts.symbols, Span::new(byte as usize, byte as usize)) == Some(function.place);
            let to = super::expressions::end_of_statement(family, tokens, at + 1, end);
            if is_direct && to > at + 1 {
                let found = self.values_of_tokens(function.file, &reading, at + 1, to, depth)?;
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
}

/// Whether a value is an object in braces, or such an object as the argument of a call that passes it on.
fn is_object(tokens: &Tokens, from: usize, to: usize) -> bool {
    let is_frozen = tokens.word(from) == "Object" && tokens.word(from + 2) == "freeze";
    let open = if is_frozen { from + 4 } else { from };
    open < to && tokens.is(open, b'{')
}
