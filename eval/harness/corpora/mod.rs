//! `spyhop-eval fetch`: brings pinned source trees to this machine, and says which it could not get.
//!
//! What is pinned is the business of [`pins`], getting an archive that of [`clients`], and making a tree of it that of
//! [`unpack`]. A tree is there or it is not: it is unpacked beside its place, compared with its checksum and then
//! renamed, so a run that was stopped leaves nothing that looks like a tree. What is in the way is never overwritten.

mod clients;
mod pins;
mod unpack;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use self::clients::ClientError;
use self::pins::{Corpus, PinError, Source};
use self::unpack::{Checksum, UnpackError};

/// Get the pinned source trees and verify them
///
/// What is there and as pinned stays as it is. Packages come through pip and curl, npm, cargo and apt-get, each as it
/// is configured; nothing of a package is run. The exit code is 0 when every tree is there.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder that holds a folder for each tree
    #[arg(long, value_name = "DIR")]
    trees: PathBuf,
    /// Take the pins from this file instead of the built-in eval/corpora.toml
    #[arg(long, value_name = "FILE.toml")]
    corpora: Option<PathBuf>,
    /// Only these trees
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
}

/// Why not all trees are there.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The pins cannot be used.
    #[error(transparent)]
    Pins(#[from] PinError),
    /// The folder for the trees cannot be made.
    #[error("{}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A name that nothing is pinned under.
    #[error("nothing is pinned as '{name}'; there are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names that are known.
        known: String,
    },
    /// Some trees are not there, and why was said.
    #[error("{} of {of} trees not there: {}", names.len(), names.join(", "))]
    Missing {
        /// Their names.
        names: Vec<String>,
        /// How many were asked for.
        of: usize,
    },
}

/// Why one tree is not there.
#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("the archive is not the pinned one: its SHA-256 is {found}, not {pinned}")]
    Archive { found: Checksum, pinned: Checksum },
    #[error(transparent)]
    Unpack(#[from] UnpackError),
    #[error("what was unpacked is not what is pinned: its checksum is {found}, not {pinned}")]
    Tree { found: Checksum, pinned: Checksum },
    #[error("{} is not what is pinned; move it away to have it fetched again", path.display())]
    Differs { path: PathBuf },
    #[error(transparent)]
    Io(#[from] io::Error),
}

#[derive(Debug, PartialEq)]
enum Done {
    WasThere,
    Fetched,
}

/// Runs the command.
///
/// # Errors
/// [`FetchError::Missing`] when a tree could not be had; all others were still tried.
pub fn fetch(args: &Args) -> Result<(), FetchError> {
    let corpora = match &args.corpora {
        Some(path) => pins::read(path)?,
        None => pins::built_in()?,
    };
    let chosen = chosen(&corpora, &args.only)?;
    let folder = |source| FetchError::Folder { path: args.trees.clone(), source };
    fs::create_dir_all(&args.trees).map_err(folder)?;
    let trees = args.trees.canonicalize().map_err(folder)?;
    let mut names = Vec::new();
    for corpus in &chosen {
        match one(corpus, &trees) {
            Ok(done) => println!("{}", line(corpus, &done)),
            Err(problem) => {
                eprintln!("{}: not there: {problem}", corpus.name);
                names.push(corpus.name.clone());
            }
        }
    }
    if names.is_empty() { Ok(()) } else { Err(FetchError::Missing { names, of: chosen.len() }) }
}

fn line(corpus: &Corpus, done: &Done) -> String {
    let done = match done {
        Done::WasThere => "was there",
        Done::Fetched => "fetched",
    };
    format!("{}: {done}, verified; {}: {}", corpus.name, corpus.languages.join(", "), corpus.about)
}

fn chosen<'a>(corpora: &'a [Corpus], only: &[String]) -> Result<Vec<&'a Corpus>, FetchError> {
    if let Some(name) = only.iter().find(|name| !corpora.iter().any(|corpus| corpus.name == **name)) {
        let known: Vec<&str> = corpora.iter().map(|corpus| corpus.name.as_str()).collect();
        return Err(FetchError::Unknown { name: name.clone(), known: known.join(", ") });
    }
    Ok(corpora.iter().filter(|corpus| only.is_empty() || only.contains(&corpus.name)).collect())
}

fn one(corpus: &Corpus, trees: &Path) -> Result<Done, Problem> {
    let place = trees.join(&corpus.name);
    if fs::symlink_metadata(&place).is_ok() {
        return match unpack::tree(&place)? == corpus.tree {
            true => Ok(Done::WasThere),
            false => Err(Problem::Differs { path: place }),
        };
    }
    let scratch = tempfile::Builder::new().prefix(".fetch-").tempdir_in(trees)?;
    let archive = archive(corpus, scratch.path())?;
    let fresh = scratch.path().join("tree");
    unpack::unpack(&archive, &fresh)?;
    let found = unpack::tree(&fresh)?;
    if found != corpus.tree {
        return Err(Problem::Tree { found, pinned: corpus.tree });
    }
    fs::rename(&fresh, &place)?;
    Ok(Done::Fetched)
}

fn archive(corpus: &Corpus, scratch: &Path) -> Result<PathBuf, Problem> {
    let (archive, pinned) = match &corpus.from {
        Source::Pypi(package) => (clients::pypi(package, scratch)?, package.sha256),
        Source::Npm(package) => (clients::npm(package, scratch)?, package.sha256),
        Source::Crate(package) => (clients::crates(package, scratch)?, package.sha256),
        Source::Debian(package) => (clients::debian(package, scratch)?, package.sha256),
        // A revision names its contents, and the tree has a checksum of its own.
        Source::Git { url, revision } => return Ok(clients::git(url, revision, scratch)?),
    };
    verified(archive, pinned)
}

fn verified(archive: PathBuf, pinned: Checksum) -> Result<PathBuf, Problem> {
    let found = unpack::file(&archive)?;
    if found == pinned { Ok(archive) } else { Err(Problem::Archive { found, pinned }) }
}

#[cfg(test)]
mod tests;
