//! What was read or touched in a session, decayed.
//!
//! A touch is a turn. A file's worth falls with the turns since its last touch and not with time, so an answer does
//! not depend on the clock. The log is one small file for each tree, replaced as a whole: paths mean nothing elsewhere.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::store::{self, FileError};

/// Older touches are forgotten.
const MAX_TOUCHES: usize = 64;

/// After this many turns a touch is worth half.
const HALF_LIFE: f32 = 8.0;

/// The files touched, the newest last, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    touched: Vec<RelPath>,
}

impl Session {
    /// Reads the log at `file`; one that is missing or cannot be read is an empty one.
    pub fn load(file: &Path) -> Session {
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

    /// Whether nothing was touched.
    pub fn is_empty(&self) -> bool {
        self.touched.is_empty()
    }

    /// Every file touched, with the turns since, the newest first.
    pub fn touched(&self) -> impl Iterator<Item = (&RelPath, usize)> {
        self.touched.iter().rev().zip(0..)
    }

    /// What a touch is worth after `turns` turns: 1 at once, half after eight.
    pub fn worth(turns: usize) -> f32 {
        0.5f32.powf(turns as f32 / HALF_LIFE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touches_are_kept_in_order_and_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let file = &dir.path().join("session");
        let mut session = Session::load(file);
        assert!(session.is_empty());
        for number in 0..70 {
            session.touch(RelPath::new(&format!("f{number}")).unwrap());
        }
        session.touch(RelPath::new("f50").unwrap());
        session.save(file).unwrap();
        let loaded = Session::load(file);
        assert_eq!(loaded, session);
        let shown: Vec<_> = loaded.touched().map(|(path, turns)| format!("{path} {turns}")).collect();
        assert_eq!(shown.len(), 64);
        assert_eq!(shown[..3], ["f50 0", "f69 1", "f68 2"]);
        std::fs::write(file, b"{").unwrap();
        assert!(Session::load(file).is_empty());
    }

    #[test]
    fn worth_halves_in_eight_turns() {
        assert_eq!((Session::worth(0), Session::worth(8), Session::worth(16)), (1.0, 0.5, 0.25));
    }
}
