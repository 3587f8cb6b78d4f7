//! Calls that are given up when the server is silent.
//!
//! Neither the process that gix starts for SSH nor the connection that gix makes to Git's own port has a timeout. So such a
//! call runs on a thread of its own. If nothing arrives for too long, the caller goes on with an error, and the thread ends
//! with the connection.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a server may be silent.
pub(super) const PAUSE: Duration = Duration::from_secs(120);

/// The interval between two reports.
const REPORTED: Duration = Duration::from_millis(100);

/// Runs `work` on a thread, and calls `report` from time to time.
///
/// # Errors
/// `TimedOut` if `signs`, which changes with each sign of the server, stays as it is for `pause`; the error of the system if
/// no thread can be started.
pub(super) fn run<T: Send + 'static>(
    pause: Duration,
    signs: impl Fn() -> usize,
    report: impl Fn(),
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<T> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let thread = std::thread::Builder::new().spawn(move || {
        let _ = sender.send(work());
    })?;
    let (mut last, mut since) = (signs(), Instant::now());
    loop {
        report();
        match receiver.recv_timeout(REPORTED.min(pause)) {
            Ok(outcome) => return Ok(outcome),
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return Err(io::Error::other("the call ended without an answer")),
            },
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = signs();
        if now != last {
            (last, since) = (now, Instant::now());
        }
        if since.elapsed() >= pause {
            let text = format!("the server has sent nothing for {:.0} seconds", pause.as_secs_f64());
            return Err(io::Error::new(io::ErrorKind::TimedOut, text));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    #[test]
    fn a_call_that_is_done_is_not_waited_for() {
        let begin = Instant::now();
        for number in 0..20 {
            assert_eq!(run(PAUSE, || 0, || (), move || number).unwrap(), number);
        }
        assert!(begin.elapsed() < REPORTED * 10, "{:?}", begin.elapsed());
    }

    #[test]
    fn signs_keep_a_call_alive() {
        let signs = Arc::new(AtomicUsize::new(0));
        let pause = Duration::from_millis(500);
        let given = Arc::clone(&signs);
        let work = move || {
            for _ in 0..30 {
                std::thread::sleep(Duration::from_millis(50));
                given.fetch_add(1, Relaxed);
            }
        };
        run(pause, || signs.load(Relaxed), || (), work).unwrap();
        let error = run(pause, || 0, || (), || std::thread::sleep(Duration::from_secs(60))).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }
}
