//! The links of notes: from what a caller writes or a commit changes to symbols and files with their content, and back
//! to the state of that code in the searched view.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::api::*;
use super::changes::ChangedFile;
use super::core::Engine;
use super::items::{self, FileItem, ItemSources};
use super::open_index::{Recorded, Viewed};
use crate::error::{Error, ErrorKind};
use spyhop_base::id::ContentHash;
use spyhop_base::model::{SymbolKind, qualified_name};
use spyhop_base::path::RelPath;
use spyhop_base::text::{LineIndex, Lines, Span};
use spyhop_context::memory::MAX_LINKS;
use spyhop_files::read::{Limits, ReadOutcome, Source, TreeSource};
use spyhop_search::is_aside;

/// The most files that are parsed for the links of one note, or of the notes of one reply.
const MAX_PARSED: usize = 200;

/// The most definitions that one name may have to be linked.
const MAX_NAMED: usize = 3;

/// A symbol of a file, as links name it.
#[derive(Clone)]
pub(super) struct LinkedItem {
    name: String,
    kind: SymbolKind,
    /// The symbol with its doc comment.
    span: Span,
}

/// The symbols with the lines that they have with their doc comments.
fn with_lines<'i>(items: &'i [LinkedItem], index: &LineIndex) -> Vec<(Lines, &'i LinkedItem)> {
    items.iter().map(|item| (index.lines_of(item.span), item)).collect()
}

/// The innermost of some symbols with a line.
fn innermost<'i, 's>(
    items: impl Iterator<Item = &'s (Lines, &'i LinkedItem)>,
    line: u32,
) -> Option<&'i LinkedItem>
where
    'i: 's,
{
    let around = items.filter(|(lines, _)| lines.first <= line && line <= lines.last);
    around.min_by_key(|(lines, _)| lines.count()).map(|(_, item)| *item)
}

/// The files of a tree at one moment, read for links.
pub(super) struct LinkSources<'e> {
    engine: &'e Engine,
    pub tree: TreeSource,
    recorded: Option<Recorded>,
    files: FxHashMap<RelPath, Option<Arc<Source>>>,
    items: FxHashMap<RelPath, Vec<LinkedItem>>,
}

impl<'e> LinkSources<'e> {
    /// The files of the searched view.
    pub fn of_view(engine: &'e Engine) -> Result<LinkSources<'e>, Error> {
        let tree = engine.tree().source_now(&engine.tree().head())?;
        let recorded = engine.recorded().filter(|own| own.viewed().building().is_none());
        Ok(LinkSources::new(engine, tree, recorded))
    }

    /// The files of another tree, such as that of a commit.
    pub fn new(engine: &'e Engine, tree: TreeSource, recorded: Option<Recorded>) -> LinkSources<'e> {
        LinkSources { engine, tree, recorded, files: FxHashMap::default(), items: FxHashMap::default() }
    }

    /// The text of a file; `None` if there is no such text file.
    pub fn text(&mut self, path: &RelPath) -> Option<Arc<Source>> {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        if !self.is_inside(path) {
            return None;
        }
        let limits =
            Limits { max_file_bytes: self.engine.tree().settings().max_file_bytes, ..Limits::WANTED };
        let found = match self.tree.read(path, &limits) {
            ReadOutcome::Source(source) => Some(Arc::new(source)),
            ReadOutcome::PathOnly { .. } | ReadOutcome::Skipped { .. } => None,
        };
        self.files.insert(path.clone(), found.clone());
        found
    }

    /// Whether a path of a folder leads to a file of the folder, and not through a link out of it.
    fn is_inside(&self, path: &RelPath) -> bool {
        let Some(root) = self.tree.folder() else { return true };
        root.resolved(path).is_ok_and(|resolved| resolved == *path)
    }

    /// Finds the symbols of files, for [`LinkSources::items_of`].
    pub fn prepare<'p>(&mut self, paths: impl Iterator<Item = &'p RelPath>) -> Result<(), Error> {
        let wanted: FxHashSet<&RelPath> = paths.filter(|path| !self.items.contains_key(*path)).collect();
        let mut wanted: Vec<&RelPath> = wanted.into_iter().collect();
        wanted.sort_unstable();
        if wanted.is_empty() {
            return Ok(());
        }
        let viewed: Option<Viewed<'_>> = self.recorded.as_ref().map(Recorded::viewed);
        let sources = ItemSources {
            viewed,
            source_tree: &self.tree,
            by_outline: true,
            with_minor: false,
            most_parsed: MAX_PARSED,
        };
        let take = |item: FileItem<'_>| {
            let name = qualified_name(item.container, item.name);
            let item = LinkedItem { name, kind: item.kind, span: item.span };
            (item.kind != SymbolKind::Doc && !item.name.is_empty() && item.name != ".").then_some(item)
        };
        self.items.extend(items::items(self.engine, &sources, wanted.into_iter(), &take)?);
        Ok(())
    }

    /// The symbols of a file that was prepared.
    fn items_of(&self, path: &RelPath) -> &[LinkedItem] {
        self.items.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    /// The hash of the text of a symbol, with its doc comment.
    fn content_of(&mut self, path: &RelPath, span: Span) -> Option<ContentHash> {
        let source = self.text(path)?;
        let text = source.text.get(span.range())?;
        Some(ContentHash::of(text.trim_end().as_bytes()))
    }

    /// The link to a file as a whole.
    pub fn file_link(&mut self, path: &RelPath, at: Option<&str>) -> Option<NoteLink> {
        let content = self.text(path)?.hash;
        Some(NoteLink { path: path.clone(), symbol: None, content, at: at.map(str::to_string) })
    }

    fn symbol_link(&mut self, path: &RelPath, item: &LinkedItem, at: Option<&str>) -> Option<NoteLink> {
        let content = self.content_of(path, item.span)?;
        let symbol = Some(item.name.clone());
        Some(NoteLink { path: path.clone(), symbol, content, at: at.map(str::to_string) })
    }

    /// The links to the symbols whose lines a change touches, and to the files without such symbols.
    pub(crate) fn links_of_change(
        &mut self,
        changed: &[ChangedFile],
        at: Option<&str>,
    ) -> Result<Vec<NoteLink>, Error> {
        let mut present: Vec<&ChangedFile> = changed.iter().filter(|file| !file.is_removed).collect();
        // A note about a large change keeps the links to the code that people write.
        present.sort_by_key(|file| is_aside(file.path.as_str()));
        present.truncate(MAX_LINKS);
        self.prepare(present.iter().map(|file| &file.path))?;
        let (mut symbols, mut files) = (Vec::new(), Vec::new());
        for file in present {
            let text = self.text(&file.path);
            let index = LineIndex::new(text.as_ref().map_or("", |source| &source.text));
            let items: Vec<LinkedItem> = touched(self.items_of(&file.path), &index, file);
            let before = symbols.len();
            for item in &items {
                symbols.extend(self.symbol_link(&file.path, item, at));
            }
            if symbols.len() == before {
                files.extend(self.file_link(&file.path, at));
            }
        }
        symbols.extend(files);
        Ok(symbols)
    }

    /// The links of a note, each with its present row, to the present content of the same code.
    pub(crate) fn links_now(
        &mut self,
        links: &[(&LinkRow, &NoteLink)],
        at: Option<&str>,
    ) -> Result<Vec<NoteLink>, Error> {
        let path_of = |row: &LinkRow| row.renamed_to.as_ref().unwrap_or(&row.path).clone();
        let paths: Vec<RelPath> = links.iter().map(|(row, _)| path_of(row)).collect();
        self.prepare(paths.iter())?;
        let mut now: Vec<NoteLink> = Vec::new();
        for ((row, link), path) in links.iter().zip(&paths) {
            let Some(symbol) = &link.symbol else {
                now.extend(self.file_link(path, at));
                continue;
            };
            let items: Vec<LinkedItem> =
                self.items_of(path).iter().filter(|item| item.name == *symbol).cloned().collect();
            let mut found: Vec<NoteLink> =
                items.iter().filter_map(|item| self.symbol_link(path, item, at)).collect();
            // Of several definitions of the name, the one that the note is about is known if it has not changed.
            if row.state == LinkState::Current {
                found.retain(|own| own.content == link.content);
            }
            now.extend(found);
        }
        let mut known = FxHashSet::default();
        now.retain(|link| known.insert((link.path.clone(), link.symbol.clone(), link.content)));
        now.truncate(MAX_LINKS);
        Ok(now)
    }

    /// The state of a link whose file is at `path` now.
    fn state_at(&mut self, link: &NoteLink, path: &RelPath) -> LinkState {
        let Some(source) = self.text(path) else { return LinkState::Gone };
        let Some(symbol) = &link.symbol else {
            return if source.hash == link.content { LinkState::Current } else { LinkState::Changed };
        };
        let spans: Vec<Span> =
            self.items_of(path).iter().filter(|item| item.name == *symbol).map(|item| item.span).collect();
        match spans.is_empty() {
            true => LinkState::Gone,
            // A name may have several definitions in a file.
            false if spans.iter().any(|span| self.content_of(path, *span) == Some(link.content)) => {
                LinkState::Current
            }
            false => LinkState::Changed,
        }
    }
}

/// The innermost functions and types around the lines that a change touches, or other symbols outside of these.
fn touched(items: &[LinkedItem], index: &LineIndex, file: &ChangedFile) -> Vec<LinkedItem> {
    let items = with_lines(items, index);
    let mut found: Vec<&LinkedItem> = Vec::new();
    for lines in &file.touched {
        let (low, high) = (lines.first.min(lines.last).max(1), lines.first.max(lines.last));
        for line in low..=high {
            let holders = items.iter().filter(|(_, own)| own.kind.is_function() || own.kind.is_type_like());
            found.extend(innermost(holders, line).or_else(|| innermost(items.iter(), line)));
        }
    }
    let mut known = FxHashSet::default();
    found.retain(|own| known.insert((own.span.start, own.span.end)));
    found.sort_by_key(|own| own.span.start);
    found.into_iter().cloned().collect()
}

/// The links that a caller writes: files, symbols of files, places, and names of symbols.
pub(super) fn links_as_written(
    engine: &Engine,
    written: &[String],
    sources: &mut LinkSources<'_>,
    at: Option<&str>,
) -> Result<Vec<NoteLink>, Error> {
    let mut links: Vec<NoteLink> = Vec::new();
    for target in written.iter().map(|target| target.trim()) {
        for link in link_as_written(engine, target, sources, at)? {
            // Overloads have one name and several contents.
            if !links.contains(&link) {
                links.push(link);
            }
        }
    }
    Ok(links)
}

fn link_as_written(
    engine: &Engine,
    target: &str,
    sources: &mut LinkSources<'_>,
    at: Option<&str>,
) -> Result<Vec<NoteLink>, Error> {
    let inside = |path: &str| RelPath::new(path.strip_prefix("./").unwrap_or(path)).ok();
    let mut file = |path: &str| inside(path).filter(|path| sources.text(path).is_some());
    if let Some(path) = file(target) {
        return Ok(sources.file_link(&path, at).into_iter().collect());
    }
    let by_name = target.split_once('#').and_then(|(path, name)| Some((file(path)?, name)));
    if let Some((path, name)) = by_name {
        sources.prepare(std::iter::once(&path))?;
        let wanted = name.replace("::", ".");
        let is_exact = |item: &&LinkedItem| item.name == wanted;
        let is_member =
            |item: &&LinkedItem| item.name.strip_suffix(&wanted).is_some_and(|rest| rest.ends_with('.'));
        let items = sources.items_of(&path);
        let mut found: Vec<LinkedItem> = items.iter().filter(is_exact).cloned().collect();
        if found.is_empty() {
            found.extend(items.iter().filter(is_member).cloned());
        }
        if found.is_empty() {
            let known: Vec<&str> = sources.items_of(&path).iter().map(|item| &*item.name).take(5).collect();
            return Err(Error::bad(format!(
                "link: '{path}' defines no '{name}'; the file defines {}",
                if known.is_empty() { "no names".to_string() } else { known.join(", ") }
            )));
        }
        return Ok(found.iter().filter_map(|item| sources.symbol_link(&path, item, at)).collect());
    }
    let by_line = target.rsplit_once(':').and_then(|(path, line)| Some((file(path)?, line.parse().ok()?)));
    if let Some((path, line)) = by_line {
        return link_of_line(&path, line, sources, at);
    }
    if target.contains('/') || target.contains('#') {
        let path = target.split(['#', ':']).next().unwrap_or_default();
        return Err(Error::bad(format!(
            "link: the tree has no text file '{path}'; give a file relative to the root, or path#symbol"
        )));
    }
    links_of_name(engine, target, sources, at)
}

fn link_of_line(
    path: &RelPath,
    line: u32,
    sources: &mut LinkSources<'_>,
    at: Option<&str>,
) -> Result<Vec<NoteLink>, Error> {
    let text = sources.text(path);
    let index = text.map(|source| LineIndex::new(&source.text)).unwrap_or_default();
    let n_lines = index.count();
    if line == 0 || line > n_lines {
        return Err(Error::bad(format!("link: '{path}' has lines 1 to {n_lines} and no line {line}")));
    }
    sources.prepare(std::iter::once(path))?;
    let innermost = innermost(with_lines(sources.items_of(path), &index).iter(), line).cloned();
    Ok(match innermost {
        Some(item) => sources.symbol_link(path, &item, at).into_iter().collect(),
        None => sources.file_link(path, at).into_iter().collect(),
    })
}

/// The links to the definitions of a name, which the index knows.
fn links_of_name(
    engine: &Engine,
    name: &str,
    sources: &mut LinkSources<'_>,
    at: Option<&str>,
) -> Result<Vec<NoteLink>, Error> {
    let question = GraphRequest::new(GraphQuestion::Definitions, name);
    let reply = engine.with_policy(engine.policy().last_commit()).ask(&question).map_err(|error| match error.kind() {
        ErrorKind::NoIndex => Error::bad(format!(
            "link: '{name}' can only be found with an index; write path#{name}, or run 'spyhop index' first"
        )),
        _ => error,
    })?;
    if reply.definitions.len() > MAX_NAMED {
        let places: Vec<String> =
            reply.definitions.iter().take(5).map(|row| format!("{}:{}", row.path, row.lines.first)).collect();
        return Err(Error::bad(format!(
            "link: '{name}' has {} definitions; give one of their places, such as {}",
            reply.definitions.len(),
            places.join(", ")
        )));
    }
    let mut links = Vec::new();
    for row in &reply.definitions {
        links.extend(link_of_line(&row.path, row.lines.first, sources, at)?);
    }
    Ok(links)
}

/// The state of the links of notes in the searched view. Renames are followed for files that are gone.
pub(super) fn link_rows(engine: &Engine, notes: &[&RevisionNote]) -> Result<Vec<Vec<LinkRow>>, Error> {
    if notes.iter().all(|note| note.links.is_empty()) {
        return Ok(vec![Vec::new(); notes.len()]);
    }
    let mut sources = LinkSources::of_view(engine)?;
    let links = || notes.iter().flat_map(|note| &note.links);
    let mut renamed: FxHashMap<(&RelPath, Option<&str>), Option<RelPath>> = FxHashMap::default();
    let mut renames = super::note_renames::Renames::new(engine);
    for link in links() {
        let key = (&link.path, link.at.as_deref());
        if sources.text(&link.path).is_none() && !renamed.contains_key(&key) {
            renamed.insert(key, renames.follow(&link.path, link.at.as_deref(), &sources.tree));
        }
    }
    let now = |link: &NoteLink| {
        let renamed = renamed.get(&(&link.path, link.at.as_deref())).and_then(Option::as_ref);
        renamed.unwrap_or(&link.path).clone()
    };
    let with_symbols: Vec<RelPath> = links().filter(|link| link.symbol.is_some()).map(now).collect();
    let present: Vec<&RelPath> = with_symbols.iter().filter(|path| sources.text(path).is_some()).collect();
    sources.prepare(present.into_iter())?;
    let mut row = |link: &NoteLink| {
        let path = now(link);
        let state = sources.state_at(link, &path);
        let renamed_to = (path != link.path).then_some(path);
        LinkRow { path: link.path.clone(), symbol: link.symbol.clone(), renamed_to, state }
    };
    Ok(notes.iter().map(|note| note.links.iter().map(&mut row).collect()).collect())
}
