//! Calls that run a method with another name: `super`, and `Job.perform_later` of Rails, which runs `perform`.

use super::files::Graph;
use super::syntax_facts::SyntaxFacts;
use super::uses::{FileFacts, NameUse, Receiver, around};
use crate::definition::Definition;
use spyhop_index::inverted::IndexField;
use spyhop_search::{SearchError, files_with};

impl Graph<'_> {
    /// The name of what a use means: most often the name that is written.
    pub(super) fn meant_name<'f>(
        &self,
        file: u32,
        facts: &'f FileFacts,
        used: &NameUse,
    ) -> Result<&'f str, SearchError> {
        let written = facts.at(used.span);
        let Some(run) = SyntaxFacts::of(self.language(file)).runs.get(written) else { return Ok(written) };
        if run.is_empty() {
            let mut functions = around(&facts.symbols, used.owner).filter(|own| own.kind.is_function());
            let is_plain = used.receiver == Receiver::Absent;
            return Ok(functions.next().filter(|_| is_plain).map_or(written, |own| &own.name));
        }
        let is_defined = self.definitions_in(self.family(file), written)?.iter().next().is_some();
        Ok(if is_defined { written } else { run })
    }

    /// The names of calls that run one of `wanted`, which have the name `name`, and the files with such calls that need not have the
    /// name.
    pub(super) fn runs_of(
        &self,
        name: &str,
        wanted: &[&Definition],
    ) -> Result<(Vec<&'static str>, Vec<u32>), SearchError> {
        let (mut names, mut files) = (Vec::new(), Vec::new());
        let Some(member) = wanted.iter().find(|own| own.kind.is_function() && own.container.is_some()) else {
            return Ok((names, files));
        };
        for (call, run) in &SyntaxFacts::of(self.language(member.file)).runs {
            if run == name {
                files.extend(files_with(self.snapshot, IndexField::Reference, call)?);
            }
            if run == name || run.is_empty() {
                names.push(call.as_str());
            }
        }
        Ok((names, files))
    }
}
