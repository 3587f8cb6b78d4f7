//! The table of word vectors.

use std::sync::OnceLock;

/// The numbers of a vector.
pub const DIMENSIONS: usize = 128;

static BYTES: &[u8] = include_bytes!("related.relw");

/// The length of the header, up to the stems.
const HEADER: usize = 16;

/// A table of related words.
pub struct RelatedWords {
    stems: &'static str,
    /// The offset of each stem, and the offset after the last one.
    starts: Vec<u32>,
    /// By [`prefix_class`]: the number of stems of a lesser class.
    classes: Vec<u32>,
    scales: &'static [[u8; 4]],
    ratios: &'static [[u8; 2]],
    rows: &'static [[u8; DIMENSIONS]],
}

/// A stem of the table, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StemId(u32);

/// The table of this program.
pub fn related_words() -> &'static RelatedWords {
    static TABLE: OnceLock<RelatedWords> = OnceLock::new();
    TABLE.get_or_init(|| RelatedWords::parse(BYTES).expect("the table is checked by a test"))
}

/// The checksum of the table. Vectors that were made with another table are made again.
pub(crate) fn table_checksum() -> u32 {
    static CHECKSUM: OnceLock<u32> = OnceLock::new();
    *CHECKSUM.get_or_init(|| crc32fast::hash(BYTES))
}

impl RelatedWords {
    /// Reads a table; `None` if the bytes are not a table of this version and width.
    fn parse(bytes: &'static [u8]) -> Option<RelatedWords> {
        let (header, rest) = bytes.split_first_chunk::<HEADER>()?;
        let number = |at: usize| u32::from_le_bytes(*header[at..].first_chunk().expect("four bytes"));
        let n = number(8) as usize;
        if &header[..4] != b"RELW" || number(4) != 1 | (DIMENSIONS as u32) << 16 {
            return None;
        }
        let (stems, rest) = rest.split_at_checked(number(12) as usize)?;
        let (scales, rest) = rest.split_at_checked(4 * n)?;
        let (ratios, rows) = rest.split_at_checked(2 * n)?;
        let stems = std::str::from_utf8(stems).ok()?;
        let ends = memchr::memchr_iter(b'\n', stems.as_bytes()).map(|end| end as u32 + 1);
        let starts: Vec<u32> = std::iter::once(0).chain(ends).chain([stems.len() as u32 + 1]).collect();
        let rows = rows.as_chunks::<DIMENSIONS>();
        let is_whole = rows.1.is_empty() && rows.0.len() == n && starts.len() == n + 1;
        let mut classes = vec![0; PREFIX_CLASSES + 1];
        for start in &starts[..starts.len().saturating_sub(1)] {
            classes[prefix_class(&stems.as_bytes()[(*start as usize).min(stems.len())..]) + 1] += 1;
        }
        for class in 1..classes.len() {
            classes[class] += classes[class - 1];
        }
        is_whole.then_some(RelatedWords {
            stems,
            starts,
            classes,
            scales: scales.as_chunks().0,
            ratios: ratios.as_chunks().0,
            rows: rows.0,
        })
    }

    /// The stem with this number; the stems are sorted.
    pub fn stem(&self, stem: StemId) -> &'static str {
        let at = stem.0 as usize;
        &self.stems[self.starts[at] as usize..self.starts[at + 1] as usize - 1]
    }

    /// The number of a stem.
    pub fn find(&self, stem: &str) -> Option<StemId> {
        let class = prefix_class(stem.as_bytes());
        let (mut low, mut high) = (self.classes[class], self.classes[class + 1]);
        while low < high {
            let middle = low.midpoint(high);
            match self.stem(StemId(middle)).cmp(stem) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(StemId(middle)),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// All stems, in order.
    pub(crate) fn stems(&self) -> impl Iterator<Item = (StemId, &'static str)> + '_ {
        (0..self.rows.len() as u32).map(|at| (StemId(at), self.stem(StemId(at))))
    }

    /// The vector of a stem in a text.
    pub fn row(&self, stem: StemId) -> [f32; DIMENSIONS] {
        let scale = f32::from_le_bytes(self.scales[stem.0 as usize]);
        self.rows[stem.0 as usize].map(|number| scale * f32::from(number as i8))
    }

    /// The weight of a stem in a question, divided by its weight in a text.
    pub(super) fn ratio(&self, stem: StemId) -> f32 {
        half(u16::from_le_bytes(self.ratios[stem.0 as usize]))
    }
}

/// The letters, and what is less or greater than all of them.
const LETTER_CLASSES: usize = 28;

const PREFIX_CLASSES: usize = LETTER_CLASSES * LETTER_CLASSES;

/// The class of the first two bytes of a stem. A stem that is greater than another one is not of a lesser class.
fn prefix_class(stem: &[u8]) -> usize {
    let class = |at: usize| match stem.get(at) {
        Some(letter @ b'a'..=b'z') => usize::from(letter - b'a') + 1,
        Some(greater) if *greater > b'z' => LETTER_CLASSES - 1,
        _ => 0,
    };
    match class(0) {
        // The second bytes of stems with different first bytes are in no order.
        0 => 0,
        first if first == LETTER_CLASSES - 1 => PREFIX_CLASSES - 1,
        first => first * LETTER_CLASSES + class(1),
    }
}

/// A number of half precision that is finite, as the ratios are.
fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction / 1024.0 * 2f32.powi(-14),
        exponent => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    };
    if sign == 0 { magnitude } else { -magnitude }
}

/// Adds `factor` times `row` to `sum`.
pub(crate) fn add_row(sum: &mut [f32; DIMENSIONS], row: &[f32; DIMENSIONS], factor: f32) {
    sum.iter_mut().zip(row).for_each(|(sum, number)| *sum += factor * number);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_stem_is_found() {
        let table = related_words();
        let all: Vec<(StemId, &str)> = table.stems().collect();
        assert!(all.len() > 20_000 && all.is_sorted_by(|a, b| a.1 < b.1));
        assert!(all.iter().all(|(id, stem)| table.find(stem) == Some(*id)));
        assert!(["", "qwzxqwzx", "A", "1", "~", "\u{fc}"].iter().all(|other| table.find(other).is_none()));
        assert!(
            all.iter().all(|(id, _)| table.ratio(*id) > 0.0 && table.row(*id).iter().all(|n| n.is_finite()))
        );
    }

    #[test]
    fn stems_are_those_of_the_tokenizer() {
        let words = ["forgotten", "requests", "caching", "written", "resolution"];
        let missing =
            words.iter().filter(|word| related_words().find(&crate::tokenize::stem(word)).is_none());
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn bytes_that_are_no_table_are_refused() {
        assert!(RelatedWords::parse(&BYTES[..BYTES.len() - 1]).is_none());
        assert!(RelatedWords::parse(&BYTES[1..]).is_none());
        assert!(RelatedWords::parse(b"RELW").is_none());
    }

    #[test]
    fn halves_are_decoded() {
        for (bits, number) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.33325195), (0x0001, 5.9604645e-8), (0, 0.0)]
        {
            assert_eq!(half(bits), number, "{bits:x}");
        }
    }
}
