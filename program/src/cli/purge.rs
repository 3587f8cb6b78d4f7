//! `spyhop purge`: removes what Spyhop keeps on this machine, before the program is uninstalled.
//!
//! This module owns the list of what is kept and where. What is removed is listed first; nothing is removed without a
//! person's consent. A folder is only removed if Spyhop has marked it: a variable may name a folder with other files.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use spyhop_base::store::{self, Lock};
use spyhop_engine::api::Options;
use spyhop_engine::index_home;
use spyhop_index::workspace::Workspace;
use spyhop_interface::catalog::{Param, Takes, param};
use spyhop_interface::render::{clean, text};
use spyhop_library::{Library, LibraryOptions};

use super::args;
use super::failure::{Failure, Outcome, complain};
use super::output::{self, on_screen};
use super::values::given;
use crate::install;
use crate::ui::history;

const DRY_RUN: Param = param("dry_run", Takes::Nothing, "Only list what would be removed");
const YES: Param = param("yes", Takes::Nothing, "Remove it without asking");

pub fn command() -> Command {
    Command::new("purge")
        .about("Remove all that Spyhop keeps on this machine: indexes, notes, the library, histories")
        .args([&DRY_RUN, &YES].map(args::arg))
        .after_help("Exit codes: 0 removed or listed, 1 declined, 2 error.")
}

/// Something that is kept.
struct Kept {
    path: PathBuf,
    what: String,
    remove: Removal,
}

/// How something is removed.
enum Removal {
    /// An index, unless a process works on it.
    Index,
    Library(Library),
    /// A file or folder of the state folder.
    State,
}

impl Kept {
    fn line(&self) -> String {
        let size = text::bytes(store::bytes_below(&self.path));
        format!("  {}  {}, {size}\n", clean::line(&self.path.to_string_lossy()), clean::line(&self.what))
    }

    fn remove(&self) -> Result<(), Failure> {
        match &self.remove {
            Removal::Library(library) => return Ok(library.remove_all()?),
            Removal::Index if Lock::holder(&self.path.join("lock")).is_some() => {
                let text =
                    format!("{} is being changed by another process; it was left", self.path.display());
                return Err(Failure::Refused(text));
            }
            Removal::Index | Removal::State => {}
        }
        let removed = match self.path.is_dir() {
            true => std::fs::remove_dir_all(&self.path),
            false => std::fs::remove_file(&self.path),
        };
        removed.map_err(|error| {
            Failure::Io(io::Error::new(
                error.kind(),
                format!("cannot remove {}: {error}", self.path.display()),
            ))
        })
    }
}

/// The indexes in the usual folder, each with the notes about its tree.
fn indexes(home: &Path) -> Vec<Kept> {
    let folders = home.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let kept = |path: PathBuf| {
        let owner = Workspace::owner_of(&path)?;
        let notes = if path.join("memory").is_dir() { "index and notes" } else { "index" };
        Some(Kept { what: format!("{notes} of {owner}"), path, remove: Removal::Index })
    };
    let mut all: Vec<Kept> = folders.filter_map(kept).collect();
    all.sort_by(|a, b| a.what.cmp(&b.what));
    all
}

/// What is in the user's state folder.
fn state() -> impl Iterator<Item = Kept> {
    let kept = |path: PathBuf, what: &str| Kept { path, what: what.to_string(), remove: Removal::State };
    let queries = history::place().map(|path| kept(path, "queries of the picker"));
    let installed = install::records().map(|path| kept(path, "records of 'spyhop mcp install'"));
    queries.into_iter().chain(installed).filter(|kept| kept.path.symlink_metadata().is_ok())
}

pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let home = index_home(&Options::default())?;
    let library = Library::open(LibraryOptions::default())?;
    let put_in = library.put_in();
    let mut all = home.as_deref().map(indexes).unwrap_or_default();
    if library.exists() {
        let path = library.paths().root().to_path_buf();
        let what = "library of sources, with their imports, indexes and notes".to_string();
        all.push(Kept { path, what, remove: Removal::Library(library) });
    }
    all.extend(state());
    let mut out = io::stdout().lock();
    if all.is_empty() {
        out.write_all(b"Spyhop keeps nothing on this machine.\n")?;
        return Ok(Outcome::Found);
    }
    let mut list = "Spyhop keeps:\n".to_string();
    all.iter().for_each(|kept| list += &kept.line());
    list += "Notes are kept nowhere else; 'spyhop memory export' writes those of a tree to a file.\n";
    if let Some(folder) = &put_in {
        list += &format!("{} stays: files that you have put in.\n", folder.display());
    }
    list += "The program itself and the configurations of agents stay; 'spyhop mcp uninstall CLIENT' changes those.\n";
    out.write_all(on_screen(&list).as_bytes())?;
    out.flush()?;
    if given(matches, DRY_RUN.name) {
        return Ok(Outcome::Found);
    }
    if !given(matches, YES.name) && !agrees()? {
        return Ok(Outcome::Nothing);
    }
    let mut outcome = Outcome::Found;
    for kept in &all {
        if let Err(failure) = kept.remove() {
            complain(&failure);
            outcome = Outcome::Failed;
        }
    }
    // The folders of the program itself, if nothing else is in them.
    for folder in home.iter().flat_map(|home| [Some(home.as_path()), home.parent()]).flatten() {
        let _ = std::fs::remove_dir(folder);
    }
    Ok(outcome)
}

/// Asks for consent.
fn agrees() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::Refused(
            "nothing was removed: add --yes to remove it without being asked".to_string(),
        ));
    }
    Ok(output::agrees("Remove all of this?", &mut io::stdin().lock())?)
}
