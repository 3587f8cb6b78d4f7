//! Tests of the errors that messages of `git` become.

use std::os::unix::process::ExitStatusExt;

use super::super::limits::RemoteLimits;
use super::*;

fn error(messages: &str) -> RemoteError {
    let status = ExitStatus::from_raw(128 << 8);
    let output = GitOutput { status, answer: Vec::new(), messages: messages.as_bytes().to_vec() };
    let limits = RemoteLimits::default().fetch;
    RemoteError::of_output("https://h/a".into(), &output, "refs/heads/x", Path::new("/scratch"), &limits)
}

/// The name of the variant.
fn kind(messages: &str) -> String {
    format!("{:?}", error(messages)).split([' ', '{']).next().unwrap_or_default().to_string()
}

#[test]
fn messages_of_git_name_the_true_cause() {
    for (messages, expected) in [
        ("fatal: unable to access 'https://h/a/': Could not resolve host: h\n", "Unreachable"),
        ("fatal: unable to access 'https://h/a/': SSL certificate problem: self-signed\n", "Unreachable"),
        ("fatal: could not read Username for 'https://h': terminal prompts disabled\n", "NeedsCredentials"),
        ("fatal: unable to get password from user\n", "NeedsCredentials"),
        (
            "git@h: Permission denied (publickey).\nfatal: Could not read from remote repository.\n",
            "NeedsCredentials",
        ),
        ("remote: Repository not found.\nfatal: repository 'https://h/a/' not found\n", "NoRepository"),
        ("fatal: remote error: access denied or repository not exported: /a\n", "NoRepository"),
        ("fatal: couldn't find remote ref refs/heads/x\n", "Lost"),
        ("fatal: remote error: upload-pack: not our ref 00\n", "Lost"),
        (
            "fatal: pack has bad object at offset 12: inflate returned -3\nfatal: fetch-pack: invalid index-pack output\n",
            "BadAnswer",
        ),
        (
            "fetch-pack: unexpected disconnect\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output\n",
            "Unreachable",
        ),
        ("fatal: protocol error: bad line length character: HTTP\n", "BadAnswer"),
        ("fatal: write error: No space left on device\nfatal: index-pack failed\n", "File"),
        ("fatal: Out of memory, malloc failed (tried to allocate 9 bytes)\n", "TooLarge"),
        ("fatal: attempting to allocate 2147483649 over limit 536870912\n", "TooLarge"),
        ("error: index-pack died of signal 24\n", "TooLarge"),
        ("fatal: write error: File too large\n", "TooLarge"),
        // The words of the server decide nothing.
        ("remote: No space left on device\nremote: Out of memory\nfatal: early EOF\n", "Unreachable"),
    ] {
        assert_eq!(kind(messages), expected, "{messages}");
    }
}

#[test]
fn a_reason_is_one_line_without_progress_and_secrets() {
    let text = "remote: Counting objects: 5% (1/9)\rremote: Counting objects: 100% (9/9), done.\n\
                Receiving objects: 1% (1/9)\rfatal: unable to access 'https://me:secret@h/a?token=secret': \x1b[31mno\n";
    match error(text) {
        RemoteError::Unreachable { reason, .. } => {
            assert_eq!(reason, "unable to access 'https://h/a': ␛[31mno");
        }
        error => panic!("{error}"),
    }
    assert!(error("").to_string().contains("without a message"));
}
