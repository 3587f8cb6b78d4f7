//! The routes and commands of a snapshot: candidates by the words and names of the index, then one scan per framework.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{Code, literal_text};
use super::framework::{EntryKind, FRAMEWORKS, Framework};
use super::handlers::{EntrySearch, Handler};
use super::routers::{RouterNode, Routers, ScannedFile};
use super::scan::{EntryDecl, Scanned, WrittenHandler, join_paths, methods_in};
use crate::definition::Definition;
use crate::family::Family;
use crate::files::Graph;
use crate::paths::shared_folders;
use crate::uses::FileFacts;
use spyhop_base::path;
use spyhop_base::text::Span;
use spyhop_index::inverted::IndexField;
use spyhop_search::{SearchError, files_with};

/// The most files that one framework reads.
const MAX_SCANNED: usize = 1_500;

/// The most bytes of a file that declares entries.
const MAX_BYTES: usize = 1 << 19;

/// The most files in which the value of a constant is looked up.
const MAX_CONSTANT_FILES: usize = 12;

/// A route or a command.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// Route or command.
    pub kind: EntryKind,
    /// The framework file whose pattern found the entry.
    pub framework: &'static str,
    /// The method of a route, `*` for any; the sort of a command, such as `script`.
    pub method: String,
    /// The path of a route, the name of a command.
    pub name: String,
    /// The declaring file.
    pub file: u32,
    /// The declaration.
    pub span: Span,
    /// The code that answers.
    pub handler: Handler,
}

/// The entries of a snapshot.
#[derive(Debug, Default)]
pub struct EntryPoints {
    /// The entries, by path and place of their declaration.
    pub entries: Vec<EntryPoint>,
    /// The number of candidate files that were not read.
    pub left_out: usize,
}

impl Graph<'_> {
    /// The routes or the commands of the snapshot.
    pub fn entry_points(&self, kind: EntryKind) -> Result<EntryPoints, SearchError> {
        self.entries_by_handler(kind, &|_| true)
    }

    /// The routes or the commands of the snapshot, with the definitions of the handlers that have a name which `takes_handler`.
    pub(super) fn entries_by_handler(
        &self,
        kind: EntryKind,
        takes_handler: &dyn Fn(&str) -> bool,
    ) -> Result<EntryPoints, SearchError> {
        let mut found = EntryPoints::default();
        let named = self.files_named(kind);
        let search = EntrySearch { takes_handler, constants: RefCell::default() };
        for framework in FRAMEWORKS.iter().filter(|framework| framework.kind() == kind) {
            let mut candidates = self.candidates(framework, &named)?;
            if candidates.is_empty() && framework.files.is_empty() {
                continue;
            }
            if let Some(paths) = &framework.paths {
                candidates.retain(|file| paths.is_match(self.snapshot.path(*file)));
            }
            found.left_out += candidates.len().saturating_sub(MAX_SCANNED);
            candidates.truncate(MAX_SCANNED);
            self.by_patterns(framework, &candidates, &search, &mut found.entries)?;
            self.by_tables(framework, &candidates, &mut found.entries)?;
            self.by_paths(framework, &mut found.entries)?;
        }
        // Two frameworks with one syntax find the same declarations.
        found.entries.sort_by(|a, b| {
            let key = |entry: &EntryPoint| {
                (self.snapshot.path(entry.file).to_string(), entry.span.start, entry.span.end)
            };
            key(a).cmp(&key(b)).then_with(|| (&a.name, &a.method).cmp(&(&b.name, &b.method)))
        });
        let mut seen = FxHashSet::default();
        found.entries.retain(|entry| {
            seen.insert((entry.file, entry.span.start, entry.method.clone(), entry.name.clone()))
        });
        Ok(found)
    }

    /// The files with a name that a framework of this kind names.
    fn files_named(&self, kind: EntryKind) -> FxHashMap<&str, Vec<u32>> {
        let frameworks = FRAMEWORKS.iter().filter(|framework| framework.kind() == kind);
        let names: FxHashSet<&str> =
            frameworks.flat_map(|framework| framework.names.iter().map(String::as_str)).collect();
        let mut found: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        for file in 0..self.snapshot.n_files() as u32 {
            let name = path::split(self.snapshot.path(file)).1;
            if names.contains(name) {
                found.entry(name).or_default().push(file);
            }
        }
        found
    }

    /// The files that may declare entries of a framework, by path.
    fn candidates(
        &self,
        framework: &Framework,
        named: &FxHashMap<&str, Vec<u32>>,
    ) -> Result<Vec<u32>, SearchError> {
        let mut files: Vec<u32> = Vec::new();
        for group in &framework.words {
            files.extend(self.files_with_words_of(group)?);
        }
        files.retain(|file| {
            let language = self.language(*file);
            framework.languages.is_empty() || framework.languages.iter().any(|known| known == language)
        });
        files.extend(framework.names.iter().filter_map(|name| named.get(name.as_str())).flatten());
        files.sort_unstable();
        files.dedup();
        // Tests and examples are read last: they are left out first.
        files.sort_by_cached_key(|file| {
            let path = self.snapshot.path(*file);
            (spyhop_search::is_aside(path), path.to_string())
        });
        Ok(files)
    }

    /// The entries that the patterns of a framework find.
    fn by_patterns(
        &self,
        framework: &Framework,
        candidates: &[u32],
        search: &EntrySearch<'_>,
        found: &mut Vec<EntryPoint>,
    ) -> Result<(), SearchError> {
        if framework.entries.is_empty() {
            return Ok(());
        }
        let mut files = Vec::new();
        for &file in candidates {
            let Some(text) = self.text(file).filter(|text| text.len() <= MAX_BYTES) else { continue };
            let file_name = path::split(self.snapshot.path(file)).1;
            let code = Code::new(self.language(file), &text);
            let constant = |expression: &str| self.constant(&code.text, expression, &search.constants);
            let scan = Scanned { file_name, code: &code, constants: &constant }.scan(framework);
            let is_empty = scan.entries.is_empty() && scan.mounts.is_empty() && scan.routers.is_empty();
            if is_empty && scan.globals.is_empty() {
                continue;
            }
            let facts = Rc::new(FileFacts::without_analysis(self.language(file), text));
            files.push(ScannedFile { file, facts, symbols: self.symbols(file)?, scan });
        }
        let routers = Routers::new(self, &files)?;
        for scanned in &files {
            let global = self.global_prefix(scanned.file, &files);
            for entry in &scanned.scan.entries {
                self.entry((framework, search), &routers, scanned, (entry, &global), found)?;
            }
        }
        Ok(())
    }

    /// The rows of one declared entry: one for each prefix of its router.
    fn entry(
        &self,
        (framework, search): (&Framework, &EntrySearch<'_>),
        routers: &Routers<'_, '_>,
        scanned: &ScannedFile,
        (entry, global): (&EntryDecl, &str),
        found: &mut Vec<EntryPoint>,
    ) -> Result<(), SearchError> {
        if entry.needs_router {
            let object =
                entry.object.as_deref().and_then(|name| routers.object(scanned, name, entry.span.start));
            if object.is_none() {
                return Ok(());
            }
        }
        let handler = self.handler(scanned, &entry.handler, search)?;
        let own = handler.definition.as_ref().filter(|_| entry.has_default_method);
        let mut methods = match own {
            Some(own) => self.declared_methods(own)?,
            None => Vec::new(),
        };
        // An item of a collection is not made, and a collection is not changed.
        if entry.method == "*" && matches!(entry.handler, WrittenHandler::Text { .. }) {
            let is_item = entry.path.ends_with('>');
            methods.retain(|method| match method.as_str() {
                "POST" => !is_item,
                "PUT" | "PATCH" | "DELETE" => is_item,
                _ => true,
            });
        }
        if methods.is_empty() {
            methods.push(entry.method.clone());
        }
        let point = |name: String, method: &String| EntryPoint {
            kind: framework.kind(),
            framework: framework.name,
            method: method.clone(),
            name,
            file: scanned.file,
            span: entry.span,
            handler: handler.clone(),
        };
        if framework.kind() == EntryKind::Command {
            found.push(point(entry.path.clone(), &entry.method));
            return Ok(());
        }
        let base = match (&handler.definition, entry.handler_is_base) {
            (Some(definition), true) => RouterNode::Function(definition.file, definition.place),
            _ => routers.base(scanned, entry.object.as_deref(), entry.span.start),
        };
        for prefix in routers.prefixes(base) {
            let path = as_path(&join_paths(global, &join_paths(&prefix, &entry.path)));
            found.extend(methods.iter().map(|method| point(path.clone(), method)));
        }
        Ok(())
    }

    /// The methods that a handler of Python declares: a class by an attribute or by its methods, a function by a decorator.
    fn declared_methods(&self, handler: &Definition) -> Result<Vec<String>, SearchError> {
        static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?m)^\s+(?:methods|http_method_names)\s*(?::[^=\n]+)?=\s*[\[({]([^\])}]*)")
                .expect("a constant")
        });
        static DECORATOR: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"@(?:\w+\.)?(?:api_view|require_http_methods)\(\s*[\[(]([^\])]*)")
                .expect("a constant")
        });
        static REQUIRED: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"@(?:\w+\.)?require_(GET|POST)\b").expect("a constant"));
        let text = match self.family(handler.file) {
            Family::Python => self.text(handler.file).unwrap_or_default(),
            _ => return Ok(Vec::new()),
        };
        let code = text.get(handler.span.range()).unwrap_or_default();
        let listed = |pattern: &Regex, code: &str| pattern.captures(code).map(|found| methods_in(&found[1]));
        if handler.kind.is_function() {
            let decorators = code.split("def ").next().unwrap_or_default();
            let required = || REQUIRED.captures(decorators).map(|found| vec![found[1].to_string()]);
            return Ok(listed(&DECORATOR, decorators).or_else(required).unwrap_or_default());
        }
        if let Some(methods) = listed(&ATTRIBUTE, code) {
            return Ok(methods);
        }
        let members = self.symbols(handler.file)?;
        let is_own = |own: &&Definition| {
            handler.span.contains(own.span) && own.container.as_deref() == Some(&*handler.name)
        };
        let names: Vec<&str> = members.iter().filter(is_own).map(|own| &*own.name).collect();
        let verbs = ["get", "post", "put", "patch", "delete"];
        Ok(verbs.iter().filter(|verb| names.contains(verb)).map(|verb| verb.to_ascii_uppercase()).collect())
    }

    /// The prefix of all routes of the program that a file belongs to: that of the nearest file which sets one.
    fn global_prefix(&self, file: u32, files: &[ScannedFile]) -> String {
        let path = self.snapshot.path(file);
        let setting = files.iter().filter(|scanned| !scanned.scan.globals.is_empty());
        let nearest = setting.max_by_key(|scanned| shared_folders(self.snapshot.path(scanned.file), path));
        nearest.and_then(|scanned| scanned.scan.globals.first().cloned()).unwrap_or_default()
    }

    /// The value of a constant that an expression names, from the same file or from the only file that gives it one.
    fn constant(
        &self,
        code: &str,
        expression: &str,
        known: &RefCell<FxHashMap<String, Option<String>>>,
    ) -> Option<String> {
        static CHAIN: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"^[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*$").expect("a constant")
        });
        let parts: Vec<&str> = expression.split('+').map(str::trim).collect();
        if parts.len() > 1 {
            let values = parts.iter().map(|part| {
                literal_text(part).map(str::to_string).or_else(|| self.constant(code, part, known))
            });
            return values.collect::<Option<Vec<_>>>().map(|values| values.concat());
        }
        if !CHAIN.is_match(expression) {
            return None;
        }
        let name = expression.rsplit(['.', ':']).next().unwrap_or(expression);
        if let Some(value) = assigned(code, name) {
            return Some(value);
        }
        if let Some(value) = known.borrow().get(name) {
            return value.clone();
        }
        let files = files_with(self.snapshot, IndexField::Word, name).unwrap_or_default();
        let readable = if files.len() <= MAX_CONSTANT_FILES { files } else { Vec::new() };
        let texts = readable.into_iter().filter_map(|file| self.text(file));
        let mut values: Vec<String> = texts.filter_map(|text| assigned(&text, name)).collect();
        values.sort();
        values.dedup();
        let value = (values.len() == 1).then(|| values.remove(0));
        known.borrow_mut().insert(name.to_string(), value.clone());
        value
    }
}

/// The literal that a text assigns to a name.
fn assigned(text: &str, name: &str) -> Option<String> {
    let pattern = format!(
        r#"(?m)^[^(,\n]*\b{}\b\s*(?::\s*[&'\w.\[\]]+)?\s*:?=\s*("[^"\n]*"|'[^'\n]*'|`[^`\n]*`)"#,
        regex::escape(name)
    );
    let found = Regex::new(&pattern).ok()?.captures(text)?;
    literal_text(found.get(1)?.as_str()).map(str::to_string)
}

/// A path with one `/` at its begin and none twice.
fn as_path(path: &str) -> String {
    let mut out = String::from("/");
    for c in path.chars().filter(|c| !c.is_whitespace()) {
        if c != '/' || !out.ends_with('/') {
            out.push(c);
        }
    }
    out
}
