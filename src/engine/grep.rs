//! The exact search.

use rustc_hash::FxHashSet;

use super::api::*;
use super::current::{Freshness, Recorded};
use super::lookup::{Cursor, rows};
use super::scope::{Hole, Scope};
use super::{Cancel, Engine, Error, cancel};
use crate::clean;
use crate::filter::Filter;
use crate::grep::{self, Pattern, Plan, Print, Scan, Unread, Wanted};
use crate::id::LanguageId;
use crate::path::RelPath;
use crate::read::{Ground, Limits, ReadOutcome};

impl Engine {
    /// Finds every line that matches a pattern: in the files that are ranked, and in those that ranking leaves out for
    /// their size, their looks or a built-in rule. The index says which files need not be read; needs none and makes
    /// none.
    ///
    /// # Errors
    /// `BadRequest` names the value that is wrong, such as a pattern that is no regular expression; `NoRoot` when the
    /// tree cannot be walked.
    pub fn grep(&self, request: &GrepRequest) -> Result<GrepReply, Error> {
        rows("max_results", request.max_results, MAX_ROWS)?;
        let (before, after) = context(request)?;
        let wanted = wanted(request);
        let pattern = Pattern::new(&wanted)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let cursor =
            request.cursor.as_deref().map(|cursor| Cursor::read(cursor, request.rank)).transpose()?;
        let span =
            tracing::info_span!("code.grep", pattern = %request.pattern, project = %self.root().display());
        let _entered = span.enter();
        let plan = plan(request, &wanted);
        let scope = self.scope(&filter, &plan)?;
        let chosen = self.chosen(request, &scope, &filter, &pattern, &wanted)?;
        let files = chosen.files.as_deref().unwrap_or(&scope.files);
        let found = grep::scan(&Scan {
            ground: &scope.ground,
            files,
            takes: &self.takes(&filter, &scope.ground),
            pattern: &pattern,
            after: cursor.map(|cursor| cursor.place(files)),
            within: chosen.within.as_ref(),
            page: request.max_results,
            context: (before, after),
            max_count: request.max_count,
            masks: !self.options.show_secrets,
            threads: self.options.threads,
        });
        cancel::check()?;
        let freshness = Freshness { checked_at: scope.checked_at, ..Freshness::default() };
        let incomplete = incomplete(&found.unread, &scope);
        let last = found.lines.last().filter(|_| found.more);
        let next = last.map(|line| Cursor::behind(&line.path, line.number, files, request.rank).to_string());
        Ok(GrepReply {
            pattern: request.pattern.clone(),
            total_lines: found.total_lines,
            total_files: found.total_files,
            complete: incomplete.is_none(),
            incomplete,
            next,
            snapshot: self.snapshot(scope.recorded.as_ref().map(Recorded::viewed), &freshness),
            warnings: scope
                .warning
                .into_iter()
                .chain(chosen.warnings)
                .chain(self.unused_repository())
                .collect(),
            lines: found.lines.into_iter().map(shown).collect(),
        })
    }

    /// Passes what ripgrep would print to `out`, piece by piece in the order of the paths, until that returns false.
    /// `max_results` and `cursor` have no meaning here.
    ///
    /// # Errors
    /// As [`Engine::grep`].
    pub fn print_grep(
        &self,
        request: &GrepRequest,
        looks: &PrintOptions,
        out: impl FnMut(&[u8]) -> bool,
    ) -> Result<PrintedGrep, Error> {
        let context = context(request)?;
        let wanted = wanted(request);
        let pattern = Pattern::new(&wanted)?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let plan = match looks.form {
            OutputFormat::FilesWithout => Plan::All,
            _ => plan(request, &wanted),
        };
        let mut scope = self.scope(&filter, &plan)?;
        // ripgrep sorts folder by folder.
        scope.files.sort_by(|a, b| a.as_str().split('/').cmp(b.as_str().split('/')));
        let mut chosen = self.chosen(request, &scope, &filter, &pattern, &wanted)?;
        if let (OutputFormat::FilesWithout, Some(files)) = (looks.form, &mut chosen.files) {
            let known: FxHashSet<RelPath> = files.iter().cloned().collect();
            files.extend(scope.files.iter().filter(|path| !known.contains(path)).cloned());
        }
        let printed = grep::print(
            &Print {
                ground: &scope.ground,
                files: chosen.files.as_deref().unwrap_or(&scope.files),
                takes: &self.takes(&filter, &scope.ground),
                pattern: &pattern,
                context,
                max_count: request.max_count,
                within: chosen.within.as_ref(),
                masks: !self.options.show_secrets,
                threads: self.options.threads,
                looks: *looks,
            },
            out,
        );
        // ripgrep searches files of such names. Here paths are UTF-8, which is no failure of the search.
        let (names, holes): (Vec<Hole>, _) = scope.holes.into_iter().partition(|hole| hole.is_of_name);
        scope.holes = holes;
        let incomplete = incomplete(&printed.unread, &scope);
        let warnings = scope.warning.into_iter().chain(chosen.warnings).chain(self.unused_repository());
        let warnings = warnings.chain(unsearched(&names)).collect();
        Ok(PrintedGrep { matched: printed.matched, incomplete, warnings })
    }

    /// What a file must hold for a request to match in it, in words; the index is asked for no more.
    ///
    /// # Errors
    /// `BadRequest` for a pattern that cannot be searched.
    pub fn explain_grep(&self, request: &GrepRequest) -> Result<String, Error> {
        let wanted = wanted(request);
        Pattern::new(&wanted)?;
        Ok(plan(request, &wanted).to_string())
    }

    /// Whether a file may answer by its language; asked on the threads, because it may have to read the file. None may once
    /// the call is cancelled.
    pub(super) fn takes<'f>(
        &'f self,
        filter: &'f Filter,
        ground: &'f Ground,
    ) -> impl Fn(&RelPath) -> bool + Sync + 'f {
        let asks_for_languages = filter.asks_for_languages();
        let cancel = cancel::current();
        let is_cancelled = move || cancel.as_ref().is_some_and(Cancel::is_cancelled);
        move |path| {
            !is_cancelled()
                && (!asks_for_languages || filter.takes_file(path.as_str(), self.language_now(path, ground)))
        }
    }

    /// The language of a file as indexing it now would have it.
    pub(super) fn language_now(&self, path: &RelPath, ground: &Ground) -> LanguageId {
        if !self.grammars.depends_on_text(path) {
            return self.grammars.detect(path, "");
        }
        let max_file_bytes = self.settings.max_file_bytes;
        let limits = Limits { max_file_bytes, skip_generated: false, skip_minified: false };
        match ground.read(path, &limits) {
            ReadOutcome::Source(source) => self.grammars.detect(path, &source.text),
            _ => self.grammars.detect(path, ""),
        }
    }
}

fn wanted(request: &GrepRequest) -> Wanted {
    let patterns = std::iter::once(&request.pattern).chain(&request.or_patterns).cloned().collect();
    Wanted {
        patterns,
        fixed: request.fixed,
        case: request.case,
        bounds: request.bounds,
        multi_line: request.multi_line,
        dot_all: request.dot_all,
        invert: request.invert,
    }
}

/// What the index is asked for. Lines that do not match stand everywhere.
fn plan(request: &GrepRequest, wanted: &Wanted) -> Plan {
    if request.brute || request.invert { Plan::All } else { Plan::new(wanted) }
}

/// The lines before and after each match.
fn context(request: &GrepRequest) -> Result<(u32, u32), Error> {
    let of = |name: &str, own: Option<u32>| match own.unwrap_or(request.expand) {
        lines if lines <= MAX_GREP_CONTEXT => Ok(lines),
        lines => {
            let name = if own.is_some() { name } else { "expand" };
            Err(Error::bad(format!("{name} is {lines}; choose 0 to {MAX_GREP_CONTEXT}")))
        }
    };
    Ok((of("before", request.before)?, of("after", request.after)?))
}

fn shown(line: grep::Line) -> GrepLine {
    let context = |lines: Vec<(u32, String)>| -> Vec<ContextLine> {
        lines.into_iter().map(|(line, text)| ContextLine { line, text }).collect()
    };
    GrepLine {
        path: line.path,
        line: line.number,
        column: line.column,
        text: line.text,
        highlights: line.highlights,
        cut: line.cut,
        before: context(line.before),
        after: context(line.after),
    }
}

/// Why not every line was counted; `None` when all were.
pub(super) fn incomplete(unread: &[Unread], scope: &Scope) -> Option<String> {
    let holes = scope.holes.iter().map(|hole| (&hole.path, hole.why.as_str()));
    let unread = unread.iter().map(|unread| (&unread.path, unread.error.as_str()));
    let mut all = holes.chain(unread);
    let (path, why) = all.next()?;
    Some(match all.count() {
        0 => format!("{path} could not be read: {why}"),
        others => format!("{path} and {others} more could not be read: {why}"),
    })
}

/// What is said of entries that were not searched because of their names.
fn unsearched(names: &[Hole]) -> Option<String> {
    let (first, others) = names.split_first()?;
    let (path, why) = (clean::answer_path(first.path.as_str()), &first.why);
    Some(match others.len() {
        0 => format!("{path} was not searched: {why}, which is not UTF-8"),
        others => format!("{path} and {others} more were not searched: {why}, which is not UTF-8"),
    })
}
