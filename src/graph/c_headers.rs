//! Declarations and definitions of C and C++: which source has the body of what a header or a prototype declares.

use std::sync::Arc;

use super::definition::Definition;
use super::family::Family;
use super::files::{BYTES_PER_STEP, Graph};
use super::paths::shared_folders;
use super::resolve::{MAX_AMBIGUOUS, Question, STEPS_PER_COPY};
use super::rule::EdgeRule;
use super::uses::around;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_search::SearchError;

/// The most definitions of a name whose texts are read for one use.
const MAX_READ: usize = 64;

/// The endings of files that are compiled and seldom included.
const SOURCES: [&str; 6] = [".c", ".cc", ".cpp", ".cxx", ".m", ".mm"];

/// The words before a namespace whose names a file uses as if they were its own.
const USING: &[u8] = b"using namespace ";

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether a declaration ends with a value, as in `virtual int take() = 0;`.
fn ends_with_value(text: &str, value: &str) -> bool {
    let before = text.trim_end().trim_end_matches(';').trim_end().strip_suffix(value);
    before.is_some_and(|before| before.trim_end().ends_with('='))
}

impl Graph<'_> {
    /// Declarations of C only count where no definition with a body is among the candidates.
    pub(super) fn with_bodies(&self, definitions: Vec<Definition>) -> Vec<Definition> {
        let is_c = definitions.first().is_some_and(|first| self.family(first.file) == Family::C);
        let has_body = |own: &Definition| !own.kind.is_function() || self.has_body(own);
        if is_c && definitions.len() > 1 && definitions.iter().any(has_body) {
            return definitions.into_iter().filter(has_body).collect();
        }
        definitions
    }

    /// Whether a function or macro of C is defined here, and not only declared or given another prefix (`#define take pool_take`).
    fn has_body(&self, function: &Definition) -> bool {
        let text = self.text(function.file);
        let Some(own) = text.as_ref().and_then(|text| text.get(function.span.range())) else {
            return function.lines.count() > 1;
        };
        match function.kind {
            SymbolKind::Macro => {
                let mut words = own.split_whitespace().skip_while(|word| *word != &*function.name);
                let is_other = |value: &str| value.chars().all(is_word) && value.contains(&*function.name);
                !words.nth(1).is_some_and(is_other) || words.next().is_some()
            }
            // What only derived types define, or the compiler.
            _ if ["0", "default", "delete"].iter().any(|value| ends_with_value(own, value)) => true,
            _ => own.trim_end().ends_with('}'),
        }
    }

    /// Whether files that do not include the file of a function of C see the function.
    fn is_seen(&self, function: &Definition) -> bool {
        let is_source = SOURCES.iter().any(|ending| self.snapshot.path(function.file).ends_with(ending));
        let is_static = |text: Arc<String>| {
            let head = text.get(function.span.range()).unwrap_or_default();
            let head = head.split(['(', '{']).next().unwrap_or_default();
            function.kind.is_function() && head.split_whitespace().any(|word| word == "static")
        };
        !is_source || !self.text(function.file).is_some_and(is_static)
    }

    /// Leaves out functions that only the other source that defines them sees.
    pub(super) fn seen<'d>(&self, file: u32, found: Vec<&'d Definition>) -> Vec<&'d Definition> {
        if self.family(file) != Family::C || found.len() > MAX_READ {
            return found;
        }
        found.into_iter().filter(|own| own.file == file || self.is_seen(own)).collect()
    }

    /// Whether the tree only declares a function that the library of C has.
    pub(super) fn is_only_declared(&self, found: &[Definition]) -> bool {
        let is_listed = |own: &Definition| Family::C.is_library_name(&own.name);
        let is_declared = |own: &Definition| own.kind.is_function() && !self.has_body(own);
        !found.is_empty() && found.iter().all(|own| is_listed(own) && is_declared(own))
    }

    /// Whether a header, or a source with its stem, may have a definition of the name.
    pub(super) fn may_declare(&self, question: &Question<'_>, header: &str) -> bool {
        question.candidates.is_in_file(path::stem(path::split(header).1), self.snapshot)
    }

    /// For declarations of C the definitions with a body: those in the folder of a declaration, or else those that are nearest
    /// to the use.
    pub(super) fn bodies_of_declared(
        &self,
        question: &Question<'_>,
        found: Vec<Definition>,
    ) -> Vec<Definition> {
        let is_declared = |own: &Definition| own.kind.is_function() && !self.has_body(own);
        if !found.iter().any(is_declared) || found.iter().any(|own| !is_declared(own)) {
            return found;
        }
        let has_home = |own: &Definition| found.iter().any(|other| own.container == other.container);
        let bodies = question.candidates(|own| own.kind.is_function() && has_home(own));
        let bodies = self.nearest_bodies(bodies, &found, question.file);
        if bodies.is_empty() { found } else { question.nearest(bodies) }
    }

    /// Those of the functions `bodies` with a body in the folder of a declaration, or else those that are nearest to a file.
    fn nearest_bodies<'d>(
        &self,
        mut bodies: Vec<&'d Definition>,
        declared: &[Definition],
        near: u32,
    ) -> Vec<&'d Definition> {
        self.steps.take(bodies.len() * STEPS_PER_COPY);
        match bodies.len() > MAX_READ {
            true => bodies.retain(|own| own.lines.count() > 1),
            false => bodies.retain(|own| self.has_body(own) && self.is_seen(own)),
        }
        let folder = |own: &Definition| path::split(self.snapshot.path(own.file)).0;
        let is_beside = |body: &&Definition| declared.iter().any(|own| folder(own) == folder(body));
        if bodies.iter().any(is_beside) {
            bodies.retain(is_beside);
        } else {
            let path = self.snapshot.path(near);
            let nearness = |own: &Definition| shared_folders(path, self.snapshot.path(own.file));
            let most = bodies.iter().map(|own| nearness(own)).max();
            bodies.retain(|own| Some(nearness(own)) == most);
        }
        bodies
    }

    /// Adds the functions with a body that declarations of C and C++ among the symbols stand for: calls mean these.
    pub fn add_bodies_of_declared(&self, symbols: &mut Vec<Definition>) -> Result<(), SearchError> {
        let is_declared = |own: &&Definition| {
            self.family(own.file) == Family::C && own.kind.is_function() && !self.has_body(own)
        };
        let declared: Vec<Definition> = symbols.iter().filter(is_declared).cloned().collect();
        for own in declared {
            let all = self.definitions_in(Family::C, &own.name)?;
            let is_body = |body: &&Definition| body.kind.is_function() && body.container == own.container;
            let bodies = all.iter().filter(is_body).collect();
            for body in self.nearest_bodies(bodies, std::slice::from_ref(&own), own.file) {
                if !symbols.iter().any(|known| known.is(body)) {
                    symbols.push(body.clone());
                }
            }
        }
        Ok(())
    }

    /// Leaves out members of types inside of other types, which a name without a path does not mean outside of these types.
    pub(super) fn without_inner(&self, question: &Question<'_>, members: Vec<Definition>) -> Vec<Definition> {
        let is_inner = |member: &Definition| {
            let Some(facts) = self.facts(member.file).filter(|_| member.file != question.file) else {
                return false;
            };
            let holders = member.container.as_deref().and_then(|name| facts.symbols_by_name.get(name));
            let outer = |place: &u32| facts.symbols[*place as usize].parent;
            let mut outer = holders.into_iter().flatten().filter_map(outer);
            outer.any(|outer| facts.symbols[outer as usize].kind.is_type_like())
        };
        match question.family == Family::C && members.len() > 1 {
            true if members.iter().all(is_inner) => members,
            true => members.into_iter().filter(|own| !is_inner(own)).collect(),
            false => members,
        }
    }

    /// The members of the class around a use of C++ in the body of a member, wherever they are declared.
    pub(super) fn members_of_class(&self, question: &Question<'_>) -> Result<Vec<Definition>, SearchError> {
        let around = question.facts.type_around(question.used.owner).filter(|_| question.family == Family::C);
        let Some(around) = around.filter(|_| self.language(question.file) != "c") else {
            return Ok(Vec::new());
        };
        let last = around.rsplit(['.', ':']).next().unwrap_or(around);
        let mut found = Vec::new();
        for holder in self.types_named(question.file, last)? {
            found.extend(self.direct_members(&holder, question.name)?);
        }
        found.retain(|own| question.is_other(own));
        Ok(found)
    }

    /// The types and declarations of functions in headers that the file of a use includes through other headers, if there are few of the
    /// name.
    pub(super) fn included_through_others(&self, question: &Question<'_>) -> Vec<Definition> {
        let is_source =
            |own: &Definition| SOURCES.iter().any(|ending| self.snapshot.path(own.file).ends_with(ending));
        let all = question
            .candidates(|own| own.container.is_none() && own.file != question.file && !is_source(own));
        if all.is_empty() || all.len() > MAX_AMBIGUOUS {
            return Vec::new();
        }
        let included = self.all_included(question.file);
        all.into_iter().filter(|own| included.contains(&own.file)).cloned().collect()
    }

    /// The definitions of C++ in the namespaces around a use and in those that its file uses as a whole.
    pub(super) fn in_namespaces(&self, question: &Question<'_>) -> Vec<Definition> {
        if question.family != Family::C || question.candidates.iter().all(|own| own.container.is_none()) {
            return Vec::new();
        }
        let (text, symbols) = (&question.facts.text, &question.facts.symbols);
        let above = around(symbols, question.used.owner).filter(|own| own.kind == SymbolKind::Module);
        let mut names: Vec<&str> = above.map(|own| &*own.name).collect();
        self.steps.take(1 + text.len() / BYTES_PER_STEP);
        for at in memchr::memmem::find_iter(text.as_bytes(), USING) {
            let name = text[at + USING.len()..].split(';').next().unwrap_or_default().trim();
            names.push(name.rsplit("::").next().unwrap_or(name));
        }
        // A class may have the name of a namespace.
        let is_free = |own: &&Definition| own.kind != SymbolKind::Method && own.kind != SymbolKind::Field;
        let found = names.iter().map(|name| -> Vec<&Definition> {
            question.in_container(name).into_iter().filter(is_free).collect()
        });
        let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        question.nearest(found)
    }

    /// The number of definitions of C that are not overloads of each other, nor a declaration in a header and the definition in the source
    /// of this header. The members of the type of a receiver are overloads, wherever they are.
    pub(super) fn distinct_homes(&self, rule: EdgeRule, definitions: &[Definition]) -> usize {
        let is_of_type = matches!(rule, EdgeRule::OwnMember | EdgeRule::TypedVariable | EdgeRule::Inherited);
        let path = |own: &Definition| self.snapshot.path(own.file);
        let stem = |own: &Definition| path::stem(path::split(path(own)).1);
        let is_source = |own: &Definition| SOURCES.iter().any(|ending| path(own).ends_with(ending));
        let is_declared = |own: &Definition| {
            let defines = |other: &Definition| {
                is_source(other) && stem(other) == stem(own) && other.container == own.container
            };
            !is_source(own) && definitions.iter().any(defines)
        };
        let homes = definitions.iter().filter(|own| !is_declared(own));
        let mut homes: Vec<(u32, Option<&str>)> =
            homes.map(|own| (if is_of_type { 0 } else { own.file }, own.container.as_deref())).collect();
        homes.sort_unstable();
        homes.dedup();
        homes.len().max(1)
    }

    /// The sources beside or below a header with the header's stem.
    pub(super) fn sources_of_header(&self, header: u32) -> Vec<u32> {
        let stem = path::stem(path::split(self.snapshot.path(header)).1);
        SOURCES.iter().flat_map(|ending| self.nearest(&format!("{stem}{ending}"), header)).collect()
    }
}
