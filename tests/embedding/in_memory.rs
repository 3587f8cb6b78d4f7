//! Engines of sources that are not folders: they answer like an engine of a folder with the same files, also while a host
//! changes the files, and leave nothing behind.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::SystemTime;

use spyhop::{
    Change, ContentId, Engine, ErrorKind, ExplainSkipsRequest, FilesRequest, FolderTree, GraphQuestion,
    GraphRequest, GrepRequest, MapRequest, MemoryTree, Options, ReadReply, ReadRequest, RelPath,
    RevisionTree, SearchRequest, SkippedRequest, SourceEntry, SourceTree, SymbolsRequest, ZipTree,
};

use crate::support::{Tree, ask, check_alike, first, in_memory, refresh, requests};

/// What the operations other than search answer, as text.
fn other_answers(engine: &Engine) -> Vec<String> {
    let grep = engine.ask(&GrepRequest::new("merge")).unwrap();
    let files = engine.ask(&FilesRequest::new("journal")).unwrap();
    let symbols = engine.ask(&SymbolsRequest::new("merge")).unwrap();
    let map = engine.ask(&MapRequest::default()).unwrap();
    let callers = engine.ask(&GraphRequest::new(GraphQuestion::Callers, "resolve_api_key")).unwrap();
    let read =
        engine.ask(&ReadRequest { path: Some(RelPath::new("src/auth.rs").unwrap()), ..Default::default() });
    let ReadReply::Text(read) = read.unwrap() else { panic!("one file has one text") };
    assert!(grep.lines.len() > 20 && !files.files.is_empty() && !symbols.symbols.is_empty());
    vec![
        format!("{:?}", grep.lines),
        format!("{:?}", files.files),
        format!("{:?}", symbols.symbols),
        format!("{:?}", map.entries),
        format!("{:?}", (callers.definitions, callers.rows)),
        format!("{:?}", read.text),
    ]
}

#[test]
fn every_kind_of_source_answers_like_a_folder() {
    let tree = Tree::mixed(60);
    let (folder, memory) = (tree.open(), in_memory(tree.memory()));
    check_alike(&folder, &memory, &requests(), "in memory");
    assert_eq!(other_answers(&folder), other_answers(&memory));
    let of_folder = in_memory(FolderTree::open(tree.root()).unwrap());
    check_alike(&memory, &of_folder, &requests(), "folder");
    assert_eq!(other_answers(&memory), other_answers(&of_folder));

    tree.git(&["init", "-q", "-b", "main"]);
    tree.git(&["add", "-A", "-f"]);
    tree.git(&["commit", "-q", "-m", "all"]);
    tree.git(&["archive", "--format=zip", "-o", "../all.zip", "HEAD"]);
    let zip = in_memory(ZipTree::open(tree.beside("all.zip")).unwrap());
    check_alike(&memory, &zip, &requests(), "zip");
    assert_eq!(other_answers(&memory), other_answers(&zip));

    let revision = in_memory(RevisionTree::open(tree.root(), "main").unwrap());
    tree.write("src/auth.rs", "fn changed_in_the_worktree() {}\n");
    check_alike(&memory, &revision, &requests(), "revision");
    assert_eq!(other_answers(&memory), other_answers(&revision));
}

#[test]
fn changes_are_a_layer_over_the_files_of_a_folder() {
    let tree = Tree::small();
    let engine = in_memory(FolderTree::open(tree.root()).unwrap());
    assert_eq!(first(&engine, "resolve_api_key").as_deref(), Some("resolve_api_key"));

    engine.apply([Change::write("src/auth.rs", "pub fn unsaved_buffer() {}\n")]).unwrap();
    assert_eq!(first(&engine, "unsaved_buffer").as_deref(), Some("unsaved_buffer"));
    assert_eq!(first(&engine, "resolve_api_key"), None);
    let lines = engine.ask(&GrepRequest::new("unsaved_buffer")).unwrap();
    assert_eq!(lines.lines.len(), 1);

    // A file of the folder that is not in the layer changes as in any folder.
    tree.write("src/paint.py", "def draw_square():\n    return 4\n");
    assert_eq!(first(&engine, "draw_square").as_deref(), Some("draw_square"));

    engine.apply([Change::restore("src/auth.rs"), Change::remove("docs")]).unwrap();
    assert_eq!(first(&engine, "resolve_api_key").as_deref(), Some("resolve_api_key"));
    assert!(ask(&engine, "brewing beans").results.is_empty());
    assert_eq!(std::fs::read_to_string(tree.root().join("docs/guide.md")).unwrap().lines().count(), 3);
}

#[test]
fn every_change_has_the_answers_of_a_new_tree() {
    let tree = Tree::mixed(60);
    let source = tree.memory();
    let engine = in_memory(source.clone());
    let mut expected = source;
    let text = "/// Will merge the token.\npub fn merge_token() {}\n";
    let write = Change::write;
    let remove = |path: &str| Change::remove(path);
    // Each step with what it does to the files: a path gets a text, or is removed.
    let (put, gone) = (|path| (path, Some(text)), |path| (path, None));
    type Step<'a> = (Vec<Change>, Vec<(&'a str, Option<&'a str>)>);
    let steps: Vec<Step<'_>> = vec![
        (vec![write("src/auth.rs", text)], vec![put("src/auth.rs")]),
        (
            vec![write("new/deep/er/file.rs", text), remove("src/paint.py")],
            vec![put("new/deep/er/file.rs"), gone("src/paint.py")],
        ),
        (vec![remove("new")], vec![gone("new")]),
        (vec![write("new/file.rs", text)], vec![put("new/file.rs")]),
        (
            vec![write("new", text), write("src/auth.rs/inner.rs", text)],
            vec![gone("new"), put("new"), gone("src/auth.rs"), put("src/auth.rs/inner.rs")],
        ),
        (vec![write("src/.gitignore", "inner.rs\n")], vec![("src/.gitignore", Some("inner.rs\n"))]),
        (
            vec![remove("src/.gitignore"), remove(".gitignore")],
            vec![gone("src/.gitignore"), gone(".gitignore")],
        ),
        (vec![write("target/debug/a.rs", text)], vec![put("target/debug/a.rs")]),
        (vec![write("Cargo.toml", "[package]\n")], vec![("Cargo.toml", Some("[package]\n"))]),
        (vec![remove("key"), remove("not/there")], vec![gone("key")]),
        (vec![write("key/again.rs", text), remove("key/again.rs")], vec![]),
    ];
    let requests: Vec<SearchRequest> =
        ["merge_token", "merge the token", "resolve_api_key", "key order"].map(SearchRequest::new).into();
    for (number, (changes, told)) in steps.into_iter().enumerate() {
        engine.apply(changes).unwrap();
        for (path, text) in told {
            match text {
                Some(text) => expected.insert(path, text).unwrap(),
                None => expected.remove(path).unwrap(),
            }
        }
        check_alike(&engine, &in_memory(expected.clone()), &requests, &format!("step {number}"));
    }
}

/// A source that counts how often it is listed.
struct Counting {
    tree: MemoryTree,
    lists: AtomicUsize,
}

impl SourceTree for &'static Counting {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        self.lists.fetch_add(1, Relaxed);
        self.tree.list(folder)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self.tree.read(path)
    }

    fn version(&self) -> Option<u64> {
        self.tree.version()
    }
}

#[test]
fn a_change_does_not_list_the_tree() {
    let tree = Tree::mixed(240);
    let counting: &'static Counting =
        Box::leak(Box::new(Counting { tree: tree.memory(), lists: AtomicUsize::new(0) }));
    let engine = in_memory(counting);
    refresh(&engine);
    let all = counting.lists.swap(0, Relaxed);
    assert!(all > 20, "{all}");
    for query in ["merge", "token", "key"] {
        engine.search(&SearchRequest::new(query)).unwrap();
        engine.ask(&GrepRequest::new(query)).unwrap();
    }
    // Listings are cached per moment, and nothing has changed.
    let unchanged = counting.lists.swap(0, Relaxed);
    assert!(unchanged <= 1, "{unchanged}");
    engine.apply([Change::write("src/deep/new.rs", "pub fn changed_by_host() {}\n")]).unwrap();
    let report = refresh(&engine);
    assert_eq!((report.added, report.parsed), (1, 1), "{report:?}");
    let of_change = counting.lists.swap(0, Relaxed);
    assert!(of_change <= 6, "{of_change} of {all}");
    assert_eq!(first(&engine, "changed_by_host").as_deref(), Some("changed_by_host"));
}

#[test]
fn thousands_of_changes_and_searches_at_the_same_time() {
    let engine = in_memory(Tree::mixed(60).memory());
    refresh(&engine);
    let is_over = AtomicBool::new(false);
    let asked = AtomicUsize::new(0);
    let took = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    let reply = engine.search(&SearchRequest::new("counter_of_changes")).unwrap();
                    // No caller meets the lock of another, which a warning would say.
                    let is_of_index = |warning: &&String| warning.contains("the last commit");
                    assert_eq!(reply.warnings.iter().find(is_of_index), None);
                    for hit in &reply.results {
                        assert!(!hit.snippet.as_ref().is_none_or(|snippet| snippet.text.is_empty()));
                    }
                    asked.fetch_add(1, Relaxed);
                }
            });
        }
        let began = SystemTime::now();
        for number in 0..5000 {
            let text = format!("pub fn counter_of_changes_{number}() {{}}\n");
            engine.apply([Change::write(format!("live/{}.rs", number % 7), text)]).unwrap();
            if number % 1000 == 999 {
                let symbol = format!("counter_of_changes_{number}");
                assert_eq!(first(&engine, &symbol), Some(symbol), "a caller finds the change that it made");
            }
        }
        let took = began.elapsed().unwrap();
        is_over.store(true, Relaxed);
        took
    });
    assert!(asked.load(Relaxed) > 2, "{took:?}");
    let fresh = Tree::mixed(60).memory();
    let fresh = in_memory(fresh);
    for number in 4993..5000 {
        let text = format!("pub fn counter_of_changes_{number}() {{}}\n");
        fresh.apply([Change::write(format!("live/{}.rs", number % 7), text)]).unwrap();
    }
    let request = SearchRequest::new("counter_of_changes");
    let [one, other] =
        [&engine, &fresh].map(|engine| format!("{:?}", engine.search(&request).unwrap().results));
    assert_eq!(one, other);
}

#[test]
fn an_index_in_memory_leaves_nothing_behind() {
    let tree = Tree::small();
    let options = Options { index_in_memory: true, ..Options::default() };
    let of_folder = Engine::open(tree.root(), options).unwrap();
    let in_memory = in_memory(tree.memory());
    let folders = [&of_folder, &in_memory].map(|engine| {
        refresh(engine);
        engine.index_dir().parent().unwrap().to_path_buf()
    });
    assert!(folders.iter().all(|folder| folder.join("index").is_dir()));
    #[cfg(unix)]
    for folder in &folders {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o77, 0, "only this user may look");
    }
    let other = in_memory.with_policy(in_memory.policy());
    drop((of_folder, in_memory));
    assert!(first(&other, "resolve_api_key").is_some(), "a handle keeps the index");
    drop(other);
    assert!(folders.iter().all(|folder| !folder.exists()));

    // A folder that the options name keeps the index.
    let kept = Options { index_dir: Some(tree.beside("index")), ..Options::default() };
    let source = tree.memory();
    let engine = Engine::in_memory(source.clone(), kept.clone()).unwrap();
    assert_eq!(refresh(&engine).parsed, 3);
    drop(engine);
    assert_eq!(refresh(&Engine::in_memory(source, kept).unwrap()).parsed, 0);
}

#[test]
fn requests_about_folders_are_refused() {
    let tree = Tree::small();
    let folder = tree.open();
    let error = folder.apply([Change::remove("src/auth.rs")]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
    assert!(error.to_string().contains("FolderTree"), "{error}");
    let engine = in_memory(tree.memory());
    for (path, said) in [("/etc/passwd", "absolute"), ("../up.rs", "leaves"), ("", "root")] {
        let changes = [Change::remove("src/auth.rs"), Change::write(path, "text")];
        let error = engine.apply(changes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadRequest);
        assert!(error.to_string().contains(said), "{error}");
    }
    assert!(first(&engine, "resolve_api_key").is_some(), "nothing is changed by a refused call");
    for refused in [
        engine.watch(&Default::default(), &|_| ()).unwrap_err(),
        engine.ask(&ExplainSkipsRequest { path: "src/auth.rs".into() }).unwrap_err(),
        Engine::in_memory(MemoryTree::new(), Options { view: Some("main".into()), ..Options::default() })
            .err()
            .unwrap(),
    ] {
        assert_eq!(refused.kind(), ErrorKind::BadRequest, "{refused}");
    }
    engine.record_touch("src/auth.rs").unwrap();
    assert!(engine.record_touch("src/none.rs").is_err());
}

/// A source whose files cannot all be read.
struct Broken;

impl SourceTree for Broken {
    fn list(&self, folder: &str) -> io::Result<Vec<SourceEntry>> {
        match folder {
            "" => Ok(vec![
                SourceEntry::file("good.rs", 14, ContentId::of_version(1)),
                SourceEntry::file("bad.rs", 14, ContentId::of_version(1)),
                SourceEntry::file("../up.rs", 14, ContentId::of_version(1)),
                SourceEntry::folder("locked"),
            ]),
            _ => Err(io::Error::other("the shelf is locked")),
        }
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        match path {
            "good.rs" => Ok(b"fn is_good() {}\n".to_vec()),
            _ => Err(io::Error::other("the page is torn")),
        }
    }
}

#[test]
fn a_source_that_fails_is_reported_file_by_file() {
    let engine = in_memory(Broken);
    assert!(first(&engine, "is_good").is_some());
    let rows = engine.ask(&SkippedRequest::default()).unwrap().entries;
    let details: Vec<String> = rows.iter().map(|row| format!("{}: {}", row.path, row.detail)).collect();
    for said in ["bad.rs: the page is torn", "locked: the shelf is locked", "a separator"] {
        assert!(details.iter().any(|detail| detail.contains(said)), "{said}: {details:?}");
    }
}

#[test]
fn a_zip_archive_that_lies_is_refused() {
    let tree = Tree::small();
    tree.write("src/other.py", "def other():\n    return 1\n");
    tree.git(&["init", "-q", "-b", "main"]);
    tree.git(&["add", "-A"]);
    tree.git(&["commit", "-q", "-m", "all"]);
    tree.git(&["archive", "--format=zip", "-o", "../all.zip", "HEAD"]);
    let sound = std::fs::read(tree.beside("all.zip")).unwrap();
    assert_eq!(ZipTree::of(sound.clone()).unwrap().read("src/paint.py").unwrap(), {
        std::fs::read(tree.root().join("src/paint.py")).unwrap()
    });
    assert!(ZipTree::of(b"not an archive".to_vec()).is_err());
    for (name, said) in [
        ("src/other.py", "entry 'src/other.py' occurs twice"),
        ("src/auth.rs\0", "is refused"),
        ("../../out.py", "is refused"),
    ] {
        let mut changed = sound.clone();
        replace_last(&mut changed, b"src/paint.py", name.as_bytes());
        let error = ZipTree::of(changed).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(said), "{name:?}: '{error}'");
    }
    // A changed byte of a stored or compressed file.
    let at = sound.windows(4).position(|window| window == b"PK\x01\x02").unwrap();
    let mut damaged = sound;
    for byte in &mut damaged[at - 6..at - 2] {
        *byte ^= 0x55;
    }
    let archive = ZipTree::of(damaged).unwrap();
    let read = ["src/auth.rs", "src/other.py", "src/paint.py", "docs/guide.md"]
        .map(|path| archive.read(path).is_err());
    assert_eq!(read.iter().filter(|failed| **failed).count(), 1, "{read:?}");
}

fn replace_last(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let at = bytes.windows(from.len()).rposition(|window| window == from).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to);
}
