//! The values that expressions may have, and those that are known already.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use super::definition::Definition;
use super::scopes::Scopes;
use super::tokens::Tokens;
use spyhop_search::SearchError;

/// The tokens of a file with its declarations.
pub(super) struct FileReading {
    pub tokens: Tokens,
    pub scopes: Scopes,
}

/// The steps of evaluation that one use may take.
pub(super) const MAX_EVALUATIONS: u32 = 600;

/// A declaration or a function with the type of its receiver, by file and position.
type Evaluated = (u32, u32, Option<(u32, u32)>);

/// Values that are known, and the number of steps that the present use may still take.
#[derive(Default)]
pub(super) struct Evaluations {
    known: RefCell<FxHashMap<Evaluated, Vec<Value>>>,
    left: Cell<u32>,
}

impl Evaluations {
    /// Begins the evaluation of another use.
    pub fn begin(&self) {
        self.left.set(MAX_EVALUATIONS);
    }

    /// Takes one step; `false` if none is left.
    pub(crate) fn spend(&self) -> bool {
        let left = self.left.get().checked_sub(1);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The known values of `key`, or those of `evaluate`. Without steps left, and in a circle, there are none.
    pub fn of(
        &self,
        key: Evaluated,
        evaluate: impl FnOnce() -> Result<Vec<Value>, SearchError>,
    ) -> Result<Vec<Value>, SearchError> {
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(known.clone());
        }
        if !self.spend() {
            return Ok(Vec::new());
        }
        self.known.borrow_mut().insert(key, Vec::new());
        let values = evaluate()?;
        match values.is_empty() {
            // Another use may find more, from another depth.
            true => _ = self.known.borrow_mut().remove(&key),
            false => _ = self.known.borrow_mut().insert(key, values.clone()),
        }
        Ok(values)
    }
}

/// The meaning of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// An object of a type of the tree.
    Instance(Definition),
    /// A type of the tree.
    Class(Definition),
    /// The object itself with the members of the base types only.
    Super(Definition),
    /// A function, and the type of the object that it was taken from.
    Function(Definition, Option<Box<Definition>>),
    Module(Vec<u32>),
    /// An object of a written type: the tokens of a file.
    Written(u32, usize, usize),
    /// A collection whose elements have a written type: the tokens of a file.
    Elements(u32, usize, usize),
    /// Something that the tree does not define.
    Outside,
}
