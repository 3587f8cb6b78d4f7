//! `spyhop serve`: a page for people, and the HTTP interface that the page asks (`docs/http.md`).
//!
//! This module owns the start of the server. [`router`] decides what answers a request, [`api`] has the answers, and
//! [`crate::http`] listens. The trees, their engines and their updates are those of the server for agents, which
//! answers at `/mcp`.

mod api;
mod ask;
mod assets;
mod blocking;
mod colors;
mod eval;
mod gate;
mod headers;
mod latency;
mod params;
mod reply;
mod router;
mod search;
mod site;
mod stream;
mod tabs;

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use crate::http::{self, HostRules, Loopback, Origin};
use crate::mcp::{self, ServerFailure};

use gate::PageGate;
use router::Router;
use site::PageSite;

pub use gate::Links;

/// The default port.
pub const PORT: u16 = 7744;

/// The configuration of the server.
pub struct ServeConfig {
    pub address: Loopback,
    /// The file that holds the token, or is created to hold it; see [`crate::http::find_token`].
    pub token_file: Option<PathBuf>,
    /// The trees and the library, and what agents are offered.
    pub served: mcp::Config,
    /// Whether the page may open files in an editor.
    pub can_open: bool,
    /// The folder with runs of `spyhop-eval`.
    pub eval: Option<PathBuf>,
}

/// A server that listens and does not answer yet.
pub struct ListeningPage {
    listener: TcpListener,
    router: Router,
    resting: mcp::Resting,
    links: Links,
    token: Origin,
}

/// Binds the address, reads or generates the token, and opens the trees.
pub fn listen(config: ServeConfig) -> Result<ListeningPage, ServerFailure> {
    let (listener, address) = http::bind(config.address).map_err(ServerFailure::Http)?;
    let found =
        http::find_token(config.token_file.as_deref()).map_err(|error| ServerFailure::Http(error.into()))?;
    let gate = PageGate::new(HostRules::new(address, &[], &[]), found.token, address);
    let links = gate.links();
    let (server, resting) = mcp::server(config.served)?;
    let site = PageSite::new(&server, config.can_open, config.eval);
    let router = Router::new(gate, site, server);
    Ok(ListeningPage { listener, router, resting, links, token: found.origin })
}

impl ListeningPage {
    /// What makes the links that let a browser in.
    pub fn links(&self) -> Links {
        self.links.clone()
    }

    /// The source of the token.
    pub fn token(&self) -> &Origin {
        &self.token
    }
}

/// Serves until the process receives a signal to end.
pub fn serve(listening: ListeningPage) -> Result<(), ServerFailure> {
    let runtime = mcp::runtime()?;
    let served = runtime.block_on(async {
        tokio::spawn(listening.resting.watch());
        http::run(listening.listener, Arc::new(listening.router)).await
    });
    runtime.shutdown_background();
    served.map_err(ServerFailure::Io)
}
