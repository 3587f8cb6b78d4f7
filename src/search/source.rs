//! The current text of files. The caller of a search passes a function that reads it.

use std::sync::Arc;

use memchr::memmem::Finder;

/// Reads the text of a file, by its number in the snapshot, if the file may contain the text of the finder.
pub(crate) type ReadSource<'r> = dyn Fn(u32, &Finder<'_>) -> CurrentFile + Sync + 'r;

/// The current state of a file.
#[derive(Clone, Debug)]
pub enum CurrentFile {
    /// The content is not the indexed content.
    Changed,
    /// The content is the indexed content, without the text of the finder.
    Without,
    /// The content is the indexed content: this text.
    Text(Arc<String>),
}
