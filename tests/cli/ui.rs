//! The picker in a real terminal: tmux types the keys and reads the screen.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{SMALL, Tree};
use crate::support::repository;

/// How long a screen may take: other tests run at the same time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A shell in a new terminal.
pub struct Terminal {
    folder: tempfile::TempDir,
}

impl Terminal {
    /// A shell that stands in the tree; `None` without tmux.
    pub fn open(name: &str, tree: &Tree, (width, height): (u16, u16)) -> Option<Terminal> {
        if Command::new("tmux").arg("-V").output().is_err() {
            eprintln!("SKIPPED, NOTHING IS PROVED: {name} needs tmux");
            return None;
        }
        let terminal = Terminal { folder: tempfile::tempdir().unwrap() };
        let program = Path::new(env!("CARGO_BIN_EXE_spyhop")).parent().unwrap();
        let path = std::env::join_paths(
            std::iter::once(program.to_path_buf()).chain(std::env::split_paths(&std::env::var_os("PATH")?)),
        );
        let mut tmux = terminal.tmux();
        tmux.env("SPYHOP_INDEX_DIR", tree.index_dir())
            .env("XDG_STATE_HOME", terminal.state())
            .env("PATH", path.unwrap())
            .env_remove("VISUAL")
            .env_remove("EDITOR")
            .env_remove("ENV")
            .env_remove("NO_COLOR")
            .env_remove("SPYHOP_LOG")
            .env_remove("SPYHOP_PAGER")
            .env_remove("TMUX");
        let (width, height) = (width.to_string(), height.to_string());
        tmux.args(["new-session", "-d", "-x", &width, "-y", &height, "-c"]).arg(tree.root()).arg("sh");
        let output = tmux.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        terminal.wait_until("a prompt", |screen| !screen.trim().is_empty());
        // Some shells do not take the prompt from the environment.
        terminal.enter("PS1='shell$ '; clear");
        terminal.wait_until("a prompt", |screen| screen.trim() == "shell$");
        Some(terminal)
    }

    fn tmux(&self) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.arg("-f").arg("/dev/null").arg("-S").arg(self.folder.path().join("tmux"));
        tmux
    }

    fn state(&self) -> std::path::PathBuf {
        self.folder.path().join("state")
    }

    /// Types a text as it is.
    fn write(&self, text: &str) {
        assert!(self.tmux().args(["send-keys", "-l", text]).status().unwrap().success());
    }

    /// Presses keys, by tmux's names.
    pub fn press(&self, keys: &[&str]) {
        assert!(self.tmux().arg("send-keys").args(keys).status().unwrap().success());
    }

    pub fn enter(&self, line: &str) {
        self.write(line);
        self.press(&["Enter"]);
    }

    fn screen(&self) -> String {
        let output = self.tmux().args(["capture-pane", "-p"]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until the screen is as it should be.
    fn wait_until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "{what:?} is not there:\n{screen}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn wait(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Checks that the terminal works as before the picker.
    fn check_restored(&self) {
        self.enter(
            "clear; stty -a | tr ' ;' '\\n\\n' | grep -x -e icanon -e echo -e isig | tr '\\n' ' '; echo done",
        );
        let screen = self.wait("echo done");
        assert!(!screen.contains("-icanon"), "{screen}");
        self.wait_until("the modes", |screen| screen.contains("isig icanon echo done"));
        let mode = self.tmux().args(["display-message", "-p", "#{alternate_on} #{cursor_flag}"]).output();
        assert_eq!(String::from_utf8_lossy(&mode.unwrap().stdout).trim(), "0 1");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux().arg("kill-server").output();
    }
}

#[test]
fn each_mode_finds_and_previews() {
    let tree = Tree::new(SMALL);
    let Some(terminal) = Terminal::open("each_mode_finds_and_previews", &tree, (120, 24)) else { return };
    // There is no index yet: the picker makes it.
    terminal.enter("echo before; spyhop ui api key; echo code=$?");
    let screen = terminal.wait("src/auth.rs:2 resolve_api_key");
    assert!(screen.contains("ranked> api key") && screen.contains("enter open  esc quit"), "{screen}");
    terminal.wait("pub fn resolve_api_key(provider: &str) -> String {");

    terminal.press(&["C-t"]);
    terminal.wait("exact> api key");
    terminal.press(&["C-u"]);
    terminal.write("circle\\(");
    let screen = terminal.wait("src/paint.py:1: def draw_circle(radius)");
    assert!(screen.contains("exact> circle\\(") && screen.contains("1 line"), "{screen}");
    terminal.wait("3     return canvas.arc(radius)");

    terminal.press(&["M-3", "C-u"]);
    terminal.wait("3 files");
    terminal.write("guide lang:markdown");
    terminal.wait("files> guide lang:markdown");
    terminal.wait("1▌# Brewing");

    terminal.press(&["M-4", "C-u"]);
    terminal.write("vault kind:fn");
    terminal.wait("nothing found");
    terminal.press(&["C-w"]);
    terminal.write("kind:struct");
    terminal.wait("Vault struct src/auth.rs:6");
    terminal.press(&["C-w"]);
    terminal.write("kind:x");
    terminal.wait("kind: unknown kind 'x'; choose one of fn");

    terminal.press(&["Escape"]);
    let screen = terminal.wait("code=1");
    assert!(screen.contains("before") && !screen.contains("symbols>"), "{screen}");
    terminal.check_restored();
}

#[test]
fn the_editor_opens_the_line_and_the_history_keeps_the_query() {
    use std::os::unix::fs::PermissionsExt;
    let tree = Tree::new(SMALL);
    let name = "the_editor_opens_the_line_and_the_history_keeps_the_query";
    let Some(terminal) = Terminal::open(name, &tree, (100, 24)) else { return };
    let editor = terminal.folder.path().join("my editor");
    let mut script = std::fs::File::create(&editor).unwrap();
    script.write_all(b"#!/bin/sh\necho \"edits: $*\"\nread answer\necho \"$answer $*\" > edited\n").unwrap();
    drop(script);
    std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
    terminal.enter(&format!("export EDITOR=\"'{}' -x\"; clear", editor.display()));
    terminal.enter("spyhop ui --mode exact draw_circle; echo code=$?");
    terminal.wait("src/paint.py:1: def");
    terminal.press(&["Enter"]);
    let screen = terminal.wait("edits: -x +1 src/paint.py");
    assert!(!screen.contains("exact>"), "{screen}");
    terminal.enter("yes");
    terminal.wait("exact> draw_circle");
    assert_eq!(std::fs::read_to_string(tree.root().join("edited")).unwrap(), "yes -x +1 src/paint.py\n");
    terminal.press(&["Escape"]);
    terminal.wait("code=0");
    terminal.check_restored();

    let history = terminal.state().join("spyhop/queries");
    assert_eq!(std::fs::read_to_string(&history).unwrap(), "draw_circle\n");
    assert_eq!(std::fs::metadata(&history).unwrap().permissions().mode() & 0o777, 0o600);
    terminal.enter("clear; EDITOR=no-such-editor spyhop ui --mode exact");
    terminal.wait("type a regular expression");
    terminal.press(&["C-r"]);
    terminal.wait("exact> draw_circle");
    terminal.wait("src/paint.py:1: def");
    terminal.press(&["Enter"]);
    terminal.wait("the editor 'no-such-editor' cannot be started");
    terminal.press(&["Escape"]);
    terminal.wait("shell$");
}

#[test]
fn signals_give_the_terminal_back() {
    let tree = Tree::new(SMALL);
    let Some(terminal) = Terminal::open("signals_give_the_terminal_back", &tree, (100, 24)) else { return };
    terminal.enter("sh -c 'echo $$ > ../pid; exec spyhop ui'; echo code=$?");
    terminal.wait("type what you look for");
    let pid = std::fs::read_to_string(tree.root().join("../pid")).unwrap();
    // SAFETY: the call sends a signal to the process that this test started.
    assert_eq!(unsafe { libc::kill(pid.trim().parse().unwrap(), libc::SIGTERM) }, 0);
    terminal.wait("code=143");
    terminal.check_restored();
    // When the terminal itself is gone, the picker ends too.
    terminal.enter("clear; sh -c 'echo $$ > ../pid; exec spyhop ui'");
    terminal.wait("type what you look for");
    let pid = std::fs::read_to_string(tree.root().join("../pid")).unwrap();
    drop(terminal);
    let begun = Instant::now();
    // SAFETY: signal 0 only asks whether the process is there.
    while unsafe { libc::kill(pid.trim().parse().unwrap(), 0) } == 0 {
        assert!(begun.elapsed() < PATIENCE, "process {pid} is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn without_a_terminal_there_is_an_error() {
    use std::os::unix::process::CommandExt;
    let tree = Tree::new(SMALL);
    let mut command = tree.command();
    command.arg("ui").stdin(Stdio::null());
    // SAFETY: the call is allowed between fork and exec.
    unsafe {
        command.pre_exec(|| match libc::setsid() {
            -1 => Err(std::io::Error::last_os_error()),
            _ => Ok(()),
        });
    }
    let output = command.output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.starts_with("spyhop: `spyhop ui` needs a terminal, and there is none: "), "{error}");
}

/// The commands of `docs/ui.md` that end in a picker: the command before the pipe, and the one of `--preview`.
fn recipes() -> Vec<(String, Option<String>)> {
    let page = std::fs::read_to_string(repository("docs/ui.md")).unwrap();
    let page = page.replace("\\\n", " ");
    let mut recipes = Vec::new();
    for line in page.lines().filter(|line| line.contains("| fzf") || line.contains("| sk ")) {
        let from = line.find("spyhop ").unwrap();
        let source = line[from..].split(" | ").next().unwrap().to_string();
        let preview = line.split("--preview '").nth(1).and_then(|rest| rest.split('\'').next());
        recipes.push((source, preview.map(str::to_string)));
    }
    recipes
}

#[test]
fn the_recipes_of_the_manual_run() {
    let tree = Tree::new(SMALL);
    let shell = |command: &str| {
        let program = Path::new(env!("CARGO_BIN_EXE_spyhop")).parent().unwrap();
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(tree.root()).stdin(Stdio::null());
        shell.env("SPYHOP_INDEX_DIR", tree.index_dir()).env("PATH", path);
        let output = shell.output().unwrap();
        let (text, error) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && !text.is_empty(), "{command}: {error}");
        text
    };
    let recipes = recipes();
    assert!(recipes.len() >= 4, "{recipes:?}");
    for (source, preview) in recipes {
        let source = source.replace("PATTERN", "circle").replace("\"$1\"", "circle");
        let rows = shell(&source);
        let first = rows.lines().next().unwrap();
        let fields: Vec<&str> = first.split(':').collect();
        let path = fields[0].split("  ").next().unwrap();
        assert!(tree.root().join(path).is_file(), "{source}: {first}");
        if let Some(preview) = preview {
            let line = fields.get(1).copied().unwrap_or("1");
            let preview = preview.replace("{1}", path).replace("{2}", line).replace("{}", path);
            let shown = shell(&preview);
            let text = std::fs::read_to_string(tree.root().join(path)).unwrap();
            assert_eq!(shown.lines().count(), text.lines().count(), "{preview}: {shown}");
        }
    }
}
