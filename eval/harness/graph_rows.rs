//! `spyhop-eval graph-rows`: every definition, use and import of a tree as the code graph has them, as JSON lines: what
//! `graph_oracle.py` compares with the references of other tools.
//!
//! A line is one of `{"def": [path, line, name, kind, container]}`, `{"use": [path, line, column, relation, path, line,
//! name, confidence, rule]}`, where the second path, the line and the name are those of the definition, and `{"import":
//! [path, line, module, [path...]]}`. Columns are bytes from 1. The index is in a temporary folder.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use serde_json::json;
use spyhop_engine::Engine;
use spyhop_engine::api::Options;

use crate::failure::Failure;

/// Write every definition, use and import of a tree as JSON lines
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The tree
    tree: PathBuf,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let index = tempfile::tempdir()?;
    let options = Options { index_dir: Some(index.path().to_path_buf()), ..Options::default() };
    let engine = Engine::open(&args.tree, options)?;
    engine.refresh(&|_| ())?;
    let mut out = BufWriter::new(std::io::stdout());
    let mut failed = Ok(());
    engine.graph_of_files(&mut |file| {
        let mut line = |value: serde_json::Value| {
            if failed.is_ok() {
                failed = writeln!(out, "{value}");
            }
        };
        for symbol in &file.symbols {
            let container = symbol.container.as_deref();
            line(
                json!({"def": [file.path, symbol.lines.first, *symbol.name, symbol.kind.name(), container]}),
            );
        }
        for (at, column, edge) in &file.uses {
            let to = (file.path_of)(edge.to.file);
            let confidence = (f64::from(edge.confidence) * 1e4).round() / 1e4;
            line(json!({"use": [file.path, at, column, edge.relation.name(), to, edge.to.lines.first,
                *edge.to.name, confidence, edge.rule.name()]}));
        }
        for (at, edge) in &file.imports {
            let files: Vec<&str> = edge.files.iter().map(|file_id| (file.path_of)(*file_id)).collect();
            line(json!({"import": [file.path, at, edge.module, files]}));
        }
    })?;
    failed?;
    out.flush()?;
    Ok(())
}
