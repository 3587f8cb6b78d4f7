//! The graph of one snapshot: the definitions of a name, and the facts of the files that a question has read.

use std::cell::{Cell, OnceCell, RefCell};
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use super::definition::Definition;
use super::family::Family;
use super::paths::Paths;
use super::uses::FileFacts;
use super::values::{Evaluations, FileReading};
use crate::grammar::Grammars;
use crate::index::IndexField;
use crate::model::{Analysis, SymbolKind};
use crate::search::{SearchError, SearchSnapshot, files_with};

/// The most bytes of a file that a question analyses.
const MAX_BYTES: usize = 1 << 20;

/// What a graph reads: texts of files, and their analysis.
pub trait GraphFiles {
    /// The text of a file, if its content is still the indexed content.
    fn text(&self, file: u32) -> Option<Arc<String>>;

    /// The analysis of a file with this text.
    fn analyze(&self, file: u32, text: &str) -> Analysis;
}

/// The files that a module name means, by the importing file and the name.
pub(super) type ResolvedModules = FxHashMap<(u32, Box<str>), Vec<u32>>;

/// The code graph of a snapshot, for one question.
pub struct Graph<'a> {
    pub(super) snapshot: &'a SearchSnapshot,
    grammars: &'a Grammars,
    sources: &'a dyn GraphFiles,
    /// The number of files that may still be analysed.
    budget: Cell<usize>,
    /// The number of files that the budget left out.
    left_out: Cell<usize>,
    facts: RefCell<FxHashMap<u32, Option<Arc<FileFacts>>>>,
    definitions: RefCell<FxHashMap<Box<str>, Arc<Vec<Definition>>>>,
    paths: OnceCell<Paths<'a>>,
    pub(super) readings: RefCell<FxHashMap<u32, Option<Arc<FileReading>>>>,
    pub(super) evaluations: Evaluations,
    pub(super) modules: RefCell<ResolvedModules>,
    pub(super) web_packages: OnceCell<Vec<(String, String)>>,
    pub(super) go_modules: OnceCell<Vec<(String, String)>>,
    pub(super) crates: OnceCell<Vec<(String, String)>>,
}

impl<'a> Graph<'a> {
    /// The graph of `snapshot` for one question, which analyses at most `budget` files.
    pub fn new(
        snapshot: &'a SearchSnapshot,
        grammars: &'a Grammars,
        sources: &'a dyn GraphFiles,
        budget: usize,
    ) -> Graph<'a> {
        Graph {
            snapshot,
            grammars,
            sources,
            budget: Cell::new(budget),
            left_out: Cell::new(0),
            facts: RefCell::default(),
            definitions: RefCell::default(),
            paths: OnceCell::new(),
            readings: RefCell::default(),
            evaluations: Evaluations::default(),
            modules: RefCell::default(),
            web_packages: OnceCell::new(),
            go_modules: OnceCell::new(),
            crates: OnceCell::new(),
        }
    }

    /// The number of files that were not analysed because the budget was used up.
    pub fn left_out(&self) -> usize {
        self.left_out.get()
    }

    pub(super) fn family(&self, file: u32) -> Family {
        Family::of_language(self.grammars.name(self.snapshot.version(file).language()))
    }

    pub(super) fn paths(&self) -> &Paths<'a> {
        let snapshot = self.snapshot;
        self.paths.get_or_init(|| {
            Paths::new((0..snapshot.n_files() as u32).map(|file| (file, snapshot.path(file))))
        })
    }

    pub(super) fn text(&self, file: u32) -> Option<Arc<String>> {
        self.sources.text(file)
    }

    /// The facts of a file; `None` if the file has changed, is too large, or exceeds the budget.
    pub(super) fn facts(&self, file: u32) -> Option<Arc<FileFacts>> {
        if let Some(known) = self.facts.borrow().get(&file) {
            return known.clone();
        }
        let Some(left) = self.budget.get().checked_sub(1) else {
            self.left_out.set(self.left_out.get() + 1);
            return None;
        };
        self.budget.set(left);
        let text = self.sources.text(file).filter(|text| text.len() <= MAX_BYTES);
        let facts = text.map(|text| {
            let analysis = self.sources.analyze(file, &text);
            Arc::new(FileFacts::new(self.family(file), text, analysis))
        });
        self.facts.borrow_mut().insert(file, facts.clone());
        facts
    }

    /// The definitions of exactly this name, by path and position.
    pub fn definitions(&self, name: &str) -> Result<Arc<Vec<Definition>>, SearchError> {
        if let Some(known) = self.definitions.borrow().get(name) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        for file in files_with(self.snapshot, IndexField::Definition, name)? {
            self.symbols_of(file, |symbol| &*symbol.name == name, &mut found)?;
        }
        found.sort_by(|a, b| {
            (self.snapshot.path(a.file), a.place).cmp(&(self.snapshot.path(b.file), b.place))
        });
        let found = Arc::new(found);
        self.definitions.borrow_mut().insert(name.into(), found.clone());
        Ok(found)
    }

    /// The symbols of a file, as the index has them.
    pub fn symbols(&self, file: u32) -> Result<Vec<Definition>, SearchError> {
        let mut found = Vec::new();
        self.symbols_of(file, |_| true, &mut found)?;
        Ok(found)
    }

    fn symbols_of(
        &self,
        file: u32,
        takes: impl Fn(&Definition) -> bool,
        found: &mut Vec<Definition>,
    ) -> Result<(), SearchError> {
        let mut names = Vec::new();
        let outline = self.snapshot.version(file).outline(&mut names)?;
        for (place, symbol) in outline.symbols.iter().enumerate() {
            // Sections of documents and blocks of implementations define no name.
            if matches!(symbol.kind, SymbolKind::Doc | SymbolKind::Impl) {
                continue;
            }
            let definition = Definition {
                file,
                place: place as u32,
                name: symbol.name.into(),
                container: symbol.container.map(Box::from),
                kind: symbol.kind,
                lines: symbol.lines,
                span: symbol.span,
            };
            if takes(&definition) {
                found.push(definition);
            }
        }
        Ok(())
    }
}
