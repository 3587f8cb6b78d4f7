//! The names in a profile: signals, the transforms of their measures, and kinds of query.

use serde::{Deserialize, Serialize};

/// The version of the schema and of the meaning of the signals.
pub(crate) const PROFILE_VERSION: u32 = 2;

macro_rules! signals {
    ($(#[$doc:meta])+ $signals:ident: $($variant:ident $name:literal $(| $alias:literal)?,)+) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[allow(missing_docs)] // the sentences are in the profile file
        pub enum $signals {
            $($(#[serde(alias = $alias)])? $variant,)+
        }

        impl $signals {
            /// Every signal.
            pub const ALL: &'static [$signals] = &[$($signals::$variant,)+];

            /// The number of signals.
            pub const COUNT: usize = $signals::ALL.len();

            /// The name in profiles and replies.
            pub fn name(self) -> &'static str {
                match self { $($signals::$variant => $name,)+ }
            }

            /// The signal with this name, or with this name in older profiles.
            pub fn by_name(name: &str) -> Option<$signals> {
                match name {
                    $($name $(| $alias)? => Some($signals::$variant),)+
                    _ => None,
                }
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
    /// A named measure of a file. The score of the file is computed from the weighted measures. The profile describes
    /// what each signal measures.
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
    AdjacentWords "adjacent-words" | "pairs",
    Path "path",
    PathRelated "path-related" | "path-kin",
    Folder "folder",
    FileName "file-name" | "name-share",
    FileNameRelated "file-name-related" | "name-kin",
    NamedAsFolder "named-as-folder" | "eponym",
    Comment "comment",
    Mentions "mentions",
    Reference "reference",
    Literal "literal",
    Frame "frame",
    Run "run",
    Related "related",
    Similar "similar",
    Expanded "expanded",
    Rerank "rerank",
    BestPlace "best-place",
    Session "session",
    Depth "depth",
    Size "size",
    Test "test",
    Docs "docs",
    Data "data",
    Legacy "legacy" | "compat",
    Generated "generated",
    Platform "platform",
    OlderCopy "older-copy" | "twin",
    Header "header",
    Sibling "sibling",
    Own "own",
}

signals! {
    /// A signal that distinguishes the places of one file. The profile describes what each signal measures.
    PlaceSignal:
    Body "body",
    Coverage "coverage",
    Local "local",
    Adjacent "adjacent",
    Name "name",
    Related "related",
    Holder "holder",
    Asked "asked",
    Qualified "qualified",
    Lead "lead",
    Literal "literal",
    Run "run",
    Template "template",
    Frame "frame",
    Size "size",
    Type "type",
    Data "data",
    Loose "loose",
    Prose "prose",
    Declaration "declaration",
    Test "test",
}

impl Signal {
    /// Whether only the value of the signal is weighed. The relative value and the rank of these signals are not known:
    /// they are measured on the texts of the first files, or on the hits, after all files are weighed.
    pub fn has_only_value(self) -> bool {
        matches!(
            self,
            Signal::Run
                | Signal::Related
                | Signal::Similar
                | Signal::Expanded
                | Signal::Rerank
                | Signal::BestPlace
                | Signal::Sibling
                | Signal::Own
        )
    }
}

/// How the measure of a signal is taken before it is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transform {
    /// The measure itself.
    Value,
    /// The measure divided by the greatest measure among the rescored files, 0 to 1.
    Relative,
    /// 10 / (10 + rank), where the rescored files are ranked by the measure; 0 for files whose measure is 0.
    Rank,
}

impl Transform {
    /// Every transform.
    pub const ALL: [Transform; 3] = [Transform::Value, Transform::Relative, Transform::Rank];

    /// The name in profiles.
    pub fn name(self) -> &'static str {
        match self {
            Transform::Value => "value",
            Transform::Relative => "relative",
            Transform::Rank => "rank",
        }
    }
}

signals! {
    /// What the score of a hit is computed from, beside a constant: the `sum` of its contributions; the log-odds of its
    /// `share` of e^sum among the rescored files; how far the sum is `behind` the greatest one; the `lead` of the first
    /// file over the second, which counts against all others; ln(1 + n) of the `rivals` with about the same sum or a
    /// greater one; the share of the query, by rarity, that is `known` to the tree, and its `coverage` by the file and by
    /// the name of the best place; the probability of that place; ln(1 + n) of the `terms`; how `related` its words are.
    ScoreInput:
    Sum "sum",
    Share "share",
    Behind "behind",
    Lead "lead",
    Rivals "rivals",
    Known "known",
    Coverage "coverage",
    PlaceName "place-name",
    PlaceProbability "place-probability",
    Terms "terms",
    Related "related",
}

/// A signal with a transform, which has a weight; written as `lexical.relative`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feature {
    /// The signal.
    pub signal: Signal,
    /// The transform.
    pub transform: Transform,
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.signal, self.transform.name())
    }
}

/// The kind of a query, by its shape. Weights may depend on the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum QueryKind {
    /// Only names, such as `resolve_api_key`.
    Names,
    /// Words and at least one name, such as `who calls resolve_api_key`.
    Mixed,
    /// Words without a name, such as `where is the key resolved`.
    Words,
}

impl QueryKind {
    /// Every kind.
    pub const ALL: [QueryKind; 3] = [QueryKind::Names, QueryKind::Mixed, QueryKind::Words];

    /// The name in profiles.
    pub fn name(self) -> &'static str {
        match self {
            QueryKind::Names => "names",
            QueryKind::Mixed => "mixed",
            QueryKind::Words => "words",
        }
    }
}
