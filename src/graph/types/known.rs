//! What is known already of the items, the types and the expressions of a graph.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::evaluations::KnownEvaluations;
use super::item::{FileReading, ItemTokens};
use super::written::WrittenType;
use crate::definition::Definition;
use spyhop_base::text::Span;

/// Items by file, start and end; `None` for an item that cannot be read.
type ItemsBySpan = FxHashMap<(u32, u32, u32), Option<Rc<ItemTokens>>>;

/// The types that a name means, by the file that names them, and by the package before the name.
type TypesByName = FxHashMap<(u32, Box<str>, Option<Box<str>>), Vec<Definition>>;

/// The base types of a type that are of the tree, and whether these are all.
pub(super) type KnownBases = (Vec<Definition>, bool);

/// An expression: the file, the item, the symbol around the expression, and the last token.
pub(super) type ExpressionKey = (u32, Span, Option<u32>, u32);

/// The types of an expression, and its first token; `None` for what is not an expression.
pub(super) type TypedExpression = Option<(Vec<WrittenType>, usize)>;

/// Structs and interfaces of Go, each with a type that it embeds.
pub(crate) type Embeddings = Vec<(Definition, WrittenType)>;

/// Types by file and byte.
type TypesByPlace = FxHashMap<(u32, u32), Rc<[WrittenType]>>;

/// The known types of a graph.
#[derive(Default)]
pub(crate) struct DeclaredTypes {
    pub(super) items: RefCell<ItemsBySpan>,
    pub(super) expressions: KnownEvaluations<ExpressionKey, TypedExpression>,
    /// The definitions of types by the file that names them.
    pub(super) types: RefCell<TypesByName>,
    pub(super) readings: RefCell<FxHashMap<u32, Option<Rc<FileReading>>>>,
    /// The written types whose names are looked up at present, by file and byte. A variable may have its own name in its type.
    pub(super) open: RefCell<Vec<(u32, u32)>>,
    /// The base types of types by file and place, in languages whose scopes are read.
    pub(super) bases: RefCell<FxHashMap<(u32, u32), Rc<KnownBases>>>,
    /// The types of the receivers of blocks of Kotlin.
    pub(super) blocks: RefCell<TypesByPlace>,
    pub(crate) embeddings: RefCell<FxHashMap<u32, Rc<Embeddings>>>,
}
