//! Checks before opening a repository: every file that gix reads is checked first.
//!
//! gix opens the files of a repository by their names, and reads them to their end. In a tree that came from elsewhere
//! such a file may be a pipe, which never ends, a link to a device, or a sparse file of many gigabytes. Here each of
//! them has to be a regular file of a plausible size. A server also checks that none of them lies outside the folders
//! that it serves.

use std::fs::{self, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::reach::Reach;
use crate::gitdir::{GitDir, GitDirError, MAX_CONFIG_BYTES, MAX_LINE_BYTES};
use spyhop_base::input::bounded;

/// The size of the largest object that is read, which is also the limit for indexed files.
pub(super) const MAX_OBJECT_BYTES: usize = 1 << 30;

/// The size limit of an index, which suffices for some ten million files.
const MAX_INDEX_BYTES: u64 = 1 << 30;

/// The size limit of the list of packed references, which suffices for some two million of them.
const MAX_PACKED_REFS_BYTES: u64 = 128 << 20;

/// The size limit of the list of commits at which a shallow clone ends.
const MAX_SHALLOW_BYTES: u64 = 64 << 20;

/// The most references that are files.
const MAX_REFS: usize = 500_000;

/// The most object folders from which a repository may borrow.
const MAX_ALTERNATES: usize = 64;

/// The most symbolic references that are followed in a row.
const MAX_STEPS: usize = 5;

/// The checked files of a repository.
#[derive(Clone, Debug)]
pub(super) struct Sound {
    pub git_dir: GitDir,
    /// The object folders, that of the repository first.
    objects: Vec<PathBuf>,
    /// The folders in which files may lie; `None` for any folder.
    within: Option<Vec<PathBuf>>,
    /// Why no object may be read, if that is so.
    pub borrows: Option<String>,
}

impl Sound {
    /// Checks the files that are read when a repository is opened. `None` if a git directory is not a repository.
    pub fn check(folder: &Path, git_dir: GitDir, reach: &Reach) -> Result<Option<Sound>, GitDirError> {
        let GitDir { dir, common, is_folder } = &git_dir;
        let is_repository = fs::symlink_metadata(dir.join("HEAD")).is_ok()
            && common.join("objects").is_dir()
            && common.join("refs").is_dir();
        if !is_repository {
            return Ok(None);
        }
        let within = match reach {
            Reach::Anywhere => None,
            Reach::Nowhere => return Ok(None),
            Reach::Within(folders) => {
                let folder = is_folder.then(|| folder.to_path_buf());
                let git = folder.into_iter().chain([dir.clone(), common.clone()]);
                Some(folders.iter().filter_map(|folder| fs::canonicalize(folder).ok()).chain(git).collect())
            }
        };
        let objects = vec![common.join("objects")];
        let mut sound = Sound { git_dir, objects, within, borrows: None };
        sound.check_files()?;
        sound.check_refs()?;
        sound.find_alternates()?;
        Ok(Some(sound))
    }

    fn check_files(&self) -> Result<(), GitDirError> {
        let GitDir { dir, common, .. } = &self.git_dir;
        let files = [
            (dir, "HEAD", MAX_LINE_BYTES),
            (dir, "index", MAX_INDEX_BYTES),
            (dir, "config.worktree", MAX_CONFIG_BYTES),
            (common, "config", MAX_CONFIG_BYTES),
            (common, "packed-refs", MAX_PACKED_REFS_BYTES),
            (common, "shallow", MAX_SHALLOW_BYTES),
        ];
        for (folder, name, max) in files {
            self.check_file(&folder.join(name), max)?;
        }
        for folder in ["objects", "objects/info", "objects/pack", "refs", "logs"] {
            self.check_place(&common.join(folder))?;
        }
        Ok(())
    }

    /// Checks the files that are read to find the checked-out head, which may have changed since the repository was
    /// opened.
    pub(crate) fn check_head(&self) -> Result<(), GitDirError> {
        let GitDir { dir, common, .. } = &self.git_dir;
        self.check_file(&common.join("packed-refs"), MAX_PACKED_REFS_BYTES)?;
        let mut path = dir.join("HEAD");
        for _ in 0..MAX_STEPS {
            self.check_file(&path, MAX_LINE_BYTES)?;
            // The file of the branch is missing if `packed-refs` has the branch.
            let Ok(text) = bounded(&path, MAX_LINE_BYTES) else { return Ok(()) };
            let Some(name) = text.strip_prefix(b"ref: ").and_then(|name| std::str::from_utf8(name).ok())
            else {
                return Ok(());
            };
            let private = dir.join(name.trim_end());
            path = if private.symlink_metadata().is_ok() { private } else { common.join(name.trim_end()) };
        }
        Ok(())
    }

    /// Checks the index, which is read when a caller asks for tracked files.
    pub(crate) fn check_index(&self) -> Result<(), GitDirError> {
        let dir = &self.git_dir.dir;
        self.check_file(&dir.join("index"), MAX_INDEX_BYTES)?;
        for entry in entries(dir)? {
            if entry.file_name().to_string_lossy().starts_with("sharedindex.") {
                self.check_file(&entry.path(), MAX_INDEX_BYTES)?;
            }
        }
        Ok(())
    }

    /// Checks every reference and its log, because git decides which of them a name stands for.
    pub(crate) fn check_refs(&self) -> Result<(), GitDirError> {
        let GitDir { dir, common, .. } = &self.git_dir;
        let mut folders = vec![common.join("refs")];
        if dir != common {
            folders.push(dir.join("refs"));
        }
        let mut left = MAX_REFS;
        while let Some(folder) = folders.pop() {
            for entry in entries(&folder)? {
                let path = entry.path();
                left = left.checked_sub(1).ok_or_else(|| {
                    GitDirError::unusable(&folder, format!("has more than {MAX_REFS} references in files"))
                })?;
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(path),
                    _ => self.check_file(&path, MAX_LINE_BYTES)?,
                }
            }
        }
        Ok(())
    }

    /// Checks the other files that are read to resolve `spec`: files of that name in the git directory, and the logs of
    /// references.
    pub fn check_name(&self, spec: &str) -> Result<(), GitDirError> {
        let GitDir { dir, common, .. } = &self.git_dir;
        let end = spec.find(['~', '^', ':', '@']).unwrap_or(spec.len());
        for name in [spec, &spec[..end]].into_iter().filter(|name| !name.is_empty()) {
            for path in [dir.join(name), common.join(name)] {
                if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_dir()) {
                    self.check_file(&path, MAX_LINE_BYTES)?;
                }
            }
        }
        if spec.contains("@{") {
            for folder in [dir.join("logs"), common.join("logs")] {
                self.check_below(&folder, MAX_PACKED_REFS_BYTES)?;
            }
        }
        Ok(())
    }

    /// Checks the files of the object database. Their sizes are bounded by the code that reads them.
    pub(crate) fn check_objects(&self) -> Result<(), GitDirError> {
        self.objects.iter().try_for_each(|objects| self.check_below(objects, u64::MAX))
    }

    /// Checks the type, the size and the place of everything below a folder, where there is one.
    fn check_below(&self, folder: &Path, max: u64) -> Result<(), GitDirError> {
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in entries(&folder)? {
                let kind = entry.file_type().map_err(|error| GitDirError::unusable(&entry.path(), error))?;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if max < u64::MAX || !kind.is_file() {
                    self.check_file_or_folder(&entry.path(), kind, max)?;
                }
            }
        }
        Ok(())
    }

    fn check_file_or_folder(&self, path: &Path, kind: FileType, max: u64) -> Result<(), GitDirError> {
        match kind.is_symlink() && path.is_dir() {
            true => self.check_place(path),
            false => self.check_file(path, max),
        }
    }

    /// Checks that a file, if it exists, is a regular file of at most `max` bytes.
    fn check_file(&self, path: &Path, max: u64) -> Result<(), GitDirError> {
        let metadata: Metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(GitDirError::unusable(path, format!("cannot be read: {error}"))),
        };
        if !metadata.is_file() {
            return Err(GitDirError::unusable(path, "is not a regular file"));
        }
        if metadata.len() > max {
            let text = format!("has {} bytes, above the limit of {max}", metadata.len());
            return Err(GitDirError::unusable(path, text));
        }
        self.check_place(path)
    }

    /// Checks that a link does not lead out of the folders that may be read.
    fn check_place(&self, path: &Path) -> Result<(), GitDirError> {
        let is_link = || fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        if self.within.is_none() || !is_link() {
            return Ok(());
        }
        let real = fs::canonicalize(path)
            .map_err(|error| GitDirError::unusable(path, format!("cannot be followed: {error}")))?;
        if self.may_read(&real) {
            return Ok(());
        }
        Err(GitDirError::unusable(path, format!("leads to {}, which is not served", real.display())))
    }

    fn may_read(&self, real: &Path) -> bool {
        self.within.as_ref().is_none_or(|within| within.iter().any(|folder| real.starts_with(folder)))
    }

    /// Follows `objects/info/alternates`, as gix does: paths are relative to the object folder of the repository.
    fn find_alternates(&mut self) -> Result<(), GitDirError> {
        let objects_dir = self.objects[0].clone();
        let mut at = 0;
        while let Some(objects) = self.objects.get(at).cloned() {
            at += 1;
            let path = objects.join("info/alternates");
            self.check_file(&path, MAX_CONFIG_BYTES)?;
            let text = bounded(&path, MAX_CONFIG_BYTES).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let real = fs::canonicalize(objects_dir.join(line));
                match real {
                    Ok(real) if self.may_read(&real) && !self.objects.contains(&real) => {
                        self.objects.push(real);
                    }
                    // Quoted paths, which git can read and this module cannot, are not followed either.
                    _ if self.within.is_some() => {
                        let text = format!("{} names {line}, which is not served", path.display());
                        self.borrows.get_or_insert(text);
                    }
                    _ => {}
                }
            }
            if self.objects.len() > MAX_ALTERNATES {
                return Err(GitDirError::unusable(
                    &objects_dir,
                    format!("borrows from more than {MAX_ALTERNATES} folders"),
                ));
            }
        }
        Ok(())
    }
}

/// The entries of a folder; empty if there is no such folder.
fn entries(folder: &Path) -> Result<Vec<fs::DirEntry>, GitDirError> {
    let unreadable = |error: io::Error| GitDirError::unusable(folder, format!("cannot be read: {error}"));
    match fs::read_dir(folder) {
        Ok(entries) => entries.collect::<io::Result<_>>().map_err(unreadable),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(Vec::new())
        }
        Err(error) => Err(unreadable(error)),
    }
}
