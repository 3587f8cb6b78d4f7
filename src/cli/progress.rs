//! The progress bar: stage, files, bytes and rate, on standard error, when that is a terminal.
//!
//! It owns drawing; the engine reports. Nothing is drawn for the first moment, so that a refresh that finds nothing
//! to do, as most do, does not flicker before every answer.

use std::io::{self, IsTerminal};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use spyhop::engine::api::{Progress, Stage};

use super::output::Output;

/// An update faster than this shows no bar; the number is a guess at what a person notices.
const PATIENCE: Duration = Duration::from_millis(300);

/// A bar that appears when it is needed and goes when it is dropped.
pub struct Bar {
    shown: bool,
    begun: Instant,
    bar: OnceLock<ProgressBar>,
}

impl Bar {
    /// A bar for this run.
    pub fn new(output: &Output) -> Bar {
        Bar {
            shown: !output.quiet && io::stderr().is_terminal(),
            begun: Instant::now(),
            bar: OnceLock::new(),
        }
    }

    /// Shows how far the update is.
    pub fn update(&self, progress: Progress) {
        if !self.shown || self.begun.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(bar);
        let stage = match progress.stage {
            Stage::Scan => "scanning",
            Stage::Index => "indexing",
            Stage::Commit => "writing",
        };
        if progress.total_bytes > 0 {
            bar.set_length(progress.total_bytes);
        }
        bar.set_message(match progress.total_files {
            0 => format!("{stage} {} files", progress.files),
            total => format!("{stage} {}/{total} files", progress.files),
        });
        bar.set_position(progress.bytes);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::no_length();
    let template =
        "{spinner} {msg} {wide_bar} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
