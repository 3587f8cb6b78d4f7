//! The checksums of the files of a commit: how they are computed while a file is written, and how the commit point
//! carries them.
//!
//! A file is divided into blocks of equal size, and each block has a CRC-32. The commit point names the length and the
//! checksums of each file of its segments, and ends in a checksum of the bytes before it. So a file is bound to the commit that
//! names it: valid bytes of another file are damage too.
//!
//! ```text
//! {
//!   ...                                   what tantivy writes
//!   "sums": {"NAME": "LEN BITS SUMS", ...},
//!   "check": "CRC"                        of all bytes before it
//! }
//! ```
//!
//! LEN is the length of the file, BITS the logarithm of the size of its blocks, SUMS one checksum of eight hexadecimal
//! digits for each block. tantivy ignores both fields. A commit point without them was written by an older program.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde::Deserialize;

/// The logarithm of the size of the smallest blocks.
const MIN_BITS: u32 = 14;

/// The number of blocks from which the blocks of a file become twice as large.
const MAX_BLOCKS: usize = 128;

/// The beginning of the line with the sums of files.
const SUMS: &str = ",\n  \"sums\": ";

/// The beginning of the line with the checksum of the commit point.
const CHECK: &str = ",\n  \"check\": \"";

/// The end of a commit point, after its checksum.
const END: &str = "\"\n}\n";

/// The number of hexadecimal digits of a checksum.
const DIGITS: usize = 8;

/// The sums of files, by name.
pub(super) type SumsByName = BTreeMap<String, Arc<FileSums>>;

/// The length of a file, and the checksums of its blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FileSums {
    pub len: u64,
    bits: u32,
    sums: Vec<u32>,
}

impl FileSums {
    pub fn of(bytes: &[u8]) -> FileSums {
        let mut builder = SumsBuilder::default();
        builder.update(bytes);
        builder.finish()
    }

    pub fn blocks(&self) -> usize {
        self.sums.len()
    }

    /// The length of a block; the last one may be shorter.
    pub(crate) fn block_len(&self) -> u64 {
        1 << self.bits
    }

    /// A checksum of the sums.
    pub fn check(&self) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        self.sums.iter().for_each(|sum| hasher.update(&sum.to_le_bytes()));
        hasher.finalize()
    }

    /// The blocks that overlap a range of bytes.
    pub fn blocks_of(&self, bytes: &Range<usize>) -> Range<usize> {
        bytes.start >> self.bits..bytes.end.div_ceil(1 << self.bits).min(self.sums.len())
    }

    /// Whether the block `block` of the file `bytes`, which has the right length, has its checksum.
    pub fn is_whole(&self, block: usize, bytes: &[u8]) -> bool {
        let end = bytes.len().min((block + 1) << self.bits);
        // A forger computes the checksums as well, so fuzzing skips the comparison.
        cfg!(fuzzing) || crc32fast::hash(&bytes[block << self.bits..end]) == self.sums[block]
    }

    fn to_text(&self) -> String {
        let mut text = format!("{} {} ", self.len, self.bits);
        self.sums.iter().for_each(|sum| text.push_str(&format!("{sum:08x}")));
        text
    }

    fn from_text(text: &str) -> Option<FileSums> {
        let mut parts = text.splitn(3, ' ');
        let (len, bits): (u64, u32) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let digits = parts.next()?.as_bytes();
        let sums = digits.chunks(DIGITS).map(number).collect::<Option<Vec<u32>>>()?;
        let fits = bits < usize::BITS && len.div_ceil(1 << bits) == sums.len() as u64;
        fits.then_some(FileSums { len, bits, sums })
    }
}

/// The number of eight hexadecimal digits, which are written in lower case.
fn number(digits: &[u8]) -> Option<u32> {
    let value = |sum: u32, digit: &u8| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(sum << 4 | u32::from(digit))
    };
    digits.iter().try_fold(0, value).filter(|_| digits.len() == DIGITS)
}

/// Computes the sums of a file that is being written.
pub(super) struct SumsBuilder {
    len: u64,
    bits: u32,
    sums: Vec<u32>,
    block: crc32fast::Hasher,
    /// The bytes of the last block so far.
    in_block: usize,
}

impl Default for SumsBuilder {
    fn default() -> SumsBuilder {
        SumsBuilder { len: 0, bits: MIN_BITS, sums: Vec::new(), block: crc32fast::Hasher::new(), in_block: 0 }
    }
}

impl SumsBuilder {
    /// Adds the next bytes of the file.
    pub fn update(&mut self, mut bytes: &[u8]) {
        self.len += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min((1 << self.bits) - self.in_block));
            self.block.update(now);
            self.in_block += now.len();
            if self.in_block == 1 << self.bits {
                self.end_block();
            }
            bytes = later;
        }
    }

    fn end_block(&mut self) {
        self.sums.push(std::mem::take(&mut self.block).finalize());
        self.in_block = 0;
        if self.sums.len() == MAX_BLOCKS {
            let joined = |pair: &[u32]| {
                let [mut first, second] = [pair[0], pair[1]]
                    .map(|sum| crc32fast::Hasher::new_with_initial_len(sum, 1 << self.bits));
                first.combine(&second);
                first.finalize()
            };
            self.sums = self.sums.chunks_exact(2).map(joined).collect();
            self.bits += 1;
        }
    }

    /// The sums of the whole file.
    pub fn finish(mut self) -> FileSums {
        if self.in_block > 0 {
            self.sums.push(self.block.finalize());
        }
        self.sums.shrink_to_fit();
        FileSums { len: self.len, bits: self.bits, sums: self.sums }
    }
}

/// The commit point `meta`, as tantivy writes it, with the sums of those of `files` that it names and with a
/// checksum of the whole. A commit point that is not what tantivy writes stays as it is.
pub(super) fn sealed(meta: &[u8], files: &SumsByName) -> Vec<u8> {
    let body = meta.strip_suffix(b"\n}\n").map(<[u8]>::to_vec);
    let (Some(mut sealed), Ok(named)) = (body, NamedFiles::of(meta)) else { return meta.to_vec() };
    let named = files.iter().filter(|(name, _)| named.contains(name));
    let sums: BTreeMap<&str, String> = named.map(|(name, sums)| (&**name, sums.to_text())).collect();
    sealed.extend_from_slice(SUMS.as_bytes());
    serde_json::to_writer(&mut sealed, &sums).expect("plain data");
    sealed.extend_from_slice(CHECK.as_bytes());
    let check = crc32fast::hash(&sealed);
    sealed.extend_from_slice(format!("{check:08x}{END}").as_bytes());
    sealed
}

/// The sums in the commit point `meta`, after its checksum was compared; `None` if an older program has written it. The
/// error is the damage.
pub(super) fn unsealed(meta: &[u8]) -> Result<Option<SumsByName>, String> {
    let start = memchr::memmem::rfind(meta, SUMS.as_bytes());
    let tail = meta.strip_suffix(END.as_bytes()).and_then(|rest| rest.split_last_chunk::<DIGITS>());
    let tail = tail.filter(|(body, _)| body.ends_with(CHECK.as_bytes()));
    let (body, digits) = match tail {
        Some(tail) => tail,
        None if start.is_none() => return Ok(None),
        None => return Err("the commit point is cut off".into()),
    };
    if !cfg!(fuzzing) && number(digits) != Some(crc32fast::hash(body)) {
        return Err("the checksum of the commit point is wrong".into());
    }
    let odd = || "the checksums in the commit point cannot be read".to_string();
    let lines = start.and_then(|start| body.get(start + SUMS.len()..body.len() - CHECK.len()));
    let texts: BTreeMap<String, &str> = serde_json::from_slice(lines.ok_or_else(odd)?).map_err(|_| odd())?;
    let parse = |(name, text): (String, &str)| Some((name, Arc::new(FileSums::from_text(text)?)));
    texts.into_iter().map(parse).collect::<Option<SumsByName>>().map(Some).ok_or_else(odd)
}

/// The commit point `meta` as an older program would have written it.
#[cfg(test)]
pub(super) fn without_sums(meta: &[u8]) -> Vec<u8> {
    let start = memchr::memmem::rfind(meta, SUMS.as_bytes()).expect("it has sums");
    [&meta[..start], b"\n}\n"].concat()
}

/// The files of the segments that a commit point names.
struct NamedFiles {
    /// The segments, each with the number in the name of its file of deletions.
    segments: BTreeMap<String, Option<u64>>,
}

impl NamedFiles {
    fn of(meta: &[u8]) -> serde_json::Result<NamedFiles> {
        #[derive(Deserialize)]
        struct ListedCommit {
            segments: Vec<ListedSegment>,
        }
        #[derive(Deserialize)]
        struct ListedSegment {
            segment_id: String,
            deletes: Option<ListedDeletions>,
        }
        #[derive(Deserialize)]
        struct ListedDeletions {
            opstamp: u64,
        }
        let ListedCommit { segments } = serde_json::from_slice(meta)?;
        let segments = segments.into_iter();
        let segments = segments.map(|it| (it.segment_id.replace('-', ""), it.deletes.map(|it| it.opstamp)));
        Ok(NamedFiles { segments: segments.collect() })
    }

    fn contains(&self, name: &str) -> bool {
        let Some((segment, rest)) = name.split_once('.') else { return false };
        let Some(deletions) = self.segments.get(segment) else { return false };
        rest.strip_suffix(".del").is_none_or(|opstamp| opstamp.parse() == Ok(deletions.unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const META: &str = r#"{
  "segments": [
    {
      "segment_id": "00000000-0000-0000-0000-00000000000a",
      "max_doc": 3,
      "deletes": {"num_deleted_docs": 1, "opstamp": 7}
    }
  ],
  "payload": "text"
}
"#;

    fn bytes(len: usize) -> Vec<u8> {
        (0..len as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
    }

    fn files() -> SumsByName {
        let names = [("a", "term"), ("a", "7.del"), ("a", "6.del"), ("b", "term")];
        let name = |(segment, rest)| format!("{segment:0>32}.{rest}");
        names.into_iter().map(|file| (name(file), Arc::new(FileSums::of(&bytes(5_000))))).collect()
    }

    #[test]
    fn blocks_grow_with_the_file_and_their_sums_are_those_of_their_bytes() {
        for len in [0, 1, 16_383, 16_384, 16_385, 1 << 21, (1 << 21) + 1, 5_000_000] {
            let bytes = bytes(len);
            let mut builder = SumsBuilder::default();
            bytes.chunks(777).for_each(|some| builder.update(some));
            let sums = builder.finish();
            assert_eq!(sums.len, len as u64);
            assert!(sums.blocks() < MAX_BLOCKS, "{len}: {} blocks", sums.blocks());
            assert_eq!(sums.blocks(), len.div_ceil(1 << sums.bits), "{len}");
            assert!((0..sums.blocks()).all(|block| sums.is_whole(block, &bytes)), "{len}");
            assert_eq!(FileSums::from_text(&sums.to_text()), Some(sums));
        }
    }

    #[test]
    fn a_range_is_covered_by_its_blocks() {
        let sums = FileSums::of(&bytes(40_000));
        assert_eq!(sums.blocks_of(&(0..0)), 0..0);
        assert_eq!(sums.blocks_of(&(16_383..16_385)), 0..2);
        assert_eq!(sums.blocks_of(&(32_768..40_000)), 2..3);
    }

    #[test]
    fn a_commit_point_names_the_sums_of_its_files_and_no_others() {
        let sealed = sealed(META.as_bytes(), &files());
        let read = unsealed(&sealed).unwrap().unwrap();
        let names: Vec<&str> = read.keys().map(|name| name.trim_start_matches('0')).collect();
        assert_eq!(names, ["a.7.del", "a.term"]);
        let value: serde_json::Value = serde_json::from_slice(&sealed).unwrap();
        assert_eq!(value["payload"], "text");
        assert_eq!(unsealed(META.as_bytes()), Ok(None));
        assert_eq!(without_sums(&sealed), META.as_bytes());
    }

    #[test]
    fn every_altered_bit_of_a_commit_point_is_found() {
        let sealed = sealed(META.as_bytes(), &files());
        for bit in 0..sealed.len() * 8 {
            let mut altered = sealed.clone();
            altered[bit / 8] ^= 1 << (bit % 8);
            assert!(unsealed(&altered).is_err(), "bit {bit}");
        }
        let least = memchr::memmem::find(&sealed, SUMS.as_bytes()).unwrap() + SUMS.len();
        for len in least..sealed.len() {
            assert!(unsealed(&sealed[..len]).is_err(), "{len} bytes");
        }
    }
}
