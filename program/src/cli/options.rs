//! The tree and the engine options of a command.
//!
//! This module owns what the catalog's rows say of every command: where the tree is, how the tree is indexed, and how
//! long a command that changes the index waits for another process.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;
use spyhop_engine::api::{Isolation, Options};
use spyhop_interface::catalog::{self, Placement, params};

use super::args;
use super::failure::Failure;
use super::place::TreePlace;
use super::values::{fill_from, optional};

/// The timeout for another process, practically endless: that process ends some time, which frees its lock.
const ENDLESS: Duration = Duration::from_secs(24 * 3600);

/// The place that the arguments and the current folder choose.
pub fn place(matches: &ArgMatches) -> Result<TreePlace, Failure> {
    let path = [args::HERE, params::PATH.name].iter().find_map(|id| optional::<PathBuf>(matches, id));
    chosen(matches, path.map(PathBuf::as_path), false)
}

/// The place that the arguments and a path of an exact search choose.
pub fn place_of(matches: &ArgMatches, path: Option<&Path>) -> Result<TreePlace, Failure> {
    chosen(matches, path, true)
}

fn chosen(matches: &ArgMatches, path: Option<&Path>, may_be_above: bool) -> Result<TreePlace, Failure> {
    TreePlace::of(typed_root(matches)?.as_deref(), path, is_on_disk(matches), may_be_above)
}

/// The root as typed: `ROOT` without a flag, or `--root`.
pub fn typed_root(matches: &ArgMatches) -> Result<Option<PathBuf>, Failure> {
    match optional::<PathBuf>(matches, args::TREE) {
        Some(tree) => Ok(Some(tree.clone())),
        None => Ok(placement(matches)?.root),
    }
}

/// Whether the files on disk are searched, and not those of a revision.
fn is_on_disk(matches: &ArgMatches) -> bool {
    optional::<String>(matches, params::VIEW.name).is_none()
}

/// The options of a command that changes the index, which waits for another process unless the user says not to.
pub fn for_writing(matches: &ArgMatches) -> Result<Options, Failure> {
    Ok(Options { wait: ENDLESS, ..options(matches)? })
}

/// The options that say how a tree is indexed, and for a server what answers do about changes.
pub fn options(matches: &ArgMatches) -> Result<Options, Failure> {
    Ok(placement(matches)?.options)
}

fn placement(matches: &ArgMatches) -> Result<Placement, Failure> {
    let options = Options { isolation: Isolation::own_program(), ..Options::default() };
    let mut placement = Placement { root: None, options };
    fill_from(catalog::PLACE, &mut placement, matches, None)?;
    fill_from(catalog::SERVER, &mut placement, matches, None)?;
    Ok(placement)
}

#[cfg(test)]
mod tests {
    use spyhop_interface::catalog::{FilledRequest, IndexRequest};

    use super::*;

    #[test]
    fn flags_of_index_become_its_options() {
        let of = |line: &str| {
            let matches = crate::cli::command().try_get_matches_from(line.split(' ')).unwrap();
            let (_, own) = matches.subcommand().unwrap();
            let mut call = FilledRequest::new(IndexRequest::default(), for_writing(own).unwrap());
            fill_from(catalog::INDEX_ROWS, &mut call, own, None).unwrap();
            (call.options.text_first, call.options.wait)
        };
        assert_eq!(of("spyhop index"), (true, ENDLESS));
        assert_eq!(of("spyhop index --wait"), (false, ENDLESS));
        assert_eq!(of("spyhop index --no-wait"), (true, Duration::ZERO));
    }
}
