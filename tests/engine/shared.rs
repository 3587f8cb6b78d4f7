//! An index folder where other users can write: what they put there first is neither followed nor believed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use spyhop_engine::api::{Options, SearchRequest};
use spyhop_engine::{Engine, Error, ErrorKind};

use super::Tree;
use crate::support::{SMALL, is_root};

const PRECIOUS: &str = "what must stay";

/// A folder that every user may write in, and beside it a file and a folder of somebody.
struct Shared {
    folder: tempfile::TempDir,
    tree: Tree,
}

impl Shared {
    fn new() -> Shared {
        let shared = Shared { folder: tempfile::tempdir().unwrap(), tree: Tree::new(SMALL) };
        fs::create_dir(shared.index()).unwrap();
        fs::set_permissions(shared.index(), fs::Permissions::from_mode(0o777)).unwrap();
        fs::create_dir(shared.at("victims")).unwrap();
        fs::write(shared.at("victim"), PRECIOUS).unwrap();
        shared
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn index(&self) -> PathBuf {
        self.at("shared")
    }

    fn open(&self, index: &Path) -> Result<Engine, Error> {
        let options = Options { index_dir: Some(index.to_path_buf()), ..Options::default() };
        Engine::open(self.tree.root(), options)
    }

    /// Brings the index up to date and asks it.
    fn search(&self) -> Result<usize, Error> {
        let engine = self.open(&self.index())?;
        engine.refresh(&|_| ())?;
        let reply = engine.search(&SearchRequest::new("draw a circle"))?;
        Ok(reply.results.len())
    }

    /// Makes the victim's file an old one, so that a touch shows.
    fn grow_old(&self) {
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(5000);
        fs::File::options().append(true).open(self.at("victim")).unwrap().set_modified(old).unwrap();
    }

    fn check_victim(&self, what: &str) {
        assert_eq!(fs::read_to_string(self.at("victim")).unwrap(), PRECIOUS, "{what}");
        assert_eq!(fs::read_dir(self.at("victims")).unwrap().count(), 0, "{what}");
        let age = fs::metadata(self.at("victim")).unwrap().modified().unwrap().elapsed().unwrap();
        assert!(age.as_secs() > 1000, "{what}: it was touched");
    }
}

#[test]
fn entries_that_others_planted_are_not_followed() {
    let data = {
        let shared = Shared::new();
        assert!(shared.search().unwrap() > 0);
        let names = fs::read_dir(shared.index()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names = names.map(|name| name.into_string().unwrap());
        names.find(|name| name.starts_with('v') && name.contains('-')).unwrap()
    };
    for (name, target) in
        [("lock", "victim"), (data.as_str(), "victims"), ("used", "victims"), ("in-flight", "victims")]
    {
        let shared = Shared::new();
        // The folder is claimed, and a change wants an update.
        shared.search().unwrap();
        shared.tree.write("new.rs", "pub fn new() {}\n");
        let planted = shared.index().join(name);
        if planted.is_dir() { fs::remove_dir_all(&planted) } else { fs::remove_file(&planted) }.ok();
        symlink(shared.at(target), planted).unwrap();
        shared.grow_old();
        match shared.search() {
            // Marks of use and notes of files in flight are worth no failure.
            Ok(hits) => assert!(hits > 0 && ["used", "in-flight"].contains(&name), "{name}"),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Permission, "{name}: {error}");
                assert!(error.to_string().contains("it is a link"), "{name}: {error}");
            }
        }
        shared.check_victim(name);
    }
    // A mark that leads elsewhere is not followed either.
    let shared = Shared::new();
    shared.search().unwrap();
    let marks = fs::read_dir(shared.index().join("used")).unwrap().map(|entry| entry.unwrap().path());
    shared.grow_old();
    for mark in marks.collect::<Vec<_>>() {
        fs::remove_file(&mark).unwrap();
        symlink(shared.at("victim"), &mark).unwrap();
    }
    shared.search().unwrap();
    shared.check_victim("a mark");
}

#[test]
fn a_folder_of_another_user_is_refused() {
    if !is_root("a_folder_of_another_user_is_refused") {
        return;
    }
    let give = |path: &Path| std::os::unix::fs::lchown(path, Some(54_321), None).unwrap();
    let check = |shared: &Shared, index: &Path, what: &str| {
        let error = shared.open(index).map(|_| ()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ForeignIndex, "{what}: {error}");
        assert!(error.to_string().contains("belongs to user 54321"), "{what}: {error}");
    };
    let shared = Shared::new();
    give(&shared.index());
    check(&shared, &shared.index(), "the folder");
    let shared = Shared::new();
    shared.search().unwrap();
    let data = fs::read_dir(shared.index()).unwrap().map(|entry| entry.unwrap().path());
    give(&data.filter(|path| path.join("tantivy").is_dir()).last().unwrap());
    check(&shared, &shared.index(), "the data");
    let shared = Shared::new();
    symlink(shared.index(), shared.at("link")).unwrap();
    shared.open(&shared.at("link")).unwrap();
    give(&shared.at("link"));
    check(&shared, &shared.at("link"), "a link");
}
