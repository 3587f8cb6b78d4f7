//! Names that modules of JavaScript and TypeScript pass on: modules under a name, and names under another name.

use std::sync::{Arc, LazyLock};

use regex::Regex;

use super::family::Family;
use super::files::Graph;
use super::imports::{Binding, ImportStatement, exported_names};
use super::resolve::{MAX_AMBIGUOUS, MAX_STEPS};

impl Graph<'_> {
    /// The files of the module that a binding means: a bound module, or one that the imported module passes on.
    pub(super) fn bound_namespace(&self, from: u32, import: &ImportStatement, binding: &Binding) -> Vec<u32> {
        match &binding.name {
            Some(name) if self.family(from) == Family::Web => {
                self.namespace(&self.module_files(from, import), name, 0)
            }
            _ => self.bound_module(from, import, binding),
        }
    }

    /// The modules that `name` means in modules, as in `export * as name from "./pool"`, through their re-exports.
    pub(super) fn namespace(&self, files: &[u32], name: &str, steps: usize) -> Vec<u32> {
        if steps > MAX_STEPS {
            return Vec::new();
        }
        for &file in files.iter().take(MAX_AMBIGUOUS) {
            let imports = self.imports_in(file);
            for import in imports.iter() {
                let binding = import.bindings.iter().find(|binding| &*binding.local == name);
                let original = match binding {
                    Some(binding) => binding.name.as_deref(),
                    None if import.is_wildcard && name != "default" => Some(name),
                    None => continue,
                };
                let mut next = self.module_files(file, import);
                if let Some(original) = original {
                    next.retain(|next| *next != file);
                    next = self.namespace(&next, original, steps + 1);
                }
                if !next.is_empty() {
                    return next;
                }
            }
            if let Some(local) = self.exported_as(file, name) {
                let found = self.namespace(&[file], &local, steps + 1);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// The name in a file of what the file exports as `name`, if that is another name.
    pub(super) fn exported_as(&self, file: u32, name: &str) -> Option<Box<str>> {
        let exports = self.exports_in(file);
        let found = exports.iter().find(|binding| &*binding.local == name && binding.name.is_some());
        found.and_then(|binding| binding.name.clone()).filter(|local| &**local != name)
    }

    /// The names that a file exports under other names.
    fn exports_in(&self, file: u32) -> Arc<Vec<Binding>> {
        if let Some(known) = self.exports.borrow().get(&file) {
            return known.clone();
        }
        let text = self.text(file).unwrap_or_default();
        let mut exports = exported_names(&text);
        exports.extend(
            default_export(&text).map(|name| Binding { name: Some(name.into()), local: "default".into() }),
        );
        exports.retain(|binding| binding.name.as_deref() != Some(&*binding.local));
        let exports = Arc::new(exports);
        self.exports.borrow_mut().insert(file, exports.clone());
        exports
    }
}

/// The name that `export default` passes on.
fn default_export(text: &str) -> Option<&str> {
    static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?m)^[ \t]*export[ \t]+default[ \t]+(?:async[ \t]+)?(?:abstract[ \t]+)?(?:function\*?[ \t]+|class[ \t]+)?([\w$]+)")
            .expect("a constant pattern")
    });
    DEFAULT.captures(text).and_then(|found| found.get(1)).map(|name| name.as_str())
}
