//! The work that one question to the graph may still do, counted in steps.
//!
//! Rules, scans and evaluations take steps for what they look at. One step takes some nanoseconds. Whether a question ends
//! early depends on its files alone, and not on the speed of the machine. Only what decorates an answer has a deadline too.

use std::cell::Cell;
use std::time::Instant;

use spyhop_base::cancel;

/// The number of steps between two looks at the handle that cancels the call and at the clock.
const STEPS_PER_LOOK: u64 = 1 << 14;

/// Why a question does no further work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EarlyEnd {
    /// No steps are left.
    Spent,
    /// The deadline has passed.
    Late,
    /// The call is cancelled.
    Cancelled,
}

/// The steps that are left of a question.
pub(super) struct Steps {
    #[cfg(any(test, feature = "testing"))]
    all: u64,
    left: Cell<u64>,
    /// The steps since the last look.
    since: Cell<u64>,
    until: Option<Instant>,
    end: Cell<Option<EarlyEnd>>,
}

impl Steps {
    pub fn new(steps: u64, until: Option<Instant>) -> Steps {
        Steps {
            #[cfg(any(test, feature = "testing"))]
            all: steps,
            left: Cell::new(steps),
            since: Cell::new(0),
            until,
            end: Cell::new(None),
        }
    }

    /// Takes steps; `false` if the question does no further work.
    pub fn take(&self, steps: usize) -> bool {
        let steps = steps as u64;
        match self.left.get().checked_sub(steps) {
            Some(left) => self.left.set(left),
            None => {
                self.left.set(0);
                self.stop(EarlyEnd::Spent);
            }
        }
        let since = self.since.get().saturating_add(steps);
        self.since.set(since);
        if since >= STEPS_PER_LOOK {
            self.look();
        }
        self.end.get().is_none()
    }

    /// Looks at the handle that cancels the call and at the clock; `false` if the question does no further work.
    pub fn look(&self) -> bool {
        self.since.set(0);
        if cancel::is_cancelled() {
            self.end.set(Some(EarlyEnd::Cancelled));
        } else if self.until.is_some_and(|until| Instant::now() >= until) {
            self.stop(EarlyEnd::Late);
        }
        self.end.get().is_none()
    }

    /// The steps that were taken so far.
    #[cfg(any(test, feature = "testing"))]
    pub fn taken(&self) -> u64 {
        self.all - self.left.get()
    }

    /// Whether work was left out.
    pub fn is_ended(&self) -> bool {
        self.end.get().is_some()
    }

    /// Whether the call was cancelled during the question.
    pub fn is_cancelled(&self) -> bool {
        self.end.get() == Some(EarlyEnd::Cancelled)
    }

    fn stop(&self, end: EarlyEnd) {
        self.end.set(self.end.get().or(Some(end)));
    }
}

impl Default for Steps {
    /// Steps without an end, for work of which the caller knows that it is small.
    fn default() -> Steps {
        Steps::new(u64::MAX, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_by_their_number_the_clock_and_the_caller() {
        let steps = Steps::new(10, None);
        assert!(steps.take(4) && steps.take(6) && !steps.is_ended());
        assert!(!steps.take(1) && steps.is_ended() && !steps.is_cancelled());
        let late = Steps::new(1 << 40, Some(Instant::now()));
        assert!(late.take(1), "the clock is read rarely");
        assert!(!late.take(1 << 20) && late.is_ended() && !late.is_cancelled());
        let call = cancel::Cancel::default();
        let steps = Steps::default();
        cancel::with(Some(call.clone()), || {
            assert!(steps.take(1 << 20));
            call.cancel();
            assert!(!steps.take(1 << 20) && steps.is_cancelled());
        });
    }
}
