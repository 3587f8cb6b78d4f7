//! A library with sources of a user, for tests.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::api::{AddReply, AddRequest, LibraryOptions};
use crate::open::Library;
use spyhop_engine::Error;
use spyhop_engine::api::{Options, SearchRequest};

/// A folder with a library and the sources of a user.
pub(crate) struct TestPlace {
    folder: TempDir,
    pub library: Library,
}

pub(crate) fn library_at(root: PathBuf) -> Library {
    Library::open(LibraryOptions { root: Some(root), ..LibraryOptions::default() }).unwrap()
}

impl TestPlace {
    pub fn new() -> TestPlace {
        let folder = tempfile::tempdir().unwrap();
        let library = library_at(folder.path().canonicalize().unwrap().join("library"));
        TestPlace { folder, library }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Writes the tree of a small project.
    pub fn project(&self, name: &str) -> PathBuf {
        let tree = self.path(name);
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::write(tree.join("src/auth.rs"), "pub fn resolve_api_key() {}\n").unwrap();
        fs::write(
            tree.join("Cargo.toml"),
            "[package]\nname = \"keys\"\nversion = \"1.2.0\"\nlicense = \"MIT\"\n",
        )
        .unwrap();
        tree
    }

    pub fn add(&self, source: &Path) -> Result<AddReply, Error> {
        self.add_with(&AddRequest::new(source.to_str().unwrap()))
    }

    pub fn add_with(&self, request: &AddRequest) -> Result<AddReply, Error> {
        self.library.add(request, &Options::default(), &|_| ())
    }

    /// The path of the first hit.
    pub fn found(&self, name: &str) -> String {
        let engine = self.library.engine(name, Options::default()).unwrap();
        let reply = engine.search(&SearchRequest::new("api key")).unwrap();
        reply.results.first().map(|hit| hit.path.as_str().to_string()).unwrap_or_default()
    }
}

pub fn run(dir: &Path, program: &str, arguments: &[&str]) {
    let done = Command::new(program).args(arguments).current_dir(dir).output().unwrap();
    assert!(done.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

pub fn git(dir: &Path, arguments: &str) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"];
    let arguments: Vec<&str> = identity.into_iter().chain(arguments.split(' ')).collect();
    run(dir, "git", &arguments);
}

/// A tar archive with one folder at its top, as packages have.
pub(crate) fn tar_bytes(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, text) in entries {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}

pub fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) const PACKAGE: &[(&str, &str)] = &[
    ("keys-1.2.0/Cargo.toml", "[package]\nname = \"keys\"\nversion = \"1.2.0\"\nlicense = \"MIT\"\n"),
    ("keys-1.2.0/LICENSE", "MIT License\n"),
    ("keys-1.2.0/src/auth.rs", "pub fn resolve_api_key() {}\n"),
];
