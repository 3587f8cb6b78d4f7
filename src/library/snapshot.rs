//! Copies of the user's files: an archive, one file, or the files of a folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;

use super::api::AddProgress;
use super::error::LibraryError;
use super::unpack::TreeWriter;
use spyhop_base::model::SkipReason;
use spyhop_base::store::{self, StoreStep};
use spyhop_files::confined::RootFolder;
use spyhop_files::git::{self, Reach};
use spyhop_files::read;
use spyhop_files::walk::{self, WalkOptions};

/// The size of the buffer of a copy.
const BUFFER_BYTES: usize = 1 << 20;

/// Opens a regular file of the user; a pipe or a device at the path is refused and does not block.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// Copies the file `from` to `to`, first under a temporary name, and returns the hash of the copied bytes.
pub(super) fn copy_file(
    from: &Path,
    to: &Path,
    progress: &(dyn Fn(AddProgress) + Sync),
) -> Result<String, LibraryError> {
    let reading = |error| LibraryError::io("read", from, error);
    let writing = |error| LibraryError::io("write", to, error);
    let mut source = open(from).map_err(reading)?;
    let total_bytes = source.metadata().map_err(reading)?.len();
    let part = to.with_extension("part");
    store::step(StoreStep::Create(&part)).map_err(writing)?;
    let mut target = File::create(&part).map_err(writing)?;
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut bytes = 0;
    loop {
        let read = source.read(&mut buffer).map_err(reading)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        target.write_all(&buffer[..read]).map_err(writing)?;
        bytes += read as u64;
        progress(AddProgress::Acquiring { bytes, total_bytes });
    }
    store::sync_file(&target, &part).map_err(writing)?;
    store::rename(&part, to)?;
    store::sync_folder(to.parent().unwrap_or(to))?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Writes the files of the folder `from` that an update would index, with hidden files, so that ignore files apply to the
/// copy too.
pub(super) fn copy_folder(
    from: &Path,
    reach: &Reach,
    writer: &mut TreeWriter<'_>,
) -> Result<(), LibraryError> {
    // A folder whose repository may not be read is copied as one without a repository is, and as it is indexed.
    let tracked = git::discover_within(from, reach).ok().flatten().map(|repo| repo.tracked_below(from));
    let is_tracked = |path: &spyhop_base::path::RelPath, is_dir: bool| {
        tracked.as_ref().is_some_and(|tracked| tracked.contains(path, is_dir))
    };
    let options = WalkOptions { hidden: true, is_tracked: Some(&is_tracked), ..WalkOptions::default() };
    let walked = walk::walk(from, &options)
        .map_err(|error| LibraryError::bad_source(from.display().to_string(), error.to_string()))?;
    writer.accept_names();
    writer.expect(walked.candidates.iter().map(|candidate| candidate.identity.size()).sum());
    let root = RootFolder::new(from);
    for candidate in &walked.candidates {
        let name = candidate.path.as_str().as_bytes();
        match root.open(&candidate.path).and_then(read::regular) {
            Ok((_, bytes)) if writer.leaves_out_size(name, bytes) => {}
            Ok((mut file, _)) => writer.file(name, None, &mut file)?,
            // The user may delete files meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => writer.leave_out(name, &format!("it cannot be read: {error}")),
        }
    }
    for skipped in walked.skipped.iter().filter(|skipped| skipped.reason != SkipReason::Hidden) {
        writer.leave_out(skipped.path.as_str().as_bytes(), &skipped.detail);
    }
    Ok(())
}

/// Makes the files and names below a folder durable.
pub(super) fn sync_tree(folder: &Path) -> Result<(), LibraryError> {
    store::sync_below(folder).map_err(|error| LibraryError::io("sync", folder, error))
}

/// Creates an empty folder, in place of whatever is there.
pub(super) fn empty_folder(folder: &Path) -> Result<(), LibraryError> {
    super::protect::remove_tree(folder)?;
    store::create_private_dir(folder)?;
    let is_empty = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    debug_assert!(is_empty, "{}", folder.display());
    Ok(())
}
