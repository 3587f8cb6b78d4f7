//! The exact search.

use std::time::SystemTime;

use rustc_hash::FxHashSet;

use super::api::cursor::LineCursor;
use super::api::*;
use super::call::Call;
use super::cancel;
use super::comparing::{self, PrintedScope};
use super::core::Engine;
use super::corpus::{Corpus, incomplete_of, of_source};
use super::current::Freshness;
use super::grep_selection::{self, chooses};
use super::items::{self, FileItem, ItemSources};
use super::lookup::{self, check_rows, parse_position};
use super::open_index::Recorded;
use super::operation::Operation;
use super::origin::sums;
use super::scope::{self, BeyondIndex, ExactScope, UnsearchedEntry};
use crate::error::Error;
use spyhop_base::clean;
use spyhop_base::model::qualified_name;
use spyhop_base::path::{RelPath, by_parts};
use spyhop_files::confined::RootFolder;
use spyhop_files::read::TreeSource;
use spyhop_grep::{
    self, FileSource, Line, LineScan, NarrowPlan, Pattern, Print, Printed, Reading, Wanted, Within,
};
use spyhop_search::filter::Filter;

/// The most files that are parsed for the definitions around the lines of a page.
const MAX_PARSED: usize = 50;

/// Every line that matches a pattern, in ranked files and in files that are not ranked because of their size, their content
/// or a built-in rule. An index, if there is one, excludes files that need not be read. No index is needed or built. The
/// lines of several trees are sorted by tree, then as in an answer of one tree.
impl Operation for GrepRequest {
    const NAME: &'static str = "grep";

    type Reply = GrepReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn scope(&self) -> Option<&str> {
        self.filter.path.as_deref()
    }

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<GrepReply, Error> {
        check_rows("max_results", self.max_results, MAX_ROWS)?;
        if let Some(remote) = &corpus.remote {
            return remote.lines(self);
        }
        match corpus.alone() {
            Some(engine) => lines_of_tree(engine, self, None),
            None => lines_of_sources(corpus, self),
        }
    }
}

/// The files of a tree with matching lines, each with their number, by path.
#[cfg(feature = "serde")]
pub(crate) fn matched_files(engine: &Engine, request: &GrepRequest) -> Result<Vec<(RelPath, usize)>, Error> {
    let wanted = wanted(request);
    let pattern = Pattern::new(&wanted)?;
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let scope = scope::scope(engine, &filter, &plan(request, &wanted), &beyond_index(request))?;
    Ok(grep_selection::counted(engine, &scope, &filter, &pattern, reading(request)))
}

/// Files in an order that other trees led to as well, and the place among them and the line after which a page begins.
pub(crate) type OrderedFiles<'f> = (&'f [RelPath], Option<(usize, u32)>);

/// The files of these that a scope has, and the place and the line among them.
fn in_scope((files, after): OrderedFiles<'_>, scope: &ExactScope) -> (Vec<RelPath>, Option<(usize, u32)>) {
    let has = |path: &RelPath| scope.files.binary_search(path).is_ok();
    let before = |(place, line): (usize, u32)| {
        let line = if files.get(place).is_some_and(has) { line } else { 0 };
        (files.iter().take(place).filter(|path| has(path)).count(), line)
    };
    (files.iter().filter(|path| has(path)).cloned().collect(), after.map(before))
}

/// The lines of a tree, in the order of `ordered` if that is given.
pub(crate) fn lines_of_tree(
    engine: &Engine,
    request: &GrepRequest,
    ordered: Option<OrderedFiles<'_>>,
) -> Result<GrepReply, Error> {
    let (before, after) = context(request)?;
    let wanted = wanted(request);
    let pattern = Pattern::new(&wanted)?;
    let filter = Filter::new(&request.filter, engine.grammars())?;
    let cursor = parse_position(request.cursor.as_deref(), request.rank)?;
    let span =
        tracing::info_span!("code.grep", pattern = %request.pattern, project = %engine.root().display());
    let _entered = span.enter();
    let plan = plan(request, &wanted);
    let scope = scope::scope(engine, &filter, &plan, &beyond_index(request))?;
    let (ordered, place) = ordered.map(|own| in_scope(own, &scope)).unzip();
    let chosen =
        grep_selection::chosen(engine, request, &scope, (&filter, ordered.as_deref()), (&pattern, &wanted))?;
    let files = chosen.files.as_deref().unwrap_or(&scope.files);
    let found = spyhop_grep::scan(&LineScan {
        source_tree: &scope.source_tree,
        files,
        takes: &scope::takes(engine, &filter, &scope.source_tree),
        pattern: &pattern,
        after: place.flatten().or_else(|| cursor.map(|cursor| cursor.place(files))),
        counts: request.counts,
        within: chosen.within.as_ref(),
        page: request.max_results,
        context: (before, after),
        max_count: request.max_count,
        masks: !engine.policy().show_secrets,
        threads: engine.options().threads,
        reading: reading(request),
    });
    cancel::check()?;
    let freshness = Freshness { checked_at: scope.checked_at, ..Freshness::default() };
    let incomplete = scope.incomplete(&found.unread);
    let file_ranks = if request.rank { ranks(&found.lines, files) } else { Vec::new() };
    let last = found.lines.last().filter(|_| found.more);
    let cursor = |line: &Line| LineCursor {
        path: line.path.clone(),
        line: line.number,
        rank: file_ranks.last().copied(),
    };
    let next = last.map(|line| cursor(line).to_string());
    let lines = enclosed(engine, found.lines.into_iter().map(grep_line).collect(), request, &scope)?;
    Ok(GrepReply {
        file_ranks,
        pattern: request.pattern.clone(),
        total_lines: found.total_lines,
        total_files: found.total_files,
        incomplete,
        next,
        sources: Vec::new(),
        snapshot: lookup::snapshot(engine.tree(), scope.recorded.as_ref().map(Recorded::viewed), &freshness),
        warnings: scope
            .warning
            .into_iter()
            .chain(chosen.warnings)
            .chain(engine.tree().unused_repository())
            .collect(),
        lines,
    })
}

fn lines_of_sources(corpus: &Corpus, request: &GrepRequest) -> Result<GrepReply, Error> {
    let from = request.cursor.as_deref().map(|cursor| cursor_of_set(corpus, cursor)).transpose()?;
    let mut room = request.max_results;
    let (answers, mut warnings) = corpus.each_engine(|source, engine| {
        let here = corpus.members.iter().position(|own| own.name == source.name).unwrap_or_default();
        let (first, cursor) = from.as_ref().map_or((0, None), |(at, cursor)| (*at, cursor.clone()));
        let is_shown = here >= first && room > 0;
        let of_one = GrepRequest {
            max_results: if is_shown { room } else { 1 },
            cursor: cursor.filter(|_| here == first),
            ..request.clone()
        };
        let mut reply = engine.ask(&of_one)?;
        let unshown = if is_shown { None } else { Some(std::mem::take(&mut reply.lines).len()) };
        room -= reply.lines.len().min(room);
        Ok((reply, here >= first, unshown.unwrap_or(0) > 0))
    })?;
    let silent = warnings.len();
    let mut whole: Option<GrepReply> = None;
    let mut sources = Vec::with_capacity(answers.len());
    for (source, (mut reply, is_after, has_unshown)) in answers {
        let name = source.name();
        warnings.extend(reply.warnings.drain(..).map(|text| of_source(name, &text)));
        sources.push(source.snapshot(reply.snapshot.clone()));
        reply.lines.iter_mut().for_each(|line| line.source = Some(name.clone()));
        reply.incomplete = reply.incomplete.map(|why| incomplete_of(name, why));
        reply.next = match has_unshown {
            true => is_after.then(|| format!("{name}:")),
            false => reply.next.map(|next| format!("{name}:{next}")),
        };
        match &mut whole {
            Some(whole) => add(whole, reply),
            None => whole = Some(reply),
        }
    }
    let whole = whole.ok_or_else(|| Error::bad("the set has no source; add one"))?;
    let incomplete = (silent > 0).then(|| corpus.missing(silent));
    let mut reply = GrepReply {
        snapshot: sums(&sources),
        sources,
        warnings,
        incomplete: whole.incomplete.or(incomplete),
        ..whole
    };
    reply.settle_sources();
    Ok(reply)
}

/// The place of the source that a cursor names, and the cursor in that source.
fn cursor_of_set(corpus: &Corpus, cursor: &str) -> Result<(usize, Option<String>), Error> {
    let parse = || {
        let (name, cursor) = cursor.rsplit_once(':')?;
        let place = corpus.members.iter().position(|source| source.name().as_str() == name)?;
        Some((place, Some(cursor.to_string()).filter(|cursor| !cursor.is_empty())))
    };
    parse().ok_or_else(|| lookup::invalid_cursor(cursor))
}

/// Adds the lines of the next source.
fn add(whole: &mut GrepReply, next: GrepReply) {
    whole.lines.extend(next.lines);
    whole.file_ranks.extend(next.file_ranks);
    whole.total_lines += next.total_lines;
    whole.total_files += next.total_files;
    whole.incomplete = whole.incomplete.take().or(next.incomplete);
    whole.next = whole.next.take().or(next.next);
}

impl Corpus {
    /// Passes the output that ripgrep would print of each source to `out`, source by source, until `out` returns false.
    /// `looks` are the options of a source, among them how its paths are shown.
    ///
    /// # Errors
    /// As a [`GrepRequest`].
    pub fn print_grep(
        &self,
        request: &GrepRequest,
        looks: impl Fn(&SourceName, &Engine) -> PrintOptions,
        out: impl FnMut(&[u8]) -> bool,
    ) -> Result<PrintedGrep, Error> {
        match self.of_named_source(request)? {
            Some((source, request)) => source.print_each(&request, looks, out),
            None => self.print_each(request, looks, out),
        }
    }

    fn print_each(
        &self,
        request: &GrepRequest,
        looks: impl Fn(&SourceName, &Engine) -> PrintOptions,
        mut out: impl FnMut(&[u8]) -> bool,
    ) -> Result<PrintedGrep, Error> {
        self.check_scope(request.filter.path.as_deref())?;
        let mut goes_on = true;
        let (answers, warnings) = self.each_engine(|source, engine| match goes_on {
            true => {
                let looks = looks(source.name(), engine);
                let sink = |bytes: &[u8]| {
                    goes_on = out(bytes);
                    goes_on
                };
                engine.print_grep(request, &looks, sink).map(Some)
            }
            false => Ok(None),
        })?;
        let missing = (!warnings.is_empty()).then(|| self.missing(warnings.len()));
        let mut whole = PrintedGrep { matched: false, incomplete: missing, searched_nothing: true, warnings };
        for (source, printed) in answers {
            let Some(printed) = printed else { continue };
            let named = |text: String| of_source(source.name(), &text);
            whole.matched |= printed.matched;
            whole.searched_nothing &= printed.searched_nothing;
            let incomplete = printed.incomplete.map(|why| incomplete_of(source.name(), why));
            whole.incomplete = whole.incomplete.take().or(incomplete);
            whole.warnings.extend(printed.warnings.into_iter().map(named));
        }
        Ok(whole)
    }
}

impl Engine {
    /// Passes the output that ripgrep would print to `out`, in pieces sorted by path, until `out` returns false.
    /// `max_results` and `cursor` have no effect here.
    ///
    /// # Errors
    /// As a [`GrepRequest`].
    pub fn print_grep(
        &self,
        request: &GrepRequest,
        looks: &PrintOptions,
        mut out: impl FnMut(&[u8]) -> bool,
    ) -> Result<PrintedGrep, Error> {
        looks.check().map_err(Error::bad)?;
        let context = context(request)?;
        let wanted = wanted(request);
        let pattern = Pattern::new(&wanted)?;
        let filter = Filter::new(&request.filter, self.grammars())?;
        let plan = match looks.form {
            OutputFormat::FilesWithout => NarrowPlan::All,
            _ if looks.passthru || looks.include_zero => NarrowPlan::All,
            _ => plan(request, &wanted),
        };
        let beyond = beyond_index(request);
        let mut print = |source_tree: &TreeSource, files: FileSource<'_>, within: Option<&Within>| {
            let print = Print {
                source_tree,
                files,
                takes: &scope::takes(self, &filter, source_tree),
                pattern: &pattern,
                named: filter.named(),
                context,
                max_count: request.max_count,
                within,
                masks: !self.policy().show_secrets,
                threads: self.options().threads,
                reading: reading(request),
                options: looks.clone(),
            };
            spyhop_grep::print(&print, &mut out)
        };
        if !chooses(request, &filter) {
            let each = |source_tree: &TreeSource, files: FileSource<'_>| print(source_tree, files, None);
            let early = comparing::print_while_comparing(self, &filter, &plan, &beyond, looks.order, each)?;
            if let Some(PrintedScope { printed, scope }) = early {
                return Ok(printed_grep(self, printed, scope, Vec::new()));
            }
        }
        let mut scope = scope::scope(self, &filter, &plan, &beyond)?;
        order(&mut scope.files, looks.order, &filter, &scope.source_tree);
        let mut chosen = grep_selection::chosen(self, request, &scope, (&filter, None), (&pattern, &wanted))?;
        if let (OutputFormat::FilesWithout, Some(files)) = (looks.form, &mut chosen.files) {
            let known: FxHashSet<RelPath> = files.iter().cloned().collect();
            files.extend(scope.files.iter().filter(|path| !known.contains(path)).cloned());
        }
        let files = FileSource::list(chosen.files.as_deref().unwrap_or(&scope.files));
        let printed = print(&scope.source_tree, files, chosen.within.as_ref());
        Ok(printed_grep(self, printed, scope, chosen.warnings))
    }

    /// Prints the matching lines of a stream, as [`Engine::print_grep`] prints the matching lines of a file. Filters have
    /// no effect here, and nothing is masked. `name` is the path that is printed.
    ///
    /// # Errors
    /// `BadRequest` for a pattern that cannot be searched, `Io` if the stream cannot be read.
    pub fn print_grep_stream(
        request: &GrepRequest,
        looks: &PrintOptions,
        name: &str,
        stream: impl std::io::Read,
        out: impl FnMut(&[u8]) -> bool,
    ) -> Result<PrintedGrep, Error> {
        looks.check().map_err(Error::bad)?;
        let pattern = Pattern::new(&wanted(request))?;
        let source_tree = TreeSource::Folder(RootFolder::new(""));
        let print = Print {
            source_tree: &source_tree,
            files: FileSource::list(&[]),
            takes: &|_| true,
            pattern: &pattern,
            named: &[],
            context: context(request)?,
            max_count: request.max_count,
            within: None,
            masks: false,
            threads: None,
            reading: Reading::default(),
            options: looks.clone(),
        };
        let printed = spyhop_grep::print_stream(&print, name, stream, out);
        let matched = printed.map_err(|error| Error::bad(format!("{name} cannot be read: {error}")))?;
        Ok(PrintedGrep { matched, incomplete: None, searched_nothing: false, warnings: Vec::new() })
    }

    /// The files that a request would search, in the order `by`. The pattern of the request has no effect.
    ///
    /// # Errors
    /// As a [`GrepRequest`], without those of the pattern.
    pub fn grep_files(&self, request: &GrepRequest, by: FileOrder) -> Result<Vec<RelPath>, Error> {
        let filter = Filter::new(&request.filter, self.grammars())?;
        let beyond = BeyondIndex { binary: true, ..beyond_index(request) };
        let mut scope = scope::scope(self, &filter, &NarrowPlan::All, &beyond)?;
        let takes = scope::takes(self, &filter, &scope.source_tree);
        let mut files: Vec<RelPath> = scope.files.iter().filter(|path| takes(path)).cloned().collect();
        drop(takes);
        scope.files.clear();
        order(&mut files, by, &filter, &scope.source_tree);
        Ok(files)
    }

    /// The words that a file must contain to match a request, as text: the plan of the lookup in the index.
    ///
    /// # Errors
    /// `BadRequest` for a pattern that cannot be searched.
    pub fn explain_grep(&self, request: &GrepRequest) -> Result<String, Error> {
        let wanted = wanted(request);
        Pattern::new(&wanted)?;
        Ok(plan(request, &wanted).to_string())
    }
}

/// The lines, each with the definition around it, if the request asks for it. The definitions of an unchanged file
/// come from the index. A few other files are parsed, so that the cost of a page is bounded.
fn enclosed(
    engine: &Engine,
    mut lines: Vec<GrepLine>,
    request: &GrepRequest,
    scope: &ExactScope,
) -> Result<Vec<GrepLine>, Error> {
    if !request.enclosing || lines.is_empty() {
        return Ok(lines);
    }
    let sources = ItemSources {
        viewed: scope.recorded.as_ref().map(Recorded::viewed),
        source_tree: &scope.source_tree,
        by_outline: true,
        with_minor: false,
        most_parsed: MAX_PARSED,
    };
    let mut files: Vec<RelPath> = lines.iter().map(|line| line.path.clone()).collect();
    files.dedup();
    let take = |item: FileItem<'_>| {
        let FileItem { kind, lines, .. } = item;
        let name = qualified_name(item.container, item.name);
        (!item.name.is_empty()).then_some(Enclosing { kind, name, lines })
    };
    let items = items::items(engine, &sources, files.iter(), &take)?;
    for line in &mut lines {
        let around = items.get(&line.path).into_iter().flatten();
        let around = around.filter(|item| (item.lines.first..=item.lines.last).contains(&line.line));
        line.enclosing = around.min_by_key(|item| item.lines.count()).cloned();
    }
    Ok(lines)
}

/// What is told of a search besides its lines.
fn printed_grep(
    engine: &Engine,
    printed: Printed,
    mut scope: ExactScope,
    warnings: Vec<String>,
) -> PrintedGrep {
    // ripgrep searches files whose names are not UTF-8. Here all paths are UTF-8, so a warning reports such files
    // and the search still counts as complete.
    let (names, holes): (Vec<UnsearchedEntry>, _) = scope.holes.into_iter().partition(|hole| hole.is_of_name);
    scope.holes = holes;
    let incomplete = scope.incomplete(&printed.unread);
    let warnings = scope.warning.into_iter().chain(warnings).chain(engine.tree().unused_repository());
    let warnings = warnings.chain(unsearched(&names)).collect();
    let searched_nothing = !printed.matched && scope.files.is_empty() && !scope.has_files;
    PrintedGrep { matched: printed.matched, incomplete, searched_nothing, warnings }
}

/// The patterns of a request, and how they match.
pub(crate) fn wanted(request: &GrepRequest) -> Wanted {
    let patterns = std::iter::once(&request.pattern).chain(&request.or_patterns).cloned().collect();
    Wanted {
        patterns,
        fixed: request.fixed,
        case: request.case,
        bounds: request.bounds,
        multi_line: request.multi_line,
        dot_all: request.dot_all,
        invert: request.invert,
        regex_size_limit: request.regex_size_limit,
        dfa_size_limit: request.dfa_size_limit,
        encoding: request.encoding.clone(),
        stop_on_nonmatch: request.stop_on_nonmatch,
        no_unicode: request.no_unicode,
        crlf: request.crlf,
        null_data: request.null_data,
        binary: request.binary,
    }
}

/// Puts files into an order, those of the first typed path first.
fn order(files: &mut [RelPath], by: FileOrder, filter: &Filter, source_tree: &TreeSource) {
    // ripgrep sorts folder by folder.
    files.sort_by(|a, b| by_parts(a.as_str(), b.as_str()));
    match by {
        FileOrder::Path => {}
        FileOrder::PathReversed => files.reverse(),
        FileOrder::Time { of, reversed } => {
            let time = |path: &RelPath| {
                let metadata = source_tree.folder()?.metadata(path).ok()?;
                let time = match of {
                    FileTime::Modified => metadata.modified(),
                    FileTime::Accessed => metadata.accessed(),
                    FileTime::Created => metadata.created(),
                };
                let age = time.ok()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
                Some(if reversed { u128::MAX - age } else { age })
            };
            files.sort_by_cached_key(|path| time(path).map_or((true, 0), |time| (false, time)));
        }
    }
    files.sort_by_key(|path| filter.place_of(path.as_str()));
}

/// The files that are searched although no row of the index tells of them.
fn beyond_index(request: &GrepRequest) -> BeyondIndex<'_> {
    BeyondIndex { binary: reads_binary(request), files: &request.files }
}

/// How files are read.
fn reading(request: &GrepRequest) -> Reading {
    Reading { zip: request.files.search_zip, as_mapped: request.files.as_mapped }
}

/// Whether files with NUL bytes are searched.
fn reads_binary(request: &GrepRequest) -> bool {
    let sees_beyond_nul = request.binary != Binary::Quit || request.files.as_mapped;
    request.null_data || sees_beyond_nul || request.encoding.is_some()
}

/// What the index is asked for. Lines that do not match stand everywhere.
fn plan(request: &GrepRequest, wanted: &Wanted) -> NarrowPlan {
    // The index has no text of binary and compressed files.
    let reads_text = !reads_binary(request) && !request.files.search_zip && !request.no_unicode;
    let reads_all = request.brute || request.invert || !reads_text;
    if reads_all { NarrowPlan::All } else { NarrowPlan::new(wanted) }
}

/// The numbers of context lines before and after each match.
fn context(request: &GrepRequest) -> Result<(u32, u32), Error> {
    let lines = |name: &str, own: Option<u32>| match own.unwrap_or(request.expand) {
        lines if lines <= MAX_GREP_CONTEXT => Ok(lines),
        lines => {
            let name = if own.is_some() { name } else { "expand" };
            Err(Error::bad(format!("{name} is {lines}; choose 0 to {MAX_GREP_CONTEXT}")))
        }
    };
    Ok((lines("before", request.before)?, lines("after", request.after)?))
}

fn grep_line(line: spyhop_grep::Line) -> GrepLine {
    let context = |lines: Vec<(u32, String)>| -> Vec<ContextLine> {
        lines.into_iter().map(|(line, text)| ContextLine::new(line, text)).collect()
    };
    GrepLine {
        source: None,
        path: line.path,
        line: line.number,
        column: line.column,
        text: line.text,
        highlights: line.highlights,
        enclosing: None,
        cut: line.cut,
        before: context(line.before),
        after: context(line.after),
    }
}

/// The position in `files` of each file of `lines`, which come in the order of `files`.
fn ranks(lines: &[Line], files: &[RelPath]) -> Vec<usize> {
    let mut files = files.iter();
    let mut passed = 0;
    let mut rank = |path: &RelPath| {
        let step = files.position(|file| file == path)?;
        passed += step + 1;
        Some(passed - 1)
    };
    lines.chunk_by(|a, b| a.path == b.path).filter_map(|lines| rank(&lines[0].path)).collect()
}

/// The warning about entries that were not searched because their names are not UTF-8.
fn unsearched(names: &[UnsearchedEntry]) -> Option<String> {
    let (first, others) = names.split_first()?;
    let (path, why) = (clean::answer_path(first.path.as_str()), &first.why);
    Some(match others.len() {
        0 => format!("{path} was not searched: {why}, which is not UTF-8"),
        others => format!("{path} and {others} more were not searched: {why}, which is not UTF-8"),
    })
}
