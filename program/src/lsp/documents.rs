//! The documents that the client has open, with their unsaved text.
//!
//! Answers come from saved files. The text of an open document says which word the cursor is at, and at which columns
//! names stand, because the client counts in that text.

use std::collections::HashMap;
use std::sync::Arc;

use spyhop_base::path::RelPath;
use spyhop_engine::Cancel;

use super::roots::{RootSet, ServedRoot};
use super::text::{ColumnUnit, LinedText};
use super::uri;

/// The open documents by normal URI. A copy shares the texts.
pub type OpenTexts = HashMap<String, Arc<LinedText>>;

/// What a request sees: the roots, and the documents as they were when the request came.
pub struct RequestContext {
    pub roots: Arc<RootSet>,
    pub documents: OpenTexts,
    pub unit: ColumnUnit,
    pub cancel: Cancel,
}

impl RequestContext {
    /// The text of a file as the client counts in it: that of the open document, else the saved one.
    pub fn text(&self, root: &ServedRoot, path: &RelPath) -> Option<Arc<LinedText>> {
        let open = root.uri(path).and_then(|uri| self.documents.get(uri.as_str()).cloned());
        open.or_else(|| root.read(path).map(Arc::new))
    }

    /// The root of a document, its path and its text; `None` for a document outside of the roots.
    pub fn document(&self, uri: &str) -> Option<(Arc<ServedRoot>, RelPath, Arc<LinedText>)> {
        let (root, path) = self.roots.of(&uri::path_of(uri)?)?;
        let text = match self.documents.get(&uri::normal(uri)) {
            Some(text) => Arc::clone(text),
            None => self.text(&root, &path)?,
        };
        Some((root, path, text))
    }
}
