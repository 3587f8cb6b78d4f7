//! Removing a library as a whole, before the program is uninstalled.

use std::path::{Path, PathBuf};

use super::error::LibraryError;
use super::open::Library;
use super::protect::remove_tree_or_file;
use super::records;
use spyhop_base::store;
use spyhop_engine::Error;
use spyhop_files::walk::LIBRARY_FILE;

/// The folder with the files that the user has put in.
const INTAKE: &str = "intake";
/// The file of the lock, which is removed last.
const LOCK: &str = "lock";

impl Library {
    /// Whether there is a library in the folder.
    pub fn exists(&self) -> bool {
        self.paths.marker().exists()
    }

    /// The folder with the files that the user has put into the library, if there are any: they may be the only copies.
    pub fn put_in(&self) -> Option<PathBuf> {
        let folder = self.paths.root().join(INTAKE);
        Some(folder).filter(|folder| has_file(folder))
    }

    /// Removes the library with its imports, indexes and notes. The folder with the files that the user has put in stays,
    /// and so do the folders of the user that sources name.
    ///
    /// # Errors
    /// `Locked` if another process changes the library; `Io` or `Permission` if files cannot be removed.
    pub fn remove_all(&self) -> Result<(), Error> {
        Ok(self.remove_all_files()?)
    }

    fn remove_all_files(&self) -> Result<(), LibraryError> {
        let root = self.paths.root();
        if !self.exists() {
            return Ok(());
        }
        let lock = self.lock_only()?;
        let is_kept = self.put_in().is_some();
        // The marker says whose folder it is, so it goes after all that a killed removal would leave.
        for name in records::names(root)? {
            let stays = [LOCK, LIBRARY_FILE].contains(&name.as_str()) || (is_kept && name == INTAKE);
            if !stays {
                remove_tree_or_file(&root.join(name))?;
            }
        }
        if !is_kept {
            store::remove_file(&self.paths.marker())?;
            drop(lock);
            store::remove_file(&self.paths.lock())?;
            let _ = std::fs::remove_dir(root);
        }
        Ok(())
    }
}

/// Whether the intake has a file that is not a record of its work.
fn has_file(intake: &Path) -> bool {
    const RECORDS: [&str; 2] = ["lock", "begun"];
    let mut folders = vec![intake.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let is_record = folder == intake && RECORDS.iter().any(|name| entry.file_name() == *name);
            match entry.file_type() {
                _ if is_record => {}
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => return true,
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::api::{AddRequest, LibraryOptions};
    use spyhop_engine::api::Options;

    #[test]
    fn a_library_is_removed_but_what_was_put_in_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        fs::create_dir_all(at("tree")).unwrap();
        fs::write(at("tree/a.py"), "def draw_circle():\n    pass\n").unwrap();
        let root = Some(at("library"));
        let library = Library::open(LibraryOptions { root, ..LibraryOptions::default() }).unwrap();
        let request = || AddRequest { snapshot: true, ..AddRequest::new(at("tree").to_string_lossy()) };
        assert!(!library.exists());
        library.remove_all().unwrap();
        library.add(&request(), &Options::default(), &|_| ()).unwrap();
        assert!(library.exists() && library.put_in().is_none());
        library.remove_all().unwrap();
        assert!(!at("library").exists() && at("tree/a.py").exists());
        library.add(&request(), &Options::default(), &|_| ()).unwrap();
        fs::write(at("library/intake/inbox/only.txt"), "the only copy").unwrap();
        library.remove_all().unwrap();
        assert_eq!(library.put_in(), Some(at("library/intake")));
        assert!(at("library/intake/inbox/only.txt").exists() && library.list().unwrap().sources.is_empty());
    }
}
