//! The values of a command line, for the catalog's rows.
//!
//! This module owns the conversion of parsed arguments to raw values. Paths are resolved by the command's tree.

use std::cell::Cell;
use std::io;
use std::path::PathBuf;

use clap::ArgMatches;
use spyhop_base::path::RelPath;
use spyhop_interface::catalog::{self, Faces, Param, RawValues, Row, Takes, ValueError, fill, params};

use super::args::HERE;
use super::failure::Failure;
use super::place::TreePlace;

/// The arguments of a command, and the tree that its paths lie in.
pub struct CommandValues<'m> {
    matches: &'m ArgMatches,
    place: Option<&'m TreePlace>,
    /// The folder or file of each source, if several sources are asked.
    scope: Option<String>,
    /// The parameter whose value was standard input.
    input_of: Cell<Option<&'static str>>,
}

impl<'m> CommandValues<'m> {
    /// The arguments of a command whose paths lie in the tree of `place`.
    pub fn new(matches: &'m ArgMatches, place: &'m TreePlace) -> CommandValues<'m> {
        CommandValues { matches, place: Some(place), scope: None, input_of: Cell::default() }
    }

    /// The arguments of a command that is about no tree.
    pub fn without_tree(matches: &'m ArgMatches) -> CommandValues<'m> {
        CommandValues { matches, place: None, scope: None, input_of: Cell::default() }
    }

    /// The arguments of a command that asks several sources.
    pub fn of_sources(matches: &'m ArgMatches) -> Result<CommandValues<'m>, Failure> {
        let scope = scope(matches)?;
        Ok(CommandValues { matches, place: None, scope, input_of: Cell::default() })
    }
}

/// Writes the given arguments into a request that several sources answer.
pub fn fill_for_sources<R>(rows: &[Row<R>], request: &mut R, matches: &ArgMatches) -> Result<(), Failure> {
    let values = CommandValues::of_sources(matches)?;
    fill(rows, request, &values).map_err(|error| Failure::Usage(error.to_string()))
}

/// Writes the given arguments into a request.
pub fn fill_from<R>(
    rows: &[Row<R>],
    request: &mut R,
    matches: &ArgMatches,
    place: Option<&TreePlace>,
) -> Result<(), Failure> {
    let values = CommandValues { matches, place, scope: None, input_of: Cell::default() };
    fill(rows, request, &values).map_err(|error| Failure::Usage(error.to_string()))
}

/// The folder or file of each source that `--path`, or a path without a flag, limits a question to.
fn scope(matches: &ArgMatches) -> Result<Option<String>, Failure> {
    let bare: Vec<&PathBuf> = many(matches, HERE).collect();
    if bare.len() > 1 {
        let text = "sources are searched below one path; give one path, or none";
        return Err(Failure::Usage(text.to_string()));
    }
    let typed = bare.into_iter().next().or_else(|| optional::<PathBuf>(matches, params::PATH.name));
    let Some(path) = typed else { return Ok(None) };
    let path = RelPath::from_path(path).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(Some(path.as_str().to_string()).filter(|path| !path.is_empty()))
}

impl CommandValues<'_> {
    fn typed_paths(&self, param: &Param) -> Vec<&PathBuf> {
        self.matches
            .try_get_many::<PathBuf>(param.name)
            .ok()
            .flatten()
            .map(Iterator::collect)
            .unwrap_or_default()
    }
}

impl RawValues for CommandValues<'_> {
    fn face(&self) -> Faces {
        Faces::CommandLine
    }

    fn text(&self, param: &Param) -> Result<Option<String>, ValueError> {
        let texts = self.texts(param)?;
        Ok((!texts.is_empty()).then(|| texts.join(" ")))
    }

    fn texts(&self, param: &Param) -> Result<Vec<String>, ValueError> {
        let values = self.matches.try_get_many::<String>(param.name).ok().flatten();
        Ok(values.map(|values| values.cloned().collect()).unwrap_or_default())
    }

    fn text_or_input(&self, param: &Param, text: String) -> Result<String, ValueError> {
        if text != "-" {
            return Ok(text);
        }
        let name = param.name;
        if let Some(other) = self.input_of.replace(Some(name)) {
            return Err(ValueError::new(format!(
                "{other} and {name} are both '-'; standard input is one text"
            )));
        }
        let input = io::read_to_string(io::stdin().lock());
        input.map_err(|error| ValueError::new(format!("{name}: standard input cannot be read: {error}")))
    }

    fn flag(&self, param: &Param) -> Result<Option<bool>, ValueError> {
        Ok(optional::<bool>(self.matches, param.name).copied().filter(|&on| on))
    }

    fn count(&self, param: &Param) -> Result<u8, ValueError> {
        Ok(optional::<u8>(self.matches, param.name).copied().unwrap_or(0))
    }

    fn number(&self, param: &Param) -> Result<Option<u64>, ValueError> {
        Ok(optional::<u64>(self.matches, param.name).copied())
    }

    fn fraction(&self, param: &Param) -> Result<Option<f32>, ValueError> {
        Ok(optional::<f32>(self.matches, param.name).copied())
    }

    fn scope(&self, _: &Param) -> Result<Option<String>, ValueError> {
        Ok(self.scope.clone().or_else(|| self.place.and_then(|place| place.path.clone())))
    }

    fn paths(&self, param: &Param) -> Result<Vec<RelPath>, ValueError> {
        let Some(place) = self.place else {
            // Paths of several sources are below each of them.
            let paths = self.typed_paths(param).into_iter().map(|path| RelPath::from_path(path));
            return paths.collect::<Result<_, _>>().map_err(|error| ValueError::new(error.to_string()));
        };
        // The path that chose the tree may be relative to a folder outside of the tree.
        if let Some(path) = place.path.as_ref().filter(|_| param.name == params::PATH.name) {
            return RelPath::new(path)
                .map(|path| vec![path])
                .map_err(|error| ValueError::new(error.to_string()));
        }
        if let Some(entry) = place.entry.as_ref().filter(|_| param.name == catalog::FILE.name) {
            return Ok(vec![entry.clone()]);
        }
        let resolved = self.typed_paths(param).into_iter().map(|path| place.relative(path));
        resolved.collect::<Result<_, _>>().map_err(|failure| ValueError::new(failure.to_string()))
    }

    fn file(&self, param: &Param) -> Result<Option<PathBuf>, ValueError> {
        let Some(path) = self.text_of_path(param)? else { return Ok(None) };
        let whole = std::path::absolute(&path);
        whole
            .map(Some)
            .map_err(|error| ValueError::new(format!("{} '{}': {error}", param.name, path.display())))
    }

    fn current_folder(&self) -> Option<String> {
        self.place.and_then(TreePlace::current_folder)
    }

    fn text_of_path(&self, param: &Param) -> Result<Option<PathBuf>, ValueError> {
        debug_assert!(matches!(param.takes, Takes::Path), "{} takes no path", param.name);
        Ok(self.typed_paths(param).first().map(|path| path.to_path_buf()))
    }
}

/// The value of an argument that this subcommand may not have.
pub fn optional<'a, T: Clone + Send + Sync + 'static>(matches: &'a ArgMatches, id: &str) -> Option<&'a T> {
    matches.try_get_one::<T>(id).ok().flatten()
}

/// The values of an argument that this subcommand may not have.
pub fn many<'a, T: Clone + Send + Sync + 'static>(
    matches: &'a ArgMatches,
    id: &str,
) -> impl Iterator<Item = &'a T> {
    matches.try_get_many::<T>(id).ok().flatten().into_iter().flatten()
}

/// Whether a flag is given; false where this subcommand has no such flag.
pub fn given(matches: &ArgMatches, id: &str) -> bool {
    optional::<bool>(matches, id).copied().unwrap_or(false)
}
