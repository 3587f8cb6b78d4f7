//! Why a query set cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why a query set cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line does not say what it must.
    #[error("{}:{line}: {problem}; expected {expected}", path.display())]
    Bad {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault.
        problem: String,
        /// The expected content.
        expected: &'static str,
    },
    /// An id stands for two queries.
    #[error("{}: two queries have the id '{id}'; expected ids that are unique in a set", path.display())]
    Twice {
        /// The set.
        path: PathBuf,
        /// The id.
        id: String,
    },
    /// Nothing about the path tells what it is.
    #[error(
        "{}: no query set; expected a .toml or .jsonl file, or a folder with repos.json and annotations/, \
         or with a NAME.json for each repository",
        path.display()
    )]
    Unknown {
        /// The path.
        path: PathBuf,
    },
}

impl SetError {
    pub(super) fn read(path: &Path, source: io::Error) -> SetError {
        SetError::Read { path: path.to_path_buf(), source }
    }

    pub(super) fn bad(
        path: &Path,
        line: usize,
        problem: impl Into<String>,
        expected: &'static str,
    ) -> SetError {
        SetError::Bad { path: path.to_path_buf(), line, problem: problem.into(), expected }
    }

    /// The message of serde_json, without the position that the error has already; `line` is that of the text's first line.
    pub(super) fn json(
        path: &Path,
        line: usize,
        error: &serde_json::Error,
        expected: &'static str,
    ) -> SetError {
        let text = error.to_string();
        let problem = text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]);
        SetError::bad(path, line + error.line().max(1) - 1, problem, expected)
    }
}
