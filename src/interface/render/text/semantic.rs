//! The state of vectors as text for people.

use std::fmt::Write;

use super::counts::bytes;
use crate::render::paint::{Ink, Style};
use spyhop_base::clean::line as clean;
use spyhop_engine::api::{BuildEstimate, SemanticReply};

/// What is enabled and stored, and what was done.
pub fn semantic(reply: &SemanticReply, style: &Style) -> String {
    let mut out = String::new();
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(out, "{} {value}", style.paint(Ink::Dim, &format!("{name:<11}")));
    };
    if let Some(done) = &reply.done {
        row("done", &clean(done));
    }
    match (&reply.enabled, reply.built) {
        (Some(enabled), built) => {
            row("model", &clean(&enabled.model));
            row("at", &clean(&enabled.target));
            if !built {
                row("unused", "this program is built without vectors (the feature dense-embed)");
            }
        }
        (None, true) if reply.expander.is_some() => (),
        (None, true) => row("vectors", "not enabled; 'spyhop semantic enable --help' has examples"),
        (None, false) => row(
            "vectors",
            "not in this program; 'cargo install --path program --features dense-embed' builds one with them",
        ),
    }
    if let Some(database) = &reply.database {
        row("from", &clean(&database.display().to_string()));
    }
    if let Some(qdrant) = &reply.qdrant {
        row("shared by", &clean(qdrant));
    }
    if let Some(expander) = &reply.expander {
        row("words", &clean(&format!("{} at {}", expander.model, expander.target)));
    }
    if let Some(reranker) = &reply.reranker {
        row("reranking", &clean(&format!("{} at {}", reranker.model, reranker.target)));
    }
    if let Some(estimate) = &reply.estimate {
        let (vectors, expansions) = (reply.enabled.as_ref(), reply.expander.as_ref());
        let kinds = [
            vectors.map(|_| ("vectors", reply.files_with_vectors, reply.vectors)),
            expansions.map(|_| ("expansions", reply.files_with_expansions, reply.expansions)),
        ];
        for (things, with, stored) in kinds.into_iter().flatten() {
            row("files", &format!("{with} of {} have {things}", reply.files));
            row("stored", &format!("{stored} {things}, {}", bytes(reply.bytes)));
        }
        if vectors.is_some() {
            row("to send", &to_send(estimate));
        }
    }
    for file in &reply.would_send {
        let _ = writeln!(out, "{:>9}  {}", bytes(file.bytes), clean(file.path.as_str()));
    }
    for path in &reply.never_sent {
        let _ = writeln!(out, "    never  {} (may hold secrets)", clean(path.as_str()));
    }
    out
}

fn to_send(estimate: &BuildEstimate) -> String {
    let BuildEstimate { files, bytes: size, tokens, cost, max_tokens, .. } = estimate;
    if *files == 0 {
        return "nothing".to_string();
    }
    let mut text = format!("{files} files, {}, about {tokens} tokens", bytes(*size));
    if let Some(cost) = cost {
        let _ = write!(text, ", about {cost:.2} in the currency of the price");
    }
    if let Some(most) = max_tokens {
        let _ = write!(text, "; at most {most} tokens are allowed");
    }
    text
}
