//! What a path in ASCII can be worth at most, from one look at each of its bytes.
//!
//! nucleo gives 16 for each letter of the pattern and a bonus by what stands before it: 9 behind a slash, 8 behind
//! another sign or for a sign itself, 5 for a hump; a run of letters without a gap goes on with its first letter's
//! bonus, or with 4; a gap costs 3 and more, and the first letter's bonus counts twice. Which letters of the pattern
//! stand where a bonus is given, and which follow the one before them at once, are bits of a few words; the best
//! that could be made of them, wherever they stand, is the bound.

const MATCH: u32 = 16;
const DELIMITER: u32 = 9;
const BOUNDARY: u32 = 8;
const HUMP: u32 = 5;
const RUN: u32 = 4;
const GAP: u32 = 3;

/// Longer patterns are not looked at letter by letter.
const MAX_BITS: usize = 63;

/// What nucleo tells apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Delimiter,
    Sign,
    Lower,
    Upper,
    Number,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Sign; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'/' => Class::Delimiter,
            b'\\' if cfg!(windows) => Class::Delimiter,
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Number,
            _ => Class::Sign,
        };
        byte += 1;
    }
    classes
};

/// The bonuses, in the order of [`Seen::starts`].
const BONUSES: [u32; 4] = [0, HUMP, BOUNDARY, DELIMITER];

/// Which bonus a class has behind another, as its place in [`BONUSES`].
const BONUS: [[u8; 5]; 5] = {
    let mut table = [[0; 5]; 5];
    let mut before = 0;
    while before < 5 {
        let letter = match before {
            _ if before == Class::Delimiter as usize => 3,
            _ if before == Class::Sign as usize => 2,
            _ => 0,
        };
        let is_hump = before == Class::Lower as usize;
        let is_number = before == Class::Number as usize;
        table[before][Class::Sign as usize] = 2;
        table[before][Class::Lower as usize] = letter;
        table[before][Class::Upper as usize] = if is_hump { 1 } else { letter };
        table[before][Class::Number as usize] = if letter == 0 && !is_number { 1 } else { letter };
        before += 1;
    }
    table
};

/// A pattern in ASCII.
#[derive(Clone)]
pub struct Letters {
    /// In lower case, with a byte behind it that no path in ASCII holds.
    text: Vec<u8>,
    /// The places of each byte in it, a bit each; none in a pattern of more than [`MAX_BITS`].
    places: Option<Box<[u64; 256]>>,
    most: u32,
}

/// What was seen of a pattern's letters in a text so far.
#[derive(Clone, Copy)]
pub struct Seen {
    /// How many of its first letters stand in the text in their order.
    found: usize,
    before: Class,
    /// The letters that the byte before can be.
    last: u64,
    /// The letters that stand directly behind the one before them.
    joined: u64,
    /// The letters that stand where a bonus is given.
    starts: [u64; 4],
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { found: 0, before: Class::Delimiter, last: 0, joined: 0, starts: [0; 4] }
    }
}

impl Seen {
    /// How many of the pattern's first letters stand there in their order.
    pub fn found(&self) -> usize {
        self.found
    }
}

impl Letters {
    /// A pattern; `None` unless it is in ASCII.
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

    /// What no score exceeds.
    pub fn most(&self) -> u32 {
        self.most
    }

    fn len(&self) -> usize {
        self.text.len() - 1
    }

    /// Whether the pattern's letters but for the first `found` stand in `text` in their order.
    pub fn follow(&self, found: usize, mut text: &[u8]) -> bool {
        for letter in &self.text[found..self.len()] {
            match memchr::memchr2(*letter, letter.to_ascii_uppercase(), text) {
                Some(at) => text = &text[at + 1..],
                None => return false,
            }
        }
        true
    }

    /// Looks at `text`, which stands behind what was `seen`.
    pub fn read(&self, text: &[u8], seen: &mut Seen) {
        let Some(places) = &self.places else {
            for byte in text {
                seen.found += usize::from(self.text[seen.found] == byte.to_ascii_lowercase());
            }
            return;
        };
        let Seen { mut found, mut before, mut last, mut joined, mut starts } = *seen;
        for byte in text {
            let class = CLASSES[usize::from(*byte)];
            // No letter counts before those in front of it.
            let here = places[usize::from(*byte)] & (u64::MAX >> (63 - found));
            starts[usize::from(BONUS[before as usize][class as usize])] |= here;
            joined |= last << 1 & here;
            found += (here >> found & 1) as usize;
            (before, last) = (class, here);
        }
        *seen = Seen { found, before, last, joined, starts };
    }

    /// What a text that matches can score at most, of which `seen` was looked at before.
    pub fn bound_of(&self, text: &[u8], mut seen: Seen) -> u32 {
        if self.places.is_none() {
            return self.most;
        }
        self.read(text, &mut seen);
        if seen.found == self.len() { self.bound(&seen) } else { 0 }
    }

    fn bound(&self, seen: &Seen) -> u32 {
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
            let own = bonus(place);
            let joins = seen.joined >> place & 1 == 1;
            carried = if joins { carried.max(own).max(RUN) } else { own };
            // A gap is never worth more than to go on.
            sum += if joins { MATCH + carried } else { MATCH + own - GAP };
        }
        sum
    }
}
