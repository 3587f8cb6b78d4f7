//! What was read or touched in a session, decayed.
//!
//! There are two of them. The log of a tree holds what its people touched: a touch is a turn, and the log is one small
//! file, replaced as a whole. A trail is what one caller touched, opened and was shown while it lasts: a call is a turn,
//! and it lies in memory only. A file's worth falls with the turns. In a log it falls with time as well, because nobody
//! says that work on a file has ended; time counts in whole hours, so that the pages of an answer agree. The clock is the
//! caller's. Paths mean nothing in another tree, so each tree has its own.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::store::{self, FileError};

/// Older touches are forgotten.
const MAX_TOUCHES: usize = 64;

/// So many files a trail remembers; those that were met longest ago are forgotten first.
const MAX_FILES: usize = 256;

/// After this many turns a file is worth half.
const HALF_LIFE: f32 = 8.0;

/// After this many hours a file of a log is worth half: what was touched before a weekend still counts after it, and
/// what was touched a week ago hardly does.
const HALF_LIFE_HOURS: f32 = 48.0;

/// After so many hours, seven half-lives, a file of a log is worth less than a hundredth, and is forgotten.
const FORGOTTEN_HOURS: u64 = 14 * 24;

/// What a file was to somebody, the least telling first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Interest {
    /// Some of its code was among the answers to a question. That says what we thought and hardly what the reader did.
    Shown,
    /// The caller asked for the file by name, or read a whole chunk of the file.
    Opened,
    /// The content of the file changed during the session.
    Edited,
    /// Somebody said that he works on it.
    Touched,
}

impl Interest {
    const COUNT: usize = 4;

    /// What it is worth at once. The halves are arbitrary; what was only shown must not become more likely to be
    /// shown again by more than what settles a tie.
    fn worth(self) -> f32 {
        match self {
            Interest::Shown => 0.1,
            Interest::Opened => 0.5,
            Interest::Edited => 0.8,
            Interest::Touched => 1.0,
        }
    }
}

/// What a session knows of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SessionInterest {
    /// What it was, in the way that is worth most now.
    pub interest: Interest,
    /// The turns since.
    pub turns: usize,
    /// The hours since, in a log; a trail knows no time.
    pub hours: u64,
    /// 1 for a touch at once, half of it after eight turns or two days.
    pub worth: f32,
}

impl SessionInterest {
    fn new(interest: Interest, turns: usize, hours: u64) -> SessionInterest {
        let half_lives = turns as f32 / HALF_LIFE + hours as f32 / HALF_LIFE_HOURS;
        SessionInterest { interest, turns, hours, worth: interest.worth() * 0.5f32.powf(half_lives) }
    }
}

/// What files are ranked beside.
#[derive(Clone, Debug)]
pub enum SessionActivity {
    /// What was touched in the tree, by whomever, as of a moment.
    Log(TouchLog, SystemTime),
    /// What one caller did.
    Trail(Arc<Trail>),
}

impl SessionActivity {
    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        match self {
            SessionActivity::Log(log, now) => log.touched.iter().all(|touch| touch.is_forgotten(*now)),
            SessionActivity::Trail(trail) => trail.files.is_empty(),
        }
    }

    /// What is known of a file.
    pub fn of(&self, path: &str) -> Option<SessionInterest> {
        match self {
            SessionActivity::Log(log, now) => {
                let mut by_turns = log.touched.iter().rev().enumerate();
                let (turns, touch) = by_turns.find(|(_, touch)| touch.path.as_str() == path)?;
                (!touch.is_forgotten(*now))
                    .then(|| SessionInterest::new(Interest::Touched, turns, touch.hours_until(*now)))
            }
            SessionActivity::Trail(trail) => trail.of(path),
        }
    }
}

/// The files touched in a tree, the newest last, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchLog {
    touched: Vec<Touch>,
}

/// A file and when it was touched last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenEntry")]
struct Touch {
    path: RelPath,
    /// Seconds since 1970; `None` in a log that was written before there were times.
    at: Option<u64>,
}

/// A touch as logs have it.
#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenEntry {
    Timed { path: RelPath, at: Option<u64> },
    Bare(RelPath),
}

impl From<WrittenEntry> for Touch {
    fn from(written: WrittenEntry) -> Touch {
        match written {
            WrittenEntry::Timed { path, at } => Touch { path, at },
            WrittenEntry::Bare(path) => Touch { path, at: None },
        }
    }
}

impl Touch {
    /// The whole hours since; none where the clock was put back.
    fn hours_until(&self, now: SystemTime) -> u64 {
        seconds(now).saturating_sub(self.at.unwrap_or(0)) / 3600
    }

    fn is_forgotten(&self, now: SystemTime) -> bool {
        self.hours_until(now) >= FORGOTTEN_HOURS
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

impl TouchLog {
    /// Reads the log at `file`; one that is missing or cannot be read is an empty one. What has no time of its own was
    /// touched when the log was written.
    pub fn load(file: &Path) -> TouchLog {
        let read = std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut log: TouchLog = read.unwrap_or_default();
        if log.touched.iter().any(|touch| touch.at.is_none()) {
            let written = file.metadata().and_then(|metadata| metadata.modified()).map_or(0, seconds);
            log.touched.iter_mut().for_each(|touch| _ = touch.at.get_or_insert(written));
        }
        log
    }

    /// Writes the log.
    pub fn save(&self, file: &Path) -> Result<(), FileError> {
        store::replace(file, &[&serde_json::to_vec(self).expect("plain data")])
    }

    /// Notes that a file was read or written at this time.
    pub fn touch(&mut self, path: RelPath, now: SystemTime) {
        self.touched.retain(|known| known.path != path && !known.is_forgotten(now));
        self.touched.push(Touch { path, at: Some(seconds(now)) });
        let surplus = self.touched.len().saturating_sub(MAX_TOUCHES);
        self.touched.drain(..surplus);
    }
}

/// What one caller did in a tree.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    turn: usize,
    /// By path.
    files: Vec<TouchedFile>,
}

/// A file with the turns at which it was last met, by interest.
#[derive(Clone, Debug)]
struct TouchedFile {
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
                    self.files.insert(place, TouchedFile { path: path.clone(), at: [None; Interest::COUNT] });
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

    /// Notes that files were edited since the last turn. That is not a turn of the caller.
    pub fn edited<'p>(&mut self, files: impl IntoIterator<Item = &'p RelPath>) {
        self.turn = self.turn.saturating_sub(1);
        self.note(files.into_iter().map(|path| (path, Interest::Edited)));
    }

    fn of(&self, path: &str) -> Option<SessionInterest> {
        let place = self.files.binary_search_by(|met| met.path.as_str().cmp(path)).ok()?;
        let at = self.files[place].at;
        let of =
            |interest: Interest| Some(SessionInterest::new(interest, self.turn - at[interest as usize]?, 0));
        let all = [Interest::Touched, Interest::Edited, Interest::Opened, Interest::Shown]
            .into_iter()
            .filter_map(of);
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
        let now = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        assert!(SessionActivity::Log(log.clone(), now).is_empty());
        for number in 0..70 {
            log.touch(path(&format!("f{number}")), now);
        }
        log.touch(path("f50"), now);
        log.save(file).unwrap();
        let loaded = TouchLog::load(file);
        assert_eq!(loaded, log);
        let session = SessionActivity::Log(loaded, now);
        let turns = |path: &str| session.of(path).map(|noted| noted.turns);
        assert_eq!(["f50", "f69", "f68", "f6", "f5"].map(turns), [Some(0), Some(1), Some(2), Some(63), None]);
        std::fs::write(file, b"{").unwrap();
        assert!(SessionActivity::Log(TouchLog::load(file), now).is_empty());
    }

    #[test]
    fn worth_halves_in_eight_turns_or_two_days() {
        let worth = |turns, hours| SessionInterest::new(Interest::Touched, turns, hours).worth;
        assert_eq!((worth(0, 0), worth(8, 0), worth(16, 0)), (1.0, 0.5, 0.25));
        assert_eq!((worth(0, 48), worth(0, 96), worth(8, 48)), (0.5, 0.25, 0.25));
    }

    #[test]
    fn a_touch_ages_with_the_clock_until_it_is_forgotten() {
        const DAY: u64 = 24 * 3600;
        let begin = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let after = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut log = TouchLog::default();
        log.touch(path("a"), begin);
        let worth = |now: SystemTime| SessionActivity::Log(log.clone(), now).of("a").map(|noted| noted.worth);
        assert_eq!(worth(begin), Some(1.0));
        // Within an hour nothing changes, so the pages of an answer agree.
        assert_eq!(worth(after(3_599)), Some(1.0));
        assert!(worth(after(3_600)).is_some_and(|worth| worth < 1.0));
        assert_eq!((worth(after(2 * DAY)), worth(after(4 * DAY))), (Some(0.5), Some(0.25)));
        assert!(worth(after(14 * DAY - 1)).is_some());
        assert_eq!(worth(after(14 * DAY)), None);
        assert!(SessionActivity::Log(log.clone(), after(14 * DAY)).is_empty());
        // A clock that was put back makes nothing newer than new.
        assert_eq!(worth(begin - Duration::from_secs(DAY)), Some(1.0));
        log.touch(path("b"), after(14 * DAY));
        assert_eq!(log.touched.len(), 1, "what is forgotten leaves the log");
    }

    #[test]
    fn a_log_without_times_is_as_old_as_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("session");
        std::fs::write(&file, br#"{"touched":["a.rs","b.rs"]}"#).unwrap();
        let written = UNIX_EPOCH + Duration::from_secs(1_600_000_000);
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(written).unwrap();
        let now = written + Duration::from_secs(48 * 3600);
        let session = SessionActivity::Log(TouchLog::load(&file), now);
        assert_eq!(session.of("b.rs"), Some(SessionInterest::new(Interest::Touched, 0, 48)));
        assert_eq!(session.of("a.rs"), Some(SessionInterest::new(Interest::Touched, 1, 48)));
    }

    #[test]
    fn what_tells_more_is_worth_more_until_it_is_old() {
        let mut trail = Trail::default();
        trail.note([(&path("a"), Interest::Shown), (&path("b"), Interest::Opened)]);
        trail.note([(&path("a"), Interest::Touched)]);
        trail.note([(&path("a"), Interest::Shown)]);
        assert_eq!(trail.of("a"), Some(SessionInterest::new(Interest::Touched, 1, 0)));
        assert_eq!(trail.of("b"), Some(SessionInterest::new(Interest::Opened, 2, 0)));
        assert_eq!(trail.of("c"), None);
        for _ in 0..40 {
            trail.note([]);
        }
        trail.note([(&path("a"), Interest::Shown)]);
        assert_eq!(trail.of("a"), Some(SessionInterest::new(Interest::Shown, 0, 0)));
    }

    #[test]
    fn an_edit_is_not_a_turn() {
        let mut trail = Trail::default();
        trail.edited([&path("a")]);
        assert_eq!(trail.of("a"), Some(SessionInterest::new(Interest::Edited, 0, 0)));
        trail.note([(&path("b"), Interest::Opened)]);
        trail.edited([&path("b")]);
        assert_eq!(trail.of("b"), Some(SessionInterest::new(Interest::Edited, 0, 0)));
        assert_eq!(trail.of("a").map(|noted| noted.turns), Some(1));
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
