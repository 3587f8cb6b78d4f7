//! HTTP on loopback: what the server for agents and the page for people share.
//!
//! This module owns listening, the connections, the bodies of requests, the signals that end a server, and the checks that
//! come before anything else ([`hosts`], [`token`]). A server implements [`Answers`].

mod address;
mod body;
mod connections;
mod error;
mod hosts;
mod token;

use std::convert::Infallible;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

pub use address::{DEFAULT, DEFAULT_HOST, Loopback};
pub use body::{BODY_TIMEOUT, BodyFault, MAX_BODY, read as read_body};
pub use connections::{Busy, ClientKind, Connection, Full};
pub use error::HttpError;
pub use hosts::{AllowedHost, AllowedOrigin, HostRefusal, HostRules, TokenFault, check_bearer};
pub use token::{NoToken, Origin, Token, VARIABLE, draw, find as find_token};

use connections::{Connections, FIRST_HEAD};

/// The longest head, with all headers.
const MAX_HEAD: usize = 32 << 10;
/// The timeout for the head of a further request, which is also how long a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// How long shutdown waits for responses in progress.
const FAREWELL: Duration = Duration::from_secs(5);
/// The pause before the next accept when the system has no resources for another connection.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

pub type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// Answers requests.
pub trait Answers: Send + Sync + 'static {
    /// Answers a request that came by `connection`. The future is dropped when the client closes the connection.
    fn answer(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> impl Future<Output = HttpResponse> + Send;
}

/// Binds an address, and returns the listener with the address that the system has chosen for port 0.
pub fn bind(address: Loopback) -> Result<(TcpListener, Loopback), HttpError> {
    let failed = |error| HttpError::Listen { address, error };
    let listener = TcpListener::bind(address.address()).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    Ok((listener, address.at(port)))
}

/// Serves until the process receives a signal to end, and then until the responses in progress are sent.
pub async fn run<A: Answers>(listener: TcpListener, server: Arc<A>) -> io::Result<()> {
    let mut asked_to_end = Ends::new()?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let (under_way, open) = (GracefulShutdown::new(), Arc::new(Connections::default()));
    loop {
        let connected = tokio::select! {
            () = asked_to_end.wait() => break,
            connected = listener.accept() => connected,
        };
        match connected {
            Ok((stream, _)) => {
                // Events of a stream are small, and each is meant for now.
                let _ = stream.set_nodelay(true);
                let (connection, closed) = open.open();
                let served = under_way.watch(serving(stream, Arc::clone(&server), Arc::clone(&connection)));
                tokio::spawn(until_closed(served, connection, closed));
            }
            Err(error) => {
                tracing::warn!(%error, "no connection was accepted");
                // The system may have no free descriptor, so an unauthenticated connection is closed to make room.
                if !open.close_oldest_unauthenticated() {
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                }
                tokio::task::yield_now().await;
            }
        }
    }
    tracing::info!("asked to end");
    drop(listener);
    tokio::select! {
        () = under_way.shutdown() => {}
        () = tokio::time::sleep(FAREWELL) => {}
        // A second signal ends the wait.
        () = asked_to_end.wait() => {}
    }
    Ok(())
}

/// Serves a connection until it ends, is closed to make room, or has not sent the token in time.
async fn until_closed(
    served: impl Future<Output = Result<(), hyper::Error>>,
    connection: Arc<Connection>,
    mut closed: oneshot::Receiver<()>,
) {
    tokio::pin!(served);
    let first_head = tokio::time::sleep(FIRST_HEAD);
    tokio::pin!(first_head);
    let mut waits = true;
    loop {
        tokio::select! {
            biased;
            ended = &mut served => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection has failed");
                }
                return;
            }
            _ = &mut closed => return tracing::debug!("a connection has made room for another"),
            () = &mut first_head, if waits => {
                waits = false;
                if connection.is_unauthenticated() {
                    return tracing::debug!("a connection has not shown the token in time");
                }
            }
        }
    }
}

/// Serves one connection, which may carry any number of requests, one after the other.
fn serving<A: Answers>(
    stream: TcpStream,
    server: Arc<A>,
    connection: Arc<Connection>,
) -> impl GracefulConnection<Error = hyper::Error> {
    let answer = service_fn(move |request| {
        let (server, connection) = (Arc::clone(&server), Arc::clone(&connection));
        async move { Ok::<_, Infallible>(server.answer(request, &connection).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_header_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), answer)
}

/// The signals that ask a process to end.
struct Ends {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Ends {
    #[cfg(unix)]
    fn new() -> io::Result<Ends> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Ends { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Ends> {
        Ok(Ends {})
    }

    #[cfg(unix)]
    async fn wait(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    #[cfg(not(unix))]
    async fn wait(&mut self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
