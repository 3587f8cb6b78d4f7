//! The library as a host embeds it: by the names that the crate exports at its root, and without the program.

mod asynchronous;
mod examples;
mod front_door;
mod host_signals;
mod hosted_changes;
mod in_memory;
mod serialized;
mod support;
