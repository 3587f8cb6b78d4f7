//! `Host` and `Origin`: which names and pages a request may come with, and the bearer token.
//!
//! A web page in a browser can send requests to this machine under a host name of its own, so every server checks both
//! headers before anything else. Both are compared as texts with short lists: a client that writes a loopback name in
//! an unusual way is refused and can write it in the usual one.

use hyper::StatusCode;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;

use super::address::Loopback;
use super::token::Token;

/// The names that a server answers to, and the pages whose requests it answers.
pub struct HostRules {
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// Why a request is refused by its `Host` or `Origin`.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostRefusal {
    #[error("the request needs one Host header")]
    NoHost,
    #[error("the host '{host}' is not served here; choose {choices}")]
    Host { host: String, choices: String },
    #[error("requests from pages of '{origin}' are not allowed")]
    Origin { origin: String },
}

impl HostRefusal {
    pub fn status(&self) -> StatusCode {
        match self {
            HostRefusal::NoHost => StatusCode::BAD_REQUEST,
            HostRefusal::Host { .. } | HostRefusal::Origin { .. } => StatusCode::FORBIDDEN,
        }
    }
}

/// Why the bearer token of a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenFault {
    /// The request has no bearer token.
    Missing,
    /// The token is another one.
    Wrong,
}

impl HostRules {
    /// The rules of a server at `address`: its own names and pages, and the given ones.
    pub fn new(address: Loopback, hosts: &[AllowedHost], origins: &[AllowedOrigin]) -> HostRules {
        let port = address.address().port();
        let own = ["localhost".to_string(), "127.0.0.1".to_string(), "[::1]".to_string()];
        let mut names: Vec<String> = own.iter().map(|name| format!("{name}:{port}")).collect();
        if !names.contains(&address.to_string()) {
            names.push(address.to_string());
        }
        if port == 80 {
            names.extend(own); // clients leave out the default port of HTTP
        }
        let mut allowed: Vec<String> = names.iter().map(|name| format!("http://{name}")).collect();
        allowed.extend(origins.iter().map(|origin| origin.0.clone()));
        names.extend(hosts.iter().map(|host| host.0.clone()));
        HostRules { hosts: names, origins: allowed }
    }

    /// Checks the `Host` header, and the authority of the URI where the request has one.
    pub fn host(&self, head: &Parts) -> Result<(), HostRefusal> {
        let header = single(&head.headers, header::HOST).map_err(|_| HostRefusal::NoHost)?;
        let header = header.ok_or(HostRefusal::NoHost)?;
        let header = String::from_utf8_lossy(header.as_bytes()).into_owned();
        let named = head.uri.authority().map(|authority| authority.as_str().to_string());
        for host in [Some(header), named].into_iter().flatten() {
            if !self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(&host)) {
                return Err(HostRefusal::Host { host, choices: self.hosts.join(", ") });
            }
        }
        Ok(())
    }

    /// Checks and returns the `Origin` header, which requests of pages have.
    pub fn origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, HostRefusal> {
        let refused = |origin: &HeaderValue| HostRefusal::Origin {
            origin: String::from_utf8_lossy(origin.as_bytes()).into_owned(),
        };
        let Some(origin) = single(headers, header::ORIGIN).map_err(refused)? else { return Ok(None) };
        let is_allowed = |allowed: &String| allowed.as_bytes().eq_ignore_ascii_case(origin.as_bytes());
        if self.origins.iter().any(is_allowed) { Ok(Some(origin.clone())) } else { Err(refused(origin)) }
    }
}

/// Checks the header `Authorization: Bearer TOKEN`.
pub fn check_bearer(headers: &HeaderMap, token: &Token) -> Result<(), TokenFault> {
    let given = single(headers, header::AUTHORIZATION).map_err(|_| TokenFault::Wrong)?;
    let given = given.ok_or(TokenFault::Missing)?.as_bytes();
    let (scheme, text) = given.split_at(given.len().min("Bearer ".len()));
    if !scheme.eq_ignore_ascii_case(b"Bearer ") {
        return Err(TokenFault::Missing);
    }
    if token.is(text.trim_ascii()) { Ok(()) } else { Err(TokenFault::Wrong) }
}

/// The value of a header that may occur once; the second value, as an error, of a header that occurs more often.
fn single(headers: &HeaderMap, name: HeaderName) -> Result<Option<&HeaderValue>, &HeaderValue> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (first, None) => Ok(first),
        (_, Some(second)) => Err(second),
    }
}

/// An allowed page origin, spelled as browsers spell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedOrigin(String);

/// An allowed host name, such as that of a tunnel's public end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost(String);

/// Why a text cannot be allowed as a host or origin.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAllowed {
    #[error("'{0}' is not an origin; choose SCHEME://HOST or SCHEME://HOST:PORT, without a path")]
    Origin(String),
    #[error("'*' would let any page in; name each origin")]
    AnyOrigin,
    #[error("'{0}' is not a host; choose HOST or HOST:PORT")]
    Host(String),
}

impl std::str::FromStr for AllowedOrigin {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<AllowedOrigin, NotAllowed> {
        if text == "*" {
            return Err(NotAllowed::AnyOrigin);
        }
        let wrong = || NotAllowed::Origin(text.to_string());
        let lower = text.trim_end_matches('/').to_ascii_lowercase();
        let (scheme, host) = lower.split_once("://").ok_or_else(wrong)?;
        let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        if scheme.is_empty() || !scheme.bytes().all(is_scheme) || !is_host(host) {
            return Err(wrong());
        }
        // Browsers leave out a scheme's default port.
        let usual = match scheme {
            "http" => ":80",
            "https" => ":443",
            _ => "",
        };
        let host = host.strip_suffix(usual).unwrap_or(host);
        Ok(AllowedOrigin(format!("{scheme}://{host}")))
    }
}

impl std::str::FromStr for AllowedHost {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<AllowedHost, NotAllowed> {
        if is_host(text) {
            Ok(AllowedHost(text.to_string()))
        } else {
            Err(NotAllowed::Host(text.to_string()))
        }
    }
}

/// Whether a text has the form of a host, perhaps with a port.
fn is_host(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._:[]".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_usual_port_it_may_be_left_out() {
        let rules = HostRules::new("127.0.0.1:80".parse().unwrap(), &[], &[]);
        assert!(rules.hosts.contains(&"localhost".to_string()), "{:?}", rules.hosts);
        assert!(rules.origins.contains(&"http://localhost".to_string()), "{:?}", rules.origins);
    }

    #[test]
    fn what_can_be_allowed() {
        assert_eq!("*".parse::<AllowedOrigin>(), Err(NotAllowed::AnyOrigin));
        for text in ["app.example", "https://", "https://a/b", "https://a b", "://a", "null", "https://u@a"] {
            assert_eq!(text.parse::<AllowedOrigin>(), Err(NotAllowed::Origin(text.into())));
        }
        assert_eq!("http://[::1]:80".parse::<AllowedOrigin>().unwrap().0, "http://[::1]");
        assert_eq!("http://a:8080".parse::<AllowedOrigin>().unwrap().0, "http://a:8080");
        for text in ["", "http://a", "a/b", "a b"] {
            assert_eq!(text.parse::<AllowedHost>(), Err(NotAllowed::Host(text.into())));
        }
    }
}
