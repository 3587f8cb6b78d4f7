//! Re-exports of modules: the definitions that a name of a module means, through re-exports and imports of all names.

use rustc_hash::FxHashSet;

use super::family::Family;
use super::files::Graph;
use super::imports::{Binding, ImportStatement};
use super::resolve::{MAX_AMBIGUOUS, MAX_MEANINGS, MAX_STEPS, STEPS_PER_COPY};
use super::uses::FileFacts;
use crate::definition::Definition;
use spyhop_base::model::SymbolKind;
use spyhop_search::SearchError;

fn is_container(definition: &Definition, container: &str) -> bool {
    let Some(holder) = definition.container.as_deref() else { return false };
    // The last part of a container such as `pool.Pool` or `pool::Pool`.
    let is_last_part = |before: &str| before.ends_with(['.', ':']) && !container.contains(['.', ':']);
    holder == container || holder.strip_suffix(container).is_some_and(is_last_part)
}

impl Graph<'_> {
    /// The definitions that an imported name means.
    pub(super) fn bound(
        &self,
        file: u32,
        import: &ImportStatement,
        binding: &Binding,
    ) -> Result<Vec<Definition>, SearchError> {
        let name = match &binding.name {
            Some(name) => name,
            None if self.family(file) == Family::Web => binding.exported(),
            None => return Ok(Vec::new()),
        };
        let files = self.module_files(file, import);
        let (mut found, mut extensions) = (self.reached(vec![files.clone()], name)?, Vec::new());
        if found.is_empty() && self.family(file) == Family::Jvm {
            let files = self.bound_module(file, import, binding);
            found = self.reached(vec![files.clone()], name)?;
            // An extension function has the container of its receiver, which another file defines.
            let all = self.definitions(name)?;
            for own in files.iter().flat_map(|file| all.in_file(*file)).filter(|_| found.is_empty()) {
                let container = own.container.as_deref().map(|name| self.definitions(name)).transpose()?;
                let is_member = container.is_some_and(|all| !all.in_file(own.file).is_empty());
                extensions.extend((own.kind.is_function() && !is_member).then(|| own.clone()));
            }
            found.append(&mut extensions);
        }
        if found.is_empty() && self.family(file) == Family::Rust {
            // An item of a module inside of a file, which the file passes on.
            let is_in_module = |own: &&Definition| {
                let facts = self.facts(own.file);
                let parent = |facts: &FileFacts| facts.symbols.get(own.place as usize)?.parent;
                facts.is_some_and(|facts| {
                    parent(&facts).is_some_and(|at| facts.symbols[at as usize].kind == SymbolKind::Module)
                })
            };
            let all = self.definitions(name)?;
            let here = files.iter().flat_map(|file| all.in_file(*file)).take_while(|_| self.steps.take(1));
            found = here.filter(is_in_module).take(MAX_MEANINGS).cloned().collect();
        }
        // A member of a class, as Java imports it: `import static a.Pool.take`.
        if found.is_empty() {
            let container = import.module.rsplit(['.', ':', '/']).next().unwrap_or_default();
            let all = self.definitions(name)?;
            let here = files.iter().flat_map(|file| all.in_file(*file));
            let members =
                here.take_while(|_| self.steps.take(1)).filter(|found| is_container(found, container));
            found = members.take(MAX_MEANINGS).cloned().collect();
            self.sort_by_path(&mut found);
        }
        Ok(found)
    }

    /// The definitions of `name` in groups of modules, through their re-exports, which may be circles. Where a module of a
    /// group defines the name, no module of the group passes on another definition.
    pub(super) fn reached(&self, groups: Vec<Vec<u32>>, name: &str) -> Result<Vec<Definition>, SearchError> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut wave: Vec<(Vec<u32>, Box<str>)> =
            groups.into_iter().map(|files| (files, Box::from(name))).collect();
        for _ in 0..=MAX_STEPS {
            let mut next = Vec::new();
            for (files, name) in &wave {
                let all = self.definitions(name)?;
                let here = files.iter().flat_map(|file| all.in_file(*file));
                // A method without a named container belongs to an object without a name, such as the options of a component.
                let is_member = |own: &Definition| own.container.is_some() || self.is_web_method(own);
                let here = here.take_while(|_| self.steps.take(1)).filter(|own| !is_member(own));
                let before = found.len();
                found.extend(here.take(MAX_MEANINGS).cloned());
                if !self.steps.take(1 + files.len()) {
                    return Ok(Vec::new());
                }
                // Names of other headers are not passed on by name.
                let is_c = files.first().is_some_and(|first| self.family(*first) == Family::C);
                // A module of Rust may have the name of a function that is passed on.
                let is_item = |own: &Definition| own.kind != SymbolKind::Module;
                if found[before..].iter().any(is_item) || is_c {
                    continue;
                }
                for &file in files.iter().take(MAX_AMBIGUOUS) {
                    if seen.insert((file, name.clone())) {
                        self.add_passed_on(file, name, &mut next);
                    }
                }
            }
            wave = next;
        }
        self.sort_by_path(&mut found);
        Ok(found)
    }

    fn is_web_method(&self, own: &Definition) -> bool {
        own.kind == SymbolKind::Method && self.family(own.file) == Family::Web
    }

    /// Sorts definitions by path and position, each once.
    fn sort_by_path(&self, found: &mut Vec<Definition>) {
        found.sort_by(|a, b| {
            (self.snapshot.path(a.file), a.place).cmp(&(self.snapshot.path(b.file), b.place))
        });
        found.dedup_by_key(|definition| (definition.file, definition.place));
    }

    /// Adds the modules from which a file passes on `name`, each with the name there.
    fn add_passed_on(&self, file: u32, name: &str, next: &mut Vec<(Vec<u32>, Box<str>)>) {
        if self.family(file) == Family::Web
            && let Some(local) = self.exported_as(file, name)
        {
            next.push((vec![file], local));
        }
        for (import, original) in self.imports_in(file).passing(name) {
            let Some(original) = original.filter(|_| self.steps.take(STEPS_PER_COPY)) else { continue };
            let mut files = self.module_files(file, import);
            files.retain(|next| *next != file);
            if !files.is_empty() {
                next.push((files, original.into()));
            }
        }
    }
}
