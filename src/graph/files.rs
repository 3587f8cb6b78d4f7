//! The graph of one snapshot: the definitions of a name, and the facts of the files that a question has read.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};

use super::declared_modules::DeclaredModules;
use super::declared_namespaces::Namespaces;
pub use super::definition::Definition;
use super::definitions::{FamilyDefinitions, NamedDefinitions};
use super::family::Family;
use super::imports::{ImportEdge, Imports};
use super::judgement::Judgement;
use super::paths::Paths;
use super::rust_crates::{PassedOn, RustCrate};
use super::steps::Steps;
use super::syntax_facts::SyntaxFacts;
use super::types::DeclaredTypes;
use super::uses::FileFacts;
use spyhop_base::model::{Analysis, SymbolKind};
use spyhop_base::text::Span;
use spyhop_index::inverted::IndexField;
use spyhop_index::meta::{MetaError, OutlineSymbol};
use spyhop_search::{SearchError, SearchSnapshot, files_with};
use spyhop_syntax::grammar::Grammars;

/// The names of the base types of a type, by the file of the use and the name.
type BaseNames = FxHashMap<(u32, Box<str>), Rc<Vec<String>>>;

/// A symbol as a key: its file, and its place in the outline.
pub(super) type SymbolKey = (u32, u32);

/// The most bytes of a file that a question reads for its uses.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// The bytes of a file that cost a question as much as opening the file does.
const BYTES_PER_UNIT: usize = 32 << 10;

/// The bytes of a text that are searched in one step.
pub(super) const BYTES_PER_STEP: usize = 16;

/// The number of files that are read at once, ahead of their resolution.
pub(super) const READ_AHEAD: usize = 32;

/// The steps that reading a definition takes.
const STEPS_PER_DEFINITION: usize = 10;

/// The number of files from which reading ahead is worthwhile.
const MIN_AHEAD: usize = 8;

/// The units that parsing a file costs, if the index holds no uses of the file.
const UNITS_TO_PARSE: usize = 40;

/// The most steps of a question. An optimized build takes some two seconds for them.
pub const MAX_STEPS: u64 = 200_000_000;

/// What a question needs of the graph: how many edges, in which files, and how much work may be done for them.
pub struct GraphLimits<'a> {
    /// The most units of work. A file is one unit for every 32 KiB, begun ones included.
    pub work: usize,
    /// The most steps of resolution: how many definitions, imports, scopes and words may be looked at.
    pub steps: u64,
    /// When the question ends, for what only decorates an answer.
    pub until: Option<Instant>,
    /// The number of uses after which no further files are resolved, nearest files being first.
    pub enough: usize,
    /// The least confidence of uses that count.
    pub min_confidence: f32,
    /// Whether uses in a file count.
    pub takes_file: &'a dyn Fn(u32) -> bool,
}

impl GraphLimits<'static> {
    /// All edges in all files, within `work` units.
    pub fn of_work(work: usize) -> GraphLimits<'static> {
        let steps = if work == usize::MAX { u64::MAX } else { MAX_STEPS };
        GraphLimits {
            work,
            steps,
            until: None,
            enough: usize::MAX,
            min_confidence: 0.0,
            takes_file: &|_| true,
        }
    }
}

/// What a graph reads: texts of files, and the analysis of files whose uses the index does not hold.
pub trait GraphFiles {
    /// The text of a file, if its content is still the indexed content.
    fn text(&self, file: u32) -> Option<Arc<String>>;

    /// Reads files that will be asked for, on several threads if that is worthwhile.
    fn prepare(&self, files: &[u32]);

    /// The analysis of a file with this text.
    fn analyze(&self, file: u32, text: &str) -> Analysis;
}

/// The files that a module name means, by the importing file and the name.
pub(super) type ResolvedModules = FxHashMap<(u32, Box<str>), Vec<u32>>;

/// The names in a file of what the file exports under another name.
pub(super) type ExportedNames = FxHashMap<Box<str>, Box<str>>;

/// The definitions of names, by family and name.
type DefinitionsByFamily = FxHashMap<(Family, Box<str>), Arc<FamilyDefinitions>>;

/// The code graph of a snapshot, for one question.
pub struct Graph<'a> {
    pub(super) snapshot: &'a SearchSnapshot,
    pub(super) grammars: &'a Grammars,
    sources: &'a dyn GraphFiles,
    pub(super) limits: GraphLimits<'a>,
    /// The units of work that are left.
    work: Cell<usize>,
    /// The steps that are left.
    pub(super) steps: Rc<Steps>,
    /// The number of uses that have more meanings than are looked at.
    crowded: Cell<usize>,
    /// The last of these uses.
    last_crowded: Cell<Option<(u32, Span)>>,
    /// The number of calls with the name of a function on the way to further steps, which no rule decides.
    pub(super) undecided: Cell<usize>,
    /// The packages that files declare.
    pub(super) packages: RefCell<FxHashMap<u32, Option<Rc<str>>>>,
    pub(super) namespaces: Namespaces,
    /// The number of types that may extend a type that was asked about, and no rule decides.
    pub(super) unsure_bases: Cell<usize>,
    /// The number of symbols that were not followed because the answer takes no further step.
    pub(super) unfollowed: Cell<usize>,
    /// Damage of the index that a question met.
    damage: RefCell<Option<MetaError>>,
    /// The files that the budget left out.
    left_out: RefCell<FxHashSet<u32>>,
    /// The number of functions whose uses as values were not looked for.
    pub(super) unfollowed_values: Cell<usize>,
    /// The number of files that were not resolved because there were enough edges.
    pub(super) further: Cell<usize>,
    facts: RefCell<FxHashMap<u32, Option<Rc<FileFacts>>>>,
    imports: RefCell<FxHashMap<u32, Arc<Imports>>>,
    pub(super) import_edges: RefCell<FxHashMap<u32, Rc<[ImportEdge]>>>,
    /// The names that files of JavaScript and TypeScript export under other names.
    pub(super) exports: RefCell<FxHashMap<u32, Arc<ExportedNames>>>,
    definitions: RefCell<FxHashMap<Box<str>, Arc<NamedDefinitions>>>,
    /// The names of the base types of a type, by the file of the use and the name.
    pub(super) bases: RefCell<BaseNames>,
    by_family: RefCell<DefinitionsByFamily>,
    /// The judgements of the uses of the target.
    pub(super) judged: RefCell<FxHashMap<(u32, Span), Rc<Judgement>>>,
    pub(super) types: DeclaredTypes,
    /// The code of notebooks.
    codes: RefCell<FxHashMap<u32, Arc<String>>>,
    pub(super) modules: RefCell<ResolvedModules>,
    /// The files whose paths end in a path of whole parts.
    pub(super) endings: RefCell<FxHashMap<Box<str>, Rc<[u32]>>>,
    /// The headers of C that a file includes, directly or through others.
    pub(super) included: RefCell<FxHashMap<u32, Rc<FxHashSet<u32>>>>,
    pub(super) web_packages: OnceCell<Vec<(String, String)>>,
    /// The modules for which modules of libraries stand.
    pub(super) stand_ins: RefCell<FxHashMap<Box<str>, Rc<Vec<String>>>>,
    pub(super) go_modules: OnceCell<Vec<(String, String)>>,
    pub(super) crates: OnceCell<Vec<RustCrate>>,
    pub(super) passed_on: RefCell<PassedOn>,
    /// The modules that the roots of Rust's tests declare.
    pub(super) test_modules: RefCell<FxHashMap<u32, Rc<DeclaredModules>>>,
}

impl<'a> Graph<'a> {
    /// The graph of `snapshot` for one question.
    pub fn new(
        snapshot: &'a SearchSnapshot,
        grammars: &'a Grammars,
        sources: &'a dyn GraphFiles,
        limits: GraphLimits<'a>,
    ) -> Graph<'a> {
        Graph {
            snapshot,
            grammars,
            sources,
            work: Cell::new(limits.work),
            steps: Rc::new(Steps::new(limits.steps, limits.until)),
            crowded: Cell::new(0),
            undecided: Cell::new(0),
            packages: RefCell::default(),
            namespaces: Namespaces::default(),
            unsure_bases: Cell::new(0),
            unfollowed: Cell::new(0),
            unfollowed_values: Cell::new(0),
            last_crowded: Cell::new(None),
            limits,
            damage: RefCell::default(),
            left_out: RefCell::default(),
            further: Cell::new(0),
            facts: RefCell::default(),
            imports: RefCell::default(),
            import_edges: RefCell::default(),
            exports: RefCell::default(),
            definitions: RefCell::default(),
            bases: RefCell::default(),
            by_family: RefCell::default(),
            judged: RefCell::default(),
            types: DeclaredTypes::default(),
            codes: RefCell::default(),
            modules: RefCell::default(),
            endings: RefCell::default(),
            included: RefCell::default(),
            web_packages: OnceCell::new(),
            stand_ins: RefCell::default(),
            go_modules: OnceCell::new(),
            crates: OnceCell::new(),
            passed_on: RefCell::default(),
            test_modules: RefCell::default(),
        }
    }

    /// The number of files that were not read because the budget was used up.
    pub fn left_out(&self) -> usize {
        self.left_out.borrow().len()
    }

    /// The number of files that use the names that were asked about and were not resolved, because nearer files had
    /// enough uses.
    pub fn further(&self) -> usize {
        self.further.get()
    }

    /// The steps that were taken so far.
    #[cfg(any(test, feature = "testing"))]
    pub fn steps_taken(&self) -> u64 {
        self.steps.taken()
    }

    /// Whether the question ended early, because it had taken all its steps or was late.
    pub fn is_cut(&self) -> bool {
        self.steps.is_ended()
    }

    /// The number of uses that have more meanings than the question looked at.
    pub fn crowded(&self) -> usize {
        self.crowded.get()
    }

    /// The number of calls with the name of a function on the way to further steps, which no rule decides.
    pub fn undecided(&self) -> usize {
        self.undecided.get()
    }

    /// The number of types that may extend a type that was asked about, and no rule decides.
    pub fn unsure_bases(&self) -> usize {
        self.unsure_bases.get()
    }

    /// The number of symbols that were not followed because the answer takes no further step.
    pub fn unfollowed(&self) -> usize {
        self.unfollowed.get()
    }

    /// The number of functions whose uses as values were not looked for, because their step has too many.
    pub fn unfollowed_values(&self) -> usize {
        self.unfollowed_values.get()
    }

    /// Whether types may implement a type without naming it: an interface of TypeScript, a protocol of Python.
    pub fn is_structural(&self, own: &Definition) -> Result<bool, SearchError> {
        let is_interface = own.kind == SymbolKind::Interface;
        Ok(SyntaxFacts::of(self.language(own.file)).structural && (is_interface || self.is_protocol(own)?))
    }

    /// Whether a class of Python is a protocol.
    pub(super) fn is_protocol(&self, own: &Definition) -> Result<bool, SearchError> {
        let is_class = self.family(own.file) == Family::Python && own.kind == SymbolKind::Class;
        Ok(is_class && self.base_types(own.file, &own.name)?.iter().any(|base| base == "Protocol"))
    }

    /// Counts a use that has more meanings than are looked at, once.
    pub(super) fn count_crowded(&self, file: u32, used: Span) {
        if self.last_crowded.replace(Some((file, used))) != Some((file, used)) {
            self.crowded.set(self.crowded.get() + 1);
        }
    }

    /// An error if the call was cancelled during the question, or if the question met damage of the index: an answer without
    /// the damaged part would be wrong.
    pub fn check(&self) -> Result<(), SearchError> {
        match (self.steps.is_cancelled(), self.damage.take()) {
            (true, _) => Err(SearchError::Cancelled),
            (false, Some(damage)) => Err(damage.into()),
            (false, None) => Ok(()),
        }
    }

    pub(super) fn family(&self, file: u32) -> Family {
        Family::of_language(self.language(file))
    }

    /// The language of a file, by its name in filters.
    pub(super) fn language(&self, file: u32) -> &'static str {
        self.grammars.name(self.snapshot.version(file).language())
    }

    pub(super) fn paths(&self) -> Paths<'a> {
        Paths(self.snapshot)
    }

    /// The text of a file; of a notebook, the code alone.
    pub(super) fn text(&self, file: u32) -> Option<Arc<String>> {
        if let Some(known) = self.codes.borrow().get(&file) {
            return Some(known.clone());
        }
        let text = self.sources.text(file)?;
        let code = self.grammars.code_in_strings(self.snapshot.version(file).language(), &text);
        let Some(code) = code.map(Arc::new) else { return Some(text) };
        self.codes.borrow_mut().insert(file, code.clone());
        Some(code)
    }

    /// Whether a field is a component of a record of Java, in the parentheses of its head.
    pub(super) fn is_record_component(&self, own: &Definition) -> bool {
        own.kind == SymbolKind::Field
            && self.language(own.file) == "java"
            && self.text(own.file).is_some_and(|text| {
                let rest = text.get(own.span.end as usize..).unwrap_or_default();
                let next = rest.find(['(', ')', ';', '{']).map(|at| &rest[at..]);
                rest.trim_start().starts_with([',', ')']) && next.is_some_and(|next| next.starts_with(')'))
            })
    }

    /// The facts of a file; `None` if the file has changed, is too large, or exceeds the budget.
    pub(super) fn facts(&self, file: u32) -> Option<Rc<FileFacts>> {
        if let Some(known) = self.facts.borrow().get(&file) {
            return known.clone();
        }
        if self.work.get() == 0 || !self.steps.look() {
            self.left_out.borrow_mut().insert(file);
            return None;
        }
        let version = self.snapshot.version(file);
        let bytes = version.bytes() as usize;
        let (language, family) = (self.language(file), self.family(file));
        let uses = self.sound(version.uses()).flatten();
        let units = 1 + bytes / BYTES_PER_UNIT + if uses.is_none() { UNITS_TO_PARSE } else { 0 };
        let Some(left) = self.work.get().checked_sub(units).filter(|_| bytes <= MAX_BYTES) else {
            self.left_out.borrow_mut().insert(file);
            return None;
        };
        self.work.set(left);
        let facts = self.text(file).and_then(|text| {
            let inner = family.language().or((language == "mdx").then_some("tsx"));
            let page = self.grammars.page_text(version.language(), &text, inner);
            match uses {
                Some(uses) => {
                    let (mut names, mut minor) = (Vec::new(), Vec::new());
                    let outline = self.sound(version.outline(&mut names))?;
                    let details = self.sound(version.details(&outline, &mut minor))?;
                    Some(Rc::new(FileFacts::stored(language, text, (&outline, &details), uses, page)))
                }
                None => {
                    let analysis = self.sources.analyze(file, &self.sources.text(file)?);
                    Some(Rc::new(FileFacts::analyzed(language, text, analysis, page)))
                }
            }
        });
        self.facts.borrow_mut().insert(file, facts.clone());
        facts
    }

    /// Whether the facts of a file were asked for within the budget.
    pub fn knows_facts(&self, file: u32) -> bool {
        self.facts.borrow().contains_key(&file)
    }

    /// Reads the next of `files`, in the order in which their facts are asked for.
    pub fn prepare(&self, files: &[u32]) {
        let next = &files[..files.len().min(READ_AHEAD).min(self.work.get())];
        let known = self.facts.borrow();
        let unknown: Vec<u32> = next.iter().copied().filter(|file| !known.contains_key(file)).collect();
        if unknown.len() >= MIN_AHEAD {
            self.sources.prepare(&unknown);
        }
    }

    /// Reads files whose imports will be asked for, on several threads if that is worthwhile.
    pub fn prepare_imports(&self, files: &[u32]) {
        let known = self.imports.borrow();
        let unknown: Vec<u32> = files.iter().copied().filter(|file| !known.contains_key(file)).collect();
        if unknown.len() >= MIN_AHEAD {
            self.sources.prepare(&unknown);
        }
    }

    /// What was read of the index, if it is sound; else the damage is kept for the answer.
    fn sound<T>(&self, read: Result<T, MetaError>) -> Option<T> {
        read.map_err(|error| *self.damage.borrow_mut() = Some(error)).ok()
    }

    /// The imports of a file; none if the file has changed.
    pub(super) fn imports_in(&self, file: u32) -> Arc<Imports> {
        if let Some(known) = self.imports.borrow().get(&file) {
            return known.clone();
        }
        let text = self.text(file).unwrap_or_default();
        let imports = Arc::new(Imports::of(self.family(file), &text));
        self.steps.take(text.len() / BYTES_PER_STEP);
        self.imports.borrow_mut().insert(file, imports.clone());
        imports
    }

    /// The definitions of exactly this name in languages of a family, by path and position.
    pub(super) fn definitions_in(
        &self,
        family: Family,
        name: &str,
    ) -> Result<Arc<FamilyDefinitions>, SearchError> {
        let key = (family, Box::from(name));
        if let Some(known) = self.by_family.borrow().get(&key) {
            return Ok(known.clone());
        }
        let all = self.definitions(name)?;
        let own = all.iter().filter(|definition| self.family(definition.file) == family);
        let own = Arc::new(FamilyDefinitions::new(own.cloned().collect()));
        self.by_family.borrow_mut().insert(key, own.clone());
        Ok(own)
    }

    /// The definitions of exactly this name, by path and position.
    pub fn definitions(&self, name: &str) -> Result<Arc<NamedDefinitions>, SearchError> {
        if let Some(known) = self.definitions.borrow().get(name) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        for file in files_with(self.snapshot, IndexField::Definition, name)? {
            self.symbols_of(file, Some(name), &mut found)?;
        }
        Ok(self.keep_definitions(name, found))
    }

    /// Adds definitions of a name that the index does not have.
    pub(super) fn add_definitions(&self, name: &str, more: Vec<Definition>) -> Result<(), SearchError> {
        let mut all = self.definitions(name)?.to_vec();
        all.extend(more);
        self.by_family.borrow_mut().retain(|(_, own), _| &**own != name);
        self.keep_definitions(name, all);
        Ok(())
    }

    /// Sorts the definitions of a name by path and position, and keeps them.
    fn keep_definitions(&self, name: &str, mut found: Vec<Definition>) -> Arc<NamedDefinitions> {
        self.steps.take(found.len() * STEPS_PER_DEFINITION);
        found.sort_by(|a, b| {
            (self.snapshot.path(a.file), a.place).cmp(&(self.snapshot.path(b.file), b.place))
        });
        let found = Arc::new(NamedDefinitions::new(found));
        self.definitions.borrow_mut().insert(name.into(), found.clone());
        found
    }

    /// The symbols of a file, as the index has them.
    pub fn symbols(&self, file: u32) -> Result<Vec<Definition>, SearchError> {
        let mut found = Vec::new();
        self.symbols_of(file, None, &mut found)?;
        Ok(found)
    }

    /// The fields and variants of a file that only look-ups by name find.
    pub fn minor_symbols(&self, file: u32) -> Result<Vec<Definition>, SearchError> {
        let (mut names, mut minor) = (Vec::new(), Vec::new());
        let version = self.snapshot.version(file);
        let outline = version.outline(&mut names)?;
        let details = version.details(&outline, &mut minor)?;
        let places = version.symbols()..;
        Ok(places.zip(&details.minor).map(|(place, symbol)| definition(file, place, symbol)).collect())
    }

    /// The fields and variants of exactly this name that only look-ups by name find, by path and position. The index has their
    /// names as words.
    pub fn minor_definitions(&self, name: &str) -> Result<Vec<Definition>, SearchError> {
        let mut found = Vec::new();
        let word = name.trim_start_matches(|c: char| c != '_' && !c.is_alphanumeric());
        for file in files_with(self.snapshot, IndexField::Word, word)? {
            if !self.steps.look() {
                break;
            }
            found.extend(self.minor_symbols(file)?.into_iter().filter(|own| &*own.name == name));
        }
        found.sort_by_key(|own| (self.snapshot.path(own.file), own.place));
        Ok(found)
    }

    /// Lets uses of a name mean fields and variants, if one of them is asked about or no other symbol has the name.
    pub fn admit_minor(&self, name: &str, are_asked: bool) -> Result<(), SearchError> {
        let known = self.definitions(name)?;
        let are_known = known.iter().any(|own| self.is_minor(own));
        match !are_known && (are_asked || known.is_empty()) {
            true => self.add_definitions(name, self.minor_definitions(name)?),
            false => Ok(()),
        }
    }

    /// Whether only look-ups by name find a definition.
    pub fn is_minor(&self, own: &Definition) -> bool {
        own.kind.is_minor() && own.place >= self.snapshot.version(own.file).symbols()
    }

    /// Adds the symbols of a file, or those of one name.
    fn symbols_of(
        &self,
        file: u32,
        name: Option<&str>,
        found: &mut Vec<Definition>,
    ) -> Result<(), SearchError> {
        let mut names = Vec::new();
        let outline = self.snapshot.version(file).outline(&mut names)?;
        for (place, symbol) in outline.symbols.iter().enumerate() {
            // Sections of documents, blocks of implementations and groups of tests define no name.
            if matches!(symbol.kind, SymbolKind::Doc | SymbolKind::Impl)
                || is_block_with_text(self.family(file), symbol)
                || name.is_some_and(|name| symbol.name != name)
            {
                continue;
            }
            found.push(definition(file, place as u32, symbol));
        }
        Ok(())
    }
}

/// Whether a symbol is a block that a text in quotes names, as `describe "take"`: the name of a module of Ruby is a constant.
fn is_block_with_text(family: Family, symbol: &OutlineSymbol<'_>) -> bool {
    let is_constant = symbol.name.starts_with(char::is_uppercase);
    family.calls_without_signs() && symbol.kind == SymbolKind::Module && !is_constant
}

fn definition(file: u32, place: u32, symbol: &OutlineSymbol<'_>) -> Definition {
    Definition {
        file,
        place,
        name: symbol.name.into(),
        container: symbol.container.map(Arc::from),
        kind: symbol.kind,
        lines: symbol.lines,
        span: symbol.span,
    }
}
