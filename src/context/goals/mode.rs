//! The mode of a pack: how far its collection goes.

use spyhop_attributes::{All, Name, form};

/// How far the collection of a pack goes.
#[form(Clone, Copy, Debug, Default, PartialEq, Eq, Name, All)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "snake_case")]
pub enum PackMode {
    /// The mode that the task and the first probe suggest.
    #[default]
    Auto,
    /// The place that the task names, with little around it.
    #[name = "navigation_prune"]
    NavigationPrune,
    /// The primary region, and one backup.
    Focused,
    /// All regions.
    Broad,
}

/// The figures of the first probe of a task.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProbeFigures {
    pub goals: usize,
    /// The number of regions of the goals.
    pub regions: usize,
    /// Whether the task has a verb that says what to do.
    pub has_verb: bool,
    /// The number of words of the task.
    pub words: usize,
    /// The score of the best place.
    pub best: f32,
    /// The number of further places with at least half of that score.
    pub rivals: usize,
}

/// The most words of a task that looks like navigation.
const NAVIGATION_WORDS: usize = 12;

/// The score from which a place is plausible.
const PLAUSIBLE: f32 = 0.3;

/// The number of rivals from which competition is high.
const RIVALS: usize = 2;

/// The mode, and why it was chosen.
pub fn chosen_mode(asked: PackMode, prunes: bool, probe: &ProbeFigures) -> (PackMode, String) {
    if asked != PackMode::Auto {
        return (asked, "the request names the mode".to_string());
    }
    let is_navigation = probe.goals <= 1 && !probe.has_verb && probe.words <= NAVIGATION_WORDS;
    if prunes && is_navigation && probe.best >= PLAUSIBLE && probe.rivals >= RIVALS {
        let reason = format!(
            "a short question with a plausible place ({:.2}) and {} rivals",
            probe.best, probe.rivals
        );
        return (PackMode::NavigationPrune, reason);
    }
    match probe.regions {
        0 | 1 => (PackMode::Focused, "the task is about one region".to_string()),
        regions => (PackMode::Broad, format!("the goals are about {regions} regions")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_probe_suggests_a_mode() {
        let probe = ProbeFigures { goals: 1, regions: 1, has_verb: false, words: 5, best: 0.6, rivals: 3 };
        let mode = |probe: ProbeFigures| chosen_mode(PackMode::Auto, true, &probe).0;
        assert_eq!(mode(probe), PackMode::NavigationPrune);
        assert_eq!(mode(ProbeFigures { has_verb: true, ..probe }), PackMode::Focused);
        assert_eq!(mode(ProbeFigures { rivals: 0, ..probe }), PackMode::Focused);
        assert_eq!(mode(ProbeFigures { goals: 2, regions: 2, ..probe }), PackMode::Broad);
        assert_eq!(chosen_mode(PackMode::Auto, false, &probe).0, PackMode::Focused);
        assert_eq!(chosen_mode(PackMode::Broad, true, &probe).0, PackMode::Broad);
    }
}
