//! `spyhop grep PATTERN [PATH]...`: every line that matches.
//!
//! The output is that of ripgrep for the same flags, with ripgrep's defaults for terminals and pipes. Pages of an
//! answer and Spyhop's own JSON are printed only on request.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use spyhop_base::input;
use spyhop_base::path::{PathBase, RelPath};
use spyhop_engine::api::{
    Binary, GrepReply, GrepRequest, IgnoreSources, MAX_ROWS, OutputFormat, PrintOptions, PrintedGrep,
    SourceName, SymlinkPolicy,
};
use spyhop_engine::{Engine, Error};
use spyhop_interface::catalog::{self, GrepCall, GrepList, grep_params, params};
use spyhop_interface::render::{clean, text};
use spyhop_search::filter::type_definitions;

use super::args::HERE;
use super::failure::{Failure, Outcome, complain};
use super::output::{Output, host};
use super::place::{TreePlace, here};
use super::values::{fill_for_sources, fill_from, given, optional};
use super::{open, options, sources};

pub fn run(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    if sources::are_asked(matches)? {
        return search_sources(matches, output);
    }
    let Typed { paths, missing, stream } = typed(matches, output.json)?;
    if stream {
        let mut call = call(matches, Some(&options::place_of(matches, None)?), &[])?;
        if call.grep.request.binary == Binary::Quit {
            call.grep.request.binary = Binary::Name;
        }
        let looks = print_options(&call, output, true);
        let search = |sink: &mut dyn FnMut(&[u8]) -> bool| {
            Engine::print_grep_stream(&call.grep.request, &looks, "<stdin>", io::stdin().lock(), sink)
        };
        return printed(&call, output, false, search);
    }
    let mut outcome = if missing.is_empty() { Outcome::Nothing } else { Outcome::Failed };
    let is_one_file = paths.len() == 1 && missing.is_empty() && paths[0].is_file();
    for (place, paths) in trees(matches, &paths)? {
        let found = search(matches, output, &place, &paths, is_one_file)?;
        outcome = match (outcome, found) {
            (Outcome::Failed, _) | (_, Outcome::Failed) => Outcome::Failed,
            (Outcome::Found, _) | (_, Outcome::Found) => Outcome::Found,
            _ => Outcome::Nothing,
        };
        if output.quiet && found == Outcome::Found {
            return Ok(Outcome::Found);
        }
    }
    if !given(matches, grep_params::NO_MESSAGES.name) {
        for path in missing {
            complain(&Failure::Usage(format!("path '{}' does not exist", path.display())));
        }
    }
    Ok(outcome)
}

/// The largest file that is searched as if it was mapped, unless the user asks for it.
const MAX_MAPPED_BYTES: u64 = 8 << 20;

/// Searches the paths of one tree.
fn search(
    matches: &ArgMatches,
    output: &mut Output,
    place: &TreePlace,
    paths: &[PathBuf],
    is_one_file: bool,
) -> Result<Outcome, Failure> {
    let call = call(matches, Some(place), paths)?;
    match call.print.list {
        Some(GrepList::Types) => return list_types(&call, output),
        Some(GrepList::Files) => return list_files(place, paths, &call, output),
        None => {}
    }
    let is_one_file = is_one_file || (paths.is_empty() && place.is_file());
    let request = &call.grep.request;
    let engine = place.open(call.grep.options.clone())?;
    if call.explain_plan {
        let plan = engine.explain_grep(request)?;
        output.data(&format!("{plan}\n"))?;
        return Ok(Outcome::Found);
    }
    output.show_paths(place, typed_base(paths, place, request));
    if let Some(number) = open::wanted(matches) {
        let reply = engine.ask(&GrepRequest { max_results: number.clamp(1, MAX_ROWS), ..request.clone() })?;
        output.warn(&reply.warnings);
        let places: Vec<_> = reply.lines.iter().map(|line| (&line.path, line.line, line.column)).collect();
        return open::open(&place.root, &places, number);
    }
    let is_page =
        [params::CURSOR.name, grep_params::GREP_RESULTS.name].iter().any(|id| is_typed(matches, id));
    if !output.json && !is_page {
        let base = output.style.paths.clone();
        let looks = PrintOptions { base, ..print_options(&call, output, is_one_file) };
        return printed(&call, output, paths.is_empty(), |sink| engine.print_grep(request, &looks, sink));
    }
    let request = &GrepRequest { enclosing: output.json, ..request.clone() };
    print_page(&engine.ask(request)?, output)
}

fn print_page(reply: &GrepReply, output: &mut Output) -> Result<Outcome, Failure> {
    output.warn(&reply.warnings);
    output.reply(reply, text::grep)?;
    Ok(if reply.lines.is_empty() { Outcome::Nothing } else { Outcome::Found })
}

/// Searches several sources of a library.
fn search_sources(matches: &ArgMatches, output: &mut Output) -> Result<Outcome, Failure> {
    let call = call(matches, None, &[])?;
    if call.print.list.is_some() || call.explain_plan {
        return Err(Failure::Usage("lists and plans are of one tree; leave out --in and --all".to_string()));
    }
    let set = sources::open(matches, &call.grep.options)?;
    output.show_paths_of_sources();
    let is_page =
        [params::CURSOR.name, grep_params::GREP_RESULTS.name].iter().any(|id| is_typed(matches, id));
    if output.json || is_page {
        let reply = set.ask(&GrepRequest { enclosing: output.json, ..call.grep.request })?;
        return print_page(&reply, output);
    }
    let is_absolute = matches!(output.style.paths, PathBase::Absolute(_));
    let looks = print_options(&call, output, false);
    let base = |name: &SourceName, engine: &Engine| match is_absolute {
        true => PathBase::Absolute(engine.root().to_path_buf()),
        false => PathBase::Source(name.to_string()),
    };
    let looks =
        |name: &SourceName, engine: &Engine| PrintOptions { base: base(name, engine), ..looks.clone() };
    printed(&call, output, true, |sink| set.print_grep(&call.grep.request, looks, sink))
}

/// Says why a search without a path found nothing, if ignore files or filters left out everything.
const SEARCHED_NOTHING: &str = "no files were searched: a filter or an ignore file leaves out all of them; try -uu, or \
                                spyhop why-not PATH";

/// Writes what a search prints, and tells what could not be searched.
fn printed(
    call: &GrepCall,
    output: &Output,
    is_everything: bool,
    search: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool) -> Result<PrintedGrep, Error>,
) -> Result<Outcome, Failure> {
    // Each piece is written at once, so that the reader of a pipe has the first lines while others are searched for.
    let mut stream = io::stdout().lock();
    let mut written = Ok(());
    let printed = search(&mut |bytes| {
        written = stream.write_all(bytes).and_then(|()| stream.flush());
        if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe) {
            // Nobody reads on, so nothing that still runs is waited for.
            std::process::exit(0);
        }
        written.is_ok()
    })?;
    written?;
    output.warn(&printed.warnings);
    if printed.searched_nothing && is_everything {
        if !call.print.no_messages {
            complain(&Failure::Usage(SEARCHED_NOTHING.to_string()));
        }
        return Ok(Outcome::Failed);
    }
    if let Some(reason) = printed.incomplete.as_ref().filter(|_| !call.print.no_messages) {
        output.warn(&[format!("not complete: {reason}")]);
    }
    Ok(match (printed.matched, printed.incomplete) {
        (true, _) if output.quiet => Outcome::Found,
        (_, Some(_)) => Outcome::Failed,
        (true, None) => Outcome::Found,
        (false, None) => Outcome::Nothing,
    })
}

/// Lists the file types with their globs, as ripgrep does.
fn list_types(call: &GrepCall, output: &mut Output) -> Result<Outcome, Failure> {
    let types = type_definitions(&call.grep.request.filter.type_add);
    let types = types.map_err(|error| Failure::Usage(error.to_string()))?;
    let lines: String = types.iter().map(|(name, globs)| format!("{name}: {}\n", globs.join(", "))).collect();
    output.data(&lines)?;
    Ok(Outcome::Found)
}

/// Lists the files that would be searched.
fn list_files(
    place: &TreePlace,
    paths: &[PathBuf],
    call: &GrepCall,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let request = &call.grep.request;
    let engine = place.open(call.grep.options.clone())?;
    output.show_paths(place, typed_base(paths, place, request));
    let files = engine.grep_files(request, call.options.order)?;
    let end = if call.options.null { '\0' } else { '\n' };
    if !output.quiet {
        let is_terminal = output.is_terminal();
        let line = |path: &RelPath| {
            let path = output.style.paths.shown(path.as_str());
            format!("{}{end}", if is_terminal { clean::path(&path) } else { Cow::Borrowed(&*path) })
        };
        output.data(&files.iter().map(line).collect::<String>())?;
    }
    Ok(if files.is_empty() { Outcome::Nothing } else { Outcome::Found })
}

/// The paths of the command line.
struct Typed {
    /// The paths without a flag.
    paths: Vec<PathBuf>,
    /// Those that do not exist, if others do.
    missing: Vec<PathBuf>,
    /// Whether standard input is searched and not the tree.
    stream: bool,
}

/// The options that give a pattern, or need none, so that a first word is a path.
const WITHOUT_PATTERN: [&str; 4] = [
    grep_params::REGEXP.name,
    grep_params::PATTERN_FILE.name,
    grep_params::LIST_FILES.name,
    grep_params::TYPE_LIST.name,
];

fn typed(matches: &ArgMatches, is_json: bool) -> Result<Typed, Failure> {
    let mut paths: Vec<PathBuf> = Vec::new();
    if WITHOUT_PATTERN.iter().any(|id| is_typed(matches, id))
        && let Some(path) = optional::<String>(matches, grep_params::PATTERN.name)
    {
        paths.push(path.into());
    }
    paths.extend(matches.get_many::<PathBuf>(HERE).into_iter().flatten().cloned());
    let stream = match &paths[..] {
        [] => is_stream_given(matches) && !is_json,
        [only] => only.as_os_str() == "-",
        _ => false,
    };
    if stream || paths.len() < 2 || is_typed(matches, params::VIEW.name) {
        return Ok(Typed { paths: if stream { Vec::new() } else { paths }, missing: Vec::new(), stream });
    }
    let is_there = |path: &PathBuf| options::place_of(matches, Some(path)).is_ok();
    let (there, missing): (Vec<PathBuf>, Vec<PathBuf>) = paths.iter().cloned().partition(is_there);
    Ok(match there.is_empty() {
        true => Typed { paths, missing: Vec::new(), stream },
        false => Typed { paths: there, missing, stream },
    })
}

/// The trees of the paths, in the order of the paths, each with its paths.
fn trees(matches: &ArgMatches, paths: &[PathBuf]) -> Result<Vec<(TreePlace, Vec<PathBuf>)>, Failure> {
    if paths.is_empty() {
        return Ok(vec![(options::place(matches)?, Vec::new())]);
    }
    let mut trees: Vec<(TreePlace, Vec<PathBuf>)> = Vec::new();
    for typed in paths {
        let place = options::place_of(matches, Some(typed))?;
        match trees.iter_mut().find(|(tree, _)| tree.root == place.root) {
            Some((_, paths)) => paths.push(typed.clone()),
            None => trees.push((place, vec![typed.clone()])),
        }
    }
    Ok(trees)
}

/// The call for the paths of one tree; without a place, for several sources.
fn call(matches: &ArgMatches, place: Option<&TreePlace>, paths: &[PathBuf]) -> Result<GrepCall, Failure> {
    let mut call = GrepCall::new(options::options(matches)?);
    match place {
        Some(_) => fill_from(catalog::GREP_ROWS, &mut call, matches, place)?,
        None => fill_for_sources(catalog::GREP_ROWS, &mut call, matches)?,
    }
    let request = &mut call.grep.request;
    let mut patterns = std::mem::take(&mut call.patterns);
    for file in &call.pattern_files {
        patterns.extend(patterns_of(file)?);
    }
    let is_empty = patterns.is_empty() && !call.pattern_files.is_empty();
    let mut patterns = patterns.into_iter();
    if let Some(first) = patterns.next() {
        request.pattern = first;
        request.or_patterns = patterns.collect();
    }
    if is_empty {
        // No pattern matches nothing, as in ripgrep.
        request.pattern = "[a&&b]".to_string();
    }
    // To ripgrep git's own folder is a hidden one as any other.
    request.files.git_folder = call.grep.options.hidden;
    if request.files.symlinks == SymlinkPolicy::Skip {
        request.files.symlinks = SymlinkPolicy::FollowNamed;
    }
    let ignore = &mut request.files.ignore;
    ignore.current_folder = place.map(|_| here()).transpose()?;
    for file in &ignore.files {
        if let Err(error) = input::open_named(file) {
            let text = format!("the ignore file '{}' does not count: {error}", file.display());
            complain(&Failure::Usage(text));
        }
    }
    if let Some(obeyed) = call.obeyed.take().filter(|_| call.grep.options.no_ignore) {
        call.grep.options.no_ignore = false;
        *ignore = IgnoreSources {
            files: std::mem::take(&mut ignore.files),
            current_folder: ignore.current_folder.take(),
            require_git: ignore.require_git,
            ignore_case: ignore.ignore_case,
            ..obeyed
        };
    }
    // A file that is named is searched to its end, as ripgrep does.
    let is_named = |path: &PathBuf| path.is_file();
    if request.binary == Binary::Quit && !paths.is_empty() && paths.iter().all(is_named) {
        request.binary = Binary::Name;
    }
    // ripgrep maps files into memory if it is given up to ten files and nothing else. A large file is not read whole for that.
    let is_mapped = |path: &PathBuf| {
        path.metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_MAPPED_BYTES)
    };
    let maps = cfg!(not(target_os = "macos")) && !given(matches, grep_params::NO_MMAP.name);
    request.files.as_mapped |= maps && (1..=10).contains(&paths.len()) && paths.iter().all(is_mapped);
    let Some(place) = place else { return Ok(call) };
    if request.filter.path.is_none() {
        request.filter.path = match paths {
            [] => place.current_folder(),
            // The first path is the whole tree, and a further one may be a link that is followed.
            [_, _, ..] => Some(String::new()),
            [_] => None,
        };
    }
    if request.filter.path.is_some() {
        let others = paths.iter().skip(1).map(|path| place.also(path));
        request.filter.or_paths = others.collect::<Result<_, _>>()?;
    }
    Ok(call)
}

/// Whether an option is on the command line.
fn is_typed(matches: &ArgMatches, id: &str) -> bool {
    matches.value_source(id) == Some(clap::parser::ValueSource::CommandLine)
}

/// Whether standard input is a file or a pipe that is to be searched, as ripgrep decides.
fn is_stream_given(matches: &ArgMatches) -> bool {
    let lists = [grep_params::LIST_FILES.name, grep_params::TYPE_LIST.name, grep_params::EXPLAIN_PLAN.name];
    let chooses_tree = [params::PATH.name, params::ROOT.name, params::VIEW.name, params::CURSOR.name];
    let reads_patterns =
        optional::<String>(matches, grep_params::PATTERN_FILE.name).is_some_and(|file| file == "-");
    !lists.iter().chain(&chooses_tree).any(|id| is_typed(matches, id))
        && !reads_patterns
        && is_readable_stdin()
}

/// Whether standard input is a file or a pipe.
#[cfg(unix)]
fn is_readable_stdin() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;

    let Ok(stdin) = io::stdin().as_fd().try_clone_to_owned() else { return false };
    let kind = std::fs::File::from(stdin).metadata().map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_file() || kind.is_fifo() || kind.is_socket())
}

/// Whether standard input is a file or a pipe.
#[cfg(not(unix))]
fn is_readable_stdin() -> bool {
    !io::stdin().is_terminal()
}

/// The patterns of a file, one a line.
fn patterns_of(file: &str) -> Result<Vec<String>, Failure> {
    let text = match file {
        "-" => io::read_to_string(io::stdin()),
        file => input::named_text(Path::new(file)),
    };
    let text = text.map_err(|error| Failure::Usage(format!("file of patterns '{file}': {error}")))?;
    Ok(text.lines().map(str::to_string).collect())
}

/// How paths are shown: as typed, as in ripgrep; relative to the current folder where no path is typed.
fn typed_base(paths: &[PathBuf], place: &TreePlace, request: &GrepRequest) -> PathBase {
    let scopes = request.filter.path.iter().chain(&request.filter.or_paths);
    let mut typed: Vec<(&String, &PathBuf)> = scopes.zip(paths).collect();
    // A path may be typed twice: as it is, and with the folder around it.
    typed.sort_by_key(|(scope, _)| std::cmp::Reverse(scope.len()));
    let typed = typed
        .into_iter()
        .filter_map(|(scope, path)| Some((RelPath::new(scope).ok()?, path.to_str()?.to_string())));
    let whole = paths.first().filter(|_| request.filter.path.is_none());
    let whole = whole.and_then(|path| Some((RelPath::root(), path.to_str()?.to_string())));
    match whole.into_iter().chain(typed).collect::<Vec<_>>() {
        typed if typed.is_empty() => place.base(),
        typed => PathBase::Typed(typed),
    }
}

/// The print options, with ripgrep's defaults: headings and line numbers on a terminal, neither elsewhere.
fn print_options(call: &GrepCall, output: &Output, is_one_file: bool) -> PrintOptions {
    let (print, request) = (&call.print, &call.grep.request);
    let terminal = io::stdout().is_terminal();
    let is_rich = terminal || print.pretty;
    let form = match print.format.unwrap_or(OutputFormat::Lines) {
        // A line that does not match has no matches to count.
        OutputFormat::CountMatches if request.invert => OutputFormat::Count,
        OutputFormat::Count if print.only_matching => OutputFormat::CountMatches,
        form => form,
    };
    let paths = print.paths.unwrap_or(!is_one_file);
    PrintOptions {
        form,
        heading: print.heading.unwrap_or(is_rich) && paths,
        line_numbers: print.line_numbers.unwrap_or(is_rich || print.columns),
        columns: print.columns,
        only_matching: print.only_matching,
        paths,
        color: output.style.color || print.pretty,
        terminal,
        quiet: output.quiet,
        host: (!call.options.hyperlink_format.is_empty()).then(host),
        ..call.options.clone()
    }
}
