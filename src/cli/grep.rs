//! `spyhop grep PATTERN [PATH]...`: every line that matches.
//!
//! The output is that of ripgrep for the same flags, with ripgrep's defaults for terminals and pipes. Pages of an
//! answer and Spyhop's own JSON are printed only on request.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use spyhop::catalog;
use spyhop::engine::api::{Bounds, Case, GrepRequest, OutputFormat, PrintOptions};
use spyhop::render::{json, text};

use super::args::HERE;
use super::output::Output;
use super::place::{Place, given, optional};
use super::request::{filter, number, texts};
use super::{Failure, Outcome};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let Asked { place, request, paths } = asked(matches)?;
    let engine = place.open(matches)?;
    if given(matches, catalog::grep::EXPLAIN_PLAN.name) {
        let plan = engine.explain_grep(&request)?;
        output.text(&format!("{plan}\n"))?;
        return Ok(Outcome::Found);
    }
    let is_page = [catalog::CURSOR.name, catalog::grep::GREP_RESULTS.name]
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

/// The parsed command line.
struct Asked {
    place: Place,
    request: GrepRequest,
    /// The paths without a flag.
    paths: Option<Vec<PathBuf>>,
}

fn asked(matches: &ArgMatches) -> Result<Asked, Failure> {
    let mut paths: Vec<PathBuf> = Vec::new();
    let mut patterns = texts(matches, catalog::grep::REGEXP.name);
    if let Some(pattern) = optional::<String>(matches, catalog::grep::PATTERN.name) {
        if patterns.is_empty() { patterns.push(pattern.clone()) } else { paths.push(pattern.into()) }
    }
    paths.extend(matches.get_many::<PathBuf>(HERE).into_iter().flatten().cloned());
    let place = if paths.is_empty() { Place::of(matches)? } else { Place::with(matches, &paths[0])? };
    let mut patterns = patterns.into_iter();
    let mut request = GrepRequest::new(patterns.next().unwrap_or_default());
    request.or_patterns = patterns.collect();
    request.fixed = given(matches, catalog::grep::FIXED.name);
    request.case = if given(matches, catalog::grep::IGNORE_CASE.name) {
        Case::Ignored
    } else if given(matches, catalog::grep::SMART_CASE.name) {
        Case::Smart
    } else {
        Case::Sensitive
    };
    request.bounds = if given(matches, catalog::grep::WORD.name) {
        Bounds::Word
    } else if given(matches, catalog::grep::LINE_REGEXP.name) {
        Bounds::Line
    } else {
        Bounds::None
    };
    request.multi_line = given(matches, catalog::grep::MULTI_LINE.name);
    request.dot_all = given(matches, catalog::grep::DOT_ALL.name);
    request.invert = given(matches, catalog::grep::INVERT.name);
    request.rank = given(matches, catalog::grep::RANK.name);
    request.brute = given(matches, catalog::grep::BRUTE.name);
    request.max_count = optional::<u64>(matches, catalog::grep::MAX_COUNT.name).copied();
    request.before = number(matches, catalog::grep::BEFORE.name);
    request.after = number(matches, catalog::grep::AFTER.name);
    request.filter = filter(matches, &place)?;
    if request.filter.path.is_some() {
        let others = paths.iter().skip(1).map(|path| place.also(path));
        request.filter.or_paths = others.collect::<Result<_, _>>()?;
    }
    request.cursor = optional::<String>(matches, catalog::CURSOR.name).cloned();
    request.max_results = number(matches, catalog::grep::GREP_RESULTS.name).unwrap_or(request.max_results);
    request.expand = number(matches, catalog::grep::GREP_EXPAND.name).unwrap_or(request.expand);
    Ok(Asked { place, request, paths: (!paths.is_empty()).then_some(paths) })
}

/// The print options, with ripgrep's defaults: headings and line numbers on a terminal, neither elsewhere.
fn looks(matches: &ArgMatches, output: &Output, paths: Option<&[PathBuf]>, place: &Place) -> PrintOptions {
    let flag = |param: &catalog::Param| given(matches, param.name);
    let terminal = io::stdout().is_terminal();
    let is_one_file = match (paths, &place.path) {
        (Some([_]) | None, Some(path)) => Path::new(&place.root).join(path).is_file(),
        _ => false,
    };
    // The parser keeps only the last of the flags that choose an output format.
    let form = if flag(&catalog::grep::RG_JSON) {
        OutputFormat::Events
    } else if flag(&catalog::grep::FILES_WITH) {
        OutputFormat::Files
    } else if flag(&catalog::grep::FILES_WITHOUT) {
        OutputFormat::FilesWithout
    } else if flag(&catalog::grep::COUNT_MATCHES) {
        // A line that does not match has no matches to count.
        if flag(&catalog::grep::INVERT) { OutputFormat::Count } else { OutputFormat::CountMatches }
    } else if flag(&catalog::grep::COUNT) {
        if flag(&catalog::grep::ONLY_MATCHING) { OutputFormat::CountMatches } else { OutputFormat::Count }
    } else {
        OutputFormat::Lines
    };
    let heading = flag(&catalog::grep::HEADING) || (terminal && !flag(&catalog::grep::NO_HEADING));
    let numbers = (terminal && !is_one_file) || flag(&catalog::grep::COLUMN);
    let paths = flag(&catalog::grep::WITH_FILENAME) || !(is_one_file || flag(&catalog::grep::NO_FILENAME));
    PrintOptions {
        form,
        heading: heading && paths,
        line_numbers: flag(&catalog::grep::LINE_NUMBER) || (numbers && !flag(&catalog::grep::NO_LINE_NUMBER)),
        columns: flag(&catalog::grep::COLUMN),
        only_matching: flag(&catalog::grep::ONLY_MATCHING),
        paths,
        color: output.style.color,
        terminal,
    }
}
