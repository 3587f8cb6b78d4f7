//! Why an entry is excluded, and what can overrule such a rule.

use serde::Serialize;

use super::built_in::BuiltInFire;
use super::rules::IgnoreRule;
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;
use spyhop_base::wire_form;

/// The parts of a row's detail.
#[derive(Clone, Debug, PartialEq, Eq)]
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

wire_form!(Exception as ExceptionForm);

/// How an [`Exception`] is serialized.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ExceptionForm<'r> {
    /// The path in question, or a folder above it.
    path: &'r RelPath,
    /// The reason for which the entry would have been excluded.
    reason: SkipReason,
    /// The overruled rule.
    over: String,
    /// Why the path is kept: `rule`, `git`, `no-repository`, or the name of an option.
    by: &'static str,
    /// The line of an ignore file that overruled the rule.
    rule: Option<RuleForm<'r>>,
}

impl<'r> ExceptionForm<'r> {
    fn new(exception: &'r Exception) -> ExceptionForm<'r> {
        let Exception { path, reason, over, by } = exception;
        let (by, rule) = match by {
            OverridingRule::Rule(rule) => ("rule", Some(RuleForm::of_file(rule))),
            OverridingRule::Git => ("git", None),
            OverridingRule::Option(name) => (*name, None),
            OverridingRule::NoRepository => ("no-repository", None),
        };
        ExceptionForm { path, reason: *reason, over: over.to_string(), by, rule }
    }
}

/// A line of an ignore file, or a built-in rule with its evidence, as replies serialize it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleForm<'r> {
    /// The kind of the ignore file, or `built-in`.
    kind: &'static str,
    /// The ignore file.
    file: Option<&'r str>,
    /// The number of the line, from 1.
    line: Option<u32>,
    /// The text of the line, or the name of the built-in rule.
    pattern: &'r str,
    /// The evidence for a built-in rule.
    evidence: Option<&'r str>,
}

impl<'r> RuleForm<'r> {
    /// The rule of a cause; `None` if the cause is not a rule.
    pub fn new(cause: &'r Cause) -> Option<RuleForm<'r>> {
        match cause {
            Cause::Rule(rule) => Some(RuleForm::of_file(rule)),
            Cause::BuiltIn(fire) => Some(RuleForm {
                kind: "built-in",
                file: None,
                line: None,
                pattern: &fire.name,
                evidence: Some(&fire.evidence),
            }),
            Cause::Text(_) => None,
        }
    }

    fn of_file(rule: &'r IgnoreRule) -> RuleForm<'r> {
        let IgnoreRule { kind, file, line, pattern } = rule;
        RuleForm { kind: kind.name(), file: Some(file), line: Some(*line), pattern, evidence: None }
    }
}
