//! The imports of a file, and the files that import a file: those with a word that such an import has are read.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::definition::Definition;
use super::family::{CSHARP, Family};
use super::files::Graph;
use super::imports::ImportEdge;
use super::questions::STEPS_PER_EDGE;
use spyhop_base::path;
use spyhop_index::inverted::IndexField;
use spyhop_search::{SearchError, files_with};

impl Graph<'_> {
    /// The imports of a file, with the files that they mean.
    pub fn imports_of(&self, file: u32) -> Rc<[ImportEdge]> {
        if let Some(known) = self.import_edges.borrow().get(&file) {
            return known.clone();
        }
        let mut edges: Vec<ImportEdge> = Vec::new();
        for import in self.imports_in(file).iter().take_while(|_| self.steps.take(STEPS_PER_EDGE)) {
            let bound = import.bindings.iter().map(|binding| self.bound_module(file, import, binding));
            let bound: Vec<Vec<u32>> = bound.collect();
            // An import of modules only, such as `from . import pool`, does not depend on their package.
            let is_of_modules = !bound.is_empty() && bound.iter().all(|files| !files.is_empty());
            let mut files = if is_of_modules { Vec::new() } else { self.module_files(file, import) };
            files.extend(bound.into_iter().flatten());
            files.retain(|found| *found != file);
            files.sort_by_key(|found| self.snapshot.path(*found));
            files.dedup();
            let module = match (
                &*import.module,
                import.bindings.first().and_then(|binding| binding.name.as_deref()),
            ) {
                ("", Some(name)) => name.to_string(),
                (module, _) => module.to_string(),
            };
            match edges.last_mut().filter(|last| last.start == import.start && last.module == module) {
                Some(last) => last.files.extend(files),
                None => edges.push(ImportEdge { file, start: import.start, module, files }),
            }
        }
        edges.iter_mut().for_each(|edge| {
            edge.files.sort_unstable();
            edge.files.dedup();
        });
        let edges: Rc<[ImportEdge]> = edges.into();
        self.import_edges.borrow_mut().insert(file, edges.clone());
        edges
    }

    /// The bytes at which the import statements begin that bind one of `words`.
    pub fn imports_binding(&self, file: u32, words: &FxHashSet<&str>) -> Vec<u32> {
        let imports = self.imports_in(file);
        let needed = imports.iter().filter(|import| {
            let module = import.module.rsplit(['.', ':', '/']).next().unwrap_or_default();
            let names_module = import.bindings.is_empty() && words.contains(module);
            names_module || import.bindings.iter().any(|binding| words.contains(&*binding.local))
        });
        let mut starts: Vec<u32> = needed.map(|import| import.start).collect();
        starts.dedup();
        starts
    }

    /// The imports of other files that mean `file`. `takes` chooses the importing files.
    pub fn importers_of(
        &self,
        file: u32,
        takes: impl Fn(u32) -> bool,
    ) -> Result<Vec<ImportEdge>, SearchError> {
        let mut edges = Vec::new();
        for name in self.module_names(file) {
            for other in self.files_with_words_of(&name)? {
                if self.steps.take(STEPS_PER_EDGE)
                    && other != file
                    && self.family(other) == self.family(file)
                    && takes(other)
                {
                    edges.extend(match self.family(file) {
                        CSHARP => self.uses_of_file(other, file),
                        _ => {
                            let imports = self.imports_of(other);
                            imports.iter().filter(|import| import.files.contains(&file)).cloned().collect()
                        }
                    });
                }
            }
        }
        edges.sort_by_key(|edge| (self.snapshot.path(edge.file), edge.start));
        edges.dedup_by_key(|edge| (edge.file, edge.start));
        Ok(edges)
    }

    /// The files that may import `file`: those with a name that such an import has, if at most `most` files have the name.
    pub fn possible_importers(&self, file: u32, most: usize) -> Result<Vec<u32>, SearchError> {
        let mut found = Vec::new();
        for name in self.module_names(file) {
            let mut files = self.files_with_words_of(&name)?;
            files.retain(|other| *other != file && self.family(*other) == self.family(file));
            if files.len() <= most {
                found.append(&mut files);
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The names of which an import of `file` contains one. The root of a crate is imported by the names of the crate.
    fn module_names(&self, file: u32) -> Vec<String> {
        let (folder, name) = path::split(self.snapshot.path(file));
        let stem = name.split('.').next().unwrap_or(name);
        let parent = folder.rsplit('/').next().unwrap_or_default();
        let is_folder = matches!(stem, "index" | "mod" | "lib" | "main" | "__init__");
        let mut names: Vec<String> = match self.family(file) {
            CSHARP => self.namespace_words(file),
            Family::Go => vec![self.go_import_path(folder)],
            Family::Rust => {
                let module: &[&str] = if is_folder { &[parent, "crate", "super"] } else { &[stem, "super"] };
                module.iter().copied().chain(self.crate_names(file)).map(str::to_string).collect()
            }
            Family::Jvm => {
                let package = self.declared_package(file);
                let package = package.as_deref().and_then(|package| package.rsplit('.').next());
                [stem, parent].into_iter().chain(package).map(str::to_string).collect()
            }
            _ if is_folder => [parent, stem, "from"].map(str::to_string).to_vec(),
            _ => vec![stem.to_string()],
        };
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The files that have every word of a text, in the order of their numbers; none for a text without words.
    pub(super) fn files_with_words_of(&self, text: &str) -> Result<Vec<u32>, SearchError> {
        let mut words =
            text.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let Some(first) = words.next() else { return Ok(Vec::new()) };
        let mut files = files_with(self.snapshot, IndexField::Word, first)?;
        for word in words {
            let with = files_with(self.snapshot, IndexField::Word, word)?;
            files.retain(|file| with.binary_search(file).is_ok());
        }
        Ok(files)
    }

    /// The files of Go in which the name of a definition may mean it: those of its package, and if the name is exported, those
    /// that may import the package.
    pub(super) fn go_files_naming(&self, own: &Definition) -> Result<Vec<u32>, SearchError> {
        let is_exported = own.name.starts_with(char::is_uppercase);
        let folder = path::split(self.snapshot.path(own.file)).0;
        let importing = match is_exported {
            true => self.files_with_words_of(&self.go_import_path(folder))?,
            false => Vec::new(),
        };
        let mut files = files_with(self.snapshot, IndexField::Word, &own.name)?;
        files.retain(|file| {
            let is_near = importing.binary_search(file).is_ok() || self.are_in_one_folder(*file, own.file);
            is_near && self.family(*file) == Family::Go
        });
        Ok(files)
    }
}
