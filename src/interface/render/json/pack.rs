//! The wire format of context packs.

use serde::Serialize;

use super::memory::WireNote;
use super::shared::{JsonPaths, WirePath, WireSnapshot};
use spyhop_engine::api::{
    LeftOutPlace, Mode, PackDiagnostics, PackFile, PackLine, PackReply, PackTrace, PackUnit,
};

/// A context pack.
pub fn pack<'r>(reply: &'r PackReply, paths: JsonPaths<'r>) -> impl Serialize + use<'r> {
    let goals = reply.goals.iter().map(|goal| WireGoal {
        text: &goal.text,
        verb: goal.verb.as_deref(),
        object: &goal.object,
        qualifiers: &goal.qualifiers,
        region: goal.region,
    });
    WirePack {
        goals: goals.collect(),
        pack_mode: reply.record.pack_mode.name(),
        pack_mode_reason: &reply.record.mode_reason,
        results: reply.files.iter().map(|file| WirePackFile::new(file, reply.mode, paths)).collect(),
        notes: reply.notes.iter().map(|row| WireNote::new(row, paths)).collect(),
        left_out: reply.left_out.iter().map(|place| WireLeftOut::new(place, paths)).collect(),
        tokens: reply.tokens,
        budget: reply.budget,
        record: (reply.mode == Mode::Debug).then(|| WireRecord::new(&reply.record)),
        next: reply.next.as_deref(),
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    }
}

#[derive(Serialize)]
struct WirePack<'a> {
    goals: Vec<WireGoal<'a>>,
    pack_mode: &'static str,
    pack_mode_reason: &'a str,
    results: Vec<WirePackFile<'a>>,
    notes: Vec<WireNote<'a>>,
    left_out: Vec<WireLeftOut<'a>>,
    tokens: usize,
    budget: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<WireRecord<'a>>,
    next: Option<&'a str>,
    snapshot: WireSnapshot,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireGoal<'a> {
    text: &'a str,
    verb: Option<&'a str>,
    object: &'a str,
    qualifiers: &'a [String],
    region: usize,
}

#[derive(Serialize)]
struct WirePackFile<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    language: &'a str,
    score: f32,
    reason: &'a str,
    backup: bool,
    imports: Vec<WirePackLine<'a>>,
    units: Vec<WireUnit<'a>>,
}

impl<'a> WirePackFile<'a> {
    fn new(file: &'a PackFile, mode: Mode, paths: JsonPaths<'a>) -> WirePackFile<'a> {
        WirePackFile {
            path: paths.of(&file.path),
            language: file.language,
            score: file.score,
            reason: &file.reason,
            backup: file.is_backup,
            imports: file.imports.iter().filter(|_| mode != Mode::Compact).map(WirePackLine::new).collect(),
            units: file.units.iter().map(|unit| WireUnit::new(unit, mode, paths)).collect(),
        }
    }
}

#[derive(Serialize)]
struct WirePackLine<'a> {
    line: u32,
    text: &'a str,
}

impl<'a> WirePackLine<'a> {
    fn new(line: &'a PackLine) -> WirePackLine<'a> {
        WirePackLine { line: line.line, text: &line.text }
    }
}

#[derive(Serialize)]
struct WireUnit<'a> {
    line: u32,
    end_line: u32,
    kind: &'static str,
    symbol: Option<&'a str>,
    enclosing_line: Option<u32>,
    enclosing: Option<&'a str>,
    text: Option<String>,
    cut: bool,
    score: f32,
    goals: &'a [usize],
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<Vec<WirePackReason<'a>>>,
    traces: Vec<WireTrace<'a>>,
}

impl<'a> WireUnit<'a> {
    fn new(unit: &'a PackUnit, mode: Mode, paths: JsonPaths<'a>) -> WireUnit<'a> {
        let reason = |own: &'a spyhop_engine::api::Reason| WirePackReason {
            signal: own.signal.name(),
            share: own.contribution,
            text: &own.text,
        };
        WireUnit {
            line: unit.lines.first,
            end_line: unit.lines.last,
            kind: unit.kind.name(),
            symbol: unit.symbol.as_deref(),
            enclosing_line: unit.enclosing.as_ref().map(|line| line.line),
            enclosing: unit.enclosing.as_ref().map(|line| line.text.as_str()),
            text: (mode != Mode::Compact).then(|| unit.text.join("\n")),
            cut: unit.is_cut,
            score: unit.score,
            goals: &unit.goals,
            reason: &unit.reason,
            reasons: (mode == Mode::Debug).then(|| unit.reasons.iter().map(reason).collect()),
            traces: unit.traces.iter().map(|trace| WireTrace::new(trace, paths)).collect(),
        }
    }
}

#[derive(Serialize)]
struct WirePackReason<'a> {
    signal: &'static str,
    share: f32,
    text: &'a str,
}

#[derive(Serialize)]
struct WireTrace<'a> {
    relation: &'static str,
    outgoing: bool,
    symbol: Option<&'a str>,
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    confidence: f32,
}

impl<'a> WireTrace<'a> {
    fn new(trace: &'a PackTrace, paths: JsonPaths<'a>) -> WireTrace<'a> {
        WireTrace {
            relation: trace.relation.name(),
            outgoing: trace.is_outgoing,
            symbol: trace.symbol.as_deref(),
            path: paths.of(&trace.path),
            line: trace.line,
            confidence: trace.confidence,
        }
    }
}

#[derive(Serialize)]
struct WireLeftOut<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    line: u32,
    end_line: u32,
    symbol: Option<&'a str>,
    score: f32,
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sent_in_call: Option<usize>,
}

impl<'a> WireLeftOut<'a> {
    fn new(place: &'a LeftOutPlace, paths: JsonPaths<'a>) -> WireLeftOut<'a> {
        WireLeftOut {
            path: paths.of(&place.path),
            line: place.lines.first,
            end_line: place.lines.last,
            symbol: place.symbol.as_deref(),
            score: place.score,
            reason: place.reason.name(),
            sent_in_call: place.sent_before.as_ref().map(|sent| sent.call),
        }
    }
}

#[derive(Serialize)]
struct WireRecord<'a> {
    probes: &'a [usize],
    regions: Vec<WireRegion<'a>>,
    pairs: Vec<WirePair>,
    backup: Option<WireBackup<'a>>,
    candidates: usize,
    edges: usize,
}

impl<'a> WireRecord<'a> {
    fn new(record: &'a PackDiagnostics) -> WireRecord<'a> {
        let region = |own: &'a spyhop_engine::api::PackRegion| WireRegion {
            goals: &own.goals,
            mass: own.mass,
            files: own.files.iter().map(|file| file.as_str()).collect(),
        };
        let pair = |own: &spyhop_engine::api::PackPair| WirePair {
            first: own.first,
            second: own.second,
            nearness: own.nearness,
            reason: own.reason,
            merged: own.is_merged,
        };
        let backup = record.backup.as_ref().map(|own| WireBackup {
            path: own.path.as_str(),
            kept: own.is_kept,
            trace: own.trace.as_deref(),
            neighbor: own.neighbor.as_ref().map(|path| path.as_str()),
        });
        WireRecord {
            probes: &record.places_per_search,
            regions: record.regions.iter().map(region).collect(),
            pairs: record.pairs.iter().map(pair).collect(),
            backup,
            candidates: record.candidates,
            edges: record.edges,
        }
    }
}

#[derive(Serialize)]
struct WireRegion<'a> {
    goals: &'a [usize],
    mass: f32,
    files: Vec<&'a str>,
}

#[derive(Serialize)]
struct WirePair {
    first: usize,
    second: usize,
    nearness: f32,
    reason: &'static str,
    merged: bool,
}

#[derive(Serialize)]
struct WireBackup<'a> {
    path: &'a str,
    kept: bool,
    trace: Option<&'a str>,
    neighbor: Option<&'a str>,
}
