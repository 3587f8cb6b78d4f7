//! Text to chunks, symbols and references, MB/s on one thread for each language.
//!
//! Data: the fixtures `basic` and `edge` of each language's folder, each analysed as the small file that it is; what
//! a file costs by itself is in the figures. They are dense with items, so they give more symbols a byte than real
//! trees do: the figures compare commits, and `eval/bench.py` tells about trees. Reading and tokenizing are not in
//! it; parsing is, and is most of it. `text` takes all these files as if they had no grammar, which leaves windows of
//! lines and nothing of tree-sitter.

use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use spyhop_base::id::LanguageId;
use spyhop_syntax::analyze::Analyzer;
use spyhop_syntax::grammar::Grammars;

/// The fixtures of a language that parse without errors, in order of name.
fn fixtures(language: &str) -> Vec<String> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/syntax/grammars").join(language).join("fixtures");
    let entries = fs::read_dir(folder).expect("each language has fixtures");
    let wanted = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or_default();
        (stem == "basic" || stem == "edge") && path.extension().is_some_and(|it| it != "outline")
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(wanted).collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).expect("fixtures are text")).collect()
}

fn analyze(criterion: &mut Criterion) {
    let grammars = Grammars::built_in();
    let mut rows: Vec<(String, LanguageId, Vec<String>)> =
        grammars.list().into_iter().map(|row| (row.name.clone(), row.id, fixtures(&row.name))).collect();
    let all = rows.iter().flat_map(|(.., texts)| texts.clone()).collect();
    rows.push(("text".into(), LanguageId::TEXT, all));

    let mut analyzer = Analyzer::new();
    let mut group = criterion.benchmark_group("analyze");
    for (name, language, texts) in rows {
        group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
        group.bench_function(&name, |bencher| {
            bencher.iter(|| {
                for text in &texts {
                    black_box(analyzer.analyze(&grammars, language, black_box(text)));
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, analyze);
criterion_main!(benches);
