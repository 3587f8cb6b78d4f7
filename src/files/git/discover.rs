//! The repository around a folder, or in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use gix::open::Options;

use super::reach::Reach;
use super::repo::Repo;
use super::sound::{MAX_OBJECT_BYTES, Sound};
use crate::gitdir::{self, GitDir, GitDirError};

/// The repository whose worktree contains `folder`, the nearest if several do. `None` when there is none, or only a bare
/// or broken repository, or one that is not used for another reason.
pub fn discover(folder: &Path) -> Option<Repo> {
    discover_within(folder, &Reach::Anywhere).unwrap_or_else(|error| {
        tracing::warn!("the repository around {} is not used: {error}", folder.display());
        None
    })
}

/// The repository that [`discover`] finds, read only from folders that `reach` allows.
///
/// # Errors
/// There is a repository that is not used, because it belongs to another folder or cannot be read safely.
pub fn discover_within(folder: &Path, reach: &Reach) -> Result<Option<Repo>, GitDirError> {
    if *reach == Reach::Nowhere {
        return Ok(None);
    }
    let Ok(folder) = fs::canonicalize(folder) else { return Ok(None) };
    let Some((top, sound)) = nearest(&folder, reach)? else { return Ok(None) };
    let inner = match gix::ThreadSafeRepository::open_opts(top.join(".git"), isolated()) {
        Ok(inner) => inner,
        Err(error) => {
            tracing::debug!("no repository around {}: {error}", folder.display());
            return Ok(None);
        }
    };
    let Some(top) = inner.work_dir().and_then(|top| fs::canonicalize(top).ok()) else { return Ok(None) };
    // `core.worktree` can point anywhere, and the git directory is inside the worktree without being part of it.
    let is_inside = folder.starts_with(&top) && !folder.starts_with(&sound.git_dir.dir);
    Ok(is_inside.then_some(Repo { inner, top, sound }))
}

/// The repository in `folder` itself, which may be bare: a folder with a `.git`, or a git directory. No worktree is
/// needed, so only commits can be read. The repository is read only from folders that `reach` allows. `None` if `folder`
/// is neither.
///
/// # Errors
/// There is a repository that is not used, because it belongs to another folder or cannot be read safely.
pub fn open_objects(folder: &Path, reach: &Reach) -> Result<Option<Repo>, GitDirError> {
    let Ok(top) = fs::canonicalize(folder) else { return Ok(None) };
    let git_dir = match gitdir::resolve(&top.join(".git"))? {
        Some(git_dir) => git_dir,
        None => GitDir { dir: top.clone(), common: top.clone(), is_folder: true },
    };
    let dir = git_dir.dir.clone();
    let Some(sound) = Sound::check(&top, git_dir, reach)? else { return Ok(None) };
    match gix::ThreadSafeRepository::open_opts(&dir, isolated()) {
        Ok(inner) => Ok(Some(Repo { inner, top, sound })),
        Err(error) => Err(GitDirError::unusable(&dir, error)),
    }
}

/// The options of a repository of which only the files in its git directory are read.
fn isolated() -> Options {
    Options::isolated()
        .open_path_as_is(true)
        .config_overrides([format!("gitoxide.objects.allocLimit={MAX_OBJECT_BYTES}")])
}

/// The nearest folder from `folder` up that has a repository; like git, this does not cross file systems.
fn nearest(folder: &Path, reach: &Reach) -> Result<Option<(PathBuf, Sound)>, GitDirError> {
    for at in folder.ancestors().take_while(|at| is_on_one_device(folder, at)) {
        if let Some(git_dir) = gitdir::resolve(&at.join(".git"))?
            && let Some(sound) = Sound::check(at, git_dir, reach)?
        {
            return Ok(Some((at.to_path_buf(), sound)));
        }
    }
    Ok(None)
}

#[cfg(unix)]
fn is_on_one_device(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.dev());
    device(a) == device(b)
}

#[cfg(not(unix))]
fn is_on_one_device(_: &Path, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::git::head::Head;
    use crate::git::tracked::Tracked;
    use spyhop_base::path::RelPath;

    /// A git command in `dir`, isolated from the machine's configuration and from any repository around the tests.
    fn command(dir: &Path, arguments: &str) -> Command {
        let mut command = Command::new("git");
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
            command.env_remove(name);
        }
        command
            .args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"])
            .args(arguments.split(' '))
            .current_dir(dir)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    /// Runs a git command and returns its output.
    fn git(dir: &Path, arguments: &str) -> String {
        let output = command(dir, arguments).output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    }

    fn write(dir: &Path, paths: &str) {
        for path in paths.split(' ') {
            let at = dir.join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, path).unwrap();
        }
    }

    /// A repository on branch `main` that has committed `paths`.
    fn repository(paths: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(dir.path()).unwrap();
        git(&top, "init -q -b main");
        write(&top, paths);
        git(&top, "add -A -f");
        git(&top, "commit -q -m first");
        (dir, top)
    }

    fn head(branch: &str, commit: &str) -> Head {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_string());
        Head { branch: some(branch), commit: some(commit), is_of_commit: false }
    }

    fn tracked(tracked: &Tracked, path: &str, is_dir: bool) -> bool {
        tracked.contains(&RelPath::new(path).unwrap(), is_dir)
    }

    #[test]
    fn a_repository_can_be_shared_between_threads() {
        fn is_shared<T: Send + Sync>() {}
        is_shared::<Repo>();
        is_shared::<Tracked>();
    }

    #[test]
    fn the_nearest_worktree_is_found() {
        let (_keep, top) = repository("a/b/c.rs");
        assert_eq!(discover(&top).unwrap().top(), top);
        let repo = discover(&top.join("a/b")).unwrap();
        assert_eq!(repo.top(), top);
        assert_eq!(repo.common_dir(), top.join(".git"));

        git(&top.join("a"), "init -q -b inner");
        assert_eq!(discover(&top.join("a/b")).unwrap().top(), top.join("a"));
    }

    #[test]
    fn no_worktree_no_repository() {
        let dir = tempfile::tempdir().unwrap();
        assert!(discover(dir.path()).is_none());
        assert!(discover(&dir.path().join("missing")).is_none());
        git(dir.path(), "init -q --bare bare.git");
        assert!(discover(&dir.path().join("bare.git")).is_none());
        let (_keep, top) = repository("a.rs");
        assert!(discover(&top.join(".git/refs")).is_none());
    }

    #[test]
    fn a_broken_repository_is_none() {
        let (_keep, top) = repository("a.rs");
        fs::write(top.join(".git/config"), "[core\nbroken").unwrap();
        assert!(discover(&top).is_none());

        let (_keep, top) = repository("a.rs");
        fs::remove_dir_all(top.join(".git")).unwrap();
        fs::write(top.join(".git"), "gitdir: /nowhere").unwrap();
        assert!(discover(&top).is_none());
    }

    #[test]
    fn damage_within_costs_only_what_it_hits() {
        let (_keep, top) = repository("a.rs");
        fs::write(top.join(".git/index"), "DIRCgarbage").unwrap();
        let repo = discover(&top).unwrap();
        assert!(!tracked(&repo.tracked(), "a.rs", false));
        assert_eq!(repo.head().branch.as_deref(), Some("main"));
    }

    #[test]
    fn the_head_follows_what_is_checked_out() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), "init -q -b topic/new");
        let repo = discover(dir.path()).unwrap();
        assert_eq!(repo.head(), head("topic/new", ""));

        write(dir.path(), "a.rs");
        git(dir.path(), "add a.rs");
        git(dir.path(), "commit -q -m first");
        let commit = git(dir.path(), "rev-parse HEAD");
        assert_eq!(repo.head(), head("topic/new", &commit));

        git(dir.path(), "checkout -q -b other");
        git(dir.path(), "commit -q --allow-empty -m second");
        git(dir.path(), "pack-refs --all");
        assert_eq!(repo.head(), head("other", &git(dir.path(), "rev-parse HEAD")));

        git(dir.path(), &format!("checkout -q {commit}"));
        assert_eq!(repo.head(), head("", &commit));
    }

    #[test]
    fn a_linked_worktree_shares_the_common_folder() {
        let (keep, top) = repository("a.rs");
        git(&top, "worktree add -q -b side linked");
        let linked = top.join("linked");
        write(&linked, "only-here.rs");
        git(&linked, "add only-here.rs");
        let repo = discover(&linked).unwrap();
        assert_eq!(repo.top(), linked);
        assert_eq!(repo.common_dir(), top.join(".git"));
        assert_eq!(repo.head(), head("side", &git(&top, "rev-parse main")));
        assert!(tracked(&repo.tracked(), "only-here.rs", false));
        assert!(!tracked(&discover(keep.path()).unwrap().tracked(), "only-here.rs", false));
    }

    #[test]
    fn files_and_directories_are_tracked() {
        let (_keep, top) = repository("b.rs target/x.rs target-2/y.rs z/target/deep/q.rs ä.rs");
        write(&top, "new.rs out/new.rs tar/t.rs");
        let all = discover(&top).unwrap().tracked();
        for (path, is_dir, expected) in [
            ("b.rs", false, true),
            ("ä.rs", false, true),
            ("new.rs", false, false),
            ("b", false, false),
            ("target", true, true),
            ("target", false, false),
            ("target-2", true, true),
            ("tar", true, false),
            ("out", true, false),
            ("z/target", true, true),
            ("z/target/deep", true, true),
            ("z/target/d", true, false),
            ("zz", true, false),
            ("", true, true),
        ] {
            assert_eq!(tracked(&all, path, is_dir), expected, "{path} {is_dir}");
        }
    }

    #[test]
    fn a_root_below_the_top_asks_by_paths_below_it() {
        let (_keep, top) = repository("b.rs sub/target/x.rs target/y.rs sub/c.rs");
        write(&top, "sub/dir/new.rs");
        let repo = discover(&top.join("sub")).unwrap();
        let below = repo.tracked_below(&top.join("sub"));
        assert!(tracked(&below, "c.rs", false));
        assert!(tracked(&below, "target", true));
        assert!(tracked(&below, "", true));
        assert!(!tracked(&below, "b.rs", false));
        assert!(!tracked(&below, "dir", true));
        assert!(!tracked(&repo.tracked_below(&top.join("sub/dir")), "", true));
        assert!(tracked(&repo.tracked_below(&top), "sub/c.rs", false));
        let elsewhere = tempfile::tempdir().unwrap();
        assert!(!tracked(&repo.tracked_below(elsewhere.path()), "b.rs", false));
    }

    #[test]
    fn before_the_first_add_nothing_is_tracked() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), "init -q");
        let all = discover(dir.path()).unwrap().tracked();
        assert!(!tracked(&all, "a.rs", false) && !tracked(&all, "", true));
    }

    #[test]
    fn files_in_conflict_are_tracked() {
        let (_keep, top) = repository("a.rs");
        for (branch, text) in [("one", "1"), ("two", "2")] {
            git(&top, &format!("checkout -q -b {branch} main"));
            fs::write(top.join("a.rs"), text).unwrap();
            git(&top, "commit -q -a -m change");
        }
        let merge = command(&top, "merge -q one").output().unwrap();
        assert!(!merge.status.success());
        assert!(tracked(&discover(&top).unwrap().tracked(), "a.rs", false));
    }

    #[test]
    fn a_submodule_is_tracked_as_a_directory() {
        let (_keep, inner) = repository("x.rs");
        let (_keep_too, top) = repository("a.rs");
        git(&top, &format!("submodule --quiet add {} build", inner.display()));
        let all = discover(&top).unwrap().tracked();
        assert!(tracked(&all, "build", true));
        assert!(!tracked(&all, "build", false));
        assert!(!tracked(&all, "build/x.rs", false));
        assert_eq!(discover(&top.join("build")).unwrap().top(), top.join("build"));
    }

    #[test]
    fn configuration_cannot_move_the_worktree_away_from_the_folder() {
        let (_keep, top) = repository("a.rs");
        let elsewhere = tempfile::tempdir().unwrap();
        git(&top, &format!("config core.worktree {}", elsewhere.path().display()));
        assert!(discover(&top).is_none());
    }
}
