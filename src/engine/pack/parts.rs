//! The lines of a long unit that a pack shows: its signature, and the lines around those with the most words of the task.

use std::collections::BTreeSet;

use spyhop_base::text::Lines;
use spyhop_context::pack::BYTES_PER_TOKEN;

/// The tokens above which a unit is long, and the most tokens of the parts of a long unit.
pub(crate) const LONG_UNIT: usize = 600;
pub(crate) const MAX_PARTS_TOKENS: usize = 350;

/// The lines of the signature.
const SIGNATURE_LINES: u32 = 3;

/// The lines that are shown above and below a line with words of the task.
const AROUND: u32 = 3;

/// The most parts of a unit.
const MAX_PARTS: usize = 4;

/// The bytes of the heading of a part, about.
pub(crate) const HEADING_BYTES: usize = 90;

/// A line of a unit.
pub(crate) struct UnitLine {
    /// The bytes of the row with its number.
    pub bytes: usize,
    /// The weight of the words of the task in the line.
    pub weight: f32,
}

/// The parts of a unit within `room` tokens, in the order of the file. `lines` are the lines from the signature, at line
/// `first`, to the end of the unit; each part but the first has a heading of `heading_bytes`. More room never takes away a line.
pub(crate) fn parts(first: u32, lines: &[UnitLine], room: usize, heading_bytes: usize) -> Vec<Lines> {
    let mut left = room * BYTES_PER_TOKEN;
    let mut shown: BTreeSet<u32> = BTreeSet::new();
    let last = first + (lines.len() as u32).saturating_sub(1);
    let bytes_of = |line: u32| lines[(line - first) as usize].bytes;
    let mut show = |shown: &mut BTreeSet<u32>, window: Lines| {
        let is_adjacent = shown.range(window.first.saturating_sub(1)..=window.last + 1).next().is_some();
        let heading = if is_adjacent || shown.is_empty() { 0 } else { heading_bytes };
        let new = (window.first..=window.last).filter(|line| !shown.contains(line));
        let bytes = heading + new.clone().map(bytes_of).sum::<usize>();
        let fits = bytes <= left;
        if fits {
            left -= bytes;
            let new: Vec<u32> = new.collect();
            shown.extend(new);
        }
        fits
    };
    for line in (first..=last).take(SIGNATURE_LINES as usize) {
        if !show(&mut shown, Lines { first: line, last: line }) {
            return joined(&shown);
        }
    }
    let mut telling: Vec<u32> =
        (first..=last).filter(|line| lines[(line - first) as usize].weight > 0.0).collect();
    let weight = |line: &u32| lines[(line - first) as usize].weight;
    telling.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    for line in &telling {
        let window = Lines { first: line.saturating_sub(AROUND).max(first), last: (line + AROUND).min(last) };
        let n_parts = joined(&shown).len();
        let begins_part = shown.range(window.first.saturating_sub(1)..=window.last + 1).next().is_none();
        if n_parts == MAX_PARTS && begins_part {
            continue;
        }
        if !show(&mut shown, window) {
            return joined(&shown);
        }
    }
    // Without such a line the unit is shown from its beginning.
    if telling.is_empty() {
        for line in first + SIGNATURE_LINES..=last {
            if !show(&mut shown, Lines { first: line, last: line }) {
                break;
            }
        }
    }
    joined(&shown)
}

/// Runs of lines.
fn joined(lines: &BTreeSet<u32>) -> Vec<Lines> {
    let mut runs: Vec<Lines> = Vec::new();
    for &line in lines {
        match runs.last_mut().filter(|run| run.last + 1 == line) {
            Some(run) => run.last = line,
            None => runs.push(Lines { first: line, last: line }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(n_lines: usize, telling: &[(usize, u8)]) -> Vec<UnitLine> {
        let weight = |line: usize| telling.iter().find(|(at, _)| *at == line).map_or(0, |(_, n)| *n);
        (0..n_lines).map(|line| UnitLine { bytes: 40, weight: f32::from(weight(line)) }).collect()
    }

    fn shown(parts: &[Lines]) -> Vec<(u32, u32)> {
        parts.iter().map(|part| (part.first, part.last)).collect()
    }

    #[test]
    fn a_long_unit_is_shown_by_its_signature_and_the_lines_that_matter() {
        let lines = unit(200, &[(50, 1), (120, 2)]);
        assert_eq!(shown(&parts(11, &lines, 350, 90)), [(11, 13), (58, 64), (128, 134)]);
        assert_eq!(shown(&parts(11, &lines, 130, 90)), [(11, 13), (128, 134)]);
        assert_eq!(shown(&parts(11, &unit(200, &[]), 100, 90)), [(11, 20)]);
        assert_eq!(shown(&parts(11, &lines, 5, 90)), []);
    }

    #[test]
    fn more_room_never_takes_away_a_line() {
        let lines = unit(300, &[(20, 1), (24, 2), (90, 3), (150, 1), (151, 1), (220, 1), (290, 2)]);
        let mut before: BTreeSet<u32> = BTreeSet::new();
        for room in 0..600 {
            let now: BTreeSet<u32> =
                parts(1, &lines, room, 90).iter().flat_map(|part| part.first..=part.last).collect();
            assert!(before.is_subset(&now), "{room}");
            before = now;
        }
    }
}
