//! The judgement of a use: the definitions that the use may mean, and the rule that decided.

use super::definition::Definition;
use super::rule::EdgeRule;

/// A definition that a use may mean.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    pub definition: Definition,
    pub rule: EdgeRule,
    /// The estimated probability, 0 to 1.
    pub confidence: f32,
}

/// The definitions that a use may mean, and the rule that decided.
#[derive(Clone, Debug, Default)]
pub(super) struct Judgement {
    /// The definitions that the use may mean; empty if the name is not of the tree.
    pub meanings: Vec<Meaning>,
    /// The rule that decided; `None` if the meanings have the name, and nothing else is known.
    pub decided: Option<EdgeRule>,
}
