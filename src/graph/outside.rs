//! Names of packages outside of the tree: which name of which module a use means, by the import that binds the name.

use super::family::Family;
use super::files::Graph;
use super::imports::{Binding, ImportStatement};
use super::questions::{Relation, aliases_of, owner_of};
use super::uses::{FileFacts, NameUse, Receiver, UseRole};
use crate::definition::Definition;
use spyhop_base::text::Span;
use spyhop_index::inverted::IndexField;
use spyhop_search::{SearchError, files_with};

/// A name of a module outside of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutsideName {
    /// The registry of packages of the language: `cargo`, `go`, `npm` or `python`.
    pub ecosystem: &'static str,
    /// The module as imported.
    pub module: String,
    /// The type or the inner module before the name, if there is one.
    pub container: Option<String>,
    pub name: String,
}

/// A use of a name of a module outside of the tree.
#[derive(Clone, Debug)]
pub struct OutsideUse {
    pub file: u32,
    /// The span of the used name.
    pub span: Span,
    /// The symbol around the use.
    pub from: Option<Definition>,
    /// How the name is used.
    pub relation: Relation,
    /// The meaning of the use.
    pub meant: OutsideName,
}

impl OutsideName {
    /// Whether the module is of a package.
    pub fn is_of_package(&self, ecosystem: &str, package: &str) -> bool {
        let is_in = |separator: char| {
            let rest = self.module.strip_prefix(package);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
        };
        let first = |separator: &str| self.module.split(separator).next().unwrap_or_default();
        let plain = |name: &str| name.to_lowercase().replace('-', "_");
        self.ecosystem == ecosystem
            && match ecosystem {
                "cargo" => first("::") == package.replace('-', "_"),
                "python" => plain(first(".")) == plain(package),
                _ => is_in('/'),
            }
    }
}

impl Graph<'_> {
    /// The meaning outside of the tree of the name at a line and column; `None` if an import does not bind the name to a module
    /// outside.
    pub fn outside_at(&self, file: u32, line: u32, column: u32) -> Option<OutsideName> {
        let facts = self.facts(file).filter(|facts| (1..=facts.lines.count()).contains(&line))?;
        let byte = facts.lines.start_of(line) + column.saturating_sub(1);
        let used = facts.uses.iter().find(|used| used.span.start <= byte && byte <= used.span.end)?;
        self.outside_name(file, &facts, used)
    }

    /// The uses of a name of modules outside of the tree.
    pub fn outside_uses(&self, name: &str) -> Result<Vec<OutsideUse>, SearchError> {
        let mut files = files_with(self.snapshot, IndexField::Reference, name)?;
        files.extend(files_with(self.snapshot, IndexField::Word, name)?);
        files.sort_unstable();
        files.dedup();
        files.retain(|file| (self.limits.takes_file)(*file) && ecosystem(self.family(*file)).is_some());
        let mut found = Vec::new();
        for file in files {
            let Some(facts) = self.facts(file) else { continue };
            let mut names = aliases_of(&facts, name);
            names.push(name);
            for used in facts.uses_named(&names) {
                let meant = self.outside_name(file, &facts, &used).filter(|meant| meant.name == name);
                found.extend(meant.map(|meant| OutsideUse {
                    file,
                    span: used.span,
                    from: owner_of(file, &facts, &used),
                    relation: Relation::of_role(used.role),
                    meant,
                }));
            }
        }
        Ok(found)
    }

    fn outside_name(&self, file: u32, facts: &FileFacts, used: &NameUse) -> Option<OutsideName> {
        let ecosystem = ecosystem(self.family(file))?;
        let name_used = facts.at(used.span);
        let bound = |local: &str| binding(facts, used, local);
        let text = |text: &str| Some(text.to_string());
        let (module, container, name) = match &used.receiver {
            Receiver::Absent => {
                let (import, binding) = bound(name_used)?;
                (import.module.to_string(), None, binding.name.clone()?.to_string())
            }
            Receiver::Path(path) => {
                let first = path.split("::").next().unwrap_or(path);
                let rest = path[first.len()..].trim_start_matches("::");
                match bound(first) {
                    Some((import, binding)) => match &binding.name {
                        Some(name) if rest.is_empty() => {
                            (import.module.to_string(), text(name), name_used.to_string())
                        }
                        _ => (import.module.to_string(), text(rest), name_used.to_string()),
                    },
                    None => (
                        path.to_string(),
                        path.rsplit_once("::").and_then(|(_, last)| text(last)),
                        name_used.to_string(),
                    ),
                }
            }
            Receiver::Chain(chain) => {
                let (import, binding) = bound(chain)?;
                let container = binding.name.as_deref().map(str::to_string);
                (import.module.to_string(), container, name_used.to_string())
            }
            Receiver::This | Receiver::Base | Receiver::Expression => return None,
        };
        let is_outside = self.module(file, &module).is_empty();
        is_outside.then_some(OutsideName { ecosystem, module, container, name })
    }
}

/// The binding of a local name. In an import, a name is also found before `as`.
fn binding<'f>(
    facts: &'f FileFacts,
    used: &NameUse,
    local: &str,
) -> Option<(&'f ImportStatement, &'f Binding)> {
    let is_it = |binding: &Binding| {
        &*binding.local == local || (used.role == UseRole::Import && binding.name.as_deref() == Some(local))
    };
    facts.imports.iter().find_map(|import| Some((import, import.bindings.iter().find(|it| is_it(it))?)))
}

/// The registry of packages of a family of languages.
fn ecosystem(family: Family) -> Option<&'static str> {
    match family {
        Family::Rust => Some("cargo"),
        Family::Go => Some("go"),
        Family::Web => Some("npm"),
        Family::Python => Some("python"),
        Family::Jvm | Family::C | Family::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_belong_to_packages() {
        let check = |ecosystem: &'static str, module: &str, package: &str, expected: bool| {
            let name = OutsideName { ecosystem, module: module.into(), container: None, name: String::new() };
            assert_eq!(name.is_of_package(ecosystem, package), expected, "{module} {package}");
            assert!(!name.is_of_package("other", package));
        };
        check("cargo", "rate_limit::retry", "rate-limit", true);
        check("cargo", "rate_limits", "rate-limit", false);
        check("npm", "@web/pages/dom", "@web/pages", true);
        check("npm", "@web/pages2", "@web/pages", false);
        check("go", "example.org/a/b", "example.org/a", true);
        check("python", "Rate_Limit.retry", "rate-limit", true);
        check("python", "rate", "rate-limit", false);
    }
}
