//! A build: texts are cut, and the parts whose text has no row yet are sent, a group of files at a time. A row is a vector
//! or an expansion.
//!
//! Each group is written before the next one is read, so a build that ends anywhere has lost one group at most.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use rustc_hash::FxHashSet;
use spyhop_base::id::ContentHash;
use spyhop_base::text::Span;
use spyhop_base::threads;

use super::database::{DatabasePart, DatabaseParts};
use super::parts::parts;
use super::provider::{Limits, Patience, Provider, tokens};
use super::store::{PackedRow, StoreWriter, TextKey, key_of};
use crate::error::SemanticError;
use crate::model::{BuildProgress, BuildReport, BuildText, PartRow};

/// The most files of a group.
const GROUP_FILES: usize = 256;

/// The groups between two syncs.
const SYNC_EVERY: usize = 64;

/// Makes the rows of texts.
pub trait RowMaker: Sync {
    /// A row for each text, in their order.
    fn rows(&self, texts: &[&str]) -> Result<Vec<PackedRow>, SemanticError>;

    /// The rows that were taken from where another build had put them.
    fn n_taken(&self) -> usize {
        0
    }

    /// Bounds of a call.
    fn limits(&self) -> Limits;
}

/// Makes vectors, of which the first numbers are stored.
pub struct VectorMaker {
    pub provider: Box<dyn Provider>,
    pub stored_dimensions: usize,
}

impl RowMaker for VectorMaker {
    fn rows(&self, texts: &[&str]) -> Result<Vec<PackedRow>, SemanticError> {
        let vectors = self.provider.embed(texts, Patience::Build)?;
        Ok(vectors.iter().map(|vector| PackedRow::of_vector(vector, self.stored_dimensions)).collect())
    }

    fn n_taken(&self) -> usize {
        self.provider.n_taken()
    }

    fn limits(&self) -> Limits {
        self.provider.limits()
    }
}

/// A text that is to be sent.
struct PendingText {
    key: TextKey,
    text: String,
}

/// Files that are written together.
#[derive(Default)]
struct Group {
    files: Vec<(ContentHash, Vec<(Span, TextKey)>)>,
    bytes: u64,
    pending: Vec<PendingText>,
    tokens: u64,
    /// Vectors from a database.
    taken: Vec<(TextKey, PackedRow)>,
}

/// What the threads of a group have made.
#[derive(Default)]
struct MadeRows {
    /// The position of the first text of a batch, and the rows of the batch.
    batches: Vec<(usize, Vec<PackedRow>)>,
    /// The first failure.
    failed: Option<SemanticError>,
}

pub struct Build<'b> {
    pub writer: StoreWriter,
    pub maker: &'b dyn RowMaker,
    /// Where vectors are taken from, instead of the maker.
    pub database: Option<DatabaseParts>,
    pub progress: &'b (dyn Fn(BuildProgress) + Sync),
    pub report: BuildReport,
}

impl Build<'_> {
    /// Makes the rows of `texts`. After an error, what was made before is kept.
    pub fn run(
        &mut self,
        texts: &mut dyn Iterator<Item = Result<BuildText, SemanticError>>,
    ) -> Result<(), SemanticError> {
        let limits = self.maker.limits();
        let group_tokens = limits.tokens * limits.concurrency as u64;
        let (mut done, mut n_groups) = (BuildProgress::default(), 0);
        loop {
            let mut group = Group::default();
            let mut ended = None;
            while group.files.len() < GROUP_FILES && group.tokens < group_tokens {
                match texts.next() {
                    Some(Ok(text)) => self.add(text, &mut group),
                    Some(Err(error)) => ended = Some(Err(error)),
                    None => ended = Some(Ok(())),
                }
                if ended.is_some() {
                    break;
                }
            }
            self.write(&group, &limits)?;
            done.files += group.files.len();
            done.bytes += group.bytes;
            (self.progress)(done);
            n_groups += 1;
            if ended.is_some() || n_groups % SYNC_EVERY == 0 {
                self.writer.sync()?;
            }
            if let Some(ended) = ended {
                return ended;
            }
        }
    }

    /// Cuts a file, and notes the texts that have no row and are not noted yet.
    fn add(&mut self, file: BuildText, group: &mut Group) {
        let BuildText { path, content, text, starts } = file;
        group.bytes += text.len() as u64;
        if let Some(database) = &self.database {
            take(database.get(&path).map_or(&[], Vec::as_slice), (content, &text), group);
            return;
        }
        let mut noted: FxHashSet<TextKey> = group.pending.iter().map(|pending| pending.key).collect();
        let mut keys = Vec::new();
        for span in parts(&text, &starts) {
            let part = &text[span.range()];
            let key = key_of(part);
            keys.push((span, key));
            if self.writer.row_of(&key).is_some() || !noted.insert(key) {
                self.report.known += 1;
                continue;
            }
            group.tokens += tokens(part.len() as u64);
            group.pending.push(PendingText { key, text: part.to_string() });
        }
        group.files.push((content, keys));
    }

    /// Sends the texts of a group and writes the rows, then the records of the files that have all of theirs.
    fn write(&mut self, group: &Group, limits: &Limits) -> Result<(), SemanticError> {
        let mut taken: Vec<(TextKey, PackedRow)> = Vec::new();
        let mut noted = FxHashSet::default();
        for (key, packed) in &group.taken {
            if self.writer.row_of(key).is_none() && noted.insert(*key) {
                taken.push((*key, packed.clone()));
            }
        }
        self.report.taken += taken.len();
        self.writer.add_rows(&taken)?;
        let (rows, failed) = self.rows(&group.pending, limits);
        self.report.sent += rows.len();
        self.report.tokens += group.tokens;
        self.writer.add_rows(&rows)?;
        let record = |(content, keys): &(ContentHash, Vec<(Span, TextKey)>)| {
            let parts =
                keys.iter().map(|(span, key)| Some(PartRow { span: *span, row: self.writer.row_of(key)? }));
            Some((*content, parts.collect::<Option<Vec<PartRow>>>()?))
        };
        let records: Vec<(ContentHash, Vec<PartRow>)> = group.files.iter().filter_map(record).collect();
        self.report.files += records.len();
        self.writer.add_files(&records)?;
        failed.map_or(Ok(()), Err)
    }

    /// The rows of the texts, in batches that are sent at the same time, and the first error. After an error no further
    /// batch is sent.
    fn rows(
        &self,
        pending: &[PendingText],
        limits: &Limits,
    ) -> (Vec<(TextKey, PackedRow)>, Option<SemanticError>) {
        let batches = batches(pending, limits);
        let next = AtomicUsize::new(0);
        let made = Mutex::<MadeRows>::default();
        let work = || {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let texts: Vec<&str> = pending[batch.clone()].iter().map(|own| own.text.as_str()).collect();
                let rows = self.maker.rows(&texts);
                let mut made = made.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                match rows {
                    Ok(rows) => made.batches.push((batch.start, rows)),
                    Err(error) => {
                        made.failed.get_or_insert(error);
                        next.store(batches.len(), Ordering::Relaxed);
                    }
                }
            }
        };
        let n_threads = limits.concurrency.min(batches.len());
        std::thread::scope(|scope| {
            for _ in 1..n_threads {
                if let Err(error) = threads::for_call(scope, Builder::new(), work) {
                    tracing::warn!(%error, "no thread to send texts with");
                }
            }
            work();
        });
        let MadeRows { batches: mut rows, failed } =
            made.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        rows.sort_by_key(|(start, _)| *start);
        let keyed = rows.into_iter().flat_map(|(start, packed)| {
            let keys = pending[start..].iter().map(|own| own.key);
            keys.zip(packed).collect::<Vec<_>>()
        });
        (keyed.collect(), failed)
    }
}

/// Adds a file with those parts of a database that its text still has; a file with none lacks vectors.
fn take(parts: &[DatabasePart], (content, text): (ContentHash, &str), group: &mut Group) {
    let mut keys = Vec::new();
    for part in parts.iter().filter(|part| part.is_in(text)) {
        let key = key_of(&part.code);
        keys.push((part.span, key));
        group.taken.push((key, part.packed.clone()));
    }
    if !keys.is_empty() {
        group.files.push((content, keys));
    }
}

/// The texts of each batch, by their positions.
fn batches(pending: &[PendingText], limits: &Limits) -> Vec<std::ops::Range<usize>> {
    let (mut batches, mut begin, mut sum) = (Vec::new(), 0, 0);
    for (place, own) in pending.iter().enumerate() {
        let of_text = tokens(own.text.len() as u64);
        if place > begin && (sum + of_text > limits.tokens || place - begin == limits.texts) {
            batches.push(begin..place);
            (begin, sum) = (place, 0);
        }
        sum += of_text;
    }
    if begin < pending.len() {
        batches.push(begin..pending.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_has_bounded_texts_and_tokens() {
        let check = |lengths: &[usize], expected: &[std::ops::Range<usize>]| {
            let pending: Vec<PendingText> =
                lengths.iter().map(|len| PendingText { key: [0; 16], text: "x".repeat(*len) }).collect();
            assert_eq!(batches(&pending, &Limits { texts: 3, tokens: 10, concurrency: 1 }), expected);
        };
        check(&[], &[]);
        check(&[3; 4], &[0..3, 3..4]);
        check(&[30, 1, 15, 15, 15], &[0..1, 1..3, 3..5]);
        // A text above the bound is a batch of its own.
        check(&[90, 3], &[0..1, 1..2]);
    }
}
