//! Links, pipes, unusual names and permissions, which only some systems have.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::*;

fn mkfifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn links_and_special_files_are_rows() {
    let dir = tree("-- a/x.rs\n-- .gitignore\npipe\n");
    let root = dir.path();
    symlink("a", root.join("to-dir")).unwrap();
    symlink("..", root.join("a/loop")).unwrap();
    symlink("a/x.rs", root.join(".to-file")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    mkfifo(&root.join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    check_at(
        root,
        &plain(),
        "a/x.rs
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! .to-file [symlink: to a/x.rs]
         ! a/loop [symlink: to ..]
         ! dangling [symlink: to nowhere]
         ! pipe [special: FIFO]
         ! socket [special: socket]
         ! to-dir [symlink: to a]",
    );
}

#[test]
fn an_ignore_file_is_a_regular_file() {
    let dir = tree("-- rules\na.rs\n-- a.rs\n-- sub/a.rs");
    symlink("rules", dir.path().join(".gitignore")).unwrap();
    mkfifo(&dir.path().join("sub/.ignore"));
    check_at(
        dir.path(),
        &plain(),
        "a.rs
         rules
         sub/a.rs
         ! .gitignore [symlink: to rules]
         ! sub/.ignore [special: FIFO]",
    );
}

#[test]
fn a_root_may_be_a_link() {
    let dir = tree("-- real/a.rs\n-- real/.gitignore\n*.log\n-- real/b.log");
    symlink("real", dir.path().join("link")).unwrap();
    check_at(
        &dir.path().join("link"),
        &plain(),
        "a.rs
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! b.log [ignored: .gitignore:1: *.log]",
    );
}

#[test]
fn odd_names() {
    let dir = tree("-- ok.rs\n-- .gitignore\n*.log");
    fs::write(dir.path().join(OsStr::from_bytes(b"bad\xff.rs")), "").unwrap();
    fs::create_dir(dir.path().join(OsStr::from_bytes(b"dir\xfe"))).unwrap();
    fs::write(dir.path().join("two\nlines.rs"), "").unwrap();
    fs::write(dir.path().join("back\\slash.log"), "").unwrap();
    check_at(
        dir.path(),
        &plain(),
        "ok.rs
         two
         lines.rs
         ! .gitignore [hidden: '.gitignore' begins with a dot]
         ! back\\slash.log [ignored: .gitignore:1: *.log]
         ! bad\u{fffd}.rs [name-not-utf8: its name is \"bad\\xFF.rs\"]
         ! dir\u{fffd}/ [name-not-utf8: its name is \"dir\\xFE\"]",
    );
}

#[test]
fn an_ignore_file_beyond_all_measure_is_reported() {
    let dir = tree("-- a.rs\n-- .gitignore\na.rs");
    let file = fs::OpenOptions::new().write(true).open(dir.path().join(".gitignore")).unwrap();
    file.set_len(1 << 30).unwrap();
    let walked = walk(dir.path(), &plain()).unwrap();
    assert_eq!(
        print(&walked),
        "a.rs\n! .gitignore [unreadable: its rules do not count: it is above 4194304 bytes]\n"
    );
}

#[test]
fn a_folder_that_becomes_a_link_while_it_is_walked_shows_nothing_from_there() {
    let dir = tree("-- root/a/x.rs\n-- root/b.rs\n-- outside/secret.rs\n-- outside/.gitignore\n*.rs");
    let at = |path: &str| dir.path().join(path);
    let swap = |folder: &RelPath| {
        if folder.as_str() == "a" {
            fs::rename(at("root/a"), at("away")).unwrap();
            symlink(at("outside"), at("root/a")).unwrap();
        }
    };
    let exact = WalkOptions { as_ripgrep: Some(AsRipgrep::default()), ..plain() };
    for options in [plain(), exact] {
        let walked = walk(&at("root"), &WalkOptions { on_list: Some(&swap), ..options }).unwrap();
        let shown = print(&walked);
        assert!(shown.starts_with("b.rs\n! a/ [unreadable: ") && shown.lines().count() == 2, "{shown}");
        fs::remove_file(at("root/a")).unwrap();
        fs::rename(at("away"), at("root/a")).unwrap();
    }
}

/// `/dev` and `/dev/shm` are different file systems on most systems.
#[cfg(target_os = "linux")]
#[test]
fn another_file_system_is_left_out_if_asked() {
    use std::os::unix::fs::MetadataExt;

    let device = |path: &str| fs::metadata(path).map(|found| found.dev()).ok();
    let Ok(there) = tempfile::Builder::new().prefix("spyhop").tempdir_in("/dev/shm") else { return };
    if device("/dev") == device("/dev/shm") {
        return;
    }
    fs::write(there.path().join("a.rs"), "").unwrap();
    let path = RelPath::from_path(there.path().strip_prefix("/dev").unwrap()).unwrap().join("a.rs");
    let finds = |root: &Path, folder: Option<&str>, one_file_system: bool| {
        let as_ripgrep = Some(AsRipgrep { one_file_system, ..AsRipgrep::default() });
        let options = WalkOptions { as_ripgrep, no_ignore: true, ..plain() };
        let walked = match folder {
            None => walk(root, &options),
            Some(folder) => walk_below(root, &[RelPath::new(folder).unwrap()], &options),
        };
        walked.unwrap().candidates.iter().any(|found| found.path == path)
    };
    let dev = Path::new("/dev");
    assert_eq!((finds(dev, None, false), finds(dev, None, true)), (true, false));
    // A folder that is named is searched wherever it lies.
    assert!(finds(dev, Some("shm"), true));
}
