//! The files that a module name means, by the conventions of each family of languages.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashSet;

use super::family::{CSHARP, Family};
use super::files::Graph;
use super::imports::{Binding, ImportStatement};
use super::paths::{below, ends_in, normalize, package, shared_folders};
use super::php_imports;
use super::resolve::inline_module;
use super::rust_modules;
use spyhop_base::path;
use spyhop_base::text::Span;
use spyhop_index::inverted::IndexField;
use spyhop_search::files_with;

/// The most files that one module name may mean; a longer list says nothing about the meaning.
const MAX_FILES: usize = 64;

/// The most files whose packages are read for one name of a package.
const MAX_READ: usize = 500;

/// The longest chain of headers that include each other, and the most headers, which are looked at for one file.
const MAX_INCLUDED_STEPS: usize = 4;
const MAX_INCLUDED: usize = 400;

/// The steps that a header takes.
const STEPS_PER_INCLUDE: usize = 20;

/// The steps that the package of a file is worth, whose text is read.
const STEPS_PER_PACKAGE: usize = 20;

/// The longest chain of configurations that extend each other.
const MAX_EXTENDS: usize = 4;

/// Endings of modules in the web family, in the order in which resolvers try them.
const WEB_ENDINGS: &[&str] = &[
    ".ts",
    ".tsx",
    ".d.ts",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".mts",
    ".cts",
    ".vue",
    "/index.ts",
    "/index.tsx",
    "/index.d.ts",
    "/index.js",
    "/index.jsx",
    "/index.mjs",
];

impl<'a> Graph<'a> {
    /// The files that the module of an import means, seen from `from`; empty if the module is not in the tree.
    pub(super) fn module_files(&self, from: u32, import: &ImportStatement) -> Vec<u32> {
        self.module(from, &self.module_name(from, import))
    }

    /// The module of an import as written in the file itself: inside of an inline module of Rust, `super` is the module of
    /// the file.
    pub(super) fn module_name<'i>(&self, from: u32, import: &'i ImportStatement) -> Cow<'i, str> {
        let rest = import.module.strip_prefix("super").filter(|_| self.family(from) == Family::Rust);
        let at = Span::new(import.start as usize, import.start as usize);
        let is_inline = || self.facts(from).is_some_and(|facts| inline_module(&facts.symbols, at).is_some());
        match rest.filter(|rest| rest.is_empty() || rest.starts_with("::")).filter(|_| is_inline()) {
            Some(rest) if rest.starts_with("::super") => Cow::Borrowed(&rest[2..]),
            Some(rest) => Cow::Owned(format!("self{rest}")),
            None => Cow::Borrowed(&import.module),
        }
    }

    /// The files that a binding means if the bound name is a module itself, such as `from package import module`.
    pub(super) fn bound_module(&self, from: u32, import: &ImportStatement, binding: &Binding) -> Vec<u32> {
        let Some(name) = &binding.name else { return self.module(from, &import.module) };
        let whole = self.module_name(from, import);
        let (module, separator) = match self.family(from) {
            Family::Python if import.module.ends_with('.') => (&*whole, ""),
            Family::Python | Family::Jvm => (&*whole, "."),
            Family::Rust if import.module.is_empty() => ("", ""),
            Family::Rust => (&*whole, "::"),
            _ => return Vec::new(),
        };
        self.module(from, &format!("{module}{separator}{name}"))
    }

    /// The files that the module `name` means, seen from `from`.
    pub(super) fn module(&self, from: u32, name: &str) -> Vec<u32> {
        if self.family(from) == CSHARP {
            return self.files_used(from, name);
        }
        // What a name means in these languages does not depend on the file.
        let is_global = matches!(self.family(from), Family::Go | Family::Other("swift"));
        let key = (if is_global { u32::MAX } else { from }, Box::from(name));
        if let Some(known) = self.modules.borrow().get(&key) {
            return known.clone();
        }
        let mut files = match self.family(from) {
            Family::Python => match self.stood_for(from, name) {
                files if files.is_empty() => self.python_module(from, name),
                files => files,
            },
            Family::Web => self.web_module(from, name),
            Family::Rust => rust_modules::resolve(self, from, name),
            Family::Go => self.go_package(name),
            Family::Jvm => self.jvm_module(from, name),
            Family::C => self.included(from, name),
            Family::Other("swift") => self.swift_module(name),
            Family::Other("php") => self.php_module(from, name),
            Family::Other("ruby") => self.ruby_file(from, name),
            Family::Other(_) => Vec::new(),
        };
        files.sort_unstable();
        files.dedup();
        files.truncate(MAX_FILES);
        self.modules.borrow_mut().insert(key, files.clone());
        files
    }

    pub(super) fn python_module(&self, from: u32, name: &str) -> Vec<u32> {
        let dots = name.len() - name.trim_start_matches('.').len();
        let rest = name[dots..].replace('.', "/");
        let candidates =
            |module: &str| [format!("{module}.py"), format!("{module}/__init__.py"), format!("{module}.pyi")];
        if dots == 0 {
            let is_top_level = |file: &u32, path: &str| {
                let folder = self.snapshot.path(*file).strip_suffix(path).unwrap_or_default();
                !folder.ends_with('/') || self.paths().file(&format!("{folder}__init__.py")).is_none()
            };
            let found = candidates(&rest).into_iter().map(|path| {
                let files = self.ending_in(&path);
                let files = files.iter().copied().filter(|file| is_top_level(file, &path));
                self.nearest_of(files, from)
            });
            return found.into_iter().find(|files| !files.is_empty()).unwrap_or_default();
        }
        let mut folder = path::split(self.snapshot.path(from)).0;
        for _ in 1..dots {
            folder = path::split(folder).0;
        }
        let module = if rest.is_empty() { folder.to_string() } else { below(folder, &rest) };
        candidates(&module).iter().find_map(|path| self.paths().file(path)).into_iter().collect()
    }

    fn web_module(&self, from: u32, name: &str) -> Vec<u32> {
        let name = name.split(['?', '#']).next().unwrap_or(name);
        if name.starts_with('.') {
            let folder = path::split(self.snapshot.path(from)).0;
            return normalize(&below(folder, name))
                .and_then(|path| self.typed_file(from, &path).or_else(|| self.web_file(&path)))
                .into_iter()
                .collect();
        }
        if let Some(path) = self.configured_path(from, name) {
            return vec![path];
        }
        self.web_package(name).into_iter().collect()
    }

    /// The file with the types of a module that a file of TypeScript names by its output: `./pool.js` is `pool.ts` or
    /// `pool.d.ts`, even if `pool.js` is beside these.
    fn typed_file(&self, from: u32, path: &str) -> Option<u32> {
        if !matches!(self.language(from), "typescript" | "tsx") {
            return None;
        }
        const OUTPUTS: [(&str, &[&str]); 4] = [
            (".js", &[".ts", ".tsx", ".d.ts"]),
            (".jsx", &[".tsx", ".d.ts"]),
            (".mjs", &[".mts", ".d.mts"]),
            (".cjs", &[".cts", ".d.cts"]),
        ];
        let (stem, endings) =
            OUTPUTS.iter().find_map(|(ending, typed)| Some((path.strip_suffix(ending)?, typed)))?;
        endings.iter().find_map(|ending| self.paths().file(&format!("{stem}{ending}")))
    }

    /// The file of a path without or with an ending.
    fn web_file(&self, path: &str) -> Option<u32> {
        let paths = self.paths();
        if let Some(file) = paths.file(path) {
            return Some(file);
        }
        // TypeScript names the output of a module: `./pool.js` is `pool.ts`.
        let stem = [".js", ".jsx", ".mjs", ".cjs"].iter().find_map(|ending| path.strip_suffix(ending));
        let stems = std::iter::once(path).chain(stem);
        stems
            .flat_map(|stem| WEB_ENDINGS.iter().map(move |ending| format!("{stem}{ending}")))
            .find_map(|path| paths.file(path.trim_start_matches('/')))
    }

    /// The file that the `paths` or the `baseUrl` of the nearest `tsconfig.json` above give for a name.
    fn configured_path(&self, from: u32, name: &str) -> Option<u32> {
        let mut folder = path::split(self.snapshot.path(from)).0;
        loop {
            if let Some(config) = self.paths().file(&below(folder, "tsconfig.json"))
                && let Some(found) = self.mapped_file(config, name)
            {
                return Some(found);
            }
            if folder.is_empty() {
                return None;
            }
            folder = path::split(folder).0;
        }
    }

    /// The file that a configuration, or one that it extends, gives for a name.
    fn mapped_file(&self, config: u32, name: &str) -> Option<u32> {
        let mut next = Some(config);
        for _ in 0..MAX_EXTENDS {
            let config = next?;
            let folder = path::split(self.snapshot.path(config)).0;
            let json = parse_json_with_comments(&self.text(config)?)?;
            let targets =
                json.get("compilerOptions").map(|options| mapped_paths(options, name)).unwrap_or_default();
            let files = targets.iter().filter_map(|target| normalize(&below(folder, target)));
            if let Some(file) = files.filter_map(|path| self.web_file(&path)).next() {
                return Some(file);
            }
            let base = json.get("extends").and_then(|base| base.as_str()).unwrap_or_default();
            let base = normalize(&below(folder, base.trim_end_matches(".json")));
            next = base.and_then(|base| self.paths().file(&format!("{base}.json")));
        }
        None
    }

    /// The main module of a package of this tree, or a module below it: `@scope/name`, `@scope/name/part`.
    fn web_package(&self, name: &str) -> Option<u32> {
        let parts = if name.starts_with('@') { 2 } else { 1 };
        let end = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
        let (package, part) = (&name[..end], name[end..].trim_start_matches('/'));
        let folder =
            self.packages().iter().find(|(known, _)| known == package).map(|(_, folder)| folder.as_str())?;
        let at = |path: &str| below(folder, path);
        let tries = match part {
            "" => vec![at("src/index"), at("index"), at("src/main"), at("lib/index")],
            part => vec![at(part), at(&format!("src/{part}"))],
        };
        tries.iter().find_map(|path| self.web_file(path))
    }

    /// The packages of the tree: names and folders of each `package.json`.
    fn packages(&self) -> &[(String, String)] {
        self.web_packages.get_or_init(|| {
            let manifests = self.paths().named("package.json").into_iter();
            let mut packages: Vec<(String, String)> = manifests
                .filter_map(|file| {
                    let json: serde_json::Value = serde_json::from_str(&self.text(file)?).ok()?;
                    let name = json.get("name")?.as_str()?.to_string();
                    Some((name, path::split(self.snapshot.path(file)).0.to_string()))
                })
                .collect();
            packages.sort_by_key(|(_, folder)| folder.len());
            packages
        })
    }

    /// The files of the package that an import path means: below the module of a `go.mod`, or else the folder with the
    /// longest suffix of the path.
    fn go_package(&self, name: &str) -> Vec<u32> {
        let files = |folder: &str| -> Vec<u32> {
            let files = self.paths().folder(folder).into_iter();
            // An import of a package does not see its tests.
            let is_seen = |file: &u32| {
                self.family(*file) == Family::Go && !self.snapshot.path(*file).ends_with("_test.go")
            };
            files.filter(is_seen).collect()
        };
        for (module, folder) in self.go_modules() {
            let rest =
                name.strip_prefix(module.as_str()).filter(|rest| rest.is_empty() || rest.starts_with('/'));
            let found =
                rest.map(|rest| files(&below(folder, rest.trim_start_matches('/')))).unwrap_or_default();
            if !found.is_empty() {
                return found;
            }
        }
        let mut suffix = name;
        loop {
            let mut folders: Vec<&str> = self.paths().folders_ending_in(suffix);
            folders.sort_unstable_by_key(|folder| (folder.len(), *folder));
            if let Some(found) = folders.iter().map(|folder| files(folder)).find(|found| !found.is_empty()) {
                return found;
            }
            // The last part alone is too often the name of a package of the standard library.
            match suffix.split_once('/') {
                Some((_, rest)) if rest.contains('/') => suffix = rest,
                _ => return Vec::new(),
            }
        }
    }

    /// The end of the path by which a package of Go is imported: up to two names, which [`Graph::go_package`] needs to find it.
    pub(super) fn go_import_path(&self, folder: &str) -> String {
        let is_around = |root: &str| {
            let rest = folder.strip_prefix(root)?;
            if root.is_empty() {
                Some(rest)
            } else {
                rest.strip_prefix('/').or(rest.is_empty().then_some(""))
            }
        };
        let around = self.go_modules().iter().filter_map(|(name, root)| Some((name, root, is_around(root)?)));
        let path = match around.max_by_key(|(_, root, _)| root.len()) {
            Some((name, _, "")) => name,
            Some((_, _, rest)) => rest,
            None => folder,
        };
        let path = path.rsplit_once("vendor/").map_or(path, |(_, vendored)| vendored);
        let start = path.rmatch_indices('/').nth(1).map_or(0, |(at, _)| at + 1);
        path[start..].to_string()
    }

    /// The modules of the tree: the name and the folder of each `go.mod`, longer names first.
    fn go_modules(&self) -> &[(String, String)] {
        self.go_modules.get_or_init(|| {
            let manifests = self.paths().named("go.mod").into_iter();
            let mut modules: Vec<(String, String)> = manifests
                .filter_map(|file| {
                    let text = self.text(file)?;
                    let name = text.lines().find_map(|line| line.trim().strip_prefix("module "))?.trim();
                    Some((
                        name.trim_matches('"').to_string(),
                        path::split(self.snapshot.path(file)).0.to_string(),
                    ))
                })
                .collect();
            modules.sort_by_key(|(name, _)| (std::cmp::Reverse(name.len()), name.clone()));
            modules
        })
    }

    /// The file of a class, the files of a package, or the files of a package that define the last part of the name.
    fn jvm_module(&self, from: u32, name: &str) -> Vec<u32> {
        let path = name.replace('.', "/");
        for ending in [".java", ".kt", ".scala"] {
            let files = self.nearest(&format!("{path}{ending}"), from);
            if !files.is_empty() {
                return files;
            }
        }
        // Names of Kotlin and Scala need not be those of files and folders.
        let Some((package, item)) = name.rsplit_once('.') else { return self.jvm_folder(&path) };
        let defined = self.definitions_in(Family::Jvm, item).ok();
        let is_of_package =
            |own: &&super::definition::Definition| own.container.is_none() || own.kind.is_function();
        let defined = defined.iter().flat_map(|all| all.iter()).filter(is_of_package);
        let defining: Vec<u32> = defined
            .map(|own| own.file)
            .filter(|file| self.steps.take(1) && self.declared_package(*file).as_deref() == Some(package))
            .collect();
        if !defining.is_empty() {
            return defining;
        }
        let mut files = self.jvm_folder(&path);
        if self.language(from) == "java" {
            return files;
        }
        let with_word = files_with(self.snapshot, IndexField::Word, item).unwrap_or_default();
        files.extend(with_word.into_iter().take(MAX_READ).filter(|file| {
            let is_jvm = self.family(*file) == Family::Jvm && self.language(*file) != "java";
            is_jvm && self.steps.take(1) && self.declared_package(*file).as_deref() == Some(name)
        }));
        files
    }

    /// The files of a package by its folders.
    fn jvm_folder(&self, path: &str) -> Vec<u32> {
        let folders = self.paths().folders_ending_in(path).into_iter();
        let files = folders.flat_map(|folder| self.paths().folder(folder));
        files.filter(|file| self.family(*file) == Family::Jvm).collect()
    }

    /// Whether two files are of one package: in one folder below their sources, or in Kotlin by what they declare.
    pub(super) fn are_in_one_package(&self, file: u32, other: u32) -> bool {
        let (family, path) = (self.family(file), |file| self.snapshot.path(file));
        let is_declared = || {
            let own = self.declared_package(file).filter(|_| self.steps.take(STEPS_PER_PACKAGE));
            own.is_some_and(|own| self.declared_package(other) == Some(own))
        };
        package(family, path(file)) == package(family, path(other))
            || self.language(file) == "kotlin" && is_declared()
    }

    /// The package that a file of Kotlin, Scala or Java declares, or the namespace of a file of PHP.
    pub(super) fn declared_package(&self, file: u32) -> Option<Rc<str>> {
        static PACKAGE: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?m)^[ \t]*package[ \t]+([\w.]+)").expect("a constant pattern"));
        if let Some(known) = self.packages.borrow().get(&file) {
            return known.clone();
        }
        let text = self.text(file);
        let pattern: &Regex =
            if self.family(file) == Family::Other("php") { &php_imports::NAMESPACE } else { &PACKAGE };
        let package = text.and_then(|text| pattern.captures(&text).map(|found| Rc::from(&found[1])));
        self.packages.borrow_mut().insert(file, package.clone());
        package
    }

    /// The file of a `require` of Ruby: relative to the file, or the nearest with this path at its end.
    fn ruby_file(&self, from: u32, name: &str) -> Vec<u32> {
        let name = format!("{}.rb", name.strip_suffix(".rb").unwrap_or(name));
        match name.starts_with('.') {
            true => self.beside(from, &name).into_iter().collect(),
            false => normalize(&name).map_or_else(Vec::new, |name| self.nearest(&name, from)),
        }
    }

    /// The file with a path that is relative to the folder of a file.
    pub(super) fn beside(&self, from: u32, name: &str) -> Option<u32> {
        let folder = path::split(self.snapshot.path(from)).0;
        normalize(&below(folder, name)).and_then(|path| self.paths().file(&path))
    }

    /// The files of a module of Swift, which is a folder below `Sources`.
    fn swift_module(&self, name: &str) -> Vec<u32> {
        let name = name.split('.').next().unwrap_or(name);
        let folders = self.paths().folders_ending_in(&format!("Sources/{name}"));
        folders.into_iter().flat_map(|folder| self.paths().folder(folder)).collect()
    }

    /// The headers that a file of C includes, directly or through others.
    pub(super) fn all_included(&self, from: u32) -> Rc<FxHashSet<u32>> {
        if let Some(known) = self.included.borrow().get(&from) {
            return known.clone();
        }
        let (mut found, mut wave) = (FxHashSet::default(), vec![from]);
        for _ in 0..MAX_INCLUDED_STEPS {
            for file in std::mem::take(&mut wave) {
                for import in self.imports_in(file).iter().take_while(|_| self.steps.take(STEPS_PER_INCLUDE))
                {
                    let files = self.module(file, &import.module);
                    wave.extend(files.into_iter().filter(|file| found.insert(*file)));
                }
                if found.len() > MAX_INCLUDED {
                    wave.clear();
                    break;
                }
            }
        }
        let found = Rc::new(found);
        self.included.borrow_mut().insert(from, found.clone());
        found
    }

    /// The files that an include may mean: beside the including file, or else the nearest with this path at its end.
    fn included(&self, from: u32, name: &str) -> Vec<u32> {
        match self.beside(from, name) {
            Some(file) => vec![file],
            None => normalize(name).map_or_else(Vec::new, |name| self.nearest(&name, from)),
        }
    }

    /// The files whose path ends in `suffix`, those that share the most folders with `from`.
    pub(super) fn nearest(&self, suffix: &str, from: u32) -> Vec<u32> {
        self.nearest_of(self.ending_in(suffix).iter().copied(), from)
    }

    /// The files whose path ends in `suffix`.
    fn ending_in(&self, suffix: &str) -> Rc<[u32]> {
        if let Some(known) = self.endings.borrow().get(suffix) {
            return known.clone();
        }
        let named = self.paths().named(path::split(suffix).1).into_iter();
        let found: Rc<[u32]> = named.filter(|file| ends_in(self.snapshot.path(*file), suffix)).collect();
        self.endings.borrow_mut().insert(suffix.into(), found.clone());
        found
    }

    /// Of files those that share the most folders with `from`.
    fn nearest_of(&self, files: impl Iterator<Item = u32>, from: u32) -> Vec<u32> {
        let near = self.snapshot.path(from);
        let found: Vec<(usize, u32)> =
            files.map(|file| (shared_folders(self.snapshot.path(file), near), file)).collect();
        let most = found.iter().map(|(shared, _)| *shared).max();
        found.into_iter().filter(|(shared, _)| Some(*shared) == most).map(|(_, file)| file).collect()
    }
}

/// The paths, relative to the folder of a configuration, that its `compilerOptions` give for a name.
fn mapped_paths(options: &serde_json::Value, name: &str) -> Vec<String> {
    let base = options.get("baseUrl").and_then(|base| base.as_str()).map(|base| base.trim_end_matches('/'));
    let mut found = Vec::new();
    if let Some(rows) = options.get("paths").and_then(|paths| paths.as_object()) {
        for (pattern, targets) in rows {
            let rest = match pattern.split_once('*') {
                Some((before, after)) => name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after)),
                None => (pattern == name).then_some(""),
            };
            let Some(rest) = rest else { continue };
            let targets = targets.as_array().map(Vec::as_slice).unwrap_or_default();
            let targets = targets.iter().filter_map(|target| target.as_str());
            found.extend(targets.map(|target| below(base.unwrap_or_default(), &target.replace('*', rest))));
        }
    }
    found.extend(base.map(|base| below(base, name)));
    found
}

fn parse_json_with_comments(text: &str) -> Option<serde_json::Value> {
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok()
}
