//! Keys and messages, without a terminal and without an engine.

use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use spyhop_base::path::RelPath;

use super::super::pick::{Focus, Piece, Tone};
use super::*;

fn place(number: u32) -> PickPlace {
    PickPlace { path: RelPath::new("src/a.rs").unwrap(), line: number, column: 1 }
}

fn row(number: u32) -> PickRow {
    let pieces = vec![Piece::new(&format!("row {number}"), Tone::Plain)];
    PickRow { place: place(number), last: number, pieces, focus: Focus::Nothing }
}

fn answer(lines: impl IntoIterator<Item = u32>) -> PickAnswer {
    let rows: Vec<PickRow> = lines.into_iter().map(row).collect();
    PickAnswer { total: rows.len(), rows, is_whole: true, ..PickAnswer::default() }
}

fn preview(lines: usize) -> PreviewText {
    let lines = (1..=lines).map(|number| format!("line {number}")).collect();
    PreviewText::new(RelPath::new("src/a.rs").unwrap(), lines, false, "text")
}

/// A picker on a screen of 80 columns and 24 lines: 8 rows, and 11 lines of preview.
fn start(line: &str) -> (UiState, Vec<Effect>) {
    UiState::new(PickerStart { line: line.to_string(), size: (80, 24), ..PickerStart::default() })
}

fn key(state: &mut UiState, code: KeyCode, modifiers: KeyModifiers) -> Vec<Effect> {
    state.update(Message::Key(KeyEvent::new(code, modifiers)))
}

fn control(state: &mut UiState, c: char) -> Vec<Effect> {
    key(state, KeyCode::Char(c), KeyModifiers::CONTROL)
}

fn press(state: &mut UiState, code: KeyCode) -> Vec<Effect> {
    key(state, code, KeyModifiers::NONE)
}

fn type_text(state: &mut UiState, text: &str) -> Vec<Effect> {
    text.chars().fold(Vec::new(), |_, c| press(state, KeyCode::Char(c)))
}

fn asks(number: u64, mode: PickMode, line: &str) -> Vec<Effect> {
    vec![Effect::Ask(number, PickQuery { mode, line: line.to_string() })]
}

/// A picker with an answer of `rows` rows on the screen.
fn answered(rows: u32) -> UiState {
    let (mut state, effects) = start("key");
    assert_eq!(effects, asks(1, PickMode::Ranked, "key"));
    let effects = state.update(Message::Answered(1, Ok(answer(1..=rows))));
    assert_eq!(effects, [Effect::Preview(place(1))]);
    state
}

#[test]
fn each_key_asks_and_only_the_newest_answer_counts() {
    let (mut state, effects) = start("");
    assert_eq!((effects, state.hint), (vec![], Some("type what you look for")));
    assert!(!state.is_waiting());
    assert_eq!(type_text(&mut state, "ke"), asks(3, PickMode::Ranked, "ke"));
    assert_eq!(type_text(&mut state, "y"), asks(4, PickMode::Ranked, "key"));
    assert_eq!(state.update(Message::Answered(3, Ok(answer([7])))), []);
    assert!(state.is_waiting() && state.answer.rows.is_empty());
    state.update(Message::Answered(4, Ok(answer([8, 9]))));
    assert!(!state.is_waiting() && state.answer.rows.len() == 2);
    // A key that changes nothing asks nothing.
    assert_eq!(press(&mut state, KeyCode::Delete), []);
    assert_eq!(control(&mut state, 'a'), []);
    assert_eq!(type_text(&mut state, "x"), asks(5, PickMode::Ranked, "xkey"));
    assert_eq!(control(&mut state, 'u'), []);
    assert!(state.answer.rows.is_empty() && state.line.text().is_empty());
}

#[test]
fn former_rows_are_dimmed_after_some_ticks() {
    let mut state = answered(3);
    type_text(&mut state, "s");
    for _ in 0..PATIENCE {
        assert!(!state.is_dimmed());
        state.update(Message::Tick);
    }
    assert!(state.is_dimmed() && state.is_tick_visible() && state.answer.rows.len() == 3);
    state.update(Message::Answered(2, Ok(answer([1]))));
    assert!(!state.is_dimmed());
}

#[test]
fn an_error_empties_the_list() {
    let mut state = answered(3);
    assert_eq!(state.update(Message::Pasted(" kind:nothing".into())), []);
    assert!(state.error.as_deref().unwrap().starts_with("kind: unknown kind 'nothing'"));
    assert!(state.answer.rows.is_empty() && state.preview.is_none());
    // The answer to the question before is no answer to this one.
    assert_eq!(state.update(Message::Answered(1, Ok(answer([1])))), []);
    assert_eq!(control(&mut state, 'w'), asks(3, PickMode::Ranked, "key "));
    state.update(Message::Answered(3, Ok(answer([1]))));
    assert_eq!((state.error.as_deref(), state.answer.rows.len()), (None, 1));
    type_text(&mut state, "(");
    state.update(Message::Answered(4, Err("no luck".into())));
    assert_eq!((state.error.as_deref(), state.answer.rows.len()), (Some("no luck"), 0));
}

#[test]
fn modes_are_chosen_by_keys() {
    let mut state = answered(3);
    assert_eq!(control(&mut state, 't'), asks(2, PickMode::Exact, "key"));
    assert!(state.answer.rows.is_empty());
    assert_eq!(key(&mut state, KeyCode::Char('3'), KeyModifiers::ALT), asks(3, PickMode::Files, "key"));
    assert_eq!(key(&mut state, KeyCode::Char('3'), KeyModifiers::ALT), []);
    control(&mut state, 'u');
    assert_eq!(state.hint, None, "without a pattern, all files are listed");
    key(&mut state, KeyCode::Char('2'), KeyModifiers::ALT);
    assert_eq!(state.hint, Some("type a regular expression"));
    type_text(&mut state, "a");
    assert_eq!(state.hint, Some("type two characters or more"));
    assert_eq!(type_text(&mut state, "b"), asks(7, PickMode::Exact, "ab"));
}

#[test]
fn the_selection_moves_and_stays_in_sight() {
    let mut state = answered(20);
    assert_eq!(control(&mut state, 'n'), [Effect::Preview(place(2))]);
    assert_eq!(press(&mut state, KeyCode::Up), [Effect::Preview(place(1))]);
    assert_eq!(control(&mut state, 'p'), []);
    press(&mut state, KeyCode::PageDown);
    assert_eq!((state.selected, state.top), (7, 0));
    press(&mut state, KeyCode::PageDown);
    assert_eq!((state.selected, state.top), (14, 7));
    (0..3).for_each(|_| _ = press(&mut state, KeyCode::PageDown));
    assert_eq!((state.selected, state.top), (19, 12));
    state.update(Message::Resized(80, 12));
    assert_eq!((state.regions().rows(), state.top), (9, 12));
    state.update(Message::Resized(80, 5));
    assert_eq!((state.regions().rows(), state.top), (2, 18));
}

#[test]
fn marked_places_are_printed_or_opened_in_their_order() {
    let mut state = answered(5);
    assert_eq!(control(&mut state, 'y'), [Effect::Remember("key".into()), Effect::Print(vec![place(1)])]);
    press(&mut state, KeyCode::Down);
    press(&mut state, KeyCode::Tab);
    press(&mut state, KeyCode::Tab);
    key(&mut state, KeyCode::BackTab, KeyModifiers::SHIFT);
    assert_eq!((state.marks.clone(), state.selected), (vec![place(2), place(3), place(4)], 2));
    press(&mut state, KeyCode::Tab);
    assert_eq!(state.marks, [place(2), place(4)]);
    let opened = press(&mut state, KeyCode::Enter);
    assert_eq!(opened, [Effect::Remember("key".into()), Effect::Open(vec![place(2), place(4)])]);
    assert!(state.marks.is_empty());
    state.update(Message::Edited(Ok(())));
    assert_eq!(press(&mut state, KeyCode::Esc), [Effect::Quit(0)]);
    let (mut state, _) =
        UiState::new(PickerStart { line: "a".into(), prints: true, ..PickerStart::default() });
    state.update(Message::Answered(1, Ok(answer([4]))));
    assert_eq!(press(&mut state, KeyCode::Enter)[1], Effect::Print(vec![place(4)]));
}

#[test]
fn the_picker_ends_without_a_selection() {
    let (mut state, _) = start("");
    assert_eq!(press(&mut state, KeyCode::Enter), []);
    assert_eq!(press(&mut state, KeyCode::Tab), []);
    assert_eq!(press(&mut state, KeyCode::Esc), [Effect::Quit(1)]);
    assert_eq!(control(&mut state, 'c'), [Effect::Quit(130)]);
    assert_eq!(control(&mut state, 'd'), [Effect::Quit(1)]);
    type_text(&mut state, "a");
    assert_eq!(control(&mut state, 'd'), []);
    assert_eq!(control(&mut state, 'z'), [Effect::Suspend]);
}

#[test]
fn the_preview_follows_the_selection_and_scrolls() {
    let mut state = answered(30);
    state.update(Message::Previewed(place(2), Ok(preview(9))));
    assert_eq!(state.preview, None, "the text of another place");
    state.update(Message::Previewed(place(1), Ok(preview(40))));
    assert_eq!(state.preview_top(40), 0);
    (0..3).for_each(|_| _ = key(&mut state, KeyCode::Down, KeyModifiers::SHIFT));
    assert_eq!(state.preview_top(40), 3);
    (0..99).for_each(|_| _ = key(&mut state, KeyCode::PageDown, KeyModifiers::SHIFT));
    assert_eq!(state.preview_top(40), 29);
    key(&mut state, KeyCode::Char('k'), KeyModifiers::ALT);
    assert_eq!(state.preview_top(40), 28);
    // Another place of the same file is shown at once, with the place in the upper third.
    (0..19).for_each(|_| _ = press(&mut state, KeyCode::Down));
    assert!(matches!(&state.preview, Some(Ok(_))));
    assert_eq!((state.scroll, state.preview_top(40)), (0, 16));
    assert_eq!(key(&mut state, KeyCode::Char('p'), KeyModifiers::ALT), []);
    assert_eq!((state.regions().rows(), state.regions().preview), (21, None));
    let shown = key(&mut state, KeyCode::Char('p'), KeyModifiers::ALT);
    assert_eq!(shown, [Effect::Preview(place(20))]);
}

#[test]
fn an_updated_index_repeats_the_query_and_keeps_the_place() {
    let start = PickerStart { line: "key".into(), size: (80, 24), refreshes: true, ..PickerStart::default() };
    let (mut state, _) = UiState::new(start);
    assert!(matches!(&state.index, IndexState::Updating(_)));
    let partial = PickAnswer { is_partial: true, ..answer([1, 2, 3]) };
    state.update(Message::Answered(1, Ok(partial)));
    press(&mut state, KeyCode::Down);
    let reports = |state: &mut UiState| -> Vec<Effect> {
        let news = || Message::Index(IndexNews::Progress("indexing".into()));
        (0..REPORTS_BETWEEN).flat_map(|_| state.update(news())).collect()
    };
    assert_eq!(reports(&mut state), asks(2, PickMode::Ranked, "key"));
    state.update(Message::Answered(2, Ok(PickAnswer { is_partial: true, ..answer([9, 1, 2]) })));
    assert_eq!((state.selected, state.row().unwrap().place.clone()), (2, place(2)));
    assert_eq!(state.update(Message::Index(IndexNews::Current)), asks(3, PickMode::Ranked, "key"));
    assert!(!state.is_dimmed());
    state.update(Message::Answered(3, Ok(answer([5]))));
    assert_eq!(state.selected, 0);
    assert_eq!(reports(&mut state), []);
    assert_eq!(state.update(Message::Index(IndexNews::Current)), []);
    assert_eq!(state.update(Message::Index(IndexNews::Changed)), asks(4, PickMode::Ranked, "key"));
    assert_eq!(
        state.update(Message::Index(IndexNews::Failed("full".into()))),
        asks(5, PickMode::Ranked, "key")
    );
    assert_eq!(state.index, IndexState::Failed("full".into()));
}

#[test]
fn the_history_is_recalled() {
    let history = ["auth", "paint"].map(str::to_string).to_vec();
    let (mut state, _) = UiState::new(PickerStart { history, size: (80, 24), ..PickerStart::default() });
    assert_eq!(control(&mut state, 'r'), asks(2, PickMode::Ranked, "paint"));
    assert_eq!(key(&mut state, KeyCode::Up, KeyModifiers::ALT), asks(3, PickMode::Ranked, "auth"));
    assert_eq!(control(&mut state, 'r'), []);
    assert_eq!(key(&mut state, KeyCode::Down, KeyModifiers::ALT), asks(4, PickMode::Ranked, "paint"));
    state.update(Message::Answered(4, Ok(answer([1]))));
    type_text(&mut state, "er");
    state.update(Message::Answered(6, Ok(answer([1]))));
    assert_eq!(control(&mut state, 'y')[0], Effect::Remember("painter".into()));
    control(&mut state, 'u');
    control(&mut state, 'r');
    assert_eq!(state.line.text(), "painter");
}
