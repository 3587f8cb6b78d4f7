//! A definition of a name, as the end of an edge.

use std::sync::Arc;

use spyhop_base::model::{SymbolKind, qualified_name};
use spyhop_base::text::{Lines, Span};

/// A definition of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The file, as a number of the snapshot.
    pub file: u32,
    /// The index among the symbols of the file.
    pub place: u32,
    pub name: Arc<str>,
    pub container: Option<Arc<str>>,
    pub kind: SymbolKind,
    pub lines: Lines,
    pub span: Span,
}

impl Definition {
    /// The name with its container: `Container.name`.
    pub fn qualified(&self) -> String {
        qualified_name(self.container.as_deref(), &self.name)
    }

    /// Whether a definition is a constructor in a language in which it has the name of its type.
    pub(super) fn is_constructor(&self) -> bool {
        let container = self.container.as_deref().and_then(|container| container.rsplit(['.', ':']).next());
        self.kind.is_function() && container == Some(&*self.name)
    }

    /// Whether both are one symbol.
    pub fn is(&self, other: &Definition) -> bool {
        (self.file, self.place) == (other.file, other.place)
    }
}

/// The number of definitions that are not overloads of each other, at least 1. Overloads have one file and container.
pub(super) fn distinct(definitions: &[Definition]) -> usize {
    let mut homes: Vec<(u32, Option<&str>)> =
        definitions.iter().map(|definition| (definition.file, definition.container.as_deref())).collect();
    homes.sort_unstable();
    homes.dedup();
    homes.len().max(1)
}
