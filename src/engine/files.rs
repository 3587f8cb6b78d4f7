//! Files by name: fuzzy as editors' "go to file" is, or by a glob.
//! How paths are found and ordered is [`fuzzy`]'s.

use super::api::*;
use super::current::Viewed;
use super::lookup::{next, no_kinds, offset, pattern_length, rows};
use super::{Engine, Error};
use crate::filter::{Filter, FilterSpec};
use crate::fuzzy::{self, Found, Fuzzy, Part};
use crate::path::RelPath;
use crate::search::Corpus;
use crate::update::OnProgress;

impl Engine {
    /// Finds files by name, among those that are ranked and those that are found by their path only.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn files(&self, request: &FilesRequest) -> Result<FilesReply, Error> {
        self.files_with_progress(request, &|_| ())
    }

    /// [`Engine::files`], reporting the progress of an index update that has to come first.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn files_with_progress(
        &self,
        request: &FilesRequest,
        progress: OnProgress<'_>,
    ) -> Result<FilesReply, Error> {
        rows("max_results", request.max_results, MAX_ROWS)?;
        no_kinds(&request.filter, "a file")?;
        let filter = Filter::new(&request.filter, &self.grammars)?;
        let wanted = Wanted::new(&request.pattern, self)?;
        let from = offset(request.cursor.as_deref())?;
        let span =
            tracing::info_span!("code.files", pattern = %request.pattern, project = %self.root().display());
        let _entered = span.enter();
        let (corpus, freshness) = self.ready(progress)?;
        let corpus = &*corpus;
        let keep = from.saturating_add(request.max_results);
        let (found, total) = wanted.best(corpus, &filter, keep);
        let page = found.iter().skip(from);
        let files = page.map(|found| self.file_row(corpus, found, &wanted)).collect::<Result<Vec<_>, _>>()?;
        Ok(FilesReply {
            pattern: request.pattern.clone(),
            next: next(corpus, from.saturating_add(files.len()), total),
            files,
            total,
            snapshot: self.snapshot(Some(Viewed::of(corpus)), &freshness),
            warnings: freshness.warnings,
        })
    }

    fn file_row(&self, corpus: &Corpus, found: &Found<'_>, wanted: &Wanted) -> Result<FileRow, Error> {
        let version = corpus.version(found.file);
        let path = RelPath::new(found.path)?;
        let (matched, highlights) = match wanted {
            Wanted::Any => (FileMatch::Any, Vec::new()),
            Wanted::Glob(_) => (FileMatch::Glob, Vec::new()),
            Wanted::Fuzzy(fuzzy) => {
                let part = if found.part == Part::Name { FileMatch::Name } else { FileMatch::Path };
                (part, fuzzy.highlights(found.path, found.part))
            }
        };
        Ok(FileRow {
            language: self.grammars.name(version.language()),
            lines: (version.lines() > 0).then(|| version.lines()),
            bytes: version.bytes(),
            matched,
            highlights,
            path,
        })
    }
}

/// What is looked for.
enum Wanted {
    Any,
    Glob(Box<Filter>),
    Fuzzy(Box<Fuzzy>),
}

impl Wanted {
    fn new(pattern: &str, engine: &Engine) -> Result<Wanted, Error> {
        pattern_length(pattern)?;
        if pattern.contains(['*', '?', '[']) {
            let spec = FilterSpec { path_glob: vec![pattern.trim().to_string()], ..FilterSpec::default() };
            return Ok(Wanted::Glob(Box::new(Filter::new(&spec, &engine.grammars)?)));
        }
        Ok(Fuzzy::new(pattern).map_or(Wanted::Any, |fuzzy| Wanted::Fuzzy(Box::new(fuzzy))))
    }

    /// The best `keep` files that the filter takes, best first, and how many there are.
    fn best<'c>(&self, corpus: &'c Corpus, filter: &Filter, keep: usize) -> (Vec<Found<'c>>, usize) {
        let n = corpus.n_files() as u32;
        let takes_all = filter.takes_all_files();
        let path = |file: u32| {
            let version = corpus.version(file);
            let path = version.path();
            (takes_all || filter.takes_file(path, version.language())).then_some(path)
        };
        let glob = match self {
            Wanted::Fuzzy(fuzzy) => return fuzzy.best(n, keep, path),
            Wanted::Glob(glob) => Some(glob),
            Wanted::Any => None,
        };
        let path = |file: u32| path(file).filter(|path| glob.is_none_or(|glob| glob.takes_path(path)));
        fuzzy::listed(n, keep, path)
    }
}
