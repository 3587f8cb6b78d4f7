//! The names that a profile speaks of: signals, the forms in which a signal is weighed, and kinds of query.

use serde::{Deserialize, Serialize};

macro_rules! signals {
    ($(#[$doc:meta])+ $signals:ident: $($variant:ident $name:literal,)+) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[allow(missing_docs)] // the sentences are in the profile file
        pub enum $signals {
            $($variant,)+
        }

        impl $signals {
            /// Every signal.
            pub const ALL: &'static [$signals] = &[$($signals::$variant,)+];

            /// How many there are.
            pub const COUNT: usize = $signals::ALL.len();

            /// Its name in profiles and replies.
            pub fn name(self) -> &'static str {
                match self { $($signals::$variant => $name,)+ }
            }

            /// The signal of that name.
            pub fn by_name(name: &str) -> Option<$signals> {
                $signals::ALL.iter().copied().find(|signal| signal.name() == name)
            }
        }

        impl std::fmt::Display for $signals {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

signals! {
    /// A named contribution to a score. What each measures is said in the profile.
    Signal:
    Base "base",
    Lexical "lexical",
    Chunks "chunks",
    File "file",
    Coverage "coverage",
    Symbol "symbol",
    Symbols "symbols",
    Definition "definition",
    DefinedName "defined-name",
    Pairs "pairs",
    Path "path",
    PathKin "path-kin",
    Folder "folder",
    NameShare "name-share",
    NameKin "name-kin",
    Eponym "eponym",
    Comment "comment",
    Mentions "mentions",
    Reference "reference",
    Literal "literal",
    Frame "frame",
    Run "run",
    Session "session",
    Depth "depth",
    Size "size",
    Test "test",
    Docs "docs",
    Data "data",
    Compat "compat",
    Generated "generated",
    Platform "platform",
    Twin "twin",
    Header "header",
    Sibling "sibling",
}

signals! {
    /// What tells the places of one file apart. What each measures is said in the profile.
    PlaceSignal:
    Body "body",
    Coverage "coverage",
    Name "name",
    Holder "holder",
    Asked "asked",
    Qualified "qualified",
    Lead "lead",
    Literal "literal",
    Run "run",
    Frame "frame",
    Size "size",
    Type "type",
    Data "data",
    Loose "loose",
    Prose "prose",
    Declaration "declaration",
    Test "test",
}

/// How a signal's measure is taken before it is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transform {
    /// The measure itself.
    Value,
    /// The measure over the greatest in the head: 0 to 1.
    Share,
    /// 10 / (10 + rank) by the measure in the head, 0 for files that have nothing of it.
    Rank,
}

impl Transform {
    /// Every form.
    pub const ALL: [Transform; 3] = [Transform::Value, Transform::Share, Transform::Rank];

    /// Its name in profiles.
    pub fn name(self) -> &'static str {
        match self {
            Transform::Value => "value",
            Transform::Share => "share",
            Transform::Rank => "rank",
        }
    }
}

/// A signal in one form: what has a weight. Written `lexical.share`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feature {
    /// What is measured.
    pub signal: Signal,
    /// How it is taken.
    pub form: Transform,
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.signal, self.form.name())
    }
}

impl std::str::FromStr for Feature {
    type Err = super::ProfileError;

    fn from_str(text: &str) -> Result<Feature, super::ProfileError> {
        let (signal, form) = text.split_once('.').unwrap_or((text, "value"));
        let known = Signal::by_name(signal);
        let form = Transform::ALL.into_iter().find(|known| known.name() == form);
        match (known, form) {
            (Some(signal), Some(form)) => Ok(Feature { signal, form }),
            _ => Err(super::ProfileError::UnknownSignals { unknown: vec![text.to_string()] }),
        }
    }
}

/// What kind of query it is, by its shape: weights may differ by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueryKind {
    /// Nothing but names.
    Name,
    /// A sentence with a name in it.
    Sentence,
    /// Words only.
    Question,
}

impl QueryKind {
    /// Every kind.
    pub const ALL: [QueryKind; 3] = [QueryKind::Name, QueryKind::Sentence, QueryKind::Question];

    /// Its name in profiles.
    pub fn name(self) -> &'static str {
        match self {
            QueryKind::Name => "name",
            QueryKind::Sentence => "sentence",
            QueryKind::Question => "question",
        }
    }
}
