//! The screen, cell by cell, without a terminal.

use std::time::Instant;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use spyhop_base::path::RelPath;

use super::super::pick::{Focus, FocusLine, PickAnswer, PickPlace, PickRow, pieces};
use super::super::state::{Effect, IndexNews, Message, PickerStart};
use super::*;

const PALETTE: Palette = Palette { color: true };

fn row(path: &str, line: u32, text: &str, matches: std::ops::Range<usize>) -> PickRow {
    let path = RelPath::new(path).unwrap();
    let mut all = vec![Piece::new(&format!("{path}:{line}: "), Tone::Path)];
    all.extend(pieces(text, std::slice::from_ref(&matches), Tone::Plain));
    let found = FocusLine { line, text: text.to_string(), matches: vec![matches] };
    let place = PickPlace { path, line, column: 1 };
    PickRow { place, last: line, pieces: all, focus: Focus::Lines(vec![found]) }
}

fn picker(size: (u16, u16), rows: Vec<PickRow>) -> UiState {
    let (mut state, _) = UiState::new(PickerStart {
        mode: PickMode::Exact,
        line: "key".into(),
        size,
        ..PickerStart::default()
    });
    let answer = PickAnswer { total: rows.len(), rows, is_whole: true, ..PickAnswer::default() };
    let effects = state.update(Message::Answered(1, Ok(answer)));
    if let [Effect::Preview(place)] = &effects[..] {
        let lines = ["use std;", "\tlet key = 1;\u{1b}[31m", "key"].map(str::to_string).to_vec();
        let text = PreviewText::new(place.path.clone(), lines, false, "text");
        state.update(Message::Previewed(place.clone(), Ok(text)));
    }
    state
}

fn screen(state: &UiState, (width, height): (u16, u16)) -> Terminal<TestBackend> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(frame, state, &PALETTE)).unwrap();
    terminal
}

fn shown(state: &UiState, size: (u16, u16)) -> Vec<String> {
    let terminal = screen(state, size);
    let buffer = terminal.backend().buffer();
    let line = |y: u16| (0..size.0).map(|x| buffer[(x, y)].symbol()).collect::<String>();
    (0..size.1).map(|y| line(y).trim_end().to_string()).collect()
}

fn two_rows() -> Vec<PickRow> {
    vec![row("a.rs", 2, "let key = 1;\u{1b}[31m", 4..7), row("a.rs", 3, "key", 0..3)]
}

#[test]
fn a_wide_screen_has_the_preview_beside_the_list() {
    let mut state = picker((120, 9), two_rows());
    state.marks.push(state.answer.rows[1].place.clone());
    let expected = [
        "exact> key",
        "2 lines · 1 marked",
        ">  a.rs:2: let key = 1;␛[31m                       │ a.rs  line 1 of 3",
        " * a.rs:3: key                                    │ 1 use std;",
        "                                                  │ 2▌    let key = 1;␛[31m",
        "                                                  │ 3 key",
        "                                                  │",
        "                                                  │",
        "enter open  esc quit  ^T mode  tab mark  ^Y print  ^R history  ^U clear  shift-↑↓ scroll  alt-P preview",
    ];
    let shown = shown(&state, (120, 9));
    let without_blanks = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    for (line, expected) in shown.iter().zip(expected) {
        assert_eq!(without_blanks(line), without_blanks(expected), "{shown:#?}");
    }
    assert_eq!(shown.len(), expected.len());
}

#[test]
fn a_narrow_screen_has_the_preview_below_the_list() {
    let state = picker((40, 14), two_rows());
    let shown = shown(&state, (40, 14));
    assert_eq!(shown[2], ">  a.rs:2: let key = 1;␛[31m");
    assert!(shown[6].starts_with("────"), "{shown:#?}");
    assert_eq!(shown[7], "a.rs  line 1 of 3");
    assert_eq!(shown[9], "2▌    let key = 1;␛[31m");
    assert_eq!(shown[13], "enter open  esc quit  ^T mode  tab mark");
}

#[test]
fn matches_are_highlighted_and_an_error_empties_the_list() {
    let mut state = picker((120, 9), two_rows());
    let terminal = screen(&state, (120, 9));
    let cell = |x: u16, y: u16| terminal.backend().buffer()[(x, y)].clone();
    assert_eq!((cell(15, 2).symbol().to_string(), cell(15, 2).fg), ("k".to_string(), Color::Red));
    assert_eq!(cell(16 + 53, 5).symbol(), " ");
    let preview_match = (62..120).map(|x| cell(x, 5)).find(|cell| cell.fg == Color::Red).unwrap();
    assert_eq!(preview_match.symbol(), "k", "the matches of other rows in the file are highlighted too");
    state.update(Message::Answered(1, Err("no luck".into())));
    let shown = shown(&state, (120, 9));
    assert_eq!((shown[1].as_str(), shown[2].trim()), ("no luck", "│"));
}

#[test]
fn the_cursor_stays_on_the_screen() {
    let mut state = picker((20, 6), vec![]);
    let mut terminal = screen(&state, (20, 6));
    terminal.backend_mut().assert_cursor_position((10, 0));
    state.update(Message::Pasted(" größe 漢字 and a long tail".into()));
    let mut terminal = screen(&state, (20, 6));
    terminal.backend_mut().assert_cursor_position((19, 0));
    assert_eq!(shown(&state, (20, 6))[0], "exact>  a long tail");
}

#[test]
fn progress_and_failures_are_shown() {
    let mut state = picker((60, 6), vec![]);
    assert_eq!(shown(&state, (60, 6))[1], "nothing found");
    state.update(Message::Index(IndexNews::Progress("indexing 3/9 files".into())));
    assert_eq!(shown(&state, (60, 6))[1], "nothing found · indexing 3/9 files");
    state.update(Message::Index(IndexNews::Failed("the disk is full\nrun: more".into())));
    assert!(shown(&state, (60, 6))[1].ends_with("the disk is full"));
}

#[test]
fn no_size_breaks_the_screen() {
    let rows: Vec<PickRow> = (1..40).map(|line| row("a.rs", line, "key", 0..3)).collect();
    for size in [(1, 1), (2, 2), (3, 3), (10, 4), (120, 3), (121, 15), (300, 100)] {
        let mut state = picker((80, 24), rows.clone());
        // The state is still that of another size.
        screen(&state, size);
        state.update(Message::Resized(size.0, size.1));
        screen(&state, size);
    }
}

/// Prints what a repaint takes: `cargo test --release --bin spyhop -- --ignored --nocapture repaint`.
#[test]
#[ignore = "a measurement"]
fn a_repaint_is_fast() {
    let text = "    let key = resolve_api_key(provider, \"a literal that makes the line long\", 12345);";
    let rows: Vec<PickRow> =
        (1..=200).map(|line| row("src/engine/some/file.rs", line, text, 8..11)).collect();
    let size = (200, 210);
    let mut state = picker(size, rows);
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    let mut times: Vec<f64> = (0..200)
        .map(|round| {
            let begun = Instant::now();
            let c = if round % 2 == 0 { "x" } else { "y" };
            state.update(Message::Pasted(c.into()));
            terminal.draw(|frame| draw(frame, &state, &PALETTE)).unwrap();
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("200 rows: median {:.2} ms, largest {:.2} ms", times[100], times[199]);
    assert!(times[100] < 10.0, "{times:?}");
}
