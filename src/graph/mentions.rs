//! The mentions of a name, judged for a question about symbols with this name. Each mention is in exactly one part.
//!
//! The caller finds the occurrences, as whole words in texts. This module judges them by the rules that make edges, so that
//! the mentions that count as resolved are the uses that are listed. What no rule decides may be a use.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::arguments::ParameterCount;
use super::definition::Definition;
use super::family::{CSHARP, Family};
use super::file_sort::{FileSort, sort_of};
use super::files::{Graph, MAX_BYTES, SymbolKey};
use super::go_interfaces::MethodShape;
use super::imports::{Binding, ImportStatement};
use super::judgement::{Judgement, Meaning};
use super::mention_rules::MentionRules;
use super::questions::{Relation, definition_of, owner_of};
use super::resolve::MAX_STEPS;
use super::rule::EdgeRule;
use super::syntax_facts::SyntaxFacts;
use super::test_files::is_test_file;
use super::use_form::UseForm;
use super::uses::{FileFacts, NameAt, NameUse, Receiver, UseRole};
use super::words_of_texts::is_word_of_text;
use spyhop_base::model::SymbolKind;
use spyhop_base::path;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

/// The confidence from which a use counts as resolved: rules that look at more than the name have more.
pub const RESOLVED: f32 = 0.8;

/// The part of the mentions of a name that a mention belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum MentionPart {
    /// The name in the definition of one of the symbols.
    Definition,
    /// A use of one of the symbols, by a rule that looks at more than the name.
    Resolved,
    /// Perhaps a use of one of the symbols.
    Possible,
    /// Another definition of the name, or a use of something else.
    Other,
    /// A word in a comment, in a string literal, or in a text that is no code.
    Text,
}

/// Why a mention is possible, or is something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum MentionReason {
    /// A rule says that the use may mean one of several definitions.
    Several,
    /// The member belongs to a base type, a derived type or an interface of the symbol's type.
    Related,
    /// An import binds the name, and its module was not found.
    Import,
    /// No rule decides what the use means.
    Undecided,
    /// A key of an object or a symbol of Ruby has the name.
    Key,
    /// The name is in a string that may hold code.
    InString,
    /// The file is in another language, which does not define the name.
    OtherLanguage,
    /// The file is in a language without a grammar.
    NoGrammar,
    /// Another definition has the name.
    Definition,
    /// The use means another definition.
    OtherSymbol,
    /// The use means a local variable, or something outside of the tree.
    Outside,
    /// A use of this form cannot mean the symbol, as a member cannot mean a free function.
    Form,
}

impl MentionReason {
    /// The name in wire formats.
    pub fn name(self) -> &'static str {
        match self {
            MentionReason::Several => "several",
            MentionReason::Related => "related",
            MentionReason::Import => "import",
            MentionReason::Undecided => "undecided",
            MentionReason::Key => "key",
            MentionReason::InString => "in-string",
            MentionReason::OtherLanguage => "other-language",
            MentionReason::NoGrammar => "no-grammar",
            MentionReason::Definition => "definition",
            MentionReason::OtherSymbol => "other-symbol",
            MentionReason::Outside => "outside",
            MentionReason::Form => "form",
        }
    }

    /// The words for people.
    pub fn sentence(self) -> &'static str {
        match self {
            MentionReason::Several => "one of several definitions",
            MentionReason::Related => "member of a related type",
            MentionReason::Import => "its import was not found",
            MentionReason::Undecided => "no rule decides",
            MentionReason::Key => "key or symbol",
            MentionReason::InString => "in a string that may hold code",
            MentionReason::OtherLanguage => "in another language",
            MentionReason::NoGrammar => "in a file without a grammar",
            MentionReason::Definition => "another definition",
            MentionReason::OtherSymbol => "another symbol",
            MentionReason::Outside => "local or outside of the tree",
            MentionReason::Form => "another kind of name",
        }
    }

    /// The estimated probability that such a mention is a use, where no rule gives one.
    fn confidence(self) -> f32 {
        match self {
            MentionReason::Related => 0.4,
            MentionReason::Import | MentionReason::Several => 0.3,
            MentionReason::Undecided | MentionReason::InString => 0.15,
            MentionReason::OtherLanguage | MentionReason::Key | MentionReason::NoGrammar => 0.1,
            MentionReason::Definition
            | MentionReason::OtherSymbol
            | MentionReason::Outside
            | MentionReason::Form => 0.0,
        }
    }
}

/// An occurrence of a name.
#[derive(Clone, Debug)]
pub struct Mention {
    pub file: u32,
    pub span: Span,
    pub part: MentionPart,
    /// Why the mention is possible, or is something else.
    pub reason: Option<MentionReason>,
    pub relation: Relation,
    /// The estimated probability that the mention is a use of one of the symbols.
    pub confidence: f32,
    /// The symbol around the mention.
    pub from: Option<Definition>,
    /// The definition that the mention is or means, if that is another one.
    pub to: Option<Definition>,
}

/// Why the mentions in a file were not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotJudged {
    /// The file is larger than what a question reads.
    TooLarge,
    /// The file has changed.
    Changed,
    /// The question has done all the work that it may do.
    Budget,
}

/// The symbols with one name that a question is about.
pub struct WantedSymbols {
    keys: FxHashSet<SymbolKey>,
    families: Vec<Family>,
    /// The containers of the symbols.
    containers: FxHashSet<Box<str>>,
    /// The parts of the paths of the symbols' files that an import may name.
    parts: FxHashSet<Box<str>>,
    has_free: bool,
    has_members: bool,
    /// Whether all symbols are functions or types.
    are_items: bool,
    are_functions: bool,
    has_types: bool,
    has_constructors: bool,
    /// How many arguments the symbols take that are functions, in languages whose methods are told apart by that.
    takes: Vec<ParameterCount>,
    /// The shapes of the methods of Go among the symbols; none, if one is not known.
    shapes: Vec<MethodShape>,
    /// Whether a symbol is a field or variant, of which some rules know little.
    has_minor: bool,
    /// Whether all symbols are fields, variants or constants.
    are_values: bool,
    are_fields: bool,
    /// Whether a symbol is a fixture of pytest.
    are_fixtures: bool,
    file: u32,
    /// Whether a member of a container may be one of the symbols, through a base type.
    related: RefCell<FxHashMap<(Family, Box<str>), bool>>,
}

/// The most symbols of a question whose types are compared with those of other symbols.
const MAX_COMPARED: usize = 64;

impl Graph<'_> {
    /// The symbols that a question is about; `definitions` have one name, and there is at least one.
    pub fn wanted_symbols(&self, definitions: &[Definition]) -> WantedSymbols {
        let mut families: Vec<Family> = definitions.iter().map(|own| self.family(own.file)).collect();
        families.dedup();
        let parts = definitions.iter().flat_map(|own| {
            let (folder, name) = path::split(self.snapshot.path(own.file));
            folder.split('/').chain([path::stem(name)]).filter(|part| !part.is_empty()).map(Box::from)
        });
        WantedSymbols {
            keys: definitions.iter().map(|own| (own.file, own.place)).collect(),
            families,
            containers: definitions
                .iter()
                .filter_map(|own| own.container.as_deref().map(Box::from))
                .collect(),
            parts: parts.collect(),
            has_free: definitions.iter().any(|own| own.container.is_none()),
            has_members: definitions.iter().any(|own| own.container.is_some()),
            are_items: definitions.iter().all(|own| own.kind.is_function() || own.kind.is_type_like()),
            are_functions: definitions.iter().all(|own| own.kind.is_function()),
            has_types: definitions.iter().any(|own| own.kind.is_type_like()),
            has_constructors: definitions.iter().any(Definition::is_constructor),
            takes: self.counts_of(definitions),
            shapes: self.shapes_of(definitions),
            has_minor: definitions.iter().any(|own| self.is_minor(own)),
            are_values: definitions
                .iter()
                .all(|own| !UseForm::Called.takes(own.kind) && !self.is_record_component(own)),
            are_fields: definitions.iter().all(|own| own.kind == SymbolKind::Field),
            are_fixtures: definitions.len() > MAX_COMPARED
                || definitions.iter().any(|own| self.is_fixture(own)),
            file: definitions[0].file,
            related: RefCell::default(),
        }
    }

    /// Symbols of another tree, in languages with these names.
    pub fn symbols_elsewhere(&self, languages: impl Iterator<Item = &'static str>) -> WantedSymbols {
        WantedSymbols {
            keys: FxHashSet::default(),
            families: languages.map(Family::of_language).collect(),
            containers: FxHashSet::default(),
            parts: FxHashSet::default(),
            has_free: true,
            has_members: true,
            are_items: true,
            are_functions: true,
            has_types: true,
            has_constructors: true,
            takes: Vec::new(),
            shapes: Vec::new(),
            has_minor: false,
            are_values: false,
            are_fields: false,
            are_fixtures: false,
            file: 0,
            related: RefCell::default(),
        }
    }

    /// Whether quotes are around literals in a file, and nowhere else.
    pub(super) fn has_literals(&self, file: u32) -> bool {
        let language = self.language(file);
        SyntaxFacts::of(language).quoted && sort_of(language, "") != FileSort::Markup
    }

    /// Judges the mentions of a name at `spans` of a file.
    pub fn judge_mentions(
        &self,
        file: u32,
        spans: &[Span],
        wanted: &WantedSymbols,
    ) -> Result<Result<Vec<Mention>, NotJudged>, SearchError> {
        let sort = sort_of(self.language(file), self.snapshot.path(file));
        let plain = |part, reason: Option<MentionReason>| {
            let mention = |span: &Span| Mention {
                file,
                span: *span,
                part,
                reason,
                relation: Relation::References,
                confidence: reason.map_or(0.0, MentionReason::confidence),
                from: None,
                to: None,
            };
            Ok(Ok(spans.iter().map(mention).collect()))
        };
        match sort {
            FileSort::Prose => return plain(MentionPart::Text, None),
            FileSort::Style => return plain(MentionPart::Other, Some(MentionReason::Form)),
            FileSort::Unknown => return plain(MentionPart::Possible, Some(MentionReason::NoGrammar)),
            FileSort::Code | FileSort::Markup => {}
        }
        if self.snapshot.version(file).bytes() as usize > MAX_BYTES {
            return Ok(Err(NotJudged::TooLarge));
        }
        if self.steps.is_ended() {
            return Ok(Err(NotJudged::Budget));
        }
        let Some(facts) = self.facts(file) else {
            let is_known = self.knows_facts(file);
            return Ok(Err(if is_known { NotJudged::Changed } else { NotJudged::Budget }));
        };
        let mut mentions = Vec::with_capacity(spans.len());
        for span in spans {
            mentions.push(self.judge_mention(file, &facts, *span, sort, wanted)?);
            if self.steps.is_ended() {
                return Ok(Err(NotJudged::Budget));
            }
        }
        Ok(Ok(mentions))
    }

    fn judge_mention(
        &self,
        file: u32,
        facts: &FileFacts,
        span: Span,
        sort: FileSort,
        wanted: &WantedSymbols,
    ) -> Result<Mention, SearchError> {
        let mut mention = Mention {
            file,
            span,
            part: MentionPart::Text,
            reason: None,
            relation: Relation::References,
            confidence: 0.0,
            from: None,
            to: None,
        };
        let rules = MentionRules::of(self.family(file));
        let (part, reason) = match facts.name_at(span, self.has_literals(file)) {
            NameAt::Comment | NameAt::Use(_)
                if !wanted.families.contains(&self.family(file))
                    && is_word_of_text(self.language(file), &facts.text, span) =>
            {
                (MentionPart::Text, None)
            }
            // The text of a page may hold code in a language that its code is not in.
            NameAt::Comment if facts.is_in_page(span) && !wanted.families.contains(&self.family(file)) => {
                (MentionPart::Possible, Some(MentionReason::OtherLanguage))
            }
            NameAt::Comment => (MentionPart::Text, None),
            NameAt::Literal(before)
                if self.may_hold_code(file, facts.at(before))
                    || rules.names_in_string(&facts.text, (span.start as usize, span.end as usize)) =>
            {
                mention.from = owner_of(file, facts, &facts.use_at(span));
                (MentionPart::Possible, Some(MentionReason::InString))
            }
            NameAt::Literal(_) => (MentionPart::Text, None),
            NameAt::Definition(place) if wanted.keys.contains(&(file, place)) => {
                (MentionPart::Definition, None)
            }
            NameAt::Definition(place) => {
                mention.to = Some(definition_of(file, facts, place));
                (MentionPart::Other, Some(MentionReason::Definition))
            }
            // These signs are parts of names there, and not of words.
            NameAt::Key(_) | NameAt::Use(_)
                if rules.has_dollars && is_beside_dollar(&facts.text, span)
                    || facts.is_part_of_name(span) =>
            {
                (MentionPart::Other, Some(MentionReason::Form))
            }
            NameAt::Key(used) => {
                mention.from = owner_of(file, facts, &used);
                match rules.keys_are_parameters && wanted.are_items {
                    true => (MentionPart::Other, Some(MentionReason::Form)),
                    false => (MentionPart::Possible, Some(MentionReason::Key)),
                }
            }
            NameAt::Use(used) => {
                mention.relation = Relation::of_role(used.role);
                mention.from = owner_of(file, facts, &used);
                self.judge_use((file, facts, &used), sort, wanted, &mut mention)?
            }
        };
        if mention.confidence == 0.0 {
            mention.confidence = reason.map_or(0.0, MentionReason::confidence);
        }
        Ok(Mention { part, reason, ..mention })
    }

    /// The part of a use, and the reason. Sets the confidence, and the other definition that the use means.
    fn judge_use(
        &self,
        (file, facts, used): (u32, &FileFacts, &NameUse),
        sort: FileSort,
        wanted: &WantedSymbols,
        mention: &mut Mention,
    ) -> Result<(MentionPart, Option<MentionReason>), SearchError> {
        use MentionPart::{Other, Possible, Resolved};
        if facts.is_module_part(used.span) {
            return Ok((Other, Some(MentionReason::Form)));
        }
        let Judgement { meanings, constructors, decided } = &*self.known_judgement(file, facts, used)?;
        let is_wanted = |own: &Definition| wanted.keys.contains(&(own.file, own.place));
        let of_wanted = |all: &[Meaning]| -> f32 {
            all.iter().filter(|own| is_wanted(&own.definition)).map(|own| own.confidence).sum()
        };
        // A call of a constructor names its type.
        let sum = of_wanted(meanings).max(of_wanted(constructors));
        mention.confidence = sum.min(1.0);
        let (family, is_decided) = (self.family(file), decided.is_some());
        if sum >= RESOLVED && is_decided {
            return Ok((Resolved, None));
        }
        if sum > 0.0 {
            let reason = if is_decided { MentionReason::Several } else { MentionReason::Undecided };
            return Ok((Possible, Some(reason)));
        }
        if !wanted.families.contains(&family) {
            let is_defined = !self.definitions_in(family, facts.at(used.span))?.iter().as_slice().is_empty();
            return Ok(match sort == FileSort::Code {
                true if is_defined => (Other, Some(MentionReason::OtherSymbol)),
                true if !wanted.families.iter().any(|own| family.may_call(*own)) => {
                    (Other, Some(MentionReason::OtherLanguage))
                }
                _ => (Possible, Some(MentionReason::OtherLanguage)),
            });
        }
        if self.is_out_of_sight(file, facts.at(used.span), wanted) {
            return Ok((Other, Some(MentionReason::Outside)));
        }
        if is_decided && let Some(first) = meanings.first() {
            // A field of Java is not overridden.
            let is_static =
                wanted.are_fields && self.language(file) == "java" || self.is_base_call(file, used);
            for meaning in meanings.iter().filter(|_| !is_static) {
                if self.is_related(file, &meaning.definition, wanted)? {
                    return Ok((Possible, Some(MentionReason::Related)));
                }
            }
            mention.to = Some(first.definition.clone());
            return Ok((Other, Some(MentionReason::OtherSymbol)));
        }
        if is_decided {
            // A file that is not a test and does not name pytest gets no fixtures.
            let is_given = || is_test_file(self.snapshot.path(file)) || facts.text.contains("pytest");
            let may_be_fixture =
                wanted.are_fixtures && MentionRules::of(family).fixture.is_some() && is_given();
            // No rule says which module a field belongs to.
            let is_weak =
                wanted.has_minor && matches!(decided, Some(EdgeRule::Ambiguous | EdgeRule::Wildcard));
            if may_be_fixture || is_weak || self.may_be_hidden((file, facts, used), *decided, wanted) {
                return Ok((Possible, Some(MentionReason::Undecided)));
            }
            let is_unfound =
                *decided == Some(EdgeRule::Import) && self.is_unfound_import(file, facts, used, wanted);
            return Ok(match is_unfound {
                true => (Possible, Some(MentionReason::Import)),
                false => (Other, Some(MentionReason::Outside)),
            });
        }
        Ok(match self.has_other_form(file, facts, used, wanted) {
            true => (Other, Some(MentionReason::Form)),
            false => (Possible, Some(MentionReason::Undecided)),
        })
    }

    /// Whether a name of Go is not exported, and no symbol is in the package of a file.
    fn is_out_of_sight(&self, file: u32, name: &str, wanted: &WantedSymbols) -> bool {
        let is_exported = name.starts_with(char::is_uppercase);
        self.family(file) == Family::Go
            && !is_exported
            && !wanted.keys.iter().any(|(own, _)| self.are_in_one_folder(*own, file))
    }

    /// Whether a member is called behind the word for the base type, so that no override is meant.
    fn is_base_call(&self, file: u32, used: &NameUse) -> bool {
        match &used.receiver {
            Receiver::Base => self.family(file) != Family::Python,
            Receiver::Chain(chain) => self.family(file) == CSHARP && &**chain == "base",
            _ => false,
        }
    }

    /// Whether a use that means nothing in the tree by the rule `decided` may mean a symbol after all.
    fn may_be_hidden(
        &self,
        (file, facts, used): (u32, &FileFacts, &NameUse),
        decided: Option<EdgeRule>,
        wanted: &WantedSymbols,
    ) -> bool {
        let rules = MentionRules::of(self.family(file));
        match decided {
            Some(EdgeRule::TypedVariable) => rules.guesses_receivers,
            // A function to whose name its own scope assigns another value.
            Some(EdgeRule::SameFile) => wanted.keys.iter().any(|(own, place)| {
                let parent = || facts.symbols.get(*place as usize).map(|symbol| symbol.parent);
                *own == file && used.owner.is_some() && parent() == Some(used.owner)
            }),
            // `try: from x import name`, and in `except ImportError:` a definition of the name.
            Some(EdgeRule::Import) => {
                rules.imports_may_fail && wanted.keys.iter().any(|(own, _)| *own == file)
            }
            _ => false,
        }
    }

    /// Whether a definition of Python is a fixture of pytest, which parameters of tests name.
    fn is_fixture(&self, own: &Definition) -> bool {
        let Some(word) = MentionRules::of(self.family(own.file)).fixture else { return false };
        let Some(facts) = self.facts(own.file) else { return false };
        let (begin, end) = (own.span.start as usize, (own.span.end as usize).min(facts.text.len()));
        let text = facts.text.get(begin..end).unwrap_or_default();
        text.split("def ").next().is_some_and(|decorators| decorators.contains(word))
    }

    /// Whether a string literal with this text before a name may hold code there.
    fn may_hold_code(&self, file: u32, before: &str) -> bool {
        let is_open = |open: &str, close: char| {
            before.rfind(open).is_some_and(|at| !before[at..].contains(close)) || before.ends_with('$')
        };
        MentionRules::of(self.family(file)).literals_hold_code
            && self.language(file) != "java"
            && (is_open("{", '}') || is_open("\\(", ')') || is_open("$(", ')'))
    }

    /// Whether a member of the type of `meant` may be one of the symbols: their types extend each other, or one is an
    /// interface of a language that matches types by their members.
    fn is_related(&self, file: u32, meant: &Definition, wanted: &WantedSymbols) -> Result<bool, SearchError> {
        let Some(container) = meant.container.as_deref() else { return Ok(false) };
        if wanted.containers.is_empty() || wanted.containers.contains(container) {
            return Ok(false);
        }
        let takes = if wanted.takes.is_empty() { None } else { self.parameter_count(meant) };
        if takes.is_some_and(|takes| !wanted.takes.iter().any(|own| own.may_override(takes))) {
            return Ok(false);
        }
        if !wanted.shapes.is_empty() && self.shape_of(meant).is_some_and(|own| !wanted.shapes.contains(&own))
        {
            return Ok(false);
        }
        // Nothing is excluded without a look at every type.
        if wanted.containers.len() > MAX_COMPARED {
            return Ok(true);
        }
        let family = self.family(file);
        let key = (family, Box::from(container));
        if let Some(known) = wanted.related.borrow().get(&key) {
            return Ok(*known);
        }
        let mut related =
            self.bases_above(meant.file, container)?.iter().any(|base| wanted.containers.contains(&**base));
        for own in &wanted.containers {
            related = related || self.bases_above(wanted.file, own)?.iter().any(|base| base == container);
        }
        if !related && matches!(family, Family::Go | Family::Python | Family::Web) {
            let interfaces = [container].into_iter().chain(wanted.containers.iter().map(|own| &**own));
            for name in interfaces {
                for own in self.definitions_in(family, name)?.iter() {
                    related = related || own.kind == SymbolKind::Interface || self.is_protocol(own)?;
                }
            }
        }
        wanted.related.borrow_mut().insert(key, related);
        Ok(related)
    }

    /// The names of the types that a type extends or implements, through all steps.
    pub(super) fn bases_above(&self, file: u32, name: &str) -> Result<Vec<String>, SearchError> {
        let mut found: Vec<String> = Vec::new();
        let mut wave = vec![name.to_string()];
        for _ in 0..MAX_STEPS {
            let mut next = Vec::new();
            for own in &wave {
                for base in self.base_types(file, own)?.iter().filter(|_| self.steps.take(1)) {
                    if !found.contains(base) {
                        found.push(base.clone());
                        next.push(base.clone());
                    }
                }
            }
            wave = next;
        }
        Ok(found)
    }

    /// Whether an import binds the use to a module that may be that of a symbol, and was not found. Aliases of build tools
    /// and packages of a workspace are such modules.
    fn is_unfound_import(
        &self,
        file: u32,
        facts: &FileFacts,
        used: &NameUse,
        wanted: &WantedSymbols,
    ) -> bool {
        let first = match &used.receiver {
            Receiver::Absent => facts.at(used.span),
            Receiver::Chain(chain) => chain.split('.').next().unwrap_or(chain),
            Receiver::Path(path) => path.split("::").next().unwrap_or(path),
            Receiver::This | Receiver::Base | Receiver::Expression => return false,
        };
        // A submodule is found.
        let is_module = |(import, binding): &(&ImportStatement, &Binding)| {
            binding.name.is_some() && !self.bound_module(file, import, binding).is_empty()
        };
        if facts.imports.bound(first).any(|own| is_module(&own)) {
            return false;
        }
        let bound = facts.imports.bound(first).map(|(import, _)| import);
        let around = facts.imports.iter().take_while(|import| import.start <= used.span.start).last();
        let around = around.filter(|_| used.role == UseRole::Import);
        bound.chain(around).any(|import| {
            let is_relative = import.module.starts_with('.')
                || ["crate", "self", "super"].iter().any(|begin| import.module.starts_with(begin));
            let parts = import.module.split(['.', '/', ':']).map(|part| part.trim_start_matches('@'));
            let names_a_file = || parts.clone().any(|part| wanted.parts.contains(part));
            let is_there = || !self.module_files(file, import).is_empty();
            is_relative || names_a_file() || is_there()
        })
    }

    /// Whether a member that is read may be a method of PHP: no field has the name.
    fn is_read_of_method(&self, file: u32, facts: &FileFacts, used: &NameUse) -> bool {
        let name = facts.at(used.span);
        let is_member = facts.text[..used.span.start as usize].ends_with("->");
        let is_field = |own: &Definition| !own.kind.is_function();
        self.family(file) == Family::Other("php")
            && is_member
            && !self.definitions(name).is_ok_and(|all| all.iter().any(is_field))
            && self.minor_definitions(name).is_ok_and(|all| all.is_empty())
    }

    /// Whether a use of this form means no symbol of the kinds that are wanted.
    fn has_other_form(&self, file: u32, facts: &FileFacts, used: &NameUse, wanted: &WantedSymbols) -> bool {
        let is_member = !matches!(used.receiver, Receiver::Absent);
        let is_path = matches!(used.receiver, Receiver::Path(_));
        match self.family(file) {
            Family::Rust | Family::Go | Family::C if is_member && !is_path => !wanted.has_members,
            // A field may be the key of a literal.
            Family::Rust | Family::Go if !is_member && !wanted.has_minor => !wanted.has_free,
            _ => match UseForm::of(self.language(file), facts, used) {
                UseForm::Called => wanted.are_values,
                // A method of a model is read like a field.
                UseForm::Value if self.is_read_of_method(file, facts, used) => false,
                UseForm::Value => wanted.are_functions,
                UseForm::Type => wanted.are_fields,
                UseForm::TypeName => !wanted.has_types,
                UseForm::Constructed => !(wanted.has_types || wanted.has_constructors),
                UseForm::Any => false,
            },
        }
    }
}

fn is_beside_dollar(text: &str, span: Span) -> bool {
    text[..span.start as usize].ends_with('$') || text[span.end as usize..].starts_with('$')
}
