//! The vectors of files, with four bits for each number, and the vector of a question.

use super::table::{DIMENSIONS, RelatedWords, StemId, add_row};

/// The bytes of the packed vector of a file: its length, and two numbers in each further byte.
pub const PACKED_BYTES: usize = LENGTH_BYTES + DIMENSIONS / 2;

/// The length of a vector is stored as the upper half of an `f32`.
const LENGTH_BYTES: usize = 2;

/// The distance of two neighbouring numbers of a packed vector, in root mean squares of the vector. The numbers of a
/// vector are about normally distributed, and the error of 15 numbers is least near this distance.
const STEP: f32 = 0.35;

/// The greatest number of a packed vector.
const MOST: f32 = 7.0;

/// The least share of a pair of words in a similarity that is worth a word in a reason. Pairs of smaller shares are often odd.
const LEAST_SHARE: f32 = 0.05;

/// The least share of a further pair, relative to that of the first.
const LEAST_OF_FIRST: f32 = 0.5;

/// The most pairs of words in a reason.
const MAX_PAIRS: usize = 2;

/// The packed form of a vector.
pub(crate) fn pack(vector: &[f32; DIMENSIONS]) -> [u8; PACKED_BYTES] {
    let length = dot(vector, vector).sqrt();
    let step = STEP * length / (DIMENSIONS as f32).sqrt();
    let code = |number: f32| match step > 0.0 {
        true => ((number / step).round().clamp(-MOST, MOST) + 8.0) as u8,
        false => 8,
    };
    let mut packed = [0; PACKED_BYTES];
    packed[..LENGTH_BYTES].copy_from_slice(&((length.to_bits() >> 16) as u16).to_le_bytes());
    for (byte, [low, high]) in packed[LENGTH_BYTES..].iter_mut().zip(vector.as_chunks().0) {
        *byte = code(*low) | code(*high) << 4;
    }
    packed
}

/// The length of a packed vector, and its numbers without their scale.
fn unpacked(packed: &[u8; PACKED_BYTES]) -> (f32, [f32; DIMENSIONS]) {
    let (length, codes) = packed.split_at(LENGTH_BYTES);
    let length = u16::from_le_bytes([length[0], length[1]]);
    let number = |at: usize| f32::from((codes[at / 2] >> (4 * (at % 2)) & 15) as i8 - 8);
    (f32::from_bits(u32::from(length) << 16), std::array::from_fn(number))
}

fn dot(a: &[f32; DIMENSIONS], b: &[f32; DIMENSIONS]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The greatest value that [`dot`] can return: the sum in another order, which several numbers of a register add up at once,
/// and the most by which the order of a sum matters.
fn most_of_dot(a: &[f32; DIMENSIONS], b: &[f32; DIMENSIONS]) -> f32 {
    let (mut sums, mut sizes) = ([0.0f32; LANES], [0.0f32; LANES]);
    for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
        for lane in 0..LANES {
            let product = a[lane] * b[lane];
            sums[lane] += product;
            sizes[lane] += product.abs();
        }
    }
    let slack = 2.0 * DIMENSIONS as f32 * f32::EPSILON;
    sums.iter().sum::<f32>() + slack * sizes.iter().sum::<f32>()
}

/// The numbers that are added up at once.
const LANES: usize = 8;

/// The vector of a question.
pub struct QuestionVector {
    /// For each stem that the table has: its position in the question and its part of the vector.
    parts: Vec<(usize, [f32; DIMENSIONS])>,
    /// The sum of the parts; its length is 1.
    whole: [f32; DIMENSIONS],
}

/// A word of a question and a word of a text that are related.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelatedPair {
    /// The position of the word in the question.
    pub asked: usize,
    /// The position of the word among those of the text.
    pub held: usize,
    /// What the pair adds to the similarity of the file.
    pub share: f32,
}

impl QuestionVector {
    /// The vector of the stems of a question, each with its rarity in the tree from 0 to 1. `None` if the table has no
    /// stem of the question.
    pub fn new<'q>(
        table: &RelatedWords,
        stems: impl IntoIterator<Item = (&'q str, f32)>,
    ) -> Option<QuestionVector> {
        let part = |(place, (stem, rarity)): (usize, (&str, f32))| {
            let stem: StemId = table.find(stem)?;
            let factor = table.ratio(stem) * rarity;
            Some((place, table.row(stem).map(|number| factor * number)))
        };
        let mut parts: Vec<_> = stems.into_iter().enumerate().filter_map(part).collect();
        let mut whole = [0.0; DIMENSIONS];
        parts.iter().for_each(|(_, part)| add_row(&mut whole, part, 1.0));
        let length = dot(&whole, &whole).sqrt();
        if length <= 0.0 {
            return None;
        }
        let shorten = |vector: &mut [f32; DIMENSIONS]| vector.iter_mut().for_each(|number| *number /= length);
        parts.iter_mut().for_each(|(_, part)| shorten(part));
        shorten(&mut whole);
        Some(QuestionVector { parts, whole })
    }

    /// The cosine of the angle to the packed vector of a file; 0 for a file without a stem of the table.
    pub fn similarity(&self, packed: &[u8; PACKED_BYTES]) -> f32 {
        let (_, vector) = unpacked(packed);
        let square = dot(&vector, &vector);
        if square > 0.0 { dot(&self.whole, &vector) / square.sqrt() } else { 0.0 }
    }

    /// The pairs of words that add most to the similarity of a file, best first, a word of the text at most once. `held`
    /// are stems of a part of the file, each with its frequency there, so a share is at least what is returned.
    pub fn pairs<'t>(
        &self,
        table: &RelatedWords,
        packed: &[u8; PACKED_BYTES],
        held: impl IntoIterator<Item = (&'t str, u32)>,
    ) -> Vec<RelatedPair> {
        let (length, _) = unpacked(packed);
        let mut pairs: Vec<RelatedPair> = Vec::new();
        if length <= 0.0 {
            return pairs;
        }
        for (held, (stem, count)) in held.into_iter().enumerate() {
            let Some(stem) = table.find(stem) else { continue };
            let row = table.row(stem);
            let factor = (count as f32).ln_1p() / length;
            // Most words are related to none of the question.
            if self.parts.iter().all(|(_, part)| factor * most_of_dot(part, &row) < LEAST_SHARE) {
                continue;
            }
            let shares = self.parts.iter().map(|(asked, part)| (*asked, factor * dot(part, &row)));
            let best = shares.max_by(|a, b| a.1.total_cmp(&b.1));
            let best = best.filter(|(_, share)| *share >= LEAST_SHARE);
            pairs.extend(best.map(|(asked, share)| RelatedPair { asked, held, share }));
        }
        pairs.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.held.cmp(&b.held)));
        pairs.truncate(MAX_PAIRS);
        let least = pairs.first().map_or(0.0, |first| LEAST_OF_FIRST * first.share);
        pairs.retain(|pair| pair.share >= least);
        pairs
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::related_words;
    use super::*;

    fn vector_of(words: &[(&str, u32)]) -> [f32; DIMENSIONS] {
        let (table, mut sum) = (related_words(), [0.0; DIMENSIONS]);
        for (stem, count) in words {
            let row = table.row(table.find(stem).unwrap());
            add_row(&mut sum, &row, (*count as f32).ln_1p());
        }
        sum
    }

    #[test]
    fn four_bits_keep_the_direction_and_the_length() {
        let vector = vector_of(&[("cach", 9), ("evict", 2), ("entri", 4), ("lru", 1)]);
        let (length, numbers) = unpacked(&pack(&vector));
        let exact = dot(&vector, &vector).sqrt();
        assert!((length / exact - 1.0).abs() < 0.01, "{length} {exact}");
        let cosine = dot(&vector, &numbers) / (exact * dot(&numbers, &numbers).sqrt());
        assert!(cosine > 0.99, "{cosine}");
        assert_eq!(unpacked(&pack(&[0.0; DIMENSIONS])), (0.0, [0.0; DIMENSIONS]));
    }

    #[test]
    fn no_product_is_above_its_bound() {
        let (table, mut n_close) = (related_words(), 0);
        let rows: Vec<_> = table.stems().step_by(97).map(|(stem, _)| table.row(stem)).collect();
        for (a, b) in rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b))) {
            let (exact, most) = (dot(a, b), most_of_dot(a, b));
            assert!(exact <= most, "{exact} {most}");
            n_close += usize::from(most - exact <= 1e-3 * dot(a, a).sqrt() * dot(b, b).sqrt());
        }
        assert!(n_close > rows.len() * rows.len() / 2, "{n_close}");
    }

    #[test]
    fn a_question_is_similar_to_a_text_in_other_words_and_names_the_pair() {
        let table = related_words();
        let question = QuestionVector::new(table, [("forget", 1.0), ("qwzx", 1.0), ("oldest", 0.8)]).unwrap();
        let cache = [("cach", 3), ("evict", 4), ("lru", 2)];
        let (near, far) = (pack(&vector_of(&cache)), pack(&vector_of(&[("font", 3), ("color", 4)])));
        assert!(question.similarity(&near) > question.similarity(&far) + 0.1);
        let pairs = question.pairs(table, &near, cache);
        assert!(!pairs.is_empty() && pairs.len() <= MAX_PAIRS && pairs[0].share >= LEAST_SHARE, "{pairs:?}");
        assert!(pairs.iter().all(|pair| pair.asked != 1), "{pairs:?}");
        assert!(question.pairs(table, &pack(&[0.0; DIMENSIONS]), cache).is_empty());
        assert!(QuestionVector::new(table, [("qwzx", 1.0)]).is_none());
    }
}
