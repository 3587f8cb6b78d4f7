//! What all suites share: trees of files, runs of the binary, random numbers, and tests without privileges.

// Each suite is a binary of its own and uses a part of this module.
#![allow(dead_code, unused_imports)]

#[cfg(unix)]
pub mod privilege;
mod random;
mod tree;

#[cfg(unix)]
pub use privilege::{is_root, unprivileged};
pub use random::Random;
pub use tree::{Ran, SMALL, Tree, copy_into, git, ran};
