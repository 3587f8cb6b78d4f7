//! Which key does what.
//!
//! The keys are those of fzf and of line editing in a shell, where these have one. The last line of the screen and
//! `docs/ui.md` list them.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::pick::PickMode;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Insert(char),
    Backspace,
    Delete,
    DeleteWord,
    DeleteRest,
    Clear,
    Left,
    Right,
    WordLeft,
    WordRight,
    Home,
    End,
    /// Moves the selection by rows.
    Move(i32),
    /// Moves the selection by pages.
    Page(i32),
    /// Marks the selected row or removes its mark, then moves by rows.
    Mark(i32),
    /// Scrolls the preview by lines.
    Scroll(i32),
    /// Scrolls the preview by half pages.
    ScrollPage(i32),
    TogglePreview,
    NextMode,
    Choose(PickMode),
    Older,
    Newer,
    Accept,
    Print,
    Cancel,
    Interrupt,
    /// Deletes the character at the cursor; in an empty line, ends.
    DeleteOrCancel,
    Suspend,
    Redraw,
}

/// The keys of the last line, the most important first: a line that is too narrow leaves the last ones out.
pub const HELP: [(&str, &str); 10] = [
    ("enter", "open"),
    ("esc", "quit"),
    ("^T", "mode"),
    ("tab", "mark"),
    ("^Y", "print"),
    ("^R", "history"),
    ("^U", "clear"),
    ("shift-↑↓", "scroll"),
    ("alt-P", "preview"),
    ("lang: kind: path: glob: exclude:", "filter"),
];

/// The action of a key; `None` for a key without one.
pub fn action(key: &KeyEvent) -> Option<Action> {
    let has = |modifier: KeyModifiers| key.modifiers.contains(modifier);
    match (has(KeyModifiers::CONTROL), has(KeyModifiers::ALT)) {
        (true, false) => with_control(key.code),
        (false, true) => with_alt(key.code),
        // On Windows, AltGr is both.
        (true, true) => match key.code {
            KeyCode::Char(c) => Some(Action::Insert(c)),
            _ => None,
        },
        (false, false) => plain(key.code, has(KeyModifiers::SHIFT)),
    }
}

fn plain(code: KeyCode, has_shift: bool) -> Option<Action> {
    Some(match code {
        KeyCode::Char(c) => Action::Insert(c),
        KeyCode::Backspace => Action::Backspace,
        KeyCode::Delete => Action::Delete,
        KeyCode::Left => Action::Left,
        KeyCode::Right => Action::Right,
        KeyCode::Home => Action::Home,
        KeyCode::End => Action::End,
        KeyCode::Up if has_shift => Action::Scroll(-1),
        KeyCode::Down if has_shift => Action::Scroll(1),
        KeyCode::PageUp if has_shift => Action::ScrollPage(-1),
        KeyCode::PageDown if has_shift => Action::ScrollPage(1),
        KeyCode::Up => Action::Move(-1),
        KeyCode::Down => Action::Move(1),
        KeyCode::PageUp => Action::Page(-1),
        KeyCode::PageDown => Action::Page(1),
        KeyCode::Tab => Action::Mark(1),
        KeyCode::BackTab => Action::Mark(-1),
        KeyCode::Enter => Action::Accept,
        KeyCode::Esc => Action::Cancel,
        _ => return None,
    })
}

fn with_control(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Left => Action::WordLeft,
        KeyCode::Right => Action::WordRight,
        KeyCode::Char(c) => match c.to_ascii_lowercase() {
            'n' | 'j' => Action::Move(1),
            'p' | 'k' => Action::Move(-1),
            'a' => Action::Home,
            'e' => Action::End,
            'b' => Action::Left,
            'f' => Action::Right,
            'h' => Action::Backspace,
            'w' => Action::DeleteWord,
            'd' => Action::DeleteOrCancel,
            'u' => Action::Clear,
            't' => Action::NextMode,
            'r' => Action::Older,
            'y' => Action::Print,
            'm' => Action::Accept,
            'i' => Action::Mark(1),
            'c' => Action::Interrupt,
            'g' | 'q' => Action::Cancel,
            'z' => Action::Suspend,
            'l' => Action::Redraw,
            _ => return None,
        },
        _ => return None,
    })
}

fn with_alt(code: KeyCode) -> Option<Action> {
    Some(match code {
        KeyCode::Up => Action::Older,
        KeyCode::Down => Action::Newer,
        KeyCode::Left => Action::WordLeft,
        KeyCode::Right => Action::WordRight,
        KeyCode::Backspace => Action::DeleteWord,
        KeyCode::Char(c @ '1'..='4') => Action::Choose(PickMode::ALL[c as usize - '1' as usize]),
        KeyCode::Char(c) => match c.to_ascii_lowercase() {
            'b' => Action::WordLeft,
            'f' => Action::WordRight,
            'k' => Action::Scroll(-1),
            'j' => Action::Scroll(1),
            'u' => Action::ScrollPage(-1),
            'd' => Action::ScrollPage(1),
            'p' => Action::TogglePreview,
            'x' => Action::DeleteRest,
            _ => return None,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_actions() {
        let of = |code: KeyCode, modifiers: KeyModifiers| action(&KeyEvent::new(code, modifiers));
        let (none, control, alt) = (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::ALT);
        assert_eq!(of(KeyCode::Char('X'), KeyModifiers::SHIFT), Some(Action::Insert('X')));
        assert_eq!(of(KeyCode::Char('n'), control), Some(Action::Move(1)));
        assert_eq!(of(KeyCode::Char('2'), alt), Some(Action::Choose(PickMode::Exact)));
        assert_eq!(of(KeyCode::Char('4'), alt), Some(Action::Choose(PickMode::Symbols)));
        assert_eq!(of(KeyCode::Up, KeyModifiers::SHIFT), Some(Action::Scroll(-1)));
        assert_eq!(of(KeyCode::Tab, none), Some(Action::Mark(1)));
        assert_eq!(of(KeyCode::F(5), none), None);
        assert_eq!(of(KeyCode::Char('@'), control | alt), Some(Action::Insert('@')));
    }
}
