//! The sources of one question: which sources are meant, and their engines, which stay open between questions.
//!
//! A source that cannot be opened is part of the set, which names the source in its answers. Imported files are read-only
//! and are not compared with their index; a folder of the user is, as the options say. No question builds an index: the
//! import of a source does.

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::error::LibraryError;
use super::manifest::SourceManifest;
use super::names::SourceId;
use super::open::Library;
use spyhop_base::limit;
use spyhop_engine::api::{GitReach, OnMissing, Options, Provenance, SourceName, SourcePackage, StalePolicy};
use spyhop_engine::{Corpus, CorpusMember, Engine, Error};

/// How many sets of sources stay open.
const KEPT_SETS: usize = 4;

/// The sources that a question is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceChoice {
    /// Every source of the library.
    All,
    /// Sources by their names, ids or groups.
    Named(Vec<String>),
}

impl SourceChoice {
    /// The choice of a list in which `all` stands for every source.
    pub fn of_names(names: Vec<String>) -> SourceChoice {
        match names.iter().any(|name| name == "all") {
            true => SourceChoice::All,
            false => SourceChoice::Named(names),
        }
    }
}

/// The sources of a library, opened for questions. Threads share a reader by reference.
pub struct SourceReader {
    library: Library,
    options: Options,
    open: Mutex<OpenSources>,
}

/// The state of the files of the manifests, by which changes are noticed.
type ManifestStamps = Vec<(String, u64, Option<SystemTime>)>;

/// The manifests of a choice, and an error for each name that means nothing.
type ChosenSources = (Vec<SourceManifest>, Vec<(String, LibraryError)>);

/// The sources that stay open between questions.
#[derive(Default)]
struct OpenSources {
    stamps: ManifestStamps,
    manifests: Vec<SourceManifest>,
    /// The sources whose manifests cannot be read.
    unread: Vec<SourceId>,
    engines: HashMap<(SourceId, u32), Engine>,
    sets: Vec<(SourceChoice, Arc<Corpus>)>,
}

impl Library {
    /// Sources of these names, ids or groups as one set, which answers by one ranking over all of them; every source if
    /// `names` is empty. A source that cannot be opened is named in the answers. The place of an index and the options that
    /// select files come from the manifest, and everything else from `options`.
    ///
    /// # Errors
    /// `UnknownSource` if none of the names is known; `BadRequest` if the library has no source; the errors of
    /// [`Library::list`].
    pub fn source_set(&self, names: &[&str], options: &Options) -> Result<Corpus, Error> {
        let choice = match names {
            [] => SourceChoice::All,
            names => SourceChoice::Named(names.iter().map(|name| name.to_string()).collect()),
        };
        let set = self.reader(options.clone()).set(&choice)?;
        Ok(Arc::into_inner(set).expect("the reader is gone"))
    }

    /// A reader of sources, which stay open between questions. `options` are as for [`Library::engine`].
    pub fn reader(&self, options: Options) -> SourceReader {
        let options = Options { on_missing: OnMissing::Fail, ..options };
        SourceReader { library: self.clone(), options, open: Mutex::default() }
    }
}

impl SourceReader {
    /// The library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The sources of a choice as one set. Changes of the library since the last call are noticed.
    ///
    /// # Errors
    /// As [`Library::source_set`].
    pub fn set(&self, choice: &SourceChoice) -> Result<Arc<Corpus>, Error> {
        if let SourceChoice::Named(names) = choice {
            limit::names("in", names)?;
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        self.notice_changes(&mut open)?;
        if let Some(at) = open.sets.iter().position(|(known, _)| known == choice) {
            let kept = open.sets.remove(at);
            open.sets.push(kept);
            return Ok(Arc::clone(&open.sets[open.sets.len() - 1].1));
        }
        let sources = self.sources(&mut open, choice)?;
        let is_whole = sources.iter().all(|source| source.engine.is_ok());
        let set = Arc::new(Corpus::of_members(sources)?);
        // A source that cannot be opened may be there for the next question.
        if is_whole {
            open.sets.push((choice.clone(), Arc::clone(&set)));
            let surplus = open.sets.len().saturating_sub(KEPT_SETS);
            open.sets.drain(..surplus);
        }
        Ok(set)
    }

    /// Closes everything that is open. The next question opens what it needs.
    pub fn release(&self) {
        *self.open.lock().unwrap_or_else(PoisonError::into_inner) = OpenSources::default();
    }

    /// Reads the manifests, if one of them has changed.
    fn notice_changes(&self, open: &mut OpenSources) -> Result<(), LibraryError> {
        let stamps = self.stamps();
        let is_recent = |time: SystemTime| time.elapsed().map_or(true, |age| age < Duration::from_secs(2));
        // The time of a file that was changed just now proves nothing.
        let is_known = !stamps.is_empty()
            && stamps == open.stamps
            && !stamps.iter().any(|(_, _, time)| time.is_none_or(is_recent));
        if is_known {
            return Ok(());
        }
        let (manifests, errors) = self.library.all_manifests()?;
        let unread: Vec<SourceId> = errors.into_iter().map(|(id, _)| id).collect();
        if manifests != open.manifests || unread != open.unread {
            open.sets.clear();
            let is_there = |(id, import): &(SourceId, u32)| {
                let is_same = |now: &SourceManifest| now.id == *id && now.import == *import;
                let old = open.manifests.iter().find(|old| old.id == *id);
                // Raw files that are writable are compared with their index.
                let is_opened_alike = |old: &SourceManifest, now: &SourceManifest| {
                    old.settings == now.settings && old.is_protected == now.is_protected
                };
                manifests.iter().any(|now| is_same(now) && old.is_some_and(|old| is_opened_alike(old, now)))
            };
            open.engines.retain(|key, _| is_there(key));
        }
        (open.manifests, open.unread, open.stamps) = (manifests, unread, stamps);
        Ok(())
    }

    fn stamps(&self) -> ManifestStamps {
        let entries = fs::read_dir(self.library.paths().manifests()).into_iter().flatten().flatten();
        let stamp = |entry: fs::DirEntry| {
            let metadata = entry.metadata().ok()?;
            Some((entry.file_name().into_string().ok()?, metadata.len(), metadata.modified().ok()))
        };
        let mut stamps: ManifestStamps = entries.filter_map(stamp).collect();
        stamps.sort();
        stamps
    }

    fn sources(
        &self,
        open: &mut OpenSources,
        choice: &SourceChoice,
    ) -> Result<Vec<CorpusMember>, LibraryError> {
        let mut sources = Vec::new();
        let (chosen, unknown) = self.manifests_of(open, choice)?;
        for manifest in chosen {
            sources.push(self.source(&mut open.engines, &manifest));
        }
        let silent = |name: &str, engine: Error| CorpusMember {
            name: Some(SourceName::new(name)),
            engine: Err(engine),
            provenance: None,
            package: None,
        };
        for (name, error) in unknown {
            sources.push(silent(&name, error.into()));
        }
        if *choice == SourceChoice::All {
            for id in &open.unread {
                sources
                    .extend(self.library.manifest(id).err().map(|error| silent(id.as_str(), error.into())));
            }
        }
        // Names of unknown sources may be typed twice.
        let mut seen = Vec::new();
        sources.retain(|source| {
            let is_new = !seen.contains(&source.name);
            seen.push(source.name.clone());
            is_new
        });
        Ok(sources)
    }

    /// The manifests of a choice, by name, and an error for each name that means nothing.
    fn manifests_of(&self, open: &OpenSources, choice: &SourceChoice) -> Result<ChosenSources, LibraryError> {
        let all = &open.manifests;
        let SourceChoice::Named(names) = choice else { return Ok((all.clone(), Vec::new())) };
        let (mut chosen, mut unknown) = (vec![false; all.len()], Vec::new());
        for name in names {
            let is_it = |manifest: &SourceManifest| manifest.name == *name || manifest.id.as_str() == name;
            let mut found: Vec<usize> = (0..all.len()).filter(|at| is_it(&all[*at])).take(1).collect();
            if found.is_empty() {
                found = (0..all.len()).filter(|at| all[*at].groups.contains(name)).collect();
            }
            if found.is_empty() {
                let groups = all.iter().flat_map(|manifest| manifest.groups.iter().cloned());
                let near = all.iter().map(|manifest| manifest.name.clone()).chain(groups).collect();
                unknown.push((name.clone(), self.library.unknown(name, near)));
            }
            found.into_iter().for_each(|at| chosen[at] = true);
        }
        let found: Vec<SourceManifest> =
            all.iter().zip(chosen).filter(|(_, is_chosen)| *is_chosen).map(|(it, _)| it.clone()).collect();
        match found.is_empty() && !unknown.is_empty() {
            true => Err(unknown.swap_remove(0).1),
            false => Ok((found, unknown)),
        }
    }

    fn source(
        &self,
        engines: &mut HashMap<(SourceId, u32), Engine>,
        manifest: &SourceManifest,
    ) -> CorpusMember {
        // Files that the library holds are read-only, unless the user has made them writable.
        let is_fixed = manifest.is_held() && manifest.is_protected;
        let mut options = self.options.clone();
        if let GitReach::Within(_) = options.git_reach {
            options.git_reach = GitReach::Within(vec![self.library.root_of(manifest)]);
        }
        if is_fixed {
            options.stale_policy = StalePolicy::Ignore;
        }
        let key = (manifest.id.clone(), manifest.import);
        let engine = match engines.get(&key) {
            Some(engine) => Ok(engine.with_policy(engine.policy())),
            None => self.library.engine_of(manifest, &options).inspect(|engine| {
                engines.insert(key, engine.with_policy(engine.policy()));
            }),
        };
        CorpusMember {
            name: Some(SourceName::new(&manifest.name)),
            engine,
            provenance: Some(Arc::new(provenance(manifest, is_fixed))),
            package: manifest
                .package
                .as_ref()
                .map(|package| SourcePackage::new(package.ecosystem.clone(), package.name.clone())),
        }
    }
}

/// Where a source came from, by its manifest.
fn provenance(manifest: &SourceManifest, is_fixed: bool) -> Provenance {
    let origin = &manifest.origin;
    let imported_at = SystemTime::UNIX_EPOCH + Duration::from_secs(manifest.imported_at);
    let mut provenance = Provenance::new(origin.kind.name(), origin.location.clone(), imported_at);
    provenance.reference = manifest.branch.clone().or_else(|| origin.reference.clone());
    provenance.commit = manifest.commit.clone();
    provenance.is_fixed = is_fixed;
    provenance
}
