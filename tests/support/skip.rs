//! Reports of tests that cannot run on this machine.
//!
//! `cargo test` hides the output of tests that pass. `.ci/run` therefore names a file in `SPYHOP_SKIPPED`, to which these
//! reports are appended, and prints the file at its end.

use std::fs::OpenOptions;
use std::io::Write;

/// Reports that a test or a part of it does not run, with the reason.
pub fn skipped(reason: &str) {
    eprintln!("SKIPPED, NOTHING IS PROVED: {reason}");
    if let Some(list) = std::env::var_os("SPYHOP_SKIPPED") {
        // One write for each line, because many tests append at once.
        let mut list = OpenOptions::new().create(true).append(true).open(list).unwrap();
        list.write_all(format!("{reason}\n").as_bytes()).unwrap();
    }
}
