//! The intake: files that a user drops into `intake/inbox` are sorted by content, protected and made searchable.
//!
//! [`class`] tells what an entry is, [`sorting`] moves the entry to the folder of its class, and [`taking`] makes it
//! searchable: code becomes a source, and the text of papers and documents ([`papers`]) becomes a file of the sources
//! `papers` and `documents`. The place of an entry is its state. A killed intake leaves an entry in the inbox or in the folder
//! of its class, and the next intake continues there.

mod api;
mod class;
mod papers;
mod record;
mod sorting;
mod taking;

pub use api::{FailedEntry, IntakeEvent, IntakeReply, OnIntake, TakenEntry};
pub use class::IntakeClass;
pub use record::DocumentRecord;

#[cfg(test)]
mod tests;
