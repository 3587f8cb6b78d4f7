//! What applies to one call, whatever operation the call is of.

use super::api::CallPolicy;
use crate::cancel::Cancel;
use spyhop_index::update::OnProgress;

/// What applies to one call: who hears of its progress, what cancels it, and its policy.
#[derive(Clone)]
pub struct Call<'c> {
    progress: OnProgress<'c>,
    cancel: Option<Cancel>,
    policy: Option<CallPolicy>,
}

impl Default for Call<'_> {
    /// A call without a listener, that nothing cancels, with the policies of the engines.
    fn default() -> Self {
        Call { progress: &|_| (), cancel: None, policy: None }
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

    /// Applies a policy instead of those of the engines.
    pub fn with_policy(self, policy: CallPolicy) -> Call<'c> {
        Call { policy: Some(policy), ..self }
    }

    pub(super) fn progress(&self) -> OnProgress<'c> {
        self.progress
    }

    pub(super) fn cancel(&self) -> Option<&Cancel> {
        self.cancel.as_ref()
    }

    pub(super) fn policy(&self) -> Option<CallPolicy> {
        self.policy
    }
}
