//! Answers without ranking: what a request must hold, cursors, the snapshot, and the exact search.

use std::time::SystemTime;

use super::api::*;
use super::current::{Current, Freshness};
use super::{Engine, Error};
use crate::filter::{Filter, FilterSpec};
use crate::git::Head;
use crate::grep::{self, Found, MAX_LINES, Pattern, Scan, Wanted};
use crate::id::{Generation, LanguageId};
use crate::model::{SkipReason, Skipped};
use crate::path::RelPath;
use crate::read::{self, Limits, ReadOutcome};
use crate::search::Corpus;
use crate::update::{Settings, Updater};
use crate::walk::Walked;

impl Engine {
    /// Finds every line that matches a pattern, in the files as they are now: those that are ranked, and those that
    /// ranking leaves out for their size, their looks or a built-in rule. Needs no index and makes none.
    ///
    /// # Errors
    /// `BadRequest` names the value that is wrong, such as a pattern that is no regular expression; `NoRoot` when the
    /// tree cannot be walked.
    pub fn grep(&self, request: &GrepRequest) -> Result<GrepReply, Error> {
        rows("max_results", request.max_results, MAX_ROWS)?;
        if request.expand > MAX_GREP_CONTEXT {
            let text = format!("expand is {}; choose 0 to {MAX_GREP_CONTEXT}", request.expand);
            return Err(Error::bad(text));
        }
        no_kinds(&request.filter, "a line")?;
        let GrepRequest { pattern, fixed, ignore_case, word, .. } = request;
        let pattern =
            Pattern::new(&Wanted { pattern, fixed: *fixed, ignore_case: *ignore_case, word: *word })?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let after = request.cursor.as_deref().map(place_of).transpose()?;
        let span =
            tracing::info_span!("code.grep", pattern = %request.pattern, project = %self.root().display());
        let _entered = span.enter();
        let checked_at = Some(SystemTime::now());
        let tracked = self.tracked();
        // Built-in rules are about what is worth ranking; a line stands wherever it stands.
        let settings = Settings { no_built_in: true, ..self.settings.clone() };
        let walked = Updater { settings: &settings, ..self.updater(tracked.as_ref()) }.walk()?;
        let found = self.scan(request, &pattern, &filter, &walked, after.as_ref());
        let scope = request.filter.path.as_deref().map(RelPath::new).transpose()?.unwrap_or(RelPath::root());
        // What the index says is at hand only if there is one; a grep makes none.
        let corpus = self.current().ok().and_then(Current::corpus);
        let freshness = Freshness { checked_at, ..Freshness::default() };
        let incomplete = incomplete(&found, &walked, &scope);
        let next = found.more.then(|| found.lines.last().map(|line| cursor(&line.path, line.number)));
        Ok(GrepReply {
            pattern: request.pattern.clone(),
            total_lines: found.total_lines,
            total_files: found.total_files,
            complete: incomplete.is_none(),
            incomplete,
            next: next.flatten(),
            snapshot: self.snapshot(corpus.as_deref(), &freshness),
            warnings: Vec::new(),
            lines: found.lines.into_iter().map(shown).collect(),
        })
    }

    fn scan(
        &self,
        request: &GrepRequest,
        pattern: &Pattern,
        filter: &Filter,
        walked: &Walked,
        after: Option<&(RelPath, u32)>,
    ) -> Found {
        let paths = walked.candidates.iter().map(|candidate| &candidate.path);
        let files: Vec<&RelPath> = paths.filter(|path| filter.takes_path(path.as_str())).collect();
        let asks_for_languages = filter.asks_for_languages();
        let takes =
            |path: &RelPath| !asks_for_languages || filter.takes_file(path.as_str(), self.language_now(path));
        grep::scan(&Scan {
            root: self.root(),
            files: &files,
            takes: &takes,
            pattern,
            after: after.map(|(path, line)| (path, *line)),
            page: request.max_results,
            context: request.expand,
            threads: self.options.threads,
            cap: MAX_LINES,
        })
    }

    /// The language of a file as indexing it now would have it.
    fn language_now(&self, path: &RelPath) -> LanguageId {
        if !self.grammars.depends_on_text(path) {
            return self.grammars.detect(path, "");
        }
        let max_file_bytes = self.settings.max_file_bytes;
        let limits = Limits { max_file_bytes, skip_generated: false, skip_minified: false };
        match read::read(&path.below(self.root()), &limits) {
            ReadOutcome::Source(source) => self.grammars.detect(path, &source.text),
            _ => self.grammars.detect(path, ""),
        }
    }

    /// Where an answer comes from; without a corpus there is no index.
    pub(super) fn snapshot(&self, corpus: Option<&Corpus>, freshness: &Freshness) -> Snapshot {
        let mut head = self.head();
        if let Some(corpus) = corpus {
            let view = &corpus.key().head;
            let branch = (!view.starts_with('@') && !view.is_empty()).then(|| view.clone());
            // An answer that compared is of what is checked out now, another of what was when it was indexed.
            if freshness.checked_at.is_none() || branch != head.branch {
                head.commit.clone_from(&corpus.info().commit);
            }
            head.branch = branch;
        }
        let Head { branch, commit } = head;
        Snapshot {
            root: self.root().to_path_buf(),
            branch,
            commit,
            generation: corpus.map_or(Generation(0), |corpus| corpus.meta().commit().generation),
            checked_at: freshness.checked_at,
            indexed_files: corpus.map_or(0, Corpus::n_files),
            skipped_files: corpus.map_or(0, |corpus| corpus.view().skipped().len()),
            stale_files: freshness.stale_files,
            building: corpus.and_then(|corpus| self.building(corpus)),
        }
    }
}

/// Checks how many rows are asked for.
pub(super) fn rows(name: &str, value: usize, most: usize) -> Result<(), Error> {
    if (1..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::bad(format!("{name} is {value}; choose 1 to {most}")))
}

/// Refuses kinds where they say nothing.
pub(super) fn no_kinds(filter: &FilterSpec, what: &str) -> Result<(), Error> {
    match filter.kind.first() {
        Some(kind) => Err(Error::bad(format!("kind is {kind}, and {what} has no kind; leave it out"))),
        None => Ok(()),
    }
}

/// Where a page of a list begins. A cursor of another generation still counts: the order of a head rarely moves.
pub(super) fn offset(cursor: Option<&str>) -> Result<usize, Error> {
    let Some(cursor) = cursor else { return Ok(0) };
    let parse = || {
        let (generation, offset) = cursor.strip_prefix('g')?.split_once('-')?;
        generation.parse::<u64>().ok()?;
        offset.parse().ok()
    };
    parse().ok_or_else(|| no_cursor(cursor))
}

/// The cursor of the page behind `end`, if there is one.
pub(super) fn next(corpus: &Corpus, end: usize, total: usize) -> Option<String> {
    (end < total).then(|| format!("g{}-{end}", corpus.meta().commit().generation.0))
}

fn no_cursor(cursor: &str) -> Error {
    Error::bad(format!("cursor '{cursor}' is not one; give the 'next' of a reply"))
}

/// The cursor of what stands behind a line: `l17-src/a%20b.rs`. It goes through a shell unharmed.
fn cursor(path: &RelPath, line: u32) -> String {
    let mut cursor = format!("l{line}-");
    for byte in path.as_str().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => cursor.push(byte as char),
            _ => cursor.push_str(&format!("%{byte:02X}")),
        }
    }
    cursor
}

/// The place that such a cursor names.
fn place_of(cursor: &str) -> Result<(RelPath, u32), Error> {
    let parse = || {
        let (line, path) = cursor.strip_prefix('l')?.split_once('-')?;
        let mut bytes = Vec::with_capacity(path.len());
        let mut parts = path.split('%');
        bytes.extend(parts.next()?.bytes());
        for part in parts {
            bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
            bytes.extend(part[2..].bytes());
        }
        Some((RelPath::new(&String::from_utf8(bytes).ok()?).ok()?, line.parse().ok()?))
    };
    parse().ok_or_else(|| no_cursor(cursor))
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
fn incomplete(found: &Found, walked: &Walked, scope: &RelPath) -> Option<String> {
    let mut reasons = Vec::new();
    if found.capped {
        reasons.push(format!("counting ended at {MAX_LINES} lines; narrow the pattern or the files"));
    }
    let holes = skipped(walked, scope, &[SkipReason::Unreadable, SkipReason::NameNotUtf8]);
    let holes =
        holes.map(|row| (&row.path, if row.detail.is_empty() { row.reason.name() } else { &row.detail }));
    let unread = found.unread.iter().map(|unread| (&unread.path, unread.error.as_str()));
    let mut all = holes.chain(unread);
    if let Some((path, why)) = all.next() {
        reasons.push(match all.count() {
            0 => format!("{path} could not be read: {why}"),
            others => format!("{path} and {others} more could not be read: {why}"),
        });
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The rows that were left out for one of `reasons` and have to do with what is below `scope`.
fn skipped<'w>(
    walked: &'w Walked,
    scope: &'w RelPath,
    reasons: &'w [SkipReason],
) -> impl Iterator<Item = &'w Skipped> {
    let holds = |above: &RelPath, below: &RelPath| {
        let rest = below.as_str().strip_prefix(above.as_str());
        rest.is_some_and(|rest| above.as_str().is_empty() || rest.is_empty() || rest.starts_with('/'))
    };
    let rows = walked.skipped.iter().filter(|row| reasons.contains(&row.reason));
    rows.filter(move |row| holds(scope, &row.path) || (row.is_dir && holds(&row.path, scope)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_names_its_place_and_nothing_else_does() {
        let place = |path: &str| (RelPath::new(path).unwrap(), 17);
        for path in ["a.rs", "src/a b/%41.rs", "größe/x'y;z", "l3-x"] {
            let cursor = cursor(&place(path).0, 17);
            assert!(cursor.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/-_.%".contains(&byte)));
            assert_eq!(place_of(&cursor).unwrap(), place(path), "{cursor}");
        }
        for bad in
            ["", "g1-10", "l-a", "lx-a", "l1", "l1-%4", "l1-%zz", "l1-/etc/passwd", "l1-../x", "l1-%ff"]
        {
            let error = place_of(bad).unwrap_err().to_string();
            assert_eq!(error, format!("cursor '{bad}' is not one; give the 'next' of a reply"));
        }
    }
}
