//! The same tree gives the same answers: however many threads indexed it, and whatever it was before.

use spyhop_engine::Engine;
use spyhop_engine::api::{Mode, Options, SearchRequest, StalePolicy};
use spyhop_search::filter::FilterSpec;

use super::{Random, Tree, WORDS, copy_into, data, exact, generated, options, refresh, rendered};
use crate::support::repository;

/// Questions about a generated tree and about this crate, with and without filters.
pub fn requests() -> Vec<SearchRequest> {
    let mut random = Random(7);
    let mut queries: Vec<String> = [
        "how is the lock taken",
        "resolve",
        "acquire_quota",
        "where are records written and synced",
        "reciprocal rank fusion",
        "pub fn merge",
        "Engine::open",
        "verify the token before the session",
        "ignore files of git",
        "fn",
        "notify_order",
        "// journal and key",
    ]
    .map(String::from)
    .into();
    for length in 1..5 {
        for _ in 0..5 {
            queries.push((0..length).map(|_| random.pick(WORDS)).collect::<Vec<_>>().join(" "));
        }
    }
    let mut requests: Vec<SearchRequest> = queries
        .into_iter()
        .map(|query| SearchRequest { max_results: 50, ..SearchRequest::new(query) })
        .collect();
    let filtered = [
        FilterSpec { lang: vec!["rust".into()], ..FilterSpec::default() },
        FilterSpec { path_globs: vec!["*.py".into()], ..FilterSpec::default() },
        FilterSpec { kind: vec!["fn".parse().unwrap()], ..FilterSpec::default() },
        FilterSpec { exclude: vec!["merge|cache".into()], ..FilterSpec::default() },
    ];
    for filter in filtered {
        requests.push(SearchRequest {
            filter,
            mode: Mode::Debug,
            ..SearchRequest::new("merge the cache window")
        });
    }
    requests
}

/// Options under which a search does not look at the tree again.
pub fn as_indexed(tree: &Tree) -> Options {
    Options { stale_policy: StalePolicy::Ignore, ..options(tree) }
}

/// Both engines answer every request alike, and most requests find something.
pub fn check_alike(one: &Engine, other: &Engine, requests: &[SearchRequest], when: &str) {
    let mut found = 0;
    for request in requests {
        let (first, second) = (one.search(request).unwrap(), other.search(request).unwrap());
        assert_eq!(first.snapshot.indexed_files, second.snapshot.indexed_files, "{when}");
        assert_eq!(rendered(&first), rendered(&second), "{when}: {}", request.query);
        assert_eq!(exact(&first), exact(&second), "{when}: {}", request.query);
        found += usize::from(!first.results.is_empty());
    }
    assert!(found * 2 > requests.len(), "{when}: {found} of {}", requests.len());
    let what_is_there = |engine: &Engine| {
        let status = engine.status().unwrap();
        let counts = (status.files, status.chunks, status.symbols, status.source_bytes);
        (counts, status.languages, status.notes, engine.skipped().unwrap().entries)
    };
    assert_eq!(what_is_there(one), what_is_there(other), "{when}");
}

#[test]
fn threads_do_not_change_an_answer() {
    let tree = Tree::new("");
    let mut random = Random(1);
    for number in 0..240 {
        let (path, text) = generated(number, &mut random);
        tree.write(&path, text);
    }
    copy_into(&tree, &repository("src"), "own");
    let with = |threads: usize| {
        let index_dir = tree.index_dir().join(threads.to_string());
        let options = Options { index_dir: Some(index_dir), threads: Some(threads), ..as_indexed(&tree) };
        let engine = Engine::open(tree.root(), options).unwrap();
        let report = refresh(&engine);
        assert!(report.parsed > 280, "{report:?}");
        engine
    };
    let (one, four) = (with(1), with(4));
    let segments = |engine: &Engine| {
        let names = std::fs::read_dir(data(engine.index_dir()).join("tantivy")).unwrap();
        names
            .filter(|name| name.as_ref().unwrap().path().extension().is_some_and(|ext| ext == "term"))
            .count()
    };
    // What the threads flush and what is merged afterwards depends on the sizes of the files.
    assert!(segments(&four) > 1, "{} and {}", segments(&one), segments(&four));
    check_alike(&one, &four, &requests(), "threads");
}

/// A tree that changes at random.
struct Changing {
    tree: Tree,
    files: Vec<String>,
    random: Random,
    next: usize,
}

impl Changing {
    fn add(&mut self) {
        let (path, text) = generated(self.next, &mut self.random);
        self.next += 1;
        self.tree.write(&path, text);
        self.files.push(path);
    }

    fn any(&mut self) -> usize {
        self.random.below(self.files.len())
    }

    /// One change; its name.
    fn change(&mut self) -> &'static str {
        match self.random.below(12) {
            0..=2 => {
                let (file, number) = (self.any(), self.random.below(4));
                let (_, text) = generated(number, &mut self.random);
                self.tree.write(&self.files[file], text);
                "edit"
            }
            3 | 4 => {
                self.add();
                "add"
            }
            5 => {
                let file = self.any();
                std::fs::remove_file(self.tree.root().join(self.files.swap_remove(file))).unwrap();
                "delete"
            }
            6 => {
                let file = self.any();
                let extension = self.files[file].rsplit_once('.').unwrap().1.to_string();
                let to = format!("{}/renamed_{}.{extension}", self.random.pick(WORDS), self.next);
                self.next += 1;
                let from = std::mem::replace(&mut self.files[file], to.clone());
                std::fs::create_dir_all(self.tree.root().join(&to).parent().unwrap()).unwrap();
                std::fs::rename(self.tree.root().join(from), self.tree.root().join(to)).unwrap();
                "rename"
            }
            7 => {
                let (one, other) = (self.any(), self.any());
                let text = std::fs::read(self.tree.root().join(&self.files[one])).unwrap();
                self.tree.write(&self.files[other], text);
                "copy over another"
            }
            8 => {
                let rules = format!("{}/\n*{}*\n", self.random.pick(WORDS), self.random.pick(WORDS));
                let name = self.random.pick(&[".gitignore", ".ignore", "merge/.gitignore"]);
                self.tree.write(name, rules);
                "ignore"
            }
            9 => {
                for name in [".gitignore", ".ignore", "merge/.gitignore"] {
                    let _ = std::fs::remove_file(self.tree.root().join(name));
                }
                "ignore nothing"
            }
            10 => {
                let file = self.any();
                let odd: &[u8] = match self.random.below(5) {
                    0 => b"",
                    1 => b"\0\x01\x02binary",
                    2 => b"fn caf\xe9_quota() {} // latin one\n",
                    3 => b"// @generated by a tool\nfn resolve_token() {}\n",
                    _ => &b"let quota = session_token; ".repeat(400),
                };
                self.tree.write(&self.files[file], odd);
                "odd content"
            }
            _ => {
                let file = self.any();
                let path = self.tree.root().join(&self.files[file]);
                let text = std::fs::read(&path).unwrap();
                std::fs::remove_file(&path).unwrap();
                let inner = format!("{}/inside.py", self.files[file]);
                self.tree.write(&inner, text);
                self.files[file] = inner;
                "folder in place of a file"
            }
        }
    }
}

#[test]
fn a_refreshed_index_answers_as_a_fresh_one() {
    let mut changing = Changing { tree: Tree::new(""), files: Vec::new(), random: Random(3), next: 0 };
    (0..60).for_each(|_| changing.add());
    // Small enough that some files are too big.
    let with = |tree: &Tree, name: &str| {
        let index_dir = tree.index_dir().join(name);
        let options = Options { index_dir: Some(index_dir), max_file_bytes: 6000, ..as_indexed(tree) };
        Engine::open(tree.root(), options).unwrap()
    };
    let refreshed = with(&changing.tree, "refreshed");
    refresh(&refreshed);
    let requests = requests();
    let mut changes = Vec::new();
    for step in 0..14 {
        changes.clear();
        (0..1 + changing.random.below(4)).for_each(|_| changes.push(changing.change()));
        refresh(&refreshed);
        let fresh = with(&changing.tree, &format!("fresh{step}"));
        refresh(&fresh);
        check_alike(&refreshed, &fresh, &requests[..20], &format!("step {step}, {changes:?}"));
        std::fs::remove_dir_all(fresh.index_dir()).unwrap();
    }
    let generation = refreshed.status().unwrap().generation.unwrap();
    assert!(generation.0 > 10, "{generation:?}");
}
