//! The real binary on small trees.
//!
//! Each test writes its tree from one text into a new folder, with an index folder beside it, so nothing of
//! the machine gets in. What is checked is what a shell or a program sees: bytes on standard output, words on
//! standard error, the exit code. How well answers rank is not tested here.

mod absolute;
mod comparing;
#[cfg(unix)]
mod completions;
mod crashed_parser;
mod explain;
mod first;
mod forms;
#[cfg(unix)]
mod huge;
mod install;
mod library;
mod like_ripgrep;
#[cfg(unix)]
pub mod limits;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod names;
#[cfg(unix)]
mod notes;
#[cfg(unix)]
mod odd_files;
mod operations;
mod parameters;
#[cfg(unix)]
mod people;
mod portable;
#[cfg(unix)]
mod pty;
mod reach;
#[cfg(unix)]
mod remote;
mod ripgrep_files;
#[cfg(not(feature = "dense-embed"))]
mod semantic;
mod sources;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod transcripts;
#[cfg(unix)]
mod ui;
mod upkeep;
mod views;
#[cfg(unix)]
mod waiting;
mod watch;

use std::path::{Path, PathBuf};

use crate::support::{Ran, SMALL, Tree, git, ran};

/// The tree of a file of `transcripts/`.
fn described(transcript: &str) -> Tree {
    Tree::new(transcript.split_once("\n$ ").unwrap().0)
}

/// The files below a folder, however deep, in order.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
    }
    found.sort();
    found
}
