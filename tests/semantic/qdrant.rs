//! Vectors that several machines share by a server of Qdrant. No registry carries the server, so a loopback server in Python
//! has Qdrant's own engine in its process.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::model::write_table;
use super::server::Server;
use super::support::{self, Ran, Tree, skipped};
use super::{TREE, asked, build, enable};

const KEY: &str = "qdrant-test-12345";

/// The engine of Qdrant in another process.
struct Qdrant {
    child: Child,
    url: String,
}

impl Qdrant {
    fn start() -> Option<Qdrant> {
        let python = std::env::var_os("SPYHOP_QDRANT_PYTHON")?;
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/semantic/qdrant.py");
        let mut command = Command::new(python);
        let mut child = command.args([script, KEY]).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Some(Qdrant { child, url: format!("http://127.0.0.1:{}", port.trim()) })
    }
}

impl Drop for Qdrant {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn with_key(tree: &Tree, args: &[&str]) -> Ran {
    support::ran(tree.command().args(args).env("QDRANT_KEY", KEY).env("SPYHOP_LOG", "trace"), "")
}

/// Opts in to a server whose collection is named.
fn share(tree: &Tree, url: &str) -> Ran {
    let args = ["--qdrant-url", url, "--qdrant-collection", "ours", "--key-variable", "QDRANT_KEY"];
    with_key(tree, &[&["semantic", "enable"], &args[..]].concat())
}

#[test]
fn one_machine_makes_vectors_and_another_takes_them() {
    let Some(qdrant) = Qdrant::start() else {
        return skipped("a store in Qdrant: SPYHOP_QDRANT_PYTHON names no Python with qdrant-client");
    };
    let server = Server::start();
    let (one, two) = (Tree::new(TREE), Tree::new(TREE));
    let status = |tree: &Tree| tree.json(&["semantic", "status"]);
    for tree in [&one, &two] {
        enable(tree, &server, &[]);
        assert_eq!(share(tree, &qdrant.url).code, 0);
        assert_eq!(status(tree)["qdrant"], qdrant.url);
    }
    let ran = support::ran(one.command().args(["semantic", "build"]).env_remove("QDRANT_KEY"), "");
    assert!(ran.code == 2 && ran.err.contains("QDRANT_KEY not configured"), "{}", ran.err);
    let wrong = support::ran(one.command().args(["semantic", "build"]).env("QDRANT_KEY", "wrong"), "");
    assert!(
        wrong.code == 2 && wrong.err.contains("Qdrant at ") && wrong.err.contains("401"),
        "{}",
        wrong.err
    );
    assert_eq!(server.n_calls(), 0, "a text is sent only if its vector can be kept");
    let ran = with_key(&one, &["semantic", "build"]);
    assert!(
        ran.code == 0 && ran.out.contains("4 parts sent") && !ran.err.contains(KEY),
        "{}{}",
        ran.out,
        ran.err
    );
    let sent = server.texts().len();
    let ran = with_key(&two, &["semantic", "build"]);
    assert!(ran.out.contains("4 files: 4 stored vectors taken, 0 parts sent"), "{}{}", ran.out, ran.err);
    assert_eq!(server.texts().len(), sent);
    assert_eq!(asked(&one), asked(&two));
    // Only what the collection lacks is made; its vectors are there for the next.
    two.write("src/new.rs", "/// The present.\npub fn present() {}\n");
    let ran = with_key(&two, &["semantic", "build"]);
    assert!(ran.out.contains("1 parts sent"), "{}", ran.out);
    // Another model in the collection is told, and nothing is mixed.
    let table = one.index_dir().with_file_name("table");
    write_table(&table);
    assert_eq!(one.run(&["semantic", "enable", "--table", table.to_str().unwrap()]).code, 0);
    let ran = with_key(&one, &["semantic", "build"]);
    assert!(
        ran.code == 2 && ran.err.contains("its vectors have 24 numbers, and those of the model 8"),
        "{}",
        ran.err
    );
    // A server that is gone ends a build, and no search.
    let before = asked(&two);
    drop(qdrant);
    assert_eq!(asked(&two), before);
    assert_eq!(status(&two)["files_with_vectors"], 5);
}

#[test]
fn a_server_that_does_not_answer_ends_a_build() {
    let tree = Tree::new(TREE);
    let ran = share(&tree, "http://127.0.0.1:1");
    assert!(ran.code == 2 && ran.err.contains("no model is enabled whose vectors"), "{}", ran.err);
    let table = tree.index_dir().with_file_name("table");
    write_table(&table);
    assert_eq!(tree.run(&["semantic", "enable", "--table", table.to_str().unwrap()]).code, 0);
    build(&tree);
    for url in ["http://qdrant.example.org", "ftp://host"] {
        let ran = share(&tree, url);
        assert!(ran.code == 2 && ran.err.contains("https://"), "{}", ran.err);
    }
    assert_eq!(share(&tree, "http://127.0.0.1:1").code, 0);
    tree.write("src/new.rs", "/// The present.\npub fn present() {}\n");
    let before = asked(&tree);
    let ran = with_key(&tree, &["semantic", "build"]);
    let expected = "collection ours of Qdrant at http://127.0.0.1:1 gave no answer";
    assert!(ran.code == 2 && ran.err.contains(expected), "{}", ran.err);
    assert!(ran.err.contains("the next build goes on from there") && !ran.err.contains(KEY), "{}", ran.err);
    assert_eq!(asked(&tree), before);
}
