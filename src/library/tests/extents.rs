//! Repositories of a few objects that would be written as very many or very large files.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::place::{TestPlace, git};
use crate::api::AddRequest;
use spyhop_engine::ErrorKind;

/// The output of a git command with an input.
fn piped(dir: &Path, arguments: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(arguments).current_dir(dir);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

/// A repository whose folders have `width` entries of one object each, `height` of them above the file.
fn repeated(dir: &Path, file: &[u8], width: usize, height: usize) {
    git(dir, "init -q");
    let mut object = piped(dir, &["hash-object", "-w", "--stdin"], file);
    for level in 0..height {
        let kind = if level == 0 { "100644 blob" } else { "040000 tree" };
        let entries: String = (0..width).map(|entry| format!("{kind} {object}\t{entry:03}\n")).collect();
        object = piped(dir, &["mktree"], entries.as_bytes());
    }
    let commit = piped(dir, &["commit-tree", "-m", "one", &object], b"");
    git(dir, &format!("update-ref refs/heads/main {commit}"));
}

/// The error of adding a repository, of which nothing is left in the library.
fn refused(place: &TestPlace, dir: &Path) -> String {
    let error = place.add_with(&AddRequest::new(format!("file://{}", dir.display()))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadSource, "{error}");
    for folder in ["raw", "staging", "jobs"] {
        assert_eq!(fs::read_dir(place.path("library").join(folder)).unwrap().count(), 0, "{folder}");
    }
    error.to_string()
}

#[test]
fn ten_thousand_million_files_of_eleven_objects_are_refused() {
    let place = TestPlace::new();
    let dir = place.project("repo");
    repeated(&dir, b"", 10, 10);
    let error = refused(&place, &dir);
    assert!(error.contains("has 11111111110 entries, above the limit of 500000"), "{error}");
}

#[test]
fn gigabytes_of_four_objects_are_refused() {
    let place = TestPlace::new();
    let dir = place.project("repo");
    repeated(&dir, &vec![b'x'; 1 << 20], 50, 2);
    let error = refused(&place, &dir);
    assert!(error.contains("has 2621440000 bytes of files, above the limit of 1048576000"), "{error}");
}

#[test]
fn a_file_at_many_places_is_written_within_the_limits() {
    let place = TestPlace::new();
    let dir = place.project("repo");
    repeated(&dir, b"pub fn resolve_api_key() {}\n", 5, 3);
    let source = place.add_with(&AddRequest::new(format!("file://{}", dir.display()))).unwrap().source;
    assert_eq!((source.files, source.bytes), (125, 125 * 28));
}
