//! Each example of `examples/` runs and prints what its comment promises.

use std::path::PathBuf;
use std::process::Command;

use crate::support::Tree;

/// Builds the examples, as `cargo test` without the name of a target does too.
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
    let tests = std::env::current_exe().unwrap();
    let folder: PathBuf = tests.parent().unwrap().parent().unwrap().join("examples");
    let mut command = Command::new(folder.join(name));
    command.args(args).current_dir(tree.root()).env("SPYHOP_INDEX_DIR", tree.beside("index"));
    let ran = command.output().unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(ran.status.success(), "{name}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn every_example_runs() {
    build();
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
