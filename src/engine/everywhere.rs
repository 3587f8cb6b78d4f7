//! Where a query stands as written, by an exact search: what lifts the budget of the literal pass.

use rustc_hash::{FxHashMap, FxHashSet};

use super::current::Viewed;
use super::{Engine, Error};
use crate::filter::Filter;
use crate::grep::{self, Line, Pattern, Plan, Scan, Wanted};
use crate::id::VersionId;
use crate::index;
use crate::path::RelPath;
use crate::read::Ground;
use crate::search::{self, Corpus};

/// What holds a query as written.
pub struct Everywhere {
    /// What ranking is told.
    pub known: search::Everywhere,
    /// The files that ranking knows nothing of, by path.
    pub beyond: Vec<Unranked>,
}

/// A file that is not ranked.
pub struct Unranked {
    /// How many of its lines hold the query.
    pub lines: u32,
    /// The first of them.
    pub first: Line,
}

impl Everywhere {
    /// The paths of the ranked files whose bytes hold the query.
    pub fn ranked<'p>(&'p self, corpus: &'p Corpus) -> impl Iterator<Item = &'p str> {
        self.known.lines.iter().map(|(file, _)| corpus.path(*file))
    }
}

impl Engine {
    /// Looks for `text` in all that an exact search reads, and in what the index decoded.
    pub(super) fn everywhere(
        &self,
        corpus: &Corpus,
        filter: &Filter,
        text: &str,
    ) -> Result<Everywhere, Error> {
        let wanted = Wanted { fixed: true, multi_line: text.contains('\n'), ..Wanted::new(text) };
        let (pattern, plan) = (Pattern::new(&wanted)?, Plan::new(&wanted));
        let candidates = match narrowed(Viewed::of(corpus), &plan) {
            Some(versions) => versions.into_iter().filter_map(|version| corpus.file_of(version)).collect(),
            None => (0..corpus.n_files() as u32).collect(),
        };
        let scope = self.scope(filter, &plan)?;
        let takes = self.takes(filter, &scope.ground);
        let scan = |files: &[RelPath], page: usize, max_count: Option<u64>| {
            grep::scan(&Scan {
                ground: &scope.ground,
                files,
                takes: &takes,
                pattern: &pattern,
                after: None,
                within: None,
                page,
                context: (0, 0),
                max_count,
                masks: !self.options.show_secrets,
                threads: self.options.threads,
            })
        };
        let found = scan(&scope.files, 0, None);
        super::cancel::check()?;
        let numbers = 0..corpus.n_files() as u32;
        let ranked: FxHashMap<&str, u32> = numbers.map(|file| (corpus.path(file), file)).collect();
        let (mut lines, mut others, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for (place, count) in found.by_file {
            let path = &scope.files[place];
            match ranked.get(path.as_str()) {
                Some(file) => lines.push((*file, count as u32)),
                None => {
                    others.push(path.clone());
                    counts.push(count as u32);
                }
            }
        }
        // What went away meanwhile is not shown.
        let firsts = scan(&others, others.len(), Some(1)).lines;
        let counts: FxHashMap<&RelPath, u32> = others.iter().zip(counts).collect();
        let beyond = firsts.into_iter().map(|first| Unranked { lines: counts[&first.path], first }).collect();
        let complete = super::grep::incomplete(&found.unread, &scope).is_none();
        Ok(Everywhere { known: search::Everywhere { candidates, lines, complete }, beyond })
    }

    /// The first line of a file that holds `text`, as it is now; `None` if there is no such line or it cannot be read.
    pub(super) fn first_line(
        &self,
        ground: &Ground,
        path: &RelPath,
        text: &str,
    ) -> Result<Option<Line>, Error> {
        let wanted = Wanted { fixed: true, multi_line: text.contains('\n'), ..Wanted::new(text) };
        let found = grep::scan(&Scan {
            ground,
            files: std::slice::from_ref(path),
            takes: &|_| true,
            pattern: &Pattern::new(&wanted)?,
            after: None,
            within: None,
            page: 1,
            context: (0, 0),
            max_count: Some(1),
            masks: !self.options.show_secrets,
            threads: Some(1),
        });
        Ok(found.lines.into_iter().next())
    }

    /// The files of a view that hold each of `texts`, as they are now.
    pub(super) fn files_with_all(
        &self,
        viewed: Viewed<'_>,
        filter: &Filter,
        texts: &[String],
    ) -> Result<FxHashSet<String>, Error> {
        let mut plans = Vec::new();
        let mut patterns = Vec::new();
        for text in texts {
            let wanted = Wanted { fixed: true, multi_line: true, ..Wanted::new(text) };
            patterns.push(Pattern::new(&wanted)?);
            plans.push(Plan::new(&wanted));
        }
        let ground = self.ground_of(viewed)?;
        let mut files = viewed.files(filter, narrowed(viewed, &Plan::And(plans)));
        for pattern in &patterns {
            let found = grep::scan(&Scan {
                ground: &ground,
                files: &files,
                takes: &|_| true,
                pattern,
                after: None,
                within: None,
                page: usize::MAX,
                context: (0, 0),
                max_count: Some(1),
                masks: false,
                threads: self.options.threads,
            });
            files = found.lines.into_iter().map(|line| line.path).collect();
            files.dedup();
        }
        Ok(files.iter().map(|path| path.as_str().to_string()).collect())
    }
}

/// The versions of a view that may match; `None` for all, also where the index cannot tell.
fn narrowed(viewed: Viewed<'_>, plan: &Plan) -> Option<Vec<VersionId>> {
    index::guarded(|| viewed.narrowed(plan)).unwrap_or_else(|error| {
        tracing::warn!(%error, "the index cannot tell which files may match; all are read");
        None
    })
}
