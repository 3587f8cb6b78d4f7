//! Access control: what is decided about a request from its head, before its body is read.
//!
//! This module owns the order of the checks. `Host` and `Origin` come first ([`crate::http`]); a request that fails
//! there learns nothing else, not even whether its token is right. rmcp has such checks too, but they would run after
//! the token check, so they are off.

use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

use crate::http::{BodyFault, HostRefusal, HostRules, Token, TokenFault, check_bearer};

/// The path of the MCP endpoint.
pub const PATH: &str = "/mcp";

/// The access rules of a server: allowed hosts and origins, and the token.
pub struct AccessRules {
    hosts: HostRules,
    token: Token,
}

/// A request that passed the checks.
#[derive(Debug, PartialEq, Eq)]
pub enum CheckedRequest {
    /// A request for the protocol. `origin` is that of a web page, which must be allowed to read the answer.
    Request { origin: Option<HeaderValue> },
    /// A browser's preflight request: may a page of this origin send a request?
    Preflight { origin: HeaderValue },
}

/// Why a request is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{refusal}{}", advice(refusal))]
    Host { refusal: HostRefusal },
    #[error("there is nothing at '{path}'; choose {PATH}")]
    Path { path: String },
    #[error("the request needs the header 'Authorization: Bearer TOKEN'")]
    NoToken,
    #[error("invalid bearer token")]
    Token,
    #[error("too many requests are in progress; try again later")]
    Full,
    #[error("{fault}")]
    Body { fault: BodyFault },
    #[error("the session of Mcp-Session-Id has ended; send initialize again, without Mcp-Session-Id")]
    Session,
}

impl Refusal {
    pub fn status(&self) -> StatusCode {
        match self {
            Refusal::Host { refusal } => refusal.status(),
            Refusal::Path { .. } | Refusal::Session => StatusCode::NOT_FOUND,
            Refusal::NoToken | Refusal::Token => StatusCode::UNAUTHORIZED,
            Refusal::Full => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Body { fault } => fault.status(),
        }
    }

    /// The `WWW-Authenticate` header that tells a client how to authenticate.
    pub fn challenge(&self) -> Option<HeaderValue> {
        match self {
            Refusal::NoToken => Some(HeaderValue::from_static("Bearer realm=\"spyhop\"")),
            Refusal::Token => {
                Some(HeaderValue::from_static("Bearer realm=\"spyhop\", error=\"invalid_token\""))
            }
            _ => None,
        }
    }
}

/// The option that allows a refused origin, as the end of the error.
fn advice(refusal: &HostRefusal) -> &'static str {
    match refusal {
        HostRefusal::Origin { .. } => "; --allow-origin allows them",
        HostRefusal::NoHost | HostRefusal::Host { .. } => "",
    }
}

impl From<HostRefusal> for Refusal {
    fn from(refusal: HostRefusal) -> Refusal {
        Refusal::Host { refusal }
    }
}

impl From<TokenFault> for Refusal {
    fn from(fault: TokenFault) -> Refusal {
        match fault {
            TokenFault::Missing => Refusal::NoToken,
            TokenFault::Wrong => Refusal::Token,
        }
    }
}

impl AccessRules {
    /// The gate of a server with these names and this token.
    pub fn new(hosts: HostRules, token: Token) -> AccessRules {
        AccessRules { hosts, token }
    }

    /// Checks the head of a request.
    pub fn check(&self, head: &Parts) -> Result<CheckedRequest, Refusal> {
        self.hosts.host(head)?;
        let origin = self.hosts.origin(&head.headers)?;
        if head.uri.path() != PATH {
            return Err(Refusal::Path { path: head.uri.path().to_string() });
        }
        // A browser sends a preflight without the token; it learns only that its page's origin is allowed.
        if let (&Method::OPTIONS, Some(origin)) = (&head.method, &origin)
            && head.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
        {
            return Ok(CheckedRequest::Preflight { origin: origin.clone() });
        }
        check_bearer(&head.headers, &self.token)?;
        Ok(CheckedRequest::Request { origin })
    }

    /// The origin of the page that may read a refusal: an allowed origin whose request was refused for anything but its
    /// host or origin.
    pub fn page(&self, head: &Parts, refusal: &Refusal) -> Option<HeaderValue> {
        match refusal {
            Refusal::Host { .. } => None,
            _ => self.hosts.origin(&head.headers).ok().flatten(),
        }
    }
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    /// A gate at port 7733 that also allows two pages and one name.
    fn gate() -> AccessRules {
        let token = Token::new(SECRET, &String::new).unwrap();
        let hosts = ["tunnel.example:8080".parse().unwrap()];
        let origins = ["https://App.example:443/".parse().unwrap(), "vscode-webview://abc".parse().unwrap()];
        AccessRules::new(HostRules::new("127.0.0.2:7733".parse().unwrap(), &hosts, &origins), token)
    }

    const SECRET: &str = "a-token-of-the-tests";

    /// The result for a request with these headers; `TOKEN` stands for the token.
    fn check(method: Method, uri: &str, headers: &[(&str, &str)]) -> Result<CheckedRequest, Refusal> {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, value.replace("TOKEN", SECRET));
        }
        gate().check(&request.body(()).unwrap().into_parts().0)
    }

    const HOST: (&str, &str) = ("Host", "localhost:7733");
    const TOKEN: (&str, &str) = ("Authorization", "Bearer TOKEN");

    #[test]
    fn its_own_names_and_allowed_ones() {
        let passes = Ok(CheckedRequest::Request { origin: None });
        for host in ["localhost:7733", "LOCALHOST:7733", "127.0.0.1:7733", "127.0.0.2:7733", "[::1]:7733"] {
            assert_eq!(check(Method::POST, PATH, &[("Host", host), TOKEN]), passes, "{host}");
        }
        assert_eq!(check(Method::POST, PATH, &[("Host", "tunnel.example:8080"), TOKEN]), passes);
        let others = [
            "localhost",
            "localhost:7734",
            "evil.example:7733",
            "localhost:7733.evil.example",
            "localhost.:7733",
            "user@localhost:7733",
            "tunnel.example",
            "",
        ];
        for host in others {
            let refused = check(Method::POST, PATH, &[("Host", host), TOKEN]).unwrap_err();
            assert!(
                matches!(&refused, Refusal::Host { refusal: HostRefusal::Host { host: told, .. } } if told == host),
                "{refused}"
            );
            assert!(refused.to_string().contains("127.0.0.1:7733"), "{refused}");
        }
        assert_eq!(check(Method::POST, PATH, &[TOKEN]), Err(HostRefusal::NoHost.into()));
        assert_eq!(check(Method::POST, PATH, &[HOST, HOST, TOKEN]), Err(HostRefusal::NoHost.into()));
        let whole = check(Method::POST, "http://evil.example:7733/mcp", &[HOST, TOKEN]);
        assert!(matches!(whole, Err(Refusal::Host { refusal: HostRefusal::Host { .. } })), "{whole:?}");
    }

    #[test]
    fn pages_that_may_and_pages_that_may_not() {
        for origin in ["http://localhost:7733", "https://app.example", "vscode-webview://abc"] {
            let passed = check(Method::POST, PATH, &[HOST, ("Origin", origin), TOKEN]).unwrap();
            assert_eq!(passed, CheckedRequest::Request { origin: Some(HeaderValue::from_static(origin)) });
        }
        let others = [
            "null",
            "http://localhost:7734",
            "https://localhost:7733",
            "http://app.example",
            "https://app.example.evil",
            "https://app.example:8443",
            "",
        ];
        for origin in others {
            let refused = check(Method::POST, PATH, &[HOST, ("Origin", origin), TOKEN]);
            assert_eq!(refused, Err(HostRefusal::Origin { origin: origin.to_string() }.into()));
            assert!(refused.unwrap_err().to_string().contains("--allow-origin"));
        }
        let own = ("Origin", "http://localhost:7733");
        assert!(check(Method::POST, PATH, &[HOST, own, own, TOKEN]).is_err());
    }

    #[test]
    fn the_token() {
        let with = |value: &str| check(Method::POST, PATH, &[HOST, ("Authorization", value)]);
        assert!(with("Bearer TOKEN").is_ok() && with("bearer TOKEN ").is_ok());
        for value in ["Bearer TOKENx", "Bearer ", "Bearer xTOKEN", "Bearer TOKEN TOKEN"] {
            assert_eq!(with(value), Err(Refusal::Token), "{value}");
        }
        for value in ["", "TOKEN", "Basic TOKEN", "Bearer"] {
            assert_eq!(with(value), Err(Refusal::NoToken), "{value}");
        }
        assert_eq!(check(Method::POST, PATH, &[HOST]), Err(Refusal::NoToken));
        assert_eq!(check(Method::POST, PATH, &[HOST, TOKEN, TOKEN]), Err(Refusal::Token));
    }

    #[test]
    fn what_comes_first_is_told_first() {
        let evil = [("Host", "evil"), ("Origin", "http://evil"), ("Authorization", "Bearer no")];
        let refused = |headers: &[(&str, &str)], path: &str| {
            check(Method::POST, path, headers).unwrap_err().status().as_u16()
        };
        assert_eq!(refused(&evil, "/other"), 403);
        assert_eq!(refused(&[HOST, evil[1], evil[2]], "/other"), 403);
        assert_eq!(refused(&[HOST, evil[2]], "/other"), 404);
        assert_eq!(refused(&[HOST, evil[2]], PATH), 401);
    }

    #[test]
    fn a_browser_asks_without_the_token() {
        let origin = ("Origin", "https://app.example");
        let wish = ("Access-Control-Request-Method", "POST");
        let asked = check(Method::OPTIONS, PATH, &[HOST, origin, wish]).unwrap();
        assert_eq!(
            asked,
            CheckedRequest::Preflight { origin: HeaderValue::from_static("https://app.example") }
        );
        assert_eq!(check(Method::OPTIONS, PATH, &[HOST, wish]), Err(Refusal::NoToken));
        assert_eq!(check(Method::OPTIONS, PATH, &[HOST, origin]), Err(Refusal::NoToken));
        let other = ("Origin", "https://evil.example");
        assert!(matches!(
            check(Method::OPTIONS, PATH, &[HOST, other, wish]),
            Err(Refusal::Host { refusal: HostRefusal::Origin { .. } })
        ));
    }
}
