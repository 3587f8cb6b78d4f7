//! `--open N`: a place of an answer in the user's editor.

use std::io;
use std::path::Path;
use std::process::Command;

use clap::ArgMatches;
use spyhop_base::path::RelPath;

use super::args;
use super::failure::{Failure, Outcome, complain};
use super::values::optional;
use crate::editor::{self, EditorTarget};

/// The number of the hit to open, from 1, if the user asks for that.
pub fn wanted(matches: &ArgMatches) -> Option<usize> {
    optional::<u64>(matches, args::OPEN.name).map(|&number| usize::try_from(number).unwrap_or(usize::MAX))
}

/// A place of an answer: a file, and a line and a column, counted from 1.
pub type EditorPlace<'a> = (&'a RelPath, u32, u32);

/// Opens place `number` of `places` and waits for the editor to end.
pub fn open(root: &Path, places: &[EditorPlace<'_>], number: usize) -> Result<Outcome, Failure> {
    if places.is_empty() {
        complain(&Failure::Usage(format!("--open {number}: nothing was found")));
        return Ok(Outcome::Nothing);
    }
    let Some((path, line, column)) = number.checked_sub(1).and_then(|place| places.get(place)) else {
        let choices = match places.len() {
            1 => "1 place; choose 1".to_string(),
            count => format!("{count} places; choose 1 to {count}"),
        };
        return Err(Failure::Usage(format!("--open {number}: the answer has {choices}")));
    };
    let editor = editor::named(|name| std::env::var_os(name)).ok_or_else(|| {
        Failure::Usage("--open needs an editor; set VISUAL or EDITOR, such as EDITOR=vim".to_string())
    })?;
    let file = path.below(root).to_string_lossy().into_owned();
    let target = EditorTarget { path: file, line: *line, column: *column };
    let argv = editor::command(&editor, &[target]).map_err(Failure::Usage)?;
    let ended = Command::new(&argv[0]).args(&argv[1..]).status().map_err(|error| {
        let program = &argv[0];
        let why = match error.kind() {
            io::ErrorKind::NotFound => "there is no such program".to_string(),
            _ => error.to_string(),
        };
        Failure::Usage(format!("the editor '{program}' did not start: {why}; set VISUAL or EDITOR"))
    })?;
    if ended.success() {
        return Ok(Outcome::Found);
    }
    Err(Failure::Usage(format!("the editor '{editor}' ended with {ended}")))
}
