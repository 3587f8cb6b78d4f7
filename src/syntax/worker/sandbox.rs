//! The sandbox of a parser worker, which may only read its pipe, write its pipe, allocate memory and end.
//!
//! Limits on resources work on every Unix: with no descriptor left to open and files of no bytes, a process reaches
//! neither files nor the network. On Linux a seccomp filter allows a list of system calls and refuses all others.
//! Landlock would add nothing: the filter refuses to open any file at all.

use crate::analyze::STACK_BYTES;

/// The most memory that a worker may allocate, in bytes. [`crate::analyze`] gives up on a file far below this limit.
const MAX_DATA: u64 = 4 << 30;

/// The most memory that a worker may allocate while it reads a document, in bytes, without its stack. With the program less than
/// 512 MB are then resident.
pub(crate) const MAX_DOCUMENT_DATA: u64 = 400 << 20;

/// The largest address space of a worker, in bytes: its memory, stack and program, and what the allocator reserves.
#[cfg(target_pointer_width = "64")]
const MAX_ADDRESSES: u64 = 12 << 30;

/// The limit on open descriptors: the three standard ones of a worker. A limit of 0 would make `poll` fail.
const OWN_PIPES: u64 = 3;

/// Limits the resources of this process. No file can be opened afterwards.
pub(crate) fn limit_resources() {
    let limit = |what, most: u64| {
        let limit = libc::rlimit { rlim_cur: most as libc::rlim_t, rlim_max: most as libc::rlim_t };
        // SAFETY: a live struct. A limit that the system refuses leaves the process without that limit.
        unsafe { libc::setrlimit(what, &limit) };
    };
    limit(libc::RLIMIT_CORE, 0);
    limit(libc::RLIMIT_FSIZE, 0);
    limit(libc::RLIMIT_NOFILE, OWN_PIPES);
    limit(libc::RLIMIT_DATA, MAX_DATA);
    #[cfg(target_pointer_width = "64")]
    limit(libc::RLIMIT_AS, MAX_ADDRESSES);
}

/// Limits the memory that this process may allocate to `most` bytes and its stack while `work` runs. The allocator of the program
/// must not hold more than it uses.
pub(crate) fn with_memory<T>(most: u64, work: impl FnOnce() -> T) -> T {
    let mut before = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a live struct.
    if unsafe { libc::getrlimit(libc::RLIMIT_DATA, &mut before) } != 0 {
        return work();
    }
    let most = (most + STACK_BYTES as u64) as libc::rlim_t;
    let limit = libc::rlimit { rlim_cur: most.min(before.rlim_max), ..before };
    // SAFETY: live structs. A limit that the system refuses leaves the process with the limit of before.
    unsafe { libc::setrlimit(libc::RLIMIT_DATA, &limit) };
    let done = work();
    // SAFETY: a live struct.
    unsafe { libc::setrlimit(libc::RLIMIT_DATA, &before) };
    done
}

/// Refuses every system call that parsing does not need, for all threads of this process. A kernel without seccomp
/// leaves the process with the limits alone.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn refuse_system_calls() {
    if let Err(error) = filter().and_then(|filter| seccompiler::apply_filter_all_threads(&filter)) {
        tracing::warn!(%error, "a parser worker has no seccomp filter");
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) fn refuse_system_calls() {}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn filter() -> Result<seccompiler::BpfProgram, seccompiler::Error> {
    use seccompiler::{
        SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
        TargetArch,
    };

    /// Memory, threads that wait and end, time, and the pipes.
    const ALLOWED: &[libc::c_long] = &[
        libc::SYS_brk,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_close,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_futex,
        libc::SYS_getpid,
        libc::SYS_getrandom,
        libc::SYS_gettid,
        libc::SYS_madvise,
        libc::SYS_mmap,
        libc::SYS_mprotect,
        libc::SYS_mremap,
        libc::SYS_munmap,
        libc::SYS_ppoll,
        libc::SYS_read,
        libc::SYS_restart_syscall,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sched_getaffinity,
        libc::SYS_sched_yield,
        libc::SYS_sigaltstack,
        libc::SYS_write,
        libc::SYS_writev,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_poll,
    ];
    // `abort` sends a signal to its process.
    let to_this_process =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, u64::from(std::process::id()))?;
    let to_itself = vec![SeccompRule::new(vec![to_this_process])?];
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
        ALLOWED.iter().map(|&call| (call, Vec::new())).collect();
    rules.insert(libc::SYS_tgkill, to_itself);
    // A process may limit its memory, and cannot raise the hard limit.
    let of_memory = [0, libc::RLIMIT_DATA as u64];
    let of_memory = of_memory.into_iter().zip(0..).map(|(value, argument)| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
    });
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(of_memory.collect::<Result<_, _>>()?)?]);
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)?;
    Ok(seccompiler::BpfProgram::try_from(filter)?)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs::File;
    use std::io::{ErrorKind, Write};
    use std::net::{TcpStream, UdpSocket};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// The part of the sandbox that the child process is to enter, and the file that it tries to reach.
    const PART: &str = "SPYHOP_TEST_SANDBOX";
    const FILE: &str = "SPYHOP_TEST_FILE";

    const READ: u8 = 1;
    const CREATE: u8 = 1 << 1;
    const WRITE: u8 = 1 << 2;
    const REMOVE: u8 = 1 << 3;
    const NETWORK: u8 = 1 << 4;
    const SERVER: u8 = 1 << 5;
    const PROGRAM: u8 = 1 << 6;
    const PROCESS: u8 = 1 << 7;

    /// The resources that a process in the sandbox can reach, one bit each.
    fn reached(file: &Path, open: &mut File) -> u8 {
        let refused = |error: std::io::Error| error.kind() == ErrorKind::ConnectionRefused;
        let bit = |bit: u8, is_reached: bool| if is_reached { bit } else { 0 };
        bit(READ, File::open(file).is_ok())
            | bit(CREATE, File::create(file.with_extension("new")).is_ok())
            | bit(WRITE, open.write_all(b"more").is_ok())
            | bit(REMOVE, std::fs::remove_file(file).is_ok())
            | bit(NETWORK, UdpSocket::bind("127.0.0.1:0").is_ok())
            | bit(SERVER, TcpStream::connect("127.0.0.1:1").is_err_and(refused))
            | bit(PROGRAM, Command::new("/bin/true").status().is_ok_and(|status| status.success()))
            // SAFETY: signal 0 only asks whether the process could be sent one.
            | bit(PROCESS, unsafe { libc::kill(libc::getppid(), 0) } == 0)
    }

    /// Runs in a child process of the test below.
    #[test]
    #[ignore = "it locks up its process: `a_sandbox_reaches_nothing` runs it"]
    fn inside() {
        let Ok(part) = std::env::var(PART) else { return };
        let file = PathBuf::from(std::env::var_os(FILE).unwrap());
        let mut open = File::options().append(true).open(&file).unwrap();
        // SAFETY: ignores a signal that would end the process by default.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        match part.as_str() {
            "limits" => super::limit_resources(),
            "seccomp" => super::refuse_system_calls(),
            "memory" => {
                super::limit_resources();
                super::refuse_system_calls();
                let can_take = |bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
                let within = super::with_memory(64 << 20, || [can_take(32 << 20), can_take(512 << 20)]);
                let is_limited = within == [true, false] && can_take(512 << 20);
                // SAFETY: the test process has nothing left to do.
                unsafe { libc::_exit(is_limited.into()) }
            }
            _ => {}
        }
        let reached = reached(&file, &mut open);
        // SAFETY: the test process has nothing left to do.
        unsafe { libc::_exit(reached.into()) }
    }

    #[test]
    fn a_sandbox_reaches_nothing() {
        let reached_in = |part: &str| {
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join("file");
            std::fs::write(&file, "content").unwrap();
            let mut child = Command::new(std::env::current_exe().unwrap());
            child.args(["--exact", "worker::sandbox::tests::inside", "--ignored"]);
            child.env(PART, part).env(FILE, &file).status().unwrap().code().unwrap() as u8
        };
        assert_eq!(reached_in("nothing"), u8::MAX);
        // The limits prevent new descriptors and bytes on every Unix; they prevent nothing else.
        assert_eq!(reached_in("limits"), REMOVE | PROCESS);
        assert_eq!(reached_in("memory"), 1, "a limit for a document alone");
        if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            // An open descriptor can be written, as the pipe must be; a worker has no other.
            assert_eq!(reached_in("seccomp"), WRITE);
        }
    }
}
