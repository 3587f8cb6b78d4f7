//! Files and folders that only their owner can use, in a folder where other users may have created entries first.
//!
//! An index folder may lie where every user can write. Another user can create a link, a FIFO or a file there under a
//! name that Spyhop is about to use. Following it would empty or lock a file elsewhere, or wait forever. So files that
//! are changed in place are opened through [`Private`], and folders are checked after they are made. Files that are
//! replaced need neither: the new file has a random name, and renaming replaces a link itself.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::file_error::{AtFile, FileError};

/// How a private file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Private {
    /// An existing file, for reading.
    Read,
    /// An existing file, for reading and writing; nothing is truncated.
    Change,
    /// An existing file or a new one, for reading and writing; nothing is truncated.
    Write,
    /// A new file, for writing.
    New,
}

impl Private {
    /// Opens `path`. A new file has the mode 0600. A link, a FIFO, a device, a file of another user and a file with
    /// several hard links are refused.
    pub fn open(self, path: &Path) -> io::Result<File> {
        let mut options = OpenOptions::new();
        match self {
            Private::Read => options.read(true),
            Private::Change => options.read(true).write(true),
            Private::Write => options.read(true).write(true).create(true).truncate(false),
            Private::New => options.write(true).create_new(true),
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // Opening a FIFO without a partner would block.
            options.mode(0o600).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
        }
        let file = options.open(path).map_err(|error| explained(path, error))?;
        check_file(&file)?;
        Ok(file)
    }
}

/// The error for opening a link, with a message that names it.
fn explained(path: &Path, error: io::Error) -> io::Error {
    let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    if is_link && error.kind() != io::ErrorKind::AlreadyExists { refused("it is a link") } else { error }
}

fn refused(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, format!("{why}, and is not used"))
}

#[cfg(unix)]
fn check_file(file: &File) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(refused("it is not an ordinary file"));
    }
    if !is_trusted(found.uid()) {
        return Err(refused(&format!("it belongs to user {}", found.uid())));
    }
    if found.nlink() > 1 {
        return Err(refused("it has further names (hard links)"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_file(_: &File) -> io::Result<()> {
    Ok(())
}

/// Whether files of the user with this number are used: those of the present user, and root's.
#[cfg(unix)]
pub(crate) fn is_trusted(uid: u32) -> bool {
    // SAFETY: the call only returns the user id of this process.
    uid == 0 || uid == unsafe { libc::geteuid() }
}

/// The number of the user that owns `folder`, if that user is not trusted; `None` also if there is no such folder.
pub fn foreign_owner(folder: &Path) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let uid = folder.symlink_metadata().ok()?.uid();
        (!is_trusted(uid)).then_some(uid)
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

/// Creates `folder` and its missing parents; the created folders have the mode 0700. An existing `folder` must be a
/// folder and not a link to one, and must not belong to another user.
pub fn create_private_dir(folder: &Path) -> Result<(), FileError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).at("create", folder)?;
    check_dir(folder).at("use", folder)
}

fn check_dir(folder: &Path) -> io::Result<()> {
    if folder.symlink_metadata()?.is_symlink() {
        return Err(refused("it is a link"));
    }
    match foreign_owner(folder) {
        Some(uid) => Err(refused(&format!("it belongs to user {uid}"))),
        None => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folders_and_files_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        create_private_dir(&inner).unwrap();
        Private::Write.open(&inner.join("lock")).unwrap();
        Private::New.open(&inner.join("new")).unwrap();
        let modes = ["", "lock", "new"].map(|name| mode(&inner.join(name)));
        assert_eq!(modes, [0o700, 0o600, 0o600]);
    }

    #[test]
    fn entries_that_others_may_have_planted_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("victim"), "precious").unwrap();
        fs::create_dir(at("elsewhere")).unwrap();
        symlink(at("victim"), at("link")).unwrap();
        symlink(at("nowhere"), at("dangling")).unwrap();
        fs::hard_link(at("victim"), at("hard")).unwrap();
        symlink(at("elsewhere"), at("folder")).unwrap();
        let fifo = std::ffi::CString::new(at("fifo").as_os_str().as_encoded_bytes()).unwrap();
        // SAFETY: the name is a string that ends in NUL.
        assert_eq!(unsafe { libc::mkfifo(fifo.as_ptr(), 0o600) }, 0);
        for name in ["link", "dangling", "hard", "fifo", "folder"] {
            for how in [Private::Read, Private::Write] {
                let error = how.open(&at(name)).unwrap_err();
                let kinds = [io::ErrorKind::PermissionDenied, io::ErrorKind::IsADirectory];
                assert!(kinds.contains(&error.kind()), "{name} {how:?}: {error}");
            }
        }
        assert!(!at("nowhere").exists() && fs::read(at("victim")).unwrap() == b"precious");
        let error = create_private_dir(&at("folder")).unwrap_err();
        assert_eq!(error.io_cause(), crate::store::IoCause::Permission);
        assert!(error.to_string().contains("it is a link"), "{error}");
        create_private_dir(&at("elsewhere")).unwrap();
    }
}
