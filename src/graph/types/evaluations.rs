//! Evaluations whose results do not depend on what was evaluated before.

use std::cell::{Cell, RefCell};
use std::hash::Hash;

use rustc_hash::FxHashMap;

use spyhop_search::SearchError;

/// The steps of evaluation that one use may take.
const MAX_EVALUATIONS: u32 = 600;

/// The deepest nesting of evaluated expressions.
const MAX_DEPTH: usize = 100;

/// A result with what it costs.
struct Known<V> {
    result: V,
    /// The steps that the evaluation takes.
    steps: u32,
    /// The depth of the evaluations inside of this one, itself included.
    height: usize,
}

/// The results of evaluations by their keys, and what the present use may still evaluate.
///
/// A use whose evaluation needs too many steps, nests too deeply or meets itself again is cut: it has no result, and no
/// evaluation that was cut is kept. A known result costs as much as its evaluation, so a use is cut or not whether other
/// uses were evaluated before or not.
pub(super) struct KnownEvaluations<K, V> {
    known: RefCell<FxHashMap<K, Known<V>>>,
    /// The keys that are evaluated at present, outermost first.
    open: RefCell<Vec<K>>,
    left: Cell<u32>,
    /// The greatest depth of the evaluations inside of the present one.
    deepest: Cell<usize>,
    is_cut: Cell<bool>,
}

impl<K, V> Default for KnownEvaluations<K, V> {
    fn default() -> KnownEvaluations<K, V> {
        KnownEvaluations {
            known: RefCell::default(),
            open: RefCell::default(),
            left: Cell::new(0),
            deepest: Cell::new(0),
            is_cut: Cell::new(false),
        }
    }
}

impl<K: Copy + Eq + Hash, V: Clone + Default> KnownEvaluations<K, V> {
    /// Begins the evaluation of another use.
    pub fn begin(&self) {
        self.left.set(MAX_EVALUATIONS);
        self.is_cut.set(false);
    }

    /// Whether the present use was cut, and what was evaluated for it is not to be used.
    pub fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// The result for `key`, known or from `evaluate`.
    pub fn of(&self, key: K, evaluate: impl FnOnce() -> Result<V, SearchError>) -> Result<V, SearchError> {
        let depth = self.open.borrow().len();
        let known =
            self.known.borrow().get(&key).map(|known| (known.result.clone(), known.steps, known.height));
        if let Some((result, steps, height)) = known {
            let has_result = self.spend(steps, depth + height);
            return Ok(if has_result { result } else { V::default() });
        }
        if self.open.borrow().contains(&key) {
            self.is_cut.set(true);
        }
        let before = self.left.get();
        if !self.spend(1, depth + 1) {
            return Ok(V::default());
        }
        let around = self.deepest.replace(depth + 1);
        self.open.borrow_mut().push(key);
        let result = evaluate();
        self.open.borrow_mut().pop();
        let deepest = self.deepest.get();
        self.deepest.set(deepest.max(around));
        let result = result?;
        if self.is_cut() {
            return Ok(V::default());
        }
        let known =
            Known { result: result.clone(), steps: before - self.left.get(), height: deepest - depth };
        self.known.borrow_mut().insert(key, known);
        Ok(result)
    }

    /// Takes steps that reach a depth; `false` if the present use is cut.
    fn spend(&self, steps: u32, depth: usize) -> bool {
        match self.left.get().checked_sub(steps).filter(|_| depth <= MAX_DEPTH && !self.is_cut()) {
            Some(left) => {
                self.left.set(left);
                self.deepest.set(self.deepest.get().max(depth));
                true
            }
            None => {
                self.is_cut.set(true);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Evaluations that ask others: the value of a key is what the keys that it asks have, and the key itself.
    struct Asking {
        asked: Vec<Vec<usize>>,
        evaluations: KnownEvaluations<usize, Vec<usize>>,
        runs: Cell<usize>,
    }

    impl Asking {
        fn new(asked: Vec<Vec<usize>>) -> Asking {
            Asking { asked, evaluations: KnownEvaluations::default(), runs: Cell::new(0) }
        }

        fn value(&self, key: usize) -> Vec<usize> {
            let evaluate = || {
                self.runs.set(self.runs.get() + 1);
                let mut found: Vec<usize> =
                    self.asked[key].iter().flat_map(|other| self.value(*other)).chain([key]).collect();
                found.sort_unstable();
                found.dedup();
                Ok(found)
            };
            self.evaluations.of(key, evaluate).unwrap()
        }

        /// The value of a use; `None` if the use was cut.
        fn of_use(&self, key: usize) -> Option<Vec<usize>> {
            self.evaluations.begin();
            let value = self.value(key);
            (!self.evaluations.is_cut()).then_some(value)
        }
    }

    /// Keys that ask keys near them, as chains of calls do, and rarely any key, so that there are circles.
    fn asked() -> impl Strategy<Value = Vec<Vec<usize>>> {
        let one = (proptest::collection::vec(1..3_usize, 0..3), 0..400_usize, 0..160_usize);
        proptest::collection::vec(one, 160).prop_map(|all| {
            let asked = all.into_iter().enumerate().map(|(key, (near, chance, far))| {
                let near = near.into_iter().filter_map(|back| key.checked_sub(back));
                near.chain((chance == 0).then_some(far)).collect()
            });
            asked.collect()
        })
    }

    proptest! {
        #[test]
        fn the_value_of_a_use_does_not_depend_on_the_order_of_uses(
            asked in asked(),
            order in Just((0..160).collect::<Vec<usize>>()).prop_shuffle(),
        ) {
            let together = Asking::new(asked.clone());
            for key in order {
                let alone = Asking::new(asked.clone());
                prop_assert_eq!(together.of_use(key), alone.of_use(key), "{}", key);
            }
        }
    }

    #[test]
    fn uses_are_cut_by_steps_by_depth_and_by_circles() {
        let doubled = Asking::new((0..20_usize).map(|key| vec![key.saturating_sub(1); 2.min(key)]).collect());
        assert!(doubled.of_use(8).is_some(), "511 steps");
        assert_eq!(doubled.of_use(9), None, "1,023 steps");
        assert_eq!(doubled.runs.get(), 10, "each key once");
        let chain = Asking::new((0..200_usize).map(|key| key.checked_sub(1).into_iter().collect()).collect());
        assert_eq!(chain.of_use(150), None);
        assert!(chain.of_use(99).is_some());
        assert_eq!(chain.of_use(100), None);
        let circle = Asking::new(vec![vec![1], vec![2], vec![1], vec![]]);
        assert_eq!((circle.of_use(0), circle.of_use(1), circle.of_use(2)), (None, None, None));
        assert_eq!(circle.of_use(3), Some(vec![3]));
    }
}
