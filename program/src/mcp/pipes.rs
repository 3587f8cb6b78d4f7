//! The protocol over pipes: a message a line.
//!
//! Unlike rmcp's own transport, a line that is no message is answered, see [`malformed`]. Nothing of a line that is too long
//! is kept, and the memory of a long line is given back with it.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::malformed::{self, MAX_LINE, MessageHead, Received};

/// The pipes of a client.
pub struct Pipes<R, W> {
    read: BufReader<R>,
    /// What is read of a line.
    line: Vec<u8>,
    /// What is known of a line that is too long.
    long: Option<MessageHead>,
    write: Arc<Mutex<W>>,
    /// The error that is being written.
    refusing: Option<JoinHandle<io::Result<()>>>,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Pipes<R, W> {
    pub fn new(read: R, write: W) -> Pipes<R, W> {
        Pipes {
            read: BufReader::new(read),
            line: Vec::new(),
            long: None,
            write: Arc::new(Mutex::new(write)),
            refusing: None,
        }
    }

    /// Reads to the end of the line; returns whether there was anything to read. The future may be dropped: what was read
    /// stays.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.read.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(!self.line.is_empty() || self.long.is_some());
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let bytes = &bytes[..end.map_or(bytes.len(), |end| end + 1)];
            let taken = bytes.len();
            if self.long.is_none() && self.line.len() + taken > MAX_LINE {
                let mut head = MessageHead::default();
                head.read(&std::mem::take(&mut self.line));
                self.long = Some(head);
            }
            match &mut self.long {
                Some(head) => head.read(bytes),
                None => self.line.extend_from_slice(bytes),
            }
            self.read.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }
}

async fn written<W: AsyncWrite + Unpin>(write: Arc<Mutex<W>>, message: impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(&message)?;
    bytes.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&bytes).await?;
    write.flush().await
}

impl<R, W> Transport<RoleServer> for Pipes<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        written(Arc::clone(&self.write), message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // A client that does not read its errors is not read either.
            if let Some(refusing) = &mut self.refusing {
                let _ = refusing.await;
                self.refusing = None;
            }
            match self.read_line().await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    tracing::error!(%error, "standard input cannot be read");
                    return None;
                }
            }
            let received = match self.long.take() {
                Some(head) => malformed::oversize(&head).map_or(Received::Nothing, Received::Refused),
                None => {
                    let line = std::mem::take(&mut self.line);
                    malformed::received(malformed::with_object(&line).as_ref().unwrap_or(&line))
                }
            };
            match received {
                Received::Message(message) => return Some(*message),
                Received::Nothing => {}
                Received::Refused(error) => {
                    tracing::info!(%error, "refused");
                    // This future may be dropped, and half an error must not be written.
                    self.refusing = Some(tokio::spawn(written(Arc::clone(&self.write), error)));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}
