//! The intake: files that a user drops into `intake/inbox` are sorted by content, protected and made searchable.
//!
//! [`class`] tells what an entry is, [`sorting`] moves the entry to the folder of its class, and [`taking`] makes it
//! searchable: code becomes a source, and the text of papers and documents ([`papers`]) becomes a file of the sources
//! `papers` and `documents`. The place of an entry is its state. A file marks an intake that has begun: a
//! killed one leaves entries in the inbox or in the folder of their class, and the next intake continues there.

mod api;
pub(crate) mod class;
mod papers;
mod quiet;
mod record;
mod sorting;
mod taking;

pub use api::{FailedEntry, IntakeEvent, IntakeReply, OnIntake, TakenEntry};
pub use class::IntakeClass;
pub use record::DocumentRecord;
pub(super) use sorting::give_back;

#[cfg(test)]
mod tests;
