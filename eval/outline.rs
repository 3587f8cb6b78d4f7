//! What the analysis finds in files: their outlines as the fixtures have them, as JSON lines, or their syntax trees.
//!
//! ```text
//! cargo run --release -p spyhop-eval --example outline -- FILE...           # the form of grammars/*/fixtures/*.outline
//! cargo run --release -p spyhop-eval --example outline -- --json FILE...    # a line for each symbol, for programs
//! cargo run --release -p spyhop-eval --example outline -- --tree FILE       # the parser's tree, for writing a manifest
//! ```
//!
//! `--grammars DIR` reads manifests from a folder laid out like `grammars/`, so that a manifest can be tried without
//! compiling anything; `--lang NAME` says the language instead of the file's name.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, value_parser};
use serde_json::json;
use spyhop::analyze::{Analyzer, outline};
use spyhop::grammar::Grammars;
use spyhop::path::RelPath;
use spyhop::text::LineIndex;
use tree_sitter::{Parser, TreeCursor};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let matches = clap::Command::new("outline")
        .arg(Arg::new("files").required(true).num_args(1..).value_parser(value_parser!(PathBuf)))
        .arg(Arg::new("grammars").long("grammars").value_parser(value_parser!(PathBuf)))
        .arg(Arg::new("lang").long("lang"))
        .arg(flag("json"))
        .arg(flag("tree"))
        .get_matches();
    let grammars = match matches.get_one::<PathBuf>("grammars") {
        Some(dir) => Grammars::with_overrides(dir)?,
        None => Grammars::built_in(),
    };
    let mut analyzer = Analyzer::new();
    for file in matches.get_many::<PathBuf>("files").expect("required") {
        let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
        let source = String::from_utf8_lossy(&bytes);
        let language = match matches.get_one::<String>("lang") {
            Some(name) => grammars.by_name(name)?,
            None => grammars.detect(&name_of(file)?, &source),
        };
        if matches.get_flag("tree") {
            let parser = grammars.parser(language).ok_or("no parser reads this file")?;
            print_tree(&parser, &source)?;
            continue;
        }
        let analysis = analyzer.analyze(&grammars, language, &source);
        if !matches.get_flag("json") {
            print!("{}", outline(&analysis, &source));
            continue;
        }
        let lines = LineIndex::new(&source);
        for symbol in &analysis.symbols {
            let row = json!({
                "path": file.to_string_lossy(),
                "language": grammars.name(language),
                "name": symbol.name,
                "kind": symbol.kind.name(),
                "container": symbol.container,
                "line": symbol.lines.first,
                "end_line": symbol.lines.last,
                "lead_line": lines.line_of(symbol.span.start),
                "notes": analysis.notes.iter().map(|note| format!("{note:?}")).collect::<Vec<_>>(),
            });
            println!("{row}");
        }
    }
    Ok(())
}

fn name_of(file: &Path) -> Result<RelPath> {
    let name = file.file_name().and_then(|name| name.to_str()).ok_or("a file name is no UTF-8")?;
    Ok(RelPath::new(name)?)
}

/// Prints named nodes, one a line, with their fields and the text of leaves.
fn print_tree(language: &tree_sitter::Language, source: &str) -> Result<()> {
    let mut parser = Parser::new();
    parser.set_language(language)?;
    let tree = parser.parse(source, None).ok_or("the parser gave up")?;
    let mut cursor = tree.walk();
    loop {
        print_node(&cursor, source);
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(());
            }
        }
    }
}

fn print_node(cursor: &TreeCursor<'_>, source: &str) {
    let node = cursor.node();
    let pad = "  ".repeat(cursor.depth() as usize);
    let field = cursor.field_name().map_or(String::new(), |field| format!("{field}: "));
    let line = node.start_position().row + 1;
    if node.is_named() || node.is_missing() {
        let text = if node.named_child_count() == 0 { &source[node.byte_range()] } else { "" };
        let missing = if node.is_missing() { "MISSING " } else { "" };
        println!("{line:>5} {pad}{field}({missing}{}) {:.60?}", node.kind(), text);
    } else {
        println!("{line:>5} {pad}{field}{:?}", node.kind());
    }
}
