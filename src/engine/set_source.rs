//! A source of a set of sources, and a source that answers.

use std::sync::Arc;

use super::api::{Provenance, SourceName, SourcePackage};
use super::core::Engine;
use super::current::Freshness;
use crate::error::Error;
use spyhop_search::SearchSnapshot;

/// A source of a set.
pub struct SetSource {
    /// The name, which differs from those of the other sources.
    pub name: SourceName,
    /// The engine over the source, or why there is none. A source without an engine is named in the warnings of answers.
    pub engine: Result<Engine, Error>,
    /// Where the source came from.
    pub provenance: Option<Arc<Provenance>>,
    /// The package that the source is.
    pub package: Option<SourcePackage>,
}

impl SetSource {
    /// A tree that is in no library.
    pub fn new(name: SourceName, engine: Engine) -> SetSource {
        SetSource { name, engine: Ok(engine), provenance: None, package: None }
    }

    /// Why there is no engine.
    pub(super) fn failure(&self) -> Option<Error> {
        self.engine.as_ref().err().map(Error::copy)
    }
}

/// A source that answers.
pub(super) struct Ready<'s> {
    pub source: &'s SetSource,
    pub engine: &'s Engine,
    pub snapshot: Arc<SearchSnapshot>,
    pub freshness: Freshness,
}
