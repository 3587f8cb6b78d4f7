//! The writer of a tree from an untrusted source: every file passes its checks and its limits.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::error::{UnpackError, UnpackFault};
use super::limits::UnpackLimits;
use super::name::{self, EntryName};
use crate::library::api::AddProgress;
use crate::library::listing::RawFile;
use crate::library::manifest::LeftOutEntry;

/// The most entries that are named as left out.
const NAMED: usize = 20;

/// The size of the buffer between a decompressor and a file.
const BUFFER_BYTES: usize = 128 << 10;

/// The bytes that a tar archive may have for an entry besides its content.
const ENTRY_BYTES: u64 = 8 << 10;

/// How many bytes are written between two reports of progress.
const REPORT_BYTES: u64 = 4 << 20;

/// A tree that was written.
#[derive(Clone, Debug, Default)]
pub(in crate::library) struct UnpackedTree {
    /// The files, in the order in which they were written.
    pub files: Vec<RawFile>,
    /// The size of all files.
    pub bytes: u64,
    /// The first entries that are not part of the tree.
    pub left_out: Vec<LeftOutEntry>,
    /// The number of all entries that are not part of the tree.
    pub left_out_count: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SeenKind {
    File,
    Folder,
}

/// Writes the entries of one source below a new folder.
pub(in crate::library) struct TreeWriter<'a> {
    /// The source, for errors.
    archive: PathBuf,
    tree: &'a Path,
    limits: UnpackLimits,
    /// The most bytes of all files.
    most: u64,
    /// Whether a backslash in a name is refused.
    backslash: bool,
    /// Whether names that differ by case only are refused.
    refuses_collisions: bool,
    /// The entries so far, by folded path: the path as written, and the kind.
    seen: FxHashMap<String, (String, SeenKind)>,
    entries: usize,
    written: UnpackedTree,
    buffer: Box<[u8]>,
    progress: &'a (dyn Fn(AddProgress) + Sync),
    /// The size of all files, if known.
    expected: u64,
    reported: u64,
}

impl<'a> TreeWriter<'a> {
    /// A writer into the empty folder `tree`, of a source of `source_bytes`, which limit the size of its files.
    pub fn new(
        archive: &Path,
        tree: &'a Path,
        source_bytes: Option<u64>,
        limits: UnpackLimits,
        progress: &'a (dyn Fn(AddProgress) + Sync),
    ) -> TreeWriter<'a> {
        let by_ratio = source_bytes.map(|bytes| bytes.saturating_mul(limits.ratio).max(limits.free_bytes));
        TreeWriter {
            archive: archive.to_path_buf(),
            tree,
            limits,
            most: by_ratio.unwrap_or(u64::MAX).min(limits.total_bytes),
            backslash: cfg!(windows),
            refuses_collisions: true,
            seen: FxHashMap::default(),
            entries: 0,
            written: UnpackedTree::default(),
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            progress,
            expected: 0,
            reported: 0,
        }
    }

    /// Refuses names with a backslash.
    pub fn refuse_backslashes(&mut self) {
        self.backslash = true;
    }

    /// Accepts names that differ by case only, if the file system does, and leaves out names that an archive may not have.
    /// Repositories and folders of the user may have such names.
    pub fn accept_names(&mut self) {
        self.refuses_collisions = false;
    }

    /// Tells the size of all files, for the progress.
    pub fn expect(&mut self, bytes: u64) {
        self.expected = bytes;
    }

    pub fn limits(&self) -> &UnpackLimits {
        &self.limits
    }

    /// The size of the largest tar archive whose entries are within the limits: each entry also has a header, padding and
    /// perhaps a long name.
    pub fn most_tar_bytes(&self) -> u64 {
        self.most.saturating_add((self.limits.entries as u64).saturating_mul(ENTRY_BYTES))
    }

    /// The error for an entry.
    pub fn error(&self, entry: &[u8], fault: UnpackFault) -> UnpackError {
        UnpackError { archive: self.archive.clone(), entry: Some(name::shown(entry)), fault }
    }

    /// The error for the archive as a whole.
    pub fn error_of_all(&self, fault: UnpackFault) -> UnpackError {
        UnpackError { archive: self.archive.clone(), entry: None, fault }
    }

    /// Records an entry that is not part of the tree.
    pub fn leave_out(&mut self, entry: &[u8], reason: &str) {
        self.written.left_out_count += 1;
        if self.written.left_out.len() < NAMED {
            let (path, reason) = (name::shown(entry), reason.to_string());
            self.written.left_out.push(LeftOutEntry { path, reason });
        }
    }

    /// Leaves out a file of the user whose `bytes` are above the limit. False if the file is not that large.
    pub fn leaves_out_size(&mut self, entry: &[u8], bytes: u64) -> bool {
        let is_above = bytes > self.limits.file_bytes;
        if is_above {
            self.leave_out(entry, "larger than the limit of files");
        }
        is_above
    }

    /// Writes a folder.
    pub fn folder(&mut self, entry: &[u8]) -> Result<(), UnpackError> {
        self.count(entry)?;
        let Some(path) = self.path(entry)? else { return Ok(()) };
        self.enter(&path, entry)?;
        Ok(())
    }

    /// Writes a file with the bytes of `from`. If `stated` is given, the file must have that many.
    pub fn file(
        &mut self,
        entry: &[u8],
        stated: Option<u64>,
        from: &mut dyn Read,
    ) -> Result<(), UnpackError> {
        self.count(entry)?;
        if stated.is_some_and(|stated| stated > self.limits.file_bytes) {
            return Err(self.error(entry, UnpackFault::FileBytes(self.limits.file_bytes)));
        }
        let Some(path) = self.path(entry)? else { return Ok(()) };
        if path.is_empty() {
            return Err(self.error(entry, UnpackFault::FileAndFolder));
        }
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.enter(folder, entry)?;
        }
        self.claim(&path, SeenKind::File, entry)?;
        let target = self.tree.join(&path);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&target).map_err(|error| self.error(entry, UnpackFault::Io(error)))?;
        let (bytes, hash) = self.copy(entry, stated, from, &mut file)?;
        self.written.bytes += bytes;
        self.written.files.push(RawFile { path, bytes, hash });
        self.report();
        Ok(())
    }

    fn copy(
        &mut self,
        entry: &[u8],
        stated: Option<u64>,
        from: &mut dyn Read,
        to: &mut fs::File,
    ) -> Result<(u64, String), UnpackError> {
        let mut hasher = blake3::Hasher::new();
        let mut bytes = 0u64;
        loop {
            let read = match from.read(&mut self.buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.error(entry, UnpackFault::Damaged(error.to_string()))),
            };
            bytes += read as u64;
            if bytes > self.limits.file_bytes {
                return Err(self.error(entry, UnpackFault::FileBytes(self.limits.file_bytes)));
            }
            if self.written.bytes + bytes > self.most {
                let fault = match self.most == self.limits.total_bytes {
                    true => UnpackFault::TotalBytes(self.most),
                    false => UnpackFault::Ratio(self.limits.ratio),
                };
                return Err(self.error(entry, fault));
            }
            hasher.update(&self.buffer[..read]);
            to.write_all(&self.buffer[..read]).map_err(|error| self.error(entry, UnpackFault::Io(error)))?;
        }
        if let Some(stated) = stated.filter(|stated| *stated != bytes) {
            return Err(self.error(entry, UnpackFault::Size { stated, found: bytes }));
        }
        Ok((bytes, hasher.finalize().to_hex().to_string()))
    }

    fn report(&mut self) {
        if self.written.bytes - self.reported >= REPORT_BYTES || self.reported == 0 {
            self.reported = self.written.bytes;
            let (files, bytes) = (self.written.files.len(), self.written.bytes);
            (self.progress)(AddProgress::Materializing { files, bytes, total_bytes: self.expected });
        }
    }

    /// Ends the tree, which must have a file.
    pub fn finish(self) -> Result<UnpackedTree, UnpackError> {
        if self.written.files.is_empty() {
            return Err(self.error_of_all(UnpackFault::Empty));
        }
        Ok(self.written)
    }

    fn count(&mut self, entry: &[u8]) -> Result<(), UnpackError> {
        self.entries += 1;
        match self.entries > self.limits.entries {
            true => Err(self.error(entry, UnpackFault::Entries(self.limits.entries))),
            false => Ok(()),
        }
    }

    /// The path of an entry; `None` if the entry is left out.
    fn path(&mut self, entry: &[u8]) -> Result<Option<String>, UnpackError> {
        match name::check(entry, self.limits.depth, self.backslash) {
            Ok(EntryName::Path(path)) => Ok(Some(path)),
            Ok(EntryName::VersionControl) => {
                self.leave_out(entry, "data of a version control system");
                Ok(None)
            }
            Ok(EntryName::NotUtf8) => {
                self.leave_out(entry, "its name is not UTF-8");
                Ok(None)
            }
            Err(fault) if !self.refuses_collisions => {
                self.leave_out(entry, &format!("it {fault}"));
                Ok(None)
            }
            Err(fault) => Err(self.error(entry, fault)),
        }
    }

    /// Creates a folder and the folders around it.
    fn enter(&mut self, folder: &str, entry: &[u8]) -> Result<(), UnpackError> {
        if folder.is_empty() {
            return Ok(());
        }
        let ends = folder.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| at).chain([folder.len()]);
        for end in ends {
            let path = &folder[..end];
            if self.claim(path, SeenKind::Folder, entry)? {
                let created = fs::create_dir(self.tree.join(path));
                created.map_err(|error| self.error(entry, UnpackFault::Io(error)))?;
            }
        }
        Ok(())
    }

    /// Records a path. False if the path is a folder that is there already.
    fn claim(&mut self, path: &str, kind: SeenKind, entry: &[u8]) -> Result<bool, UnpackError> {
        let key = if self.refuses_collisions { name::folded(path) } else { path.to_string() };
        let fault = match self.seen.get(&key) {
            None => {
                self.seen.insert(key, (path.to_string(), kind));
                return Ok(true);
            }
            Some((known, _)) if known != path => UnpackFault::Collision(known.clone()),
            Some((_, known)) if *known != kind => UnpackFault::FileAndFolder,
            Some(_) if kind == SeenKind::Folder => return Ok(false),
            Some(_) => UnpackFault::Duplicate,
        };
        Err(self.error(entry, fault))
    }
}
