//! Watching a tree: what changed in it, as the system tells, and the desk at which other processes ask whether all of
//! that is in the index.
//!
//! It owns what is asked of `notify` and of the clock between events. What becomes of a change is the engine's. Its
//! promise is one-sided: it may say that something changed that did not, never keep back what did, and where it cannot
//! know it says so ([`Inbox::next`] gives [`Next::Blind`]). What must be told it by stats, because the system tells
//! nobody, is a [`Stillness`].
//!
//! Folders are watched one by one, just before a walk lists them, and not recursively by `notify`: that one watches a
//! new folder only after it has told of it, so that what is created in it meanwhile is lost; it stops at the first
//! folder that it may not read; and it watches everything that ignore files leave out, for which limits are too small.

mod desk;
mod eyes;
mod inbox;
mod still;

pub use desk::{Counter, Desk, Patience};
pub use eyes::{Eyes, Ground, OF_GIT};
pub use inbox::{Changed, Inbox, Next, Pace, Work};
pub use still::Stillness;
