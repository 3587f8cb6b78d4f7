//! A file whose analysis did not complete, and why.

use std::any::Any;

use serde::{Deserialize, Serialize};

use crate::analyze::watchdog;

/// A file whose analysis did not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The cause, as a sentence for people without its final period: `its parser aborted (SIGABRT)`.
    pub cause: String,
    /// Whose fault the loss is.
    pub kind: LossKind,
}

/// Whose fault the loss of an analysis is, which decides whether the text is parsed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossKind {
    /// The parser failed on the text, and another attempt would fail in the same way.
    #[default]
    Parser,
    /// The watchdog took the parser for hanging. A faster machine may see the end of the parser.
    Watchdog,
    /// Another process or the system ended or stopped the worker. The text is probably not to blame.
    Outside,
    /// There was no worker.
    NoWorker,
}

impl Lost {
    pub(super) fn watchdog(length: usize) -> Lost {
        let limit = watchdog(length).as_secs_f32();
        Lost {
            cause: format!("its parser hung: it took more than {limit:.1} s of processor time"),
            kind: LossKind::Watchdog,
        }
    }

    pub(super) fn panicked(message: &str) -> Lost {
        Lost { cause: format!("its analysis panicked: {message}"), kind: LossKind::Parser }
    }
}

pub fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_string()
}
