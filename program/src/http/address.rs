//! Where the server may listen: on loopback addresses only.
//!
//! This module owns the parsing of `ADDR:PORT`. The server sends somebody's source code over a connection without
//! encryption, so an address that other machines can reach is an error and not just a warning. `localhost` means
//! 127.0.0.1 without a call to a resolver, whose answer would decide who can connect.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// The default address.
pub const DEFAULT: &str = "127.0.0.1:7733";

/// The default host, without a port.
pub const DEFAULT_HOST: Loopback = Loopback(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0));

/// An address of this machine that no other machine can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loopback(SocketAddr);

/// Why a text is not a loopback address.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLoopback {
    /// Other machines could connect to the address.
    #[error(
        "'{0}' is not an address of this machine alone; choose 127.0.0.1:PORT, [::1]:PORT or localhost:PORT, \
         and let other machines connect through a tunnel"
    )]
    Reachable(String),
    /// The text is not an address.
    #[error("'{0}' is not ADDR:PORT; choose one such as {DEFAULT}, and put roots in front of --http")]
    Malformed(String),
}

impl Loopback {
    pub fn address(self) -> SocketAddr {
        self.0
    }

    /// This address with `port`, the port that the system has chosen.
    pub fn at(self, port: u16) -> Loopback {
        Loopback(SocketAddr::new(self.0.ip(), port))
    }
}

impl FromStr for Loopback {
    type Err = NotLoopback;

    fn from_str(text: &str) -> Result<Loopback, NotLoopback> {
        let (host, port) = text.rsplit_once(':').ok_or_else(|| NotLoopback::Malformed(text.into()))?;
        let port: u16 = port.parse().map_err(|_| NotLoopback::Malformed(text.into()))?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let address: IpAddr = match bare {
            Some(inside) => IpAddr::V6(inside.parse().map_err(|_| NotLoopback::Malformed(text.into()))?),
            None if host.eq_ignore_ascii_case("localhost") => Ipv4Addr::LOCALHOST.into(),
            // A name could resolve to any address.
            None => match host.parse::<Ipv4Addr>() {
                Ok(address) => address.into(),
                Err(_) if is_name(host) => return Err(NotLoopback::Reachable(text.into())),
                Err(_) => return Err(NotLoopback::Malformed(text.into())),
            },
        };
        if address.is_loopback() {
            Ok(Loopback(SocketAddr::new(address, port)))
        } else {
            Err(NotLoopback::Reachable(text.into()))
        }
    }
}

impl fmt::Display for Loopback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn is_name(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_machine() {
        let ok = |text: &str, expected: &str| {
            assert_eq!(text.parse::<Loopback>().unwrap().to_string(), expected);
        };
        ok(DEFAULT, DEFAULT);
        ok("127.0.0.1:0", "127.0.0.1:0");
        ok("127.8.9.1:80", "127.8.9.1:80");
        ok("[::1]:7733", "[::1]:7733");
        ok("LocalHost:1", "127.0.0.1:1");
        let reachable = [
            "0.0.0.0:7733",
            "[::]:7733",
            "192.168.1.2:80",
            "[fe80::1]:80",
            "[::ffff:127.0.0.1]:80",
            "example.com:80",
            "localhost.example.com:80",
        ];
        for text in reachable {
            assert_eq!(text.parse::<Loopback>(), Err(NotLoopback::Reachable(text.into())));
        }
        for text in
            ["", "7733", ":7733", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:7733", "./tree", "a b:1"]
        {
            assert_eq!(text.parse::<Loopback>(), Err(NotLoopback::Malformed(text.into())));
        }
    }
}
