//! The test double of the store: it freezes a folder at every step, and can make steps fail.
//!
//! Observers are registered for a folder and called before each step at anything below it, from any thread. Of the
//! state before a step there are four images, see [`CrashMode`]: the state after a killed process, and the states after a
//! power cut on file systems that keep only what was synced, or that persist names and removals in another order.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use rustc_hash::FxHashMap;

use super::store_step::StoreStep;

type Observer = Arc<Mutex<dyn FnMut(&StoreStep<'_>) -> io::Result<()> + Send>>;

static OBSERVERS: Mutex<Vec<(u64, PathBuf, Observer)>> = Mutex::new(Vec::new());
static UNSYNCED: Mutex<Vec<(u64, PathBuf)>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

/// A failed assertion in one test must not fail the others.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Ends its observer or fault when it is dropped.
#[must_use]
pub struct FaultGuard(u64);

impl Drop for FaultGuard {
    fn drop(&mut self) {
        lock(&OBSERVERS).retain(|(id, ..)| *id != self.0);
        lock(&UNSYNCED).retain(|(id, _)| *id != self.0);
    }
}

pub fn step(step: StoreStep<'_>) -> io::Result<()> {
    let concerned: Vec<Observer> = lock(&OBSERVERS)
        .iter()
        .filter(|(_, folder, _)| step.path().starts_with(folder))
        .map(|(.., observer)| observer.clone())
        .collect();
    concerned.iter().try_for_each(|observer| lock(observer)(&step))
}

/// Calls `observer` before each step at or below `folder`. The observer must not change anything there itself.
pub fn observe(
    folder: &Path,
    observer: impl FnMut(&StoreStep<'_>) -> io::Result<()> + Send + 'static,
) -> FaultGuard {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    lock(&OBSERVERS).push((id, folder.to_path_buf(), Arc::new(Mutex::new(observer))));
    FaultGuard(id)
}

/// Makes syncs below `folder` free, for tests that do not depend on the disk.
pub fn without_sync(folder: &Path) -> FaultGuard {
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    lock(&UNSYNCED).push((id, folder.to_path_buf()));
    FaultGuard(id)
}

pub(super) fn is_unsynced(path: &Path) -> bool {
    lock(&UNSYNCED).iter().any(|(_, folder)| path.starts_with(folder))
}

/// Steps that fail.
pub struct Failing {
    _guard: FaultGuard,
    count: Arc<AtomicU64>,
}

impl Failing {
    /// The number of steps so far, including failed ones.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

fn failing(
    folder: &Path,
    kind: io::ErrorKind,
    fails: impl Fn(u64, &StoreStep<'_>) -> bool + Send + 'static,
) -> Failing {
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    let guard = observe(folder, move |step| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        if fails(number, step) { Err(kind.into()) } else { Ok(()) }
    });
    Failing { _guard: guard, count }
}

/// Makes the `n`-th step (from 0) at or below `folder` fail once.
pub fn fail_at(folder: &Path, n: u64, kind: io::ErrorKind) -> Failing {
    failing(folder, kind, move |number, _| number == n)
}

/// From the `n`-th step on, makes every step fail that needs space, as on a full disk.
pub fn full_from(folder: &Path, n: u64) -> Failing {
    failing(folder, io::ErrorKind::StorageFull, move |number, step| {
        number >= n && matches!(step, StoreStep::Create(_) | StoreStep::Write(_) | StoreStep::Sync(_))
    })
}

/// The effect of a crash on changes that were not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashMode {
    /// All changes stay: only the process died.
    Killed,
    /// No change stays: names are those of the last sync of their folder, contents those of their last sync.
    Lost,
    /// Names and removals stay, bytes do not.
    NamesKept,
    /// Removals stay, new names and bytes do not.
    RemovalsKept,
}

/// The files of a folder before some step.
#[derive(Clone)]
pub struct Image {
    /// The number and text of that step.
    pub at: String,
    /// The simulated crash.
    pub mode: CrashMode,
    files: BTreeMap<PathBuf, Arc<[u8]>>,
}

impl Image {
    /// The crash, the kind of the step, and the kind of its file.
    fn kind(&self) -> String {
        let step: String = self.at.chars().filter(|c| !c.is_ascii_digit()).collect();
        let name = step.rsplit(['/', '.']).next().unwrap_or_default();
        format!("{:?} {} {name}", self.mode, step.trim().split([' ', '(']).next().unwrap_or_default())
    }

    /// Writes the image into the folder `to`, which is created anew.
    pub fn restore(&self, to: &Path) {
        let _ = fs::remove_dir_all(to);
        fs::create_dir_all(to).unwrap();
        for (name, bytes) in &self.files {
            let path = to.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

/// A file, under any name: its bytes at its last sync.
type Node = Arc<Mutex<Option<Arc<[u8]>>>>;

#[derive(Default)]
struct Frozen {
    folder: PathBuf,
    live: BTreeMap<PathBuf, Node>,
    durable: BTreeMap<PathBuf, Node>,
    contents: FxHashMap<blake3::Hash, Arc<[u8]>>,
    images: Vec<Image>,
    steps: usize,
}

impl Frozen {
    fn read(&mut self, path: &Path) -> Option<Arc<[u8]>> {
        let bytes = fs::read(path).ok()?;
        let hash = blake3::hash(&bytes);
        Some(self.contents.entry(hash).or_insert_with(|| bytes.into()).clone())
    }

    fn files_below(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => Frozen::files_below(&entry.path(), into),
                _ => into.push(entry.path()),
            }
        }
    }

    fn on_disk(&mut self) -> BTreeMap<PathBuf, Arc<[u8]>> {
        let mut paths = Vec::new();
        Frozen::files_below(&self.folder, &mut paths);
        paths.into_iter().filter_map(|path| Some((path.clone(), self.read(&path)?))).collect()
    }

    fn shoot(&mut self, at: &str) {
        let at = format!("{} {at}", self.steps);
        let synced = |names: &BTreeMap<PathBuf, Node>| -> BTreeMap<PathBuf, Arc<[u8]>> {
            names.iter().map(|(path, node)| (path.clone(), lock(node).clone().unwrap_or_default())).collect()
        };
        let lost = synced(&self.durable);
        let mut removals_kept = lost.clone();
        removals_kept.retain(|path, _| self.live.contains_key(path));
        let names_kept = synced(&self.live);
        let images = [
            (CrashMode::Killed, self.on_disk()),
            (CrashMode::Lost, lost),
            (CrashMode::NamesKept, names_kept),
            (CrashMode::RemovalsKept, removals_kept),
        ];
        for (mode, files) in images {
            let name = |path: PathBuf| path.strip_prefix(&self.folder).unwrap().to_path_buf();
            let files: BTreeMap<_, _> = files.into_iter().map(|(path, bytes)| (name(path), bytes)).collect();
            let is_new =
                self.images.iter().rfind(|image| image.mode == mode).is_none_or(|image| image.files != files);
            if is_new {
                self.images.push(Image { at: at.clone(), mode, files });
            }
        }
        self.steps += 1;
    }

    fn note(&mut self, step: &StoreStep<'_>) {
        match *step {
            StoreStep::Create(path) => drop(self.live.insert(path.to_path_buf(), Node::default())),
            StoreStep::Write(_) => {}
            StoreStep::Sync(path) => {
                let bytes = self.read(path);
                *lock(self.live.entry(path.to_path_buf()).or_default()) = bytes;
            }
            StoreStep::Rename { from, to } => {
                let below: Vec<PathBuf> =
                    self.live.keys().filter(|path| path.starts_with(from)).cloned().collect();
                for path in below {
                    let node = self.live.remove(&path).expect("just listed");
                    let rest = path.strip_prefix(from).expect("just asked");
                    let to = if rest == Path::new("") { to.to_path_buf() } else { to.join(rest) };
                    self.live.insert(to, node);
                }
            }
            StoreStep::Remove(path) => drop(self.live.remove(path)),
            StoreStep::SyncFolder(folder) => {
                self.durable.retain(|path, _| path.parent() != Some(folder));
                let children = self.live.iter().filter(|(path, _)| path.parent() == Some(folder));
                self.durable.extend(children.map(|(path, node)| (path.clone(), node.clone())));
            }
        }
    }
}

/// Images of a folder before every step.
pub struct Freezer {
    guard: FaultGuard,
    frozen: Arc<Mutex<Frozen>>,
}

/// Takes images of `folder` from now on. The present content counts as durable.
pub fn freeze(folder: &Path) -> Freezer {
    let mut frozen = Frozen { folder: folder.to_path_buf(), ..Frozen::default() };
    for (path, bytes) in frozen.on_disk() {
        let node = Arc::new(Mutex::new(Some(bytes)));
        frozen.live.insert(path.clone(), node.clone());
        frozen.durable.insert(path, node);
    }
    let frozen = Arc::new(Mutex::new(frozen));
    let seen = frozen.clone();
    let guard = observe(folder, move |step| {
        let mut frozen = lock(&seen);
        frozen.shoot(&format!("{step:?}"));
        frozen.note(step);
        Ok(())
    });
    Freezer { guard, frozen }
}

impl Freezer {
    /// All images, including those of the present state. Of each mode, only images that differ from the one before.
    pub fn finish(self) -> Vec<Image> {
        drop(self.guard);
        let mut frozen = lock(&self.frozen);
        frozen.shoot("end");
        std::mem::take(&mut frozen.images)
    }

    /// By day, of each kind of step and crash the first and the last image; all of them if `SPYHOP_NIGHTLY` is set.
    pub fn finish_by_kind(self) -> Vec<Image> {
        let mut images = self.finish();
        if std::env::var_os("SPYHOP_NIGHTLY").is_none() {
            let kinds: Vec<String> = images.iter().map(Image::kind).collect();
            let is_end =
                |at: usize| !kinds[..at].contains(&kinds[at]) || !kinds[at + 1..].contains(&kinds[at]);
            let kept: Vec<bool> = (0..images.len()).map(is_end).collect();
            let mut kept = kept.into_iter();
            images.retain(|_| kept.next().unwrap_or(true));
        }
        images
    }
}

#[cfg(test)]
mod tests;
