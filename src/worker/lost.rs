//! A file whose analysis did not complete, and why.

use std::any::Any;

/// A file whose analysis did not complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The cause, as a sentence for people without its final period: `its parser aborted (SIGABRT)`.
    pub cause: String,
}

impl Lost {
    pub(super) fn too_long() -> Lost {
        Lost { cause: "its parser took too long".to_string() }
    }

    pub(super) fn panicked(message: &str) -> Lost {
        Lost { cause: format!("its analysis panicked: {message}") }
    }
}

/// The message of a panic.
pub(crate) fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_string()
}
