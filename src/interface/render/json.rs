//! Replies as JSON. A reply serializes itself; [`spyhop_engine::api`] and [`spyhop_library`] define the names, the order and the
//! meaning of its fields. This module writes lines, and adds absolute paths.

mod absolute;
mod error;

use std::path::Path;

use serde::Serialize;

use self::absolute::SourceRoots;
pub use self::error::error;
use spyhop_engine::api::SearchReply;

/// A value as JSON on one line, without a line end.
pub fn line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("replies hold only strings, numbers and lists")
}

/// Which paths of files a reply has. The default is the path relative to the root.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonPaths<'a> {
    /// The root below which each path is repeated as an absolute path, in the field `absolute`, for programs that open
    /// files and do not know the root.
    pub absolute_below: Option<&'a Path>,
}

impl JsonPaths<'_> {
    /// A reply as JSON on one line, without a line end.
    pub fn line(self, reply: &impl Serialize) -> String {
        let plain = line(reply);
        match self.absolute_below {
            Some(root) => absolute::line(reply, root, &SourceRoots::of_reply(&plain)),
            None => plain,
        }
    }

    /// The reply to a search or to a batch as JSON lines: a line per hit, then a line with all other fields. Each line has
    /// a line end.
    pub fn search_lines(self, mut reply: SearchReply) -> String {
        let hits = std::mem::take(&mut reply.results);
        let rest = self.line(&reply).replacen(NO_HITS, "", 1);
        let roots = SourceRoots::of_reply(&rest);
        let hit_line = |hit| match self.absolute_below {
            Some(root) => absolute::line(hit, root, &roots),
            None => line(hit),
        };
        hits.iter().map(hit_line).chain([rest]).map(|line| line + "\n").collect()
    }
}

/// The hits of a reply without hits. No string contains this text, because quotes in strings are escaped.
const NO_HITS: &str = "\"results\":[],";
