//! Definitions that a change removed: their remaining uses, which break.
//!
//! A removed definition of a file that is still there takes part in resolution as if the file had it, so that all rules
//! apply. A removed file has no number in the snapshot; the uses of its names are found by imports and by the absence of
//! any other definition.

use std::collections::BTreeMap;

use super::declared_namespaces::namespaces_in;
use super::family::{CSHARP, Family};
use super::files::Graph;
use super::paths::package;
use super::questions::{GraphEdge, Relation, owner_of};
use super::rule::EdgeRule;
use super::uses::{FileFacts, NameUse, Receiver, UseRole};
use crate::definition::Definition;
use spyhop_base::path;
use spyhop_index::inverted::IndexField;
use spyhop_search::{SearchError, files_with};

/// The file of definitions whose file was removed: no file of a snapshot has this number.
pub const REMOVED_FILE: u32 = u32::MAX;

/// The most removed methods whose implementations are looked for.
const MAX_IMPLEMENTED: usize = 40;

/// The most files that are read for one name of a removed file.
const MAX_FILES: usize = 200;

impl Graph<'_> {
    /// The methods that implement a removed method of a base type, which does not ask for them any more.
    pub fn implementing_removed(&self, removed: &[Definition]) -> Result<Vec<GraphEdge>, SearchError> {
        let mut edges = Vec::new();
        for own in removed
            .iter()
            .filter(|own| own.kind.is_function() && own.container.is_some())
            .take(MAX_IMPLEMENTED)
        {
            edges.extend(self.implementations(own, 1)?);
        }
        Ok(edges)
    }

    /// Adds definitions that their files do not have any more, so that the remaining uses mean them. The places of the
    /// definitions must be those of no symbol.
    pub fn add_removed(&self, removed: &[Definition]) -> Result<(), SearchError> {
        let mut by_name: BTreeMap<&str, Vec<Definition>> = BTreeMap::new();
        for definition in removed {
            by_name.entry(&definition.name).or_default().push(definition.clone());
        }
        for (name, more) in by_name {
            // The fields and variants of other types may be meant, as before the change.
            if more.iter().any(|own| own.kind.is_minor()) {
                self.admit_minor(name, true)?;
            }
            self.add_definitions(name, more)?;
        }
        Ok(())
    }

    /// The uses of definitions that [`Graph::add_removed`] added.
    pub fn uses_of_removed(&self, removed: &[Definition]) -> Result<Vec<GraphEdge>, SearchError> {
        self.uses_of(removed, 1, |_| true)
    }

    /// The uses of the definitions of a removed file: where an import binds the name from a module that is not there and
    /// has the name of the file, and where the name has no definition any more.
    pub fn uses_of_removed_file(
        &self,
        (path, old): (&str, &str),
        language: &'static str,
        removed: &[Definition],
    ) -> Result<Vec<GraphEdge>, SearchError> {
        let home = if language == "csharp" { namespaces_in(old) } else { Vec::new() };
        let (family, stem) = (Family::of_language(language), path::stem(path::split(path).1));
        let folder = path::split(path::split(path).0).1;
        let mut edges = Vec::new();
        for gone in removed {
            let field = if family == Family::Rust { IndexField::Word } else { IndexField::Reference };
            let mut files = files_with(self.snapshot, field, &gone.name)?;
            files.retain(|file| self.family(*file) == family);
            files.sort_by_key(|file| self.snapshot.path(*file));
            let is_defined = self.definitions_in(family, &gone.name)?.iter().next().is_some();
            // A type that another file defines was moved.
            let holder = gone.container.as_deref();
            let defined = holder.map(|holder| self.definitions_in(family, holder)).transpose()?;
            let is_there = defined.is_some_and(|all| all.iter().any(|own| own.kind.is_type_like()));
            let holder = holder.filter(|_| !is_there);
            for file in files.into_iter().take(MAX_FILES) {
                let Some(facts) = self.facts(file) else { continue };
                for used in facts.uses_named(&[&gone.name]) {
                    let bound = self.module_without_file(file, &facts, &gone.name);
                    let is_plain = gone.container.is_none();
                    let is_behind = |holder: &str| self.is_behind_type(file, &facts, &used, holder);
                    let rule = match bound {
                        Some(Some(last)) if last == stem || last == folder => EdgeRule::Import,
                        Some(_) => continue,
                        None if holder.is_some_and(is_behind) => EdgeRule::TypedVariable,
                        None if is_defined || !is_of_kind(&used, gone) => continue,
                        None if is_plain && self.saw_home(file, path, &home) => EdgeRule::SamePackage,
                        None => EdgeRule::Unique,
                    };
                    let is_listed = gone.container.is_some() && family.is_library_member(&gone.name);
                    let is_library = rule == EdgeRule::Unique && is_listed;
                    edges.push(GraphEdge {
                        relation: Relation::of_role(used.role),
                        depth: 1,
                        file,
                        span: used.span,
                        from: owner_of(file, &facts, &used),
                        to: gone.clone(),
                        confidence: rule.confidence() * if is_library { 0.4 } else { 1.0 },
                        rule,
                        is_value: used.role == UseRole::Mention && gone.kind.is_function(),
                    });
                }
            }
        }
        Ok(edges)
    }

    /// Whether a file saw the types of a removed file without naming it: files of one package of Java do, and in C# those with one of the
    /// namespaces `home` in sight.
    fn saw_home(&self, file: u32, removed: &str, home: &[Box<str>]) -> bool {
        let family = self.family(file);
        match family {
            Family::Jvm => package(family, self.snapshot.path(file)) == package(family, removed),
            CSHARP => self.sees_namespace(file, home),
            _ => false,
        }
    }

    /// Whether a member is behind a value whose type is written with the name of a removed type.
    fn is_behind_type(&self, file: u32, facts: &FileFacts, used: &NameUse, holder: &str) -> bool {
        let types = self.receiver_types(file, facts, used).unwrap_or_default();
        types.iter().any(|own| **own == *holder)
    }

    /// For a name that an import binds: the last part of the module, if the module is not in the tree; else `None` inside.
    fn module_without_file(&self, file: u32, facts: &FileFacts, name: &str) -> Option<Option<String>> {
        let binds = |import: &&super::imports::ImportStatement| {
            import
                .bindings
                .iter()
                .any(|binding| &*binding.local == name || binding.name.as_deref() == Some(name))
        };
        let import = facts.imports.iter().find(binds)?;
        let module = &import.module;
        let is_there = !self.module_files(file, import).is_empty();
        let last = path::stem(module.rsplit(['/', '.', ':']).find(|part| !part.is_empty()).unwrap_or(module));
        // `./pool.js` ends in an extension.
        let last = match module.rsplit('/').next() {
            Some(part) if module.contains('/') => path::stem(part),
            _ => last,
        };
        Some((!is_there).then(|| last.to_string()))
    }
}

/// Whether a use may be one of the definition: members have a receiver, other names may be behind a module.
fn is_of_kind(used: &NameUse, definition: &Definition) -> bool {
    definition.container.is_none() || !matches!(used.receiver, Receiver::Absent)
}
