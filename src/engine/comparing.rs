//! An exact search that prints while the tree is still being compared with the index.
//!
//! One thread walks the tree in the order of the answer. Meanwhile the index says which files may match. Another thread
//! compares each file that the walk passes on with the index, and the threads of the search read those that may match or
//! that have changed. So the first lines are printed before the last folder is listed, and a reader that closes the pipe
//! ends the walk too.

use std::any::Any;
use std::cmp::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::SystemTime;

use super::api::{FileOrder, StalePolicy, SymlinkPolicy};
use super::core::Engine;
use super::open_index::{Recorded, Viewed};
use super::scope::{self, BeyondIndex, ExactScope, hole, reach};
use super::vouched;
use crate::error::Error;
use spyhop_base::id::VersionId;
use spyhop_base::path::by_parts;
use spyhop_base::threads;
use spyhop_files::confined::RootFolder;
use spyhop_files::read::TreeSource;
use spyhop_files::walk::Candidate;
use spyhop_grep::{FileFeed, FileSource, NarrowPlan, Printed};
use spyhop_index::meta::RecordedIdentity;
use spyhop_index::update::Updater;
use spyhop_search::filter::Filter;

/// What is printed and what was searched.
pub(super) struct PrintedScope {
    pub printed: Printed,
    /// The scope, without its files.
    pub scope: ExactScope,
}

/// Calls `print` with files that may match, while the tree is being compared. `None`, without a call, if the last commit
/// tells which files there are, or if the files are needed in another order or all at once.
pub(super) fn print_while_comparing(
    engine: &Engine,
    filter: &Filter,
    plan: &NarrowPlan,
    beyond: &BeyondIndex<'_>,
    order: FileOrder,
    print: impl FnOnce(&TreeSource, FileSource<'_>) -> Printed,
) -> Result<Option<PrintedScope>, Error> {
    let is_compared = engine.policy().stale_policy != StalePolicy::Ignore && engine.tree().is_of_folder();
    if order != FileOrder::Path || !is_compared || vouched::is_watched(engine) {
        return Ok(None);
    }
    let symlinks = beyond.files.symlinks;
    let folder = match scope::named(engine, filter, symlinks) {
        None => None,
        Some(named) => match (&named.folders[..], &named.files[..]) {
            ([folder], []) if symlinks == SymlinkPolicy::FollowAll || !named.has_links => {
                Some(folder.clone())
            }
            _ => return Ok(None),
        },
    };
    // A folder that is named by a link is taken only if all links are followed.
    let links = reach(symlinks, false);
    let source_tree = TreeSource::Folder(RootFolder::following(engine.root(), links));
    let checked_at = Some(SystemTime::now());
    thread::scope(|scope| {
        let (send, walked) = channel::<Vec<Candidate>>();
        let walk = move || {
            let mut pass = |files| send.send(files).is_ok();
            let walk = |updater: &Updater<'_>| updater.walk_in_order(folder.as_ref(), &mut pass);
            scope::walking(engine, filter, beyond, links, walk)
        };
        // Without a thread the files are found first, as by any other search.
        let Ok(walker) = threads::for_call(scope, thread::Builder::new(), walk) else { return Ok(None) };
        if engine.index().lacks_tree() {
            return Err(Error::no_sources("an exact search"));
        }
        let recorded = engine.recorded();
        if let Some(recorded) = &recorded {
            engine.index().mark_used(recorded.viewed().key);
        }
        let feed = FileFeed::default();
        let walked = Mutex::new(Some(walked));
        let compare = || {
            let walked = walked.lock().unwrap_or_else(PoisonError::into_inner).take();
            let comparison = || comparison(recorded.as_ref(), plan);
            walked.is_some_and(|walked| compared(walked, filter, &comparison, &feed))
        };
        let (printed, has_files) = thread::scope(|scope| {
            let comparing = threads::for_call(scope, thread::Builder::new(), compare);
            // Without a thread all files are compared first.
            let compared = comparing.is_err() && compare();
            let printed = print(&source_tree, FileSource::Feed(&feed));
            (printed, comparing.map_or(compared, |comparing| comparing.join().unwrap_or_else(resume)))
        });
        let skipped = walker.join().unwrap_or_else(resume)?;
        let holes = skipped.iter().filter_map(|row| hole(row, filter)).collect();
        let warning = if recorded.is_none() { scope::unread_index(engine) } else { None };
        let files = Vec::new();
        let scope = ExactScope { files, has_files, holes, recorded, checked_at, source_tree, warning };
        Ok(Some(PrintedScope { printed, scope }))
    })
}

/// What the index says of the files; `None` if every file may match.
fn comparison<'r>(recorded: Option<&'r Recorded>, plan: &NarrowPlan) -> Option<Comparison<'r>> {
    let viewed = recorded.map(Recorded::viewed)?;
    let (viewed, narrowed) = scope::narrowed_by(viewed, plan)?;
    Some(Comparison::new(viewed, narrowed?))
}

/// Goes on with the panic of another thread.
fn resume<T>(panic: Box<dyn Any + Send>) -> T {
    std::panic::resume_unwind(panic)
}

/// The number of files that are searched before the index is asked: a common word is in one of them, and to read them takes
/// less than a lookup.
const SEARCHED_FIRST: usize = 32;

/// Feeds the files that pass the filter and may match. Returns whether any file passes the filter.
fn compared<'v>(
    walked: Receiver<Vec<Candidate>>,
    filter: &Filter,
    comparison: &dyn Fn() -> Option<Comparison<'v>>,
    feed: &FileFeed,
) -> bool {
    /// Closes the feed, also in a panic, so that no thread waits for more.
    struct Closed<'f>(&'f FileFeed);
    impl Drop for Closed<'_> {
        fn drop(&mut self) {
            self.0.close();
        }
    }
    let _closed = Closed(feed);
    let (mut found, mut compares) = (0, None);
    for files in walked {
        let mut may_match = Vec::new();
        for file in files.into_iter().filter(|file| filter.takes_path(file.path.as_str())) {
            found += 1;
            if found > SEARCHED_FIRST {
                let compares: &mut Option<Comparison<'v>> = compares.get_or_insert_with(|| {
                    feed.add(may_match.drain(..));
                    comparison()
                });
                if compares.as_mut().is_some_and(|compares| !compares.may_match(&file)) {
                    continue;
                }
            }
            may_match.push(file.path);
        }
        if !feed.add(may_match) {
            break;
        }
    }
    found > 0
}

/// The files of a view, in the order in which a walk passes files on.
struct Comparison<'v> {
    known: Vec<KnownFile<'v>>,
    /// The versions that may match, sorted.
    narrowed: Vec<VersionId>,
    /// The first known file that is not before the last compared one.
    next: usize,
}

struct KnownFile<'v> {
    path: &'v str,
    version: VersionId,
    identity: RecordedIdentity,
}

impl<'v> Comparison<'v> {
    fn new(viewed: Viewed<'v>, narrowed: Vec<VersionId>) -> Comparison<'v> {
        let known = viewed.view.entries().filter_map(|entry| {
            let version = viewed.meta().version(entry.version)?;
            Some(KnownFile { path: version.path(), version: entry.version, identity: entry.identity })
        });
        let mut known: Vec<KnownFile<'v>> = known.collect();
        // The versions of one update are in the order of their paths, which this sort makes use of.
        known.sort_by(|a, b| by_parts(a.path, b.path));
        Comparison { known, narrowed, next: 0 }
    }

    /// Whether a file may match: it has changed, or its words do not exclude it. Files come in order.
    fn may_match(&mut self, file: &Candidate) -> bool {
        let path = file.path.as_str();
        while let Some(known) = self.known.get(self.next) {
            match by_parts(known.path, path) {
                Ordering::Less => self.next += 1,
                Ordering::Equal => {
                    return known.identity != RecordedIdentity::stat_verified(file.identity, file.wanted)
                        || self.narrowed.binary_search(&known.version).is_ok();
                }
                Ordering::Greater => return true,
            }
        }
        true
    }
}
