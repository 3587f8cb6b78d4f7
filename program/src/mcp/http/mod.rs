//! The MCP server over HTTP: one address of this machine, any number of clients.
//!
//! This module owns the checks that a request passes on its way to the protocol; [`crate::http`] listens. The protocol
//! is rmcp's; the tools and the roots are those of the server over pipes. Every request is answered by itself, as in
//! rmcp's stateless mode. What a client was sent is remembered here ([`sessions`]), under the `Mcp-Session-Id` that the
//! client got when it initialized. So no connection is held open for a session, and a client without a session, as
//! later revisions require, is answered from the tree alone. The price is that a call is cancelled only by closing its
//! connection: the cancel notification of older revisions arrives in another request, which has no way to find the
//! call.

mod gate;
mod sessions;

use std::any::Any;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

pub use gate::{PATH, Refusal};

use super::config::{Config, ServerFailure};
use super::malformed::{self, Received};
use super::resting::Resting;
use super::server::{Server, SessionHeader};
use crate::http::{
    self, AllowedHost, AllowedOrigin, Answers, BODY_TIMEOUT, Busy, ClientKind, Connection, HostRules,
    HttpResponse, Loopback, MAX_BODY, Origin,
};
use gate::{AccessRules, CheckedRequest};
use sessions::Sessions;

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
    address: Loopback,
    gate: AccessRules,
    token: Origin,
    server: Server,
    resting: Resting,
}

/// Binds the address, reads or generates the token, and opens the trees. Nothing is answered before [`serve`];
/// connections wait until then.
pub fn listen(config: &HttpConfig, served: Config) -> Result<Listening, ServerFailure> {
    let (listener, address) = http::bind(config.address).map_err(ServerFailure::Http)?;
    let found =
        http::find_token(config.token_file.as_deref()).map_err(|error| ServerFailure::Http(error.into()))?;
    let gate = AccessRules::new(HostRules::new(address, &config.hosts, &config.origins), found.token);
    let (server, resting) = super::server(served)?;
    Ok(Listening { listener, address, gate, token: found.origin, server, resting })
}

impl Listening {
    /// The URL of the endpoint.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// The source of the token, and the token itself if it was generated.
    pub fn token(&self) -> &Origin {
        &self.token
    }
}

/// Serves until the process receives a signal to end.
pub fn serve(listening: Listening) -> Result<(), ServerFailure> {
    let runtime = super::runtime()?;
    let served = runtime.block_on(async {
        tokio::spawn(listening.resting.watch());
        let gate = RequestGate { gate: listening.gate, endpoint: Endpoint::new(listening.server) };
        http::run(listening.listener, Arc::new(gate)).await
    });
    runtime.shutdown_background();
    served.map_err(ServerFailure::Io)
}

/// The protocol at one path: answers requests that have passed the checks.
pub struct Endpoint {
    service: StreamableHttpService<Arc<Server>, NeverSessionManager>,
    sessions: Sessions,
    /// Ends the answers in progress when dropped.
    _cut: Box<dyn Any + Send + Sync>,
}

/// The checks and the service that every request passes through.
struct RequestGate {
    gate: AccessRules,
    endpoint: Endpoint,
}

impl Answers for RequestGate {
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
                let mut answer = match connection.begin(ClientKind::Token) {
                    Ok(busy) => {
                        let answer = self.endpoint.answer(Request::from_parts(head, body), &busy).await;
                        // The request is in progress until the last of its body is sent.
                        answer.map(|body| busy.until_sent(body).boxed())
                    }
                    Err(http::Full) => refused(&Refusal::Full),
                };
                if let Some(origin) = origin {
                    allow(&mut answer, origin);
                }
                answer
            }
        }
    }
}

impl Endpoint {
    pub fn new(server: Server) -> Endpoint {
        let server = Arc::new(server);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY)
            .disable_allowed_hosts()
            .disable_allowed_origins();
        let cut = Box::new(config.cancellation_token.clone().drop_guard());
        let service = StreamableHttpService::new(move || Ok(Arc::clone(&server)), Arc::default(), config);
        Endpoint { service, sessions: Sessions::default(), _cut: cut }
    }

    /// Answers a request in the session that it names. Ends that session on DELETE, and begins a session when the
    /// client initializes.
    pub async fn answer(&self, request: Request<Incoming>, busy: &Busy) -> HttpResponse {
        let (head, body) = request.into_parts();
        let body = match head.method {
            Method::POST => match http::read_body(body, BODY_TIMEOUT).await {
                Ok(bytes) => malformed::with_object(&bytes).map_or(bytes, Bytes::from),
                Err(fault) => return refused(&Refusal::Body { fault }),
            },
            _ => Bytes::new(),
        };
        busy.work();
        if let Some(answer) = malformed_answer(&head, &body) {
            return answer;
        }
        let mut request = Request::from_parts(head, Full::new(body));
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

/// The answer to a message that is not of the protocol.
fn malformed_answer(head: &Parts, body: &[u8]) -> Option<HttpResponse> {
    let content_type = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_json = content_type.is_some_and(|value| value.trim_start().starts_with("application/json"));
    if head.method != Method::POST || !is_json {
        return None;
    }
    let Received::Refused(error) = malformed::received(body) else { return None };
    tracing::info!(%error, "refused");
    let mut answer = Response::new(Full::from(error.to_string()).boxed());
    *answer.status_mut() = StatusCode::BAD_REQUEST;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Some(answer)
}

fn ended() -> HttpResponse {
    let mut answer = Response::new(Empty::new().boxed());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    answer
}

pub fn refused(refusal: &Refusal) -> HttpResponse {
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
