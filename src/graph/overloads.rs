//! The numbers of parameters and arguments, which tell methods of one name apart.

use super::arguments::{ParameterCount, arguments_in, parameters_in, type_parameters};
use super::files::{BYTES_PER_STEP, Graph};
use super::resolve::Question;
use super::syntax_facts::SyntaxFacts;
use super::uses::UseRole;
use crate::definition::Definition;

/// The most functions whose parameters are counted for one question.
const MAX_COUNTED: usize = 64;

impl Graph<'_> {
    /// Whether the number of parameters tells methods of one name apart in the language of a file.
    pub(super) fn has_overloads(&self, file: u32) -> bool {
        SyntaxFacts::of(self.language(file)).overloads
    }

    /// How many arguments a function takes; `None` if that is not known.
    pub(super) fn parameter_count(&self, function: &Definition) -> Option<ParameterCount> {
        let facts = self.facts(function.file).filter(|_| function.kind.is_function())?;
        let name = facts.name_of(function.place)?;
        self.steps.take(function.span.len() / BYTES_PER_STEP);
        parameters_in(facts.text.get(name.end as usize..function.span.end as usize)?)
    }

    /// The number of generic parameters of a function.
    fn n_type_parameters(&self, function: &Definition) -> usize {
        let facts = self.facts(function.file);
        let after =
            facts.as_ref().and_then(|facts| facts.text.get(facts.name_of(function.place)?.end as usize..));
        type_parameters(after.unwrap_or_default(), true)
    }

    /// Of functions that a call may mean, those that take as many arguments as the call has, or arguments with its labels; all, if
    /// none does.
    pub(super) fn of_arguments(
        &self,
        question: &Question<'_>,
        mut found: Vec<Definition>,
    ) -> Vec<Definition> {
        let has_several = found.iter().filter(|own| own.kind.is_function()).count() > 1;
        if question.used.role != UseRole::Call || !has_several {
            return found;
        }
        if self.language(question.file) == "swift" {
            return self.of_labels(question, found);
        }
        if !self.has_overloads(question.file) {
            return found;
        }
        let after = &question.facts.text[question.used.span.end as usize..];
        let (Some(count), n_types) = (arguments_in(after), type_parameters(after, false)) else {
            return found;
        };
        let fits = |own: &Definition| {
            let takes = self.parameter_count(own);
            let takes = takes.is_none_or(|takes| takes.least <= count && count <= takes.most);
            takes && (n_types == 0 || self.n_type_parameters(own) == n_types)
        };
        if found.iter().any(fits) {
            found.retain(fits);
        }
        found
    }

    /// How many arguments functions take; nothing, if that is not known of all.
    pub(super) fn counts_of(&self, functions: &[Definition]) -> Vec<ParameterCount> {
        let count = |own: &Definition| self.parameter_count(own).filter(|_| self.has_overloads(own.file));
        let few = Some(functions).filter(|all| all.len() <= MAX_COUNTED).unwrap_or_default();
        few.iter().map(count).collect::<Option<Vec<_>>>().unwrap_or_default()
    }

    /// Whether a member may implement or override another one, as far as its head tells: it is neither private nor static, and has as
    /// many parameters.
    pub(super) fn may_implement(&self, own: &Definition, wanted: &Definition) -> bool {
        if !self.has_overloads(own.file) || !own.kind.is_function() || !wanted.kind.is_function() {
            return true;
        }
        let head = |own: &Definition| {
            let facts = self.facts(own.file)?;
            let symbol = facts.symbols.get(own.place as usize)?;
            let head = facts.at(symbol.signature);
            Some(head.split('(').next().unwrap_or(head).to_string())
        };
        let has_word = |head: &Option<String>, word: &str| {
            head.iter().flat_map(|head| head.split_whitespace()).any(|own| own == word)
        };
        let (own_head, wanted_head) = (head(own), head(wanted));
        let is_hidden = has_word(&own_head, "private")
            || has_word(&own_head, "static") && !has_word(&wanted_head, "static");
        let counts = (self.parameter_count(own), self.parameter_count(wanted));
        let is_alike = !matches!(counts, (Some(own), Some(wanted)) if !own.may_override(wanted));
        !is_hidden && is_alike && !own.is_constructor()
    }
}
