//! Constructors: the call of a type calls them too, and no other use of the type's name means them.

use super::files::Graph;
use super::judgement::{Judgement, Meaning};
use super::resolve::Question;
use super::uses::UseRole;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// Adds the constructors of the types that a call means, each with the confidence of its type.
    pub(super) fn with_constructors(
        &self,
        question: &Question<'_>,
        mut judgement: Judgement,
    ) -> Result<Judgement, SearchError> {
        let is_swift = match self.language(question.file) {
            "cpp" | "objc" => false,
            "swift" => true,
            _ => return Ok(judgement),
        };
        if question.used.role != UseRole::Call {
            return Ok(judgement);
        }
        let mut found = Vec::new();
        for own in judgement.meanings.iter().filter(|own| own.definition.kind.is_type_like()) {
            let name = if is_swift { "init" } else { &own.definition.name };
            let mut all = self.direct_members(&own.definition, name)?;
            all.retain(|member| member.kind.is_function());
            let meaning = |definition| Meaning { definition, ..own.clone() };
            found.extend(self.with_bodies(all).into_iter().map(meaning));
        }
        judgement.meanings.extend(found);
        Ok(judgement)
    }
}
