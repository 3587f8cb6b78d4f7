//! How an engine is opened, and what a call does about a missing or old index.

use spyhop_attributes::{All, Name, request};
use spyhop_files::git::Reach as GitReach;
use spyhop_index::tokenize::ExtraTerms;
use spyhop_search::HostSignals;
use spyhop_syntax::worker::Isolation;
use std::path::PathBuf;
use std::time::Duration;

/// How an engine is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The folder of the index; a relative path is relative to the root. `None` for a folder in `SPYHOP_INDEX_DIR` or,
    /// if that variable is not set, in the user's cache folder.
    ///
    /// An engine of [`Engine::in_memory`](crate::Engine::in_memory) has no folder as its root: a relative path is relative
    /// to the current folder of the process, `None` is a private temporary folder, and the folder gets two folders, `index`
    /// and the empty `tree`.
    pub index_dir: Option<PathBuf>,
    /// Whether the index is in a private temporary folder, which is removed with the last handle of the engine. Use this
    /// for a tree that is searched for a short time, or where nothing may be kept. `index_dir` must be `None`. Default
    /// false; the engines of [`Engine::in_memory`](crate::Engine::in_memory) do so anyway.
    pub index_in_memory: bool,
    /// What a search does if there is no index. Default: build it.
    pub on_missing: OnMissing,
    /// What a search does about files that changed since they were indexed. Default: index them first.
    pub stale_policy: StalePolicy,
    /// The number of indexing threads; `None` for one for each core. The number does not affect answers.
    pub threads: Option<usize>,
    /// The memory budget of an update in bytes, at least 64 MiB. The budget does not affect answers: with a smaller
    /// budget, segments are flushed sooner, large files are parsed one after the other, and fewer threads work. A single
    /// file may need more than the budget, see [`Options::max_file_bytes`]. `None` for 200 MiB, plus 700 bytes for each
    /// file of the tree, plus a third of the bytes to read beyond the first 200 MiB; this third counts up to 256 MiB.
    pub max_memory: Option<u64>,
    /// How long [`Engine::refresh`](crate::Engine::refresh), `rebuild`, `collect` and `import` wait for another process that is changing
    /// the index. Default: not at all. For searches, see [`StalePolicy::Wait`].
    pub wait: Duration,
    /// Whether the first index of a large tree, of 64 MiB and more, covers the text of all files before any file is
    /// parsed. If false, a file is found only after it is parsed, and the index is complete sooner. The content of a
    /// complete index is the same. Default true.
    pub text_first: bool,
    /// The size in bytes above which a file is found by its path only and not ranked by its content, 1 byte to 1 GiB.
    /// Default 1 MiB.
    pub max_file_bytes: u64,
    /// Whether to index files and folders whose names begin with a dot. Default false.
    pub hidden: bool,
    /// Whether to disregard ignore files: git's, `.ignore` and `.spyhopignore`. Default false.
    pub no_ignore: bool,
    /// Whether to disregard the built-in skip rules, which exclude build products, lock files, and files that look
    /// generated or minified. Default false.
    pub no_built_in: bool,
    /// Whether to index files whose names say that they contain secrets, such as environment files, private keys and
    /// credentials. Their values are masked in replies, see [`Options::show_secrets`]. Default false.
    pub secrets: bool,
    /// Whether replies show passwords, keys and tokens. If false, each secret is replaced by a mask of the same length in
    /// bytes. Default false.
    pub show_secrets: bool,
    /// A folder of grammar manifests that replace built-in ones of the same name, or add languages. Without one, that in
    /// `.spyhop/grammars` below the root counts.
    pub grammars: Option<PathBuf>,
    /// Where files are parsed: on threads of this process, which is the default, or in child processes, so that a crash
    /// of a parser does not end this process.
    pub isolation: Isolation,
    /// Further terms of words, by a hook of the tokenizer. The default adds none. Another hook is another index.
    pub extra_terms: ExtraTerms,
    /// Signals that the host adds to the ranking. A profile gives their weights
    /// ([`Profile::set_own_weight`](spyhop_search::profile::Profile::set_own_weight)).
    pub signals: HostSignals,
    /// The git revision to search instead of the worktree: a branch, a tag, a commit, or any other name that git accepts
    /// for a commit. Nothing is checked out. The files are read from git's objects, and only content that is not yet
    /// indexed at its path is parsed. After a branch has moved, its new commit is searched.
    pub view: Option<String>,
    /// The folders from which the data of the root's git repository may be read. Default [`GitReach::Anywhere`]. A server
    /// that answers other users should permit its roots only.
    pub git_reach: GitReach,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            index_dir: None,
            index_in_memory: false,
            on_missing: OnMissing::Build,
            stale_policy: StalePolicy::Refresh,
            threads: None,
            max_memory: None,
            wait: Duration::ZERO,
            text_first: true,
            max_file_bytes: 1 << 20,
            hidden: false,
            no_ignore: false,
            no_built_in: false,
            secrets: false,
            show_secrets: false,
            grammars: None,
            isolation: Isolation::InProcess,
            extra_terms: ExtraTerms::default(),
            signals: HostSignals::default(),
            view: None,
            git_reach: GitReach::Anywhere,
        }
    }
}

/// What a call does about a missing index, changed files and other processes, and whether its reply shows secrets.
/// [`Options`] has the policy of an engine; [`Engine::with_policy`](crate::Engine::with_policy) chooses another policy for
/// single calls, at no cost. The view is not part of a policy, because an engine keeps the index open for one view.
#[request(Clone, Copy, Debug, PartialEq, Eq; deny_unknown_fields)]
pub struct CallPolicy {
    /// What a search does if there is no index.
    pub on_missing: OnMissing,
    /// What a search does about files that changed since they were indexed.
    pub stale_policy: StalePolicy,
    /// How long a call that changes the index waits for another process, see [`Options::wait`].
    pub wait: Duration,
    /// Whether the reply shows passwords, keys and tokens, see [`Options::show_secrets`].
    pub show_secrets: bool,
}

impl CallPolicy {
    /// The policy of an engine with these options.
    pub(crate) fn of(options: &Options) -> CallPolicy {
        CallPolicy {
            on_missing: options.on_missing,
            stale_policy: options.stale_policy,
            wait: options.wait,
            show_secrets: options.show_secrets,
        }
    }

    /// Whether a search may build an index.
    pub(crate) fn repairs(self) -> bool {
        let refreshes = matches!(self.stale_policy, StalePolicy::Refresh | StalePolicy::Wait);
        refreshes && self.on_missing != OnMissing::Fail
    }

    /// Whether an answer may come from the text alone while nobody has completed the index.
    pub(crate) fn builds_text(self) -> bool {
        self.on_missing == OnMissing::BuildText
    }

    /// A policy that answers from the last commit: builds nothing, updates nothing and compares nothing. `wait` and
    /// `show_secrets` stay as they are.
    pub fn last_commit(self) -> CallPolicy {
        CallPolicy { on_missing: OnMissing::Fail, stale_policy: StalePolicy::Ignore, ..self }
    }
}

/// What a search does if there is no index.
#[request(Clone, Copy, Debug, PartialEq, Eq; rename_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum OnMissing {
    /// Build the index, then answer.
    Build,
    /// Index the tree, then answer. If the tree is large, from 16 MiB on, only its text is indexed, and the answer says
    /// so ([`Snapshot::building`](crate::api::snapshot::Snapshot::building)). The caller runs [`Engine::refresh`](crate::Engine::refresh) afterwards, usually in another process,
    /// to complete the index. An engine of [`Engine::in_memory`](crate::Engine::in_memory) builds the whole index, as with
    /// `Build`, because no other process can read the files of its host.
    BuildText,
    /// Answer with an error of kind [`ErrorKind::NoIndex`](crate::ErrorKind::NoIndex).
    Fail,
}

/// What a search does about files that changed since they were indexed.
#[request(Clone, Copy, Debug, PartialEq, Eq, Name, All; rename_all = "kebab-case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum StalePolicy {
    /// Compare the tree with the index, index the changed files, then answer. The default. If another process is
    /// indexing, the last commit answers at once. If the searched branch ([`Options::view`]) has moved, the search waits
    /// for the other process first, up to ten seconds.
    Refresh,
    /// Compare the tree with the index, answer from the last commit, and count the changed files in the reply.
    Warn,
    /// Answer from the last commit without a comparison.
    Ignore,
    /// Compare the tree with the index, and fail if any file has changed.
    Error,
    /// Like `Refresh`, but if another process is indexing, wait until that process has finished, for at most 24 hours.
    Wait,
}
