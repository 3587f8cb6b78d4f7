//! Smart pointers of C++: what the sign `->` behind a value finds. The pointers of most libraries are not of the tree, so that any class
//! template with one argument may be one.

use super::library;
use super::operands::first_of_path;
use super::site::Site;
use super::written::{Form, WrittenType, written};
use crate::family::Family;
use crate::files::Graph;
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

/// The name of the function that says what the sign finds.
const ARROW: &str = "operator->";

/// The most aliases and pointers inside of each other that are followed.
const MAX_ALIASES: usize = 4;

impl Graph<'_> {
    /// The types whose members the sign `->` behind a value of a type finds.
    pub(super) fn pointed(
        &self,
        site: &Site<'_>,
        own: &WrittenType,
    ) -> Result<Vec<WrittenType>, SearchError> {
        if !site.syntax().pointers {
            return Ok(vec![library::inner(site.syntax(), own).unwrap_or(own).clone()]);
        }
        self.pointed_within(site, own, MAX_ALIASES)
    }

    /// The type before a function that makes an object of it: `Pointer<T>::create()` gives a pointer of this kind.
    pub(super) fn made_by_type(
        &self,
        site: &Site<'_>,
        called: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let first = first_of_path(Family::C, tokens, called);
        let is_maker = site.syntax().type_makers.iter().any(|own| own == tokens.word(called));
        if first + 3 > called || !is_maker {
            return Ok(Vec::new());
        }
        let types = written((Family::C, site.file), &site.item, first, called - 2);
        // What a function of the tree gives, its declaration tells.
        self.each(&types, |own| Ok(if own.args.is_empty() { Vec::new() } else { vec![own.clone()] }))
    }

    fn pointed_within(
        &self,
        site: &Site<'_>,
        own: &WrittenType,
        steps: usize,
    ) -> Result<Vec<WrittenType>, SearchError> {
        if own.form == Form::Pointer || steps == 0 {
            return Ok(vec![own.clone()]);
        }
        if let Some(inner) = library::inner(site.syntax(), own) {
            return Ok(vec![inner.clone()]);
        }
        let definitions = self.type_definitions(own)?;
        if definitions.is_empty() {
            return Ok(vec![library::held(site.syntax(), own).unwrap_or(own).clone()]);
        }
        let mut found = Vec::new();
        for alias in definitions.iter().filter(|own| own.kind == SymbolKind::Type) {
            for meant in self.with_arguments(self.aliased(alias), alias, own) {
                found.extend(self.pointed_within(site, &meant, steps - 1)?);
            }
        }
        if found.is_empty() && self.definitions_in(Family::C, ARROW)?.iter().next().is_some() {
            for function in self.members_of(Some(site), own, ARROW)? {
                found.extend(self.results(&function, std::slice::from_ref(own))?);
            }
        }
        Ok(if found.is_empty() { vec![own.clone()] } else { found })
    }
}
