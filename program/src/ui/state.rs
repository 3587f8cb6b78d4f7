//! The state of the picker, and how a message changes it.
//!
//! [`UiState::update`] is a pure function of the state and a message: it reads no clock, no file and no terminal. What
//! is to be done outside is returned as effects, so each key can be tested without a terminal.

use ratatui::crossterm::event::KeyEvent;

use super::keys::{self, Action};
use super::layout::{Regions, regions};
use super::line::LineEditor;
use super::pick::{PickAnswer, PickMode, PickPlace, PickQuery, PickRow, PreviewText};
use super::recall::Recalled;
use crate::query_line;

/// How many ticks of waiting pass before the rows of a former query are dimmed. An answer of some milliseconds would
/// make the whole list flicker.
const PATIENCE: u32 = 8;

/// How many reports of a first index pass between two repetitions of a query that it may complete.
const REPORTS_BETWEEN: u32 = 10;

/// An exact search starts at this many characters: a pattern of one character matches most lines of a tree.
const MIN_PATTERN: usize = 2;

/// What happened.
#[derive(Clone, Debug)]
pub enum Message {
    Key(KeyEvent),
    Pasted(String),
    Resized(u16, u16),
    /// The answer to the question with this number.
    Answered(u64, Result<PickAnswer, String>),
    Previewed(PickPlace, Result<PreviewText, String>),
    Index(IndexNews),
    /// A short time has passed while an answer is awaited.
    Tick,
    /// The editor has ended.
    Edited(Result<(), String>),
}

/// What is new about the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexNews {
    /// How far an update is, in words.
    Progress(String),
    /// The index is current.
    Current,
    /// The index was updated, so a query may have other answers.
    Changed,
    /// The index could not be updated.
    Failed(String),
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Ask the engine; a question that is still open is no longer needed.
    Ask(u64, PickQuery),
    /// Read the text around a place.
    Preview(PickPlace),
    /// Record the query line in the history.
    Remember(String),
    /// Open places in the editor, then go on.
    Open(Vec<PickPlace>),
    /// End, and print places.
    Print(Vec<PickPlace>),
    /// End with this exit code.
    Quit(u8),
    Suspend,
    Redraw,
}

/// The state of the index, as far as the screen shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IndexState {
    Updating(String),
    #[default]
    Current,
    Failed(String),
}

/// The state of the picker.
#[derive(Debug, Default)]
pub struct UiState {
    pub mode: PickMode,
    pub line: LineEditor,
    pub answer: PickAnswer,
    /// What is wrong with the query.
    pub error: Option<String>,
    /// A remark about the query line.
    pub hint: Option<&'static str>,
    /// The selected row.
    pub selected: usize,
    /// The first row on the screen.
    pub top: usize,
    /// The marked places, in the order of marking.
    pub marks: Vec<PickPlace>,
    pub preview: Option<Result<PreviewText, String>>,
    /// How far the preview is scrolled away from the selected place.
    pub scroll: i64,
    pub has_preview: bool,
    pub index: IndexState,
    size: (u16, u16),
    /// Whether Enter prints and does not open an editor.
    prints: bool,
    /// Whether anything was opened.
    has_opened: bool,
    /// The number of the newest question, and of the newest answer.
    asked: u64,
    answered: u64,
    /// Whether the newest question is about the same query as the rows on the screen.
    is_repeated: bool,
    waited: u32,
    reports: u32,
    history: Vec<String>,
    recalled: Option<Recalled>,
}

/// How the picker begins.
#[derive(Clone, Debug, Default)]
pub struct PickerStart {
    pub mode: PickMode,
    pub line: String,
    pub prints: bool,
    pub size: (u16, u16),
    /// Former query lines, the newest last.
    pub history: Vec<String>,
    /// Whether the index is compared with the tree at the start.
    pub refreshes: bool,
}

impl UiState {
    /// The first state, and the first question.
    pub fn new(start: PickerStart) -> (UiState, Vec<Effect>) {
        let index = match start.refreshes {
            true => IndexState::Updating("comparing the tree with the index".to_string()),
            false => IndexState::Current,
        };
        let mut state = UiState {
            mode: start.mode,
            line: LineEditor::new(start.line),
            has_preview: true,
            index,
            size: start.size,
            prints: start.prints,
            history: start.history,
            ..UiState::default()
        };
        let effects = state.ask(false);
        (state, effects)
    }

    /// Whether an answer is awaited.
    pub fn is_waiting(&self) -> bool {
        self.answered < self.asked
    }

    /// Whether the rows are those of a former query and are shown so.
    pub fn is_dimmed(&self) -> bool {
        self.is_waiting() && !self.is_repeated && self.waited >= PATIENCE
    }

    pub fn prints(&self) -> bool {
        self.prints
    }

    pub fn regions(&self) -> Regions {
        regions(self.size.0, self.size.1, self.has_preview)
    }

    pub fn row(&self) -> Option<&PickRow> {
        self.answer.rows.get(self.selected)
    }

    /// The first line of the preview on the screen, from 0, for a text of `lines` lines.
    pub fn preview_top(&self, lines: usize) -> usize {
        let height = self.regions().preview_lines();
        let line = self.row().map_or(0, |row| row.place.line.saturating_sub(1)) as i64;
        let centred = line - height as i64 / 3;
        let last = lines.saturating_sub(height.max(1)) as i64;
        (centred.clamp(0, last) + self.scroll).clamp(0, last) as usize
    }

    /// Changes the state by a message; returns what is to be done.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Key(key) => keys::action(&key).map_or_else(Vec::new, |action| self.act(action)),
            Message::Pasted(text) => self.edit(|line| line.insert(&text)),
            Message::Resized(width, height) => {
                self.size = (width, height);
                self.keep_in_sight();
                // A larger screen may have a preview that the smaller one had not.
                if self.preview.is_none() { self.show_preview() } else { Vec::new() }
            }
            Message::Answered(number, answer) => self.take_answer(number, answer),
            Message::Previewed(place, text) => {
                if self.row().is_some_and(|row| row.place == place) {
                    self.preview = Some(text);
                }
                Vec::new()
            }
            Message::Index(news) => self.take_news(news),
            Message::Tick => {
                self.waited = self.waited.saturating_add(u32::from(self.is_waiting()));
                Vec::new()
            }
            Message::Edited(result) => {
                self.has_opened |= result.is_ok();
                self.error = result.err();
                Vec::new()
            }
        }
    }

    /// Whether a tick changes what is on the screen.
    pub fn is_tick_visible(&self) -> bool {
        self.is_waiting() && self.waited == PATIENCE
    }

    fn act(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::Insert(c) => return self.edit(|line| line.insert(c.encode_utf8(&mut [0; 4]))),
            Action::Backspace => return self.edit(LineEditor::backspace),
            Action::Delete => return self.edit(LineEditor::delete),
            Action::DeleteWord => return self.edit(LineEditor::delete_word),
            Action::DeleteRest => return self.edit(LineEditor::delete_rest),
            Action::Clear => return self.edit(|line| *line = LineEditor::default()),
            Action::DeleteOrCancel if self.line.text().is_empty() => return self.cancel(),
            Action::DeleteOrCancel => return self.edit(LineEditor::delete),
            Action::Left => self.line.left(),
            Action::Right => self.line.right(),
            Action::WordLeft => self.line.word_left(),
            Action::WordRight => self.line.word_right(),
            Action::Home => self.line.home(),
            Action::End => self.line.end(),
            Action::Move(rows) => return self.move_by(rows.into()),
            Action::Page(pages) => {
                let page = self.regions().rows().saturating_sub(1).max(1) as i64;
                return self.move_by(i64::from(pages) * page);
            }
            Action::Mark(rows) => return self.mark(rows),
            Action::Scroll(lines) => self.scroll_by(lines.into()),
            Action::ScrollPage(pages) => {
                let half = (self.regions().preview_lines() / 2).max(1) as i64;
                self.scroll_by(i64::from(pages) * half);
            }
            Action::TogglePreview => {
                self.has_preview = !self.has_preview;
                self.keep_in_sight();
                return self.show_preview();
            }
            Action::NextMode => return self.choose(self.mode.next()),
            Action::Choose(mode) => return self.choose(mode),
            Action::Older => return self.recall(1),
            Action::Newer => return self.recall(-1),
            Action::Accept if self.prints => return self.print(),
            Action::Accept => return self.open(),
            Action::Print => return self.print(),
            Action::Cancel => return self.cancel(),
            Action::Interrupt => return vec![Effect::Quit(130)],
            Action::Suspend => return vec![Effect::Suspend],
            Action::Redraw => return vec![Effect::Redraw],
        }
        Vec::new()
    }

    fn cancel(&self) -> Vec<Effect> {
        vec![Effect::Quit(u8::from(!self.has_opened))]
    }

    fn edit(&mut self, edit: impl FnOnce(&mut LineEditor)) -> Vec<Effect> {
        let before = self.line.text().to_string();
        edit(&mut self.line);
        self.recalled = None;
        if self.line.text() == before { Vec::new() } else { self.ask(false) }
    }

    fn choose(&mut self, mode: PickMode) -> Vec<Effect> {
        if mode == self.mode {
            return Vec::new();
        }
        self.mode = mode;
        // The rows of another mode would look like answers of this one.
        (self.answer, self.preview) = Default::default();
        self.ask(false)
    }

    /// Asks for the query line, unless there is nothing to ask.
    fn ask(&mut self, is_repeated: bool) -> Vec<Effect> {
        self.asked += 1;
        (self.waited, self.is_repeated, self.hint) = (0, is_repeated, None);
        let parsed = match query_line::parse(self.line.text()) {
            Ok(parsed) => parsed,
            Err(fault) => {
                self.answered = self.asked;
                self.fail(fault.text);
                return Vec::new();
            }
        };
        self.error = None;
        let length = parsed.text.chars().count();
        self.hint = match self.mode {
            PickMode::Ranked if parsed.text.trim().is_empty() => Some("type what you look for"),
            PickMode::Exact if parsed.text.is_empty() => Some("type a regular expression"),
            PickMode::Exact if length < MIN_PATTERN => Some("type two characters or more"),
            _ => None,
        };
        if self.hint.is_some() {
            self.answered = self.asked;
            self.clear();
            return Vec::new();
        }
        vec![Effect::Ask(self.asked, PickQuery { mode: self.mode, line: self.line.text().to_string() })]
    }

    /// Shows why there is no answer. Rows of the former query would look like the answer to this one.
    fn fail(&mut self, error: String) {
        self.error = Some(error);
        self.clear();
    }

    /// Empties the list.
    fn clear(&mut self) {
        (self.answer, self.preview, self.selected, self.top, self.scroll) = Default::default();
    }

    fn take_answer(&mut self, number: u64, answer: Result<PickAnswer, String>) -> Vec<Effect> {
        if number != self.asked {
            return Vec::new();
        }
        self.answered = number;
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                self.fail(error);
                return Vec::new();
            }
        };
        let kept = self.row().filter(|_| self.is_repeated).map(|row| row.place.clone());
        let kept = kept.and_then(|place| answer.rows.iter().position(|row| row.place == place));
        self.answer = answer;
        match kept {
            Some(row) => self.selected = row,
            None => (self.selected, self.top, self.scroll) = Default::default(),
        }
        self.keep_in_sight();
        self.show_preview()
    }

    fn take_news(&mut self, news: IndexNews) -> Vec<Effect> {
        match news {
            IndexNews::Progress(text) => {
                self.index = IndexState::Updating(text);
                self.reports += 1;
                let is_due = self.reports.is_multiple_of(REPORTS_BETWEEN);
                if is_due && self.answer.is_partial && !self.is_waiting() {
                    self.ask(true)
                } else {
                    Vec::new()
                }
            }
            IndexNews::Current | IndexNews::Changed => {
                let is_first = self.index != IndexState::Current;
                self.index = IndexState::Current;
                let has_changed = news == IndexNews::Changed || is_first && self.is_open();
                if has_changed && self.error.is_none() { self.ask(true) } else { Vec::new() }
            }
            IndexNews::Failed(text) => {
                self.index = IndexState::Failed(text);
                if self.is_open() { self.ask(true) } else { Vec::new() }
            }
        }
    }

    /// Whether the present answer may be incomplete because of an update.
    fn is_open(&self) -> bool {
        self.answer.is_partial || self.is_waiting()
    }

    fn move_by(&mut self, rows: i64) -> Vec<Effect> {
        let last = self.answer.rows.len().saturating_sub(1) as i64;
        let selected = (self.selected as i64 + rows).clamp(0, last) as usize;
        if selected == self.selected {
            return Vec::new();
        }
        (self.selected, self.scroll) = (selected, 0);
        self.keep_in_sight();
        self.show_preview()
    }

    /// Scrolls the list so that the selected row is on the screen.
    fn keep_in_sight(&mut self) {
        let rows = self.regions().rows().max(1);
        self.top = self.top.clamp((self.selected + 1).saturating_sub(rows), self.selected);
    }

    fn scroll_by(&mut self, lines: i64) {
        let Some(Ok(text)) = &self.preview else { return };
        let count = text.lines.len();
        let before = self.preview_top(count) as i64;
        self.scroll += lines;
        // Scrolling beyond an end must not have to be undone.
        let after = self.preview_top(count) as i64;
        self.scroll -= lines - (after - before);
    }

    fn mark(&mut self, rows: i32) -> Vec<Effect> {
        let Some(place) = self.row().map(|row| row.place.clone()) else { return Vec::new() };
        match self.marks.iter().position(|marked| *marked == place) {
            Some(at) => _ = self.marks.remove(at),
            None => self.marks.push(place),
        }
        self.move_by(rows.into())
    }

    fn show_preview(&mut self) -> Vec<Effect> {
        let Some(row) = self.row() else {
            self.preview = None;
            return Vec::new();
        };
        let place = row.place.clone();
        // Until the text arrives, that of the same file is shown.
        let is_same = matches!(&self.preview, Some(Ok(text)) if text.path == place.path);
        if !is_same {
            self.preview = None;
        }
        if self.regions().preview.is_some() { vec![Effect::Preview(place)] } else { Vec::new() }
    }

    /// The marked places or, without marks, the selected one.
    fn chosen(&self) -> Vec<PickPlace> {
        match self.marks.is_empty() {
            true => self.row().map(|row| row.place.clone()).into_iter().collect(),
            false => self.marks.clone(),
        }
    }

    fn print(&mut self) -> Vec<Effect> {
        match self.chosen() {
            chosen if chosen.is_empty() => Vec::new(),
            chosen => self.remember().chain([Effect::Print(chosen)]).collect(),
        }
    }

    fn open(&mut self) -> Vec<Effect> {
        match self.chosen() {
            chosen if chosen.is_empty() => Vec::new(),
            chosen => {
                let effects = self.remember().chain([Effect::Open(chosen)]).collect();
                self.marks.clear();
                effects
            }
        }
    }

    /// Puts the query line into the history.
    fn remember(&mut self) -> impl Iterator<Item = Effect> + use<> {
        let line = self.line.text().trim().to_string();
        self.recalled = None;
        if !line.is_empty() {
            self.history.retain(|known| *known != line);
            self.history.push(line.clone());
        }
        (!line.is_empty()).then_some(Effect::Remember(line)).into_iter()
    }

    /// Goes to an older or a newer line of the history that contains what was typed.
    fn recall(&mut self, back: i32) -> Vec<Effect> {
        let recalled = self.recalled.take().unwrap_or_else(|| Recalled::new(self.line.text()));
        let (recalled, line) = recalled.step(&self.history, back);
        self.recalled = Some(recalled);
        match line {
            Some(line) if line != self.line.text() => {
                self.line = LineEditor::new(line);
                self.ask(false)
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
