//! Reading a file of the tree, and what is indexed of a file that is not ranked: its words, so that an exact search can tell
//! whether the file has to be read, and the definitions of a large file.

use std::path::Path;

use crate::tokenize::{OPEN_WORDS, TermList, Tokenizer};
use crate::update::plan::ReadTask;
use spyhop_base::id::{ContentHash, PathOnlyKey};
use spyhop_base::model::SkipReason;
use spyhop_base::path::RelPath;
use spyhop_files::git::Tracked;
use spyhop_files::read::{Limits, ReadOutcome, Source, TreeSource, is_machine_written};

/// Reads a file of the tree. A file that git tracks is never skipped for looking generated; a file that the user asks
/// for is not skipped for its size either.
pub fn read_file(
    task: &ReadTask,
    source_tree: &TreeSource,
    limits: &Limits,
    tracked: Option<&Tracked>,
) -> ReadOutcome {
    let path = &task.path;
    if task.wanted {
        return source_tree.read(path, &Limits::WANTED);
    }
    match source_tree.read(path, limits) {
        ReadOutcome::PathOnly { reason: SkipReason::TooLarge, detail, .. } => ReadOutcome::PathOnly {
            key: UnrankedContent::read(source_tree, path).key(),
            reason: SkipReason::TooLarge,
            detail,
        },
        ReadOutcome::PathOnly { reason: SkipReason::Generated | SkipReason::Minified, .. }
            if tracked.is_some_and(|tracked| tracked.contains(path, false)) =>
        {
            source_tree.read(path, &Limits { skip_generated: false, skip_minified: false, ..*limits })
        }
        outcome => outcome,
    }
}

/// The size of the largest file that is not ranked and whose words are indexed.
pub(crate) const MAX_WORDS_BYTES: u64 = 64 << 20;

/// The content of a file that is not ranked, as far as a search for words needs it.
enum UnrankedContent {
    /// Text, whose words are indexed.
    Text(Source),
    /// Binary content, in which a search for words finds nothing.
    Binary,
    /// Content that may hold any word.
    Unknown,
}

impl UnrankedContent {
    fn read(source_tree: &TreeSource, path: &RelPath) -> UnrankedContent {
        let limits = Limits { max_file_bytes: MAX_WORDS_BYTES, skip_generated: false, skip_minified: false };
        match source_tree.read(path, &limits) {
            ReadOutcome::Source(source) => UnrankedContent::Text(source),
            ReadOutcome::Skipped { reason: SkipReason::Binary, detail } if detail.starts_with("NUL") => {
                UnrankedContent::Binary
            }
            _ => UnrankedContent::Unknown,
        }
    }

    fn key(&self) -> PathOnlyKey {
        PathOnlyKey::of(match self {
            UnrankedContent::Text(source) => source.hash,
            UnrankedContent::Binary => ContentHash::of(b"binary"),
            UnrankedContent::Unknown => ContentHash::of(b"unknown"),
        })
    }
}

/// Whether the definitions of a file that is not ranked are found by line rules.
pub(crate) fn has_rules(source: &Source, path: &RelPath) -> bool {
    source.bytes <= Limits::MAX_RULE_BYTES && !is_machine_written(Path::new(path.as_str()), &source.text)
}

/// Fills in the words of a file that is not ranked, and returns its text, if its content still has this key.
pub(crate) fn fill_words(
    source_tree: &TreeSource,
    path: &RelPath,
    key: PathOnlyKey,
    tokenizer: &mut Tokenizer,
    words: &mut TermList,
) -> Option<Source> {
    words.clear();
    let content = UnrankedContent::read(source_tree, path);
    let is_same = content.key() == key;
    match content {
        UnrankedContent::Text(source) if is_same => {
            if !source.decoded {
                tokenizer.words(&source.text, words);
            }
            if source.decoded || tokenizer.passed_over() {
                words.push(OPEN_WORDS);
            }
            return Some(source);
        }
        UnrankedContent::Binary if is_same => {}
        _ => words.push(OPEN_WORDS),
    }
    None
}
