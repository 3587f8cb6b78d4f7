//! The built-in rules: what counts as a build product, an installed dependency or a lock file.
//!
//! This module owns the table and decides when a row fires. The walk checks whether git tracks the entry or the user
//! wants it back. A name alone is never enough where people also use that name for sources (the Linux kernel has a
//! `drivers/target`): such a row names the evidence that it needs.

use NamePattern::{Ends, Is};
use RuleEvidence::{Inside, Name};

/// A rule that excludes entries by default.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BuiltInRule {
    pub name: NamePattern,
    /// Whether the rule is about directories; otherwise it is about files.
    pub is_dir: bool,
    /// The evidence for the rule; one piece suffices.
    pub evidence: &'static [RuleEvidence],
    /// The assumption of the rule about the entry.
    pub sentence: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum NamePattern {
    /// Exactly this name.
    Is(&'static str),
    /// A longer name with this suffix.
    Ends(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum RuleEvidence {
    /// The name alone, which has no other use.
    Name,
    /// An entry of this name in the same directory.
    Beside(NamePattern),
    /// An entry of this name in the directory that the rule is about.
    Inside(&'static str),
}

impl NamePattern {
    pub fn matches(&self, name: &str) -> bool {
        match self {
            NamePattern::Is(whole) => name == *whole,
            NamePattern::Ends(end) => name.len() > end.len() && name.ends_with(end),
        }
    }
}

impl std::fmt::Display for NamePattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NamePattern::Is(whole) => f.write_str(whole),
            NamePattern::Ends(end) => write!(f, "*{end}"),
        }
    }
}

const fn beside(name: &'static str) -> RuleEvidence {
    RuleEvidence::Beside(Is(name))
}

const fn dir(name: &'static str, evidence: &'static [RuleEvidence], sentence: &'static str) -> BuiltInRule {
    BuiltInRule { name: Is(name), is_dir: true, evidence, sentence }
}

const fn file(name: NamePattern, evidence: &'static [RuleEvidence], sentence: &'static str) -> BuiltInRule {
    BuiltInRule { name, is_dir: false, evidence, sentence }
}

/// Every built-in rule. `vendor` is missing on purpose: vendored code is part of what the program does.
#[rustfmt::skip]
pub(crate) const BUILT_IN: &[BuiltInRule] = &[
    dir("target", &[beside("Cargo.toml"), Inside("CACHEDIR.TAG"), beside("pom.xml"), beside("build.sbt")],
        "what cargo, Maven or sbt built"),
    dir("node_modules", &[beside("package.json"), Inside(".package-lock.json"), Inside(".yarn-integrity")],
        "installed JavaScript packages"),
    dir("dist", &[beside("package.json"), beside("pyproject.toml"), beside("setup.py")],
        "what a JavaScript or Python package was built into"),
    dir("build", &[beside("package.json"), beside("pyproject.toml"), beside("setup.py"),
        beside("CMakeLists.txt"), beside("build.gradle"), beside("build.gradle.kts"), beside("pom.xml"),
        beside("gradlew")],
        "what was built here"),
    dir("out", &[beside("package.json")], "what a JavaScript package was built into"),
    dir("DerivedData", &[RuleEvidence::Beside(Ends(".xcodeproj")), RuleEvidence::Beside(Ends(".xcworkspace"))],
        "what Xcode built"),
    dir("__pycache__", &[Name], "Python's compiled modules"),
    dir(".venv", &[Inside("pyvenv.cfg")], "a Python environment"),
    dir("venv", &[Inside("pyvenv.cfg")], "a Python environment"),
    file(Is("Cargo.lock"), &[beside("Cargo.toml")], "a lock file"),
    file(Is("package-lock.json"), &[beside("package.json")], "a lock file"),
    file(Is("yarn.lock"), &[beside("package.json")], "a lock file"),
    file(Is("pnpm-lock.yaml"), &[beside("package.json")], "a lock file"),
    file(Is("bun.lock"), &[beside("package.json")], "a lock file"),
    file(Is("poetry.lock"), &[beside("pyproject.toml")], "a lock file"),
    file(Is("uv.lock"), &[beside("pyproject.toml")], "a lock file"),
    file(Is("Pipfile.lock"), &[beside("Pipfile")], "a lock file"),
    file(Is("composer.lock"), &[beside("composer.json")], "a lock file"),
    file(Is("Gemfile.lock"), &[beside("Gemfile")], "a lock file"),
    file(Is("go.sum"), &[beside("go.mod")], "a lock file"),
    file(Is("flake.lock"), &[beside("flake.nix")], "a lock file"),
    file(Ends(".plist"), &[Name], "a property list"),
    file(Ends(".min.js"), &[Name], "a minified script"),
    file(Ends(".min.css"), &[Name], "a minified style sheet"),
];

/// Hidden folders of sources, such as workflows. They are walked if git tracks them.
pub(super) const HIDDEN_SOURCES: &[&str] = &[".github"];

/// A built-in rule that fired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuiltInFire {
    /// The names that the rule matches, such as `*.min.js`.
    pub name: String,
    /// The evidence for the rule.
    pub evidence: String,
    /// The assumption of the rule about the entry.
    pub sentence: &'static str,
}

impl std::fmt::Display for BuiltInFire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "built-in rule '{}': {}", self.name, self.evidence)
    }
}

/// The rule that fires, if there is one. `beside` says whether a matching name is in the same directory, `inside`
/// whether a name is in the directory in question; both are called only when the rule's name matches.
pub(super) fn fires(
    name: &str,
    is_dir: bool,
    beside: impl Fn(&NamePattern) -> bool,
    inside: impl Fn(&str) -> bool,
) -> Option<BuiltInFire> {
    let rule = BUILT_IN.iter().find(|rule| rule.is_dir == is_dir && rule.name.matches(name))?;
    rule.evidence.iter().find_map(|evidence| {
        let evidence = match evidence {
            RuleEvidence::Name => "its name says so".to_string(),
            RuleEvidence::Beside(pattern) => beside(pattern).then(|| format!("{pattern} beside it"))?,
            RuleEvidence::Inside(name) => inside(name).then(|| format!("{name} inside it"))?,
        };
        Some(BuiltInFire { name: rule.name.to_string(), evidence, sentence: rule.sentence })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk stops at the first row that matches a name, so a second row for a name would never count.
    #[test]
    fn no_two_rows_are_about_one_name() {
        for (at, rule) in BUILT_IN.iter().enumerate() {
            let name = rule.name.to_string();
            let first =
                BUILT_IN.iter().position(|other| other.is_dir == rule.is_dir && other.name.matches(&name));
            assert_eq!(first, Some(at), "{name}");
            assert!(!rule.evidence.is_empty() && !rule.sentence.is_empty(), "{name}");
        }
    }
}
