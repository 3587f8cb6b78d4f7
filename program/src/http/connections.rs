//! The open connections, and which connection is closed when a new one arrives.
//!
//! Any process that reaches the port can open connections, so unauthenticated connections have a limit of their own.
//! When there are too many, the oldest is closed; each is also closed when its first request has not arrived after
//! [`FIRST_HEAD`]. An authenticated connection is closed only when there are too many authenticated ones. Then idle
//! connections make room first, and after them those that wait for their client: for the body of a request, or for the
//! client to read a stream or an answer. So a client cannot keep others out by being slow. Among connections in the same
//! phase, those of the kind of client that has most connections make room first, the oldest of them before the others.

use std::cmp::Reverse;
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
    client: ClientKind,
    phase: Phase,
    since: Instant,
}

/// How a client has shown who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientKind {
    /// By the bearer token: agents and scripts.
    Token,
    /// By the cookie: a browser.
    Browser,
}

/// What a connection is doing, in the order in which connections make room.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    /// No request is in progress.
    Idle,
    /// The server waits for the client: for the body of a request, or for it to read the answer.
    Waiting,
    /// The server works on an answer.
    Working,
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

/// The error that the server works on a request of every authenticated connection.
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

    /// Marks the connection as authenticated, with a request in progress whose body is awaited.
    pub fn begin(self: &Arc<Self>, client: ClientKind) -> Result<Busy, Full> {
        let mut table = self.all.lock();
        if let Some(close) = table.unauthenticated.remove(&self.number) {
            if table.authenticated.len() >= MAX_AUTHENTICATED {
                let Some(number) = table.makes_room() else {
                    table.unauthenticated.insert(self.number, close);
                    return Err(Full);
                };
                table.authenticated.remove(&number);
            }
            let known = Authenticated { _close: close, client, phase: Phase::Idle, since: Instant::now() };
            table.authenticated.insert(self.number, known);
        }
        drop(table);
        let busy = Busy { connection: Arc::clone(self) };
        busy.enter(Phase::Waiting);
        Ok(busy)
    }
}

impl ConnectionTable {
    /// The authenticated connection that is closed for another one.
    fn makes_room(&self) -> Option<u64> {
        let tokens = self.authenticated.values().filter(|known| known.client == ClientKind::Token).count();
        let number_of = |client| match client {
            ClientKind::Token => tokens,
            ClientKind::Browser => self.authenticated.len() - tokens,
        };
        let open = self.authenticated.iter().filter(|(_, known)| known.phase != Phase::Working);
        let first =
            open.min_by_key(|(_, known)| (known.phase, Reverse(number_of(known.client)), known.since));
        first.map(|(number, _)| *number)
    }
}

impl Busy {
    /// Tells that the whole request is there, and the server works on the answer.
    pub fn work(&self) {
        self.enter(Phase::Working);
    }

    /// Wraps the body of a response: the request stays in progress until the body has been sent.
    pub fn until_sent<B>(self, body: B) -> UntilSent<B> {
        self.enter(Phase::Waiting);
        UntilSent { body, _busy: self }
    }

    fn enter(&self, phase: Phase) {
        let Connection { all, number } = &*self.connection;
        if let Some(known) = all.lock().authenticated.get_mut(number) {
            (known.phase, known.since) = (phase, Instant::now());
        }
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
        self.enter(Phase::Idle);
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
        drop(client.begin(ClientKind::Token).unwrap());
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

    type Known = (Arc<Connection>, oneshot::Receiver<()>, Option<Busy>);

    /// A connection of a client, with a request that the server works on.
    fn working(all: &Arc<Connections>, client: ClientKind) -> Known {
        let (connection, closed) = all.open();
        let busy = connection.begin(client).unwrap();
        busy.work();
        // No two connections are of the same instant.
        let now = Instant::now();
        while Instant::now() == now {}
        (connection, closed, Some(busy))
    }

    fn closed_of(known: &mut [Known]) -> Vec<usize> {
        (0..known.len()).filter(|number| is_closed(&mut known[*number].1)).collect()
    }

    #[test]
    fn of_authenticated_connections_the_idlest_is_closed() {
        let all = Arc::new(Connections::default());
        let mut known: Vec<Known> =
            (0..MAX_AUTHENTICATED).map(|_| working(&all, ClientKind::Token)).collect();
        let (newest, mut newest_closed) = all.open();
        assert!(newest.begin(ClientKind::Token).is_err() && !is_closed(&mut newest_closed));
        // One that waits for its client makes room too, and later than an idle one.
        known[1].2.as_ref().unwrap().enter(Phase::Waiting);
        for idle in [7, 3] {
            known[idle].2 = None;
            let now = Instant::now();
            while Instant::now() == now {}
        }
        let busy = newest.begin(ClientKind::Token).unwrap();
        busy.work();
        assert_eq!(closed_of(&mut known), [7]);
        let _others = [(); 2].map(|()| working(&all, ClientKind::Token));
        assert_eq!(closed_of(&mut known), [1, 3, 7]);
        let (last, _closed) = all.open();
        assert!(last.begin(ClientKind::Token).is_err());
    }

    #[test]
    fn who_holds_most_streams_makes_room() {
        let all = Arc::new(Connections::default());
        let stream = |client| {
            let known = working(&all, client);
            known.2.as_ref().unwrap().enter(Phase::Waiting);
            known
        };
        // A browser is older than all streams of a script, and stays.
        let mut browser = [stream(ClientKind::Browser)];
        let mut script: Vec<Known> = (0..3 * MAX_AUTHENTICATED).map(|_| stream(ClientKind::Token)).collect();
        assert!(closed_of(&mut browser).is_empty());
        let last = script.split_off(2 * MAX_AUTHENTICATED + 1);
        assert_eq!(closed_of(&mut script).len(), script.len());
        drop(last);
    }
}
