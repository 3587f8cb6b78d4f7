//! Opening below an open folder by the system calls of Unix.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rustix::fs::{CWD, Dir, Mode, OFlags, openat};
use rustix::io::{Errno, retry_on_intr};

use spyhop_base::path::RelPath;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// For a regular file `NONBLOCK` changes nothing; `NOCTTY` prevents a terminal from becoming our controlling terminal.
const FILE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// A folder on the way needs no permission to be read, where the system can open it without.
#[cfg(target_os = "linux")]
const ON_THE_WAY: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const ON_THE_WAY: OFlags = FOLDER.union(OFlags::NOFOLLOW);

/// Opens the folder of a tree. Links in its path are followed.
pub(super) fn open_root(path: &Path) -> io::Result<OwnedFd> {
    Ok(retry_on_intr(|| openat(CWD, path, FOLDER, Mode::empty()))?)
}

/// Opens a file below `root` for reading, without following a link.
pub(super) fn open_file(root: BorrowedFd<'_>, rel: &RelPath) -> io::Result<File> {
    Ok(open_below(root, rel.as_str(), FILE)?.into())
}

/// Opens a folder below `root`, without following a link.
pub(super) fn open_folder(root: BorrowedFd<'_>, rel: &RelPath) -> io::Result<OwnedFd> {
    Ok(open_below(root, rel.as_str(), FOLDER)?)
}

/// Opens a folder at a path from `root`, and follows links.
pub(super) fn open_folder_anywhere(root: BorrowedFd<'_>, rel: &RelPath) -> io::Result<OwnedFd> {
    Ok(retry_on_intr(|| openat(root, named(rel.as_str()), FOLDER, Mode::empty()))?)
}

/// The names in an open folder, in any order.
pub(super) fn names(folder: OwnedFd) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::new(folder)? {
        let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    Ok(names)
}

/// The metadata of an entry below `root`; no link is followed.
#[cfg(target_os = "linux")]
pub(super) fn metadata(root: BorrowedFd<'_>, rel: &RelPath, _: &Path) -> io::Result<Metadata> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    File::from(open_below(root, rel.as_str(), flags)?).metadata()
}

/// The metadata of an entry below `root`, which is at `path`. The folders on the way are checked, and the last part is looked
/// up by its path.
#[cfg(not(target_os = "linux"))]
pub(super) fn metadata(root: BorrowedFd<'_>, rel: &RelPath, path: &Path) -> io::Result<Metadata> {
    open_below(root, rel.parent().unwrap_or_default(), FOLDER)?;
    std::fs::symlink_metadata(rel.below(path))
}

fn named(rel: &str) -> &str {
    if rel.is_empty() { "." } else { rel }
}

/// Opens `rel` below `root` without following a link.
#[cfg(target_os = "linux")]
fn open_below(root: BorrowedFd<'_>, rel: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    static IS_DENIED: AtomicBool = AtomicBool::new(false);
    if !IS_DENIED.load(Relaxed) {
        match at_once(root, rel, flags) {
            // An old kernel, or a sandbox that knows no such call.
            Err(Errno::NOSYS | Errno::PERM) => IS_DENIED.store(true, Relaxed),
            // The kernel asks to try again while it cannot rule out that a rename leads out.
            Err(Errno::AGAIN) => {}
            Err(Errno::NOENT) if rel.contains(char::REPLACEMENT_CHARACTER) => {}
            opened => return opened,
        }
    }
    part_by_part(root, rel, flags)
}

#[cfg(not(target_os = "linux"))]
use part_by_part as open_below;

/// Opens `rel` by one call.
#[cfg(target_os = "linux")]
fn at_once(root: BorrowedFd<'_>, rel: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    retry_on_intr(|| openat2(root, named(rel), flags, Mode::empty(), resolve))
}

/// Opens `rel` part by part. A [`RelPath`] has no part such as `..`. A part may be the lossy form of a name that is not UTF-8.
fn part_by_part(root: BorrowedFd<'_>, rel: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let open = |folder: BorrowedFd<'_>, name: &str, flags: OFlags| {
        let flags = flags | OFlags::NOFOLLOW;
        match retry_on_intr(|| openat(folder, name, flags, Mode::empty())) {
            Err(Errno::NOENT) if name.contains(char::REPLACEMENT_CHARACTER) => {
                let exact = only_name_with_form(folder, name).ok_or(Errno::NOENT)?;
                retry_on_intr(|| openat(folder, &exact, flags, Mode::empty()))
            }
            opened => opened,
        }
    };
    let mut above: Option<OwnedFd> = None;
    let (way, last) = rel.rsplit_once('/').unwrap_or(("", named(rel)));
    for name in way.split('/').filter(|name| !name.is_empty()) {
        above = Some(open(above.as_ref().map_or(root, AsFd::as_fd), name, ON_THE_WAY)?);
    }
    open(above.as_ref().map_or(root, AsFd::as_fd), last, flags)
}

/// The name in a folder that has this lossy form, if no other name has it.
fn only_name_with_form(folder: BorrowedFd<'_>, form: &str) -> Option<OsString> {
    let listed = retry_on_intr(|| openat(folder, ".", FOLDER, Mode::empty())).ok()?;
    let mut found = names(listed).ok()?.into_iter().filter(|name| name.to_string_lossy() == form);
    found.next().filter(|_| found.next().is_none())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    type Open = fn(BorrowedFd<'_>, &str, OFlags) -> Result<OwnedFd, Errno>;

    #[cfg(target_os = "linux")]
    const WAYS: &[Open] = &[open_below, at_once, part_by_part];
    #[cfg(not(target_os = "linux"))]
    const WAYS: &[Open] = &[part_by_part];

    #[test]
    fn every_way_opens_what_lies_below_and_follows_no_link() {
        let top = tempfile::tempdir().unwrap();
        let at = |path: &str| top.path().join(path);
        fs::create_dir_all(at("root/a/b")).unwrap();
        fs::create_dir_all(at("outside/b")).unwrap();
        for path in ["root/a/b/file", "outside/b/file", "outside/file"] {
            fs::write(at(path), "text").unwrap();
        }
        for (to, link) in [
            (at("outside").to_str().unwrap(), "root/out"),
            ("../outside/file", "root/up"),
            ("a/b", "root/in"),
            (at("root/a").to_str().unwrap(), "root/in-whole"),
            ("a/b/file", "root/file"),
            ("/proc/self/cwd", "root/magic"),
        ] {
            symlink(to, at(link)).unwrap();
        }
        let root = open_root(&at("root")).unwrap();
        let root = root.as_fd();
        for (way, open) in WAYS.iter().enumerate() {
            let mut text = String::new();
            File::from(open(root, "a/b/file", FILE).unwrap()).read_to_string(&mut text).unwrap();
            assert_eq!(text, "text", "way {way}");
            for folder in ["", "a", "a/b"] {
                assert!(open(root, folder, FOLDER).is_ok(), "way {way}: {folder:?}");
            }
            for path in
                ["out/file", "out/b/file", "up", "in/file", "in-whole/b/file", "file", "magic", "magic/x"]
            {
                let failed = open(root, path, FILE).unwrap_err();
                assert!(
                    matches!(failed, Errno::LOOP | Errno::NOTDIR | Errno::MLINK),
                    "way {way}: {path} {failed}"
                );
                assert!(open(root, path, FOLDER).is_err(), "way {way}: {path}");
            }
            assert_eq!(open(root, "a/none", FILE).unwrap_err(), Errno::NOENT, "way {way}");
        }
    }
}
