//! `spyhop add` and `spyhop library`: real archives and repositories, through the binary.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::{Ran, SMALL, Tree, ran};

/// A folder beside the tree with sources to add, and a library beside both.
struct Sources {
    tree: Tree,
}

impl Sources {
    fn new() -> Sources {
        let sources = Sources { tree: Tree::new(SMALL) };
        fs::create_dir_all(sources.path("keys/src")).unwrap();
        fs::write(sources.path("keys/src/keys.rs"), "pub fn rotate_signing_key() {}\n").unwrap();
        fs::write(
            sources.path("keys/Cargo.toml"),
            "[package]\nname = \"keys\"\nversion = \"1.2.0\"\nlicense = \"MIT\"\n",
        )
        .unwrap();
        sources
    }

    fn path(&self, name: &str) -> PathBuf {
        self.tree.root().parent().unwrap().join(name)
    }

    fn run(&self, args: &[&str]) -> Ran {
        ran(self.tree.command().current_dir(self.path("")).args(args), "")
    }

    fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        serde_json::from_str(&ran.out).unwrap()
    }

    fn names(&self) -> Vec<String> {
        let reply: Value = serde_json::from_str(&self.run(&["library", "list", "--json"]).out).unwrap();
        let sources = reply["sources"].as_array().unwrap().iter();
        sources.map(|source| source["name"].as_str().unwrap().to_string()).collect()
    }

    fn zip(&self, file: &str) {
        let zip = Command::new("python3")
            .args(["-m", "zipfile", "-c", file, "keys/"])
            .current_dir(self.path(""))
            .status();
        assert!(zip.unwrap().success());
    }
}

#[test]
fn a_source_is_added_updated_renamed_and_removed() {
    let sources = Sources::new();
    let empty = sources.run(&["library", "list"]);
    assert!(empty.code == 1 && empty.out.contains("spyhop add SOURCE"), "{}", empty.out);
    assert!(!sources.path("library").exists());
    sources.zip("keys-1.2.0.zip");
    let planned = sources.json(&["add", "keys-1.2.0.zip", "--dry-run"]);
    assert_eq!((&planned["name"], &planned["kind"]), (&"keys-1.2.0".into(), &"zip".into()));
    assert!(!sources.path("library").exists());

    let ran = sources.run(&["add", "keys-1.2.0.zip", "--name", "zipped"]);
    assert!(ran.code == 0 && ran.out.starts_with("added zipped (zip): 2 files, "), "{} {}", ran.out, ran.err);
    assert_eq!(ran.err, "");
    let folder = sources.json(&["add", "keys"]);
    assert_eq!((&folder["source"]["kind"], &folder["report"]["added"]), (&"folder".into(), &2.into()));
    assert_eq!(sources.names(), ["keys", "zipped"]);
    let shown = sources.json(&["library", "show", "zipped"]);
    assert_eq!((&shown["licence"], &shown["package"]["version"]), (&"MIT".into(), &"1.2.0".into()));
    let path = sources.run(&["library", "path", "zipped"]).out;
    assert_eq!(shown["path"], path.trim_end());
    assert!(PathBuf::from(path.trim_end()).join("src/keys.rs").is_file());

    fs::write(sources.path("keys/src/new.rs"), "pub fn added_later() {}\n").unwrap();
    let status = sources.json(&["library", "status"]);
    let changed: Vec<_> =
        status["sources"].as_array().unwrap().iter().map(|row| &row["stale_files"]).collect();
    assert_eq!(changed, [&Value::from(1), &Value::from(0)]);
    sources.zip("keys-1.2.0.zip");
    let updated = sources.json(&["library", "update"]);
    let new: Vec<_> = updated["sources"].as_array().unwrap().iter().map(|row| &row["new"]).collect();
    assert_eq!(new, [&Value::from(false), &Value::from(true)]);
    assert!(sources.run(&["library", "verify"]).out.contains("zipped: 3 files, unchanged\n"));

    assert_eq!(sources.run(&["library", "rename", "zipped", "packed"]).out.split(' ').nth(1), Some("packed"));
    assert_eq!(sources.run(&["library", "remove", "keys"]).code, 0);
    assert_eq!(sources.names(), ["packed"]);
    assert!(sources.path("keys/src/keys.rs").exists());
}

#[test]
fn files_in_the_inbox_are_taken_in() {
    let sources = Sources::new();
    let ran = sources.run(&["library", "intake"]);
    assert_eq!(ran.code, 1, "{}", ran.err);
    let inbox = ran.out.trim_end().strip_prefix("the inbox is empty; put files into ").unwrap();
    let inbox = sources.path(inbox);
    fs::write(inbox.join("retry.py"), "def retry_upload():\n    pass\n").unwrap();
    fs::write(inbox.join("policy.md"), "# Retry policy\n\nThree attempts.\n").unwrap();
    fs::write(inbox.join("blob"), b"\0\x01").unwrap();
    let ran = sources.run(&["library", "intake", "--all"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.out.contains("retry.py is in single-files (file)\n"), "{}", ran.out);
    assert!(ran.out.contains("policy.md is in documents (document): Retry policy\n"), "{}", ran.out);
    assert!(ran.out.contains("blob was moved to ") && ran.out.contains("neither text"), "{}", ran.out);
    let listed = sources.json(&["library", "list"]);
    let names: Vec<_> = listed["sources"].as_array().unwrap().iter().map(|source| &source["name"]).collect();
    assert_eq!(names, ["documents", "single-files"]);
}

/// A PDF file of a page with these operators.
#[cfg(unix)]
fn pdf_of(operators: &str) -> Vec<u8> {
    let page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>";
    let stream = format!("<</Length {}>>\nstream\n{operators}\nendstream", operators.len());
    let objects =
        ["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", page, stream.as_str()];
    let (mut file, mut table) = ("%PDF-1.5\n".to_string(), "0000000000 65535 f \n".to_string());
    for (at, object) in objects.iter().enumerate() {
        table += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", at + 1);
    }
    let start = file.len();
    file += &format!("xref\n0 5\n{table}trailer\n<</Size 5 /Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

#[cfg(unix)]
#[test]
fn the_cause_of_a_lost_document_is_told_where_backtraces_are_wanted() {
    let sources = Sources::new();
    sources.run(&["library", "intake"]);
    let inbox = sources.path("library/intake/inbox");
    fs::write(inbox.join("operands.pdf"), pdf_of(&("1 ".repeat(2_000_000) + "Td"))).unwrap();
    fs::write(inbox.join("policy.md"), "# Retry policy\n\nThree attempts.\n").unwrap();
    let mut command = sources.tree.command();
    let command = command.current_dir(sources.path("")).env("RUST_BACKTRACE", "1");
    let ran = ran(command.args(["library", "intake", "--all", "--json"]), "");
    let reply: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        reply["taken"][0]["problem"], "the file cannot be read: its reader needs more than 512 MB of memory",
        "{reply}"
    );
    assert_eq!(
        (&reply["taken"][1]["name"], &reply["taken"][1]["problem"]),
        (&"policy.md".into(), &Value::Null)
    );
}

#[test]
fn a_watched_inbox_takes_files_as_they_come() {
    let sources = Sources::new();
    let ran = sources.run(&["library", "intake"]);
    let inbox = sources.path(ran.out.trim_end().rsplit(' ').next().unwrap());
    let mut command = sources.tree.command();
    command.current_dir(sources.path("")).args(["library", "watch", "--json"]);
    let mut watching = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    fs::write(inbox.join("retry.py"), "def retry_upload():\n    pass\n").unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(watching.stdout.take().unwrap()));
    // The file waits until it has been unchanged for two seconds.
    let reply = loop {
        let reply: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        if !reply["taken"].as_array().unwrap().is_empty() {
            break reply;
        }
    };
    watching.kill().unwrap();
    watching.wait().unwrap();
    assert_eq!(
        (reply["taken"][0]["name"].as_str(), reply["taken"][0]["source"].as_str()),
        (Some("retry.py"), Some("single-files"))
    );
}
