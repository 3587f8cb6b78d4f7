//! Line rules: patterns of lines that define a name, or that use one, for a language without a parser.
//!
//! This module owns the compiled form of the tables `[[rule]]` and `[blocks]`; [`crate::analyze`] applies them.
//! Patterns are those of the `regex` crate, whose matching takes linear time, over bytes: an ASCII class needs a thousandth of
//! the tables of a Unicode class, and a process compiles the rules of each language that it meets.

use std::collections::BTreeMap;

use regex::bytes::{Regex, RegexSet, RegexSetBuilder};

use super::error::GrammarError;
use super::lexis::{Lexis, pattern, widened};
use super::manifest::{BlockSection, EndsEntry, LineRuleEntry, Manifest};
use spyhop_base::model::{KindSet, ReferenceRole, SymbolKind};

/// The compiled rules of a language.
pub struct LineRules {
    pub lexis: Lexis,
    /// See [`Manifest::prose`].
    pub prose: bool,
    pub newlines: bool,
    /// See [`BlockSection::again`].
    pub again: Box<[u8]>,
    /// The words of blocks: those that open in the group `open`, those that close in the group `close`.
    pub words: Option<Regex>,
    pub leading: Option<Regex>,
    pub closing: Option<Regex>,
    /// All patterns of rules for definitions, in the order of [`LineRules::rules`].
    pub set: RegexSet,
    pub rules: Vec<LineRule>,
    /// The patterns of the lines that end items.
    pub untils: RegexSet,
    pub uses: Vec<(Regex, ReferenceRole)>,
    /// Whether what is in quotes may be code, as in the attributes of a template.
    pub has_code_in_quotes: bool,
    reserved: Box<[Box<str>]>,
}

/// A pattern of a rule for definitions.
pub struct LineRule {
    pub pattern: Regex,
    /// The groups of the name; the first that takes part counts.
    pub names: Box<[usize]>,
    pub container: Option<usize>,
    pub level_group: Option<usize>,
    pub mark_group: Option<usize>,
    pub body_group: Option<usize>,
    pub kind: Option<SymbolKind>,
    pub inside: Option<SymbolKind>,
    pub called: Option<Box<str>>,
    pub indent: u32,
    pub depth: usize,
    pub within: Option<Around>,
    pub outer: bool,
    pub ends: EndsEntry,
    /// The place of the pattern in [`LineRules::untils`].
    pub until: Option<usize>,
    /// Finds the further names in the match, with the kind of those that are members of the item.
    pub more: Option<(Regex, Option<SymbolKind>)>,
    pub level: u32,
    pub ends_sections: bool,
    pub holds: bool,
    pub members: bool,
    pub continues: bool,
}

/// What the innermost open item must be.
#[derive(Default)]
pub struct Around {
    pub kinds: KindSet,
    pub names: Vec<Box<str>>,
    pub nothing: bool,
}

impl LineRules {
    /// Whether `name` cannot be a name.
    pub fn is_reserved(&self, name: &str) -> bool {
        self.reserved.binary_search_by(|word| (**word).cmp(name)).is_ok()
    }

    /// The rules of a manifest; `None` if it has none. `source` names the manifest in errors.
    pub(super) fn compile(manifest: &Manifest, source: &str) -> Result<Option<LineRules>, GrammarError> {
        if !manifest.has_line_rules() {
            return Ok(None);
        }
        let fault = |message: String| GrammarError::Manifest { source_name: source.into(), message };
        let section = manifest.lexis.clone().unwrap_or_default();
        let ignore_case = section.ignore_case;
        let blocks = manifest.blocks.clone().unwrap_or_default();
        let lexis = Lexis::compile(&section).map_err(fault)?;
        let (mut patterns, mut rules, mut untils, mut uses) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for rule in &manifest.rule {
            for line in rule.line.as_slice() {
                let line = &with_parts(line, &manifest.parts);
                if let Some(role) = rule.role {
                    let used = pattern(line, ignore_case).map_err(fault)?;
                    if used.capture_names().flatten().all(|name| name != "name") {
                        return Err(fault(format!("the pattern '{line}' has no group 'name'")));
                    }
                    uses.push((used, role.into()));
                    continue;
                }
                let until = rule.until.as_ref().map(|until| {
                    untils.iter().position(|known| known == until).unwrap_or_else(|| {
                        untils.push(until.clone());
                        untils.len() - 1
                    })
                });
                rules.push(LineRule::compile(rule, line, until, &blocks, ignore_case).map_err(|error| {
                    match error {
                        RuleError::Pattern(message) => fault(message),
                        RuleError::Kind(unknown) => {
                            GrammarError::SymbolKind { source_name: source.into(), unknown }
                        }
                    }
                })?);
                patterns.push(anchored(line));
            }
        }
        let set = |patterns: &[String]| {
            RegexSetBuilder::new(patterns)
                .unicode(false)
                .multi_line(true)
                .case_insensitive(ignore_case)
                .build()
                .map_err(|error| fault(error.to_string()))
        };
        let untils: Vec<String> = untils.iter().map(|until| anchored(until)).collect();
        let words = match (&blocks.open, &blocks.close) {
            (Some(open), Some(close)) => {
                Some(pattern(&format!("(?<open>{open})|(?<close>{close})"), ignore_case).map_err(fault)?)
            }
            _ => None,
        };
        let line_pattern = |text: &Option<String>| {
            text.as_ref().map(|text| pattern(&anchored(text), ignore_case)).transpose().map_err(fault)
        };
        let mut reserved: Box<[Box<str>]> =
            manifest.reserved.iter().map(|word| word.as_str().into()).collect();
        reserved.sort_unstable();
        Ok(Some(LineRules {
            lexis,
            prose: manifest.prose,
            newlines: blocks.newlines,
            again: blocks.again.as_bytes().into(),
            words,
            leading: line_pattern(&blocks.leading)?,
            closing: line_pattern(&blocks.closing)?,
            set: set(&patterns)?,
            rules,
            untils: set(&untils)?,
            uses,
            has_code_in_quotes: !manifest.region.is_empty(),
            reserved,
        }))
    }
}

/// Why a rule was rejected.
enum RuleError {
    Pattern(String),
    Kind(spyhop_base::model::UnknownKind),
}

impl LineRule {
    fn compile(
        rule: &LineRuleEntry,
        line: &str,
        until: Option<usize>,
        blocks: &BlockSection,
        ignore_case: bool,
    ) -> Result<LineRule, RuleError> {
        let pattern = pattern(&anchored(line), ignore_case).map_err(RuleError::Pattern)?;
        let groups = |wanted: fn(&str) -> bool| -> Box<[usize]> {
            let names = pattern.capture_names().enumerate();
            names.filter(|(_, name)| name.is_some_and(wanted)).map(|(at, _)| at).collect()
        };
        let names = groups(|name| name.starts_with("name"));
        if names.is_empty() && rule.called.is_none() && rule.kind.is_some() {
            return Err(RuleError::Pattern(format!("the pattern '{line}' has no group 'name'")));
        }
        let kind = |name: &String| name.parse().map_err(RuleError::Kind);
        let mut within = Around::default();
        for name in &rule.within {
            match name.strip_prefix('=') {
                Some(name) => within.names.push(name.into()),
                None if name == "top" => within.nothing = true,
                None => within.kinds.insert(kind(name)?),
            }
        }
        let more = match &rule.more {
            Some(more) => {
                let found = super::lexis::pattern(more, ignore_case).map_err(RuleError::Pattern)?;
                if found.capture_names().flatten().all(|name| name != "name") {
                    return Err(RuleError::Pattern(format!("the pattern '{more}' has no group 'name'")));
                }
                Some((found, rule.more_kind.as_ref().map(kind).transpose()?))
            }
            None => None,
        };
        Ok(LineRule {
            more,
            container: groups(|name| name == "container").first().copied(),
            level_group: groups(|name| name == "level").first().copied(),
            mark_group: groups(|name| name == "mark").first().copied(),
            body_group: groups(|name| name == "body").first().copied(),
            names,
            pattern,
            kind: rule.kind.as_ref().map(kind).transpose()?,
            inside: rule.inside.as_ref().map(kind).transpose()?,
            called: rule.called.as_deref().map(Into::into),
            indent: rule.indent.unwrap_or(u32::MAX),
            depth: rule.depth.unwrap_or(usize::MAX),
            within: (!rule.within.is_empty()).then_some(within),
            outer: rule.outer,
            ends: rule.ends.unwrap_or(blocks.ends),
            until,
            level: rule.level.unwrap_or(1),
            ends_sections: rule.level.is_some(),
            holds: rule.holds,
            members: rule.members,
            continues: rule.continues,
        })
    }
}

/// `pattern` with the parts that it names.
fn with_parts(pattern: &str, parts: &BTreeMap<String, String>) -> String {
    parts
        .iter()
        .fold(pattern.to_string(), |pattern, (name, part)| pattern.replace(&format!("{{{name}}}"), part))
}

/// A pattern that matches only where the search begins.
fn anchored(pattern: &str) -> String {
    format!(r"\A(?:{})", widened(pattern))
}
