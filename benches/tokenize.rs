//! Text to terms, MB/s on one thread.
//!
//! Data: the sources of this repository under `src/`, joined in order of path, so the text is real code and grows with the
//! crate; compare runs at one commit. Three lanes isolate what the time goes into: `words` only finds the words;
//! `cold` begins with an empty word cache, so each distinct word is cut and stemmed once, as for the first files of
//! an index; `warm` has met every word before, as for all files after that. `warm-distinct` also collects the words
//! as written, which is what indexing asks for.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use spyhop_files::walk::{self, WalkOptions};
use spyhop_index::tokenize::{TermList, Tokenizer, for_each_word};

fn sources() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let walked = walk::walk(&root, &WalkOptions::default()).expect("the sources are there");
    let files = walked.candidates.iter().map(|candidate| candidate.path.below(&root));
    files.map(|path| fs::read_to_string(path).expect("sources are text")).collect()
}

fn tokenize(criterion: &mut Criterion) {
    let text = sources();
    let mut group = criterion.benchmark_group("tokenize");
    group.throughput(Throughput::Bytes(text.len() as u64));

    group.bench_function("words", |bencher| {
        bencher.iter(|| {
            let mut bytes = 0;
            for_each_word(black_box(&text), |word| bytes += word.len());
            bytes
        });
    });
    group.bench_function("cold", |bencher| {
        bencher.iter_batched_ref(
            || (Tokenizer::new(), TermList::default()),
            |(tokenizer, terms)| tokenizer.terms(black_box(&text), terms),
            BatchSize::LargeInput,
        );
    });
    let (mut tokenizer, mut terms, mut distinct) =
        (Tokenizer::new(), TermList::default(), TermList::default());
    group.bench_function("warm", |bencher| {
        bencher.iter(|| {
            terms.clear();
            tokenizer.terms(black_box(&text), &mut terms);
            terms.count
        });
    });
    group.bench_function("warm-distinct", |bencher| {
        bencher.iter(|| {
            terms.clear();
            distinct.clear();
            tokenizer.terms_and_words(black_box(&text), &mut terms, &mut distinct);
            (terms.count, distinct.count)
        });
    });
    group.finish();
}

criterion_group!(benches, tokenize);
criterion_main!(benches);
