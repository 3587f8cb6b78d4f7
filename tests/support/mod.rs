//! Fixtures that all suites share: trees of files, runs of the binary, random numbers, tests without privileges, and
//! reports of tests that cannot run.

// Each suite is a separate binary and uses a part of this module.
#![allow(dead_code, unused_imports)]

mod golden;
mod library;
mod nightly;
#[cfg(unix)]
pub mod privilege;
mod random;
mod repository;
mod skip;
mod tree;

pub use golden::golden;
pub use library::Shelf;
pub use nightly::cases;
#[cfg(unix)]
pub use privilege::{is_root, unprivileged};
pub use random::Random;
pub use repository::{program, repository};
pub use skip::skipped;
pub use tree::{Ran, SMALL, Tree, copy_into, git, ran};
