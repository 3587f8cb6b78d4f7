//! A file: its text with colours, and its outline.

use serde_json::{Value, json};
use spyhop_base::model::SymbolKind;
use spyhop_base::path::RelPath;
use spyhop_engine::Engine;
use spyhop_engine::api::{ALL_ROWS, LineRange, ReadReply, ReadRequest, ReadText, SymbolsRequest};
use spyhop_search::filter::FilterSpec;

use super::super::ask::Ask;
use super::super::colors::{CLASSES, MAX_PARSED, SyntaxToken, file_tokens, tokens, within};
use super::super::reply::ApiError;
use super::super::site::{AskedTrees, PageSite};

/// The most bytes of text in a reply; the rest is asked for as an excerpt.
pub const MAX_BYTES: usize = 2 << 20;

/// A file of a tree in a view.
pub struct AskedFile {
    pub engine: Engine,
    pub root: String,
    pub view: Option<String>,
    pub path: RelPath,
}

/// The file that `path`, `root`, `in` and `view` name.
pub fn asked_file(site: &PageSite, ask: &Ask, view: Option<&str>) -> Result<AskedFile, ApiError> {
    let path = ask.params.required("path")?;
    match site.chosen(ask.params.one("root")?, view, &ask.params.sources())? {
        AskedTrees::Tree { number, engine, view } => {
            let path = site.place(number, "path", path)?;
            Ok(AskedFile { engine, root: site.trees[number].name.clone(), view, path })
        }
        AskedTrees::Sources(set) => {
            let path = crate::mcp::roots::below("path", path).map_err(ApiError::bad)?.path;
            let mut members = set.members();
            match (members.next(), members.next()) {
                (Some((name, engine)), None) => Ok(AskedFile {
                    engine: engine.with_policy(engine.policy()),
                    root: name.as_str().to_string(),
                    view: None,
                    path,
                }),
                _ => Err(ApiError::bad("a file is of one source; name one in 'in'")),
            }
        }
    }
}

/// The lines of a file.
pub fn lines_of(file: &AskedFile, lines: Option<LineRange>) -> Result<Box<ReadText>, ApiError> {
    let request = ReadRequest { path: Some(file.path.clone()), lines, symbol: None };
    match file.engine.ask(&request)? {
        ReadReply::Text(text) if text.symbol.is_none() => Ok(text),
        // The engine takes a path that is not there for a name.
        _ => Err(ApiError::not_found(format!("there is no file '{}'", file.path))),
    }
}

/// A file with its outline.
pub fn file(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["path", "root", "view", "in"])?;
    let file = asked_file(site, ask, ask.params.one("view")?)?;
    let mut reply = with_text(&file, None)?;
    reply["outline"] = json!(outline(&file)?);
    Ok(reply.to_string())
}

/// Some lines of a file.
pub fn excerpt(site: &PageSite, ask: &Ask) -> Result<String, ApiError> {
    ask.params.only(&["path", "lines", "root", "view", "in"])?;
    let file = asked_file(site, ask, ask.params.one("view")?)?;
    let lines = ask.params.required("lines")?.parse().map_err(ApiError::bad)?;
    Ok(with_text(&file, Some(lines))?.to_string())
}

fn with_text(file: &AskedFile, lines: Option<LineRange>) -> Result<Value, ApiError> {
    let mut read = lines_of(file, lines)?;
    let mut bytes = 0;
    let fits = read.text.iter().take_while(|line| {
        bytes += line.len() + 1;
        bytes <= MAX_BYTES
    });
    let fits = fits.count().max(1);
    read.truncate(fits);
    let text = read.text.join("\n");
    let colors = match lines {
        None => file_tokens(&file.engine, read.language, &text),
        Some(_) => excerpt_tokens(file, &read, &text),
    };
    let colors = colors.unwrap_or_else(|| tokens(read.language, &text).collect());
    let spans: Vec<u32> = colors.iter().flat_map(|&(start, end, class)| [start, end, class as u32]).collect();
    let shown = read.lines();
    Ok(json!({
        "root": file.root,
        "path": read.path.as_str(),
        "view": file.view,
        "language": read.language,
        "line": shown.map(|lines| lines.first),
        "end_line": shown.map(|lines| lines.last),
        "total_lines": read.total_lines,
        "next_lines": read.next.map(|next| next.to_string()),
        "cut": read.cut,
        "bytes": text.len(),
        "spans": spans,
        "classes": CLASSES,
        "snapshot": snapshot(&read.snapshot),
        "warnings": read.warnings,
        "text": text,
    }))
}

/// The tokens of some lines, whose text is `text`, by the syntax tree of the whole file; `None` if the file is too large, or
/// has just changed.
fn excerpt_tokens(file: &AskedFile, read: &ReadText, text: &str) -> Option<Vec<SyntaxToken>> {
    if text.len() > MAX_PARSED {
        return None;
    }
    let whole = lines_of(file, None).ok()?;
    let skipped = read.first.checked_sub(whole.first)? as usize;
    if whole.next.is_some() || whole.text.get(skipped..skipped + read.text.len())? != read.text {
        return None;
    }
    let start: usize = whole.text[..skipped].iter().map(|line| line.len() + 1).sum();
    let all = file_tokens(&file.engine, read.language, &whole.text.join("\n"))?;
    Some(within(all, start..start + text.len()))
}

/// The part of a snapshot that the page shows beside a file.
pub fn snapshot(snapshot: &spyhop_engine::api::Snapshot) -> Value {
    json!({ "branch": snapshot.branch, "commit": snapshot.commit, "generation": snapshot.generation.0 })
}

/// The definitions of a file, by line, each with its depth.
fn outline(file: &AskedFile) -> Result<Vec<Value>, ApiError> {
    let filter = FilterSpec {
        path: Some(file.path.to_string()),
        // With kinds, sections of documents and implementations are listed too.
        kind: SymbolKind::ALL.to_vec(),
        ..FilterSpec::default()
    };
    let request = SymbolsRequest { filter, max_results: ALL_ROWS, ..SymbolsRequest::new("") };
    let mut symbols = match file.engine.ask(&request) {
        Ok(reply) => reply.symbols,
        // A file that the index does not know has a text and no outline.
        Err(error) => {
            tracing::debug!(%error, "no outline");
            Vec::new()
        }
    };
    symbols.sort_by_key(|symbol| (symbol.lines.first, std::cmp::Reverse(symbol.lines.last)));
    let mut around: Vec<u32> = Vec::new();
    let rows = symbols.iter().map(|symbol| {
        while around.last().is_some_and(|last| *last < symbol.lines.first) {
            around.pop();
        }
        let depth = around.len();
        around.push(symbol.lines.last);
        json!({
            "name": symbol.name, "kind": symbol.kind.name(), "line": symbol.lines.first,
            "end_line": symbol.lines.last, "container": symbol.container, "depth": depth,
        })
    });
    Ok(rows.collect())
}
