//! Counting the statistics of a query in a snapshot.

use super::context::Context;
use super::error::SearchError;
use super::framed::files_of_frames;
use super::literal;
use super::snapshot::NO_FILE;
use super::statistics::Statistics;
use super::usage::usage;
use crate::query::Query;
use spyhop_base::model::Field;
use spyhop_index::inverted::IndexField;

/// The statistics of the view of `context`, which has none yet.
pub fn statistics(query: &Query, context: &Context<'_>) -> Result<Statistics, SearchError> {
    let snapshot = context.snapshot;
    let mut own = Statistics { totals: snapshot.totals(), ..Statistics::default() };
    for term in &query.terms {
        let (mut chunks, mut files) = ([0; Field::ALL.len()], [0; 2]);
        for field in Field::ALL {
            let (n_chunks, n_files) = counts(context, field, &term.term)?;
            chunks[field as usize] = n_chunks;
            match field {
                Field::Body => files[0] = n_files,
                Field::Symbol => files[1] = n_files,
                _ => {}
            }
        }
        own.chunks.push(chunks);
        own.files.push(files);
    }
    for name in &query.names {
        own.uses.push(usage(snapshot, name)?.references);
    }
    let of_frame = |(most, files): (usize, Vec<u32>)| (most as u32, files.len() as u32);
    own.frames = files_of_frames(query, context).into_iter().map(of_frame).collect();
    own.of_ends = literal::count_of_ends(query, context)?;
    own.quoting = context.quoting.map_or(0, |files| files.len() as u64);
    own.is_idle = is_idle(query, context);
    Ok(own)
}

/// Whether no file is admitted, and nothing of the other files counts in the evidence.
fn is_idle(query: &Query, context: &Context<'_>) -> bool {
    if context.admits_all_files() || !query.frames.is_empty() {
        return false;
    }
    literal::counts_admitted_files(query, &mut context.tokenizers.take())
        && !(0..context.snapshot.n_files() as u32).any(|file| context.admits(file))
}

/// The documents of the view with a term in a field, and their files.
fn counts(context: &Context<'_>, field: Field, term: &str) -> Result<(u64, u64), SearchError> {
    let (snapshot, mut n_chunks, mut n_files) = (context.snapshot, 0, 0);
    let reader = snapshot.index();
    for segment in 0..reader.segments().len() {
        let Some(mut blocks) = reader.blocks(segment, IndexField::Scored(field), term)? else { continue };
        let files = snapshot.files_of(segment);
        // The documents of a file are adjacent.
        let mut open = NO_FILE;
        blocks.for_each(|docs, _| {
            for doc in docs {
                let file = files[*doc as usize];
                n_chunks += u64::from(file != NO_FILE);
                n_files += u64::from(file != NO_FILE && file != open);
                open = file;
            }
        });
    }
    Ok((n_chunks, n_files))
}
