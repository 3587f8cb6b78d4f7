//! A line of text that is edited at a cursor.

/// The text and the cursor, a byte position between two characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineEditor {
    text: String,
    at: usize,
}

impl LineEditor {
    /// The text, with the cursor at its end.
    pub fn new(text: impl Into<String>) -> LineEditor {
        let text = text.into();
        LineEditor { at: text.len(), text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text before the cursor.
    pub fn before(&self) -> &str {
        &self.text[..self.at]
    }

    /// Inserts a text; line ends and tabs become blanks, and other control characters are dropped.
    pub fn insert(&mut self, text: &str) {
        for c in text.chars() {
            let c = if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c };
            if !c.is_control() {
                self.text.insert(self.at, c);
                self.at += c.len_utf8();
            }
        }
    }

    /// Removes the character before the cursor.
    pub fn backspace(&mut self) {
        let from = self.left_of();
        self.cut(from, self.at);
    }

    /// Removes the character at the cursor.
    pub fn delete(&mut self) {
        let to = self.right_of();
        self.cut(self.at, to);
    }

    /// Removes the word before the cursor and the blanks behind it.
    pub fn delete_word(&mut self) {
        let from = self.word_left_of();
        self.cut(from, self.at);
    }

    /// Removes what is behind the cursor.
    pub fn delete_rest(&mut self) {
        self.text.truncate(self.at);
    }

    pub fn left(&mut self) {
        self.at = self.left_of();
    }

    pub fn right(&mut self) {
        self.at = self.right_of();
    }

    pub fn word_left(&mut self) {
        self.at = self.word_left_of();
    }

    pub fn word_right(&mut self) {
        let rest = &self.text[self.at..];
        let blanks = rest.len() - rest.trim_start().len();
        let word = rest[blanks..].find(char::is_whitespace).unwrap_or(rest.len() - blanks);
        self.at += blanks + word;
    }

    pub fn home(&mut self) {
        self.at = 0;
    }

    pub fn end(&mut self) {
        self.at = self.text.len();
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.text.replace_range(from..to, "");
        self.at = from;
    }

    fn left_of(&self) -> usize {
        self.before().char_indices().next_back().map_or(0, |(at, _)| at)
    }

    fn right_of(&self) -> usize {
        self.text[self.at..].chars().next().map_or(self.at, |c| self.at + c.len_utf8())
    }

    fn word_left_of(&self) -> usize {
        let word = self.before().trim_end();
        word.char_indices().rev().find(|(_, c)| c.is_whitespace()).map_or(0, |(at, c)| at + c.len_utf8())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a line with `|` at the cursor.
    fn shown(line: &LineEditor) -> String {
        format!("{}|{}", line.before(), &line.text()[line.before().len()..])
    }

    #[test]
    fn a_line_is_edited_by_characters_and_words() {
        let mut line = LineEditor::new("größe der");
        let mut check = |act: fn(&mut LineEditor), expected: &str| {
            act(&mut line);
            assert_eq!(shown(&line), expected);
        };
        check(|line| line.insert(" Tür\n\u{1b}"), "größe der Tür |");
        check(LineEditor::delete_word, "größe der |");
        check(LineEditor::word_left, "größe |der ");
        check(LineEditor::left, "größe| der ");
        check(LineEditor::backspace, "größ| der ");
        check(LineEditor::left, "grö|ß der ");
        check(LineEditor::delete, "grö| der ");
        check(LineEditor::word_right, "grö der| ");
        check(LineEditor::home, "|grö der ");
        check(LineEditor::backspace, "|grö der ");
        check(LineEditor::right, "g|rö der ");
        check(LineEditor::delete_rest, "g|");
        check(LineEditor::delete, "g|");
        check(LineEditor::end, "g|");
        check(LineEditor::delete_word, "|");
    }
}
