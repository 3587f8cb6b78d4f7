//! The meaning of the name at a position of a file: one answer for the command line, for tools, for editors and for the page.

use serde::Serialize;

use super::constructor_words::constructor_words;
use super::definition::Definition;
use super::family::Family;
use super::files::Graph;
use super::local_names;
use super::mention_rules::MentionRules;
use super::questions::{GraphEdge, Relation, definition_of, owner_of};
use super::resolve::Question;
use super::rule::EdgeRule;
use super::syntax_facts::SyntaxFacts;
use super::uses::{FileFacts, NameAt, NameUse, Receiver, UseRole, around, innermost};
use super::words::whole_words;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_base::text::{Lines, Span};
use spyhop_search::SearchError;

/// The most definitions that an unknown name may mean.
const MAX_CANDIDATES: usize = 20;

/// How well the meaning of a name is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PlaceMeaning {
    /// The name of a definition, or a use that a rule resolves to definitions.
    Definition,
    /// A local variable or a parameter.
    Local,
    /// Something that the tree does not define.
    Outside,
    /// No rule decides.
    Unknown,
}

/// The name at a position, and its meaning.
#[derive(Clone, Debug)]
pub struct PlacedName {
    pub file: u32,
    pub name: String,
    pub meaning: PlaceMeaning,
    /// What the name means, or what an unknown name may mean. A local variable is a definition with a place that no symbol has.
    pub definitions: Vec<Definition>,
}

impl Graph<'_> {
    /// The name at a line and a column in bytes, from 1; `None` if there is none, or if the file has changed.
    pub fn name_at_place(
        &self,
        file: u32,
        line: u32,
        column: u32,
    ) -> Result<Option<PlacedName>, SearchError> {
        let Some(facts) = self.facts(file).filter(|facts| (1..=facts.lines.count()).contains(&line)) else {
            return Ok(None);
        };
        let at = (facts.lines.start_of(line) + column.saturating_sub(1)) as usize;
        let Some(mut span) = word_at(&facts.text, at) else { return Ok(None) };
        // `empty?` is a name of Ruby.
        let extended = Span { end: span.end + 1, ..span };
        if self.family(file).calls_without_signs()
            && facts.at(extended).ends_with(['?', '!'])
            && !self.definitions(facts.at(extended))?.is_empty()
        {
            span = extended;
        }
        let name = facts.at(span).to_string();
        let (meaning, definitions) = self.meaning_at(file, &facts, span)?;
        Ok(Some(PlacedName { file, name, meaning, definitions }))
    }

    fn meaning_at(
        &self,
        file: u32,
        facts: &FileFacts,
        span: Span,
    ) -> Result<(PlaceMeaning, Vec<Definition>), SearchError> {
        let name = facts.at(span);
        let used = match facts.name_at(span, self.has_literals(file)) {
            NameAt::Definition(place) => {
                return Ok((PlaceMeaning::Definition, vec![definition_of(file, facts, place)]));
            }
            NameAt::Comment | NameAt::Literal(_) => {
                return Ok((PlaceMeaning::Unknown, self.named_near(file, name)?));
            }
            NameAt::Key(used) | NameAt::Use(used) => used,
        };
        if let Some(local) = self.local_at(file, facts, &used)? {
            return Ok((PlaceMeaning::Local, vec![local]));
        }
        // A name behind a receiver may be that of a field, whatever else has the name.
        let may_be_field = used.receiver != Receiver::Absent || self.family(file).has_implicit_receiver();
        self.admit_minor(name, may_be_field)?;
        let judgement = self.known_judgement(file, facts, &used)?;
        if !judgement.constructors.is_empty() && constructor_words(self.family(file)).contains(&name) {
            let called = judgement.constructors.iter().map(|own| own.definition.clone());
            return Ok((PlaceMeaning::Definition, called.collect()));
        }
        let meant =
            || judgement.meanings.iter().map(|meaning| meaning.definition.clone()).collect::<Vec<_>>();
        let is_plain = used.receiver == Receiver::Absent;
        let is_single = is_plain && judgement.meanings.iter().all(|own| own.rule == EdgeRule::Unique);
        Ok(match (judgement.decided, judgement.meanings.is_empty()) {
            (Some(_), false) => (PlaceMeaning::Definition, meant()),
            (None, false) if is_single => (PlaceMeaning::Definition, meant()),
            (None, false) => (PlaceMeaning::Unknown, meant()),
            // The value of a receiver follows from calls too, and one of them may be wrong.
            (Some(EdgeRule::TypedVariable), true)
                if MentionRules::of(self.family(file)).guesses_receivers =>
            {
                (PlaceMeaning::Unknown, self.named_near(file, name)?)
            }
            // That no import binds a name says little.
            (Some(rule), true) if rule != EdgeRule::Ambiguous => {
                let modules = self.modules_named(file, facts, &used);
                let is_outside = modules.is_empty();
                (if is_outside { PlaceMeaning::Outside } else { PlaceMeaning::Definition }, modules)
            }
            (_, true) => (PlaceMeaning::Unknown, self.named_near(file, name)?),
        })
    }

    /// The modules that a plain name means, as definitions at the beginning of their files with a place that no symbol has.
    fn modules_named(&self, file: u32, facts: &FileFacts, used: &NameUse) -> Vec<Definition> {
        let name = facts.at(used.span);
        let bound = facts.imports.bound(name).next().filter(|_| used.receiver == Receiver::Absent);
        let files =
            bound.map(|(import, binding)| self.bound_namespace(file, import, binding)).unwrap_or_default();
        let module = |file: &u32| Definition {
            file: *file,
            place: u32::MAX,
            name: path::stem(self.snapshot.path(*file)).into(),
            container: None,
            kind: SymbolKind::Module,
            lines: Lines { first: 1, last: 1 },
            span: Span { start: 0, end: 0 },
        };
        files.iter().take(MAX_CANDIDATES).map(module).collect()
    }

    /// The definitions of a name in languages of the file's family, those in near files first.
    fn named_near(&self, file: u32, name: &str) -> Result<Vec<Definition>, SearchError> {
        let all = self.definitions_in(self.family(file), name)?;
        let mut files: Vec<u32> = all.iter().map(|own| own.file).collect();
        files.dedup();
        self.sort_by_nearness(&mut files, &[file]);
        let nearest = files.iter().flat_map(|file| all.in_file(*file));
        Ok(nearest.take(MAX_CANDIDATES).cloned().collect())
    }

    /// The local variable or parameter that a use means, as a definition.
    fn local_at(
        &self,
        file: u32,
        facts: &FileFacts,
        used: &NameUse,
    ) -> Result<Option<Definition>, SearchError> {
        if used.receiver != Receiver::Absent || used.role == UseRole::Import {
            return Ok(None);
        }
        let name = facts.at(used.span);
        let Some(at) = self.declared_at(file, facts, used)? else { return Ok(None) };
        let line = facts.lines.line_of(at);
        let owner = innermost(&facts.symbols, Span { start: at, end: at });
        let function = around(&facts.symbols, owner).find(|own| own.kind.is_function());
        Ok(Some(Definition {
            file,
            place: u32::MAX - at,
            name: name.into(),
            container: function.map(|own| (&*own.name).into()),
            kind: SymbolKind::Const,
            lines: Lines { first: line, last: line },
            span: Span { start: at, end: at + name.len() as u32 },
        }))
    }

    /// The byte at which the local name of a use is declared.
    fn declared_at(&self, file: u32, facts: &FileFacts, used: &NameUse) -> Result<Option<u32>, SearchError> {
        let name = facts.at(used.span);
        let Some(reading) = self.reading(file) else { return Ok(None) };
        if self.family(file).has_scopes() {
            let declared = reading.scopes.declaration(name, used.span.start, &self.steps);
            let declared = declared.filter(|own| !own.is_item());
            let here = self.definitions(name)?;
            // A variable of a module may be a symbol.
            let is_symbol = |at: u32| {
                here.in_file(file).iter().any(|own| {
                    own.span.start <= at
                        && at < own.span.end
                        && !own.kind.is_function()
                        && !own.kind.is_type_like()
                })
            };
            return Ok(declared.filter(|own| !own.is_global || !is_symbol(own.at)).map(|own| own.at));
        }
        let functions = around(&facts.symbols, used.owner).filter(|own| own.kind.is_function());
        let Some(function) = functions.last() else { return Ok(None) };
        let tokens = &reading.item.tokens;
        let from = tokens.index_at(function.signature.start.max(function.span.start));
        // The name of PHP has a sign before it.
        let at = tokens.index_at(used.span.start + 1).saturating_sub(1);
        self.steps.take(at.saturating_sub(from));
        let declared = local_names::declared(tokens, self.language(file), (from, at));
        let start = declared.and_then(|at| tokens.at(at)).map(|token| token.start);
        Ok(start.map(|start| start + u32::from(facts.text[start as usize..].starts_with('$'))))
    }

    /// Whether a plain name is that of a field of the type around, or in the head of this type that of a parameter, and none of the
    /// candidates is that field.
    pub(super) fn is_field_around(&self, question: &Question<'_>) -> bool {
        let Question { facts, used, name, .. } = *question;
        let around = facts.type_around(used.owner).filter(|_| used.role != UseRole::Call);
        let is_named_first = SyntaxFacts::of(self.language(question.file)).names_first;
        let is_known = is_named_first && question.family.has_implicit_receiver();
        let Some(around) = around.filter(|_| is_known) else { return false };
        let is_of_type = |container: Option<&str>| container == Some(around);
        if question.candidates.iter().any(|own| is_of_type(own.container.as_deref())) {
            return false;
        }
        let owner = used.owner.and_then(|owner| facts.symbols.get(owner as usize));
        let head = owner.filter(|own| own.kind.is_type_like()).map_or("", |own| facts.at(own.signature));
        let is_declared = |word: &Span| head[word.end as usize..].trim_start().starts_with(':');
        let mut fields = facts.minor.iter().filter(|own| *own.name == *name);
        fields.any(|own| is_of_type(own.container.as_deref()))
            || whole_words(head, name).iter().any(is_declared)
    }

    /// Whether a plain name means a local variable or a parameter, in languages whose scopes are not read. A call means no variable
    /// where functions have names of their own.
    pub(super) fn is_local_name(&self, question: &Question<'_>) -> bool {
        let Question { file, family, facts, used, .. } = *question;
        let is_call = used.role == UseRole::Call && !matches!(family, Family::C | Family::Go | Family::Rust);
        // To a parser, the arguments of `Pool pool(size, owner);` may be types.
        let is_argument = || {
            let before = facts.text[..used.span.start as usize].trim_end();
            let behind = facts.text[used.span.end as usize..].trim_start();
            family == Family::C && before.ends_with(['(', ',']) && behind.starts_with([')', ','])
        };
        let is_type = used.role == UseRole::Type && !is_argument();
        if family.has_scopes() || is_call || is_type || used.role == UseRole::Import {
            return false;
        }
        let functions = around(&facts.symbols, used.owner).filter(|own| own.kind.is_function());
        let Some(function) = functions.last() else { return false };
        if used.role == UseRole::Call && family == Family::C {
            // Most functions of C only have calls of the name.
            let before = Span { end: used.span.start, ..function.span };
            let called = |at: &Span| facts.text[at.end as usize..].trim_start().starts_with('(');
            let words = whole_words(facts.at(before), question.name).into_iter();
            let mut words =
                words.map(|at| Span { start: at.start + before.start, end: at.end + before.start });
            if words.all(|at| called(&at)) {
                return false;
            }
        }
        let Some(item) = self.item(file, function.span) else { return false };
        // The name of PHP has a sign before it.
        let at = item.index_at(used.span.start + 1).saturating_sub(1);
        self.steps.take(at);
        local_names::declared(&item.tokens, self.language(file), (0, at)).is_some()
    }

    /// The uses of a local variable, with that of its declaration left out.
    pub fn uses_of_local(&self, local: &Definition) -> Result<Vec<GraphEdge>, SearchError> {
        let Some(facts) = self.facts(local.file) else { return Ok(Vec::new()) };
        let mut edges = Vec::new();
        for span in whole_words_of(&facts.text, &local.name) {
            let NameAt::Use(used) = facts.name_at(span, self.has_literals(local.file)) else { continue };
            let is_it = self.local_at(local.file, &facts, &used)?.is_some_and(|own| own.span == local.span);
            if !is_it || span == local.span || self.steps.is_ended() {
                continue;
            }
            edges.push(GraphEdge {
                relation: Relation::of_role(used.role),
                depth: 1,
                file: local.file,
                span,
                from: owner_of(local.file, &facts, &used),
                to: local.clone(),
                confidence: EdgeRule::SameFile.confidence(),
                rule: EdgeRule::SameFile,
                is_value: false,
            });
        }
        Ok(edges)
    }
}

/// The whole words, also those behind the sign of PHP's variables.
fn whole_words_of(text: &str, name: &str) -> Vec<Span> {
    let mut all = whole_words(text, name);
    let with_sign = whole_words(text, &format!("${name}")).into_iter();
    all.extend(with_sign.map(|span| Span { start: span.start + 1, end: span.end }));
    all.sort_unstable_by_key(|span| span.start);
    all
}

/// The identifier around a byte, or the one that ends there.
fn word_at(text: &str, at: usize) -> Option<Span> {
    let at = at.min(text.len());
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let (before, after) = text.split_at_checked(at)?;
    let start = before.trim_end_matches(is_word).len();
    let end = at + after.len() - after.trim_start_matches(is_word).len();
    let is_name = text[start..end].starts_with(|c: char| !c.is_ascii_digit());
    (end > start && is_name).then(|| Span::new(start, end))
}
