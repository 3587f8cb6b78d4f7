//! Where the program and the files of this repository lie, for tests that use them.

use std::path::{Path, PathBuf};

/// The program `spyhop`, for the tests of its package. The tests of other packages only use the library.
#[allow(clippy::option_env_unwrap, reason = "only the tests of one package have the variable")]
pub fn program() -> &'static Path {
    Path::new(option_env!("CARGO_BIN_EXE_spyhop").expect("a test of the package spyhop-cli"))
}

/// The path of a file or folder of this repository. The tests of the program are built in `program/`.
pub fn repository(path: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("the package lies in the workspace").join(path)
}
