//! The rules by which a use is resolved, with their confidence and their sentence.

/// Why a use means a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// An import binds the name, and the imported module defines or re-exports it.
    Import,
    /// The receiver is the object or the type itself, and its type has the member.
    OwnMember,
    /// The type before the name has the member.
    QualifiedType,
    /// The module before the name defines it.
    QualifiedModule,
    /// A base type of the receiver's type has the member.
    Inherited,
    /// The receiver is a variable or field whose type is written nearby.
    TypedVariable,
    /// The same file defines the name.
    SameFile,
    /// A file of the same package defines the name.
    SamePackage,
    /// A module that is imported as a whole defines the name.
    Wildcard,
    /// The tree has a single definition of the name.
    Unique,
    /// The tree has several definitions of the name, and no rule decides.
    Ambiguous,
}

impl Rule {
    /// The share of such edges that are right, 0 to 1. These figures are estimates, in the order of the evidence; see
    /// `docs/graph.md`.
    pub fn confidence(self) -> f32 {
        match self {
            Rule::Import => 0.97,
            Rule::OwnMember | Rule::SameFile => 0.95,
            Rule::QualifiedType | Rule::QualifiedModule => 0.93,
            Rule::SamePackage => 0.92,
            Rule::Inherited | Rule::TypedVariable => 0.9,
            Rule::Wildcard => 0.85,
            Rule::Unique => 0.7,
            Rule::Ambiguous => 0.5,
        }
    }

    /// The name in wire formats.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Import => "import",
            Rule::OwnMember => "own-member",
            Rule::QualifiedType => "qualified-type",
            Rule::QualifiedModule => "qualified-module",
            Rule::Inherited => "inherited",
            Rule::TypedVariable => "typed-variable",
            Rule::SameFile => "same-file",
            Rule::SamePackage => "same-package",
            Rule::Wildcard => "wildcard-import",
            Rule::Unique => "unique-name",
            Rule::Ambiguous => "ambiguous",
        }
    }

    /// The sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Rule::Import => "imported by name",
            Rule::OwnMember => "member of the same type",
            Rule::QualifiedType => "the type is named before it",
            Rule::QualifiedModule => "the module is named before it",
            Rule::Inherited => "member of a base type",
            Rule::TypedVariable => "the receiver's type is written nearby",
            Rule::SameFile => "defined in the same file",
            Rule::SamePackage => "defined in the same package",
            Rule::Wildcard => "its module is imported as a whole",
            Rule::Unique => "the only definition of this name",
            Rule::Ambiguous => "one of several definitions of this name",
        }
    }
}
