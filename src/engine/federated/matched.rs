//! The parts of an exact search in ranked files that each tree answers: which files match, and the lines of a page.

use crate::api::{GrepReply, GrepRequest};
use crate::call::Call;
use crate::corpus::Corpus;
use crate::error::Error;
use crate::grep;
use crate::mask::{Mask, MaskTexts};
use crate::operation::Operation;
use spyhop_base::path::RelPath;

/// The first part of an exact search in ranked files: the files of a tree with matching lines.
#[derive(Clone, Debug)]
pub(crate) struct MatchedFilesRequest(pub GrepRequest);

/// Files with their numbers of matching lines, by path.
#[derive(Clone, Debug)]
pub(crate) struct MatchedFiles(pub Vec<(RelPath, usize)>);

/// The second part: the lines of a page, among files in the order in which all shards ranked them.
#[derive(Clone, Debug)]
pub(crate) struct OrderedLinesRequest {
    pub request: GrepRequest,
    pub files: Vec<RelPath>,
    /// The place among the files, and the line, after which the page begins.
    pub after: Option<(usize, u32)>,
}

impl Operation for MatchedFilesRequest {
    const NAME: &'static str = "matched_files";

    type Reply = MatchedFiles;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<MatchedFiles, Error> {
        let engine = corpus.only("a count of lines", "its files are those of a tree")?;
        grep::matched_files(engine, &self.0).map(MatchedFiles)
    }
}

impl MaskTexts for MatchedFiles {
    fn mask_texts(&mut self, _mask: Mask<'_>) {}
}

impl Operation for OrderedLinesRequest {
    const NAME: &'static str = "ordered_lines";

    type Reply = GrepReply;

    fn run(&self, corpus: &Corpus, _call: &Call<'_>) -> Result<GrepReply, Error> {
        let engine = corpus.only("a page of lines", "its files are those of a tree")?;
        grep::lines_of_tree(engine, &self.request, Some((&self.files, self.after)))
    }
}
