//! Retention: which views are dropped and why, the cost of a view, collections on request, and the removal of
//! other indexes to save space.

mod collected;
mod collector;
mod cost;
mod judge;
mod neighbours;
mod space;

pub use collected::{Collected, Collection, DropReason, Dropped, SpaceTarget};
pub use collector::Collector;
pub use cost::{Cost, Costs};
pub use judge::{Judged, Strictness, judge};
pub use neighbours::{IndexHome, Neighbour};
