//! Targets of the code graph as people type them: names, qualified names, places, files.

use std::cmp::Reverse;
use std::io::Read;
use std::path::Path;

use super::api::{GraphQuestion, Remedy};
use super::source::ReplySources;
use super::structure;
use crate::error::Error;
use spyhop_base::path::{self, RelPath};
use spyhop_base::text::LineIndex;
use spyhop_files::confined::RootFolder;
use spyhop_files::read;
use spyhop_graph::{Definition, Graph, PlaceMeaning, PlacedName};
use spyhop_search::query;
use spyhop_search::{CurrentFile, SearchSnapshot};

/// The most names that an error lists.
const MAX_NEAR: usize = 5;

/// What a target means.
pub(super) enum Target {
    /// Definitions, best first; at least one.
    Symbols(Vec<Definition>),
    /// A file.
    File(u32),
    /// The name at a place, which means no symbol or an unknown one.
    Place(PlacedName),
}

impl Target {
    /// The symbols that `typed` means; an error for a file or a place without one.
    pub fn symbols(self, typed: &str) -> Result<Vec<Definition>, Error> {
        match self {
            Target::Symbols(symbols) => Ok(symbols),
            Target::File(_) => Err(Error::bad(format!(
                "'{typed}' is a file; name a symbol of the file: '{typed}#name' or '{typed}:line'"
            ))),
            Target::Place(PlacedName { name, meaning, definitions, .. }) => Err(Error::bad(match meaning {
                PlaceMeaning::Local => format!(
                    "'{name}' at {typed} is a local variable, about which only 'def' and 'refs' answer"
                ),
                PlaceMeaning::Outside => format!("'{name}' at {typed} is not defined in the tree"),
                _ => {
                    let names: Vec<String> =
                        definitions.iter().take(MAX_NEAR).map(Definition::qualified).collect();
                    let names =
                        if names.is_empty() { "nothing in the tree".to_string() } else { names.join(", ") };
                    format!(
                        "no rule decides what '{name}' at {typed} means; it may be {names}: name one of them"
                    )
                }
            })),
        }
    }
}

/// The files that stand for their folder, in the order in which they are tried.
const INDEX_FILES: &str = "__init__.py mod.rs lib.rs src/lib.rs main.rs src/main.rs index.ts index.tsx index.js index.jsx \
    index.mjs src/index.ts src/index.js doc.go __main__.py";

/// The most uses of a name in a file that are tried for what the name means there.
const MAX_USES_TRIED: usize = 16;

/// The most files whose fields are compared with the methods of a name.
const MAX_FILES_OF_FIELDS: usize = 64;

/// The meaning of a target, whose fields and variants the graph then takes into account.
pub(super) fn resolve(
    graph: &Graph<'_>,
    snapshot: &SearchSnapshot,
    typed: &str,
    question: GraphQuestion,
    read: (&ReplySources<'_>, &Path),
) -> Result<Target, Error> {
    let mut target = find(graph, snapshot, typed, question, read)?;
    if let Target::Symbols(symbols) = &mut target {
        graph.add_bodies_of_declared(symbols).map_err(Error::from)?;
        for own in symbols.iter().filter(|own| graph.is_minor(own)) {
            graph.admit_minor(&own.name, true)?;
        }
    }
    Ok(target)
}

/// What a target names. For a question about the imports of files, a folder means the file that stands for the folder.
/// `root` is the root on disk, for an error, and so are the sources.
fn find(
    graph: &Graph<'_>,
    snapshot: &SearchSnapshot,
    typed: &str,
    question: GraphQuestion,
    (sources, root): (&ReplySources<'_>, &Path),
) -> Result<Target, Error> {
    let is_of_files = matches!(question, GraphQuestion::Imports | GraphQuestion::Importers);
    let typed = typed.trim();
    if typed.is_empty() {
        return Err(Error::bad(
            "the target is empty; give a name, such as Engine.search, or a place, such as src/a.rs:10",
        ));
    }
    if let Some(file) = file_at(snapshot, typed) {
        return match snapshot.version(file).content().is_path_only() {
            false => Ok(Target::File(file)),
            true => Err(Error::bad(format!(
                "'{typed}' has no text in the index: the file is binary, too large or generated, and only its path is \
                 indexed"
            ))),
        };
    }
    if let Some((file, line, column)) = place(snapshot, typed) {
        return match column {
            Some(column) => at_column(graph, snapshot, (file, line, column)),
            None => at_line(graph, snapshot, file, line).map(Target::Symbols),
        };
    }
    if let Some((path, name)) = typed.split_once('#') {
        let Some(file) = file_at(snapshot, path) else { return Err(no_file(snapshot, path, root)) };
        let (container, last) = query::split_container(name);
        let mut found = graph.symbols(file)?;
        found.extend(graph.minor_symbols(file)?);
        found.retain(|own| &*own.name == last && has_container(own, container));
        if found.is_empty() {
            found = used_in(graph, (snapshot, sources), file, (container, last))?;
        }
        return match found.is_empty() {
            true => Err(Error::bad(format!("'{path}' defines no '{name}'; {}", names_of(graph, file)?))),
            false => Ok(Target::Symbols(found)),
        };
    }
    if is_of_files && let Some(file) = folder_file(snapshot, typed)? {
        return Ok(Target::File(file));
    }
    if is_path(typed, root) {
        return Err(no_file(snapshot, before_line(typed), root));
    }
    match by_name(graph, (snapshot, sources), typed, question) {
        Ok(mut found) => {
            // Methods often have the name of the type that they implement, such as `Render` in Go.
            if question == GraphQuestion::Implementations && found.iter().any(|own| own.kind.is_type_like()) {
                found.retain(|own| own.kind.is_type_like());
            }
            Ok(Target::Symbols(found))
        }
        Err(_) if is_of_files => Err(no_file(snapshot, typed, root)),
        Err(error) => folder_file(snapshot, typed)?.map(Target::File).ok_or(error),
    }
}

/// The file that stands for a folder; `None` if there is no such folder in the index.
fn folder_file(snapshot: &SearchSnapshot, typed: &str) -> Result<Option<u32>, Error> {
    let folder = typed.strip_prefix("./").unwrap_or(typed).trim_end_matches('/');
    let folder = if folder == "." { "" } else { folder };
    let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let inside: Vec<&str> = paths(snapshot).filter(|path| path.starts_with(&below)).collect();
    if inside.is_empty() {
        return Ok(None);
    }
    let named = format!("{}.go", path::split(folder).1);
    let names = INDEX_FILES.split(' ').chain([&*named]).map(|name| format!("{below}{name}"));
    let beside = (!folder.is_empty()).then(|| format!("{folder}.rs"));
    if let Some(file) = names.chain(beside).find_map(|path| file_at(snapshot, &path)) {
        return Ok(Some(file));
    }
    let some: Vec<&str> = inside.iter().copied().take(MAX_NEAR).collect();
    Err(Error::bad(format!(
        "'{typed}' is a folder, and no index file such as __init__.py, mod.rs or index.ts stands for the folder; name a file, \
         such as {}",
        some.join(", ")
    )))
}

fn paths(snapshot: &SearchSnapshot) -> impl Iterator<Item = &str> {
    (0..snapshot.n_files() as u32).map(move |file| snapshot.path(file))
}

/// The part of a target before its line and column.
fn before_line(typed: &str) -> &str {
    typed.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':')
}

/// Whether a target that is not a file of the index looks like a path.
fn is_path(typed: &str, root: &Path) -> bool {
    // A line of a file that is not there: `pool.go:3`, `pool.go:3:1`. No name ends like this.
    let has_line = typed.rsplit_once(':').is_some_and(|(before, line)| {
        !before.ends_with(':') && !line.is_empty() && line.chars().all(|c| c.is_ascii_digit())
    });
    let typed = before_line(typed);
    // `a/b` may be a path; `operator/` is a name.
    has_line
        || (typed.contains('/') && typed.chars().any(char::is_alphanumeric) && !typed.contains("::"))
        || typed.starts_with("..")
        || (!typed.contains("::") && root.join(typed).is_file())
}

/// Whether the beginning of a file has a NUL, as that of most binary files.
fn is_binary(tree: &RootFolder, path: &RelPath) -> bool {
    let Ok((mut file, _)) = tree.open(path).and_then(read::regular) else { return false };
    let mut begin = [0; 8_192];
    file.read(&mut begin).is_ok_and(|len| begin[..len].contains(&0))
}

/// The error for a file that the index does not have: outside of the tree, left out, or missing.
fn no_file(snapshot: &SearchSnapshot, typed: &str, root: &Path) -> Error {
    let inside = |path: &Path| path.strip_prefix(root).is_ok();
    if typed.split('/').any(|part| part == "..")
        || (Path::new(typed).is_absolute() && !inside(Path::new(typed)))
    {
        return Error::bad(format!(
            "'{typed}' is outside of the tree {}; choose another root",
            root.display()
        ));
    }
    let path = Path::new(typed).strip_prefix(root).unwrap_or(Path::new(typed));
    let (tree, path) = (RootFolder::new(root), RelPath::from_path(path).ok());
    if path.as_ref().is_some_and(|path| is_binary(&tree, path)) {
        return Error::bad(format!("'{typed}' is a binary file, which is not in the index"));
    }
    if path.is_some_and(|path| tree.has_file(&path)) {
        return Error::bad(format!(
            "'{typed}' is not in the index, so that nothing is known of the file; \
             'spyhop skipped --explain-skips {typed}' tells why"
        ));
    }
    let name = path::split(typed).1;
    let mut near: Vec<(usize, &str)> = paths(snapshot)
        .map(|path| (strsim::damerau_levenshtein(path::split(path).1, name), path))
        .filter(|(distance, _)| *distance <= name.len() / 3)
        .collect();
    near.sort_by_key(|(distance, path)| (*distance, strsim::damerau_levenshtein(path, typed), *path));
    let near: Vec<&str> = near.into_iter().map(|(_, path)| path).take(MAX_NEAR).collect();
    Error::bad(match near.is_empty() {
        true => format!("the tree has no file '{typed}', and no file of the tree has a name like it"),
        false => format!("the tree has no file '{typed}'; did you mean {}?", near.join(", ")),
    })
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

/// The meaning of the name at a column.
fn at_column(
    graph: &Graph<'_>,
    snapshot: &SearchSnapshot,
    (file, line, column): (u32, u32, u32),
) -> Result<Target, Error> {
    match graph.name_at_place(file, line, column)? {
        Some(mut placed) if placed.meaning == PlaceMeaning::Definition => {
            by_worth(snapshot, &mut placed.definitions);
            Ok(Target::Symbols(placed.definitions))
        }
        Some(placed) => Ok(Target::Place(placed)),
        None => Err(Error::bad(format!("no name stands at '{}:{line}:{column}'", snapshot.path(file)))),
    }
}

/// The definitions that a name means at its first uses in a file, which does not define the name itself.
fn used_in(
    graph: &Graph<'_>,
    (snapshot, sources): (&SearchSnapshot, &ReplySources<'_>),
    file: u32,
    (container, name): (&str, &str),
) -> Result<Vec<Definition>, Error> {
    let CurrentFile::Text(text) = sources.read(file, None, false) else { return Ok(Vec::new()) };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole =
        |at: &usize| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part);
    let lines = LineIndex::new(&text);
    let places = text.match_indices(name).map(|(at, _)| at).filter(is_whole).take(MAX_USES_TRIED);
    for at in places.filter(|_| !name.is_empty()) {
        let line = lines.line_of(at as u32);
        let column = at as u32 - lines.start_of(line) + 1;
        let placed = graph.name_at_place(file, line, column)?;
        let placed = placed.filter(|placed| placed.meaning == PlaceMeaning::Definition);
        let mut found = placed.map(|placed| placed.definitions).unwrap_or_default();
        found.retain(|own| has_container(own, container));
        if !found.is_empty() {
            by_worth(snapshot, &mut found);
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// The innermost symbol around a line.
fn at_line(
    graph: &Graph<'_>,
    snapshot: &SearchSnapshot,
    file: u32,
    line: u32,
) -> Result<Vec<Definition>, Error> {
    let symbols = graph.symbols(file)?.into_iter().chain(graph.minor_symbols(file)?);
    let around = symbols.filter(|own| own.lines.first <= line && line <= own.lines.last);
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

/// The fields that have the name and the type of one of these methods.
fn fields_beside(graph: &Graph<'_>, methods: &[Definition]) -> Result<Vec<Definition>, Error> {
    let members = methods.iter().filter(|own| own.container.is_some());
    let mut files: Vec<u32> = members.map(|own| own.file).collect();
    files.dedup();
    files.truncate(MAX_FILES_OF_FIELDS);
    let mut found = Vec::new();
    for file in files {
        let beside = |field: &Definition| {
            let is_it = |own: &Definition| {
                own.file == file && own.name == field.name && own.container == field.container
            };
            methods.iter().any(is_it)
        };
        found.extend(graph.minor_symbols(file)?.into_iter().filter(beside));
    }
    Ok(found)
}

/// The fields and variants with a name in languages in which no other definition has the name.
fn fields_elsewhere(
    graph: &Graph<'_>,
    snapshot: &SearchSnapshot,
    name: &str,
    others: &[Definition],
) -> Result<Vec<Definition>, Error> {
    let language = |own: &Definition| snapshot.version(own.file).language();
    let mut found = graph.minor_definitions(name)?;
    found.retain(|own| others.iter().all(|other| language(other) != language(own)));
    Ok(found)
}

/// The definitions of a name. Fields and variants come after others: all of them in a question about definitions or if there are
/// no others, and those beside a method of their type in one about uses.
fn by_name(
    graph: &Graph<'_>,
    (snapshot, sources): (&SearchSnapshot, &ReplySources<'_>),
    typed: &str,
    question: GraphQuestion,
) -> Result<Vec<Definition>, Error> {
    let (container, name) = query::split_container(typed);
    let name = name.trim_end_matches("()");
    let all = graph.definitions(name)?;
    let mut found: Vec<Definition> =
        all.iter().filter(|own| has_container(own, container)).cloned().collect();
    let mut minor = match question {
        _ if found.is_empty() => graph.minor_definitions(name)?,
        GraphQuestion::Definitions => graph.minor_definitions(name)?,
        GraphQuestion::References => {
            let mut fields = fields_beside(graph, &found)?;
            fields.extend(fields_elsewhere(graph, snapshot, name, &found)?);
            fields
        }
        _ => Vec::new(),
    };
    minor.retain(|own| has_container(own, container));
    if found.is_empty() && minor.is_empty() && !container.is_empty() {
        let module = query::split_container(container).1;
        let is_below = |own: &&Definition| {
            own.container.is_none()
                && spyhop_base::path::modules(snapshot.path(own.file)).any(|part| part == module)
        };
        found = all.iter().filter(is_below).cloned().collect();
        if found.is_empty() {
            found = graph.inherited_members(module, name)?;
        }
    }
    by_worth(snapshot, &mut found);
    by_worth(snapshot, &mut minor);
    found.extend(minor);
    if !found.is_empty() {
        return Ok(found);
    }
    let mut near: Vec<String> = all.iter().map(Definition::qualified).collect();
    if near.is_empty() && !container.is_empty() {
        near = members_like(graph, query::split_container(container).1, name)?;
    }
    if near.is_empty() {
        near = spyhop_search::near_names(name, snapshot)?;
    }
    // A name that only a namespace has is in the index, but no symbol.
    near.retain(|own| own != typed);
    near.sort_by_key(|own| (strsim::damerau_levenshtein(query::split_container(own).1, name), own.clone()));
    near.dedup();
    near.truncate(MAX_NEAR);
    let undefined = structure::undefined(snapshot, sources, (typed, name))?;
    if near.is_empty() {
        let text = format!("{undefined}; no defined name is like it");
        return Err(
            Error::bad(text).with(Remedy::SearchLines { name: name.to_string(), sources: Vec::new() })
        );
    }
    Err(Error::bad(format!("{undefined}; did you mean {}?", near.join(", "))))
}

/// The members of a type whose names are like `name`.
fn members_like(graph: &Graph<'_>, container: &str, name: &str) -> Result<Vec<String>, Error> {
    let mut near = Vec::new();
    for own in graph.definitions(container)?.iter() {
        let members = graph.symbols(own.file)?.into_iter().filter(|member| has_container(member, container));
        let is_like = |member: &Definition| {
            strsim::damerau_levenshtein(&member.name, name) <= 1 + name.len() / 4
                || member.name.starts_with(name)
        };
        near.extend(members.filter(is_like).map(|member| member.qualified()));
    }
    Ok(near)
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
        let is_aside = spyhop_search::is_aside(path);
        (is_aside, Reverse(own.lines.count() > 1), own.container.is_some(), path.to_string(), own.lines.first)
    });
}
