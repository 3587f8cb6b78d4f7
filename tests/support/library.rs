//! A library of three sources that use each other: a folder, a commit of a repository and an archive.

use std::process::Command;

use spyhop::{AddRequest, Library, LibraryOptions, Options, SourceManifest};

use super::{Tree, git};

/// A library beside a tree, which is its source `client`.
pub struct Shelf {
    pub tree: Tree,
    pub library: Library,
}

/// A folder: the package that uses the others.
const CLIENT: &str = r#"
=== Cargo.toml
[package]
name = "client"
=== src/lib.rs
use rate_limit::Bucket;
use rate_limit::retry::backoff_delay;

/// Sends a request, and waits between attempts.
pub fn send_request(bucket: &Bucket) -> u64 {
    bucket.take_permit();
    backoff_delay(3)
}
"#;

/// A repository: a crate.
const LIMITS: &str = r#"
=== Cargo.toml
[package]
name = "rate-limit"
=== src/lib.rs
pub mod retry;

/// Permits of requests.
pub struct Bucket;

impl Bucket {
    pub fn take_permit(&self) {}
}
=== src/retry.rs
/// The delay before the next attempt of a request.
pub fn backoff_delay(attempt: u64) -> u64 {
    attempt * 100
}
"#;

/// An archive: an npm package.
const PAGES: &str = r#"
=== package/package.json
{ "name": "@web/pages", "version": "2.0.0" }
=== package/index.js
// Shows how long a request waits for its next attempt.
export function showDelay(delay) {
  return `waiting ${delay} ms`;
}
"#;

impl Shelf {
    /// The three sources. `limits` and `pages` are in the group `deps`.
    pub fn new() -> Shelf {
        let tree = Tree::new(CLIENT);
        let library = Shelf::library_of(&tree);
        let shelf = Shelf { tree, library };
        shelf.add("client", shelf.tree.root().to_str().unwrap(), &[]);
        let limits = Tree::new(LIMITS);
        limits.git(&["init", "-q", "-b", "main"]);
        limits.commit();
        git(&limits.root(), &["tag", "v1"]);
        let request =
            AddRequest { reference: Some("v1".into()), ..AddRequest::new(limits.root().to_str().unwrap()) };
        shelf.add_with("limits", request, &["deps"]);
        let pages = Tree::new(PAGES);
        let archive = pages.root().join("pages-2.0.0.tgz");
        let packed = Command::new("tar")
            .current_dir(pages.root())
            .args(["-czf", archive.to_str().unwrap(), "package"])
            .status();
        assert!(packed.unwrap().success());
        shelf.add("pages", archive.to_str().unwrap(), &["deps"]);
        shelf
    }

    /// The library of a tree.
    pub fn library_of(tree: &Tree) -> Library {
        Library::open(LibraryOptions { root: Some(tree.library_dir()), ..LibraryOptions::default() }).unwrap()
    }

    pub fn add(&self, name: &str, source: &str, groups: &[&str]) -> SourceManifest {
        self.add_with(name, AddRequest::new(source), groups)
    }

    fn add_with(&self, name: &str, request: AddRequest, groups: &[&str]) -> SourceManifest {
        let groups = groups.iter().map(|group| group.to_string()).collect();
        let request = AddRequest { name: Some(name.into()), groups, ..request };
        self.library.add(&request, &Options::default(), &|_| ()).unwrap().source
    }
}
