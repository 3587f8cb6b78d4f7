//! Symbols of the workspace by name, and the symbols of a document.

use std::sync::Arc;

use lsp_types::{
    DocumentSymbol, DocumentSymbolResponse, Location, Position, Range, SymbolInformation,
    SymbolKind as WireKind,
};
use spyhop_base::model::SymbolKind;
use spyhop_base::path::RelPath;
use spyhop_engine::api::{SymbolRow, SymbolsRequest};

use super::documents::RequestContext;
use super::request_error::RequestError;
use super::roots::ServedRoot;
use super::text::LinedText;

/// The most symbols of a root that answer a query.
const FOUND: usize = 128;

/// The symbols of a page when all symbols of a document are listed.
const PAGE: usize = 1_000;

/// The definitions whose name matches, best first; those of several roots take turns.
pub fn in_workspace(context: &RequestContext, query: &str) -> Result<Vec<SymbolInformation>, RequestError> {
    let mut lists = Vec::new();
    for root in context.roots.all() {
        let request = SymbolsRequest { max_results: FOUND, ..SymbolsRequest::new(query) };
        let reply = root.answer(&context.cancel, |engine| engine.ask(&request))?;
        let rows = reply.symbols.iter().filter_map(|row| information(context, &root, row));
        lists.push(rows.collect::<Vec<_>>().into_iter());
    }
    let longest = lists.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
    Ok((0..longest).flat_map(|_| lists.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()).collect())
}

fn information(context: &RequestContext, root: &ServedRoot, row: &SymbolRow) -> Option<SymbolInformation> {
    let container = row.container.clone().or_else(|| Some(row.path.as_str().to_string()));
    Some(flat(row, location(context, root, row)?, container))
}

#[expect(deprecated, reason = "the field `deprecated` has to be given")]
fn flat(row: &SymbolRow, location: Location, container_name: Option<String>) -> SymbolInformation {
    let (name, kind) = (row.name.clone(), wire_kind(row.kind));
    SymbolInformation { name, kind, tags: None, deprecated: None, location, container_name }
}

/// Where the name of a definition stands.
pub fn location(context: &RequestContext, root: &ServedRoot, row: &SymbolRow) -> Option<Location> {
    Some(Location::new(root.uri(&row.path)?, name_range(context, root, row)))
}

/// The range of the name of a definition.
pub fn name_range(context: &RequestContext, root: &ServedRoot, row: &SymbolRow) -> Range {
    match context.text(root, &row.path) {
        Some(text) => text.name_range((row.lines.first, row.lines.last), &row.name, context.unit),
        None => {
            let start = Position::new(row.lines.first.saturating_sub(1), 0);
            Range::new(start, start)
        }
    }
}

/// The symbols of a document, nested if the client understands that; `None` for a document outside of the roots.
pub fn of_document(
    context: &RequestContext,
    uri: &str,
    nested: bool,
) -> Result<Option<DocumentSymbolResponse>, RequestError> {
    let Some((root, path, text)) = context.document(uri) else { return Ok(None) };
    let mut rows = outline(context, &root, &path)?;
    rows.sort_by_key(|row| (row.lines.first, std::cmp::Reverse(row.lines.last)));
    if nested {
        return Ok(Some(DocumentSymbolResponse::Nested(tree(context, &text, &rows))));
    }
    let Some(uri) = root.uri(&path) else { return Ok(None) };
    let all = rows.iter().map(|row| {
        let name = text.name_range((row.lines.first, row.lines.last), &row.name, context.unit);
        flat(row, Location::new(uri.clone(), name), row.container.clone())
    });
    Ok(Some(DocumentSymbolResponse::Flat(all.collect())))
}

/// Every symbol of a file.
fn outline(
    context: &RequestContext,
    root: &Arc<ServedRoot>,
    path: &RelPath,
) -> Result<Vec<SymbolRow>, RequestError> {
    let mut request = SymbolsRequest { max_results: PAGE, ..SymbolsRequest::new("") };
    request.filter.path = Some(path.as_str().to_string());
    let shown = |kind: &SymbolKind| !matches!(kind, SymbolKind::Block | SymbolKind::Text);
    request.filter.kind = SymbolKind::ALL.iter().copied().filter(shown).collect();
    let mut rows = Vec::new();
    loop {
        let reply = root.answer(&context.cancel, |engine| engine.ask(&request))?;
        rows.extend(reply.symbols);
        match reply.next {
            Some(next) => request.cursor = Some(next),
            None => return Ok(rows),
        }
    }
}

/// Nests symbols by their lines.
fn tree(context: &RequestContext, text: &LinedText, rows: &[SymbolRow]) -> Vec<DocumentSymbol> {
    let mut done: Vec<DocumentSymbol> = Vec::new();
    let mut open: Vec<(&SymbolRow, DocumentSymbol)> = Vec::new();
    for row in rows {
        while open.last().is_some_and(|(parent, _)| !encloses(parent, row)) {
            close(&mut open, &mut done);
        }
        open.push((row, symbol(context, text, row)));
    }
    while !open.is_empty() {
        close(&mut open, &mut done);
    }
    done
}

/// Whether a symbol encloses the next one. Symbols on equal lines are nested only if the names say so.
fn encloses(parent: &SymbolRow, row: &SymbolRow) -> bool {
    let has_lines = parent.lines.first <= row.lines.first && row.lines.last <= parent.lines.last;
    has_lines && (parent.lines != row.lines || row.container.as_deref() == Some(&parent.name))
}

fn close(open: &mut Vec<(&SymbolRow, DocumentSymbol)>, done: &mut Vec<DocumentSymbol>) {
    if let Some((_, symbol)) = open.pop() {
        match open.last_mut() {
            Some((_, parent)) => parent.children.get_or_insert_default().push(symbol),
            None => done.push(symbol),
        }
    }
}

#[expect(deprecated, reason = "the field `deprecated` has to be given")]
fn symbol(context: &RequestContext, text: &LinedText, row: &SymbolRow) -> DocumentSymbol {
    let (first, last) = (row.lines.first, row.lines.last);
    let selection_range = text.name_range((first, last), &row.name, context.unit);
    let start = Position::new(first.saturating_sub(1), 0).min(selection_range.start);
    let end = text.end_of(last.saturating_sub(1), context.unit).max(selection_range.end);
    DocumentSymbol {
        name: if row.name.trim().is_empty() { row.kind.name().to_string() } else { row.name.clone() },
        detail: Some(row.kind.name().to_string()),
        kind: wire_kind(row.kind),
        tags: None,
        deprecated: None,
        range: Range::new(start, end),
        selection_range,
        children: None,
    }
}

/// The protocol's kind that is nearest to a kind.
fn wire_kind(kind: SymbolKind) -> WireKind {
    use SymbolKind::*;
    match kind {
        Fn | Macro => WireKind::FUNCTION,
        Method => WireKind::METHOD,
        Struct => WireKind::STRUCT,
        Class | Type => WireKind::CLASS,
        Enum => WireKind::ENUM,
        Trait | Interface => WireKind::INTERFACE,
        Impl => WireKind::OBJECT,
        Const => WireKind::CONSTANT,
        Module => WireKind::MODULE,
        Field => WireKind::FIELD,
        Variant => WireKind::ENUM_MEMBER,
        Doc | Block | Text => WireKind::STRING,
    }
}
