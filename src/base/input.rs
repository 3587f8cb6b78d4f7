//! Files that somebody else names or writes.
//!
//! This module owns how such a file is opened: regular, without waiting at a FIFO, and read up to a size limit. A FIFO, a
//! socket or a device would hold whoever reads it for as long as nobody writes, so it is refused. There is one exception,
//! for the user of the command line: a descriptor that the program was given, such as that of `<(command)`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The largest text that is read whole: far larger than any configuration, profile or list of patterns.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;

/// The bytes of a regular file of at most `max` bytes; links are followed.
pub fn bounded(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    bounded_file(regular(path)?, max)
}

/// The bytes of an open file, which must be regular and have at most `max` bytes.
pub fn bounded_file(file: File, max: u64) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::other(format!("it is above {max} bytes"));
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other(NotRegular));
    }
    if metadata.len() > max {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large()) } else { Ok(bytes) }
}

/// Opens a file that the user of the command line names: a regular file, or a descriptor that the program was given.
pub fn open_named(path: &Path) -> io::Result<File> {
    if is_descriptor(path) {
        return File::open(path);
    }
    regular(path).map_err(|error| match error.get_ref().is_some_and(|error| error.is::<NotRegular>()) {
        true => {
            io::Error::other(format!("{error}; give a regular file, or a pipe by the name of its descriptor"))
        }
        false => error,
    })
}

/// The bytes of a file that the user of the command line names; see [`open_named`].
pub fn named(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_named(path)?.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max {
        true => Err(io::Error::other(format!("it is above {max} bytes"))),
        false => Ok(bytes),
    }
}

/// The text of a file that the user of the command line names, such as a profile; see [`open_named`].
pub fn named_text(path: &Path) -> io::Result<String> {
    String::from_utf8(named(path, MAX_TEXT_BYTES)?).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Why a file is not opened.
#[derive(Debug, thiserror::Error)]
#[error("it is not a regular file")]
struct NotRegular;

/// Opens a regular file; links are followed.
fn regular(path: &Path) -> io::Result<File> {
    let check = |metadata: &fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::other(NotRegular)),
    };
    // Opening a device may have side effects, so the type is checked first.
    check(&fs::metadata(path)?)?;
    let file = open_unblocked(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Whether a path names a descriptor of this process, as the shell names a process substitution.
fn is_descriptor(path: &Path) -> bool {
    cfg!(unix)
        && (path == Path::new("/dev/stdin")
            || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(Path::new(folder))))
}

/// Opens a file for reading without waiting at a FIFO, and follows links.
#[cfg(unix)]
pub fn open_unblocked(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    File::options().read(true).custom_flags(flags).open(path)
}

/// Opens a file for reading, and follows links.
#[cfg(not(unix))]
pub fn open_unblocked(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn only_regular_files_are_read_and_only_so_far() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "12345").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("zero")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let status = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(status.success());
        File::create(at("sparse")).unwrap().set_len(6 << 30).unwrap();
        for read in [bounded, named] {
            let says = |name: &str, max| match read(&at(name), max) {
                Ok(bytes) => String::from_utf8(bytes).unwrap(),
                Err(error) => error.to_string(),
            };
            assert_eq!((says("file", 5), says("link", 5)), ("12345".into(), "12345".into()));
            assert_eq!(says("file", 4), "it is above 4 bytes");
            assert_eq!(says("sparse", 1 << 20), "it is above 1048576 bytes");
            for name in ["zero", "pipe", "socket", "."] {
                let error = says(name, 1 << 20);
                assert!(error.starts_with("it is not a regular file"), "{name}: {error}");
            }
        }
    }

    #[test]
    fn a_descriptor_of_the_program_may_be_a_pipe() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"12345").unwrap();
        drop(writer);
        let name = format!("/dev/fd/{}", reader.as_raw_fd());
        assert!(bounded(Path::new(&name), 9).is_err());
        assert_eq!(named_text(Path::new(&name)).unwrap(), "12345");
    }
}
