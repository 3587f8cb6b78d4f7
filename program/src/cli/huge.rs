//! The question before something huge is indexed that nobody has asked to index.
//!
//! A search in a folder without an index builds one. If that folder is the whole file system, a folder of the system, a
//! home folder or a tree of more than a million files, a person is asked first, and a pipe is refused with the command
//! that means it. `--yes` is the answer in advance.

use std::io::{self, IsTerminal};
use std::mem::ManuallyDrop;
use std::path::Path;

use clap::ArgMatches;
use indicatif::HumanCount;
use spyhop_engine::Engine;
use spyhop_engine::api::{OnMissing, Options};
use spyhop_interface::catalog::PLAN;
use spyhop_interface::render::{clean, index_command};

use super::args;
use super::failure::Failure;
use super::output::agrees;
use super::place::TreePlace;
use super::values::given;

/// The number of files above which a tree is huge.
const MANY: usize = 1_000_000;

/// Folders that belong to the system.
const SYSTEM: &[&str] =
    &["/usr", "/var", "/opt", "/proc", "/sys", "/dev", "/System", "/Library", "/Applications"];

/// Folders that hold home folders.
const HOMES: &[&str] = &["/home", "/Users"];

/// Opens the engine of a command that builds a missing index, after the question if the tree is huge.
pub fn open(
    place: &TreePlace,
    options: Options,
    matches: &ArgMatches,
) -> Result<ManuallyDrop<Engine>, Failure> {
    // The files of a revision are those that git tracks, which somebody has chosen.
    let may_build = options.on_missing != OnMissing::Fail && options.view.is_none();
    let engine = place.open(options)?;
    if may_build && !given(matches, args::YES.name) && !engine.has_index() && !engine.is_updating() {
        ask(&engine, MANY)?;
    }
    Ok(engine)
}

/// Asks the question about a folder that becomes a source of a library.
pub fn check_folder(folder: &Path, options: &Options, matches: &ArgMatches) -> Result<(), Failure> {
    if given(matches, args::YES.name) || given(matches, PLAN.name) || !folder.is_dir() {
        return Ok(());
    }
    ask(&Engine::open(folder, options.clone())?, MANY)
}

/// Asks whether a huge tree is to be indexed; fails unless a person agrees.
fn ask(engine: &Engine, many: usize) -> Result<(), Failure> {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let special = special(engine.root(), home.as_deref());
    let files = engine.count_files(many)?;
    let files = match (files > many, special) {
        (false, None) => return Ok(()),
        (false, Some(_)) => HumanCount(files as u64).to_string(),
        (true, _) => format!("more than {}", HumanCount(many as u64)),
    };
    let what = special.map(|what| format!(" is {what}, and")).unwrap_or_default();
    let root = engine.root().display().to_string();
    let text = format!("{}{what} has {files} files and no index", clean::line(&root));
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        let command = index_command(&engine.recipe());
        return Err(Failure::Refused(format!(
            "{text}; to index it, run: {command}\nor add --yes to this command"
        )));
    }
    match agrees(&format!("{text}. Index it now?"), &mut io::stdin().lock())? {
        true => Ok(()),
        false => {
            Err(Failure::Refused("nothing was indexed; --root or --path chooses a smaller folder".into()))
        }
    }
}

/// A kind of folder that is rarely a tree of sources.
fn special(root: &Path, home: Option<&Path>) -> Option<&'static str> {
    let is_one_of = |folders: &[&str], path: &Path| folders.iter().any(|folder| Path::new(folder) == path);
    match root.parent() {
        None => Some("the whole file system"),
        _ if home == Some(root) => Some("your home folder"),
        _ if home.is_some_and(|home| home.starts_with(root)) => Some("a folder above your home folder"),
        Some(above) if is_one_of(HOMES, above) => Some("a home folder"),
        _ if is_one_of(HOMES, root) => Some("the folder of all home folders"),
        _ if is_one_of(SYSTEM, root) => Some("a folder of the system"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_are_seldom_meant_are_known() {
        let check = |root: &str, expected: Option<&str>| {
            assert_eq!(special(Path::new(root), Some(Path::new("/home/ann"))), expected, "{root}");
        };
        check("/", Some("the whole file system"));
        check("/usr", Some("a folder of the system"));
        check("/home/ann", Some("your home folder"));
        check("/home", Some("a folder above your home folder"));
        check("/home/bob", Some("a home folder"));
        check("/Users", Some("the folder of all home folders"));
        check("/usr/src/linux", None);
        check("/home/ann/project", None);
        check("/srv/home", None);
    }

    #[test]
    fn a_tree_of_many_files_is_refused_without_a_terminal() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..30 {
            std::fs::create_dir_all(folder.path().join(format!("tree/{number}"))).unwrap();
            std::fs::write(folder.path().join(format!("tree/{number}/a.txt")), "a").unwrap();
        }
        let options = Options { index_dir: Some(folder.path().join("index")), ..Options::default() };
        let engine = Engine::open(folder.path().join("tree"), options).unwrap();
        ask(&engine, 30).unwrap();
        if !io::stdin().is_terminal() {
            let text = ask(&engine, 20).unwrap_err().to_string();
            assert!(
                text.contains("has more than 20 files and no index; to index it, run: spyhop index "),
                "{text}"
            );
        }
        assert!(engine.count_files(20).unwrap() > 20);
        assert_eq!(engine.count_files(1000).unwrap(), 30);
    }
}
