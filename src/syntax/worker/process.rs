//! The parent's side of a worker: start the process, send a text, watch the process, report the cause of its death.

use std::ffi::OsString;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::lost::{LossKind, Lost};
use super::wire::{self, Hello, Reply, Request};
use crate::analyze::{ColoredSpan, watchdog};
use crate::document::{Document, DocumentError, DocumentForm};
use crate::grammar::Grammars;
use spyhop_base::id::LanguageId;
use spyhop_base::model::Analysis;

/// The processor time for a worker to become ready for its first text.
const START_BUDGET: Duration = Duration::from_secs(20);

/// The name of a worker in process lists, and the prefix that the C library puts before assertion messages.
const PROCESS_NAME: &str = "spyhop-parser";

/// The interval at which the processor time of a worker is checked.
const WATCH_INTERVAL: Duration = Duration::from_millis(20);

/// How many checks in a row may find that the worker used no processor time: eight seconds, or one if a signal has stopped the
/// worker. Checks are counted in place of time, because this process may have been stopped as well.
const MAX_IDLE_CHECKS: u32 = 400;
const MAX_STOPPED_CHECKS: u32 = 50;

/// The size of a pipe in bytes, where the system allows that many: most texts then go through in one write.
const PIPE_BYTES: libc::c_int = 1 << 20;

/// The capacity in bytes that a buffer keeps for the next text.
const KEPT_BUFFER: usize = 128 << 10;

/// The most bytes of a worker's last message that become part of a cause.
const MAX_LAST_WORDS: usize = 160;

/// How much longer than [`watchdog`] a worker may take for a text. An analysis stops itself when that time is over, unless a
/// scanner never returns to its parser.
const WATCHDOG_MARGIN: Duration = Duration::from_secs(1);

/// The processor time for a text that is coloured: a person waits for the text. A worker that has to compile the queries of a
/// language first takes some tenths of a second for that.
const COLORS_BUDGET: Duration = Duration::from_secs(3);

/// The processor time for a document of `length` bytes, at most ten seconds. Of 35 PDF files of packages the slowest took .6 s.
fn document_budget(length: usize) -> Duration {
    (Duration::from_secs(3) + Duration::from_micros(20) * length as u32).min(Duration::from_secs(10))
}

/// The cause of death of a worker whose bytes are not a reply.
const NONSENSE: &str = "its parser answered nonsense";

/// Why there is no worker.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The process could not be started.
    #[error("cannot start the parser worker '{}': {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
    /// The process ended or did not answer before it was ready.
    #[error("the parser worker was not ready: {}", .0.cause)]
    NotReady(Death),
    /// The process is another build of this library.
    #[error("the parser worker is another build of Spyhop than this program")]
    OtherBuild,
}

/// The death of a worker while it analysed a text.
#[derive(Debug)]
pub(crate) struct Death {
    pub cause: String,
    /// Whose fault the death is.
    pub kind: LossKind,
}

/// A child process that parses.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    requests: ChildStdin,
    replies: ChildStdout,
    last_words: PipeReader,
    /// The message that is being sent, and how many of its bytes have been sent.
    outbox: Vec<u8>,
    sent: usize,
    /// The part of a reply that has arrived.
    inbox: Vec<u8>,
    is_ready: bool,
    grammars: [u8; 16],
}

impl Worker {
    /// Starts a worker and sends the greeting. The worker gets ready while the caller goes on.
    pub fn start(program: &Path, arguments: &[OsString], grammars: &Grammars) -> Result<Worker, StartError> {
        let failed = |source| StartError::Start { program: program.to_path_buf(), source };
        let (last_words, errors) = io::pipe().map_err(failed)?;
        // A worker must never block because nobody reads its assertion messages.
        set_nonblocking(&errors).and_then(|()| set_nonblocking(&last_words)).map_err(failed)?;
        let mut child = Command::new(program)
            .arg0(PROCESS_NAME)
            .args(arguments)
            // The program's allocator would take memory by the gigabyte, which limits count as used.
            .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
            // The last line of the messages is the cause, and a backtrace takes seconds where memory is short.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            // The signals that a terminal sends to this program must not reach the worker, which ends when its pipe
            // closes.
            .process_group(0)
            .spawn()
            .map_err(failed)?;
        let requests = child.stdin.take().expect("piped above");
        let replies = child.stdout.take().expect("piped above");
        let mut worker = Worker {
            child,
            requests,
            replies,
            last_words,
            outbox: Vec::new(),
            sent: 0,
            inbox: Vec::new(),
            is_ready: false,
            grammars: grammars.fingerprint(),
        };
        set_nonblocking(&worker.requests).map_err(failed)?;
        set_nonblocking(&worker.replies).map_err(failed)?;
        enlarge(&worker.requests);
        enlarge(&worker.replies);
        wire::write(&mut worker.outbox, &wire::Greeting { manifests: grammars.overriding_manifests() });
        // If the worker is dead already, whoever waits until it is ready gets the cause.
        let _ = worker.send();
        Ok(worker)
    }

    pub fn grammars(&self) -> [u8; 16] {
        self.grammars
    }

    /// Waits until the worker has answered the greeting.
    pub(crate) fn wait_until_ready(&mut self, grammars: &Grammars) -> Result<(), StartError> {
        if self.is_ready {
            return Ok(());
        }
        self.exchange(START_BUDGET).map_err(StartError::NotReady)?;
        let hello: Option<Hello> = postcard::from_bytes(&self.inbox[wire::HEAD..]).ok();
        if hello != Some(Hello::new(grammars)) {
            return Err(StartError::OtherBuild);
        }
        self.is_ready = true;
        Ok(())
    }

    /// Analyses a text in the worker. After an error the worker is dead.
    pub fn analyze(&mut self, language: LanguageId, text: &str) -> Result<Result<Analysis, Lost>, Death> {
        let reply = self.answer(&Request::Text(language, text), watchdog(text.len()) + WATCHDOG_MARGIN)?;
        match reply {
            Some(Reply::Analysis(analysis)) if wire::check(&analysis, text) => Ok(Ok(analysis)),
            Some(Reply::TookTooLong) => Ok(Err(Lost::watchdog(text.len()))),
            Some(Reply::Panicked(message)) => Ok(Err(Lost::panicked(&one_line(message.as_bytes())))),
            Some(Reply::Analysis(_) | Reply::Document(_) | Reply::Colors(_)) | None => {
                Err(self.kill(NONSENSE.to_string(), LossKind::Parser))
            }
        }
    }

    /// Reads a document in the worker. After an error the worker is dead.
    pub fn extract(
        &mut self,
        form: DocumentForm,
        bytes: &[u8],
    ) -> Result<Result<Document, DocumentError>, Death> {
        let reply = self.answer(&Request::Document(form, bytes), document_budget(bytes.len()))?;
        match reply {
            Some(Reply::Document(outcome)) => Ok(outcome),
            Some(Reply::Panicked(message)) => {
                let cause = format!("its reader panicked: {}", one_line(message.as_bytes()));
                Ok(Err(DocumentError::Lost(cause)))
            }
            Some(Reply::Analysis(_) | Reply::TookTooLong | Reply::Colors(_)) | None => {
                Err(self.kill(NONSENSE.to_string(), LossKind::Parser))
            }
        }
    }

    /// Colours a text in the worker; `None` if the text has no colours. After an error the worker is dead.
    pub fn colors(&mut self, language: LanguageId, text: &str) -> Result<Option<Vec<ColoredSpan>>, Death> {
        let reply = self.answer(&Request::Colors(language, text), COLORS_BUDGET)?;
        match reply {
            Some(Reply::Colors(colors))
                if colors.as_ref().is_none_or(|spans| wire::check_colors(spans, text)) =>
            {
                Ok(colors)
            }
            Some(Reply::TookTooLong | Reply::Panicked(_)) => Ok(None),
            Some(Reply::Analysis(_) | Reply::Document(_) | Reply::Colors(_)) | None => {
                Err(self.kill(NONSENSE.to_string(), LossKind::Parser))
            }
        }
    }

    /// The answer to a request; `None` for bytes that are not a reply. After an error the worker is dead.
    fn answer(&mut self, request: &Request<'_>, budget: Duration) -> Result<Option<Reply>, Death> {
        wire::write_request(&mut self.outbox, request);
        self.sent = 0;
        self.exchange(budget)?;
        let reply = postcard::from_bytes(&self.inbox[wire::HEAD..]).ok();
        // A large file must not make this process large permanently.
        for buffer in [&mut self.outbox, &mut self.inbox] {
            buffer.clear();
            buffer.shrink_to(KEPT_BUFFER);
        }
        Ok(reply)
    }

    /// Sends the rest of the message and receives a whole reply. After an error, and when the worker uses more than `budget` of
    /// processor time or stands still, the worker is dead.
    fn exchange(&mut self, budget: Duration) -> Result<(), Death> {
        let began = self.processor_time();
        let (mut used, mut idle_checks) = (Duration::ZERO, 0);
        self.inbox.clear();
        loop {
            if self.send().is_err() {
                return Err(self.bury());
            }
            match self.receive() {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(_) => return Err(self.bury()),
            }
            let is_ready = self.wait();
            let before = used;
            // Where the system does not report the processor time, all time counts.
            used = match self.processor_time().zip(began) {
                Some((now, began)) => now.saturating_sub(began),
                None if is_ready || self.is_stopped() => used,
                None => used + WATCH_INTERVAL,
            };
            if used > budget {
                let limit = budget.as_secs_f32();
                let cause = format!("its parser hung: it took more than {limit:.1} s of processor time");
                return Err(self.kill(cause, LossKind::Watchdog));
            }
            idle_checks = if is_ready || used > before { 0 } else { idle_checks + 1 };
            let (most, what) = match idle_checks >= MAX_STOPPED_CHECKS && self.is_stopped() {
                true => (MAX_STOPPED_CHECKS, "was stopped by a signal"),
                false => (MAX_IDLE_CHECKS, "got no processor time"),
            };
            if idle_checks >= most {
                let limit = (WATCH_INTERVAL * most).as_secs();
                return Err(self.kill(format!("its parser {what} for {limit} s"), LossKind::Outside));
            }
        }
    }

    /// Sends as much of the message as the pipe accepts.
    fn send(&mut self) -> io::Result<()> {
        while self.sent < self.outbox.len() {
            match self.requests.write(&self.outbox[self.sent..]) {
                Ok(n) => self.sent += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Receives what the pipe holds. True when the reply is complete; the end of the pipe is an error.
    fn receive(&mut self) -> io::Result<bool> {
        loop {
            let have = self.inbox.len();
            let length = wire::body_length(&self.inbox).map_err(|()| io::ErrorKind::InvalidData)?;
            let whole = length.map(|length| wire::HEAD + length);
            if whole.is_some_and(|whole| have >= whole) {
                self.inbox.truncate(whole.unwrap_or(have));
                return Ok(true);
            }
            // The buffer grows with the bytes that arrive, even if a worker announces a gigabyte.
            let room = whole.map_or(READ_BYTES, |whole| whole - have).clamp(1, 16 * READ_BYTES);
            self.inbox.resize(have + room, 0);
            let read = self.replies.read(&mut self.inbox[have..]);
            self.inbox.truncate(have + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits until a pipe is ready, or until the next check of the worker; false for the latter.
    fn wait(&self) -> bool {
        let is_sending = self.sent < self.outbox.len();
        let mut polls = [
            libc::pollfd { fd: self.replies.as_raw_fd(), events: libc::POLLIN, revents: 0 },
            libc::pollfd { fd: self.requests.as_raw_fd(), events: libc::POLLOUT, revents: 0 },
        ];
        let n = if is_sending { 2 } else { 1 };
        // SAFETY: `n` live structs.
        unsafe { libc::poll(polls.as_mut_ptr(), n, WATCH_INTERVAL.as_millis() as libc::c_int) != 0 }
    }

    /// Kills the worker for `cause`.
    fn kill(&mut self, cause: String, kind: LossKind) -> Death {
        self.end();
        Death { cause, kind }
    }

    /// Returns the cause of death of a worker whose pipe has ended.
    fn bury(&mut self) -> Death {
        // The exit status is known by now; a worker that only closed its pipe is of no use either.
        let Some(status) = self.end() else {
            return Death { cause: "its parser ended the process".to_string(), kind: LossKind::Parser };
        };
        let mut words = [0; 4 * MAX_LAST_WORDS];
        let n = self.last_words.read(&mut words).unwrap_or(0);
        let said = one_line(&words[..n]);
        let cause = cause_of(status);
        Death {
            cause: if said.is_empty() { cause } else { format!("{cause}: {said}") },
            kind: match status.signal() {
                // A worker exits without a signal only when its pipe has ended. Another program exits at once.
                None if self.is_ready => LossKind::Outside,
                None => LossKind::NoWorker,
                Some(signal) if FAULTS.contains(&signal) => LossKind::Parser,
                Some(_) => LossKind::Outside,
            },
        }
    }

    fn end(&mut self) -> Option<ExitStatus> {
        // An error means that the process has ended already.
        let _ = self.child.kill();
        self.child.wait().ok()
    }

    /// Whether a signal has stopped the worker.
    fn is_stopped(&self) -> bool {
        let what = libc::WSTOPPED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: plain data, for which zeros are a value, and a child that has not been reaped. The call only looks.
        unsafe {
            let mut state: libc::siginfo_t = std::mem::zeroed();
            libc::waitid(libc::P_PID, self.child.id() as libc::id_t, &mut state, what) == 0
                && state.si_signo == libc::SIGCHLD
        }
    }

    /// The processor time of the worker, where the system reports it.
    fn processor_time(&self) -> Option<Duration> {
        #[cfg(target_os = "linux")]
        {
            let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
            // SAFETY: live variables; the process is a child that has not been reaped, so no other process has its
            // id.
            let told = unsafe {
                libc::clock_getcpuclockid(self.child.id() as libc::pid_t, &mut clock) == 0
                    && libc::clock_gettime(clock, &mut time) == 0
            };
            told.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
        }
        #[cfg(not(target_os = "linux"))]
        None
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

/// The signals that a program sends itself by a fault. Every other deadly signal comes from another process or the system.
const FAULTS: [libc::c_int; 7] =
    [libc::SIGABRT, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV, libc::SIGSYS, libc::SIGTRAP];

/// The least number of bytes to read at a time.
const READ_BYTES: usize = 64 << 10;

fn cause_of(status: ExitStatus) -> String {
    match status.signal() {
        None => format!("its parser ended the process with code {}", status.code().unwrap_or(-1)),
        Some(libc::SIGABRT) => "its parser aborted (SIGABRT)".to_string(),
        Some(libc::SIGSEGV) => "its parser crashed (SIGSEGV)".to_string(),
        Some(libc::SIGBUS) => "its parser crashed (SIGBUS)".to_string(),
        Some(libc::SIGKILL) => "another process or the system killed its parser (SIGKILL)".to_string(),
        Some(libc::SIGTERM) => "another process ended its parser (SIGTERM)".to_string(),
        Some(signal) => format!("its parser died of signal {signal}"),
    }
}

/// The last line of a worker's message, without control characters and without paths of the machine that built the
/// program.
fn one_line(words: &[u8]) -> String {
    let text = String::from_utf8_lossy(words);
    // An advice of the standard library is not a cause.
    let is_advice = |line: &str| line.starts_with("note:") || line.starts_with("skipping backtrace");
    let is_said = |line: &&str| !line.trim().is_empty() && !is_advice(line);
    let last = text.lines().rev().find(is_said).unwrap_or_default();
    let last = last.strip_prefix(PROCESS_NAME).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(last);
    let words = last.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let line = words.collect::<Vec<_>>().join(" ");
    line.chars().filter(|char| char.is_ascii_graphic() || *char == ' ').take(MAX_LAST_WORDS).collect()
}

fn set_nonblocking(pipe: &impl AsRawFd) -> io::Result<()> {
    let pipe = pipe.as_raw_fd();
    // SAFETY: an open descriptor, and flags.
    let set = unsafe {
        let flags = libc::fcntl(pipe, libc::F_GETFL);
        flags >= 0 && libc::fcntl(pipe, libc::F_SETFL, flags | libc::O_NONBLOCK) >= 0
    };
    if set { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Enlarges a pipe where the system can. A pipe that stays small is only slower.
fn enlarge(pipe: &impl AsRawFd) {
    #[cfg(target_os = "linux")]
    // SAFETY: an open descriptor, and a number.
    unsafe {
        libc::fcntl(pipe.as_raw_fd(), libc::F_SETPIPE_SZ, PIPE_BYTES);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pipe;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_advice_of_the_standard_library_is_no_cause() {
        let end = "\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let words = format!(
            "memory allocation of 9 bytes failed\nskipping backtrace printing to avoid recursion{end}"
        );
        assert_eq!(one_line(words.as_bytes()), "memory allocation of 9 bytes failed");
        assert_eq!(one_line(b"spyhop-parser: /a/b/scanner.c:9: failed\n"), "scanner.c:9: failed");
    }
}
