//! Asks one question of a folder: open, search, print.
//!
//! ```text
//! cargo run --release --example ask -- "where are lines counted?" [FOLDER]
//! ```
//!
//! The first question indexes the folder, the next ones look at what changed. It prints for itself instead of using
//! `spyhop_interface::render`, to show what is in a reply.

use std::error::Error;
use std::path::PathBuf;

use spyhop::{Engine, Options, SearchRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let query = args.next().ok_or("usage: ask QUERY [FOLDER]")?;
    let folder =
        args.next().map_or_else(std::env::current_dir, |folder| PathBuf::from(folder).canonicalize())?;

    let engine = Engine::open(Engine::find_root(&folder), Options::default())?;
    let mut request = SearchRequest::new(query);
    request.max_results = 5;
    let reply = engine.search(&request)?;

    for hit in &reply.results {
        println!(
            "{}:{} {} {:.2}",
            hit.path,
            hit.lines.first,
            hit.symbol.as_deref().unwrap_or("-"),
            hit.score
        );
        for reason in &hit.reasons {
            println!("    {:+.3} {}", reason.contribution, reason.text);
        }
    }
    println!("{} of {} hits, generation {}", reply.results.len(), reply.total, reply.snapshot.generation);
    Ok(())
}
