//! The state of an index and the results of operations on the index, as JSON.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::error::error_kind;
use super::shared::{
    WireBuilding, WireLanguageCount, WireNoteCount, WireProvenance, WireReasonCount, reasons, shown,
};
use crate::render::command::with_advice;
use spyhop_base::time::rfc3339;
use spyhop_engine::api::{
    Check, Checkup, Collected, Dropped, Exported, Imported, KeptView, Neighbour, RefreshReport,
    SourceStatuses, Status, ViewRow, ViewsReply, WatchEvent,
};

/// The state of an index.
pub fn status(status: &Status) -> impl Serialize {
    WireStatus::new(status)
}

/// The states of several sources.
pub fn source_statuses(reply: &SourceStatuses) -> impl Serialize + use<'_> {
    let sources = reply.sources.iter().map(|own| WireNamedStatus {
        source: WireProvenance::of_status(own),
        status: own.status.as_ref().ok().map(WireStatus::new),
        error: own.status.as_ref().err().map(String::as_str),
    });
    WireStatuses { sources: sources.collect() }
}

#[derive(Serialize)]
struct WireStatuses<'a> {
    sources: Vec<WireNamedStatus<'a>>,
}

#[derive(Serialize)]
struct WireNamedStatus<'a> {
    source: WireProvenance<'a>,
    /// `null` if the source cannot be opened.
    status: Option<WireStatus<'a>>,
    error: Option<&'a str>,
}

/// The result of an update.
pub fn refresh(report: &RefreshReport) -> impl Serialize {
    WireRefresh::new(report)
}

/// An event of a watched tree.
pub fn watched(event: &WatchEvent) -> impl Serialize {
    let millis = |time: &Duration| time.as_millis() as u64;
    match event {
        WatchEvent::Begun { folders } => WireWatched::Watching { folders: *folders },
        WatchEvent::Polling { why, every } => WireWatched::Polling { why, every_ms: millis(every) },
        WatchEvent::Updated { report, took } => {
            WireWatched::Updated { took_ms: millis(took), report: WireRefresh::new(report) }
        }
        WatchEvent::Failed(error) => {
            WireWatched::Failed { error: error.to_string(), kind: error_kind(error.kind()) }
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
enum WireWatched<'a> {
    Watching {
        folders: usize,
    },
    Polling {
        why: &'a str,
        every_ms: u64,
    },
    Updated {
        took_ms: u64,
        #[serde(flatten)]
        report: WireRefresh,
    },
    Failed {
        error: String,
        kind: &'static str,
    },
}

impl WireRefresh {
    pub(super) fn new(report: &RefreshReport) -> WireRefresh {
        WireRefresh {
            generation: report.generation.0,
            added: report.added,
            changed: report.changed,
            deleted: report.deleted,
            renamed: report.renamed,
            parsed: report.parsed,
            bytes: report.bytes,
            put_aside: report.put_aside.as_deref().map(shown),
        }
    }
}

/// The result of a complete check.
pub fn checkup(checkup: &Checkup) -> impl Serialize {
    let check = |check: &Check| WireCheck {
        name: check.name,
        state: check.health.name(),
        detail: with_advice(&check.detail, check.remedy.as_ref()),
    };
    WireCheckup { clean: checkup.is_clean(), checks: checkup.checks.iter().map(check).collect() }
}

/// What a collection removed, or would remove.
pub fn collected(collected: &Collected) -> impl Serialize {
    let dropped = |dropped: &Dropped| WireDropped {
        root: dropped.root.clone(),
        head: dropped.head.clone(),
        committed: dropped.is_of_commit,
        why: dropped.why.text(),
    };
    let paths = |paths: &[PathBuf]| paths.iter().map(|path| shown(path)).collect();
    WireCollected {
        generation: collected.generation.0,
        views: collected.dropped.iter().map(dropped).collect(),
        versions: collected.versions,
        other_formats: paths(&collected.others),
        damaged: paths(&collected.aside),
        bytes_before: collected.bytes_before,
        bytes_after: collected.bytes_after,
        segments_before: collected.segments_before,
        segments_after: collected.segments_after,
        room: collected.room.map(|room| WireRoom {
            max_bytes: room.max_bytes,
            bytes_before: room.before,
            bytes_after: room.after,
            fits: room.after <= room.max_bytes,
            indexes: collected.neighbours.iter().map(WireNeighbour::new).collect(),
            busy: paths(&collected.busy),
        }),
    }
}

/// The views that an index keeps.
pub fn views(reply: &ViewsReply) -> impl Serialize {
    let view = |kept: &KeptView| WireKept {
        root: kept.view.root.clone(),
        head: kept.view.head.clone(),
        committed: kept.view.is_of_commit,
        commit: kept.commit.clone(),
        current: kept.is_current,
        staged: kept.view.staged,
        files: kept.view.files,
        used: rfc3339(kept.last_used),
        own_files: kept.cost.files,
        own_source_bytes: kept.cost.source_bytes,
        own_bytes: kept.cost.index_bytes,
    };
    WireViews {
        index_path: shown(&reply.index_path),
        index_bytes: reply.index_bytes,
        home: reply.home.as_deref().map(shown),
        home_bytes: reply.home_bytes,
        views: reply.views.iter().map(view).collect(),
    }
}

#[derive(Serialize)]
struct WireViews {
    index_path: String,
    index_bytes: u64,
    home: Option<String>,
    home_bytes: Option<u64>,
    views: Vec<WireKept>,
}

#[derive(Serialize)]
struct WireKept {
    root: String,
    head: String,
    committed: bool,
    commit: Option<String>,
    current: bool,
    staged: bool,
    files: usize,
    used: String,
    own_files: usize,
    own_source_bytes: u64,
    own_bytes: u64,
}

#[derive(Serialize)]
struct WireRoom {
    max_bytes: u64,
    bytes_before: u64,
    bytes_after: u64,
    fits: bool,
    indexes: Vec<WireNeighbour>,
    busy: Vec<String>,
}

#[derive(Serialize)]
struct WireNeighbour {
    path: String,
    of: String,
    bytes: u64,
    used: String,
}

impl WireNeighbour {
    fn new(neighbour: &Neighbour) -> WireNeighbour {
        let Neighbour { dir, owner, bytes, used } = neighbour;
        WireNeighbour { path: shown(dir), of: owner.clone(), bytes: *bytes, used: rfc3339(*used) }
    }
}

/// The result of an export.
pub fn exported(exported: &Exported) -> impl Serialize {
    let Exported { path, bytes, files, sources, lacking, heads } = exported;
    let (bytes, files, sources, lacking) = (*bytes, *files, *sources, *lacking);
    WireExported { path: shown(path), bytes, files, sources, lacking, heads }
}

/// The result of an import.
pub fn imported(imported: &Imported) -> impl Serialize {
    let Imported { files, head, commit, made_by, report } = imported;
    let report = WireRefresh::new(report);
    WireImported { files: *files, head, commit: commit.as_deref(), made_by, report }
}

#[derive(Serialize)]
struct WireExported<'a> {
    path: String,
    bytes: u64,
    files: usize,
    sources: usize,
    lacking: usize,
    heads: &'a [String],
}

#[derive(Serialize)]
struct WireImported<'a> {
    files: usize,
    head: &'a str,
    commit: Option<&'a str>,
    made_by: &'a str,
    #[serde(flatten)]
    report: WireRefresh,
}

#[derive(Serialize)]
struct WireStatus<'a> {
    state: &'static str,
    detail: Option<&'a str>,
    index_path: String,
    root: String,
    branch: Option<&'a str>,
    commit: Option<&'a str>,
    generation: Option<u64>,
    files: usize,
    chunks: usize,
    symbols: usize,
    source_bytes: u64,
    index_bytes: u64,
    languages: Vec<WireLanguageCount<'a>>,
    skipped: Vec<WireReasonCount>,
    notes: Vec<WireNoteCount>,
    stale_files: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    building: Option<WireBuilding>,
    views: Vec<WireView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    watcher: Option<u32>,
}

#[derive(Serialize)]
struct WireView<'a> {
    root: &'a str,
    head: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    committed: bool,
    files: usize,
    used: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    staged: bool,
}

impl<'a> WireView<'a> {
    fn new(view: &'a ViewRow) -> WireView<'a> {
        let ViewRow { root, head, is_of_commit, files, updated_at, staged } = view;
        let (committed, staged) = (*is_of_commit, *staged);
        WireView { root, head, committed, files: *files, used: rfc3339(*updated_at), staged }
    }
}

impl<'a> WireStatus<'a> {
    fn new(status: &'a Status) -> WireStatus<'a> {
        let languages = status.languages.iter().map(|&(name, files)| WireLanguageCount { name, files });
        let notes = status.notes.iter().map(|&(note, files)| WireNoteCount { note: note.name(), files });
        WireStatus {
            state: status.state.name(),
            detail: status.detail.as_deref(),
            index_path: shown(&status.index_path),
            root: shown(&status.root),
            branch: status.branch.as_deref(),
            commit: status.commit.as_deref(),
            generation: status.generation.map(|generation| generation.0),
            files: status.files,
            chunks: status.chunks,
            symbols: status.symbols,
            source_bytes: status.source_bytes,
            index_bytes: status.index_bytes,
            languages: languages.collect(),
            skipped: reasons(&status.skipped),
            notes: notes.collect(),
            stale_files: status.stale_files,
            building: status.building.as_ref().map(WireBuilding::new),
            views: status.views.iter().map(WireView::new).collect(),
            watcher: status.watcher,
        }
    }
}

#[derive(Serialize)]
pub(super) struct WireRefresh {
    generation: u64,
    added: usize,
    changed: usize,
    deleted: usize,
    renamed: usize,
    parsed: usize,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    put_aside: Option<String>,
}

#[derive(Serialize)]
struct WireCheckup {
    clean: bool,
    checks: Vec<WireCheck>,
}

#[derive(Serialize)]
struct WireCheck {
    name: &'static str,
    state: &'static str,
    detail: String,
}

#[derive(Serialize)]
struct WireCollected {
    generation: u64,
    views: Vec<WireDropped>,
    versions: usize,
    other_formats: Vec<String>,
    damaged: Vec<String>,
    bytes_before: u64,
    bytes_after: u64,
    segments_before: usize,
    segments_after: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<WireRoom>,
}

#[derive(Serialize)]
struct WireDropped {
    root: String,
    head: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    committed: bool,
    why: &'static str,
}
