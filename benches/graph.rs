//! Questions to the code graph on a warm index in the same process.
//!
//! Data: a generated tree of 2,000 Python files that all call one function (`hub`), of which each file also has a function
//! that only its neighbour calls (`ordinary`); and the `src/` of this repository for `impact` of a file. The trees are not
//! looked at for changes. `hub` resolves the nearest files and counts the others; `hub, 1000 rows` resolves twenty times as
//! many.

use std::fs;
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, criterion_group, criterion_main};
use spyhop::{Engine, GraphQuestion, GraphRequest, Options, StalePolicy};

const FILES: usize = 2_000;

fn engine(root: &Path, index: &Path) -> Engine {
    let options =
        |stale_policy| Options { index_dir: Some(index.join("index")), stale_policy, ..Options::default() };
    let built = Engine::open(root, options(StalePolicy::Refresh)).expect("a folder");
    built.refresh(&|_| ()).expect("an index");
    Engine::open(root, options(StalePolicy::Ignore)).expect("a folder")
}

fn generate(root: &Path) {
    fs::create_dir_all(root.join("core")).expect("a temporary folder");
    fs::write(root.join("core/pool.py"), "def take(n):\n    return n\n").expect("a temporary file");
    for number in 0..FILES {
        let folder = root.join(format!("part{}", number / 40));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let other = number ^ 1;
        let filler: String = (0..40)
            .map(|line| format!("def helper{line}_{number}(x):\n    return x.get({line})\n\n"))
            .collect();
        let text = format!(
            "from core.pool import take\nfrom part{}.user{other} import run{other}\n\ndef run{number}(x):\n    take(x)\n    \
             return run{other}(take({number}))\n\n{filler}",
            other / 40
        );
        fs::write(folder.join(format!("user{number}.py")), text).expect("a temporary file");
    }
}

fn questions(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path().join("tree");
    generate(&root);
    let generated = engine(&root, &folder.path().join("one"));
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let spyhop = engine(&repository.join("src"), &folder.path().join("two"));
    let mut group = criterion.benchmark_group("graph");
    let mut ask = |name: &str, engine: &Engine, request: GraphRequest| {
        assert!(!engine.ask(&request).expect("an answer").rows.is_empty(), "{name}");
        group
            .bench_function(name, |bench| bench.iter(|| black_box(engine.ask(&request).expect("an answer"))));
    };
    let about = |question, target: &str| GraphRequest::new(question, target);
    ask("callers of a hub", &generated, about(GraphQuestion::Callers, "take"));
    let many = GraphRequest { max_results: 1_000, ..about(GraphQuestion::Callers, "take") };
    ask("callers of a hub, 1000 rows", &generated, many);
    ask("refs of a hub", &generated, about(GraphQuestion::References, "take"));
    ask("callers, ordinary", &generated, about(GraphQuestion::Callers, "run77"));
    ask("impact of a file", &spyhop, about(GraphQuestion::Impact, "store/lock.rs"));
    group.finish();
}

criterion_group!(benches, questions);
criterion_main!(benches);
