//! The place of a command: its tree, the engine over that tree, and paths as they are typed.
//!
//! This module owns the conversion of the command line and the current folder to a root and root-relative paths. The
//! engine decides whether a root can be used and where its index lies. A typed path is read relative to the current
//! folder, as in any other tool, and where no such file exists, relative to the root: answers show root-relative paths,
//! and a path from an answer can be typed back.

use std::io;
use std::mem::ManuallyDrop;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;
use spyhop::catalog::{self, Takes};
use spyhop::engine::Engine;
use spyhop::engine::api::{OnMissing, Options, Parsing, StalePolicy};
use spyhop::path::RelPath;

use super::{Failure, args};

/// The timeout for another process, practically endless: that process ends some time, which frees its lock.
const ENDLESS: Duration = Duration::from_secs(24 * 3600);

/// A tree, and the user's current folder in it.
pub struct Place {
    pub root: PathBuf,
    /// The current folder, if it lies in the tree.
    here: Option<RelPath>,
    /// The folder or file that `--path` limits the search to.
    pub path: Option<String>,
    /// Whether files on disk are searched. If not, only the engine knows which paths exist.
    is_on_disk: bool,
}

impl Place {
    /// The place that the arguments and the current folder choose.
    pub fn of(matches: &ArgMatches) -> Result<Place, Failure> {
        let cwd = here()?;
        let given = ["tree", catalog::ROOT.name].iter().find_map(|id| optional::<PathBuf>(matches, id));
        let root = given.map(|root| absolute(&cwd, root));
        let path = [args::HERE, catalog::PATH.name].iter().find_map(|id| optional::<PathBuf>(matches, id));
        Place::at(root, path, &cwd, is_on_disk(matches))
    }

    /// The place that the arguments and a path without a flag choose.
    pub fn with(matches: &ArgMatches, path: &PathBuf) -> Result<Place, Failure> {
        let cwd = here()?;
        let given = ["tree", catalog::ROOT.name].iter().find_map(|id| optional::<PathBuf>(matches, id));
        let root = given.map(|root| absolute(&cwd, root));
        Place::at(root, Some(path), &cwd, is_on_disk(matches))
    }

    /// The tree that a typed path chooses, and that path inside the tree.
    fn at(
        root: Option<PathBuf>,
        path: Option<&PathBuf>,
        cwd: &Path,
        is_on_disk: bool,
    ) -> Result<Place, Failure> {
        let new = |root: PathBuf| Place { is_on_disk, ..Place::new(root, cwd) };
        let Some(path) = path else {
            return Ok(new(root.unwrap_or_else(|| Engine::find_root(cwd))));
        };
        if !path.is_absolute() && !path.starts_with("~") {
            let place = new(root.unwrap_or_else(|| Engine::find_root(cwd)));
            let inside = place.relative(path)?;
            if is_on_disk && !inside.below(&place.root).exists() {
                let (path, root) = (path.display(), place.root.display());
                return Err(Failure::Usage(format!("path '{path}' does not exist below the root '{root}'")));
            }
            return Ok(Place { path: narrowed(&inside), ..place });
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
        Ok(Place { path: narrowed(&inside), ..place })
    }

    /// The root-relative form of a further typed path, which must exist; empty for the whole tree.
    pub fn also(&self, path: &Path) -> Result<String, Failure> {
        let inside = self.relative(path)?;
        if !self.is_on_disk || inside.below(&self.root).exists() {
            return Ok(inside.as_str().to_string());
        }
        let (path, root) = (path.display(), self.root.display());
        Err(Failure::Usage(format!("path '{path}' does not exist below the root '{root}'")))
    }

    fn new(root: PathBuf, cwd: &Path) -> Place {
        let here = cwd.strip_prefix(&root).ok().and_then(|below| RelPath::from_path(below).ok());
        Place { root, here, path: None, is_on_disk: true }
    }

    /// The tree of one entry and the entry's path in it. The entry may be a link, which is not followed, have a name
    /// that is not UTF-8, or not exist.
    pub fn of_entry(matches: &ArgMatches, path: &Path) -> Result<(Place, PathBuf), Failure> {
        let place = Place::of(matches)?;
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
        let exact = ["tree", catalog::ROOT.name].iter().any(|id| optional::<PathBuf>(matches, id).is_some());
        let own = Place::new(Engine::find_root(whole.parent().unwrap_or(&whole)), &cwd);
        match whole.strip_prefix(&own.root) {
            Ok(below) if is_whole && !exact => Ok((own, below.to_path_buf())),
            _ => {
                let (path, root) = (path.display(), place.root.display());
                Err(Failure::Usage(format!("path '{path}' lies outside the root '{root}'")))
            }
        }
    }

    /// Opens the engine with the given options, for a command that ends the process. The engine is never dropped: the
    /// end of the process frees its memory at once instead of piece by piece.
    pub fn open(&self, matches: &ArgMatches) -> Result<ManuallyDrop<Engine>, Failure> {
        let engine = Engine::open(&self.root, options(matches)?)?;
        if let Some(path) = self.path.as_ref().filter(|_| !self.is_on_disk) {
            engine.check_path(path)?;
        }
        Ok(ManuallyDrop::new(engine))
    }

    /// Opens the engine to change the index. Waits for another process that is changing the index, unless the user says
    /// not to.
    pub fn open_for_writing(&self, matches: &ArgMatches) -> Result<Engine, Failure> {
        Ok(Engine::open(&self.root, options_for_writing(matches)?)?)
    }

    /// The root-relative form of a typed path, whether or not the file exists.
    pub fn relative(&self, path: &Path) -> Result<RelPath, Failure> {
        let usage = |error: spyhop::path::PathError| Failure::Usage(error.to_string());
        if path.is_absolute() || path.starts_with("~") {
            let target = absolute(Path::new(""), path);
            let Ok(below) = target.strip_prefix(&self.root) else {
                let (path, root) = (path.display(), self.root.display());
                return Err(Failure::Usage(format!("path '{path}' lies outside the root '{root}'")));
            };
            return RelPath::from_path(below).map_err(usage);
        }
        let from_root = RelPath::from_path(path);
        let Some(here) = &self.here else { return from_root.map_err(usage) };
        let from_here = RelPath::from_path(&Path::new(here.as_str()).join(path));
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

/// The value of an argument that this subcommand may not have.
pub fn optional<'a, T: Clone + Send + Sync + 'static>(matches: &'a ArgMatches, id: &str) -> Option<&'a T> {
    matches.try_get_one::<T>(id).ok().flatten()
}

/// Whether a flag is given; false where this subcommand has no such flag.
pub fn given(matches: &ArgMatches, id: &str) -> bool {
    optional::<bool>(matches, id).copied().unwrap_or(false)
}

/// Whether the files on disk are searched, and not those of a revision.
fn is_on_disk(matches: &ArgMatches) -> bool {
    optional::<String>(matches, catalog::VIEW.name).is_none()
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

/// The options of a command that changes the index.
fn options_for_writing(matches: &ArgMatches) -> Result<Options, Failure> {
    let wait = if given(matches, catalog::NO_WAIT.name) { Duration::ZERO } else { ENDLESS };
    Ok(Options { wait, text_first: !given(matches, catalog::WAIT.name), ..options(matches)? })
}

/// The options that say how a tree is indexed and how changes are handled.
pub fn options(matches: &ArgMatches) -> Result<Options, Failure> {
    let mut options =
        Options { index_dir: optional(matches, catalog::INDEX_DIR.name).cloned(), ..Options::default() };
    options.grammars = optional(matches, catalog::GRAMMARS.name).cloned();
    options.parsing = Parsing::in_workers();
    options.view = optional(matches, catalog::VIEW.name).cloned();
    options.hidden = given(matches, catalog::HIDDEN.name);
    options.no_ignore = given(matches, catalog::NO_IGNORE.name);
    options.no_built_in = given(matches, catalog::NO_BUILT_IN.name);
    options.secrets = given(matches, catalog::SECRETS.name);
    options.show_secrets = given(matches, catalog::SHOW_SECRETS.name);
    if let Some(&bytes) = optional(matches, catalog::MAX_FILE_SIZE.name) {
        options.max_file_bytes = bytes;
    }
    if let Some(&bytes) = optional(matches, catalog::MAX_MEMORY.name) {
        options.max_memory = Some(bytes);
    }
    if let Some(&threads) = optional::<u64>(matches, catalog::THREADS.name) {
        let Takes::Number(least, most) = catalog::THREADS.takes else { unreachable!("threads is a number") };
        if !(least..=most).contains(&threads) {
            return Err(Failure::Usage(format!("threads is {threads}; choose {least} to {most}")));
        }
        options.threads = Some(threads as usize);
    }
    if given(matches, catalog::REQUIRE_INDEX.name) {
        options.on_missing = OnMissing::Fail;
    }
    if let Some(policy) = stale_policy(matches)? {
        options.stale_policy = policy;
    }
    Ok(options)
}

fn stale_policy(matches: &ArgMatches) -> Result<Option<StalePolicy>, Failure> {
    let named = optional::<String>(matches, catalog::STALE_POLICY.name).map(String::as_str);
    let no_refresh = given(matches, catalog::NO_REFRESH.name);
    match named {
        Some(name) if no_refresh && name != "ignore" => Err(Failure::Usage(format!(
            "--no-refresh and --stale-policy {name} exclude each other; choose one"
        ))),
        None if no_refresh => Ok(Some(StalePolicy::Ignore)),
        None => Ok(None),
        Some("refresh") => Ok(Some(StalePolicy::Refresh)),
        Some("warn") => Ok(Some(StalePolicy::Warn)),
        Some("ignore") => Ok(Some(StalePolicy::Ignore)),
        Some("error") => Ok(Some(StalePolicy::Error)),
        Some("wait") => Ok(Some(StalePolicy::Wait)),
        Some(other) => unreachable!("the parser lets no '{other}' through"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_index_become_its_options() {
        let of = |line: &str| {
            let matches = crate::cli::command().try_get_matches_from(line.split(' ')).unwrap();
            let (_, own) = matches.subcommand().unwrap();
            let options = options_for_writing(own).unwrap_or_else(|_| panic!("{line}"));
            (options.text_first, options.wait)
        };
        assert_eq!(of("spyhop index"), (true, ENDLESS));
        assert_eq!(of("spyhop index --wait"), (false, ENDLESS));
        assert_eq!(of("spyhop index --no-wait"), (true, Duration::ZERO));
        assert_eq!(of("spyhop gc --no-wait"), (true, Duration::ZERO));
    }
}
