//! The ranking profile: which signals there are, what each weighs, and the sentence that says what it measures.
//!
//! All weights and constants of ranking live in one file, `default.toml` beside this one, in the schema that a
//! caller's own profile would use. This module is pure data: how a signal is computed is [`crate::search`]'s
//! business.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

macro_rules! signals {
    ($($variant:ident $name:literal,)+) => {
        /// A named contribution to a score. What each measures is said in the profile.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[allow(missing_docs)] // the sentences are in the profile file
        pub enum Signal {
            $($variant,)+
        }

        impl Signal {
            /// Every signal.
            pub const ALL: &'static [Signal] = &[$(Signal::$variant,)+];

            /// Its name in profiles and replies.
            pub fn name(self) -> &'static str {
                match self { $(Signal::$variant => $name,)+ }
            }
        }
    };
}

signals! {
    Base "base",
    Lexical "lexical",
    Chunks "chunks",
    File "file",
    Coverage "coverage",
    Symbol "symbol",
    Definition "definition",
    DefinedName "defined-name",
    Path "path",
    Name "name",
    NameShare "name-share",
    Comment "comment",
    Reference "reference",
    Literal "literal",
    Session "session",
    Depth "depth",
    Size "size",
    Test "test",
    Docs "docs",
    Compat "compat",
    Sibling "sibling",
}

impl std::fmt::Display for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// A ranking profile.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The version of this schema.
    pub version: u32,
    /// How lists are fused.
    pub fusion: Fusion,
    /// The parameters of BM25 for each kind of list.
    pub bm25: Bm25Fields,
    signals: BTreeMap<Signal, Weight>,
}

/// How lists are fused.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fusion {
    /// The constant of reciprocal rank fusion.
    pub k: f32,
    /// How many files of each list take part.
    pub depth: usize,
    /// How many files of the fused list are rescored.
    pub head: usize,
}

/// The two parameters of BM25.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bm25 {
    /// How soon repetition stops to count, 0 and more.
    pub k1: f32,
    /// How much length counts, 0 to 1.
    pub b: f32,
}

/// The parameters for each kind of list.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bm25Fields {
    /// The text of chunks.
    pub chunk: Bm25,
    /// The text of whole files.
    pub file: Bm25,
    /// Comments of chunks.
    pub comment: Bm25,
    /// Names that chunks define.
    pub symbol: Bm25,
    /// File names.
    pub name: Bm25,
    /// Paths.
    pub path: Bm25,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Weight {
    weight: f32,
    text: String,
}

impl Profile {
    /// The profile that is built in.
    pub fn built_in() -> &'static Profile {
        static PROFILE: OnceLock<Profile> = OnceLock::new();
        PROFILE.get_or_init(|| {
            toml::from_str(include_str!("default.toml")).expect("the built-in profile is checked by a test")
        })
    }

    /// What a signal weighs; 0 when the profile leaves it out.
    pub fn weight(&self, signal: Signal) -> f32 {
        self.signals.get(&signal).map_or(0.0, |entry| entry.weight)
    }

    /// What a signal measures.
    pub fn sentence(&self, signal: Signal) -> &str {
        self.signals.get(&signal).map_or("", |entry| entry.text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profile_names_every_signal() {
        let profile = Profile::built_in();
        for signal in Signal::ALL {
            assert!(!profile.sentence(*signal).is_empty(), "{signal}");
        }
        assert_eq!(profile.version, 1);
    }

    #[test]
    fn an_unknown_signal_is_refused_by_name() {
        let text = include_str!("default.toml").replace("[signals.size]", "[signals.sise]");
        let error = toml::from_str::<Profile>(&text).unwrap_err().to_string();
        assert!(error.contains("sise") && error.contains("lexical"), "{error}");
    }
}
