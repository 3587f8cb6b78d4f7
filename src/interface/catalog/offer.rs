//! Which tools a server offers: by its profile, by the model that asks, and by what it was started to allow.

use std::borrow::Cow;

use super::models;
use super::profile::ToolProfile;
use super::tools::{ALLOW_LIBRARY, ALLOW_MEMORY, TOOLS, Tool};

/// The tools that a server offers: those of its profile that suit the model, and those that its flags allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolOffer {
    /// The profile.
    pub profile: ToolProfile,
    /// The profile of the model that asks; a tool has to be in both.
    pub of_model: Option<ToolProfile>,
    /// Whether notes may be recorded.
    pub may_record: bool,
    /// Whether the library may be changed.
    pub may_change_library: bool,
}

impl From<ToolProfile> for ToolOffer {
    fn from(profile: ToolProfile) -> ToolOffer {
        ToolOffer { profile, of_model: None, may_record: false, may_change_library: false }
    }
}

impl ToolOffer {
    /// The offer to the provider or model `name`, which may limit what the profile lists and offers.
    #[must_use]
    pub fn to_model(self, name: &str) -> ToolOffer {
        ToolOffer { of_model: models::profile_of(name), ..self }
    }

    fn profiles(self) -> impl Iterator<Item = ToolProfile> {
        std::iter::once(self.profile).chain(self.of_model)
    }

    /// Whether a tool is listed from the start.
    pub fn lists(self, tool: &Tool) -> bool {
        let is_granted = self.grants(tool);
        self.profiles().all(|profile| profile.lists(tool) || (is_granted && profile == ToolProfile::Full))
    }

    /// Whether a tool can be called.
    pub fn offers(self, tool: &Tool) -> bool {
        let is_granted = self.grants(tool);
        self.profiles().all(|profile| profile.offers(tool) || (is_granted && profile != ToolProfile::Minimal))
    }

    /// A tool's description. The description of the search among tools names all tools that exist and are not listed from
    /// the start. The profile `minimal` offers fewer of them; the text does not tell, because the first list of tools has
    /// to be the same bytes as that of `default`.
    pub fn description(self, tool: &Tool) -> Cow<'static, str> {
        if tool.operation.is_some() {
            return tool.description().into();
        }
        let exists = |own: &&Tool| own.grant().is_none() || self.grants(own);
        let hidden: Vec<&str> =
            TOOLS.iter().filter(exists).filter(|own| !self.lists(own)).map(|own| own.name).collect();
        if hidden.is_empty() {
            tool.description().into()
        } else {
            format!("{}: {}", tool.description(), hidden.join(", ")).into()
        }
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

/// The most tools that a query with words finds. A client lists what is found from then on.
const MAX_FOUND: usize = 5;

/// The tools of an offer that match a query and are not listed from the start, best first; all of them for a query
/// without words.
///
/// A query word that matches the name counts most, one in the description less, and a match of only a common prefix
/// (`search` and `searches`) least; a word that many tools have counts less in all of them. A tool that is worth less than half
/// of the best is no answer.
pub fn find(offer: impl Into<ToolOffer>, query: &str) -> Vec<&'static Tool> {
    let (offer, wanted) = (offer.into(), words(query));
    let wanted: Vec<(String, usize)> = wanted.into_iter().map(|word| (word.clone(), rarity(&word))).collect();
    let mut found: Vec<(usize, &Tool)> = TOOLS
        .iter()
        .filter(|tool| offer.offers(tool) && !offer.lists(tool) && tool.operation.is_some())
        .map(|tool| (worth(tool, &wanted), tool))
        .filter(|(worth, _)| *worth > 0 || wanted.is_empty())
        .collect();
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.name.cmp(b.1.name)));
    if !wanted.is_empty() {
        let best = found.first().map_or(0, |(worth, _)| *worth);
        found.retain(|(worth, _)| 2 * worth >= best);
        found.truncate(MAX_FOUND);
    }
    found.into_iter().map(|(_, tool)| tool).collect()
}

/// The worth of a word: a word that many tools have is worth less.
fn rarity(word: &str) -> usize {
    let has = |tool: &&Tool| part_with(tool, word).is_some();
    1_000 / TOOLS.iter().filter(has).count().max(1)
}

/// How much the part of a tool counts that has a word.
fn part_with(tool: &Tool, word: &str) -> Option<usize> {
    let (name, description) = (words(tool.name), words(tool.description()));
    let alike = |a: &str, b: &str| a.len() >= 4 && b.len() >= 4 && (a.starts_with(b) || b.starts_with(a));
    let is_in = |words: &[String]| words.iter().any(|own| own == word);
    if is_in(&name) {
        Some(4)
    } else if is_in(&description) {
        Some(2)
    } else {
        name.iter().chain(&description).any(|own| alike(own, word)).then_some(1)
    }
}

fn worth(tool: &Tool, wanted: &[(String, usize)]) -> usize {
    wanted.iter().map(|(word, rarity)| part_with(tool, word).unwrap_or(0) * rarity).sum()
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
