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

/// A tree that nobody has asked about or changed for so long lets go of what is cheap to open again. Agents ask in
/// bursts; opening it takes some ten milliseconds.
const IDLE: Duration = Duration::from_secs(60);

/// What a server is started with.
pub struct Config {
    /// The trees it serves, each exactly this folder; it answers about nothing outside them.
    pub roots: Vec<PathBuf>,
    /// How they are indexed.
    pub options: Options,
    /// Which tools it shows.
    pub profile: Profile,
    /// Gives memory back that is free, called when trees have let go of some.
    pub give_back: fn(),
}

/// Why a server did not start, or ended early.
#[derive(Debug)]
pub enum Failure {
    /// A root cannot be served.
    Engine(Error),
    /// The server cannot listen at the given address.
    Http(http::HttpError),
    /// Standard input or output failed, or what came in was not the protocol.
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
    // An update that still runs is not waited for: whatever it has not committed is done again next time.
    runtime.shutdown_background();
    served
}

/// Where standard streams are no pipes, tokio reads them on a thread, and panics where there is none. Any other panic
/// goes on.
fn of_panic(panic: Box<dyn Any + Send>) -> Failure {
    match panic.downcast_ref::<String>().and_then(|said| no_thread(said)) {
        Some(text) => Failure::Io(io::Error::other(text)),
        None => resume_unwind(panic),
    }
}

/// What lets the roots of a server rest.
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

/// The server of the roots, whose indexes begin to be brought up to date.
fn server(config: Config) -> Result<(Server, Resting), Failure> {
    let wake = Arc::new(Notify::new());
    let mut trees: Vec<Tree> = Vec::new();
    // Clients read nothing outside of the roots, by way of git neither.
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

/// The protocol needs one thread; engines run on threads for blocking work.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Io)
}
