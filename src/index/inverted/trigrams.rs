//! The trigram index of a segment's words: it finds words by their inner parts in a dictionary that is sorted by
//! prefixes.
//!
//! The sorted words of a segment are divided into blocks of [`BLOCK_WORDS`]. For every trigram, three folded letters in
//! a row, there is a list of the blocks in which it occurs. Adjacent words share prefixes, so a block has few distinct
//! trigrams and the lists are small. Whether a word matches is decided on the word itself.
//!
//! The lists lie beside their segment, in a file of its name, and are derived from the segment: if they are missing or
//! have another format, searches take longer but return the same results. So they are written after the commit and
//! belong to no commit. They name their segment, and every group of lists has a checksum; a damaged file is not used,
//! and the next update writes it again.
//!
//! ```text
//! table  [`TrigramTable`]; for each 64 trigrams the offset of their lists in the heap
//! heap   for each 64 trigrams: the CRC-32 of the number of the group and of what follows (4 bytes, little endian), a
//!        mask of those that occur (8 bytes, little endian), the lengths of their lists in bytes (varints), the lists
//!        (varints: the first block, then the distance to each next one)
//! ```

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use spyhop_base::store::{self, Envelope, EnvelopeError, FileError, push_varint, take_varint};

/// The kind number in the envelope, and with it the version of this format.
const KIND: u32 = 18;

/// The number of words in a block. Smaller blocks make longer lists but fewer words to compare.
pub(crate) const BLOCK_WORDS: u64 = 64;

/// The number of words below which a dictionary is read as a whole, which takes less than a millisecond.
pub const MIN_WORDS: u64 = 4_096;

/// The extension of files of lists.
const EXTENSION: &str = "grams";

/// The number of letter codes: letters and digits without case, `_`, one code for all other letters that may have case,
/// and some for those of scripts without case.
const CODES: u16 = 40 + UNCASED_CODES;
const UNCASED_CODES: u16 = 24;
const N_GRAMS: usize = (CODES as usize).pow(3);
const _: () = assert!(N_GRAMS <= 1 << 18);
const GROUP: usize = 64;

/// Three folded letters in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Trigram(u32);

/// The code of a letter. Letters that simple case folding maps to the same letter have the same code, in every version
/// of Unicode: only two letters outside of ASCII fold into ASCII.
fn code(c: char) -> u16 {
    match c {
        '0'..='9' => c as u16 - '0' as u16,
        'a'..='z' => 10 + c as u16 - 'a' as u16,
        'A'..='Z' => 10 + c as u16 - 'A' as u16,
        '_' => 36,
        '\u{17f}' => code('s'),
        '\u{212a}' => code('k'),
        // Kana, the ideographs of the first plane, Hangul.
        '\u{3041}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => {
            40 + (c as u32 % u32::from(UNCASED_CODES)) as u16
        }
        _ => 37,
    }
}

/// Calls `each` with the trigrams of a word, in order.
pub fn grams_of(word: &str, mut each: impl FnMut(Trigram)) {
    let mut window = [None; 2];
    for code in word.chars().map(code) {
        if let [Some(first), Some(second)] = window {
            each(Trigram(
                (u32::from(first) * u32::from(CODES) + u32::from(second)) * u32::from(CODES)
                    + u32::from(code),
            ));
        }
        window = [window[1], Some(code)];
    }
}

#[derive(Serialize, Deserialize)]
struct TrigramTable {
    /// The name of the segment.
    segment: String,
    words: u64,
    block_words: u64,
    /// The offset in the heap of the lists of each group of trigrams.
    places: Vec<u32>,
}

/// The trigram index of a segment.
pub(super) struct TrigramIndex {
    map: memmap2::Mmap,
    words: u64,
    places: Vec<u32>,
}

/// The path of the lists of the segment `id`.
pub(super) fn path_of(dir: &Path, id: &str) -> PathBuf {
    dir.join(format!("{id}.{EXTENSION}"))
}

/// The segment to which a file of lists with this name belongs.
pub(super) fn segment_of(name: &str) -> Option<&str> {
    name.strip_suffix(EXTENSION)?.strip_suffix('.')
}

impl TrigramIndex {
    /// Opens the lists of a segment of `words` words, or of any number for `None`. Returns `None` if there are no
    /// usable lists.
    pub fn open(path: &Path, words: Option<u64>) -> Option<TrigramIndex> {
        TrigramIndex::read(path).ok().flatten().filter(|lists| words.is_none_or(|words| lists.words == words))
    }

    /// Reads the file of a segment; `None` if there is none, or one of another format. The error is the damage.
    fn read(path: &Path) -> Result<Option<TrigramIndex>, String> {
        let Ok(file) = std::fs::File::open(path) else { return Ok(None) };
        // SAFETY: such a file is never changed or truncated after it got its name; it is only ever unlinked.
        let Ok(map) = (unsafe { memmap2::Mmap::map(&file) }) else { return Ok(None) };
        let envelope = match Envelope::open(&map) {
            Err(EnvelopeError::Format(_)) => return Ok(None),
            opened => opened.map_err(|error| error.to_string())?,
        };
        if envelope.kind != KIND {
            return Ok(None);
        }
        let table: TrigramTable = postcard::from_bytes(envelope.table).map_err(|error| error.to_string())?;
        if table.segment != segment_at(path) {
            return Err("it belongs to another segment".into());
        }
        let TrigramTable { words, places, .. } = table;
        let fits = table.block_words == BLOCK_WORDS && places.len() == N_GRAMS.div_ceil(GROUP);
        Ok(fits.then_some(TrigramIndex { words, places, map }))
    }

    /// The damage of the file of a segment; `None` if every list is as it was written, or if there are no lists.
    pub fn damage(path: &Path) -> Option<String> {
        match TrigramIndex::read(path) {
            Ok(Some(lists)) => {
                let wrong = (0..lists.places.len()).find(|group| lists.group(*group).is_none())?;
                Some(format!("the checksum of group {wrong} is wrong"))
            }
            Ok(None) => None,
            Err(reason) => Some(reason),
        }
    }

    /// Releases the memory of the lists.
    pub fn release_pages(&self) {
        store::release_pages(&self.map);
    }

    /// The blocks in which all of `grams` occur, increasing; `None` when a list cannot be read.
    pub fn blocks(&self, grams: &[Trigram]) -> Option<Vec<u32>> {
        let mut lists = grams.iter().map(|gram| self.list(*gram)).collect::<Option<Vec<&[u8]>>>()?;
        lists.sort_by_key(|list| list.len());
        let (shortest, others) = lists.split_first()?;
        let mut blocks: Vec<u32> = Blocks::new(shortest).collect();
        for list in others {
            let mut other = Blocks::new(list).peekable();
            blocks.retain(|block| {
                while other.next_if(|other| other < block).is_some() {}
                other.peek() == Some(block)
            });
        }
        Some(blocks)
    }

    /// The lists of a group of trigrams, after their checksum was compared.
    fn group(&self, group: usize) -> Option<&[u8]> {
        let heap = Envelope::heap_of(&self.map);
        let start = self.places[group] as usize;
        let end = self.places.get(group + 1).map_or(heap.len(), |next| *next as usize);
        let (check, lists) = heap.get(start..end)?.split_first_chunk::<4>()?;
        (cfg!(fuzzing) || u32::from_le_bytes(*check) == check_of(group, lists)).then_some(lists)
    }

    /// The list of a trigram; empty if the trigram does not occur.
    fn list(&self, gram: Trigram) -> Option<&[u8]> {
        let (group, bit) = (gram.0 as usize / GROUP, gram.0 as usize % GROUP);
        let mut rest = self.group(group)?;
        let (mask, lens) = rest.split_first_chunk::<8>()?;
        let mask = u64::from_le_bytes(*mask);
        if mask & 1 << bit == 0 {
            return Some(&[]);
        }
        rest = lens;
        let before = (mask & ((1 << bit) - 1)).count_ones();
        let (mut start, mut len) = (0, 0);
        for at in 0..mask.count_ones() {
            let this = take_varint(&mut rest)? as usize;
            start += if at < before { this } else { 0 };
            len = if at == before { this } else { len };
        }
        rest.get(start..)?.get(..len)
    }
}

/// The segment to which the file `path` belongs by its name.
fn segment_at(path: &Path) -> &str {
    path.file_name().and_then(|name| segment_of(name.to_str()?)).unwrap_or_default()
}

/// The checksum of the lists of a group of trigrams.
fn check_of(group: usize, lists: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&(group as u32).to_le_bytes());
    hasher.update(lists);
    hasher.finalize()
}

/// An iterator over the blocks of a list.
struct Blocks<'l> {
    rest: &'l [u8],
    last: u32,
}

impl<'l> Blocks<'l> {
    fn new(list: &'l [u8]) -> Blocks<'l> {
        Blocks { rest: list, last: 0 }
    }
}

impl Iterator for Blocks<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.last = self.last.wrapping_add(take_varint(&mut self.rest)? as u32);
        Some(self.last)
    }
}

/// Whether a segment of `words` words has lists.
pub(super) fn has_lists(words: u64) -> bool {
    words >= MIN_WORDS
}

/// Builds the lists of a segment from its words, which come in order.
pub(super) struct Builder {
    words: u64,
    /// The lists, each with one more than its last block, or 0 if it is empty.
    lists: Vec<(Vec<u8>, u32)>,
}

impl Builder {
    pub fn new() -> Builder {
        Builder { words: 0, lists: vec![Default::default(); N_GRAMS] }
    }

    pub fn add(&mut self, word: &str) {
        let block = (self.words / BLOCK_WORDS) as u32;
        self.words += 1;
        grams_of(word, |gram| {
            let (list, after) = &mut self.lists[gram.0 as usize];
            if *after <= block {
                push_varint(list, u64::from(block - after.saturating_sub(1)));
                *after = block + 1;
            }
        });
    }

    pub fn write(self, path: &Path) -> Result<(), FileError> {
        let mut heap = Vec::new();
        let mut places = Vec::new();
        for (number, group) in self.lists.chunks(GROUP).enumerate() {
            places.push(heap.len() as u32);
            let start = heap.len() + 4;
            heap.extend([0; 4]);
            let mask = group
                .iter()
                .enumerate()
                .fold(0u64, |mask, (bit, (list, _))| mask | u64::from(!list.is_empty()) << bit);
            heap.extend(mask.to_le_bytes());
            let present = || group.iter().map(|(list, _)| list).filter(|list| !list.is_empty());
            present().for_each(|list| push_varint(&mut heap, list.len() as u64));
            present().for_each(|list| heap.extend_from_slice(list));
            let check = check_of(number, &heap[start..]);
            heap[start - 4..start].copy_from_slice(&check.to_le_bytes());
        }
        let segment = segment_at(path).to_string();
        let table = TrigramTable { segment, words: self.words, block_words: BLOCK_WORDS, places };
        let table = postcard::to_stdvec(&table).expect("plain data");
        store::replace(path, &[&Envelope::header(KIND, &table, heap.len() as u64), &table, &heap])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grams(word: &str) -> Vec<Trigram> {
        let mut grams = Vec::new();
        grams_of(word, |gram| grams.push(gram));
        grams
    }

    #[test]
    fn case_plays_no_part_in_a_gram() {
        assert_eq!(grams("fooBAR_1"), grams("FOObar_1"));
        assert_eq!(grams("\u{17f}k\u{212a}"), grams("SKK"));
        assert_eq!(grams("größe").len(), 3);
        assert_eq!(grams("ab"), []);
        assert_ne!(grams("abc"), grams("abd"));
    }

    #[test]
    fn the_blocks_of_a_part_hold_every_word_with_it() {
        let mut words: Vec<String> =
            (0..20_000u32).map(|n| format!("{:x}_word{}", n.wrapping_mul(2_654_435_761), n % 97)).collect();
        words.sort();
        let dir = tempfile::tempdir().unwrap();
        let path = path_of(dir.path(), "one");
        let mut builder = Builder::new();
        words.iter().for_each(|word| builder.add(word));
        builder.write(&path).unwrap();
        let lists = TrigramIndex::open(&path, Some(words.len() as u64)).unwrap();
        for part in ["word9", "_wo", "ff0", "d96", "WORD1", "1_w", "zzz"] {
            let blocks = lists.blocks(&grams(part)).unwrap();
            let lower = part.to_lowercase();
            let mut expected: Vec<u32> = words
                .iter()
                .enumerate()
                .filter(|(_, word)| word.contains(&lower))
                .map(|(at, _)| (at as u64 / BLOCK_WORDS) as u32)
                .collect();
            expected.dedup();
            assert!(expected.iter().all(|block| blocks.contains(block)), "{part}");
            assert!(blocks.is_sorted() && blocks.len() <= words.len().div_ceil(BLOCK_WORDS as usize));
        }
        assert_eq!(lists.blocks(&grams("zzz")), Some(Vec::new()));
        assert!(TrigramIndex::open(&path, Some(1)).is_none(), "of another segment");
        assert_eq!(TrigramIndex::damage(&path), None);
        let other = path_of(dir.path(), "two");
        std::fs::copy(&path, &other).unwrap();
        assert_eq!(TrigramIndex::damage(&other), Some("it belongs to another segment".to_string()));
        assert!(TrigramIndex::open(&other, Some(words.len() as u64)).is_none());
        let whole = std::fs::read(&path).unwrap();
        let expected = lists.blocks(&grams("word9"));
        for at in (0..whole.len()).step_by(whole.len() / 97) {
            let mut altered = whole.clone();
            altered[at] ^= 1 << (at % 8);
            std::fs::write(&other, &altered).unwrap();
            std::fs::rename(&other, &path).unwrap();
            assert!(TrigramIndex::damage(&path).is_some(), "byte {at}");
            let found = TrigramIndex::open(&path, None).and_then(|lists| lists.blocks(&grams("word9")));
            assert!(found.is_none() || found == expected, "byte {at}");
        }
        std::fs::write(&path, b"something else").unwrap();
        assert!(TrigramIndex::open(&path, Some(words.len() as u64)).is_none());
    }
}
