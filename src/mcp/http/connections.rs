//! Which connections are open, and which one is closed when another comes.
//!
//! Whoever reaches the port can open connections, so those that have not shown the token are bounded apart from the
//! others: when there are too many, the oldest of them is closed, and each is closed when its first request has not come
//! after [`FIRST_HEAD`]. An authenticated connection is closed only when there are too many authenticated ones; then the
//! one that is idle longest goes.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::oneshot;

/// How long the first request of a connection, and with it the token, may take to come.
pub const FIRST_HEAD: Duration = Duration::from_secs(5);

/// How many connections without the token there are at once. It is above the 128 that tokio accepts before it lets
/// others run, so whoever has sent a request by then is answered before being displaced.
const MAX_UNAUTHENTICATED: usize = 256;
/// How many with the token.
const MAX_AUTHENTICATED: usize = 256;

/// All connections of a server, in the order in which they were opened.
#[derive(Default)]
pub struct Connections {
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    opened: u64,
    unauthenticated: BTreeMap<u64, Close>,
    authenticated: BTreeMap<u64, Authenticated>,
}

/// Closes a connection when it is dropped.
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

/// A request under way on a connection that has shown the token.
pub struct Busy {
    connection: Arc<Connection>,
}

/// That every connection with the token has a request under way.
#[derive(Debug)]
pub struct Full;

impl Connections {
    /// Takes a new connection in, closing the oldest unauthenticated one where there are too many. The receiver ends when this
    /// connection has to be closed.
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

    /// Closes the oldest unauthenticated connection; whether there was one. It is for when the system has no room for another connection.
    pub fn close_oldest_unauthenticated(&self) -> bool {
        self.lock().unauthenticated.pop_first().is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Whether it has not shown the token yet.
    pub fn is_unauthenticated(&self) -> bool {
        self.all.lock().unauthenticated.contains_key(&self.number)
    }

    /// Notes that the token was shown and a request is under way.
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
    /// The body, which keeps the request under way until it has been sent.
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
        // One that ends leaves its place.
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
