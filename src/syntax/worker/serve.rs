//! The worker's side: read a request, answer it, until the pipe ends.
//!
//! The main thread only watches for the end of the program that started the worker: a parser in an endless loop would
//! never read the end of its pipe.

use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{sandbox, wire};
use crate::analyze::{Analyzer, STACK_BYTES};
use crate::document;
use crate::grammar::Grammars;
use spyhop_base::model::Note;
use spyhop_base::threads;

/// Serves requests and ends the process.
pub fn run() -> ! {
    // A file system cannot be unmounted while a process has its current folder there.
    // SAFETY: a constant string that ends in NUL.
    unsafe { libc::chdir(c"/".as_ptr()) };
    // The reply carries the message of a panic.
    std::panic::set_hook(Box::new(|_| ()));
    let worker = threads::for_no_call(std::thread::Builder::new().stack_size(STACK_BYTES), || {
        // The parent process is gone, or has sent something invalid, so an error cannot be reported.
        let _ = serve();
        end();
    });
    if worker.is_ok() {
        wait_for_the_end_of(libc::STDIN_FILENO);
    }
    end()
}

fn end() -> ! {
    // SAFETY: nothing is left to flush, and other threads may be in a parser that never returns.
    unsafe { libc::_exit(0) }
}

/// Waits until every writer of a pipe has closed it.
fn wait_for_the_end_of(pipe: libc::c_int) {
    loop {
        let mut poll = libc::pollfd { fd: pipe, events: 0, revents: 0 };
        // SAFETY: one live struct.
        let ready = unsafe { libc::poll(&mut poll, 1, -1) };
        if ready > 0 || (ready < 0 && io::Error::last_os_error().kind() != io::ErrorKind::Interrupted) {
            return;
        }
    }
}

fn serve() -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), RawOutput);
    let mut message = Vec::new();
    read_body(&mut input, &mut message)?;
    let greeting: wire::Greeting = postcard::from_bytes(&message).map_err(io::Error::other)?;
    let grammars = Grammars::with_manifests(greeting.manifests).map_err(io::Error::other)?;
    let mut analyzer = Analyzer::for_worker();
    sandbox::limit_resources();
    sandbox::refuse_system_calls();
    let mut reply = Vec::new();
    wire::write(&mut reply, &wire::Hello::new(&grammars));
    output.write_all(&reply)?;
    loop {
        read_body(&mut input, &mut message)?;
        let request =
            wire::read_request(&message).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
        let mut answered = || {
            let outcome = catch_unwind(AssertUnwindSafe(|| answer(&mut analyzer, &grammars, &request)));
            let outcome = outcome.unwrap_or_else(|panic| {
                analyzer = Analyzer::for_worker();
                wire::Reply::Panicked(super::lost::message_of(&*panic))
            });
            wire::write(&mut reply, &outcome);
        };
        match request {
            wire::Request::Document(..) => sandbox::with_memory(sandbox::MAX_DOCUMENT_DATA, answered),
            _ => answered(),
        }
        output.write_all(&reply)?;
        // A large file must not make the worker large permanently.
        for buffer in [&mut message, &mut reply] {
            buffer.clear();
            buffer.shrink_to(KEPT_BUFFER);
        }
    }
}

fn answer(analyzer: &mut Analyzer, grammars: &Grammars, request: &wire::Request<'_>) -> wire::Reply {
    match *request {
        wire::Request::Text(language, text) => {
            let analysis = analyzer.analyze(grammars, language, text);
            match analysis.notes.contains(&Note::Quarantined) {
                true => wire::Reply::TookTooLong,
                false => wire::Reply::Analysis(analysis),
            }
        }
        wire::Request::Colors(language, text) => {
            wire::Reply::Colors(analyzer.colors(grammars, language, text))
        }
        wire::Request::Document(form, bytes) => wire::Reply::Document(document::extract(form, bytes)),
    }
}

/// The capacity in bytes that a buffer keeps for the next message.
const KEPT_BUFFER: usize = 256 << 10;

/// Reads the body of the next message. The end of the pipe is an error.
fn read_body(input: &mut impl Read, body: &mut Vec<u8>) -> io::Result<()> {
    let mut head = [0; wire::HEAD];
    input.read_exact(&mut head)?;
    let length = wire::body_length(&head).ok().flatten();
    let length = length.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    body.clear();
    body.resize(length, 0);
    input.read_exact(body)
}

/// Standard output without a buffer, which would flush after each line.
struct RawOutput;

impl Write for RawOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: a live buffer of that length.
        let written = unsafe { libc::write(libc::STDOUT_FILENO, bytes.as_ptr().cast(), bytes.len()) };
        usize::try_from(written).map_err(|_| io::Error::last_os_error())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
