//! Names and ids of sources.

use serde::{Deserialize, Serialize};

use super::error::LibraryError;

/// The most characters of a name.
const MAX_NAME: usize = 64;

/// Words that a list of sources cannot contain as names, because they stand for several sources.
const RESERVED: &[&str] = &["all", "none"];

/// The id of a source, which never changes: a readable part and a hash. The id names the folders of the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct SourceId(String);

impl SourceId {
    /// The id of a source that has this name when it is added, and these properties.
    pub(super) fn new(name: &str, properties: &[&str]) -> SourceId {
        let mut hasher = blake3::Hasher::new();
        for property in properties {
            hasher.update(&(property.len() as u64).to_le_bytes()).update(property.as_bytes());
        }
        SourceId(format!("{name}-{}", &hasher.finalize().to_hex()[..10]))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for SourceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for SourceId {
    type Error = LibraryError;

    fn try_from(text: String) -> Result<SourceId, LibraryError> {
        // An id becomes the name of a folder.
        match name_fault(&text, MAX_NAME + 16) {
            None => Ok(SourceId(text)),
            Some(fault) => Err(LibraryError::BadName { name: text, fault }),
        }
    }
}

impl From<SourceId> for String {
    fn from(id: SourceId) -> String {
        id.0
    }
}

/// Checks a name that a user gave.
pub(super) fn check_name(name: &str) -> Result<(), LibraryError> {
    match name_fault(name, MAX_NAME) {
        None => Ok(()),
        Some(fault) => Err(LibraryError::BadName { name: name.to_string(), fault }),
    }
}

/// The groups that a user gave, each once. A group is named like a source.
pub(super) fn groups(given: &[String]) -> Result<Vec<String>, LibraryError> {
    let mut groups = given.to_vec();
    groups.sort();
    groups.dedup();
    groups.iter().try_for_each(|group| check_name(group))?;
    Ok(groups)
}

fn name_fault(name: &str, most: usize) -> Option<&'static str> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() {
        Some("is empty")
    } else if name.len() > most {
        Some("is too long")
    } else if !name.chars().all(is_allowed) {
        Some("has characters other than letters, digits, '.', '_' and '-'")
    } else if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        Some("does not begin with a letter or a digit")
    } else if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
        Some("stands for several sources")
    } else {
        None
    }
}

/// The name that a source gets by default, made from the last part of its location.
pub(super) fn default_name(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || "._".contains(c) => name.push(c),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
    let name: String = name.chars().take(MAX_NAME).collect();
    let name = name.trim_end_matches(['-', '.']);
    match check_name(name) {
        Ok(()) => name.to_string(),
        Err(_) => "source".to_string(),
    }
}

/// A free name that resembles a taken one.
pub(super) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let stem: String = name.chars().take(MAX_NAME - 6).collect();
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    numbered.into_iter().find(|name| !is_taken(name)).expect("numbers do not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_names_are_valid() {
        for (text, expected) in [
            ("serde-1.0.200", "serde-1.0.200"),
            ("Mein Projekt (2)", "Mein-Projekt-2"),
            (".hidden", "hidden"),
            ("--", "source"),
            ("all", "source"),
            ("日本", "source"),
        ] {
            assert_eq!(default_name(text), expected);
            check_name(expected).unwrap();
        }
        assert_eq!(default_name(&"x".repeat(200)).len(), MAX_NAME);
    }

    #[test]
    fn ids_are_names_of_one_folder() {
        for bad in ["", "..", "a/b", "a\\b", ".a", "a b"] {
            assert!(SourceId::try_from(bad.to_string()).is_err(), "{bad}");
        }
        let id = SourceId::new("serde", &["zip", "/a"]);
        assert_eq!(SourceId::try_from(id.to_string()).unwrap(), id);
        assert_ne!(id, SourceId::new("serde", &["zip/", "a"]));
    }

    #[test]
    fn a_free_name_is_suggested() {
        assert_eq!(free_name("a", |name| ["a-2", "a-3"].contains(&name)), "a-4");
    }
}
