//! Searches a folder together with the unsaved buffers of an editor.
//!
//! ```text
//! cargo run --release --example live_buffer -- FOLDER FILE "pub fn typed_just_now() {}" typed_just_now
//! ```
//!
//! The buffer is a layer over the files of the folder. Nothing is written to the folder.

use std::error::Error;

use spyhop::{Change, Engine, FolderTree, Options, SearchRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let [folder, file, buffer, query] = std::env::args()
        .skip(1)
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| "usage: live_buffer FOLDER FILE BUFFER QUERY")?;
    let engine = Engine::in_memory(FolderTree::open(folder)?, Options::default())?;
    let ask = |when: &str| -> Result<(), Box<dyn Error>> {
        let reply = engine.search(&SearchRequest::new(query.as_str()))?;
        let best = reply.results.first().map_or("nothing", |hit| hit.path.as_str());
        println!("{when}: {best}");
        Ok(())
    };
    ask("as saved")?;
    engine.apply([Change::write(file.as_str(), buffer)])?;
    ask("with the buffer")?;
    engine.apply([Change::restore(file.as_str())])?;
    ask("after the buffer is closed")
}
