//! What reads texts: the grammars, the parsers that work with them, and the tokenizers of queries and notes.

use std::path::Path;
use std::sync::Arc;

use super::api::Options;
use crate::error::Error;
use spyhop_base::id::LanguageId;
use spyhop_base::model::{Analysis, Note};
use spyhop_base::path::RelPath;
use spyhop_files::read::{Limits, ReadOutcome, TreeSource};
use spyhop_index::tokenize::{ExtraTerms, Tokenizers};
use spyhop_search::query::{Query, QueryError};
use spyhop_syntax::analyze::Analyzer;
use spyhop_syntax::grammar::Grammars;
use spyhop_syntax::worker::{FileAnalyzer, Isolation};

/// The grammars, the parsers and the tokenizers of an engine.
pub(crate) struct Parsers {
    grammars: Arc<Grammars>,
    /// The faults of the grammars of the tree.
    faults: Vec<String>,
    isolation: Isolation,
    extra_terms: ExtraTerms,
    /// The pool of tokenizers, each with its cache of words.
    tokenizers: Tokenizers,
}

impl Parsers {
    /// The grammars, the isolation and the further terms that the options name. Without grammars in the options, those
    /// of the tree with this root count.
    pub fn new(options: &Options, root: &Path) -> Result<Parsers, Error> {
        let (grammars, faults) = match &options.grammars {
            Some(folder) => (Arc::new(Grammars::with_overrides(folder)?), Vec::new()),
            None => {
                let (own, faults) = Grammars::of_tree(root);
                for fault in &faults {
                    tracing::warn!(%fault, "a grammar of the tree is left out");
                }
                (own.map_or_else(Grammars::shared, Arc::new), faults)
            }
        };
        Ok(Parsers {
            grammars,
            faults: faults.iter().map(ToString::to_string).collect(),
            isolation: options.isolation.clone(),
            extra_terms: options.extra_terms.clone(),
            tokenizers: Tokenizers::with(options.extra_terms.clone()),
        })
    }

    pub fn grammars(&self) -> &Grammars {
        &self.grammars
    }

    /// The faults of the grammars of the tree, which are left out.
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    pub fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    pub fn extra_terms(&self) -> &ExtraTerms {
        &self.extra_terms
    }

    pub fn tokenizers(&self) -> &Tokenizers {
        &self.tokenizers
    }

    /// A new parser.
    pub fn analyzer(&self) -> FileAnalyzer<'_> {
        FileAnalyzer::new(&self.isolation, &self.grammars)
    }

    /// The analysis of a text without a parser.
    pub fn by_lines(&self, language: LanguageId, text: &str) -> Analysis {
        Analyzer::by_lines(&self.grammars, language, text, Note::Quarantined)
    }

    /// The language that an update would now detect for a file of at most `max_file_bytes`.
    pub fn language_of(&self, path: &RelPath, source_tree: &TreeSource, max_file_bytes: u64) -> LanguageId {
        if !self.grammars.depends_on_text(path) {
            return self.grammars.detect(path, "");
        }
        let limits = Limits { max_file_bytes, skip_generated: false, skip_minified: false };
        match source_tree.read(path, &limits) {
            ReadOutcome::Source(source) => self.grammars.detect(path, &source.text),
            _ => self.grammars.detect(path, ""),
        }
    }

    /// Parses a query with the further terms of the host.
    pub fn query(&self, text: &str) -> Result<Query, QueryError> {
        Query::parse_with(text, &self.extra_terms)
    }

    /// Forgets the words of the tokenizers, and ends idle parser workers.
    pub fn release(&self) {
        self.tokenizers.clear();
        if let Isolation::Subprocess(pool) = &self.isolation {
            pool.release_idle();
        }
    }
}
