//! The settings of a view, and the names that they give to views and to the data folder.

use super::folder::Workspace;
use crate::meta::{RevisionHead, ViewHead, ViewKey};
use crate::tokenize::{ExtraTerms, TOKENIZER_VERSION};
use spyhop_base::store::FORMAT_VERSION;
use spyhop_files::git::Head;
use spyhop_files::walk::{self, WalkOptions};
use spyhop_syntax::analyze;
use spyhop_syntax::grammar::Grammars;

/// The settings that decide which files a view holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether names that begin with a dot are included.
    pub hidden: bool,
    /// Files above this many bytes are found by path only.
    pub max_file_bytes: u64,
    /// Whether paths that ignore files exclude are included.
    pub no_ignore: bool,
    /// Whether paths that built-in rules exclude are included.
    pub no_built_in: bool,
    /// Whether files whose names indicate secrets are included.
    pub secrets: bool,
}

impl Settings {
    pub fn walk_options(&self) -> WalkOptions<'static> {
        let Settings { hidden, no_ignore, no_built_in, secrets, .. } = *self;
        WalkOptions { hidden, no_ignore, no_built_in, secrets, ..WalkOptions::default() }
    }

    /// A short hash of the settings.
    fn key(&self) -> String {
        hash_of(format!("{self:?}").as_bytes())
    }
}

/// A hash of everything that changes what is stored for given content; part of the name of the data folder.
pub fn fingerprint(grammars: &Grammars, extra: &ExtraTerms) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{:?}", [FORMAT_VERSION, TOKENIZER_VERSION, analyze::VERSION]).as_bytes());
    hasher.update(&grammars.fingerprint());
    if let Some(extra) = extra.fingerprint() {
        hasher.update(b"extra terms").update(extra.as_bytes());
    }
    hasher.finalize().to_hex()[..12].to_string()
}

/// The key of the view of a tree with `head` checked out, or of the commit itself if `head` is committed.
pub fn view_key(workspace: &Workspace, head: &Head, settings: &Settings) -> ViewKey {
    let (root, rules) = (workspace.root().to_string_lossy().into_owned(), settings.key());
    if !head.is_of_commit {
        let head = match (&head.branch, &head.commit) {
            (Some(branch), _) => ViewHead::Branch(branch.clone()),
            (None, Some(commit)) => ViewHead::Commit(commit.clone()),
            (None, None) => ViewHead::None,
        };
        return ViewKey { root, head, settings: rules, staged: false };
    }
    let head = ViewHead::Revision(match (&head.branch, &head.commit) {
        (Some(branch), _) => RevisionHead::Reference(branch.clone()),
        (None, commit) => RevisionHead::Commit(commit.clone().unwrap_or_default()),
    });
    // Such a view never becomes stale, so rules that may change without the commit are part of its key.
    let private_rules = if settings.no_ignore { Vec::new() } else { walk::private_rules(workspace.root()) };
    let settings =
        if private_rules.is_empty() { rules } else { format!("{rules}-{}", hash_of(&private_rules)) };
    ViewKey { root, head, settings, staged: false }
}

/// A short hash.
fn hash_of(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..8].to_string()
}
