//! Adds a signal to the ranking: files that an owner marked as current rank higher.
//!
//! ```text
//! cargo run --release --example own_signal -- "resolve_api_key" 2.0
//! ```

use std::error::Error;
use std::sync::Arc;

use spyhop::{
    Engine, HostSignal, MemoryTree, Options, Profile, SearchRequest, SignalInput, SignalValue, Transform,
};

/// Prefers the files of a list.
struct Current(Vec<String>);

impl HostSignal for Current {
    fn name(&self) -> &str {
        "current"
    }

    fn measure(&self, input: &SignalInput<'_>) -> Option<SignalValue> {
        let is_current = self.0.iter().any(|path| path == input.path);
        is_current.then(|| SignalValue::new(1.0, "marked as current by its owner"))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let query = args.next().unwrap_or_else(|| "resolve_api_key".to_string());
    let weight: f32 = args.next().map_or(Ok(2.0), |weight| weight.parse())?;

    let text = "pub fn resolve_api_key() {}\n";
    let tree = MemoryTree::of([("draft/key.rs", text), ("release/key.rs", text)])?;
    let signal: Arc<dyn HostSignal> = Arc::new(Current(vec!["release/key.rs".to_string()]));
    let engine = Engine::in_memory(tree, Options { signals: vec![signal].into(), ..Options::default() })?;

    // The built-in profile does not know the signal. A profile file has its weight under [own.current].
    let mut profile = Profile::built_in().clone();
    profile.set_own_weight("current", None, Transform::Value, weight);
    let request = SearchRequest { profile: Some(Arc::new(profile)), ..SearchRequest::new(query) };
    for hit in engine.search(&request)?.results {
        println!("{} {:.2}", hit.path, hit.score);
        for reason in hit.reasons.iter().filter(|reason| reason.text.starts_with("current: ")) {
            println!("  {:+.2} {}", reason.contribution, reason.text);
        }
    }
    Ok(())
}
