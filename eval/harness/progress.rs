//! The progress bar, on standard error when that is a terminal.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that goes when it is dropped.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar over so many steps.
    pub fn new(steps: usize) -> Bar {
        let target = match io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{msg:24} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        Bar(bar)
    }

    /// Says what is done now.
    pub fn at(&self, what: &str) {
        self.0.set_message(what.to_string());
    }

    /// So many more steps are done.
    pub fn advance(&self, steps: usize) {
        self.0.inc(steps as u64);
    }

    /// A line on standard error that the bar does not paint over.
    pub fn say(&self, line: &str) {
        self.0.suspend(|| eprintln!("{line}"));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
