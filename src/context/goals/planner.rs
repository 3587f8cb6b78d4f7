//! Optional helpers of the division of tasks. Each has a twin that is disabled; with the twins the system is complete.

use std::sync::Arc;

use super::decompose::{Goal, MAX_GOALS, decompose};

/// Proposes the goals of a task and their order, such as by a language model.
pub trait Planner: Send + Sync {
    /// The goals in their order, given those of the grammar; `None` to keep these.
    fn plan(&self, task: &str, goals: &[Goal]) -> Option<Vec<Goal>>;
}

/// The planner that keeps the goals of the grammar.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoPlanner;

impl Planner for NoPlanner {
    fn plan(&self, _: &str, _: &[Goal]) -> Option<Vec<Goal>> {
        None
    }
}

/// Judges whether two goals are about one region of the tree, such as by embeddings of their texts.
pub trait Clusterer: Send + Sync {
    /// How near two goals are, 0 to 1; `None` to compare the files that they find.
    fn nearness(&self, first: &Goal, second: &Goal) -> Option<f32>;
}

/// The clusterer that compares the files that the goals find.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoClusterer;

impl Clusterer for NoClusterer {
    fn nearness(&self, _: &Goal, _: &Goal) -> Option<f32> {
        None
    }
}

/// The optional helpers of a pack. By default both are disabled.
#[derive(Clone)]
pub struct PackHelpers {
    /// Proposes goals.
    pub planner: Arc<dyn Planner>,
    /// Judges whether goals are about one region.
    pub clusterer: Arc<dyn Clusterer>,
}

impl Default for PackHelpers {
    fn default() -> PackHelpers {
        PackHelpers { planner: Arc::new(NoPlanner), clusterer: Arc::new(NoClusterer) }
    }
}

impl std::fmt::Debug for PackHelpers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PackHelpers")
    }
}

/// The goals of a task by the grammar, or those that a planner proposes.
pub fn planned(task: &str, planner: &dyn Planner) -> Vec<Goal> {
    let goals = decompose(task);
    let proposed = planner.plan(task, &goals).filter(|proposed| !proposed.is_empty());
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
        let texts = |planner: &dyn Planner| -> Vec<String> {
            planned(task, planner).into_iter().map(|goal| goal.text).collect()
        };
        assert_eq!(texts(&Backwards), ["mask the secrets", "cache the outline"]);
        assert_eq!(texts(&NoPlanner), ["cache the outline", "mask the secrets"]);
    }
}
