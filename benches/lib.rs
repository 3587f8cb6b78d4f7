//! Benchmarks of the rooms of Spyhop, each in a separate file.
