//! Completions at the caret of the query line: keys of filters, their values, and names of definitions.

use std::ops::Range;

use serde_json::{Value, json};
use spyhop_engine::Engine;
use spyhop_engine::api::{LanguagesRequest, SymbolsRequest};

use super::super::ask::Ask;
use super::super::reply::ApiError;
use super::super::search::mode_of;
use super::super::site::{AskedTrees, PageSite};
use super::coverage::{FolderEntry, all_files, entries};
use crate::query_line::{self, Key, QueryMode, kinds};

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
    let span = query_line::word_at(line, at);
    let word = &line[span.start..at];
    let scope = || scope(site, ask, line, &span);
    let typed = of_key(word);
    let items = match typed {
        Some((key, minus, value)) => {
            let prefix = format!("{}{}:", if minus { "-" } else { "" }, key.name());
            values(site, &scope, key, value)?
                .into_iter()
                .map(|item| CompletionItem { text: format!("{prefix}{}", quoted(&item.text)), ..item })
                .collect()
        }
        None => words(&scope, word, mode)?,
    };
    let items: Vec<Value> = items
        .iter()
        .take(MOST)
        .map(|it| json!({ "text": it.text, "label": it.label, "detail": it.detail, "sort": it.sort }))
        .collect();
    let key = typed.map(|(key, ..)| key.name());
    Ok(json!({ "span": [span.start, span.end], "key": key, "items": items }).to_string())
}

/// The key of a filter word, whether it excludes, and its value so far.
fn of_key(word: &str) -> Option<(Key, bool, &str)> {
    let bare = word.strip_prefix('-');
    let (key, value) = bare.unwrap_or(word).split_once(':')?;
    let key = Key::by_name(key).filter(|_| !value.starts_with(':'))?;
    let quoted = value.strip_prefix('"').map(|value| value.strip_suffix('"').unwrap_or(value));
    Some((key, bare.is_some(), quoted.unwrap_or(value)))
}

fn quoted(value: &str) -> String {
    if value.contains(' ') { format!("\"{value}\"") } else { value.to_string() }
}

/// Values of a key that begin with what is typed, or else contain it.
fn values(
    site: &PageSite,
    scope: ScopeFn<'_>,
    key: Key,
    typed: &str,
) -> Result<Vec<CompletionItem>, ApiError> {
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
            let languages = scope()?.ask(&LanguagesRequest)?.languages;
            let mut rows: Vec<_> = languages.iter().filter(|row| row.files != Some(0)).collect();
            rows.sort_by_key(|row| std::cmp::Reverse(row.files));
            let count = |files: Option<usize>| files.map_or(String::new(), |files| format!("{files} files"));
            rows.iter().map(|row| item(row.name, count(row.files), "lang")).collect()
        }
        Key::Kind => kinds().map(|kind| item(kind, String::new(), "kind")).collect(),
        Key::View => {
            let engine = scope()?;
            Engine::revision_names(engine.root())
                .iter()
                .map(|name| item(name, String::new(), "view"))
                .collect()
        }
        Key::In => {
            let trees = site.trees.iter().map(|tree| item(&tree.name, "served tree".into(), "source"));
            let sources = site.source_names();
            trees.chain(sources.iter().map(|name| item(name, "library".into(), "source"))).collect()
        }
        Key::Path => return folders(&scope()?, typed),
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

/// The engine of the scope, which is opened if it is needed.
type ScopeFn<'s> = &'s dyn Fn() -> Result<Engine, ApiError>;

/// The tree that the other words of the line ask, or the first of several trees.
fn scope(site: &PageSite, ask: &Ask, line: &str, typed: &Range<usize>) -> Result<Engine, ApiError> {
    let words = query_line::filter_words(line);
    let others = || words.iter().filter(|word| word.span.start != typed.start && !word.value.is_empty());
    let values = |key: Key| others().filter(move |word| word.key == key).map(|word| word.value.as_str());
    let sources: Vec<String> =
        values(Key::In).flat_map(|value| value.split(',')).map(str::to_string).collect();
    let sources = if sources.is_empty() { ask.params.sources() } else { sources };
    let view = match values(Key::View).next_back() {
        Some(view) => Some(view),
        None => ask.params.one("view")?,
    };
    match site.chosen(ask.params.one("root")?, view, &sources)? {
        AskedTrees::Tree { engine, .. } => Ok(engine),
        AskedTrees::Sources(set) => match set.members().next() {
            Some((_, engine)) => Ok(engine.with_policy(engine.policy())),
            None => site.engine(0, None),
        },
    }
}

/// The entries of the folder that is typed so far.
fn folders(engine: &Engine, typed: &str) -> Result<Vec<CompletionItem>, ApiError> {
    let (folder, last) = typed.rsplit_once('/').unwrap_or(("", typed));
    // A folder that is not there has no entries.
    let Ok(reply) = all_files(engine, folder) else { return Ok(Vec::new()) };
    let is_typed = |entry: &FolderEntry<'_>| entry.name.to_lowercase().starts_with(&last.to_lowercase());
    let item = |FolderEntry { name, is_dir, files, .. }: FolderEntry<'_>| {
        let slash = if is_dir { "/" } else { "" };
        let path = format!("{}{name}{slash}", &typed[..typed.len() - last.len()]);
        let detail = if is_dir { format!("{files} files") } else { String::new() };
        CompletionItem { text: path.clone(), label: path, detail, sort: "path" }
    };
    Ok(entries(&reply, folder).into_iter().filter(is_typed).map(item).collect())
}

/// Keys that begin with the word, and definitions whose names match.
fn words(scope: ScopeFn<'_>, word: &str, mode: Option<QueryMode>) -> Result<Vec<CompletionItem>, ApiError> {
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
        if let Ok(reply) = scope()?.ask(&request) {
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
    fn a_key_and_its_value() {
        assert_eq!(of_key("-path:src/m"), Some((Key::Path, true, "src/m")));
        assert_eq!(of_key("path:\"my d"), Some((Key::Path, false, "my d")));
        assert_eq!(of_key("path:\"my d\""), Some((Key::Path, false, "my d")));
        assert_eq!(of_key("path::Path"), None);
        assert_eq!((of_key("lang"), of_key("colour:x")), (None, None));
        assert_eq!((quoted("a b"), quoted("ab")), ("\"a b\"".to_string(), "ab".to_string()));
    }
}
