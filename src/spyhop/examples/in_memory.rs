//! Indexes and searches files that are in no folder, such as documents of a web service.
//!
//! ```text
//! cargo run --release --example in_memory -- "where is the key resolved?"
//! ```

use std::error::Error;

use spyhop::{Engine, MemoryTree, Options, SearchRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let query = std::env::args().nth(1).unwrap_or_else(|| "where is the key resolved?".to_string());
    let tree = MemoryTree::of([
        ("src/auth.rs", "/// Resolves the key of a provider.\npub fn resolve_api_key() {}\n"),
        ("src/paint.py", "def draw_circle(radius):\n    return arc(radius)\n"),
    ])?;
    // The index is in a private folder, which is gone when the engine is dropped.
    let engine = Engine::in_memory(tree, Options::default())?;
    for hit in engine.search(&SearchRequest::new(query))?.results {
        println!("{}:{} {}", hit.path, hit.lines.first, hit.symbol.as_deref().unwrap_or("-"));
    }
    Ok(())
}
