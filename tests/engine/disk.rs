//! Disks that are full, that cannot be written, and folders that are closed: a typed error, the last commit answers,
//! and once there is room the next run does what the failed one could not.
//!
//! The small disks are tmpfs mounts in a mount namespace of the test, which ends with the test: the test starts itself
//! again below `unshare`. As root that always works; for others it takes user namespaces. Where neither is allowed, the
//! tests say in capitals that they proved nothing.

use std::path::PathBuf;
use std::process::Command;

use spyhop_engine::Engine;
use spyhop_engine::api::{OnMissing, Options, SearchReply, SearchRequest, StalePolicy};

use super::{Random, Tree, generated, refresh};
use crate::support::Ran;
use crate::support::{cases, skipped, unprivileged};

const INSIDE: &str = "SPYHOP_TEST_IN_NAMESPACE";

/// Runs `test`, which is called `name`, where it may mount.
fn with_mounts(name: &str, test: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return test();
    }
    let mut unshare = Command::new("unshare");
    // SAFETY: it only asks who this process is.
    unshare.arg(if unsafe { libc::geteuid() } == 0 { "-m" } else { "-rm" });
    let mut trial = Command::new(unshare.get_program());
    trial.args(unshare.get_args()).args(["mount", "-t", "tmpfs", "none", "/mnt"]);
    if !trial.output().is_ok_and(|output| output.status.success()) {
        skipped(&format!("{name}: this user may not mount a file system"));
        return;
    }
    unshare.arg(std::env::current_exe().unwrap());
    unshare.args(["--exact", &format!("engine::disk::{name}"), "--nocapture"]).env(INSIDE, "1");
    let output = unshare.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && shown.contains("1 passed"),
        "{shown}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A tree whose index lies on a separate disk.
struct OnDisk {
    tree: Tree,
}

impl OnDisk {
    fn new(kib: usize) -> OnDisk {
        let mut random = Random(5);
        let tree = Tree::new("");
        for number in 0..FILES {
            let (path, text) = generated(number, &mut random);
            tree.write(&path, text.repeat(8));
        }
        tree.write("state.rs", "/// qxfirstqx\nfn state() {}\n");
        std::fs::create_dir(tree.index_dir()).unwrap();
        let disk = OnDisk { tree };
        disk.mount(&["-t", "tmpfs", "-o", &format!("size={kib}k"), "none"]);
        disk
    }

    fn mount(&self, args: &[&str]) {
        let mut mount = Command::new("mount");
        let output = mount.args(args).arg(self.tree.index_dir()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn resize(&self, kib: usize) {
        self.mount(&["-o", &format!("remount,size={kib}k")]);
    }

    /// What lies there, in KiB.
    fn used(&self) -> usize {
        let output = Command::new("du").arg("-sk").arg(self.tree.index_dir()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Every file changes, and `state.rs` says so.
    fn change(&self) {
        let mut random = Random(6);
        for number in 0..FILES {
            let (path, text) = generated(number, &mut random);
            self.tree.write(&path, text.repeat(9));
        }
        self.tree.write("state.rs", "/// qxsecondqx\nfn state() {}\n");
    }

    fn engine(&self, stale_policy: StalePolicy) -> Engine {
        let index_dir = Some(self.tree.index_dir());
        let on_missing = OnMissing::Fail;
        let options = Options { index_dir, stale_policy, on_missing, threads: Some(1), ..Options::default() };
        Engine::open(self.tree.root(), options).unwrap()
    }

    fn run(&self, args: &[&str]) -> Ran {
        self.tree.run(&[args, &["--index-dir", self.tree.index_dir().to_str().unwrap()]].concat())
    }

    fn index(&self) -> Ran {
        self.run(&["index", "--quiet", "--threads", "1"])
    }

    /// The kind of error that indexing gives, for a program and for a shell.
    fn refusal(&self) -> &'static str {
        let ran = self.index();
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.starts_with("spyhop: ") && !ran.err.contains("panicked"), "{}", ran.err);
        let error = self.engine(StalePolicy::Ignore).refresh(&|_| ()).unwrap_err();
        error.kind().name()
    }

    fn total(&self, stale_policy: StalePolicy, word: &str) -> usize {
        self.ask(stale_policy, word).total
    }

    fn ask(&self, stale_policy: StalePolicy, word: &str) -> SearchReply {
        self.engine(stale_policy).search(&SearchRequest::new(word)).unwrap()
    }

    /// The commit of before answers, however it is asked, and whoever wants it fresh is told that it is not.
    fn old_answers(&self) {
        for policy in [StalePolicy::Ignore, StalePolicy::Refresh] {
            let reply = self.ask(policy, "qxfirstqx");
            assert_eq!((reply.total, reply.snapshot.indexed_files), (1, FILES + 1), "{policy:?}");
            assert_eq!(reply.warnings.is_empty(), policy == StalePolicy::Ignore, "{:?}", reply.warnings);
            assert_eq!(self.total(policy, "qxsecondqx"), 0, "{policy:?}");
        }
        let ran = self.run(&["search", "qxfirstqx"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.out.contains("state.rs") && ran.err.contains("last commit"), "{}{}", ran.out, ran.err);
    }

    /// There is nothing to answer from, or a part of the files, and the answer says so.
    fn is_none_or_partial(&self) {
        match self.engine(StalePolicy::Ignore).search(&SearchRequest::new("qxsecondqx")) {
            Err(error) => assert_eq!(error.kind().name(), "no-index", "{error}"),
            Ok(reply) => {
                assert!(!reply.literal_complete && reply.snapshot.building.is_some(), "{:?}", reply.snapshot)
            }
        }
    }

    /// The next run does it, and the new state answers.
    fn recovers(&self, files: &str) {
        let ran = self.index();
        assert_eq!(ran.code, 0, "{files}: {}", ran.err);
        assert_eq!(self.total(StalePolicy::Ignore, "qxsecondqx"), 1, "{files}");
        assert_eq!(self.total(StalePolicy::Ignore, "qxfirstqx"), 0, "{files}");
    }
}

const PLENTY: usize = 200_000;

const FILES: usize = 40;

/// What each failure is called.
const FULL: &str = "disk-full";
const READ_ONLY: &str = "read-only";
const PERMISSION: &str = "permission";

#[test]
fn a_full_disk_leaves_the_last_commit_answering_and_a_first_index_missing() {
    with_mounts("a_full_disk_leaves_the_last_commit_answering_and_a_first_index_missing", || {
        let disk = OnDisk::new(PLENTY);
        assert_eq!(disk.index().code, 0);
        let before = disk.used();
        for share in 0..cases(1, 3) {
            // Every file changes, which takes as much room again.
            disk.resize(before + before * share / 10);
            disk.change();
            assert_eq!(disk.refusal(), FULL);
            disk.old_answers();
        }
        disk.resize(PLENTY);
        disk.recovers("with room again");
        let first = OnDisk::new(4 + before / 2);
        first.change();
        assert_eq!(first.refusal(), FULL);
        first.is_none_or_partial();
        first.resize(PLENTY);
        first.recovers("a first index");
    });
}

#[test]
fn a_disk_that_cannot_be_written_answers() {
    with_mounts("a_disk_that_cannot_be_written_answers", || {
        let disk = OnDisk::new(PLENTY);
        assert_eq!(disk.index().code, 0);
        disk.mount(&["-o", "remount,ro"]);
        // Nothing has to be written as long as nothing changed.
        let reply = disk.ask(StalePolicy::Refresh, "qxfirstqx");
        assert_eq!((reply.total, reply.warnings.len()), (1, 0), "{:?}", reply.warnings);
        disk.change();
        assert_eq!(disk.refusal(), READ_ONLY);
        disk.old_answers();
        disk.mount(&["-o", "remount,rw"]);
        disk.recovers("written again");
    });
}

/// Modes of `path` and of all that lies in it: folders get `folders`, files `files`.
fn close(path: &PathBuf, folders: u32, files: u32) {
    use std::os::unix::fs::PermissionsExt;
    let set = |mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    if !path.is_dir() {
        return set(files);
    }
    set(0o700);
    for entry in std::fs::read_dir(path).unwrap() {
        close(&entry.unwrap().path(), folders, files);
    }
    set(folders);
}

#[test]
fn a_closed_folder_is_named() {
    let tree = Tree::new("\n=== state.rs\n/// qxfirstqx\nfn state() {}");
    let open = |stale_policy| {
        let options = Options { stale_policy, on_missing: OnMissing::Fail, ..super::options(&tree) };
        Engine::open(tree.root(), options).unwrap()
    };
    let total = |policy, word: &str| open(policy).search(&SearchRequest::new(word)).unwrap().total;
    refresh(&open(StalePolicy::Ignore));
    // May be read and not written: answers as ever.
    close(&tree.index_dir(), 0o500, 0o400);
    unprivileged(|| {
        assert_eq!(total(StalePolicy::Refresh, "qxfirstqx"), 1);
        tree.write("state.rs", "/// qxsecondqx\nfn state() {}\n");
        let error = open(StalePolicy::Ignore).refresh(&|_| ()).unwrap_err();
        assert_eq!(error.kind().name(), PERMISSION, "{error}");
        assert!(error.to_string().contains(tree.index_dir().to_str().unwrap()), "{error}");
        let reply = open(StalePolicy::Refresh).search(&SearchRequest::new("qxfirstqx")).unwrap();
        assert_eq!((reply.total, reply.warnings.len()), (1, 1), "{:?}", reply.warnings);
    });
    // May not even be read.
    close(&tree.index_dir(), 0o000, 0o000);
    unprivileged(|| {
        let kind = match Engine::open(tree.root(), super::options(&tree)) {
            Ok(engine) => engine.search(&SearchRequest::new("qxfirstqx")).unwrap_err().kind(),
            Err(error) => error.kind(),
        };
        assert_eq!(kind.name(), PERMISSION);
    });
    close(&tree.index_dir(), 0o700, 0o600);
    refresh(&open(StalePolicy::Ignore));
    assert_eq!((total(StalePolicy::Ignore, "qxfirstqx"), total(StalePolicy::Ignore, "qxsecondqx")), (0, 1));
}
