//! The progress that gix reports, of which only the received bytes matter, and whether there is any.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use gix::odb::pack::bundle::write::ProgressId;
use gix::progress::{Count, Id, MessageLevel, NestedProgress, Progress, Step, StepShared, UNKNOWN, Unit};

/// A counter of a fetch, and what its counters share.
pub(super) struct Meter {
    // gix reads its counters, so each has a number of its own.
    own: StepShared,
    bytes: StepShared,
    all: Arc<Mutex<Vec<StepShared>>>,
    calls: Arc<AtomicUsize>,
    id: Id,
}

impl Meter {
    pub fn new() -> Meter {
        let bytes = StepShared::default();
        let all = Arc::new(Mutex::new(vec![bytes.clone()]));
        Meter { own: Arc::default(), bytes, all, calls: Arc::default(), id: UNKNOWN }
    }

    /// A counter that shares the sums of this one.
    pub fn child(&self, id: Id) -> Meter {
        self.called();
        let is_of_bytes = id == Id::from(ProgressId::ReadPackBytes);
        let own = if is_of_bytes { self.bytes.clone() } else { Arc::default() };
        if !is_of_bytes {
            self.all.lock().unwrap_or_else(PoisonError::into_inner).push(own.clone());
        }
        let (bytes, all, calls) = (self.bytes.clone(), self.all.clone(), self.calls.clone());
        Meter { own, bytes, all, calls, id }
    }

    /// The number of received bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed) as u64
    }

    /// A number that changes whenever the fetch gets on.
    pub fn signs(&self) -> usize {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().chain([&self.calls]).fold(0, |sum, counter| sum.wrapping_add(counter.load(Relaxed)))
    }

    fn called(&self) {
        self.calls.fetch_add(1, Relaxed);
    }
}

impl Count for Meter {
    fn set(&self, step: Step) {
        self.called();
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
    fn init(&mut self, _: Option<Step>, _: Option<Unit>) {
        self.called();
    }

    fn set_name(&mut self, _: String) {
        self.called();
    }

    fn name(&self) -> Option<String> {
        None
    }

    fn id(&self) -> Id {
        self.id
    }

    fn message(&self, _: MessageLevel, _: String) {
        self.called();
    }
}

impl NestedProgress for Meter {
    type SubProgress = Meter;

    fn add_child(&mut self, _: impl Into<String>) -> Meter {
        self.child(UNKNOWN)
    }

    fn add_child_with_id(&mut self, _: impl Into<String>, id: Id) -> Meter {
        self.child(id)
    }
}
