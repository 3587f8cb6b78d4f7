//! Related words: the first files of a question are ordered by how related their words are to those of the
//! question, too (see [`spyhop_index::related`]).

use rustc_hash::FxHashMap;

use super::context::Context;
use super::evidence::TermRarity;
use super::head_files::HeadFiles;
use super::model::RankedFile;
use super::snapshot::SearchSnapshot;
use crate::profile::{Feature, Profile, Signal, Transform};
use crate::query::{Query, is_function_word};
use spyhop_index::related::{PACKED_BYTES, QuestionVector, related_words};
use spyhop_index::tokenize::{TermList, Tokenizer, for_each_word, parts};

/// The number of files that are compared.
const FILES: usize = 50;

/// The usual deviation of similarities, and how many files it counts as: few files tell little of how far similarities
/// differ, and small differences must not be made large.
const USUAL_DEVIATION: f32 = 0.1;
const USUAL_FILES: f32 = 10.0;

/// The bytes of a place that are read for pairs of related words.
const PAIR_BYTES: usize = 4 << 10;

/// The weight of related words for a query; `None` if files are not compared by them.
pub(crate) fn related_weight(query: &Query, profile: &Profile) -> Option<f32> {
    let feature = Feature { signal: Signal::Related, transform: Transform::Value };
    let weight = profile.weight(query.kind, feature);
    (weight != 0.0 && !query.is_report).then_some(weight)
}

/// The vector of a question, whose terms have these rarities; `None` if files are not compared by related words.
pub fn question_vector(query: &Query, profile: &Profile, terms: &[TermRarity]) -> Option<QuestionVector> {
    related_weight(query, profile)?;
    let stems = query.terms.iter().zip(terms).map(|(term, of)| (term.term.as_str(), of.rarity));
    QuestionVector::new(related_words(), stems)
}

/// The similarity of a file to a question; `None` if its segment has no vectors.
pub fn similarity(vector: &QuestionVector, snapshot: &SearchSnapshot, file: u32) -> Option<f32> {
    Some(vector.similarity(packed_of(snapshot, file)?))
}

/// Adds to the sums of the first files how related their words are, and sorts them again. The measure is the similarity
/// above the least one of these files, in standard deviations: how far similarities differ depends on the question.
pub fn add_related(
    weight: f32,
    files: &mut [RankedFile],
    similarity: impl Fn(&RankedFile) -> Option<f32>,
    table: &dyn HeadFiles,
) {
    let n_files = files.len().min(FILES);
    let files = &mut files[..n_files];
    let values = standardized(files.iter().map(similarity), USUAL_DEVIATION);
    for (ranked, value) in files.iter_mut().zip(values) {
        ranked.add(Signal::Related, value.unwrap_or(0.0), weight);
    }
    let path = |ranked: &RankedFile| table.path(ranked.file);
    files.sort_by(|a, b| b.raw.total_cmp(&a.raw).then_with(|| path(a).cmp(path(b))));
}

/// The similarities above the least one of these files, in standard deviations. `usual` is the deviation that few files
/// are assumed to have.
pub(super) fn standardized(all: impl Iterator<Item = Option<f32>>, usual: f32) -> Vec<Option<f32>> {
    let all: Vec<Option<f32>> = all.collect();
    let known = || all.iter().flatten().copied();
    let n = known().count().max(1) as f32;
    let mean = known().sum::<f32>() / n;
    let squares: f32 = known().map(|similarity| (similarity - mean).powi(2)).sum();
    let deviation = ((squares + USUAL_FILES * usual.powi(2)) / (n + USUAL_FILES)).sqrt();
    let least = known().fold(f32::INFINITY, f32::min);
    all.iter().map(|similarity| similarity.map(|similarity| (similarity - least) / deviation)).collect()
}

/// The packed vector of a file; `None` if its segment has no vectors.
fn packed_of(snapshot: &SearchSnapshot, file: u32) -> Option<&[u8; PACKED_BYTES]> {
    let (segment, _) = snapshot.locate(snapshot.docs(file).start);
    snapshot.index().vector(segment, snapshot.version(file).id())
}

/// The pairs of related words that add most to the similarity of a file, among the words of a text in the file, such as
/// `'evict' for 'forgotten'`. Empty if no pair adds much.
pub fn pairs(
    query: &Query,
    context: &Context<'_>,
    vector: &QuestionVector,
    file: u32,
    text: &str,
) -> Vec<String> {
    let Some(packed) = packed_of(context.snapshot, file) else { return Vec::new() };
    let mut end = text.len().min(PAIR_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut tokenizer = context.tokenizers.take();
    let held = held_stems(query, &mut tokenizer, &text[..end]);
    let stems = held.iter().map(|(stem, held)| (&**stem, held.count));
    let pairs = vector.pairs(related_words(), packed, stems);
    let named = pairs.iter().map(|pair| {
        let (stem, held) = &held[pair.held];
        let word = part_of(held.word, stem, &mut tokenizer).to_lowercase();
        format!("'{word}' for '{}'", query.terms[pair.asked].word)
    });
    named.collect()
}

/// A stem of a text.
struct HeldStem<'t> {
    /// The position among the stems; `None` for a stem of the query.
    place: Option<usize>,
    count: u32,
    /// The first word with the stem.
    word: &'t str,
}

/// The stems of a text, without those of the query, in the order of the text.
fn held_stems<'t>(query: &Query, tokenizer: &mut Tokenizer, text: &'t str) -> Vec<(Box<str>, HeldStem<'t>)> {
    let of_query = query
        .terms
        .iter()
        .map(|asked| (asked.term.as_str().into(), HeldStem { place: None, count: 0, word: "" }));
    let mut held: FxHashMap<Box<str>, HeldStem<'t>> = of_query.collect();
    let of_query = held.len();
    let mut terms = TermList::default();
    for_each_word(text, |word| {
        if is_function_word(word) {
            return;
        }
        terms.clear();
        tokenizer.terms(word, &mut terms);
        for term in terms.iter() {
            match held.get_mut(term) {
                Some(held) => held.count += 1,
                None => {
                    let place = Some(held.len() - of_query);
                    held.insert(term.into(), HeldStem { place, count: 1, word });
                }
            }
        }
    });
    let mut held: Vec<_> = held.into_iter().filter(|(_, held)| held.place.is_some()).collect();
    held.sort_unstable_by_key(|(_, held)| held.place);
    held
}

/// The part of a word that has this stem, or the whole word.
fn part_of<'w>(word: &'w str, stem: &str, tokenizer: &mut Tokenizer) -> &'w str {
    let has_stem = |part: &&str| {
        let mut terms = TermList::default();
        tokenizer.terms(part, &mut terms);
        terms.iter().eq([stem])
    };
    parts(word).into_iter().find(has_stem).unwrap_or(word)
}
