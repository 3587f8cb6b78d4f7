//! Who may ask the page's server: hosts and pages, the link that works once, and the cookie.
//!
//! A browser is let in by a link with a code that works once, so that an address in its history or in a log lets nobody
//! in. The cookie follows from the token of the server, so a server with a token file knows the cookies of the server
//! before. A script shows the token itself.

use std::sync::{Arc, Mutex, PoisonError};

use hyper::Method;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::request::Parts;

use super::reply::ApiError;
use crate::http::{ClientKind, HostRefusal, HostRules, Loopback, Token, TokenFault, check_bearer, draw};

/// The path that takes the code of a link.
pub const ENTER: &str = "/enter";

/// The access rules of the server.
pub struct PageGate {
    hosts: HostRules,
    token: Token,
    cookie: Cookie,
    links: Links,
}

/// The cookie of browsers that were let in.
struct Cookie {
    name: String,
    value: String,
    check: Token,
}

/// Makes links; each works once.
#[derive(Clone)]
pub struct Links {
    address: Loopback,
    codes: Arc<Mutex<Vec<Token>>>,
}

/// How many links that nobody has used may be open.
const MAX_LINKS: usize = 16;

impl Links {
    /// A new link.
    pub fn draw(&self) -> Result<String, crate::http::NoToken> {
        let code = draw()?;
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        if codes.len() == MAX_LINKS {
            codes.remove(0);
        }
        codes.push(Token::new(&code, &String::new)?);
        Ok(format!("http://{}{ENTER}?code={code}", self.address))
    }

    /// Whether the code is that of a link, which is then used.
    fn take(&self, code: &str) -> bool {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        let before = codes.len();
        codes.retain(|known| !known.is(code.as_bytes()));
        codes.len() < before
    }
}

impl PageGate {
    pub fn new(hosts: HostRules, token: Token, address: Loopback) -> PageGate {
        let value = token.derive("spyhop serve: the cookie of the page");
        let check = Token::new(&value, &String::new).expect("hexadecimal digits are a token");
        // Cookies of one host are shared by all of its ports.
        let name = format!("spyhop-{}", address.address().port());
        let links = Links { address, codes: Arc::default() };
        PageGate { hosts, token, cookie: Cookie { name, value, check }, links }
    }

    pub fn links(&self) -> Links {
        self.links.clone()
    }

    /// Checks `Host` and `Origin`, and returns whether the request comes from the page.
    pub fn comes_from_page(&self, head: &Parts) -> Result<bool, HostRefusal> {
        self.hosts.host(head)?;
        let origin = self.hosts.origin(&head.headers)?;
        // A browser says so itself when a page of another site asks. A link there may be followed: it leads to a page,
        // which that site cannot read.
        if is_cross_site(head) && !is_followed_link(head) {
            return Err(HostRefusal::Origin { origin: "another site".to_string() });
        }
        Ok(origin.is_some())
    }

    /// Checks the bearer token.
    pub fn bearer(&self, headers: &HeaderMap) -> Result<(), TokenFault> {
        check_bearer(headers, &self.token)
    }

    /// Checks that the request has the cookie or the token, and returns which. A request that changes something must come
    /// from the page or have the token.
    pub fn authenticated(&self, head: &Parts, is_of_page: bool) -> Result<ClientKind, ApiError> {
        match self.bearer(&head.headers) {
            Ok(()) => return Ok(ClientKind::Token),
            Err(TokenFault::Wrong) => return Err(ApiError::unauthenticated("the bearer token is wrong")),
            Err(TokenFault::Missing) => {}
        }
        if !self.has_cookie(&head.headers) {
            return Err(ApiError::unauthenticated(
                "this browser has not been let in; open the link that spyhop serve has printed",
            ));
        }
        if head.method == Method::POST && !is_of_page {
            return Err(ApiError::forbidden(
                "a POST needs the header Origin of the page, or the bearer token",
            ));
        }
        Ok(ClientKind::Browser)
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
        let mut values =
            lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        values.any(|(name, value)| name == self.cookie.name && self.cookie.check.is(value.as_bytes()))
    }

    /// The cookie for a browser that shows the code of a link.
    pub fn enter(&self, code: &str) -> Option<HeaderValue> {
        if !self.links.take(code) {
            return None;
        }
        let Cookie { name, value, .. } = &self.cookie;
        let cookie = format!("{name}={value}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict");
        HeaderValue::from_str(&cookie).ok()
    }
}

/// Whether a browser says that a page of another site, or of another port of this machine, has caused the request.
fn is_cross_site(head: &Parts) -> bool {
    head.headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
}

/// Whether a person has followed a link to a page.
fn is_followed_link(head: &Parts) -> bool {
    let is = |name: &str, value: &str| head.headers.get(name).is_some_and(|own| own == value);
    head.method == Method::GET && is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document")
}

/// Whether the request has no cookie because a person has followed a link of another site: browsers keep a strict cookie
/// back then, and send it when the page is loaded again.
pub fn is_from_elsewhere(head: &Parts) -> bool {
    is_cross_site(head) && is_followed_link(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(token: &str) -> PageGate {
        let address: Loopback = "127.0.0.1:7744".parse().unwrap();
        let token = Token::new(token, &String::new).unwrap();
        PageGate::new(HostRules::new(address, &[], &[]), token, address)
    }

    #[test]
    fn a_link_lets_in_once_and_its_cookie_stays() {
        let (gate, again, other) =
            (gate("0123456789abcdef"), gate("0123456789abcdef"), gate("fedcba9876543210"));
        let link = gate.links().draw().unwrap();
        let code = link.strip_prefix("http://127.0.0.1:7744/enter?code=").unwrap();
        assert!(other.enter(code).is_none() && gate.enter("0123456789abcdef").is_none());
        let cookie = gate.enter(code).unwrap();
        assert!(gate.enter(code).is_none());
        let text = cookie.to_str().unwrap();
        assert!(text.ends_with("HttpOnly; SameSite=Strict") && !text.contains("0123456789abcdef"), "{text}");
        let mut headers = HeaderMap::new();
        let pair = text.split(';').next().unwrap();
        headers.insert(header::COOKIE, HeaderValue::from_str(&format!("a=b; {pair}")).unwrap());
        // A server with the token of the one before knows its cookies.
        assert!(gate.has_cookie(&headers) && again.has_cookie(&headers) && !other.has_cookie(&headers));
    }

    #[test]
    fn old_links_make_room() {
        let gate = gate("0123456789abcdef");
        let links: Vec<String> = (0..=MAX_LINKS).map(|_| gate.links().draw().unwrap()).collect();
        let code = |link: &String| link.split_once('=').unwrap().1.to_string();
        assert!(gate.enter(&code(&links[0])).is_none() && gate.enter(&code(&links[1])).is_some());
    }
}
