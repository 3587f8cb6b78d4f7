//! Sources of files that a host provides: the public trait, its implementations, and the layer of changes over a source.
//!
//! [`SourceTree`] is the small interface that a host implements. [`HostedTree`] makes a [`crate::tree::Tree`] of a source
//! and a [`Layer`] of changes, so that the walk and the reader treat it as the tree of a commit.

mod change;
mod content_id;
mod folder_tree;
mod hosted;
mod layer;
mod memory_tree;
mod revision_tree;
mod source_tree;
mod zip_tree;

pub use change::{Change, ChangeKind};
pub use content_id::ContentId;
pub use folder_tree::FolderTree;
pub use hosted::HostedTree;
pub use layer::{Layer, LayerFolder};
pub use memory_tree::MemoryTree;
pub use revision_tree::RevisionTree;
pub use source_tree::{SourceEntry, SourceEntryKind, SourceTree};
pub use zip_tree::ZipTree;
