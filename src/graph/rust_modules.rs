//! Rust's modules: crates by their manifests, modules by their files.

use std::rc::Rc;

use super::declared_modules::{DeclaredModules, modules_in};
use super::files::Graph;
use super::paths::{below, normalize};
use super::resolve::STEPS_PER_COPY;
use super::rust_crates::{ManifestNames, RustCrate, RustModule};
use spyhop_base::path;

/// The most re-exports of modules that are followed one after the other.
const MAX_RE_EXPORTS: usize = 4;

/// The file of the module that `name` means, seen from `from`. Of a path to an item, the file of the innermost module
/// that has a file of its own.
pub(super) fn resolve(graph: &Graph<'_>, from: u32, name: &str) -> Vec<u32> {
    let found = innermost(graph, from, name, MAX_RE_EXPORTS);
    found.and_then(|(module, _)| module.file).into_iter().collect()
}

/// The innermost module of a path that has a file of its own, and whether the path ends there.
fn innermost(graph: &Graph<'_>, from: u32, name: &str, re_exports: usize) -> Option<(RustModule, bool)> {
    let mut parts = name.split("::").map(str::trim).filter(|part| !part.is_empty()).peekable();
    let folder = module_folder(graph, graph.snapshot.path(from));
    let own = RustModule { folder, file: Some(from) };
    let module_at = |folder: String| RustModule { file: file_of(graph, &folder), folder };
    let next_of = |module: &RustModule, part: &str| {
        let inside = step(graph, &module.folder, part).map(module_at);
        inside.or_else(|| passed_on(graph, module.file?, part, re_exports))
    };
    let mut module = match parts.peek().copied() {
        None => own,
        Some("crate" | "$crate") => {
            parts.next();
            module_at(crate_root(graph, from)?)
        }
        Some("self") => {
            parts.next();
            own
        }
        Some("super") => {
            let mut folder = own.folder;
            while parts.next_if_eq(&"super").is_some() {
                folder = path::split(&folder).0.to_string();
            }
            module_at(folder)
        }
        // Without `crate`, a path begins in the current module or with the name of a crate.
        Some(first) if step(graph, &own.folder, first).is_some() => own,
        Some(first) => match graph.crates().iter().find(|known| known.name == first) {
            Some(known) => {
                parts.next();
                RustModule { folder: known.folder.clone(), file: Some(known.root) }
            }
            None => {
                parts.next();
                passed_on(graph, from, first, re_exports)?
            }
        },
    };
    while let Some(next) = parts.peek().and_then(|part| next_of(&module, part)) {
        parts.next();
        module = next;
    }
    let is_whole = parts.peek().is_none();
    Some((module, is_whole))
}

/// The module that a file has under a name by an import, such as `pub use errors::*`. The modules of a file are looked up once for a
/// question. The number of re-exports bounds circles.
fn passed_on(graph: &Graph<'_>, file: u32, name: &str, re_exports: usize) -> Option<RustModule> {
    let re_exports = re_exports.checked_sub(1)?;
    let key = (file, Box::from(name), re_exports);
    if let Some(known) = graph.passed_on.borrow().get(&key) {
        return known.clone();
    }
    let imports = graph.imports_in(file);
    let mut passing = imports.passing(name).into_iter().filter(|_| graph.steps.take(STEPS_PER_COPY));
    let found = passing.find_map(|(import, original)| {
        let module = graph.module_name(file, import);
        // The first part may be of another crate; an import does not lead back to itself.
        let whole = match original {
            Some(original) if module.is_empty() => original.to_string(),
            Some(original) => format!("{module}::{original}"),
            None => module.into_owned(),
        };
        let (found, is_whole) = innermost(graph, file, &whole, re_exports)?;
        (is_whole && found.file.is_some_and(|found| found != file)).then_some(found)
    });
    graph.passed_on.borrow_mut().insert(key, found.clone());
    found
}

/// The folder in which the submodules of a file lie. A `build.rs` is a program only beside the manifest of a package.
fn module_folder(graph: &Graph<'_>, path: &str) -> String {
    let (folder, name) = path::split(path);
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_string(),
        "build.rs" if graph.paths().file(&below(folder, "Cargo.toml")).is_some() => folder.to_string(),
        name => {
            let stem = name.strip_suffix(".rs").unwrap_or(name);
            below(folder, stem)
        }
    }
}

/// The folder of the submodules of submodule `name` of the module with this folder.
fn step(graph: &Graph<'_>, folder: &str, name: &str) -> Option<String> {
    let paths = graph.paths();
    let has_file = |base: &str| {
        paths.file(&format!("{base}.rs")).or_else(|| paths.file(&format!("{base}/mod.rs"))).is_some()
    };
    let inside = below(folder, name);
    if has_file(&inside) {
        return Some(inside);
    }
    // The root of a test has its modules beside it, or where an attribute says.
    let (above, own) = path::split(folder);
    let root = paths.file(&format!("{folder}.rs")).filter(|_| is_target_folder(above) && !own.is_empty())?;
    match graph.modules_of_test(root).get(name)? {
        Some(path) => normalize(&below(above, path)).map(|path| module_folder(graph, &path)),
        None => Some(below(above, name)).filter(|beside| has_file(beside)),
    }
}

/// Whether a folder holds programs of their own, such as tests.
fn is_target_folder(folder: &str) -> bool {
    matches!(path::split(folder).1, "tests" | "benches" | "examples" | "bin")
}

/// The file of the module with this folder.
fn file_of(graph: &Graph<'_>, folder: &str) -> Option<u32> {
    let inside = |name: &str| below(folder, name);
    let beside = (!folder.is_empty()).then(|| format!("{folder}.rs"));
    let tries = [inside("mod.rs"), inside("lib.rs"), inside("main.rs")];
    beside.iter().chain(&tries).find_map(|path| graph.paths().file(path))
}

/// The folder of the root module of the crate around `from`.
fn crate_root(graph: &Graph<'_>, from: u32) -> Option<String> {
    let folders = || {
        let folder = path::split(graph.snapshot.path(from)).0;
        std::iter::successors(Some(folder), |folder| {
            Some(path::split(folder).0).filter(|_| !folder.is_empty())
        })
    };
    let has = |path: String| graph.paths().file(&path).is_some();
    let is_root = |folder: &&str| {
        has(below(folder, "lib.rs"))
            || has(below(folder, "main.rs"))
            || graph.crates().iter().any(|known| known.folder == *folder)
    };
    let is_target = |folder: &&str| {
        is_target_folder(folder) || is_target_folder(path::split(folder).0) && has(format!("{folder}.rs"))
    };
    folders().find(is_root).or_else(|| folders().find(is_target)).map(str::to_string)
}

impl Graph<'_> {
    /// The modules that the root file of a test declares, read once for a question.
    fn modules_of_test(&self, root: u32) -> Rc<DeclaredModules> {
        let read =
            || Rc::new(self.text(root).map_or_else(DeclaredModules::default, |text| modules_in(&text)));
        self.test_modules.borrow_mut().entry(root).or_insert_with(read).clone()
    }

    /// The names of the library whose root module is the file.
    pub(super) fn crate_names(&self, root: u32) -> impl Iterator<Item = &str> {
        self.crates().iter().filter(move |known| known.root == root).map(|known| &*known.name)
    }

    /// The libraries of the tree, by their manifests.
    fn crates(&self) -> &[RustCrate] {
        self.crates.get_or_init(|| find_crates(self))
    }
}

/// The libraries by their names, and after them by the names that dependents give them.
fn find_crates(graph: &Graph<'_>) -> Vec<RustCrate> {
    let (mut found, mut renamed) = (Vec::new(), Vec::new());
    for manifest in graph.paths().named("Cargo.toml") {
        let Some(names) = graph.text(manifest).and_then(|text| ManifestNames::read(&text)) else { continue };
        renamed.extend(names.renamed);
        let folder = path::split(graph.snapshot.path(manifest)).0;
        let root = normalize(&below(folder, &names.root)).and_then(|path| graph.paths().file(&path));
        if let (Some(root), Some((package, name))) = (root, names.library) {
            let folder = path::split(graph.snapshot.path(root)).0.to_string();
            found.push(RustCrate { name, package, folder, root });
        }
    }
    found.sort();
    renamed.sort();
    for (alias, package) in renamed {
        if let Some(known) = found.iter().find(|known| known.package == package) {
            found.push(RustCrate { name: alias, ..known.clone() });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_declared_with_and_without_a_path() {
        let text = "mod util;\n#[path = \"deep/own.rs\"]\npub(crate) mod deep;\nmod inline {}\n// mod no;\nmod util;\n";
        let mut found: Vec<(Box<str>, Option<Box<str>>)> = modules_in(text).into_iter().collect();
        found.sort();
        assert_eq!(found, [("deep".into(), Some("deep/own.rs".into())), ("util".into(), None)]);
    }
}
