//! The judgement of a use: the definitions that the use may mean, and the rule that decided; and what types say of a use.

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
    /// The constructors that the use calls, where it names their type.
    pub constructors: Vec<Meaning>,
    /// The rule that decided; `None` if the meanings have the name, and nothing else is known.
    pub decided: Option<EdgeRule>,
}

impl Judgement {
    /// The definitions that the use may mean, and the constructors that it calls.
    pub fn all(&self) -> Vec<Meaning> {
        self.meanings.iter().chain(&self.constructors).cloned().collect()
    }
}

/// What the types of declarations say of a use.
pub(super) enum TypeRuling {
    /// Nothing: other rules may know more.
    Unknown,
    /// The use is a member of something of which too little is known, so that only names tell.
    ByName,
    /// These definitions, by a rule.
    Means(EdgeRule, Vec<Definition>),
}
