//! Properties of one definition: its container or module, whether it has a body, its worth for a query by name.

use crate::query::{Qualified, Query};
use spyhop_base::path;
use spyhop_index::meta::OutlineSymbol;

/// Whether `container` contains a symbol. The container of the symbol may be qualified itself.
pub(crate) fn is_in_container(symbol: &OutlineSymbol<'_>, container: &str) -> bool {
    let is_last_part =
        |outer: &str| outer.strip_suffix(container).is_some_and(|before| before.ends_with(['.', ':', '\\']));
    symbol.container.is_some_and(|outer| outer == container || is_last_part(outer))
}

/// Whether a symbol without container is in the module or package `container`, by the path of its file.
pub fn is_in_module(symbol: &OutlineSymbol<'_>, path: &str, container: &str) -> bool {
    symbol.container.is_none() && path::modules(path).any(|module| module.eq_ignore_ascii_case(container))
}

/// The qualified names that a query means: of the query `a.B.c` only `B.c`.
pub(crate) fn meant(query: &Query) -> &[Qualified] {
    let first = match query.is_qualified_name && !query.is_respelled {
        true => query.qualified.len().saturating_sub(1),
        false => 0,
    };
    &query.qualified[first..]
}

/// How exactly a symbol is the one that a qualified name of the query means: 2 by its container, 1 by the module of its file, 0
/// by its name alone.
pub(crate) fn qualification(query: &Query, symbol: &OutlineSymbol<'_>, path: &str) -> u8 {
    let of_name = || meant(query).iter().filter(|named| named.name == symbol.name);
    match () {
        () if of_name().any(|named| is_in_container(symbol, &named.container)) => 2,
        () if of_name().any(|named| is_in_module(symbol, path, &named.container)) => 1,
        () => 0,
    }
}

/// The share of the outer parts of a qualified name, as `a` and `B` of `a.B.c`, that a symbol has in its container or in
/// the path of its file.
pub(crate) fn outer_share(query: &Query, symbol: &OutlineSymbol<'_>, path: &str) -> f32 {
    let container = symbol.container.unwrap_or_default();
    let is_held = |outer: &str| {
        container.split(['.', ':', '\\']).any(|part| part == outer)
            || path::modules(path).any(|module| module.eq_ignore_ascii_case(outer))
    };
    let held = query.qualified.iter().filter(|named| is_held(&named.container)).count();
    held as f32 / query.qualified.len().max(1) as f32
}

/// Whether a symbol is more than a function declaration on a single line.
pub fn has_body(symbol: &OutlineSymbol<'_>) -> bool {
    !(symbol.kind.is_function() && symbol.lines.count() < 2)
}

/// Whether a symbol is a constructor with the name of its type.
pub fn is_constructor(symbol: &OutlineSymbol<'_>) -> bool {
    symbol.kind.is_function() && symbol.container == Some(symbol.name)
}

/// The factor of a declaration without a body: the definition is meant.
const OF_DECLARATION: f32 = 0.7;

/// The lines from which a definition is no larger.
const LARGE: f32 = 200.0;

/// The worth of a definition for a query by its name, 0 to 1. Outer, large and type-like definitions with a body are worth
/// more, because people usually mean them.
pub(crate) fn definition_worth(symbol: &OutlineSymbol<'_>, depth: usize) -> f32 {
    // A field or variant is always inside of a type.
    let depth = if symbol.kind.is_minor() { 0 } else { depth };
    let outer = 1.0 / (1.0 + depth as f32);
    let large = 0.5 * (1.0 + (symbol.lines.count() as f32).min(LARGE)).ln() / (1.0 + LARGE).ln();
    let kind = if symbol.kind.is_type_like() { 0.5 } else { 0.0 };
    let whole = if has_body(symbol) { 1.0 } else { OF_DECLARATION };
    whole * (outer + large + kind) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use spyhop_base::model::SymbolKind;
    use spyhop_base::text::{Lines, Span};

    #[test]
    fn outer_types_are_what_people_mean() {
        let symbol = |kind, last| OutlineSymbol {
            name: "x",
            kind,
            span: Span::default(),
            lines: Lines { first: 1, last },
            container: None,
            parent: None,
        };
        let class = definition_worth(&symbol(SymbolKind::Class, 100), 0);
        assert!(class > definition_worth(&symbol(SymbolKind::Method, 100), 0));
        assert!(class > definition_worth(&symbol(SymbolKind::Class, 100), 1));
        assert!((0.0..=1.0).contains(&class));
    }
}
