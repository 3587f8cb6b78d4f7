//! Entries that are not patterns of code: rows of TOML and JSON files, and files whose path is the entry.

use serde_json::Value;

use super::code::Code;
use super::collect::EntryPoint;
use super::framework::{EntryKind, FileRule, Framework, TableRule};
use super::handlers::Handler;
use super::template::{Captured, Template};
use crate::files::Graph;
use crate::paths::below;
use spyhop_base::text::Span;
use spyhop_search::SearchError;

impl Graph<'_> {
    /// The entries that are rows of tables.
    pub(super) fn by_tables(
        &self,
        framework: &Framework,
        candidates: &[u32],
        found: &mut Vec<EntryPoint>,
    ) -> Result<(), SearchError> {
        if framework.tables.is_empty() {
            return Ok(());
        }
        for &file in candidates {
            let Some(text) = self.text(file) else { continue };
            let Some(value) = parse(self.snapshot.path(file), &text) else { continue };
            for rule in &framework.tables {
                let Some(rows) = rule.key.split('.').try_fold(&value, |value, key| value.get(key)) else {
                    continue;
                };
                let from = text.find(rule.key.rsplit('.').next().unwrap_or_default()).unwrap_or(0);
                for captured in captured_rows(rows, &value) {
                    self.table_row(framework, rule, (file, &text, from), &captured, found)?;
                }
            }
        }
        Ok(())
    }

    fn table_row(
        &self,
        framework: &Framework,
        rule: &TableRule,
        (file, text, from): (u32, &str, usize),
        captured: &Captured,
        found: &mut Vec<EntryPoint>,
    ) -> Result<(), SearchError> {
        let Some(name) = expanded(&rule.name, captured) else { return Ok(()) };
        let written = expanded(&rule.handler, captured).unwrap_or_default();
        let handler = self.handler_by_text(file, rule.handler_form, &written)?;
        let at = place_of(text, from, &name);
        found.push(EntryPoint {
            kind: framework.kind(),
            framework: framework.name,
            method: rule.label.clone(),
            span: Span::new(at, (at + name.len()).min(text.len())),
            name,
            file,
            handler,
        });
        Ok(())
    }

    /// The entries that are the paths of files.
    pub(super) fn by_paths(
        &self,
        framework: &Framework,
        found: &mut Vec<EntryPoint>,
    ) -> Result<(), SearchError> {
        if framework.files.is_empty() {
            return Ok(());
        }
        for file in 0..self.snapshot.n_files() as u32 {
            let language = self.language(file);
            if !framework.languages.is_empty() && !framework.languages.iter().any(|known| known == language) {
                continue;
            }
            let path = self.snapshot.path(file);
            if framework.paths.as_ref().is_some_and(|paths| !paths.is_match(path)) {
                continue;
            }
            for rule in &framework.files {
                let Some(captures) = rule.pattern.captures(path) else { continue };
                // A table may have named the file already.
                let is_known = |entry: &EntryPoint| {
                    entry.framework == framework.name && entry.handler.file == Some(file)
                };
                if framework.kind() == EntryKind::Command && found.iter().any(is_known) {
                    continue;
                }
                let names = rule.pattern.capture_names().flatten();
                let texts = names
                    .filter_map(|name| Some((name.to_string(), captures.name(name)?.as_str().to_string())));
                self.path_entries(framework, rule, file, texts.collect(), found)?;
            }
        }
        Ok(())
    }

    fn path_entries(
        &self,
        framework: &Framework,
        rule: &FileRule,
        file: u32,
        mut captured: Captured,
        found: &mut Vec<EntryPoint>,
    ) -> Result<(), SearchError> {
        let root = captured.get("root").cloned().unwrap_or_default();
        let folder = root.trim_end_matches('/');
        if !self.is_root(rule, folder) {
            return Ok(());
        }
        if let (Some(manifest), Some(key)) = (&rule.root_manifest, &rule.name_key) {
            let manifest = self.paths().file(&below(folder, manifest));
            let text = manifest.and_then(|manifest| self.text(manifest)).unwrap_or_default();
            let value = manifest.and_then(|manifest| parse(self.snapshot.path(manifest), &text));
            let name = value.as_ref().and_then(|value| {
                key.split('.').try_fold(value, |value, key| value.get(key)).and_then(Value::as_str)
            });
            let Some(name) = name else { return Ok(()) };
            captured.insert("manifest_name".to_string(), name.to_string());
        }
        let text = self.text(file).unwrap_or_default();
        let code = Code::new(self.language(file), &text).text;
        let Some(each) = &rule.each else {
            return self.path_entry(framework, rule, file, (&captured, Span::new(0, 0)), found);
        };
        for captures in each.captures_iter(&code) {
            let mut with_groups = captured.clone();
            for name in each.capture_names().flatten() {
                if let Some(found) = captures.name(name) {
                    with_groups.insert(name.to_string(), found.as_str().to_string());
                }
            }
            let whole = captures.get(0).expect("group 0 is the match");
            let start = whole.start() + whole.len() - whole.as_str().trim_start().len();
            self.path_entry(framework, rule, file, (&with_groups, Span::new(start, whole.end())), found)?;
        }
        Ok(())
    }

    fn path_entry(
        &self,
        framework: &Framework,
        rule: &FileRule,
        file: u32,
        (captured, span): (&Captured, Span),
        found: &mut Vec<EntryPoint>,
    ) -> Result<(), SearchError> {
        let (method, templates) = match framework.kind() {
            EntryKind::Route => (expanded(&rule.method, captured), &rule.path),
            EntryKind::Command => (Some(rule.label.clone()), &rule.name),
        };
        let Some(name) = expanded(templates, captured) else { return Ok(()) };
        let written = expanded(&rule.handler, captured).unwrap_or_default();
        let mut symbols = self.symbols(file)?.into_iter();
        let handler = match symbols.find(|symbol| *symbol.name == *written) {
            Some(definition) => Handler {
                text: definition.qualified(),
                definition: Some(definition),
                file: Some(file),
                confidence: 0.97,
            },
            None => Handler::file(&written, Some(file)),
        };
        found.push(EntryPoint {
            kind: framework.kind(),
            framework: framework.name,
            method: method.unwrap_or_else(|| "*".to_string()),
            name,
            file,
            span,
            handler,
        });
        Ok(())
    }

    /// Whether a folder is one that the rule asks for: with one of its files, or with a manifest that fits.
    fn is_root(&self, rule: &FileRule, folder: &str) -> bool {
        if rule.root_files.is_empty() && rule.root_requires.is_none() {
            return true;
        }
        if rule.root_files.iter().any(|name| self.paths().file(&below(folder, name)).is_some()) {
            return true;
        }
        let (Some(manifest), Some(requires)) = (&rule.root_manifest, &rule.root_requires) else {
            return false;
        };
        let manifest = self.paths().file(&below(folder, manifest));
        manifest.and_then(|manifest| self.text(manifest)).is_some_and(|text| requires.is_match(&text))
    }
}

fn expanded(templates: &[Template], captured: &Captured) -> Option<String> {
    templates.iter().find_map(|template| template.expand(captured, &|_| None))
}

fn parse(path: &str, text: &str) -> Option<Value> {
    match path.ends_with(".json") {
        true => serde_json::from_str(text).ok(),
        false => toml::from_str(text).ok(),
    }
}

/// The captures of each row of a table: `key` and `value`, or the fields of a table, and `package`, the name of the file's
/// package.
fn captured_rows(rows: &Value, whole: &Value) -> Vec<Captured> {
    let package = whole.get("name").or_else(|| whole.get("package")?.get("name")).and_then(Value::as_str);
    let row = |key: Option<&str>, value: &Value| {
        let mut captured = Captured::default();
        captured.extend(package.map(|name| ("package".to_string(), name.to_string())));
        captured.extend(key.map(|key| ("key".to_string(), key.to_string())));
        captured.extend(text_of(value).map(|text| ("value".to_string(), text)));
        let fields = value.as_object().into_iter().flatten();
        captured.extend(fields.filter_map(|(name, value)| Some((name.clone(), text_of(value)?))));
        captured
    };
    match rows {
        Value::Object(fields) => fields.iter().map(|(key, value)| row(Some(key), value)).collect(),
        Value::Array(values) => values.iter().map(|value| row(None, value)).collect(),
        value => vec![row(package.map(|name| name.rsplit('/').next().unwrap_or(name)), value)],
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(values) => {
            values.iter().map(Value::as_str).collect::<Option<Vec<_>>>().map(|texts| texts.join(" "))
        }
        _ => None,
    }
}

/// The position of a key of a table: the first at the begin of a line or in quotes, after `from`.
fn place_of(text: &str, from: usize, name: &str) -> usize {
    let is_key = |at: usize| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let is_begun = before.is_empty() || before.ends_with(['\n', '"', '\'', '{', ',']);
        let after = text[at + name.len()..].trim_start_matches(['"', '\'', ' ', '\t']);
        is_begun && after.starts_with([':', '='])
    };
    let keys = text[from..].match_indices(name).map(|(at, _)| from + at);
    let any = || text[from..].find(name).map_or(from, |at| from + at);
    keys.into_iter().find(|at| is_key(*at)).unwrap_or_else(any)
}
