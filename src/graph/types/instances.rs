//! The types of the tree that a written type means in Python and in the languages of the web, and the elements of collections.

use std::sync::LazyLock;

use regex::Regex;

use super::library;
use super::members::of_nearest;
use super::written::{FUNCTION, Form, LIST, OBJECT, OBJECT_TYPE, TUPLE, UNION, WrittenType};
use crate::definition::Definition;
use crate::family::Family;
use crate::files::{BYTES_PER_STEP, Graph};
use crate::generics::is_parameter_name;
use crate::syntax_facts::SyntaxFacts;
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The types of the tree that a written type means, through aliases and wrappers, and what the tree does not define.
    pub(super) fn instances(&self, written: &WrittenType) -> Result<Vec<WrittenType>, SearchError> {
        if written.definition.as_ref().is_some_and(|own| own.kind != SymbolKind::Type) {
            return Ok(vec![written.clone()]);
        }
        of_nearest(written, |own| self.instance(own))
    }

    /// The types of the tree that written types mean, as values.
    pub(super) fn classes(&self, all: &[WrittenType]) -> Result<Vec<WrittenType>, SearchError> {
        let mut found = self.each(all, |own| self.instances(own))?;
        found.retain(|own| own.definition.is_some());
        found.iter_mut().for_each(|own| own.form = Form::Class);
        Ok(found)
    }

    /// A type that is known, and the types that a written type stands for.
    fn instance(&self, own: &WrittenType) -> Result<(Vec<WrittenType>, Vec<WrittenType>), SearchError> {
        if let Some(definition) = &own.definition {
            let is_alias = definition.kind == SymbolKind::Type && own.form == Form::Object;
            return Ok((vec![own.clone()], if is_alias { self.aliased(definition) } else { Vec::new() }));
        }
        match &*own.name {
            LIST | TUPLE => return Ok((vec![WrittenType::outside()], Vec::new())),
            "" => return Ok(Default::default()),
            FUNCTION | OBJECT | OBJECT_TYPE => return Ok((vec![own.clone()], Vec::new())),
            _ if own.file == u32::MAX => {
                return Ok((vec![own.clone()], Vec::new()));
            }
            _ => {}
        }
        let inner = self.wrapped(own);
        if !inner.is_empty() {
            return Ok((Vec::new(), inner.to_vec()));
        }
        let named = self.types_of_path(own)?;
        if named.is_empty() && self.is_unknown_outside(own)? {
            return Ok((vec![WrittenType::outside()], Vec::new()));
        }
        let object = |named: WrittenType| match (&own.form, &named.form) {
            (Form::Value, _) | (Form::Class, Form::Class) => Some(named),
            (Form::Object, Form::Class) => {
                Some(WrittenType { form: Form::Object, args: own.args.clone(), ..named })
            }
            (Form::Object, _) => Some(named).filter(WrittenType::is_outside),
            _ => None,
        };
        Ok((Vec::new(), named.into_iter().filter_map(object).collect()))
    }

    /// The types inside of a wrapper, such as `Promise<Pool>`, whose members are reached through it.
    fn wrapped<'t>(&self, own: &'t WrittenType) -> &'t [WrittenType] {
        let is_wrapper =
            || SyntaxFacts::of(self.language(own.file)).wrappers.iter().any(|known| **known == *own.name);
        match &*own.name {
            UNION | "Union" => &own.args,
            "Coroutine" if !own.args.is_empty() => &own.args[own.args.len() - 1..],
            _ if !own.args.is_empty() && own.file != u32::MAX && is_wrapper() => &own.args[..1],
            _ => &[],
        }
    }

    /// The types that the name of a written type stands for where it is written.
    fn types_of_path(&self, own: &WrittenType) -> Result<Vec<WrittenType>, SearchError> {
        let key = (own.file, own.at);
        if self.types.open.borrow().contains(&key) {
            return Ok(Vec::new());
        }
        self.types.open.borrow_mut().push(key);
        let parts = own.package.iter().flat_map(|package| package.split('.')).chain([&*own.name]);
        let found = parts.into_iter().try_fold(None, |types: Option<Vec<WrittenType>>, part| {
            Ok(Some(match types {
                None => self.types_of_found(&self.named(own.file, part, own.at)?, None)?,
                Some(types) => self.each(&types, |of| self.member_types(of, part))?,
            }))
        });
        self.types.open.borrow_mut().pop();
        found.map(Option::unwrap_or_default)
    }

    /// Whether a name that means nothing known is one of the language or of a library, and not a type parameter.
    fn is_unknown_outside(&self, own: &WrittenType) -> Result<bool, SearchError> {
        let path = own.package.as_deref().unwrap_or(&own.name);
        let name = path.split('.').next().unwrap_or(path);
        let reading = self.reading(own.file);
        let declared =
            reading.as_ref().and_then(|own_file| own_file.scopes.declaration(name, own.at, &self.steps));
        if declared.is_some_and(|declared| !declared.is_global) {
            return Ok(false);
        }
        Ok(!is_parameter_name(name) && !self.definitions(name)?.iter().any(|own| self.is_global(own)))
    }

    /// Whether other files may use a name of a file without an import: Python has no such names, and in TypeScript scripts and
    /// modules with global declarations have them.
    fn is_global(&self, own: &Definition) -> bool {
        static MODULE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?m)^(?:import|export)\b").expect("a constant pattern"));
        let text = self.text(own.file).unwrap_or_default();
        self.steps.take(text.len() / BYTES_PER_STEP);
        let is_declared = || ["declare global", "declare module"].iter().any(|words| text.contains(words));
        self.family(own.file) == Family::Web && (!MODULE.is_match(&text) || is_declared())
    }

    /// The types of the parameter with a number of a function of a type, or of a component that takes one object.
    pub(super) fn parameter_of_type(
        &self,
        of: &WrittenType,
        number: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        if SyntaxFacts::of(self.language_of_type(of)).components.iter().any(|own| **own == *of.name) {
            return Ok(of.args.first().cloned().filter(|_| number == 0).into_iter().collect());
        }
        if &*of.name == FUNCTION {
            return Ok(of.args.get(number).cloned().into_iter().collect());
        }
        let functions = self.instances(of)?.into_iter().filter(|own| &*own.name == FUNCTION);
        Ok(functions.filter_map(|own| own.args.get(number).cloned()).collect())
    }

    /// The types of the elements of a collection.
    pub(super) fn elements(&self, of: &WrittenType) -> Result<Vec<WrittenType>, SearchError> {
        let inner = self.wrapped(of);
        if !inner.is_empty() {
            return self.each(inner, |own| self.elements(own));
        }
        if !of.args.is_empty() {
            return Ok(library::element(SyntaxFacts::of(self.language_of_type(of)), of)
                .into_iter()
                .collect());
        }
        self.each(&self.instances(of)?, |own| match own.is_outside() {
            true => Ok(vec![own.clone()]),
            false => {
                let given = self.by_method(own, &["__iter__"])?;
                Ok(given
                    .iter()
                    .filter_map(|own| library::element(SyntaxFacts::of(self.language_of_type(own)), own))
                    .collect())
            }
        })
    }

    /// The types of what an index or a key finds.
    pub(super) fn indexed(&self, of: &WrittenType) -> Result<Vec<WrittenType>, SearchError> {
        let inner = self.wrapped(of);
        if !inner.is_empty() {
            return self.each(inner, |own| self.indexed(own));
        }
        if let Some(last) = of.args.last() {
            return Ok(vec![last.clone()]);
        }
        self.each(&self.instances(of)?, |own| match own.form == Form::Class || own.is_outside() {
            true => Ok(vec![own.clone()]),
            false => self.by_method(own, &["__getitem__"]),
        })
    }

    /// The types of what a context manager yields.
    pub(super) fn entered(&self, of: &WrittenType) -> Result<Vec<WrittenType>, SearchError> {
        let instances = self.instances(of)?;
        if !of.args.is_empty() && instances.iter().all(WrittenType::is_outside) {
            return self.elements(of);
        }
        self.each(&instances, |own| {
            let given = self.by_method(own, &["__enter__", "__aenter__"])?;
            Ok(if given.is_empty() { vec![own.clone()] } else { given })
        })
    }
}
