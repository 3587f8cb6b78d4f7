//! Context packs as text that an agent or a person reads from top to bottom.

use std::fmt::Write;

use super::super::paint::{Ink, Style};
use super::memory::note_lines;
use crate::clean::{self, line as clean};
use crate::engine::api::{LeftOutReason, Mode, PackFile, PackReply, PackTrace, PackUnit, Relation};

/// The most places that were left out and are named.
const MAX_NAMED: usize = 8;

/// A context pack.
pub fn pack(reply: &PackReply, style: &Style) -> String {
    pack_without_notes(reply, style) + &note_lines(&reply.notes, style)
}

/// A context pack without its notes.
pub(in crate::render) fn pack_without_notes(reply: &PackReply, style: &Style) -> String {
    let mut out = String::new();
    let dim = |text: &str| style.paint(Ink::Dim, text);
    if reply.goals.len() > 1 {
        for (number, goal) in (1..).zip(&reply.goals) {
            let _ = writeln!(out, "{}", dim(&format!("goal {number}: {}", clean(&goal.text))));
        }
        out.push('\n');
    }
    for file in &reply.files {
        pack_file(&mut out, file, reply.mode, style);
    }
    if reply.files.is_empty() {
        out.push_str("nothing found\n");
    }
    if reply.mode == Mode::Debug {
        record(&mut out, reply, style);
    }
    let _ = writeln!(out, "{}", dim(&summary(reply)));
    let budget = reply.left_out.iter().filter(|place| place.reason == LeftOutReason::Budget);
    for place in budget.take(MAX_NAMED) {
        let symbol = place.symbol.as_deref().unwrap_or_default();
        let shown = style.paths.shown(place.path.as_str());
        let path = clean::path(&shown);
        let _ =
            writeln!(out, "{}", dim(&format!("  no room: {path}:{} {}", place.lines.first, clean(symbol))));
    }
    if let Some(next) = &reply.next {
        let _ = writeln!(out, "{}", dim(&format!("next: {}", clean(next))));
    }
    out
}

fn summary(reply: &PackReply) -> String {
    let mut reasons: Vec<(&str, usize)> = Vec::new();
    for place in &reply.left_out {
        match reasons.iter_mut().find(|(name, _)| *name == place.reason.name()) {
            Some((_, count)) => *count += 1,
            None => reasons.push((place.reason.name(), 1)),
        }
    }
    let counts: Vec<String> = reasons.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let counts = if counts.is_empty() { "none".to_string() } else { counts.join(", ") };
    let mode = reply.record.pack_mode.name();
    format!(
        "{} of {} tokens · {mode}: {} · left out: {counts}",
        reply.tokens, reply.budget, reply.record.mode_reason
    )
}

fn pack_file(out: &mut String, file: &PackFile, mode: Mode, style: &Style) {
    let path = style.paint(Ink::Path, &clean::path(&style.paths.shown(file.path.as_str())));
    let backup = if file.is_backup { "backup; " } else { "" };
    let why = style.paint(Ink::Dim, &format!("  {:.2} {backup}{}", file.score, clean(&file.reason)));
    let _ = writeln!(out, "{path}{why}");
    let width = file.units.last().map_or(1, |unit| unit.lines.last.to_string().len());
    if mode != Mode::Compact {
        file.imports.iter().for_each(|line| row(out, width, (line.line, &line.text), style));
    }
    file.units.iter().for_each(|unit| pack_unit(out, width, unit, mode, style));
    out.push('\n');
}

fn row(out: &mut String, width: usize, (number, line): (u32, &str), style: &Style) {
    let number = style.paint(Ink::Line, &format!("{number:width$}"));
    let _ = writeln!(out, "{}", format!("{number}\t{}", clean(line)).trim_end());
}

fn pack_unit(out: &mut String, width: usize, unit: &PackUnit, mode: Mode, style: &Style) {
    let dim = |text: &str| style.paint(Ink::Dim, text);
    let symbol = unit.symbol.as_deref().unwrap_or(unit.kind.name());
    let lines = format!("{}-{}", unit.lines.first, unit.lines.last);
    let heading = format!("  {lines} {} {:.2} {}", clean(symbol), unit.score, clean(&unit.reason));
    let _ = writeln!(out, "{}", dim(&heading));
    if mode != Mode::Compact {
        if let Some(line) = &unit.enclosing {
            row(out, width, (line.line, &line.text), style);
        }
        (unit.lines.first..)
            .zip(&unit.text)
            .for_each(|(number, line)| row(out, width, (number, line), style));
        if unit.is_cut {
            let _ = writeln!(out, "{}", dim("  cut: the unit is larger than the budget"));
        }
    }
    if mode == Mode::Debug {
        for reason in &unit.reasons {
            let _ =
                writeln!(out, "{}", dim(&format!("    {:+.3} {}", reason.contribution, clean(&reason.text))));
        }
    }
    for trace in &unit.traces {
        let symbol = trace.symbol.as_deref().unwrap_or("the file");
        let shown = style.paths.shown(trace.path.as_str());
        let path = clean::path(&shown);
        let text = format!("  {} {} {path}:{}", trace_words(trace), clean(symbol), trace.line);
        let _ = writeln!(out, "{}", dim(&text));
    }
}

fn trace_words(trace: &PackTrace) -> &'static str {
    match (trace.relation, trace.is_outgoing) {
        (Relation::Tests, _) => "tested by",
        (_, true) => "calls",
        (Relation::Calls, false) => "called by",
        (_, false) => "used by",
    }
}

/// What the stages did.
fn record(out: &mut String, reply: &PackReply, style: &Style) {
    let mut line = |text: String| {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, &text));
    };
    let record = &reply.record;
    for goal in &reply.goals {
        let verb = goal.verb.as_deref().unwrap_or("-");
        line(format!(
            "goal: {} · verb {} · object {} · {} · region {}",
            clean(&goal.text),
            clean(verb),
            clean(&goal.object),
            clean(&goal.qualifiers.join(" · ")),
            goal.region + 1
        ));
    }
    line(format!(
        "probes: {:?} places; {} candidates; {} edges",
        record.places_per_search, record.candidates, record.edges
    ));
    for pair in &record.pairs {
        let merged = if pair.is_merged { "one region" } else { "two regions" };
        line(format!(
            "goals {} and {}: {:.2} by {}, {merged}",
            pair.first + 1,
            pair.second + 1,
            pair.nearness,
            pair.reason
        ));
    }
    for (number, region) in (1..).zip(&record.regions) {
        let files: Vec<_> = region
            .files
            .iter()
            .map(|file| clean::path(&style.paths.shown(file.as_str())).into_owned())
            .collect();
        line(format!("region {number}: {:.2}, {}", region.mass, files.join(", ")));
    }
    if let Some(backup) = &record.backup {
        let kept = if backup.is_kept { "kept" } else { "dropped for lack of room" };
        let trace = backup.trace.as_deref().unwrap_or("none");
        let neighbor = backup.neighbor.as_ref().map_or("none".into(), |path| clean::path(path.as_str()));
        line(format!(
            "backup: {}, {kept}; trace {}; neighbour {neighbor}",
            clean::path(backup.path.as_str()),
            clean(trace)
        ));
    }
}
