//! The catalog: one row for each parameter of each operation.
//!
//! Every front end reads its argument list, help and schema from these rows, so a parameter has the same name, default
//! and description everywhere. A row also carries the parameter's home: the function that writes a value into the
//! request ([`Row`]). A front end only turns argv or JSON into raw values ([`RawValues`]). Options of a single front end
//! (colours, output formats) belong to that front end and not here. The engine checks ranges, because a second check
//! would sooner or later disagree with the first. The ranges here are for display.

pub mod aliases;
mod arguments;
mod choice;
mod entries;
mod faces;
mod file_graph;
mod files;
mod graph;
mod grep;
pub mod grep_params;
pub mod lenient;
mod library;
mod map;
mod memory;
pub mod models;
pub mod offer;
mod operation;
mod pack;
mod param;
pub mod params;
pub mod profile;
mod read;
mod row;
pub mod schema;
mod search;
mod semantic;
mod shared;
mod skipped;
mod sources;
mod symbols;
mod table;
pub mod tools;
mod upkeep;
mod values;

pub use arguments::Arguments;
pub use choice::{NamedChoice, names};
pub(crate) use entries::{COMMANDS, ROUTES};
pub use entries::{ENTRIES_ROWS, REACHES};
pub use faces::Faces;
pub use file_graph::{FILE_GRAPH, FILE_GRAPH_QUESTION, FILE_GRAPH_RESULTS, FILE_GRAPH_ROWS, FORMAT};
pub use files::{FILES_RESULTS, FILES_ROWS, FIND_FILES, NAME_PATTERN};
pub(crate) use graph::{CALLEES, CALLERS, IMPACT, IMPLS, IMPORTERS, IMPORTS, REFS, TESTS_OF};
pub use graph::{DEF, DIFF, GRAPH_RESULTS, TARGET, TRACE, file_of_target, graph_rows};
pub use grep::{GREP, GREP_ROWS, GrepCall, GrepList, GrepPrint};
pub use library::*;
pub use map::{DEPTH, MAP, MAP_ROWS, MAX_ITEMS};
pub use memory::*;
pub use operation::OperationRow;
pub use pack::{BUDGET, MAX_FILES, PACK, PACK_ROWS, SEED_FILE, TASK};
pub use param::{Param, Positional, Takes, param};
pub use read::{LINES, READ, READ_PATH, READ_ROWS, SYMBOL};
pub use row::{Listed, Row, check_texts, fill};
pub use search::*;
pub(crate) use semantic::*;
pub use shared::{FilledRequest, PLACE, Placement, SERVER, in_range};
pub use skipped::{REASON, SKIPPED, SKIPPED_ROWS};
pub use sources::{ALL_SOURCES, ASKED_SOURCES, AskedSources, IN, TOOL_IN};
pub use symbols::{SYMBOLS, SYMBOLS_RESULTS, SYMBOLS_ROWS};
pub use upkeep::*;
pub use values::{RawValues, ValueError};

#[cfg(test)]
mod tests {
    use super::grep_params::{GREP_EXPAND, GREP_RESULTS};
    use super::pack;
    use super::params::{MAX_FILE_SIZE, MAX_MEMORY, MAX_RESULTS};
    use super::{DEPTH, EXPAND, FILES_RESULTS, MAX_ITEMS, PER_FILE, SYMBOLS_RESULTS};
    use spyhop_engine::api::{
        FilesRequest, GrepRequest, MapRequest, Options, PackRequest, SearchRequest, SymbolsRequest,
    };

    #[test]
    fn defaults_that_are_shown_are_the_defaults() {
        let request = SearchRequest::new("q");
        assert_eq!(MAX_RESULTS.default, Some(request.max_results.to_string().as_str()));
        assert_eq!(EXPAND.default, Some(request.expand.to_string().as_str()));
        assert_eq!(PER_FILE.default, Some(request.per_file.to_string().as_str()));
        assert_eq!((MAX_FILE_SIZE.default, Options::default().max_file_bytes), (Some("1M"), 1 << 20));
        let memory = format!("{}M", spyhop_index::update::DEFAULT_MEMORY >> 20);
        assert!(
            MAX_MEMORY.help.contains(&format!("else {memory} and"))
                && Options::default().max_memory.is_none()
        );
        let grep = GrepRequest::new("p");
        assert_eq!(GREP_RESULTS.default, Some(grep.max_results.to_string().as_str()));
        assert_eq!(GREP_EXPAND.default, Some(grep.expand.to_string().as_str()));
        assert_eq!(SYMBOLS_RESULTS.default, Some(SymbolsRequest::new("p").max_results.to_string().as_str()));
        assert_eq!(FILES_RESULTS.default, Some(FilesRequest::new("p").max_results.to_string().as_str()));
        let packed = PackRequest::new("t");
        assert_eq!(pack::MAX_FILES.default, Some(packed.max_files.to_string().as_str()));
        assert_eq!(pack::BUDGET.default, Some(packed.budget.to_string().as_str()));
        let map = MapRequest::default();
        assert_eq!(MAX_ITEMS.default, Some(map.max_items.to_string().as_str()));
        assert_eq!(DEPTH.default, Some(map.depth.to_string().as_str()));
    }
}
