//! Access control: what is decided about a request from its head, before its body is read.
//!
//! This module owns the order of the checks. `Host` and `Origin` come first, because a web page in a browser can send
//! requests to this machine under a host name of its own; a request that fails there learns nothing else, not even
//! whether its token is right. Both headers are compared as texts with short lists: a client that writes a loopback
//! name in an unusual way is refused and can write it in the usual one. rmcp has such checks too, but they would run
//! after the token check, so they are off.

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

use super::address::Loopback;
use super::token::Token;

/// The path of the MCP endpoint.
pub const PATH: &str = "/mcp";

/// The access rules of a server: allowed hosts and origins, and the token.
pub struct AccessRules {
    hosts: Vec<String>,
    origins: Vec<String>,
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
    #[error("the request needs one Host header")]
    NoHost,
    #[error("the host '{host}' is not served here; choose {choices}")]
    Host { host: String, choices: String },
    #[error("requests from pages of '{origin}' are not allowed; --allow-origin allows them")]
    Origin { origin: String },
    #[error("there is nothing at '{path}'; choose {PATH}")]
    Path { path: String },
    #[error("the request needs the header 'Authorization: Bearer TOKEN'")]
    NoToken,
    #[error("invalid bearer token")]
    Token,
    #[error("too many requests are in progress; try again later")]
    Full,
    #[error("there is no such session any more; send initialize again, without Mcp-Session-Id")]
    Session,
}

impl Refusal {
    pub fn status(&self) -> StatusCode {
        match self {
            Refusal::NoHost => StatusCode::BAD_REQUEST,
            Refusal::Host { .. } | Refusal::Origin { .. } => StatusCode::FORBIDDEN,
            Refusal::Path { .. } | Refusal::Session => StatusCode::NOT_FOUND,
            Refusal::NoToken | Refusal::Token => StatusCode::UNAUTHORIZED,
            Refusal::Full => StatusCode::SERVICE_UNAVAILABLE,
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

impl AccessRules {
    /// The gate of a server at `address`. Allows the server's own names and the given ones.
    pub fn new(
        address: Loopback,
        token: Token,
        hosts: &[AllowedHost],
        origins: &[AllowedOrigin],
    ) -> AccessRules {
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
        AccessRules { hosts: names, origins: allowed, token }
    }

    /// Checks the head of a request.
    pub fn check(&self, head: &Parts) -> Result<CheckedRequest, Refusal> {
        self.host(head)?;
        let origin = self.origin(&head.headers)?;
        if head.uri.path() != PATH {
            return Err(Refusal::Path { path: head.uri.path().to_string() });
        }
        // A browser sends a preflight without the token; it learns only that its page's origin is allowed.
        if let (&Method::OPTIONS, Some(origin)) = (&head.method, &origin)
            && head.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
        {
            return Ok(CheckedRequest::Preflight { origin: origin.clone() });
        }
        self.token(&head.headers)?;
        Ok(CheckedRequest::Request { origin })
    }

    /// The origin of the page that may read a refusal: an allowed origin whose request had a wrong path or session, no
    /// valid token, or found all connections busy.
    pub fn page(&self, head: &Parts, refusal: &Refusal) -> Option<HeaderValue> {
        match refusal {
            Refusal::Path { .. } | Refusal::NoToken | Refusal::Token | Refusal::Full | Refusal::Session => {
                self.origin(&head.headers).ok().flatten()
            }
            Refusal::NoHost | Refusal::Host { .. } | Refusal::Origin { .. } => None,
        }
    }

    /// Checks the host: the `Host` header, and the authority of the URI where the request has one.
    fn host(&self, head: &Parts) -> Result<(), Refusal> {
        let header = single(&head.headers, header::HOST).map_err(|_| Refusal::NoHost)?;
        let header = header.ok_or(Refusal::NoHost)?;
        let header = String::from_utf8_lossy(header.as_bytes()).into_owned();
        let named = head.uri.authority().map(|authority| authority.as_str().to_string());
        for host in [Some(header), named].into_iter().flatten() {
            if !self.hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(&host)) {
                return Err(Refusal::Host { host, choices: self.hosts.join(", ") });
            }
        }
        Ok(())
    }

    fn origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Refusal> {
        let refused = |origin: &HeaderValue| Refusal::Origin {
            origin: String::from_utf8_lossy(origin.as_bytes()).into_owned(),
        };
        let Some(origin) = single(headers, header::ORIGIN).map_err(refused)? else { return Ok(None) };
        let is_allowed = |allowed: &String| allowed.as_bytes().eq_ignore_ascii_case(origin.as_bytes());
        if self.origins.iter().any(is_allowed) { Ok(Some(origin.clone())) } else { Err(refused(origin)) }
    }

    fn token(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let given = single(headers, header::AUTHORIZATION).map_err(|_| Refusal::Token)?;
        let given = given.ok_or(Refusal::NoToken)?.as_bytes();
        let (scheme, token) = given.split_at(given.len().min("Bearer ".len()));
        if !scheme.eq_ignore_ascii_case(b"Bearer ") {
            return Err(Refusal::NoToken);
        }
        if self.token.is(token.trim_ascii()) { Ok(()) } else { Err(Refusal::Token) }
    }
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
    use hyper::Request;

    use super::*;

    /// A gate at port 7733 that also allows two pages and one name.
    fn gate() -> AccessRules {
        let token = Token::new(SECRET, &String::new).unwrap();
        let hosts = ["tunnel.example:8080".parse().unwrap()];
        let origins = ["https://App.example:443/".parse().unwrap(), "vscode-webview://abc".parse().unwrap()];
        AccessRules::new("127.0.0.2:7733".parse().unwrap(), token, &hosts, &origins)
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
            assert!(matches!(&refused, Refusal::Host { host: told, .. } if told == host), "{refused}");
            assert!(refused.to_string().contains("127.0.0.1:7733"), "{refused}");
        }
        assert_eq!(check(Method::POST, PATH, &[TOKEN]), Err(Refusal::NoHost));
        assert_eq!(check(Method::POST, PATH, &[HOST, HOST, TOKEN]), Err(Refusal::NoHost));
        let whole = check(Method::POST, "http://evil.example:7733/mcp", &[HOST, TOKEN]);
        assert!(matches!(whole, Err(Refusal::Host { .. })), "{whole:?}");
    }

    #[test]
    fn at_the_usual_port_it_may_be_left_out() {
        let gate = AccessRules::new("127.0.0.1:80".parse().unwrap(), gate().token, &[], &[]);
        assert!(gate.hosts.contains(&"localhost".to_string()), "{:?}", gate.hosts);
        assert!(gate.origins.contains(&"http://localhost".to_string()), "{:?}", gate.origins);
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
            assert_eq!(refused, Err(Refusal::Origin { origin: origin.to_string() }));
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
        assert!(matches!(check(Method::OPTIONS, PATH, &[HOST, other, wish]), Err(Refusal::Origin { .. })));
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
