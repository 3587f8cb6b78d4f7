//! `spyhop add URL`: repositories on servers of git on loopback.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{Ran, SMALL, Tree, git, ran};
use crate::support::repository;
use crate::support::skipped;

/// A repository `served/keys`, and a library beside it.
struct Served {
    tree: Tree,
}

/// A server, which ends with the test.
struct Server {
    process: Child,
    port: u16,
    /// What the server of HTTP says of its requests.
    log: Arc<Mutex<Vec<String>>>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Served {
    fn new() -> Served {
        let served = Served { tree: Tree::new(SMALL) };
        let top = served.top();
        fs::create_dir_all(top.join("src/inner")).unwrap();
        fs::write(top.join("src/keys.rs"), "pub fn rotate_signing_key() {}\r\n").unwrap();
        fs::write(top.join("src/inner/deep.rs"), "pub fn deep() {}\n").unwrap();
        fs::write(top.join("README.md"), "# Keys\n").unwrap();
        git(&top, &["init", "-q", "-b", "main"]);
        served.commit("one");
        git(&top, &["tag", "-a", "v1", "-m", "the first"]);
        served
    }

    fn path(&self, name: &str) -> PathBuf {
        self.tree.root().parent().unwrap().join(name)
    }

    fn top(&self) -> PathBuf {
        self.path("served/keys")
    }

    fn commit(&self, message: &str) {
        git(&self.top(), &["add", "-A"]);
        git(&self.top(), &["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// The binary, with a configuration of git that is empty at first.
    fn command(&self) -> Command {
        let mut command = self.tree.command();
        command.current_dir(self.path("")).env("GIT_CONFIG_GLOBAL", self.path("gitconfig"));
        command.env("GIT_CONFIG_SYSTEM", "/dev/null").env("HOME", self.path(""));
        for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
            command.env_remove(name);
        }
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        ran(self.command().args(args), "")
    }

    fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    fn serve_http(&self, more: &[&Path]) -> Server {
        let script = repository("tests/support/git_http.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(self.path("served")).args(more).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.next().unwrap().unwrap().parse().unwrap();
        // The server must not be stopped by a full pipe.
        let log: Arc<Mutex<Vec<String>>> = Arc::default();
        let said = Arc::clone(&log);
        std::thread::spawn(move || lines.for_each(|line| said.lock().unwrap().extend(line)));
        Server { process, port, log }
    }

    fn serve_git(&self) -> Server {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // `git daemon` would be its parent, and it would outlive the test.
        let folder = Command::new("git").arg("--exec-path").output().unwrap().stdout;
        let mut command =
            Command::new(Path::new(String::from_utf8(folder).unwrap().trim()).join("git-daemon"));
        command.args(["--export-all", "--reuseaddr", "--listen=127.0.0.1"]);
        command.arg(format!("--port={port}")).arg(format!("--base-path={}", self.path("served").display()));
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(120);
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "git daemon does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Server { process, port, log: Arc::default() }
    }

    fn head(&self) -> String {
        let output =
            Command::new("git").args(["rev-parse", "HEAD"]).current_dir(self.top()).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    }

    fn has_nothing(&self) {
        let listed = self.run(&["library", "list"]);
        assert_eq!(listed.code, 1, "{}", listed.out);
        for folder in ["library/raw", "library/derived", "library/jobs", "library/staging"] {
            let left = fs::read_dir(self.path(folder)).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{folder}");
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[test]
fn a_branch_a_tag_and_a_commit_are_fetched_over_http() {
    let served = Served::new();
    let server = served.serve_http(&[]);
    let url = format!("http://127.0.0.1:{}/keys/.git", server.port);
    let first = served.head();
    let planned = served.json(&["add", &url, "--dry-run"]);
    assert_eq!((text(&planned["commit"]), text(&planned["branch"])), (first.as_str(), "main"));
    assert!(!served.path("library").exists());

    let main = served.json(&["add", &url, "--name", "main"]);
    let source = &main["source"];
    assert_eq!((text(&source["kind"]), text(&source["location"])), ("git", url.as_str()));
    assert_eq!((text(&source["commit"]), text(&source["branch"])), (first.as_str(), "main"));
    let path = PathBuf::from(text(&source["path"]));
    // No line end is converted, and the objects of the commit are not kept.
    assert_eq!(fs::read(path.join("src/keys.rs")).unwrap(), b"pub fn rotate_signing_key() {}\r\n");
    assert!(!path.join(".git").exists() && !served.path("library/staging/acquired").exists());

    fs::write(served.top().join("src/new.rs"), "pub fn added_later() {}\n").unwrap();
    served.commit("two");
    let updated = served.json(&["library", "update", "main"]);
    let row = &updated["sources"][0];
    assert_eq!((text(&row["old_commit"]), text(&row["commit"])), (first.as_str(), served.head().as_str()));
    assert_eq!(served.json(&["library", "update", "main"])["sources"][0]["new"], false);

    let tag = served.json(&["add", &url, "--ref", "v1", "--folder", "src/inner", "--name", "tag"]);
    assert_eq!((text(&tag["source"]["commit"]), &tag["source"]["files"]), (first.as_str(), &1.into()));
    let commit = served.json(&["add", &url, "--ref", &first, "--name", "commit"]);
    assert_eq!((text(&commit["source"]["commit"]), &commit["source"]["files"]), (first.as_str(), &3.into()));
    // The address of a page asks for the references once: its first line is the request for the server's abilities.
    let lines = || server.log.lock().unwrap().iter().filter(|line| line.contains("GET ")).count();
    let before = lines();
    let page = format!("http://reader@127.0.0.1:{}/keys/.git/-/tree/main/src", server.port);
    let planned = served.json(&["add", &page, "--name", "page", "--dry-run"]);
    assert_eq!((text(&planned["location"]), text(&planned["folder"])), (url.as_str(), "src"));
    assert_eq!(lines() - before, 1);
    let refused = served.run(&["add", &page, "--ref", "v1"]);
    assert!(refused.err.contains("names a ref") && !refused.err.contains("reader"), "{}", refused.err);
    let moved = format!("http://127.0.0.1:{}/moved/keys/.git", server.port);
    assert_eq!(text(&served.json(&["add", &moved, "--name", "moved"])["source"]["commit"]), served.head());
}

#[test]
fn a_repository_is_fetched_from_gits_server_and_over_ssh() {
    use std::os::unix::fs::PermissionsExt;

    let served = Served::new();
    let server = served.serve_git();
    let url = format!("git://127.0.0.1:{}/keys", server.port);
    let source = &served.json(&["add", &url, "--name", "daemon"])["source"];
    assert_eq!((text(&source["commit"]), &source["files"]), (served.head().as_str(), &3.into()));

    // The program that stands for `ssh` runs the command here, as a shell of the server would.
    let ssh = served.path("ssh");
    let asked = served.path("asked");
    let script = format!(
        "#!/bin/sh\necho \"$*\" >>'{}'\nwhile ! expr \"$1\" : '.*host.example$' >/dev/null; do shift; done\nshift\nexec sh -c \"$*\"\n",
        asked.display()
    );
    fs::write(&ssh, script).unwrap();
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
    let top = served.top();
    for (name, url) in [
        ("scp", format!("me@host.example:{}", top.display())),
        ("ssh", format!("ssh://me@host.example{}", top.display())),
    ] {
        let ran = ran(served.command().env("GIT_SSH_COMMAND", &ssh).args(["add", &url, "--name", name]), "");
        assert_eq!(ran.code, 0, "{url}: {}", ran.err);
        assert_eq!(text(&served.json(&["library", "show", name])["location"]), url);
    }
    assert!(!fs::read_to_string(served.path("asked")).unwrap().contains("BatchMode"));

    // The usual `ssh` asks nothing.
    fs::create_dir(served.path("bin")).unwrap();
    fs::rename(&ssh, served.path("bin/ssh")).unwrap();
    let paths = format!("{}:{}", served.path("bin").display(), std::env::var("PATH").unwrap());
    let url = format!("me@host.example:{}", top.display());
    let args = ["add", &url, "--name", "usual", "--ref", "v1"];
    let ran = ran(served.command().env("PATH", paths).args(args), "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let asked = fs::read_to_string(served.path("asked")).unwrap();
    assert!(asked.lines().last().unwrap().starts_with("-o BatchMode=yes "), "{asked}");
}

#[test]
fn nothing_of_a_repository_is_run() {
    let served = Served::new();
    let (mark, top) = (served.path("was-run"), served.top());
    let run = format!("touch '{}'", mark.display());
    fs::write(top.join(".gitattributes"), "*.rs filter=mark\n").unwrap();
    fs::write(
        top.join(".gitmodules"),
        "[submodule \"m\"]\n\tpath = m\n\turl = ext::sh -c touch\n\tupdate = !touch x\n",
    )
    .unwrap();
    let object = served.head();
    git(&top, &["update-index", "--add", "--cacheinfo", &format!("160000,{object},m")]);
    git(&top, &["add", ".gitattributes", ".gitmodules"]);
    git(&top, &["commit", "-q", "-m", "two"]);
    // The filters and hooks of the user belong to the checkouts of the user.
    let hooks = served.path("hooks");
    fs::create_dir(&hooks).unwrap();
    let config = format!(
        "[filter \"mark\"]\n\tsmudge = \"{run}; cat\"\n\tclean = \"{run}; cat\"\n[core]\n\thooksPath = {}\n\tfsmonitor = \"{run}\"\n",
        hooks.display()
    );
    for hook in ["post-checkout", "reference-transaction", "post-merge"] {
        fs::write(hooks.join(hook), format!("#!/bin/sh\n{run}\n")).unwrap();
        fs::set_permissions(hooks.join(hook), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    fs::write(served.path("gitconfig"), config).unwrap();
    let server = served.serve_http(&[]);
    let source = &served.json(&["add", &format!("http://127.0.0.1:{}/keys/.git", server.port)])["source"];
    assert_eq!(source["left_out"][0], serde_json::json!({ "path": "m", "reason": "a submodule" }));
    assert!(!mark.exists());
}

#[test]
fn errors_of_servers_say_what_to_do() {
    let served = Served::new();
    let server = served.serve_http(&[]);
    let at = |path: &str| format!("http://127.0.0.1:{}/{path}", server.port);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let check = |args: &[&str], parts: &[&str]| {
        let ran = served.run(&[&["add"], args].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        for part in parts {
            assert!(ran.err.contains(part), "{args:?}: {part}: {}", ran.err);
        }
        assert!(!ran.err.contains("secret"), "{}", ran.err);
        served.has_nothing();
    };
    check(&[&format!("http://127.0.0.1:{closed}/keys")], &["cannot be reached", "onnect to", "try again"]);
    check(&["http://host.invalid/keys"], &["'http://host.invalid/keys' cannot be reached"]);
    check(&[&at("nothing")], &["there is no git repository at", "not found"]);
    // To git, a page without lines is a repository without references.
    check(&[&at("page/keys")], &["/page/keys'", "lists no commits", "git clone"]);
    check(&[&at("private/keys/.git")], &["refuses access", "credential helper"]);
    // A redirection leads neither to a file nor to another protocol.
    check(&[&at("file/keys/.git")], &["cannot be reached", "rotocol"]);
    check(&[&at("keys/.git"), "--ref", "v2"], &["has no branch or tag 'v2'; choose v1, "]);
    check(&[&at("keys/.git"), "--ref", &"0".repeat(40)], &["keys/.git'"]);
    check(&[&at("keys/.git"), "--folder", "none"], &["'none'"]);
    check(&[&format!("http://me:secret@127.0.0.1:{}/keys/.git", server.port)], &["it has a password"]);
    check(&["ssh://-oProxyCommand=touch/x"], &["-oProxyCommand"]);
    let without_git = ran(served.command().env("PATH", "").args(["add", &at("keys/.git")]), "");
    assert_eq!(without_git.code, 2);
    assert!(without_git.err.contains("'git' cannot be started") && without_git.err.contains("install Git"));
    served.has_nothing();
}

#[test]
fn a_server_that_stalls_holds_no_lock_and_a_killed_import_is_resumed() {
    let served = Served::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("git://127.0.0.1:{}/keys", listener.local_addr().unwrap().port());
    let (top, (sender, events)) = (served.top(), mpsc::channel());
    std::thread::spawn(move || {
        for (number, mut stream) in listener.incoming().map(Result::unwrap).enumerate() {
            // The first connection asks for the references, the second one for the commit.
            if number != 1 {
                upload_pack(&top, stream);
                continue;
            }
            sender.send("stalled").unwrap();
            let _ = stream.read_to_end(&mut Vec::new());
            sender.send("ended").unwrap();
        }
    });
    let next = || events.recv_timeout(Duration::from_secs(120)).unwrap();
    let mut add = served.command();
    add.args(["add", &url, "--name", "slow"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut add = add.spawn().unwrap();
    assert_eq!(next(), "stalled");
    fs::create_dir(served.path("other")).unwrap();
    fs::write(served.path("other/a.rs"), "pub fn a() {}\n").unwrap();
    served.json(&["add", "other", "--name", "other"]);
    let again = served.run(&["add", &url]);
    assert!(again.code == 2 && again.err.contains("'slow' is in use"), "{}", again.err);
    let taken = served.run(&["library", "rename", "other", "slow"]);
    assert!(taken.code == 2 && taken.err.contains("is taken"), "{}", taken.err);
    add.kill().unwrap();
    add.wait().unwrap();
    if cfg!(target_os = "linux") {
        assert_eq!(next(), "ended");
    }
    let resumed = served.json(&["add", &url]);
    assert_eq!(text(&resumed["source"]["commit"]), served.head());
    assert_eq!(text(&resumed["source"]["name"]), "slow");
    assert_eq!(fs::read_dir(served.path("library/staging")).unwrap().count(), 0);
}

/// Serves one request of git's protocol.
fn upload_pack(top: &Path, mut stream: TcpStream) {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let length = usize::from_str_radix(std::str::from_utf8(&length).unwrap(), 16).unwrap();
    stream.read_exact(&mut vec![0; length - 4]).unwrap();
    let output = stream.try_clone().unwrap();
    let mut command = Command::new("git");
    command.arg("upload-pack").arg(top).stderr(Stdio::null());
    command.stdin(Stdio::from(OwnedFd::from(stream))).stdout(Stdio::from(OwnedFd::from(output)));
    command.status().unwrap();
}

#[test]
fn a_full_disk_is_reported_as_such() {
    let served = Served::new();
    let numbers: String =
        (0..200_000).map(|number: u64| format!("{}\n", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    fs::write(served.top().join("numbers.txt"), numbers).unwrap();
    served.commit("two");
    let server = served.serve_http(&[]);
    let url = format!("http://127.0.0.1:{}/keys/.git", server.port);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -f 200; exec \"$0\" \"$@\""]).arg(served.command().get_program());
    command.args(["add", &url, "--library"]).arg(served.path("library")).current_dir(served.path(""));
    let ran = ran(&mut command, "");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("write the fetched files to") && ran.err.contains("file too large"),
        "{}",
        ran.err
    );
    served.has_nothing();
}

#[test]
fn credentials_come_from_gits_helpers_and_are_neither_stored_nor_shown() {
    let served = Served::new();
    let (key, certificate) = (served.path("key.pem"), served.path("certificate.pem"));
    let mut make = Command::new("openssl");
    make.args("req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost".split(' '));
    make.args("-addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE".split(' '));
    make.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
    if !make.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        skipped("openssl is not installed");
        return;
    }
    let server = served.serve_http(&[&certificate, &key]);
    let url = format!("https://localhost:{}/private/keys/.git", server.port);
    let add = |served: &Served| {
        ran(served.command().env("GIT_SSL_CAINFO", &certificate).args(["add", &url, "-v"]), "")
    };
    let untrusted = served.run(&["add", &url]);
    assert!(untrusted.code == 2 && untrusted.err.contains("cannot be reached"), "{}", untrusted.err);
    let refused = add(&served);
    assert!(refused.code == 2 && refused.err.contains("refuses access"), "{}", refused.err);

    let helper = served.path("helper");
    let log = served.path("helper-log");
    let script = format!(
        "#!/bin/sh\necho \"$1\" >>'{}'\ntest \"$1\" = get && printf 'username=reader\\npassword=open sesame\\n'\n",
        log.display()
    );
    fs::write(&helper, script).unwrap();
    fs::set_permissions(&helper, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::write(served.path("gitconfig"), format!("[credential]\n\thelper = {}\n", helper.display())).unwrap();
    let added = add(&served);
    assert_eq!(added.code, 0, "{}", added.err);
    assert!(!added.err.contains("sesame") && !added.out.contains("sesame"));
    // Another server gets no credentials, although the first one redirects to it: with credentials, that server answers 400. Git
    // does not follow a redirection that comes only after credentials any further.
    let away = format!("https://localhost:{}/away/keys/.git", server.port);
    let args = ["add", &away, "--name", "away"];
    let fetched = ran(served.command().env("GIT_SSL_CAINFO", &certificate).args(args), "");
    assert!(fetched.code == 2 && fetched.err.contains("error: 302"), "{}", fetched.err);
    assert!(!fetched.err.contains("error: 400"), "{}", fetched.err);
    // As after a clone, git tells the helper that its credentials were accepted.
    let calls = fs::read_to_string(&log).unwrap();
    assert!(calls.lines().all(|call| matches!(call, "get" | "store")), "{calls}");
    let plain = format!("https://localhost:{}/plain/keys/.git", server.port);
    let args = ["add", &plain, "--name", "plain"];
    let refused = ran(served.command().env("GIT_SSL_CAINFO", &certificate).args(args), "");
    assert!(refused.code == 2 && refused.err.contains("rotocol"), "{}", refused.err);
    let mut folders = vec![served.path("library")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    assert!(!String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).contains("sesame"))
                }
            }
        }
    }
}
