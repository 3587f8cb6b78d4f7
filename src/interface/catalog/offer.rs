//! Which tools a server offers: by its profile and by what it was started to allow.

use super::tools::{ACTIVE, ALLOW_LIBRARY, ALLOW_MEMORY, ON_GRANT, TOOLS, Tool};

/// The tools that the profile `minimal` offers beside the listed ones: at most eight tools in all, none that writes.
const MINIMAL_DEFERRED: &[&str] = &["project_map", "search_batch", "why_not"];

/// Which tools a server lists, and which it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolProfile {
    /// Every tool is listed.
    Full,
    /// Active tools are listed, and every tool is callable.
    Default,
    /// Lists the same tools as `Default`. Only tools that write nothing are callable, eight at most.
    Minimal,
    /// For programs with tools of their own: only `tool_search` is listed, and every tool is callable.
    Host,
}

impl ToolProfile {
    /// Every profile.
    pub const ALL: [ToolProfile; 4] =
        [ToolProfile::Full, ToolProfile::Default, ToolProfile::Minimal, ToolProfile::Host];

    /// The name of the profile.
    pub fn name(self) -> &'static str {
        match self {
            ToolProfile::Full => "full",
            ToolProfile::Default => "default",
            ToolProfile::Minimal => "minimal",
            ToolProfile::Host => "host",
        }
    }

    /// The profile with that name.
    pub fn by_name(name: &str) -> Option<ToolProfile> {
        ToolProfile::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The most tokens that the tool list may take, at four bytes a token.
    pub fn head_budget(self) -> usize {
        match self {
            ToolProfile::Full => 5_400,
            ToolProfile::Default | ToolProfile::Minimal => 1_600,
            ToolProfile::Host => 200,
        }
    }

    /// Whether a tool is listed from the start.
    pub fn lists(self, tool: &Tool) -> bool {
        match self {
            ToolProfile::Full => !ON_GRANT.contains(&tool.name),
            ToolProfile::Default | ToolProfile::Minimal => ACTIVE.contains(&tool.name),
            ToolProfile::Host => tool.operation.is_none(),
        }
    }

    /// Whether a tool can be called.
    pub fn offers(self, tool: &Tool) -> bool {
        match self {
            ToolProfile::Minimal => {
                tool.read_only && (self.lists(tool) || MINIMAL_DEFERRED.contains(&tool.name))
            }
            ToolProfile::Full | ToolProfile::Default | ToolProfile::Host => !ON_GRANT.contains(&tool.name),
        }
    }

    /// The listed tools, sorted by name.
    pub fn listed(self) -> impl Iterator<Item = &'static Tool> {
        TOOLS.iter().filter(move |tool| self.lists(tool))
    }
}

/// The tools that a server offers: those of its profile, and those that its flags allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolOffer {
    /// The profile.
    pub profile: ToolProfile,
    /// Whether notes may be recorded.
    pub may_record: bool,
    /// Whether the library may be changed.
    pub may_change_library: bool,
}

impl From<ToolProfile> for ToolOffer {
    fn from(profile: ToolProfile) -> ToolOffer {
        ToolOffer { profile, may_record: false, may_change_library: false }
    }
}

impl ToolOffer {
    /// Whether a tool is listed from the start.
    pub fn lists(self, tool: &Tool) -> bool {
        self.profile.lists(tool) || (self.grants(tool) && self.profile == ToolProfile::Full)
    }

    /// Whether a tool can be called.
    pub fn offers(self, tool: &Tool) -> bool {
        self.profile.offers(tool) || (self.grants(tool) && self.profile != ToolProfile::Minimal)
    }

    /// Whether the server was started to allow a tool that exists only then.
    pub fn grants(self, tool: &Tool) -> bool {
        match tool.grant() {
            Some(ALLOW_MEMORY) => self.may_record,
            Some(ALLOW_LIBRARY) => self.may_change_library,
            _ => false,
        }
    }
}

/// The names of profiles.
pub fn profiles() -> Vec<&'static str> {
    ToolProfile::ALL.iter().map(|profile| profile.name()).collect()
}

/// The tools of an offer that match a query and are not listed from the start, best first; all of them for a query
/// without words.
///
/// A query word that matches the name counts most, one in the description less, and a match of only a common prefix
/// (`search` and `searches`) least. So few tools need nothing more elaborate.
pub fn find(offer: impl Into<ToolOffer>, query: &str) -> Vec<&'static Tool> {
    let (offer, wanted) = (offer.into(), words(query));
    let mut found: Vec<(usize, &Tool)> = TOOLS
        .iter()
        .filter(|tool| offer.offers(tool) && !offer.lists(tool) && tool.operation.is_some())
        .map(|tool| (worth(tool, &wanted), tool))
        .filter(|(worth, _)| *worth > 0 || wanted.is_empty())
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.name.cmp(b.1.name)));
    found.into_iter().map(|(_, tool)| tool).collect()
}

fn worth(tool: &Tool, wanted: &[String]) -> usize {
    let (name, description) = (words(tool.name), words(tool.description));
    let alike = |a: &str, b: &str| a.len() >= 4 && b.len() >= 4 && (a.starts_with(b) || b.starts_with(a));
    let of = |word: &String| {
        if name.contains(word) {
            4
        } else if description.contains(word) {
            2
        } else {
            usize::from(name.iter().chain(&description).any(|own| alike(own, word)))
        }
    };
    wanted.iter().map(of).sum()
}

/// Stop words, which say nothing about a tool.
const EMPTY_WORDS: &[&str] =
    &["a", "an", "and", "at", "by", "for", "in", "is", "it", "of", "or", "the", "to"];

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase)
        .filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(&word.as_str()))
        .collect()
}
