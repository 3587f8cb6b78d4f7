//! Questions that a tree itself answers: the names that it defines once, each answered by the file that defines it.
//!
//! Sets ask for names that files are called after; people also ask for the others.

use std::collections::HashMap;

use spyhop::{Engine, MapRequest};

use crate::failure::Failure;
use crate::sets::{Query, Target};

/// The name of these questions, as a set and as a kind.
pub const DEFINITIONS: &str = "definitions";

/// Shorter names are words of many meanings.
const MIN_LETTERS: usize = 5;

/// As many rows as a map may have.
const MAX_ROWS: usize = 5_000;

/// `n` names of a tree, chosen by the seed.
pub fn questions(engine: &Engine, n: usize, seed: u64) -> Result<Vec<Query>, Failure> {
    let map = engine.ask(&MapRequest { max_items: MAX_ROWS, depth: 100, ..MapRequest::default() })?;
    let symbols = map.entries.iter().flat_map(|entry| &entry.symbols);
    let named = symbols.map(|symbol| (symbol.name.rsplit('.').next().unwrap_or(&symbol.name), &symbol.path));
    let mut files: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, path) in named.filter(|(name, _)| is_name(name)) {
        files.entry(name).or_default().push(path.as_str());
    }
    let mut once: Vec<(&str, &str)> = files
        .into_iter()
        .filter(|(_, paths)| paths.len() == 1)
        .map(|(name, paths)| (name, paths[0]))
        .collect();
    once.sort_unstable();
    fastrand::Rng::with_seed(seed).shuffle(&mut once);
    let question = |(name, path): (&str, &str)| {
        let target = Target::new(path, None, 1).map_err(Failure::Asked)?;
        let (text, id) = (name.to_string(), format!("{DEFINITIONS}-{name}"));
        Ok(Query {
            id,
            kind: DEFINITIONS.to_string(),
            text,
            places: vec![target.clone()],
            targets: vec![target],
        })
    };
    once.into_iter().take(n).map(question).collect()
}

fn is_name(name: &str) -> bool {
    name.len() >= MIN_LETTERS && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
