//! The request and the reply of an outline.

use super::snapshot::Snapshot;
use super::sources::{SourceName, SourceSnapshot, answering};
use spyhop_attributes::{reply, request};
use spyhop_base::model::SymbolKind;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use spyhop_base::wire::wire;
use spyhop_search::filter::FilterSpec;

/// The maximum number of rows of a map.
pub(crate) const MAX_MAP_ITEMS: usize = 5_000;

/// A request for the outline of a tree, of a folder or of a file.
#[request(Clone, Debug; default, deny_unknown_fields)]
pub struct MapRequest {
    /// The filter of files. Its `path` is the folder or file of the outline; its kinds are those of the symbols.
    pub filter: FilterSpec,
    /// The maximum number of rows, counting folders, files and symbols, 1 to 5,000. Default 200.
    pub max_items: usize,
    /// The greatest depth of a folder with a row; the files of deeper folders count for the folder above. Default 2.
    pub depth: u32,
}

impl Default for MapRequest {
    fn default() -> MapRequest {
        MapRequest { filter: FilterSpec::default(), max_items: 200, depth: 2 }
    }
}

/// The outline of a tree, of a folder or of a file.
#[reply(Clone, Debug)]
pub struct MapReply {
    /// The folder or file of the outline; empty for the whole tree.
    pub path: RelPath,
    /// The number of files.
    pub files: usize,
    /// The number of lines of these files.
    pub lines: u64,
    /// The number of symbols that these files define.
    pub symbols: usize,
    /// The number of files for each language, most first.
    #[serde(serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<spyhop_base::wire::LanguageCount>"))]
    pub languages: Vec<(&'static str, usize)>,
    /// The rows of folders and files; a folder comes before its content.
    pub entries: Vec<MapEntry>,
    /// Whether every folder and file down to `depth` has a row and, if the outline is of one file, every symbol. The
    /// symbols of a folder are always a selection.
    #[serde(rename = "complete")]
    pub all_rows_listed: bool,
    /// Where the answer comes from.
    pub snapshot: Snapshot,
    /// The sources that answer, if several trees were asked.
    #[serde(flatten, serialize_with = "answering")]
    #[cfg_attr(feature = "schema", schemars(with = "super::sources::Answering"))]
    pub sources: Vec<SourceSnapshot>,
    /// Warnings for the caller, such as that another process is indexing.
    pub warnings: Vec<String>,
}

/// A folder or a file of a map.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct MapEntry {
    /// The source that has the folder or file; `None` if one tree answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourceName>,
    /// The path of the folder or file.
    pub path: RelPath,
    /// Whether the entry is a folder.
    pub is_dir: bool,
    /// The number of folders of the map above the entry.
    pub depth: u32,
    /// The number of files in the folder and below; 1 for a file.
    pub files: usize,
    /// The number of lines of these files.
    pub lines: u64,
    /// The number of files for each language, most first.
    #[serde(serialize_with = "wire")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<spyhop_base::wire::LanguageCount>"))]
    pub languages: Vec<(&'static str, usize)>,
    /// The main symbols of the files, including files in folders without an entry.
    pub symbols: Vec<MapSymbol>,
    /// The number of symbols from which these were selected.
    pub total_symbols: usize,
}

/// A symbol of a map.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct MapSymbol {
    /// The name with its container, as `Type.method`.
    pub name: String,
    /// The kind of symbol.
    pub kind: SymbolKind,
    /// The file that defines the symbol.
    pub path: RelPath,
    /// The lines of the item.
    #[serde(flatten)]
    pub lines: Lines,
    /// The number of symbols of the file that enclose the symbol.
    pub depth: u32,
}

impl MapReply {
    /// Completes the sources of the reply and of its rows.
    pub(crate) fn settle_sources(&mut self) {
        SourceSnapshot::settle(&mut self.sources, self.entries.iter_mut().map(|entry| &mut entry.source));
    }
}
