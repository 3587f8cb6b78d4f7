//! Reading: some lines of a file, or a definition by its name, with numbers for every line.
//!
//! The text is that of the file as it is now, or of the view of the options; the index is asked only for definitions.
//! A file is read wherever it lies below the root, whatever the ignore rules say, as in an exact search for which the
//! caller names the file. Links are resolved first, so that no path leaves the root.

use std::io;

use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::current::Freshness;
use super::items::{self, FileItem, ItemSources};
use super::lookup;
use super::open_index::Recorded;
use super::operation::Operation;
use super::structure;
use crate::error::{Error, ErrorKind};
use spyhop_base::input;
use spyhop_base::limit;
use spyhop_base::model::{SkipReason, SymbolKind, qualified_name};
use spyhop_base::path::{self, RelPath};
use spyhop_base::text::{LineIndex, Lines, Span};
use spyhop_files::confined::{LinkReach, RootFolder};
use spyhop_files::read::{Limits, ReadOutcome, TreeSource};
use spyhop_files::tree::TreeKind;
use spyhop_grep::secrets;
use spyhop_search::filter::{Filter, FilterSpec};
use spyhop_search::is_header;
use spyhop_search::query;

/// The size of the largest file that is read.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// The most bytes of a line that are shown.
const MAX_LINE_BYTES: usize = 4_000;

/// How many lines are read from the line of a place.
const LINES_FROM: u32 = 40;

/// How many similar names an error lists.
const OFFERED: usize = 5;

/// A definition in a file.
struct FoundDefinition {
    name: String,
    container: Option<String>,
    kind: SymbolKind,
    lines: Lines,
    span: Span,
    by_rule: bool,
}

/// The text of a file, decoded.
pub(super) struct FileText {
    pub(super) path: RelPath,
    pub(super) text: String,
    pub(super) source_tree: TreeSource,
}

/// Lines of a file, or a definition. Errors: `NotFound` if there is no such file or definition, with the nearest; `NotAFile`
/// for a folder; `NotText` for a file that is binary, cannot be decoded or is larger than 64 MiB; `BadRequest` for a path that
/// leads out of the root, and for lines beyond the end.
impl Operation for ReadRequest {
    const NAME: &'static str = "read";

    type Reply = ReadReply;

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<ReadReply, Error> {
        match corpus.alone() {
            Some(engine) => read_in_tree(engine, self, call),
            None => read_in_sources(corpus, self, call),
        }
    }
}

fn read_in_tree(engine: &Engine, request: &ReadRequest, call: &Call<'_>) -> Result<ReadReply, Error> {
    let symbol = request.symbol.as_deref().map(str::trim).filter(|symbol| !symbol.is_empty());
    symbol.iter().try_for_each(|symbol| limit::bytes("symbol", symbol, limit::MAX_NAME_BYTES))?;
    if let (Some(symbol), Some(lines)) = (symbol, request.lines) {
        let text = format!("lines is {lines} and symbol is '{symbol}'; give only one of the two");
        return Err(Error::bad(text));
    }
    let span = tracing::info_span!("code.read", project = %engine.root().display());
    let _entered = span.enter();
    match (&request.path, symbol) {
        (Some(path), None) => match lines_of(engine, path, request.lines) {
            Err(error) if error.kind() == ErrorKind::NotFound && request.lines.is_none() => {
                place_of(engine, path, error, call)
            }
            read => read,
        },
        (Some(path), Some(symbol)) => definition_in(engine, path, symbol),
        (None, Some(symbol)) => definition(engine, symbol, call),
        (None, None) => Err(Error::bad("neither path nor symbol is given; give one of them")),
    }
}

/// Reads from the trees that have the file or the definition. A path or a symbol that begins with the name of a source and `:`,
/// as in `client:src/lib.rs`, is of that source.
fn read_in_sources(corpus: &Corpus, request: &ReadRequest, call: &Call<'_>) -> Result<ReadReply, Error> {
    let addressed =
        request.path.as_ref().map(RelPath::as_str).or(request.symbol.as_deref()).unwrap_or_default();
    let (only, rest) = corpus.addressed(addressed);
    let mut request = request.clone();
    match (only, &request.path) {
        (None, _) => {}
        (Some(_), Some(_)) => request.path = Some(RelPath::new(rest)?),
        (Some(_), None) => request.symbol = Some(rest.to_string()),
    }
    let mut missing = None;
    let (answers, warnings) = corpus.each(|member, answers| {
        if only.is_some_and(|only| only != member.name()) {
            return Ok(None);
        }
        match answers.call(&request, call) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                missing.get_or_insert(error);
                Ok(None)
            }
            answer => answer.map(Some),
        }
    })?;
    let mut found: Vec<(&SourceName, ReadReply)> =
        answers.into_iter().filter_map(|(member, reply)| Some((member.name(), reply?))).collect();
    match (found.len(), missing) {
        (0, Some(error)) => corpus.check_source_of(addressed).and(Err(error)),
        (0, None) => Err(Error::new(ErrorKind::NotFound, "no source that answers has the file")),
        (1, _) => {
            let (name, mut reply) = found.remove(0);
            match &mut reply {
                ReadReply::Text(text) => {
                    text.source = Some(name.clone());
                    text.warnings.extend(warnings);
                }
                ReadReply::Choices(choices) => {
                    choices.choices.iter_mut().for_each(|row| row.source = Some(name.clone()));
                    choices.warnings.extend(warnings);
                }
            }
            Ok(reply)
        }
        _ => several(found, warnings),
    }
}

/// The definitions that several trees have. A file that several trees have is an error that names the trees.
fn several(found: Vec<(&SourceName, ReadReply)>, warnings: Vec<String>) -> Result<ReadReply, Error> {
    let names: Vec<String> = found.iter().map(|(name, _)| format!("'{name}'")).collect();
    let mut choices = Vec::new();
    for (name, reply) in found {
        let rows = match reply {
            ReadReply::Choices(own) => own.choices,
            ReadReply::Text(text) => text.symbol.into_iter().collect(),
        };
        choices.extend(rows.into_iter().map(|row| SymbolRow { source: Some(name.clone()), ..row }));
    }
    choices.truncate(MAX_CHOICES);
    let Some(first) = choices.first() else {
        let names = names.join(", ");
        return Err(Error::bad(format!(
            "the sources {names} have the file; name one of them, as in SOURCE:PATH"
        )));
    };
    let (symbol, snapshot) = (first.name.clone(), Snapshot::default());
    Ok(ReadReply::Choices(Box::new(SymbolChoices { symbol, choices, snapshot, warnings })))
}

impl Engine {
    /// The bytes of a regular file of the folder as it is now, if they are at most `max`. Links inside of the root are
    /// followed.
    #[doc(hidden)]
    pub fn saved_bytes(&self, path: &RelPath, max: u64) -> Option<Vec<u8>> {
        let root = RootFolder::following(self.root(), LinkReach::Inside);
        input::bounded_file(root.open(path).ok()?, max).ok()
    }
}

fn lines_of(engine: &Engine, path: &RelPath, lines: Option<LineRange>) -> Result<ReadReply, Error> {
    let file = file_text(engine, path)?;
    let total = count_lines(&file.text);
    let wanted = lines.unwrap_or(LineRange { first: 1, last: None });
    if wanted.first > total.max(1) {
        let text = format!("lines is {wanted}, and '{}' has {total} lines", file.path);
        return Err(Error::bad(text));
    }
    let last = wanted.last.unwrap_or(total).min(total);
    Ok(text_of(engine, &file, Lines { first: wanted.first, last }, None))
}

/// What a path without a file means: a place as hits print it, `path:line` or `path:line-line`, or the name of a
/// definition. `missing` is the error about the file.
fn place_of(engine: &Engine, path: &RelPath, missing: Error, call: &Call<'_>) -> Result<ReadReply, Error> {
    if let Some((file, lines)) = split_lines(path.as_str()) {
        let file = RelPath::new(file)?;
        let read = |file: &RelPath| match &lines {
            Ok(lines) => lines_of(engine, file, Some(*lines)),
            Err(wrong) => file_text(engine, file).and_then(|_| Err(Error::bad(wrong))),
        };
        return match read(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                only_file(engine, &file).map_or(Err(error), |file| read(&file))
            }
            answer => answer,
        };
    }
    let is_word = !path.as_str().contains('/');
    if !is_word {
        return Err(missing);
    }
    let is_offered = |error: &Error| error.to_string().contains(NEAREST);
    match definition(engine, path.as_str(), call) {
        // Similar names help more than the message that the file is missing.
        Err(error) if !is_offered(&error) || is_offered(&missing) => match only_file(engine, path) {
            Some(file) => lines_of(engine, &file, None),
            None => Err(missing),
        },
        read => read,
    }
}

/// The only file of the tree with a name.
fn only_file(engine: &Engine, name: &RelPath) -> Option<RelPath> {
    let current = engine.current().ok()?;
    let snapshot = current.snapshot()?;
    match snapshot.files_named(name.as_str())[..] {
        [file] => RelPath::new(snapshot.path(file)).ok(),
        _ => None,
    }
}

/// The definition of a name in one file.
fn definition_in(engine: &Engine, path: &RelPath, symbol: &str) -> Result<ReadReply, Error> {
    let file = file_text(engine, path)?;
    let recorded = engine.recorded();
    let viewed = recorded.as_ref().map(Recorded::viewed);
    let source_tree = &file.source_tree;
    let sources = ItemSources { viewed, source_tree, by_outline: true, with_minor: true, most_parsed: 1 };
    let take = |item: FileItem<'_>| {
        let FileItem { kind, lines, span, by_rule, .. } = item;
        let container = item.container.map(str::to_string);
        let definition =
            FoundDefinition { name: item.name.to_string(), container, kind, lines, span, by_rule };
        (!item.name.is_empty()).then_some(definition)
    };
    let all = items::items(engine, &sources, std::iter::once(&file.path), &take)?;
    let all: Vec<FoundDefinition> = all.into_values().flatten().collect();
    let language = engine.language_now(&file.path, source_tree);
    let row = |definition: &FoundDefinition| SymbolRow {
        source: None,
        path: file.path.clone(),
        lines: definition.lines,
        kind: definition.kind,
        name: definition.name.clone(),
        container: definition.container.clone(),
        language: engine.grammars().name(language),
        by_rule: definition.by_rule,
        highlights: Vec::new(),
    };
    let found = named(&all, symbol, |definition| {
        (definition.container.as_deref(), definition.name.as_str(), definition.kind)
    });
    match found[..] {
        [] => {
            let names = all
                .iter()
                .map(|definition| qualified_name(definition.container.as_deref(), &definition.name));
            let near =
                nearest(query::split_container(symbol).1, names, |name| query::split_container(name).1);
            let text = format!("'{}' defines no '{symbol}'{}", file.path, offered(&near));
            Err(Error::new(ErrorKind::NotFound, text))
        }
        [definition] => {
            // The comment before a definition is a part of it.
            let end = definition.span.end.min(u32::try_from(file.text.len()).unwrap_or(u32::MAX));
            let whole = Span { start: definition.span.start.min(end), end };
            let whole = LineIndex::new(&file.text).lines_of(whole);
            Ok(text_of(engine, &file, whole, Some(row(definition))))
        }
        _ => Ok(ReadReply::Choices(Box::new(SymbolChoices {
            symbol: symbol.to_string(),
            choices: found.into_iter().take(MAX_CHOICES).map(row).collect(),
            snapshot: lookup::snapshot(engine.tree(), viewed, &Freshness::default()),
            warnings: Vec::new(),
        }))),
    }
}

/// The definition of a name in the tree, if there is only one.
fn definition(engine: &Engine, symbol: &str, call: &Call<'_>) -> Result<ReadReply, Error> {
    let request = SymbolsRequest { max_results: MAX_CHOICES, ..SymbolsRequest::new(symbol) };
    let reply = engine.call(&request, call)?;
    let mut found =
        named(&reply.symbols, symbol, |row| (row.container.as_deref(), row.name.as_str(), row.kind));
    let (module, name) = query::split_container(symbol);
    if found.is_empty() && !module.is_empty() {
        // The module or package of a function, as in `pool.take`.
        let is_meant = |row: &&SymbolRow| {
            let mut modules = path::modules(row.path.as_str());
            row.name == name && row.container.is_none() && modules.any(|own| own.eq_ignore_ascii_case(module))
        };
        found = reply.symbols.iter().filter(is_meant).collect();
    }
    // A declaration says no more than the definition.
    let has_text =
        |row: &&SymbolRow| !row.kind.is_function() || row.lines.count() > 1 || !is_header(row.path.as_str());
    if found.iter().filter(|row| has_text(row)).count() == 1 {
        found.retain(has_text);
    }
    match found[..] {
        [] => {
            let mut near: Vec<String> = Vec::new();
            for name in reply.symbols.iter().map(SymbolRow::qualified) {
                if near.len() < OFFERED && !near.contains(&name) {
                    near.push(name);
                }
            }
            let undefined = match engine.current()?.snapshot() {
                Some(snapshot) => structure::undefined_in(engine, &snapshot, symbol)?,
                None => format!("the tree defines no '{symbol}'"),
            };
            let text = format!("{undefined}{}", offered(&near));
            Err(Error::new(ErrorKind::NotFound, text))
        }
        [row] => match definition_in(engine, &row.path, &row.qualified())? {
            ReadReply::Text(text) => {
                Ok(ReadReply::Text(Box::new(ReadText { warnings: reply.warnings, ..*text })))
            }
            choices => Ok(choices),
        },
        _ => Ok(ReadReply::Choices(Box::new(SymbolChoices {
            symbol: symbol.to_string(),
            choices: found.into_iter().cloned().collect(),
            snapshot: reply.snapshot,
            warnings: reply.warnings,
        }))),
    }
}

/// The lines of a file, as many as fit the limit of a reply.
fn text_of(engine: &Engine, file: &FileText, wanted: Lines, symbol: Option<SymbolRow>) -> ReadReply {
    let index = LineIndex::new(&file.text);
    let total_lines = count_lines(&file.text);
    let last = wanted.last.min(total_lines);
    let (mut text, mut cut) = (Vec::new(), Vec::new());
    let mut next = None;
    if last >= wanted.first {
        let span = index.span_of(Lines { first: wanted.first, last }).range();
        let cover = engine.policy().secret_mask(file.path.as_str(), &file.text);
        let masked = cover.as_ref().map(|cover| secrets::mask_lines(&file.text, span.clone(), cover));
        let source = masked.as_deref().unwrap_or(&file.text);
        let mut room = MAX_READ_BYTES;
        for (number, line) in (wanted.first..).zip(source[span].lines()) {
            let shown = beginning(line);
            match room.checked_sub(shown.len() + 1) {
                Some(rest) => room = rest,
                None => {
                    next = Some(LineRange { first: number, last: Some(last) });
                    break;
                }
            }
            if shown.len() < line.len() {
                cut.push(number);
            }
            text.push(shown.to_string());
        }
    }
    let language = engine.language_now(&file.path, &file.source_tree);
    let recorded = engine.recorded();
    ReadReply::Text(Box::new(ReadText {
        source: None,
        path: file.path.clone(),
        language: engine.grammars().name(language),
        first: wanted.first,
        text,
        cut,
        total_lines,
        symbol,
        next,
        snapshot: lookup::snapshot(
            engine.tree(),
            recorded.as_ref().map(Recorded::viewed),
            &Freshness::default(),
        ),
        warnings: Vec::new(),
    }))
}

/// The text of the file at `path`.
pub(super) fn file_text(engine: &Engine, path: &RelPath) -> Result<FileText, Error> {
    if engine.index().lacks_tree() {
        return Err(Error::no_sources("reading a file"));
    }
    engine.tree().check_served(path)?;
    let source_tree = engine.tree().source_now(&engine.tree().head())?;
    let path = regular_file(engine, path, &source_tree)?;
    let limits = Limits { max_file_bytes: MAX_FILE_BYTES, ..Limits::WANTED };
    let (reason, detail) = match source_tree.read(&path, &limits) {
        ReadOutcome::Source(source) => return Ok(FileText { path, text: source.text, source_tree }),
        ReadOutcome::PathOnly { reason, detail, .. } | ReadOutcome::Skipped { reason, detail } => {
            (reason, detail)
        }
    };
    let text = format!("'{path}' cannot be read as text: {}: {detail}", reason.name());
    let kind = match reason {
        SkipReason::Unreadable => ErrorKind::Io,
        SkipReason::Special | SkipReason::Symlink => ErrorKind::NotAFile,
        _ => ErrorKind::NotText,
    };
    Err(Error::new(kind, text))
}

/// The path of a regular file, with links resolved.
fn regular_file(engine: &Engine, path: &RelPath, source_tree: &TreeSource) -> Result<RelPath, Error> {
    // The folder that a path means, with links resolved.
    let folder = match source_tree {
        TreeSource::Folder(root) => match path.below(root.path()).canonicalize() {
            Ok(whole) => {
                let Ok(below) = whole.strip_prefix(root.path()) else {
                    let text = format!("path '{path}' leads out of the root '{}'", root.path().display());
                    return Err(Error::bad(text));
                };
                let below = RelPath::from_path(below)?;
                if !whole.is_dir() {
                    return Ok(below);
                }
                Some(below)
            }
            Err(error) if is_missing(&error) => None,
            Err(error) => {
                let text = format!("'{path}' cannot be opened: {error}");
                return Err(Error::new(ErrorKind::Io, text));
            }
        },
        TreeSource::Tree(tree) => {
            let kind = tree.find(&tree.path_in_repository(path)).map(|entry| entry.kind);
            match kind {
                _ if path.as_str().is_empty() => Some(path.clone()),
                Ok(TreeKind::File) => return Ok(path.clone()),
                Ok(TreeKind::Folder) => Some(path.clone()),
                _ => None,
            }
        }
    };
    let known = known_paths(engine, folder.as_ref().unwrap_or(path), folder.is_some());
    if folder.is_some() {
        let inside: Vec<String> = known.into_iter().take(2 * OFFERED).collect();
        let held =
            if inside.is_empty() { String::new() } else { format!("; it holds {}", inside.join(", ")) };
        let text = format!("path '{path}' is a folder{held}; give a file");
        return Err(Error::new(ErrorKind::NotAFile, text));
    }
    let near = nearest(path.as_str(), known.into_iter(), |path| path);
    let text = format!("there is no file '{path}' below '{}'{}", engine.root().display(), offered(&near));
    Err(Error::new(ErrorKind::NotFound, text).with(Remedy::ChoosePath(near)))
}

/// The paths that may be meant by a path without a file: those of the index, and the entries of the nearest folder
/// that exists. For a folder, the paths in it.
fn known_paths(engine: &Engine, path: &RelPath, is_folder: bool) -> Vec<String> {
    let mut known = Vec::new();
    if let Some(recorded) = engine.recorded() {
        let below = Some(path.to_string()).filter(|path| is_folder && !path.is_empty());
        let filter = FilterSpec { path: below, ..FilterSpec::default() };
        if let Ok(filter) = Filter::new(&filter, engine.grammars()) {
            known.extend(recorded.viewed().files(&filter, None).iter().map(RelPath::to_string));
        }
    }
    if engine.tree().is_of_folder() {
        // The entries of the nearest folder on the way to the path that exists.
        let root = RootFolder::new(engine.root());
        let mut folder = Some(path.clone());
        while let Some(above) = folder {
            if let Ok(names) = root.names(&above) {
                known.extend(names.iter().map(|name| above.join(&name.to_string_lossy()).to_string()));
                break;
            }
            folder = above.parent().and_then(|above| RelPath::new(above).ok());
        }
    }
    known.sort_unstable();
    known.dedup();
    known
}

/// The file and the lines of a place such as `a.rs:12`, `a.rs:12-20`, `a.rs:12:5: text` or `a.rs#L12-L20`. A line alone
/// means the lines from there on. Numbers that are not a range, as in `a.rs:20-12`, are an error.
fn split_lines(place: &str) -> Option<(&str, Result<LineRange, String>)> {
    let is_number = |text: &str| text.trim_start_matches('L').starts_with(|c: char| c.is_ascii_digit());
    let at = place.match_indices([':', '#']).map(|(at, _)| at).find(|at| is_number(&place[at + 1..]))?;
    let lines = place[at + 1..].split(':').next()?;
    let is_from = lines.chars().all(|c| c == 'L' || c.is_ascii_digit());
    let lines = match lines.parse::<LineRange>() {
        Ok(lines) if is_from => {
            Ok(LineRange { last: Some(lines.first.saturating_add(LINES_FROM - 1)), ..lines })
        }
        Err(_) if !lines.chars().all(|c| "L-".contains(c) || c.is_ascii_digit()) => return None,
        parsed => parsed,
    };
    Some((&place[..at], lines))
}

/// Whether there is no file. No file has a name that is too long for the system.
fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidFilename, NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory | InvalidFilename)
}

/// As much of a line as is shown.
fn beginning(line: &str) -> &str {
    let end = (0..=MAX_LINE_BYTES.min(line.len())).rev().find(|at| line.is_char_boundary(*at));
    &line[..end.unwrap_or(0)]
}

fn count_lines(text: &str) -> u32 {
    u32::try_from(text.lines().count()).unwrap_or(u32::MAX)
}

/// The definitions among `all` whose name, and container if one is typed, is that of `symbol`; in another letter case, if
/// there is none as typed. An implementation block is left out beside its type, and a field or variant beside another symbol.
fn named<'a, T>(
    all: &'a [T],
    symbol: &str,
    parts: impl Fn(&T) -> (Option<&str>, &str, SymbolKind),
) -> Vec<&'a T> {
    let (container, name) = query::split_container(symbol);
    let container = query::split_container(container).1;
    let found = |is_same: &dyn Fn(&str, &str) -> bool| -> Vec<&'a T> {
        let matches = |definition: &&T| {
            let (own_container, own_name, _) = parts(definition);
            let of_container = |own: &str| is_same(query::split_container(own).1, container);
            is_same(own_name, name) && (container.is_empty() || own_container.is_some_and(of_container))
        };
        all.iter().filter(matches).collect()
    };
    let mut named = found(&|one, other| one == other);
    if named.is_empty() {
        named = found(&|one, other| one.eq_ignore_ascii_case(other));
    }
    // A constructor beside its type.
    if container.is_empty() && named.iter().any(|definition| parts(definition).2.is_type_like()) {
        named.retain(|definition| {
            let (own_container, own_name, kind) = parts(definition);
            !(kind.is_function()
                && own_container.is_some_and(|own| query::split_container(own).1 == own_name))
        });
    }
    let is_block = |kind: SymbolKind| kind == SymbolKind::Impl;
    for is_lesser in [is_block, SymbolKind::is_minor] {
        if !named.iter().all(|definition| is_lesser(parts(definition).2)) {
            named.retain(|definition| !is_lesser(parts(definition).2));
        }
    }
    named
}

/// The names that are the most similar to `wanted`. `key` selects the part of a name that is compared; of paths, the file
/// names are compared first.
pub(super) fn nearest(
    wanted: &str,
    names: impl Iterator<Item = String>,
    key: impl Fn(&str) -> &str,
) -> Vec<String> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let typed = last(wanted);
    let mut near: Vec<(usize, usize, String)> = names
        .filter_map(|name| {
            let own = last(key(&name));
            let is_part = typed.len() > 2 && own.len() > 2 && (own.contains(&typed) || typed.contains(&own));
            let edits = strsim::damerau_levenshtein(&own, &typed);
            let is_near = is_part || edits <= (typed.chars().count() / 3).max(1);
            is_near.then(|| (edits, strsim::damerau_levenshtein(key(&name), wanted), name))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(OFFERED).map(|(.., name)| name).collect()
}

/// The words before similar names in an error.
const NEAREST: &str = "the nearest are";

/// The end of an error that lists similar names.
pub(super) fn offered(near: &[String]) -> String {
    let names: Vec<String> = near.iter().map(|name| format!("'{name}'")).collect();
    if names.is_empty() { String::new() } else { format!("; {NEAREST} {}", names.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_a_file_and_lines() {
        let check = |place: &str, expected: Option<(&str, u32, Option<u32>)>| {
            let split = split_lines(place);
            let got =
                split.and_then(|(file, lines)| Some((file, lines.as_ref().ok()?.first, lines.ok()?.last)));
            assert_eq!(got, expected, "{place}");
        };
        check("src/a.rs:12", Some(("src/a.rs", 12, Some(51))));
        check("src/a.rs:12-20", Some(("src/a.rs", 12, Some(20))));
        check("src/a.rs:12-12", Some(("src/a.rs", 12, Some(12))));
        check("a.rs#L3-L3", Some(("a.rs", 3, Some(3))));
        check("src/a.rs:12-", Some(("src/a.rs", 12, None)));
        check("src/a.rs:12:5: fn a() {", Some(("src/a.rs", 12, Some(51))));
        check("a b.rs#L3-L7", Some(("a b.rs", 3, Some(7))));
        check("C::D.rs:7", Some(("C::D.rs", 7, Some(46))));
        for none in ["src/a.rs", "Pool::take", "a.rs:", "a.rs:x", "a.rs:1x"] {
            check(none, None);
        }
        for wrong in ["a.rs:0", "a.rs:20-12", "a.rs#L9-L3"] {
            assert!(
                split_lines(wrong).is_some_and(|(file, lines)| file == "a.rs" && lines.is_err()),
                "{wrong}"
            );
        }
    }
}
