//! `spyhop why-not FILE QUERY...`: shows why a file does not match, or where it ranks.
//!
//! This module owns the exit code: 0 when the file ranks, 1 when it does not, for whatever reason.

use clap::ArgMatches;
use spyhop::catalog::{self, Call, WhyNotCall};
use spyhop::engine::api::Verdict;
use spyhop::render::{json, text};

use super::failure::{Failure, Outcome};
use super::huge;
use super::options;
use super::output::Output;
use super::values::fill_from;

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let place = options::place(matches)?;
    output.show_paths_of(&place);
    let mut call = WhyNotCall::new(options::options(matches)?);
    fill_from(catalog::WHY_NOT_ROWS, &mut call, matches, Some(&place))?;
    let file = call.file.expect("the parser insists on a file");
    let Call { request, options } = call.search;
    let answer = huge::open(&place, options, matches)?.why_not(file.as_str(), &request)?;
    if output.json {
        output.json(&json::why_not(&answer))?;
    } else {
        output.text(&text::why_not(&answer, &place.root, &output.style))?;
    }
    Ok(if answer.verdict == Verdict::Ranked { Outcome::Found } else { Outcome::Nothing })
}
