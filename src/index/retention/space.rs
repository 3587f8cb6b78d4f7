//! Making room: drops the least recently used views, then the indexes of other trees, until the rest fits.

use std::path::Path;

use super::collected::{Collected, Collection, DropReason, Dropped, SpaceTarget};
use super::collector::Collector;
use super::cost::Costs;
use super::judge::Judged;
use super::neighbours::{self, Neighbour};
use crate::meta::ViewKey;
use crate::workspace::WriteError;
use spyhop_base::store;

impl Collector<'_> {
    /// Makes room, after the views that cannot be needed again were dropped: `gone` are these views, or in a dry run
    /// those that would have been dropped. The caller holds the lock.
    pub(super) fn make_room(
        &self,
        asked: &Collection,
        max_bytes: u64,
        gone: &[ViewKey],
        collected: &mut Collected,
    ) -> Result<(), WriteError> {
        let home = asked.home.as_ref().map_or(self.workspace.dir(), |home| &home.dir);
        if let (false, Some(home)) = (asked.dry_run, &asked.home) {
            neighbours::remove_leftovers(home)?;
        }
        let before = self.bytes_in(home) + if asked.dry_run { 0 } else { collected.given_back() };
        let mut after = self.drop_views_for(asked, home, max_bytes, gone, collected)?;
        let neighbours = match &asked.home {
            Some(home) => neighbours::neighbours(&home.dir, self.workspace),
            None => Vec::new(),
        };
        for neighbour in neighbours {
            if after <= max_bytes {
                break;
            }
            if neighbour.is_busy() {
                collected.busy.push(neighbour.dir);
                continue;
            }
            after = after.saturating_sub(neighbour.bytes);
            self.remove(asked, neighbour, collected)?;
        }
        if !asked.dry_run {
            after = self.bytes_in(home);
        }
        collected.room = Some(SpaceTarget { max_bytes, before, after });
        Ok(())
    }

    /// Bytes of a folder, without the note in the lock file, which is there only while the lock is held.
    fn bytes_in(&self, home: &Path) -> u64 {
        let note = std::fs::metadata(self.workspace.lock_path()).map_or(0, |lock| lock.len());
        store::bytes_below(home).saturating_sub(note)
    }

    fn remove(
        &self,
        asked: &Collection,
        neighbour: Neighbour,
        collected: &mut Collected,
    ) -> Result<(), WriteError> {
        if let (false, Some(home)) = (asked.dry_run, &asked.home) {
            neighbour.remove(home.move_notes)?;
        }
        collected.neighbours.push(neighbour);
        Ok(())
    }

    /// Drops views until the rest fits or no other view is left; returns the resulting bytes. Which views must go is
    /// estimated; after each commit the bytes are measured again.
    fn drop_views_for(
        &self,
        asked: &Collection,
        home: &Path,
        max_bytes: u64,
        gone: &[ViewKey],
        collected: &mut Collected,
    ) -> Result<u64, WriteError> {
        let current = &self.view_key;
        loop {
            let bytes = self.bytes_in(home);
            let committed = self.workspace.open()?;
            let meta = &committed.meta;
            let mut costs = Costs::new(meta, self.workspace)?;
            let freed: u64 = gone.iter().map(|key| costs.remove(key).index_bytes).sum();
            let mut left = bytes - if asked.dry_run { freed.min(bytes) } else { 0 };
            let mut others: Vec<_> =
                meta.views().filter(|(key, _)| *key != current && !gone.contains(key)).collect();
            others.sort_by_key(|(key, info)| (self.workspace.last_used(key, info), *key));
            let mut going = Vec::new();
            for (key, _) in others {
                if left <= max_bytes {
                    break;
                }
                left = left.saturating_sub(costs.remove(key).index_bytes);
                going.push((key.clone(), DropReason::SpaceTarget));
            }
            if going.is_empty() {
                return Ok(left);
            }
            collected.dropped.extend(going.iter().map(|(key, why)| Dropped::new(key, *why)));
            let judged = Judged { dead: costs.dead(), views: going };
            if asked.dry_run {
                collected.versions = judged.dead.len();
                return Ok(left);
            }
            collected.versions += judged.dead.len();
            collected.generation = self.drop_judged(meta, judged)?;
        }
    }
}
