//! The walk: one pass over a syntax tree that collects symbols, references, comments and the lines at which the
//! file may be cut.
//!
//! It owns how roles are carried out; what they are is [`crate::grammar`]'s, and where cuts are really made is
//! [`super::chunk`]'s. The walk is iterative with a stack of its own, since trees nest as deep as the guard lets
//! them, and it touches most nodes with one table look-up and three calls into tree-sitter: fields are asked for
//! only where a role needs them, and `Node::parent` never, because it searches from the root.

use tree_sitter::{Node, Tree, TreeCursor};

use super::chunk::{Boundary, fits};
use crate::grammar::{Case, Item, Kind, Rules, Shape, flag, follow, follow_to_name};
use crate::model::{Reference, ReferenceRole, Symbol, SymbolKind};
use crate::text::{LineIndex, Span};

/// What the walk collects.
#[derive(Default)]
pub(super) struct Outline {
    /// Sorted as [`crate::model::Analysis::symbols`].
    pub symbols: Vec<Symbol>,
    /// In order, none twice.
    pub references: Vec<Reference>,
    /// In order, not overlapping.
    pub comments: Vec<Span>,
    /// In order, none twice, the first line not among them.
    pub boundaries: Vec<Boundary>,
}

/// The longest signature, in bytes. Beyond it a signature ends with its first line.
const MAX_SIGNATURE: usize = 1024;

/// The longest name, in bytes: headings and computed names can be whole paragraphs.
const MAX_NAME: usize = 160;

/// The longest comment that belongs to the item after it, in bytes: what fills a chunk by itself is a document, and
/// the item is found better where it stands alone.
const MAX_LEAD: u32 = super::chunk::MAX_BYTES;

/// How far the walk looks through the gap between a comment and what follows it.
const MAX_GAP: usize = 256;

/// Walks `tree`, which was parsed from `text`.
pub(super) fn outline(rules: &Rules, tree: &Tree, text: &str, lines: &LineIndex) -> Outline {
    let mut walk = Walk {
        rules,
        text,
        lines,
        out: Outline::default(),
        open: Vec::new(),
        outermost: 0,
        fresh: false,
        unit: u32::MAX,
    };
    walk.run(tree);
    walk.finish()
}

/// An open node.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// Bits of [`frame`], and the kind's [`flag::WRAPPER`] and [`flag::USES`].
    flags: u16,
    /// The kind's number, for its uses.
    kind: u16,
    /// How many open nodes have been split.
    level: u16,
    /// Boundaries stand behind this byte only: before it is the header of an item.
    header_end: u32,
    /// What leads the next child: comments, attributes, or the wrapper's own start.
    lead: Option<Lead>,
}

#[derive(Clone, Copy)]
struct Lead {
    start: u32,
    end: u32,
    /// Whether it is a wrapper that leads, and not what stands before.
    is_wrapper: bool,
    /// Where the item proper begins, when a wrapper belongs to it.
    proper: Option<u32>,
}

/// Bits of [`Frame::flags`] that are not the kind's.
mod frame {
    /// Its children are units that the file may be cut between.
    pub const SPLIT: u16 = 1 << 13;
    /// A symbol was opened with it.
    pub const SYMBOL: u16 = 1 << 14;
    /// It stands inside a function.
    pub const LOCAL: u16 = 1 << 15;
}

/// A symbol whose node is open.
struct Open {
    symbol: u32,
    /// Where its name stands, which is no use of the name.
    name: u32,
    holds: bool,
    /// Whether what stands in it is inside a type.
    members: bool,
    /// Where its body begins, if it has one.
    body: Option<u32>,
    /// How many symbols stand directly in it.
    count: u32,
}

/// What opening an item came to.
#[derive(Clone, Copy)]
struct Opened {
    /// Where its body begins, if it has one.
    body: Option<u32>,
    is_function: bool,
    /// Whether it goes on with the symbol before it.
    continues: bool,
}

struct Walk<'a> {
    rules: &'a Rules,
    text: &'a str,
    lines: &'a LineIndex,
    out: Outline,
    open: Vec<Open>,
    /// How many symbols stand outside all others.
    outermost: u32,
    /// Whether a node was split and nothing of it has been cut off yet.
    fresh: bool,
    /// Where what stands behind the last boundary begins.
    unit: u32,
}

impl<'a> Walk<'a> {
    fn run(&mut self, tree: &'a Tree) {
        let root = tree.root_node();
        self.docstring(root);
        let mut cursor = root.walk();
        let kind = root.kind_id();
        let flags = frame::SPLIT | (self.rules.kind(kind).flags & flag::USES);
        let mut frames = vec![Frame { flags, kind, ..Frame::default() }];
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let top = frames.last_mut().expect("one frame for each open node");
            let below = self.enter(&cursor, top);
            if let Some(below) = below
                && cursor.goto_first_child()
            {
                frames.push(below);
                continue;
            }
            if below.is_some_and(|below| below.flags & frame::SYMBOL != 0) {
                self.open.pop();
            }
            while !cursor.goto_next_sibling() {
                let closed = frames.pop().expect("one frame for each open node");
                if closed.flags & frame::SYMBOL != 0 {
                    self.open.pop();
                }
                if frames.is_empty() || !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Handles the node under the cursor, a child of `parent`'s, and says how to go on below it, if at all.
    #[inline]
    fn enter(&mut self, cursor: &TreeCursor<'a>, parent: &mut Frame) -> Option<Frame> {
        let node = cursor.node();
        let id = node.kind_id();
        let kind = self.rules.kind(id);
        if kind.flags & flag::NAMED == 0 {
            return None;
        }
        let mut below = Frame {
            flags: (parent.flags & frame::LOCAL) | (kind.flags & (flag::WRAPPER | flag::USES)),
            kind: id,
            level: parent.level,
            header_end: 0,
            lead: None,
        };
        if kind.flags & !flag::NAMED == 0
            && parent.flags & (frame::SPLIT | flag::USES) == 0
            && parent.lead.is_none()
        {
            return Some(below);
        }
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        if parent.flags & flag::USES != 0 && kind.flags & flag::COMMENT == 0 {
            self.uses(cursor, node, parent.kind);
        }
        if kind.flags & flag::REACHES != 0 {
            self.reaches(node, kind);
        }
        if kind.flags & flag::TYPE != 0 {
            self.type_use(start, end);
        }

        let leads = kind.flags & (flag::COMMENT | flag::LEADING) != 0;
        let lead = parent.lead.take().filter(|lead| {
            let short = start - lead.start <= MAX_LEAD || kind.flags & flag::COMMENT != 0;
            short && self.touches(lead, start)
        });
        if leads {
            if kind.flags & flag::COMMENT != 0 {
                self.comment(start, end);
            }
            let stands_first = lead.is_some() || self.stands_first(start);
            parent.lead = stands_first.then(|| {
                // What a wrapper leads begins anew behind a decorator.
                Lead { start: lead.map_or(start, |lead| lead.start), end, is_wrapper: false, proper: None }
            });
        }

        let mut body = None;
        let mut opened = false;
        if kind.flags & flag::ITEM != 0 {
            let rules = self.rules;
            let found = self.item(rules.item(kind), node, lead, parent.flags & frame::LOCAL != 0);
            if let Some(found) = found {
                opened = !found.continues;
                below.flags |= frame::SYMBOL | if found.is_function { frame::LOCAL } else { 0 };
                body = found.body;
                if kind.flags & flag::LEADING != 0 {
                    // Where one kind of node is a decorator here and a definition there, as Elixir's `@type`.
                    parent.lead = None;
                }
            }
        }
        if kind.flags & flag::WRAPPER != 0 {
            below.lead = Some(Lead {
                start: lead.map_or(start, |lead| lead.start),
                end: start,
                is_wrapper: true,
                proper: Some(lead.and_then(|lead| lead.proper).unwrap_or(start)),
            });
        }
        if kind.flags & flag::FUNCTION != 0 {
            below.flags |= frame::LOCAL;
        }
        if parent.flags & frame::SPLIT != 0 {
            self.unit(node, kind.flags, lead, opened, parent, &mut below);
            below.header_end = body.unwrap_or(start);
        }
        let leaf = flag::COMMENT | flag::SKIP | flag::IDENTIFIER | flag::TYPE;
        if kind.flags & leaf != 0 {
            if below.flags & frame::SYMBOL != 0 {
                self.open.pop();
            }
            return None;
        }
        Some(below)
    }

    /// Notes that the file may be cut before `node`, and splits it when it is too large for a chunk.
    fn unit(
        &mut self,
        node: Node<'a>,
        flags: u16,
        lead: Option<Lead>,
        is_item: bool,
        parent: &Frame,
        below: &mut Frame,
    ) {
        let start = node.start_byte() as u32;
        let from = node.start_position().row as u32 + 1;
        let end = node.end_position();
        let last = (end.row + usize::from(end.column > 0)).max(from as usize) as u32;
        let line_start = self.lines.start_of(from);
        match lead {
            Some(_) => {
                if let Some(boundary) = self.out.boundaries.last_mut() {
                    boundary.item |= is_item;
                }
            }
            None => {
                let after = self.out.boundaries.last().map_or(0, |boundary| boundary.at);
                if start > parent.header_end && line_start > after && self.stands_first(start) {
                    self.out.boundaries.push(Boundary {
                        at: line_start,
                        line: from,
                        level: parent.level,
                        glued: std::mem::take(&mut self.fresh),
                        item: is_item,
                    });
                    self.unit = start;
                }
            }
        }
        if flags & flag::TRANSPARENT != 0 {
            below.flags |= frame::SPLIT;
        } else if flags & flag::COMMENT == 0 {
            let first = lead.map_or(from, |lead| self.lines.line_of(lead.start));
            let begin = lead.map_or(start, |lead| lead.start);
            if !fits(last + 1 - first, node.end_byte() as u32 - begin) {
                below.flags |= frame::SPLIT;
                below.level += 1;
                self.fresh = true;
            }
        }
    }

    /// Opens the symbols that `node` defines, if it does.
    fn item(&mut self, item: &Item, node: Node<'a>, lead: Option<Lead>, local: bool) -> Option<Opened> {
        let holds = |shape: &Shape| !(shape.outer && local) && self.open.len() < usize::from(shape.depth);
        if !item.conditions.iter().all(|condition| condition.holds(node, self.text)) {
            return None;
        }
        let fits = |case: &&Case| {
            holds(&case.shape) && case.conditions.iter().all(|condition| condition.holds(node, self.text))
        };
        let shape = match item.cases.iter().find(fits) {
            Some(case) => &case.shape,
            None => item.otherwise.as_ref().filter(|shape| holds(shape))?,
        };
        let named = shape.names.iter().find_map(|path| follow_to_name(path, node, self.text));
        let (named, scope, name) = match (named, &shape.called) {
            (Some(named), _) => {
                let (named, scope) = self.rules.qualified_name_of(named);
                (named, scope, self.name(named).filter(|name| self.rules.can_name(named, name))?)
            }
            (None, called) => (node, None, called.clone()?),
        };
        let body = shape.body.as_ref().and_then(|path| follow(path, node));
        let body_start = body.map(|body| body.start_byte() as u32);
        let parent = self.open.last().map(|open| open.symbol);
        let enclosing = parent.map(|parent| &self.out.symbols[parent as usize]);
        let in_type = enclosing.is_some_and(|it| it.kind.is_type_like() || it.kind == SymbolKind::Impl)
            || self.open.last().is_some_and(|open| open.members);
        let kind = match shape.qualified {
            Some(kind) if scope.is_some() => kind,
            _ if in_type => shape.inside,
            _ => shape.kind,
        };
        let is_function = matches!(kind, SymbolKind::Fn | SymbolKind::Method);
        if is_function
            && body.is_some()
            && self.open.last().is_some_and(|open| open.body == body_start)
            && enclosing.is_some_and(|it| it.name == name)
        {
            // `f = function f() {}` defines one function.
            return None;
        }
        let count = self.open.last_mut().map_or(&mut self.outermost, |open| &mut open.count);
        if *count >= shape.most {
            return None;
        }
        *count += 1;
        if let Some(body) = body {
            self.docstring(body);
        }

        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        // In a group such as `const (` the wrapper stands on a line of its own and is no part of any one item.
        let same_line =
            |proper: &u32| !self.text.as_bytes()[*proper as usize..start as usize].contains(&b'\n');
        let proper = lead.and_then(|lead| lead.proper).filter(same_line);
        let proper = proper.unwrap_or_else(|| self.behind_attributes(node));
        let held_by = self.open.iter().rev().find(|open| open.holds);
        let container = match (&shape.container, scope.and_then(|scope| self.name(scope))) {
            (Some(path), _) => follow(path, node).and_then(|found| self.name(self.rules.name_of(found))),
            (None, Some(scope)) => Some(scope),
            (None, None) => held_by.map(|open| self.out.symbols[open.symbol as usize].name.clone()),
        };
        let end = self.trimmed(start, end);
        let open = |symbol: u32| Open {
            symbol,
            name: named.start_byte() as u32,
            holds: shape.holds,
            members: shape.members,
            body: body_start,
            count: 0,
        };
        let opened = Opened { body: body_start, is_function, continues: true };
        if shape.continues
            && let Some(before) = self.before(parent)
            && self.out.symbols[before].name == name
            && self.out.symbols[before].kind == kind
        {
            let symbol = &mut self.out.symbols[before];
            symbol.span.end = end;
            symbol.lines.last = self.lines.lines_of(Span { start, end }).last;
            self.open.push(open(before as u32));
            return Some(opened);
        }
        let begin = lead.map_or(start, |lead| lead.start);
        if begin == self.unit
            && let Some(boundary) = self.out.boundaries.last_mut()
        {
            // A wrapper began there, or a comment; only now is it known that an item is inside.
            boundary.item = true;
        }
        let symbol = Symbol {
            name,
            kind,
            span: Span { start: begin, end },
            lines: self.lines.lines_of(Span { start: proper, end }),
            container,
            parent,
            signature: self.signature(kind, proper, body.map(|body| self.header_end(node, body)), end),
        };
        let place = self.out.symbols.len() as u32;
        self.open.push(open(place));
        let more = if shape.each { self.more(shape, node, &symbol) } else { Vec::new() };
        self.out.symbols.push(symbol);
        self.out.symbols.extend(more);
        if let Some(bases) = item.bases.as_ref().and_then(|path| follow(path, node)) {
            for at in 0..bases.named_child_count() as u32 {
                if let Some(base) = bases.named_child(at) {
                    self.reference(base, ReferenceRole::Type);
                }
            }
        }
        Some(Opened { continues: false, ..opened })
    }

    /// Where `node` begins behind the attributes that some parsers put inside the item, by themselves or among its
    /// modifiers, and that stand on lines of their own: those before it are what leads an item elsewhere.
    fn behind_attributes(&self, node: Node<'a>) -> u32 {
        let leads = |node: Node| self.rules.kind(node.kind_id()).flags & (flag::COMMENT | flag::LEADING) != 0;
        let start = node.start_byte() as u32;
        let mut cursor = node.walk();
        let among = |cursor: &mut TreeCursor| cursor.goto_first_child() && leads(cursor.node());
        if !cursor.goto_first_child() || !(leads(cursor.node()) || among(&mut cursor)) {
            return start;
        }
        while leads(cursor.node()) {
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() || cursor.node() == node {
                    return start;
                }
            }
        }
        let behind = cursor.node().start_byte() as u32;
        let apart = self.text.as_bytes()[start as usize..behind as usize].contains(&b'\n');
        if apart { behind } else { start }
    }

    /// Where the header of `node` ends: before its body, and before comments that stand between the two.
    fn header_end(&self, node: Node<'a>, body: Node<'a>) -> u32 {
        let (end, mut comments) = (body.start_byte(), None);
        let mut cursor = node.walk();
        for child in node.children(&mut cursor).take_while(|child| child.start_byte() < end) {
            if self.rules.kind(child.kind_id()).flags & flag::COMMENT == 0 {
                comments = None;
            } else {
                comments = comments.or(Some(child.start_byte()));
            }
        }
        comments.unwrap_or(end) as u32
    }

    /// The last symbol directly inside `parent`, or outside all others.
    fn before(&self, parent: Option<u32>) -> Option<usize> {
        let first = parent.map_or(0, |parent| parent as usize + 1);
        (first..self.out.symbols.len()).rev().find(|&place| self.out.symbols[place].parent == parent)
    }

    /// The further symbols of an item that names several, each like `first` but for the name.
    fn more(&self, shape: &Shape, node: Node<'a>, first: &Symbol) -> Vec<Symbol> {
        let Some((last, above)) = shape.names[0].split_last() else { return Vec::new() };
        let Some(above) = follow(above, node) else { return Vec::new() };
        let named = last.all_from(above);
        named
            .into_iter()
            .skip(1)
            .take(shape.most as usize)
            .filter(|child| self.rules.kind(child.kind_id()).flags & flag::COMMENT == 0)
            .filter_map(|child| self.name(self.rules.name_of(child)))
            .map(|name| Symbol { name, ..first.clone() })
            .collect()
    }

    /// The name that `node` spells, without quotes and on one line.
    fn name(&self, node: Node<'_>) -> Option<Box<str>> {
        let end = self.rules.end_of(node).map_or(node.end_byte(), |end| end.start_byte());
        let text = self.text.get(node.start_byte()..end)?.trim();
        // The quotes of a name over several lines stand on two of them.
        let text = if self.rules.prose { text } else { unquoted(text) };
        let mut text = text.lines().next()?.trim();
        if self.rules.prose {
            // The marks that may close a heading stand behind a space; those of `C#` do not.
            let closed = text.trim_end_matches('#');
            text = if closed.ends_with(' ') { closed.trim_end() } else { text };
        } else {
            text = unquoted(text).trim_start_matches(&*self.rules.strip);
            text = text.split(&*self.rules.until).next()?;
        }
        if text == "_" {
            return None;
        }
        let mut end = text.len().min(MAX_NAME);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        (end > 0).then(|| text[..end].into())
    }

    fn signature(&self, kind: SymbolKind, start: u32, body: Option<u32>, end: u32) -> Span {
        let whole = match body {
            Some(body) if body > start => self.trimmed(start, body),
            _ => end,
        };
        let text = self.text.get(start as usize..whole as usize).unwrap_or("");
        let one_line = body.is_none() && !matches!(kind, SymbolKind::Fn | SymbolKind::Method);
        if !one_line && text.len() <= MAX_SIGNATURE {
            return Span { start, end: whole };
        }
        let mut len = memchr::memchr(b'\n', text.as_bytes()).unwrap_or(text.len()).min(MAX_SIGNATURE);
        while !text.is_char_boundary(len) {
            len -= 1;
        }
        Span { start, end: start + text[..len].trim_end().len() as u32 }
    }

    /// The end of `start..end` without the white space before it.
    fn trimmed(&self, start: u32, end: u32) -> u32 {
        match self.text.get(start as usize..end as usize) {
            Some(text) => start + text.trim_end().len() as u32,
            None => end,
        }
    }

    /// Notes the doc string with which `body` begins, where the language has them.
    fn docstring(&mut self, body: Node<'_>) {
        if self.rules.docstring.is_empty() {
            return;
        }
        let comments = |node: &Node<'_>| self.rules.kind(node.kind_id()).flags & flag::COMMENT != 0;
        let first = (0..body.named_child_count() as u32)
            .filter_map(|at| body.named_child(at))
            .find(|child| !comments(child));
        let Some(mut node) = first else { return };
        for (depth, kinds) in self.rules.docstring.iter().enumerate() {
            if !kinds.contains(&node.kind_id()) {
                return;
            }
            if depth + 1 < self.rules.docstring.len() {
                let Some(next) = node.named_child(0) else { return };
                node = next;
            }
        }
        self.comment(node.start_byte() as u32, node.end_byte() as u32);
    }

    fn comment(&mut self, start: u32, end: u32) {
        let end = self.trimmed(start, end);
        if start < end {
            self.out.comments.push(Span { start, end });
        }
    }

    /// Notes the use of a name in `node`, a child of a node of kind `parent`.
    fn uses(&mut self, cursor: &TreeCursor<'a>, node: Node<'a>, parent: u16) {
        let rules = self.rules;
        let field = cursor.field_id().map(|field| field.get());
        for used in rules.uses(rules.kind(parent)) {
            if used.path.is_none() && (used.field.is_none() || used.field == field) {
                self.reference(node, used.role);
            }
        }
    }

    /// Notes the names to which paths lead from `node` itself.
    fn reaches(&mut self, node: Node<'a>, kind: &Kind) {
        for used in self.rules.uses(kind) {
            if let Some((last, above)) = used.path.as_ref().and_then(|path| path.split_last())
                && used.conditions.iter().all(|condition| condition.holds(node, self.text))
                && let Some(above) = follow(above, node)
            {
                last.all_from(above).into_iter().for_each(|found| self.reference(found, used.role));
            }
        }
    }

    /// Notes the use of the name in which `node` ends, if that is one.
    fn reference(&mut self, node: Node<'_>, role: ReferenceRole) {
        let node = self.rules.name_of(node);
        let flags = self.rules.kind(node.kind_id()).flags;
        let span = Span { start: node.start_byte() as u32, end: node.end_byte() as u32 };
        let span = match flags {
            _ if flags & (flag::IDENTIFIER | flag::TYPE) != 0 => Some(span),
            _ if flags & flag::STRING != 0 => self.last_part(span),
            _ => None,
        };
        match span {
            Some(span) if role == ReferenceRole::Type => self.type_use(span.start, span.end),
            Some(span) if !span.is_empty() && !self.defines(span.start) => {
                self.out.references.push(Reference { span, role })
            }
            _ => {}
        }
    }

    fn type_use(&mut self, start: u32, end: u32) {
        // One letter is a type parameter, or tells nobody anything.
        if end - start > 1 && !self.defines(start) {
            self.out.references.push(Reference { span: Span { start, end }, role: ReferenceRole::Type });
        }
    }

    /// Whether what begins at `start` is the name of the symbol around it, and no use of it.
    fn defines(&self, start: u32) -> bool {
        self.open.last().is_some_and(|open| open.name == start)
    }

    /// The last part of a path in a string: `json` of `"encoding/json"`, `list` of `<linux/list.h>`; where dots
    /// separate, `http` of `"socket.http"`.
    fn last_part(&self, span: Span) -> Option<Span> {
        let text = self.text.get(span.range())?;
        let path = text.trim_end_matches(['"', '\'', '`', '>', '/']);
        let from = path.rfind(['/', '"', '\'', '`', '<']).map_or(0, |at| at + 1);
        let part = &path[from..];
        let dot = part.rfind('.').filter(|&at| at > 0);
        let (from, stem) = match dot {
            Some(at) if self.rules.dotted => (from + at + 1, &part[at + 1..]),
            Some(at) => (from, &part[..at]),
            None => (from, part),
        };
        let start = span.start as usize + from;
        Some(Span::new(start, start + stem.len()))
    }

    /// Whether nothing but white space stands before `start` on its line.
    fn stands_first(&self, start: u32) -> bool {
        let before = &self.text.as_bytes()[..start as usize];
        let blank =
            before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c')).count();
        before.len() == blank || before[before.len() - blank - 1] == b'\n'
    }

    /// Whether `lead` and what begins at `start` have no empty line between them.
    fn touches(&self, lead: &Lead, start: u32) -> bool {
        let end = lead.end;
        let bytes = self.text.as_bytes();
        let Some(gap) = bytes.get(end as usize..start as usize).filter(|gap| gap.len() <= MAX_GAP) else {
            return false;
        };
        // A node that includes its line's end has spent the one that is allowed.
        let spent = !lead.is_wrapper && end > 0 && bytes[end as usize - 1] == b'\n' && end < start;
        gap.iter().filter(|&&byte| byte == b'\n').count() + usize::from(spent) <= 1
    }

    fn finish(mut self) -> Outline {
        let symbols = &mut self.out.symbols;
        let key = |symbol: &Symbol| (symbol.span.start, std::cmp::Reverse(symbol.span.end));
        if !symbols.is_sorted_by_key(key) {
            let mut order: Vec<u32> = (0..symbols.len() as u32).collect();
            order.sort_by_key(|&place| key(&symbols[place as usize]));
            let mut place_of = vec![0; order.len()];
            for (new, &old) in order.iter().enumerate() {
                place_of[old as usize] = new as u32;
            }
            let sorted = order.iter().map(|&old| symbols[old as usize].clone());
            let sorted = sorted.map(|symbol| Symbol {
                parent: symbol.parent.map(|parent| place_of[parent as usize]),
                ..symbol
            });
            self.out.symbols = sorted.collect();
        }
        let references = &mut self.out.references;
        references.sort_by_key(|reference| (reference.span.start, reference.span.end));
        references.dedup_by_key(|reference| reference.span);
        let comments = &mut self.out.comments;
        comments.sort_unstable();
        comments.dedup_by(|next, kept| next.start < kept.end);
        self.out
    }
}

/// `text` without the quotes around it.
fn unquoted(text: &str) -> &str {
    let strip = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\'', '`'].into_iter().find_map(strip).unwrap_or(text)
}
