//! `spyhop mcp`: a server for agents, over the Model Context Protocol on standard input and output, or over HTTP.
//!
//! This module owns the start and the end of the server. The catalog holds the tools, their descriptions and their
//! schemas, and the library renders answers; this front end turns names into requests and replies into results.
//! Standard output carries the protocol and nothing else; logs go to standard error.

mod arguments;
mod calls;
mod engines;
pub mod http;
mod oversize;
mod progress;
mod roots;
mod server;
mod warm;

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use spyhop::catalog::tools::Profile;
use spyhop::engine::api::{GitReach, Options};
use spyhop::engine::{Error, no_thread};

use oversize::Oversize;
use server::Server;
use tokio::sync::Notify;
use warm::Tree;

/// A tree without requests or changes for this long releases whatever is cheap to open again. Agents send requests in
/// bursts; opening a tree again takes some ten milliseconds.
const IDLE: Duration = Duration::from_secs(60);

/// The configuration of a server.
pub struct Config {
    /// The trees to serve, each exactly this folder. The server answers about nothing outside them.
    pub roots: Vec<PathBuf>,
    /// The options for indexing and searching the trees.
    pub options: Options,
    /// The set of listed and callable tools.
    pub profile: Profile,
    /// Returns free memory to the system; called after trees have released memory.
    pub give_back: fn(),
}

/// Why a server did not start, or ended early.
#[derive(Debug)]
pub enum Failure {
    /// A root cannot be served.
    Engine(Error),
    /// The server cannot listen at the given address.
    Http(http::HttpError),
    /// Standard input or output failed, or the input was not the protocol.
    Io(io::Error),
}

/// Serves until standard input ends.
pub fn serve(config: Config) -> Result<(), Failure> {
    let (server, resting) = server(config)?;
    let server = server.for_one();
    let runtime = runtime()?;
    let serving = async {
        tokio::spawn(resting.watch());
        let (input, output) = stdio_pipes();
        let running = match server.serve((Oversize::new(input), output)).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(Failure::Io(io::Error::other(error.to_string()))),
        };
        match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(match error.try_into_panic() {
                Ok(panic) => of_panic(panic),
                Err(error) => Failure::Io(error.into()),
            }),
        }
    };
    let served = catch_unwind(AssertUnwindSafe(|| runtime.block_on(serving)));
    let served = served.unwrap_or_else(|panic| Err(of_panic(panic)));
    // An update that still runs is not awaited: the next run repeats whatever was not committed.
    runtime.shutdown_background();
    served
}

/// Converts tokio's panic on a missing thread to an error: where the standard streams are not pipes, tokio reads them
/// on a thread. Any other panic continues.
fn of_panic(panic: Box<dyn Any + Send>) -> Failure {
    match panic.downcast_ref::<String>().and_then(|said| no_thread(said)) {
        Some(text) => Failure::Io(io::Error::other(text)),
        None => resume_unwind(panic),
    }
}

/// Releases the caches of idle roots.
struct Resting {
    engines: Vec<Arc<engines::Engines>>,
    wake: Arc<Notify>,
    give_back: fn(),
}

impl Resting {
    async fn watch(self) {
        engines::rest_when_idle(self.engines, self.wake, IDLE, self.give_back).await;
    }
}

/// Opens the roots as a server, and starts to bring their indexes up to date.
fn server(config: Config) -> Result<(Server, Resting), Failure> {
    let wake = Arc::new(Notify::new());
    let mut trees: Vec<Tree> = Vec::new();
    // Clients can read nothing outside the roots, by way of git either.
    let options = Options { git_reach: GitReach::Within(config.roots.clone()), ..config.options };
    for root in &config.roots {
        let tree = Tree::open(root, options.clone(), Arc::clone(&wake)).map_err(Failure::Engine)?;
        if !trees.iter().any(|other| other.root() == tree.root()) {
            trees.push(tree);
        }
    }
    let engines = trees.iter().map(Tree::engines).collect();
    let resting = Resting { engines, wake, give_back: config.give_back };
    Ok((Server::new(config.profile, trees), resting))
}

/// A single-threaded runtime for the protocol; engines run on threads for blocking work.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Io)
}
