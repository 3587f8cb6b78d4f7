//! Other names of types in Rust: those of type aliases, and those that imports give.

use super::family::Family;
use super::files::Graph;
use super::resolve::{Question, STEPS_PER_COPY};
use crate::definition::Definition;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The most definitions of a name that are looked at as aliases.
const MAX_ALIASES: usize = 4;

/// The most members whose files are looked at for the other name of their type.
const MAX_MEMBERS: usize = 64;

impl Graph<'_> {
    /// The members of a type of Rust under another name of the type.
    pub(super) fn members_by_other_name(
        &self,
        question: &Question<'_>,
        name: &str,
    ) -> Result<Vec<Definition>, SearchError> {
        if question.family != Family::Rust {
            return Ok(Vec::new());
        }
        for own in self.definitions_in(Family::Rust, name)?.iter().take(MAX_ALIASES) {
            let facts = self.facts(own.file);
            let symbol = facts.as_ref().and_then(|facts| facts.symbols.get(own.place as usize));
            let alias = symbol.zip(facts.as_ref()).and_then(|(symbol, facts)| {
                let end = symbol.span.end.max(symbol.signature.end);
                aliased(facts.at(Span { start: symbol.signature.start, end }))
            });
            let members = alias.filter(|alias| *alias != name).map(|alias| question.members(alias));
            if let Some(members) = members.filter(|members| !members.is_empty()) {
                return Ok(members);
            }
        }
        // `use crate::Value as Json;` before `impl Json { ... }`.
        let is_renamed = |own: &Definition| {
            let holder = own.container.as_deref().filter(|holder| *holder != name);
            holder.is_some_and(|holder| {
                let imports = self.imports_in(own.file);
                imports.bound(holder).any(|(_, binding)| binding.name.as_deref() == Some(name))
            })
        };
        let members = question.candidates(|own| own.container.is_some());
        if members.len() > MAX_MEMBERS || !self.steps.take(members.len() * STEPS_PER_COPY) {
            return Ok(Vec::new());
        }
        Ok(question.nearest(members.into_iter().filter(|own| is_renamed(own)).collect()))
    }
}

/// The last part of the path that an alias stands for: `Id` of `pub type VarId = ids::Id<Var>;`.
fn aliased(item: &str) -> Option<&str> {
    let (head, target) = item.split_once('=')?;
    let is_alias = head.split_whitespace().find(|word| !word.starts_with("pub")) == Some("type");
    let path = target.split(['<', ';']).next()?.trim();
    let last = path.rsplit("::").next()?;
    let is_name = !last.is_empty() && last.chars().all(|c| c == '_' || c.is_alphanumeric());
    (is_alias && is_name).then_some(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_stands_for_the_last_part_of_its_path() {
        assert_eq!(aliased("pub type VarId = ids::Id<Var>;"), Some("Id"));
        assert_eq!(aliased("type Own<T> = T;"), Some("T"));
        assert_eq!(aliased("type Take = fn(i32) -> i32;"), None);
        assert_eq!(aliased("const TAKE: i32 = other;"), None);
    }
}
