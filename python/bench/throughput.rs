//! Asks the questions in a file, a line each, on several threads, and prints the seconds that this took.
//!
//! ```text
//! cargo run --manifest-path python/Cargo.toml --release --example throughput -- FOLDER INDEX_FOLDER QUESTIONS.txt [THREADS]
//! ```
//!
//! `bench/batch.py` compares the Python package with this program. The index is updated and a hundred questions
//! are asked before the clock starts. Whole replies are kept, as a caller of a batch would.

use std::error::Error;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use spyhop::{ActivitySource, Call, Engine, Options, SearchReply, SearchRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, index, questions, rest @ ..] = &args[..] else {
        return Err("usage: throughput FOLDER INDEX_FOLDER QUESTIONS.txt [THREADS]".into());
    };
    let threads = match rest.first() {
        Some(threads) => threads.parse()?,
        None => std::thread::available_parallelism()?.get(),
    };
    let questions = std::fs::read_to_string(questions)?;
    let questions: Vec<&str> = questions.lines().collect();
    let options =
        Options { index_dir: Some(std::path::absolute(PathBuf::from(index))?), ..Options::default() };
    let engine = Engine::open(folder, options)?;
    engine.refresh(&|_| ())?;
    let engine = engine.with_policy(engine.policy().last_commit());

    asked(&engine, &questions[..questions.len().min(100)], threads)?;
    let begun = Instant::now();
    let replies = asked(&engine, &questions, threads)?;
    let seconds = begun.elapsed().as_secs_f64();
    let hits: usize = replies.iter().map(|reply| reply.results.len()).sum();
    println!("{seconds:.3} s for {} questions with {hits} hits on {threads} threads", replies.len());
    Ok(())
}

/// The replies to all questions, in any order.
fn asked(engine: &Engine, questions: &[&str], threads: usize) -> Result<Vec<SearchReply>, spyhop::Error> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut replies = Vec::new();
        while let Some(question) = questions.get(next.fetch_add(1, Relaxed)) {
            let mut request = SearchRequest::new(*question);
            request.notes = false;
            replies.push(engine.call(&request, &Call::default().with_session(ActivitySource::Ignored))?);
        }
        Ok(replies)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut replies = Vec::new();
        for thread in threads {
            let own: Result<Vec<SearchReply>, spyhop::Error> =
                thread.join().expect("a search does not panic");
            replies.extend(own?);
        }
        Ok(replies)
    })
}
