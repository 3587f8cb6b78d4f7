//! The configuration of a server, and the reasons for which a server ends.

use std::io;
use std::path::PathBuf;

use spyhop_engine::Error;
use spyhop_engine::api::Options;
use spyhop_interface::catalog::offer::ToolOffer;

use crate::http::HttpError;

/// The configuration of a server.
pub struct Config {
    /// The trees to serve, each exactly this folder. The server answers about nothing outside them, but
    /// for the sources of the library.
    pub roots: Vec<PathBuf>,
    /// The folder of the library whose sources calls may ask; `None` for the usual one.
    pub library: Option<PathBuf>,
    /// The options for indexing and searching the trees.
    pub options: Options,
    /// The set of listed and callable tools.
    pub offer: ToolOffer,
    /// What the structured content of results has.
    pub data: DataProfile,
    /// Returns free memory to the system; called after trees have released memory.
    pub give_back: fn(),
}

/// What the structured content of results has, beside their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataProfile {
    /// What programs need: of what the text has too, only the snippets and reasons of hits. Many hosts pass on both to the
    /// model.
    Lean,
    /// All of the JSON of the command line.
    Full,
}

impl DataProfile {
    /// The names of all profiles, the default first.
    pub fn names() -> Vec<&'static str> {
        vec!["lean", "full"]
    }

    /// The profile with that name.
    pub fn by_name(name: &str) -> Option<DataProfile> {
        match name {
            "lean" => Some(DataProfile::Lean),
            "full" => Some(DataProfile::Full),
            _ => None,
        }
    }
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
