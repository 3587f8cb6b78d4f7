//! The exact search of the trees of a set, tree by tree.

use super::super::api::*;
use super::super::core::Engine;
use super::super::lookup::{self, check_rows};
use super::set::SourceSet;
use super::{asking, origin};
use crate::error::Error;

impl SourceSet {
    /// Finds every line that matches a pattern, as [`Engine::grep`](crate::Engine::grep) does, tree by tree: the lines are
    /// sorted by source, then as in an answer of one tree.
    ///
    /// # Errors
    /// As [`Engine::grep`](crate::Engine::grep); if no tree can answer, the error of the first tree.
    pub fn grep(&self, request: &GrepRequest) -> Result<GrepReply, Error> {
        check_rows("max_results", request.max_results, MAX_ROWS)?;
        let from = request.cursor.as_deref().map(|cursor| self.cursor_of_set(cursor)).transpose()?;
        let mut room = request.max_results;
        let (answers, mut warnings) = self.each(|source, engine| {
            let here = self.sources.iter().position(|own| own.name == source.name).unwrap_or_default();
            let (first, cursor) = from.as_ref().map_or((0, None), |(at, cursor)| (*at, cursor.clone()));
            let is_shown = here >= first && room > 0;
            let of_one = GrepRequest {
                max_results: if is_shown { room } else { 1 },
                cursor: cursor.filter(|_| here == first),
                ..request.clone()
            };
            let mut reply = engine.grep(&of_one)?;
            let unshown = if is_shown { None } else { Some(std::mem::take(&mut reply.lines).len()) };
            room -= reply.lines.len().min(room);
            Ok((reply, here >= first, unshown.unwrap_or(0) > 0))
        })?;
        let silent = warnings.len();
        let mut whole: Option<GrepReply> = None;
        let mut sources = Vec::with_capacity(answers.len());
        for (source, (mut reply, is_after, has_unshown)) in answers {
            let name = &source.name;
            warnings.extend(reply.warnings.drain(..).map(|text| asking::of_source(name, &text)));
            sources.push(source.snapshot(reply.snapshot.clone()));
            reply.lines.iter_mut().for_each(|line| line.source = Some(name.clone()));
            reply.incomplete = reply.incomplete.map(|why| asking::incomplete_of(name, why));
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
        let incomplete = (silent > 0).then(|| self.missing(silent));
        Ok(GrepReply {
            snapshot: origin::sums(&sources),
            sources,
            warnings,
            incomplete: whole.incomplete.or(incomplete),
            ..whole
        })
    }

    /// Passes the output that ripgrep would print of each source to `out`, source by source, until `out` returns false.
    /// `looks` are the options of a source, among them how its paths are shown.
    ///
    /// # Errors
    /// As [`SourceSet::grep`].
    pub fn print_grep(
        &self,
        request: &GrepRequest,
        looks: impl Fn(&SourceName, &Engine) -> PrintOptions,
        mut out: impl FnMut(&[u8]) -> bool,
    ) -> Result<PrintedGrep, Error> {
        let mut goes_on = true;
        let (answers, warnings) = self.each(|source, engine| match goes_on {
            true => {
                let looks = looks(&source.name, engine);
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
            let named = |text: String| asking::of_source(&source.name, &text);
            whole.matched |= printed.matched;
            whole.searched_nothing &= printed.searched_nothing;
            let incomplete = printed.incomplete.map(|why| asking::incomplete_of(&source.name, why));
            whole.incomplete = whole.incomplete.take().or(incomplete);
            whole.warnings.extend(printed.warnings.into_iter().map(named));
        }
        Ok(whole)
    }

    /// Why an answer is incomplete in which sources are missing.
    pub(super) fn missing(&self, silent: usize) -> Incomplete {
        let text = format!("{silent} of {} sources do not answer", self.sources.len());
        IncompleteCause::Silent.with(text)
    }

    /// The place of the source that a cursor names, and the cursor in that source.
    fn cursor_of_set(&self, cursor: &str) -> Result<(usize, Option<String>), Error> {
        let parse = || {
            let (name, cursor) = cursor.rsplit_once(':')?;
            let place = self.sources.iter().position(|source| source.name.as_str() == name)?;
            Some((place, Some(cursor.to_string()).filter(|cursor| !cursor.is_empty())))
        };
        parse().ok_or_else(|| lookup::invalid_cursor(cursor))
    }
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
