//! The outline of a file as a query sees it: its symbols, and behind them the fields and variants with a name of a query that is
//! nothing but names. Other queries do not read fields and variants, because there are several times as many as other symbols.

use crate::profile::QueryKind;
use crate::query::Query;
use spyhop_index::meta::{MetaError, Outline, Version};

/// The texts of the names of an outline.
#[derive(Default)]
pub(crate) struct OutlineNames {
    symbols: Vec<u8>,
    minor: Vec<u8>,
}

/// The outline of a file version for a query.
pub(crate) fn named_outline<'n>(
    version: Version<'n>,
    query: &Query,
    names: &'n mut OutlineNames,
) -> Result<Outline<'n>, MetaError> {
    let mut outline = version.outline(&mut names.symbols)?;
    if names_minor(version, query)? {
        let details = version.details(&outline, &mut names.minor)?;
        outline.symbols.extend(details.minor.into_iter().filter(|symbol| is_named(query, symbol.name)));
    }
    Ok(outline)
}

/// Whether a file version has a field or variant with a name of a query that is nothing but names.
pub(crate) fn names_minor(version: Version<'_>, query: &Query) -> Result<bool, MetaError> {
    if query.kind != QueryKind::Names {
        return Ok(false);
    }
    let mut names = version.minor_names()?;
    while let Some((name, _)) = names.advance() {
        if std::str::from_utf8(name).is_ok_and(|name| is_named(query, name)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a name of the query means fields and variants: with its container, or if the name has several words. Too many fields
/// have the name `args`.
fn is_named(query: &Query, name: &str) -> bool {
    let has_words = || name.bytes().skip(1).any(|byte| !byte.is_ascii_lowercase());
    query.names.iter().any(|asked| asked == name) && (!query.qualified.is_empty() || has_words())
}
