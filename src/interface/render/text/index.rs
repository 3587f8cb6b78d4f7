//! The state of an index and the results of operations on the index, for people.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use super::counts::{bytes, count, tally};
use crate::render::command::{no_index, with_advice};
use crate::render::paint::{Ink, Style, shown};
use spyhop_base::clean::{self, line as clean};
use spyhop_base::time::rfc3339;
use spyhop_engine::api::{
    Building, Checkup, Collected, Exported, Health, Imported, Neighbour, RefreshReport, SpaceTarget, State,
    Status, ViewsReply, WatchEvent,
};

/// The state of an index.
pub fn status(status: &Status, style: &Style) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "{} {value}", style.paint(Ink::Dim, &format!("{name:<11}")));
    };
    row("state", &style.paint(state_ink(status.state), status.state.name()));
    if let Some(detail) = &status.detail {
        row("detail", &clean(detail));
    }
    row("index", &shown(&status.index_path));
    row("root", &shown(&status.root));
    if status.state != State::Missing {
        row("branch", &clean(status.branch.as_deref().unwrap_or("-")));
        row("commit", &clean(status.commit.as_deref().unwrap_or("-")));
        row("generation", &status.generation.map_or("-".into(), |generation| generation.to_string()));
        match status.building {
            Some(Building { files, total_files: of, text_only: 0 }) => {
                row("files", &format!("{files} of {of}"))
            }
            Some(Building { files, total_files: of, text_only }) => {
                row("files", &format!("{files} of {of}, {text_only} by their text so far"))
            }
            None => row("files", &status.files.to_string()),
        }
        row("chunks", &status.chunks.to_string());
        row("symbols", &status.symbols.to_string());
        row("sources", &bytes(status.source_bytes));
        row("index size", &bytes(status.index_bytes));
        let heads: Vec<&str> = others(status).collect();
        if !heads.is_empty() {
            row("also holds", &clean(&heads.join(", ")));
        }
        if let Some(pid) = status.watcher {
            row("watched by", &format!("process {pid}"));
        }
        if let Some(vectors) = &status.vectors {
            row("vectors", &clean(vectors));
        }
        row("stale files", &status.stale_files.map_or("not compared".into(), |files| files.to_string()));
        row("languages", &tally(status.languages.iter().copied()));
        row("structure", &tally(status.structure.named()));
        status.grammar_faults.iter().for_each(|fault| row("bad grammar", &clean(fault)));
        row("skipped", &tally(status.skipped.iter().map(|&(reason, files)| (reason.name(), files))));
        row("notes", &tally(status.notes.iter().map(|&(note, files)| (note.words(), files))));
    } else {
        let _ = writeln!(out, "{}", no_index(&status.recipe));
    }
    out
}

/// The branches and worktrees in the index, except for the current checkout.
fn others(status: &Status) -> impl Iterator<Item = &str> {
    let root = status.root.to_string_lossy().into_owned();
    let own = status.branch.clone().unwrap_or_default();
    let is_own = move |view: &&spyhop_engine::api::ViewRow| {
        view.root == root && view.head == own && !view.is_of_commit
    };
    let others = status.views.iter().filter(move |view| !is_own(view) && !view.staged);
    others.map(|view| if view.head.is_empty() { view.root.as_str() } else { view.head.as_str() })
}

/// The result of an update, on one line.
pub fn refresh(report: &RefreshReport) -> String {
    let RefreshReport { generation, added, changed, deleted, renamed, parsed, .. } = report;
    let aside = report.put_aside.as_ref().map(|aside| {
        format!("the index was damaged and has been rebuilt; the damaged data are in {}\n", shown(aside))
    });
    let aside = aside.unwrap_or_default();
    if added + changed + deleted == 0 {
        return format!("{aside}nothing changed, generation {generation}\n");
    }
    let read = bytes(report.bytes);
    format!(
        "{aside}generation {generation}: {added} added, {changed} changed, {deleted} deleted, {renamed} renamed; \
         {parsed} parsed, {read} read\n"
    )
}

/// How much an update indexed and how long the update took, and what to do next.
pub fn indexed(report: &RefreshReport, took: Duration) -> String {
    let files = count(report.added + report.changed, "file", "files");
    let took = match took.as_secs_f32() {
        seconds if seconds < 10.0 => format!("{seconds:.1} s"),
        seconds => format!("{seconds:.0} s"),
    };
    let next = "next: spyhop QUERY searches, spyhop status shows the index";
    if report.added + report.changed + report.deleted == 0 {
        return format!("compared in {took}; {next}\n");
    }
    format!("indexed {files}, {}, in {took}; {next}\n", bytes(report.bytes))
}

/// An event of a watched tree, on one line.
pub fn watched(event: &WatchEvent, root: &Path) -> String {
    match event {
        WatchEvent::Begun { folders: 0 } => format!("watching {}\n", shown(root)),
        WatchEvent::Begun { folders } => {
            format!("watching {}: {}\n", shown(root), count(*folders, "folder", "folders"))
        }
        WatchEvent::Polling { why, every } => {
            format!("polling {} every {:.0} s: {}\n", shown(root), every.as_secs_f32(), clean(why))
        }
        WatchEvent::Updated { report, took } => {
            format!("{}, {} ms\n", refresh(report).trim_end(), took.as_millis())
        }
        WatchEvent::Failed(error) => format!("{}\n", clean::lines(&error.to_string())),
    }
}

/// What a collection removed, or would remove.
pub fn collected(collected: &Collected, dry_run: bool) -> String {
    let mut out = String::new();
    let drops = if dry_run { "would drop" } else { "dropped" };
    for dropped in &collected.dropped {
        let head = if dropped.head.is_empty() { "the view" } else { &dropped.head };
        let view = if dropped.is_of_commit { "the view of " } else { "" };
        let (head, root) = (clean(head), clean(&dropped.root));
        let _ = writeln!(out, "{drops} {view}{head} of {root}: {}", dropped.why.text());
    }
    for Neighbour { dir, owner, bytes: size, .. } in &collected.neighbours {
        let (dir, owner) = (shown(dir), clean(owner));
        let _ = writeln!(out, "{drops} {dir}: {}, the index of {owner}, the longest unused", bytes(*size));
    }
    for dir in &collected.busy {
        let _ = writeln!(out, "kept {}: another process changes it or watches its tree", shown(dir));
    }
    for path in &collected.others {
        let _ = writeln!(out, "{drops} {}: data of another version or for other grammars", shown(path));
    }
    for path in &collected.aside {
        let _ = writeln!(out, "kept {}: damaged data, see REASON there; delete it by hand", shown(path));
    }
    if let Some(SpaceTarget { max_bytes, before, after }) = collected.room {
        let much = if after > max_bytes { "more than" } else { "within" };
        let (about, before, after) = (if dry_run { "about " } else { "" }, bytes(before), bytes(after));
        let _ = writeln!(out, "all indexes: {before} to {about}{after}, {much} {}", bytes(max_bytes));
    }
    let versions = count(collected.versions, "file version", "file versions");
    if dry_run {
        let _ = writeln!(out, "would drop {versions}");
        return out;
    }
    let _ = writeln!(
        out,
        "dropped {versions}; {} to {}, {} to {}",
        bytes(collected.bytes_before),
        bytes(collected.bytes_after),
        collected.segments_before,
        count(collected.segments_after, "segment", "segments")
    );
    out
}

/// The views that an index keeps, a line each.
pub fn views(reply: &ViewsReply, style: &Style) -> String {
    let mut out = String::new();
    for kept in &reply.views {
        let view = &kept.view;
        let commit = kept.commit.as_deref().map(|commit| &commit[..commit.len().min(10)]).unwrap_or("-");
        let mut head = if view.head.is_empty() { "-" } else { view.head.as_str() };
        if head.starts_with('@') {
            head = commit;
        }
        let what = match (view.staged, view.is_of_commit) {
            (true, _) => "unfinished",
            (_, true) => "commit",
            _ => "worktree",
        };
        let mark = if kept.is_current { "*" } else { " " };
        let size = bytes(kept.cost.index_bytes);
        let own = count(kept.cost.files, "own file", "own files");
        let used = rfc3339(kept.last_used);
        let line = format!("{mark} {what:<10} {:<24} {commit:<10}  used {}", clean(head), &used[..19]);
        let _ = writeln!(
            out,
            "{line}  {}, {own}, {size}  {}",
            count(view.files, "file", "files"),
            style.paint(Ink::Dim, &clean(&view.root))
        );
    }
    let _ = writeln!(out, "{} in {}", bytes(reply.index_bytes), shown(&reply.index_path));
    if let (Some(home), Some(size)) = (&reply.home, reply.home_bytes) {
        let _ = writeln!(out, "{} in {} with other trees' indexes", bytes(size), shown(home));
    }
    out
}

/// The result of an export, on one line.
pub fn exported(exported: &Exported) -> String {
    let Exported { path, bytes: size, files, sources, lacking, heads } = exported;
    let others = heads.len().saturating_sub(1);
    let others = match others {
        0 => String::new(),
        _ => format!(" and {}", count(others, "other view", "other views")),
    };
    let sources = match (sources, lacking) {
        (0, 0) => String::new(),
        (sources, 0) => format!(", {}", count(*sources, "source", "sources")),
        (sources, lacking) => {
            format!(", {} ({lacking} changed since and are not in it)", count(*sources, "source", "sources"))
        }
    };
    let files = count(*files, "file", "files");
    format!("{}: {files}{others}{sources}, {}\n", shown(path), bytes(*size))
}

/// The result of an import, and of the update that followed.
pub fn imported(imported: &Imported) -> String {
    let Imported { files, head, commit, made_by, report } = imported;
    let of = match (head.as_str(), commit) {
        ("", _) => String::new(),
        (head, Some(commit)) if !head.starts_with('@') => format!(" of {} at {commit}", clean(head)),
        (head, _) => format!(" of {}", clean(head)),
    };
    let files = count(*files, "file", "files");
    format!("imported {files}{of}, made by spyhop {}\n{}", clean(made_by), refresh(report))
}

/// The result of a complete check, a line for each part.
pub fn checkup(checkup: &Checkup, style: &Style) -> String {
    let mut out = String::new();
    for check in &checkup.checks {
        let ink = match check.health {
            Health::Ok => Ink::High,
            Health::Warning | Health::Damaged => Ink::Alarm,
        };
        let word = style.paint(ink, &format!("{:<8}", check.health.name()));
        let _ = writeln!(
            out,
            "{word} {:<10} {}",
            check.name,
            clean(&with_advice(&check.detail, check.remedy.as_ref()))
        );
    }
    if !checkup.is_clean() {
        out.push_str("to set the damaged data aside and rebuild the index: spyhop index --rebuild\n");
    }
    out
}

pub(super) fn state_ink(state: State) -> Ink {
    match state {
        State::Ready => Ink::High,
        State::Missing | State::Indexing | State::Stale | State::Damaged => Ink::Alarm,
    }
}
