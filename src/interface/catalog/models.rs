//! Which profile suits a provider or a model, as data.
//!
//! A small model chooses worse among many tools, and its context is short. So the rows name families of small models and
//! the programs that run models on a person's machine. `*` stands for any text, and letters have no case. A name that no
//! row has is a large model, which the profile alone decides about.

use super::profile::ToolProfile;

/// A row: what a name has to be, the profile, and the reason.
pub type ModelRow = (&'static str, ToolProfile, &'static str);

/// The rows. The first row that a name matches counts.
pub const MODELS: &[ModelRow] = &[
    ("ollama*", ToolProfile::Reduced, "runs models on a person's machine"),
    ("lmstudio*", ToolProfile::Reduced, "as ollama"),
    ("lm-studio*", ToolProfile::Reduced, "as ollama"),
    ("llama.cpp*", ToolProfile::Reduced, "as ollama"),
    ("llamafile*", ToolProfile::Reduced, "as ollama"),
    ("*-mini*", ToolProfile::Reduced, "a small model of its family"),
    ("*-nano*", ToolProfile::Reduced, "a small model of its family"),
    ("*-lite*", ToolProfile::Reduced, "a small model of its family"),
    ("*-flash*", ToolProfile::Reduced, "a small model of its family"),
    ("*haiku*", ToolProfile::Reduced, "a small model of its family"),
    ("*-small*", ToolProfile::Reduced, "a small model of its family"),
    ("*-1b*", ToolProfile::Reduced, "a few billion parameters"),
    ("*-3b*", ToolProfile::Reduced, "a few billion parameters"),
    ("*-4b*", ToolProfile::Reduced, "a few billion parameters"),
    ("*-7b*", ToolProfile::Reduced, "a few billion parameters"),
    ("*-8b*", ToolProfile::Reduced, "a few billion parameters"),
];

/// The profile of the first row that a provider's or a model's name matches.
pub fn profile_of(name: &str) -> Option<ToolProfile> {
    let name = name.trim().to_lowercase();
    MODELS.iter().find(|(pattern, ..)| matches(pattern, &name)).map(|(_, profile, _)| *profile)
}

/// Whether the parts of a pattern follow each other in a text, the first at its beginning and the last at its end.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = rest.split('*').collect();
    let (last, middle) = parts.split_last().expect("a split has a part");
    let mut left = text;
    for part in middle {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_profiles() {
        for name in
            ["ollama", "Ollama/qwen3:30b", "gpt-5-mini", "claude-haiku-4-5", "qwen2.5-coder-7b-instruct"]
        {
            assert_eq!(profile_of(name), Some(ToolProfile::Reduced), "{name}");
        }
        for name in ["", "openai", "claude-opus-4", "gemini-2.5-pro", "minilm", "llama-70b"] {
            assert_eq!(profile_of(name), None, "{name}");
        }
    }

    #[test]
    fn a_pattern_matches_in_order() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("*b", "ba", false),
            ("a*b*c", "axbyc", true),
            ("a*b*c", "acb", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
