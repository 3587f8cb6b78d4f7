//! PDF files.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Dictionary, Document as PdfFile, Object, decode_text_string, output_doc_page};

use super::content::{Document, Heading, one_line};
use super::error::DocumentError;
use super::identifiers;
use super::pdf_limits;
use super::pdf_lines::{PageLines, PdfLine};
use super::plain::escaped;

/// The most pages whose text is read.
const MAX_PAGES: usize = 20_000;

/// The most characters of a line that can be a heading.
const MAX_HEADING_CHARS: usize = 120;

/// How much larger than the text a heading is.
const HEADING_SIZE: f64 = 1.12;

/// The levels of headings that sizes tell apart.
const MAX_LEVELS: usize = 3;

/// The most lines of a title.
const MAX_TITLE_LINES: usize = 4;

pub fn extract(bytes: &[u8]) -> Result<Document, DocumentError> {
    pdf_limits::check_streams(bytes)?;
    let file = guarded(|| opened(bytes)).unwrap_or_else(|| Err(damaged("its reader panicked")))?;
    pdf_limits::check_ancestors(&file)?;
    pdf_limits::check_forms(&file)?;
    let pages: Vec<u32> = file.get_pages().into_keys().collect();
    let read: Vec<PageLines> = pages.iter().take(MAX_PAGES).map(|page| lines_of(&file, *page)).collect();
    let body_size = most_common_size(&read);
    let sizes = heading_sizes(&read, body_size);
    let info = information(&file);
    let stated = info.get("Title").filter(|title| is_credible(title));
    let seen = title_on_first_pages(&read, body_size);
    let first: String =
        read.iter().take(2).flat_map(|page| &page.lines).map(|line| format!("{} ", line.text)).collect();
    let title = match stated {
        Some(stated) if seen.is_none() || shares_words(stated, &first) => Some(stated.clone()),
        _ => seen.or_else(|| stated.cloned()),
    };
    let bookmarks = guarded(|| bookmarks(&file)).unwrap_or_default();
    let outline = if bookmarks.is_empty() { headings(&read, &sizes) } else { bookmarks };
    let turned: String = read.iter().take(1).map(|page| page.turned.as_str()).collect();
    Ok(Document {
        title: title.and_then(|title| one_line(&title)),
        authors: info.get("Author").map(|authors| split_authors(authors)).unwrap_or_default(),
        year: info.get("CreationDate").and_then(|date| year_of(date)),
        doi: None,
        arxiv: identifiers::arxiv(&turned),
        abstract_text: None,
        page_count: Some(pages.len() as u32),
        outline,
        pages: read.iter().map(|page| text_of_page(page, &sizes)).collect(),
    })
}

/// The result of code that panics on files that its authors did not foresee; `None` after a panic.
fn guarded<T>(read: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(read)).ok()
}

fn damaged(reason: impl ToString) -> DocumentError {
    DocumentError::Damaged(reason.to_string())
}

fn opened(bytes: &[u8]) -> Result<PdfFile, DocumentError> {
    let mut file = PdfFile::load_mem(bytes).map_err(damaged)?;
    // Many files are encrypted with an empty password, which forbids printing.
    if file.is_encrypted() && file.decrypt("").is_err() {
        return Err(DocumentError::Encrypted);
    }
    match file.get_pages().is_empty() {
        true => Err(damaged("it has no pages")),
        false => Ok(file),
    }
}

/// The lines of a page; none if the page cannot be read.
fn lines_of(file: &PdfFile, page: u32) -> PageLines {
    let mut lines = PageLines::default();
    let _ = guarded(|| output_doc_page(file, &mut lines, page));
    lines
}

/// The size of most characters, in points.
fn most_common_size(pages: &[PageLines]) -> f64 {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        *counts.entry(tenths(line.size)).or_default() += line.text.len();
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map_or(0.0, |(size, _)| size as f64 / 10.0)
}

fn tenths(size: f64) -> i64 {
    (size * 10.0).round() as i64
}

/// The sizes of headings in tenths of a point, largest first: those that occur most often.
fn heading_sizes(pages: &[PageLines], body_size: f64) -> Vec<i64> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        if line.size >= body_size * HEADING_SIZE && could_be_heading(line) {
            *counts.entry(tenths(line.size)).or_default() += 1;
        }
    }
    let mut sizes: Vec<(usize, i64)> = counts.into_iter().map(|(size, count)| (count, size)).collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    let mut sizes: Vec<i64> = sizes.into_iter().take(MAX_LEVELS).map(|(_, size)| size).collect();
    sizes.sort_unstable_by(|one, other| other.cmp(one));
    sizes
}

fn could_be_heading(line: &PdfLine) -> bool {
    line.text.chars().count() <= MAX_HEADING_CHARS && letters(&line.text) >= 3
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphabetic()).count()
}

fn level_of(line: &PdfLine, sizes: &[i64]) -> Option<u8> {
    let level = sizes.iter().position(|size| *size == tenths(line.size))?;
    could_be_heading(line).then_some(level as u8 + 2)
}

/// The headings, as told by their sizes. A heading of several lines is one.
fn headings(pages: &[PageLines], sizes: &[i64]) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let mut before = None;
        for line in &page.lines {
            let level = level_of(line, sizes);
            match (level, before, headings.last_mut()) {
                (Some(level), Some(same), Some(last)) if level == same && !line.begins_paragraph => {
                    last.title = one_line(&format!("{} {}", last.title, line.text)).unwrap_or_default();
                }
                (Some(level), _, _) => {
                    headings.extend(one_line(&line.text).map(|title| Heading {
                        level: level - 1,
                        title,
                        page: Some(at as u32 + 1),
                    }));
                }
                (None, _, _) => {}
            }
            before = level;
        }
    }
    headings
}

/// The title: the largest text of the first page that has text.
fn title_on_first_pages(pages: &[PageLines], body_size: f64) -> Option<String> {
    let has_text = |page: &&PageLines| page.lines.iter().map(|line| letters(&line.text)).sum::<usize>() >= 8;
    let page = pages.iter().take(3).find(has_text)?;
    let is_wordy = |line: &&PdfLine| letters(&line.text) >= 3;
    let largest = page.lines.iter().filter(is_wordy).map(|line| line.size).fold(0.0, f64::max);
    // Where no line is larger than the text, the first line is the best guess.
    let first = page.lines.iter().find(is_wordy).map(|line| line.text.trim());
    if largest < body_size * 1.05 && pages.len() > 1 {
        return first.and_then(one_line);
    }
    let is_title = |line: &&PdfLine| line.size > largest * 0.97;
    let lines = page.lines.iter().skip_while(|line| !is_title(line) || letters(&line.text) < 3);
    let parts: Vec<&str> =
        lines.take_while(is_title).take(MAX_TITLE_LINES).map(|line| line.text.trim()).collect();
    one_line(&unhyphenated(&parts))
}

/// Lines joined to one, with words that were divided between lines.
fn unhyphenated(lines: &[&str]) -> String {
    let mut joined = String::new();
    for line in lines {
        let is_divided = joined.ends_with('-') && line.starts_with(|c: char| c.is_lowercase());
        if is_divided {
            joined.pop();
        } else if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(line);
    }
    joined
}

/// Whether a stated title is one that a person gave. Programs write the name of a file into the field.
fn is_credible(title: &str) -> bool {
    let lower = title.trim().to_lowercase();
    let is_file = [
        ".dvi", ".tex", ".doc", ".docx", ".pdf", ".indd", ".qxd", ".ps", ".eps", ".odt", ".fm", ".xml",
        ".html",
    ]
    .iter()
    .any(|ending| lower.ends_with(ending));
    let is_default = [
        "untitled",
        "microsoft word",
        "microsoft powerpoint",
        "title",
        "document",
        "no title",
        "paper title",
    ]
    .iter()
    .any(|known| lower == *known || lower.starts_with(&format!("{known} -")));
    letters(&lower) >= 3 && !is_file && !is_default
}

/// Whether most words of a title stand on the first pages.
fn shares_words(title: &str, text: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    };
    let wanted = words(title);
    let seen: HashSet<String> = words(text).into_iter().collect();
    let found = wanted.iter().filter(|word| seen.contains(*word)).count();
    wanted.len() >= 2 && found * 10 >= wanted.len() * 6
}

/// The names in a field of authors.
fn split_authors(authors: &str) -> Vec<String> {
    let separated = authors.replace(" and ", ",").replace(['&', ';', '\n'], ",");
    let names = separated.split(',').filter_map(one_line);
    names.filter(|name| letters(name) >= 3).take(100).collect()
}

/// The year in a date such as `D:20170612`.
fn year_of(date: &str) -> Option<u16> {
    let digits: String = date.chars().skip_while(|c| !c.is_ascii_digit()).take(4).collect();
    digits.parse().ok().filter(|year| (1970..2100).contains(year))
}

/// The texts of the information dictionary of a file.
fn information(file: &PdfFile) -> BTreeMap<&'static str, String> {
    let dictionary: Option<&Dictionary> = file.trailer.get(b"Info").ok().and_then(|info| match info {
        Object::Reference(id) => file.get_object(*id).ok()?.as_dict().ok(),
        Object::Dictionary(dictionary) => Some(dictionary),
        _ => None,
    });
    let Some(dictionary) = dictionary else { return BTreeMap::new() };
    let text = |key: &'static str| {
        let (_, value) = file.dereference(dictionary.get(key.as_bytes()).ok()?).ok()?;
        Some((key, decode_text_string(value).ok()?))
    };
    ["Title", "Author", "CreationDate"].into_iter().filter_map(text).collect()
}

/// The outline that the file itself has.
fn bookmarks(file: &PdfFile) -> Vec<Heading> {
    let Ok(table) = file.get_toc() else { return Vec::new() };
    let heading = |level: usize, title: &str, page: usize| {
        let title = one_line(&title.replace('\0', ""))?;
        Some(Heading { level: level.clamp(1, 9) as u8, title, page: Some(page as u32) })
    };
    table.toc.iter().filter_map(|row| heading(row.level, &row.title, row.page)).collect()
}

/// The text of a page in Markdown.
fn text_of_page(page: &PageLines, sizes: &[i64]) -> String {
    let mut text = String::new();
    let mut is_heading_before = false;
    for line in &page.lines {
        let level = level_of(line, sizes);
        let trimmed = line.text.trim();
        match level {
            Some(_) if is_heading_before && !line.begins_paragraph && text.ends_with('\n') => {
                text.pop();
                text.push(' ');
            }
            Some(level) => {
                text.push_str(&format!("\n{} ", "#".repeat(usize::from(level))));
            }
            None if is_heading_before || (line.begins_paragraph && !text.is_empty()) => text.push('\n'),
            None => {}
        }
        // The first part of a divided word goes to the next line.
        let start = if level.is_none() { joined_start(&mut text, trimmed) } else { 0 };
        match level {
            Some(_) => text.push_str(trimmed),
            None => text.push_str(escaped(&trimmed[start..]).trim_end_matches('\n')),
        }
        text.push('\n');
        is_heading_before = level.is_some();
    }
    text
}

/// Ends a word that the last line of `text` divides with the begin of `line`. Returns the number of bytes of `line` that
/// were used.
fn joined_start(text: &mut String, line: &str) -> usize {
    let divided = text.strip_suffix("-\n").is_some_and(|before| before.ends_with(|c: char| c.is_lowercase()));
    if !divided || !line.starts_with(|c: char| c.is_lowercase()) {
        return 0;
    }
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    text.truncate(text.len() - 2);
    text.push_str(&line[..end]);
    text.push('\n');
    (end + line[end..].chars().next().map_or(0, char::len_utf8)).min(line.len())
}
