//! The rules by which a use is resolved, with their confidence and their sentence.

use serde::Serialize;

/// Why a use means a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum EdgeRule {
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
    /// A definition in the file of the use.
    SameFile,
    /// A file of the same package defines the name.
    SamePackage,
    /// A module that is imported as a whole defines the name.
    Wildcard,
    /// The tree has a single definition of the name.
    Unique,
    /// The tree has several definitions of the name, and no rule decides.
    Ambiguous,
    /// A test in the test file of the definition's file contains the definition's name.
    TestName,
    /// The test file of the definition's file mentions the name.
    TestFileWithName,
    /// The test file of the definition's file does not mention the name.
    TestFile,
}

impl EdgeRule {
    /// The share of such edges that are right, 0 to 1. These figures are estimates, in the order of the evidence; see
    /// `docs/graph.md`.
    pub fn confidence(self) -> f32 {
        match self {
            EdgeRule::Import => 0.98,
            EdgeRule::OwnMember | EdgeRule::QualifiedModule => 0.97,
            EdgeRule::SameFile => 0.96,
            EdgeRule::Inherited | EdgeRule::TypedVariable => 0.95,
            EdgeRule::QualifiedType => 0.93,
            EdgeRule::SamePackage => 0.92,
            EdgeRule::Wildcard => 0.85,
            EdgeRule::Unique => 0.7,
            EdgeRule::TestName => 0.65,
            EdgeRule::Ambiguous | EdgeRule::TestFileWithName => 0.5,
            EdgeRule::TestFile => 0.3,
        }
    }

    /// The name in wire formats.
    pub fn name(self) -> &'static str {
        match self {
            EdgeRule::Import => "import",
            EdgeRule::OwnMember => "own-member",
            EdgeRule::QualifiedType => "qualified-type",
            EdgeRule::QualifiedModule => "qualified-module",
            EdgeRule::Inherited => "inherited",
            EdgeRule::TypedVariable => "typed-variable",
            EdgeRule::SameFile => "same-file",
            EdgeRule::SamePackage => "same-package",
            EdgeRule::Wildcard => "wildcard-import",
            EdgeRule::Unique => "unique-name",
            EdgeRule::Ambiguous => "ambiguous",
            EdgeRule::TestName => "test-name",
            EdgeRule::TestFileWithName => "test-file-with-name",
            EdgeRule::TestFile => "test-file",
        }
    }

    /// The sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            EdgeRule::Import => "imported by name",
            EdgeRule::OwnMember => "member of the same type",
            EdgeRule::QualifiedType => "the type is named before it",
            EdgeRule::QualifiedModule => "the module is named before it",
            EdgeRule::Inherited => "member of a base type",
            EdgeRule::TypedVariable => "the receiver's type is written nearby",
            EdgeRule::SameFile => "defined in the same file",
            EdgeRule::SamePackage => "defined in the same package",
            EdgeRule::Wildcard => "its module is imported as a whole",
            EdgeRule::Unique => "the only definition of this name",
            EdgeRule::Ambiguous => "one of several definitions of this name",
            EdgeRule::TestName => "has its name, in the test file of its file",
            EdgeRule::TestFileWithName => "the test file of its file mentions it",
            EdgeRule::TestFile => "the test file of its file",
        }
    }
}
