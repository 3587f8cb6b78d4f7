//! Nothing. The test `main.rs` is the program.
