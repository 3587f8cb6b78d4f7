//! `spyhop-eval outline`: what the analysis finds in files: their outlines as the fixtures have them, as JSON lines, or their
//! syntax trees.

use std::path::{Path, PathBuf};

use serde_json::json;
use spyhop_base::path::RelPath;
use spyhop_base::text::LineIndex;
use spyhop_syntax::analyze::{Analyzer, outline};
use spyhop_syntax::grammar::Grammars;
use tree_sitter::{Parser, TreeCursor};

use crate::failure::Failure;

/// Print the outlines of files in the form of grammars/*/fixtures/*.outline
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A folder laid out like grammars/, so that a manifest can be tried without compiling anything
    #[arg(long, value_name = "DIR")]
    grammars: Option<PathBuf>,
    /// The language, instead of that by the name of the file
    #[arg(long)]
    lang: Option<String>,
    /// A line of JSON for each symbol
    #[arg(long)]
    json: bool,
    /// The syntax tree, for writing a manifest
    #[arg(long)]
    tree: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<(), Failure> {
    let grammars = match &args.grammars {
        Some(dir) => Grammars::with_overrides(dir).map_err(asked)?,
        None => Grammars::built_in(),
    };
    let mut analyzer = Analyzer::new();
    for file in &args.files {
        let bytes =
            std::fs::read(file).map_err(|error| Failure::Asked(format!("{}: {error}", file.display())))?;
        let source = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes));
        let language = match &args.lang {
            Some(name) => grammars.by_name(name).map_err(asked)?,
            None => grammars.detect(&name_of(file)?, &source),
        };
        if args.tree {
            let parser = grammars.parser(language).ok_or_else(|| asked("no parser reads this file"))?;
            print_tree(&parser, &source)?;
            continue;
        }
        let analysis = analyzer.analyze(&grammars, language, &source);
        if !args.json {
            print!("{}", outline(&analysis, &source));
            continue;
        }
        let lines = LineIndex::new(&source);
        for symbol in analysis.symbols.iter().chain(&analysis.minor) {
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

fn asked(problem: impl ToString) -> Failure {
    Failure::Asked(problem.to_string())
}

fn name_of(file: &Path) -> Result<RelPath, Failure> {
    let name = file.file_name().and_then(|name| name.to_str());
    RelPath::new(name.ok_or_else(|| asked(format!("the name of {} is not UTF-8", file.display())))?)
        .map_err(asked)
}

/// Prints named nodes, one a line, with their fields and the text of leaves.
fn print_tree(language: &tree_sitter::Language, source: &str) -> Result<(), Failure> {
    let mut parser = Parser::new();
    parser.set_language(language).map_err(asked)?;
    let tree = parser.parse(source, None).ok_or_else(|| asked("the parser gave up"))?;
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
