//! Updates of small trees, step by step.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::compare::RESTATS_WORTH_A_COMMIT;
use super::quarantine::Quarantine;
use super::work::WorkerInputs;
use super::*;
use crate::inverted::{IndexError, Writer};
use crate::meta::RecordedIdentity;
use crate::tokenize::ExtraTerms;
use crate::workspace::{Settings, Workspace, WorkspaceError, fingerprint};
use spyhop_base::id::ContentHash;
use spyhop_base::model::{Note, SkipReason};
use spyhop_base::path::RelPath;
use spyhop_base::store::{self, Lock};
use spyhop_files::confined::RootFolder;
use spyhop_files::git;
use spyhop_files::read::{Limits, TreeSource};
use spyhop_files::walk::{self, FileIdentity};
use spyhop_syntax::grammar::Grammars;
use spyhop_syntax::worker::{Isolation, LossKind, Lost};

/// A tree and its index in a new folder.
pub struct TestTree {
    _folder: tempfile::TempDir,
    pub root: PathBuf,
    pub workspace: Workspace,
    grammars: Grammars,
    settings: Settings,
    isolation: Isolation,
    pub checkpoint: Duration,
    racy: Duration,
    pub text_first: u64,
}

impl TestTree {
    pub(crate) fn new() -> TestTree {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("tree");
        std::fs::create_dir(&root).unwrap();
        let workspace = Workspace::new(
            root.clone(),
            root.clone(),
            folder.path().join("index"),
            fingerprint(&Grammars::built_in(), &ExtraTerms::default()),
        );
        let settings = Settings {
            hidden: false,
            max_file_bytes: 1 << 20,
            no_ignore: false,
            no_built_in: false,
            secrets: false,
        };
        TestTree {
            _folder: folder,
            root,
            workspace,
            grammars: Grammars::built_in(),
            settings,
            isolation: Isolation::InProcess,
            checkpoint: FIRST_CHECKPOINT,
            racy: RACY,
            text_first: super::TEXT_FIRST,
        }
    }

    /// Writes a file with times in the distant past, so that its stat data proves something.
    pub fn write(&self, path: &str, text: &str) {
        self.write_fresh(path, text);
        let file = std::fs::File::options().write(true).open(self.root.join(path)).unwrap();
        let past = std::time::SystemTime::now() - Duration::from_secs(3600);
        file.set_modified(past).unwrap();
    }

    fn write_fresh(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn git(&self, arguments: &str) {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command.args(arguments.split(' ')).current_dir(&self.root);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        assert!(command.output().unwrap().status.success(), "{arguments}");
    }

    pub fn with_updater<T>(&self, act: impl FnOnce(&Updater<'_>) -> T) -> T {
        let repo = git::discover(&self.root);
        let tracked = repo.as_ref().map(|repo| repo.tracked_below(&self.root));
        act(&Updater {
            workspace: &self.workspace,
            repo: repo.as_ref(),
            head: repo.as_ref().map(|repo| repo.head()).unwrap_or_default(),
            source_tree: TreeSource::Folder(RootFolder::new(&self.root)),
            tracked: tracked.as_ref(),
            grammars: &self.grammars,
            isolation: &self.isolation,
            extra_terms: &ExtraTerms::default(),
            settings: &self.settings,
            threads: Some(2),
            max_memory: None,
            checkpoint: self.checkpoint,
            racy: self.racy,
            text_first: self.text_first,
            since: None,
            on_list: None,
            cancel: None,
            as_ripgrep: None,
        })
    }

    /// Refreshes as a caller does that has the newest commit open.
    pub fn refresh(&self) -> RefreshReport {
        let committed = self.workspace.open().ok();
        self.with_updater(|updater| updater.refresh(committed.as_ref(), Duration::ZERO, &|_| ()).unwrap())
    }

    fn stale(&self) -> usize {
        let committed = self.workspace.open().unwrap();
        self.with_updater(|updater| {
            updater.stale(&updater.plan(Some(&committed)).unwrap(), &committed.meta).unwrap()
        })
    }

    /// The details of the skipped entries.
    fn details(&self) -> Vec<String> {
        let committed = self.workspace.open().unwrap();
        let key = self.with_updater(|updater| updater.view_key());
        let view = committed.meta.view(&key).unwrap().unwrap();
        view.skipped().iter().map(|entry| entry.skipped.detail.clone()).collect()
    }

    /// The files of the view by path, those without content in brackets, then the skipped entries.
    fn shown(&self) -> String {
        let committed = self.workspace.open().unwrap();
        let key = self.with_updater(|updater| updater.view_key());
        let view = committed.meta.view(&key).unwrap().unwrap();
        let mut files: Vec<String> = view
            .versions()
            .iter()
            .map(|id| committed.meta.version(*id).unwrap())
            .map(|version| match version.notes().any(|note| note == Note::PathOnly) {
                true => format!("[{}]", version.path()),
                false => version.path().to_string(),
            })
            .collect();
        files.sort();
        let skipped = view
            .skipped()
            .iter()
            .map(|entry| format!("{} {}", entry.skipped.path, entry.skipped.reason.name()));
        files.extend(skipped);
        files.join(", ")
    }
}

#[test]
fn generated_files_are_indexed_once_git_tracks_them_and_not_before() {
    let tree = TestTree::new();
    tree.git("init -q");
    tree.write("a.go", "// Code generated by x. DO NOT EDIT.\npackage a\n");
    tree.refresh();
    assert_eq!(tree.shown(), "[a.go], a.go generated");
    assert_eq!(tree.stale(), 0);
    tree.git("add a.go");
    assert_eq!(tree.stale(), 1);
    tree.refresh();
    assert_eq!(tree.shown(), "a.go");
    // The file gets the same bytes with another time, and is no longer tracked.
    tree.git("rm -q --cached a.go");
    tree.write_fresh("a.go", "// Code generated by x. DO NOT EDIT.\npackage a\n");
    tree.refresh();
    assert_eq!(tree.shown(), "[a.go], a.go generated");
}

#[test]
fn a_file_saved_just_before_it_was_indexed_costs_no_lock_later() {
    let tree = TestTree::new();
    tree.write_fresh("a.rs", "fn a() {}\n");
    tree.write_fresh("b.bin", "\0");
    let first = tree.refresh();
    let _busy = Lock::acquire(&tree.workspace.lock_path(), Duration::ZERO, &mut |_| {}).unwrap();
    assert_eq!(tree.refresh().generation, first.generation);
    assert_eq!((tree.shown().as_str(), tree.stale()), ("a.rs, b.bin binary", 0));
    tree.write_fresh("b.bin", "text\n");
    assert_eq!(tree.stale(), 1);
}

#[test]
fn an_update_without_changes_writes_the_vectors_that_an_index_lacks() {
    let tree = TestTree::new();
    (0..200).for_each(|n| tree.write(&format!("f{n}.rs"), "fn evict_oldest_entry() {}\n"));
    let first = tree.refresh();
    let vectors = || -> Vec<PathBuf> {
        let files =
            std::fs::read_dir(tree.workspace.segment_dir()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|it| it == "vectors")).collect();
        files.sort();
        files
    };
    let written = vectors();
    assert!(!written.is_empty() && !tree.workspace.open().unwrap().reader.lacks_vectors());
    written.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    let before = tree.workspace.open().unwrap();
    assert!(before.reader.lacks_vectors());
    // A question computes what a small segment lacks.
    let version = before.meta.version_ids().next().unwrap();
    let computed =
        (0..before.reader.segments().len()).find_map(|at| before.reader.vector(at, version)).copied();
    assert_eq!(tree.refresh().generation, first.generation);
    assert_eq!(vectors(), written);
    let after = tree.workspace.open().unwrap();
    let read = (0..after.reader.segments().len()).find_map(|at| after.reader.vector(at, version)).copied();
    assert!(read.is_some() && read == computed);
    assert_eq!(crate::inverted::verify(&tree.workspace.segment_dir()).unwrap(), []);
    let mut bytes = std::fs::read(&written[0]).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::remove_file(&written[0]).unwrap();
    std::fs::write(&written[0], bytes).unwrap();
    let damage = crate::inverted::verify(&tree.workspace.segment_dir()).unwrap();
    assert_eq!(damage, [(written[0].clone(), "the checksum of its vectors is wrong".to_string())]);
    // A file that cannot be used is lacking, too, and the next update writes the file again.
    assert!(tree.workspace.open().unwrap().reader.lacks_vectors());
    assert_eq!(tree.refresh().generation, first.generation);
    assert_eq!(crate::inverted::verify(&tree.workspace.segment_dir()).unwrap(), []);
    assert!(!tree.workspace.open().unwrap().reader.lacks_vectors());
}

#[test]
fn a_list_of_what_is_left_out_that_is_another_is_behind_too() {
    let tree = TestTree::new();
    tree.write("a.rs", "fn a() {}\n");
    tree.write("data/b.bin", "\0");
    tree.refresh();
    assert_eq!(tree.stale(), 0);
    tree.write(".ignore", "data/\n");
    assert_eq!(tree.stale(), 1, "no file of the index changed, and it says of data/ what no longer holds");
    tree.refresh();
    assert_eq!(tree.stale(), 0);
}

#[test]
fn files_from_the_future_are_no_reason_to_commit() {
    let tree = TestTree::new();
    let future = std::time::SystemTime::now() + Duration::from_secs(3600);
    for number in 0..RESTATS_WORTH_A_COMMIT {
        let name = format!("{number}.txt");
        tree.write_fresh(&name, "text\n");
        std::fs::File::options()
            .write(true)
            .open(tree.root.join(name))
            .unwrap()
            .set_modified(future)
            .unwrap();
    }
    let first = tree.refresh();
    assert_eq!(tree.refresh().generation, first.generation);
}

#[test]
fn a_file_that_could_not_be_read_is_tried_again() {
    let tree = TestTree::new();
    tree.write("a.rs", "fn a() {}\n");
    let path = RelPath::new("a.rs").unwrap();
    let identity = FileIdentity::Stat(walk::stat_of(&tree.root.join("a.rs")).unwrap());
    std::fs::rename(tree.root.join("a.rs"), tree.root.join("b.rs")).unwrap();
    store::create_private_dir(&tree.workspace.segment_dir()).unwrap();
    let writer = Writer::open(&tree.workspace.segment_dir()).unwrap();
    let quarantine = Quarantine::open(tree.workspace.dir(), "");
    let work = WorkerInputs {
        source_tree: &TreeSource::Folder(RootFolder::new(&tree.root)),
        limits: Limits::default(),
        grammars: &tree.grammars,
        isolation: &Isolation::InProcess,
        extra_terms: &ExtraTerms::default(),
        segments: writer.segments(),
        tracked: None,
        known: &FxHashMap::default(),
        retried: &FxHashSet::default(),
        quarantine: &quarantine,
        journal: &quarantine.journal(),
        text_only: false,
        first_version: 0,
        threads: 1,
        max_memory: None,
        racy: RACY,
        n_files: 1,
        progress: &|_| (),
        cancel: None,
    };
    let mut outcomes = Vec::new();
    let tasks = [ReadTask { path, identity, wanted: false, old: None }];
    work.run(&tasks, Duration::MAX, |batch, _| {
        let _: () = outcomes.extend(batch.outcomes);
        Ok::<(), IndexError>(())
    })
    .unwrap();
    let entry = outcomes[0].1.skipped.as_ref().unwrap();
    assert_eq!(
        (entry.skipped.reason, entry.identity),
        (SkipReason::Unreadable, Some(RecordedIdentity::Unproven))
    );
}

/// A parser worker that runs `script` in a shell.
#[cfg(unix)]
fn scripted(tree: &TestTree, script: &str) -> Isolation {
    use std::os::unix::fs::PermissionsExt;
    let program = tree.root.with_file_name("worker");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    Isolation::subprocess(program)
}

#[cfg(unix)]
#[test]
fn without_a_worker_files_are_cut_by_lines_until_there_is_one() {
    for script in [None, Some("exit 0"), Some("kill -SEGV $$")] {
        let mut tree = TestTree::new();
        tree.write("a.rs", "fn a() {}\n");
        tree.write("b.txt", "words\n");
        tree.isolation = match script {
            Some(script) => scripted(&tree, script),
            None => Isolation::subprocess(tree.root.join("nothing/here")),
        };
        tree.refresh();
        assert_eq!(tree.shown(), "a.rs, b.txt, a.rs quarantined");
        let details = tree.details();
        assert!(details[0].starts_with("there was no parser: "), "{details:?}");
        // There is nothing to do until a worker can be started.
        assert_eq!((tree.refresh().parsed, tree.stale()), (0, 0));
        tree.write("c.rs", "fn c() {}\n");
        tree.refresh();
        assert_eq!(tree.shown(), "a.rs, b.txt, c.rs, a.rs quarantined, c.rs quarantined");

        tree.isolation = Isolation::InProcess;
        assert_eq!(tree.stale(), 2);
        assert_eq!(tree.refresh().parsed, 2);
        assert_eq!((tree.shown().as_str(), tree.stale()), ("a.rs, b.txt, c.rs", 0));
    }
}

#[cfg(unix)]
#[test]
fn a_worker_that_is_killed_from_outside_is_tried_again_at_once_alone_and_later() {
    let mut tree = TestTree::new();
    tree.write("a.rs", "fn a() {}\n");
    let deaths = tree.root.with_file_name("deaths");
    tree.isolation = scripted(&tree, &format!("echo >> '{}'; kill -KILL $$", deaths.display()));
    tree.refresh();
    // Two workers beside others, and two alone.
    assert_eq!(std::fs::read_to_string(&deaths).unwrap().lines().count(), 4);
    assert_eq!(tree.shown(), "a.rs, a.rs quarantined");
    assert_eq!(tree.details(), ["another process or the system killed its parser (SIGKILL)"]);

    tree.isolation = Isolation::InProcess;
    assert_eq!(tree.stale(), 1);
    assert_eq!(tree.refresh().parsed, 1);
    assert_eq!((tree.shown().as_str(), tree.stale()), ("a.rs", 0));
    assert!(!std::fs::read_to_string(tree.workspace.dir().join("quarantine")).unwrap().contains("a.rs"));
}

#[test]
fn a_rebuild_tries_what_hung_and_not_what_crashed() {
    let tree = TestTree::new();
    tree.write("a.txt", "words\n");
    tree.refresh();
    for (name, kind) in [("crashed.rs", LossKind::Parser), ("hung.rs", LossKind::Watchdog)] {
        let text = format!("fn {kind:?}() {{}}\n");
        tree.write(name, &text);
        let lost = Lost { cause: "a test lost it".to_string(), kind };
        let quarantine = tree.with_updater(|updater| updater.quarantine());
        quarantine.add(&RelPath::new(name).unwrap(), ContentHash::of(text.as_bytes()), &lost).unwrap();
    }
    tree.refresh();
    assert_eq!(tree.shown(), "a.txt, crashed.rs, hung.rs, crashed.rs quarantined, hung.rs quarantined");
    assert_eq!(tree.refresh().parsed, 0);
    tree.with_updater(|updater| updater.rebuild(Duration::ZERO, &|_| ()).unwrap());
    assert_eq!(tree.shown(), "a.txt, crashed.rs, hung.rs, crashed.rs quarantined");
}

#[cfg(unix)]
#[test]
fn an_index_inside_its_tree_is_left_out_by_whatever_way_it_is_named() {
    let mut tree = TestTree::new();
    tree.write("a.rs", "fn a() {}\n");
    let link = tree.root.with_file_name("link");
    std::os::unix::fs::symlink(&tree.root, &link).unwrap();
    tree.workspace = Workspace::new(tree.root.clone(), tree.root.clone(), link.join("index"), "test".into());
    let first = tree.refresh();
    assert_eq!(tree.refresh().generation, first.generation);
    assert_eq!(tree.shown(), "a.rs, index built-in");
}

#[test]
fn numbers_are_for_new_versions_only() {
    let mut tree = TestTree::new();
    (0..RESTATS_WORTH_A_COMMIT).for_each(|number| tree.write_fresh(&format!("{number}.txt"), "text\n"));
    let first = tree.refresh();
    let numbers = |tree: &TestTree| tree.workspace.open().unwrap().meta.commit().next_version as usize;
    assert_eq!(numbers(&tree), RESTATS_WORTH_A_COMMIT);
    (0..RESTATS_WORTH_A_COMMIT).for_each(|number| tree.write(&format!("{number}.txt"), "text\n"));
    tree.racy = Duration::ZERO; // the times of inodes cannot be set
    assert!(tree.refresh().generation > first.generation);
    assert_eq!(numbers(&tree), RESTATS_WORTH_A_COMMIT);
    tree.write("new.txt", "new\n");
    tree.refresh();
    assert_eq!(numbers(&tree), RESTATS_WORTH_A_COMMIT + 1);
}

/// A progress function that ends an update by a panic when `files` have been indexed.
fn killed_after(files: usize) -> impl Fn(Progress) + Sync {
    move |progress: Progress| {
        if progress.stage == Stage::Index && progress.files > files {
            panic!("killed");
        }
    }
}

/// Indexes until `files` are done and a checkpoint is written, which takes until each worker has delivered.
fn interrupt(tree: &mut TestTree, files: usize) {
    tree.checkpoint = Duration::ZERO;
    let committed = tree.workspace.open().ok();
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        tree.with_updater(|updater| {
            let (kill, before) = (killed_after(files), tree.workspace.stamp());
            // Workers that go on at once would be done before a checkpoint is on the disk.
            let kill = |progress| match tree.workspace.stamp() == before {
                true => std::thread::sleep(Duration::from_millis(20)),
                false => kill(progress),
            };
            updater.refresh(committed.as_ref(), Duration::ZERO, &kill).map(|_| ())
        })
    }));
    assert!(ended.is_err());
    tree.checkpoint = FIRST_CHECKPOINT;
}

fn keys(tree: &TestTree) -> Vec<(bool, u32)> {
    let committed = tree.workspace.open().unwrap();
    committed.meta.views().map(|(key, info)| (key.staged, info.files)).collect()
}

#[test]
fn an_update_that_was_interrupted_goes_on_where_it_was() {
    let mut tree = TestTree::new();
    (0..200).for_each(|number| tree.write(&format!("{number:03}.rs"), &format!("fn f{number}() {{}}\n")));
    tree.racy = Duration::ZERO; // so that stat data prove something
    interrupt(&mut tree, 50);
    let [(true, staged)] = keys(&tree)[..] else { panic!("{:?}", keys(&tree)) };
    assert!(staged > 0, "{staged}");
    let report = tree.refresh();
    assert_eq!((report.parsed, report.added), (200 - staged as usize, 200), "{report:?}");
    assert_eq!(keys(&tree), [(false, 200)]);

    // If there is a view that answers, an interrupted update leaves it unchanged until all is done.
    (0..120).for_each(|number| tree.write(&format!("{number:03}.rs"), &format!("fn g{number}() {{}}\n")));
    interrupt(&mut tree, 30);
    let found = keys(&tree);
    assert_eq!((found.len(), found[0]), (2, (false, 200)));
    let names = |tree: &TestTree| {
        let committed = tree.workspace.open().unwrap();
        let key = tree.with_updater(|updater| updater.view_key());
        let view = committed.meta.view(&key).unwrap().unwrap();
        let names = view.versions().iter().copied().map(|id| {
            let version = committed.meta.version(id).unwrap();
            version.outline(&mut Vec::new()).unwrap().symbols[0].name[..1].to_string()
        });
        let changed = names.filter(|name| name == "g").count();
        (changed, committed.meta.version_ids().count())
    };
    let (changed, versions) = names(&tree);
    assert_eq!(changed, 0);
    let staged = versions - 200;
    let report = tree.refresh();
    assert_eq!((report.parsed, report.changed), (120 - staged, 120), "{report:?}");
    assert_eq!((keys(&tree), names(&tree)), (vec![(false, 200)], (120, 200)));
}

/// How many versions there are, and how many of them are indexed by their text only.
fn versions(tree: &TestTree) -> (usize, usize) {
    let meta = tree.workspace.open().unwrap().meta;
    let text_only = meta.version_ids().filter(|id| meta.version(*id).unwrap().is_text_only()).count();
    (meta.version_ids().count(), text_only)
}

#[test]
fn a_large_tree_is_indexed_by_its_text_first() {
    let mut tree = TestTree::new();
    (0..200).for_each(|number| tree.write(&format!("{number:03}.rs"), &format!("fn f{number}() {{}}\n")));
    tree.write("notes", "without a grammar\n");
    tree.text_first = 1;
    let seen = std::sync::Mutex::new(Vec::new());
    let look = |progress: Progress| {
        let mut seen = seen.lock().unwrap();
        if progress.stage == Stage::Index && seen.is_empty() {
            seen.extend([(keys(&tree), versions(&tree))]);
        }
    };
    let report = tree.with_updater(|updater| updater.refresh(None, Duration::ZERO, &look).unwrap());
    // When the first structure is committed, all files can be searched already.
    assert_eq!(*seen.lock().unwrap(), [(vec![(true, 201)], (201, 201))]);
    assert_eq!((report.added, report.parsed, report.changed), (201, 201, 0), "{report:?}");
    assert_eq!((keys(&tree), versions(&tree)), (vec![(false, 201)], (201, 0)));
    let committed = tree.workspace.open().unwrap();
    let segments = committed.reader.segments().iter();
    let docs = segments.map(|segment| (0..segment.max_doc()).filter(|doc| segment.is_live(*doc)).count());
    assert_eq!(docs.sum::<usize>(), 201, "what was indexed by its text is gone");
    let written: u32 = committed.reader.segments().iter().map(|segment| segment.max_doc()).sum();
    assert!(written < 250, "{written}: and takes no room");
    assert_eq!(committed.meta.commit().records.len(), 1, "neither do its records");
    assert_eq!(tree.refresh().parsed, 0);
}

#[test]
fn a_file_indexed_by_its_text_is_read_by_the_next_update() {
    let mut tree = TestTree::new();
    (0..200).for_each(|number| tree.write(&format!("{number:03}.rs"), &format!("fn f{number}() {{}}\n")));
    tree.racy = Duration::ZERO; // so that stat data prove something
    tree.text_first = 1;
    interrupt(&mut tree, 120);
    let [(true, files)] = keys(&tree)[..] else { panic!("{:?}", keys(&tree)) };
    let (all, text_only) = versions(&tree);
    assert_eq!(files, 200, "the text of all files answers");
    let structured = all - text_only;
    assert!(structured > 0 && text_only > 0, "{all} {text_only}");
    let report = tree.refresh();
    assert_eq!((report.parsed, report.added), (200 - structured, 200), "{report:?}");
    assert_eq!((keys(&tree), versions(&tree)), (vec![(false, 200)], (200, 0)));
}

#[test]
fn an_update_limited_to_the_text_is_completed_by_the_next_one() {
    let mut tree = TestTree::new();
    (0..200).for_each(|number| tree.write(&format!("{number:03}.rs"), &format!("fn f{number}() {{}}\n")));
    tree.racy = Duration::ZERO; // so that stat data prove something
    tree.text_first = 1;
    let text = |tree: &TestTree| {
        let committed = tree.workspace.open().ok();
        tree.with_updater(|updater| {
            updater.refresh_text(committed.as_ref(), Duration::ZERO, &|_| ()).unwrap()
        })
    };
    text(&tree);
    assert_eq!((keys(&tree), versions(&tree)), (vec![(true, 200)], (200, 200)));
    // A second one reads only files that the first one lacks.
    tree.write("more.rs", "fn more() {}\n");
    text(&tree);
    assert_eq!((keys(&tree), versions(&tree)), (vec![(true, 201)], (201, 201)));
    // What completes the index is killed: the text of all files still answers.
    interrupt(&mut tree, 120);
    let (all, text_only) = versions(&tree);
    assert!(all > text_only && text_only > 0, "{all} {text_only}");
    assert_eq!(keys(&tree), [(true, 201)], "no file is lost meanwhile");
    tree.refresh();
    assert_eq!((keys(&tree), versions(&tree)), (vec![(false, 201)], (201, 0)));
}

#[test]
fn an_update_limited_to_the_text_does_all_of_a_small_tree() {
    let tree = TestTree::new();
    tree.write("a.rs", "fn a() {}\n");
    tree.with_updater(|updater| updater.refresh_text(None, Duration::ZERO, &|_| ()).unwrap());
    assert_eq!((keys(&tree), versions(&tree)), (vec![(false, 1)], (1, 0)));
}

#[test]
fn a_branch_checked_out_meanwhile_is_not_mixed_in() {
    let tree = TestTree::new();
    tree.git("init -q -b main");
    tree.write("a.rs", "fn a() {}\n");
    let committed = tree.workspace.open().ok();
    let switch = |progress: Progress| {
        if progress.stage == Stage::Index {
            std::fs::write(tree.root.join(".git/HEAD"), "ref: refs/heads/topic\n").unwrap();
        }
    };
    let refreshed = tree.with_updater(|updater| updater.refresh(committed.as_ref(), Duration::ZERO, &switch));
    assert!(matches!(refreshed, Err(UpdateError::Switched)), "{refreshed:?}");
    assert!(matches!(tree.workspace.open(), Err(WorkspaceError::Missing { .. })));
    tree.refresh();
    let committed = tree.workspace.open().unwrap();
    assert_eq!(committed.meta.views().next().unwrap().0.head.to_string(), "topic");
}
