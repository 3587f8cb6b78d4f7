//! The lines of the preview: numbers, the lines of the selected item, and the matches in them.

use std::ops::Range;

use super::pick::{Focus, PickRow, Piece, PreviewText, colored_pieces};

/// A line of the preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownLine {
    pub number: usize,
    /// Whether the line belongs to the selected item.
    pub is_inside: bool,
    /// Whether the selected place is on the line.
    pub is_place: bool,
    pub pieces: Vec<Piece>,
}

/// The `height` lines from the line `top` on, counted from 0. `rows` are the rows of the list: matches of other rows in
/// the same file are highlighted too.
pub fn lines(
    text: &PreviewText,
    (top, height): (usize, usize),
    selected: &PickRow,
    rows: &[PickRow],
) -> Vec<ShownLine> {
    let same: Vec<&PickRow> = rows.iter().filter(|row| row.place.path == text.path).collect();
    let numbered = text.lines.iter().enumerate().skip(top).take(height);
    let shown = numbered.map(|(at, line)| {
        let number = at + 1;
        let of_place = |row: &PickRow| row.place.line as usize..=row.last.max(row.place.line) as usize;
        let matches = matches(number, line, selected, &same, of_place(selected).contains(&number));
        ShownLine {
            number,
            is_inside: of_place(selected).contains(&number),
            is_place: number == selected.place.line as usize,
            pieces: colored_pieces(line, &matches, &text.colors[at]),
        }
    });
    shown.collect()
}

/// The ranges of a line that match, sorted, not overlapping.
fn matches(
    number: usize,
    line: &str,
    selected: &PickRow,
    same: &[&PickRow],
    is_inside: bool,
) -> Vec<Range<usize>> {
    if let Focus::Name(name) = &selected.focus {
        let found = line.match_indices(name.as_str()).filter(|_| is_inside && !name.is_empty());
        return found.map(|(at, found)| at..at + found.len()).collect();
    }
    let of_line = |row: &&PickRow| match &row.focus {
        Focus::Lines(lines) => {
            lines.iter().find(|own| own.line as usize == number && own.text == line).cloned()
        }
        Focus::Name(_) | Focus::Nothing => None,
    };
    let found = std::iter::once(&selected).chain(same).find_map(of_line);
    found.map(|line| line.matches).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use spyhop_base::path::RelPath;

    use super::super::pick::{FocusLine, PickPlace, Tone};
    use super::*;

    fn row(path: &str, line: u32, last: u32, focus: Focus) -> PickRow {
        let place = PickPlace { path: RelPath::new(path).unwrap(), line, column: 1 };
        PickRow { place, last, pieces: Vec::new(), focus }
    }

    fn shown(text: &[&str], selected: &PickRow, rows: &[PickRow]) -> Vec<String> {
        let lines: Vec<String> = text.iter().map(|line| line.to_string()).collect();
        let text = PreviewText::new(RelPath::new("a.rs").unwrap(), lines, false, "text");
        let line = |line: ShownLine| {
            let text: String = (line.pieces.iter())
                .map(|piece| match piece.tone {
                    Tone::Match => format!("[{}]", piece.text),
                    _ => piece.text.clone(),
                })
                .collect();
            let mark = if line.is_place {
                ">"
            } else if line.is_inside {
                "|"
            } else {
                " "
            };
            format!("{mark}{} {text}", line.number)
        };
        super::lines(&text, (0, 9), selected, rows).into_iter().map(line).collect()
    }

    #[test]
    fn the_item_and_its_name_are_marked() {
        let selected = row("a.rs", 2, 3, Focus::Name("go".into()));
        let text = ["go", "\tfn go() {", "  go(go)", "go"];
        assert_eq!(shown(&text, &selected, &[]), [" 1 go", ">2     fn [go]() {", "|3   [go]([go])", " 4 go"]);
    }

    #[test]
    fn lines_that_changed_are_not_highlighted() {
        let found = |line: u32, text: &str, matches: Range<usize>| {
            Focus::Lines(vec![FocusLine { line, text: text.into(), matches: vec![matches] }])
        };
        let selected = row("a.rs", 1, 1, found(1, "key one", 0..3));
        let rows = [
            selected.clone(),
            row("a.rs", 2, 2, found(2, "key two", 0..3)),
            row("a.rs", 3, 3, found(3, "a key", 2..5)),
            row("b.rs", 4, 4, found(4, "key four", 0..3)),
        ];
        let text = ["key one", "keys two", "a key", "key four"];
        assert_eq!(
            shown(&text, &selected, &rows),
            [">1 [key] one", " 2 keys two", " 3 a [key]", " 4 key four"]
        );
    }
}
