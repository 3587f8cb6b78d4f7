//! Uses of names: calls, types, imports.

use tree_sitter::{Node, TreeCursor};

use super::state::Walk;
use crate::grammar::{NodeMeaning, flag, follow};
use spyhop_base::model::{Reference, ReferenceRole};
use spyhop_base::text::Span;

impl<'a> Walk<'a> {
    /// Adds the use of a name in `node`, a child of a node of kind `parent`.
    pub(super) fn uses(&mut self, cursor: &TreeCursor<'a>, node: Node<'a>, parent: u16) {
        let rules = self.rules;
        let field = cursor.field_id().map(|field| field.get());
        for used in rules.uses(rules.kind(parent)) {
            if used.path.is_none() && (used.field.is_none() || used.field == field) {
                self.reference(node, used.role);
            }
        }
    }

    /// Adds the names to which paths lead from `node` itself.
    pub(super) fn reaches(&mut self, node: Node<'a>, kind: &NodeMeaning) {
        for used in self.rules.uses(kind) {
            if let Some((last, above)) = used.path.as_ref().and_then(|path| path.split_last())
                && used.conditions.iter().all(|condition| condition.holds(node, self.text))
                && let Some(above) = follow(above, node)
            {
                last.all_from(above).into_iter().for_each(|found| self.reference(found, used.role));
            }
        }
    }

    /// Adds the use of the name at the end of `node`, if there is a name.
    pub(super) fn reference(&mut self, node: Node<'_>, role: ReferenceRole) {
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

    pub(super) fn type_use(&mut self, start: u32, end: u32) {
        // A single letter is a type parameter, or too short to be useful.
        if end - start > 1 && !self.defines(start) {
            self.out.references.push(Reference { span: Span { start, end }, role: ReferenceRole::Type });
        }
    }

    /// Whether the name at `start` is that of the enclosing symbol, and so not a use.
    fn defines(&self, start: u32) -> bool {
        self.open.last().is_some_and(|open| open.name == start)
    }

    /// The last part of a path in a string: `json` of `"encoding/json"`, `list` of `<linux/list.h>`; where dots are
    /// separators, `http` of `"socket.http"`.
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
}
