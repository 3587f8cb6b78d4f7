//! The meanings of a name that no rule decides: those of the definitions of the name that the form of the use allows.

use super::family::Family;
use super::files::Graph;
use super::judgement::{Judgement, Meaning};
use super::resolve::{MAX_AMBIGUOUS, Question};
use super::rule::EdgeRule;
use super::uses::Receiver;
use crate::definition::{Definition, distinct};
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

/// Names of fewer letters are often those of members of a standard library.
const SHORT_NAME: usize = 5;

impl Graph<'_> {
    /// Whether the tree defines each part of the path before a name, or what is in this part. What a variable holds is not known.
    pub(super) fn has_path(&self, question: &Question<'_>, path: &str) -> Result<bool, SearchError> {
        let mut inner = question.candidates.clone();
        for part in path.rsplit("::").filter(|part| !part.is_empty() && !part.starts_with('$')) {
            let named = self.definitions_in(question.family, part)?;
            let holds = |own: &Definition| {
                let container = own.container.as_deref().and_then(|own| own.rsplit(':').next());
                self.steps.take(1) && container == Some(part)
            };
            if named.iter().next().is_none() && !inner.iter().any(holds) {
                return Ok(false);
            }
            inner = named;
        }
        Ok(true)
    }

    /// The meanings of a name that no rule decides.
    pub(super) fn by_name_alone(&self, question: &Question<'_>) -> Judgement {
        let is_member = !matches!(question.used.receiver, Receiver::Absent);
        // The use may be one of the definitions.
        if question.family != Family::C && question.candidates.homes(is_member) > 2 * MAX_AMBIGUOUS {
            return Judgement::default();
        }
        let fits = |found: &Definition| match question.family {
            Family::C => is_member || found.kind != SymbolKind::Field,
            _ => is_member == found.container.is_some(),
        };
        let found = self.seen(question.file, question.candidates(fits));
        let mut found = self.of_arguments(question, self.with_bodies(question.nearest(found)));
        found.retain(|own| !self.is_hidden_extension(question, own));
        if found.is_empty() {
            return Judgement::default();
        }
        let choices = distinct(&found);
        let rule = if choices == 1 { EdgeRule::Unique } else { EdgeRule::Ambiguous };
        if choices > MAX_AMBIGUOUS {
            return Judgement::default();
        }
        let mut confidence = rule.confidence() / choices as f32;
        let is_listed = match is_member {
            true => question.family.is_library_member(question.name),
            false => question.family == Family::C && question.family.is_library_name(question.name),
        };
        if is_listed {
            confidence *= 0.4;
        } else if is_member && question.name.len() < SHORT_NAME {
            confidence *= 0.6;
        }
        // In these languages a member without a known receiver is mostly one of a library, and a name without a receiver comes here only
        // if it takes a member out of an unknown value.
        if question.family.has_scopes() {
            confidence *= 0.5;
        }
        // A method that passes a call on to another object calls a method of the same name, and not itself.
        let is_around = |own: &Definition| own.file == question.file && own.span.contains(question.used.span);
        if is_member && choices == 1 && found.iter().any(is_around) {
            confidence *= 0.4;
        }
        // The type around the use is known and has no such member, so the name is probably that of a field.
        if matches!(question.used.receiver, Receiver::This | Receiver::Base) {
            confidence *= 0.3;
        }
        let meaning = |definition| Meaning { definition, rule, confidence };
        let meanings = found.into_iter().map(meaning).collect();
        Judgement { meanings, ..Judgement::default() }
    }
}
