//! `spyhop grep PATTERN [PATH]...`: every line that matches.
//!
//! What is printed is what ripgrep prints for the same flags, with its defaults for terminals and pipes; a page of an
//! answer, and our own JSON, come where they are asked for.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::{Bounds, Case, Form, GrepRequest, Looks};
use spyhop::render::{json, text};

use super::args::HERE;
use super::output::Output;
use super::place::{Place, given, optional};
use super::request::{filter, number, texts};
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let Asked { place, request, paths } = asked(matches)?;
    let engine = place.open(matches)?;
    if given(matches, catalog::EXPLAIN_PLAN.name) {
        let plan = engine.explain_grep(&request)?;
        output.text(&format!("{plan}\n"))?;
        return Ok(Outcome::Found);
    }
    let is_page = [catalog::CURSOR.name, catalog::GREP_RESULTS.name]
        .iter()
        .any(|id| matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine));
    if !output.json && !is_page {
        let looks = looks(matches, output, paths.as_deref(), &place);
        let mut stream = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
        let mut written = Ok(());
        let printed = engine.print_grep(&request, &looks, |bytes| {
            written = stream.write_all(bytes);
            written.is_ok()
        })?;
        written.and_then(|()| stream.flush())?;
        output.warn(&printed.warnings);
        if let Some(reason) = &printed.incomplete {
            output.warn(&[format!("not complete: {reason}")]);
        }
        return Ok(match (printed.matched, printed.incomplete) {
            (_, Some(_)) => Outcome::Failed,
            (true, None) => Outcome::Found,
            (false, None) => Outcome::Nothing,
        });
    }
    let reply = engine.grep(&request)?;
    output.warn(&reply.warnings);
    if output.json {
        output.json(&json::grep(&reply))?;
    } else {
        output.text(&text::grep(&reply, &output.style))?;
    }
    Ok(if reply.lines.is_empty() { Outcome::Nothing } else { Outcome::Found })
}

/// What was typed.
struct Asked {
    place: Place,
    request: GrepRequest,
    /// The paths without a flag.
    paths: Option<Vec<PathBuf>>,
}

fn asked(matches: &ArgMatches) -> Result<Asked, Failure> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut patterns = texts(matches, catalog::REGEXP.name);
    if let Some(pattern) = optional::<String>(matches, catalog::PATTERN.name) {
        if patterns.is_empty() { patterns.push(pattern.clone()) } else { paths.push(pattern.into()) }
    }
    paths.extend(matches.get_many::<PathBuf>(HERE).into_iter().flatten().cloned());
    let place = if paths.is_empty() { Place::of(matches)? } else { Place::with(matches, &paths[0])? };
    let mut patterns = patterns.into_iter();
    let mut request = GrepRequest::new(patterns.next().unwrap_or_default());
    request.or_patterns = patterns.collect();
    request.fixed = given(matches, catalog::FIXED.name);
    request.case = if given(matches, catalog::IGNORE_CASE.name) {
        Case::Ignored
    } else if given(matches, catalog::SMART_CASE.name) {
        Case::Smart
    } else {
        Case::Sensitive
    };
    request.bounds = if given(matches, catalog::WORD.name) {
        Bounds::Word
    } else if given(matches, catalog::LINE_REGEXP.name) {
        Bounds::Line
    } else {
        Bounds::None
    };
    request.multi_line = given(matches, catalog::MULTI_LINE.name);
    request.dot_all = given(matches, catalog::DOT_ALL.name);
    request.invert = given(matches, catalog::INVERT.name);
    request.rank = given(matches, catalog::RANK.name);
    request.brute = given(matches, catalog::BRUTE.name);
    request.max_count = optional::<u64>(matches, catalog::MAX_COUNT.name).copied();
    request.before = number(matches, catalog::BEFORE.name);
    request.after = number(matches, catalog::AFTER.name);
    request.filter = filter(matches, &place)?;
    if request.filter.path.is_some() {
        let others = paths.iter().skip(1).map(|path| place.also(path));
        request.filter.or_paths = others.collect::<Result<_, _>>()?;
    }
    request.cursor = optional::<String>(matches, catalog::CURSOR.name).cloned();
    request.max_results = number(matches, catalog::GREP_RESULTS.name).unwrap_or(request.max_results);
    request.expand = number(matches, catalog::GREP_EXPAND.name).unwrap_or(request.expand);
    Ok(Asked { place, request, paths: (!paths.is_empty()).then_some(paths) })
}

/// How lines are printed: as ripgrep has it, a heading and numbers on a terminal, neither elsewhere.
fn looks(matches: &ArgMatches, output: &Output, paths: Option<&[PathBuf]>, place: &Place) -> Looks {
    let flag = |param: &catalog::Param| given(matches, param.name);
    let terminal = io::stdout().is_terminal();
    let is_one_file = match (paths, &place.path) {
        (Some([_]) | None, Some(path)) => Path::new(&place.root).join(path).is_file(),
        _ => false,
    };
    let form = if flag(&catalog::RG_JSON) {
        Form::Events
    } else if flag(&catalog::FILES_WITH) {
        Form::Files
    } else if flag(&catalog::FILES_WITHOUT) {
        Form::FilesWithout
    } else if flag(&catalog::COUNT_MATCHES) || (flag(&catalog::COUNT) && flag(&catalog::ONLY_MATCHING)) {
        Form::CountMatches
    } else if flag(&catalog::COUNT) {
        Form::Count
    } else {
        Form::Lines
    };
    let heading = flag(&catalog::HEADING) || (terminal && !flag(&catalog::NO_HEADING));
    let numbers = (terminal && !is_one_file) || flag(&catalog::COLUMN);
    let paths = flag(&catalog::WITH_FILENAME) || !(is_one_file || flag(&catalog::NO_FILENAME));
    Looks {
        form,
        heading: heading && paths,
        line_numbers: flag(&catalog::LINE_NUMBER) || (numbers && !flag(&catalog::NO_LINE_NUMBER)),
        columns: flag(&catalog::COLUMN),
        only_matching: flag(&catalog::ONLY_MATCHING),
        paths,
        color: output.style.color,
    }
}
