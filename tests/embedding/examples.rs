//! Each example of `examples/` runs and prints what its comment promises.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::support::Tree;

/// The folder of the built examples.
fn folder() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.parent().unwrap().parent().unwrap().join("examples")
}

/// When the files of a folder whose names begin and end so were written.
fn times(folder: &Path, begin: &str, end: &str) -> Vec<SystemTime> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap());
    let programs = entries.filter(|entry| {
        entry.file_name().to_str().is_some_and(|name| name.starts_with(begin) && name.ends_with(end))
    });
    programs.map(|entry| entry.metadata().unwrap().modified().unwrap()).collect()
}

/// Whether each example was built after its source and after the library, as `cargo test` does without the name of a target.
fn are_built() -> bool {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/spyhop/examples");
    let names = sources.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let built = names.map(|source| {
        let name = source.file_stem().unwrap().to_str().unwrap();
        folder().join(format!("{name}{}", std::env::consts::EXE_SUFFIX)).metadata()?.modified()
    });
    let Ok(Some(oldest)) = built.collect::<Result<Vec<_>, _>>().map(|times| times.into_iter().min()) else {
        return false;
    };
    let libraries = folder().parent().unwrap().join("deps");
    let inputs = times(&sources, "", ".rs").into_iter().chain(times(&libraries, "libspyhop-", ".rlib"));
    inputs.max().is_some_and(|newest| newest <= oldest)
}

/// Builds the examples. A build of this package alone has other features than one of the workspace, so the library is built
/// again.
fn build() {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--quiet", "--package", "spyhop", "--examples", "--features", "async,serde"]);
    if !cfg!(debug_assertions) {
        cargo.arg("--release");
    }
    assert!(cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().unwrap().success());
}

/// The output of an example.
fn run(name: &str, args: &[&str], tree: &Tree) -> String {
    let mut command = Command::new(folder().join(name));
    command.args(args).current_dir(tree.root()).env("SPYHOP_INDEX_DIR", tree.beside("index"));
    let ran = command.output().unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn every_example_runs() {
    if !are_built() {
        build();
    }
    let tree = Tree::small();
    assert!(run("ask", &["resolve_api_key"], &tree).contains("src/auth.rs:2"));
    let batch = run("batch", &["resolve_api_key", "draw circle"], &tree);
    assert!(batch.contains("src/auth.rs") && batch.contains("src/paint.py"), "{batch}");
    assert!(run("in_memory", &[], &tree).starts_with("src/auth.rs:2 resolve_api_key\n"));
    let preferred = run("own_signal", &["resolve_api_key", "2.0"], &tree);
    assert!(
        preferred.starts_with("release/key.rs") && preferred.contains("marked as current"),
        "{preferred}"
    );
    assert!(run("own_signal", &["resolve_api_key", "-2.0"], &tree).starts_with("draft/key.rs"));
    let args = [".", "src/new.rs", "pub fn typed_just_now() {}", "typed_just_now"];
    let live = run("live_buffer", &args, &tree);
    assert!(live.contains("as saved: nothing") && live.contains("with the buffer: src/new.rs"), "{live}");
    assert!(!tree.root().join("src/new.rs").exists());
    let memory = run("memory", &[".", "resolve_api_key"], &tree);
    assert!(memory.contains("3 files indexed") && memory.trim_end().lines().count() == 9, "{memory}");
    let served = run("axum_service", &["resolve_api_key"], &tree);
    assert!(served.starts_with("HTTP/1.1 200 OK") && served.contains(r#""path":"src/auth.rs""#), "{served}");
    let refused = run("axum_service", &[""], &tree);
    assert!(refused.starts_with("HTTP/1.1 400") && refused.contains(r#""kind":"bad-request""#), "{refused}");
}
