//! The place of a command: its tree, the engine over that tree, and paths as they are typed.
//!
//! This module owns the conversion of the command line and the current folder to a root and root-relative paths. The
//! engine decides whether a root can be used and where its index lies. A typed path is read relative to the current
//! folder, as in any other tool, and where no such file exists, relative to the root: JSON has root-relative paths, which
//! can be typed back too.

use std::io;
use std::mem::ManuallyDrop;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use spyhop_base::path::{PathBase, RelPath};
use spyhop_engine::Engine;
use spyhop_engine::api::Options;

use super::failure::Failure;

/// A tree, and the user's current folder in it.
pub struct TreePlace {
    pub root: PathBuf,
    /// The current folder, if it lies in the tree.
    here: Option<RelPath>,
    /// The folder or file that `--path` limits the search to.
    pub path: Option<String>,
    /// The file that a command is about, if it chose the tree.
    pub entry: Option<RelPath>,
    /// Whether files on disk are searched. If not, only the engine knows which paths exist.
    is_on_disk: bool,
}

impl TreePlace {
    /// The place that a typed root, a typed path and the current folder choose. `is_on_disk` says whether files on disk
    /// are searched, and not those of a revision. `may_be_above` allows a folder that holds the current tree: an
    /// exact search of that folder indexes nothing, other commands would.
    pub fn of(
        root: Option<&Path>,
        path: Option<&Path>,
        is_on_disk: bool,
        may_be_above: bool,
    ) -> Result<TreePlace, Failure> {
        let cwd = here()?;
        let root = root.map(|root| absolute(&cwd, root));
        TreePlace::at(root, path, &cwd, is_on_disk, may_be_above)
    }

    /// The tree that a typed path chooses, and that path inside the tree. A relative path that leads out of the current
    /// tree, or an absolute one, chooses a tree of its own unless a root is given.
    fn at(
        root: Option<PathBuf>,
        path: Option<&Path>,
        cwd: &Path,
        is_on_disk: bool,
        may_be_above: bool,
    ) -> Result<TreePlace, Failure> {
        let new = |root: PathBuf| TreePlace { is_on_disk, ..TreePlace::new(root, cwd) };
        let Some(path) = path else {
            return Ok(new(root.unwrap_or_else(|| Engine::find_root(cwd))));
        };
        let current = || new(root.clone().unwrap_or_else(|| Engine::find_root(cwd)));
        let leads_out = || {
            let target = absolute(cwd, path);
            let own = current().root;
            let is_allowed = may_be_above || !own.starts_with(&target);
            root.is_none() && target.exists() && !target.starts_with(&own) && is_allowed
        };
        if !path.is_absolute() && !path.starts_with("~") && !leads_out() {
            let place = current();
            let inside = place.relative(path)?;
            place.check_exists(path, &inside)?;
            return Ok(TreePlace { path: narrowed(&inside), ..place });
        }
        let target = absolute(cwd, path);
        let mut folder = if target.is_file() { target.parent().unwrap_or(&target) } else { &target };
        if !is_on_disk {
            // A folder that the worktree lacks may exist in the revision.
            folder = folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(folder);
        }
        if !folder.exists() {
            return Err(Failure::Usage(format!("path '{}' does not exist", path.display())));
        }
        let place = new(root.unwrap_or_else(|| Engine::find_root(folder)));
        let inside = place.relative(&target)?;
        Ok(TreePlace { path: narrowed(&inside), ..place })
    }

    /// The place for a command that says by itself which paths do not exist.
    pub fn unchecked(self) -> TreePlace {
        TreePlace { is_on_disk: true, ..self }
    }

    /// How paths of this tree are shown: relative to the current folder, or absolute where that lies outside the tree.
    pub fn base(&self) -> PathBase {
        match &self.here {
            Some(here) => PathBase::Folder(here.clone()),
            None => PathBase::Absolute(self.root.clone()),
        }
    }

    /// Whether the typed path is a file.
    pub fn is_file(&self) -> bool {
        self.path.as_ref().is_some_and(|path| self.root.join(path).is_file())
    }

    /// The current folder, relative to the root; `None` where that is the root, or lies outside the tree.
    pub fn current_folder(&self) -> Option<String> {
        self.here.as_ref().and_then(narrowed)
    }

    /// The root-relative form of a further typed path, which must exist; empty for the whole tree.
    pub fn also(&self, path: &Path) -> Result<String, Failure> {
        let inside = self.relative(path)?;
        self.check_exists(path, &inside)?;
        Ok(inside.as_str().to_string())
    }

    /// Fails if a typed path, `inside` the tree, does not exist, although files on disk are searched.
    fn check_exists(&self, path: &Path, inside: &RelPath) -> Result<(), Failure> {
        let whole = inside.below(&self.root);
        if !self.is_on_disk || whole.exists() {
            return Ok(());
        }
        let mut near: Vec<PathBuf> = similar_path(&whole).into_iter().collect();
        if near.is_empty() {
            near = deeper_paths(&self.root, path);
        }
        let near =
            near.iter().filter_map(|near| RelPath::from_path(near.strip_prefix(&self.root).ok()?).ok());
        let near: Vec<String> = near.map(|near| format!("'{}'", self.base().shown(near.as_str()))).collect();
        let near = match near.is_empty() {
            true => String::new(),
            false => format!("; did you mean {}?", near.join(" or ")),
        };
        let (path, root) = (path.display(), self.root.display());
        Err(Failure::Usage(format!("path '{path}' does not exist below the root '{root}'{near}")))
    }

    /// The error for a path that leads out of the tree.
    fn outside(&self, path: &Path) -> Failure {
        let (shown, root) = (path.display(), self.root.display());
        let here = self.here.as_ref().map_or(self.root.clone(), |here| here.below(&self.root));
        let above = match self.root.starts_with(absolute(&here, path)) {
            true => format!("; --root '{shown}' searches that folder, with an index of its own"),
            false => String::new(),
        };
        Failure::Usage(format!("path '{shown}' lies outside the root '{root}'{above}"))
    }

    fn new(root: PathBuf, cwd: &Path) -> TreePlace {
        let here = cwd.strip_prefix(&root).ok().and_then(|below| RelPath::from_path(below).ok());
        TreePlace { root, here, path: None, entry: None, is_on_disk: true }
    }

    /// The tree of one entry and the entry's path in it. The entry may be a link, which is not followed, have a name
    /// that is not UTF-8, or not exist.
    pub fn of_entry(root: Option<&Path>, path: &Path) -> Result<(TreePlace, PathBuf), Failure> {
        let place = TreePlace::of(root, None, true, false)?;
        let cwd = here()?;
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        let is_whole = path.is_absolute() || path.starts_with("~");
        if !is_whole && !is_there(&cwd.join(path)) && is_there(&place.root.join(path)) {
            return Ok((place, path.to_path_buf()));
        }
        // First the path as typed: an entry below a link in the tree is left out with that link, wherever the link
        // leads.
        let whole = entry(&cwd, path);
        for candidate in [&lexical(&cwd, path), &whole] {
            if let Ok(below) = candidate.strip_prefix(&place.root) {
                return Ok((place, below.to_path_buf()));
            }
        }
        let exact = root.is_some();
        let own = TreePlace::new(Engine::find_root(whole.parent().unwrap_or(&whole)), &cwd);
        // A relative path chooses no tree around the current one, as `--path` does not.
        let is_allowed = is_whole || !place.root.starts_with(&own.root);
        match whole.strip_prefix(&own.root) {
            Ok(below) if is_allowed && !exact => Ok((own, below.to_path_buf())),
            _ => Err(place.outside(path)),
        }
    }

    /// Opens the engine with these options, for a command that ends the process. The engine is never dropped: the
    /// end of the process frees its memory at once instead of piece by piece.
    pub fn open(&self, options: Options) -> Result<ManuallyDrop<Engine>, Failure> {
        let engine = Engine::open(&self.root, options)?;
        if let Some(path) = self.path.as_ref().filter(|_| !self.is_on_disk) {
            engine.check_path(path)?;
        }
        Ok(ManuallyDrop::new(engine))
    }

    /// The root-relative form of a typed path, whether or not the file exists.
    pub fn relative(&self, path: &Path) -> Result<RelPath, Failure> {
        let usage = |error: spyhop_base::path::PathError| Failure::Usage(error.to_string());
        if path.is_absolute() || path.starts_with("~") {
            let target = absolute(Path::new(""), path);
            let Ok(below) = target.strip_prefix(&self.root) else { return Err(self.outside(path)) };
            return RelPath::from_path(below).map_err(usage);
        }
        let from_root = RelPath::from_path(path);
        let Some(here) = &self.here else { return from_root.map_err(usage) };
        let target = lexical(&here.below(&self.root), path);
        let Ok(below) = target.strip_prefix(&self.root) else { return Err(self.outside(path)) };
        let from_here = RelPath::from_path(below);
        match (from_here, from_root) {
            (Ok(here), _) if here.below(&self.root).exists() => Ok(here),
            (_, Ok(root)) if root.below(&self.root).exists() => Ok(root),
            (here, _) => here.map_err(usage),
        }
    }
}

/// The current folder, links resolved.
pub fn here() -> Result<PathBuf, Failure> {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    here.map_err(|error| {
        // The system no longer has a name for the folder; the shell may have.
        let named = std::env::var_os("PWD").filter(|name| !name.is_empty());
        let named = named.map(|name| format!(" '{}'", name.display())).unwrap_or_default();
        let why = match error.kind() {
            io::ErrorKind::NotFound => "it has been deleted or moved".to_string(),
            _ => error.to_string(),
        };
        Failure::Usage(format!("the current folder{named} cannot be used: {why}; change to another one"))
    })
}

/// The path that exists and differs from `path` by the spelling of one name.
fn similar_path(path: &Path) -> Option<PathBuf> {
    let folder = path.ancestors().find(|folder| folder.is_dir())?;
    let mut rest = path.strip_prefix(folder).ok()?.components();
    let typed = rest.next()?.as_os_str().to_str()?.to_lowercase();
    let names = folder.read_dir().ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let edits = |name: &String| strsim::osa_distance(&name.to_lowercase(), &typed);
    let near = names.min_by_key(|name| (edits(name), name.clone()))?;
    let found = rest.fold(folder.join(&near), |found, name| found.join(name));
    (edits(&near) <= (typed.chars().count() / 3).max(1) && found.exists()).then_some(found)
}

/// The most paths that an error suggests.
const MAX_NEAR: usize = 3;

/// The time after which no deeper path is looked for: the error must not wait for a walk of a huge tree.
const MAX_LOOKING: Duration = Duration::from_millis(300);

/// The paths below `root` that end with `typed`, such as `lib/net/http` for `net/http`: the least deep first. Hidden folders
/// and links are not entered.
fn deeper_paths(root: &Path, typed: &Path) -> Vec<PathBuf> {
    let tail: PathBuf = typed.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let begun = Instant::now();
    let (mut level, mut found) = (vec![root.to_path_buf()], Vec::new());
    while !(level.is_empty() || found.len() >= MAX_NEAR || tail.as_os_str().is_empty()) {
        let mut next = Vec::new();
        for folder in level {
            if begun.elapsed() > MAX_LOOKING {
                break;
            }
            let entries = folder.read_dir().into_iter().flatten().flatten();
            for entry in entries.filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b".")) {
                let path = entry.path();
                if path.ends_with(&tail) {
                    found.push(path.clone());
                }
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    next.push(path);
                }
            }
        }
        level = next;
    }
    found.sort_by_key(|path| (path.components().count(), path.clone()));
    found.truncate(MAX_NEAR);
    found
}

fn narrowed(path: &RelPath) -> Option<String> {
    let text = path.as_str();
    (!text.is_empty()).then(|| text.to_string())
}

/// `path` as an absolute path, links resolved as far as the path exists; `~` is the user's home folder.
fn absolute(cwd: &Path, path: &Path) -> PathBuf {
    let whole = match (path.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => cwd.join(path),
    };
    whole.canonicalize().unwrap_or(whole)
}

/// `path` as an absolute path, with `..` resolved textually.
fn lexical(cwd: &Path, path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for component in cwd.join(path).components() {
        match component {
            Component::ParentDir => _ = whole.pop(),
            Component::CurDir => {}
            other => whole.push(other),
        }
    }
    whole
}

/// `path` as an absolute path, links resolved in all components but the last.
fn entry(cwd: &Path, path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) => absolute(cwd, folder).join(name),
        _ => absolute(cwd, path),
    }
}
