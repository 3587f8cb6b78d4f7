//! The head of a worktree, or of a commit.

/// The head of a worktree, or of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The branch, such as `main` or `topic/x`; `None` for a detached head.
    pub branch: Option<String>,
    /// The commit, as 40 hexadecimal digits; `None` before the first commit.
    pub commit: Option<String>,
    /// Whether the head is a commit itself and not the state of the worktree; then the branch has its full name.
    pub is_of_commit: bool,
}

impl Head {
    /// The display name of the branch.
    pub fn shown(&self) -> Option<&str> {
        self.branch.as_deref().map(|name| if self.is_of_commit { short(name) } else { name })
    }
}

/// The name of a branch without the prefix of its namespace.
pub fn short(name: &str) -> &str {
    ["refs/heads/", "refs/remotes/"].iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(name)
}
