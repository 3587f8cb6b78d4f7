//! Completions at the caret of the query line: keys of filters, their values, and names of definitions.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Value, json};
use spyhop::engine::Engine;
use spyhop::engine::api::{ALL_ROWS, FilesRequest, SymbolsRequest};
use spyhop::filter::FilterSpec;

use super::super::ask::Ask;
use super::super::reply::ApiError;
use super::super::search::mode_of;
use super::super::site::{AskedTrees, PageSite};
use crate::query_line::{Key, QueryMode, kinds};

/// The most items.
const MOST: usize = 20;

/// An item: what replaces the span, what is shown, and more about it.
struct CompletionItem {
    text: String,
    label: String,
    detail: String,
    sort: &'static str,
}

pub fn answer(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["q", "at", "mode", "root", "view", "in"])?;
    let line = ask.params.all("q").next().unwrap_or_default();
    let at = ask.params.number("at", 0..=line.len())?.unwrap_or(line.len());
    if !line.is_char_boundary(at) {
        return Err(ApiError::bad(format!("at is {at}, which is inside of a character")));
    }
    let mode = ask.params.one("mode")?.filter(|name| *name != "auto").map(mode_of).transpose()?;
    let span = word_at(line, at);
    let word = &line[span.start..at];
    let items = match of_key(word) {
        Some((key, minus, value)) => {
            let prefix = format!("{}{}:", if minus { "-" } else { "" }, key.name());
            values(site, ask, key, value)?
                .into_iter()
                .map(|item| CompletionItem { text: format!("{prefix}{}", quoted(&item.text)), ..item })
                .collect()
        }
        None => words(site, ask, word, mode)?,
    };
    let items: Vec<Value> = items
        .iter()
        .take(MOST)
        .map(|it| json!({ "text": it.text, "label": it.label, "detail": it.detail, "sort": it.sort }))
        .collect();
    Ok(json!({ "span": [span.start, span.end], "items": items }).to_string())
}

/// The word around the caret.
fn word_at(line: &str, at: usize) -> Range<usize> {
    let start = line[..at].rfind(' ').map_or(0, |blank| blank + 1);
    let end = line[at..].find(' ').map_or(line.len(), |len| at + len);
    start..end
}

/// The key of a filter word, whether it excludes, and its value so far.
fn of_key(word: &str) -> Option<(Key, bool, &str)> {
    let bare = word.strip_prefix('-');
    let (key, value) = bare.unwrap_or(word).split_once(':')?;
    let key = Key::ALL.into_iter().find(|known| known.name() == key)?;
    Some((key, bare.is_some(), value.strip_prefix('"').unwrap_or(value)))
}

fn quoted(value: &str) -> String {
    if value.contains(' ') { format!("\"{value}\"") } else { value.to_string() }
}

/// Values of a key that begin with what is typed, or else contain it.
fn values(site: &PageSite, ask: &Ask, key: Key, typed: &str) -> Result<Vec<CompletionItem>, ApiError> {
    // Values of a list are completed one by one.
    let (done, typed) = match key {
        Key::Lang | Key::Kind | Key::In => {
            typed.rsplit_once(',').map_or(("", typed), |(done, last)| (done, last))
        }
        _ => ("", typed),
    };
    let before = if done.is_empty() { String::new() } else { format!("{done},") };
    let item = |value: &str, detail: String, sort| CompletionItem {
        text: format!("{before}{value}"),
        label: value.to_string(),
        detail,
        sort,
    };
    let items = match key {
        Key::Lang => {
            let languages = with_engine(site, ask, |engine| engine.languages())?;
            let mut rows: Vec<_> = languages.iter().filter(|row| row.files != Some(0)).collect();
            rows.sort_by_key(|row| std::cmp::Reverse(row.files));
            let count = |files: Option<usize>| files.map_or(String::new(), |files| format!("{files} files"));
            rows.iter().map(|row| item(row.name, count(row.files), "lang")).collect()
        }
        Key::Kind => kinds().map(|kind| item(kind, String::new(), "kind")).collect(),
        Key::View => {
            let root = with_engine(site, ask, |engine| engine.root().to_path_buf())?;
            Engine::revision_names(&root).iter().map(|name| item(name, String::new(), "view")).collect()
        }
        Key::In => {
            let trees = site.trees.iter().map(|tree| item(&tree.name, "served tree".into(), "source"));
            let sources = site.source_names();
            trees.chain(sources.iter().map(|name| item(name, "library".into(), "source"))).collect()
        }
        Key::Path => return folders(site, ask, typed),
        Key::Glob | Key::Exclude => Vec::new(),
    };
    Ok(matching(items, typed))
}

fn matching(items: Vec<CompletionItem>, typed: &str) -> Vec<CompletionItem> {
    let typed = typed.to_lowercase();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for item in items {
        let label = item.label.to_lowercase();
        if label.starts_with(&typed) {
            first.push(item);
        } else if label.contains(&typed) {
            rest.push(item);
        }
    }
    first.append(&mut rest);
    first
}

fn with_engine<T>(site: &PageSite, ask: &Ask, of: impl FnOnce(&Engine) -> T) -> Result<T, ApiError> {
    match site.asked(&ask.params)? {
        AskedTrees::Tree { engine, .. } => Ok(of(&engine)),
        AskedTrees::Sources(_) => {
            let engine = site.engine(0, None)?;
            Ok(of(&engine))
        }
    }
}

/// The entries of the folder that is typed so far.
fn folders(site: &PageSite, ask: &Ask, typed: &str) -> Result<Vec<CompletionItem>, ApiError> {
    let (folder, last) = typed.rsplit_once('/').unwrap_or(("", typed));
    let path = Some(folder.to_string()).filter(|path| !path.is_empty());
    let filter = FilterSpec { path, ..FilterSpec::default() };
    let request = FilesRequest { filter, max_results: ALL_ROWS, ..FilesRequest::new("") };
    // A folder that is not there has no entries.
    let Ok(reply) = with_engine(site, ask, |engine| engine.files(&request))? else { return Ok(Vec::new()) };
    let skip = if folder.is_empty() { 0 } else { folder.len() + 1 };
    let mut entries: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    for file in &reply.files {
        let Some(rest) = file.path.as_str().get(skip..) else { continue };
        let (name, is_dir) = rest.split_once('/').map_or((rest, false), |(name, _)| (name, true));
        if name.to_lowercase().starts_with(&last.to_lowercase()) {
            *entries.entry((!is_dir, name)).or_default() += 1;
        }
    }
    let item = |((is_file, name), files): (&(bool, &str), &usize)| {
        let slash = if *is_file { "" } else { "/" };
        let path = format!("{}{name}{slash}", &typed[..typed.len() - last.len()]);
        let detail = if *is_file { String::new() } else { format!("{files} files") };
        CompletionItem { text: path.clone(), label: path, detail, sort: "path" }
    };
    Ok(entries.iter().map(item).collect())
}

/// Keys that begin with the word, and definitions whose names match.
fn words(
    site: &PageSite,
    ask: &Ask,
    word: &str,
    mode: Option<QueryMode>,
) -> Result<Vec<CompletionItem>, ApiError> {
    let (minus, bare) = word.strip_prefix('-').map_or(("", word), |bare| ("-", bare));
    let is_key = |key: &Key| {
        key.name().starts_with(bare) && (minus.is_empty() || matches!(key, Key::Path | Key::Glob))
    };
    let keys = Key::ALL.into_iter().filter(is_key).map(|key| CompletionItem {
        text: format!("{minus}{}:", key.name()),
        label: format!("{minus}{}:", key.name()),
        detail: key.help().to_string(),
        sort: "key",
    });
    let mut items: Vec<CompletionItem> = keys.collect();
    let bare = word.strip_prefix('@').unwrap_or(word);
    let is_name =
        bare.chars().count() >= 2 && bare.chars().all(|sign| sign.is_alphanumeric() || "_.:".contains(sign));
    if is_name && mode != Some(QueryMode::Files) {
        let sign = if word.starts_with('@') { "@" } else { "" };
        let request = SymbolsRequest { max_results: MOST / 2, ..SymbolsRequest::new(bare) };
        if let Ok(reply) = with_engine(site, ask, |engine| engine.symbols(&request))? {
            items.extend(reply.symbols.iter().map(|symbol| CompletionItem {
                text: format!("{sign}{}", symbol.name),
                label: symbol.name.clone(),
                detail: format!("{} in {}", symbol.kind.name(), symbol.path),
                sort: "symbol",
            }));
            items.dedup_by(|one, other| one.text == other.text);
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_around_the_caret() {
        assert_eq!(word_at("a lang:ru b", 9), 2..9);
        assert_eq!(word_at("a lang:ru b", 4), 2..9);
        assert_eq!((word_at("", 0), word_at("a ", 2)), (0..0, 2..2));
    }

    #[test]
    fn a_key_and_its_value() {
        assert_eq!(of_key("-path:src/m"), Some((Key::Path, true, "src/m")));
        assert_eq!(of_key("path:\"my d"), Some((Key::Path, false, "my d")));
        assert_eq!((of_key("lang"), of_key("colour:x")), (None, None));
        assert_eq!((quoted("a b"), quoted("ab")), ("\"a b\"".to_string(), "ab".to_string()));
    }
}
