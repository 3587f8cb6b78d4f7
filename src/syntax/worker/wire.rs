//! Messages between a program and its parser workers.
//!
//! Each message is a length (4 bytes, little endian) and a body in postcard's encoding. A worker gets one [`Greeting`],
//! answers it with one [`Hello`], and then answers each request with one [`Reply`]. Both ends are the same build of
//! the same program, which [`Hello`] proves, so the encoding needs no versions.
//!
//! A [`Request`] asks for the analysis of a text or for the content of a document.
//!
//! A worker runs foreign code on foreign input, so its replies are not trusted: [`check`] refuses an analysis whose spans
//! would make the caller panic.

use serde::{Deserialize, Serialize};

use crate::analyze::{self, ColoredSpan};
use crate::document::{Document, DocumentError, DocumentForm};
use crate::grammar::{Grammars, ManifestText};
use spyhop_base::id::LanguageId;
use spyhop_base::model::{Analysis, Symbol};
use spyhop_base::text::Span;

/// The length in bytes of a message's length field.
pub const HEAD: usize = 4;

/// The longest message. A text has at most 1 GiB; replies are shorter.
const MAX_MESSAGE: usize = (1 << 30) + (64 << 10);

/// The first message to a worker.
#[derive(Serialize, Deserialize)]
pub(crate) struct Greeting {
    /// The manifests that replace built-in ones.
    pub manifests: Vec<ManifestText>,
}

/// A worker's answer to the greeting.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    /// The version of the rules by which files are cut and walked.
    pub analyze_version: u32,
    /// [`Grammars::fingerprint`] of its grammars.
    pub grammars: [u8; 16],
}

impl Hello {
    pub fn new(grammars: &Grammars) -> Hello {
        Hello { analyze_version: analyze::VERSION, grammars: grammars.fingerprint() }
    }
}

/// The result for a text.
#[derive(Serialize, Deserialize)]
pub(crate) enum Reply {
    /// The structure of the text.
    Analysis(Analysis),
    Document(Result<Document, DocumentError>),
    /// The coloured parts of the text; `None` if the text has none.
    Colors(Option<Vec<ColoredSpan>>),
    /// The parser used up its processor time.
    TookTooLong,
    /// The analysis panicked, with this message.
    Panicked(String),
}

/// Replaces the contents of `message` by the message with this body.
pub fn write<T: Serialize>(message: &mut Vec<u8>, body: &T) {
    message.clear();
    message.extend_from_slice(&[0; HEAD]);
    let mut whole = postcard::to_extend(body, std::mem::take(message)).expect("memory is the only limit");
    finish(&mut whole);
    *message = whole;
}

/// A request to a worker.
#[derive(Debug, PartialEq, Eq)]
pub enum Request<'m> {
    Text(LanguageId, &'m str),
    Document(DocumentForm, &'m [u8]),
    /// The coloured parts of a text.
    Colors(LanguageId, &'m str),
}

/// The number in a request for a document, in place of a language. Languages are numbered from 0.
const DOCUMENT: u16 = u16::MAX;

/// The number in a request for colours, which the number of the language follows.
const COLORS: u16 = u16::MAX - 1;

/// Replaces the contents of `message` by a request. The body of a request is the number of the language (2 bytes, little
/// endian) followed by the text; or [`DOCUMENT`], the place of the form in [`DocumentForm::ALL`] (1 byte), and the bytes of
/// the document; or [`COLORS`], the number of the language and the text.
pub(crate) fn write_request(message: &mut Vec<u8>, request: &Request<'_>) {
    message.clear();
    message.extend_from_slice(&[0; HEAD]);
    match request {
        Request::Text(language, text) => {
            message.extend_from_slice(&language.0.to_le_bytes());
            message.extend_from_slice(text.as_bytes());
        }
        Request::Document(form, bytes) => {
            message.extend_from_slice(&DOCUMENT.to_le_bytes());
            let place = DocumentForm::ALL.iter().position(|known| known == form);
            message.push(place.expect("every form is listed") as u8);
            message.extend_from_slice(bytes);
        }
        Request::Colors(language, text) => {
            message.extend_from_slice(&COLORS.to_le_bytes());
            message.extend_from_slice(&language.0.to_le_bytes());
            message.extend_from_slice(text.as_bytes());
        }
    }
    finish(message);
}

fn finish(message: &mut [u8]) {
    let length = (message.len() - HEAD) as u32;
    message[..HEAD].copy_from_slice(&length.to_le_bytes());
}

pub(crate) fn read_request(body: &[u8]) -> Option<Request<'_>> {
    let (language, rest) = body.split_first_chunk()?;
    let language = u16::from_le_bytes(*language);
    if language == DOCUMENT {
        let (place, bytes) = rest.split_first()?;
        return Some(Request::Document(*DocumentForm::ALL.get(usize::from(*place))?, bytes));
    }
    if language == COLORS {
        let (language, text) = rest.split_first_chunk()?;
        let language = LanguageId(u16::from_le_bytes(*language));
        return Some(Request::Colors(language, std::str::from_utf8(text).ok()?));
    }
    Some(Request::Text(LanguageId(language), std::str::from_utf8(rest).ok()?))
}

/// The length of the body of the message that begins with `bytes`: `None` while its head is incomplete, an error for a
/// length that no message has.
pub(crate) fn body_length(bytes: &[u8]) -> Result<Option<usize>, ()> {
    let Some(head) = bytes.first_chunk::<HEAD>() else { return Ok(None) };
    let length = u32::from_le_bytes(*head) as usize;
    if length > MAX_MESSAGE { Err(()) } else { Ok(Some(length)) }
}

/// Whether coloured parts of `text` are valid, in order and not overlapping.
pub(crate) fn check_colors(colors: &[ColoredSpan], text: &str) -> bool {
    let mut end = 0;
    colors.iter().all(|(span, _)| {
        let follows = end <= span.start && span.start <= span.end;
        end = span.end;
        follows && text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize)
    })
}

/// Whether every position in `analysis` is valid in `text`.
pub fn check(analysis: &Analysis, text: &str) -> bool {
    let in_text = |span: Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        start <= end && text.is_char_boundary(start) && text.is_char_boundary(end)
    };
    let Analysis { chunks, symbols, minor, by_rule, references, comments, notes: _ } = analysis;
    let covers = || {
        let mut end = 0;
        let follows =
            chunks.iter().all(|chunk| std::mem::replace(&mut end, chunk.span.end) == chunk.span.start);
        follows && end as usize == text.len() && !chunks.is_empty()
    };
    let chunk_names = |chunk: &spyhop_base::model::Chunk| {
        let range = &chunk.symbols;
        range.start <= range.end
            && range.end as usize <= symbols.len()
            && chunk.context.iter().all(|&place| (place as usize) < symbols.len())
            && 0 < chunk.lines.first
            && chunk.lines.first <= chunk.lines.last
    };
    let is_sound = |symbol: &Symbol| {
        in_text(symbol.span)
            && in_text(symbol.signature)
            && 0 < symbol.lines.first
            && symbol.lines.first <= symbol.lines.last
    };
    let is_symbol = |place: u32| (place as usize) < symbols.len();
    covers()
        && chunks.iter().all(|chunk| in_text(chunk.span) && chunk_names(chunk))
        && symbols.iter().enumerate().all(|(place, symbol)| {
            is_sound(symbol) && symbol.parent.is_none_or(|parent| (parent as usize) < place)
        })
        && symbols.is_sorted_by_key(|symbol| symbol.span.start)
        && minor.iter().all(|symbol| is_sound(symbol) && symbol.parent.is_none_or(is_symbol))
        && minor.is_sorted_by_key(|symbol| symbol.span.start)
        && by_rule.is_sorted()
        && by_rule.iter().all(|place| is_symbol(*place))
        && references.iter().all(|reference| in_text(reference.span))
        && references.is_sorted_by_key(|reference| reference.span.start)
        && comments.iter().all(|&comment| in_text(comment))
        && comments.is_sorted_by_key(|comment| comment.start)
}
