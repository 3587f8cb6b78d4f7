//! `corpora.toml`: which trees, from where, with which checksums.
//!
//! The names and versions in it become arguments of other programs and names of folders, so what they may be made of is
//! checked here, once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::unpack::Checksum;

const BUILT_IN: &str = include_str!("../../corpora.toml");

/// Why a file of pins cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PinError {
    /// It cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It says something else than expected.
    #[error("{path}:{line}: {problem}")]
    Bad {
        /// The file.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// A pinned tree.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Corpus {
    /// The folder of the tree.
    pub name: String,
    /// What it is, for people.
    pub about: String,
    /// Its languages, the main one first.
    pub languages: Vec<String>,
    /// The folder of it that is indexed; the sets say the same.
    #[cfg_attr(not(test), expect(dead_code, reason = "a test compares it with the sets"))]
    pub root: String,
    /// The checksum of the tree.
    pub tree: Checksum,
    /// Where it comes from.
    pub from: Source,
}

/// Where a tree comes from.
#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Source {
    /// The source distribution of a Python package.
    Pypi(Package),
    /// The tarball of an npm package.
    Npm(Package),
    /// The `.crate` of a Rust package.
    Crate(Package),
    /// The upstream tarball of a Debian source package; the version is upstream's.
    Debian(Package),
    /// A revision of a git repository, as a full hash.
    Git {
        /// The repository.
        url: String,
        /// The hash of the commit.
        revision: String,
    },
}

/// A version of a package.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Its name.
    pub package: String,
    /// Its version.
    pub version: String,
    /// The SHA-256 of the archive.
    pub sha256: Checksum,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    corpora: Vec<toml::Spanned<Corpus>>,
}

/// The pins that come with the program.
pub fn built_in() -> Result<Vec<Corpus>, PinError> {
    parse("eval/corpora.toml", BUILT_IN)
}

/// The pins of a file.
pub fn read(path: &Path) -> Result<Vec<Corpus>, PinError> {
    let text =
        fs::read_to_string(path).map_err(|source| PinError::Read { path: path.to_path_buf(), source })?;
    parse(&path.display().to_string(), &text)
}

/// The pins in `text`, which stands in the file `path`.
pub fn parse(path: &str, text: &str) -> Result<Vec<Corpus>, PinError> {
    let bad = |at: usize, problem: String| {
        let line = text[..at.min(text.len())].matches('\n').count() + 1;
        PinError::Bad { path: path.to_string(), line, problem }
    };
    let file: File = toml::from_str(text)
        .map_err(|error| bad(error.span().map_or(0, |span| span.start), error.message().to_string()))?;
    let mut corpora: Vec<Corpus> = Vec::new();
    for corpus in file.corpora {
        let at = corpus.span().start;
        let corpus = corpus.into_inner();
        check(&corpus).map_err(|problem| bad(at, problem))?;
        if corpora.iter().any(|other| other.name == corpus.name) {
            return Err(bad(at, format!("'{}' is pinned twice", corpus.name)));
        }
        corpora.push(corpus);
    }
    Ok(corpora)
}

fn check(corpus: &Corpus) -> Result<(), String> {
    if !plain(&corpus.name, "-_.") {
        return Err(format!("'{}' cannot be the name of a folder", corpus.name));
    }
    match &corpus.from {
        Source::Pypi(package) | Source::Npm(package) | Source::Crate(package) | Source::Debian(package) => {
            let scope = package.package.strip_prefix('@').unwrap_or(&package.package);
            if !plain(scope, "-_./+") || scope.contains("..") {
                return Err(format!("'{}' is no name of a package", package.package));
            }
            if !plain(&package.version, "-_.+~") {
                return Err(format!("'{}' is no version", package.version));
            }
        }
        Source::Git { url, revision } => {
            if url.starts_with('-') || !url.contains("://") {
                return Err(format!("'{url}' is no URL of a repository"));
            }
            if ![40, 64].contains(&revision.len()) || !revision.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(format!("'{revision}' is not the full hash of a commit"));
            }
        }
    }
    Ok(())
}

/// Whether a word begins with a letter or digit and goes on with those and `others`.
fn plain(word: &str, others: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphanumeric())
        && word.chars().all(|other| other.is_ascii_alphanumeric() || others.contains(other))
}
