//! Repositories that came from elsewhere: what git never writes is left out or refused, nothing hangs, and no folder reads
//! another one's repository.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use spyhop_base::model::SkipReason;
use spyhop_engine::api::{CheckupRequest, GitReach, GrepRequest, Options, SearchRequest, SkippedRequest};
use spyhop_engine::{Cancel, Engine, Error, ErrorKind};

use super::{Tree, ask, open, options, paths, refresh};
use crate::support::{SMALL, git};

fn repository() -> Tree {
    let tree = Tree::new(SMALL);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    tree
}

/// What git prints, fed with `input`.
fn printed(tree: &Tree, args: &[&str], input: &[u8]) -> String {
    let mut command = Command::new("git");
    command.current_dir(tree.root()).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(args);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_string()
}

fn blob(tree: &Tree, text: &str) -> String {
    printed(tree, &["hash-object", "-w", "--stdin"], text.as_bytes())
}

/// The tree object with these entries, whatever their names: mode, name, object.
fn folder(tree: &Tree, entries: &[(&str, &str, &str)]) -> String {
    let mut bytes = Vec::new();
    for (mode, name, id) in entries {
        bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        let byte = |at: usize| u8::from_str_radix(&id[at..at + 2], 16).unwrap();
        bytes.extend((0..id.len()).step_by(2).map(byte));
    }
    printed(tree, &["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], &bytes)
}

/// A branch whose commit has this tree.
pub fn branch(tree: &Tree, name: &str, folder: &str) {
    let commit = printed(tree, &["commit-tree", "-m", "a commit", folder], b"");
    tree.git(&["branch", "-f", name, &commit]);
}

/// A branch `bomb` of eleven objects and 10^10 files.
pub fn bomb(tree: &Tree) {
    let mut inner = (blob(tree, "fn boom() {}\n"), "100644");
    for _ in 0..10 {
        // With long names the bytes of paths are the first bound that is met, before some millions of entries are.
        let names: Vec<String> = (0..10).map(|number| format!("{}{number}", "d".repeat(200))).collect();
        let entries: Vec<_> = names.iter().map(|name| (inner.1, &**name, &*inner.0)).collect();
        inner = (folder(tree, &entries), "40000");
    }
    branch(tree, "bomb", &inner.0);
}

fn of_view(tree: &Tree, view: &str) -> Result<Engine, Error> {
    Engine::open(tree.root(), Options { view: Some(view.into()), ..options(tree) })
}

#[test]
fn names_that_no_folder_has_are_left_out_of_a_view() {
    let tree = repository();
    refresh(&open(&tree));
    let text = blob(&tree, "fn harmless_text() {}\n");
    let other = blob(&tree, "fn other_text() {}\n");
    let file = |name| ("100644", name, &*text);
    let inner = folder(&tree, &[file("in.rs")]);
    let names = ["", ".", "..", ".git", ".GIT", "../up.rs", "/etc/x.rs", "a\\b.rs", "fine.rs"];
    let mut entries: Vec<_> = names.iter().map(|name| file(name)).collect();
    entries.extend([("100644", "fine.rs", &*other), ("40000", "..", &*inner), ("40000", "sub", &*inner)]);
    let sub = folder(&tree, &entries);
    let top = folder(&tree, &[("40000", "..", &inner), file("plain.rs"), ("40000", "sub", &sub)]);
    branch(&tree, "odd", &top);

    for _ in 0..3 {
        let engine = of_view(&tree, "odd").unwrap();
        let mut found =
            paths(&ask(&engine, "harmless_text")).into_iter().map(str::to_string).collect::<Vec<_>>();
        found.sort();
        assert_eq!(found, ["plain.rs", "sub/a\\b.rs", "sub/fine.rs", "sub/sub/in.rs"]);
        let rows = engine.ask(&SkippedRequest::default()).unwrap().entries;
        let mut rows: Vec<String> = rows
            .iter()
            .inspect(|row| assert_eq!(row.reason, SkipReason::Unreadable))
            .map(|row| format!("{}: {}", row.path, row.detail))
            .collect();
        rows.sort();
        assert_eq!(
            rows,
            [
                "sub/..\u{fffd}up.rs: its name \"../up.rs\" holds a separator",
                "sub/.GIT: its name \".GIT\" is reserved for git's own folder",
                "sub/.git: its name \".git\" is reserved for git's own folder",
                "sub/fine.rs: its name \"fine.rs\" stands twice in its folder",
                "sub/\u{fffd}: its name \"\" is empty",
                "sub/\u{fffd}: its name \".\" stands for the folder itself",
                "sub/\u{fffd}etc\u{fffd}x.rs: its name \"/etc/x.rs\" holds a separator",
                "sub/\u{fffd}\u{fffd}: its name \"..\" leads out of its folder",
                "sub/\u{fffd}\u{fffd}: its name \"..\" leads out of its folder",
                "\u{fffd}\u{fffd}: its name \"..\" leads out of its folder",
            ]
        );
        // The rest of the index is sound.
        assert_eq!(paths(&ask(&open(&tree), "draw_circle"))[0], "src/paint.py");
        assert!(open(&tree).ask(&CheckupRequest).unwrap().is_clean());
    }
    let aside = fs::read_dir(tree.index_dir()).unwrap().flatten();
    assert_eq!(aside.filter(|entry| entry.file_name().to_string_lossy().starts_with("damaged")).count(), 0);
}

#[test]
fn a_commit_of_endless_files_is_refused_and_can_be_cancelled() {
    let tree = repository();
    bomb(&tree);
    let grep = |engine: &Engine| engine.ask(&GrepRequest::new("boom")).unwrap_err();
    let engine = of_view(&tree, "bomb").unwrap();

    let cancel = Cancel::default();
    let cancelled = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            cancel.cancel();
        });
        Engine::cancellable(&cancel, || grep(&engine))
    });
    assert_eq!(
        (cancelled.kind(), &*cancelled.to_string()),
        (ErrorKind::Cancelled, "the walk was cancelled by the caller")
    );
    // Nothing of it is left for the next call.
    let refused = grep(&engine);
    assert_eq!(refused.kind(), ErrorKind::TooLarge, "{refused}");
    let text = refused.to_string();
    assert!(text.contains(" bytes of paths or more, above the limit of 536870912"), "{text}");
    assert_eq!(engine.search(&SearchRequest::new("boom")).unwrap_err().kind(), ErrorKind::TooLarge);
    assert_eq!(paths(&ask(&open(&tree), "draw_circle"))[0], "src/paint.py");

    let mut deep = (blob(&tree, "fn boom() {}\n"), "100644");
    for _ in 0..600 {
        deep = (folder(&tree, &[(deep.1, "d", &deep.0)]), "40000");
    }
    branch(&tree, "deep", &deep.0);
    let text = grep(&of_view(&tree, "deep").unwrap()).to_string();
    assert!(text.contains("it has 513 folders within each other or more, above the limit of 512"), "{text}");
}

/// Writes `.git` of a folder so that it leads to the repository `other`, in one of the ways there are.
fn lead_to(way: &str, folder: &Path, other: &Path) {
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/own.rs"), "fn own_text() {}\n").unwrap();
    let (dot_git, other) = (folder.join(".git"), other.join(".git"));
    match way {
        "file" => fs::write(dot_git, format!("gitdir: {}\n", other.display())).unwrap(),
        "link" => std::os::unix::fs::symlink(other, dot_git).unwrap(),
        "commondir" => {
            fs::create_dir(&dot_git).unwrap();
            fs::copy(other.join("HEAD"), dot_git.join("HEAD")).unwrap();
            fs::write(dot_git.join("commondir"), other.to_str().unwrap()).unwrap();
            fs::write(dot_git.join("gitdir"), dot_git.to_str().unwrap()).unwrap();
        }
        "worktree" => {
            // A worktree that the tree itself wrote, and that points back.
            let made = folder.join("made/worktrees/x");
            fs::create_dir_all(&made).unwrap();
            fs::copy(other.join("HEAD"), made.join("HEAD")).unwrap();
            fs::write(made.join("commondir"), other.to_str().unwrap()).unwrap();
            fs::write(made.join("gitdir"), dot_git.to_str().unwrap()).unwrap();
            fs::write(dot_git, format!("gitdir: {}\n", made.display())).unwrap();
        }
        _ => unreachable!(),
    }
}

#[test]
fn no_folder_reads_the_repository_of_another_one() {
    let other = repository();
    refresh(&open(&other));
    for (way, expected) in [
        ("file", "which does not point back to it"),
        ("link", "which does not point back to it"),
        ("commondir", "which does not have it among its worktrees"),
        ("worktree", "which does not have it among its worktrees"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        lead_to(way, &root, &other.root());
        // The folder that holds the indexes of many trees, where worktrees of one repository share an index.
        let index_dir = folder.path().join("index");
        let with = |view: Option<&str>| {
            let options = Options { index_dir: Some(index_dir.clone()), ..Options::default() };
            Engine::open(&root, Options { view: view.map(str::to_string), ..options })
        };
        let engine = with(None).unwrap();
        let reply = ask(&engine, "own_text");
        assert_eq!(paths(&reply), ["src/own.rs"], "{way}");
        assert!(reply.warnings.iter().any(|text| text.contains(expected)), "{way}: {:?}", reply.warnings);
        assert_eq!((reply.snapshot.branch, reply.snapshot.commit), (None, None), "{way}");
        let owner = fs::read_to_string(index_dir.join("WORKSPACE")).unwrap();
        assert!(owner.contains("/root\""), "{way}: {owner}");
        let error = with(Some("main")).err().expect("a view of another repository");
        let text = error.to_string();
        assert!(text.starts_with("'main' names a revision, but there is no git repository"), "{way}: {text}");
        assert!(text.contains(expected), "{way}: {text}");
        assert_eq!(Engine::find_root(&root.join("src")), root.join("src").canonicalize().unwrap(), "{way}");
    }
}

#[test]
fn worktrees_submodules_and_whoever_is_pointed_back_to_are_used() {
    let main = repository();
    main.git(&["worktree", "add", "-q", "-b", "side", "linked"]);
    main.git(&["submodule", "--quiet", "add", main.root().to_str().unwrap(), "sub"]);
    let elsewhere = tempfile::tempdir().unwrap();
    let separate = elsewhere.path().join("tree");
    let store = elsewhere.path().join("store").to_str().unwrap().to_string();
    git(elsewhere.path(), &["init", "-q", "-b", "main", "--separate-git-dir", &store, "tree"]);
    fs::write(separate.join("a.rs"), "fn a() {}\n").unwrap();
    let branch = |root: &Path| {
        let index_dir = Some(elsewhere.path().join("index").join(root.file_name().unwrap()));
        let within = GitReach::Within(vec![root.to_path_buf()]);
        let engine = Engine::open(root, Options { index_dir, git_reach: within, ..Options::default() });
        engine.unwrap().status().unwrap().branch
    };
    assert_eq!(branch(&main.root().join("linked")).as_deref(), Some("side"));
    assert_eq!(branch(&main.root().join("sub")).as_deref(), Some("main"));
    main.git(&["-C", "sub", "sparse-checkout", "set", "src"]);
    assert_eq!(branch(&main.root().join("sub")).as_deref(), Some("main"));
    assert_eq!(branch(&separate), None);
    git(&separate, &["config", "core.worktree", separate.to_str().unwrap()]);
    assert_eq!(branch(&separate).as_deref(), Some("main"));
}

#[test]
fn borrowed_objects_and_links_stay_within_what_is_served() {
    let other = repository();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    git(folder.path(), &["clone", "-q", "--shared", other.root().to_str().unwrap(), "root"]);
    let open = |served: &[&Path], reach: fn(Vec<std::path::PathBuf>) -> GitReach| {
        // A new folder, because the index of a repository that is used belongs to that repository.
        let index_dir = Some(tempfile::tempdir_in(&folder).unwrap().keep());
        let git_reach = reach(served.iter().map(|path| path.to_path_buf()).collect());
        Engine::open(&root, Options { index_dir, git_reach, view: Some("main".into()), ..Options::default() })
    };
    let found = |engine: Result<Engine, Error>| match engine {
        Ok(engine) => paths(&ask(&engine, "draw_circle"))[0].to_string(),
        Err(error) => error.to_string(),
    };
    assert_eq!(found(open(&[], |_| GitReach::Anywhere)), "src/paint.py");
    assert_eq!(found(open(&[&root, &other.root()], GitReach::Within)), "src/paint.py");
    let refused = found(open(&[&root], GitReach::Within));
    assert!(
        refused.starts_with("'main' cannot be looked up: ") && refused.contains("which is not served"),
        "{refused}"
    );

    fs::remove_file(root.join(".git/objects/info/alternates")).unwrap();
    for name in ["objects/pack", "objects", "refs", "packed-refs", "config"] {
        let (in_git_dir, aside) = (root.join(".git").join(name), folder.path().join("aside"));
        fs::rename(&in_git_dir, &aside).unwrap_or_else(|_| fs::write(&aside, "").unwrap());
        std::os::unix::fs::symlink(other.root().join(".git").join(name), &in_git_dir).unwrap();
        if !other.root().join(".git").join(name).exists() {
            fs::write(other.root().join(".git").join(name), "").unwrap();
        }
        let refused = found(open(&[&root], GitReach::Within));
        assert!(refused.contains("which is not served"), "{name}: {refused}");
        fs::remove_file(&in_git_dir).unwrap();
        fs::rename(&aside, &in_git_dir).unwrap();
    }
}

/// What `work` gives, which must not take long.
fn soon<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || _ = sender.send(work()));
    receiver.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("{what} hangs"))
}

#[test]
fn files_of_git_that_are_none_neither_hang_nor_fill_memory() {
    type Make = fn(&Path);
    let ways: [(&str, Make); 3] = [
        ("pipe", |path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success())),
        ("device", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
        ("sparse", |path| File::create(path).unwrap().set_len(6 << 30).unwrap()),
    ];
    let names = [
        ".git",
        ".git/HEAD",
        ".git/config",
        ".git/packed-refs",
        ".git/index",
        ".git/commondir",
        ".git/refs/heads/main",
        ".git/refs/replace/0123456789012345678901234567890123456789",
        ".git/objects/info/alternates",
    ];
    for name in names {
        for (way, make) in ways {
            let what = format!("{name} as {way}");
            let tree = repository();
            let path = tree.root().join(name);
            _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            make(&path);
            let (root, options) = (tree.root(), options(&tree));
            let warnings = soon(&what, move || {
                let view = Options { view: Some("main".into()), ..options.clone() };
                let error = Engine::open(&root, view).err().expect("a view");
                assert_eq!(error.kind(), ErrorKind::BadRequest, "{error}");
                let reply = ask(&Engine::open(&root, options).unwrap(), "draw_circle");
                assert_eq!(paths(&reply)[0], "src/paint.py");
                reply.warnings
            });
            let expected = |text: &String| text.contains("not a regular file") || text.contains("above");
            assert!(warnings.iter().any(expected), "{what}: {warnings:?}");
        }
    }
}

#[test]
fn files_of_git_that_become_none_while_an_engine_is_open_do_not_hang_it() {
    let tree = repository();
    for name in ["HEAD", "packed-refs", "refs/heads/main", "index"] {
        let engine = open(&tree);
        assert_eq!(paths(&ask(&engine, "draw_circle"))[0], "src/paint.py");
        let (path, aside) = (tree.root().join(".git").join(name), tree.root().join(".git/aside"));
        let had = fs::rename(&path, &aside).is_ok();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        // A rule asks what is tracked.
        tree.write("Cargo.toml", "[package]\n");
        tree.write("target/x.rs", "fn built() {}\n");
        soon(name, move || assert_eq!(paths(&ask(&engine, "draw_circle"))[0], "src/paint.py"));
        fs::remove_file(&path).unwrap();
        if had {
            fs::rename(&aside, &path).unwrap();
        }
    }
}

#[test]
fn objects_and_logs_that_are_pipes_do_not_hang_a_view() {
    let tree = repository();
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    for (name, spec) in [
        ("objects/pack/pack-0123456789012345678901234567890123456789.idx", "main"),
        ("objects/01/23456789012345678901234567890123456789", "main"),
        ("objects/info/commit-graph", "main"),
        ("logs/refs/heads/side", "side@{1}"),
        ("SOME_HEAD", "SOME_HEAD"),
        ("refs/heads/topic", "no-such"),
    ] {
        let path = tree.root().join(".git").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        pipe(&path);
        let (root, options) = (tree.root(), Options { view: Some(spec.into()), ..options(&tree) });
        let text = soon(name, move || Engine::open(root, options).err().map(|error| error.to_string()));
        assert!(text.as_ref().is_some_and(|text| text.contains("not a regular file")), "{name}: {text:?}");
        fs::remove_file(&path).unwrap();
    }
}
