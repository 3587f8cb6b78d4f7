//! A file that crashes or hangs its parser costs its structure, and nothing else happens.
//!
//! The crashes are real ones, of the linked parsers. `grammars/*/KNOWN.md` lists them.
#![cfg(unix)]

use super::{SMALL, Tree};

/// A heredoc whose word is too long for Ruby's scanner, which keeps its length in one byte and asserts that what it
/// reads back is what it wrote. A method stands before it.
#[cfg(feature = "lang-ruby")]
fn ruby(word: &str) -> String {
    let end = "A".repeat(300);
    format!("def zorblax\n  1\nend\n\nx = <<~{end}\n  {word}\n{end}\n")
}

/// The rows of `spyhop skipped`: path, reason and detail.
fn skipped(tree: &Tree) -> Vec<[String; 3]> {
    let reply = tree.json(&["skipped"]);
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_string();
    let rows = reply["entries"].as_array().unwrap().iter();
    rows.map(|row| ["path", "reason", "detail"].map(|field| text(&row[field]))).collect()
}

#[test]
#[cfg(feature = "lang-ruby")]
fn a_crash_costs_the_structure_of_one_file() {
    let tree = Tree::new(SMALL);
    tree.write("lib/deadly.rb", ruby("quexalt"));
    let report = tree.json(&["index"]);
    assert_eq!(report["added"], 4, "{report}");

    let detail =
        "its parser aborted (SIGABRT): scanner.c:160: deserialize: Assertion `size == length' failed.";
    assert_eq!(skipped(&tree), [["lib/deadly.rb", "quarantined", detail]]);
    // It is found by its lines all the same.
    assert_eq!(tree.paths(&["quexalt"]), ["lib/deadly.rb"]);
    assert_eq!(tree.paths(&["resolve api key"])[0], "src/auth.rs");
    assert!(tree.run(&["index"]).out.starts_with("nothing changed"));
    assert_eq!(tree.json(&["status"])["state"], "ready");
    assert_eq!(tree.json(&["index", "--rebuild"])["added"], 4);

    // Other content is tried anew, and once the file is mended it is parsed.
    tree.write("lib/copy.rb", ruby("vorpalin"));
    assert_eq!(tree.paths(&["vorpalin"]), ["lib/copy.rb"]);
    assert_eq!(skipped(&tree).len(), 2);
    tree.write("lib/copy.rb", "def vorpalin\n  2\nend\n");
    assert_eq!(tree.json(&["vorpalin"])["results"][0]["symbol"], "vorpalin");
    assert_eq!(skipped(&tree).len(), 1);
}

/// Inputs that end or hang their parser, one a language and in the order of their paths, with the beginning of what is said of them.
fn deadly_inputs() -> Vec<(&'static str, String, &'static str)> {
    vec![
        #[cfg(feature = "lang-c")]
        ("a.c", "a=>".repeat(1_000), "its parser aborted (SIGABRT): the parser allocated more than 5"),
        #[cfg(feature = "lang-java")]
        ("a.java", "a<".repeat(30_000), "its parser aborted (SIGABRT): the parser allocated more than 5"),
        #[cfg(feature = "lang-ruby")]
        ("a.rb", ruby("quexalt"), "its parser aborted (SIGABRT): scanner.c:160"),
        #[cfg(feature = "lang-bash")]
        ("a.sh", "a | ".repeat(15_000), "its parser "),
    ]
}

/// Runs `spyhop` with `args`, and calls `act` every few milliseconds with the parser workers of the command: the process id of
/// each, and whether the worker is new.
#[cfg(target_os = "linux")]
fn run_while(tree: &Tree, args: &[&str], mut act: impl FnMut(&str, bool)) {
    let mut command = tree.command();
    let mut child = command.args(args).stdout(std::process::Stdio::null()).spawn().unwrap();
    let parent = child.id().to_string();
    let mut seen = std::collections::BTreeSet::new();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let pid = entry.file_name().into_string().unwrap();
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // The state and the parent follow the name, which is in parentheses.
            let mut fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
            let is_child = fields.next() != Some("Z") && fields.next() == Some(&parent);
            // A child that is stopped before it runs its program stops its parent.
            let is_worker = || {
                std::fs::read(entry.path().join("cmdline"))
                    .is_ok_and(|line| line.starts_with(b"spyhop-parser"))
            };
            if is_child && is_worker() {
                act(&pid, seen.insert(pid.clone()));
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    };
    assert!(status.success(), "{args:?}: {status}");
}

/// Sends a signal. A process that is gone gets none.
#[cfg(target_os = "linux")]
fn send(signal: &str, pid: &str) {
    let mut kill = std::process::Command::new("sh");
    kill.args(["-c", &format!("kill -{signal} {pid} 2>/dev/null")]).status().unwrap();
}

/// A text that keeps its parser busy for some tenths of a second.
#[cfg(feature = "lang-rust")]
fn slow() -> String {
    format!("fn zorblax() {{}}\n{}", "\"\"\"".repeat(20_000))
}

#[test]
#[cfg(all(target_os = "linux", feature = "lang-rust"))]
fn an_index_does_not_depend_on_the_speed_of_its_workers() {
    let tree = Tree::new(SMALL);
    tree.write("slow.rs", slow());
    for (path, text, _) in deadly_inputs() {
        tree.write(path, text);
    }
    let content = || {
        [("skipped", "entries"), ("map", "entries"), ("files", "results")].map(|(command, field)| {
            let rows = tree.json(&[command])[field].clone();
            assert!(rows.as_array().is_some_and(|rows| !rows.is_empty()), "{command}: {rows}");
            rows
        })
    };
    assert_eq!(tree.json(&["index"])["added"], 4 + deadly_inputs().len());
    let whole = content();
    // Each crash is listed with its cause.
    let (rows, inputs) = (skipped(&tree), deadly_inputs());
    assert_eq!(rows.len(), inputs.len(), "{rows:?}");
    for ([path, reason, detail], (expected, _, cause)) in rows.iter().zip(&inputs) {
        assert_eq!((path.as_str(), reason.as_str()), (*expected, "quarantined"), "{detail}");
        assert!(detail.starts_with(cause), "{path}: {detail}");
    }
    // Workers that stand still half of the time, and more on a busy machine.
    run_while(&tree, &["index", "--rebuild"], |pid, _| {
        send("STOP", pid);
        std::thread::sleep(std::time::Duration::from_millis(5));
        send("CONT", pid);
    });
    assert_eq!(content(), whole);
}

#[test]
fn crashes_do_not_stop_a_query_that_parses() {
    let tree = Tree::new(SMALL);
    let inputs = deadly_inputs();
    for (path, text, _) in &inputs {
        tree.write(path, format!("{text}\nvault\n"));
    }
    // Nothing is indexed: the files are parsed for this query.
    let found = tree.run(&["grep", "--kind", "struct", "-i", "vault", "--no-refresh"]);
    assert_eq!((found.code, found.out.as_str()), (0, "src/auth.rs:pub struct Vault;\n"), "{}", found.err);
    assert_eq!(tree.json(&["index"])["added"], 3 + inputs.len());
    let found = tree.run(&["grep", "--kind", "struct", "-i", "vault"]);
    assert_eq!((found.code, found.out.as_str()), (0, "src/auth.rs:pub struct Vault;\n"), "{}", found.err);
}

#[test]
#[cfg(feature = "lang-kotlin")]
fn a_half_typed_annotation_is_parsed() {
    let tree = Tree::new(SMALL);
    for (name, end) in
        [("A.kt", "@"), ("B.kt", "@Foo"), ("C.kt", "  @JvmStatic(a, b"), ("D.kt", "fun f() = @x")]
    {
        tree.write(name, format!("class Zorblax{}\nval a = 1\n{end}", &name[..1]));
    }
    assert_eq!(tree.json(&["index"])["added"], 7);
    assert!(skipped(&tree).is_empty());
    assert_eq!(tree.json(&["ZorblaxC"])["results"][0]["symbol"], "ZorblaxC");
}
