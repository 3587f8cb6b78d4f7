//! Serves searches of a folder over HTTP with axum: one engine, awaited calls, replies as JSON.
//!
//! ```text
//! cargo run --release --example axum_service --features async,serde -- "where are lines counted?" [FOLDER]
//! curl 'http://127.0.0.1:PORT/search?q=lines&max_results=3'
//! ```
//!
//! The service listens on loopback and asks itself the question over HTTP. The answer is printed. With `-` for the question, the
//! service prints its address and goes on. A client that closes its connection drops the future of its request, and with it the call.

use std::error::Error;
use std::path::PathBuf;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use spyhop::{AsyncEngine, Engine, ErrorKind, Options, SearchReply, SearchRequest};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a client may choose. The whole `SearchRequest` can be read too, from the body of a POST.
#[derive(Deserialize)]
struct Asked {
    q: String,
    max_results: Option<usize>,
}

async fn search(
    State(engine): State<AsyncEngine>,
    Query(Asked { q, max_results }): Query<Asked>,
) -> Result<Json<SearchReply>, (StatusCode, Json<spyhop::Error>)> {
    let mut request = SearchRequest::new(q);
    request.max_results = max_results.unwrap_or(request.max_results);
    engine.ask(request).await.map(Json).map_err(|error| {
        let status = match error.kind() {
            ErrorKind::BadRequest => StatusCode::BAD_REQUEST,
            ErrorKind::Locked | ErrorKind::NoIndex | ErrorKind::Stale => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        (status, Json(error))
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let query = args.next().ok_or("usage: axum_service QUERY|- [FOLDER]")?;
    let folder =
        args.next().map_or_else(std::env::current_dir, |folder| PathBuf::from(folder).canonicalize())?;
    // Calls of the engine have threads of their own, so one thread serves the connections.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let engine = AsyncEngine::open(Engine::find_root(&folder), Options::default()).await?;
        engine.refresh(|_| ()).await?;
        let service = Router::new().route("/search", get(search)).with_state(engine);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let serving = tokio::spawn(async { axum::serve(listener, service).await });
        if query == "-" {
            println!("http://{address}/search?q=");
            serving.await??;
            return Ok(());
        }

        // A client of a few lines: axum has none.
        let mut connection = TcpStream::connect(address).await?;
        let escaped: String = query.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let head =
            format!("GET /search?q={escaped} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        connection.write_all(head.as_bytes()).await?;
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await?;
        println!("{answer}");
        Ok(())
    })
}
