//! Definitions: turns a node that a manifest calls an item into a symbol.

use tree_sitter::Node;

use super::state::{Lead, OpenSymbol, Walk};
use crate::grammar::{Item, ItemCase, Shape, Step, flag, follow, follow_to_name};
use spyhop_base::model::{ReferenceRole, Symbol, SymbolKind};
use spyhop_base::text::Span;

/// The result of opening an item.
#[derive(Clone, Copy)]
pub(super) struct OpenedItem {
    /// The start of the item's body, if there is one.
    pub body: Option<u32>,
    pub is_function: bool,
    /// Whether the item continues the symbol before it.
    pub continues: bool,
}

struct ItemName<'a> {
    node: Node<'a>,
    /// The node of the name's qualifier, if the name is written with one.
    scope: Option<Node<'a>>,
    name: Box<str>,
}

impl<'a> Walk<'a> {
    /// Opens the symbols that `node` defines, if there are any. `local` says whether the node is inside a function.
    pub(super) fn item(
        &mut self,
        item: &Item,
        node: Node<'a>,
        lead: Option<Lead>,
        local: bool,
    ) -> Option<OpenedItem> {
        let shape = self.shape(item, node, local)?;
        let named = self.named(shape, node)?;
        if shape.minor {
            self.minor(shape, node, named);
            return None;
        }
        let body = shape.body.as_ref().and_then(|path| follow(path, node));
        let body_start = body.map(|body| body.start_byte() as u32);
        let kind = self.kind(shape, &named);
        let is_function = matches!(kind, SymbolKind::Fn | SymbolKind::Method);
        if is_function && self.is_defined_above(&named.name, body_start) || !self.counts(shape) {
            return None;
        }
        if let Some(body) = body {
            self.docstring(body);
        }
        let open = OpenSymbol {
            symbol: 0,
            name: named.node.start_byte() as u32,
            holds: shape.holds,
            members: shape.members,
            body: body_start,
            count: 0,
        };
        let opened = OpenedItem { body: body_start, is_function, continues: false };
        if shape.continues
            && let Some(before) = self.goes_on(&named.name, kind, node)
        {
            self.open.push(OpenSymbol { symbol: before, ..open });
            return Some(OpenedItem { continues: true, ..opened });
        }
        let symbol = self.symbol(shape, node, named, kind, lead, body);
        let more = if shape.each { self.more(shape, node, &symbol) } else { Vec::new() };
        self.open.push(OpenSymbol { symbol: self.out.symbols.len() as u32, ..open });
        self.out.symbols.push(symbol);
        self.out.symbols.extend(more);
        if let Some(path) = &item.fields {
            let fields = last_of(path, node).into_iter();
            let fields =
                fields.filter_map(|field| self.minor_symbol(SymbolKind::Field, field)).collect::<Vec<_>>();
            self.out.minor.extend(fields);
        }
        if let Some(bases) = item.bases.as_ref().and_then(|path| follow(path, node)) {
            let mut cursor = bases.walk();
            for base in bases.named_children(&mut cursor) {
                self.reference(base, ReferenceRole::Type);
            }
        }
        Some(opened)
    }

    /// The variant of `item` that applies to `node`, if any.
    fn shape<'i>(&self, item: &'i Item, node: Node<'a>, local: bool) -> Option<&'i Shape> {
        let holds = |shape: &Shape| !(shape.outer && local) && self.open.len() < usize::from(shape.depth);
        if !item.conditions.iter().all(|condition| condition.holds(node, self.text)) {
            return None;
        }
        let fits = |case: &&ItemCase| {
            holds(&case.shape) && case.conditions.iter().all(|condition| condition.holds(node, self.text))
        };
        match item.cases.iter().find(fits) {
            Some(case) => Some(&case.shape),
            None => item.otherwise.as_ref().filter(|shape| holds(shape)),
        }
    }

    fn named(&self, shape: &Shape, node: Node<'a>) -> Option<ItemName<'a>> {
        let found = shape.names.iter().find_map(|path| follow_to_name(path, node, self.text));
        let Some(found) = found else {
            return Some(ItemName { node, scope: None, name: shape.called.clone()? });
        };
        let (node, scope) = self.rules.qualified_name_of(found);
        let name = self.name(node).filter(|name| self.rules.can_name(node, name))?;
        Some(ItemName { node, scope, name })
    }

    fn kind(&self, shape: &Shape, named: &ItemName<'a>) -> SymbolKind {
        let in_type = self.open.last().is_some_and(|open| {
            let enclosing = self.out.symbols[open.symbol as usize].kind;
            enclosing.is_type_like() || enclosing == SymbolKind::Impl || open.members
        });
        match shape.qualified {
            Some(kind) if named.scope.is_some() => kind,
            _ if in_type => shape.inside,
            _ => shape.kind,
        }
    }

    /// Whether the enclosing symbol has this name and this body: `f = function f() {}` defines one function.
    fn is_defined_above(&self, name: &str, body: Option<u32>) -> bool {
        let same =
            |open: &OpenSymbol| open.body == body && *self.out.symbols[open.symbol as usize].name == *name;
        body.is_some() && self.open.last().is_some_and(same)
    }

    /// Counts another symbol in the open symbol, unless that symbol has reached its limit.
    fn counts(&mut self, shape: &Shape) -> bool {
        let count = self.open.last_mut().map_or(&mut self.outermost, |open| &mut open.count);
        let may = *count < shape.most;
        *count += u32::from(may);
        may
    }

    /// The symbol before `node`, extended to the end of `node`, if `node` continues that symbol.
    fn goes_on(&mut self, name: &str, kind: SymbolKind, node: Node<'a>) -> Option<u32> {
        let parent = self.open.last().map(|open| open.symbol);
        let first = parent.map_or(0, |parent| parent as usize + 1);
        let symbols = &mut self.out.symbols[first..];
        let before = symbols.iter().rposition(|symbol| symbol.parent == parent)?;
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        let end = super::trimmed(self.text, start, end);
        let symbol = &mut symbols[before];
        if *symbol.name != *name || symbol.kind != kind {
            return None;
        }
        symbol.span.end = end;
        symbol.lines.last = self.lines.lines_of(Span { start, end }).last;
        Some((first + before) as u32)
    }

    fn symbol(
        &mut self,
        shape: &Shape,
        node: Node<'a>,
        named: ItemName<'a>,
        kind: SymbolKind,
        lead: Option<Lead>,
        body: Option<Node<'a>>,
    ) -> Symbol {
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        let end = super::trimmed(self.text, start, end);
        // In a group such as `const (`, the wrapper is on a separate line and not part of any item.
        let same_line =
            |proper: &u32| !self.text.as_bytes()[*proper as usize..start as usize].contains(&b'\n');
        let proper = lead.and_then(|lead| lead.proper).filter(same_line);
        let proper = proper.unwrap_or_else(|| self.behind_attributes(node));
        let begin = lead.map_or(start, |lead| lead.start);
        if begin == self.unit
            && let Some(boundary) = self.out.boundaries.last_mut()
        {
            // A wrapper or a comment began here; only now is it known that the boundary belongs to an item.
            boundary.item = true;
        }
        Symbol {
            container: self.container(shape, node, named.scope),
            name: named.name,
            kind,
            span: Span { start: begin, end },
            lines: self.lines.lines_of(Span { start: proper, end }),
            parent: self.open.last().map(|open| open.symbol),
            signature: self.signature(kind, proper, body.map(|body| self.header_end(node, body)), end),
        }
    }

    /// The name of the container of an item: the one written in the item, or that of the enclosing symbol.
    fn container(&self, shape: &Shape, node: Node<'a>, scope: Option<Node<'a>>) -> Option<Box<str>> {
        match (&shape.container, scope.and_then(|scope| self.name(scope))) {
            (Some(path), _) => follow(path, node).and_then(|found| self.name(self.rules.name_of(found))),
            (None, Some(scope)) => Some(scope),
            (None, None) => {
                let held_by = self.open.iter().rev().find(|open| open.holds);
                held_by.map(|open| self.out.symbols[open.symbol as usize].name.clone())
            }
        }
    }

    /// Adds the minor symbols that `node` defines. They hold nothing, so that what is inside `node` is as if they were not.
    fn minor(&mut self, shape: &Shape, node: Node<'a>, named: ItemName<'a>) {
        let added: Vec<Symbol> = match shape.each {
            true => {
                let parts = shape.names.iter().flat_map(|path| last_of(path, node));
                let parts = parts.filter(|part| self.rules.kind(part.kind_id()).flags & flag::COMMENT == 0);
                parts.filter_map(|part| self.minor_symbol(shape.kind, part)).collect()
            }
            false => vec![Symbol { name: named.name, ..self.minor_at(shape.kind, node) }],
        };
        for symbol in added {
            if !shape.once || self.is_first(&symbol) {
                self.out.minor.push(symbol);
            }
        }
    }

    /// The minor symbol whose name is at the end of `node`.
    fn minor_symbol(&self, kind: SymbolKind, node: Node<'a>) -> Option<Symbol> {
        let name = self.name(self.rules.name_of(node))?;
        Some(Symbol { name, ..self.minor_at(kind, node) })
    }

    /// A minor symbol without its name.
    fn minor_at(&self, kind: SymbolKind, node: Node<'a>) -> Symbol {
        let (start, end) = (node.start_byte() as u32, node.end_byte() as u32);
        let span = Span { start, end: super::trimmed(self.text, start, end) };
        let holder = self.minor_holder().map(|place| self.out.symbols[place as usize].name.clone());
        Symbol {
            name: Box::default(),
            kind,
            span,
            lines: self.lines.lines_of(span),
            container: holder,
            parent: None,
            signature: span,
        }
    }

    /// The place of the symbol that holds a minor symbol here.
    fn minor_holder(&self) -> Option<u32> {
        let is_type = |open: &&OpenSymbol| {
            open.holds
                && !matches!(self.out.symbols[open.symbol as usize].kind, SymbolKind::Fn | SymbolKind::Method)
        };
        self.open.iter().rev().find(is_type).map(|open| open.symbol)
    }

    /// Whether the container of a minor symbol has no member of this name yet.
    fn is_first(&mut self, minor: &Symbol) -> bool {
        let Some(holder) = self.minor_holder() else { return false };
        if self.members_of != Some(holder) {
            self.members_of = Some(holder);
            let own = &self.out.symbols[holder as usize];
            let members = self.out.symbols[holder as usize + 1..].iter();
            let members = members.filter(|symbol| symbol.parent == Some(holder) && symbol.kind.is_minor());
            let minor = self.out.minor.iter().filter(|minor| {
                minor.span.start >= own.span.start && minor.container.as_ref() == Some(&own.name)
            });
            self.members = members.chain(minor).map(|symbol| symbol.name.clone()).collect();
        }
        self.members.insert(minor.name.clone())
    }

    /// The further symbols of an item that defines several names; each is like `first` except for the name.
    fn more(&self, shape: &Shape, node: Node<'a>, first: &Symbol) -> Vec<Symbol> {
        self.named_by(shape, node)
            .into_iter()
            .skip(1)
            .take(shape.most as usize)
            .filter_map(|child| self.name(self.rules.name_of(child)))
            .map(|name| Symbol { name, ..first.clone() })
            .collect()
    }

    /// The nodes that name an item of several names.
    fn named_by(&self, shape: &Shape, node: Node<'a>) -> Vec<Node<'a>> {
        let mut named = last_of(&shape.names[0], node);
        named.retain(|child| self.rules.kind(child.kind_id()).flags & flag::COMMENT == 0);
        named
    }
}

/// Every node to which the last step of `path` leads from `node`.
fn last_of<'a>(path: &[Step], node: Node<'a>) -> Vec<Node<'a>> {
    let Some((last, above)) = path.split_last() else { return Vec::new() };
    follow(above, node).map_or_else(Vec::new, |above| last.all_from(above))
}
