//! Limits of the system: too few threads, a small stack, a limit of file sizes, a current folder that has gone, an index
//! that may not be read. Each is an error that says so, or no error at all; none is a crash, and none is called damage.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{SMALL, Tree};
use crate::support::is_root;

/// Gives the command a limit of the system, by its number.
pub fn limit(command: &mut Command, limit: u32, most: u64) {
    let set = move || {
        let most = libc::rlimit { rlim_cur: most, rlim_max: most };
        // SAFETY: it sets a limit of the process that is about to begin.
        match unsafe { libc::setrlimit(limit as _, &most) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    };
    // SAFETY: between fork and exec the closure makes one system call.
    unsafe { command.pre_exec(set) };
}

/// Runs the command with such a limit.
fn limited(command: &mut Command, number: u32, most: u64) -> Output {
    limit(command, number, most);
    command.stdin(Stdio::null()).output().unwrap()
}

/// Standard output and standard error of a run that no signal has ended.
fn told(what: &str, output: &Output) -> (Option<i32>, String, String) {
    assert_eq!(output.status.signal(), None, "{what}: {}", String::from_utf8_lossy(&output.stderr));
    let [out, err] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    for word in ["panicked", "damaged", "fault of the program"] {
        assert!(!err.contains(word), "{what}: {err}");
    }
    (output.status.code(), out, err)
}

/// Gives a tree with its index to a user, and lets that user reach it.
pub fn give(tree: &Tree, uid: u32) {
    let folder = tree.root().parent().unwrap().to_path_buf();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let status = Command::new("chown").args(["-R", &uid.to_string()]).arg(&folder).status().unwrap();
    assert!(status.success());
}

#[cfg(target_os = "linux")]
#[test]
fn too_few_threads_are_an_error_that_says_so() {
    if !is_root("too_few_threads_are_an_error_that_says_so") {
        return;
    }
    let uid = 100_000 + std::process::id();
    let mut errors = 0;
    // What is counted are the threads of that user, who has no other.
    for threads in 1..=6 {
        let tree = Tree::new(SMALL);
        for number in 0..40 {
            tree.write(&format!("many/part_{number}.rs"), format!("pub fn part_{number}() {{}}\n"));
        }
        tree.run(&["index", "-q"]);
        tree.write("src/new.rs", "pub fn brand_new_circle() {}\n");
        give(&tree, uid);
        let home = tree.root();
        let run = |args: &[&str]| {
            let mut command = tree.command();
            command.args(args).env("HOME", &home).uid(uid).gid(uid);
            let output = limited(&mut command, libc::RLIMIT_NPROC, threads);
            told(&format!("{threads} threads, {args:?}"), &output)
        };
        let (code, out, err) = run(&["grep", "circle"]);
        assert_eq!((code, out.lines().count()), (Some(0), 3), "{threads}: {out}{err}");
        let (code, _, err) = run(&["mcp"]);
        assert!(code == Some(0) || err.contains("no further thread"), "{threads}: {code:?} {err}");
        let (code, out, err) = run(&["files", "part_39"]);
        assert!(
            code == Some(0) && out.contains("part_39.rs") || err.contains("no further thread"),
            "{out}{err}"
        );
        for args in [&["draw a circle"][..], &["index", "--rebuild"], &["index"], &["gc"], &["doctor"]] {
            let (code, _, err) = run(args);
            match code {
                Some(0) => {}
                Some(2) => {
                    assert!(
                        err.contains("no further thread") && err.contains("ulimit -u"),
                        "{args:?}: {err}"
                    );
                    errors += 1;
                }
                other => panic!("{threads} threads, {args:?}: {other:?} {err}"),
            }
        }
    }
    println!("limits: {errors} errors");
    assert!(errors > 0, "the limit was not met");
}

#[test]
fn a_limit_of_file_sizes_is_a_full_disk() {
    let tree = Tree::new(SMALL);
    let text: String = (0..20_000).map(|number| format!("pub fn number_{number}() {{}}\n")).collect();
    tree.write("src/large.rs", text);
    let mut errors = 0;
    for blocks in [0, 1, 4, 16, 64] {
        let mut command = tree.command();
        let output = limited(command.args(["index", "-q"]), libc::RLIMIT_FSIZE, blocks * 1024);
        let (code, _, err) = told(&format!("{blocks} KiB"), &output);
        if code == Some(2) {
            assert!(err.contains("raise the limit of file sizes"), "{blocks} KiB: {err}");
            errors += 1;
        }
    }
    assert!(errors >= 3, "the limit was not met");
    // Without it the next run does what those could not.
    assert_eq!(tree.paths(&["number_7"])[0], "src/large.rs");
}

#[test]
fn a_small_stack_is_enough() {
    let tree = Tree::new(SMALL);
    for kib in [64, 128, 1024] {
        for args in [&["index", "-q"][..], &["draw a circle", "--json"], &["grep", "circle"], &["--help"]] {
            let mut command = tree.command();
            let output = limited(command.args(args), libc::RLIMIT_STACK, kib * 1024);
            let (code, _, err) = told(&format!("{kib} KiB, {args:?}"), &output);
            assert_eq!(code, Some(0), "{kib} KiB, {args:?}: {err}");
        }
    }
}

#[test]
fn a_current_folder_that_has_gone_or_lies_behind_a_closed_one_is_named() {
    let tree = Tree::new(SMALL);
    let gone = tree.root().join("gone");
    let check = |script: &str, folder: &Path, why: &str, uid: Option<u32>| {
        for args in [&["circle"][..], &["grep", "circle"], &["status"], &["mcp"]] {
            let mut command = Command::new("sh");
            command
                .current_dir(tree.root())
                .args(["-c", script])
                .arg(env!("CARGO_BIN_EXE_spyhop"))
                .args(args);
            uid.into_iter().for_each(|uid| _ = command.uid(uid));
            let output = command.stdin(Stdio::null()).output().unwrap();
            let (code, _, err) = told(&format!("{args:?}"), &output);
            let expected = format!("the current folder '{}' cannot be used: {why}", folder.display());
            assert!(code == Some(2) && err.contains(&expected), "{args:?}: {err}");
            std::fs::set_permissions(tree.root(), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    };
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" \"$@\"";
    check(script, &gone, "it has been deleted", None);
    if is_root("a_current_folder_that_has_gone_or_lies_behind_a_closed_one_is_named") {
        give(&tree, 54_321);
        let script = "cd src && chmod 000 .. && exec \"$0\" \"$@\"";
        check(script, &tree.root().join("src"), "Permission denied", Some(54_321));
    }
}

#[test]
fn grep_does_without_an_index_that_may_not_be_read() {
    if !is_root("grep_does_without_an_index_that_may_not_be_read") {
        return;
    }
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    give(&tree, 54_321);
    let close = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
    let workspace = std::fs::read_dir(tree.index_dir()).unwrap().next().unwrap().unwrap().path();
    let data = std::fs::read_dir(&workspace).unwrap().map(|entry| entry.unwrap().path());
    let data = data.filter(|path| path.join("tantivy").is_dir()).collect::<Vec<_>>();
    let closed = [&data[0].join("tantivy/meta.json"), &data[0], &workspace.join("WORKSPACE"), &workspace];
    for path in closed {
        close(path);
        let run = |args: &[&str]| {
            let output = tree.command().args(args).uid(54_321).stdin(Stdio::null()).output().unwrap();
            told(&format!("{args:?} without {}", path.display()), &output)
        };
        let (code, out, err) = run(&["grep", "draw_circle"]);
        assert_eq!((code, out.as_str()), (Some(0), "src/paint.py:def draw_circle(radius):\n"), "{err}");
        assert!(err.contains("warning: every file was read, because the index cannot be"), "{path:?}: {err}");
        let (code, _, err) = run(&["draw a circle"]);
        assert!(code == Some(2) && err.contains("Permission denied"), "{path:?}: {err}");
    }
}

/// Everything below a folder, with its mode.
fn modes(folder: &Path, found: &mut Vec<(String, u32, bool)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let meta = entry.metadata().unwrap();
        found.push((entry.path().display().to_string(), meta.mode() & 0o777, meta.is_dir()));
        if meta.is_dir() {
            modes(&entry.path(), found);
        }
    }
}

#[test]
fn an_index_is_its_owners_alone_whatever_the_umask() {
    for mask in [0o000, 0o022, 0o077] {
        let tree = Tree::new(SMALL);
        let run = |args: &[&str]| {
            let mut command = tree.command();
            // SAFETY: between fork and exec the closure makes one system call, which cannot fail.
            unsafe {
                command.pre_exec(move || {
                    libc::umask(mask);
                    Ok(())
                })
            };
            assert!(command.args(args).stdin(Stdio::null()).output().unwrap().status.success(), "{args:?}");
        };
        run(&["index", "-q"]);
        run(&["draw a circle"]);
        run(&["touch", "src/auth.rs"]);
        let mut found = Vec::new();
        modes(&tree.index_dir(), &mut found);
        assert!(found.iter().any(|(path, ..)| path.contains("/used/")), "{found:?}");
        for (path, mode, is_dir) in found {
            assert_eq!(mode, if is_dir { 0o700 } else { 0o600 }, "umask {mask:03o}: {path}");
        }
    }
}
