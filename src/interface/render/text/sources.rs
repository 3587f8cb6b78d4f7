//! The states of several sources for terminals: a line each.

use std::fmt::Write;

use super::counts::{bytes, count, tally};
use super::index::state_ink;
use crate::render::paint::{Ink, Style};
use spyhop_base::clean::line as clean;
use spyhop_engine::api::{NamedStatus, SourceStatuses};

/// The states of several sources.
pub fn source_statuses(reply: &SourceStatuses, style: &Style) -> String {
    let width = reply.sources.iter().map(|own| own.name.as_str().len()).max().unwrap_or_default();
    let mut out = String::new();
    for own in &reply.sources {
        let name = format!("{:<width$}", own.name.as_str());
        let _ = writeln!(out, "{}  {}", style.paint(Ink::Path, &name), state(own, style));
    }
    let _ = writeln!(out, "{}", style.paint(Ink::Dim, &count(reply.sources.len(), "source", "sources")));
    out
}

/// `ready  12 files, 34 KB, 0 changed  tar /home/ann/keys-1.2.0.crate`.
fn state(own: &NamedStatus, style: &Style) -> String {
    let status = match &own.status {
        Err(error) => return format!("{}  {}", style.paint(Ink::Alarm, "no answer"), clean(error)),
        Ok(status) => status,
    };
    let state = style.paint(state_ink(status.state), &format!("{:<8}", status.state.name()));
    let changed = status.stale_files.map(|files| format!(", {files} changed")).unwrap_or_default();
    let detail = status.detail.as_ref().map(|detail| format!("  ({})", clean(detail))).unwrap_or_default();
    let from = own.provenance.as_ref().map(|provenance| {
        let commit = provenance.commit.as_ref().map(|commit| format!(" at {commit}")).unwrap_or_default();
        format!("  {} {}{commit}", provenance.kind, provenance.url)
    });
    let from = clean(&from.unwrap_or_default());
    format!(
        "{state}  {} ({}), {}{changed}{}{detail}",
        count(status.files, "file", "files"),
        tally(status.structure.named()),
        bytes(status.source_bytes),
        style.paint(Ink::Dim, &from),
    )
}
