//! Where the rows of an answer came from: a line for each source.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use super::answer::{Answer, clean_value};
use crate::render::paint::Style;
use crate::render::text;
use spyhop_base::clean::line as clean;
use spyhop_base::time::rfc3339;
use spyhop_engine::api::{SourceName, SourceSnapshot, SourceStatuses};

/// The most sources that an answer describes.
const MOST: usize = 12;

/// Writes `source NAME: KIND URL REF at COMMIT, imported TIME` for each source of the rows.
pub(super) fn lines<'n>(
    out: &mut String,
    all: &[SourceSnapshot],
    of_rows: impl Iterator<Item = Option<&'n SourceName>>,
) {
    let named: FxHashSet<&SourceName> = of_rows.flatten().collect();
    for source in all.iter().filter(|source| named.contains(&source.name)).take(MOST) {
        let _ = write!(out, "source {}:", source.name);
        match &source.provenance {
            None => _ = write!(out, " {}", clean(&source.snapshot.root.to_string_lossy())),
            Some(provenance) => {
                let _ = write!(out, " {} {}", provenance.kind, clean(&provenance.url));
                if let Some(reference) = &provenance.reference {
                    let _ = write!(out, " {}", clean(reference));
                }
            }
        }
        if let Some(commit) = source.commit() {
            let _ = write!(out, " at {}", clean(commit));
        }
        if let Some(provenance) = &source.provenance {
            let _ = write!(out, ", imported {}", rfc3339(provenance.imported_at));
        }
        out.push('\n');
    }
    if !all.is_empty() {
        let (one, many) = match all.iter().any(|source| source.provenance.is_some()) {
            true => ("source of the library", "sources of the library"),
            false => ("root", "roots"),
        };
        let _ = writeln!(out, "{} answered", crate::render::text::count(all.len(), one, many));
    }
}

/// The states of several sources.
pub fn source_statuses(reply: &SourceStatuses) -> Answer {
    let data = clean_value(reply);
    Answer { text: text::source_statuses(reply, &Style::default()), data }
}

/// Whether no source needs a comparison with its tree.
pub(super) fn are_fixed(all: &[SourceSnapshot]) -> bool {
    !all.is_empty() && all.iter().all(SourceSnapshot::is_fixed)
}
