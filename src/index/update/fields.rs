//! The terms of one document, field by field.

use crate::tokenize::{OPEN_WORDS, TermList, Tokenizer, is_word_char};
use spyhop_base::model::{Analysis, Chunk, Field, Note, Symbol};
use spyhop_base::path::RelPath;
use spyhop_base::text::Span;
use spyhop_files::read::Source;

/// The term lists of one document, reused to keep their memory.
#[derive(Default)]
pub struct Fields {
    pub scored: [TermList; Field::ALL.len()],
    pub words: TermList,
    pub definitions: TermList,
    pub references: TermList,
}

impl Fields {
    /// Empties all lists except the words, which belong to the whole file.
    pub fn clear(&mut self) {
        self.scored.iter_mut().for_each(TermList::clear);
        self.definitions.clear();
        self.references.clear();
    }

    pub fn fill<'t>(
        &mut self,
        tokenizer: &mut Tokenizer,
        text: &'t str,
        analysis: &Analysis,
        chunk: &Chunk,
        comments: &[Span],
        references: impl Iterator<Item = &'t str>,
    ) {
        self.clear();
        let [body, comment, symbol, ..] = &mut self.scored;
        // Words and structure come together: until the structure is there, a search for words finds nothing in the
        // file.
        match analysis.notes.contains(&Note::TextOnly) {
            true => tokenizer.terms(&text[chunk.span.range()], body),
            false => tokenizer.terms_and_words(&text[chunk.span.range()], body, &mut self.words),
        }
        // Part of a class matches the name of the class too.
        for open in &chunk.context {
            tokenizer.terms(&analysis.symbols[*open as usize].name, body);
        }
        for span in comments {
            let inside = Span { start: span.start.max(chunk.span.start), end: span.end.min(chunk.span.end) };
            tokenizer.terms(&text[inside.range()], comment);
        }
        let symbols = &analysis.symbols[chunk.symbols.start as usize..chunk.symbols.end as usize];
        for Symbol { name, .. } in symbols {
            tokenizer.terms(name, symbol);
        }
        self.fill_definitions(symbols);
        for name in references {
            if !name.contains(crate::tokenize::SEPARATOR) {
                self.references.push(name);
            }
        }
    }

    pub(crate) fn fill_definitions(&mut self, symbols: &[Symbol]) {
        for Symbol { name, .. } in symbols {
            if !name.contains(crate::tokenize::SEPARATOR) {
                self.definitions.push(name);
            }
        }
    }

    /// Marks the places where the words are not those of the file's bytes: a word was too long, a long line is cut
    /// inside a word, or the text was decoded, so that a search of the bytes sees something else.
    pub(crate) fn close_words(&mut self, tokenizer: &Tokenizer, chunks: &[Chunk], source: &Source) {
        let text = source.text.as_str();
        let inside = |at: usize| {
            let (before, after) = text.split_at(at);
            before.chars().next_back().is_some_and(is_word_char)
                && after.chars().next().is_some_and(is_word_char)
        };
        let is_cut = || chunks.iter().any(|chunk| inside(chunk.span.start as usize));
        if source.decoded || tokenizer.passed_over() || is_cut() {
            self.words.push(OPEN_WORDS);
        }
    }

    pub(crate) fn fill_path(&mut self, tokenizer: &mut Tokenizer, path: &RelPath) {
        let [.., name, whole] = &mut self.scored;
        tokenizer.terms(path.naming(), name);
        tokenizer.terms(path.parent().unwrap_or(""), whole);
        tokenizer.terms(path.stem(), whole);
    }
}

/// The spans of `spans` that overlap `within`; the spans that end in `within` are removed from the front.
pub fn overlapping<'s>(spans: &mut &'s [Span], within: Span) -> &'s [Span] {
    let end = spans.partition_point(|span| span.start < within.end);
    let begun = &spans[..end];
    let ended = begun.partition_point(|span| span.end <= within.end);
    *spans = &spans[ended..];
    begun
}
