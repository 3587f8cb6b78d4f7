//! The open connections, and which connection is closed when a new one arrives.
//!
//! Any process that reaches the port can open connections, so unauthenticated connections have a limit of their own.
//! When there are too many, the oldest is closed; each is also closed when its first request has not arrived after
//! [`FIRST_HEAD`]. An authenticated connection is closed only when there are too many authenticated ones; then the
//! connection that has been idle longest is closed.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::oneshot;

/// The timeout for the first request of a connection, which carries the token.
pub const FIRST_HEAD: Duration = Duration::from_secs(5);

/// How many unauthenticated connections may be open at once. More than the 128 that tokio accepts before it runs other
/// tasks, so a client that has sent a request by then gets an answer before its connection is closed.
const MAX_UNAUTHENTICATED: usize = 256;
/// How many authenticated connections may be open at once.
const MAX_AUTHENTICATED: usize = 256;

/// All connections of a server, in the order in which they were opened.
#[derive(Default)]
pub struct Connections {
    table: Mutex<ConnectionTable>,
}

#[derive(Default)]
struct ConnectionTable {
    opened: u64,
    unauthenticated: BTreeMap<u64, Close>,
    authenticated: BTreeMap<u64, Authenticated>,
}

/// Closes a connection when dropped.
struct Close(#[allow(dead_code, reason = "it is there to be dropped")] oneshot::Sender<()>);

struct Authenticated {
    _close: Close,
    /// How many requests are under way.
    busy: usize,
    idle_since: Instant,
}

/// A connection's place in the table, until it is dropped.
pub struct Connection {
    all: Arc<Connections>,
    number: u64,
}

/// A request in progress on an authenticated connection.
pub struct Busy {
    connection: Arc<Connection>,
}

/// The error that every authenticated connection has a request in progress.
#[derive(Debug)]
pub struct Full;

impl Connections {
    /// Adds a new connection and closes the oldest unauthenticated one if there are too many. The receiver ends when
    /// the new connection has to be closed.
    pub fn open(self: &Arc<Self>) -> (Arc<Connection>, oneshot::Receiver<()>) {
        let (close, closed) = oneshot::channel();
        let mut table = self.lock();
        if table.unauthenticated.len() >= MAX_UNAUTHENTICATED {
            table.unauthenticated.pop_first();
        }
        let number = table.opened;
        table.opened += 1;
        table.unauthenticated.insert(number, Close(close));
        (Arc::new(Connection { all: Arc::clone(self), number }), closed)
    }

    /// Closes the oldest unauthenticated connection and returns whether there was one. For use when the system has no
    /// resources for another connection.
    pub fn close_oldest_unauthenticated(&self) -> bool {
        self.lock().unauthenticated.pop_first().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Whether the connection has not sent the token yet.
    pub fn is_unauthenticated(&self) -> bool {
        self.all.lock().unauthenticated.contains_key(&self.number)
    }

    /// Marks the connection as authenticated, with a request in progress.
    pub fn begin(self: &Arc<Self>) -> Result<Busy, Full> {
        let mut table = self.all.lock();
        if let Some(close) = table.unauthenticated.remove(&self.number) {
            if table.authenticated.len() >= MAX_AUTHENTICATED {
                let idle = table.authenticated.iter().filter(|(_, known)| known.busy == 0);
                let idlest = idle.min_by_key(|(_, known)| known.idle_since).map(|(number, _)| *number);
                let Some(idlest) = idlest else {
                    table.unauthenticated.insert(self.number, close);
                    return Err(Full);
                };
                table.authenticated.remove(&idlest);
            }
            let known = Authenticated { _close: close, busy: 0, idle_since: Instant::now() };
            table.authenticated.insert(self.number, known);
        }
        if let Some(known) = table.authenticated.get_mut(&self.number) {
            known.busy += 1;
        }
        Ok(Busy { connection: Arc::clone(self) })
    }
}

impl Busy {
    /// Wraps the body of a response: the request stays in progress until the body has been sent.
    pub fn until_sent<B>(self, body: B) -> UntilSent<B> {
        UntilSent { body, _busy: self }
    }
}

/// A body that is being sent.
pub struct UntilSent<B> {
    body: B,
    _busy: Busy,
}

impl<B: Body + Unpin> Body for UntilSent<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let Connection { all, number } = &*self.connection;
        if let Some(known) = all.lock().authenticated.get_mut(number) {
            known.busy -= 1;
            known.idle_since = Instant::now();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut table = self.all.lock();
        table.unauthenticated.remove(&self.number);
        table.authenticated.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a connection has been told to close.
    fn is_closed(closed: &mut oneshot::Receiver<()>) -> bool {
        !matches!(closed.try_recv(), Err(oneshot::error::TryRecvError::Empty))
    }

    #[test]
    fn the_oldest_unauthenticated_connection_is_closed() {
        let all = Arc::new(Connections::default());
        let (client, mut client_closed) = all.open();
        drop(client.begin().unwrap());
        let mut newcomers: Vec<_> = (0..MAX_UNAUTHENTICATED).map(|_| all.open()).collect();
        assert!(
            newcomers
                .iter_mut()
                .all(|(connection, closed)| connection.is_unauthenticated() && !is_closed(closed))
        );
        let _one_more = all.open();
        assert!(is_closed(&mut newcomers[0].1) && !is_closed(&mut newcomers[1].1));
        assert!(!client.is_unauthenticated() && !is_closed(&mut client_closed));
        // A connection that ends makes room.
        newcomers.remove(1);
        let _another = all.open();
        assert!(!is_closed(&mut newcomers[1].1));
        assert!(all.close_oldest_unauthenticated() && is_closed(&mut newcomers[1].1));
    }

    #[test]
    fn of_authenticated_connections_the_idlest_is_closed() {
        let all = Arc::new(Connections::default());
        let mut known: Vec<_> = (0..MAX_AUTHENTICATED)
            .map(|_| {
                let (connection, closed) = all.open();
                let busy = connection.begin().unwrap();
                (connection, closed, Some(busy))
            })
            .collect();
        let (newest, mut newest_closed) = all.open();
        assert!(newest.begin().is_err() && !is_closed(&mut newest_closed));
        for idle in [7, 3] {
            known[idle].2 = None;
            std::thread::sleep(Duration::from_millis(2));
        }
        let _busy = newest.begin().unwrap();
        let closed: Vec<usize> = (0..MAX_AUTHENTICATED).filter(|n| is_closed(&mut known[*n].1)).collect();
        assert_eq!(closed, [7]);
    }
}
