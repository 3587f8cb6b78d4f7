//! Context packs, as an operation: JSON, and text that an agent or a person reads from top to bottom.

use std::fmt::Write;

use serde::Serialize;

use super::plain::{PlainOperation, PlainOutcome};
use crate::catalog;
use crate::clean::{self, line as clean};
use crate::engine::Engine;
use crate::engine::api::{PackFile, PackReply, PackRequest, PackUnit};
use crate::render::json::{JsonPaths, WirePath, WireSnapshot, line};
use crate::render::{Ink, Style};

/// Collects the code that a task needs.
pub static PACK: PlainOperation<PackRequest, PackReply> = PlainOperation {
    operation: &catalog::PACK,
    builds_index: true,
    prints_paths: true,
    has_bare_path: false,
    request: || PackRequest::new(""),
    rows: catalog::PACK_ROWS,
    run: Engine::pack_with_progress,
    warnings: |reply| &reply.warnings,
    outcome: |reply| PlainOutcome::of_rows(&reply.files),
    json,
    text,
};

#[derive(Serialize)]
struct WirePack<'a> {
    goals: Vec<WireGoal<'a>>,
    results: Vec<WirePackFile<'a>>,
    left_out: Vec<WireLeftOut<'a>>,
    tokens: usize,
    budget: usize,
    snapshot: WireSnapshot,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct WireGoal<'a> {
    text: &'a str,
    verb: Option<&'a str>,
    object: &'a str,
    qualifiers: &'a [String],
}

#[derive(Serialize)]
struct WirePackFile<'a> {
    #[serde(flatten)]
    path: WirePath<'a>,
    language: &'a str,
    units: Vec<WireUnit<'a>>,
}

#[derive(Serialize)]
struct WireUnit<'a> {
    line: u32,
    end_line: u32,
    kind: &'static str,
    symbol: Option<&'a str>,
    enclosing_line: Option<u32>,
    enclosing: Option<&'a str>,
    text: String,
    cut: bool,
    score: f32,
    goals: &'a [usize],
    reason: &'a str,
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
}

fn json(reply: &PackReply, paths: JsonPaths<'_>) -> String {
    let goals = reply.goals.iter().map(|goal| WireGoal {
        text: &goal.text,
        verb: goal.verb.as_deref(),
        object: &goal.object,
        qualifiers: &goal.qualifiers,
    });
    let left_out = reply.left_out.iter().map(|place| WireLeftOut {
        path: paths.of(&place.path),
        line: place.lines.first,
        end_line: place.lines.last,
        symbol: place.symbol.as_deref(),
        score: place.score,
        reason: place.reason.name(),
    });
    line(&WirePack {
        goals: goals.collect(),
        results: reply.files.iter().map(|file| wire_file(file, paths)).collect(),
        left_out: left_out.collect(),
        tokens: reply.tokens,
        budget: reply.budget,
        snapshot: WireSnapshot::new(&reply.snapshot),
        warnings: &reply.warnings,
    })
}

fn wire_file<'r>(file: &'r PackFile, paths: JsonPaths<'r>) -> WirePackFile<'r> {
    WirePackFile {
        path: paths.of(&file.path),
        language: file.language,
        units: file.units.iter().map(wire_unit).collect(),
    }
}

fn wire_unit(unit: &PackUnit) -> WireUnit<'_> {
    WireUnit {
        line: unit.lines.first,
        end_line: unit.lines.last,
        kind: unit.kind.name(),
        symbol: unit.symbol.as_deref(),
        enclosing_line: unit.enclosing.as_ref().map(|line| line.line),
        enclosing: unit.enclosing.as_ref().map(|line| line.text.as_str()),
        text: unit.text.join("\n"),
        cut: unit.is_cut,
        score: unit.score,
        goals: &unit.goals,
        reason: &unit.reason,
    }
}

fn text(reply: &PackReply, style: &Style) -> String {
    let mut out = String::new();
    if reply.goals.len() > 1 {
        for (number, goal) in (1..).zip(&reply.goals) {
            let _ =
                writeln!(out, "{}", style.paint(Ink::Dim, &format!("goal {number}: {}", clean(&goal.text))));
        }
        out.push('\n');
    }
    for file in &reply.files {
        let path = style.paint(Ink::Path, &clean::path(&style.paths.shown(file.path.as_str())));
        let _ = writeln!(out, "{path}");
        file.units.iter().for_each(|unit| unit_text(&mut out, unit, style));
        out.push('\n');
    }
    if reply.files.is_empty() {
        out.push_str("nothing found\n");
    }
    let left = reply.left_out.len();
    let summary = format!("{} of {} tokens; {left} places left out", reply.tokens, reply.budget);
    let _ = writeln!(out, "{}", style.paint(Ink::Dim, &summary));
    out
}

fn unit_text(out: &mut String, unit: &PackUnit, style: &Style) {
    let why = style.paint(Ink::Dim, &format!("  {:.2} {}", unit.score, clean(&unit.reason)));
    let _ = writeln!(out, "{why}");
    let width = unit.lines.last.to_string().len();
    let mut row = |number: u32, line: &str| {
        let number = style.paint(Ink::Line, &format!("{number:width$}"));
        let _ = writeln!(out, "{}", format!("{number}\t{}", clean(line)).trim_end());
    };
    if let Some(line) = &unit.enclosing {
        row(line.line, &line.text);
    }
    (unit.lines.first..).zip(&unit.text).for_each(|(number, line)| row(number, line));
    if unit.is_cut {
        let _ = writeln!(out, "{}", style.paint(Ink::Dim, "  cut: the unit is larger than the budget"));
    }
}
