//! A trial: whether some work comes to an end, found out in a process of its own.
//!
//! After a crash the files that were being parsed are suspects. Killed and crashed processes leave the same traces,
//! so which of them does crash a parser is tried, each in a forked child that may die in our place. It happens only
//! after a crash, and before an update starts threads of its own. Where processes cannot fork, every suspect is
//! taken for guilty.

#[cfg(unix)]
pub use unix::outcome_of;

/// Runs `work`; `Some` with what happened if it did not come to an end.
#[cfg(not(unix))]
pub fn outcome_of(_work: impl Fn() + Send + Copy) -> Option<String> {
    Some("it was being parsed when indexing died".to_string())
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::{Duration, Instant};

    use crate::update::work::spawn;

    /// Processor seconds that a suspect may take. The largest files that are parsed take less than one.
    const CPU_SECONDS: u64 = 20;

    /// Memory that a suspect may take, in bytes.
    const MEMORY: u64 = 4 << 30;

    /// Descriptors below this number are closed in the child.
    const DESCRIPTORS: libc::c_int = 4096;

    /// After this time the child is killed: it waits for something, which no parser does.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// Runs `work` in a child on a thread like those of an update; `Some` with what happened if it did not come to
    /// an end. A panic is an end: an update survives it.
    pub fn outcome_of(work: impl Fn() + Send + Copy) -> Option<String> {
        let (reader, writer) = match pipe() {
            Ok(ends) => ends,
            Err(error) => return Some(format!("it could not be tried: {error}")),
        };
        // SAFETY: the child runs `work`, which takes no lock that another thread may hold but malloc's, and malloc is
        // made ready by fork itself; it ends without running anybody's exit handlers.
        match unsafe { libc::fork() } {
            -1 => Some(format!("it could not be tried: {}", io::Error::last_os_error())),
            0 => {
                confine(writer.as_raw_fd());
                let done = catch_unwind(AssertUnwindSafe(|| {
                    std::thread::scope(|scope| drop(spawn(scope, work).join()));
                }));
                // SAFETY: one byte of a live buffer to an open descriptor; `_exit` never returns.
                unsafe {
                    if done.is_ok() {
                        libc::write(writer.as_raw_fd(), b"!".as_ptr().cast(), 1);
                    }
                    libc::_exit(0)
                }
            }
            child => {
                drop(writer);
                let ended = said_so(&reader);
                verdict(child, ended)
            }
        }
    }

    fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
        let mut ends = [0; 2];
        // SAFETY: `ends` has room for two descriptors; both are owned from here on.
        unsafe {
            match libc::pipe(ends.as_mut_ptr()) {
                0 => Ok((OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    /// Limits the child, keeps its last words off the terminal, and closes what it inherited but `writer`: a lock
    /// that another thread lets go of would stay taken by the copy.
    fn confine(writer: libc::c_int) {
        let limit = |what, most: u64| {
            let limit = libc::rlimit { rlim_cur: most as libc::rlim_t, rlim_max: most as libc::rlim_t };
            // SAFETY: a live struct; a limit that is refused leaves the child without it.
            unsafe { libc::setrlimit(what, &limit) };
        };
        limit(libc::RLIMIT_CPU, CPU_SECONDS);
        limit(libc::RLIMIT_DATA, MEMORY);
        limit(libc::RLIMIT_CORE, 0);
        // SAFETY: descriptors of the child only, of which nothing but `writer` is used again; a constant string that
        // ends in NUL.
        unsafe {
            (libc::STDERR_FILENO + 1..DESCRIPTORS).filter(|&it| it != writer).for_each(|it| {
                libc::close(it);
            });
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
            if null >= 0 {
                libc::dup2(null, libc::STDERR_FILENO);
            }
        }
    }

    /// Waits for the child's word that it came to the end. `None`: it fell silent for too long.
    fn said_so(reader: &OwnedFd) -> Option<bool> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut poll = libc::pollfd { fd: reader.as_raw_fd(), events: libc::POLLIN, revents: 0 };
            // SAFETY: one live struct, and a buffer of one byte.
            match unsafe { libc::poll(&mut poll, 1, left.as_millis() as libc::c_int) } {
                0 => return None,
                -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                _ => {
                    let mut byte = 0u8;
                    let read = unsafe { libc::read(reader.as_raw_fd(), (&raw mut byte).cast(), 1) };
                    if read >= 0 || io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
                        return Some(read == 1);
                    }
                }
            }
        }
    }

    /// Buries the child and says what it died of, if it did not come to the end.
    fn verdict(child: libc::pid_t, ended: Option<bool>) -> Option<String> {
        let mut status = 0;
        // SAFETY: the child is ours, and waited for here alone.
        unsafe {
            if ended.is_none() {
                libc::kill(child, libc::SIGKILL);
            }
            while libc::waitpid(child, &mut status, 0) == -1
                && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
            {}
        }
        match ended {
            Some(true) => None,
            None => Some(format!("its parser hung for {} s", PATIENCE.as_secs())),
            Some(false) if !libc::WIFSIGNALED(status) => Some("its parser ended the process".to_string()),
            Some(false) => Some(match libc::WTERMSIG(status) {
                libc::SIGABRT => "its parser aborted (SIGABRT)".to_string(),
                libc::SIGSEGV => "its parser crashed (SIGSEGV)".to_string(),
                libc::SIGBUS => "its parser crashed (SIGBUS)".to_string(),
                libc::SIGXCPU | libc::SIGKILL => format!("its parser took more than {CPU_SECONDS} s"),
                signal => format!("its parser died of signal {signal}"),
            }),
        }
    }
}
