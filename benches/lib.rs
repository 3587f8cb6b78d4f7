//! Benchmarks of the rooms of Spyhop, each in a file of its own.
