//! Hostile and broken servers on loopback, which speak the protocol of git's port.

use std::io::{BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::*;

const ID: &str = "1111111111111111111111111111111111111111";

/// Limits that no honest test reaches, for calls that a test ends by one of them.
fn limits() -> RemoteLimits {
    let long = Duration::from_secs(3600);
    let mut limits = RemoteLimits::default();
    for call in [&mut limits.listing, &mut limits.fetch] {
        (call.whole, call.idle) = (long, long);
    }
    limits
}

/// A repository whose server gives every connection to `answer`. The receiver gets a message when `answer` has returned.
fn served(
    limits: RemoteLimits,
    answer: impl Fn(TcpStream) -> std::io::Result<()> + Send + 'static,
) -> (RemoteRepository, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("git://127.0.0.1:{}/a", listener.local_addr().unwrap().port());
    let (sender, ended) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let _ = answer(stream);
            let _ = sender.send(());
        }
    });
    (RemoteRepository { limits, ..RemoteRepository::parse(&url).unwrap() }, ended)
}

/// The text of a packet; `None` at the end of a section.
fn packet(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut head = [0; 4];
    stream.read_exact(&mut head)?;
    let length = usize::from_str_radix(std::str::from_utf8(&head).unwrap(), 16).unwrap();
    if length < 4 {
        return Ok(None);
    }
    let mut text = vec![0; length - 4];
    stream.read_exact(&mut text)?;
    Ok(Some(String::from_utf8_lossy(&text).into_owned()))
}

fn packed(text: &[u8]) -> Vec<u8> {
    [format!("{:04x}", text.len() + 4).as_bytes(), text].concat()
}

/// Advertises one branch, and answers its fetch up to the pack.
fn begin_fetch(stream: &mut TcpStream, abilities: &str) -> std::io::Result<()> {
    packet(stream)?;
    stream.write_all(&packed(format!("{ID} HEAD\0shallow {abilities}\n").as_bytes()))?;
    stream.write_all(&packed(format!("{ID} refs/heads/main\n").as_bytes()))?;
    stream.write_all(b"0000")?;
    while packet(stream)?.is_some() {}
    stream.write_all(&packed(format!("shallow {ID}").as_bytes()))?;
    stream.write_all(b"0000")?;
    while packet(stream)?.is_none_or(|text| !text.starts_with("done")) {}
    stream.write_all(&packed(b"NAK\n"))
}

/// The beginning of a pack with one file of that many bytes, up to its compressed content.
fn pack_of_file(bytes: u64) -> Vec<u8> {
    let mut pack = b"PACK\0\0\0\x02\0\0\0\x01".to_vec();
    let mut rest = bytes >> 4;
    pack.push(0x30 | (bytes & 15) as u8 | if rest > 0 { 0x80 } else { 0 });
    while rest > 0 {
        let more = rest >> 7;
        pack.push((rest & 127) as u8 | if more > 0 { 0x80 } else { 0 });
        rest = more;
    }
    pack
}

fn list(repository: &RemoteRepository) -> RemoteError {
    repository.references(None, &|| false).unwrap_err()
}

fn fetch(repository: &RemoteRepository) -> RemoteError {
    let folder = tempfile::tempdir().unwrap();
    repository.fetch("refs/heads/main", &folder.path().join("a"), &|_| (), &|| false).unwrap_err()
}

fn is_above(error: &RemoteError, expected: &str) -> bool {
    matches!(error, RemoteError::TooLarge { what, .. } if *what == expected)
}

#[test]
fn a_silent_server_is_given_up_and_its_connection_ends() {
    let mut limits = limits();
    limits.fetch.idle = Duration::from_millis(300);
    let silent = |mut stream: TcpStream| stream.read_to_end(&mut Vec::new()).map(drop);
    let (repository, ended) = served(limits, silent);
    let error = fetch(&repository);
    let expected = "is given up: the server has sent less than 1024 bytes in 0.3 seconds; try again";
    assert!(
        matches!(error, RemoteError::TimedOut { .. }) && error.to_string().ends_with(expected),
        "{error}"
    );
    ended.recv_timeout(Duration::from_secs(600)).expect("git still runs");
    // A message now and then is too little.
    limits.fetch.idle_bytes = 1 << 30;
    let (repository, ended) = served(limits, |mut stream| {
        begin_fetch(&mut stream, "side-band-64k")?;
        stream.set_read_timeout(Some(Duration::from_millis(10)))?;
        while stream.read(&mut [0]).is_err() {
            stream.write_all(&packed(b"\x02wait\n"))?;
        }
        Ok(())
    });
    assert!(fetch(&repository).to_string().contains("has sent less than 1073741824 bytes"));
    ended.recv_timeout(Duration::from_secs(600)).expect("git still runs");
}

#[test]
fn a_server_that_sends_a_byte_now_and_then_is_given_up() {
    let mut limits = limits();
    limits.listing.whole = Duration::from_millis(500);
    let (repository, ended) = served(limits, |mut stream| {
        packet(&mut stream)?;
        stream.write_all(b"fff0")?;
        // The pause between two bytes: git sends nothing.
        stream.set_read_timeout(Some(Duration::from_millis(10)))?;
        while stream.read(&mut [0]).is_err() {
            stream.write_all(b"x")?;
        }
        Ok(())
    });
    let error = list(&repository);
    let expected = "has not sent everything within 0.5 seconds";
    assert!(matches!(error, RemoteError::TimedOut { .. }) && error.to_string().contains(expected), "{error}");
    ended.recv_timeout(Duration::from_secs(600)).expect("git still runs");
}

#[test]
fn references_without_end_are_refused() {
    let mut limits = limits();
    limits.listing.memory_bytes = 64 << 20;
    let (repository, ended) = served(limits, |mut stream| {
        packet(&mut stream)?;
        let mut to = BufWriter::new(stream);
        to.write_all(&packed(format!("{ID} HEAD\0shallow\n").as_bytes()))?;
        (0u64..).try_for_each(|number| {
            to.write_all(&packed(format!("{ID} refs/heads/{number:060}\n").as_bytes()))
        })
    });
    let error = list(&repository);
    assert!(is_above(&error, "bytes of memory"), "{error}");
    ended.recv_timeout(Duration::from_secs(600)).expect("git still runs");
    let error =
        fetch(&RemoteRepository { limits: RemoteLimits { fetch: limits.listing, ..limits }, ..repository });
    assert!(is_above(&error, "bytes of memory"), "{error}");
}

#[test]
fn lists_are_limited_in_bytes_and_lines() {
    let answer = |mut stream: TcpStream| {
        packet(&mut stream)?;
        stream.write_all(&packed(format!("{ID} HEAD\0shallow\n").as_bytes()))?;
        (0..1000).try_for_each(|number| {
            stream.write_all(&packed(format!("{ID} refs/heads/{number}\n").as_bytes()))
        })?;
        stream.write_all(b"0000")?;
        stream.read_to_end(&mut Vec::new()).map(drop)
    };
    let mut short = limits();
    short.listing.answer_bytes = 10_000;
    let error = list(&served(short, answer).0);
    assert!(is_above(&error, "bytes of references"), "{error}");
    let low = RemoteLimits { references: 999, ..limits() };
    assert!(is_above(&list(&served(low, answer).0), "branches and tags"));
    assert_eq!(served(limits(), answer).0.references(None, &|| false).unwrap().len(), 1001);
}

#[test]
fn a_damaged_pack_is_not_blamed_on_the_network() {
    let (repository, _ended) = served(limits(), |mut stream| {
        begin_fetch(&mut stream, "")?;
        stream.write_all(&pack_of_file(5))?;
        stream.write_all(b"this is not compressed")?;
        stream.shutdown(std::net::Shutdown::Write)?;
        stream.read_to_end(&mut Vec::new()).map(drop)
    });
    let error = fetch(&repository);
    assert!(matches!(error, RemoteError::BadAnswer { what: "a damaged pack", .. }), "{error}");
    let (repository, _ended) = served(limits(), |mut stream| {
        packet(&mut stream)?;
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n")
    });
    let error = list(&repository);
    assert!(matches!(error, RemoteError::BadAnswer { .. }), "{error}");
}

#[test]
fn a_pack_without_end_and_one_that_needs_much_memory_are_refused() {
    let mut small = limits();
    small.fetch.disk_bytes = 4 << 20;
    let (repository, ended) = served(small, |mut stream| {
        begin_fetch(&mut stream, "")?;
        stream.write_all(&pack_of_file(1 << 40))?;
        // Blocks that are stored and not compressed.
        stream.write_all(&[0x78, 0x01])?;
        let block = [&[0, 0xff, 0xff, 0, 0][..], &[b'x'; 0xffff]].concat();
        loop {
            stream.write_all(&block)?;
        }
    });
    let error = fetch(&repository);
    assert!(is_above(&error, "bytes on disk"), "{error}");
    ended.recv_timeout(Duration::from_secs(600)).expect("git still runs");
    let mut short = limits();
    short.fetch.buffer_bytes = 1 << 20;
    let (repository, _ended) = served(short, |mut stream| {
        begin_fetch(&mut stream, "")?;
        stream.write_all(&pack_of_file(32 << 20))?;
        stream.write_all(&[0x78, 0x01])?;
        stream.read_to_end(&mut Vec::new()).map(drop)
    });
    let error = fetch(&repository);
    assert!(is_above(&error, "bytes for one object or list"), "{error}");
}

#[test]
fn messages_without_end_are_refused() {
    let mut short = limits();
    short.fetch.message_bytes = 100_000;
    let (repository, _ended) = served(short, |mut stream| {
        begin_fetch(&mut stream, "side-band-64k")?;
        loop {
            stream.write_all(&packed(&[b"\x02", &[b'x'; 1000][..], b"\n"].concat()))?;
        }
    });
    let error = fetch(&repository);
    assert!(is_above(&error, "bytes of messages"), "{error}");
}

#[test]
fn a_process_that_computes_without_end_is_ended_and_the_cause_is_told() {
    let mut limits = limits().fetch;
    limits.processor_seconds = 1;
    // Ends the test only if the limit of processor time does not.
    limits.whole = Duration::from_secs(600);
    let folder = tempfile::tempdir().unwrap();
    let watch =
        CallWatch { limits: &limits, folder: folder.path(), progress: &|_| (), is_cancelled: &|| false };
    let output = child::run(Command::new("sh").args(["-c", "while :; do :; done"]), &watch).unwrap();
    let error = RemoteError::of_output("url".to_string(), &output, "wanted", folder.path(), &limits);
    assert!(is_above(&error, "seconds of processor time"), "{error}");
}

#[test]
fn a_cancelled_call_ends() {
    let (repository, ended) = served(limits(), |mut stream| stream.read_to_end(&mut Vec::new()).map(drop));
    let asked = std::cell::Cell::new(0);
    let is_cancelled = || asked.replace(asked.get() + 1) > 1;
    let error = repository.references(None, &is_cancelled).unwrap_err();
    assert!(matches!(error, RemoteError::Cancelled { .. }), "{error}");
    ended.recv_timeout(Duration::from_secs(600)).expect("git still runs");
}

#[test]
fn names_that_look_like_options_are_names() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments).current_dir(&top);
        assert!(command.env("GIT_CONFIG_GLOBAL", "/dev/null").status().unwrap().success(), "{arguments:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&["tag", "-a", "v1", "-m", "the first"]);
    let odd = "refs/heads/--upload-pack=touch";
    git(&["update-ref", odd, "HEAD"]);
    let served_top = top.clone();
    let (repository, _ended) = served(limits(), move |mut stream| {
        packet(&mut stream)?;
        let (input, output) = (stream.try_clone()?, stream);
        let mut command = Command::new("git");
        command.arg("upload-pack").arg(&served_top).stderr(Stdio::null());
        let input = Stdio::from(std::os::fd::OwnedFd::from(input));
        command.stdin(input).stdout(Stdio::from(std::os::fd::OwnedFd::from(output))).status().map(drop)
    });
    let all = repository.references(None, &|| false).unwrap();
    let names: Vec<&str> = all.iter().map(|reference| reference.name.as_str()).collect();
    assert_eq!(names, ["HEAD", odd, "refs/heads/main", "refs/tags/v1"]);
    assert_eq!(all[0].target.as_deref(), Some("refs/heads/main"));
    let named = repository.references(Some("v1"), &|| false).unwrap();
    assert_eq!(named[1], all[3]);
    let to = tempfile::tempdir().unwrap();
    for (number, wanted) in [odd, "refs/tags/v1", "HEAD"].into_iter().enumerate() {
        let to = to.path().join(number.to_string());
        assert_eq!(repository.fetch(wanted, &to, &|_| (), &|| false).unwrap(), all[0].commit, "{wanted}");
    }
    for refused in ["--upload-pack=touch", "refs/heads/a:refs/heads/b", "refs/heads/*", "main"] {
        let error = repository.fetch(refused, &to.path().join("no"), &|_| (), &|| false).unwrap_err();
        assert!(matches!(error, RemoteError::Lost { .. }), "{refused}: {error}");
    }
}

#[test]
fn urls_are_checked_before_anything_is_run() {
    let check = |url: &str, part: &str| {
        let error = RemoteRepository::parse(url).unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains("secret"), "{url}: {error}");
    };
    check(
        "https://me:secret@example.org/a.git",
        "'https://example.org/a.git' cannot be fetched: it has a password",
    );
    check("ftp://example.org/a", "its scheme is none of");
    check("ext::sh -c touch", "its scheme is none of");
    check("https://example.org/", "names no repository");
    check("https://example.org/a?token=secret", "has a query");
    check("https://me:secret/secret@example.org/a", "'https://example.org/a' cannot be fetched");
    check("https://me:secret?secret@example.org/a", "cannot be fetched");
    check("ssh://-oProxyCommand=touch/a", "cannot be fetched");
    check("ssh://-me@example.org/a", "cannot be fetched");
    check("me@example.org:-a", "cannot be fetched");
    check("https://example.org/a\n", "a control character");
    for (url, expected) in [
        ("https://example.org/a.git", "https://example.org/a.git"),
        ("https://me@example.org/a", "https://example.org/a"),
        ("http://ghp_secret@example.org:8080/a@b", "http://example.org:8080/a@b"),
        ("ssh://me@example.org/a", "ssh://me@example.org/a"),
        ("git@example.org:a/b.git", "git@example.org:a/b.git"),
    ] {
        assert_eq!(RemoteRepository::parse(url).unwrap().url(), expected);
    }
}
