//! Definitions in the parts of a text that its parser could not read, found by the line rules of the language.
//!
//! This module owns which parts these are, and how what the rules find goes between what the parser found. After an error a parser
//! may read anything as anything, so the rules look at all of such a text, and what the parser found stays.

use tree_sitter::{Node, Tree};

use crate::analyze::chunk::Boundary;
use crate::analyze::walk::{WalkedOutline, trimmed};
use crate::grammar::{LineRules, Rules, flag};
use spyhop_base::model::{Symbol, SymbolKind};
use spyhop_base::text::{LineIndex, Span};

/// The deepest nodes whose children are looked at for unread parts.
const MAX_DEPTH: u32 = 8;

/// The parts of a text that its parser could not read: all of it after an error.
fn unread(rules: &Rules, tree: &Tree, text: &str) -> Vec<Span> {
    let root = tree.root_node();
    if root.has_error() {
        return vec![Span::new(0, text.len())];
    }
    let mut found = Vec::new();
    if !rules.unread.is_empty() {
        collect(rules, root, MAX_DEPTH, &mut found);
    }
    found
}

fn collect(rules: &Rules, node: Node<'_>, depth: u32, found: &mut Vec<Span>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if rules.unread.contains(&child.kind_id()) {
            found.push(Span::new(child.start_byte(), child.end_byte()));
        } else if depth > 0 && rules.kind(child.kind_id()).flags & flag::FUNCTION == 0 {
            collect(rules, child, depth - 1, found);
        }
    }
}

/// `outline`, and what the line rules find in the parts that the parser could not read.
pub(in crate::analyze) fn fill(
    (rules, line_rules): (&Rules, &LineRules),
    tree: &Tree,
    text: &str,
    lines: &LineIndex,
    outline: WalkedOutline,
) -> WalkedOutline {
    let unread = unread(rules, tree, text);
    if unread.is_empty() {
        return outline;
    }
    let by_rule = super::scanned(line_rules, text, lines, &unread).symbols;
    let is_new = |symbol: &Symbol| {
        let start = symbol.signature.start;
        let place = unread.partition_point(|span| span.end <= start);
        unread.get(place).is_some_and(|span| span.start <= start)
            && !is_known(symbol, &outline.symbols)
            && (lines.start_of(symbol.lines.first) == start || !is_local(start, &outline.symbols))
    };
    let added: Vec<Symbol> = by_rule.into_iter().filter(is_new).collect();
    if added.is_empty() { outline } else { merged(text, lines, outline, added, true) }
}

/// `outline`, and what another parser found in parts of the text.
pub(in crate::analyze) fn joined(
    text: &str,
    lines: &LineIndex,
    outline: WalkedOutline,
    found: WalkedOutline,
) -> WalkedOutline {
    let WalkedOutline { symbols, minor, references, comments, .. } = found;
    let mut out = if symbols.is_empty() { outline } else { merged(text, lines, outline, symbols, false) };
    out.minor.extend(minor);
    out.minor.sort_by_key(|symbol| symbol.span.start);
    out.references.extend(references);
    out.references.sort_by_key(|reference| (reference.span.start, reference.span.end));
    out.references.dedup_by(|next, kept| next.span.start < kept.span.end);
    out.comments.extend(comments);
    out.comments.sort_by_key(|comment| comment.start);
    out.comments.dedup_by(|next, kept| next.start < kept.end);
    out
}

/// Whether the parser found `symbol`, perhaps with other first lines.
fn is_known(symbol: &Symbol, parsed: &[Symbol]) -> bool {
    let near = parsed.partition_point(|other| other.lines.first + 40 < symbol.lines.first);
    parsed[near..]
        .iter()
        .take_while(|other| other.span.start <= symbol.span.end)
        .any(|other| other.name == symbol.name && other.lines.first.abs_diff(symbol.lines.first) <= 3)
}

/// Whether the innermost parsed symbol around `at` is a function.
fn is_local(at: u32, parsed: &[Symbol]) -> bool {
    let mut around = parsed.partition_point(|other| other.span.start <= at).checked_sub(1);
    while let Some(place) = around {
        if parsed[place].span.end > at {
            return matches!(parsed[place].kind, SymbolKind::Fn | SymbolKind::Method);
        }
        around = parsed[place].parent.map(|parent| parent as usize);
    }
    false
}

/// Sorts the symbols of both, and makes each one lie in its parent. `marked` are those that rules found.
fn merged(
    text: &str,
    lines: &LineIndex,
    outline: WalkedOutline,
    added: Vec<Symbol>,
    marked: bool,
) -> WalkedOutline {
    let WalkedOutline { symbols: parsed, minor, by_rule: known, references, comments, mut boundaries } =
        outline;
    for symbol in &added {
        let line = lines.line_of(symbol.span.start);
        let place = boundaries.partition_point(|boundary| boundary.line < line);
        let level = place.checked_sub(1).map_or(0, |before| boundaries[before].level);
        match boundaries.get_mut(place).filter(|boundary| boundary.line == line) {
            Some(boundary) => boundary.item = true,
            None if line > 1 => boundaries
                .insert(place, Boundary { at: lines.start_of(line), line, level, glued: false, item: true }),
            None => {}
        }
    }
    let n_parsed = parsed.len();
    let mut all: Vec<(Symbol, usize)> = parsed.into_iter().chain(added).zip(0..).collect();
    all.sort_by_key(|(symbol, _)| (symbol.span.start, std::cmp::Reverse(symbol.span.end)));
    let mut place_of = vec![0u32; all.len()];
    for (place, (_, old)) in all.iter().enumerate() {
        place_of[*old] = place as u32;
    }
    let mut symbols: Vec<Symbol> = Vec::with_capacity(all.len());
    let mut joined: Vec<bool> = Vec::with_capacity(all.len());
    let mut by_rule: Vec<u32> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (mut symbol, old) in all {
        let is_added = old >= n_parsed;
        while let Some(&place) = open.last() {
            let around: &mut Symbol = &mut symbols[place];
            if around.span.end >= symbol.span.end {
                break;
            }
            if around.span.end > symbol.span.start && is_added && !joined[place] {
                cut(text, lines, &mut symbol, around.span.end);
                break;
            }
            if around.span.end > symbol.span.start {
                cut(text, lines, around, symbol.span.start);
            }
            open.pop();
        }
        let around = open.last().copied();
        match around {
            Some(place) if is_added || joined[place] => {
                symbol.parent = Some(place as u32);
                let around = &symbols[place];
                let is_type = around.kind.is_type_like() || around.kind == SymbolKind::Impl;
                if is_type || around.kind == SymbolKind::Module {
                    symbol.container = symbol.container.or_else(|| Some(around.name.clone()));
                }
                if is_type && symbol.kind == SymbolKind::Fn {
                    symbol.kind = SymbolKind::Method;
                }
            }
            _ if is_added => symbol.parent = None,
            _ => symbol.parent = symbol.parent.map(|parent| place_of[parent as usize]),
        }
        open.push(symbols.len());
        if if is_added { marked } else { known.contains(&(old as u32)) } {
            by_rule.push(symbols.len() as u32);
        }
        joined.push(is_added);
        symbols.push(symbol);
    }
    WalkedOutline { symbols, minor, by_rule, references, comments, boundaries }
}

/// Ends `symbol` at `end` or before.
fn cut(text: &str, lines: &LineIndex, symbol: &mut Symbol, end: u32) {
    let end = end.max(symbol.span.start);
    symbol.signature.start = symbol.signature.start.min(end);
    symbol.signature.end =
        trimmed(text, symbol.signature.start, symbol.signature.end.min(end)).max(symbol.signature.start);
    symbol.span.end = trimmed(text, symbol.span.start, symbol.span.end.min(end)).max(symbol.signature.end);
    symbol.lines.last = lines.line_of(symbol.span.end.saturating_sub(1)).max(symbol.lines.first);
}
