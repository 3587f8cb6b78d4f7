//! Finding the words of a segment by the text that they contain.

use std::path::Path;

use tantivy::index::InvertedIndexReader;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;

use super::reader::{PostingBlocks, SegmentList};
use super::trigrams::{self, BLOCK_WORDS, Builder, Trigram, TrigramIndex};
use crate::inverted::error::IndexError;
use crate::inverted::schema::IndexField;
use spyhop_base::store::FileError;

/// The words of a segment.
pub struct Words<'r> {
    inverted: std::sync::Arc<InvertedIndexReader>,
    grams: Option<&'r TrigramIndex>,
}

/// Ranges of the sorted words, by number.
#[derive(Clone, Debug, Default)]
pub struct Stretches(Vec<std::ops::Range<u64>>);

impl Stretches {
    /// The number of words in the ranges.
    pub fn words(&self) -> u64 {
        self.0.iter().map(|stretch| stretch.end - stretch.start).sum()
    }
}

/// The documents of a word, before its posting list is read.
pub struct WordDocuments<'w> {
    words: &'w Words<'w>,
    info: &'w TermInfo,
}

impl WordDocuments<'_> {
    pub fn read(&self) -> Result<PostingBlocks, IndexError> {
        let postings =
            self.words.inverted.read_block_postings_from_terminfo(self.info, IndexRecordOption::Basic)?;
        Ok(PostingBlocks::new(postings))
    }
}

impl Words<'_> {
    /// The ranges of words that may contain all of `grams`, which are folded.
    pub fn stretches(&self, grams: &[Trigram]) -> Stretches {
        let words = self.inverted.terms().num_terms() as u64;
        let blocks = self.grams.filter(|_| !grams.is_empty()).and_then(|lists| lists.blocks(grams));
        let Some(blocks) = blocks else {
            return Stretches((words > 0).then_some(0..words).into_iter().collect());
        };
        let mut stretches: Vec<std::ops::Range<u64>> = Vec::new();
        for block in blocks {
            let start = u64::from(block) * BLOCK_WORDS;
            let end = (start + BLOCK_WORDS).min(words);
            match stretches.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ if start < end => stretches.push(start..end),
                _ => {}
            }
        }
        Stretches(stretches)
    }

    /// Calls `each` with the words of `stretches`, in order.
    pub fn for_each(
        &self,
        stretches: &Stretches,
        mut each: impl FnMut(&str, WordDocuments<'_>) -> Result<(), IndexError>,
    ) -> Result<(), IndexError> {
        let terms = self.inverted.terms();
        let mut first = Vec::new();
        for stretch in &stretches.0 {
            if !terms.ord_to_term(stretch.start, &mut first)? {
                return Err(IndexError::Damaged(format!("word {} does not exist", stretch.start)));
            }
            let mut stream = terms.range().ge(&first).into_stream()?;
            for _ in stretch.clone() {
                if !stream.advance() {
                    break;
                }
                if let Ok(word) = std::str::from_utf8(stream.key()) {
                    each(word, WordDocuments { words: self, info: stream.value() })?;
                }
            }
        }
        Ok(())
    }

    /// Calls `each` for each word with the prefix `prefix`, in order, at most `most` times. Returns whether these were
    /// all words.
    pub fn for_each_with_prefix(
        &self,
        prefix: &str,
        most: u64,
        mut each: impl FnMut(WordDocuments<'_>) -> Result<(), IndexError>,
    ) -> Result<bool, IndexError> {
        let mut stream = self.inverted.terms().range().ge(prefix).into_stream()?;
        let mut seen = 0;
        while stream.advance() && stream.key().starts_with(prefix.as_bytes()) {
            seen += 1;
            if seen > most {
                return Ok(false);
            }
            each(WordDocuments { words: self, info: stream.value() })?;
        }
        Ok(true)
    }
}

impl SegmentList {
    pub fn words(&self, segment: usize) -> Result<Words<'_>, IndexError> {
        let inverted = self.inverted(segment, IndexField::Word)?;
        let n_words = inverted.terms().num_terms() as u64;
        let segment = &self.segments()[segment];
        let open = || TrigramIndex::open(&trigrams::path_of(segment.dir(), &segment.id()), Some(n_words));
        let lists = segment.grams.get_or_init(open);
        Ok(Words { inverted, grams: lists.as_ref() })
    }
}

/// Writes the trigram index of a segment.
pub(super) fn write_grams_of(inverted: &InvertedIndexReader, path: &Path) -> Result<(), IndexError> {
    if !trigrams::has_lists(inverted.terms().num_terms() as u64) {
        return Ok(());
    }
    let mut builder = Builder::new();
    let mut stream = inverted.terms().stream()?;
    while stream.advance() {
        let word = std::str::from_utf8(stream.key());
        builder.add(word.map_err(|_| IndexError::Damaged("a word is not UTF-8".into()))?);
    }
    builder.write(path).map_err(|FileError { source, .. }| IndexError::Io(source))
}
