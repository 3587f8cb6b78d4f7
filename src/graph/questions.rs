//! Questions to the graph: who uses a definition, what a definition uses, what a file imports.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde::Serialize;

use super::definitions::FamilyDefinitions;
use super::family::Family;
use super::files::{BYTES_PER_STEP, Graph, READ_AHEAD, SymbolKey};
use super::imports::Binding;
use super::judgement::{Judgement, Meaning};
use super::mention_rules::MentionRules;
use super::other_names::OtherNames;
use super::paths::shared_folders;
use super::rule::EdgeRule;
use super::syntax_facts::SyntaxFacts;
use super::test_files::is_test_file;
use super::uses::{FileFacts, NameUse, UseRole};
use crate::definition::Definition;
use spyhop_base::model::{Symbol, SymbolKind};
use spyhop_base::text::Span;
use spyhop_index::inverted::IndexField;
use spyhop_search::{SearchError, files_with};

/// How the two ends of an edge are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Relation {
    /// A call.
    Calls,
    /// A use that is neither a call nor an import, such as a use as a type.
    References,
    /// An import of the name.
    Imports,
    /// A type that extends or implements another type, or a method that implements one of an interface.
    Implements,
    /// A test that is found by its name or by the name of its file.
    Tests,
}

impl Relation {
    /// Every relation that a request may name.
    pub const ALL: [Relation; 4] =
        [Relation::Calls, Relation::References, Relation::Imports, Relation::Implements];

    /// The name in wire formats.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Calls => "calls",
            Relation::References => "references",
            Relation::Imports => "imports",
            Relation::Implements => "implements",
            Relation::Tests => "tests",
        }
    }

    pub(super) fn of_role(role: UseRole) -> Relation {
        match role {
            UseRole::Call => Relation::Calls,
            UseRole::Type | UseRole::Mention => Relation::References,
            UseRole::Import => Relation::Imports,
        }
    }
}

/// An edge from the location of a use to a definition.
#[derive(Clone, Debug)]
pub struct GraphEdge {
    pub relation: Relation,
    /// The number of steps from the symbol that was asked about, from 1.
    pub depth: u32,
    pub file: u32,
    /// The span of the used name.
    pub span: Span,
    /// The symbol around the use; `None` at the top level of a file.
    pub from: Option<Definition>,
    pub to: Definition,
    /// The estimated probability that the use means the definition, 0 to 1.
    pub confidence: f32,
    /// The rule that resolved the use.
    pub rule: EdgeRule,
    /// Whether the use names a function without calling it.
    pub is_value: bool,
}

/// The most static methods of a type whose callers are looked for with those of the type.
const MAX_STATIC: usize = 40;

/// How many uses were found for a question.
#[derive(Default)]
struct FoundUses {
    /// Uses with a confidence that tells something.
    sure: usize,
    all: usize,
}

/// The confidence from which a use is more probable than not.
const SURE: f32 = 0.5;

/// The most functions of a later step whose uses as values are looked for: all files with one of their names are read for these.
const MAX_HANDED_ON: usize = 16;

/// How many times the number of uses that is enough may be found in one file.
const USES_PER_FILE: usize = 4;

/// The most files of wanted definitions to which the nearness of other files is told.
const MAX_NEAR: usize = 64;

/// The steps that an edge takes.
pub(super) const STEPS_PER_EDGE: usize = 200;

/// The number of uncertain uses that count as much as a sure one.
const UNSURE_FOR_ONE: usize = 4;

impl FoundUses {
    /// Counts the uses of new edges, those of one use once.
    fn add(&mut self, edges: &[GraphEdge], least: f32) {
        for edges in edges.chunk_by(|one, other| (one.file, one.span) == (other.file, other.span)) {
            let best = edges.iter().map(|edge| edge.confidence).fold(0.0, f32::max);
            self.all += usize::from(best >= least);
            self.sure += usize::from(best >= least.max(SURE));
        }
    }

    fn are_enough(&self, enough: usize) -> bool {
        self.sure >= enough || self.all / UNSURE_FOR_ONE >= enough
    }
}

impl<'a> Graph<'a> {
    /// The uses of definitions, nearest files first, until there are enough ([`GraphLimits`](super::GraphLimits)).
    /// `takes` chooses the relations.
    pub fn uses_of(
        &self,
        wanted: &[Definition],
        depth: u32,
        takes: impl Fn(Relation) -> bool,
    ) -> Result<Vec<GraphEdge>, SearchError> {
        let mut by_name: BTreeMap<&str, Vec<&Definition>> = BTreeMap::new();
        for definition in wanted {
            by_name.entry(&definition.name).or_default().push(definition);
        }
        let (all, limits) = (takes(Relation::References), &self.limits);
        let (mut edges, mut found) = (Vec::new(), FoundUses::default());
        for (name, wanted) in by_name {
            let mut other_names = self.other_names(&wanted)?;
            let (runs, files_of_runs) = self.runs_of(name, &wanted)?;
            other_names.files.extend(files_of_runs);
            let all = all || self.calls_without_signs(&wanted);
            let mut files = self.files_that_use(name, &wanted, all, &other_names.files)?;
            files.retain(|file| (limits.takes_file)(*file));
            let symbols: FxHashSet<SymbolKey> =
                wanted.iter().map(|symbol| (symbol.file, symbol.place)).collect();
            for (at, &file) in files.iter().enumerate() {
                if found.are_enough(limits.enough) || self.steps.is_ended() {
                    self.further.set(self.further.get() + files.len() - at);
                    break;
                }
                if at % READ_AHEAD == 0 {
                    self.prepare(&files[at..]);
                }
                let asked = (name, (&other_names, runs.as_slice()), &symbols, depth);
                let is_whole = self.edges_in_file(file, asked, (&takes, all), &mut found, &mut edges)?;
                self.further.set(self.further.get() + usize::from(!is_whole));
            }
        }
        Ok(edges)
    }

    /// Adds the edges from the uses of a name in a file to wanted definitions of this name; `false` if there were enough
    /// before the end of the file.
    fn edges_in_file(
        &self,
        file: u32,
        (name, (other_names, runs), wanted, depth): (
            &str,
            (&OtherNames, &[&str]),
            &FxHashSet<SymbolKey>,
            u32,
        ),
        (takes, all): (&impl Fn(Relation) -> bool, bool),
        found: &mut FoundUses,
        edges: &mut Vec<GraphEdge>,
    ) -> Result<bool, SearchError> {
        let Some(facts) = self.facts(file) else { return Ok(true) };
        let mut names = aliases_of(&facts, name);
        if !other_names.names.is_empty() {
            let bindings = facts.imports.iter().flat_map(|import| &import.bindings);
            let is_other = |own: &&Binding| other_names.names.contains(own.exported());
            names.extend(bindings.filter(is_other).map(|own| &*own.local));
        }
        names.extend(other_names.types.iter().map(|own| &**own));
        names.push(name);
        names.extend(runs);
        names.sort_unstable();
        names.dedup();
        // The text is searched for each name.
        let searched = |_: &&str| self.steps.take(1 + facts.text.len() / BYTES_PER_STEP);
        let mut uses =
            facts.uses_named(&names.iter().take_while(|name| searched(name)).copied().collect::<Vec<_>>());
        if all {
            let family = self.family(file);
            let names = names.iter().take_while(|name| searched(name));
            uses.extend(names.flat_map(|name| facts.mentions(family, name)));
        }
        // The whole of a file of usual size is resolved.
        let enough = self.limits.enough.saturating_mul(USES_PER_FILE);
        let least = self.limits.min_confidence;
        for used in uses.iter().filter(|used| takes(Relation::of_role(used.role))) {
            if found.are_enough(enough) || self.steps.is_ended() {
                return Ok(false);
            }
            let before = edges.len();
            // Callers of callers are followed from this confidence, whatever is shown.
            let is_wanted = |meaning: &Meaning| {
                let definition = &meaning.definition;
                meaning.confidence >= least.min(SURE) && wanted.contains(&(definition.file, definition.place))
            };
            let judgement = self.known_judgement(file, &facts, used)?;
            let meanings = judgement.all();
            let is_open = self.is_open(file, &judgement) && !meanings.iter().any(is_wanted);
            if depth > 1 && is_open {
                self.undecided.set(self.undecided.get() + 1);
            }
            self.add_edges((file, &facts, used, depth), meanings, is_wanted, edges);
            found.add(&edges[before..], least);
        }
        Ok(true)
    }

    /// The edges from one use to all its meanings.
    pub(super) fn edges(
        &self,
        file: u32,
        facts: &FileFacts,
        used: &NameUse,
        depth: u32,
    ) -> Result<Vec<GraphEdge>, SearchError> {
        let mut edges = Vec::new();
        self.add_edges((file, facts, used, depth), self.meanings(file, facts, used)?, |_| true, &mut edges);
        Ok(edges)
    }

    /// Adds the edges from one use to those of its meanings that `takes` chooses.
    fn add_edges(
        &self,
        (file, facts, used, depth): (u32, &FileFacts, &NameUse, u32),
        mut meanings: Vec<Meaning>,
        takes: impl Fn(&Meaning) -> bool,
        edges: &mut Vec<GraphEdge>,
    ) {
        meanings.retain(takes);
        if meanings.is_empty() || !self.steps.take(meanings.len() * STEPS_PER_EDGE) {
            return;
        }
        let from = owner_of(file, facts, used);
        // The end tag of an element of JSX hands no function on.
        let is_end_tag = facts.text[..used.span.start as usize].ends_with("</");
        let is_handed_on = used.role == UseRole::Mention && !is_end_tag;
        edges.extend(meanings.into_iter().map(|meaning| GraphEdge {
            relation: Relation::of_role(used.role),
            depth,
            file,
            span: used.span,
            from: from.clone(),
            is_value: is_handed_on && meaning.definition.kind.is_function(),
            to: meaning.definition,
            confidence: meaning.confidence,
            rule: meaning.rule,
        }));
    }

    /// Whether calls of a definition may be written as a name alone, so that the index does not record them.
    fn calls_without_signs(&self, wanted: &[&Definition]) -> bool {
        wanted.iter().any(|own| own.kind.is_function() && self.family(own.file).calls_without_signs())
    }

    /// The files that use a name or are among `importers`, those near a wanted definition first.
    /// With `mentions`, also those that mention the name without a recorded use.
    pub(super) fn files_that_use(
        &self,
        name: &str,
        wanted: &[&Definition],
        mentions: bool,
        importers: &[u32],
    ) -> Result<Vec<u32>, SearchError> {
        let mut homes: Vec<(u32, Family)> =
            wanted.iter().map(|definition| (definition.file, self.family(definition.file))).collect();
        homes.sort_unstable_by_key(|(file, _)| *file);
        homes.dedup();
        let mut families: Vec<Family> = homes.iter().map(|(_, family)| *family).collect();
        families.dedup();
        let mut files = files_with(self.snapshot, IndexField::Reference, name)?;
        if mentions || families.contains(&Family::Rust) {
            // The index has no uses inside the arguments of macros. Its words have no marks.
            let word = name.trim_matches(|c: char| c != '_' && !c.is_alphanumeric());
            files.extend(files_with(self.snapshot, IndexField::Word, word)?);
        }
        files.extend(importers);
        files.sort_unstable();
        files.dedup();
        files.retain(|file| families.contains(&self.family(*file)));
        self.sort_by_nearness(&mut files, &homes.iter().map(|(home, _)| *home).collect::<Vec<_>>());
        Ok(files)
    }

    /// Sorts files, those near one of `homes` first.
    pub fn sort_by_nearness(&self, files: &mut [u32], homes: &[u32]) {
        let near = |file: u32| {
            let path = self.snapshot.path(file);
            let shared = |home: &u32| match *home == file {
                true => usize::MAX,
                false => shared_folders(path, self.snapshot.path(*home)),
            };
            homes.iter().take(MAX_NEAR).map(shared).max().unwrap_or(0)
        };
        files.sort_by_cached_key(|&file| (std::cmp::Reverse(near(file)), self.snapshot.path(file)));
    }

    /// The symbols that call definitions, transitively to `depth`, and those that use the functions among them as a value. Each
    /// caller is followed once; a symbol that uses a function as a value is followed if `follows_values`.
    pub fn callers(
        &self,
        wanted: &[Definition],
        depth: u32,
        most: usize,
        follows_values: bool,
    ) -> Result<Vec<GraphEdge>, SearchError> {
        let mut edges: Vec<GraphEdge> = Vec::new();
        let mut seen: FxHashSet<(u32, u32)> =
            wanted.iter().map(|symbol| (symbol.file, symbol.place)).collect();
        let mut wave = wanted.to_vec();
        for step in 1..=depth {
            let takes_values =
                wave.iter().any(|own| own.kind.is_function()) && self.looks_for_values(step, &wave);
            let takes =
                |relation| relation == Relation::Calls || (takes_values && relation == Relation::References);
            let mut found = self.uses_of(&wave, step, takes)?;
            found.retain(|edge| edge.relation == Relation::Calls || edge.is_value);
            wave = Vec::new();
            let is_call = |edge: &GraphEdge| follows_values || !edge.is_value || self.is_scheduled(edge);
            let calls = found.iter().filter(|edge| edge.confidence >= SURE && is_call(edge));
            for from in calls.filter_map(|edge| edge.from.as_ref()) {
                if from.kind.is_function() && seen.insert((from.file, from.place)) {
                    wave.push(from.clone());
                }
            }
            edges.extend(found);
            if wave.is_empty() || edges.len() >= most {
                break;
            }
        }
        self.count_unfollowed(&wave);
        Ok(edges)
    }

    /// Whether the uses as values of the functions of a step are looked for; counts those of which they are not.
    pub(super) fn looks_for_values(&self, step: u32, wave: &[Definition]) -> bool {
        let are_few = step == 1 || wave.len() <= MAX_HANDED_ON;
        if !are_few {
            self.unfollowed_values.set(self.unfollowed_values.get() + wave.len());
        }
        are_few
    }

    /// Definitions, with the static methods of the types among them, which nobody calls on an object.
    pub fn with_static_members(&self, definitions: &[Definition]) -> Result<Vec<Definition>, SearchError> {
        let mut found = definitions.to_vec();
        for own in definitions.iter().filter(|own| own.kind.is_type_like()) {
            let Some(facts) = self.facts(own.file) else { continue };
            let is_static = |place: u32, symbol: &Symbol| {
                let words = || {
                    facts
                        .at(symbol.signature)
                        .split('(')
                        .next()
                        .unwrap_or_default()
                        .split_whitespace()
                        .any(|word| word == "static")
                };
                symbol.kind.is_function() && symbol.parent == Some(own.place) && place != own.place && words()
            };
            let places = (0..).zip(facts.symbols.iter()).filter(|(place, symbol)| is_static(*place, symbol));
            found.extend(places.take(MAX_STATIC).map(|(place, _)| definition_of(own.file, &facts, place)));
        }
        Ok(found)
    }

    /// Counts functions whose callers were not looked for. Nobody calls a test.
    pub(super) fn count_unfollowed(&self, wave: &[Definition]) {
        let others = wave.iter().filter(|own| !self.is_test(own.file, Some(own))).count();
        self.unfollowed.set(self.unfollowed.get() + others);
    }

    /// The definitions that the text of a definition calls, in the order of the calls.
    pub fn callees(&self, wanted: &Definition) -> Result<Vec<GraphEdge>, SearchError> {
        let Some(facts) = self.facts(wanted.file) else { return Ok(Vec::new()) };
        let mut edges = Vec::new();
        for used in &self.calls_in(wanted, &facts)? {
            if self.steps.is_ended() {
                break;
            }
            let judgement = self.known_judgement(wanted.file, &facts, used)?;
            let is_proven = |meaning: &Meaning| meaning.confidence >= SURE;
            if self.is_open(wanted.file, &judgement) && !judgement.meanings.iter().any(is_proven) {
                let of_name = self.definitions_in(self.family(wanted.file), facts.at(used.span))?;
                let may_be = of_name.iter().any(|own| own.kind.is_function() || own.kind.is_type_like());
                self.undecided.set(self.undecided.get() + usize::from(may_be));
            }
            self.add_edges((wanted.file, &facts, used, 1), judgement.all(), |_| true, &mut edges);
        }
        Ok(edges)
    }

    /// Whether no rule is sure of what a use means: the type of its receiver may be a guess.
    fn is_open(&self, file: u32, judgement: &Judgement) -> bool {
        match judgement.decided {
            None => true,
            Some(EdgeRule::TypedVariable) => {
                judgement.meanings.is_empty() && MentionRules::of(self.family(file)).guesses_receivers
            }
            Some(_) => false,
        }
    }

    /// The calls in the text of a definition, in order: those that the analysis records, and those that a name alone may be.
    fn calls_in(&self, wanted: &Definition, facts: &FileFacts) -> Result<Vec<NameUse>, SearchError> {
        let is_call = |used: &&NameUse| used.role == UseRole::Call && wanted.span.contains(used.span);
        let mut calls: Vec<NameUse> = facts.uses.iter().filter(is_call).cloned().collect();
        self.steps.take(facts.uses.len());
        let family = self.family(wanted.file);
        if !family.calls_without_signs() {
            return Ok(calls);
        }
        let (mut failed, runs) = (None, &SyntaxFacts::of(self.language(wanted.file)).runs);
        self.steps.take(wanted.span.range().len() / BYTES_PER_STEP);
        calls.extend(facts.mentions_where(family, wanted.span, |name| {
            let defined = self.definitions_in(family, name);
            let is_callable = |all: Arc<FamilyDefinitions>| all.iter().any(|own| own.kind.is_function());
            runs.contains_key(name)
                || defined.map_or_else(|error| failed.replace(error).is_some(), is_callable)
        }));
        calls.retain(|used| used.role == UseRole::Call);
        calls.sort_by_key(|used| used.span.start);
        failed.map_or(Ok(calls), Err)
    }

    /// The definitions that the name from `start` to `end` means, each with its confidence.
    pub(super) fn meant_by(
        &self,
        file: u32,
        facts: &FileFacts,
        start: usize,
        end: usize,
    ) -> Result<Vec<(Definition, f32)>, SearchError> {
        let meanings = self.meanings(file, facts, &facts.use_at(Span::new(start, end)))?;
        Ok(meanings.into_iter().map(|meaning| (meaning.definition, meaning.confidence)).collect())
    }

    /// Whether a symbol is a test, by the path of its file or by its name.
    pub fn is_test(&self, file: u32, from: Option<&Definition>) -> bool {
        // `test_take`, `TestTake`, `testTake`; `tests_of` and `testimony` are not tests.
        let begins = |name: &str, word: &str| {
            name.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_lowercase))
        };
        // A member of a class that is no test may test a value, as `testKeys` of a reader.
        let may_be = |container: Option<&str>| match self.language(file) {
            "cpp" | "csharp" | "groovy" | "java" | "kotlin" | "objc" | "php" | "scala" | "swift" => {
                let says =
                    |own: &str| ["test", "spec"].iter().any(|word| own.to_ascii_lowercase().contains(word));
                container.is_none_or(says)
            }
            _ => true,
        };
        let by_name = |definition: &Definition| {
            if !may_be(definition.container.as_deref()) {
                return false;
            }
            begins(&definition.name, "test")
                || begins(&definition.name, "Test")
                || definition.container.as_deref() == Some("tests")
        };
        is_test_file(self.snapshot.path(file)) || from.is_some_and(by_name)
    }
}

/// The local names under which a file imports `name`.
pub(super) fn aliases_of<'f>(facts: &'f FileFacts, name: &str) -> Vec<&'f str> {
    // Reading the imports takes longer than reading the signs that follow the name.
    let is_renaming = |at: usize| {
        let after =
            facts.text[at + name.len()..].trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
        after.starts_with("as")
            || after.starts_with("=>")
            || after.starts_with(':') && !after.starts_with("::")
    };
    if name.is_empty() || !memchr::memmem::find_iter(facts.text.as_bytes(), name).any(is_renaming) {
        return Vec::new();
    }
    let bindings = facts.imports.iter().flat_map(|import| &import.bindings);
    let renamed = bindings.filter(|binding| binding.name.as_deref() == Some(name) && &*binding.local != name);
    renamed.map(|binding| &*binding.local).collect()
}

/// The symbol around a use, without blocks of implementations.
pub(super) fn owner_of(file: u32, facts: &FileFacts, used: &NameUse) -> Option<Definition> {
    let mut at = used.owner;
    while let Some(index) = at {
        let symbol = &facts.symbols[index as usize];
        if !matches!(symbol.kind, SymbolKind::Impl | SymbolKind::Doc) {
            return Some(definition_of(file, facts, index));
        }
        at = symbol.parent;
    }
    None
}

pub(super) fn definition_of(file: u32, facts: &FileFacts, place: u32) -> Definition {
    let symbol = facts.symbol_at(place);
    Definition {
        file,
        place,
        name: (&*symbol.name).into(),
        container: symbol.container.as_deref().map(Into::into),
        kind: symbol.kind,
        lines: symbol.lines,
        span: symbol.span,
    }
}
