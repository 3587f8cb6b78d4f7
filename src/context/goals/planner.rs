//! Optional helpers of the division of tasks. Without them the division is complete.

use std::sync::Arc;

use super::decompose::{Goal, MAX_GOALS, decompose};

/// Proposes the goals of a task and their order, such as by a language model.
pub trait Planner: Send + Sync {
    /// The goals in their order, given those of the grammar; `None` to keep these.
    fn plan(&self, task: &str, goals: &[Goal]) -> Option<Vec<Goal>>;
}

/// Judges whether two goals are about one region of the tree, such as by embeddings of their texts.
pub trait Clusterer: Send + Sync {
    /// How near two goals are, 0 to 1; `None` to compare the files that they find.
    fn nearness(&self, first: &Goal, second: &Goal) -> Option<f32>;
}

/// The optional helpers of a pack. By default there are none.
#[derive(Clone, Default)]
pub struct PackHelpers {
    /// Proposes goals, instead of those of the grammar.
    pub planner: Option<Arc<dyn Planner>>,
    /// Judges whether goals are about one region, instead of a comparison of the files that the goals find.
    pub clusterer: Option<Arc<dyn Clusterer>>,
}

impl std::fmt::Debug for PackHelpers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PackHelpers")
    }
}

/// The goals of a task by the grammar, or those that a planner proposes.
pub fn planned(task: &str, planner: Option<&dyn Planner>) -> Vec<Goal> {
    let goals = decompose(task);
    let proposed =
        planner.and_then(|planner| planner.plan(task, &goals)).filter(|proposed| !proposed.is_empty());
    let mut goals = proposed.unwrap_or(goals);
    goals.truncate(MAX_GOALS);
    goals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planner_may_change_the_order_and_no_planner_changes_nothing() {
        struct Backwards;
        impl Planner for Backwards {
            fn plan(&self, _: &str, goals: &[Goal]) -> Option<Vec<Goal>> {
                Some(goals.iter().rev().cloned().collect())
            }
        }
        let task = "cache the outline. mask the secrets";
        let texts = |planner: Option<&dyn Planner>| -> Vec<String> {
            planned(task, planner).into_iter().map(|goal| goal.text).collect()
        };
        assert_eq!(texts(Some(&Backwards)), ["mask the secrets", "cache the outline"]);
        assert_eq!(texts(None), ["cache the outline", "mask the secrets"]);
    }
}
