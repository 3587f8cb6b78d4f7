//! Why an entry is excluded, and what can overrule such a rule.

use super::built_in::BuiltInFire;
use super::rules::IgnoreRule;
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;

/// The parts of a row's detail.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum Cause {
    /// A line of an ignore file.
    Rule(IgnoreRule),
    /// A built-in rule.
    BuiltIn(BuiltInFire),
    /// Another cause: a link's target, or an error of the system.
    Text(String),
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cause::Rule(rule) => rule.fmt(f),
            Cause::BuiltIn(fire) => fire.fmt(f),
            Cause::Text(text) => f.write_str(text),
        }
    }
}

/// A rule that would have excluded an entry, and what overruled it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Exception {
    /// The path in question, or a folder above it.
    pub path: RelPath,
    /// The reason for which the entry would have been excluded.
    pub reason: SkipReason,
    /// The overruled rule.
    pub over: Cause,
    /// The line or setting that overruled the rule.
    pub by: OverridingRule,
}

impl Exception {
    /// The exception for `path`: `by` overruled `over`, which would have excluded the entry for `reason`.
    #[doc(hidden)]
    pub fn new(path: RelPath, reason: SkipReason, over: Cause, by: OverridingRule) -> Exception {
        Exception { path, reason, over, by }
    }
}

/// The lines and settings that can overrule a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "kebab-case"))]
pub enum OverridingRule {
    /// A line of an ignore file that begins with `!`.
    Rule(IgnoreRule),
    /// Git tracks the entry, or something below it.
    Git,
    /// The option of this name.
    Option(&'static str),
    /// The entry is not in a repository, so nothing tells whether a user keeps it.
    NoRepository,
}
