//! Renders replies as JSON and as text.
//!
//! There are three formats: JSON in [`json`], text for a terminal in [`text`] and text for agents in [`agent`].
//! Front ends choose the format and whether a stream has colours. This module does not print, and reads neither the
//! environment nor the clock, so a reply always renders to the same bytes.
//!
//! Replies serialize themselves; the goldens show that a renamed field of the library does not change the JSON that scripts
//! read.

pub mod agent;
pub mod json;
pub mod text;

mod command;
mod paint;
mod places;

pub(crate) use command::with_advice;
pub use command::{error_text, index_arguments, index_command, no_index};
pub use paint::Style;
pub use spyhop_base::clean;
pub use spyhop_syntax::analyze::{ColorClass, ColoredSpan, SyntaxClass, syntax};

#[cfg(test)]
mod goldens;
