//! The receivers that Kotlin does not write: those of blocks, as in `pool.apply { take() }`, and those of extensions.

use std::rc::Rc;

use super::site::Site;
use super::sources::{STATEMENTS, called_before};
use super::written::{METHOD, WrittenType};
use crate::definition::Definition;
use crate::files::Graph;
use crate::resolve::Question;
use spyhop_search::SearchError;

/// The most parameters with default values before that of a block.
const MAX_DEFAULTS: usize = 8;

impl Graph<'_> {
    /// The members with the name of a use that the type which the function around extends has.
    pub(crate) fn members_of_extended(
        &self,
        question: &Question<'_>,
    ) -> Result<Vec<Definition>, SearchError> {
        let around = question.facts.type_around(question.used.owner);
        let Some(around) = around.filter(|_| self.language(question.file) == "kotlin") else {
            return Ok(Vec::new());
        };
        let mut found = self.members_of(None, &WrittenType::new(question.file, around), question.name)?;
        found.retain(|own| question.is_other(own));
        Ok(found)
    }

    /// The members with the name at token `at` that the receivers of the blocks around it have. The innermost block goes first.
    pub(super) fn members_in_blocks(
        &self,
        site: &Site<'_>,
        at: usize,
    ) -> Result<Vec<Definition>, SearchError> {
        let tokens = &site.item.tokens;
        let blocks = std::iter::successors(tokens.around(at), |open| tokens.around(*open));
        for open in blocks.filter(|open| tokens.is(*open, b'{') && *open > 0) {
            for own in self.known_receivers(site, open)?.iter() {
                let found = self.members_of(Some(site), own, tokens.word(at))?;
                if !found.is_empty() {
                    return Ok(found);
                }
            }
        }
        Ok(Vec::new())
    }

    /// The types of the receiver of the block that begins at `open`, found once: those of a block inside depend on them.
    fn known_receivers(&self, site: &Site<'_>, open: usize) -> Result<Rc<[WrittenType]>, SearchError> {
        let key = (site.file, site.item.byte_of(open));
        if let Some(known) = self.types.blocks.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found: Rc<[WrittenType]> = self.receivers_of_block(site, open)?.into();
        if !self.types.expressions.is_cut() {
            self.types.blocks.borrow_mut().insert(key, found.clone());
        }
        Ok(found)
    }

    /// The types of the receiver of the block that begins at `open` and is the last argument of a call.
    fn receivers_of_block(&self, site: &Site<'_>, open: usize) -> Result<Vec<WrittenType>, SearchError> {
        let tokens = &site.item.tokens;
        let Some((called, argument)) = called_before(tokens, open - 1) else { return Ok(Vec::new()) };
        let name = tokens.word(called);
        if STATEMENTS.contains(&name) {
            return Ok(Vec::new());
        }
        let is_member = site.receiver_end(called).is_some();
        let receivers = if is_member { self.receiver_of(site, called)? } else { None };
        let receivers = receivers.map_or_else(Vec::new, |(types, _)| types);
        let mut functions = Vec::new();
        for own in &receivers {
            functions.extend(self.members_of(Some(site), own, name)?);
        }
        if !is_member {
            functions = self.members_in_blocks(site, called)?;
        }
        if functions.is_empty() && site.syntax().binds.iter().any(|own| own == name) {
            return Ok(receivers);
        }
        if functions.is_empty() && name == "with" && tokens.is(open - 1, b')') {
            return self.in_range(site, called + 2, open - 1);
        }
        if functions.is_empty() {
            functions = self.definitions_at(site, site.item.span_of(called))?;
        }
        let mut found = Vec::new();
        for function in &functions {
            let parameters = argument..=argument + MAX_DEFAULTS;
            let mut parameters = parameters.flat_map(|number| self.argument_types(function, number));
            let block = parameters.find(|own| &*own.name == METHOD);
            let mut own: Vec<WrittenType> =
                block.and_then(|own| own.args.first().cloned()).into_iter().collect();
            receivers.iter().for_each(|receiver| self.replace_extended(function, receiver, &mut own));
            found.extend(own);
        }
        Ok(found)
    }
}
