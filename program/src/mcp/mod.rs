//! `spyhop mcp`: a server for agents, over the Model Context Protocol on standard input and output, or over HTTP.
//!
//! This module owns the start and the end of the server. The catalog holds the tools, their descriptions and their
//! schemas, and the library renders answers; this front end turns names into requests and replies into results.
//! Standard output carries the protocol and nothing else; logs go to standard error.

mod arguments;
mod calls;
mod config;
mod engines;
pub mod http;
mod library;
mod library_request;
mod malformed;
mod names;
mod permits;
mod pipes;
mod progress;
mod resting;
pub mod roots;
mod server;
mod warm;

pub use config::{Config, DataProfile, ServerFailure};
pub use engines::Engines;
pub use library::ServedLibrary;
pub use names::names;
pub use permits::{WorkFault, on_thread};
pub use resting::Resting;
pub use server::Server;
pub use warm::{CancelOnDrop, ServedTree, UpdateState};

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio_pipes;
use spyhop_engine::api::{GitReach, Options};
use spyhop_engine::no_thread;

use engines::Rests;
use permits::CallPermits;
use pipes::Pipes;
use tokio::sync::Notify;

/// Serves until standard input ends.
pub fn serve(config: Config) -> Result<(), ServerFailure> {
    let (server, resting) = server(config)?;
    let server = server.for_one();
    let runtime = runtime()?;
    let serving = async {
        tokio::spawn(resting.watch());
        let (input, output) = stdio_pipes();
        let running = match server.serve(Pipes::new(input, output)).await {
            Ok(running) => running,
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(ServerFailure::Io(io::Error::other(error.to_string()))),
        };
        match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(match error.try_into_panic() {
                Ok(panic) => of_panic(panic),
                Err(error) => ServerFailure::Io(error.into()),
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
fn of_panic(panic: Box<dyn Any + Send>) -> ServerFailure {
    match panic.downcast_ref::<String>().and_then(|said| no_thread(said)) {
        Some(text) => ServerFailure::Io(io::Error::other(text)),
        None => resume_unwind(panic),
    }
}

/// Opens the roots as a server, and starts to bring their indexes up to date.
pub fn server(config: Config) -> Result<(Server, Resting), ServerFailure> {
    let wake = Arc::new(Notify::new());
    let mut trees: Vec<ServedTree> = Vec::new();
    let slow = CallPermits::slow();
    // Clients can read nothing outside the roots, by way of git either.
    let options = Options { git_reach: GitReach::Within(config.roots.clone()), ..config.options };
    for root in &config.roots {
        let tree = ServedTree::open(root, options.clone(), Arc::clone(&wake), &slow)
            .map_err(ServerFailure::Engine)?;
        if !trees.iter().any(|other| other.root() == tree.root()) {
            trees.push(tree);
        }
    }
    let library = Arc::new(ServedLibrary::new(config.library, options, Arc::clone(&wake), &slow));
    let engines = trees.iter().map(|tree| -> Arc<dyn Rests> { tree.engines() });
    let all = engines.chain([Arc::clone(&library) as Arc<dyn Rests>]).collect();
    let resting = Resting { all, wake, give_back: config.give_back };
    Ok((Server::new(config.offer, config.data, trees, library), resting))
}

/// A single-threaded runtime for the protocol; engines run on threads for blocking work.
pub fn runtime() -> Result<tokio::runtime::Runtime, ServerFailure> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServerFailure::Io)
}
