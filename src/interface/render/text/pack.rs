//! Context packs as text that an agent or a person reads from top to bottom.

use std::fmt::Write;

use super::super::paint::{Ink, Style};
use super::super::places::RowPlaces;
use super::memory::note_lines;
use spyhop_base::clean::{self, line as clean, short_name};
use spyhop_context::pack::{
    BYTES_PER_TOKEN, file_line, goal_line, next_line, summary_line, trace_line, unit_line,
};
use spyhop_engine::api::{LeftOutPlace, LeftOutReason, Mode, PackFile, PackReply, PackUnit};

/// The most places that were left out and are named.
const MAX_NAMED: usize = 8;

/// What an empty pack says whose first unit does not fit.
const NO_ROOM: &str = "no unit fits the budget\n";

/// A context pack.
pub fn pack(reply: &PackReply, style: &Style) -> String {
    pack_without_notes(reply, style) + &note_lines(&reply.notes, style)
}

/// A context pack without its notes.
pub(crate) fn pack_without_notes(reply: &PackReply, style: &Style) -> String {
    let mut out = String::new();
    let dim = |text: &str| style.paint(Ink::Dim, text);
    if reply.goals.len() > 1 {
        for (number, goal) in (1..).zip(&reply.goals) {
            let _ = writeln!(out, "{}", dim(&goal_line(number, &goal.text, reply.goals.len(), reply.budget)));
        }
        out.push('\n');
    }
    let places = RowPlaces::new(&reply.snapshot, &reply.sources);
    for file in &reply.files {
        pack_file(&mut out, file, (reply.mode, places), style);
    }
    if reply.files.is_empty() {
        let is_full = reply.left_out.iter().any(|place| place.reason == LeftOutReason::Budget);
        out.push_str(if is_full { NO_ROOM } else { "nothing found\n" });
    }
    if reply.mode == Mode::Debug {
        record(&mut out, reply, style);
    }
    let _ = writeln!(out, "{}", dim(&summary(reply)));
    for line in lines_without_room(reply, style) {
        let _ = writeln!(out, "{}", dim(&line));
    }
    if let Some(next) = &reply.next {
        let _ = writeln!(out, "{}", dim(&next_line(next)));
    }
    out
}

/// The lines that name the best places without room, as far as the rest of the budget allows.
fn lines_without_room(reply: &PackReply, style: &Style) -> Vec<String> {
    let line = |place: &LeftOutPlace| {
        let symbol = short_name(place.symbol.as_deref().unwrap_or_default());
        let path =
            RowPlaces::new(&reply.snapshot, &reply.sources).shown(style, place.source.as_ref(), &place.path);
        format!("  no room: {}:{} {symbol}", clean::path(&path), place.lines.first)
    };
    let without_room = reply.left_out.iter().filter(|place| place.reason == LeftOutReason::Budget);
    let mut room = reply.budget.saturating_sub(reply.tokens) * BYTES_PER_TOKEN;
    let fits = |line: &String| match room.checked_sub(line.len() + 1) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    without_room.take(MAX_NAMED).map(line).take_while(fits).collect()
}

fn summary(reply: &PackReply) -> String {
    let reasons = reply.left_out_counts.iter().map(|(reason, count)| (reason.name(), *count));
    let reasons: Vec<(&str, usize)> = reasons.collect();
    let record = &reply.record;
    summary_line((reply.tokens, reply.budget), record.pack_mode.name(), &record.mode_reason, &reasons)
}

fn pack_file(out: &mut String, file: &PackFile, (mode, places): (Mode, RowPlaces<'_>), style: &Style) {
    let path = style.paint(Ink::Path, &places.clean(style, file.source.as_ref(), &file.path));
    let why = style.paint(Ink::Dim, &file_line(file.score, file.is_backup, &file.reason));
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
    let name = unit.symbol.as_deref().unwrap_or(unit.kind.name());
    let _ = writeln!(out, "{}", dim(&unit_line(unit.lines, unit.part_of, name, unit.score, &unit.reason)));
    if mode != Mode::Compact {
        if let Some(line) = &unit.enclosing {
            row(out, width, (line.line, &line.text), style);
        }
        (unit.lines.first..)
            .zip(&unit.text)
            .for_each(|(number, line)| row(out, width, (number, line), style));
    }
    if mode == Mode::Debug {
        for reason in &unit.reasons {
            let _ =
                writeln!(out, "{}", dim(&format!("    {:+.3} {}", reason.contribution, clean(&reason.text))));
        }
    }
    for trace in &unit.traces {
        let path = style.paths.shown(trace.path.as_str());
        let line = trace_line(trace.words(), trace.symbol.as_deref(), &path, trace.line);
        let _ = writeln!(out, "{}", dim(&line));
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
