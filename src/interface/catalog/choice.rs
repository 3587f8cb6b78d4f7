//! Types of which a caller chooses one value by its name.

use super::values::ValueError;
use spyhop_base::model::{SkipReason, SymbolKind};
use spyhop_base::similar::did_you_mean;
use spyhop_engine::api::{Mode, NoteKind, PackMode, Relation, StalePolicy};

/// A type with a fixed set of named values.
pub trait NamedChoice: Copy + 'static {
    /// Every value, in the order in which help shows them.
    const ALL: &'static [Self];

    /// The name of the value.
    fn name(self) -> &'static str;
}

impl NamedChoice for Mode {
    const ALL: &'static [Mode] = &Mode::ALL;

    fn name(self) -> &'static str {
        Mode::name(self)
    }
}

impl NamedChoice for StalePolicy {
    const ALL: &'static [StalePolicy] = &StalePolicy::ALL;

    fn name(self) -> &'static str {
        StalePolicy::name(self)
    }
}

impl NamedChoice for SkipReason {
    const ALL: &'static [SkipReason] = SkipReason::ALL;

    fn name(self) -> &'static str {
        SkipReason::name(self)
    }
}

impl NamedChoice for SymbolKind {
    const ALL: &'static [SymbolKind] = SymbolKind::ALL;

    fn name(self) -> &'static str {
        SymbolKind::name(self)
    }
}

impl NamedChoice for Relation {
    const ALL: &'static [Relation] = &Relation::ALL;

    fn name(self) -> &'static str {
        Relation::name(self)
    }
}

impl NamedChoice for NoteKind {
    const ALL: &'static [NoteKind] = &NoteKind::ALL;

    fn name(self) -> &'static str {
        NoteKind::name(self)
    }
}

impl NamedChoice for PackMode {
    const ALL: &'static [PackMode] = &PackMode::ALL;

    fn name(self) -> &'static str {
        PackMode::name(self)
    }
}

/// The names of a type's values.
pub fn names<C: NamedChoice>() -> Vec<&'static str> {
    C::ALL.iter().map(|choice| choice.name()).collect()
}

/// The value that `text` names, for the parameter `param`.
pub fn parse<C: NamedChoice>(param: &str, text: &str) -> Result<C, ValueError> {
    C::ALL.iter().copied().find(|choice| choice.name() == text).ok_or_else(|| {
        let (all, near) = (names::<C>().join(", "), did_you_mean(text, names::<C>()));
        ValueError::new(format!("{param} is '{text}'; choose {all}{near}"))
    })
}
