//! Other names of a definition: those under which modules of JavaScript and TypeScript export it, such as `default`, and the
//! files that import these names. Such a file need not contain the name of the definition. A constructor may have that of its type, or a
//! word such as `super`.

use rustc_hash::FxHashSet;

use super::constructor_words::constructor_words;
use super::definition::Definition;
use super::family::Family;
use super::files::Graph;
use super::imports::Binding;
use spyhop_index::inverted::IndexField;
use spyhop_search::{SearchError, files_with};

/// The longest chain of modules that pass on a definition.
const MAX_CHAIN: usize = 3;

/// A word of an import that more files have does not choose the files that may import a module.
const MAX_IMPORTERS: usize = 300;

/// The names under which definitions are imported, and the files that import them.
#[derive(Default)]
pub(super) struct OtherNames {
    pub names: FxHashSet<Box<str>>,
    /// The types whose calls are calls of constructors, and the words that stand for such types.
    pub types: Vec<Box<str>>,
    pub files: Vec<u32>,
}

impl Graph<'_> {
    /// The other names of definitions.
    pub(super) fn other_names(&self, wanted: &[&Definition]) -> Result<OtherNames, SearchError> {
        let mut found = OtherNames::default();
        let is_exported =
            |own: &&&Definition| own.container.is_none() && self.family(own.file) == Family::Web;
        let mut wave: Vec<(u32, Box<str>)> =
            wanted.iter().filter(is_exported).map(|own| (own.file, Box::from(&*own.name))).collect();
        let mut seen: FxHashSet<(u32, Box<str>)> = wave.iter().cloned().collect();
        for _ in 0..MAX_CHAIN {
            let mut next = Vec::new();
            for (file, name) in wave {
                let mut exported = self.exported_names_of(file, &name);
                if seen.len() > wanted.len() {
                    exported.push(name);
                }
                if !exported.is_empty() {
                    self.add_importers(file, &exported, &mut found, &mut next)?;
                }
            }
            next.retain(|passed| seen.insert(passed.clone()));
            wave = next;
        }
        let is_constructor = |own: &&&Definition| self.is_named_constructor(own);
        for container in wanted.iter().filter(is_constructor).filter_map(|own| own.container.as_deref()) {
            let name = container.rsplit('.').next().unwrap_or(container);
            if !found.types.iter().any(|own| **own == *name) {
                found.types.push(name.into());
                found.files.extend(files_with(self.snapshot, IndexField::Reference, name)?);
            }
        }
        for own in wanted.iter().filter(|own| own.kind.is_type_like() || own.is_constructor()) {
            let words = constructor_words(self.family(own.file));
            found.types.extend(words.iter().map(|word| Box::from(*word)));
            found.files.extend((!words.is_empty()).then_some(own.file));
        }
        found.files.sort_unstable();
        found.files.dedup();
        Ok(found)
    }

    /// Adds the files that import one of the names `exported` from `file`. What such a file passes on is added to `next`.
    fn add_importers(
        &self,
        file: u32,
        exported: &[Box<str>],
        found: &mut OtherNames,
        next: &mut Vec<(u32, Box<str>)>,
    ) -> Result<(), SearchError> {
        for importer in self.possible_importers(file, MAX_IMPORTERS)? {
            for import in self.imports_in(importer).iter().filter(|_| self.steps.take(1)) {
                let is_exported = |own: &&Binding| exported.iter().any(|name| **name == *own.exported());
                let mut bindings = import.bindings.iter().filter(is_exported).peekable();
                if bindings.peek().is_none() || !self.module_files(importer, import).contains(&file) {
                    continue;
                }
                found.files.push(importer);
                let text = self.text(importer).unwrap_or_default();
                let passes_on =
                    text.get(import.start as usize..).is_some_and(|rest| rest.starts_with("export"));
                for binding in bindings {
                    found.names.insert(binding.exported().into());
                    next.extend(passes_on.then(|| (importer, binding.local.clone())));
                }
            }
        }
        Ok(())
    }
}
