//! Writes what each file of the head measures, for every query of a list: `candidates TREE QUERIES.jsonl`, to standard
//! output, a JSON line a query.

use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let options = spyhop::Options { stale_policy: spyhop::StalePolicy::Ignore, ..spyhop::Options::default() };
    let engine = spyhop::Engine::open(&arguments[1], options)?;
    engine.refresh(&|_| ())?;
    let profile = match arguments.get(3) {
        Some(file) => Some(std::sync::Arc::new(spyhop::Profile::read(file.as_ref())?)),
        None => None,
    };
    let features: Vec<spyhop::Feature> = spyhop::Signal::ALL
        .iter()
        .flat_map(|signal| {
            spyhop::Transform::ALL.map(|transform| spyhop::Feature { signal: *signal, transform })
        })
        .collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let names: Vec<String> = features.iter().map(|feature| feature.to_string()).collect();
    writeln!(out, "{}", serde_json::json!({ "features": names }))?;
    for line in std::fs::read_to_string(&arguments[2])?.lines() {
        let query: serde_json::Value = serde_json::from_str(line)?;
        let text = query["query"].as_str().unwrap_or_default();
        let request = spyhop::SearchRequest { profile: profile.clone(), ..spyhop::SearchRequest::new(text) };
        let candidates = engine.candidates(&request)?;
        let files: Vec<serde_json::Value> = candidates
            .files
            .iter()
            .map(|file| {
                let x: Vec<f32> = features.iter().map(|feature| file.measure(*feature)).collect();
                serde_json::json!({ "path": file.path.as_str(), "lines": [file.lines.first, file.lines.last], "x": x })
            })
            .collect();
        writeln!(out, "{}", serde_json::json!({ "kind": candidates.kind.name(), "files": files }))?;
    }
    Ok(())
}
