//! The MCP server over HTTP: one address of this machine, any number of clients.
//!
//! This module owns listening, the checks that a request passes on its way to the protocol, and shutdown. The protocol
//! is rmcp's; the tools and the roots are those of the server over pipes. Every request is answered by itself, as in
//! rmcp's stateless mode. What a client was sent is remembered here ([`sessions`]), under the `Mcp-Session-Id` that the
//! client got when it initialized. So no connection is held open for a session, and a client without a session, as
//! later revisions require, is answered from the tree alone. The price is that a call is cancelled only by closing its
//! connection: the cancel notification of older revisions arrives in another request, which has no way to find the
//! call.

mod address;
mod connections;
mod error;
mod gate;
mod sessions;
mod token;

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

pub use address::{DEFAULT, Loopback};
pub use error::HttpError;
pub use gate::{AllowedHost, AllowedOrigin};
pub use token::{Origin, VARIABLE};

use super::config::{Config, ServerFailure};
use super::resting::Resting;
use super::server::{Server, SessionHeader};
use connections::{Connection, Connections, FIRST_HEAD};
use gate::{AccessRules, CheckedRequest, Refusal};
use sessions::Sessions;

/// The longest body: far longer than any valid request, and far shorter than what would use too much memory.
const MAX_BODY: usize = 1 << 20;
/// The longest head, with all headers.
const MAX_HEAD: usize = 32 << 10;
/// The timeout for the head of a further request, which is also how long a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// How long shutdown waits for responses in progress.
const FAREWELL: Duration = Duration::from_secs(5);
/// The pause before the next accept when the system has no resources for another connection.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// The configuration of the HTTP server.
pub struct HttpConfig {
    pub address: Loopback,
    /// The file that holds the token, or is created to hold it. Without a file, the token comes from the variable, and
    /// without a variable it is generated.
    pub token_file: Option<PathBuf>,
    /// Allowed page origins beside the server's own address.
    pub origins: Vec<AllowedOrigin>,
    /// Allowed host names beside the server's own.
    pub hosts: Vec<AllowedHost>,
}

/// A server that listens and does not answer yet.
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    gate: AccessRules,
    token: Origin,
    server: Server,
    resting: Resting,
}

/// Binds the address, reads or generates the token, and opens the trees. Nothing is answered before [`serve`];
/// connections wait until then.
pub fn listen(config: &HttpConfig, served: Config) -> Result<Listening, ServerFailure> {
    let failed = |error| ServerFailure::Http(HttpError::Listen { address: config.address, error });
    let listener = TcpListener::bind(config.address.address()).map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    // Port 0 lets the system choose a port.
    let address = listener.local_addr().map_err(failed)?;
    let found =
        token::find(config.token_file.as_deref()).map_err(|error| ServerFailure::Http(error.into()))?;
    let gate =
        AccessRules::new(config.address.at(address.port()), found.token, &config.hosts, &config.origins);
    let (server, resting) = super::server(served)?;
    Ok(Listening { listener, address, gate, token: found.origin, server, resting })
}

impl Listening {
    /// The URL of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, gate::PATH)
    }

    /// The source of the token, and the token itself if it was generated.
    pub fn token(&self) -> &Origin {
        &self.token
    }
}

/// Serves until the process receives a signal to end.
pub fn serve(listening: Listening) -> Result<(), ServerFailure> {
    let runtime = super::runtime()?;
    let served = runtime.block_on(run(listening));
    runtime.shutdown_background();
    served.map_err(ServerFailure::Io)
}

type Service = StreamableHttpService<Arc<Server>, NeverSessionManager>;
type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// The checks and the service that every request passes through.
struct RequestGate {
    gate: AccessRules,
    service: Service,
    sessions: Sessions,
}

async fn run(listening: Listening) -> io::Result<()> {
    let mut asked_to_end = Ends::new()?;
    let listener = tokio::net::TcpListener::from_std(listening.listener)?;
    let server = Arc::new(listening.server);
    tokio::spawn(listening.resting.watch());
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let cut = config.cancellation_token.clone();
    let service = StreamableHttpService::new(move || Ok(Arc::clone(&server)), Arc::default(), config);
    let way = Arc::new(RequestGate { gate: listening.gate, service, sessions: Sessions::default() });
    let (under_way, open) = (GracefulShutdown::new(), Arc::new(Connections::default()));
    loop {
        let connected = tokio::select! {
            () = asked_to_end.wait() => break,
            connected = listener.accept() => connected,
        };
        match connected {
            Ok((stream, _)) => {
                let (connection, closed) = open.open();
                let served = under_way.watch(serving(stream, Arc::clone(&way), Arc::clone(&connection)));
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
    cut.cancel();
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
fn serving(
    stream: TcpStream,
    way: Arc<RequestGate>,
    connection: Arc<Connection>,
) -> impl GracefulConnection<Error = hyper::Error> {
    let answer = service_fn(move |request| {
        let (way, connection) = (Arc::clone(&way), Arc::clone(&connection));
        async move { Ok::<_, Infallible>(way.answer(request, &connection).await) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_header_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), answer)
}

impl RequestGate {
    async fn answer(&self, request: Request<Incoming>, connection: &Arc<Connection>) -> HttpResponse {
        let (head, body) = request.into_parts();
        match self.gate.check(&head) {
            Err(refusal) => {
                tracing::warn!(%refusal, "refused");
                let mut answer = refused(&refusal);
                if let Some(origin) = self.gate.page(&head, &refusal) {
                    allow(&mut answer, origin);
                }
                answer
            }
            Ok(CheckedRequest::Preflight { origin }) => preflight(origin),
            Ok(CheckedRequest::Request { origin }) => {
                let mut answer = match connection.begin() {
                    Ok(busy) => {
                        let answer = self.in_session(Request::from_parts(head, body)).await;
                        // The request is in progress until the last of its body is sent.
                        answer.map(|body| busy.until_sent(body).boxed())
                    }
                    Err(connections::Full) => refused(&Refusal::Full),
                };
                if let Some(origin) = origin {
                    allow(&mut answer, origin);
                }
                answer
            }
        }
    }

    /// Answers a request in the session that it names. Ends that session on DELETE, and begins a session when the
    /// client initializes.
    async fn in_session(&self, mut request: Request<Incoming>) -> HttpResponse {
        let now = Instant::now();
        let session = match sessions::named(request.headers()) {
            Some(id) if request.method() == Method::DELETE && self.sessions.end(&id, now) => return ended(),
            Some(id) => match self.sessions.find(&id, now) {
                Some(session) => Some(session),
                None => return refused(&Refusal::Session),
            },
            None => None,
        };
        let greeted = Arc::new(AtomicBool::new(false));
        request.extensions_mut().insert(SessionHeader { session, greeted: Arc::clone(&greeted) });
        let mut answer = self.service.handle(request).await;
        if greeted.load(Ordering::Relaxed)
            && answer.status().is_success()
            && let Some(id) = self.sessions.begin(now)
        {
            answer.headers_mut().insert(sessions::HEADER, id);
        }
        answer
    }
}

fn ended() -> HttpResponse {
    let mut answer = Response::new(Empty::new().boxed());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer
}

fn refused(refusal: &Refusal) -> HttpResponse {
    let mut answer = Response::new(Full::from(format!("{refusal}\n")).boxed());
    *answer.status_mut() = refusal.status();
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    // The request's body is not read, so no further request can follow on this connection.
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    if let Some(challenge) = refusal.challenge() {
        headers.insert(header::WWW_AUTHENTICATE, challenge);
    }
    answer
}

/// Answers a preflight request: a page may send whatever MCP clients send, including methods that the server then
/// rejects.
fn preflight(origin: HeaderValue) -> HttpResponse {
    let mut answer = Response::new(Empty::new().boxed());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    let headers = answer.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(
            "Authorization, Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
        ),
    );
    allow(&mut answer, origin);
    answer
}

/// Adds the headers that let a page read the response.
fn allow(answer: &mut HttpResponse, origin: HeaderValue) {
    answer.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let named = HeaderValue::from_static("Mcp-Session-Id");
    answer.headers_mut().insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, named);
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Origin"));
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
