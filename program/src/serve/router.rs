//! The way of a request: the checks, and then the page, the interface or the endpoint for agents.
//!
//! This module owns the order of the checks, and that every answer has the headers of [`headers`].

use std::sync::Arc;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, Request, StatusCode};

use super::api;
use super::ask::Ask;
use super::assets::Assets;
use super::gate::{ENTER, PageGate, is_from_elsewhere};
use super::headers;
use super::params::Params;
use super::reply::{ApiError, html_response, text_response};
use super::site::PageSite;
use crate::http::{self, Answers, BODY_TIMEOUT, Busy, ClientKind, Connection, HttpResponse};
use crate::mcp::http::{Endpoint, PATH as MCP};
use crate::mcp::{self};

/// The beginning of every path of the interface.
const API: &str = "/api/v1/";

pub struct Router {
    gate: PageGate,
    assets: Assets,
    site: Arc<PageSite>,
    agents: Endpoint,
}

impl Router {
    pub fn new(gate: PageGate, site: PageSite, server: mcp::Server) -> Router {
        Router { gate, assets: Assets::new(), site: Arc::new(site), agents: Endpoint::new(server) }
    }

    async fn routed(
        &self,
        request: Request<Incoming>,
        connection: &Arc<Connection>,
    ) -> Result<HttpResponse, ApiError> {
        let (head, body) = request.into_parts();
        let is_of_page = match self.gate.comes_from_page(&head) {
            Ok(is_of_page) => is_of_page,
            Err(refusal) => {
                tracing::warn!(%refusal, "refused");
                return match head.uri.path().starts_with("/api/") {
                    true => Err(ApiError::new(refusal.status(), "forbidden", refusal.to_string())),
                    false => Ok(closing(text_response(refusal.status(), format!("{refusal}\n")))),
                };
            }
        };
        let path = head.uri.path().to_string();
        if path == ENTER {
            return Ok(self.entered(&head));
        }
        let client = if path == MCP {
            match self.gate.bearer(&head.headers) {
                Ok(()) => ClientKind::Token,
                Err(fault) => return Ok(mcp::http::refused(&fault.into())),
            }
        } else {
            match self.gate.authenticated(&head, is_of_page) {
                Ok(client) => client,
                Err(error) if path.starts_with("/api/") => return Err(error),
                Err(_) if is_from_elsewhere(&head) => return Ok(again("")),
                Err(error) => return Ok(not_let_in(&error)),
            }
        };
        let busy = connection.begin(client).map_err(|http::Full| {
            ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "too many requests are in progress; try again",
            )
        })?;
        let answer = match path.strip_prefix(API) {
            _ if path == MCP => Ok(self.agents.answer(Request::from_parts(head, body), &busy).await),
            Some(name) => self.api(name, &head, body, &busy).await,
            None => self.page(&path, &head),
        };
        // The request is in progress until the last of its body is sent.
        let answer = answer.unwrap_or_else(|error| error.response());
        Ok(answer.map(|body| busy.until_sent(body).boxed()))
    }

    /// Lets in a browser that shows the code of a link.
    fn entered(&self, head: &Parts) -> HttpResponse {
        let params = Params::parse(head.uri.query().unwrap_or_default()).unwrap_or_default();
        let code = params.one("code").ok().flatten().unwrap_or_default();
        if head.method != Method::GET {
            return closing(
                ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", "open the link").response(),
            );
        }
        let Some(cookie) = self.gate.enter(code) else {
            let text = "this link has been used, or is not of this server";
            return not_let_in(&ApiError::unauthenticated(text));
        };
        let mut answer = if is_from_elsewhere(head) {
            again("; url=/")
        } else {
            let mut answer = text_response(StatusCode::SEE_OTHER, String::new());
            answer.headers_mut().insert(header::LOCATION, HeaderValue::from_static("/"));
            answer
        };
        answer.headers_mut().insert(header::SET_COOKIE, cookie);
        answer
    }

    /// The page, or a file of it.
    fn page(&self, path: &str, head: &Parts) -> Result<HttpResponse, ApiError> {
        if ![Method::GET, Method::HEAD].contains(&head.method) {
            return Err(method(&head.method));
        }
        let nothing = || ApiError::not_found(format!("there is nothing at '{path}'"));
        match path.strip_prefix("/assets/") {
            Some(name) => self.assets.file(name, &head.headers).ok_or_else(nothing),
            None if path.starts_with("/api/") => Err(nothing()),
            None => Ok(self.assets.page(&head.headers)),
        }
    }

    /// An answer of the interface.
    async fn api(
        &self,
        name: &str,
        head: &Parts,
        body: Incoming,
        busy: &Busy,
    ) -> Result<HttpResponse, ApiError> {
        let params = Params::parse(head.uri.query().unwrap_or_default())?;
        let body = match head.method {
            Method::GET => None,
            // After a body that was not read, no further request can follow on the connection.
            Method::POST => match read(body).await {
                Ok(body) => Some(body),
                Err(error) => return Ok(closing(error.response())),
            },
            _ => return Err(method(&head.method)),
        };
        busy.work();
        let accepts = head.headers.get(header::ACCEPT).map(HeaderValue::as_bytes).unwrap_or_default();
        let wants_events = accepts.starts_with(b"text/event-stream");
        api::answer(&self.site, Ask { name: name.to_string(), params, body }, wants_events).await
    }
}

impl Answers for Router {
    async fn answer(&self, request: Request<Incoming>, connection: &Arc<Connection>) -> HttpResponse {
        let answer = self.routed(request, connection).await;
        // The body of a refused request is not read, so no further request can follow on this connection.
        let mut answer = answer.unwrap_or_else(|error| closing(error.response()));
        headers::secure(answer.headers_mut());
        answer
    }
}

/// The body of a POST as JSON.
async fn read(body: Incoming) -> Result<serde_json::Value, ApiError> {
    let bytes = http::read_body(body, BODY_TIMEOUT).await.map_err(|fault| {
        let status = fault.status();
        let kind = match status {
            StatusCode::PAYLOAD_TOO_LARGE => "too-large",
            StatusCode::REQUEST_TIMEOUT => "timeout",
            _ => "bad-request",
        };
        ApiError::new(status, kind, fault.to_string())
    })?;
    serde_json::from_slice(&bytes).map_err(|error| ApiError::bad(format!("the body is not JSON: {error}")))
}

fn method(method: &Method) -> ApiError {
    let text =
        format!("{method} is not a method of this address; choose GET, or POST where docs/http.md says so");
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method", text)
}

fn closing(mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}

/// The page for a browser that has not been let in. The text has no part of the request.
fn not_let_in(error: &ApiError) -> HttpResponse {
    let text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>Spyhop: not let in</title></head>\n<body>\n\
         <h1>Not let in</h1>\n<p>{}.</p>\n<p>Each link works once. For another link, press Enter in the terminal where \
         <code>spyhop serve</code> runs, or start it again. A new server knows the browsers of the one before only with \
         <code>--token-file</code>.</p>\n</body>\n</html>\n",
        capitalized(&error.text)
    );
    closing(html_response(StatusCode::UNAUTHORIZED, text))
}

/// A page that loads itself or another page of this server again, now as a request of this site.
fn again(target: &str) -> HttpResponse {
    let text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" \
         content=\"0{target}\"><title>Spyhop</title></head>\n<body></body>\n</html>\n"
    );
    html_response(StatusCode::OK, text)
}

fn capitalized(text: &str) -> String {
    let mut signs = text.chars();
    signs.next().map_or_else(String::new, |first| first.to_uppercase().chain(signs).collect())
}
