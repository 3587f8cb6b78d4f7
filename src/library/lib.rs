//! A library of sources: folders, repositories, archives and single files, each with an index, under one folder.
//!
//! Raw sources are read-only inputs. A folder of the user stays where it is and is only named; everything else is
//! acquired once and never changed afterwards. Indexes are derived and can be made again. A manifest ties a raw source
//! to its index and says where the source came from. A source is imported in four stages, each of which leaves a record
//! on disk: plan, acquire, materialize, index. A killed import is resumed by the same request, or leaves nothing.
//!
//! The ranking of one query over several sources is not the duty of this module, which only opens the sources of a
//! question (`sources`).

#![deny(missing_docs)]
#![deny(clippy::print_stdout, clippy::print_stderr, clippy::dbg_macro)]

mod add;
mod api;
mod checkout;
mod describe;
mod error;
mod extent;
mod format;
mod forms;
mod gc;
mod intake;
mod job;
mod listing;
mod location;
mod manifest;
mod materialize;
mod names;
mod open;
mod paths;
mod plan;
mod protect;
mod purge;
mod records;
mod remove;
mod snapshot;
mod sources;
mod status;
mod unpack;
mod update;
mod verify;
mod web;

pub use api::{
    AddPlan, AddProgress, AddReply, AddRequest, CollectedSources, FailedSource, LibraryOptions, LibraryReply,
    LibraryStatus, OnAddProgress, PlannedUpdate, RemovedSource, SourceBatch, SourceStatus, UnfinishedImport,
    UpdateStep, UpdatedSource, VerifiedSource,
};
pub use error::LibraryError;
pub use intake::{DocumentRecord, FailedEntry, IntakeClass, IntakeEvent, IntakeReply, OnIntake, TakenEntry};
pub use location::is_remote;
pub use manifest::{
    ImportEvent, ImportRecord, IndexSettings, LeftOutEntry, PackageName, ShownSource, SourceKind,
    SourceManifest, SourceOrigin, SourceState,
};
pub use names::SourceId;
pub use open::Library;
pub use paths::LibraryPaths;
pub use sources::{SourceChoice, SourceReader};
pub use unpack::{UnpackError, UnpackFault};

#[cfg(test)]
mod tests;
