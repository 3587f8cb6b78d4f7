//! What a name behind a path, an imported name or a chain means.

use super::family::Family;
use super::files::Graph;
use super::generics::is_parameter_name;
use super::imports::{Binding, ImportStatement};
use super::resolve::{Question, RuleResult, dedup, is_in_inline_module};
use super::rule::EdgeRule;
use super::syntax_facts::SyntaxFacts;
use crate::definition::Definition;
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

/// The types of Rust that need no import and begin with a small letter.
const BASIC: &[&str] = &[
    "bool", "char", "str", "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize", "f32",
    "f64",
];

impl Graph<'_> {
    /// A name after a path, as in `Pool::take` and `pool::Pool`.
    pub(super) fn after_path(&self, question: &Question<'_>, path: &str) -> Result<RuleResult, SearchError> {
        if question.family == Family::Other("php") {
            return self.php_member(question, path);
        }
        let (first, last) =
            (path.split("::").next().unwrap_or(path), path.rsplit("::").next().unwrap_or(path));
        if let Some((import, binding)) = question.import_of(first) {
            let rest = path[first.len()..].trim_start_matches("::");
            return self.after_binding(question, (import, binding), rest);
        }
        if path == "super" && is_in_inline_module(question) {
            let here = question.in_same_file(|found| found.container.is_none());
            return Ok(Some((EdgeRule::QualifiedModule, question.nearest(here))));
        }
        if SyntaxFacts::of(self.language(question.file)).qualified && !self.has_path(question, path)? {
            return Ok(Some((EdgeRule::QualifiedType, Vec::new())));
        }
        if question.family == Family::Rust
            && let Some((before, last)) = path.rsplit_once("::")
        {
            let mut found = Vec::new();
            for own in self.types_behind_path(question.file, before, last)? {
                found.extend(self.direct_members(&own, question.name)?);
            }
            found.retain(|own| question.is_other(own));
            if !found.is_empty() {
                dedup(&mut found);
                return Ok(Some((EdgeRule::QualifiedType, found)));
            }
        }
        let members = question.members(last);
        // What Rust's library defines for a number goes before what a trait of the tree does.
        let is_basic = question.family == Family::Rust && BASIC.contains(&last);
        if is_basic && question.family.is_library_name(question.name) {
            return Ok(Some((EdgeRule::QualifiedType, Vec::new())));
        }
        if !members.is_empty() {
            return Ok(Some((EdgeRule::QualifiedType, members)));
        }
        let found = self.reached(vec![self.module(question.file, path)], question.name)?;
        if !found.is_empty() {
            return Ok(Some((EdgeRule::QualifiedModule, found)));
        }
        let members = self.members_by_other_name(question, last)?;
        if !members.is_empty() {
            return Ok(Some((EdgeRule::QualifiedType, members)));
        }
        // A function of a type of C++ that the tree does not define.
        if question.family == Family::C && self.is_outside_type(question.file, last)? {
            return Ok(Some((EdgeRule::QualifiedType, Vec::new())));
        }
        if let Family::Other(_) = question.family
            && let Some(ruling) = self.inherited(question, Some(last))?
        {
            return Ok(Some(ruling));
        }
        if question.family != Family::Rust {
            return Ok(None);
        }
        let members = self.members_of_bounds(question, path)?;
        if !members.is_empty() {
            return Ok(Some((EdgeRule::QualifiedType, members)));
        }
        // A path that Rust cannot find in the tree leads to another crate, unless it begins with a type that is not known.
        let is_open = first == "Self" || first.starts_with(char::is_uppercase) && is_parameter_name(first);
        Ok((!is_open).then_some((EdgeRule::Ambiguous, Vec::new())))
    }

    /// The types of Rust with a name behind the path of a module.
    pub(crate) fn types_behind_path(
        &self,
        file: u32,
        path: &str,
        name: &str,
    ) -> Result<Vec<Definition>, SearchError> {
        let (first, rest) = path.split_once("::").unwrap_or((path, ""));
        let imports = self.imports_in(file);
        let modules = match imports.bound(first).next() {
            Some((import, binding)) if rest.is_empty() => self.bound_namespace(file, import, binding),
            Some((import, binding)) => {
                let whole = [&*import.module, binding.name.as_deref().unwrap_or_default(), rest];
                let whole = whole.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
                self.module(file, &whole.join("::"))
            }
            None => self.module(file, path),
        };
        let mut found = self.reached(vec![modules], name)?;
        if found.is_empty() {
            // In a module inside of a file.
            let last = path.rsplit("::").next().unwrap_or(path);
            let is_inside = |own: &&Definition| {
                own.container.as_deref().and_then(|own| own.rsplit(':').next()) == Some(last)
            };
            found = self.definitions_in(Family::Rust, name)?.iter().filter(is_inside).cloned().collect();
        }
        found.retain(|own| own.kind.is_type_like());
        Ok(found)
    }

    /// A name after an imported name: a member of an imported type, or an item of an imported module.
    pub(super) fn after_binding(
        &self,
        question: &Question<'_>,
        (import, binding): (&ImportStatement, &Binding),
        rest: &str,
    ) -> Result<RuleResult, SearchError> {
        let last = rest.rsplit([':', '.']).next().filter(|last| !last.is_empty());
        let container = last.or(binding.name.as_deref()).unwrap_or(&binding.local);
        let types = self.bound(question.file, import, binding)?;
        let files: Vec<u32> = types.iter().map(|found| found.file).collect();
        let members = question.in_container(container);
        let near: Vec<&Definition> =
            members.iter().filter(|found| files.contains(&found.file)).copied().collect();
        if !near.is_empty() {
            let mut found = question.nearest(near);
            if question.family == Family::Rust && last.is_none() {
                // Implementations of traits may be in other files than the type.
                for own in types.iter().filter(|own| own.kind.is_type_like()) {
                    found.extend(self.direct_members(own, question.name)?);
                }
                found.retain(|own| question.is_other(own));
                dedup(&mut found);
            }
            return Ok(Some((EdgeRule::QualifiedType, found)));
        }
        let mut modules = self.bound_namespace(question.file, import, binding);
        if !rest.is_empty() {
            let separator = if question.family == Family::Rust { "::" } else { "." };
            let whole = [&*import.module, binding.name.as_deref().unwrap_or_default(), rest];
            let whole = whole.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>();
            let deeper = self.module(question.file, &whole.join(separator));
            modules = if deeper.is_empty() { modules } else { deeper };
        }
        let found = self.reached(vec![modules], question.name)?;
        if !found.is_empty() {
            return Ok(Some((EdgeRule::QualifiedModule, found)));
        }
        // The members of a type may be defined apart from the type.
        if !types.is_empty() && !members.is_empty() {
            return Ok(Some((EdgeRule::QualifiedType, question.nearest(members))));
        }
        if let Some(ruling) =
            self.inherited(question, Some(container)).ok().flatten().filter(|_| !types.is_empty())
        {
            return Ok(Some(ruling));
        }
        let members = self.members_by_other_name(question, container)?;
        let rule = if members.is_empty() { EdgeRule::Import } else { EdgeRule::QualifiedType };
        Ok(Some((rule, members)))
    }

    /// A name after a chain of names, as in `pool.take` and `self.pool.take`.
    pub(super) fn after_chain(
        &self,
        question: &Question<'_>,
        chain: &str,
    ) -> Result<RuleResult, SearchError> {
        let (first, last) =
            (chain.split('.').next().unwrap_or(chain), chain.rsplit('.').next().unwrap_or(chain));
        if let Some((import, binding)) = question.import_of(first) {
            let rest = chain[first.len()..].trim_start_matches('.');
            return self.after_binding(question, (import, binding), rest);
        }
        let mut imports = question.facts.imports.iter().take_while(|_| self.steps.take(1));
        if let Some(import) = imports.find(|import| {
            &*import.module == chain && import.bindings.iter().any(|binding| binding.name.is_none())
        }) {
            let found = self.reached(vec![self.module_files(question.file, import)], question.name)?;
            return Ok(Some((EdgeRule::QualifiedModule, found)));
        }
        // The name of a variable may be that of a function with inner functions.
        let mut members = question.members(last);
        members.retain(|member| member.kind != SymbolKind::Fn);
        // A member of a variable is none of what has the name of the variable.
        let all = self.definitions_in(question.family, last)?;
        if !question.family.has_scopes()
            && !all.iter().any(|own| own.kind.is_type_like() || own.kind == SymbolKind::Module)
        {
            members.clear();
        }
        Ok((!members.is_empty()).then_some((EdgeRule::QualifiedType, members)))
    }
}
