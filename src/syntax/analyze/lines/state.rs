//! The state of the pass over the lines, and how a line opens an item.

use regex::bytes::Captures;

use super::brackets::Brackets;
use super::lex::LexedToken;
use crate::analyze::walk::{MAX_NAME, MAX_SIGNATURE, WalkedOutline, trimmed, unquoted};
use crate::grammar::{LineRule, LineRules};
use spyhop_base::model::{Reference, Symbol, SymbolKind};
use spyhop_base::text::{LineIndex, Lines, Span};

/// The bytes of a text, from the start of a line, that the pattern of a rule sees.
const WINDOW: usize = 1024;

/// The longest comment that belongs to the item after it, see [`crate::analyze::walk`].
const MAX_LEAD: u32 = 4096;

/// The most items that are open at once. Items further inside are lines, so that no line takes more than so many steps.
const MAX_OPEN: usize = 256;

/// The most further names that a rule finds in one match.
const MAX_MORE: usize = 64;

/// The columns of a tab.
const TAB: u32 = 8;

pub(super) struct RuleScan<'a> {
    pub rules: &'a LineRules,
    pub text: &'a str,
    pub lines: &'a LineIndex,
    tokens: &'a [LexedToken],
    /// The text without comments and long strings, and without any strings.
    pub code: &'a [u8],
    pub bare: &'a [u8],
    pub brackets: Brackets,
    pub symbols: Vec<Symbol>,
    references: Vec<Reference>,
    /// The start of each name that was defined, which is not a use of it.
    defined: Vec<u32>,
    pub open: Vec<OpenItem>,
    /// The blocks that words have opened, each with the place of its item in `open`, if an item opened it.
    pub blocks: Vec<Option<usize>>,
    /// The last symbol that was opened outside all others.
    last_outermost: Option<u32>,
    /// For each pattern of a line that ends an item, the number of open items that wait for it.
    pub waiting: Vec<u32>,
    /// The comments and attributes before the present line: where they begin, and their last line.
    pub lead: Option<(u32, u32)>,
    /// The end of the last line with code.
    pub content_end: u32,
    /// The end of the last match, before which no line is matched again.
    pub matched_to: u32,
    /// The end of the last match of a rule that defines nothing. A brace before it is entered as if it were that of an item.
    entered: Option<u32>,
    /// The place of the first token that has not ended yet.
    token: usize,
    /// The first signs of the underlines of headings, in order.
    marks: Vec<u8>,
    /// The place in the brackets that the words of blocks have reached, and the end of the outermost pair around it.
    pub reached: (usize, u32),
    /// The last look-up of a `;`: from where, and where it was.
    pub semicolon: Option<(u32, u32)>,
}

/// A symbol that has not ended yet.
pub(super) struct OpenItem {
    pub symbol: u32,
    pub ending: Ending,
    /// The brace of its body.
    pub body: Option<u32>,
    /// The end of the item, or of one around it, as far as it is known.
    pub limit: u32,
    /// The end of what it contains.
    pub inside_end: u32,
    pub indent: u32,
    pub holds: bool,
    pub members: bool,
    /// The last symbol directly inside.
    pub last_inside: Option<u32>,
    /// The number of open blocks around the item.
    pub blocks: usize,
}

/// The end of an open item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// This byte.
    At(u32),
    /// Unknown: its bracket has no partner. An item that is not indented more ends it.
    Unclosed,
    /// Before the first line that is not indented more.
    Indent,
    /// With the block that the item opened.
    Words,
    /// With a line that matches the pattern in this place.
    Until(usize),
    /// Before the next section of this level, or of a smaller one.
    Section(u32),
    /// Before the next empty line.
    Blank,
}

/// A line in the pass.
pub(super) struct ScannedLine {
    pub number: u32,
    pub start: u32,
    /// The end, with the line break.
    pub end: u32,
    /// The first character that is not white space.
    pub first: u32,
    pub indent: u32,
}

impl<'a> RuleScan<'a> {
    pub fn new(
        rules: &'a LineRules,
        text: &'a str,
        lines: &'a LineIndex,
        (tokens, code, bare): (&'a [LexedToken], &'a [u8], &'a [u8]),
    ) -> RuleScan<'a> {
        RuleScan {
            rules,
            text,
            lines,
            tokens,
            code,
            bare,
            brackets: Brackets::new(bare),
            symbols: Vec::new(),
            references: Vec::new(),
            defined: Vec::new(),
            open: Vec::new(),
            blocks: Vec::new(),
            last_outermost: None,
            waiting: vec![0; rules.untils.len()],
            lead: None,
            content_end: 0,
            matched_to: 0,
            entered: None,
            token: 0,
            marks: Vec::new(),
            reached: (0, 0),
            semicolon: None,
        }
    }

    /// Processes a line. Lines come in order.
    pub fn line(&mut self, number: u32) {
        let (start, end) = (self.lines.start_of(number), self.lines.start_of(number + 1));
        let end = if number == self.lines.count() { self.text.len() as u32 } else { end };
        let text = &self.code[start as usize..end as usize];
        let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let indent = text[..blanks].iter().fold(0, |column, byte| match byte {
            b' ' => column + 1,
            b'\t' => column + TAB - column % TAB,
            _ => column,
        });
        let (is_blank, first) = (blanks == text.len(), start + blanks as u32);
        let line = ScannedLine { number, start, end, first, indent };
        while self.tokens.get(self.token).is_some_and(|token| token.span.end <= start) {
            self.token += 1;
        }
        let inside = self.tokens.get(self.token).filter(|token| token.span.start < start);
        let is_inside_comment = inside.map(|token| token.is_comment);
        match is_inside_comment {
            Some(true) => self.comment_line(&line, false),
            Some(false) => self.content_end = end,
            None if is_blank && self.text[start as usize..end as usize].trim().is_empty() => {
                self.close_blank(start);
            }
            None if is_blank => self.comment_line(&line, true),
            None => self.code_line(&line),
        }
        if !is_blank {
            self.words(&line);
            self.content_end = end;
        }
    }

    /// Processes a line of comments alone, which may lead the item after it.
    fn comment_line(&mut self, line: &ScannedLine, may_begin: bool) {
        match &mut self.lead {
            Some((_, last)) if *last + 1 == line.number => *last = line.number,
            _ if may_begin => {
                let text = &self.text[line.start as usize..line.end as usize];
                let blanks = text.len() - text.trim_start().len();
                self.lead = Some((line.start + blanks as u32, line.number));
            }
            _ => self.lead = None,
        }
    }

    fn code_line(&mut self, line: &ScannedLine) {
        self.close_before(line);
        if self.close_until(line) {
            return;
        }
        if line.start >= self.matched_to {
            if self.rules.leading.as_ref().is_some_and(|leading| leading.is_match(self.window(line.first))) {
                return self.comment_line(line, true);
            }
            self.item_of(line);
        }
        if !self.rules.again.is_empty() {
            self.items_within(line);
        }
        self.close_within(line);
        self.uses(line);
    }

    /// Opens further items in `line`, behind the signs that separate items and lie directly in the innermost one.
    fn items_within(&mut self, line: &ScannedLine) {
        let mut at = line.first;
        while at < line.end {
            let is_entered =
                self.entered == Some(at + 1) || self.open.last().is_some_and(|item| item.body == Some(at));
            let skipped = match self.bare[at as usize] {
                b'(' | b'[' | b'{' if !is_entered => match self.brackets.partner(at) {
                    Some(close) => Some(close),
                    None => return,
                },
                _ => None,
            };
            at = skipped.unwrap_or(at) + 1;
            if at >= line.end {
                return;
            }
            let sign = self.bare[at as usize - 1];
            if at < self.matched_to || !self.rules.again.contains(&sign) {
                continue;
            }
            if skipped.is_none() {
                self.end_item(line, at - u32::from(matches!(sign, b',' | b'}' | b')')));
            }
            while self.open.last().is_some_and(|item| item.limit <= at) {
                self.close(self.open.len() - 1, at);
            }
            let rest = &self.code[at as usize..line.end as usize];
            let first = at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count() as u32;
            if first < line.end && !self.open.last().is_some_and(|item| self.is_function(item)) {
                self.item_of(&ScannedLine { first, ..*line });
            }
        }
    }

    /// The part of the code that a pattern sees at `start`.
    pub fn window(&self, start: u32) -> &'a [u8] {
        let rest = &self.code[start as usize..];
        &rest[..rest.len().min(WINDOW)]
    }

    /// Opens the item that the first fitting rule finds in `line`.
    fn item_of(&mut self, line: &ScannedLine) {
        let window = self.window(line.first);
        let rules = self.rules;
        for place in rules.set.matches(window) {
            let rule = &rules.rules[place];
            if !self.applies(rule, line) {
                continue;
            }
            let Some(kind) = rule.kind else {
                self.entered = rule.pattern.find(window).map(|found| line.first + found.end() as u32);
                return;
            };
            let Some(groups) = rule.pattern.captures(window) else { continue };
            if self.open_item(rule, kind, line, &groups) {
                return;
            }
        }
    }

    /// Whether the conditions of `rule` hold at `line`.
    fn applies(&self, rule: &LineRule, line: &ScannedLine) -> bool {
        let around = self.open.last().map(|open| &self.symbols[open.symbol as usize]);
        let is_within = rule.within.as_ref().is_none_or(|within| match around {
            Some(symbol) => within.kinds.contains(symbol.kind) || within.names.contains(&symbol.name),
            None => within.nothing,
        });
        is_within
            && line.indent <= rule.indent
            && self.open.len() < rule.depth
            && !(rule.outer && self.open.last().is_some_and(|item| self.is_function(item)))
    }

    fn is_function(&self, item: &OpenItem) -> bool {
        matches!(self.symbols[item.symbol as usize].kind, SymbolKind::Fn | SymbolKind::Method)
    }

    /// Opens the item of `rule` that begins with `line`; `false` if its name is none.
    fn open_item(
        &mut self,
        rule: &LineRule,
        kind: SymbolKind,
        line: &ScannedLine,
        groups: &Captures<'_>,
    ) -> bool {
        let at = |offset: usize| line.first + offset as u32;
        let found = rule.names.iter().find_map(|group| groups.get(*group));
        let name = match found {
            Some(found) => self.name(at(found.start()), found.len()),
            None => rule.called.clone(),
        };
        let Some(name) = name else { return false };
        let body = rule.body_group.and_then(|group| groups.get(group)).map(|body| body.start());
        let match_end = at(body.or(groups.get(0).map(|whole| whole.end())).unwrap_or(0));
        self.defined.extend(found.map(|found| at(found.start())));
        self.close_for(rule, line, groups);
        let kind = rule.inside.filter(|_| self.is_in_type()).unwrap_or(kind);
        let (body, ending) = match self.open.len() {
            ..MAX_OPEN => {
                let name_end = found.map_or(line.first, |found| at(found.end()));
                self.ending(rule, line, groups, (name_end, match_end))
            }
            _ => (None, Ending::At(line.end)),
        };
        let symbol = match self.goes_on(rule, &name, kind) {
            Some(before) => before,
            None => {
                let written = rule.container.and_then(|group| groups.get(group));
                let container = written.and_then(|it| self.name(at(it.start()), it.len()));
                let signature = self.signature(line, body, match_end);
                self.add(name, kind, container, signature, line)
            }
        };
        match self.open.last_mut() {
            Some(open) => open.last_inside = Some(symbol),
            None => self.last_outermost = Some(symbol),
        }
        if let Ending::Until(place) = ending {
            self.waiting[place] += 1;
        }
        let LineRule { holds, members, .. } = *rule;
        let (indent, blocks) = (line.indent, self.blocks.len());
        let around = self.open.last().map_or(u32::MAX, |open| open.limit);
        let limit = if let Ending::At(end) = ending { end.min(around) } else { around };
        let item = OpenItem {
            symbol,
            ending,
            body,
            limit,
            inside_end: 0,
            indent,
            holds,
            members,
            last_inside: None,
            blocks,
        };
        self.open.push(item);
        let whole = groups.get(0).map_or(0, |whole| whole.end());
        match (found, &rule.more) {
            (Some(found), Some(_)) if found.end() < whole => {
                self.further_names(rule, symbol, line, (found.end(), whole));
            }
            // The name of a type is behind its members: `typedef enum { A, B } name;`.
            (Some(found), Some((_, Some(_)))) => self.further_names(rule, symbol, line, (0, found.start())),
            _ => {}
        }
        self.matched_to = match_end.max(line.start + 1);
        true
    }

    /// Adds the names that the rule finds in the match behind the name of the item `first`, which is the last that opened.
    fn further_names(&mut self, rule: &LineRule, first: u32, line: &ScannedLine, (from, to): (usize, usize)) {
        let Some((pattern, kind)) = &rule.more else { return };
        let item = &self.symbols[first as usize];
        let (parent, container) = match kind {
            Some(_) => {
                (Some(first), if rule.holds { Some(item.name.clone()) } else { item.container.clone() })
            }
            None => (item.parent, item.container.clone()),
        };
        let kind = kind.unwrap_or(item.kind);
        let text = &self.window(line.first)[from..to];
        let mut inside_end = 0;
        for found in pattern.captures_iter(text).filter_map(|groups| groups.name("name")).take(MAX_MORE) {
            let start = line.first + (from + found.start()) as u32;
            let Some(name) = self.name(start, found.len()) else { continue };
            let span = Span { start, end: start + found.len() as u32 };
            let number = self.lines.line_of(start);
            self.defined.push(start);
            let lines = Lines { first: number, last: self.lines.line_of(span.end.max(start + 1) - 1) };
            let container = container.clone();
            self.symbols.push(Symbol { name, kind, span, lines, container, parent, signature: span });
            inside_end = span.end;
        }
        let around = self.open.iter_mut().rev().take(2).find(|open| Some(open.symbol) == parent);
        if let Some(around) = around {
            around.inside_end = around.inside_end.max(inside_end);
        }
    }

    fn is_in_type(&self) -> bool {
        self.open.last().is_some_and(|open| {
            let enclosing = self.symbols[open.symbol as usize].kind;
            enclosing.is_type_like() || enclosing == SymbolKind::Impl || open.members
        })
    }

    /// Adds a symbol that begins with `line`, and returns its place.
    fn add(
        &mut self,
        name: Box<str>,
        kind: SymbolKind,
        container: Option<Box<str>>,
        signature: Span,
        line: &ScannedLine,
    ) -> u32 {
        let is_lead = |(start, last): &(u32, u32)| *last + 1 == line.number && line.first - start <= MAX_LEAD;
        let lead = self.lead.take().filter(is_lead);
        self.symbols.push(Symbol {
            name,
            kind,
            span: Span { start: lead.map_or(line.first, |(start, _)| start), end: line.first },
            lines: Lines { first: line.number, last: line.number },
            container: container.or_else(|| self.holder()),
            parent: self.open.last().map(|open| open.symbol),
            signature,
        });
        self.symbols.len() as u32 - 1
    }

    /// The name of the nearest open item that holds others.
    fn holder(&self) -> Option<Box<str>> {
        let held_by = self.open.iter().rev().take(64).find(|open| open.holds)?;
        Some(self.symbols[held_by.symbol as usize].name.clone())
    }

    /// The symbol that the item continues, if the rule says so and the symbol before has the same name and kind.
    fn goes_on(&self, rule: &LineRule, name: &str, kind: SymbolKind) -> Option<u32> {
        let before = self.open.last().map_or(self.last_outermost, |open| open.last_inside);
        before.filter(|_| rule.continues).filter(|before| {
            let symbol = &self.symbols[*before as usize];
            *symbol.name == *name && symbol.kind == kind
        })
    }

    /// The name in `len` bytes from `start` on; `None` if there is none.
    fn name(&self, start: u32, len: usize) -> Option<Box<str>> {
        let text = self.text.get(start as usize..start as usize + len)?.trim();
        let text = if self.rules.prose { text } else { unquoted(text) };
        let text = text.lines().next()?.trim().trim_end_matches(',');
        let text = &text[..floor(text, MAX_NAME)];
        (!text.is_empty() && text != "_" && !self.rules.is_reserved(text)).then(|| text.into())
    }

    /// The signature: up to the body, or else the line on which the match ends.
    fn signature(&self, line: &ScannedLine, body: Option<u32>, match_end: u32) -> Span {
        let (start, bytes) = (line.first, self.text.as_bytes());
        let line_end = |from: u32| {
            let rest = &bytes[from as usize..];
            from + memchr::memchr(b'\n', rest).unwrap_or(rest.len()) as u32
        };
        let end = match body {
            Some(body) if body > start && body - start <= MAX_SIGNATURE as u32 => body,
            Some(_) => line_end(start),
            None => line_end(match_end.saturating_sub(1).max(start)),
        };
        let end = end.min(start + MAX_SIGNATURE as u32);
        let end = floor(self.text, end as usize) as u32;
        Span { start, end: trimmed(self.text, start, end) }
    }

    /// Adds the uses of names in `line`.
    fn uses(&mut self, line: &ScannedLine) {
        let end = (line.end as usize).min(line.start as usize + 4 * WINDOW);
        for (pattern, role) in &self.rules.uses {
            let is_import = *role == spyhop_base::model::ReferenceRole::Import;
            let text = if is_import || self.rules.has_code_in_quotes { self.code } else { self.bare };
            for groups in pattern.captures_iter(&text[line.start as usize..end]) {
                let Some(name) = groups.name("name") else { continue };
                let start = line.start as usize + name.start();
                let span = Span::new(start, start + name.len());
                let word = self.text.get(span.range()).unwrap_or_default();
                if !word.is_empty() && !self.rules.lexis.is_keyword(word) {
                    self.references.push(Reference { span, role: *role });
                }
            }
        }
    }

    /// Closes everything, and returns what was found.
    pub fn finish(mut self) -> WalkedOutline {
        let end = self.text.len() as u32;
        self.close(0, end);
        self.defined.sort_unstable();
        let defined = self.defined;
        let mut references = self.references;
        references.retain(|reference| defined.binary_search(&reference.span.start).is_err());
        references.sort_by_key(|reference| (reference.span.start, reference.span.end));
        references.dedup_by(|next, kept| next.span.start < kept.span.end);
        let comments = self.tokens.iter().filter(|token| token.is_comment).map(|token| token.span);
        let comments = comments.map(|span| Span { end: trimmed(self.text, span.start, span.end), ..span });
        let comments = comments.filter(|span| !span.is_empty()).collect();
        WalkedOutline { symbols: self.symbols, references, comments, ..WalkedOutline::default() }
    }

    /// The level of a section.
    pub fn level(&mut self, rule: &LineRule, groups: &Captures<'_>) -> u32 {
        let group = |group: Option<usize>| group.and_then(|group| groups.get(group));
        if let Some(level) = group(rule.level_group) {
            return level.len() as u32;
        }
        let Some(mark) = group(rule.mark_group).and_then(|mark| mark.as_bytes().first().copied()) else {
            return rule.level;
        };
        let place = self.marks.iter().position(|known| *known == mark).unwrap_or_else(|| {
            self.marks.push(mark);
            self.marks.len() - 1
        });
        rule.level + place as u32
    }
}

/// The nearest boundary of a character in `text` at `at` or before.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
