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

/// Types of the engine, each with its values and their names.
macro_rules! named_choices {
    ($($type:ident: $all:expr),+ $(,)?) => {
        $(impl NamedChoice for $type {
            const ALL: &'static [$type] = $all;

            fn name(self) -> &'static str {
                $type::name(self)
            }
        })+
    };
}

named_choices! {
    Mode: &Mode::ALL,
    StalePolicy: &StalePolicy::ALL,
    SkipReason: SkipReason::ALL,
    SymbolKind: &SymbolKind::ALL,
    Relation: &Relation::ALL,
    NoteKind: &NoteKind::ALL,
    PackMode: &PackMode::ALL,
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
