//! What was read or touched in a session, decayed.
//!
//! There are two of them. The log of a tree holds what its people touched: a touch is a turn, and the log is one small
//! file, replaced as a whole. A trail is what one caller touched, opened and was shown while it lasts: a call is a turn,
//! and it lies in memory only. A file's worth falls with the turns and not with time, so an answer does not depend on
//! the clock. Paths mean nothing in another tree, so each tree has its own.

use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::store::{self, FileError};

/// Older touches are forgotten.
const MAX_TOUCHES: usize = 64;

/// So many files a trail remembers; those that were met longest ago are forgotten first.
const MAX_FILES: usize = 256;

/// After this many turns a file is worth half.
const HALF_LIFE: f32 = 8.0;

/// What a file was to somebody, the least telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interest {
    /// Some of its code was among the answers to a question. That says what we thought and hardly what the reader did.
    Shown,
    /// It was asked for by name, or a whole chunk of it was read.
    Opened,
    /// Somebody said that he works on it.
    Touched,
}

impl Interest {
    const COUNT: usize = 3;

    /// What it is worth at once. The halves are arbitrary; what was only shown must not become more likely to be
    /// shown again by more than what settles a tie.
    fn worth(self) -> f32 {
        match self {
            Interest::Shown => 0.1,
            Interest::Opened => 0.5,
            Interest::Touched => 1.0,
        }
    }
}

/// What a session knows of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noted {
    /// What it was, in the way that is worth most now.
    pub interest: Interest,
    /// The turns since.
    pub turns: usize,
    /// 1 for a touch at once, half of it after eight turns.
    pub worth: f32,
}

impl Noted {
    fn new(interest: Interest, turns: usize) -> Noted {
        Noted { interest, turns, worth: interest.worth() * 0.5f32.powf(turns as f32 / HALF_LIFE) }
    }
}

/// What files are ranked beside.
#[derive(Clone, Debug)]
pub enum Session {
    /// What was touched in the tree, by whomever.
    Log(TouchLog),
    /// What one caller did.
    Trail(Arc<Trail>),
}

impl Session {
    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        match self {
            Session::Log(log) => log.touched.is_empty(),
            Session::Trail(trail) => trail.files.is_empty(),
        }
    }

    /// What is known of a file.
    pub fn of(&self, path: &str) -> Option<Noted> {
        match self {
            Session::Log(log) => {
                let turns = log.touched.iter().rev().position(|touched| touched.as_str() == path)?;
                Some(Noted::new(Interest::Touched, turns))
            }
            Session::Trail(trail) => trail.of(path),
        }
    }
}

/// The files touched in a tree, the newest last, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchLog {
    touched: Vec<RelPath>,
}

impl TouchLog {
    /// Reads the log at `file`; one that is missing or cannot be read is an empty one.
    pub fn load(file: &Path) -> TouchLog {
        std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Writes the log.
    pub fn save(&self, file: &Path) -> Result<(), FileError> {
        store::replace(file, &[&serde_json::to_vec(self).expect("plain data")])
    }

    /// Notes that a file was read or written.
    pub fn touch(&mut self, path: RelPath) {
        self.touched.retain(|known| *known != path);
        self.touched.push(path);
        let surplus = self.touched.len().saturating_sub(MAX_TOUCHES);
        self.touched.drain(..surplus);
    }
}

/// What one caller did in a tree.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    turn: usize,
    /// By path.
    files: Vec<Met>,
}

/// A file with the turns at which it was last met, by interest.
#[derive(Clone, Debug)]
struct Met {
    path: RelPath,
    at: [Option<usize>; Interest::COUNT],
}

impl Trail {
    /// Notes what some files were in one turn.
    pub fn note<'p>(&mut self, files: impl IntoIterator<Item = (&'p RelPath, Interest)>) {
        self.turn += 1;
        for (path, interest) in files {
            let place = match self.files.binary_search_by(|met| met.path.cmp(path)) {
                Ok(place) => place,
                Err(place) => {
                    self.files.insert(place, Met { path: path.clone(), at: [None; Interest::COUNT] });
                    place
                }
            };
            self.files[place].at[interest as usize] = Some(self.turn);
        }
        while self.files.len() > MAX_FILES {
            let last = |place: &usize| self.files[*place].at.iter().max().copied();
            let Some(oldest) = (0..self.files.len()).min_by_key(last) else { break };
            self.files.remove(oldest);
        }
    }

    fn of(&self, path: &str) -> Option<Noted> {
        let place = self.files.binary_search_by(|met| met.path.as_str().cmp(path)).ok()?;
        let at = self.files[place].at;
        let of = |interest: Interest| Some(Noted::new(interest, self.turn - at[interest as usize]?));
        let all = [Interest::Touched, Interest::Opened, Interest::Shown].into_iter().filter_map(of);
        all.reduce(|best, other| if other.worth > best.worth { other } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    #[test]
    fn touches_are_kept_in_order_and_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let file = &dir.path().join("session");
        let mut log = TouchLog::load(file);
        assert!(Session::Log(log.clone()).is_empty());
        for number in 0..70 {
            log.touch(path(&format!("f{number}")));
        }
        log.touch(path("f50"));
        log.save(file).unwrap();
        let loaded = TouchLog::load(file);
        assert_eq!(loaded, log);
        let session = Session::Log(loaded);
        let turns = |path: &str| session.of(path).map(|noted| noted.turns);
        assert_eq!(["f50", "f69", "f68", "f6", "f5"].map(turns), [Some(0), Some(1), Some(2), Some(63), None]);
        std::fs::write(file, b"{").unwrap();
        assert!(Session::Log(TouchLog::load(file)).is_empty());
    }

    #[test]
    fn worth_halves_in_eight_turns() {
        let worth = |turns| Noted::new(Interest::Touched, turns).worth;
        assert_eq!((worth(0), worth(8), worth(16)), (1.0, 0.5, 0.25));
    }

    #[test]
    fn what_tells_more_is_worth_more_until_it_is_old() {
        let mut trail = Trail::default();
        trail.note([(&path("a"), Interest::Shown), (&path("b"), Interest::Opened)]);
        trail.note([(&path("a"), Interest::Touched)]);
        trail.note([(&path("a"), Interest::Shown)]);
        assert_eq!(trail.of("a"), Some(Noted::new(Interest::Touched, 1)));
        assert_eq!(trail.of("b"), Some(Noted::new(Interest::Opened, 2)));
        assert_eq!(trail.of("c"), None);
        for _ in 0..40 {
            trail.note([]);
        }
        trail.note([(&path("a"), Interest::Shown)]);
        assert_eq!(trail.of("a"), Some(Noted::new(Interest::Shown, 0)));
    }

    #[test]
    fn a_trail_forgets_what_it_met_longest_ago() {
        let mut trail = Trail::default();
        for number in 0..MAX_FILES + 10 {
            trail.note([(&path(&format!("f{number}")), Interest::Shown), (&path("kept"), Interest::Opened)]);
        }
        assert_eq!(trail.files.len(), MAX_FILES);
        assert!(trail.of("kept").is_some() && trail.of("f265").is_some());
        assert_eq!(trail.of("f10"), None);
    }
}
