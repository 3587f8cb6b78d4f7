//! Prints what the library reads from papers and documents: a line of JSON for each file.
//!
//! `cargo run --release -p spyhop-eval --example documents -- FILE ...`. With `--text`, prints the whole text instead.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use spyhop::document::{DocumentForm, extract};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_text = arguments.iter().any(|argument| argument == "--text");
    arguments.retain(|argument| argument != "--text");
    // A page that cannot be read is empty; the message of its reader would hide the output.
    std::panic::set_hook(Box::new(|_| ()));
    for argument in arguments {
        let path = Path::new(&argument);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                eprintln!("cannot read {argument}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let begun = std::time::Instant::now();
        let Some(form) = DocumentForm::of(&name, &bytes) else {
            println!("{}", json!({ "file": argument, "error": "no document" }));
            continue;
        };
        match extract(form, &bytes) {
            Ok(document) if is_text => println!("{}", document.to_markdown(&name)),
            Ok(document) => println!(
                "{}",
                json!({
                    "file": argument,
                    "form": form.name(),
                    "title": document.title,
                    "authors": document.authors,
                    "year": document.year,
                    "doi": document.doi,
                    "arxiv": document.arxiv,
                    "abstract": document.abstract_text,
                    "pages": document.page_count,
                    "headings": document.outline.len(),
                    "letters": document.pages.iter().map(String::len).sum::<usize>(),
                    "is_paper": document.is_paper(),
                    "milliseconds": begun.elapsed().as_millis() as u64,
                })
            ),
            Err(error) => println!("{}", json!({ "file": argument, "error": error.to_string() })),
        }
    }
    ExitCode::SUCCESS
}
