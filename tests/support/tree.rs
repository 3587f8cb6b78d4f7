//! A small tree of files with an index folder beside it, and runs of the real binary there.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::program;

/// A tree, an index folder beside it, and the way to run the binary there.
pub struct Tree {
    folder: tempfile::TempDir,
}

/// What a run gave.
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Three files about three things, in two folders; the words of one do not occur in the others.
pub const SMALL: &str = r#"
=== src/auth.rs
/// Resolves the secret of a provider.
pub fn resolve_api_key(provider: &str) -> String {
    format!("secret of {provider}")
}

pub struct Vault;
=== src/paint.py
def draw_circle(radius):
    """Draws a circle on the canvas."""
    return canvas.arc(radius)
=== docs/guide.md
# Brewing

Grind the beans, then pour the water.
"#;

impl Tree {
    /// The tree that `text` describes: `=== PATH` heads each file.
    pub fn new(text: &str) -> Tree {
        let tree = Tree { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(tree.root()).unwrap();
        for part in text.split("\n=== ").skip(1) {
            let (path, content) = part.split_once('\n').unwrap();
            let content = content.strip_suffix('\n').unwrap_or(content);
            tree.write(path, format!("{content}\n"));
        }
        tree
    }

    pub fn root(&self) -> PathBuf {
        // The name that the binary will print: where temporary folders are links, the one behind the link.
        self.folder.path().canonicalize().unwrap().join("tree")
    }

    pub fn index_dir(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("index")
    }

    /// The library of runs in this tree.
    pub fn library_dir(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("library")
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// The binary, standing in the tree, with nothing of this machine's settings.
    pub fn command(&self) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.root()).env("SPYHOP_INDEX_DIR", self.index_dir());
        command.env("SPYHOP_LIBRARY", self.library_dir());
        for name in
            ["SPYHOP_LOG", "SPYHOP_MCP_TOKEN", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR"]
        {
            command.env_remove(name);
        }
        command
    }

    /// Git in the tree, with nothing of this machine's settings, and of no hook that runs these tests.
    pub fn git(&self, args: &[&str]) {
        git(&self.root(), args);
    }

    /// Commits everything that changed.
    pub fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "a commit"]);
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        ran(self.command().args(args), "")
    }

    pub fn run_in(&self, folder: impl AsRef<Path>, args: &[&str]) -> Ran {
        ran(self.command().current_dir(self.root().join(folder)).args(args), "")
    }

    pub fn feed(&self, args: &[&str], input: &str) -> Ran {
        ran(self.command().args(args), input)
    }

    /// The JSON reply to a run that must succeed or find nothing.
    pub fn json(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        assert_ne!(ran.code, 2, "{args:?}: {}", ran.err);
        assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
        serde_json::from_str(&ran.out).unwrap()
    }

    /// The paths of the hits, in order, each once.
    pub fn paths(&self, args: &[&str]) -> Vec<String> {
        let reply = self.json(args);
        let mut paths: Vec<String> = Vec::new();
        for hit in reply["results"].as_array().unwrap() {
            let path = hit["path"].as_str().unwrap().to_string();
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }
}

/// Runs git in a folder, with nothing of this machine's settings.
pub fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
    command.args(["-c", "protocol.file.allow=always"]).args(args);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Runs a command that reads `input`.
pub fn ran(command: &mut Command, input: &str) -> Ran {
    // An open pipe would be searched by grep.
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let command = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A run that ends before it has read everything closes the pipe; that is its right.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input.as_bytes());
    }
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Copies the files below `from` to the folder `to` of the tree.
pub fn copy_into(tree: &Tree, from: &Path, to: &str) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = format!("{to}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            copy_into(tree, &path, &to);
        } else {
            tree.write(&to, std::fs::read(&path).unwrap());
        }
    }
}
