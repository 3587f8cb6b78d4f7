//! Properties of one definition: its container or module, whether it has a body, its worth for a query by name.

use crate::query::Query;
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

/// How exactly a symbol is the one that a qualified name of the query means: 2 by its container, 1 by the module of its file, 0
/// by its name alone.
pub(crate) fn qualification(query: &Query, symbol: &OutlineSymbol<'_>, path: &str) -> u8 {
    let of_name = || query.qualified.iter().filter(|named| named.name == symbol.name);
    match () {
        () if of_name().any(|named| is_in_container(symbol, &named.container)) => 2,
        () if of_name().any(|named| is_in_module(symbol, path, &named.container)) => 1,
        () => 0,
    }
}

/// Whether a symbol is more than a function declaration on a single line.
pub fn has_body(symbol: &OutlineSymbol<'_>) -> bool {
    !(symbol.kind.is_function() && symbol.lines.count() < 2)
}

/// Whether a symbol is a constructor with the name of its type.
pub fn is_constructor(symbol: &OutlineSymbol<'_>) -> bool {
    symbol.kind.is_function() && symbol.container == Some(symbol.name)
}

/// The worth of a definition for a query by its name, 0 to 1. Outer, large and type-like definitions are worth more, because
/// people usually mean them.
pub(crate) fn definition_worth(symbol: &OutlineSymbol<'_>, depth: usize) -> f32 {
    let outer = 1.0 / (1.0 + depth as f32);
    let large = symbol.lines.count().min(200) as f32 / 400.0;
    let kind = if symbol.kind.is_type_like() { 0.5 } else { 0.0 };
    (outer + large + kind) / 2.0
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
