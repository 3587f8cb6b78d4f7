//! The progress that gix reports, of which only the received bytes matter.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gix::odb::pack::bundle::write::ProgressId;
use gix::progress::{Count, Id, MessageLevel, NestedProgress, Progress, Step, StepShared, UNKNOWN, Unit};

/// A counter, and the counter of the received bytes.
pub(super) struct Meter {
    own: StepShared,
    bytes: StepShared,
    id: Id,
}

impl Meter {
    pub fn new() -> Meter {
        Meter { own: Arc::default(), bytes: Arc::default(), id: UNKNOWN }
    }

    /// The number of received bytes, which changes as they arrive.
    pub fn bytes(&self) -> Arc<AtomicUsize> {
        self.bytes.clone()
    }
}

impl Count for Meter {
    fn set(&self, step: Step) {
        self.own.store(step, Relaxed);
    }

    fn step(&self) -> Step {
        self.own.load(Relaxed)
    }

    fn inc_by(&self, step: Step) {
        self.own.fetch_add(step, Relaxed);
    }

    fn counter(&self) -> StepShared {
        self.own.clone()
    }
}

impl Progress for Meter {
    fn init(&mut self, _: Option<Step>, _: Option<Unit>) {}

    fn set_name(&mut self, _: String) {}

    fn name(&self) -> Option<String> {
        None
    }

    fn id(&self) -> Id {
        self.id
    }

    fn message(&self, _: MessageLevel, _: String) {}
}

impl NestedProgress for Meter {
    type SubProgress = Meter;

    fn add_child(&mut self, _: impl Into<String>) -> Meter {
        Meter { own: Arc::default(), bytes: self.bytes.clone(), id: UNKNOWN }
    }

    fn add_child_with_id(&mut self, _: impl Into<String>, id: Id) -> Meter {
        let is_of_bytes = id == Id::from(ProgressId::ReadPackBytes);
        let own = if is_of_bytes { self.bytes.clone() } else { Arc::default() };
        Meter { own, bytes: self.bytes.clone(), id }
    }
}
