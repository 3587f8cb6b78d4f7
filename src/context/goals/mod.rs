//! Tasks in an agent's words, divided into goals.
//!
//! A task such as "add a retry limit to uploads and show it in the status page" asks about several regions of a tree.
//! [`decompose()`] divides the text by sentences, conjunctions and enumerations into up to [`MAX_GOALS`] goals, each with
//! a text that is a query by itself. The rules are a small grammar of English; the words are data ([`words`]). A text
//! that has one goal, or that the rules do not understand, stays one goal with the text as typed.
//!
//! [`regions()`] tells which goals are about one region of the tree, and [`chosen_mode`] how far a collection goes. A planner
//! and a semantic clusterer can be put in; without them the division is complete.

mod clauses;
mod decompose;
mod mode;
mod planner;
mod regions;
mod words;

pub use decompose::Goal;

pub use mode::{PackMode, ProbeFigures, chosen_mode};
pub use planner::{Clusterer, PackHelpers, Planner, planned};
pub use regions::{GoalHead, GoalPair, GoalRegion, GoalRegions, HeadFile, MergeReason, regions};
pub use words::{asks_only_for_review, demands};
