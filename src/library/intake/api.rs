//! The reports of an intake.

use std::path::PathBuf;

use super::class::IntakeClass;
use crate::api::AddProgress;
use spyhop_attributes::{open, reply};
use spyhop_base::wire::wire;

/// The result of an intake.
#[reply(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntakeReply {
    /// The inbox.
    #[serde(serialize_with = "wire")]
    pub inbox: PathBuf,
    /// The entries that were taken in, in the order of their names.
    pub taken: Vec<TakenEntry>,
    /// The entries that were moved to the folder `failed`.
    pub failed: Vec<FailedEntry>,
    /// The names of entries that are still being written. The next intake takes them in.
    pub waiting: Vec<String>,
    /// Problems that left an entry where it is.
    pub warnings: Vec<String>,
}

/// An entry that was taken in.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct TakenEntry {
    /// The name of the entry in the inbox, or in the folder of its class if an earlier intake was killed.
    pub name: String,
    /// The class of the entry.
    pub class: IntakeClass,
    /// The protected file or folder.
    #[serde(serialize_with = "wire")]
    pub path: PathBuf,
    /// The name of the source that has the entry.
    pub source: String,
    /// The title of a paper or document.
    pub title: Option<String>,
    /// Why the text of a paper or document is missing. The document can be found by its name.
    pub problem: Option<String>,
}

/// An entry that was not taken in.
#[reply(Clone, Debug, PartialEq, Eq)]
pub struct FailedEntry {
    /// The name of the entry in the inbox.
    pub name: String,
    /// Where the entry lies now. A file with the ending `.reason.txt` beside it has the reason.
    #[serde(serialize_with = "wire")]
    pub path: PathBuf,
    /// The reason.
    pub reason: String,
}

/// The progress of an intake.
#[open(Clone, Copy, Debug)]
pub enum IntakeEvent<'n> {
    /// An entry is taken in.
    Taking {
        /// The name of the entry.
        name: &'n str,
        /// The class of the entry.
        class: IntakeClass,
    },
    /// A source is imported or indexed.
    Source(AddProgress),
}

/// Called with the progress of an intake.
pub type OnIntake<'p> = &'p (dyn Fn(IntakeEvent<'_>) + Sync);
