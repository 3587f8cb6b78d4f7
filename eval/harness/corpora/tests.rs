//! What is pinned, got and unpacked, without a network: archives are made here, the repository is a local one.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use super::pins::{self, Corpus};
use super::unpack::{self, Checksum, UnpackError};
use super::{Done, Problem, chosen, clients, one, verified};
use crate::sets;

const NONE: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn checksum(text: &str) -> Checksum {
    Checksum::try_from(text.to_string()).unwrap()
}

/// An archive of files whose names are written as they are, safe or not; a text that begins with `->` is a link.
fn archive(folder: &Path, files: &[(&str, &str)]) -> std::path::PathBuf {
    let path = folder.join("made.tar.gz");
    let mut made = tar::Builder::new(GzEncoder::new(File::create(&path).unwrap(), Compression::fast()));
    for (name, text) in files {
        let mut header = tar::Header::new_old();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_mode(0o644);
        let text = match text.strip_prefix("->") {
            Some(to) => {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_link_name(to).unwrap();
                ""
            }
            None => text,
        };
        header.set_size(text.len() as u64);
        header.set_cksum();
        made.append(&header, text.as_bytes()).unwrap();
    }
    made.into_inner().unwrap().finish().unwrap();
    path
}

fn pinned(from: &str, tree: &str) -> Corpus {
    let text = format!(
        "[[corpora]]\nname = \"made\"\nabout = \"a test\"\nlanguages = [\"c\"]\nroot = \".\"\n\
         tree = \"{tree}\"\nfrom = {from}\n"
    );
    pins::parse("test.toml", &text).unwrap().pop().unwrap()
}

#[test]
fn the_first_folder_is_taken_off_and_links_are_left_out() {
    let here = TempDir::new().unwrap();
    let made = archive(here.path(), &[("top/a.c", "one"), ("top/b/c.c", "two"), ("top/b/out", "->/etc")]);
    let tree = here.path().join("tree");
    unpack::unpack(&made, &tree).unwrap();
    assert_eq!(fs::read_to_string(tree.join("a.c")).unwrap(), "one");
    assert_eq!(fs::read_to_string(tree.join("b/c.c")).unwrap(), "two");
    assert!(fs::symlink_metadata(tree.join("b/out")).is_err());
}

#[test]
fn nothing_is_written_outside() {
    for name in ["../away", "top/../../away", "/away", "away"] {
        let here = TempDir::new().unwrap();
        let made = archive(here.path(), &[(name, "x")]);
        let done = unpack::unpack(&made, &here.path().join("tree"));
        assert!(
            matches!(&done, Err(UnpackError::Outside(named)) if named.contains("away")),
            "{name}: {done:?}"
        );
        let left: Vec<_> =
            fs::read_dir(here.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{name}: {left:?}");
    }
}

#[test]
fn a_link_cannot_be_written_through() {
    let here = TempDir::new().unwrap();
    let aim = here.path().join("aim");
    fs::create_dir(&aim).unwrap();
    let link = format!("->{}", aim.display());
    let made = archive(here.path(), &[("top/sub", &link), ("top/sub/file", "x")]);
    unpack::unpack(&made, &here.path().join("tree")).unwrap();
    assert_eq!(fs::read_dir(&aim).unwrap().count(), 0);
    assert_eq!(fs::read_to_string(here.path().join("tree/sub/file")).unwrap(), "x");
}

#[test]
fn a_broken_archive_and_another_archive_are_told_apart() {
    let here = TempDir::new().unwrap();
    let made = archive(here.path(), &[("top/a.c", &"text ".repeat(10_000))]);
    let right = unpack::file(&made).unwrap();
    assert!(verified(made.clone(), right).is_ok());
    assert!(matches!(verified(made.clone(), checksum(NONE)), Err(Problem::Archive { .. })));
    let bytes = fs::read(&made).unwrap();
    fs::write(&made, &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(verified(made.clone(), right), Err(Problem::Archive { .. })));
    assert!(matches!(unpack::unpack(&made, &here.path().join("tree")), Err(UnpackError::Io(_))));
}

/// The value is what `printf 'a\0001\0xb/c\0002\0yz' | sha256sum` prints.
#[test]
fn a_tree_has_the_documented_checksum_and_any_change_another() {
    let here = TempDir::new().unwrap();
    let root = here.path();
    assert_eq!(unpack::tree(root).unwrap().to_string(), NONE);
    fs::create_dir(root.join("b")).unwrap();
    fs::write(root.join("b/c"), "yz").unwrap();
    fs::write(root.join("a"), "x").unwrap();
    let documented = "f88ae00b251ca22aab0c813ad942454e53e73fa1e34ed5144687c73897335e83";
    assert_eq!(unpack::tree(root).unwrap().to_string(), documented);
    fs::write(root.join("a"), "y").unwrap();
    assert_ne!(unpack::tree(root).unwrap().to_string(), documented);
    fs::write(root.join("a"), "x").unwrap();
    fs::write(root.join("d"), "").unwrap();
    assert_ne!(unpack::tree(root).unwrap().to_string(), documented);
}

#[test]
fn a_tree_that_is_there_is_verified_and_never_overwritten() {
    let trees = TempDir::new().unwrap();
    let place = trees.path().join("made");
    fs::create_dir(&place).unwrap();
    fs::write(place.join("a.c"), "one").unwrap();
    let sum = unpack::tree(&place).unwrap().to_string();
    // Nothing could be fetched from there, so nothing was tried.
    let from = format!("{{ kind = \"git\", url = \"file:///nowhere\", revision = \"{}\" }}", "0".repeat(40));
    let corpus = pinned(&from, &sum);
    assert_eq!(one(&corpus, trees.path()).unwrap(), Done::WasThere);
    fs::write(place.join("a.c"), "two").unwrap();
    assert!(matches!(one(&corpus, trees.path()), Err(Problem::Differs { .. })));
    assert_eq!(fs::read_to_string(place.join("a.c")).unwrap(), "two");
}

#[test]
fn a_revision_is_fetched_once_and_a_failure_leaves_nothing() {
    let here = TempDir::new().unwrap();
    let source = here.path().join("source");
    fs::create_dir_all(source.join("src")).unwrap();
    fs::write(source.join("src/a.c"), "one\r\n").unwrap();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&source).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]).args(arguments);
        let done = git.output().expect("git is needed for this test");
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stdout).unwrap().trim().to_string()
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let from = |revision: &str| {
        format!("{{ kind = \"git\", url = \"file://{}\", revision = \"{revision}\" }}", source.display())
    };
    let head = git(&["rev-parse", "HEAD"]);
    let trees = here.path().join("trees");
    fs::create_dir(&trees).unwrap();
    assert!(matches!(one(&pinned(&from(&head), NONE), &trees), Err(Problem::Tree { .. })));
    assert!(matches!(one(&pinned(&from(&"1".repeat(40)), NONE), &trees), Err(Problem::Client(_))));
    assert_eq!(fs::read_dir(&trees).unwrap().count(), 0);
    let plain = here.path().join("plain");
    fs::create_dir_all(plain.join("src")).unwrap();
    fs::write(plain.join("src/a.c"), "one\r\n").unwrap();
    let corpus = pinned(&from(&head), &unpack::tree(&plain).unwrap().to_string());
    assert_eq!(one(&corpus, &trees).unwrap(), Done::Fetched);
    assert_eq!(fs::read_to_string(trees.join("made/src/a.c")).unwrap(), "one\r\n");
    assert_eq!(one(&corpus, &trees).unwrap(), Done::WasThere);
}

#[test]
fn what_clients_say_is_understood() {
    let said = "  Link requires a different Python (3.11): \
                Found link https://a.example/x-1.0.tar.gz#sha256=00 (from https://a.example/x/), version: 1.0\n  \
                Found link https://a.example/x-1.0-py3-none-any.whl#sha256=00 (from b), version: 1.0\n  \
                Found link https://a.example/x-1.0.1.tar.gz#sha256=00 (from b), version: 1.0.1\n  \
                Found link https://a.example/x-1.0.tar.gz#sha256=00 (from b) (requires-python:>=3), version: 1.0";
    assert_eq!(clients::sdist(said, "1.0"), Some("https://a.example/x-1.0.tar.gz"));
    assert_eq!(clients::sdist(said, "1"), None);
    let known = "Package: x\nVersion: 1:2.3-4+deb12u1\n\nVersion: 2.3.1~rc1-1\nVersion: 5\n";
    assert_eq!(clients::full_version(known, "2.3"), Some("1:2.3-4+deb12u1"));
    assert_eq!(clients::full_version(known, "5"), Some("5"));
    assert_eq!(clients::full_version(known, "2.3.1"), None);
}

#[test]
fn pins_that_could_mean_something_else_are_refused_with_their_line() {
    let good = |name: &str, from: &str| {
        format!(
            "# pins\n[[corpora]]\nname = \"{name}\"\nabout = \"\"\nlanguages = []\nroot = \".\"\ntree = \"{NONE}\"\nfrom = {from}\n"
        )
    };
    let package = |name: &str, version: &str| {
        format!("{{ kind = \"npm\", package = \"{name}\", version = \"{version}\", sha256 = \"{NONE}\" }}")
    };
    let check = |text: &str, expected: &str| {
        let found = pins::parse("p.toml", text).err().map_or("fine".to_string(), |error| error.to_string());
        assert_eq!(found, expected, "{text}");
    };
    check(&good("a.b-c", &package("@s/p", "1.0")), "fine");
    check(&good("..", &package("p", "1.0")), "p.toml:2: '..' cannot be the name of a folder");
    check(&good("a/b", &package("p", "1.0")), "p.toml:2: 'a/b' cannot be the name of a folder");
    check(&good("a", &package("--registry=x", "1.0")), "p.toml:2: '--registry=x' is no name of a package");
    check(&good("a", &package("p", "1.0 x")), "p.toml:2: '1.0 x' is no version");
    check(
        &good("a", "{ kind = \"git\", url = \"file:///x\", revision = \"main\" }"),
        "p.toml:2: 'main' is not the full hash of a commit",
    );
    let twice = good("a", &package("p", "1.0"));
    check(&format!("{twice}{twice}"), "p.toml:10: 'a' is pinned twice");
}

/// The sets beside the pins are about pinned trees, say the same about them, and have enough of each kind.
#[test]
fn the_built_in_pins_and_the_sets_agree() {
    let corpora = pins::built_in().unwrap();
    assert!(corpora.len() >= 4);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sets");
    for corpus in &corpora {
        let set = sets::read(&folder.join(&corpus.name).with_extension("toml")).unwrap_or_else(|error| {
            panic!("{}: {error}", corpus.name);
        });
        let [tree] = &set.trees[..] else { panic!("{}: a set of one tree is expected", corpus.name) };
        assert_eq!((&tree.folder, &tree.root), (&corpus.name, &corpus.root));
        assert!(tree.language.as_ref().is_some_and(|language| corpus.languages.contains(language)));
        let of = |kind: &str| tree.queries.iter().filter(|query| query.kind == kind).count();
        assert!(of("semantic") >= 10 && of("architecture") >= 5 && of("symbol") >= 5, "{}", corpus.name);
        assert_eq!(of("semantic") + of("architecture") + of("symbol"), tree.queries.len());
    }
    let unknown = chosen(&corpora, &["nothing".to_string()]).unwrap_err().to_string();
    assert!(unknown.starts_with("nothing is pinned as 'nothing'; there are beets, "), "{unknown}");
}
