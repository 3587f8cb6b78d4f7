//! The wire format of lines that were read.

use serde::Serialize;

use super::lookup::WireSymbol;
use super::shared::{JsonPaths, WirePath, WireSnapshot};
use spyhop_engine::api::{ReadReply, SymbolRow};

/// The lines of a file, or the definitions of a name.
pub fn read<'r>(reply: &'r ReadReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let symbol = |row: &'r SymbolRow| WireSymbol::in_tree(row, paths);
    match reply {
        ReadReply::Text(text) => WireRead {
            path: paths.of(&text.path),
            language: Some(text.language),
            line: text.lines().map(|lines| lines.first),
            end_line: text.lines().map(|lines| lines.last),
            total_lines: Some(text.total_lines),
            symbol: text.symbol.as_ref().map(symbol),
            text: Some(text.text.join("\n")),
            cut: &text.cut,
            next_lines: text.next.map(|next| next.to_string()),
            choices: Vec::new(),
            snapshot: WireSnapshot::new(&text.snapshot),
            warnings: &text.warnings,
        },
        ReadReply::Choices(choices) => WireRead {
            path: WirePath::NONE,
            language: None,
            line: None,
            end_line: None,
            total_lines: None,
            symbol: None,
            text: None,
            cut: &[],
            next_lines: None,
            choices: choices.choices.iter().map(symbol).collect(),
            snapshot: WireSnapshot::new(&choices.snapshot),
            warnings: &choices.warnings,
        },
    }
}

#[derive(Serialize)]
struct WireRead<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    language: Option<&'a str>,
    line: Option<u32>,
    end_line: Option<u32>,
    total_lines: Option<u32>,
    symbol: Option<WireSymbol<'a>>,
    text: Option<String>,
    /// The numbers of lines of which only the beginning is in the text.
    cut: &'a [u32],
    /// The lines that did not fit.
    next_lines: Option<String>,
    /// The definitions of the name, if there is more than one.
    choices: Vec<WireSymbol<'a>>,
    snapshot: WireSnapshot,
    warnings: &'a [String],
}
