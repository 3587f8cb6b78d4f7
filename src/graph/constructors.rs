//! Constructors: the call of a type calls them too, and no other use of the type's name means them. Some calls name no type: `this(1)`,
//! `super(1)`, and `new(1)` of C#.

use super::constructor_words::constructor_words;
use super::family::Family;
use super::files::Graph;
use super::judgement::{Judgement, Meaning};
use super::resolve::{Question, RuleResult};
use super::rule::EdgeRule;
use super::syntax_facts::SyntaxFacts;
use super::use_form::UseForm;
use super::uses::UseRole;
use crate::definition::Definition;
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The types whose constructors a call by a word means; `None` for any other use.
    pub(super) fn called_by_word(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let Question { file, family, facts, used, name, .. } = *question;
        if used.role != UseRole::Call || !constructor_words(family).contains(&name) {
            return Ok(None);
        }
        let around = facts.type_around(used.owner);
        let (rule, mut types) = match name {
            "new" => (EdgeRule::TypedVariable, self.types_expected_at(question)?),
            "this" => {
                (EdgeRule::OwnMember, around.map_or(Ok(Vec::new()), |own| self.types_named(file, own))?)
            }
            _ => (EdgeRule::Inherited, around.map_or(Ok(Vec::new()), |own| self.bases_named(file, own))?),
        };
        types.retain(|own| matches!(own.kind, SymbolKind::Class | SymbolKind::Enum | SymbolKind::Struct));
        Ok((!types.is_empty() || name != "new").then_some((rule, types)))
    }

    /// The constructors of the types that a call means, each with the confidence of its type.
    pub(super) fn called_constructors(
        &self,
        question: &Question<'_>,
        judgement: &Judgement,
    ) -> Result<Vec<Meaning>, SearchError> {
        let constructor = SyntaxFacts::of(self.language(question.file)).constructor.as_deref();
        let calls_types = constructor.is_some() || question.family == Family::C;
        let is_call =
            question.form == UseForm::Constructed || calls_types && question.used.role == UseRole::Call;
        let mut found = Vec::new();
        for own in judgement.meanings.iter().filter(|own| is_call && own.definition.kind.is_type_like()) {
            let mut all =
                self.direct_members(&own.definition, constructor.unwrap_or(&own.definition.name))?;
            all.retain(|member| member.kind.is_function());
            let all = self.of_arguments(question, self.with_bodies(all));
            found.extend(all.into_iter().map(|definition| Meaning { definition, ..own.clone() }));
        }
        Ok(found)
    }

    /// Whether a definition is a constructor that does not have the name of its type.
    pub(super) fn is_named_constructor(&self, own: &Definition) -> bool {
        SyntaxFacts::of(self.language(own.file)).constructor.as_deref() == Some(&*own.name)
    }
}
