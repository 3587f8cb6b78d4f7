//! What names of PHP mean: by imports with `use`, by namespaces, and as files that other files include.
//!
//! A class has one full name. A name that no import binds and that has no namespace before it is of the namespace of the file; a function
//! may also be of no namespace.

use super::files::Graph;
use super::paths::normalize;
use super::resolve::{Question, RuleResult};
use super::rule::EdgeRule;
use super::uses::{FileFacts, UseRole};
use crate::definition::Definition;
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// Whether a name is written with its namespace, or is a part of the name of one.
    pub(super) fn has_namespace(&self, question: &Question<'_>) -> bool {
        let (text, span) = (&question.facts.text, question.used.span);
        text[..span.start as usize].ends_with('\\') || text[span.end as usize..].starts_with('\\')
    }

    /// The files that a full name, the path of a file or the name of a view means.
    pub(super) fn php_module(&self, from: u32, name: &str) -> Vec<u32> {
        if name.contains('/') || name.ends_with(".php") || name.ends_with(".inc") {
            let name = name.trim_start_matches('/');
            let near = || normalize(name).map_or_else(Vec::new, |name| self.nearest(&name, from));
            return self.beside(from, name).map_or_else(near, |file| vec![file]);
        }
        let mut found = self.php_items(name).unwrap_or_default();
        if found.is_empty() {
            let namespaces = self.definitions(name).unwrap_or_default();
            found.extend(namespaces.iter().filter(|own| own.kind == SymbolKind::Module).cloned());
        }
        if !found.is_empty() || name.contains('\\') {
            return found.iter().map(|own| own.file).collect();
        }
        let view = name.rsplit(':').next().unwrap_or(name).replace('.', "/");
        self.nearest(&format!("views/{view}.blade.php"), from)
    }

    /// The classes and functions with a full name.
    pub(super) fn php_items(&self, full: &str) -> Result<Vec<Definition>, SearchError> {
        let (namespace, name) = full.rsplit_once('\\').unwrap_or(("", full));
        let all = self.definitions(name)?;
        let is_it = |own: &&Definition| self.steps.take(1) && self.is_in_namespace(own, namespace);
        Ok(all.iter().filter(is_it).cloned().collect())
    }

    /// Whether a symbol is one of a namespace, and no member.
    fn is_in_namespace(&self, own: &Definition, namespace: &str) -> bool {
        let is_free = own.container.as_deref().is_none_or(|container| container == namespace);
        is_free
            && self.family(own.file).language() == Some("php")
            && self.declared_package(own.file).as_deref().unwrap_or_default() == namespace
    }

    /// The full name of a class that is written in a file.
    fn php_full_name(&self, file: u32, facts: &FileFacts, written: &str) -> String {
        if let Some(full) = written.strip_prefix('\\') {
            return full.to_string();
        }
        let (first, rest) =
            written.split_once('\\').map_or((written, None), |(first, rest)| (first, Some(rest)));
        let import = facts.imports.bound(first).next().map(|(import, _)| import.module.to_string());
        let rest = rest.map_or(String::new(), |rest| format!("\\{rest}"));
        match (import, self.declared_package(file)) {
            (Some(import), _) => format!("{import}{rest}"),
            (None, Some(namespace)) => format!("{namespace}\\{written}"),
            (None, None) => written.to_string(),
        }
    }

    /// What a name of PHP without a receiver means, by its namespace.
    pub(super) fn php_plain(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let text = &question.facts.text;
        let (before, after) =
            (&text[..question.used.span.start as usize], &text[question.used.span.end as usize..]);
        let is_statement =
            before.rsplit(['\n', ';']).next().unwrap_or_default().trim_start().starts_with("namespace ");
        // A part of the name of a namespace.
        if after.starts_with('\\') || is_statement {
            return Ok(Some((EdgeRule::QualifiedModule, Vec::new())));
        }
        let is_import = question.used.role == UseRole::Import;
        let qualifier = path_at_end(before);
        let takes = |all: Vec<Definition>| -> Vec<Definition> {
            all.into_iter().filter(|own| question.is_other(own)).collect()
        };
        if !qualifier.is_empty() {
            let written = format!("{qualifier}{}", question.name);
            let full = match is_import {
                true => written.trim_start_matches('\\').to_string(),
                false => self.php_full_name(question.file, question.facts, &written),
            };
            return Ok(Some((EdgeRule::QualifiedModule, takes(self.php_items(&full)?))));
        }
        let full = self.php_full_name(question.file, question.facts, question.name);
        let mut found = takes(self.php_items(&full)?);
        if found.is_empty() {
            found = takes(self.php_items(question.name)?);
            // Only functions may be of no namespace, and pages have classes under other names.
            found.retain(|own| own.kind.is_function() || self.language(question.file) == "blade");
        }
        if !found.is_empty() {
            return Ok(Some((EdgeRule::SamePackage, found)));
        }
        let is_type = matches!(question.used.role, UseRole::Type) || before.trim_end().ends_with("new");
        let is_page = self.language(question.file) == "blade";
        Ok((is_type && !is_page).then_some((EdgeRule::SamePackage, Vec::new())))
    }

    /// What a name behind a class means, as in `Pool::take` and in `[Pool::class, 'take']`; `None` if no rule decides.
    pub(super) fn php_member(&self, question: &Question<'_>, path: &str) -> Result<RuleResult, SearchError> {
        let text = &question.facts.text;
        let before = &text[..question.used.span.start as usize];
        let before = before.strip_suffix('$').unwrap_or(before);
        let written = before.strip_suffix("::").map_or(path, path_at_end);
        if written.starts_with('$') || written.is_empty() {
            return Ok(None);
        }
        let full = self.php_full_name(question.file, question.facts, written);
        let mut types = self.php_items(&full)?;
        types.retain(|own| own.kind.is_type_like());
        let is_page = self.language(question.file) == "blade";
        if types.is_empty() {
            // The pages of a framework have names for classes that no import binds.
            let is_open =
                is_page && !written.contains('\\') && question.facts.imports.bound(written).next().is_none();
            return Ok((!is_open).then_some((EdgeRule::QualifiedType, Vec::new())));
        }
        let mut found = Vec::new();
        for own in &types {
            found.extend(self.direct_members(own, question.name)?);
        }
        found.retain(|own| question.is_other(own));
        match found.is_empty() {
            false => Ok(Some((EdgeRule::QualifiedType, found))),
            true => self.inherited(question, types.first().map(|own| &*own.name)),
        }
    }
}

/// The name with its namespaces at the end of a text.
fn path_at_end(text: &str) -> &str {
    let path = |c: char| c == '_' || c == '\\' || c == '$' || c.is_alphanumeric();
    let start = text.trim_end_matches(path).len();
    &text[start..]
}
