//! Files that were touched, opened or shown, each with a weight that decays.
//!
//! There are two kinds of record. A touch log has the files that people touched in a tree: each touch is a turn, and the
//! log is one small file that is replaced as a whole. A trail has the files that one caller touched, opened and was shown:
//! each call is a turn, and the trail is in memory only. The weight of a file decays with the turns. In a log, the weight
//! also decays with time, because nobody reports the end of work on a file. Time counts in whole hours, so that all pages
//! of an answer use the same weights. The caller supplies the clock. Each tree has one log, and its trails.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use spyhop_base::input;
use spyhop_base::path::RelPath;
use spyhop_base::store::{self, FileError};

/// The most touches in a log; older touches are dropped.
const MAX_TOUCHES: usize = 64;

/// The most files in a trail; the files that were recorded longest ago are dropped first.
const MAX_FILES: usize = 256;

/// The number of turns after which the weight of a file is halved.
const HALF_LIFE: f32 = 8.0;

/// The number of hours after which the weight of a file in a log is halved: a touch before a weekend still counts after
/// it, a touch a week ago hardly does.
const HALF_LIFE_HOURS: f32 = 48.0;

/// The number of hours after which a touch is dropped: after seven half-lives the weight is below a hundredth.
const FORGOTTEN_HOURS: u64 = 14 * 24;

/// An activity of a caller in a file, the weakest evidence of interest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum FileActivity {
    /// Code of the file was part of a reply. Spyhop chose the file, so this is hardly evidence of interest.
    Shown,
    /// The caller requested the file by name, or read a whole chunk of the file.
    Opened,
    /// The content of the file changed during the session.
    Edited,
    /// The caller reported work on the file.
    Touched,
}

impl FileActivity {
    const COUNT: usize = 4;

    /// The weight before any decay. The value of `Opened` is arbitrary. The value of `Shown` is so small that it only
    /// breaks ties, because a file that was shown must not rank higher for that alone.
    fn worth(self) -> f32 {
        match self {
            FileActivity::Shown => 0.1,
            FileActivity::Opened => 0.5,
            FileActivity::Edited => 0.8,
            FileActivity::Touched => 1.0,
        }
    }
}

/// An activity in a file, with its present weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedActivity {
    /// The activity with the greatest present weight.
    pub activity: FileActivity,
    /// The number of turns since.
    pub turns: usize,
    /// The number of hours since, in a log; 0 in a trail.
    pub hours: u64,
    /// The weight: 1 for a touch without decay, a half after eight turns or two days.
    pub worth: f32,
}

impl WeightedActivity {
    fn new(activity: FileActivity, turns: usize, hours: u64) -> WeightedActivity {
        let half_lives = turns as f32 / HALF_LIFE + hours as f32 / HALF_LIFE_HOURS;
        WeightedActivity { activity, turns, hours, worth: activity.worth() * 0.5f32.powf(half_lives) }
    }
}

/// The record that a ranking uses.
#[derive(Clone, Debug)]
pub enum ActivityRecord {
    /// The files that anybody touched in the tree, with the time at which their weights are computed.
    Log(TouchLog, SystemTime),
    /// The files of one caller.
    Trail(Arc<Trail>),
}

impl ActivityRecord {
    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        match self {
            ActivityRecord::Log(log, now) => log.touched.iter().all(|touch| touch.is_forgotten(*now)),
            ActivityRecord::Trail(trail) => trail.files.is_empty(),
        }
    }

    /// The activity in a file, with its weight.
    pub(crate) fn activity_in(&self, path: &str) -> Option<WeightedActivity> {
        match self {
            ActivityRecord::Log(log, now) => {
                let mut by_turns = log.touched.iter().rev().enumerate();
                let (turns, touch) = by_turns.find(|(_, touch)| touch.path.as_str() == path)?;
                (!touch.is_forgotten(*now))
                    .then(|| WeightedActivity::new(FileActivity::Touched, turns, touch.hours_until(*now)))
            }
            ActivityRecord::Trail(trail) => trail.activity_in(path),
        }
    }
}

/// The files that were touched in a tree, each once, the newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TouchLog {
    touched: Vec<Touch>,
}

/// A file and the time of its last touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "WrittenEntry")]
struct Touch {
    path: RelPath,
    /// Seconds since 1970; `None` in a log of a version that recorded no times.
    at: Option<u64>,
}

/// A touch as written in a log, by this or an older version.
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
    /// The whole hours since the touch; 0 if the clock was put back.
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
    /// Reads the log at `file`. A missing or unreadable log counts as empty. A touch without a time gets the time at which
    /// the file was written.
    pub fn load(file: &Path) -> TouchLog {
        let read = input::bounded(file, input::MAX_TEXT_BYTES)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let mut log: TouchLog = read.unwrap_or_default();
        if log.touched.iter().any(|touch| touch.at.is_none()) {
            let written = file.metadata().and_then(|metadata| metadata.modified()).map_or(0, seconds);
            log.touched.iter_mut().for_each(|touch| _ = touch.at.get_or_insert(written));
        }
        log
    }

    pub fn save(&self, file: &Path) -> Result<(), FileError> {
        store::replace(file, &[&serde_json::to_vec(self).expect("plain data")])
    }

    /// Records that a file was read or written at this time.
    pub fn touch(&mut self, path: RelPath, now: SystemTime) {
        self.touched.retain(|known| known.path != path && !known.is_forgotten(now));
        self.touched.push(Touch { path, at: Some(seconds(now)) });
        let surplus = self.touched.len().saturating_sub(MAX_TOUCHES);
        self.touched.drain(..surplus);
    }
}

/// The files that one caller touched, opened and was shown in a tree.
#[derive(Clone, Debug, Default)]
pub struct Trail {
    turn: usize,
    /// The files, sorted by path.
    files: Vec<TouchedFile>,
}

/// A file with the turn of the last record of each interest.
#[derive(Clone, Debug)]
struct TouchedFile {
    path: RelPath,
    at: [Option<usize>; FileActivity::COUNT],
}

impl Trail {
    /// Records what a caller did with files, as one turn.
    pub fn record<'p>(&mut self, files: impl IntoIterator<Item = (&'p RelPath, FileActivity)>) {
        self.turn += 1;
        for (path, activity) in files {
            let place = match self.files.binary_search_by(|met| met.path.cmp(path)) {
                Ok(place) => place,
                Err(place) => {
                    self.files
                        .insert(place, TouchedFile { path: path.clone(), at: [None; FileActivity::COUNT] });
                    place
                }
            };
            self.files[place].at[activity as usize] = Some(self.turn);
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
        self.record(files.into_iter().map(|path| (path, FileActivity::Edited)));
    }

    fn activity_in(&self, path: &str) -> Option<WeightedActivity> {
        let place = self.files.binary_search_by(|met| met.path.as_str().cmp(path)).ok()?;
        let at = self.files[place].at;
        let of = |activity: FileActivity| {
            Some(WeightedActivity::new(activity, self.turn - at[activity as usize]?, 0))
        };
        let all = [FileActivity::Touched, FileActivity::Edited, FileActivity::Opened, FileActivity::Shown]
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
        assert!(ActivityRecord::Log(log.clone(), now).is_empty());
        for number in 0..70 {
            log.touch(path(&format!("f{number}")), now);
        }
        log.touch(path("f50"), now);
        log.save(file).unwrap();
        let loaded = TouchLog::load(file);
        assert_eq!(loaded, log);
        let session = ActivityRecord::Log(loaded, now);
        let turns = |path: &str| session.activity_in(path).map(|noted| noted.turns);
        assert_eq!(["f50", "f69", "f68", "f6", "f5"].map(turns), [Some(0), Some(1), Some(2), Some(63), None]);
        std::fs::write(file, b"{").unwrap();
        assert!(ActivityRecord::Log(TouchLog::load(file), now).is_empty());
    }

    #[test]
    fn worth_halves_in_eight_turns_or_two_days() {
        let worth = |turns, hours| WeightedActivity::new(FileActivity::Touched, turns, hours).worth;
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
        let worth =
            |now: SystemTime| ActivityRecord::Log(log.clone(), now).activity_in("a").map(|noted| noted.worth);
        assert_eq!(worth(begin), Some(1.0));
        // Within an hour nothing changes, so the pages of an answer agree.
        assert_eq!(worth(after(3_599)), Some(1.0));
        assert!(worth(after(3_600)).is_some_and(|worth| worth < 1.0));
        assert_eq!((worth(after(2 * DAY)), worth(after(4 * DAY))), (Some(0.5), Some(0.25)));
        assert!(worth(after(14 * DAY - 1)).is_some());
        assert_eq!(worth(after(14 * DAY)), None);
        assert!(ActivityRecord::Log(log.clone(), after(14 * DAY)).is_empty());
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
        let session = ActivityRecord::Log(TouchLog::load(&file), now);
        assert_eq!(session.activity_in("b.rs"), Some(WeightedActivity::new(FileActivity::Touched, 0, 48)));
        assert_eq!(session.activity_in("a.rs"), Some(WeightedActivity::new(FileActivity::Touched, 1, 48)));
    }

    #[test]
    fn stronger_activity_is_worth_more_until_it_is_old() {
        let mut trail = Trail::default();
        trail.record([(&path("a"), FileActivity::Shown), (&path("b"), FileActivity::Opened)]);
        trail.record([(&path("a"), FileActivity::Touched)]);
        trail.record([(&path("a"), FileActivity::Shown)]);
        assert_eq!(trail.activity_in("a"), Some(WeightedActivity::new(FileActivity::Touched, 1, 0)));
        assert_eq!(trail.activity_in("b"), Some(WeightedActivity::new(FileActivity::Opened, 2, 0)));
        assert_eq!(trail.activity_in("c"), None);
        for _ in 0..40 {
            trail.record([]);
        }
        trail.record([(&path("a"), FileActivity::Shown)]);
        assert_eq!(trail.activity_in("a"), Some(WeightedActivity::new(FileActivity::Shown, 0, 0)));
    }

    #[test]
    fn an_edit_is_not_a_turn() {
        let mut trail = Trail::default();
        trail.edited([&path("a")]);
        assert_eq!(trail.activity_in("a"), Some(WeightedActivity::new(FileActivity::Edited, 0, 0)));
        trail.record([(&path("b"), FileActivity::Opened)]);
        trail.edited([&path("b")]);
        assert_eq!(trail.activity_in("b"), Some(WeightedActivity::new(FileActivity::Edited, 0, 0)));
        assert_eq!(trail.activity_in("a").map(|noted| noted.turns), Some(1));
    }

    #[test]
    fn a_trail_forgets_what_it_met_longest_ago() {
        let mut trail = Trail::default();
        for number in 0..MAX_FILES + 10 {
            trail.record([
                (&path(&format!("f{number}")), FileActivity::Shown),
                (&path("kept"), FileActivity::Opened),
            ]);
        }
        assert_eq!(trail.files.len(), MAX_FILES);
        assert!(trail.activity_in("kept").is_some() && trail.activity_in("f265").is_some());
        assert_eq!(trail.activity_in("f10"), None);
    }
}
