//! What a definition says of itself: what holds it, whether it has a body, what it is worth to a query for its name.

use crate::meta::OutlineSymbol;
use crate::path;

/// Whether a type or another item named `container` holds a symbol. The name of the item may be qualified itself.
pub fn is_in_container(symbol: &OutlineSymbol<'_>, container: &str) -> bool {
    let is_last_part =
        |own: &str| own.strip_suffix(container).is_some_and(|before| before.ends_with(['.', ':', '\\']));
    symbol.container.is_some_and(|own| own == container || is_last_part(own))
}

/// Whether the file of a symbol that no item holds, or a folder of the file, is the module or package `container`.
pub fn is_in_module(symbol: &OutlineSymbol<'_>, path: &str, container: &str) -> bool {
    let folders = path::split(path).0.split('/');
    symbol.container.is_none()
        && folders.chain([path::naming(path)]).any(|module| module.eq_ignore_ascii_case(container))
}

/// Whether a symbol is more than the declaration of a function on a single line.
pub fn has_body(symbol: &OutlineSymbol<'_>) -> bool {
    !(symbol.kind.is_function() && symbol.lines.count() < 2)
}

/// Whether a symbol is a constructor that has the name of its type.
pub fn is_constructor(symbol: &OutlineSymbol<'_>) -> bool {
    symbol.kind.is_function() && symbol.container == Some(symbol.name)
}

/// What a definition of a name asked for is worth, 0 to 1: outer, large and type-like ones are what people mean.
pub fn definition_worth(symbol: &OutlineSymbol<'_>, depth: usize) -> f32 {
    let outer = 1.0 / (1.0 + depth as f32);
    let large = symbol.lines.count().min(200) as f32 / 400.0;
    let kind = if symbol.kind.is_type_like() { 0.5 } else { 0.0 };
    (outer + large + kind) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SymbolKind;
    use crate::text::{Lines, Span};

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
