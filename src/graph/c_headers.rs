//! Declarations and definitions of C and C++: which source has the body of what a header or a prototype declares.

use super::definition::Definition;
use super::family::Family;
use super::files::Graph;
use super::paths::shared_folders;
use super::resolve::{Question, STEPS_PER_COPY};
use spyhop_base::path;

impl Graph<'_> {
    /// Declarations of C only count where no definition with a body is among the candidates.
    pub(super) fn with_bodies(&self, definitions: Vec<Definition>) -> Vec<Definition> {
        let has_body =
            |definition: &Definition| !definition.kind.is_function() || definition.lines.count() > 1;
        let is_c = definitions.first().is_some_and(|first| self.family(first.file) == Family::C);
        if is_c && definitions.iter().any(has_body) {
            return definitions.into_iter().filter(has_body).collect();
        }
        definitions
    }

    /// Whether a header, or a source with its stem, may have a definition of the name.
    pub(super) fn may_declare(&self, question: &Question<'_>, header: &str) -> bool {
        question.candidates.is_in_file(path::stem(path::split(header).1), self.snapshot)
    }

    /// For declarations of C the definitions with a body that are nearest to the use.
    pub(super) fn bodies_of_declared(
        &self,
        question: &Question<'_>,
        found: Vec<Definition>,
    ) -> Vec<Definition> {
        let has_body = |symbol: &Definition| symbol.kind.is_function() && symbol.lines.count() > 1;
        let is_declared = |symbol: &Definition| symbol.kind.is_function() && symbol.lines.count() == 1;
        if !found.iter().any(is_declared) || found.iter().any(has_body) {
            return found;
        }
        let bodies = question.candidates(|symbol| has_body(symbol) && symbol.container.is_none());
        let use_path = self.snapshot.path(question.file);
        let near = |symbol: &Definition| shared_folders(use_path, self.snapshot.path(symbol.file));
        self.steps.take(bodies.len() * STEPS_PER_COPY);
        let most = bodies.iter().map(|symbol| near(symbol)).max();
        let nearest: Vec<&Definition> =
            bodies.into_iter().filter(|symbol| Some(near(symbol)) == most).collect();
        if nearest.is_empty() { found } else { question.nearest(nearest) }
    }

    /// The sources beside or below a header with the header's stem.
    pub(super) fn sources_of_header(&self, header: u32) -> Vec<u32> {
        let stem = path::stem(path::split(self.snapshot.path(header)).1);
        let endings = [".c", ".cc", ".cpp", ".cxx"];
        endings.iter().flat_map(|ending| self.nearest(&format!("{stem}{ending}"), header)).collect()
    }
}
