//! The lines of a page of a PDF file, made from its characters and their positions.

use pdf_extract::{MediaBox, OutputDev, OutputError, Transform};
use unicode_normalization::UnicodeNormalization;

/// The share of a font's size that separates two words.
const WORD_GAP: f64 = 0.15;

/// The share of a font's size within which a character belongs to a line, such as an index or exponent.
const LINE_DRIFT: f64 = 0.5;

/// The distance of two lines, in sizes of the font, from which a paragraph ends.
const PARAGRAPH_GAP: f64 = 1.7;

/// The most bytes of a page's text.
const MAX_PAGE_BYTES: usize = 4 << 20;

/// A line of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PdfLine {
    pub text: String,
    /// The size of most of its characters, in points.
    pub size: f64,
    /// Whether a new paragraph begins here.
    pub begins_paragraph: bool,
    /// The height above the lower edge of the page, in points.
    y: f64,
    /// The right end of the last character.
    end: f64,
    /// The number of characters of the size of the line.
    sized: usize,
}

/// Collects the lines of one page.
#[derive(Debug, Default)]
pub(crate) struct PageLines {
    /// The lines, in the order of the file.
    pub lines: Vec<PdfLine>,
    /// The text that does not run from left to right, such as a stamp on the margin.
    pub turned: String,
    bytes: usize,
}

impl PageLines {
    fn add(&mut self, character: &PlacedText<'_>) {
        let PlacedText { text, x, y, end, size } = *character;
        let is_blank = text.trim().is_empty();
        if let Some(line) = self.lines.last_mut() {
            let drift = (y - line.y).abs();
            let larger = size.max(line.size);
            // A character far to the left of the last one begins a line or column.
            if drift < larger * LINE_DRIFT && x > line.end - larger * 2.0 {
                if x > line.end + larger * WORD_GAP && !is_blank && !line.text.ends_with(' ') {
                    line.text.push(' ');
                }
                line.text.push_str(text);
                line.end = end;
                line.count_size(size, is_blank);
                return;
            }
            if is_blank {
                return;
            }
            let begins_paragraph = drift > larger * PARAGRAPH_GAP || y > line.y;
            self.lines.push(PdfLine::starting(character, begins_paragraph));
            return;
        }
        if !is_blank {
            self.lines.push(PdfLine::starting(character, true));
        }
    }
}

impl PdfLine {
    fn starting(character: &PlacedText<'_>, begins_paragraph: bool) -> PdfLine {
        let PlacedText { text, y, end, size, .. } = *character;
        PdfLine { text: text.to_string(), size, begins_paragraph, y, end, sized: 1 }
    }

    /// Lets the majority of the characters decide about the size.
    fn count_size(&mut self, size: f64, is_blank: bool) {
        if is_blank {
            return;
        }
        if (size - self.size).abs() < 0.1 {
            self.sized += 1;
        } else if self.sized > 1 {
            self.sized -= 1;
        } else {
            (self.size, self.sized) = (size, 1);
        }
    }
}

/// One or several characters at a place of the page.
struct PlacedText<'t> {
    text: &'t str,
    x: f64,
    y: f64,
    end: f64,
    size: f64,
}

impl OutputDev for PageLines {
    fn begin_page(
        &mut self,
        _page: u32,
        _media: &MediaBox,
        _art: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        _spacing: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        // The joined letters of fonts, such as one character for `fi`, would hide words from a search.
        let separate: String;
        let text = match text.chars().any(|c| ('\u{fb00}'..='\u{fb06}').contains(&c)) {
            true => {
                separate = text.nfkc().collect();
                &separate
            }
            false => text,
        };
        self.bytes += text.len();
        if self.bytes > MAX_PAGE_BYTES {
            return Ok(());
        }
        let is_turned = place.m12.abs() > place.m11.abs() * 0.1 || place.m11 < 0.0;
        if is_turned {
            self.turned.push_str(text);
            return Ok(());
        }
        let size = font_size * place.m21.hypot(place.m22);
        let end = place.m31 + width * font_size * place.m11;
        if [size, end, place.m31, place.m32].iter().all(|number| number.is_finite()) && size > 0.0 {
            self.add(&PlacedText { text, x: place.m31, y: place.m32, end, size });
        }
        Ok(())
    }

    fn begin_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
}
