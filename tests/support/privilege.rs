//! Tests of file modes as root: a thread gives up root's privilege to read and write every file. Threads that it starts
//! lack the privilege too; programs that it starts have it again.

use super::skip::skipped;

/// Runs `work` on a thread to which file modes apply.
pub fn unprivileged(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let done = scope.spawn(|| {
            give_up();
            work();
        });
        if let Err(panic) = done.join() {
            std::panic::resume_unwind(panic);
        }
    });
}

/// Whether tests may act as other users.
pub fn is_root(name: &str) -> bool {
    // SAFETY: the call only asks who this process is.
    let is_root = unsafe { libc::geteuid() } == 0;
    if !is_root {
        skipped(&format!("{name}: only root can act as another user"));
    }
    is_root
}

#[cfg(target_os = "linux")]
fn give_up() {
    const VERSION_3: u32 = 0x2008_0522;
    const DAC_OVERRIDE: u32 = 1;
    const DAC_READ_SEARCH: u32 = 2;
    let header = [VERSION_3, 0];
    // Effective, permitted and inheritable ones, the lower half first.
    let mut sets = [0_u32; 6];
    // SAFETY: version 3 reads a header of two words and fills, or reads, six words of sets.
    let failed = unsafe {
        let got = libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr());
        sets[0] &= !(1 << DAC_OVERRIDE | 1 << DAC_READ_SEARCH);
        got != 0 || libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) != 0
    };
    assert!(!failed, "{}", std::io::Error::last_os_error());
}

#[cfg(not(target_os = "linux"))]
fn give_up() {}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_file_is_closed() {
    use std::os::unix::fs::PermissionsExt;
    unprivileged(|| {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o000)).unwrap();
        let error = std::fs::read(file.path()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    });
}
