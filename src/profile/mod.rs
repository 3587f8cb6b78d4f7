//! The ranking profile: which signals there are, what each weighs, and the sentence that says what it measures.
//!
//! All weights and constants of ranking live in one file, `default.toml` beside this one, in the schema that a
//! caller's own profile would use. This module is pure data: how a signal is computed is [`crate::search`]'s
//! business.

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
