//! Targets of the code graph as people type them: names, qualified names, places, files.

use std::cmp::Reverse;

use super::Error;
use crate::graph::{Definition, Graph};
use crate::query;
use crate::search::{self, SearchSnapshot};

/// The most names that an error lists.
const MAX_NEAR: usize = 5;

/// What a target means.
pub(super) enum Target {
    /// Definitions, best first; at least one.
    Symbols(Vec<Definition>),
    /// A file.
    File(u32),
}

/// The meaning of a target.
pub(super) fn resolve(graph: &Graph<'_>, snapshot: &SearchSnapshot, typed: &str) -> Result<Target, Error> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(Error::bad(
            "the target is empty; give a name, such as Engine.search, or a place, such as src/a.rs:10",
        ));
    }
    if let Some(file) = file_at(snapshot, typed) {
        return Ok(Target::File(file));
    }
    if let Some((file, line, column)) = place(snapshot, typed) {
        return at_place(graph, snapshot, file, line, column).map(Target::Symbols);
    }
    if let Some((path, name)) = typed.split_once('#')
        && let Some(file) = file_at(snapshot, path)
    {
        let (container, last) = query::split_container(name);
        let mut found = graph.symbols(file)?;
        found.retain(|own| &*own.name == last && has_container(own, container));
        return match found.is_empty() {
            true => Err(Error::bad(format!("'{path}' defines no '{name}'; {}", names_of(graph, file)?))),
            false => Ok(Target::Symbols(found)),
        };
    }
    by_name(graph, snapshot, typed).map(Target::Symbols)
}

fn file_at(snapshot: &SearchSnapshot, path: &str) -> Option<u32> {
    snapshot.file_at(path.strip_prefix("./").unwrap_or(path))
}

/// A place as `path:line` or `path:line:column`.
fn place(snapshot: &SearchSnapshot, typed: &str) -> Option<(u32, u32, Option<u32>)> {
    let (before, last) = typed.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    if let Some(file) = file_at(snapshot, before) {
        return Some((file, last, None));
    }
    let (path, line) = before.rsplit_once(':')?;
    Some((file_at(snapshot, path)?, line.parse().ok()?, Some(last)))
}

/// The definitions of a place: what the name at the column means, or else the innermost symbol around the line.
fn at_place(
    graph: &Graph<'_>,
    snapshot: &SearchSnapshot,
    file: u32,
    line: u32,
    column: Option<u32>,
) -> Result<Vec<Definition>, Error> {
    if let Some(column) = column {
        let mut meant = graph.meant_at(file, line, column)?;
        if !meant.is_empty() {
            by_worth(snapshot, &mut meant);
            return Ok(meant);
        }
    }
    let symbols = graph.symbols(file)?;
    let around = symbols.into_iter().filter(|own| own.lines.first <= line && line <= own.lines.last);
    match around.min_by_key(|own| own.lines.count()) {
        Some(innermost) => Ok(vec![innermost]),
        None => {
            let path = snapshot.path(file);
            Err(Error::bad(format!(
                "no symbol is around line {line} of '{path}'; {}",
                names_of(graph, file)?
            )))
        }
    }
}

fn by_name(graph: &Graph<'_>, snapshot: &SearchSnapshot, typed: &str) -> Result<Vec<Definition>, Error> {
    let (container, name) = query::split_container(typed);
    let name = name.trim_end_matches("()");
    let all = graph.definitions(name)?;
    let mut found: Vec<Definition> =
        all.iter().filter(|own| has_container(own, container)).cloned().collect();
    if found.is_empty() && !container.is_empty() {
        let module = query::split_container(container).1;
        let is_below = |own: &&Definition| {
            own.container.is_none()
                && crate::path::modules(snapshot.path(own.file)).any(|part| part == module)
        };
        found = all.iter().filter(is_below).cloned().collect();
    }
    if !found.is_empty() {
        by_worth(snapshot, &mut found);
        return Ok(found);
    }
    let mut near: Vec<String> = all.iter().map(Definition::qualified).collect();
    if near.is_empty() {
        near = search::near_names(name, snapshot)?;
    }
    near.sort();
    near.dedup();
    near.truncate(MAX_NEAR);
    let near = match near.is_empty() {
        true => "no defined name is like it".to_string(),
        false => format!("did you mean {}?", near.join(", ")),
    };
    Err(Error::bad(format!("the tree defines no '{typed}'; {near}")))
}

/// Whether a definition is in the container as typed; an empty container takes all.
fn has_container(own: &Definition, container: &str) -> bool {
    let last = query::split_container(container).1;
    container.is_empty() || own.container.as_deref().is_some_and(|own| query::split_container(own).1 == last)
}

/// The names that a file defines, for an error.
fn names_of(graph: &Graph<'_>, file: u32) -> Result<String, Error> {
    let names: Vec<String> = graph.symbols(file)?.iter().take(MAX_NEAR).map(Definition::qualified).collect();
    Ok(match names.is_empty() {
        true => "the file defines no names".to_string(),
        false => format!("it defines {}", names.join(", ")),
    })
}

/// The order of definitions of a target: production code before tests, types and outer items first.
fn by_worth(snapshot: &SearchSnapshot, definitions: &mut [Definition]) {
    definitions.sort_by_cached_key(|own| {
        let path = snapshot.path(own.file);
        let is_aside = crate::search::is_aside(path);
        (is_aside, Reverse(own.lines.count() > 1), own.container.is_some(), path.to_string(), own.lines.first)
    });
}
