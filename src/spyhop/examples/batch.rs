//! Asks several questions at once: many threads, one engine.
//!
//! ```text
//! cargo run --release --example batch -- "how are files skipped" "who writes the index" ...
//! ```
//!
//! An engine is shared by reference; it takes no lock that a search would wait for. The index is refreshed once, and
//! the searches are told not to look again, so that each costs only itself.

use std::error::Error;
use std::time::Instant;

use spyhop::{Engine, Options, SearchRequest, StalePolicy};

fn main() -> Result<(), Box<dyn Error>> {
    let queries: Vec<String> = std::env::args().skip(1).collect();
    let root = Engine::find_root(&std::env::current_dir()?);
    let engine = Engine::open(root, Options { stale_policy: StalePolicy::Ignore, ..Options::default() })?;
    engine.refresh(&|_| ())?;

    // Each thread returns its line, so that lines come in the order of the questions.
    let lines: Vec<String> = std::thread::scope(|scope| {
        let asked: Vec<_> = queries.iter().map(|query| scope.spawn(|| ask(&engine, query))).collect();
        asked.into_iter().map(|thread| thread.join().expect("a search does not panic")).collect()
    });
    lines.iter().for_each(|line| println!("{line}"));
    Ok(())
}

fn ask(engine: &Engine, query: &str) -> String {
    let begun = Instant::now();
    match engine.search(&SearchRequest::new(query)) {
        Ok(reply) => match reply.results.first() {
            Some(hit) => format!("{query}: {}:{} in {:.1?}", hit.path, hit.lines.first, begun.elapsed()),
            None => format!("{query}: nothing found"),
        },
        Err(error) => format!("{query}: {error} ({:?})", error.kind()),
    }
}
