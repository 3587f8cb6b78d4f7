//! The steps by which a tree changes, and what carries them out.
//!
//! A step holds numbers and no names: which file it means follows from the files that are there when it is carried
//! out. So any part of a sequence of steps is a sequence again, which is what makes a failing one shrink.

use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use super::super::{Random, generated};

/// Files above this many bytes are too big; the engines under test are told so.
pub const MAX_FILE_BYTES: u64 = 6000;

/// Folders in which ignore files are written.
const PLACES: &[&str] = &["", "merge", "cache", "merge/deep"];

const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".spyhopignore", ".git/info/exclude"];

const RULES: &[&str] = &[
    "merge/\n",
    "*.md\n",
    "*_quota*\n!cache_quota*\n",
    "/cache/*\n!*.py\n",
    "*\n!*/\n!*.rs\n",
    "deep/\n",
    "!*.md\n",
    "# nothing\n",
    "",
    "*.ts\n*.py\n",
    "!merge/\n",
    "**/deep/*.rs\n",
    "token/\nsession/\n",
    "!*\n",
];

const MODES: &[u32] = &[0o000, 0o644, 0o755, 0o400, 0o200];

const BRANCHES: &[&str] = &["main", "topic", "release/1"];

/// One change. Numbers are taken modulo whatever there is to choose from.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Add(u16),
    Edit(u16, u16),
    /// A file is replaced by renaming another one over it, as editors save.
    Save(u16, u16),
    /// Another content of as many bytes, at once after the last refresh.
    SameSize(u16),
    /// The same, with the time of before put back.
    SameSizeSameTime(u16),
    Append(u16),
    Touch(u16),
    TouchBack(u16),
    Delete(u16),
    Rename(u16, u16),
    RenameFolder(u16, u16),
    DeleteFolder(u16),
    Copy(u16, u16),
    Exchange(u16, u16),
    Mode(u16, u16),
    FolderMode(u16, u16),
    Ignore(u16, u16, u16),
    Unignore(u16, u16),
    /// A folder in place of a file.
    Unfold(u16),
    /// A file in place of a folder.
    Fold(u16),
    Link(u16, u16),
    LinkOver(u16, u16),
    Odd(u16, u16),
    Track(u16),
    Untrack(u16),
    Commit,
    Checkout(u16),
    Detach(u16),
    Merge(u16),
    Stash,
    ResetHard,
    /// Another worktree; steps mean it until the next one of these.
    Worktree(u16),
    /// The next engine is a new one, as in a new process.
    Reopen,
    /// So long that times of files prove that they have not changed.
    Rest,
}

/// A repository with its worktrees, which changes.
pub struct World {
    folder: tempfile::TempDir,
    /// Worktrees; the first is the main one.
    pub roots: Vec<PathBuf>,
    /// Which of them steps mean.
    pub here: usize,
    random: Random,
    next: usize,
    has_git: bool,
}

impl World {
    pub fn new(seed: u64, has_git: bool) -> World {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("tree");
        fs::create_dir(&root).unwrap();
        let mut world = World { folder, roots: vec![root], here: 0, random: Random(seed), next: 0, has_git };
        (0..12).for_each(|_| world.add());
        if has_git {
            world.git(&["init", "-q", "-b", "main"]);
            world.commit();
        }
        world
    }

    pub fn root(&self) -> &Path {
        &self.roots[self.here]
    }

    /// A folder beside the trees.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Whether git did it: a checkout that would overwrite a change is refused, which is a step without effect.
    fn git(&self, args: &[&str]) -> bool {
        let mut command = Command::new("git");
        command
            .current_dir(self.root())
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.fsync=none"])
            .args(args);
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().expect("git is installed").success()
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "step"]);
    }

    fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        // Where a step before has put a file, a link or a closed folder in the way, nothing is written.
        let _ = path.parent().map(fs::create_dir_all);
        let _ = fs::write(path, content);
    }

    fn add(&mut self) {
        let (path, text) = generated(self.next, &mut self.random);
        self.next += 1;
        self.write(&path, text);
    }

    /// Files (or folders), links among them, sorted; nothing of git.
    fn entries(&self, folders: bool) -> Vec<String> {
        let mut found = Vec::new();
        let mut waiting = vec![self.root().to_path_buf()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let name = entry.path().strip_prefix(self.root()).unwrap().to_str().unwrap().to_string();
                let kind = entry.file_type().unwrap();
                if name == ".git" || name.ends_with("ignore") {
                    continue;
                }
                if kind.is_dir() {
                    waiting.push(entry.path());
                }
                if kind.is_dir() == folders {
                    found.push(name);
                }
            }
        }
        found.sort();
        found
    }

    fn pick(&self, folders: bool, number: u16) -> Option<PathBuf> {
        let entries = self.entries(folders);
        let chosen = entries.get(usize::from(number) % entries.len().max(1))?;
        Some(self.root().join(chosen))
    }

    fn text(&mut self, number: u16) -> String {
        generated(usize::from(number), &mut self.random).1
    }

    /// Carries `step` out; whether the next engine is to be a new one. What cannot be done is left.
    pub fn apply(&mut self, step: Step) -> bool {
        match step {
            Step::Reopen => return true,
            Step::Rest => std::thread::sleep(Duration::from_millis(2100)),
            Step::Add(n) => (0..1 + n % 4).for_each(|_| self.add()),
            Step::Ignore(file, place, rules) => {
                self.write(&ignore_file(file, place), RULES[usize::from(rules) % RULES.len()]);
            }
            Step::Unignore(file, place) => _ = fs::remove_file(self.root().join(ignore_file(file, place))),
            Step::RenameFolder(folder, to) => {
                let to =
                    self.root().join(format!("{}_{to}", ["moved", "target", "vendor"][usize::from(to) % 3]));
                _ = self.pick(true, folder).map(|from| fs::rename(from, to));
            }
            Step::DeleteFolder(folder) => _ = self.pick(true, folder).map(fs::remove_dir_all),
            Step::FolderMode(folder, mode) => _ = self.pick(true, folder).map(|path| set_mode(&path, mode)),
            Step::Fold(folder) => {
                let text = self.text(folder);
                if let Some(path) = self.pick(true, folder)
                    && fs::remove_dir_all(&path).is_ok()
                {
                    fs::write(path, text).unwrap();
                }
            }
            Step::Commit
            | Step::Checkout(_)
            | Step::Detach(_)
            | Step::Merge(_)
            | Step::Stash
            | Step::ResetHard
            | Step::Worktree(_)
            | Step::Track(_)
            | Step::Untrack(_) => {
                if self.has_git {
                    self.apply_git(step);
                }
            }
            Step::Edit(file, _)
            | Step::Save(file, _)
            | Step::SameSize(file)
            | Step::SameSizeSameTime(file)
            | Step::Append(file)
            | Step::Touch(file)
            | Step::TouchBack(file)
            | Step::Delete(file)
            | Step::Rename(file, _)
            | Step::Copy(file, _)
            | Step::Exchange(file, _)
            | Step::Mode(file, _)
            | Step::Unfold(file)
            | Step::Link(file, _)
            | Step::LinkOver(file, _)
            | Step::Odd(file, _) => {
                // What fails, as writing where the mode forbids it, is a step without effect.
                _ = self.pick(false, file).map(|path| self.apply_to(step, &path));
            }
        }
        false
    }

    fn apply_to(&mut self, step: Step, path: &Path) -> std::io::Result<()> {
        match step {
            Step::Edit(_, n) => fs::write(path, self.text(n))?,
            Step::Save(_, n) => {
                let new = path.with_extension("new");
                fs::write(&new, self.text(n))?;
                fs::rename(new, path)?;
            }
            Step::SameSize(_) | Step::SameSizeSameTime(_) => {
                let modified = fs::symlink_metadata(path)?.modified()?;
                let mut bytes = fs::read(path)?;
                bytes.iter_mut().for_each(|byte| match byte {
                    b'a'..=b'y' => *byte += 1,
                    b'z' => *byte = b'a',
                    _ => {}
                });
                fs::write(path, bytes)?;
                if matches!(step, Step::SameSizeSameTime(_)) {
                    set_time(path, modified)?;
                }
            }
            Step::Append(_) => {
                let mut bytes = fs::read(path)?;
                bytes.extend_from_slice(b"\n// quota of the session\n");
                fs::write(path, bytes)?;
            }
            Step::Touch(_) => set_time(path, SystemTime::now())?,
            Step::TouchBack(_) => set_time(path, SystemTime::now() - Duration::from_secs(1000))?,
            Step::Delete(_) => fs::remove_file(path)?,
            Step::Rename(_, n) => {
                let extension = path.extension().and_then(|name| name.to_str()).unwrap_or("md");
                let folder = self.root().join(["merge/deep", "cache", "token", "."][usize::from(n) % 4]);
                fs::create_dir_all(&folder)?;
                fs::rename(path, folder.join(format!("renamed_{n}.{extension}")))?;
            }
            Step::Copy(_, to) => {
                let to = self.pick(false, to).expect("there is a file");
                fs::write(to, fs::read(path)?)?;
            }
            Step::Exchange(_, other) => {
                let other = self.pick(false, other).expect("there is a file");
                let aside = self.root().join("aside.tmp");
                fs::rename(path, &aside)?;
                // With itself, it is away already.
                let _ = fs::rename(&other, path);
                fs::rename(aside, other)?;
            }
            Step::Mode(_, n) => set_mode(path, n)?,
            Step::Unfold(_) => {
                let bytes = fs::read(path)?;
                fs::remove_file(path)?;
                fs::create_dir(path)?;
                fs::write(path.join("inside.py"), bytes)?;
            }
            Step::Link(_, n) => symlink(path, self.root().join(format!("link_{n}.rs")))?,
            Step::LinkOver(_, n) => {
                let target = self.pick(n % 2 == 0, n).unwrap_or_else(|| "nowhere".into());
                fs::remove_file(path)?;
                symlink(target, path)?;
            }
            Step::Odd(_, n) => fs::write(path, odd(n))?,
            other => unreachable!("{other:?} is about no file"),
        }
        Ok(())
    }

    fn apply_git(&mut self, step: Step) {
        match step {
            Step::Commit => self.commit(),
            Step::Checkout(n) => {
                let branch = BRANCHES[usize::from(n) % BRANCHES.len()];
                _ = self.git(&["checkout", "-q", branch]) || self.git(&["checkout", "-q", "-b", branch]);
            }
            Step::Detach(n) => {
                _ = self.git(&["checkout", "-q", "--detach", ["HEAD", "HEAD~1"][usize::from(n) % 2]])
            }
            Step::Merge(n) => {
                let branch = BRANCHES[usize::from(n) % BRANCHES.len()];
                // A conflict stays in the files, as it does for people; now and then the merge is given up.
                if !self.git(&["merge", "-q", "-m", "merge", branch]) && n % 2 == 0 {
                    self.git(&["merge", "--abort"]);
                }
            }
            Step::Stash => _ = self.git(&["stash", "-q", "-u"]) || self.git(&["stash", "pop", "-q"]),
            Step::ResetHard => _ = self.git(&["reset", "-q", "--hard"]),
            Step::Worktree(n) => {
                let wanted = usize::from(n) % 3;
                if wanted >= self.roots.len() {
                    let root = self.beside(&format!("worktree{wanted}"));
                    let branch = format!("tree{wanted}");
                    if !self.git(&["worktree", "add", "-q", "-b", &branch, root.to_str().unwrap()]) {
                        return;
                    }
                    self.roots.push(root);
                }
                self.here = wanted.min(self.roots.len() - 1);
            }
            Step::Track(n) | Step::Untrack(n) => {
                let Some(path) = self.pick(false, n) else { return };
                let path = path.to_str().unwrap();
                let args: &[&str] = match step {
                    Step::Track(_) => &["add", "-f", "--", path],
                    _ => &["rm", "-q", "--cached", "--", path],
                };
                self.git(args);
            }
            other => unreachable!("{other:?} is not git's"),
        }
    }
}

impl Drop for World {
    /// Opens what was closed, so that the folder can be removed.
    fn drop(&mut self) {
        let mut waiting = self.roots.clone();
        while let Some(folder) = waiting.pop() {
            let _ = fs::set_permissions(&folder, Permissions::from_mode(0o755));
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    waiting.push(entry.path());
                }
            }
        }
    }
}

fn ignore_file(file: u16, place: u16) -> String {
    let file = IGNORE_FILES[usize::from(file) % IGNORE_FILES.len()];
    let place = if file.contains('/') { "" } else { PLACES[usize::from(place) % PLACES.len()] };
    Path::new(place).join(file).to_str().unwrap().to_string()
}

fn set_mode(path: &Path, number: u16) -> std::io::Result<()> {
    if fs::symlink_metadata(path)?.is_symlink() {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(MODES[usize::from(number) % MODES.len()]))
}

fn set_time(path: &Path, time: SystemTime) -> std::io::Result<()> {
    File::options().append(true).open(path)?.set_times(FileTimes::new().set_modified(time))
}

/// Content that is not simply code.
fn odd(number: u16) -> Vec<u8> {
    let filled = |bytes: usize| b"let quota = session_token;\n".repeat(bytes / 27 + 1)[..bytes].to_vec();
    let limit = MAX_FILE_BYTES as usize;
    match number % 9 {
        0 => Vec::new(),
        1 => b"\0\x01\x02binary".to_vec(),
        2 => b"fn caf\xe9_quota() {} // latin one\n".to_vec(),
        3 => b"// @generated by a tool\nfn resolve_token() {}\n".to_vec(),
        4 => b"let quota = session_token; ".repeat(200),
        5 => filled(limit),
        6 => filled(limit + 1),
        7 => "fn resolve_quota() {}".encode_utf16().flat_map(u16::to_le_bytes).collect(),
        _ => b"\n\n  \n".to_vec(),
    }
}
