//! Trees and questions of the tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use spyhop::{
    Engine, MemoryTree, Options, RefreshReport, SearchReply, SearchRequest, SkippedRequest, SourceTree,
};

/// A folder with files, and a place for an index beside it.
pub struct Tree(tempfile::TempDir);

/// Three files about three things, in two folders.
const SMALL: [(&str, &str); 3] = [
    (
        "src/auth.rs",
        "/// Resolves the secret of a provider.\npub fn resolve_api_key(provider: &str) -> String {\n    \
         format!(\"secret of {provider}\")\n}\n\npub fn open_vault() {\n    resolve_api_key(\"vault\");\n}\n",
    ),
    ("src/paint.py", "def draw_circle(radius):\n    \"\"\"Draws a circle.\"\"\"\n    return arc(radius)\n"),
    ("docs/guide.md", "# Brewing\n\nGrind the beans, then pour the water.\n"),
];

impl Tree {
    /// Three small files.
    pub fn small() -> Tree {
        let tree = Tree(tempfile::tempdir().unwrap());
        SMALL.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    }

    /// Small files, generated files of some languages, ignore files, and files that are left out.
    pub fn mixed(files: usize) -> Tree {
        let tree = Tree::small();
        let mut random = Random(3);
        for number in 0..files {
            let (path, text) = generated(number, &mut random);
            tree.write(&path, text);
        }
        tree.write(".gitignore", "ignored/\n");
        tree.write("ignored/auth.rs", "fn resolve_api_key() {}\n");
        tree.write("journal/.ignore", "*.md\n");
        tree.write("image.png", b"\x89PNG\0\0\0");
        tree.write("secret/.env", "KEY=value\n");
        tree
    }

    pub fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("tree")
    }

    pub fn beside(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn git(&self, args: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(self.root()).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args);
        for (name, value) in [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")] {
            git.env(name, value);
        }
        assert!(git.status().unwrap().success(), "{args:?}");
    }

    /// An engine of the folder.
    pub fn open(&self) -> Engine {
        let options = Options { index_dir: Some(self.beside("index")), ..Options::default() };
        Engine::open(self.root(), options).unwrap()
    }

    /// The files of the folder.
    pub fn memory(&self) -> MemoryTree {
        MemoryTree::of(files_below(&self.root())).unwrap()
    }
}

/// The files below a folder, by their paths.
fn files_below(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|name| name == ".git") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let below = path.strip_prefix(folder).unwrap().to_str().unwrap().to_string();
                files.push((below, std::fs::read(path).unwrap()));
            }
        }
    }
    files
}

pub fn in_memory(tree: impl SourceTree + 'static) -> Engine {
    Engine::in_memory(tree, Options::default()).unwrap()
}

pub fn refresh(engine: &Engine) -> RefreshReport {
    engine.refresh(&|_| ()).unwrap()
}

pub fn ask(engine: &Engine, query: &str) -> SearchReply {
    engine.search(&SearchRequest::new(query)).unwrap()
}

/// The symbol of the first hit.
pub fn first(engine: &Engine, query: &str) -> Option<String> {
    ask(engine, query).results.first().and_then(|hit| hit.symbol.clone())
}

/// Questions about a generated tree.
pub fn requests() -> Vec<SearchRequest> {
    let mut random = Random(7);
    let mut queries: Vec<String> =
        ["resolve", "resolve_api_key", "the secret of a provider", "draw circle", "merge the cache window"]
            .map(String::from)
            .into();
    for length in 1..5 {
        for _ in 0..4 {
            queries.push((0..length).map(|_| random.pick()).collect::<Vec<_>>().join(" "));
        }
    }
    queries.into_iter().map(|query| SearchRequest { max_results: 50, ..SearchRequest::new(query) }).collect()
}

/// Both engines answer every request alike, to the bit, and most requests find something.
pub fn check_alike(one: &Engine, other: &Engine, requests: &[SearchRequest], when: &str) {
    let mut found = 0;
    for request in requests {
        let (first, second) = (one.search(request).unwrap(), other.search(request).unwrap());
        found += usize::from(!first.results.is_empty());
        let said = |reply: &SearchReply| {
            let files = reply.snapshot.indexed_files;
            format!("{files} {} {:?} {:#?}", reply.total, reply.warnings, reply.results)
        };
        let (first, second) = (said(&first), said(&second));
        let differing = first.lines().zip(second.lines()).find(|(one, other)| one != other);
        assert!(first == second, "{when}: {}: {differing:?}", request.query);
    }
    assert!(found * 2 > requests.len(), "{when}: {found} of {}", requests.len());
    let skipped = |engine: &Engine| engine.ask(&SkippedRequest::default()).unwrap().entries;
    assert_eq!(skipped(one), skipped(other), "{when}");
}

/// Random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }

    fn pick(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }
}

/// What generated files are about; queries are made of the same words.
const WORDS: &[&str] = &[
    "acquire", "balance", "cache", "deliver", "expire", "filter", "gather", "handle", "invoke", "journal",
    "key", "lookup", "merge", "notify", "order", "parse", "quota", "resolve", "session", "token", "update",
    "verify", "window", "yield",
];

/// A generated file: its language by `number`, its words by `random`.
fn generated(number: usize, random: &mut Random) -> (String, String) {
    let mut text = String::new();
    let folder = random.pick();
    let name = format!("{}_{}", random.pick(), random.pick());
    for _ in 0..1 + random.below(6) {
        let (does, what, with, n) = (random.pick(), random.pick(), random.pick(), random.below(100));
        text += &match number % 3 {
            0 => format!(
                "/// Will {does} the {what} before the {with}.\npub fn {does}_{what}({with}: u32) -> u32 {{\n    {with} + {n}\n}}\n\n"
            ),
            1 => format!(
                "class {does}:\n    \"\"\"Holds a {what}.\"\"\"\n    def {what}_{with}(self):\n        return {n}\n\n"
            ),
            _ => format!("# {does} {what}\n\nHow to {does} a {what} with the {with}, {n} times.\n\n"),
        };
    }
    let extension = ["rs", "py", "md"][number % 3];
    (format!("{folder}/{name}_{number}.{extension}"), text)
}
