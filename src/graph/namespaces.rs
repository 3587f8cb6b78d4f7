//! Names that modules of JavaScript and TypeScript pass on: modules under a name, and names under another name.

use std::sync::{Arc, LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use super::family::Family;
use super::files::{ExportedNames, Graph};
use super::imports::{Binding, ImportStatement, WHOLE, exported_names};
use super::resolve::{MAX_AMBIGUOUS, MAX_STEPS};
use spyhop_base::path;

/// The name of an object without a name that a module exports as a whole: its members are names of the module.
const OBJECT: &str = "{";

impl Graph<'_> {
    /// The files of the module that a binding means: a bound module, or one that the imported module passes on.
    pub(super) fn bound_namespace(&self, from: u32, import: &ImportStatement, binding: &Binding) -> Vec<u32> {
        match &binding.name {
            Some(name) if self.family(from) == Family::Web => {
                self.namespace(&self.module_files(from, import), name)
            }
            _ => self.bound_module(from, import, binding),
        }
    }

    /// The modules that `name` means in modules, as in `export * as name from "./pool"`, through their re-exports.
    pub(super) fn namespace(&self, files: &[u32], name: &str) -> Vec<u32> {
        self.namespace_within(files, name, MAX_STEPS, &mut FxHashMap::default())
    }

    /// Modules that a name means through at most `steps` re-exports. `seen` holds with how many steps a module was asked for
    /// a name before: the module has no answer with fewer.
    fn namespace_within(
        &self,
        files: &[u32],
        name: &str,
        steps: usize,
        seen: &mut FxHashMap<(u32, Box<str>), usize>,
    ) -> Vec<u32> {
        for &file in files.iter().take(MAX_AMBIGUOUS) {
            if name == OBJECT {
                return vec![file];
            }
            let before = seen.get_mut(&(file, Box::from(name)));
            match before {
                Some(before) if *before >= steps => continue,
                Some(before) => *before = steps,
                None => _ = seen.insert((file, Box::from(name)), steps),
            }
            let imports = self.imports_in(file);
            for (import, original) in imports.passing(name) {
                let is_default = import.is_wildcard && name == "default" && original == Some(name);
                if is_default || !self.steps.take(1) {
                    continue;
                }
                let mut next = self.module_files(file, import);
                if let Some(original) = original {
                    let Some(steps) = steps.checked_sub(1) else { continue };
                    next.retain(|next| *next != file);
                    next = self.namespace_within(&next, original, steps, seen);
                }
                if !next.is_empty() {
                    return next;
                }
            }
            if let (Some(local), Some(steps)) = (self.exported_as(file, name), steps.checked_sub(1)) {
                let found = self.namespace_within(&[file], &local, steps, seen);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// The name in a file of what the file exports as `name`, if that is another name.
    pub(super) fn exported_as(&self, file: u32, name: &str) -> Option<Box<str>> {
        self.exports_in(file).get(name).cloned()
    }

    /// The other names under which a file exports what has this name in the file.
    pub(super) fn exported_names_of(&self, file: u32, name: &str) -> Vec<Box<str>> {
        let exports = self.exports_in(file);
        let mut found: Vec<Box<str>> =
            exports.iter().filter(|(_, own)| &***own == name).map(|(exported, _)| exported.clone()).collect();
        found.sort_unstable();
        found
    }

    /// The names that a file exports under other names.
    fn exports_in(&self, file: u32) -> Arc<ExportedNames> {
        if let Some(known) = self.exports.borrow().get(&file) {
            return known.clone();
        }
        let text = self.text(file).unwrap_or_default();
        let mut exports = ExportedNames::default();
        // A component is what its file exports by default, whatever the name of the object there.
        let is_component = self.grammars.kind_of_file(self.snapshot.version(file).language()).is_some();
        if is_component {
            exports.insert("default".into(), path::stem(self.snapshot.path(file)).into());
        }
        for Binding { name, local } in exported_names(&text).into_iter().chain(whole_exports(&text)) {
            if let Some(name) = name.filter(|name| *name != local) {
                exports.entry(local).or_insert(name);
            }
        }
        let exports = Arc::new(exports);
        self.exports.borrow_mut().insert(file, exports.clone());
        exports
    }
}

/// The names that `export default` and `module.exports =` pass on; a module of the second form has a default export too.
fn whole_exports(text: &str) -> impl Iterator<Item = Binding> + '_ {
    static WHOLE_EXPORT: LazyLock<Regex> = LazyLock::new(|| {
        let name = r"(?:async[ \t]+)?(?:abstract[ \t]+)?(?:function\*?[ \t]+|class[ \t]+)?([\w$]+|\{)";
        let common = r"(?:exports[ \t]*=[ \t]*)?(module\.exports)[ \t]*=[ \t]*(?:exports[ \t]*=[ \t]*)?";
        Regex::new(&format!(r"(?m)^[ \t]*(?:export[ \t]+default[ \t]+|{common}){name}"))
            .expect("a constant pattern")
    });
    // The component that functions wrap: `export default connect(state)(Pool)`.
    static WRAPPED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^[\w$.]*(?:\([\w$., \t]*\)?)*\(\s*([A-Z][\w$]*)\s*[,)]").expect("a constant pattern")
    });
    let found = WHOLE_EXPORT.captures(text);
    found.into_iter().flat_map(|found| {
        let expression = found.get(2).map_or("", |name| &text[name.start()..]);
        let wrapped = WRAPPED.captures(expression).map(|wrapped| Box::from(&wrapped[1]));
        let name: Box<str> = wrapped.unwrap_or_else(|| found[2].into());
        let whole = found.get(1).map(|_| WHOLE);
        [Some("default"), whole]
            .into_iter()
            .flatten()
            .map(move |local| Binding { name: Some(name.clone()), local: local.into() })
    })
}
