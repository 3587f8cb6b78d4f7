//! The declarations of one name in a file, found by the place of a use.

use std::cell::OnceCell;

/// A part of a value that a pattern names. The figures are indexes of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValuePart {
    Element,
    /// A value that is received from a channel of Go.
    Received,
    /// What a context manager yields, as in `with value as name`.
    Entered,
    /// The member with the name at this token, as in `const { name } = value`.
    Member(usize),
    /// One of several values.
    OfTuple(usize),
    /// The parameter with a number of a function.
    Parameter(usize),
    /// A value in the variant whose name is this token.
    OfVariant(usize, usize),
    /// The field whose name is the second token, of the variant or struct whose name is the first token.
    OfField(usize, usize),
}

/// The source of the type of a local name. The figures are indexes of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LocalSource {
    /// The tokens of a type.
    Written(usize, usize),
    /// The tokens of a type, and the parts that lead from it to the name, outermost first.
    PartOfType(usize, usize, Vec<ValuePart>),
    /// The tokens of a value, and the parts that lead from it to the name, outermost first.
    Value(usize, usize, Vec<ValuePart>),
    /// A parameter of a function that is an argument of a call.
    Parameter(LambdaParameter),
    /// The name of a called function, and the number of the argument through which the function hands the value out.
    HandedOut(usize, usize),
    /// A function or class.
    Item,
    /// The name is declared without any of these.
    Untyped,
}

impl LocalSource {
    /// A part of what this source gives.
    pub fn part(mut self, part: ValuePart) -> LocalSource {
        match &mut self {
            LocalSource::Value(_, _, parts) | LocalSource::PartOfType(_, _, parts) => parts.push(part),
            LocalSource::Written(from, to) => return LocalSource::PartOfType(*from, *to, vec![part]),
            LocalSource::Parameter(own) => own.parts.push(part),
            LocalSource::HandedOut(..) | LocalSource::Item | LocalSource::Untyped => {
                return LocalSource::Untyped;
            }
        }
        self
    }
}

/// A parameter of a function that is an argument, as in `pools.forEach(pool -> pool.take())`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LambdaParameter {
    /// The token of the name of the called function.
    pub called: usize,
    /// The number of the argument.
    pub argument: usize,
    /// The number of the parameter, and how many there are.
    pub number: usize,
    pub count: usize,
    /// The parts that lead from the parameter to the name, outermost first.
    pub parts: Vec<ValuePart>,
}

/// The declaration of a name.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    /// The byte at which the name begins.
    pub at: u32,
    /// The bytes in which the name has this meaning.
    pub scope: (u32, u32),
    pub source: LocalSource,
    /// Whether the scope is the whole file.
    pub is_global: bool,
    /// Whether the scope is the body of a class, which its methods do not see.
    pub is_in_class: bool,
}

impl Declaration {
    /// Whether a function or a class is declared.
    pub fn is_item(&self) -> bool {
        self.source == LocalSource::Item
    }
}

/// From this number of declarations on, the declarations are sorted before one is looked for.
const MIN_SORTED: usize = 16;

/// The declarations of one name.
#[derive(Default)]
pub(super) struct NameDeclarations {
    /// In the order in which they were found.
    all: Vec<Declaration>,
    sorted: OnceCell<Vec<ScopeDeclarations>>,
}

/// The declarations of a name in one scope.
struct ScopeDeclarations {
    scope: (u32, u32),
    /// The greatest end of this scope and of those before it, without the scope of the whole file.
    greatest_end: u32,
    /// In the order of their places.
    all: Vec<Declaration>,
}

impl NameDeclarations {
    pub fn add(&mut self, declaration: Declaration) {
        self.sorted.take();
        self.all.push(declaration);
    }

    /// In the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Declaration> {
        self.all.iter()
    }

    /// The declaration that a use at a byte means: of those that are visible there and that `takes` chooses, that of the
    /// innermost scope, there the last one before the byte. `takes` chooses by the scope. `looked` is told the number of
    /// scopes that were looked at.
    pub fn at(
        &self,
        at: u32,
        takes: impl Fn(&Declaration) -> bool,
        looked: impl Fn(usize),
    ) -> Option<&Declaration> {
        let key = |it: &&Declaration| {
            let order = if it.at <= at { (false, at - it.at) } else { (true, it.at - at) };
            (it.scope.1 - it.scope.0, order)
        };
        let is_visible = |it: &&Declaration| it.scope.0 <= at && at < it.scope.1 && takes(it);
        if self.all.len() < MIN_SORTED {
            return self.all.iter().filter(is_visible).min_by_key(key);
        }
        let scopes = self.sorted.get_or_init(|| sorted(&self.all));
        let next = scopes.partition_point(|scope| scope.scope.0 <= at);
        let whole_file = scopes.first().filter(|first| first.scope == WHOLE_FILE);
        let before = scopes[..next].iter().rev().take_while(|scope| at < scope.greatest_end);
        let nearest = |scope: &'_ ScopeDeclarations| {
            looked(1);
            let next = scope.all.partition_point(|declaration| declaration.at <= at);
            // Of two declarations at one place the first counts.
            let last = next.checked_sub(1).map(|last| scope.all[last].at);
            last.map_or(0, |last| scope.all.partition_point(|declaration| declaration.at < last))
        };
        let found = before.chain(whole_file).map(|scope| &scope.all[nearest(scope)]);
        found.filter(is_visible).min_by_key(key)
    }
}

/// The scope of what is declared for a whole file.
const WHOLE_FILE: (u32, u32) = (0, u32::MAX);

/// Declarations by their scopes, in the order of the scopes.
fn sorted(all: &[Declaration]) -> Vec<ScopeDeclarations> {
    let mut all = all.to_vec();
    // A scope that contains another one with the same begin is before that one.
    all.sort_by_key(|it| (it.scope.0, std::cmp::Reverse(it.scope.1), it.is_in_class, it.at));
    let of_scope = |one: &Declaration, other: &Declaration| {
        (one.scope, one.is_in_class) == (other.scope, other.is_in_class)
    };
    let mut greatest_end = 0;
    let scopes = all.chunk_by(of_scope).map(|all| {
        let scope = all[0].scope;
        if scope != WHOLE_FILE {
            greatest_end = scope.1.max(greatest_end);
        }
        ScopeDeclarations { scope, greatest_end, all: all.to_vec() }
    });
    scopes.collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn declaration(at: u32, scope: (u32, u32)) -> Declaration {
        let is_global = scope == WHOLE_FILE;
        Declaration { at, scope, source: LocalSource::Item, is_global, is_in_class: scope.0 % 3 == 1 }
    }

    /// Declarations in functions of ten bytes each, in parts of these, and in the whole file.
    fn declared() -> impl Strategy<Value = Vec<Declaration>> {
        let scope = prop_oneof![
            Just(WHOLE_FILE),
            (0..8_u32).prop_map(|n| (10 * n, 10 * n + 10)),
            (0..80_u32, 1..10_u32).prop_map(|(start, len)| (start, start + len)),
        ];
        proptest::collection::vec((0..90_u32, scope), 0..60)
            .prop_map(|all| all.into_iter().map(|(at, scope)| declaration(at, scope)).collect())
    }

    proptest! {
        #[test]
        fn sorted_declarations_are_found_as_unsorted_ones(all in declared(), at in 0..95_u32, class in 0..90_u32) {
            let mut names = NameDeclarations::default();
            all.iter().for_each(|declaration| names.add(declaration.clone()));
            let takes = |declaration: &Declaration| !declaration.is_in_class || declaration.scope.0 == class;
            let visible = all.iter().filter(|declaration| declaration.scope.0 <= at && at < declaration.scope.1 && takes(declaration));
            let expected = visible.min_by_key(|declaration| {
                let order = if declaration.at <= at { (false, at - declaration.at) } else { (true, declaration.at - at) };
                (declaration.scope.1 - declaration.scope.0, order)
            });
            let found = names.at(at, takes, |_| ());
            prop_assert_eq!(found.map(|found| (found.at, found.scope)), expected.map(|found| (found.at, found.scope)));
        }
    }

    #[test]
    fn few_of_many_scopes_are_looked_at() {
        let mut names = NameDeclarations::default();
        (0..10_000).for_each(|n| names.add(declaration(9 * n + 3, (9 * n, 9 * n + 9))));
        (0..10_000).for_each(|n| names.add(declaration(9 * n, WHOLE_FILE)));
        let looked = Cell::new(0);
        let found = names
            .at(45_005, |declaration| !declaration.is_in_class, |n| looked.set(looked.get() + n))
            .unwrap();
        assert_eq!((found.at, found.scope), (45_003, (45_000, 45_009)));
        assert!(looked.get() < 5, "{}", looked.get());
    }
}
