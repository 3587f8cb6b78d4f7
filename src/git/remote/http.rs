//! HTTP for gix's transport, by ureq.
//!
//! A request is sent when its answer is read, which is after its body was written. Only the first request of a session may be
//! redirected, as with Git: to the same path below another base, and never from HTTPS to HTTP. Credentials are for one server
//! and are not sent to another one to which that server redirects.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gix::protocol::transport::client::AuthenticationRequired;
use gix::protocol::transport::client::blocking_io::http::{
    GetResponse, Http, PostBodyDataKind, PostResponse,
};
use ureq::Agent;
use ureq::http::header::AUTHORIZATION;
use ureq::http::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use ureq::tls::{RootCerts, TlsConfig};

use super::shown::{without_secrets, without_user};
use super::watched::PAUSE;

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(20);

/// The most redirections of one request.
const MOST_REDIRECTIONS: usize = 5;

/// A client, and the base to which a server redirected it.
pub(super) struct HttpClient {
    agent: Agent,
    redirected: Arc<Mutex<Option<String>>>,
}

impl HttpClient {
    pub fn new() -> HttpClient {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .tls_config(tls)
            .timeout_connect(Some(CONNECTING))
            .timeout_recv_response(Some(PAUSE))
            .timeout_per_read(Some(PAUSE))
            .build();
        HttpClient { agent: config.new_agent(), redirected: Arc::default() }
    }

    fn exchange(&self, method: Method, url: &str, base: &str, headers: Vec<String>) -> SharedExchange {
        let is_first = lock(&self.redirected).is_none() && method == Method::GET;
        SharedExchange(Arc::new(Mutex::new(Exchange::Unsent(Unsent {
            agent: self.agent.clone(),
            method,
            url: url.to_string(),
            base: base.to_string(),
            headers,
            body: Vec::new(),
            redirected: is_first.then(|| self.redirected.clone()),
        }))))
    }
}

impl Http for HttpClient {
    type Headers = HeaderReader;
    type ResponseBody = BodyReader;
    type PostBody = BodyWriter;

    fn get(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<HeaderReader, BodyReader>> {
        let exchange = self.exchange(Method::GET, url, base_url, texts(headers));
        // A redirection is asked for as soon as the call returns.
        drop(exchange.send());
        Ok(GetResponse { headers: HeaderReader::new(exchange.clone()), body: BodyReader::new(exchange) })
    }

    fn post(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        _: PostBodyDataKind,
    ) -> gix::Result<PostResponse<HeaderReader, BodyReader, BodyWriter>> {
        let exchange = self.exchange(Method::POST, url, base_url, texts(headers));
        Ok(PostResponse {
            post_body: BodyWriter(exchange.clone()),
            headers: HeaderReader::new(exchange.clone()),
            body: BodyReader::new(exchange),
        })
    }

    fn configure(&mut self, _: &dyn std::any::Any) -> gix::Result {
        Ok(())
    }

    fn redirected_base_url(&self) -> Option<String> {
        lock(&self.redirected).clone()
    }
}

fn texts(headers: impl IntoIterator<Item = impl AsRef<str>>) -> Vec<String> {
    headers.into_iter().map(|header| header.as_ref().to_string()).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A request and its answer.
enum Exchange {
    Unsent(Unsent),
    Answered { headers: Option<Vec<u8>>, body: Option<Box<dyn Read + Send>> },
    Failed(Option<io::Error>),
}

/// A request whose body is being written.
struct Unsent {
    agent: Agent,
    method: Method,
    url: String,
    base: String,
    headers: Vec<String>,
    body: Vec<u8>,
    /// Where the base of a redirection is recorded; `None` if the request may not be redirected.
    redirected: Option<Arc<Mutex<Option<String>>>>,
}

#[derive(Clone)]
pub(super) struct SharedExchange(Arc<Mutex<Exchange>>);

impl SharedExchange {
    /// Sends the request, unless that has happened.
    fn send(&self) -> MutexGuard<'_, Exchange> {
        let mut exchange = lock(&self.0);
        if let Exchange::Unsent(unsent) = &mut *exchange {
            *exchange = match unsent.send() {
                Ok(response) => {
                    let headers = Some(lines_of(response.headers()));
                    Exchange::Answered { headers, body: Some(Box::new(response.into_body().into_reader())) }
                }
                Err(error) => Exchange::Failed(Some(error)),
            };
        }
        exchange
    }

    /// The error of the request; a second reader gets a shorter one.
    fn error(failed: &mut Option<io::Error>) -> io::Error {
        failed.take().unwrap_or_else(|| io::Error::other("the request has failed"))
    }
}

fn lines_of(headers: &HeaderMap) -> Vec<u8> {
    let mut lines = Vec::new();
    for (name, value) in headers {
        lines.extend_from_slice(name.as_str().as_bytes());
        lines.push(b':');
        lines.extend_from_slice(value.as_bytes());
        lines.push(b'\n');
    }
    lines
}

impl Unsent {
    fn send(&mut self) -> io::Result<Response<ureq::Body>> {
        let mut url = self.url.clone();
        let mut is_own_server = true;
        for _ in 0..=MOST_REDIRECTIONS {
            is_own_server &= is_one_server(&self.url, &url);
            let response = self.send_to(&url, is_own_server)?;
            let status = response.status();
            let location = response.headers().get("location").and_then(|value| value.to_str().ok());
            match (&self.redirected, location) {
                (Some(redirected), Some(location)) if status.is_redirection() => {
                    let (next, base) = self.redirection(&url, location)?;
                    *lock(redirected) = Some(base);
                    url = next;
                }
                _ => return checked(response),
            }
        }
        Err(io::Error::other(format!("the server redirects more than {MOST_REDIRECTIONS} times")))
    }

    fn send_to(&self, url: &str, with_credentials: bool) -> io::Result<Response<ureq::Body>> {
        // The user's credentials are in a header.
        let mut request = Request::builder().method(self.method.clone()).uri(without_user(url));
        let headers = self.headers.iter().filter_map(|header| header.split_once(':'));
        let headers = headers.map(|(name, value)| (name.trim(), value.trim()));
        for (name, value) in headers.filter(|(name, _)| with_credentials || *name != AUTHORIZATION) {
            request = request.header(name, value);
        }
        let answer = match self.method == Method::POST {
            true => self.agent.run(request.body(&self.body[..]).map_err(io::Error::other)?),
            false => self.agent.run(request.body(()).map_err(io::Error::other)?),
        };
        answer.map_err(ureq::Error::into_io)
    }

    /// The URL and the base to which `location` leads.
    fn redirection(&self, from: &str, location: &str) -> io::Result<(String, String)> {
        let next = match location.starts_with('/') {
            true => {
                let scheme_end = from.find("://").map_or(0, |at| at + 3);
                let host_end = from[scheme_end..].find('/').map_or(from.len(), |at| scheme_end + at);
                format!("{}{location}", &from[..host_end])
            }
            false => location.to_string(),
        };
        let tail = self.url.strip_prefix(&self.base).unwrap_or_default();
        let is_secure = next.starts_with("https://");
        let is_safe = is_secure || (next.starts_with("http://") && !from.starts_with("https://"));
        match next.strip_suffix(tail).filter(|_| is_safe && !tail.is_empty()) {
            Some(base) => Ok((next.clone(), base.to_string())),
            None => {
                let next = without_secrets(&next);
                Err(io::Error::other(format!("the server redirects to '{next}', which is not followed")))
            }
        }
    }
}

/// Whether two URLs have one scheme, host and port.
fn is_one_server(one: &str, other: &str) -> bool {
    let server = |url: &str| {
        let uri: Uri = without_user(url).parse().ok()?;
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
        Some((scheme, uri.host()?.to_ascii_lowercase(), port))
    };
    server(one).is_some_and(|one| server(other) == Some(one))
}

/// The response, or the error of its status.
fn checked(response: Response<ureq::Body>) -> io::Result<Response<ureq::Body>> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let text = format!("HTTP status {status}");
    Err(match status {
        StatusCode::UNAUTHORIZED => {
            let offers = response.headers().get_all("www-authenticate").iter();
            let www_authenticate = offers.map(|offer| offer.as_bytes().into()).collect();
            io::Error::new(io::ErrorKind::PermissionDenied, AuthenticationRequired { www_authenticate })
        }
        StatusCode::FORBIDDEN => io::Error::new(io::ErrorKind::PermissionDenied, text),
        StatusCode::NOT_FOUND | StatusCode::GONE => io::Error::new(io::ErrorKind::NotFound, text),
        _ => io::Error::other(text),
    })
}

/// Reads the headers of an answer, a line each.
pub(super) struct HeaderReader {
    exchange: SharedExchange,
    lines: Option<io::Cursor<Vec<u8>>>,
}

impl HeaderReader {
    fn new(exchange: SharedExchange) -> HeaderReader {
        HeaderReader { exchange, lines: None }
    }

    fn lines(&mut self) -> io::Result<&mut io::Cursor<Vec<u8>>> {
        if self.lines.is_none() {
            match &mut *self.exchange.send() {
                Exchange::Answered { headers, .. } => {
                    self.lines = Some(io::Cursor::new(headers.take().unwrap_or_default()));
                }
                Exchange::Failed(error) => return Err(SharedExchange::error(error)),
                Exchange::Unsent(_) => unreachable!("the request was sent"),
            }
        }
        Ok(self.lines.get_or_insert_default())
    }
}

impl Read for HeaderReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.lines()?.read(buffer)
    }
}

impl BufRead for HeaderReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.lines()?.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Some(lines) = &mut self.lines {
            lines.consume(amount);
        }
    }
}

/// Reads the body of an answer.
pub(super) struct BodyReader {
    exchange: SharedExchange,
    body: Option<BufReader<Box<dyn Read + Send>>>,
}

impl BodyReader {
    fn new(exchange: SharedExchange) -> BodyReader {
        BodyReader { exchange, body: None }
    }

    fn body(&mut self) -> io::Result<&mut BufReader<Box<dyn Read + Send>>> {
        if self.body.is_none() {
            let body = match &mut *self.exchange.send() {
                Exchange::Answered { body, .. } => body.take(),
                Exchange::Failed(error) => return Err(SharedExchange::error(error)),
                Exchange::Unsent(_) => unreachable!("the request was sent"),
            };
            self.body = body.map(BufReader::new);
        }
        self.body.as_mut().ok_or_else(|| io::Error::other("the answer was read already"))
    }
}

impl Read for BodyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.body()?.read(buffer)
    }
}

impl BufRead for BodyReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.body()?.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        if let Some(body) = &mut self.body {
            body.consume(amount);
        }
    }
}

/// Collects the body of a request.
pub(super) struct BodyWriter(SharedExchange);

impl Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *lock(&self.0.0) {
            Exchange::Unsent(unsent) => {
                unsent.body.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            Exchange::Answered { .. } | Exchange::Failed(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirection_keeps_the_path_and_the_encryption() {
        let base = "https://one.example/a";
        let client = HttpClient::new();
        let exchange = client.exchange(Method::GET, &format!("{base}/info/refs?x"), base, Vec::new());
        let mut exchange = lock(&exchange.0);
        let Exchange::Unsent(unsent) = &mut *exchange else { panic!("the request is not sent yet") };
        let check = |from: &str, location: &str, expected: Option<&str>| {
            let found = unsent.redirection(from, location).ok().map(|(_, base)| base);
            assert_eq!(found.as_deref(), expected, "{location}");
        };
        let url = "https://one.example/a/info/refs?x";
        check(url, "/b/info/refs?x", Some("https://one.example/b"));
        check(url, "https://two.example/c/info/refs?x", Some("https://two.example/c"));
        check(url, "http://one.example/a/info/refs?x", None);
        check(url, "https://two.example/login", None);
        check(url, "file:///etc/info/refs?x", None);
        check(
            "http://one.example/a/info/refs?x",
            "http://two.example/a/info/refs?x",
            Some("http://two.example/a"),
        );
        let error = unsent.redirection(url, "https://me:word@two.example/login?token=word").unwrap_err();
        assert!(error.to_string().contains("'https://two.example/login'"), "{error}");
    }

    #[test]
    fn a_server_is_a_scheme_a_host_and_a_port() {
        let check = |other: &str, expected: bool| {
            assert_eq!(is_one_server("https://one.example/a", other), expected, "{other}");
        };
        check("https://ONE.example:443/b", true);
        check("https://me@one.example/b", true);
        check("https://one.example:8443/a", false);
        check("http://one.example/a", false);
        check("http://one.example:443/a", false);
        check("https://one.example.org/a", false);
        check("https://one.example@two.example/a", false);
        check("not a URL", false);
    }
}
