//! What a build takes and reports.

use spyhop_base::id::ContentHash;
use spyhop_base::text::Span;

/// What can be stored for the parts of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredKind {
    /// Vectors of a provider.
    Vectors,
    /// Words with weights, by which a model expands a text.
    Expansions,
}

impl StoredKind {
    /// Every kind.
    pub const ALL: [StoredKind; 2] = [StoredKind::Vectors, StoredKind::Expansions];

    /// The name of what is stored, in messages.
    pub fn name(self) -> &'static str {
        match self {
            StoredKind::Vectors => "vectors",
            StoredKind::Expansions => "expansions",
        }
    }
}

/// A file whose parts are to have vectors or expansions.
pub struct BuildText {
    /// The path below the root.
    pub path: String,
    /// The hash of the indexed bytes.
    pub content: ContentHash,
    /// The text, with its secrets masked by characters of the same number of bytes.
    pub text: String,
    /// The starts of items, at which parts begin if they can.
    pub starts: Vec<u32>,
}

/// What a build would send.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Files without vectors.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// Their tokens, about.
    pub tokens: u64,
    /// The price, if the settings give that of a million tokens.
    pub cost: Option<f64>,
    /// The most tokens of one build.
    pub cap: Option<u64>,
}

/// How far a build is.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildProgress {
    /// Files that have vectors now.
    pub files: usize,
    /// Bytes of these.
    pub bytes: u64,
}

/// What a build did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BuildReport {
    /// Files that have vectors since.
    pub files: usize,
    /// Parts that were sent to the provider.
    pub sent: usize,
    /// Parts whose text had a vector or an expansion before.
    pub known: usize,
    /// The tokens that were sent, about.
    pub tokens: u64,
    /// Parts whose vectors were taken from a database.
    pub taken: usize,
}

/// What is stored for a model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StoredVectors {
    /// Contents with vectors.
    pub contents: usize,
    /// Vectors.
    pub rows: usize,
    /// Bytes on the disk, of all models.
    pub bytes: u64,
    /// Rows and records whose checksums are wrong. A build makes them anew.
    pub damaged: usize,
}

/// A part of a file with the row of its vector or expansion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(not(feature = "dense-embed"), expect(dead_code, reason = "only vectors have rows"))]
pub(crate) struct PartRow {
    pub span: Span,
    pub row: u32,
}
