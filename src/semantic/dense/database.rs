//! Parts of files with vectors from elsewhere.

use rustc_hash::FxHashMap;
use spyhop_base::text::Span;

use super::store::PackedRow;

/// The parts of files, by the paths of the files.
pub type DatabaseParts = FxHashMap<String, Vec<DatabasePart>>;

/// A part of a file as it was when its vector was made.
pub struct DatabasePart {
    pub span: Span,
    pub code: String,
    pub packed: PackedRow,
}

impl DatabasePart {
    /// Whether the text still has the code at this place: each line of the code, in their order. Others may stand between
    /// them, because ChunkHound joins small pieces.
    pub fn is_in(&self, text: &str) -> bool {
        let Some(part) = text.get(self.span.range()) else { return false };
        let mut lines = part.lines().map(str::trim);
        let mut wanted = self.code.lines().map(str::trim).filter(|line| !line.is_empty());
        wanted.all(|wanted| lines.any(|line| line == wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_where_its_lines_still_are() {
        let text = "use a;\nfn f() {\n    g()\n}\n\nfn h() {}\n";
        let check = |start: u32, end: u32, code: &str, expected: bool| {
            let (span, packed) = (Span { start, end }, PackedRow::of_vector(&[1.0], 1));
            assert_eq!(DatabasePart { span, code: code.to_string(), packed }.is_in(text), expected, "{code}");
        };
        check(7, 25, "fn f() {\n    g()\n}", true);
        check(7, 37, "fn f() {\nfn h() {}", true);
        check(7, 37, "fn h() {}\nfn f() {", false);
        check(7, 25, "fn f() {\n    other()\n}", false);
        check(7, 400, "fn f() {", false);
    }
}
