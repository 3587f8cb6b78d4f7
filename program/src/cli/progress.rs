//! The progress bar: stage, files, bytes and rate, on standard error when that is a terminal.
//!
//! This module owns drawing, and tells the allocator which stage comes next; the engine reports progress. Nothing is
//! drawn at first, so that a refresh that finds nothing to do, as most do, does not flicker before every answer.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use spyhop_engine::Engine;
use spyhop_engine::api::{LockHolder, Progress, Stage};
use spyhop_interface::render::clean;
use spyhop_library::AddProgress;

use super::output::Output;

/// An update faster than this shows no bar. The value is a guess at what a person notices.
const PATIENCE: Duration = Duration::from_millis(300);

/// A first update that takes longer than this is announced where no bar is shown. Most trees are indexed by then, and a
/// line for each of these would be noise in the log of a script.
const SILENCE: Duration = Duration::from_secs(1);

/// An update of at most this many bytes of source touches little of the memory that it allocates. The limit lies
/// between two measurements: 5 MB take seven eighths of the time without huge pages, and 160 MB take as long either
/// way.
const LITTLE: u64 = 8 << 20;

/// A bar that appears when an update takes long enough and disappears when dropped.
pub struct Bar {
    quiet: bool,
    shown: bool,
    begun: Instant,
    drawn: Mutex<Option<Drawn>>,
    /// Whether the allocator has been told that an update has begun.
    memory: Once,
    /// Whether huge pages are turned off at present.
    spares: AtomicBool,
    /// The tree whose first index is to be announced.
    first: Mutex<Option<String>>,
}

/// The bar that is on the screen.
struct Drawn {
    bar: ProgressBar,
    stage: BarStage,
    files: usize,
}

/// What the bar is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BarStage {
    Acquire,
    Materialize,
    Update(Stage),
}

impl Bar {
    /// A bar for this run.
    pub fn new(output: &Output) -> Bar {
        Bar {
            quiet: output.quiet,
            shown: !output.quiet && io::stderr().is_terminal(),
            begun: Instant::now(),
            drawn: Mutex::new(None),
            memory: Once::new(),
            spares: AtomicBool::new(false),
            first: Mutex::new(None),
        }
    }

    /// A bar for this run, which announces a first index of the engine's tree with one line where no bar is shown.
    pub fn announcing(output: &Output, engine: &Engine) -> Bar {
        let mut bar = Bar::new(output);
        let announces = !bar.quiet && !bar.shown && !engine.has_index();
        bar.first = Mutex::new(announces.then(|| engine.root().display().to_string()));
        bar
    }

    /// Shows the progress of the update.
    pub fn update(&self, progress: Progress) {
        if progress.stage == Stage::Wait {
            self.say_that_it_waits(progress.holder);
            return;
        }
        self.prepare_memory(progress);
        self.announce(progress);
        if !self.shown || self.begun.elapsed() < PATIENCE {
            return;
        }
        let stage = match progress.stage {
            Stage::Wait => return,
            Stage::Scan => "scanning",
            Stage::Text => "indexing the text of",
            Stage::Index => "indexing",
            Stage::Vectors => "making vectors of",
            _ => "writing",
        };
        let text = match progress.total_files {
            0 => format!("{stage} {} files", progress.files),
            total => format!("{stage} {}/{total} files", progress.files),
        };
        let (bytes, total_bytes) = (progress.bytes, progress.total_bytes);
        self.draw(BarStage::Update(progress.stage), progress.files, text, bytes, total_bytes);
    }

    /// Shows the progress of an import.
    pub fn import(&self, progress: AddProgress) {
        let is_late = self.shown && self.begun.elapsed() >= PATIENCE;
        match progress {
            AddProgress::Indexing(progress) => self.update(progress),
            AddProgress::Acquiring { bytes, total_bytes } if is_late => {
                self.draw(BarStage::Acquire, 0, "copying".to_string(), bytes, total_bytes);
            }
            AddProgress::Materializing { files, bytes, total_bytes } if is_late => {
                self.draw(
                    BarStage::Materialize,
                    files,
                    format!("unpacking {files} files"),
                    bytes,
                    total_bytes,
                );
            }
            _ => {}
        }
    }

    fn draw(&self, stage: BarStage, files: usize, text: String, bytes: u64, total_bytes: u64) {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let is_update = |stage: BarStage| matches!(stage, BarStage::Update(_));
        // The bytes of a copy are not those of an update; each has a bar with a rate of its own.
        if drawn.as_ref().is_some_and(|drawn| drawn.stage != stage && !is_update(drawn.stage))
            && let Some(drawn) = drawn.take()
        {
            drawn.bar.finish_and_clear();
        }
        let drawn = drawn.get_or_insert_with(|| Drawn { bar: bar(bytes), stage, files });
        // Threads report as they finish, so a report may arrive after a later one.
        if drawn.stage == stage && files < drawn.files {
            return;
        }
        (drawn.stage, drawn.files) = (stage, files);
        if total_bytes > 0 {
            drawn.bar.set_length(total_bytes);
        }
        drawn.bar.set_message(text);
        drawn.bar.set_position(bytes);
    }

    fn announce(&self, Progress { stage, total_files, .. }: Progress) {
        if !matches!(stage, Stage::Text | Stage::Index) || self.begun.elapsed() < SILENCE {
            return;
        }
        if let Some(root) = self.first.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let root = clean::line(&root);
            let text = format!("spyhop: {root} has no index yet; indexing {total_files} files");
            // When standard error is closed, nobody can be told.
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    fn prepare_memory(&self, Progress { stage, files, total_bytes, .. }: Progress) {
        match stage {
            Stage::Wait | Stage::Scan => return,
            Stage::Text | Stage::Index if files == 0 => self.spare(total_bytes <= LITTLE),
            Stage::Text | Stage::Index => {}
            // Merges and answers fill the memory that they touch.
            _ => self.spare(false),
        }
        self.memory.call_once(crate::give_back_soon);
    }

    /// Turns huge pages off, or on again.
    fn spare(&self, spare: bool) {
        if self.spares.swap(spare, Relaxed) != spare {
            crate::huge_pages(!spare);
        }
    }

    /// Prints to standard error, terminal or not, which process is being waited for: otherwise the command seems to
    /// hang.
    fn say_that_it_waits(&self, holder: Option<LockHolder>) {
        if !self.quiet {
            let who =
                holder.map(|it| format!(" (process {}, since {} s)", it.pid, it.age())).unwrap_or_default();
            // When standard error is closed, nobody can be told.
            let _ =
                writeln!(io::stderr(), "spyhop: waiting for another process that is changing the index{who}");
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.spare(false);
        let drawn = self.drawn.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(drawn) = drawn.take() {
            drawn.bar.finish_and_clear();
        }
    }
}

/// A bar whose rate starts now, without the first `done` bytes, whose duration is unknown.
fn bar(done: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    bar.set_position(done);
    bar.tick();
    bar.reset_eta();
    bar.set_draw_target(ProgressDrawTarget::stderr());
    let template =
        "{spinner} {msg} {wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
