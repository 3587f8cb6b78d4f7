//! The configuration of a server, and the reasons for which a server ends.

use std::io;
use std::path::PathBuf;

use spyhop::catalog::tools::ToolProfile;
use spyhop::engine::Error;
use spyhop::engine::api::Options;

use super::http::HttpError;

/// The configuration of a server.
pub struct Config {
    /// The trees to serve, each exactly this folder. The server answers about nothing outside them.
    pub roots: Vec<PathBuf>,
    /// The options for indexing and searching the trees.
    pub options: Options,
    /// The set of listed and callable tools.
    pub profile: ToolProfile,
    /// Returns free memory to the system; called after trees have released memory.
    pub give_back: fn(),
}

/// Why a server did not start, or ended early.
#[derive(Debug)]
pub enum ServerFailure {
    /// A root cannot be served.
    Engine(Error),
    /// The server cannot listen at the given address.
    Http(HttpError),
    /// Standard input or output failed, or the input was not the protocol.
    Io(io::Error),
}
