//! A library of sources as text for people.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::counts::{bytes, count};
use super::index::refresh;
use crate::render::command::import_command;
use crate::render::paint::{Ink, Style, shown};
use spyhop_base::clean::line as clean;
use spyhop_base::time::rfc3339;
use spyhop_engine::api::State;
use spyhop_library::{
    AddPlan, AddReply, CollectedSources, FailedSource, ImportRecord, IntakeReply, LibraryReply,
    LibraryStatus, PlannedUpdate, RemovedSource, SourceBatch, SourceManifest, SourceStatus, UnfinishedImport,
    UpdateStep, UpdatedSource, VerifiedSource,
};

/// The most files that a comparison names.
const NAMED: usize = 20;

/// The sources of a library, a row for each.
pub fn sources(reply: &LibraryReply, style: &Style) -> String {
    if reply.sources.is_empty() {
        return no_sources(&reply.root) + &unfinished(&reply.unfinished);
    }
    let row = |source: &SourceManifest| {
        vec![
            clean(&source.name),
            source.origin.kind.name().to_string(),
            source.state.name().to_string(),
            revision(source),
            if source.is_held() { bytes(source.bytes) } else { "-".to_string() },
            clean(&source.origin.location),
        ]
    };
    let rows = reply.sources.iter().map(row).collect();
    table(&["NAME", "KIND", "STATE", "REVISION", "SIZE", "LOCATION"], rows, style)
        + &unfinished(&reply.unfinished)
}

fn no_sources(root: &Path) -> String {
    format!("no sources in {}; spyhop add SOURCE adds one\n", shown(root))
}

/// The branch or tag, and the beginning of the commit.
fn revision(source: &SourceManifest) -> String {
    let commit = source.commit.as_ref().map(|commit| commit.chars().take(9).collect::<String>());
    let version = source.package.as_ref().and_then(|package| package.version.clone());
    match (source.branch.as_ref(), commit) {
        (Some(branch), Some(commit)) => clean(&format!("{branch} {commit}")),
        (None, Some(commit)) => commit,
        _ => clean(&version.unwrap_or_else(|| "-".to_string())),
    }
}

/// Rows below their heads, in columns.
fn table(heads: &[&str], rows: Vec<Vec<String>>, style: &Style) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([heads[column].len()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..heads.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string()
    };
    let mut out = format!("{}\n", style.paint(Ink::Dim, &line(&mut heads.iter().copied())));
    for row in &rows {
        let _ = writeln!(out, "{}", line(&mut row.iter().map(String::as_str)));
    }
    out
}

/// All that is known of a source.
pub fn source(source: &SourceManifest, path: &Path, style: &Style) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "{} {value}", style.paint(Ink::Dim, &format!("{name:<11}")));
    };
    let origin = &source.origin;
    row("name", &style.paint(Ink::Symbol, &clean(&source.name)));
    row("id", source.id.as_str());
    row("state", source.state.name());
    let how = match (origin.snapshot, origin.nested) {
        (true, _) => ", copied",
        (_, true) => ", with the archives inside",
        _ => "",
    };
    row("kind", &format!("{}{how}", origin.kind.name()));
    row("location", &clean(&origin.location));
    let asked = [("ref", &origin.reference), ("folder", &origin.folder)];
    for (name, value) in asked.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
        row(name, &clean(value));
    }
    row("path", &shown(path));
    for (name, value) in [("branch", &source.branch), ("commit", &source.commit)] {
        if let Some(value) = value {
            row(name, &clean(value));
        }
    }
    if source.is_held() {
        let protected = if source.is_protected { "read-only" } else { "writable" };
        let files = count(source.files, "file", "files");
        row("files", &format!("{files}, {}, {protected}", bytes(source.bytes)));
    }
    for (name, value) in [("archive", &source.archive_hash), ("tree hash", &source.tree_hash)] {
        if let Some(value) = value {
            row(name, value);
        }
    }
    if let Some(package) = &source.package {
        let version = package.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
        row("package", &clean(&format!("{} {}{version}", package.ecosystem, package.name)));
    }
    if source.licence.is_some() || !source.licence_files.is_empty() {
        let named = source.licence.as_deref().unwrap_or("unknown");
        row("licence", &clean(&format!("{named} {}", source.licence_files.join(", "))));
    }
    for entry in &source.left_out {
        row("left out", &clean(&format!("{}: {}", entry.path, entry.reason)));
    }
    if source.left_out_count > source.left_out.len() {
        row("left out", &format!("{} in all", source.left_out_count));
    }
    for record in &source.history {
        row("history", &history(record));
    }
    out
}

fn history(record: &ImportRecord) -> String {
    let commit = record.commit.as_ref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
    format!("{} {}, import {}{}", time(record.at), record.event.name(), record.import, clean(&commit))
}

fn time(seconds: u64) -> String {
    rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)).split('.').next().unwrap_or_default().to_string() + "Z"
}

/// The folder of a source, on one line.
pub(crate) fn source_path(path: &Path) -> String {
    format!("{}\n", shown(path))
}

/// What adding a source would do.
pub(crate) fn add_plan(plan: &AddPlan, style: &Style) -> String {
    let mut out = format!(
        "would add {} ({}): {}\n",
        style.paint(Ink::Symbol, &clean(&plan.name)),
        plan.kind.name(),
        clean(&plan.location)
    );
    let facts = [
        ("commit", plan.commit.clone()),
        ("branch", plan.branch.clone()),
        ("folder", plan.folder.clone()),
        ("bytes to copy", plan.bytes.map(bytes)),
        ("continues an import that is", plan.resumes.map(str::to_string)),
    ];
    for (name, value) in facts.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        let _ = writeln!(out, "  {name}: {}", clean(&value));
    }
    let how = match plan.copies {
        true => "its files are copied into",
        false => "the folder stays where it is; the index is made in",
    };
    let _ = writeln!(out, "  {how} {}", shown(&plan.library));
    out
}

/// A source that was added.
pub(crate) fn added_source(added: &AddReply, style: &Style) -> String {
    let AddReply { source, path, report, resumed } = added;
    let size = match source.is_held() {
        true => format!(": {}, {}", count(source.files, "file", "files"), bytes(source.bytes)),
        false => String::new(),
    };
    let name = style.paint(Ink::Symbol, &clean(&source.name));
    let mut out = format!("added {name} ({}){size}\n", source.origin.kind.name());
    if let Some(stage) = resumed {
        let _ = writeln!(out, "  continued an import that was {stage}");
    }
    if source.left_out_count > 0 {
        let _ = writeln!(out, "  {} left out; spyhop library show names them", source.left_out_count);
    }
    let _ = writeln!(out, "  path: {}", shown(path));
    let _ = write!(out, "  {}", refresh(report));
    out
}

/// What happened to a source, on one line.
pub(crate) fn changed_source(what: &str, source: &SourceManifest) -> String {
    format!(
        "{what} {} ({}: {})\n",
        clean(&source.name),
        source.origin.kind.name(),
        clean(&source.origin.location)
    )
}

/// A source that was removed, and where what the user dropped in lies now.
pub(crate) fn removed_source(removed: &RemovedSource) -> String {
    let mut out = changed_source("removed", &removed.source);
    if let Some(path) = &removed.kept_at {
        let _ = writeln!(out, "  what you dropped in lies at {}", shown(path));
    }
    out
}

/// The state of a library: a row for each source, then the unfinished imports.
pub fn library_status(status: &LibraryStatus, style: &Style) -> String {
    let mut out = match status.sources.is_empty() {
        true => no_sources(&status.root),
        false => {
            let heads = ["NAME", "KIND", "STATE", "FILES", "CHANGED", "RAW", "INDEX", "IMPORTED"];
            table(&heads, status.sources.iter().map(status_row).collect(), style)
        }
    };
    for source in &status.sources {
        if let Some(detail) = &source.detail {
            let _ = writeln!(out, "{}: {}", clean(&source.source.name), clean(detail));
        }
    }
    out += &unfinished(&status.unfinished);
    let sum = |size: fn(&SourceStatus) -> u64| bytes(status.sources.iter().map(size).sum());
    if !status.sources.is_empty() {
        let total = format!(
            "{}, {} raw, {} of indexes, in {}",
            count(status.sources.len(), "source", "sources"),
            sum(|source| source.raw_bytes),
            sum(|source| source.index_bytes),
            shown(&status.root)
        );
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &total));
    }
    out
}

fn unfinished(imports: &[UnfinishedImport]) -> String {
    let line = |import: &UnfinishedImport| {
        let (name, command) = (clean(&import.name), clean(&import_command(import)));
        let (stage, begun) = (import.stage, time(import.begun_at));
        format!("unfinished: {name}, {stage} since {begun}; {command} continues\n")
    };
    imports.iter().map(line).collect()
}

fn status_row(status: &SourceStatus) -> Vec<String> {
    let source = &status.source;
    vec![
        clean(&source.name),
        source.origin.kind.name().to_string(),
        status.state.name().to_string(),
        status.indexed_files.to_string(),
        status.stale_files.map_or("-".to_string(), |files| files.to_string()),
        if source.is_held() { bytes(status.raw_bytes) } else { "-".to_string() },
        if status.state == State::Missing { "-".to_string() } else { bytes(status.index_bytes) },
        time(source.imported_at),
    ]
}

/// The outcomes of an update.
pub(crate) fn updated_sources(batch: &SourceBatch<UpdatedSource>, _: &Style) -> String {
    let mut out = String::new();
    for UpdatedSource { source, is_new, old_commit, report } in &batch.sources {
        let name = clean(&source.name);
        let report = report.as_ref().map(|report| format!("; {}", refresh(report).trim_end()));
        let report = report.unwrap_or_default();
        let what = match (is_new, old_commit, &source.commit) {
            (true, Some(old), Some(new)) => format!("{old:.9} to {new:.9}"),
            (true, ..) => format!("import {}", source.import),
            (false, ..) if source.is_held() => "newest already".to_string(),
            (false, ..) => "indexed".to_string(),
        };
        let _ = writeln!(out, "{name}: {}{report}", clean(&what));
    }
    out + &failed(&batch.failed)
}

/// The plans of updates.
pub(crate) fn update_plans(batch: &SourceBatch<PlannedUpdate>) -> String {
    let mut out = String::new();
    for PlannedUpdate { source, step, newest_commit, changed_files, resumes, .. } in &batch.sources {
        let what = match (step, &source.commit, newest_commit, changed_files) {
            (UpdateStep::Import, Some(old), Some(new), _) => {
                format!("would import {new:.9} in place of {old:.9}")
            }
            (UpdateStep::Import, ..) => "would import the changed file".to_string(),
            (UpdateStep::Copy, ..) => {
                "would copy the folder again, and import the copy if it differs".to_string()
            }
            (UpdateStep::Index, .., Some(files)) => {
                format!("would index {}", count(*files, "changed file", "changed files"))
            }
            (UpdateStep::Index, ..) => "would index all files".to_string(),
            (UpdateStep::Nothing, ..) => "newest already".to_string(),
        };
        let resumed =
            resumes.map(|stage| format!("; continues an update that is {stage}")).unwrap_or_default();
        let _ = writeln!(out, "{}: {}{resumed}", clean(&source.name), clean(&what));
    }
    out + &failed(&batch.failed)
}

fn failed(failed: &[FailedSource]) -> String {
    let line = |failed: &FailedSource| {
        format!("{}: failed: {}\n", clean(&failed.name), clean(&failed.error.to_string()))
    };
    failed.iter().map(line).collect()
}

/// The outcomes of a comparison with hashes.
pub(crate) fn verified_sources(batch: &SourceBatch<VerifiedSource>, style: &Style) -> String {
    let mut out = String::new();
    for verified in &batch.sources {
        let name = clean(&verified.name);
        if !verified.is_held {
            let _ = writeln!(out, "{name}: a folder that is not copied, and has no hashes");
            continue;
        }
        let files = count(verified.files, "file", "files");
        if verified.is_clean() {
            let _ = writeln!(out, "{name}: {files}, unchanged");
            continue;
        }
        let text = format!("{name}: {files}, not as they were imported");
        let _ = writeln!(out, "{}", style.paint(Ink::Alarm, &text));
        let lists =
            [("changed", &verified.changed), ("missing", &verified.missing), ("added", &verified.added)];
        for (what, paths) in lists {
            for path in paths.iter().take(NAMED) {
                let _ = writeln!(out, "  {what}: {}", clean(path));
            }
            if paths.len() > NAMED {
                let _ = writeln!(out, "  {what}: {} in all", paths.len());
            }
        }
    }
    out + &failed(&batch.failed)
}

/// What was removed to free space, or would be.
pub(crate) fn collected_sources(collected: &CollectedSources) -> String {
    let removed = if collected.is_dry_run { "would remove" } else { "removed" };
    let lines = collected.removed.iter().map(|path| format!("{removed} {}\n", shown(path)));
    let freed = if collected.is_dry_run { "would free" } else { "freed" };
    let total = format!("{freed} {}\n", bytes(collected.bytes));
    lines.chain([total]).collect()
}

/// What an intake did, a line for each entry.
pub fn intake(reply: &IntakeReply, style: &Style) -> String {
    let mut out = String::new();
    for entry in &reply.taken {
        let name = style.paint(Ink::Symbol, &clean(&entry.name));
        let title = entry.title.as_ref().map(|title| format!(": {}", clean(title))).unwrap_or_default();
        let _ = writeln!(out, "{name} is in {} ({}){title}", clean(&entry.source), entry.class.name());
        if let Some(problem) = &entry.problem {
            let _ = writeln!(out, "  found by its name only: {}", clean(problem));
        }
    }
    for entry in &reply.failed {
        let name = style.paint(Ink::Symbol, &clean(&entry.name));
        let _ = writeln!(out, "{name} was moved to {}: {}", shown(&entry.path), clean(&entry.reason));
    }
    for name in &reply.waiting {
        let _ = writeln!(out, "{} has just changed; the next intake takes it in", clean(name));
    }
    if out.is_empty() {
        let _ = writeln!(out, "the inbox is empty; put files into {}", shown(&reply.inbox));
    }
    out
}
