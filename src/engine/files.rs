//! Files by name: fuzzy as editors' "go to file" is, or by a glob.
//!
//! A file's name weighs more than its folders, because that is what people remember. Equal scores are ordered by the
//! length of the path and then by the path, so the order is always the same.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use super::api::*;
use super::current::Viewed;
use super::lookup::{next, no_kinds, offset, rows};
use super::{Engine, Error};
use crate::filter::{Filter, FilterSpec};
use crate::id::LanguageId;
use crate::path::RelPath;
use crate::search::Corpus;
use crate::text::Span;
use crate::update::OnProgress;

/// A longer pattern is refused.
const MAX_PATTERN_CHARS: usize = 1_000;

/// A score in the name is worth so many of these, one in the path four.
const NAME_WORTH: u32 = 5;
const PATH_WORTH: u32 = 4;

impl Engine {
    /// Finds files by name, among those that are ranked and those that are found by their path only.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn files(&self, request: &FilesRequest) -> Result<FilesReply, Error> {
        self.files_with_progress(request, &|_| ())
    }

    /// The same, telling how far an index update is that has to come first.
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
        let mut wanted = Wanted::new(&request.pattern, self)?;
        let from = offset(request.cursor.as_deref())?;
        let span =
            tracing::info_span!("code.files", pattern = %request.pattern, project = %self.root().display());
        let _entered = span.enter();
        let (corpus, freshness) = self.ready(progress)?;
        let corpus = &*corpus;
        let mut found: Vec<Found> = (0..corpus.n_files() as u32)
            .filter(|file| filter.takes_file(corpus.path(*file), corpus.version(*file).language()))
            .filter_map(|file| wanted.found(file, corpus.path(file)))
            .collect();
        found.sort_by(|a, b| {
            let length = |found: &Found| if found.is_fuzzy() { corpus.path(found.file).len() } else { 0 };
            (b.score.cmp(&a.score))
                .then_with(|| length(a).cmp(&length(b)))
                .then_with(|| corpus.path(a.file).cmp(corpus.path(b.file)))
        });
        let total = found.len();
        let page = found.iter().skip(from).take(request.max_results);
        let files =
            page.map(|found| self.file_row(corpus, found, &mut wanted)).collect::<Result<Vec<_>, _>>()?;
        Ok(FilesReply {
            pattern: request.pattern.clone(),
            next: next(corpus, from.saturating_add(files.len()), total),
            files,
            total,
            snapshot: self.snapshot(Some(Viewed::of(corpus)), &freshness),
            warnings: freshness.warnings,
        })
    }

    fn file_row(&self, corpus: &Corpus, found: &Found, wanted: &mut Wanted) -> Result<FileRow, Error> {
        let version = corpus.version(found.file);
        let path = RelPath::new(version.path())?;
        Ok(FileRow {
            language: self.grammars.name(version.language()),
            lines: (version.lines() > 0).then(|| version.lines()),
            bytes: version.bytes(),
            matched: found.matched,
            highlights: wanted.highlights(path.as_str(), found.matched),
            path,
        })
    }
}

/// A file that matches.
struct Found {
    file: u32,
    /// Whether its name is the pattern, then the matcher's score.
    score: (bool, u32),
    matched: FileMatch,
}

impl Found {
    fn is_fuzzy(&self) -> bool {
        matches!(self.matched, FileMatch::Name | FileMatch::Path)
    }
}

/// What is looked for.
enum Wanted {
    Any,
    Glob(Box<Filter>),
    Fuzzy(Box<Fuzzy>),
}

struct Fuzzy {
    text: String,
    atom: Atom,
    /// The last of several pieces, which is likely meant for the name.
    last: Option<Atom>,
    matcher: Matcher,
}

impl Wanted {
    fn new(pattern: &str, engine: &Engine) -> Result<Wanted, Error> {
        let chars = pattern.chars().count();
        if chars > MAX_PATTERN_CHARS {
            return Err(Error::bad(format!(
                "pattern has {chars} characters; {MAX_PATTERN_CHARS} are the most"
            )));
        }
        let text: String = pattern.split_whitespace().collect();
        if text.is_empty() {
            return Ok(Wanted::Any);
        }
        if text.contains(['*', '?', '[']) {
            let spec = FilterSpec { path_glob: vec![pattern.trim().to_string()], ..FilterSpec::default() };
            return Ok(Wanted::Glob(Box::new(Filter::new(&spec, &engine.grammars)?)));
        }
        let atom =
            |text: &str| Atom::new(text, CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy, false);
        let mut pieces = pattern.rsplit(|c: char| c == '/' || c.is_whitespace()).filter(|it| !it.is_empty());
        let last = pieces.next().filter(|_| pieces.next().is_some()).map(atom);
        let atom = atom(&text);
        let matcher = Matcher::new(Config::DEFAULT.match_paths());
        Ok(Wanted::Fuzzy(Box::new(Fuzzy { text: text.to_lowercase(), atom, last, matcher })))
    }

    fn found(&mut self, file: u32, path: &str) -> Option<Found> {
        let unscored = |matched| Some(Found { file, score: (false, 0), matched });
        match self {
            Wanted::Any => unscored(FileMatch::Any),
            Wanted::Glob(glob) if glob.takes_file(path, LanguageId::TEXT) => unscored(FileMatch::Glob),
            Wanted::Glob(_) => None,
            Wanted::Fuzzy(fuzzy) => {
                let name = file_name(path);
                let by_path = fuzzy.score(path)? * PATH_WORTH + fuzzy.score_of_last(name);
                let by_name = fuzzy.score(name).map_or(0, |score| score * NAME_WORTH);
                let matched = if by_name >= by_path { FileMatch::Name } else { FileMatch::Path };
                let lower = name.to_lowercase();
                let stem = lower.rsplit_once('.').map_or(lower.as_str(), |(stem, _)| stem);
                let is_it = lower == fuzzy.text || stem == fuzzy.text;
                Some(Found { file, score: (is_it, by_name.max(by_path)), matched })
            }
        }
    }

    fn highlights(&mut self, path: &str, matched: FileMatch) -> Vec<Span> {
        let Wanted::Fuzzy(fuzzy) = self else { return Vec::new() };
        let start = if matched == FileMatch::Name { path.len() - file_name(path).len() } else { 0 };
        let mut highlights: Vec<Span> = Vec::new();
        for place in fuzzy.places(&path[start..]) {
            let Some((at, letter)) = path[start..].char_indices().nth(place as usize) else { continue };
            let (from, to) = (start + at, start + at + letter.len_utf8());
            match highlights.last_mut() {
                Some(last) if last.end as usize == from => last.end = to as u32,
                _ => highlights.push(Span::new(from, to)),
            }
        }
        highlights
    }
}

impl Fuzzy {
    fn score(&mut self, text: &str) -> Option<u32> {
        self.atom.score(Utf32Str::new(text, &mut Vec::new()), &mut self.matcher).map(u32::from)
    }

    /// The score of the last of several pieces in a file's name.
    fn score_of_last(&mut self, name: &str) -> u32 {
        let Some(last) = &self.last else { return 0 };
        last.score(Utf32Str::new(name, &mut Vec::new()), &mut self.matcher).map_or(0, u32::from)
    }

    /// The characters of `text` that matched, increasing.
    fn places(&mut self, text: &str) -> Vec<u32> {
        let mut places = Vec::new();
        self.atom.indices(Utf32Str::new(text, &mut Vec::new()), &mut self.matcher, &mut places);
        places.sort_unstable();
        places.dedup();
        places
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
