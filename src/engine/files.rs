//! Files by name: by fuzzy matching, like "go to file" in editors, or by a glob. [`fuzzy`] finds and orders the paths.

use super::api::*;
use super::call::Call;
use super::core::Engine;
use super::corpus::Corpus;
use super::lookup::{check_pattern_length, check_rows, parse_offset, refuse_kinds};
use super::operation::Operation;
use super::origin::ReplyOrigin;
use super::remote::RemoteMembers;
use crate::error::Error;
use spyhop_base::path::RelPath;
use spyhop_search::SearchSnapshot;
use spyhop_search::filter::{Filter, FilterSpec};
use spyhop_search::fuzzy::{self, FoundPath, FoundPaths, Fuzzy, FuzzyWords, MatchedPart};
use spyhop_syntax::grammar::Grammars;

/// Files by name, including path-only files. Equal matches of several trees are sorted by path, then by tree.
impl Operation for FilesRequest {
    const NAME: &'static str = "files";

    type Reply = FilesReply;

    fn paths_in_sources(&mut self) -> Vec<&mut String> {
        self.filter.path.iter_mut().collect()
    }

    fn scope(&self) -> Option<&str> {
        self.filter.path.as_deref()
    }

    fn run(&self, corpus: &Corpus, call: &Call<'_>) -> Result<FilesReply, Error> {
        let lookup = FileLookup::new(corpus.first_engine()?, self)?;
        let span = tracing::info_span!("code.files", pattern = %self.pattern, project = %corpus);
        let _entered = span.enter();
        if let Some(remote) = &corpus.remote {
            let found = lookup.answer_of_remote(&**remote)?.of(ReplyOrigin::of_remote(remote.state()));
            return Ok(FilesReply { complete: remote.complete(), ..found });
        }
        corpus.with_snapshot(call, |asked, snapshot| {
            let found = lookup.answer(snapshot, &|file| asked.source_of(snapshot, file))?;
            Ok(found.of(ReplyOrigin::of_members(asked)))
        })
    }
}

impl FilesReply {
    /// The reply with what it says of its origin.
    fn of(self, origin: ReplyOrigin) -> FilesReply {
        let mut reply = FilesReply {
            next: origin.next(self.offset.saturating_add(self.files.len()), self.total),
            complete: origin.complete(),
            snapshot: origin.snapshot,
            sources: origin.sources,
            warnings: origin.warnings,
            ..self
        };
        reply.settle_sources();
        reply
    }
}

/// A pattern as a path below the root, if it is typed as an absolute path, behind `./`, or with a line as in `a.rs:12`.
fn below_root<'p>(engine: &Engine, pattern: &'p str) -> &'p str {
    let root = engine.root().to_str().unwrap_or_default();
    let below = pattern.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
    let path = below.or_else(|| pattern.strip_prefix("./")).unwrap_or(pattern);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match path.split_once(':') {
        Some((file, rest)) if !file.is_empty() && is_number(rest.split(':').next().unwrap_or_default()) => {
            file
        }
        _ => path,
    }
}

/// A checked request, for the snapshot of one tree or of several.
pub(super) struct FileLookup<'r> {
    request: &'r FilesRequest,
    grammars: &'r Grammars,
    filter: Filter,
    wanted: FilePattern,
    offset: usize,
}

impl<'r> FileLookup<'r> {
    pub fn new(engine: &'r Engine, request: &'r FilesRequest) -> Result<FileLookup<'r>, Error> {
        if request.max_results != ALL_ROWS {
            check_rows("max_results", request.max_results, MAX_ROWS)?;
        }
        refuse_kinds(&request.filter, "a file")?;
        let grammars = engine.grammars();
        let filter = Filter::new(&request.filter, grammars)?;
        let wanted = FilePattern::new(below_root(engine, &request.pattern), grammars)?;
        let offset = parse_offset(request.cursor.as_deref())?;
        Ok(FileLookup { request, grammars, filter, wanted, offset })
    }

    /// The files of the page, without what the reply says of its origin. `source_of` is the source of a file.
    pub fn answer(
        &self,
        snapshot: &SearchSnapshot,
        source_of: &dyn Fn(u32) -> Option<SourceName>,
    ) -> Result<FilesReply, Error> {
        let keep = self.offset.saturating_add(self.request.max_results);
        let FoundPaths { found, total, scattered } =
            self.wanted.best(snapshot, &self.filter, keep, self.request.include_scattered);
        let page = found.iter().skip(self.offset);
        let row = |found: &FoundPath<'_>| {
            Ok(FileRow { source: source_of(found.file), ..self.row(snapshot, found)? })
        };
        Ok(self.page(page.map(row).collect::<Result<Vec<_>, Error>>()?, (total, scattered)))
    }

    fn page(&self, files: Vec<FileRow>, (total, left_out): (usize, usize)) -> FilesReply {
        FilesReply {
            pattern: self.request.pattern.clone(),
            files,
            total,
            left_out,
            next: None,
            offset: self.offset,
            snapshot: Snapshot::default(),
            sources: Vec::new(),
            complete: None,
            warnings: Vec::new(),
        }
    }

    /// The files of the page over remote members: the best of the best files of each.
    fn answer_of_remote(&self, remote: &dyn RemoteMembers) -> Result<FilesReply, Error> {
        let keep = self.offset.saturating_add(self.request.max_results);
        let max_results = if keep <= MAX_ROWS { keep } else { ALL_ROWS };
        let of_each = FilesRequest { cursor: None, max_results, ..self.request.clone() };
        let all = self.request.include_scattered;
        let is_scattered = |own: &FilesReply| {
            let path = |file: u32| Some(own.files[file as usize].path.as_str());
            let best = self.wanted.best_of(own.files.len() as u32, path, 1, true);
            best.found.first().is_some_and(|best| best.is_scattered)
        };
        // A member whose matches are all scattered shows them.
        let (scattered, plain): (Vec<FilesReply>, Vec<FilesReply>) =
            remote.replies_of(&of_each)?.into_iter().partition(|own| !all && is_scattered(own));
        let sum = |replies: &[FilesReply]| replies.iter().map(|own| own.total).sum::<usize>();
        let (total, n_scattered) = (sum(&plain), sum(&scattered));
        let left_out: usize = plain.iter().map(|own| own.left_out).sum();
        let (replies, takes_scattered) = if total > 0 { (plain, all) } else { (scattered, true) };
        let rows: Vec<FileRow> = replies.into_iter().flat_map(|own| own.files).collect();
        let counts = if total > 0 { (total, left_out + n_scattered) } else { (n_scattered, 0) };
        let path = |file: u32| Some(rows[file as usize].path.as_str());
        let best = self.wanted.best_of(rows.len() as u32, path, keep, takes_scattered);
        let page = best.found.iter().skip(self.offset).map(|found| rows[found.file as usize].clone());
        Ok(self.page(page.collect(), counts))
    }

    fn row(&self, snapshot: &SearchSnapshot, found: &FoundPath<'_>) -> Result<FileRow, Error> {
        let version = snapshot.version(found.file);
        let path = RelPath::new(found.path)?;
        let (matched, highlights) = match &self.wanted {
            FilePattern::Any => (FileMatch::Any, Vec::new()),
            FilePattern::Glob(..) => (FileMatch::Glob, Vec::new()),
            FilePattern::Fuzzy(fuzzy) => {
                let part = if found.part == MatchedPart::Name { FileMatch::Name } else { FileMatch::Path };
                (part, fuzzy.highlights(found.path, found.part))
            }
            FilePattern::Words(words) => {
                let part = if found.part == MatchedPart::Name { FileMatch::Name } else { FileMatch::Path };
                (part, words.highlights(found.path))
            }
        };
        Ok(FileRow {
            source: None,
            language: self.grammars.name(version.language()),
            lines: (version.lines() > 0).then(|| version.lines()),
            bytes: version.bytes(),
            matched,
            highlights,
            path,
        })
    }
}

/// A parsed pattern.
enum FilePattern {
    Any,
    /// A glob, with its text, which may also be the end of a path as it is: `app/[slug]/page.tsx`.
    Glob(Box<Filter>, String),
    Fuzzy(Box<Fuzzy>),
    /// Several words, each of which must match.
    Words(FuzzyWords),
}

impl FilePattern {
    fn new(pattern: &str, grammars: &Grammars) -> Result<FilePattern, Error> {
        check_pattern_length(pattern)?;
        if pattern.contains(['*', '?', '[']) {
            let spec = FilterSpec { path_globs: vec![pattern.trim().to_string()], ..FilterSpec::default() };
            let text = pattern.trim().trim_start_matches("./").to_string();
            return Ok(FilePattern::Glob(Box::new(Filter::new(&spec, grammars)?), text));
        }
        if let Some(words) = FuzzyWords::new(pattern) {
            return Ok(FilePattern::Words(words));
        }
        Ok(Fuzzy::new(pattern).map_or(FilePattern::Any, |fuzzy| FilePattern::Fuzzy(Box::new(fuzzy))))
    }

    /// The best `keep` files that pass the filter, best first. Scattered matches are left out if there are better ones,
    /// unless `all`.
    fn best<'c>(
        &self,
        snapshot: &'c SearchSnapshot,
        filter: &Filter,
        keep: usize,
        all: bool,
    ) -> FoundPaths<'c> {
        let n = snapshot.n_files() as u32;
        let takes_all = filter.takes_all_files();
        let path = |file: u32| {
            let version = snapshot.version(file);
            let path = version.path();
            (takes_all || filter.takes_file(path, version.language())).then_some(path)
        };
        self.best_of(n, path, keep, all)
    }

    /// As [`FilePattern::best`], of `n` paths, of which `path` leaves some out.
    fn best_of<'c>(
        &self,
        n: u32,
        path: impl Fn(u32) -> Option<&'c str> + Sync,
        keep: usize,
        all: bool,
    ) -> FoundPaths<'c> {
        let path = &path;
        let glob = match self {
            FilePattern::Fuzzy(fuzzy) => return best_or_all(all, |all| fuzzy.best(n, keep, all, path)),
            FilePattern::Words(words) => return best_or_all(all, |all| words.best(n, keep, all, path)),
            FilePattern::Glob(glob, text) => Some((glob, text)),
            FilePattern::Any => None,
        };
        let ends_so = |path: &str, text: &str| {
            path.strip_suffix(text).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        let takes =
            |path: &&str| glob.is_none_or(|(glob, text)| glob.takes_path(path) || ends_so(path, text));
        let path = |file: u32| path(file).filter(takes);
        let (found, total) = fuzzy::listed(n, keep, path);
        FoundPaths { found, total, scattered: 0 }
    }
}

/// The best matches; the scattered ones too if there are no others.
fn best_or_all<'c>(all: bool, best: impl Fn(bool) -> FoundPaths<'c>) -> FoundPaths<'c> {
    let found = best(all);
    if found.total == 0 && found.scattered > 0 { best(true) } else { found }
}
