//! Hashing and writing files on a second thread, while the first one decompresses.

use spyhop_base::threads;
use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::{self, JoinHandle};

/// The size of a buffer between a decompressor and a file.
const BUFFER_BYTES: usize = 128 << 10;

/// The number of buffers.
const BUFFERS: usize = 8;

/// The number of messages that wait. Most files have one buffer, which has a beginning and an end.
const MESSAGES: usize = 3 * BUFFERS;

enum SinkMessage {
    Begin(File),
    /// A buffer, and the number of its bytes that count.
    Bytes(Vec<u8>, usize),
    End,
}

/// Writes files, one after the other, and hashes them.
pub(super) struct FileSink {
    /// `None` when the sink ends.
    messages: Option<SyncSender<SinkMessage>>,
    /// Buffers whose bytes were written.
    spare: Receiver<Vec<u8>>,
    /// The number of buffers that exist.
    buffers: usize,
    /// Whether the caller has one of them.
    is_lent: bool,
    hashes: Receiver<io::Result<String>>,
    thread: Option<JoinHandle<()>>,
}

impl FileSink {
    pub fn new() -> io::Result<FileSink> {
        let (messages, to_write) = mpsc::sync_channel(MESSAGES);
        let (written, spare) = mpsc::channel();
        let (hashed, hashes) = mpsc::channel();
        let thread = thread::Builder::new().name("spyhop-unpack".to_string());
        // The thread ends when the sink is dropped, which a cancelled import does.
        let thread = threads::for_no_call(thread, move || write_all(&to_write, &written, &hashed))?;
        Ok(FileSink {
            messages: Some(messages),
            spare,
            buffers: 0,
            is_lent: false,
            hashes,
            thread: Some(thread),
        })
    }

    /// Begins a file, which [`FileSink::end`] ends. A file that was not ended, because its reader failed, has no hash.
    pub fn begin(&mut self, file: File) -> io::Result<()> {
        if self.is_lent {
            // The buffer is gone with the reader.
            self.buffers -= 1;
            self.is_lent = false;
        }
        self.send(SinkMessage::Begin(file))
    }

    /// A buffer to fill, for [`FileSink::write`].
    pub fn buffer(&mut self) -> io::Result<Vec<u8>> {
        let buffer = match self.spare.try_recv() {
            Ok(buffer) => buffer,
            Err(_) if self.buffers < BUFFERS => {
                self.buffers += 1;
                vec![0; BUFFER_BYTES]
            }
            Err(_) => self.spare.recv().map_err(|_| gone())?,
        };
        self.is_lent = true;
        Ok(buffer)
    }

    /// Writes the first `bytes` bytes of a buffer.
    pub fn write(&mut self, buffer: Vec<u8>, bytes: usize) -> io::Result<()> {
        self.is_lent = false;
        self.send(SinkMessage::Bytes(buffer, bytes))
    }

    /// Ends the file. Its hash comes later.
    pub fn end(&mut self) -> io::Result<()> {
        self.send(SinkMessage::End)
    }

    /// The hash of the next file that was ended, or why it could not be written. Waits for the hash if `waits`; else `None`
    /// if the file is not written yet.
    pub fn hash(&mut self, waits: bool) -> Option<io::Result<String>> {
        match waits {
            true => Some(self.hashes.recv().unwrap_or_else(|_| Err(gone()))),
            false => self.hashes.try_recv().ok(),
        }
    }

    fn send(&mut self, message: SinkMessage) -> io::Result<()> {
        let messages = self.messages.as_ref().ok_or_else(gone)?;
        messages.send(message).map_err(|_| gone())
    }
}

impl Drop for FileSink {
    fn drop(&mut self) {
        self.messages = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was an error of the file that it wrote.
            let _ = thread.join();
        }
    }
}

fn gone() -> io::Error {
    io::Error::other("the thread that writes files has ended")
}

fn write_all(
    messages: &Receiver<SinkMessage>,
    written: &Sender<Vec<u8>>,
    hashed: &Sender<io::Result<String>>,
) {
    let mut file = None;
    let mut hasher = blake3::Hasher::new();
    let mut state: io::Result<()> = Ok(());
    // The receivers may be gone, which ends the sink.
    for message in messages {
        match message {
            SinkMessage::Begin(next) => {
                file = Some(next);
                hasher.reset();
                state = Ok(());
            }
            SinkMessage::Bytes(buffer, bytes) => {
                let bytes = &buffer[..bytes];
                if let (Ok(()), Some(file)) = (&state, &mut file) {
                    hasher.update(bytes);
                    state = file.write_all(bytes);
                }
                let _ = written.send(buffer);
            }
            SinkMessage::End => {
                file = None;
                let done = std::mem::replace(&mut state, Ok(()));
                let _ = hashed.send(done.map(|()| hasher.finalize().to_hex().to_string()));
            }
        }
    }
}
