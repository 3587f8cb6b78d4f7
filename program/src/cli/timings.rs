//! `--timings`: how long each stage of a search took, from the spans that the library enters.

use std::fmt::Write;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tracing::{Id, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// The stages of this process, once they are measured.
static MEASURED: OnceLock<StageTimes> = OnceLock::new();

/// The time of each stage since the process began to measure.
pub struct StageTimes {
    began: Instant,
    stages: Mutex<Vec<StageTime>>,
}

/// The spans of one name.
#[derive(Clone, Copy)]
struct StageTime {
    name: &'static str,
    entered: usize,
    /// The time within the spans, without the time within spans that they contain.
    own: Duration,
}

/// When a span was entered, and how long spans within it took.
struct Entered {
    at: Instant,
    within: Duration,
}

/// The layer that measures spans.
pub struct TimingsLayer;

/// Begins to measure. Later calls change nothing.
pub fn start() -> TimingsLayer {
    MEASURED.get_or_init(|| StageTimes { began: Instant::now(), stages: Mutex::default() });
    TimingsLayer
}

/// The table of the stages; `None` if nothing is measured.
pub fn table() -> Option<String> {
    MEASURED.get().map(StageTimes::table)
}

impl StageTimes {
    fn add(&self, name: &'static str, own: Duration) {
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        match stages.iter_mut().find(|stage| stage.name == name) {
            Some(stage) => {
                stage.entered += 1;
                stage.own += own;
            }
            None => stages.push(StageTime { name, entered: 1, own }),
        }
    }

    fn table(&self) -> String {
        let whole = self.began.elapsed();
        let mut stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner).clone();
        stages.sort_by(|a, b| b.own.cmp(&a.own).then(a.name.cmp(b.name)));
        let width = stages.iter().map(|stage| stage.name.len()).max().unwrap_or(0).max("whole process".len());
        let share = |time: Duration| 100.0 * time.as_secs_f64() / whole.as_secs_f64().max(f64::EPSILON);
        let mut out = format!("{:<width$}  {:>5}  {:>9}  share\n", "stage", "times", "ms");
        for StageTime { name, entered, own } in stages {
            let ms = own.as_secs_f64() * 1e3;
            let _ = writeln!(out, "{name:<width$}  {entered:>5}  {ms:>9.2}  {:>4.0} %", share(own));
        }
        let _ = writeln!(out, "{:<width$}  {:>5}  {:>9.2}", "whole process", "", whole.as_secs_f64() * 1e3);
        out
    }
}

impl<S: Subscriber + for<'l> LookupSpan<'l>> Layer<S> for TimingsLayer {
    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            span.extensions_mut().replace(Entered { at: Instant::now(), within: Duration::ZERO });
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let Some(Entered { at, within }) = span.extensions_mut().remove::<Entered>() else { return };
        let spent = at.elapsed();
        if let Some(around) = span.parent()
            && let Some(around) = around.extensions_mut().get_mut::<Entered>()
        {
            around.within += spent;
        }
        if let Some(times) = MEASURED.get() {
            times.add(span.name(), spent.saturating_sub(within));
        }
    }
}
