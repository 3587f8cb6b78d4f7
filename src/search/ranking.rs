//! The result of a search.

use super::calibration::{QueryCalibration, ScoreInputs, known_of};
use super::context::Context;
use super::evidence::TermRarity;
use super::head_files::HeadFiles;
use super::hits::Ranked;
use super::model::RankedFile;
use super::places::MeasuredPlace;
use super::related::question_vector;
use super::similar::ComparedFiles;
use super::spelling::Respelled;
use crate::query::Query;
use spyhop_index::related::QuestionVector;

/// The ranking of one query.
#[derive(Default)]
pub struct Ranking {
    /// The hits, best first.
    pub hits: Vec<Ranked>,
    /// The files of the head, best first. The hits refer to them by index.
    pub files: Vec<RankedFile>,
    /// The places of the first files, best first.
    pub places: Vec<Vec<MeasuredPlace>>,
    /// By file: what its score is computed from.
    pub inputs: Vec<ScoreInputs>,
    pub calibration: QueryCalibration,
    /// The vector of the query, if files were compared by related words.
    pub(crate) related: Option<QuestionVector>,
    /// How similar the texts of the first files are to the query, if a model compared them.
    pub similar: Option<ComparedFiles>,
    /// How similar the words that their texts were expanded with are to those of the query, if they have such.
    pub expanded: Option<ComparedFiles>,
    /// How well the best parts of the first files answer the query, if a cross-encoder read them.
    pub reranked: Option<ComparedFiles>,
    /// The query that was answered instead, with the words that do not occur.
    pub respelled: Option<Respelled>,
    /// The number of lines that contain the query as written.
    pub literal_lines: usize,
    /// Whether all such lines were counted.
    pub literal_complete: bool,
    /// The files with such lines, in the order of their numbers.
    pub holding: Vec<u32>,
    /// The number of files that match the query by a term, by a name or as written.
    pub matching_files: usize,
}

impl Ranking {
    /// The ranking of one hit of a file, for its reasons and its text, and the hit with its chunk in the snapshot of `context`.
    /// `query` is the query that was answered, with the rarity of its terms.
    pub fn of_hit(
        (query, terms): (&Query, &[TermRarity]),
        context: &Context<'_>,
        (file, hit): (RankedFile, Ranked),
    ) -> (Ranking, Ranked) {
        let (snapshot, number) = (context.snapshot, file.file);
        let docs = snapshot.docs(number);
        let doc = match hit.place {
            Some(place) => snapshot.doc_of(number, place.span.start),
            None if docs.contains(&hit.doc) => hit.doc,
            None => docs.start,
        };
        let related = question_vector(query, context.profile, terms);
        (Ranking { files: vec![file], related, ..Ranking::default() }, Ranked { file: 0, doc, ..hit })
    }

    /// The share of the query, weighed by rarity, whose words the tree has.
    pub fn known_share(&self) -> f32 {
        known_of(&self.inputs)
    }

    /// The query that was answered: `asked`, or its replacement.
    pub fn query<'q>(&'q self, asked: &'q Query) -> &'q Query {
        self.respelled.as_ref().map_or(asked, |respelled| &respelled.query)
    }

    /// The places of the file of a hit, best first; empty if the file was not divided into places.
    pub(crate) fn places_of(&self, hit: &Ranked) -> &[MeasuredPlace] {
        self.places.get(hit.file).map_or(&[], Vec::as_slice)
    }
}
