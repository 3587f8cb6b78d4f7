//! The reasons for which a server does not listen.

use std::io;

use super::address::Loopback;
use super::token::NoToken;

/// Why the server does not listen.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error(transparent)]
    Token(#[from] NoToken),
    #[error("cannot listen on {address}: {error}; choose another port, or 0 for any that is free")]
    Listen { address: Loopback, error: io::Error },
}
