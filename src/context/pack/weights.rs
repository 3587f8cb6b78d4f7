//! The weights of the evidence that a task needs a file, in log-odds.
//!
//! The weights were fitted by logistic regression to the files that commits of development repositories change, and
//! rounded. `docs/packs.md` names the command and the figures.

/// The log-odds of a file without any evidence.
pub const BASE: f32 = -3.2;

/// The weight of the log-odds of the score in a search.
pub const SCORE: f32 = 0.27;

/// The score of a file that a search does not find, in log-odds.
pub(crate) const NO_SCORE: f32 = -5.8;

/// The weight of the rank in a search, and the rank at which the evidence is half as strong as at the first one.
pub const RANK: f32 = 30.0;
pub(crate) const HALF_RANK: f32 = 8.0;

/// The rank of a file that a search does not find.
pub(crate) const NO_RANK: f32 = 60.0;

/// The malus of a search for one of several goals, compared with the search for the whole task.
pub(crate) const GOAL: f32 = 2.0;

/// The weights of the share of the first files that import the file, and that the file imports.
pub const IMPORTED: f32 = 1.9;
pub(crate) const IMPORTING: f32 = 4.4;

/// The weight of the share of the first files whose best units the file uses or has the callees of.
pub(crate) const CALLED: f32 = 4.4;

/// The weight of a common beginning of the file's name and of the name of a first file.
pub const NAME: f32 = 2.4;

/// The malus of a file of a kind that the task does not ask for: tests, prose, data.
pub const ASIDE: f32 = 2.0;

/// The bonus of a file that the task names by a frame of a stack trace, a path or a start point. A file that uses a start point
/// has a share of the bonus.
pub const NAMED: f32 = 4.0;
