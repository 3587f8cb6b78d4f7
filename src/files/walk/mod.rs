//! Which files of a tree are candidates, and why every other file is not.
//!
//! This module owns exclusion: ignore files, hidden names, built-in rules, links, special files. Nothing else in the
//! crate may exclude a file by its name. The walk reads names and stat data only; [`crate::read`] judges contents.
//!
//! The walk of `ignore` is not used, because it does not report what it excluded. A walk
//! and [`mod@trace`] share one `judge`, so an explanation cannot differ from what happened.

mod bounds;
mod built_in;
mod cause;
mod claim;
mod count;
mod error;
mod folder;
mod follow;
mod open_directory;
mod options;
mod ordered;
mod outside;
mod queue;
mod rules;
mod secret;
mod sieve;
mod small_file;
mod some;
mod stat;
mod tally;
mod trace;
mod walked;
mod walker;
mod whole;
mod worktree;

pub use bounds::CommitLimits;
pub use built_in::BuiltInFire;
pub use cause::{Cause, Exception, OverridingRule, RuleForm};
pub use claim::INDEX_FOLDER;
pub use count::count;
pub use error::WalkError;
pub use options::{AsRipgrep, GlobalExcludes, IgnoreSources, OnList, WalkOptions};
pub use ordered::walk_in_order;
#[cfg(feature = "watch")]
pub(crate) use outside::exclude_of;
pub use outside::{
    DIFFERING, decides, decides_inside, has_ripgreps_rules_above, is_in_repository, outside, private_rules,
};
pub use rules::{BAD_LINE, IgnoreKind, IgnoreRule, LIBRARY_FILE};
pub use secret::holds_secrets;
pub use some::{Region, walk_some};
pub use spyhop_base::cancel::Cancel;
pub use stat::{FileIdentity, Stat, stat, stat_of};
pub use trace::{Trace, TraceEnd, explain, trace};
pub use walked::{Candidate, Walked};
pub use whole::{walk, walk_below};

#[cfg(test)]
mod tests;
