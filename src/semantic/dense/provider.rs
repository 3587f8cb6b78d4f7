//! What makes vectors: texts in, vectors out.

use crate::error::SemanticError;

/// Makes vectors of texts.
pub trait Provider: Send + Sync {
    /// Vectors of [`Provider::dimensions`] finite numbers, one for each text, in their order.
    fn embed(&self, texts: &[&str], patience: Patience) -> Result<Vec<Vec<f32>>, SemanticError>;

    /// The numbers of a vector.
    fn dimensions(&self) -> usize;

    /// Bounds of a call.
    fn limits(&self) -> Limits;

    /// The vectors that were not made but taken from where another build had put them.
    fn n_taken(&self) -> usize {
        0
    }

    /// Tells apart vectors that cannot be compared with each other.
    fn identity(&self) -> String;
}

/// Reads a question beside a text.
#[cfg(feature = "rerank")]
pub trait CrossEncoder: Send + Sync {
    /// How well the text answers the question, in log-odds.
    fn score(&self, question: &str, text: &str) -> Result<f32, SemanticError>;
}

/// How long a caller waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// A search, which goes on without vectors: one try.
    Search,
    /// A build, which tries again.
    Build,
}

/// Bounds of a call.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most texts.
    pub texts: usize,
    /// The most tokens, about.
    pub tokens: u64,
    /// The calls at the same time.
    pub concurrency: usize,
}

impl Limits {
    /// Those of a model that is computed here: a call for each processor, and some seconds of work before it is written.
    pub fn of_processor(texts: usize) -> Limits {
        let concurrency = std::thread::available_parallelism().map_or(1, usize::from);
        Limits { texts, tokens: 1 << 14, concurrency }
    }
}

/// The tokens of a text of `bytes`, about. Code has some more bytes a token, so that an estimate is rather too high.
pub fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(3)
}
