//! An upper bound of the score of an ASCII path, from one pass over its bytes.
//!
//! nucleo gives 16 for each letter of the pattern, and a bonus that depends on the character before: 9 after a slash, 8
//! after another sign or for a sign, 5 for a hump. In a run without a gap, a letter has the bonus of the first letter
//! of the run, or at least 4. A gap costs at least 3. The bonus of the first letter of the pattern counts twice. Bit
//! masks record which letters of the pattern occur at a bonus, and which occur directly after the letter before them.
//! The bound is the best score that these masks permit, whatever the positions are.

const MATCH: u32 = 16;
const DELIMITER: u32 = 9;
const BOUNDARY: u32 = 8;
const HUMP: u32 = 5;
const RUN: u32 = 4;
const GAP: u32 = 3;

/// The longest pattern that fits the masks. Longer patterns have a constant bound.
const MAX_BITS: usize = 63;

/// The character classes of nucleo.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MatchClass {
    Delimiter,
    Sign,
    Lower,
    Upper,
    Number,
}

const CLASSES: [MatchClass; 256] = {
    let mut classes = [MatchClass::Sign; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'/' => MatchClass::Delimiter,
            b'\\' if cfg!(windows) => MatchClass::Delimiter,
            b'a'..=b'z' => MatchClass::Lower,
            b'A'..=b'Z' => MatchClass::Upper,
            b'0'..=b'9' => MatchClass::Number,
            _ => MatchClass::Sign,
        };
        byte += 1;
    }
    classes
};

/// The bonuses, in the order of [`SeenLetters::starts`].
const BONUSES: [u32; 4] = [0, HUMP, BOUNDARY, DELIMITER];

/// The index in [`BONUSES`] of the bonus for a class after another class.
const BONUS: [[u8; 5]; 5] = {
    let mut table = [[0; 5]; 5];
    let mut before = 0;
    while before < 5 {
        let letter = match before {
            _ if before == MatchClass::Delimiter as usize => 3,
            _ if before == MatchClass::Sign as usize => 2,
            _ => 0,
        };
        let is_hump = before == MatchClass::Lower as usize;
        let is_number = before == MatchClass::Number as usize;
        table[before][MatchClass::Sign as usize] = 2;
        table[before][MatchClass::Lower as usize] = letter;
        table[before][MatchClass::Upper as usize] = if is_hump { 1 } else { letter };
        table[before][MatchClass::Number as usize] = if letter == 0 && !is_number { 1 } else { letter };
        before += 1;
    }
    table
};

/// An ASCII pattern.
#[derive(Clone)]
pub struct Letters {
    /// In lower case, followed by a byte that no ASCII path contains.
    text: Vec<u8>,
    /// By byte: its positions in the pattern as bits; `None` if the pattern is longer than [`MAX_BITS`].
    places: Option<Box<[u64; 256]>>,
    most: u32,
}

/// The letters of a pattern that occur in a text so far.
#[derive(Clone, Copy)]
pub(crate) struct SeenLetters {
    /// The number of letters at the start of the pattern that occur in order.
    found: usize,
    before: MatchClass,
    /// The letters that the previous byte can be.
    last: u64,
    /// The letters that occur directly after the letter before them.
    joined: u64,
    /// By bonus: the letters that occur with this bonus.
    starts: [u64; 4],
}

impl Default for SeenLetters {
    fn default() -> SeenLetters {
        SeenLetters { found: 0, before: MatchClass::Delimiter, last: 0, joined: 0, starts: [0; 4] }
    }
}

impl SeenLetters {
    /// The number of letters at the start of the pattern that occur in order.
    pub fn found(&self) -> usize {
        self.found
    }
}

impl Letters {
    /// Parses a pattern; `None` if it is empty or not ASCII.
    pub fn new(text: &str) -> Option<Letters> {
        if text.is_empty() || !text.is_ascii() {
            return None;
        }
        let mut text = text.to_ascii_lowercase().into_bytes();
        let len = text.len();
        let places = (len <= MAX_BITS).then(|| {
            let mut places = Box::new([0; 256]);
            for (place, byte) in text.iter().enumerate() {
                places[usize::from(*byte)] |= 1 << place;
                places[usize::from(byte.to_ascii_uppercase())] |= 1 << place;
            }
            places
        });
        text.push(0xFF);
        let most = len as u32 * (MATCH + DELIMITER) + DELIMITER;
        Some(Letters { text, places, most })
    }

    /// An upper bound of every score.
    pub fn most(&self) -> u32 {
        self.most
    }

    fn len(&self) -> usize {
        self.text.len() - 1
    }

    /// Whether the letters of the pattern after the first `found` occur in `text` in order.
    pub fn follow(&self, found: usize, mut text: &[u8]) -> bool {
        for letter in &self.text[found..self.len()] {
            match memchr::memchr2(*letter, letter.to_ascii_uppercase(), text) {
                Some(at) => text = &text[at + 1..],
                None => return false,
            }
        }
        true
    }

    /// How many letters of the pattern occur in order with `byte`, if `found` occur before the byte.
    pub fn found_with(&self, byte: u8, found: usize) -> usize {
        found + usize::from(self.text[found] == byte.to_ascii_lowercase())
    }

    /// Whether this number of letters is the whole pattern.
    pub fn is_whole(&self, found: usize) -> bool {
        found == self.len()
    }

    /// Reads `text`, which follows the text of `seen`.
    pub fn read(&self, text: &[u8], seen: &mut SeenLetters) {
        let Some(places) = &self.places else {
            text.iter().for_each(|byte| seen.found = self.found_with(*byte, seen.found));
            return;
        };
        let SeenLetters { mut found, mut before, mut last, mut joined, mut starts } = *seen;
        for byte in text {
            let class = CLASSES[usize::from(*byte)];
            // A letter counts only after the letters before it have occurred.
            let here = places[usize::from(*byte)] & (u64::MAX >> (63 - found));
            starts[usize::from(BONUS[before as usize][class as usize])] |= here;
            joined |= last << 1 & here;
            found += (here >> found & 1) as usize;
            (before, last) = (class, here);
        }
        *seen = SeenLetters { found, before, last, joined, starts };
    }

    /// An upper bound of the score of a text whose start was read into `seen`; 0 if the text does not match.
    pub(crate) fn bound_of(&self, text: &[u8], mut seen: SeenLetters) -> u32 {
        if self.places.is_none() {
            return self.most;
        }
        self.read(text, &mut seen);
        if seen.found == self.len() { self.bound(&seen) } else { 0 }
    }

    fn bound(&self, seen: &SeenLetters) -> u32 {
        let [_, hump, boundary, delimiter] = seen.starts;
        let bonus = |place: usize| {
            let is = |places: u64| places >> place & 1 == 1;
            match () {
                () if is(delimiter) => BONUSES[3],
                () if is(boundary) => BONUSES[2],
                () if is(hump) => BONUSES[1],
                () => BONUSES[0],
            }
        };
        let mut carried = bonus(0);
        let mut sum = MATCH + 2 * carried;
        for place in 1..self.len() {
            let bonus_here = bonus(place);
            let joins = seen.joined >> place & 1 == 1;
            carried = if joins { carried.max(bonus_here).max(RUN) } else { bonus_here };
            // A gap never scores more than a run.
            sum += if joins { MATCH + carried } else { MATCH + bonus_here - GAP };
        }
        sum
    }
}
