//! The ends of items: where an item ends by its rule, and which open items end before, with and after a line.

use regex::bytes::Captures;

use super::state::{Ending, OpenItem, RuleScan, ScannedLine};
use crate::analyze::walk::trimmed;
use crate::grammar::{EndsEntry, LineRule, LineRules};
use spyhop_base::text::Span;

/// The bytes after the name within which the body of an item begins.
const MAX_HEADER: usize = 4096;

impl RuleScan<'_> {
    /// Closes all open items but the outermost `keep`. Their end is `end`, or before.
    pub fn close(&mut self, keep: usize, end: u32) {
        while self.open.len() > keep {
            let Some(item) = self.open.pop() else { return };
            self.blocks.truncate(item.blocks);
            if let Ending::Until(place) = item.ending {
                self.waiting[place] -= 1;
            }
            let own = item.limit.min(end);
            let symbol = &mut self.symbols[item.symbol as usize];
            let signature = &mut symbol.signature;
            signature.end = trimmed(self.text, signature.start, signature.end.min(own).max(signature.start));
            let end = trimmed(self.text, symbol.span.start, own).max(signature.end).max(item.inside_end);
            symbol.span.end = symbol.span.end.max(end);
            if let Some(around) = self.open.last_mut() {
                around.inside_end = around.inside_end.max(end);
            }
            symbol.lines.last = self.lines.line_of(symbol.span.end.saturating_sub(1)).max(symbol.lines.first);
        }
    }

    /// Closes the items that end before `line`.
    pub fn close_before(&mut self, line: &ScannedLine) {
        let closes_bracket = matches!(self.code[line.first as usize], b')' | b']' | b'}');
        let is_closing = |rules: &LineRules, window: &[u8]| {
            rules.closing.as_ref().is_some_and(|closing| closing.is_match(window))
        };
        while let Some(item) = self.open.last() {
            let end = match item.ending {
                _ if item.limit <= line.first => item.limit,
                Ending::Indent if line.indent <= item.indent => {
                    let is_last =
                        line.indent == item.indent && is_closing(self.rules, self.window(line.first));
                    if is_last {
                        self.close(self.open.len() - 1, line.end);
                        return;
                    }
                    if closes_bracket {
                        return;
                    }
                    self.content_end
                }
                _ => return,
            };
            self.close(self.open.len() - 1, end);
        }
    }

    /// Ends the innermost item at `at`, behind a sign in `line`, if it has begun in `line` and has no braces.
    pub fn end_item(&mut self, line: &ScannedLine, at: u32) {
        if let Some(item) = self.open.last_mut() {
            let begins_here = self.symbols[item.symbol as usize].lines.first == line.number;
            if begins_here && item.body.is_none() && matches!(item.ending, Ending::At(_)) {
                item.limit = item.limit.min(at);
            }
        }
    }

    /// Closes the items that end before the empty line at `start`.
    pub fn close_blank(&mut self, start: u32) {
        while self.open.last().is_some_and(|item| item.ending == Ending::Blank) {
            self.close(self.open.len() - 1, start);
        }
    }

    /// Closes the innermost item that waits for `line`, and what it contains; whether there is one.
    pub fn close_until(&mut self, line: &ScannedLine) -> bool {
        if self.waiting.iter().all(|count| *count == 0) {
            return false;
        }
        for place in self.rules.untils.matches(self.window(line.first)) {
            if self.waiting[place] == 0 {
                continue;
            }
            let waits = |item: &OpenItem| item.ending == Ending::Until(place);
            let Some(keep) = self.open.iter().rposition(waits) else { continue };
            if line.indent > self.open[keep].indent {
                continue;
            }
            self.close(keep, line.end);
            return true;
        }
        false
    }

    /// Closes the innermost item if it has begun in `line` and a word there ends it.
    pub fn close_within(&mut self, line: &ScannedLine) {
        let Some(item) = self.open.last() else { return };
        let Ending::Until(place) = item.ending else { return };
        if self.symbols[item.symbol as usize].lines.first != line.number {
            return;
        }
        let is_word = |at: u32| self.bare[at as usize].is_ascii_alphanumeric();
        let mut words = (self.matched_to..line.end).filter(|at| is_word(*at) && !is_word(at - 1));
        let ends = words.any(|at| {
            let rest = &self.bare[at as usize..line.end as usize];
            self.rules.untils.matches(rest).matched(place)
        });
        if ends {
            self.close(self.open.len() - 1, line.end);
        }
    }

    /// Closes what the item of `rule` at `line` ends: sections of its level, and items whose bracket nothing closes.
    pub fn close_for(&mut self, rule: &LineRule, line: &ScannedLine, groups: &Captures<'_>) {
        if rule.ends == EndsEntry::Section || rule.ends_sections {
            let level = self.level(rule, groups);
            let is_outer = |item: &OpenItem| matches!(item.ending, Ending::Section(outer) if outer < level);
            let is_section = |item: &&OpenItem| matches!(item.ending, Ending::Section(_));
            let from = self.open.iter().rposition(is_outer).map_or(0, |place| place + 1);
            if let Some(place) = self.open[from..].iter().position(|item| is_section(&item)) {
                let lead = self.lead.filter(|(_, last)| *last + 1 == line.number);
                self.close(from + place, lead.map_or(line.start, |(start, _)| start));
            }
        }
        while self.open.last().is_some_and(|it| it.ending == Ending::Unclosed && line.indent <= it.indent) {
            self.close(self.open.len() - 1, self.content_end);
        }
    }

    /// The start of the body of an item, if it has braces, and the end of the item.
    pub fn ending(
        &mut self,
        rule: &LineRule,
        line: &ScannedLine,
        groups: &Captures<'_>,
        (name_end, match_end): (u32, u32),
    ) -> (Option<u32>, Ending) {
        if let Some(place) = rule.until {
            return (None, Ending::Until(place));
        }
        let ending = match rule.ends {
            EndsEntry::Braces => {
                let body = rule.body_group.and_then(|group| groups.get(group));
                let from = body.map_or(name_end, |body| line.first + body.start() as u32);
                return self.braces(line, from, match_end);
            }
            EndsEntry::Parens => self.parens(line),
            EndsEntry::Indent => Ending::Indent,
            EndsEntry::Words => Ending::Words,
            EndsEntry::Statement => Ending::At(self.statement_end(name_end)),
            EndsEntry::Line => Ending::At(self.line_end(line.first, match_end)),
            EndsEntry::Section => Ending::Section(self.level(rule, groups)),
            EndsEntry::Blank => Ending::Blank,
        };
        (None, ending)
    }

    /// The body and the end of an item with braces, which are looked for from `from` on.
    fn braces(&self, line: &ScannedLine, from: u32, match_end: u32) -> (Option<u32>, Ending) {
        let mut at = from as usize;
        let limit = (at + MAX_HEADER).min(self.bare.len());
        while at < limit {
            match self.bare[at] {
                b'{' => {
                    let close = self.brackets.partner(at as u32);
                    return (Some(at as u32), close.map_or(Ending::Unclosed, |close| Ending::At(close + 1)));
                }
                b'(' | b'[' => {
                    if let Some(close) = self.brackets.partner(at as u32) {
                        at = close as usize;
                    }
                }
                // The name may be an argument: `stage('Build') {`.
                b')' | b']' | b'}'
                    if self.brackets.partner(at as u32).is_none_or(|open| open < line.first) =>
                {
                    return (None, Ending::At(at as u32));
                }
                b';' => return (None, Ending::At(at as u32 + 1)),
                b'\n' if self.rules.newlines && at as u32 >= match_end.saturating_sub(1) => {
                    let next = self.bare[at..limit].iter().find(|byte| !byte.is_ascii_whitespace());
                    if next != Some(&b'{') {
                        return (None, Ending::At(at as u32));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        (None, Ending::At(self.line_end(line.first, match_end)))
    }

    fn parens(&self, line: &ScannedLine) -> Ending {
        let rest = &self.bare[line.first as usize..line.end as usize];
        let open = memchr::memchr(b'(', rest).map(|at| line.first + at as u32);
        let close = open.map(|open| self.brackets.partner(open));
        match close {
            Some(Some(close)) => Ending::At(close + 1),
            Some(None) => Ending::Unclosed,
            None => Ending::At(line.end),
        }
    }

    /// The end of the statement that contains `from`.
    fn statement_end(&mut self, from: u32) -> u32 {
        if let Some((start, end)) = self.semicolon
            && (start..=end).contains(&from)
        {
            return end;
        }
        let mut end = from;
        while let Some(&byte) = self.bare.get(end as usize) {
            end += 1;
            match byte {
                b';' => break,
                b'(' | b'[' | b'{' => end = self.brackets.partner(end - 1).map_or(end, |close| close + 1),
                _ => {}
            }
        }
        self.semicolon = Some((from, end));
        end
    }

    /// The end of the line that contains the end of the match, or of the line on which its brackets close. A line with a
    /// backslash at its end goes on.
    fn line_end(&self, from: u32, match_end: u32) -> u32 {
        let mut at = from as usize;
        while let Some(&byte) = self.bare.get(at) {
            match byte {
                b'(' | b'[' | b'{' => {
                    at = self.brackets.partner(at as u32).map_or(at, |close| close as usize)
                }
                b'\n' if at + 1 >= match_end as usize && !self.goes_on_behind(at) => return at as u32,
                _ => {}
            }
            at += 1;
        }
        self.text.len() as u32
    }

    fn goes_on_behind(&self, line_break: usize) -> bool {
        let before = self.bare[..line_break].strip_suffix(b"\r").unwrap_or(&self.bare[..line_break]);
        before.ends_with(b"\\")
    }

    /// Opens and closes the blocks of the words in `line`, outside brackets.
    pub fn words(&mut self, line: &ScannedLine) {
        let Some(words) = &self.rules.words else { return };
        let bare = &self.bare[line.start as usize..line.end as usize];
        let mut new = self.open.len().checked_sub(1).filter(|place| {
            let item = &self.open[*place];
            item.ending == Ending::Words && self.symbols[item.symbol as usize].lines.first == line.number
        });
        for groups in words.captures_iter(bare) {
            let word = groups
                .name("open")
                .or(groups.name("close"))
                .map(|word| Span::new(line.start as usize + word.start(), line.start as usize + word.end()));
            let Some(word) = word else { continue };
            let (place, outermost) = self.brackets.enclosing(self.reached.0, word.start, self.reached.1);
            self.reached = (place, outermost);
            if word.start < outermost {
                continue;
            }
            if groups.name("open").is_some() {
                self.blocks.push(new.take().filter(|_| word.end > line.first));
            } else if let Some(Some(place)) = self.blocks.pop() {
                self.close(place, word.end);
                // What is around the item may have ended, and the item with it.
                new = new.filter(|place| *place < self.open.len());
            }
        }
        if let Some(place) = new {
            // No word opens a block, so the item is only a line.
            self.open[place].limit = self.open[place].limit.min(line.end);
        }
    }
}
