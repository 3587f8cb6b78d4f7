//! The head that a view belongs to, and how records store the head.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// The head that a view belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ViewHead {
    /// There is no repository, or nothing is checked out.
    #[default]
    None,
    /// The worktree with this branch checked out, by its short name.
    Branch(String),
    /// The worktree with this commit checked out directly.
    Commit(String),
    /// The files as git stores them, and not those of a worktree.
    Revision(RevisionHead),
}

/// How a revision was named.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RevisionHead {
    /// By the full name of a branch or tag.
    Reference(String),
    /// By the id of a commit.
    Commit(String),
}

impl ViewHead {
    /// The name of the branch: the short name if it is checked out, the full name for a revision.
    pub fn branch(&self) -> Option<&str> {
        match self {
            ViewHead::Branch(name) | ViewHead::Revision(RevisionHead::Reference(name)) => Some(name),
            ViewHead::Commit(_) | ViewHead::Revision(RevisionHead::Commit(_)) | ViewHead::None => None,
        }
    }

    /// The display name of the branch or commit: a commit begins with `@`.
    pub fn shown(&self) -> String {
        match self {
            ViewHead::Revision(RevisionHead::Reference(name)) => spyhop_files::git::short(name).to_string(),
            ViewHead::Revision(RevisionHead::Commit(commit)) => format!("@{commit}"),
            worktree => worktree.to_string(),
        }
    }
}

/// The stored form: the name of a branch, `@` and a commit, or nothing. A trailing `:`, as in git's name for the
/// tree of a commit, marks a revision. No name of a branch contains a `:` or begins with `@`.
impl Display for ViewHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViewHead::None => Ok(()),
            ViewHead::Branch(name) => f.write_str(name),
            ViewHead::Commit(commit) => write!(f, "@{commit}"),
            ViewHead::Revision(RevisionHead::Reference(name)) => write!(f, "{name}:"),
            ViewHead::Revision(RevisionHead::Commit(commit)) => write!(f, "@{commit}:"),
        }
    }
}

impl From<ViewHead> for String {
    fn from(head: ViewHead) -> String {
        head.to_string()
    }
}

impl From<String> for ViewHead {
    fn from(stored: String) -> ViewHead {
        match (stored.strip_suffix(':'), stored.strip_prefix('@')) {
            (Some(revision), _) => ViewHead::Revision(match revision.strip_prefix('@') {
                Some(commit) => RevisionHead::Commit(commit.to_string()),
                None => RevisionHead::Reference(revision.to_string()),
            }),
            (None, Some(commit)) => ViewHead::Commit(commit.to_string()),
            (None, None) if stored.is_empty() => ViewHead::None,
            (None, None) => ViewHead::Branch(stored),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_head_is_read_back() {
        let commit = || "1".repeat(40);
        let heads = [
            (ViewHead::None, "", ""),
            (ViewHead::Branch("topic/x".into()), "topic/x", "topic/x"),
            (ViewHead::Commit("12".into()), "@12", "@12"),
            (
                ViewHead::Revision(RevisionHead::Reference("refs/heads/main".into())),
                "refs/heads/main:",
                "main",
            ),
            (
                ViewHead::Revision(RevisionHead::Commit(commit())),
                &format!("@{}:", commit()),
                &format!("@{}", commit()),
            ),
        ];
        for (head, stored, shown) in heads {
            assert_eq!((head.to_string(), head.shown()), (stored.to_string(), shown.to_string()));
            assert_eq!(ViewHead::from(stored.to_string()), head);
        }
    }
}
