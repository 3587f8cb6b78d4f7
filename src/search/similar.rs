//! Similar texts: the first files of a question are ordered by how similar their texts are to it, too, as a model outside
//! of this crate tells: by vectors (signal `similar`), or by the words that a text was expanded with (signal `expanded`).
//!
//! Only the first files are compared: a model finds no file among the others that the fused lists lack, and comparing
//! these takes no index of vectors.

use super::context::Context;
use super::model::RankedFile;
use super::related::standardized;
use super::similar_texts::Similarity;
use super::snapshot::SearchSnapshot;
use crate::profile::{Feature, Signal, Transform};
use crate::query::Query;
use spyhop_base::id::ContentHash;
use spyhop_base::text::Span;
use spyhop_index::meta::OutlineSymbol;

/// The number of files that are compared.
const FILES: usize = 50;

/// As for related words, with the deviation that cosines of models of sentences have.
const OF_COSINES: f32 = 0.05;

/// As above, with the deviation that sums of the weights of words have.
const OF_WEIGHTS: f32 = 1.0;

/// The most characters of a question in a reason.
const SHOWN_CHARS: usize = 60;

/// How similar the first files are to the question of a ranking.
#[derive(Clone, Debug, Default)]
pub struct ComparedFiles {
    pub(crate) model: String,
    pub(crate) question: String,
    /// The files, by their numbers in the snapshot.
    files: Vec<(u32, Similarity)>,
    /// What the caller should know of the comparison, such as that the model does not answer.
    pub note: Option<String>,
}

impl ComparedFiles {
    /// Whether files were compared.
    pub fn is_compared(&self) -> bool {
        !self.files.is_empty()
    }

    /// The files with their similarities, which may be unknown.
    pub(crate) fn new(
        (model, question): (&str, &str),
        files: impl Iterator<Item = (u32, Option<Similarity>)>,
        note: Option<String>,
    ) -> ComparedFiles {
        let files = files.filter_map(|(file, known)| Some((file, known?))).collect();
        ComparedFiles { model: model.to_string(), question: question.to_string(), files, note }
    }

    /// No files, and why.
    pub(crate) fn only_note(note: String) -> ComparedFiles {
        ComparedFiles { note: Some(note), ..ComparedFiles::default() }
    }

    /// The similarity of a file, if it was compared.
    pub(crate) fn of(&self, file: u32) -> Option<&Similarity> {
        self.files.iter().find(|(own, _)| *own == file).map(|(_, similarity)| similarity)
    }
}

/// Adds to the sums of the first files how similar their texts are to `question`, the query as typed, and sorts them
/// again. `signal` is [`Signal::Similar`] or [`Signal::Expanded`]. A file whose similarity is not known counts as the mean of
/// the others, so that it neither gains nor loses.
pub fn add_similar(
    signal: Signal,
    (question, query): (&str, &Query),
    context: &Context<'_>,
    files: &mut [RankedFile],
) -> Option<ComparedFiles> {
    let (similar, usual, things) = match signal {
        Signal::Expanded => (context.expanded?, OF_WEIGHTS, "expansions"),
        _ => (context.similar?, OF_COSINES, "vectors"),
    };
    let feature = Feature { signal, transform: Transform::Value };
    let weight = context.profile.weight(query.kind, feature);
    if weight == 0.0 || query.is_report || files.is_empty() {
        return None;
    }
    let snapshot = context.snapshot;
    let n_files = files.len().min(FILES);
    let files = &mut files[..n_files];
    let hashes: Vec<Option<ContentHash>> =
        files.iter().map(|ranked| snapshot.version(ranked.file).content().ranked()).collect();
    let contents: Vec<ContentHash> = hashes.iter().flatten().copied().collect();
    let of_contents = match similar.compare(question, &contents) {
        Ok(of_contents) => of_contents,
        Err(note) => return Some(ComparedFiles::only_note(note)),
    };
    let n_unknown = of_contents.iter().filter(|known| known.is_none()).count();
    let mut of_contents = of_contents.into_iter();
    let all: Vec<Option<Similarity>> =
        hashes.iter().map(|hash| hash.and_then(|_| of_contents.next().flatten())).collect();
    let values = standardized(all.iter().map(|known| Some(known.as_ref()?.of_file)), usual);
    let numbers: Vec<u32> = files.iter().map(|ranked| ranked.file).collect();
    add_values((signal, weight), files, &values, snapshot);
    let note = unknown_note(n_unknown, n_files, things);
    Some(ComparedFiles::new((similar.model(), question), numbers.into_iter().zip(all), note))
}

/// Adds the values of a signal to the sums of files, and sorts the files again. A file whose value is not known counts as
/// the mean of the others.
pub(crate) fn add_values(
    (signal, weight): (Signal, f32),
    files: &mut [RankedFile],
    values: &[Option<f32>],
    snapshot: &SearchSnapshot,
) {
    let known = || values.iter().flatten();
    let mean = known().sum::<f32>() / known().count().max(1) as f32;
    for (ranked, value) in files.iter_mut().zip(values) {
        ranked.add(signal, value.unwrap_or(mean), weight);
    }
    let path = |ranked: &RankedFile| snapshot.path(ranked.file);
    files.sort_by(|a, b| b.raw.total_cmp(&a.raw).then_with(|| path(a).cmp(path(b))));
}

/// The note about files without vectors or expansions, if they are more than a fifth of the first files.
fn unknown_note(n_unknown: usize, n_files: usize, things: &str) -> Option<String> {
    (5 * n_unknown > n_files).then(|| {
        format!(
            "{n_unknown} of the first {n_files} files have no {things}; 'spyhop semantic build' makes them"
        )
    })
}

/// The end of the reason of a file: the question or its word, the most similar part, the model and the similarity.
pub(crate) fn sentence(
    compared: &ComparedFiles,
    symbols: &[OutlineSymbol<'_>],
    snapshot: &SearchSnapshot,
    file: u32,
) -> Option<String> {
    let similarity = compared.of(file)?;
    let part = match symbol_of(symbols, similarity.part) {
        Some(symbol) => symbol.qualified(),
        None => spyhop_base::path::RelPath::new(snapshot.path(file)).map_or_else(
            |_| "a part of the file".to_string(),
            |path| format!("a part of '{}'", path.naming()),
        ),
    };
    let model = &compared.model;
    if let Some((word, weight)) = &similarity.word {
        return Some(format!("'{word}' in {part} ({model}, {weight:.1})"));
    }
    let mut shown: String = compared.question.chars().take(SHOWN_CHARS).collect();
    if shown.len() < compared.question.len() {
        shown.push('…');
    }
    Some(format!("'{shown}' to {part} ({model}, {:.2})", similarity.of_part))
}

/// The symbol that a part of a file is about: the largest one that begins in the part, else the innermost one around it.
fn symbol_of<'s, 'o>(symbols: &'s [OutlineSymbol<'o>], part: Span) -> Option<&'s OutlineSymbol<'o>> {
    let begins = |symbol: &&OutlineSymbol<'_>| part.range().contains(&(symbol.span.start as usize));
    let is_named = |symbol: &&OutlineSymbol<'_>| symbol.kind.is_function() || symbol.kind.is_type_like();
    let inside = symbols.iter().filter(begins);
    let named = inside.clone().filter(is_named).max_by_key(|symbol| symbol.span.len());
    let around = symbols.iter().filter(|symbol| symbol.span.contains(part));
    named
        .or_else(|| around.min_by_key(|symbol| symbol.span.len()))
        .or_else(|| inside.max_by_key(|symbol| symbol.span.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_base::model::SymbolKind;
    use spyhop_base::text::Lines;

    fn symbol(name: &str, kind: SymbolKind, start: u32, end: u32) -> OutlineSymbol<'_> {
        let (span, lines) = (Span { start, end }, Lines { first: 1, last: 1 });
        OutlineSymbol { name, kind, span, lines, container: None, parent: None }
    }

    #[test]
    fn a_part_is_named_after_what_begins_in_it_or_is_around_it() {
        let symbols = [
            symbol("Cache", SymbolKind::Struct, 0, 900),
            symbol("LIMIT", SymbolKind::Const, 100, 120),
            symbol("evict", SymbolKind::Fn, 200, 800),
        ];
        let check = |start, end, expected: Option<&str>| {
            assert_eq!(symbol_of(&symbols, Span { start, end }).map(|symbol| symbol.name), expected);
        };
        check(150, 600, Some("evict"));
        check(600, 800, Some("evict"));
        check(90, 130, Some("Cache"));
        check(900, 950, None);
    }

    #[test]
    fn a_note_is_about_more_than_a_fifth_of_the_files() {
        assert_eq!(unknown_note(10, 50, "vectors"), None);
        assert!(
            unknown_note(11, 50, "vectors").unwrap().starts_with("11 of the first 50 files have no vectors")
        );
    }
}
