//! A library of sources for agents.

use std::path::Path;

use serde_json::json;

use super::answer::{Answer, clean_value};
use crate::library::{AddReply, LibraryReply, SourceBatch, SourceManifest, UpdatedSource};
use crate::render::json;
use crate::render::paint::Style;
use crate::render::text;

/// The sources of a library.
pub fn sources(reply: &LibraryReply) -> Answer {
    let text = text::sources(reply, &Style::default());
    Answer { text, data: clean_value(&json::sources(reply)) }
}

/// A source.
pub fn source(source: &SourceManifest, path: &Path) -> Answer {
    let text = text::source(source, path, &Style::default());
    Answer { text, data: clean_value(&json::source(source, Some(path))) }
}

/// A source that was added.
pub fn added_source(added: &AddReply) -> Answer {
    let text = text::added_source(added, &Style::default());
    Answer { text, data: clean_value(&json::added_source(added)) }
}

/// The outcomes of an update.
pub fn updated_sources(batch: &SourceBatch<UpdatedSource>) -> Answer {
    let text = text::updated_sources(batch, &Style::default());
    Answer { text, data: clean_value(&json::updated_sources(batch)) }
}

/// A call has waited for another import as long as a call may.
pub fn import_is_running() -> Answer {
    super::error(
        "another import is running, and this one has not begun; try again when that one has ended",
        "locked",
    )
}

/// An import takes longer than a call may.
pub fn import_goes_on() -> Answer {
    let text = "The import takes longer and goes on. The tool library shows its state.\n";
    Answer { text: text.to_string(), data: json!({ "state": "indexing" }) }
}
