//! The walk: one pass over a syntax tree that collects symbols, references, comments and the lines at which the
//! file may be cut.
//!
//! This module owns how roles are carried out; [`crate::grammar`] defines the roles, and [`super::chunk`] decides where
//! to cut. The walk is iterative with an explicit stack, since trees nest as deep as the guard lets them. For most
//! nodes it needs one table look-up and three calls into tree-sitter: fields are read only where a role needs them, and
//! `Node::parent` is never called, because it searches from the root.

mod item;
mod names;
mod state;
mod uses;

pub(super) use names::{MAX_NAME, MAX_SIGNATURE, unquoted};
pub(super) use state::WalkedOutline;
use state::{Lead, OpenNode, Walk, frame};
use std::collections::HashSet;

use tree_sitter::{Node, Tree, TreeCursor};

use super::bodies::{self, Bodies};
use super::chunk::{self, Boundary, fits};
use crate::grammar::{Rules, flag};
use spyhop_base::model::Symbol;
use spyhop_base::text::{LineIndex, Span};

/// The longest comment that belongs to the item after it, in bytes: a comment that fills a chunk by itself is a
/// separate document, and the item is easier to find without it.
const MAX_LEAD: u32 = chunk::MAX_BYTES;

/// The most bytes that the walk looks at in the gap between a comment and the next node.
const MAX_GAP: usize = 256;

/// Walks `tree`, which was parsed from `text` without `bodies`.
pub(super) fn outline(
    rules: &Rules,
    tree: &Tree,
    text: &str,
    lines: &LineIndex,
    bodies: Bodies,
) -> WalkedOutline {
    let Bodies { holes, references, comments } = bodies;
    let mut walk = Walk {
        rules,
        text,
        lines,
        holes: &holes,
        out: WalkedOutline { references, comments, ..WalkedOutline::default() },
        open: Vec::new(),
        members: HashSet::new(),
        members_of: None,
        outermost: 0,
        fresh: false,
        unit: u32::MAX,
    };
    walk.run(tree);
    walk.finish()
}

impl<'a> Walk<'a> {
    fn run(&mut self, tree: &'a Tree) {
        let root = tree.root_node();
        self.docstring(root);
        let mut cursor = root.walk();
        let kind = root.kind_id();
        let flags = frame::SPLIT | (self.rules.kind(kind).flags & flag::USES);
        let mut frames = vec![OpenNode { flags, kind, ..OpenNode::default() }];
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

    /// Processes the node under the cursor, a child of `parent`'s node. Returns the frame for its children, or `None`
    /// to skip them.
    #[inline]
    fn enter(&mut self, cursor: &TreeCursor<'a>, parent: &mut OpenNode) -> Option<OpenNode> {
        let node = cursor.node();
        let id = node.kind_id();
        let kind = self.rules.kind(id);
        if kind.flags & flag::NAMED == 0 {
            return None;
        }
        let mut below = OpenNode {
            flags: (parent.flags & frame::LOCAL) | (kind.flags & (flag::WRAPPER | flag::USES)),
            kind: id,
            level: parent.level,
            header_end: 0,
            lead: None,
        };
        let hole = self.hole(node);
        if kind.flags & !flag::NAMED == 0
            && hole.is_none()
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

        let lead = self.led(kind.flags, parent, start, end);
        let mut opened = None;
        if kind.flags & flag::ITEM != 0 {
            opened = self.item(self.rules.item(kind), node, lead, parent.flags & frame::LOCAL != 0);
            if let Some(opened) = opened {
                below.flags |= frame::SYMBOL | if opened.is_function { frame::LOCAL } else { 0 };
                if kind.flags & flag::LEADING != 0 {
                    // The node kind is a decorator here and a definition elsewhere, such as Elixir's `@type`.
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
            let is_item = opened.is_some_and(|opened| !opened.continues);
            self.unit(node, kind.flags, lead, is_item, parent, &mut below);
            below.header_end = opened.and_then(|opened| opened.body).unwrap_or(start);
        }
        if let Some(hole) = hole
            && below.flags & frame::SPLIT != 0
        {
            self.units_of(hole, below.level);
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

    /// The inside of `node`, if `node` is a body that was not parsed.
    #[inline]
    fn hole(&mut self, node: Node<'a>) -> Option<Span> {
        let mut hole = self.holes.first()?;
        let start = node.start_byte() as u32;
        while hole.start <= start {
            // The walk has passed this body, or the body lies in text that the parser could not interpret.
            self.holes = &self.holes[1..];
            hole = self.holes.first()?;
        }
        (hole.start == start + 1 && hole.end < node.end_byte() as u32).then_some(*hole)
    }

    /// Adds the boundaries inside a body that was not parsed. `level` is the number of split nodes around the body.
    fn units_of(&mut self, hole: Span, level: u16) {
        let Some(rules) = &self.rules.bodies else { return };
        for unit in bodies::units(self.text, self.lines, rules, hole) {
            let glued = unit.glued && (unit.level > 0 || std::mem::take(&mut self.fresh));
            self.out.boundaries.push(Boundary {
                at: unit.at,
                line: unit.line,
                level: level + unit.level,
                glued,
                item: false,
            });
            self.unit = unit.at;
        }
    }

    /// The lead of the node that spans `start..end`, of a kind with `flags`: the comments and decorators that touch the
    /// node and belong to its chunk. If the node itself leads the next node, stores that lead in `parent`.
    fn led(&mut self, flags: u16, parent: &mut OpenNode, start: u32, end: u32) -> Option<Lead> {
        let lead = parent.lead.take().filter(|lead| {
            let short = start - lead.start <= MAX_LEAD || flags & flag::COMMENT != 0;
            short && self.touches(lead, start)
        });
        if flags & flag::COMMENT != 0 {
            self.comment(start, end);
        }
        if flags & (flag::COMMENT | flag::LEADING) != 0 && (lead.is_some() || self.stands_first(start)) {
            // After a decorator, the lead of a wrapper starts anew.
            let start = lead.map_or(start, |lead| lead.start);
            parent.lead = Some(Lead { start, end, is_wrapper: false, proper: None });
        }
        lead
    }

    /// Adds a boundary before the lead of `node`, or else before `node`, and splits the node if it is too large for a chunk.
    fn unit(
        &mut self,
        node: Node<'a>,
        flags: u16,
        lead: Option<Lead>,
        is_item: bool,
        parent: &OpenNode,
        below: &mut OpenNode,
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
            // A node that the parser adds after an error may end before it starts.
            if !fits((last + 1).saturating_sub(first), (node.end_byte() as u32).saturating_sub(begin)) {
                below.flags |= frame::SPLIT;
                below.level += 1;
                self.fresh = true;
            }
        }
    }

    /// Adds the doc string at the start of `body`, in languages that have doc strings.
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
        let end = trimmed(self.text, start, end);
        if start < end {
            self.out.comments.push(Span { start, end });
        }
    }

    /// Whether only white space precedes `start` on its line.
    fn stands_first(&self, start: u32) -> bool {
        let before = &self.text.as_bytes()[..start as usize];
        let blank =
            before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\x0c')).count();
        before.len() == blank || before[before.len() - blank - 1] == b'\n'
    }

    /// Whether no empty line separates `lead` from what begins at `start`.
    fn touches(&self, lead: &Lead, start: u32) -> bool {
        let end = lead.end;
        let bytes = self.text.as_bytes();
        let Some(gap) = bytes.get(end as usize..start as usize).filter(|gap| gap.len() <= MAX_GAP) else {
            return false;
        };
        // A node that includes its line end has used up the one line end that is allowed.
        let spent = !lead.is_wrapper && end > 0 && bytes[end as usize - 1] == b'\n' && end < start;
        gap.iter().filter(|&&byte| byte == b'\n').count() + usize::from(spent) <= 1
    }

    fn finish(mut self) -> WalkedOutline {
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
        self.out.minor.sort_by_key(key);
        let references = &mut self.out.references;
        references.sort_by_key(|reference| (reference.span.start, reference.span.end));
        references.dedup_by_key(|reference| reference.span);
        let comments = &mut self.out.comments;
        comments.sort_unstable();
        comments.dedup_by(|next, kept| next.start < kept.end);
        self.out
    }
}

/// The end of `start..end` without trailing white space.
pub(super) fn trimmed(text: &str, start: u32, end: u32) -> u32 {
    match text.get(start as usize..end as usize) {
        Some(text) => start + text.trim_end().len() as u32,
        None => end,
    }
}
