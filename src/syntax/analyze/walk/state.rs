//! The state of a walk, and what a walk collects.

use std::collections::HashSet;

use crate::analyze::chunk::Boundary;
use crate::grammar::Rules;
use spyhop_base::model::{Reference, Symbol};
use spyhop_base::text::{LineIndex, Span};

/// The results of the walk.
#[derive(Default)]
pub(crate) struct WalkedOutline {
    /// Sorted like [`spyhop_base::model::Analysis::symbols`].
    pub symbols: Vec<Symbol>,
    /// Sorted by start, without their parents.
    pub minor: Vec<Symbol>,
    /// The places of symbols that line rules added to those of a parser.
    pub by_rule: Vec<u32>,
    /// In order, without duplicates.
    pub references: Vec<Reference>,
    /// In order, without overlaps.
    pub comments: Vec<Span>,
    /// In order, without duplicates, and without the first line.
    pub boundaries: Vec<Boundary>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct OpenNode {
    /// Bits of [`frame`], and the kind's [`flag::WRAPPER`](crate::grammar::flag::WRAPPER) and
    /// [`flag::USES`](crate::grammar::flag::USES).
    pub(super) flags: u16,
    /// The number of the node's kind, for its uses.
    pub(super) kind: u16,
    /// The number of open nodes that were split.
    pub(super) level: u16,
    /// The end of the item's header; boundaries must come after this byte.
    pub(super) header_end: u32,
    /// The lead of the next child: comments, attributes, or the start of the wrapper.
    pub(super) lead: Option<Lead>,
}

#[derive(Clone, Copy)]
pub(super) struct Lead {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether the lead is a wrapper around the item, and not a node before it.
    pub(super) is_wrapper: bool,
    /// The start of the item proper, if a wrapper belongs to the item.
    pub(super) proper: Option<u32>,
}

/// Bits of [`OpenNode::flags`] that do not come from the kind.
pub(super) mod frame {
    /// The node's children are units between which the file may be cut.
    pub(crate) const SPLIT: u16 = 1 << 13;
    /// The node opened a symbol.
    pub const SYMBOL: u16 = 1 << 14;
    /// The node is inside a function.
    pub(crate) const LOCAL: u16 = 1 << 15;
}

/// A symbol whose node is open.
pub(super) struct OpenSymbol {
    pub(super) symbol: u32,
    /// The position of the symbol's name, which does not count as a use of the name.
    pub(super) name: u32,
    pub(super) holds: bool,
    /// Whether enclosed items count as inside a type.
    pub(super) members: bool,
    /// The start of the symbol's body, if there is one.
    pub(super) body: Option<u32>,
    /// The number of symbols directly inside.
    pub(super) count: u32,
}

pub(super) struct Walk<'a> {
    pub(super) rules: &'a Rules,
    pub(super) text: &'a str,
    pub(super) lines: &'a LineIndex,
    /// The remaining bodies that were not parsed.
    pub(super) holes: &'a [Span],
    pub(super) out: WalkedOutline,
    pub(super) open: Vec<OpenSymbol>,
    /// The members that count for [`Shape::once`](crate::grammar::Shape), and their container.
    pub(super) members: HashSet<Box<str>>,
    pub(super) members_of: Option<u32>,
    /// The number of symbols outside all others.
    pub(super) outermost: u32,
    /// Whether a node was split and no boundary inside it was added yet.
    pub(super) fresh: bool,
    /// The start of the text after the last boundary.
    pub(super) unit: u32,
}
