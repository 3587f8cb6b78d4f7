//! What applies to one call, whatever operation the call is of.

use std::time::Instant;

use super::api::{ActivitySource, CallPolicy};
use crate::cancel::Cancel;
use spyhop_index::update::OnProgress;

/// What applies to one call: who hears of its progress, what cancels it, its deadline, its policy, and whose earlier work
/// counts.
#[derive(Clone)]
pub struct Call<'c> {
    progress: OnProgress<'c>,
    cancel: Option<Cancel>,
    deadline: Option<Instant>,
    policy: Option<CallPolicy>,
    session: ActivitySource,
}

impl Default for Call<'_> {
    /// A call without a listener and a deadline, that nothing cancels, with the policies of the engines; the files that any
    /// caller touched rank higher.
    fn default() -> Self {
        let session = ActivitySource::AnyCaller;
        Call { progress: &|_| (), cancel: None, deadline: None, policy: None, session }
    }
}

impl<'c> Call<'c> {
    /// Reports the progress of an index update before the answer. Updates of several trees are not reported.
    pub fn with_progress(self, progress: OnProgress<'c>) -> Call<'c> {
        Call { progress, ..self }
    }

    /// Ends the call early when `cancel` is cancelled, as [`Engine::cancellable`](crate::Engine::cancellable).
    pub fn with_cancel(self, cancel: Cancel) -> Call<'c> {
        Call { cancel: Some(cancel), ..self }
    }

    /// Ends the call at `deadline` with an error of kind [`ErrorKind::TimedOut`](crate::ErrorKind::TimedOut), at one of the
    /// steps at which a cancelled call ends.
    pub fn with_deadline(self, deadline: Instant) -> Call<'c> {
        Call { deadline: Some(deadline), ..self }
    }

    /// Applies a policy instead of those of the engines.
    pub fn with_policy(self, policy: CallPolicy) -> Call<'c> {
        Call { policy: Some(policy), ..self }
    }

    /// Ranks by the earlier work of `session`, which also knows what its caller was sent.
    pub fn with_session(self, session: ActivitySource) -> Call<'c> {
        Call { session, ..self }
    }

    pub(super) fn progress(&self) -> OnProgress<'c> {
        self.progress
    }

    /// What cancels the call: its handle, else that of the calls around it, and its deadline.
    pub(super) fn cancel(&self) -> Option<Cancel> {
        match (&self.cancel, self.deadline) {
            (own, None) => own.clone(),
            (Some(own), Some(deadline)) => Some(own.clone().until(deadline)),
            (None, Some(deadline)) => Some(crate::cancel::current().unwrap_or_default().until(deadline)),
        }
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub(super) fn policy(&self) -> Option<CallPolicy> {
        self.policy
    }

    pub(super) fn session(&self) -> &ActivitySource {
        &self.session
    }
}
