//! Which files without structure are parsed again, though they are unchanged.
//!
//! A file that is cut by lines because it was lost, and whose content is not in quarantine, was lost for a reason that may be
//! over: its worker was killed from outside, or there was no worker. The next update that can parse reads such a file again.

use std::cell::OnceCell;

use super::plan::ReadTask;
use super::quarantine::Quarantine;
use super::updater::Updater;
use crate::meta::{Meta, Version, View};
use spyhop_base::model::SkipReason;
use spyhop_syntax::worker::FileAnalyzer;

/// The files that an update parses again. Nothing is opened or started before a file is in doubt.
pub(super) struct Retries<'u, 'e> {
    updater: &'u Updater<'e>,
    quarantine: OnceCell<Quarantine>,
    can_parse: OnceCell<bool>,
}

impl<'u, 'e> Retries<'u, 'e> {
    pub fn new(updater: &'u Updater<'e>) -> Retries<'u, 'e> {
        Retries { updater, quarantine: OnceCell::new(), can_parse: OnceCell::new() }
    }

    /// Whether the file of `version` is to be parsed again.
    pub fn is_due(&self, version: Version<'_>) -> bool {
        let Updater { isolation, grammars, .. } = *self.updater;
        let quarantine = || self.quarantine.get_or_init(|| self.updater.quarantine());
        let can_parse = || FileAnalyzer::new(isolation, grammars).is_available();
        is_in_doubt(version, quarantine) && *self.can_parse.get_or_init(can_parse)
    }

    /// Whether the file of `task` is to be parsed again, whether or not it changed.
    pub(crate) fn is_task_due(&self, meta: &Meta, task: &ReadTask) -> bool {
        task.old.and_then(|(id, _)| meta.version(id)).is_some_and(|version| self.is_due(version))
    }

    /// Whether a file of `view` is to be parsed again.
    pub(crate) fn is_any_due(&self, meta: &Meta, view: &View) -> bool {
        view.skipped().iter().any(|entry| entry.skipped.reason == SkipReason::Quarantined)
            && view.versions().iter().any(|id| meta.version(*id).is_some_and(|version| self.is_due(version)))
    }
}

/// Whether `version` has no structure although its content is not in quarantine.
pub(super) fn is_in_doubt<'q>(version: Version<'_>, quarantine: impl FnOnce() -> &'q Quarantine) -> bool {
    let hash = version.content().ranked().filter(|_| version.is_quarantined());
    hash.is_some_and(|hash| quarantine().cause(hash).is_none())
}
