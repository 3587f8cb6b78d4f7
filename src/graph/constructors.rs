//! Constructors: the call of a type calls them too, and no other use of the type's name means them.

use super::files::Graph;
use super::judgement::{Judgement, Meaning};
use super::resolve::Question;
use super::use_form::UseForm;
use super::uses::UseRole;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The constructors of the types that a call means, each with the confidence of its type.
    pub(super) fn called_constructors(
        &self,
        question: &Question<'_>,
        judgement: &Judgement,
    ) -> Result<Vec<Meaning>, SearchError> {
        let language = self.language(question.file);
        let calls_types = matches!(language, "cpp" | "objc" | "swift");
        let is_call =
            question.form == UseForm::Constructed || calls_types && question.used.role == UseRole::Call;
        let mut found = Vec::new();
        for own in judgement.meanings.iter().filter(|own| is_call && own.definition.kind.is_type_like()) {
            let name = if language == "swift" { "init" } else { &own.definition.name };
            let mut all = self.direct_members(&own.definition, name)?;
            all.retain(|member| member.kind.is_function());
            let all = self.of_arguments(question, self.with_bodies(all));
            found.extend(all.into_iter().map(|definition| Meaning { definition, ..own.clone() }));
        }
        Ok(found)
    }
}
