//! The writer of a tree from an untrusted source: every file passes its checks and its limits.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::error::{UnpackError, UnpackFault};
use super::limits::UnpackLimits;
use super::name::{self, EntryName, MAX_NAME_BYTES};
use super::sink::FileSink;
use crate::api::AddProgress;
use crate::listing::RawFile;
use crate::manifest::LeftOutEntry;

/// The most entries that are named as left out.
const NAMED: usize = 20;

/// The bytes that a tar archive may have for an entry besides its content.
const ENTRY_BYTES: u64 = 8 << 10;

/// How many bytes are written between two reports of progress.
const REPORT_BYTES: u64 = 4 << 20;

/// A tree that was written.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnpackedTree {
    /// The files, in the order in which they were written.
    pub files: Vec<RawFile>,
    /// The size of all files.
    pub bytes: u64,
    /// The first entries that are not part of the tree.
    pub left_out: Vec<LeftOutEntry>,
    /// The number of all entries that are not part of the tree.
    pub left_out_count: usize,
}

/// The extent of a tree at some time.
struct TreeExtent {
    files: usize,
    bytes: u64,
    left_out: usize,
    left_out_count: usize,
}

impl UnpackedTree {
    fn extent(&self) -> TreeExtent {
        TreeExtent {
            files: self.files.len(),
            bytes: self.bytes,
            left_out: self.left_out.len(),
            left_out_count: self.left_out_count,
        }
    }

    /// Forgets what was recorded after a time.
    fn reset(&mut self, to: TreeExtent) {
        self.files.truncate(to.files);
        self.left_out.truncate(to.left_out);
        (self.bytes, self.left_out_count) = (to.bytes, to.left_out_count);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SeenKind {
    File,
    Folder,
}

/// Writes the entries of one source below a new folder.
pub(crate) struct TreeWriter<'a> {
    /// The source, for errors.
    archive: PathBuf,
    tree: &'a Path,
    /// The folder below which the entries are written, with a slash at its end; empty for the tree itself.
    below: String,
    limits: UnpackLimits,
    /// The most bytes of all files, also those that are removed again.
    most: u64,
    /// The bytes of all files so far, also of those that were removed again.
    spent: u64,
    /// The bytes of all tar archives so far, decompressed.
    tar_bytes: u64,
    /// Whether a backslash in a name is refused.
    backslash: bool,
    /// Whether names that differ by case only are refused.
    refuses_collisions: bool,
    /// The entries so far, by folded path: the path as written, and the kind.
    seen: FxHashMap<String, (String, SeenKind)>,
    entries: usize,
    written: UnpackedTree,
    /// Made for the first file.
    sink: Option<FileSink>,
    /// The entries whose hashes are not known yet, with the number of the file unless it was refused.
    unhashed: VecDeque<(Vec<u8>, Option<usize>)>,
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
        let mut writer = TreeWriter {
            archive: archive.to_path_buf(),
            tree,
            below: String::new(),
            limits,
            spent: 0,
            tar_bytes: 0,
            most: limits.total_bytes,
            backslash: cfg!(windows),
            refuses_collisions: true,
            seen: FxHashMap::default(),
            entries: 0,
            written: UnpackedTree::default(),
            sink: None,
            unhashed: VecDeque::new(),
            progress,
            expected: 0,
            reported: 0,
        };
        if let Some(bytes) = source_bytes {
            writer.limit_by(bytes);
        }
        writer
    }

    /// Limits the size of the files by the `bytes` of which they are made.
    pub(crate) fn limit_by(&mut self, bytes: u64) {
        let by_ratio = bytes.saturating_mul(self.limits.ratio).max(self.limits.free_bytes);
        self.most = self.most.min(by_ratio);
    }

    /// Refuses names with a backslash.
    pub(crate) fn refuse_backslashes(&mut self) {
        self.backslash = true;
    }

    /// Accepts names that differ by case only, if the file system does, and leaves out names that an archive may not have.
    /// Repositories and folders of the user may have such names.
    pub(crate) fn accept_names(&mut self) {
        self.refuses_collisions = false;
    }

    /// Tells the size of all files, for the progress.
    pub fn expect(&mut self, bytes: u64) {
        self.expected = self.written.bytes.saturating_add(bytes);
    }

    /// The folder of the tree.
    pub fn tree(&self) -> &'a Path {
        self.tree
    }

    /// The paths of the files so far.
    pub fn paths(&self) -> Vec<String> {
        self.written.files.iter().map(|file| file.path.clone()).collect()
    }

    pub fn limits(&self) -> &UnpackLimits {
        &self.limits
    }

    /// The most bytes of all files.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// The size of the largest tar archive whose entries are within the limits: each entry also has a header, padding and
    /// perhaps a long name. Archives inside an archive have one limit together.
    pub(crate) fn most_tar_bytes(&self) -> u64 {
        let most = self.most.saturating_add((self.limits.entries as u64).saturating_mul(ENTRY_BYTES));
        most.saturating_sub(self.tar_bytes)
    }

    /// Counts the bytes of a tar archive that were read.
    pub(crate) fn count_tar_bytes(&mut self, bytes: u64) {
        self.tar_bytes = self.tar_bytes.saturating_add(bytes);
    }

    /// The error for an entry.
    pub fn error(&self, entry: &[u8], fault: UnpackFault) -> UnpackError {
        UnpackError { archive: self.archive.clone(), entry: Some(self.shown(entry)), fault }
    }

    /// The error for the archive as a whole.
    pub(crate) fn error_of_all(&self, fault: UnpackFault) -> UnpackError {
        let entry = self.below.strip_suffix("!/").map(str::to_string);
        UnpackError { archive: self.archive.clone(), entry, fault }
    }

    /// The name of an entry, as it is shown.
    fn shown(&self, entry: &[u8]) -> String {
        format!("{}{}", self.below, name::shown(entry))
    }

    /// Records an entry that is not part of the tree.
    pub fn leave_out(&mut self, entry: &[u8], reason: &str) {
        self.written.left_out_count += 1;
        if self.written.left_out.len() < NAMED {
            let (path, reason) = (self.shown(entry), reason.to_string());
            self.written.left_out.push(LeftOutEntry { path, reason });
        }
    }

    /// Leaves out a file of the user whose `bytes` are above the limit. False if the file is not that large.
    pub(crate) fn leaves_out_size(&mut self, entry: &[u8], bytes: u64) -> bool {
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
        let file = options.open(&target).map_err(|error| self.error(entry, UnpackFault::Io(error)))?;
        let bytes = self.copy(entry, stated, from, file)?;
        self.written.bytes += bytes;
        self.written.files.push(RawFile { path, bytes, hash: String::new() });
        self.record_hashes(false)?;
        self.report();
        Ok(())
    }

    /// Sends the bytes of an entry to a file. The hash of the file comes later.
    fn copy(
        &mut self,
        entry: &[u8],
        stated: Option<u64>,
        from: &mut dyn Read,
        to: fs::File,
    ) -> Result<u64, UnpackError> {
        let io = |writer: &Self, error| writer.error(entry, UnpackFault::Io(error));
        if self.sink.is_none() {
            self.sink = Some(FileSink::new().map_err(|error| io(self, error))?);
        }
        self.sink_of_file().begin(to).map_err(|error| io(self, error))?;
        let copied = self.send(entry, stated, from);
        self.sink_of_file().end().map_err(|error| io(self, error))?;
        let file = copied.is_ok().then_some(self.written.files.len());
        self.unhashed.push_back((entry.to_vec(), file));
        copied
    }

    /// The sink, while a file is written.
    fn sink_of_file(&mut self) -> &mut FileSink {
        self.sink.as_mut().expect("a file that is written has a sink")
    }

    fn send(&mut self, entry: &[u8], stated: Option<u64>, from: &mut dyn Read) -> Result<u64, UnpackError> {
        let io = |writer: &Self, error| writer.error(entry, UnpackFault::Io(error));
        let mut bytes = 0u64;
        loop {
            let mut buffer = self.sink_of_file().buffer().map_err(|error| io(self, error))?;
            // A short read would waste a buffer.
            let read = fill(from, &mut buffer)
                .map_err(|error| self.error(entry, UnpackFault::Damaged(error.to_string())))?;
            bytes += read as u64;
            self.spent += read as u64;
            if bytes > self.limits.file_bytes {
                return Err(self.error(entry, UnpackFault::FileBytes(self.limits.file_bytes)));
            }
            if self.spent > self.most {
                let fault = match self.most == self.limits.total_bytes {
                    true => UnpackFault::TotalBytes(self.most),
                    false => UnpackFault::Ratio(self.limits.ratio),
                };
                return Err(self.error(entry, fault));
            }
            let is_last = read < buffer.len();
            self.sink_of_file().write(buffer, read).map_err(|error| io(self, error))?;
            if is_last {
                break;
            }
        }
        match stated.filter(|stated| *stated != bytes) {
            Some(stated) => Err(self.error(entry, UnpackFault::Size { stated, found: bytes })),
            None => Ok(bytes),
        }
    }

    /// Records the hashes of files that are written, or fails if one could not be written. Waits for all files if `waits`.
    fn record_hashes(&mut self, waits: bool) -> Result<(), UnpackError> {
        while !self.unhashed.is_empty() {
            let Some(hash) = self.sink.as_mut().and_then(|sink| sink.hash(waits)) else { break };
            let Some((entry, file)) = self.unhashed.pop_front() else { break };
            let hash = hash.map_err(|error| self.error(&entry, UnpackFault::Io(error)))?;
            if let Some(file) = file {
                self.written.files[file].hash = hash;
            }
        }
        Ok(())
    }

    /// Waits until all files are written.
    pub fn settle(&mut self) -> Result<(), UnpackError> {
        self.record_hashes(true)
    }

    fn report(&mut self) {
        if self.written.bytes - self.reported >= REPORT_BYTES || self.reported == 0 {
            self.reported = self.written.bytes;
            let (files, bytes) = (self.written.files.len(), self.written.bytes);
            (self.progress)(AddProgress::Materializing { files, bytes, total_bytes: self.expected });
        }
    }

    /// Ends the tree, which must have a file.
    pub fn finish(mut self) -> Result<UnpackedTree, UnpackError> {
        self.settle()?;
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
        let limit = self.limits.depth;
        match name::check(entry, limit, self.backslash) {
            Ok(EntryName::Path(path)) if path.is_empty() => {
                Ok(Some(self.below.trim_end_matches('/').to_string()))
            }
            Ok(EntryName::Path(path)) => {
                let path = format!("{}{path}", self.below);
                match (path.len(), path.matches('/').count()) {
                    (bytes, _) if bytes > MAX_NAME_BYTES => {
                        Err(self.error(entry, UnpackFault::LongName(bytes)))
                    }
                    (_, found) if found > limit => {
                        Err(self.error(entry, UnpackFault::Depth { found, limit }))
                    }
                    _ => Ok(Some(path)),
                }
            }
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

    /// Unpacks an archive of the tree, the file at `path`, into a new folder that is named like the file, with `!` behind the
    /// name. If the archive is refused for a reason other than these, none of its entries are kept, and it is recorded as left
    /// out. A limit of the whole source and an error of the disk are errors.
    pub fn nested(
        &mut self,
        path: &str,
        unpack: impl FnOnce(&mut TreeWriter<'a>) -> Result<(), UnpackError>,
    ) -> Result<(), UnpackError> {
        let folder = format!("{path}!");
        let taken = self.seen.contains_key(&name::folded(&folder));
        if taken || name::check(folder.as_bytes(), self.limits.depth, false).is_err() {
            let reason =
                if taken { "an entry has the name of its folder" } else { "its folder has no valid name" };
            self.leave_out(folder.as_bytes(), reason);
            return Ok(());
        }
        self.enter(&folder, folder.as_bytes())?;
        // The archive is alone in its folder.
        let around = folder.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| &folder[..at]);
        let inside = around
            .chain([&folder[..]])
            .map(|path| (name::folded(path), (path.to_string(), SeenKind::Folder)));
        let seen = std::mem::replace(&mut self.seen, inside.collect());
        let (backslash, below) = (self.backslash, std::mem::replace(&mut self.below, format!("{folder}/")));
        let before = self.written.extent();
        self.backslash = cfg!(windows);
        // Files that are refused are removed, so they must be written before.
        let unpacked = unpack(self).and_then(|()| self.settle());
        let unpacked = unpacked.or_else(|error| self.settle().and(Err(error)));
        (self.seen, self.backslash, self.below) = (seen, backslash, below);
        match unpacked {
            Err(error) if error.fault.is_local() => {
                fs::remove_dir_all(self.tree.join(&folder))
                    .map_err(|error| self.error(folder.as_bytes(), UnpackFault::Io(error)))?;
                self.written.reset(before);
                self.leave_out(folder.as_bytes(), &error.reason());
                Ok(())
            }
            unpacked => unpacked,
        }
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

/// Reads until the buffer is full or the reader ends.
fn fill(from: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
