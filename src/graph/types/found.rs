//! What a name means in Python and in the languages of the web, where the declarations of all scopes are read: alone at a place, or
//! as a member of an object, a class or a module.

use std::rc::Rc;

use super::functions::value_of_arrow;
use super::known::KnownBases;
use super::library;
use super::site::Site;
use super::written::{Form, LIST, OBJECT, OBJECT_TYPE, WrittenType};
use crate::declarations::{Declaration, LocalSource};
use crate::definition::Definition;
use crate::family::Family;
use crate::files::Graph;
use crate::resolve::MAX_MEANINGS;
use crate::syntax_facts::SyntaxFacts;
use crate::tokens::{TokenKind, Tokens};
use crate::uses::{FileFacts, innermost};
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The most definitions of a name whose values are looked at.
const MAX_VALUES: usize = 6;

/// The most types above a type.
const MAX_ABOVE: usize = 24;

/// What a name means.
#[derive(Default)]
pub(super) struct Found {
    pub definitions: Vec<Definition>,
    /// A variable or field that no symbol stands for, with its file.
    pub declared: Option<(u32, Declaration)>,
    /// An object around, a module, or something outside of the tree.
    pub types: Vec<WrittenType>,
    /// Whether a base type has the member.
    pub is_inherited: bool,
}

impl Found {
    fn outside() -> Found {
        Found { types: vec![WrittenType::outside()], ..Found::default() }
    }

    fn modules(files: Vec<u32>) -> Found {
        let types = if files.is_empty() { Vec::new() } else { vec![WrittenType::module(files)] };
        Found { types, ..Found::default() }
    }

    pub fn of(definitions: Vec<Definition>) -> Found {
        Found { definitions, ..Found::default() }
    }

    /// Whether the name means anything.
    pub fn is_known(&self) -> bool {
        !self.definitions.is_empty() || self.declared.is_some() || !self.types.is_empty()
    }
}

impl Graph<'_> {
    /// What `name` means at a byte.
    pub(super) fn named(&self, file: u32, name: &str, at: u32) -> Result<Found, SearchError> {
        let (Some(facts), Some(reading)) = (self.facts(file), self.reading(file)) else {
            return Ok(Found::default());
        };
        if let "self" | "this" | "cls" | "super" = name {
            let form = match name {
                "cls" => Form::Class,
                "super" => Form::Base,
                _ => Form::Object,
            };
            let around = self.type_at(file, &facts, at)?.map(|around| WrittenType::of(&around, form));
            return Ok(Found { types: around.into_iter().collect(), ..Found::default() });
        }
        let declared = reading.scopes.declaration(name, at, &self.steps);
        // In its own value, a name has the value from before: `pool = pool.grown()`.
        let is_in_value = |own: &&Declaration| match own.source {
            LocalSource::Value(from, to, _) => own.at < at && (from..to).contains(&reading.item.index_at(at)),
            _ => false,
        };
        let before = declared.filter(is_in_value).and_then(|own| own.at.checked_sub(1));
        let before = before.and_then(|before| reading.scopes.declaration(name, before, &self.steps));
        let declared = before.filter(|before| before.at < at).or(declared);
        if let Some(local) = declared.filter(|local| !local.is_global) {
            if local.is_item() {
                return Ok(Found::of(self.item_at(file, name, local.at)?.into_iter().collect()));
            }
            return Ok(Found { declared: Some((file, local.clone())), ..Found::default() });
        }
        if let Some((import, binding)) = facts.imports.bound(name).next() {
            let definitions = self.bound(file, import, binding)?;
            if !definitions.is_empty() {
                return Ok(Found::of(definitions));
            }
            let modules = self.bound_namespace(file, import, binding);
            let is_outside = modules.is_empty() && self.module_files(file, import).is_empty();
            return Ok(if is_outside { Found::outside() } else { Found::modules(modules) });
        }
        if self.is_first_part(&facts, name) {
            let modules = self.module(file, name);
            return Ok(if modules.is_empty() { Found::outside() } else { Found::modules(modules) });
        }
        let here = self.definitions(name)?;
        let here = here.in_file(file).iter().take_while(|_| self.steps.take(1));
        let here: Vec<Definition> =
            here.filter(|definition| definition.container.is_none()).take(MAX_MEANINGS).cloned().collect();
        if !here.is_empty() {
            return Ok(Found::of(here));
        }
        if let Some(global) = declared {
            return Ok(Found { declared: Some((file, global.clone())), ..Found::default() });
        }
        let modules = facts.imports.wildcards().take_while(|_| self.steps.take(1));
        let modules = modules.map(|import| self.module_files(file, import)).collect();
        Ok(Found::of(self.reached(modules, name)?))
    }

    /// Whether a name is the first part of an imported module: `pool` of `import pool.deep`.
    fn is_first_part(&self, facts: &FileFacts, name: &str) -> bool {
        let mut imports = facts.imports.iter().take_while(|_| self.steps.take(1));
        imports.any(|import| {
            let is_first = import.module.split('.').next() == Some(name) && import.module.len() > name.len();
            let mut bindings = import.bindings.iter();
            is_first && bindings.any(|binding| binding.name.is_none() && binding.local == import.module)
        })
    }

    /// The symbol with this name whose item contains a byte, the innermost one.
    pub(super) fn item_at(&self, file: u32, name: &str, at: u32) -> Result<Option<Definition>, SearchError> {
        let all = self.definitions(name)?;
        let mut before = all.before(file, at).take_while(|_| self.steps.take(1));
        Ok(before.find(|item| at < item.span.end).cloned())
    }

    /// The type around a byte.
    fn type_at(&self, file: u32, facts: &FileFacts, at: u32) -> Result<Option<Definition>, SearchError> {
        let owner = innermost(&facts.symbols, Span::new(at as usize, at as usize));
        let Some(name) = facts.type_around(owner) else { return Ok(None) };
        let all = self.definitions(name)?;
        let is_type = |definition: &&Definition| self.steps.take(1) && definition.kind.is_type_like();
        let around = all.before(file, at).filter(is_type).find(|definition| at < definition.span.end);
        Ok(around.or_else(|| all.in_file(file).iter().find(is_type)).cloned())
    }

    /// What `name` means as a member of an object, of a class or of a module.
    pub(super) fn found_in(&self, object: &WrittenType, name: &str) -> Result<Found, SearchError> {
        if let Form::Module(files) = &object.form {
            let found = self.reached(vec![files.clone()], name)?;
            return Ok(match files.first().map(|file| self.family(*file)) {
                _ if !found.is_empty() => Found::of(found),
                Some(Family::Web) => Found::modules(self.namespace(files, name)),
                _ => {
                    let inner = files.iter().flat_map(|file| self.module(*file, &format!(".{name}")));
                    Found::modules(inner.collect())
                }
            });
        }
        match &object.definition {
            Some(definition) => {
                let found = self.member(definition, name, object.form == Form::Base)?;
                let managers = &SyntaxFacts::of(self.language(definition.file)).managers;
                let is_manager = object.form == Form::Class && managers.iter().any(|own| own == name);
                let is_outside = !found.types.is_empty() && found.types.iter().all(WrittenType::is_outside);
                if !is_manager || !is_outside {
                    return Ok(found);
                }
                let element = WrittenType::of(definition, Form::Object);
                let types = vec![WrittenType::new(definition.file, LIST).with(vec![element])];
                Ok(Found { types, ..Found::default() })
            }
            None if object.is_outside() => Ok(Found::outside()),
            None if matches!(&*object.name, OBJECT | OBJECT_TYPE) => self.key_of_object(object, name),
            None => Ok(Found::default()),
        }
    }

    /// The member `name` of a type, or of its base types.
    fn member(&self, of_type: &Definition, name: &str, only_bases: bool) -> Result<Found, SearchError> {
        let (mut types, mut seen) = (vec![of_type.clone()], Vec::new());
        let (mut is_complete, mut assigned) = (true, None);
        let all = self.definitions(name)?;
        while let Some(of_type) = (!types.is_empty()).then(|| types.remove(0)) {
            let key = (of_type.file, of_type.place);
            if seen.contains(&key) || seen.len() > MAX_ABOVE {
                continue;
            }
            let is_inherited = !seen.is_empty();
            seen.push(key);
            if is_inherited || !only_bases {
                let is_member = |found: &&Definition| {
                    found.container.as_deref() == Some(&*of_type.name) && of_type.span.contains(found.span)
                };
                let here = all.in_span(of_type.file, of_type.span).iter().take_while(|_| self.steps.take(1));
                let found: Vec<Definition> = here.filter(is_member).take(MAX_MEANINGS).cloned().collect();
                if found.iter().any(|own| own.kind.is_function() || own.kind.is_type_like()) {
                    return Ok(Found { is_inherited, ..Found::of(found) });
                }
                let reading = self.reading(of_type.file);
                let fields = reading.as_ref().map_or(&[][..], |own| own.scopes.fields(&of_type.name, name));
                let is_typed = |field: &&Declaration| matches!(field.source, LocalSource::Written(..));
                let typed = fields.iter().find(is_typed);
                let field = typed.or(fields.first());
                let field = field.map(|own| Found {
                    declared: Some((of_type.file, own.clone())),
                    is_inherited,
                    ..Found::default()
                });
                match field {
                    Some(field) if typed.is_some() => return Ok(field),
                    // A method of a base type may be what is assigned to.
                    Some(field) => assigned = assigned.or(Some(field)),
                    None => {}
                }
                if !found.is_empty() {
                    return Ok(Found { is_inherited, ..Found::of(found) });
                }
            }
            let (bases, are_all_known) = &*self.known_bases(&of_type)?;
            is_complete &= are_all_known;
            types.extend(bases.iter().cloned());
        }
        let key = self.key_member(of_type, name)?;
        if key.is_known() {
            return Ok(key);
        }
        let missing = || if is_complete { Found::default() } else { Found::outside() };
        Ok(assigned.unwrap_or_else(missing))
    }

    /// The value of the key `name` of an object literal: `take` of `const pool = { take, give: release }`.
    fn key_member(&self, object: &Definition, name: &str) -> Result<Found, SearchError> {
        let is_variable = !object.kind.is_function() && !object.kind.is_type_like();
        if self.family(object.file) != Family::Web || !is_variable {
            return Ok(Found::default());
        }
        let Some(reading) = self.reading(object.file) else { return Ok(Found::default()) };
        let tokens = &reading.item.tokens;
        let (from, to) = (reading.item.index_at(object.span.start), reading.item.index_at(object.span.end));
        let equals = tokens.find(from, to, |at| tokens.is(at, b'='));
        let Some(open) = (equals..to).find(|at| tokens.is(*at, b'{')) else { return Ok(Found::default()) };
        let literal = WrittenType::new(object.file, OBJECT).placed(reading.item.byte_of(open));
        self.key_of_object(&literal, name)
    }

    /// The base types of a type that are of the tree, and whether these are all.
    fn known_bases(&self, of_type: &Definition) -> Result<Rc<KnownBases>, SearchError> {
        let key = (of_type.file, of_type.place);
        if let Some(known) = self.types.bases.borrow().get(&key) {
            return Ok(known.clone());
        }
        // Types may extend each other in circles.
        self.types.bases.borrow_mut().insert(key, Rc::default());
        let (mut bases, mut are_all_known) = (Vec::new(), true);
        for base in self.written_bases(of_type, &WrittenType::of(of_type, Form::Object))? {
            let instances = self.instances(&base)?;
            let found = instances.iter().filter_map(|own| own.definition.as_deref());
            let found: Vec<Definition> = found.filter(|own| !own.is(of_type)).cloned().collect();
            are_all_known &= !found.is_empty() || matches!(&*base.name, "Protocol" | "Generic" | "ABC");
            bases.extend(found);
        }
        let known = Rc::new((bases, are_all_known));
        if !self.types.expressions.is_cut() {
            self.types.bases.borrow_mut().insert(key, known.clone());
        } else {
            self.types.bases.borrow_mut().remove(&key);
        }
        Ok(known)
    }

    /// The types of the member `name` of values of a type.
    pub(super) fn member_types(&self, of: &WrittenType, name: &str) -> Result<Vec<WrittenType>, SearchError> {
        let syntax = SyntaxFacts::of(self.language_of_type(of));
        let found = self.each(&self.instances(of)?, |object| {
            self.types_of_found(&self.found_in(object, name)?, Some(object))
        })?;
        let is_held = syntax.held.iter().any(|own| own == name) && found.iter().all(WrittenType::is_outside);
        Ok(of.args.last().cloned().filter(|_| is_held).map_or(found, |held| vec![held]))
    }

    /// The functions and types that are the member `name` of values of a type.
    pub(super) fn functions_of(&self, of: &WrittenType, name: &str) -> Result<Vec<Definition>, SearchError> {
        let mut found = Vec::new();
        for object in self.instances(of)? {
            found.extend(self.found_in(&object, name)?.definitions);
        }
        Ok(found)
    }

    /// The types of what a name means, taken from an object.
    pub(super) fn types_of_found(
        &self,
        found: &Found,
        object: Option<&WrittenType>,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let mut types = found.types.clone();
        for own in found.definitions.iter().take(MAX_VALUES) {
            types.extend(self.types_of_symbol(own, object)?);
        }
        if let Some((file, declared)) = &found.declared {
            let held = self.declared_types(*file, declared)?;
            types.extend(match object.and_then(|object| Some((object, object.definition.as_ref()?))) {
                Some((object, definition)) => self.with_arguments(held, definition, object),
                None => held,
            });
        }
        Ok(types)
    }

    /// The types of a symbol, taken from an object.
    fn types_of_symbol(
        &self,
        own: &Definition,
        object: Option<&WrittenType>,
    ) -> Result<Vec<WrittenType>, SearchError> {
        if own.kind.is_type_like() {
            return Ok(vec![WrittenType::of(own, Form::Class)]);
        }
        if own.kind.is_function() {
            let is_read = self.is_property(own);
            return if is_read {
                self.results(own, object.map_or(&[], std::slice::from_ref))
            } else {
                Ok(Vec::new())
            };
        }
        let Some(reading) = self.reading(own.file) else { return Ok(Vec::new()) };
        let declared = match &own.container {
            Some(class) => reading.scopes.fields(class, &own.name).first(),
            None => reading.scopes.declared_in(&own.name, own.span, &self.steps),
        };
        match declared {
            // The functions in an object are members with its name as their container.
            Some(Declaration { source: LocalSource::Value(from, to, _), .. })
                if is_object(&reading.item.tokens, *from, *to) =>
            {
                Ok(vec![WrittenType::of(own, Form::Class)])
            }
            Some(declared) => self.declared_types(own.file, declared),
            None => Ok(Vec::new()),
        }
    }

    /// The types of what a declaration declares.
    pub(super) fn declared_types(
        &self,
        file: u32,
        declared: &Declaration,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let Some(facts) = self.facts(file) else { return Ok(Vec::new()) };
        let Some(site) = self.site(file, &facts, None) else { return Ok(Vec::new()) };
        self.local(&site, declared.source.clone())
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

    /// The types that a call of the name at token `called` gives, for these types of its receiver.
    pub(super) fn scoped_call(
        &self,
        site: &Site<'_>,
        called: usize,
        receiver: Option<Vec<WrittenType>>,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let (name, syntax) = (site.item.tokens.word(called), site.syntax());
        let gives_instance = syntax.instances.iter().any(|own| own == name);
        let Some(receivers) = receiver else {
            let found = self.called(&self.named(site.file, name, site.item.byte_of(called))?, None)?;
            return match gives_instance && found.iter().all(WrittenType::is_outside) {
                true => self.instance_of_argument(site, called + 1),
                false => Ok(found),
            };
        };
        if gives_instance && receivers.iter().all(WrittenType::is_outside) {
            return self.instance_of_argument(site, called + 1);
        }
        self.each(&receivers, |receiver| {
            let found = self.each(&self.instances(receiver)?, |object| {
                self.called(&self.found_in(object, name)?, Some(object))
            })?;
            // A type of the tree has methods of its own.
            let is_outside = found.iter().all(WrittenType::is_outside);
            let given = is_outside.then(|| library::scoped_result(syntax, receiver, name)).flatten();
            Ok(given.map_or(found, |given| vec![given]))
        })
    }

    /// An object of the class that is the first argument in the parenthesis at `open`: the name of the class may be a text.
    fn instance_of_argument(&self, site: &Site<'_>, open: usize) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let Some(close) = tokens.partner(open) else { return Ok(Vec::new()) };
        let is_end = |at: usize| tokens.is(at, b',') && tokens.around(at) == Some(open);
        let end = tokens.find(open + 1, close, is_end);
        let is_text = tokens.at(open + 1).is_some_and(|first| first.kind == TokenKind::Literal);
        let classes = match is_text {
            true => {
                let text = tokens.word(open + 1).trim_matches(['"', '\'']);
                let name = text.rsplit('.').next().unwrap_or(text);
                let Found { definitions, types, .. } = match name {
                    "self" => self.named(site.file, "cls", site.item.byte_of(open))?,
                    name => self.named(site.file, name, site.item.byte_of(open))?,
                };
                types
                    .into_iter()
                    .chain(definitions.iter().map(|own| WrittenType::of(own, Form::Class)))
                    .collect()
            }
            false => self.in_range(site, open + 1, end)?,
        };
        self.each(&classes, |class| match class.form {
            Form::Class => self.called_object(class),
            _ => Ok(vec![WrittenType::outside()]),
        })
    }

    /// The types that a call of what a name means gives.
    fn called(&self, found: &Found, object: Option<&WrittenType>) -> Result<Vec<WrittenType>, SearchError> {
        let mut types = self.each(&found.types, |own| self.called_object(own))?;
        for own in found.definitions.iter().take(MAX_VALUES) {
            match own.kind.is_type_like() || own.kind.is_function() && !self.is_property(own) {
                true => types.extend(self.results(own, object.map_or(&[], std::slice::from_ref))?),
                false => {
                    let held = self.types_of_symbol(own, object)?;
                    types.extend(self.each(&held, |own| self.called_object(own))?);
                }
            }
        }
        if let Some((file, declared)) = &found.declared {
            let held = self.declared_types(*file, declared)?;
            types.extend(self.each(&held, |own| self.called_object(own))?);
        }
        Ok(types)
    }

    /// The types that a call of a value gives: of a class, of an object that can be called.
    pub(super) fn called_object(&self, called: &WrittenType) -> Result<Vec<WrittenType>, SearchError> {
        self.each(&self.instances(called)?, |own| match (&own.form, &own.definition) {
            (Form::Class, Some(class)) => Ok(vec![WrittenType::of(class, Form::Object)]),
            (Form::Object, Some(_)) => self.by_method(own, &["__call__"]),
            // `super()`.
            (Form::Base, _) => Ok(vec![own.clone()]),
            (Form::Module(_), _) => Ok(Vec::new()),
            _ if own.is_outside() => Ok(vec![own.clone()]),
            _ => Ok(Vec::new()),
        })
    }

    /// The types that the first of some methods gives that an object has.
    pub(super) fn by_method(
        &self,
        object: &WrittenType,
        names: &[&str],
    ) -> Result<Vec<WrittenType>, SearchError> {
        for name in names {
            let found = self.found_in(object, name)?.definitions;
            if let Some(first) = found.first().filter(|first| first.kind.is_function()) {
                return self.results(first, std::slice::from_ref(object));
            }
        }
        Ok(Vec::new())
    }

    /// The types of the values of the `return` statements of a function.
    pub(super) fn returned(&self, function: &Definition) -> Result<Vec<WrittenType>, SearchError> {
        let Some(facts) = self.facts(function.file) else { return Ok(Vec::new()) };
        let Some(site) = self.site(function.file, &facts, None) else { return Ok(Vec::new()) };
        let Some(symbol) = facts.symbols.get(function.place as usize) else { return Ok(Vec::new()) };
        let (tokens, mut types) = (&site.item.tokens, Vec::new());
        let (start, end) = (tokens.index_at(symbol.signature.start), tokens.index_at(function.span.end));
        if let Some((from, to)) = value_of_arrow(tokens, &function.name, start, end)
            && self.family(function.file) == Family::Web
        {
            return self.in_range(&site, from, to);
        }
        for at in (start..end).filter(|at| tokens.word(*at) == "return").take(4) {
            let byte = site.item.byte_of(at) as usize;
            let is_direct = innermost(&facts.symbols, Span::new(byte, byte)) == Some(function.place);
            let continues = |at: usize| self.family(function.file) == Family::Web && tokens.is(at, b'.');
            let to = tokens.find(at + 1, end, |index| {
                let begins_line = tokens.at(index).is_some_and(|token| token.indent.is_some());
                let ends_line = index > at + 1 && begins_line && !continues(index);
                tokens.is(index, b';') || tokens.is(index, b'}') || ends_line
            });
            if is_direct && to > at + 1 {
                let found = self.in_range(&site, at + 1, to)?;
                if found.is_empty() {
                    return Ok(Vec::new());
                }
                types.extend(found);
            }
        }
        let is_generator =
            |at: &usize| self.family(function.file) == Family::Python && tokens.word(*at) == "yield";
        let Some(at) = (start..end).find(is_generator).filter(|_| types.is_empty()) else { return Ok(types) };
        let to =
            tokens.find(at + 1, end, |index| tokens.at(index).is_some_and(|token| token.indent.is_some()));
        let held = self.in_range(&site, at + 1, to)?;
        Ok(vec![WrittenType::new(function.file, LIST).with(held.into_iter().take(1).collect())])
    }
}

/// Whether a value is an object in braces, or such an object as the argument of a call that passes it on.
fn is_object(tokens: &Tokens, from: usize, to: usize) -> bool {
    let is_frozen = tokens.word(from) == "Object" && tokens.word(from + 2) == "freeze";
    let open = if is_frozen { from + 4 } else { from };
    open < to && tokens.is(open, b'{')
}
