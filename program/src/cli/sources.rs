//! Questions to several sources of a library: `--in` and `--all`.
//!
//! This module owns the choice of the sources on a command line. Paths of such a question are relative to the root of each
//! source, so the current folder has no effect on them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ArgMatches;
use spyhop_base::similar;
use spyhop_engine::Corpus;
use spyhop_engine::api::{Options, SourceName};
use spyhop_interface::catalog::{self, AskedSources, Param, Takes, params};
use spyhop_library::{Library, LibraryOptions, SourceChoice};

use super::args::HERE;
use super::failure::Failure;
use super::values::{fill_from, many, optional};

/// Whether the arguments ask sources of a library, and not one tree.
pub fn are_asked(matches: &ArgMatches) -> Result<bool, Failure> {
    let asked = choice(matches)?;
    match (asked.choice(), asked.library) {
        (Some(_), _) => Ok(true),
        (None, None) => Ok(named_by_path(matches).is_some()),
        (None, Some(_)) => {
            Err(Failure::Usage("--library has no effect without --all or --in; add one of them".to_string()))
        }
    }
}

fn choice(matches: &ArgMatches) -> Result<AskedSources, Failure> {
    let mut asked = AskedSources::default();
    fill_from(catalog::ASKED_SOURCES, &mut asked, matches, None)?;
    Ok(asked)
}

/// The arguments that may begin with the name of a source.
const PLACES: [&Param; 4] = [&catalog::READ_PATH, &catalog::TARGET, &catalog::FILE, &catalog::SYMBOL];

/// What stands before the `:` of each argument that may begin with the name of a source, as `client` in
/// `client:src/lib.rs`. A file of that name in the current folder is no source.
fn names_in_paths(matches: &ArgMatches) -> Vec<String> {
    let texts = PLACES.into_iter().filter_map(|param| match param.takes {
        Takes::Path => Some(optional::<PathBuf>(matches, param.name)?.to_str()?.to_string()),
        _ => optional::<String>(matches, param.name).cloned(),
    });
    let bare = many::<PathBuf>(matches, HERE).chain(optional::<PathBuf>(matches, params::PATH.name));
    let bare = bare.filter_map(|path| path.to_str().map(str::to_string));
    let name = |text: String| SourceName::before_path(&text).map(str::to_string);
    texts.chain(bare).filter_map(name).filter(|name| !Path::new(name).exists()).collect()
}

/// The source of the usual library that a path names.
fn named_by_path(matches: &ArgMatches) -> Option<String> {
    let names = names_in_paths(matches);
    if names.is_empty() {
        return None;
    }
    let known = Library::open(LibraryOptions::default()).ok()?.list().ok()?.sources;
    names.into_iter().find(|name| known.iter().any(|source| source.name == *name))
}

/// The sources of the usual library, for a path that names one which the library does not have; empty if there is no such
/// path.
pub fn advice(matches: &ArgMatches) -> String {
    let names = names_in_paths(matches);
    let Some(name) = names.first() else { return String::new() };
    let library = Library::open(LibraryOptions::default()).and_then(|library| library.list());
    let known: Vec<String> = library
        .map(|reply| reply.sources.into_iter().map(|source| source.name).collect())
        .unwrap_or_default();
    if known.is_empty() || known.contains(name) {
        return String::new();
    }
    let near = similar::did_you_mean(name, known.iter().map(String::as_str));
    let shown = known.iter().take(MAX_KNOWN).map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    let more = if known.len() > MAX_KNOWN { ", ..." } else { "" };
    format!("the library has no source '{name}', only {shown}{more}{near}")
}

/// The most sources that an error lists.
const MAX_KNOWN: usize = 12;

/// Opens the sources that the arguments ask for.
pub fn open(matches: &ArgMatches, options: &Options) -> Result<Arc<Corpus>, Failure> {
    let asked = choice(matches)?;
    let named = || named_by_path(matches).map(|name| SourceChoice::Named(vec![name]));
    let choice = asked.choice().or_else(named).unwrap_or(SourceChoice::All);
    if let Some(root) = asked.library.as_ref().filter(|root| !root.is_dir()) {
        return Err(Failure::Usage(format!("library '{}' does not exist; give its folder", root.display())));
    }
    let library = Library::open(LibraryOptions { root: asked.library, ..LibraryOptions::default() })?;
    Ok(library.reader(options.clone()).set(&choice)?)
}
