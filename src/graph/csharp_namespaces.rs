//! The namespaces of C#: those that a file declares and uses, and the types that a plain name means by them.
//!
//! A file sees the types of the namespaces around the use and of those that its `using` directives name. Names of folders and files
//! say nothing.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashSet;

use super::arguments::type_parameters;
use super::declared_namespaces::{FileNamespaces, declared_in, outward};
use super::family::CSHARP;
use super::files::{BYTES_PER_STEP, Graph};
use super::imports::{ImportEdge, ImportStatement};
use super::paths::shared_folders;
use super::resolve::{Question, RuleResult};
use super::rule::EdgeRule;
use super::use_form::UseForm;
use super::uses::{Receiver, UseRole};
use super::words::whole_words;
use crate::definition::Definition;
use spyhop_index::inverted::IndexField;
use spyhop_search::{SearchError, files_with};

impl Graph<'_> {
    pub(super) fn namespaces_of(&self, file: u32) -> Rc<FileNamespaces> {
        if let Some(known) = self.namespaces.by_file.borrow().get(&file) {
            return known.clone();
        }
        let text = self.text(file).unwrap_or_default();
        self.steps.take(text.len() / BYTES_PER_STEP);
        let used = self.imports_in(file).wildcards().map(|import| import.module.clone()).collect();
        let found = Rc::new(FileNamespaces { declared: declared_in(&text), used });
        self.namespaces.by_file.borrow_mut().insert(file, found.clone());
        found
    }

    /// The namespaces that some file of the tree uses for all files.
    fn global_namespaces(&self) -> &[Box<str>] {
        self.namespaces.global.get_or_init(|| {
            let files = files_with(self.snapshot, IndexField::Word, "global").unwrap_or_default();
            let mut found = BTreeSet::new();
            for file in files.into_iter().filter(|file| self.family(*file) == CSHARP && self.steps.look()) {
                let Some(text) = self.text(file).filter(|text| text.contains("global using")) else {
                    continue;
                };
                for import in self.imports_in(file).wildcards() {
                    let is_global = text[import.start as usize..].starts_with("global");
                    found.extend(is_global.then(|| import.module.clone()));
                }
            }
            found.extend(self.namespaces_of_projects());
            found.into_iter().collect()
        })
    }

    /// The namespaces that projects use for all their files: `<Using Include="Shop.Pools" />`.
    fn namespaces_of_projects(&self) -> Vec<Box<str>> {
        static USING: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"<Using\s[^>]*\bInclude\s*=\s*"([\w.]+)""#).expect("a constant pattern")
        });
        let mut files = files_with(self.snapshot, IndexField::Word, "Using").unwrap_or_default();
        let is_project = |path: &str| [".csproj", ".props", ".targets"].iter().any(|end| path.ends_with(end));
        files.retain(|file| is_project(self.snapshot.path(*file)) && self.steps.look());
        let texts = files.into_iter().filter_map(|file| self.text(file));
        texts
            .flat_map(|text| USING.captures_iter(&text).map(|used| used[1].into()).collect::<Vec<_>>())
            .collect()
    }

    /// The full name of the namespace around a definition.
    pub(super) fn namespace_of(&self, own: &Definition) -> Box<str> {
        self.namespaces_of(own.file).at(own.span.start).into()
    }

    /// Of types outside of other types, those that a name means in a file by its namespaces, and whether a `using` directive leads to
    /// them. `at` is the byte of the use, if that is known.
    pub(super) fn types_in_sight(
        &self,
        file: u32,
        at: Option<u32>,
        types: &[Definition],
    ) -> Option<(EdgeRule, Vec<Definition>)> {
        let own = self.namespaces_of(file);
        let homes: Vec<Box<str>> = types.iter().map(|found| self.namespace_of(found)).collect();
        let within = |takes: &dyn Fn(&str) -> bool| -> Vec<Definition> {
            let found = types.iter().zip(&homes).filter(|(_, home)| takes(home));
            found.map(|(found, _)| found.clone()).collect()
        };
        let around: Vec<&str> = match at {
            Some(at) => outward(own.at(at)).collect(),
            None => own.declared.iter().rev().flat_map(|(_, name)| outward(name)).chain([""]).collect(),
        };
        for namespace in around.iter().filter(|own| !own.is_empty()) {
            let found = within(&|home| home == *namespace);
            if !found.is_empty() {
                return Some((EdgeRule::SamePackage, self.nearest_types(file, found)));
            }
        }
        let is_used = |home: &str| {
            let used = own.used.iter().chain(self.global_namespaces());
            used.into_iter().any(|used| {
                let is_below = |outer: &&str| {
                    let rest = home.strip_prefix(*outer).and_then(|rest| rest.strip_prefix('.'));
                    rest == Some(&**used)
                };
                **used == *home || around.iter().any(is_below)
            })
        };
        let found = within(&is_used);
        if !found.is_empty() {
            return Some((EdgeRule::Wildcard, self.nearest_types(file, found)));
        }
        let found = within(&|home| home.is_empty());
        (!found.is_empty()).then(|| (EdgeRule::SamePackage, self.nearest_types(file, found)))
    }

    /// Whether one of some namespaces is in sight of a file.
    pub(super) fn sees_namespace(&self, file: u32, namespaces: &[Box<str>]) -> bool {
        let own = self.namespaces_of(file);
        let around = own.declared.iter().flat_map(|(_, name)| outward(name)).chain([""]);
        let seen: FxHashSet<&str> =
            around.chain(own.used.iter().chain(self.global_namespaces()).map(|own| &**own)).collect();
        namespaces.iter().any(|own| seen.contains(&**own))
    }

    /// Types of one name without those of other projects: the parts of a type are all meant, of other types the nearest.
    fn nearest_types(&self, file: u32, mut types: Vec<Definition>) -> Vec<Definition> {
        if types.len() > 1 && !types.iter().all(|own| self.is_partial(own)) {
            let near = self.snapshot.path(file);
            let shared = |own: &Definition| shared_folders(self.snapshot.path(own.file), near);
            let most = types.iter().map(shared).max();
            types.retain(|own| Some(shared(own)) == most);
        }
        types
    }

    /// The types behind the chain of names `chain` that are those of a namespace.
    pub(super) fn types_behind(&self, question: &Question<'_>, chain: &str) -> Vec<Definition> {
        let own = self.namespaces_of(question.file);
        let is_named = |found: &&Definition| {
            let home = self.namespace_of(found);
            *home == *chain
                || outward(own.at(question.used.span.start)).any(|outer| {
                    home.strip_prefix(outer).and_then(|rest| rest.strip_prefix('.')) == Some(chain)
                })
        };
        let types = question.candidates(|found| found.kind.is_type_like() && found.container.is_none());
        types.into_iter().filter(is_named).cloned().collect()
    }

    /// The meaning of a plain name of C# by namespaces; what is in none of these is not of the tree.
    pub(super) fn by_namespaces(&self, question: &Question<'_>) -> RuleResult {
        let types = question.candidates(|found| found.kind.is_type_like() && found.container.is_none());
        let types: Vec<Definition> = types.into_iter().cloned().collect();
        if let Some((rule, found)) =
            self.types_in_sight(question.file, Some(question.used.span.start), &types)
        {
            return Some((rule, self.of_arity(question, found)));
        }
        let is_type = matches!(question.form, UseForm::TypeName | UseForm::Constructed);
        if !types.is_empty() && (is_type || question.candidates.iter().len() == types.len()) {
            return Some((EdgeRule::Wildcard, Vec::new()));
        }
        // The static members of a type that is used as a whole.
        let own = self.namespaces_of(question.file);
        for used in own.used.iter().chain(self.global_namespaces()) {
            let (home, holder) = used.rsplit_once('.').unwrap_or(("", used));
            let mut members = question.in_container(holder);
            members.retain(|own| *self.namespace_of(own) == *home);
            if !members.is_empty() {
                return Some((EdgeRule::Wildcard, question.nearest(members)));
            }
        }
        None
    }

    /// Of types of one name, those with as many type arguments as the use has.
    fn of_arity(&self, question: &Question<'_>, mut types: Vec<Definition>) -> Vec<Definition> {
        if types.len() > 1 {
            let is_type = matches!(question.form, UseForm::TypeName | UseForm::Constructed);
            let after = &question.facts.text[question.used.span.end as usize..];
            let n_arguments = type_parameters(after, is_type);
            let fits = |own: &Definition| {
                let facts = self.facts(own.file);
                let name = facts.as_ref().and_then(|facts| facts.name_of(own.place));
                name.is_some_and(|name| {
                    let after = facts.as_ref().and_then(|facts| facts.text.get(name.end as usize..));
                    type_parameters(after.unwrap_or_default(), true) == n_arguments
                })
            };
            if types.iter().any(fits) {
                types.retain(fits);
            }
        }
        types
    }

    /// Whether a name is a part of the name of a namespace or package: in its declaration, or in an import of something below.
    pub(super) fn is_part_of_namespace(&self, question: &Question<'_>) -> bool {
        let text = &question.facts.text;
        let line = text[..question.used.span.start as usize].rsplit('\n').next().unwrap_or_default();
        let head = line.trim_start().trim_end_matches(|c: char| c == '.' || c == '_' || c.is_alphanumeric());
        let follows = text[question.used.span.end as usize..].trim_start().starts_with('.');
        match question.family {
            CSHARP if head.trim_end() == "namespace" => true,
            CSHARP => {
                question.used.role == UseRole::Import && matches!(head.trim_end(), "using" | "global using")
            }
            _ => {
                let is_lower = question.name.starts_with(char::is_lowercase);
                let is_package = question.used.role == UseRole::Import && follows && is_lower;
                head.trim_end() == "package" || is_package
            }
        }
    }

    /// The extension methods of C# that a call behind a receiver of unknown type means: those of a namespace in sight, if the tree has no
    /// other members of this name that the arguments fit.
    pub(super) fn by_extension(&self, question: &Question<'_>) -> Result<RuleResult, SearchError> {
        let is_member = matches!(question.used.receiver, Receiver::Chain(_) | Receiver::Expression);
        if question.family != CSHARP || !is_member || question.used.role != UseRole::Call {
            return Ok(None);
        }
        let found = question.candidates(|own| own.kind.is_function() && own.container.is_some());
        let found = self.of_arguments(question, question.nearest(found));
        if found.is_empty()
            || self.is_library_function(question)
            || !found.iter().all(|own| self.is_extension(own))
        {
            return Ok(None);
        }
        let mut seen = Vec::new();
        for own in found {
            let holders = self.definitions_in(CSHARP, own.container.as_deref().unwrap_or_default())?;
            let holder =
                holders.in_file(own.file).iter().find(|holder| holder.span.contains(own.span)).cloned();
            let at = Some(question.used.span.start);
            if holder.is_some_and(|holder| self.types_in_sight(question.file, at, &[holder]).is_some()) {
                seen.push(own);
            }
        }
        Ok((!seen.is_empty()).then_some((EdgeRule::Wildcard, seen)))
    }

    /// The files that a `using` directive with this name leads a file to: of those that declare the namespace, the ones that define a type
    /// or an extension method that the file names, or all without any such one.
    pub(super) fn files_used(&self, from: u32, name: &str) -> Vec<u32> {
        let declaring = self.namespace_files(name);
        let text = self.text(from).unwrap_or_default();
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        let words: FxHashSet<&str> = text.split(|c| !is_word(c)).collect();
        self.steps.take(text.len() / BYTES_PER_STEP + declaring.len());
        let is_named = |file: &&u32| self.names_defined(**file).iter().any(|name| words.contains(&**name));
        let named: Vec<u32> = declaring.iter().filter(is_named).copied().collect();
        if named.is_empty() { declaring.to_vec() } else { named }
    }

    /// The `using` directives of a file that lead to another file, if the file names a type or an extension method of it.
    pub(super) fn uses_of_file(&self, file: u32, other: u32) -> Vec<ImportEdge> {
        let own = self.namespaces_of(other);
        let leads = |module: &str| {
            let outer = module.rsplit_once('.').map(|(outer, _)| outer);
            own.declared.iter().any(|(_, name)| **name == *module || Some(&**name) == outer)
        };
        let imports = self.imports_in(file);
        let leading: Vec<&ImportStatement> = imports.iter().filter(|import| leads(&import.module)).collect();
        let text = if leading.is_empty() { None } else { self.text(file) };
        let Some(text) = text.filter(|text| self.steps.take(text.len() / BYTES_PER_STEP)) else {
            return Vec::new();
        };
        if !self.names_defined(other).iter().any(|name| !whole_words(&text, name).is_empty()) {
            return Vec::new();
        }
        let edge = |import: &ImportStatement| {
            let module = import.module.to_string();
            ImportEdge { file, start: import.start, module, files: vec![other] }
        };
        leading.into_iter().map(edge).collect()
    }

    /// The files that declare a namespace of C#, or those of the type with this name.
    fn namespace_files(&self, name: &str) -> Rc<Vec<u32>> {
        if let Some(known) = self.namespaces.files.borrow().get(name) {
            return known.clone();
        }
        let last = name.rsplit('.').next().unwrap_or(name);
        let mut found = files_with(self.snapshot, IndexField::Word, last).unwrap_or_default();
        found.retain(|file| self.family(*file) == CSHARP && self.steps.take(1));
        found.retain(|file| self.namespaces_of(*file).declared.iter().any(|(_, own)| **own == *name));
        if let (true, Some((namespace, _))) = (found.is_empty(), name.rsplit_once('.')) {
            let all = self.definitions_in(CSHARP, last).ok();
            let types = all.iter().flat_map(|all| all.iter()).filter(|own| own.kind.is_type_like());
            found.extend(types.filter(|own| *self.namespace_of(own) == *namespace).map(|own| own.file));
        }
        let found = Rc::new(found);
        self.namespaces.files.borrow_mut().insert(name.into(), found.clone());
        found
    }

    /// The names of the types and extension methods that a file defines.
    fn names_defined(&self, file: u32) -> Rc<FxHashSet<Box<str>>> {
        static EXTENSION: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(\w+)[ \t]*(?:<[\w, ]*>)?\(\s*this\s").expect("a constant pattern")
        });
        if let Some(known) = self.namespaces.names.borrow().get(&file) {
            return known.clone();
        }
        let symbols = self.symbols(file).unwrap_or_default().into_iter();
        let mut found: FxHashSet<Box<str>> =
            symbols.filter(|own| own.kind.is_type_like()).map(|own| (&*own.name).into()).collect();
        let text = self.text(file).unwrap_or_default();
        found.extend(EXTENSION.captures_iter(&text).map(|name| Box::from(&name[1])));
        let found = Rc::new(found);
        self.namespaces.names.borrow_mut().insert(file, found.clone());
        found
    }

    /// The last parts of the names of the namespaces that a file declares.
    pub(super) fn namespace_words(&self, file: u32) -> Vec<String> {
        let own = self.namespaces_of(file);
        own.declared.iter().filter_map(|(_, name)| name.rsplit('.').next()).map(str::to_string).collect()
    }
}
