//! Drawing the state. Every text is clean before it gets here, or is cleaned here.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use super::keys;
use super::pick::{PickMode, Piece, PreviewText, Tone, fitted};
use super::preview;
use super::state::{IndexState, UiState};
use spyhop_interface::render::SyntaxClass;

/// The styles of a terminal with or without colours. With colours, only the sixteen of every terminal are used, which
/// the user has chosen to be readable.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    pub color: bool,
}

impl Palette {
    fn style(&self, tone: Tone) -> Style {
        let style = Style::new();
        let colored = |color: Color| if self.color { style.fg(color) } else { style };
        match tone {
            Tone::Plain => style,
            Tone::Path => colored(Color::Magenta),
            Tone::Number | Tone::Good => colored(Color::Green),
            Tone::Name => style.add_modifier(Modifier::BOLD),
            Tone::Match if self.color => colored(Color::Red).add_modifier(Modifier::BOLD),
            Tone::Match => style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            Tone::Dim => style.add_modifier(Modifier::DIM),
            Tone::Alarm => colored(Color::Yellow).add_modifier(Modifier::BOLD),
            // As in the text of the command line.
            Tone::Syntax(SyntaxClass::Keyword) => colored(Color::Blue),
            Tone::Syntax(SyntaxClass::Text) => colored(Color::Green),
            Tone::Syntax(SyntaxClass::Number) => colored(Color::Cyan),
            Tone::Syntax(SyntaxClass::Comment) if self.color => style.add_modifier(Modifier::DIM),
            Tone::Syntax(SyntaxClass::Comment) => style,
        }
    }

    fn pointer(&self) -> Style {
        let style = Style::new().add_modifier(Modifier::BOLD);
        if self.color { style.fg(Color::Cyan) } else { style }
    }
}

/// Draws the whole screen.
pub fn draw(frame: &mut Frame<'_>, state: &UiState, palette: &Palette) {
    let regions = state.regions();
    let area = frame.area();
    // After a resize, the state may be a message behind.
    let fits = |part: Rect| part.intersection(area);
    let buffer = frame.buffer_mut();
    let cursor = prompt(buffer, fits(regions.prompt), state, palette);
    status(buffer, fits(regions.status), state, palette);
    list(buffer, fits(regions.list), state, palette);
    if let Some((bar, inside)) = regions.preview {
        separator(buffer, fits(bar));
        file(buffer, fits(inside), state, palette);
    }
    help(buffer, fits(regions.help), state, palette);
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Draws the query line, scrolled so that the cursor is on it; returns the position of the cursor.
fn prompt(buffer: &mut Buffer, area: Rect, state: &UiState, palette: &Palette) -> Option<(u16, u16)> {
    if area.is_empty() {
        return None;
    }
    let label = format!("{}> ", state.mode.name());
    let label_width = label.len() as u16;
    buffer.set_line(area.x, area.y, &Line::from(Span::styled(label, palette.pointer())), area.width);
    let room = area.width.saturating_sub(label_width);
    // Widths are those of the characters: a wide one takes two cells.
    let width = |text: &str| Span::raw(Piece::new(text, Tone::Plain).text).width();
    let before = state.line.before();
    let mut start = 0;
    while width(&before[start..]) + 1 > usize::from(room) && start < before.len() {
        start += before[start..].chars().next().map_or(1, char::len_utf8);
    }
    let text = Piece::new(&state.line.text()[start..], Tone::Plain).text;
    buffer.set_line(area.x + label_width.min(area.width), area.y, &Line::from(text), room);
    let at = usize::from(label_width) + width(&before[start..]);
    Some((area.x + (at as u16).min(area.width.saturating_sub(1)), area.y))
}

/// Draws the line under the query: what is wrong, or how much there is.
fn status(buffer: &mut Buffer, area: Rect, state: &UiState, palette: &Palette) {
    let mut parts: Vec<Piece> = Vec::new();
    let mut add = |text: &str, tone: Tone| {
        if !parts.is_empty() {
            parts.push(Piece::new(" · ", Tone::Dim));
        }
        // An error may have several lines; the first one says what is wrong.
        parts.push(Piece::new(text.lines().next().unwrap_or_default(), tone));
    };
    match (&state.error, state.hint) {
        (Some(error), _) => add(error, Tone::Alarm),
        (None, Some(hint)) => add(hint, Tone::Dim),
        (None, None) => add(&count(state), Tone::Dim),
    }
    if !state.marks.is_empty() {
        add(&format!("{} marked", state.marks.len()), Tone::Name);
    }
    match &state.index {
        IndexState::Updating(text) => add(text, Tone::Good),
        IndexState::Failed(text) => add(text, Tone::Alarm),
        IndexState::Current => {}
    }
    if let Some(note) = state.answer.note.as_deref().filter(|_| state.error.is_none()) {
        add(note, Tone::Plain);
    }
    put(buffer, area, 0, &parts, palette, Style::new());
}

/// The number of rows, in words.
fn count(state: &UiState) -> String {
    let (shown, total) = (state.answer.rows.len(), state.answer.total);
    let (one, many) = match state.mode {
        PickMode::Ranked => ("hit", "hits"),
        PickMode::Exact => ("line", "lines"),
        PickMode::Files => ("file", "files"),
        PickMode::Symbols => ("definition", "definitions"),
    };
    let more = if state.answer.is_whole { "" } else { "+" };
    match (shown, total) {
        (0, _) if state.is_waiting() => "searching".to_string(),
        (0, _) => "nothing found".to_string(),
        (1, 1) => format!("1{more} {one}"),
        (shown, total) if shown < total => format!("{shown} of {total}{more} {many}"),
        (shown, _) => format!("{shown}{more} {many}"),
    }
}

fn list(buffer: &mut Buffer, area: Rect, state: &UiState, palette: &Palette) {
    let whole = if state.is_dimmed() { Style::new().add_modifier(Modifier::DIM) } else { Style::new() };
    let rows = state.answer.rows.iter().enumerate().skip(state.top).take(area.height.into());
    for (line, (at, row)) in rows.enumerate() {
        let is_selected = at == state.selected;
        let is_marked = state.marks.contains(&row.place);
        let y = area.y + line as u16;
        let signs = format!("{}{} ", if is_selected { '>' } else { ' ' }, if is_marked { '*' } else { ' ' });
        buffer.set_line(area.x, y, &Line::from(Span::styled(signs, palette.pointer())), area.width);
        let style =
            if is_selected && !state.is_dimmed() { whole.add_modifier(Modifier::BOLD) } else { whole };
        let pieces = fitted(&row.pieces, usize::from(area.width).saturating_sub(3));
        put(buffer, Rect { y, height: 1, ..area }, 3, &pieces, palette, style);
    }
}

fn separator(buffer: &mut Buffer, area: Rect) {
    let sign = if area.width > 1 { "─" } else { "│" };
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            buffer[(x, y)].set_symbol(sign).set_style(Style::new().add_modifier(Modifier::DIM));
        }
    }
}

/// Draws the preview: the path, then the text around the place.
fn file(buffer: &mut Buffer, area: Rect, state: &UiState, palette: &Palette) {
    let Some(row) = state.row() else { return };
    let text = match &state.preview {
        Some(Ok(text)) => text,
        Some(Err(error)) => {
            return put(buffer, area, 0, &[Piece::new(error, Tone::Dim)], palette, Style::new());
        }
        None => return,
    };
    let whole = if state.is_dimmed() { Style::new().add_modifier(Modifier::DIM) } else { Style::new() };
    let top = state.preview_top(text.lines.len());
    put(buffer, area, 0, &title(text, top), palette, whole);
    let height = usize::from(area.height.saturating_sub(1));
    let digits = text.lines.len().max(row.place.line as usize).to_string().len();
    for (at, line) in preview::lines(text, (top, height), row, &state.answer.rows).into_iter().enumerate() {
        let tone = if line.is_place { Tone::Good } else { Tone::Dim };
        let bar = if line.is_inside { "▌" } else { " " };
        let mut pieces =
            vec![Piece::new(&format!("{:>digits$}", line.number), tone), Piece::new(bar, Tone::Number)];
        pieces.extend(line.pieces);
        let area = Rect { y: area.y + 1 + at as u16, height: 1, ..area };
        put(buffer, area, 0, &pieces, palette, whole);
    }
}

fn title(text: &PreviewText, top: usize) -> Vec<Piece> {
    let more = if text.has_more { "+" } else { "" };
    let lines = format!("  line {} of {}{more}", top + 1, text.lines.len());
    vec![Piece::new(text.path.as_str(), Tone::Path), Piece::new(&lines, Tone::Dim)]
}

fn help(buffer: &mut Buffer, area: Rect, state: &UiState, palette: &Palette) {
    let mut pieces = Vec::new();
    let mut width = 0;
    for (key, what) in keys::HELP {
        let what = if key == "enter" && state.prints() { "print" } else { what };
        width += Span::raw(key).width() + what.len() + 3;
        if width > usize::from(area.width) + 2 {
            break;
        }
        pieces.push(Piece::new(key, Tone::Name));
        pieces.push(Piece::new(&format!(" {what}  "), Tone::Dim));
    }
    put(buffer, area, 0, &pieces, palette, Style::new());
}

/// Writes pieces into the first line of an area, from the column `indent` on.
fn put(buffer: &mut Buffer, area: Rect, indent: u16, pieces: &[Piece], palette: &Palette, whole: Style) {
    if area.height == 0 || area.width <= indent {
        return;
    }
    let spans =
        pieces.iter().map(|piece| Span::styled(piece.text.as_str(), palette.style(piece.tone).patch(whole)));
    let line = Line::from(spans.collect::<Vec<_>>());
    buffer.set_line(area.x + indent, area.y, &line, area.width - indent);
}

#[cfg(test)]
mod tests;
