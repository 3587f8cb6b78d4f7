//! Reading a file of the tree, and the words of a file that is not ranked, so that an exact search can tell whether the
//! file has to be read.

use super::ReadTask;
use crate::git::Tracked;
use crate::id::ContentHash;
use crate::model::SkipReason;
use crate::path::RelPath;
use crate::read::{self, Ground, Limits, ReadOutcome, Source};
use crate::tokenize::{OPEN_WORDS, TermList, Tokenizer};

/// Reads a file of the tree. A file that git tracks is never skipped for looking generated; a file that the user asks
/// for is not skipped for its size either.
pub fn read_file(
    task: &ReadTask,
    ground: &Ground,
    limits: &Limits,
    tracked: Option<&Tracked>,
) -> ReadOutcome {
    let path = &task.path;
    if task.wanted {
        return ground.read(path, &Limits::WANTED);
    }
    match ground.read(path, limits) {
        ReadOutcome::PathOnly { reason: SkipReason::TooLarge, detail, .. } => ReadOutcome::PathOnly {
            hash: read::path_only(Unranked::read(ground, path).key()),
            reason: SkipReason::TooLarge,
            detail,
        },
        ReadOutcome::PathOnly { reason: SkipReason::Generated | SkipReason::Minified, .. }
            if tracked.is_some_and(|tracked| tracked.contains(path, false)) =>
        {
            ground.read(path, &Limits { skip_generated: false, skip_minified: false, ..*limits })
        }
        outcome => outcome,
    }
}

/// The size of the largest file that is not ranked and whose words are indexed.
pub const MAX_WORDS_BYTES: u64 = 64 << 20;

/// The content of a file that is not ranked, as far as a search for words needs it.
enum Unranked {
    /// Text, whose words are indexed.
    Text(Source),
    /// Binary content, in which a search for words finds nothing.
    Binary,
    /// Content that may hold any word.
    Unknown,
}

impl Unranked {
    fn read(ground: &Ground, path: &RelPath) -> Unranked {
        let limits = Limits { max_file_bytes: MAX_WORDS_BYTES, skip_generated: false, skip_minified: false };
        match ground.read(path, &limits) {
            ReadOutcome::Source(source) => Unranked::Text(source),
            ReadOutcome::Skipped { reason: SkipReason::Binary, detail } if detail.starts_with("NUL") => {
                Unranked::Binary
            }
            _ => Unranked::Unknown,
        }
    }

    /// A hash that identifies the content.
    fn key(&self) -> ContentHash {
        match self {
            Unranked::Text(source) => source.hash,
            Unranked::Binary => ContentHash::of(b"binary"),
            Unranked::Unknown => ContentHash::of(b"unknown"),
        }
    }
}

/// The words of a file that is not ranked, if its content is still the one that `hash` stands for.
pub fn fill_words(
    ground: &Ground,
    path: &RelPath,
    hash: ContentHash,
    tokenizer: &mut Tokenizer,
    words: &mut TermList,
) {
    words.clear();
    let content = Unranked::read(ground, path);
    let is_same = read::path_only(content.key()) == hash;
    match content {
        Unranked::Text(source) if is_same && !source.decoded => {
            tokenizer.words(&source.text, words);
            if tokenizer.passed_over() {
                words.push(OPEN_WORDS);
            }
        }
        Unranked::Binary if is_same => {}
        _ => words.push(OPEN_WORDS),
    }
}
