//! Analysis: from a source text and its language to chunks, symbols, references and comments.
//!
//! This module owns parsing, the walk and the cutting; [`crate::grammar`] defines the meaning of node kinds, and files
//! are read and decoded before analysis. Analysis always returns a result: where there is no grammar, or a file nests
//! too deep or takes the parser too long, its chunks are windows of lines and a note gives the reason. With an error
//! instead, every caller would have to write that fallback again.

mod analyzer;
mod bodies;
mod budget;
mod chunk;
mod colors;
mod guard;
mod lines;
mod macros;
mod mend;
mod outline;
mod regions;
mod syntax;
#[cfg(test)]
mod tests;
mod walk;

pub use analyzer::Analyzer;
pub(crate) use budget::watchdog;
pub use colors::{ColorClass, ColoredSpan};
pub use lines::{LexMode, LexedToken, blanked, lex};
pub use outline::outline;
pub(crate) use regions::{code_in_strings, parts_in};
pub use syntax::{SyntaxClass, syntax};

/// The version of the rules by which files are cut and walked. When it changes, files have to be analysed again, as
/// with [`Grammars::fingerprint`](crate::grammar::Grammars::fingerprint).
pub const VERSION: u32 = 16;

/// The stack size of a thread that analyses files of up to a megabyte. Tree-sitter releases its parse stack
/// recursively, and input with unclosed constructs makes that recursion as deep as the number of tokens. Unused stack
/// costs nothing but addresses.
pub const STACK_BYTES: usize = 256 << 20;
