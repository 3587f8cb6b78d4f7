//! An exact search on a warm index in the same process, whole and by stage.
//!
//! Data: 2,000 made-up files (`generated`), and the tree that the environment variable `SPYHOP_BENCH_TREE` names, if it
//! is set; each is first indexed into a new folder. The tree is not looked at for changes. Patterns are of the
//! kinds that cost differently: a name, a name that nothing is called, a part of names, a regular expression, a
//! choice, a word that stands in most files, and two characters that no index helps with.
//!
//! `plan` is what of each pattern a file must hold, all in turn; `narrow` looks these plans up in the index, all in turn;
//! `whole` is an answer with the first fifty lines and the counts over everything, by pattern. `brute` is the first pattern
//! with every file read, the most that narrowing can save. How many lines and files each pattern has is printed first.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use criterion::{Criterion, criterion_group, criterion_main};
use spyhop::Engine;
use spyhop::ExtraTerms;
use spyhop_engine::api::{GrepReply, GrepRequest, Options, StalePolicy};
use spyhop_files::git;
use spyhop_grep::{Effort, NarrowPlan, Wanted};
use spyhop_index::workspace::{self, Committed, Workspace};
use spyhop_syntax::grammar::Grammars;

mod generated;

const FILES: usize = 2_000;

const PATTERNS: [&str; 7] =
    ["read_file", "zzqx_nothing", "ax_siz", "parse_\\w+\\(", "read_file|max_size", "return", "->"];

/// A tree, its engine and the opened index beneath it.
struct Bed {
    engine: Engine,
    committed: Committed,
    n_files: usize,
    _index: tempfile::TempDir,
}

impl Bed {
    fn new(root: &Path) -> Bed {
        let index = tempfile::tempdir().expect("a temporary folder");
        let index_dir = Some(index.path().to_path_buf());
        let options = Options { index_dir, stale_policy: StalePolicy::Ignore, ..Options::default() };
        let engine = Engine::open(root, options).expect("the tree is there");
        engine.refresh(&|_| ()).expect("it can be indexed");
        let root = engine.root().to_path_buf();
        let owner = git::discover(&root).map_or_else(|| root.clone(), |repo| repo.common_dir());
        let dir = engine.index_dir().to_path_buf();
        let workspace = Workspace::new(
            root,
            owner,
            dir,
            workspace::fingerprint(&Grammars::built_in(), &ExtraTerms::default()),
        );
        let committed = workspace.open().expect("it was just made");
        let n_files = committed.meta.views().map(|(_, info)| info.files as usize).sum();
        Bed { engine, committed, n_files, _index: index }
    }

    fn ask(&self, request: &GrepRequest) -> GrepReply {
        self.engine.ask(request).expect("the patterns are good")
    }

    /// Documents that speak for files that may match; those of a plan that does not narrow are none.
    fn narrow(&self, plan: &NarrowPlan) -> usize {
        let narrowed = spyhop_grep::narrow(&self.committed.reader, plan, self.n_files, Effort::Worthwhile);
        let narrowed = narrowed.expect("the index is whole");
        narrowed.map_or(0, |narrowed| narrowed.0.iter().map(Vec::len).sum())
    }
}

fn stages(criterion: &mut Criterion, name: &str, bed: &Bed) {
    for pattern in PATTERNS {
        let reply = bed.ask(&GrepRequest::new(pattern));
        let brute = bed.ask(&GrepRequest { brute: true, ..GrepRequest::new(pattern) });
        assert_eq!((reply.total_lines, reply.total_files), (brute.total_lines, brute.total_files));
        println!("{name}: {pattern}: {} lines in {} files", reply.total_lines, reply.total_files);
    }
    let wanted = PATTERNS.map(Wanted::new);
    let plans: Vec<NarrowPlan> = wanted.iter().map(NarrowPlan::new).collect();
    let mut group = criterion.benchmark_group(format!("grep/{name}"));
    group.bench_function("plan", |bencher| {
        bencher.iter(|| wanted.iter().map(|wanted| NarrowPlan::new(black_box(wanted))).collect::<Vec<_>>());
    });
    group.bench_function("narrow", |bencher| {
        bencher.iter(|| plans.iter().map(|plan| bed.narrow(black_box(plan))).sum::<usize>());
    });
    for pattern in PATTERNS {
        let request = GrepRequest::new(pattern);
        group.bench_function(format!("whole/{pattern}"), |bencher| {
            bencher.iter(|| bed.ask(black_box(&request)).total_lines);
        });
    }
    let brute = GrepRequest { brute: true, ..GrepRequest::new(PATTERNS[0]) };
    group.bench_function(format!("brute/{}", PATTERNS[0]), |bencher| {
        bencher.iter(|| bed.ask(black_box(&brute)).total_lines);
    });
    group.finish();
}

fn bench(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    generated::tree(folder.path(), FILES);
    stages(criterion, "generated", &Bed::new(folder.path()));
    if let Some(tree) = std::env::var_os("SPYHOP_BENCH_TREE").map(PathBuf::from) {
        let name = tree.file_name().map_or("root".into(), |name| name.to_string_lossy());
        stages(criterion, &name, &Bed::new(&tree));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = bench
}
criterion_main!(benches);
