//! What a session was sent of packs.

use crate::api::{PackReply, PackRequest};
use crate::lock::lock;
use crate::session::{FileActivity, Sent};
use crate::session::{Session, Text};
use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;
use spyhop_base::text::Lines;
use std::path::Path;
use std::sync::Arc;

impl Session {
    /// Records that the caller received `reply`, the answer to `request`. The files of the pack count as shown.
    pub fn record_pack(&self, request: &PackRequest, reply: &PackReply) {
        let mut inner = lock(&self.inner);
        inner.calls += 1;
        let call = inner.calls;
        let tree = inner.trees.entry(reply.snapshot.root.clone()).or_default();
        let shown = reply.files.iter().map(|file| (&file.path, FileActivity::Shown));
        Arc::make_mut(&mut tree.trail).record(shown);
        let mut result = 0;
        for file in &reply.files {
            for unit in &file.units {
                result += 1;
                let Some(content) = file.content else { continue };
                let text = Text { path: file.path.clone(), content, lines: unit.lines, cut: false };
                tree.send(text, Sent { call, result, query: request.task.clone() });
            }
        }
    }

    /// The earlier reply that had these lines.
    pub(super) fn sent_lines(
        &self,
        root: &Path,
        path: &RelPath,
        content: ContentHash,
        lines: Lines,
    ) -> Option<Sent> {
        let text = Text { path: path.clone(), content, lines, cut: false };
        lock(&self.inner).trees.get(root)?.sent.get(&text).cloned()
    }
}
