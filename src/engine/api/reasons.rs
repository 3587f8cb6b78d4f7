//! The reasons of a score, and those that a text shows: the ones that say something about one place.

use spyhop_attributes::reply;
use spyhop_base::wire::wire;
use spyhop_search::profile::Signal;

/// A contribution of a signal to a score.
#[reply(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The signal.
    pub signal: Signal,
    /// What the signal adds to the score; negative for a penalty.
    #[serde(rename = "share", serialize_with = "wire")]
    pub contribution: f32,
    /// A sentence such as `path: component 'provider' matches query`.
    pub text: String,
}

/// Signals that every file has more or less of. They say nothing about one place.
const GENERAL: &[Signal] = &[
    Signal::BestPlace,
    Signal::Chunks,
    Signal::Depth,
    Signal::File,
    Signal::PathRelated,
    Signal::Size,
    Signal::Symbols,
];

/// Whether a reason says something about one place. Related words do only as pairs of words, a path by its part.
fn is_of_place(reason: &Reason) -> bool {
    match reason.signal {
        Signal::Base => false,
        Signal::Related => reason.text.contains("' for '"),
        Signal::PathRelated => reason.text.contains("' in the path"),
        signal => !GENERAL.contains(&signal),
    }
}

/// Up to `most` reasons that say something about a hit's own place: those that speak for the place before those that
/// speak against it, the weightiest first. Where there are none, the first reason of all.
pub fn telling(reasons: &[Reason], most: usize) -> Vec<&Reason> {
    let mut telling = of_place(reasons);
    telling.truncate(most);
    if telling.is_empty() {
        telling.extend(reasons.first());
    }
    telling
}

/// The reason that says most about a hit's own place; `None` if no reason speaks for the place itself.
pub(crate) fn most_telling(reasons: &[Reason]) -> Option<&Reason> {
    of_place(reasons).first().copied().filter(|reason| reason.contribution >= 0.0)
}

/// The reasons that say something about a hit's own place: those for the place before those against it.
fn of_place(reasons: &[Reason]) -> Vec<&Reason> {
    let (mut telling, against): (Vec<&Reason>, Vec<&Reason>) =
        reasons.iter().filter(|reason| is_of_place(reason)).partition(|reason| reason.contribution >= 0.0);
    telling.extend(against);
    telling
}
