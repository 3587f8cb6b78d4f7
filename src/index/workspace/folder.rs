//! The folder of an index: its owner, the paths in it, and opening its newest commit.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::committed::Committed;
use super::error::WorkspaceError;
use crate::inverted::{self, IndexError, Reader};
use crate::meta::{Commit, Meta, MetaError};
use spyhop_base::store::{self, AtFile, FORMAT_VERSION, Private, TEMPORARY_PREFIX};

/// The name of the folder of notes in the folder of an index. What removes an index keeps this folder.
pub const MEMORY_FOLDER: &str = "memory";

/// How often a reader that loses a race with a commit tries again; a commit takes far longer than a try.
const OPEN_TRIES: usize = 20;

/// The version of the folder's layout, in `WORKSPACE`. A program that finds a higher version touches nothing.
const LAYOUT: u32 = 1;

/// The most bytes of `WORKSPACE` that are read; no path is as long.
const MAX_CLAIM_BYTES: u64 = 1 << 20;

/// The location of an index and its owner.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    owner: PathBuf,
    /// The folder as the user named it; a link there may belong to another user.
    named: PathBuf,
    pub(super) dir: PathBuf,
    fingerprint: String,
}

#[derive(Serialize, Deserialize)]
struct WorkspaceClaim {
    format: u32,
    owner: String,
}

impl Workspace {
    /// The workspace in the folder `dir` for the tree at `root`. `owner` is the common git directory, which worktrees
    /// share, or the root itself. `fingerprint` is [`super::fingerprint`]. No file is touched yet.
    pub fn new(root: PathBuf, owner: PathBuf, dir: PathBuf, fingerprint: String) -> Workspace {
        Workspace { root, owner, dir: resolved(dir.clone()), named: dir, fingerprint }
    }

    /// The name of the workspace folder of `owner`: the last part of the path, for people, and a hash, for uniqueness.
    pub fn key(owner: &Path) -> String {
        let hash = blake3::hash(owner.as_os_str().as_encoded_bytes()).to_hex();
        let named =
            if owner.file_name().is_some_and(|name| name == ".git") { owner.parent() } else { Some(owner) };
        let name: String = named
            .and_then(Path::file_name)
            .map(|name| {
                name.to_string_lossy().chars().filter(|c| c.is_alphanumeric() || "-_.".contains(*c)).collect()
            })
            .unwrap_or_default();
        let name: String = name.chars().take(40).collect();
        format!("{}-{}", name.trim_start_matches('.'), &hash[..16])
    }

    /// Whether the folder `home` has an index of the tree at `root`, which lies outside git.
    pub fn is_in(home: &Path, root: &Path) -> bool {
        home.join(Workspace::key(root)).join("WORKSPACE").is_file()
    }

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The fingerprint, which decides how content is stored.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    pub fn lock_path(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// The session log of this tree. Trees that share the index have separate logs: `a.rs` in one tree is not `a.rs` in
    /// the other.
    pub fn session_path(&self) -> PathBuf {
        let hash = blake3::hash(self.root.as_os_str().as_encoded_bytes()).to_hex();
        self.dir.join(format!("session-{}", &hash[..16]))
    }

    pub fn data_dir(&self) -> PathBuf {
        self.dir.join(format!("v{FORMAT_VERSION}-{}", self.fingerprint))
    }

    /// The folder of metadata records.
    pub fn meta_dir(&self) -> PathBuf {
        self.data_dir().join("meta")
    }

    pub fn segment_dir(&self) -> PathBuf {
        self.data_dir().join("tantivy")
    }

    /// Checks that the folder belongs to this user, and to this tree or no tree.
    pub fn check_owner(&self) -> Result<(), WorkspaceError> {
        for folder in [&self.named, &self.dir, &self.data_dir()] {
            if let Some(uid) = store::foreign_owner(folder) {
                return Err(WorkspaceError::ForeignUser { dir: folder.clone(), uid });
            }
        }
        if self.check_claim()? {
            return Ok(());
        }
        let Some(other) = self.content_beyond(is_begun) else { return Ok(()) };
        // Another process may have claimed the folder since the check; the claim is written before any other content,
        // and stays.
        if self.check_claim()? {
            return Ok(());
        }
        if self.has_structure() {
            return Err(self.lost_claim("WORKSPACE is missing".to_string()));
        }
        let other = self.content_beyond(is_of_index).unwrap_or(other);
        let owner = format!("something else (it holds '{}')", other.to_string_lossy());
        Err(WorkspaceError::Foreign { dir: self.dir.clone(), owner })
    }

    /// Whether the folder is claimed; a claim by another tree is an error.
    fn check_claim(&self) -> Result<bool, WorkspaceError> {
        let path = self.dir.join("WORKSPACE");
        let read = || {
            let mut bytes = Vec::new();
            Private::Read.open(&path)?.take(MAX_CLAIM_BYTES).read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes)
        };
        let bytes = match read() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Err::<(), _>(error).at("read", &path).unwrap_err().into()),
        };
        let claim: WorkspaceClaim = serde_json::from_slice(&bytes)
            .map_err(|error| self.lost_claim(format!("WORKSPACE cannot be read: {error}")))?;
        if claim.format > LAYOUT {
            return Err(WorkspaceError::NewerFormat { dir: self.dir.clone(), found: claim.format });
        }
        if claim.owner != self.owner.to_string_lossy() {
            return Err(WorkspaceError::Foreign { dir: self.dir.clone(), owner: claim.owner });
        }
        Ok(true)
    }

    fn lost_claim(&self, reason: String) -> WorkspaceError {
        WorkspaceError::LostClaim { dir: self.dir.clone(), reason, is_index: self.has_structure() }
    }

    /// An entry of the folder whose name is not one of `known`.
    fn content_beyond(&self, known: fn(&str) -> bool) -> Option<OsString> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).find(|name| !name.to_str().is_some_and(known))
    }

    /// Whether the folder has a lock and data of an index, and nothing else.
    pub(super) fn has_structure(&self) -> bool {
        let is_data = |entry: std::fs::DirEntry| {
            entry.file_name().to_str().is_some_and(is_data_folder) && entry.path().join("tantivy").is_dir()
        };
        self.lock_path().is_file()
            && std::fs::read_dir(&self.dir).into_iter().flatten().flatten().any(is_data)
            && self.content_beyond(is_of_index).is_none()
    }

    /// Whether a folder that has lost its claim is certainly the one of this tree: it has the name that this tree's folder
    /// has in the usual place, or its data are of this tree.
    pub(super) fn is_certain(&self) -> bool {
        let has_name = || self.dir.file_name().is_some_and(|name| *name == *Workspace::key(&self.owner));
        let root = self.root.to_string_lossy();
        let has_view = || {
            let committed = self.try_open().ok().and_then(Result::ok);
            committed.is_some_and(|committed| committed.meta.views().any(|(key, _)| key.root == root))
        };
        self.has_structure() && (has_name() || has_view())
    }

    /// The owner of the index in a folder; `None` if there is none, or none that this program could have made.
    pub fn owner_of(dir: &Path) -> Option<String> {
        let claim: WorkspaceClaim =
            serde_json::from_slice(&std::fs::read(dir.join("WORKSPACE")).ok()?).ok()?;
        (claim.format <= LAYOUT).then_some(claim.owner)
    }

    /// Claims the folder for this tree. The caller holds the lock.
    pub fn claim(&self) -> Result<(), WorkspaceError> {
        self.check_owner()?;
        self.write_claim()
    }

    /// Writes the claim, unless there is one of the present format. The caller has checked the owner.
    pub(super) fn write_claim(&self) -> Result<(), WorkspaceError> {
        let path = self.dir.join("WORKSPACE");
        let format =
            |bytes: Vec<u8>| serde_json::from_slice(&bytes).ok().map(|claim: WorkspaceClaim| claim.format);
        if std::fs::read(&path).ok().and_then(format) != Some(LAYOUT) {
            let claim = WorkspaceClaim { format: LAYOUT, owner: self.owner.to_string_lossy().into_owned() };
            store::replace(&path, &[&serde_json::to_vec(&claim).expect("plain data")])?;
        }
        store::create_private_dir(&self.data_dir())?;
        store::create_private_dir(&self.meta_dir())?;
        store::create_private_dir(&self.segment_dir())?;
        Ok(())
    }

    /// Opens the newest commit.
    pub fn open(&self) -> Result<Committed, WorkspaceError> {
        self.check_owner()?;
        let mut lost = PathBuf::new();
        for _ in 0..OPEN_TRIES {
            match self.try_open() {
                Ok(result) => return result,
                Err(gone) => lost = gone,
            }
            std::thread::yield_now();
        }
        let reason = format!("{} is gone, which it names", lost.display());
        Err(WorkspaceError::Damaged { dir: self.dir.clone(), reason })
    }

    /// Tries to open the newest commit; the error is the file that is gone, if another commit was made meanwhile.
    fn try_open(&self) -> Result<Result<Committed, WorkspaceError>, PathBuf> {
        let damaged = |reason: String| Ok(Err(WorkspaceError::Damaged { dir: self.dir.clone(), reason }));
        let segment_dir = self.segment_dir();
        let reader = match Reader::open(&segment_dir) {
            Ok(reader) => reader,
            Err(IndexError::Missing) => return Ok(Err(WorkspaceError::Missing { dir: self.dir.clone() })),
            Err(IndexError::Moved(path)) => return Err(path),
            Err(IndexError::Damaged(reason)) => return damaged(reason),
            Err(IndexError::Io(error)) => {
                return Ok(Err(Err::<(), _>(error).at("read", &segment_dir).unwrap_err().into()));
            }
        };
        let meta = Commit::parse(reader.payload(), &segment_dir)
            .and_then(|commit| Meta::open(&self.meta_dir(), commit));
        match meta {
            Ok(meta) => Ok(Ok(Committed { reader, meta })),
            Err(MetaError::Gone(path)) => Err(path),
            Err(MetaError::NewerFormat { found }) => {
                Ok(Err(WorkspaceError::NewerFormat { dir: self.dir.clone(), found }))
            }
            Err(MetaError::File(error)) => Ok(Err(error.into())),
            Err(error @ (MetaError::OlderFormat { .. } | MetaError::Damaged { .. })) => {
                damaged(error.to_string())
            }
        }
    }

    /// The bytes of the commit point, which differ between any two commits; `None` when there is none.
    pub fn stamp(&self) -> Option<Vec<u8>> {
        std::fs::read(self.segment_dir().join("meta.json")).ok()
    }

    /// The damage in the newest commit, by its checksums; `None` when there is none. Reads every byte.
    pub fn damage(&self) -> Option<String> {
        let segments = || match inverted::verify(&self.segment_dir()) {
            Ok(found) => found.first().map(|(path, reason)| format!("{}: {reason}", path.display())),
            Err(error) => Some(error.to_string()),
        };
        match self.open() {
            Ok(committed) => committed.meta.verify().first().map(ToString::to_string).or_else(segments),
            Err(WorkspaceError::Damaged { reason, .. }) => Some(reason),
            Err(_) => None,
        }
    }
}

/// Whether a claim that was killed half way leaves an entry of this name.
fn is_begun(name: &str) -> bool {
    name == "lock" || name.starts_with(TEMPORARY_PREFIX)
}

/// Whether this is the name of a folder of data, of any format.
fn is_data_folder(name: &str) -> bool {
    let format = name.strip_prefix('v').and_then(|rest| rest.split_once('-')).map(|(format, _)| format);
    format.is_some_and(|format| format.parse::<u32>().is_ok())
}

/// Whether an index has an entry of this name in its folder.
fn is_of_index(name: &str) -> bool {
    const NAMES: [&str; 8] =
        ["WORKSPACE", "in-flight", "memory", "meta", "quarantine", "semantic", "tantivy", "used"];
    const PREFIXES: [&str; 4] = ["asks-", "damaged-", "session-", "watch-"];
    is_begun(name)
        || is_data_folder(name)
        || NAMES.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// `path` without links, as far as it exists, so that comparing it with the root tells whether it lies in the tree.
fn resolved(path: PathBuf) -> PathBuf {
    let resolve = |above: &Path| {
        let mut resolved = above.canonicalize().ok()?;
        resolved.extend(path.strip_prefix(above).ok()?);
        Some(resolved)
    };
    path.ancestors().find_map(resolve).unwrap_or(path.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(dir: &Path) -> Workspace {
        Workspace::new("/tree".into(), "/tree".into(), dir.to_path_buf(), "test".into())
    }

    #[test]
    fn a_claim_that_was_killed_half_way_is_made_again() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("lock"), b"").unwrap();
        std::fs::write(dir.path().join(".tmp-a1b2c3"), b"{").unwrap();
        workspace(dir.path()).claim().unwrap();
        workspace(dir.path()).check_owner().unwrap();
        std::fs::remove_file(dir.path().join("WORKSPACE")).unwrap();
        // With the data of an index the folder is one that has lost its claim, and otherwise it is somebody's.
        let error = workspace(dir.path()).check_owner().unwrap_err();
        assert!(matches!(error, WorkspaceError::LostClaim { is_index: true, .. }), "{error}");
        std::fs::write(dir.path().join("main.rs"), b"").unwrap();
        let error = workspace(dir.path()).check_owner().unwrap_err().to_string();
        assert!(error.contains("something else (it holds 'main.rs')"), "{error}");
    }

    #[test]
    fn a_lost_claim_is_renewed_where_the_folder_is_certainly_the_one_of_the_tree() {
        let home = tempfile::tempdir().unwrap();
        let lock = |workspace: &Workspace, rebuilds: bool| {
            let (time, mut wait) = (std::time::Duration::ZERO, |_: Option<&store::LockHolder>| ());
            match rebuilds {
                true => workspace.lock_to_rebuild(time, &mut wait).map(drop),
                false => workspace.lock(time, &mut wait).map(drop),
            }
        };
        let claims = ["", "{", "{\"format\":1", "[]", "\0\0\0\0", "{\"format\":1,\"owner\":7}"];
        // The name of the folder tells whose it is, or an explicit rebuild.
        for (name, is_certain) in [(Workspace::key(Path::new("/tree")), true), ("other".to_string(), false)] {
            let dir = home.path().join(name);
            let workspace = workspace(&dir);
            lock(&workspace, false).unwrap();
            for claim in claims.map(Some).into_iter().chain([None]) {
                match claim {
                    Some(claim) => std::fs::write(dir.join("WORKSPACE"), claim).unwrap(),
                    None => std::fs::remove_file(dir.join("WORKSPACE")).unwrap(),
                }
                let error = workspace.check_owner().unwrap_err();
                assert!(error.to_string().contains("'spyhop index --rebuild'"), "{error}");
                assert!(
                    matches!(error, WorkspaceError::LostClaim { is_index: true, .. }),
                    "{claim:?}: {error}"
                );
                assert_eq!(lock(&workspace, false).is_ok(), is_certain, "{claim:?}");
                lock(&workspace, true).unwrap();
                workspace.check_owner().unwrap();
            }
            // What no index has is somebody's, whatever is asked for.
            std::fs::write(dir.join("main.rs"), b"").unwrap();
            std::fs::write(dir.join("WORKSPACE"), b"{").unwrap();
            assert!(lock(&workspace, true).unwrap_err().to_string().contains("choose another index folder"));
            assert_eq!(std::fs::read(dir.join("WORKSPACE")).unwrap(), b"{");
        }
    }

    #[test]
    fn a_claim_that_comes_while_it_is_looked_for_is_seen() {
        for _ in 0..300 {
            let dir = tempfile::tempdir().unwrap();
            let workspace = workspace(dir.path());
            std::thread::scope(|scope| {
                let claims = scope.spawn(|| workspace.claim().unwrap());
                while !claims.is_finished() {
                    workspace.check_owner().unwrap();
                }
            });
        }
    }

    #[test]
    fn a_claim_of_an_older_format_is_renewed_and_one_of_a_newer_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("WORKSPACE");
        std::fs::write(&path, r#"{"format":0,"owner":"/tree"}"#).unwrap();
        workspace(dir.path()).claim().unwrap();
        let claim: WorkspaceClaim = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(claim.format, LAYOUT);
        std::fs::write(&path, r#"{"format":99,"owner":"/tree"}"#).unwrap();
        let error = workspace(dir.path()).claim().unwrap_err();
        assert!(matches!(error, WorkspaceError::NewerFormat { found: 99, .. }), "{error}");
    }
}
