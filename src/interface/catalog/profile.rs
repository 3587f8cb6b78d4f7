//! The profiles of a server: which tools each lists from the start, and which can be called.

use super::tools::{ACTIVE, TOOLS, Tool};
use spyhop_attributes::{All, Name};

/// The tools that the profile `minimal` offers beside the listed ones: at most eight tools in all, none that writes.
const MINIMAL_DEFERRED: &[&str] = &["project_map", "read_file", "symbol_search"];
/// The tools that the profile `reduced` lists.
const REDUCED: &[&str] = &["codebase_search", "grep_files", "tool_search"];

/// Which tools a server lists, and which it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Name, All)]
pub enum ToolProfile {
    /// Every tool is listed.
    Full,
    /// Active tools are listed, and every tool is callable.
    Default,
    /// Lists the same tools as `Default`. Only tools that write nothing are callable, eight at most.
    Minimal,
    /// For small models: a search, exact search and `tool_search` are listed, and every tool is callable.
    Reduced,
    /// For programs with tools of their own: only `tool_search` is listed, and every tool is callable.
    Host,
}

impl ToolProfile {
    /// The profile with that name.
    pub fn by_name(name: &str) -> Option<ToolProfile> {
        ToolProfile::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The most tokens that the tool list may take, at four bytes a token.
    pub fn head_budget(self) -> usize {
        match self {
            ToolProfile::Full => 6_800,
            ToolProfile::Default | ToolProfile::Minimal => 1_600,
            ToolProfile::Reduced => 1_200,
            ToolProfile::Host => 200,
        }
    }

    /// Whether a tool is listed from the start.
    pub fn lists(self, tool: &Tool) -> bool {
        match self {
            ToolProfile::Full => tool.grant().is_none(),
            ToolProfile::Default | ToolProfile::Minimal => ACTIVE.contains(&tool.name),
            ToolProfile::Reduced => REDUCED.contains(&tool.name),
            ToolProfile::Host => tool.operation.is_none(),
        }
    }

    /// Whether a tool can be called.
    pub fn offers(self, tool: &Tool) -> bool {
        match self {
            ToolProfile::Minimal => {
                tool.read_only && (self.lists(tool) || MINIMAL_DEFERRED.contains(&tool.name))
            }
            ToolProfile::Full | ToolProfile::Default | ToolProfile::Reduced | ToolProfile::Host => {
                tool.grant().is_none()
            }
        }
    }

    /// The listed tools, sorted by name.
    pub fn listed(self) -> impl Iterator<Item = &'static Tool> {
        TOOLS.iter().filter(move |tool| self.lists(tool))
    }
}

/// The names of profiles.
pub fn profiles() -> Vec<&'static str> {
    ToolProfile::ALL.iter().map(|profile| profile.name()).collect()
}
