//! From measured files to hits: the part of a search that reads no index. The measures are those of one snapshot, or of
//! several shards.

use super::calibration::{self, QueryCalibration};
use super::head_files::HeadFiles;
use super::hits::{self, ShownChunk};
use super::measure::MeasuredFile;
use super::model::{self, RankedFile};
use super::places::MeasuredPlace;
use super::ranking::Ranking;
use super::related;
use crate::profile::Profile;
use crate::query::Query;

/// The files of the head, weighed, best first. `similarity` is that of a file to the question by related words.
pub(crate) fn weighed(
    query: &Query,
    profile: &Profile,
    measured: &[MeasuredFile],
    similarity: impl Fn(&RankedFile) -> Option<f32>,
    table: &dyn HeadFiles,
) -> Vec<RankedFile> {
    let mut files = model::weigh(measured, query.kind, profile, table);
    if let Some(weight) = related::related_weight(query, profile) {
        related::add_related(weight, &mut files, similarity, table);
    }
    files
}

/// The calibrated ranking of the files of a head, with the places of the first files. `known` is the share of the query whose
/// words the tree has; `chunks` show a file without places. What is known of the query as written is added by the caller.
pub(crate) fn ranking(
    query: &Query,
    (profile, per_file): (&Profile, usize),
    (mut files, places): (Vec<RankedFile>, Vec<Vec<MeasuredPlace>>),
    known: f32,
    table: &dyn HeadFiles,
    chunks: impl Fn(&RankedFile) -> Vec<ShownChunk>,
) -> Ranking {
    let inputs = calibration::score_inputs(query, known, (&files, &places));
    let calibration = QueryCalibration::calibrate(&mut files, query, profile, &inputs);
    let hits = hits::hits(query, (profile, per_file), (&files, &places), &calibration, table, chunks);
    Ranking { hits, files, places, inputs, calibration, ..Ranking::default() }
}
