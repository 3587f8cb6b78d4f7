//! Prints what an engine holds in memory: opened, after the first index, busy, idle, released, dropped.
//!
//! ```text
//! cargo run --release --example memory -- FOLDER "how are files skipped" "who writes the index" ...
//! ```
//!
//! Anonymous memory is what the engine allocated. Mapped memory is pages of the index and of the program, which the system takes back
//! when it needs memory. Both are read from `/proc/self/status`, which only Linux has. The index is in a private folder.

use std::error::Error;
use std::path::PathBuf;

use spyhop::{Engine, Options, SearchRequest, StalePolicy};

/// The number of threads that ask at the same time.
const THREADS: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("usage: memory FOLDER QUERY...")?).canonicalize()?;
    let queries: Vec<String> = args.collect();

    println!("{:<34} {:>10} {:>10} {:>10}", "", "anonymous", "mapped", "peak");
    print_row("no engine");
    let options = Options { index_in_memory: true, stale_policy: StalePolicy::Ignore, ..Options::default() };
    let engine = Engine::open(folder, options)?;
    print_row("opened");
    let files = engine.refresh(&|_| ())?.added;
    print_row(&format!("{files} files indexed"));
    for query in &queries {
        engine.search(&SearchRequest::new(query))?;
    }
    print_row(&format!("idle after {} searches", queries.len()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for query in &queries {
                    // A failed search holds nothing.
                    _ = engine.search(&SearchRequest::new(query));
                }
            });
        }
    });
    print_row(&format!("idle after searches on {THREADS} threads"));
    engine.release_caches();
    print_row("released");
    drop(engine);
    print_row("dropped");
    give_back();
    print_row("given back by the allocator");
    Ok(())
}

/// Lets the allocator give free memory back to the system; glibc's keeps it for later.
fn give_back() {
    // SAFETY: the function has no preconditions.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Prints the memory of this process, in MB.
fn print_row(name: &str) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        kilobytes.map_or("-".to_string(), |kilobytes| format!("{:.1}", kilobytes * 1024.0 / 1e6))
    };
    println!("{name:<34} {:>10} {:>10} {:>10}", of("RssAnon"), of("RssFile"), of("VmHWM"));
}
