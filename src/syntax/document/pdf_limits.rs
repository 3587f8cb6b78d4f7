//! Limits of work for PDF files, found before a file is read: the crates that read PDF unpack streams of any size, expand
//! ranges of any width, and follow circles.
//!
//! A parser worker has limits of memory and time besides; a program that reads documents without workers has only these limits.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use flate2::read::ZlibDecoder;
use memchr::memmem;
use pdf_extract::{Document as PdfFile, Object, ObjectId};

use super::error::DocumentError;

/// The most bytes of an unpacked stream, and of all together. Images are not unpacked.
const MAX_STREAM: u64 = 64 << 20;
const MAX_STREAMS: u64 = 256 << 20;

/// The most bytes of all streams before they are unpacked, as a multiple of the file's size.
const MAX_OVERLAP: usize = 4;

/// The most times that a stream is packed.
const MAX_ROUNDS: usize = 4;

/// The most characters that the ranges of a font's map have, and those of all maps together.
const MAX_MAPPED: u64 = 1 << 20;
const MAX_MAPPED_IN_ALL: u64 = 8 << 20;

/// The most ancestors of a page.
const MAX_ANCESTORS: usize = 256;

/// How deep forms draw forms.
const MAX_FORMS: usize = 100;

/// The bytes before a stream in which its filters stand.
const DICTIONARY: usize = 600;

/// Checks the streams of a file.
///
/// # Errors
/// [`DocumentError::Damaged`] if reading them takes too much memory or time.
pub(crate) fn check_streams(bytes: &[u8]) -> Result<(), DocumentError> {
    let (mut unpacked, mut mapped, mut read) = (0, 0, 0);
    let mut ends = memmem::find_iter(bytes, b"endstream").peekable();
    for at in memmem::find_iter(bytes, b"stream") {
        let before = &bytes[at.saturating_sub(DICTIONARY)..at];
        if before.ends_with(b"end") {
            continue;
        }
        let dictionary = &before[memmem::rfind(before, b"endobj").unwrap_or(0)..];
        let is_in = |word: &[u8]| memmem::find(dictionary, word).is_some();
        if is_in(b"/Image") {
            continue;
        }
        let start = at + b"stream".len();
        let start = start + bytes[start..].iter().take(2).take_while(|byte| b"\r\n".contains(byte)).count();
        while ends.next_if(|end| *end < start).is_some() {}
        let len = ends.peek().copied().unwrap_or(bytes.len()).saturating_sub(start);
        read += len;
        if read > MAX_OVERLAP * bytes.len() {
            return Err(damaged("its streams lie in each other".to_string()));
        }
        let rounds = memmem::find_iter(dictionary, b"/Fl").count();
        if rounds > MAX_ROUNDS {
            return Err(damaged(format!("a stream is packed {rounds} times")));
        }
        let body = inflated(&bytes[start..start + len], rounds)?;
        unpacked += body.as_ref().map_or(0, |body| body.len() as u64);
        if unpacked > MAX_STREAMS {
            return Err(damaged(format!(
                "its streams have more than {} MB when they are unpacked",
                MAX_STREAMS >> 20
            )));
        }
        let of_map = mapped_by(body.as_deref().unwrap_or(&bytes[start..start + len]));
        mapped += of_map;
        if of_map > MAX_MAPPED || mapped > MAX_MAPPED_IN_ALL {
            return Err(damaged(format!("the map of a font has more than {MAX_MAPPED} characters")));
        }
    }
    Ok(())
}

/// A stream, unpacked `rounds` times; `None` for a stream that is not packed. What is damaged is left out.
fn inflated(packed: &[u8], rounds: usize) -> Result<Option<Vec<u8>>, DocumentError> {
    let mut body: Option<Vec<u8>> = None;
    for _ in 0..rounds {
        let mut next = Vec::new();
        let input = body.as_deref().unwrap_or(packed);
        let _ = ZlibDecoder::new(input).take(MAX_STREAM + 1).read_to_end(&mut next);
        if next.len() as u64 > MAX_STREAM {
            return Err(damaged(format!(
                "a stream has more than {} MB when it is unpacked",
                MAX_STREAM >> 20
            )));
        }
        body = Some(next);
    }
    Ok(body)
}

/// How many characters the ranges of a font's map have.
fn mapped_by(text: &[u8]) -> u64 {
    let mut sum = 0u64;
    for at in memmem::find_iter(text, b"beginbfrange") {
        let rest = &text[at..];
        let rest = &rest[..memmem::find(rest, b"endbfrange").unwrap_or(rest.len())];
        let mut codes = rest.split(|byte| *byte == b'<').skip(1);
        while let (Some(low), Some(high)) = (codes.next(), codes.next()) {
            sum = sum.saturating_add(code_of(high).saturating_sub(code_of(low)).saturating_add(1));
            // The target is a code, or a list of codes.
            if !high.contains(&b'[') {
                codes.next();
            } else {
                codes.find(|code| code.contains(&b']'));
            }
        }
    }
    sum
}

/// The number that hexadecimal digits before `>` stand for.
fn code_of(text: &[u8]) -> u64 {
    let digits =
        text.iter().take_while(|byte| **byte != b'>').filter_map(|byte| char::from(*byte).to_digit(16));
    digits.fold(0u64, |code, digit| code.saturating_mul(16).saturating_add(digit.into()))
}

/// Checks that the ancestors of each page have an end.
///
/// # Errors
/// [`DocumentError::Damaged`] if they do not.
pub(crate) fn check_ancestors(file: &PdfFile) -> Result<(), DocumentError> {
    let mut known = HashSet::new();
    for page in file.get_pages().into_values() {
        let mut id = page;
        for depth in 0.. {
            if depth > MAX_ANCESTORS {
                return Err(damaged(format!("a page has more than {MAX_ANCESTORS} ancestors")));
            }
            let parent = file.get_dictionary(id).and_then(|page| page.get(b"Parent")?.as_reference());
            match parent {
                Ok(parent) if known.contains(&parent) => break,
                Ok(parent) => id = parent,
                Err(_) => break,
            }
        }
        known.extend(file.get_dictionary(page).and_then(|page| page.get(b"Parent")?.as_reference()));
    }
    Ok(())
}

/// Checks that no form draws itself, or draws forms that draw forms, a hundred deep: the reader follows them on its stack.
///
/// # Errors
/// [`DocumentError::Damaged`] if one does.
pub(crate) fn check_forms(file: &PdfFile) -> Result<(), DocumentError> {
    // The depth below each form, and `None` while its forms are followed.
    let mut depths: HashMap<ObjectId, Option<usize>> = HashMap::new();
    for start in file.objects.keys() {
        let mut path = vec![(*start, drawn_by(file, *start), 0)];
        if depths.contains_key(start) || path[0].1.is_empty() {
            continue;
        }
        depths.insert(*start, None);
        while let Some((form, below, depth)) = path.last_mut() {
            let Some(next) = below.pop() else {
                let (form, depth) = (*form, *depth);
                depths.insert(form, Some(depth));
                path.pop();
                if let Some((_, _, above)) = path.last_mut() {
                    *above = (*above).max(depth + 1);
                }
                continue;
            };
            match depths.get(&next) {
                Some(None) => return Err(damaged("a form draws itself".to_string())),
                Some(Some(known)) => *depth = (*depth).max(known + 1),
                None => {
                    depths.insert(next, None);
                    path.push((next, drawn_by(file, next), 0));
                }
            }
            if path.len() > MAX_FORMS || path.last().is_some_and(|(_, _, depth)| *depth > MAX_FORMS) {
                return Err(damaged(format!("forms draw forms more than {MAX_FORMS} deep")));
            }
        }
    }
    Ok(())
}

/// The forms in the resources of a stream or a page.
fn drawn_by(file: &PdfFile, id: ObjectId) -> Vec<ObjectId> {
    let dictionary = match file.objects.get(&id) {
        Some(Object::Stream(stream)) => &stream.dict,
        _ => return Vec::new(),
    };
    let forms = dictionary.get_deref(b"Resources", file).and_then(Object::as_dict);
    let forms = forms.and_then(|resources| resources.get_deref(b"XObject", file)).and_then(Object::as_dict);
    let forms = forms.into_iter().flat_map(|forms| forms.iter());
    forms.filter_map(|(_, form)| form.as_reference().ok()).collect()
}

fn damaged(reason: String) -> DocumentError {
    DocumentError::Damaged(reason)
}
