//! The folder of an index: its owner, its files, and how its newest commit is opened.
//!
//! ```text
//! WORKSPACE    what it belongs to; an index that another tree has claimed is refused
//! lock         see [`crate::store::Lock`]
//! vN-HASH/     the data in format N for the parsers and tokenizer with that hash
//!   meta/      see [`crate::meta`]
//!   tantivy/   segments; its meta.json is the commit point
//! session-H    what was touched in the tree whose path has hash H
//! watch-H      see [`crate::watch`]; asks-H/ with it
//! in-flight/   see [`super::quarantine`]
//! quarantine   see [`super::quarantine`]
//! damaged-N/   data that could not be read and was rebuilt, with the reason; of data damaged in the same way the
//!              oldest and the newest stay
//! ```
//!
//! A program of another version, or with other grammars, has a data folder of its own: while it builds that folder, the
//! old folder still serves the old program. A data folder that no process has updated for a week is removed.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::index::{self, IndexError, Reader};
use crate::meta::{Commit, Meta, MetaError};
use crate::store::{self, AtFile, FORMAT_VERSION, FileError, Private, TEMPORARY_PREFIX};

/// How often a reader that loses a race with a commit tries again; a commit takes far longer than a try.
const OPEN_TRIES: usize = 20;

/// The version of the folder's layout, in `WORKSPACE`. A program that finds a higher version touches nothing.
const LAYOUT: u32 = 1;

/// How long a data folder of another program version is kept after its last update.
const UNUSED: Duration = Duration::from_secs(7 * 24 * 3600);

/// The age from which a temporary file was left behind by a crash. A younger file may still be being written: the
/// session log is written without the lock.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);

/// The prefix of the names of folders with data that could not be read.
const DAMAGED: &str = "damaged-";

/// The location of an index and its owner.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    owner: PathBuf,
    /// The folder as the user named it; a link there may belong to another user.
    named: PathBuf,
    dir: PathBuf,
    fingerprint: String,
}

/// One commit, open for reading: segments and metadata of the same generation.
pub struct Committed {
    /// The segments.
    pub reader: Reader,
    /// The metadata.
    pub meta: Meta,
}

impl Committed {
    /// Inconsistencies: the segments must hold the documents of every version, and no others.
    pub fn contradictions(&self) -> Vec<String> {
        let mut documents: FxHashMap<u32, u32> = FxHashMap::default();
        for segment in self.reader.segments() {
            let versions = match segment.versions() {
                Ok(versions) => versions,
                Err(error) => return vec![error.to_string()],
            };
            let live = (0..).zip(versions).filter(|(doc, _)| segment.is_live(*doc));
            live.for_each(|(_, version)| *documents.entry(version).or_default() += 1);
        }
        let mut problems = Vec::new();
        for version in self.meta.versions() {
            let found = documents.remove(&version.id().0).unwrap_or(0);
            if found != version.chunks() {
                problems.push(format!("{}: {found} of {} documents", version.path(), version.chunks()));
            }
        }
        if !documents.is_empty() {
            problems.push(format!("documents of {} unknown file versions", documents.len()));
        }
        problems
    }
}

/// Why an index could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no index, or none that was ever finished.
    #[error("there is no index at {}", dir.display())]
    Missing {
        /// The folder where the index would be.
        dir: PathBuf,
    },
    /// The index belongs to another tree.
    #[error("the index at {} belongs to {owner}; choose another index folder", dir.display())]
    Foreign {
        /// The folder of the index.
        dir: PathBuf,
        /// The owner of the index.
        owner: String,
    },
    /// The folder belongs to another user, who could have put anything there.
    #[error(
        "the index folder {} belongs to user {uid}, and this is another user; choose another index folder, or give \
         this one to yourself", dir.display()
    )]
    ForeignUser {
        /// The path that belongs to another user: the folder, a link to it, or the data folder in it.
        dir: PathBuf,
        /// The number of that user.
        uid: u32,
    },
    /// A newer program made the index.
    #[error("the index at {} has format {found}, which is newer than this program; update it, or choose another index folder", dir.display())]
    NewerFormat {
        /// The folder of the index.
        dir: PathBuf,
        /// The format of the index.
        found: u32,
    },
    /// An older program made the index, or its files contradict each other.
    #[error("the index at {} cannot be read: {reason}", dir.display())]
    Damaged {
        /// The folder of the index.
        dir: PathBuf,
        /// The damage.
        reason: String,
    },
    /// Reading or writing failed.
    #[error(transparent)]
    File(#[from] FileError),
}

#[derive(Serialize, Deserialize)]
struct Claim {
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

    /// The root of the tree.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of the index.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The fingerprint, which decides how content is stored.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The lock file.
    pub fn lock_path(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// The session log of this tree. Trees that share the index have separate logs: `a.rs` in one tree is not `a.rs` in
    /// the other.
    pub fn session_path(&self) -> PathBuf {
        let hash = blake3::hash(self.root.as_os_str().as_encoded_bytes()).to_hex();
        self.dir.join(format!("session-{}", &hash[..16]))
    }

    /// The folder of the data.
    pub fn data_dir(&self) -> PathBuf {
        self.dir.join(format!("v{FORMAT_VERSION}-{}", self.fingerprint))
    }

    /// The folder of metadata records.
    pub fn meta_dir(&self) -> PathBuf {
        self.data_dir().join("meta")
    }

    /// The folder of segments.
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
        let Some(other) = self.unclaimed_content() else { return Ok(()) };
        // Another process may have claimed the folder since the check; the claim is written before any other content,
        // and stays.
        if self.check_claim()? {
            return Ok(());
        }
        let owner = format!("something else (it holds '{}')", other.to_string_lossy());
        Err(WorkspaceError::Foreign { dir: self.dir.clone(), owner })
    }

    /// Whether the folder is claimed; a claim by another tree is an error.
    fn check_claim(&self) -> Result<bool, WorkspaceError> {
        let path = self.dir.join("WORKSPACE");
        let read = || {
            let mut bytes = Vec::new();
            Private::Read.open(&path)?.read_to_end(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes)
        };
        let bytes = match read() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Err::<(), _>(error).at("read", &path).unwrap_err().into()),
        };
        let claim: Claim = serde_json::from_slice(&bytes).map_err(|error| WorkspaceError::Damaged {
            dir: self.dir.clone(),
            reason: format!("WORKSPACE: {error}"),
        })?;
        if claim.format > LAYOUT {
            return Err(WorkspaceError::NewerFormat { dir: self.dir.clone(), found: claim.format });
        }
        if claim.owner != self.owner.to_string_lossy() {
            return Err(WorkspaceError::Foreign { dir: self.dir.clone(), owner: claim.owner });
        }
        Ok(true)
    }

    /// Something in the folder that a claim which was killed half way does not leave. Such a claim leaves its lock and
    /// a temporary file.
    fn unclaimed_content(&self) -> Option<OsString> {
        let is_ours =
            |name: &OsString| name == "lock" || name.to_string_lossy().starts_with(TEMPORARY_PREFIX);
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).find(|name| !is_ours(name))
    }

    /// The owner of the index in a folder; `None` if there is none, or none that this program could have made.
    pub fn owner_of(dir: &Path) -> Option<String> {
        let claim: Claim = serde_json::from_slice(&std::fs::read(dir.join("WORKSPACE")).ok()?).ok()?;
        (claim.format <= LAYOUT).then_some(claim.owner)
    }

    /// Claims the folder for this tree. The caller holds the lock.
    pub fn claim(&self) -> Result<(), WorkspaceError> {
        self.check_owner()?;
        let path = self.dir.join("WORKSPACE");
        let format = |bytes: Vec<u8>| serde_json::from_slice(&bytes).ok().map(|claim: Claim| claim.format);
        if std::fs::read(&path).ok().and_then(format) != Some(LAYOUT) {
            let claim = Claim { format: LAYOUT, owner: self.owner.to_string_lossy().into_owned() };
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
        for _ in 0..OPEN_TRIES {
            match self.try_open() {
                Some(result) => return result,
                None => std::thread::yield_now(),
            }
        }
        Err(WorkspaceError::Damaged { dir: self.dir.clone(), reason: "files that it names are gone".into() })
    }

    /// Tries to open the newest commit; `None` if another commit was made meanwhile.
    fn try_open(&self) -> Option<Result<Committed, WorkspaceError>> {
        let damaged = |reason: String| Some(Err(WorkspaceError::Damaged { dir: self.dir.clone(), reason }));
        let segment_dir = self.segment_dir();
        let reader = match Reader::open(&segment_dir) {
            Ok(reader) => reader,
            Err(IndexError::Missing) => return Some(Err(WorkspaceError::Missing { dir: self.dir.clone() })),
            Err(IndexError::Moved) => return None,
            Err(IndexError::Damaged(reason)) => return damaged(reason),
            Err(IndexError::Io(error)) => {
                return Some(Err(Err::<(), _>(error).at("read", &segment_dir).unwrap_err().into()));
            }
        };
        let meta = Commit::parse(reader.payload(), &segment_dir)
            .and_then(|commit| Meta::open(&self.meta_dir(), commit));
        match meta {
            Ok(meta) => Some(Ok(Committed { reader, meta })),
            Err(MetaError::Gone(_)) => None,
            Err(MetaError::NewerFormat { found }) => {
                Some(Err(WorkspaceError::NewerFormat { dir: self.dir.clone(), found }))
            }
            Err(MetaError::File(error)) => Some(Err(error.into())),
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
        let segments = || match index::verify(&self.segment_dir()) {
            Ok(found) => found.first().map(|(path, reason)| format!("{}: {reason}", path.display())),
            Err(error) => Some(error.to_string()),
        };
        match self.open() {
            Ok(committed) => committed.meta.verify().first().map(ToString::to_string).or_else(segments),
            Err(WorkspaceError::Damaged { reason, .. }) => Some(reason),
            Err(_) => None,
        }
    }

    /// Moves data that cannot be read out of the way, with a note of the reason. Of data put aside for the same cause,
    /// the oldest and the newest stay. The caller holds the lock.
    pub fn put_aside(&self, reason: &str) -> Result<PathBuf, WorkspaceError> {
        let number = self.numbered_aside().last().map_or(1, |(number, _)| number + 1);
        let aside = self.dir.join(format!("{DAMAGED}{number}"));
        tracing::warn!(reason, aside = %aside.display(), "the index could not be read; it will be rebuilt");
        store::create_private_dir(&aside)?;
        store::replace(&aside.join("REASON"), &[reason.as_bytes(), b"\n"])?;
        let from = self.data_dir();
        let name = from.file_name().expect("it has a name").to_owned();
        store::rename(&from, &aside.join(name))?;
        store::sync_folder(&aside)?;
        store::sync_folder(&self.dir)?;
        self.claim()?;
        self.remove_repeats(reason)?;
        Ok(aside)
    }

    /// Removes data that were put aside for the same cause as `reason`, except the oldest, which is the state before
    /// the cause appeared, and the newest. The data in between were rebuilt from the sources and damaged again. Data
    /// that came with their sources stay, because the sources may exist nowhere else.
    fn remove_repeats(&self, reason: &str) -> Result<(), WorkspaceError> {
        let is_alike = |path: &PathBuf| {
            let recorded = std::fs::read_to_string(path.join("REASON")).unwrap_or_default();
            cause(recorded.trim_end()) == cause(reason)
        };
        let asides = self.numbered_aside().into_iter().map(|(_, path)| path);
        let alike: Vec<PathBuf> = asides.filter(is_alike).collect();
        let between = alike.get(1..alike.len().saturating_sub(1)).unwrap_or_default();
        for path in between.iter().filter(|path| !holds_sources(path)) {
            tracing::info!(path = %path.display(), "a repeat of damaged data is removed");
            store::remove_folder(path)?;
        }
        Ok(())
    }

    /// The folders of data put aside, in chronological order.
    fn numbered_aside(&self) -> Vec<(u64, PathBuf)> {
        let number = |path: &PathBuf| path.file_name()?.to_str()?.strip_prefix(DAMAGED)?.parse().ok();
        let asides = self.aside().into_iter();
        let mut numbered: Vec<(u64, PathBuf)> =
            asides.filter_map(|path| Some((number(&path)?, path))).collect();
        numbered.sort_unstable();
        numbered
    }

    /// The remains of processes that died: temporary files, and notes of files in flight.
    pub fn leftovers(&self) -> Vec<String> {
        let unnamed = [self.dir.clone(), self.meta_dir()];
        let unnamed = unnamed.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let unnamed = unnamed.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut found: Vec<String> = unnamed.filter(|name| name.starts_with(TEMPORARY_PREFIX)).collect();
        let notes = std::fs::read_dir(self.dir.join("in-flight")).map_or(0, |notes| notes.count());
        if notes > 0 {
            found.push(format!("{notes} notes of files that were being parsed"));
        }
        found.sort();
        found
    }

    /// Removes the remains of processes that died: temporary folders, which only an import makes, and old temporary
    /// files. The caller holds the lock.
    pub fn remove_leftovers(&self) -> Result<(), WorkspaceError> {
        for path in self.entries(|name| name.starts_with(TEMPORARY_PREFIX)) {
            let Ok(found) = path.symlink_metadata() else { continue };
            if found.is_dir() {
                store::remove_folder(&path)?;
            } else if found.modified().is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_BEHIND)) {
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        Err(error).at("remove", &path)?;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The folders of data put aside.
    pub fn aside(&self) -> Vec<PathBuf> {
        self.entries(|name| name.starts_with(DAMAGED))
    }

    /// Data folders of other formats or for other parsers that no process has updated for `unused`. Folders of a newer
    /// format are not included.
    pub fn others(&self, unused: Duration) -> Vec<PathBuf> {
        let own = self.data_dir();
        let is_data = |name: &str| {
            let format =
                name.strip_prefix('v').and_then(|rest| rest.split_once('-')).map(|(format, _)| format);
            // The first format had no folder of its own.
            matches!(name, "meta" | "tantivy")
                || format.and_then(|format| format.parse().ok()).is_some_and(|it: u32| it <= FORMAT_VERSION)
        };
        let is_unused = |path: &PathBuf| {
            let commit = [path.join("tantivy/meta.json"), self.dir.join("tantivy/meta.json"), path.clone()];
            let written = commit.iter().find_map(|path| path.metadata().ok()?.modified().ok());
            written.is_none_or(|time| time.elapsed().unwrap_or_default() >= unused)
        };
        let mut others = self.entries(is_data);
        others.retain(|path| *path != own && is_unused(path));
        others
    }

    /// Removes data folders. The caller holds the lock.
    pub fn remove_others(&self, others: &[PathBuf]) -> Result<(), WorkspaceError> {
        for path in others {
            store::remove_folder(path)?;
        }
        Ok(())
    }

    /// Removes the data folders that are no longer used, and the remains of an import that died. The caller holds the
    /// lock.
    pub fn remove_unused_others(&self) -> Result<(), WorkspaceError> {
        self.remove_leftovers()?;
        self.remove_others(&self.others(UNUSED))
    }

    fn entries(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let wanted = entries.filter(|entry| entry.file_name().to_str().is_some_and(&is_wanted));
        let mut paths: Vec<PathBuf> = wanted.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    }
}

/// A reason without the parts that differ between two indexes: words with a digit in them, such as generations and
/// segment names.
fn cause(reason: &str) -> String {
    let words = reason.split_inclusive(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.contains(|c: char| c.is_ascii_digit())).collect()
}

/// Whether data that were put aside came with their sources.
fn holds_sources(aside: &Path) -> bool {
    let folders = |path: &Path| std::fs::read_dir(path).into_iter().flatten().flatten();
    let is_sources =
        |entry: std::fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "sources");
    folders(aside).any(|data| folders(&data.path().join("meta")).any(is_sources))
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
    fn repeats_of_damaged_data_are_bounded_and_nothing_else_goes() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = workspace(dir.path());
        let put_aside = |content: &str, reason: &str| {
            workspace.claim().unwrap();
            std::fs::write(workspace.meta_dir().join(content), b"x").unwrap();
            workspace.put_aside(reason).unwrap().file_name().unwrap().to_str().unwrap().to_string()
        };
        assert_eq!(put_aside("first", "record g000000001.base is damaged: a part of a view"), "damaged-1");
        assert_eq!(put_aside("other", "record g000000002.base is damaged: checksum"), "damaged-2");
        assert_eq!(
            put_aside("g.sources", "record g000000003.base is damaged: a part of a view"),
            "damaged-3"
        );
        for number in 4..10 {
            let reason = format!("record g00000000{number}.delta is damaged: a part of a view");
            assert_eq!(put_aside("again", &reason.replace("delta", "base")), format!("damaged-{number}"));
        }
        let mut left: Vec<String> = workspace
            .aside()
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_string())
            .collect();
        left.sort();
        assert_eq!(left, ["damaged-1", "damaged-2", "damaged-3", "damaged-9"]);
        assert!(dir.path().join("damaged-1").join(workspace.data_dir().file_name().unwrap()).is_dir());
    }

    #[test]
    fn a_claim_that_was_killed_half_way_is_made_again() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("lock"), b"").unwrap();
        std::fs::write(dir.path().join(".tmp-a1b2c3"), b"{").unwrap();
        workspace(dir.path()).claim().unwrap();
        workspace(dir.path()).check_owner().unwrap();
        std::fs::remove_file(dir.path().join("WORKSPACE")).unwrap();
        let error = workspace(dir.path()).check_owner().unwrap_err().to_string();
        assert!(error.contains("something else"), "{error}");
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
        let claim: Claim = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(claim.format, LAYOUT);
        std::fs::write(&path, r#"{"format":99,"owner":"/tree"}"#).unwrap();
        let error = workspace(dir.path()).claim().unwrap_err();
        assert!(matches!(error, WorkspaceError::NewerFormat { found: 99, .. }), "{error}");
    }
}
