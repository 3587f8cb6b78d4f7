//! DOCX files: archives with parts in XML.

use std::io::Read;

use flate2::read::DeflateDecoder;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;
use rawzip::{CompressionMethod, ZipArchive};

use super::content::{Document, Heading, one_line};
use super::error::DocumentError;
use super::plain::escaped;

/// The most bytes of one part.
const MAX_PART_BYTES: u64 = 64 << 20;

pub fn extract(bytes: &[u8]) -> Result<Document, DocumentError> {
    let body = part(bytes, "word/document.xml")?;
    let body = body.ok_or_else(|| DocumentError::Damaged("it has no part word/document.xml".to_string()))?;
    let mut document = read_body(&body)?;
    if let Some(core) = part(bytes, "docProps/core.xml")? {
        let properties = texts(&core);
        let value =
            |name: &str| properties.iter().find(|(key, _)| key == name).and_then(|(_, text)| one_line(text));
        document.title = value("title").or(document.title);
        document.authors =
            value("creator").iter().flat_map(|names| names.split([';', ','])).filter_map(one_line).collect();
        document.year = value("created").and_then(|date| date.get(..4)?.parse().ok());
    }
    // The program that saved the file counted the pages.
    if let Some(app) = part(bytes, "docProps/app.xml")? {
        let pages = texts(&app).into_iter().find(|(key, _)| key == "Pages");
        document.page_count = pages.and_then(|(_, number)| number.trim().parse().ok());
    }
    Ok(document)
}

/// The text of a part of the archive; `None` if there is no such part.
fn part(bytes: &[u8], name: &str) -> Result<Option<String>, DocumentError> {
    let damaged = |error: rawzip::Error| DocumentError::Damaged(error.to_string());
    let archive = ZipArchive::from_slice(bytes).map_err(damaged)?;
    for row in archive.entries() {
        let row = row.map_err(damaged)?;
        if row.file_path().as_bytes() != name.as_bytes() {
            continue;
        }
        let entry = archive.get_entry(row.wayfinder()).map_err(damaged)?;
        let mut text = String::new();
        let read = match row.compression_method() {
            CompressionMethod::STORE => entry.data().take(MAX_PART_BYTES + 1).read_to_string(&mut text),
            CompressionMethod::DEFLATE => {
                DeflateDecoder::new(entry.data()).take(MAX_PART_BYTES + 1).read_to_string(&mut text)
            }
            _ => return Err(DocumentError::Damaged(format!("{name} is compressed by an unknown method"))),
        };
        return match read {
            Ok(read) if read as u64 > MAX_PART_BYTES => {
                Err(DocumentError::Damaged(format!("{name} has more than {MAX_PART_BYTES} bytes")))
            }
            Ok(_) => Ok(Some(text)),
            Err(error) => Err(DocumentError::Damaged(format!("{name}: {error}"))),
        };
    }
    Ok(None)
}

/// The elements with text of a part that is a list of properties, by local name.
fn texts(xml: &str) -> Vec<(String, String)> {
    let mut reader = Reader::from_str(xml);
    let (mut found, mut name): (Vec<(String, String)>, String) = (Vec::new(), String::new());
    let mut is_open = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(element)) => (name, is_open) = (local_name(&element), false),
            Ok(Event::Text(text)) if !name.is_empty() => {
                let text = text.xml_content(XmlVersion::Implicit1_0);
                match found.last_mut() {
                    Some((last, known)) if is_open && *last == name => known.push_str(&text),
                    _ => found.push((name.clone(), text.into_owned())),
                }
                is_open = true;
            }
            Ok(Event::GeneralRef(reference)) if !name.is_empty() => {
                match found.last_mut() {
                    Some((last, known)) if is_open && *last == name => known.push_str(&character(&reference)),
                    _ => found.push((name.clone(), character(&reference))),
                }
                is_open = true;
            }
            Ok(Event::End(_)) => name.clear(),
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

fn local_name(element: &BytesStart<'_>) -> String {
    element.local_name().as_ref().to_string()
}

/// A paragraph that is being read.
#[derive(Default)]
struct Paragraph {
    text: String,
    level: Option<u8>,
    is_title: bool,
}

/// The paragraphs of the main part.
fn read_body(xml: &str) -> Result<Document, DocumentError> {
    let mut reader = Reader::from_str(xml);
    let (mut document, mut text) = (Document::default(), String::new());
    let mut paragraph = Paragraph::default();
    let mut is_in_text = false;
    loop {
        let event = reader.read_event().map_err(|error| DocumentError::Damaged(error.to_string()))?;
        match event {
            Event::Start(element) => match local_name(&element).as_str() {
                "t" => is_in_text = true,
                "pStyle" => paragraph.style(&element),
                _ => {}
            },
            Event::Empty(element) => match local_name(&element).as_str() {
                "pStyle" => paragraph.style(&element),
                "tab" => paragraph.text.push(' '),
                "br" | "cr" => paragraph.text.push('\n'),
                _ => {}
            },
            Event::Text(part) if is_in_text => {
                paragraph.text.push_str(&part.xml_content(XmlVersion::Implicit1_0));
            }
            Event::GeneralRef(reference) if is_in_text => paragraph.text.push_str(&character(&reference)),
            Event::End(element) => match element.local_name().as_ref() {
                "t" => is_in_text = false,
                "p" => std::mem::take(&mut paragraph).end(&mut document, &mut text),
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    document.pages = vec![text];
    let first = document.outline.first().map(|heading| heading.title.clone());
    document.title = document.title.take().or(first);
    Ok(document)
}

/// The character that a reference stands for, such as `&amp;` or `&#8217;`.
fn character(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character.to_string();
    }
    let name: &str = reference;
    quick_xml::escape::resolve_predefined_entity(name).unwrap_or(" ").to_string()
}

impl Paragraph {
    /// Takes the style of the paragraph, which tells headings.
    fn style(&mut self, element: &BytesStart<'_>) {
        let value =
            element.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == "val");
        let Some(value) = value.map(|attribute| attribute.value.to_lowercase()) else { return };
        self.is_title = value == "title";
        // English names have the form Heading1; other languages keep the number.
        let number = value
            .strip_prefix("heading")
            .or(value.strip_prefix("berschrift"))
            .or(value.strip_prefix("titre"));
        self.level =
            number.and_then(|number| number.trim().parse().ok()).filter(|level| (1..=9).contains(level));
    }

    fn end(self, document: &mut Document, text: &mut String) {
        let Some(line) = one_line(&self.text) else { return };
        if self.is_title && document.title.is_none() {
            document.title = Some(line.clone());
        }
        match self.level {
            Some(level) => {
                text.push_str(&format!("\n{} {line}\n\n", "#".repeat(usize::from(level.min(5)) + 1)));
                document.outline.push(Heading { level, title: line, page: None });
            }
            None => {
                text.push_str(&escaped(self.text.trim()));
                text.push('\n');
            }
        }
    }
}
