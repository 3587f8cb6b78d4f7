//! Which types of Go implement an interface: those whose methods, promoted ones included, are the methods of the interface, and
//! those that are assigned to a variable of the interface, as in `var _ Storage = (*Disk)(nil)`.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::arguments::parts_of_list;
use super::definition::Definition;
use super::family::Family;
use super::files::Graph;
use super::resolve::STEPS_PER_COPY;
use super::rule::EdgeRule;
use super::types::Embeddings;
use super::words::whole_words;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_search::SearchError;

/// The most steps of embedding that are followed.
const MAX_EMBEDDED: usize = 3;

/// The most types that may implement an interface.
const MAX_TYPES: usize = 2_000;

/// The most methods whose shapes are compared with those of others.
const MAX_SHAPES: usize = 64;

/// The number of parameters of a method, and its results.
pub(super) type MethodShape = (usize, String);

/// A type that implements an interface, with the rule that says so.
pub(super) type Implementer = (Definition, EdgeRule);

impl Graph<'_> {
    /// The types that implement an interface of Go.
    pub(super) fn go_implementers(&self, interface: &Definition) -> Result<Vec<Implementer>, SearchError> {
        let mut seen = FxHashSet::default();
        let mut found = self.implementers_through(interface, MAX_EMBEDDED)?;
        found.retain(|(own, _)| seen.insert((own.file, own.place)));
        Ok(found)
    }

    /// The types that implement an interface, or another one that embeds it, through so many steps.
    fn implementers_through(
        &self,
        interface: &Definition,
        steps: usize,
    ) -> Result<Vec<Implementer>, SearchError> {
        let asserted = self.asserted(interface)?.into_iter();
        let mut found: Vec<Implementer> = asserted.map(|own| (own, EdgeRule::QualifiedType)).collect();
        found.extend(self.types_with_methods(interface)?.into_iter().map(|own| (own, EdgeRule::Inherited)));
        let Some(steps) = steps.checked_sub(1) else { return Ok(found) };
        let mut wave = self.types_that_embed(interface)?;
        while let Some(holder) = wave.pop() {
            if found.iter().any(|(own, _)| own.is(&holder)) || !self.steps.take(STEPS_PER_COPY) {
                continue;
            }
            if holder.kind == SymbolKind::Interface {
                found.extend(self.implementers_through(&holder, steps)?);
                continue;
            }
            wave.extend(self.types_that_embed(&holder)?);
            found.push((holder, EdgeRule::Inherited));
        }
        Ok(found)
    }

    /// The types that have all methods of an interface, promoted ones included.
    fn types_with_methods(&self, interface: &Definition) -> Result<Vec<Definition>, SearchError> {
        let methods = self.interface_methods(interface, MAX_EMBEDDED)?;
        let mut rarest: Option<(usize, &Definition)> = None;
        for own in &methods {
            let n = self.definitions_in(Family::Go, &own.name)?.iter().len();
            if rarest.is_none_or(|(least, _)| n < least) {
                rarest = Some((n, own));
            }
        }
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let Some((_, rarest)) = rarest else { return Ok(found) };
        let mut wave = self.types_with(&rarest.name)?;
        for step in 0..=MAX_EMBEDDED {
            let mut next = Vec::new();
            for own in wave.into_iter().take(MAX_TYPES) {
                if own.is(interface)
                    || !self.steps.take(methods.len() * STEPS_PER_COPY)
                    || !seen.insert((own.file, own.place))
                {
                    continue;
                }
                let mut has_all = own.kind != SymbolKind::Interface;
                for wanted in &methods {
                    let own = if has_all { self.members_of_symbol(&own, &wanted.name)? } else { Vec::new() };
                    has_all = own.first().is_some_and(|method| self.has_shape(method, wanted));
                }
                if has_all {
                    found.push(own.clone());
                }
                if step < MAX_EMBEDDED {
                    next.extend(self.types_that_embed(&own)?);
                }
            }
            wave = next;
        }
        Ok(found)
    }

    /// The methods that an interface writes, and those of the interfaces that it embeds.
    fn interface_methods(
        &self,
        interface: &Definition,
        steps: usize,
    ) -> Result<Vec<Definition>, SearchError> {
        let is_own = |own: &Definition| own.kind.is_function() && interface.span.contains(own.span);
        let mut found: Vec<Definition> = self.symbols(interface.file)?.into_iter().filter(is_own).collect();
        if let Some(steps) = steps.checked_sub(1) {
            for embedded in self.embedded(interface) {
                for own in self.type_definitions(&embedded)?.iter().filter(|own| !own.is(interface)) {
                    found.extend(self.interface_methods(own, steps)?);
                }
            }
        }
        Ok(found)
    }

    /// The types that have a method with this name.
    fn types_with(&self, method: &str) -> Result<Vec<Definition>, SearchError> {
        let mut found = Vec::new();
        for own in self.definitions_in(Family::Go, method)?.iter().filter(|_| self.steps.take(1)) {
            let Some(container) = own.container.as_deref() else { continue };
            let folder = path::split(self.snapshot.path(own.file)).0;
            let types = self.definitions_in(Family::Go, container)?;
            let is_beside = |of: &&Definition| {
                of.kind.is_type_like() && path::split(self.snapshot.path(of.file)).0 == folder
            };
            found.extend(types.iter().find(is_beside).cloned());
        }
        Ok(found)
    }

    /// The structs and interfaces that embed a type.
    fn types_that_embed(&self, own: &Definition) -> Result<Vec<Definition>, SearchError> {
        let mut found = Vec::new();
        for file in self.go_files_naming(own)? {
            if !self.steps.take(STEPS_PER_COPY) {
                continue;
            }
            for (holder, base) in self.embeddings(file)?.iter().filter(|(_, base)| *base.name == *own.name) {
                if self.type_definitions(base)?.iter().any(|base| base.is(own)) {
                    found.push(holder.clone());
                }
            }
        }
        Ok(found)
    }

    /// The structs and interfaces of a file, each with a type that it embeds.
    fn embeddings(&self, file: u32) -> Result<Rc<Embeddings>, SearchError> {
        if let Some(known) = self.types.embeddings.borrow().get(&file) {
            return Ok(known.clone());
        }
        let holders = self.symbols(file)?.into_iter();
        let holders =
            holders.filter(|holder| matches!(holder.kind, SymbolKind::Struct | SymbolKind::Interface));
        let pairs = holders.flat_map(|holder| {
            let bases = self.embedded(&holder);
            bases.into_iter().map(move |base| (holder.clone(), base))
        });
        let found: Rc<Embeddings> = Rc::new(pairs.collect());
        self.types.embeddings.borrow_mut().insert(file, found.clone());
        Ok(found)
    }

    /// The types of values that are assigned to a variable `_` of the interface.
    fn asserted(&self, interface: &Definition) -> Result<Vec<Definition>, SearchError> {
        let mut found: Vec<Definition> = Vec::new();
        for file in self.go_files_naming(interface)? {
            let Some(facts) = self.facts(file) else { continue };
            for span in whole_words(&facts.text, &interface.name) {
                let (before, after) = facts.text.split_at(span.end as usize);
                let line = before[before.rfind('\n').map_or(0, |newline| newline + 1)..].trim_start();
                let is_blank = line.trim_start_matches("var ").trim_start().starts_with("_ ");
                let Some(value) = after.trim_start().strip_prefix('=').filter(|_| is_blank) else { continue };
                let value_at = facts.text.len() - value.len();
                let first = value.find(|c: char| c == '_' || c.is_alphanumeric());
                let Some(mut start) = first.map(|at| value_at + at) else { continue };
                let is_word = |c: char| c == '_' || c.is_alphanumeric();
                let mut end = start + facts.text[start..].find(|c| !is_word(c)).unwrap_or(0);
                if facts.text[start..end] == *"new" {
                    start = end + 1;
                    end = start + facts.text[start..].find(|c| !is_word(c)).unwrap_or(0);
                }
                if facts.text[end..].starts_with('.') {
                    start = end + 1;
                    end = start + facts.text[start..].find(|c| !is_word(c)).unwrap_or(0);
                }
                let meant = self.meant_by(file, &facts, start, end)?;
                let types = meant.into_iter().filter(|(own, sure)| own.kind.is_type_like() && *sure > 0.5);
                let means_it = self.meant_by(file, &facts, span.start as usize, span.end as usize)?;
                if means_it.iter().any(|(own, _)| own.is(interface)) {
                    found.extend(types.map(|(own, _)| own));
                }
            }
        }
        found.sort_by_key(|own| (own.file, own.place));
        found.dedup_by_key(|own| (own.file, own.place));
        Ok(found)
    }

    /// Whether two files are in one folder, and so, in Go, in one package or its tests.
    pub(super) fn are_in_one_folder(&self, a: u32, b: u32) -> bool {
        let folder = |file: u32| path::split(self.snapshot.path(file)).0;
        folder(a) == folder(b)
    }

    /// Whether two methods have as many parameters and write the same results.
    fn has_shape(&self, own: &Definition, other: &Definition) -> bool {
        match (self.shape_of(own), self.shape_of(other)) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        }
    }

    /// The shape of a function of Go.
    pub(super) fn shape_of(&self, own: &Definition) -> Option<MethodShape> {
        let text = self.text(own.file)?;
        let code = text.get(own.span.range())?;
        self.steps.take(1 + code.len().min(400));
        shape(code, &own.name)
    }

    /// The shapes of definitions; none, if one is not a method of Go or its shape is not known.
    pub(super) fn shapes_of(&self, definitions: &[Definition]) -> Vec<MethodShape> {
        let is_method = |own: &&Definition| {
            self.family(own.file) == Family::Go && own.container.is_some() && own.kind.is_function()
        };
        let few =
            Some(definitions).filter(|all| all.len() <= MAX_SHAPES && all.iter().all(|own| is_method(&own)));
        let shapes = few.unwrap_or_default().iter().map(|own| self.shape_of(own));
        shapes.collect::<Option<Vec<_>>>().unwrap_or_default()
    }
}

/// The number of parameters of a function with its results, without the names of packages and results.
fn shape(code: &str, name: &str) -> Option<MethodShape> {
    // The receiver has no name before its parenthesis.
    let at =
        code.match_indices(name).map(|(at, _)| at + name.len()).find(|at| code[*at..].starts_with('('))?;
    let (parameters, rest) = parts_of_list(&code[at..], false)?;
    let n = parameters.len();
    let rest = rest.lines().next().unwrap_or_default().split('{').next().unwrap_or_default();
    let results = rest.split("//").next().unwrap_or_default().trim();
    let results = match parts_of_list(results, false) {
        Some((parts, _)) => parts
            .into_iter()
            .map(str::trim)
            .map(|part| type_of(part.rsplit(' ').next().unwrap_or(part)))
            .collect::<Vec<_>>()
            .join(","),
        None => type_of(results),
    };
    Some((n, results))
}

/// A type without the names of packages.
fn type_of(written: &str) -> String {
    let start = written.trim_start_matches(['*', '[', ']']).len();
    let (signs, name) = written.split_at(written.len() - start);
    format!("{signs}{}", name.rsplit('.').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_compared_by_their_parameters_and_results() {
        let check = |code: &str, name: &str, n: usize, results: &str| {
            assert_eq!(shape(code, name), Some((n, results.to_string())), "{code}");
        };
        check("func (d *Disk) Get(key string) string { return key }", "Get", 1, "string");
        check("Put(key, value string) error", "Put", 2, "error");
        check("func (d Disk) List(f func(a, b int) bool) (n int, err error) {", "List", 1, "int,error");
        check("Next() (*pool.Item, error) // of all", "Next", 0, "*Item,error");
        check("Close()", "Close", 0, "");
        check("func (d *Disk) All() Ätable[int] {", "All", 0, "Ätable[int]");
    }
}
