//! `spyhop export FILE` and `spyhop import FILE`: an index in a file, for another machine or another folder.

use std::path::PathBuf;

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::{Export, Import};
use spyhop::render::{json, text};

use super::output::Output;
use super::place::{Place, given};
use super::progress::Bar;
use super::{Failure, Outcome};

pub fn export(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let engine = Place::of(matches)?.open(matches)?;
    let export = Export {
        all_views: given(matches, catalog::ALL_VIEWS.name),
        snippets: given(matches, catalog::WITH_SNIPPETS.name),
    };
    let exported = engine.export(&archive(matches)?, &export)?;
    if output.json {
        output.json(&json::exported(&exported))?;
    } else if !output.quiet {
        output.text(&text::exported(&exported))?;
    }
    Ok(Outcome::Found)
}

pub fn import(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let engine = Place::of(matches)?.open_for_writing(matches)?;
    let import = Import {
        force: given(matches, catalog::FORCE.name),
        without_sources: given(matches, catalog::WITHOUT_SOURCES.name),
    };
    let bar = Bar::new(output);
    let imported = engine.import(&archive(matches)?, &import, &|progress| bar.update(progress))?;
    drop(bar);
    if output.json {
        output.json(&json::imported(&imported))?;
    } else if !output.quiet {
        output.text(&text::imported(&imported))?;
    }
    Ok(Outcome::Found)
}

/// The absolute path of the archive.
fn archive(matches: &ArgMatches) -> Result<PathBuf, Failure> {
    let file: &PathBuf = matches.get_one(catalog::ARCHIVE.name).expect("the parser insists on it");
    Ok(std::path::absolute(file)?)
}
