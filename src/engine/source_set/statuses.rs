//! The states of the trees of a set.

use super::super::api::*;
use super::super::set_source::SetSource;
use super::set::SourceSet;
use crate::error::Error;
use spyhop_base::parallel;

impl SourceSet {
    /// The state of each source and its index, as [`Engine::status`](crate::Engine::status) tells it.
    pub fn statuses(&self) -> SourceStatuses {
        let of_source = |source: &SetSource| NamedStatus {
            name: source.name.clone(),
            provenance: source.provenance.clone(),
            status: source
                .engine
                .as_ref()
                .map_err(Error::copy)
                .and_then(|engine| engine.status())
                .map_err(|error| error.to_string()),
        };
        let sources = self.sources.iter().collect();
        SourceStatuses { sources: parallel::map(self.sources.len() > 1, sources, of_source, || ()) }
    }
}
