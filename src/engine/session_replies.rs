//! What a session learns from replies, and what replies take from a session.

use std::path::Path;
use std::sync::Arc;

use super::api::{Hit, Mode, SearchReply, SearchRequest};
use super::lock::lock;
use super::open_index::Viewed;
use super::session::{FileActivity, Sent, Session, Text};
use spyhop_base::path::RelPath;
use spyhop_search::session::Trail;

/// The number of requests whose trail is kept for further pages.
const MAX_PAGED: usize = 16;

/// With more new file versions since the last search, files were checked out or generated and not edited.
const MAX_EDITED: usize = 32;

impl Text {
    fn of(hit: &Hit) -> Option<Text> {
        let snippet = hit.snippet.as_ref()?;
        Some(Text { path: hit.path.clone(), content: hit.content?, lines: snippet.lines, cut: snippet.cut })
    }
}

impl Session {
    /// Records that the caller received `reply`, the answer to `request`. A file with a snippet counts as shown. A file
    /// counts as opened if the request names its path or the mode shows whole places.
    pub fn record_reply(&self, request: &SearchRequest, reply: &SearchReply) {
        let mut inner = lock(&self.inner);
        inner.calls += 1;
        let call = inner.calls;
        let tree = inner.trees.entry(reply.snapshot.root.clone()).or_default();
        let with_code = reply.results.iter().filter(|hit| hit.snippet.is_some());
        let activity = |hit: &Hit| {
            let by_path = request.filter.path.as_deref() == Some(hit.path.as_str());
            if by_path || request.mode == Mode::Debug { FileActivity::Opened } else { FileActivity::Shown }
        };
        Arc::make_mut(&mut tree.trail).record(with_code.map(|hit| (&hit.path, activity(hit))));
        for (place, hit) in reply.results.iter().enumerate() {
            if let Some(text) = Text::of(hit) {
                tree.send(text, Sent { call, result: place + 1, query: reply.query.clone() });
            }
        }
    }

    /// The earlier reply that had the text of a hit.
    pub(super) fn sent_before(&self, root: &Path, hit: &Hit) -> Option<Sent> {
        lock(&self.inner).trees.get(root)?.sent.get(&Text::of(hit)?).cloned()
    }

    /// Notes the files of a view that changed since the session's last search as edited. A file that changes gets a new
    /// version, and versions are numbered in their order, so no clock is needed. Another branch, and the many new versions
    /// of a checkout or a merge, say nothing of what the caller works on.
    pub(super) fn see(&self, root: &Path, viewed: Viewed<'_>) {
        let Some(newest) = viewed.view.versions().last().copied() else { return };
        if viewed.key.staged {
            return;
        }
        let mut inner = lock(&self.inner);
        let tree = inner.trees.entry(root.to_path_buf()).or_default();
        let before = tree.seen.replace((viewed.key.clone(), newest));
        let Some((_, last)) = before.filter(|(key, last)| key == viewed.key && *last < newest) else {
            return;
        };
        let versions = viewed.view.versions();
        let new = &versions[versions.partition_point(|version| *version <= last)..];
        if new.len() <= MAX_EDITED {
            let paths = new.iter().filter_map(|version| viewed.meta().version(*version));
            let paths: Vec<RelPath> = paths.filter_map(|version| RelPath::new(version.path()).ok()).collect();
            Arc::make_mut(&mut tree.trail).edited(&paths);
        }
    }

    /// The trail with which a request is ranked. A further page is ranked with the trail of the first page.
    pub(super) fn trail(&self, root: &Path, view: Option<&str>, request: &SearchRequest) -> Arc<Trail> {
        let mut inner = lock(&self.inner);
        let tree = inner.trees.entry(root.to_path_buf()).or_default();
        let question = format!(
            "{view:?} {:?} {:?} {} {:?} {}",
            request.query, request.filter, request.exhaustive, request.min_score, request.per_file
        );
        let known = tree.paged.iter().position(|(other, _)| *other == question);
        if request.cursor.is_some() {
            return known.map_or(&tree.trail, |place| &tree.paged[place].1).clone();
        }
        known.map(|place| tree.paged.remove(place));
        tree.paged.push_back((question, Arc::clone(&tree.trail)));
        if tree.paged.len() > MAX_PAGED {
            tree.paged.pop_front();
        }
        Arc::clone(&tree.trail)
    }
}
