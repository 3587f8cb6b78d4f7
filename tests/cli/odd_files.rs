//! Files that an option names: a FIFO, a socket or a device is refused, and the descriptor of a pipe is read.

use std::os::unix::net::UnixListener;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::support::{SMALL, Tree, program};

/// The output of a command that must end.
fn ended(command: &mut Command, what: &str) -> Output {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let (pid, (sender, ended)) = (child.id().to_string(), channel());
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    ended.recv_timeout(Duration::from_secs(100)).map(Result::unwrap).unwrap_or_else(|_| {
        let _ = Command::new("kill").arg(&pid).status();
        panic!("{what} does not end")
    })
}

#[test]
fn no_command_waits_for_a_fifo() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    for fifo in ["fifo", "src/.gitignore", "src/odd.rs", ".spyhopignore"] {
        let path = tree.root().join(fifo);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }
    let _socket = UnixListener::bind(tree.root().join("socket")).unwrap();
    for odd in ["fifo", "socket", "/dev/tty", "/dev/zero", "src"] {
        for args in [
            &["grep", "-f", odd][..],
            &["grep", "circle", "--ignore-file", odd],
            &["circle", "--profile", odd],
            &["why-not", "src/paint.py", "circle", "--profile", odd],
            &["memory", "import", odd],
            &["import", odd],
        ] {
            let output = ended(tree.command().args(args), &format!("{args:?}"));
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(error.contains("not a regular file") || args[0] == "import", "{args:?}: {error}");
            let is_needed = args[0] != "grep" || args[1] == "-f";
            assert!(!is_needed || output.status.code() == Some(2), "{args:?}: {error}");
        }
        let mut config = tree.command();
        let output = ended(config.args(["grep", "circle"]).env("RIPGREP_CONFIG_PATH", odd), odd);
        assert_eq!(output.status.code(), Some(2), "{odd}");
    }
    // A FIFO in the tree is a file that is left out.
    for args in [
        &["why-not", "fifo", "circle"][..],
        &["why-not", "src/odd.rs", "circle"],
        &["read", "src/odd.rs"],
        &["grep", "circle"],
        &["circle"],
    ] {
        ended(tree.command().args(args), &format!("{args:?}"));
    }
}

#[test]
fn a_process_substitution_is_read() {
    let tree = Tree::new(SMALL);
    let spyhop = program().display();
    for script in [
        format!("{spyhop} grep -f <(printf 'circle\\n')"),
        format!("printf 'circle\\n' | {spyhop} grep -f - src"),
        format!("printf 'circle\\n' | {spyhop} grep -f /dev/stdin src"),
    ] {
        let mut shell = Command::new("bash");
        shell.current_dir(tree.root()).env("SPYHOP_INDEX_DIR", tree.index_dir()).args(["-c", &script]);
        let output = ended(&mut shell, &script);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(out.contains("src/paint.py"), "{script}: {out}{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_letter_and_a_colon_are_a_name() {
    let tree = Tree::new(SMALL);
    tree.write("a:10.rs", "fn ten_of_a() {}\n");
    for args in [
        &["a:10.rs"][..],
        &["read", "a:10.rs"],
        &["grep", "ten_of", "a:10.rs"],
        &["why-not", "a:10.rs", "ten"],
    ] {
        let ran = tree.run(args);
        assert!(ran.out.contains("ten_of_a"), "{args:?}: {}{}", ran.out, ran.err);
    }
}
