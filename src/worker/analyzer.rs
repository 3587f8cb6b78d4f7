//! Analyses one file after another, in a worker or in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::isolation::Isolation;
use super::lost::{Lost, message_of};
#[cfg(unix)]
use super::pool::WorkerPool;
#[cfg(unix)]
use super::process::{Death, Worker};
use crate::analyze::{Analyzer, ColoredSpan};
use crate::document::{self, Document, DocumentError, DocumentForm};
use crate::grammar::Grammars;
use crate::id::LanguageId;
use crate::model::{Analysis, Note};

/// Analyses one file after another, in a parser worker or in this process. Each thread needs an analyzer of its own.
pub struct FileAnalyzer<'a> {
    grammars: &'a Grammars,
    place: ParserPlace<'a>,
}

enum ParserPlace<'a> {
    InProcess(Box<Analyzer>),
    #[cfg(unix)]
    Worker {
        pool: &'a WorkerPool,
        /// `None` before the first file, and after a worker has died.
        worker: Option<Worker>,
    },
    #[cfg(not(unix))]
    #[expect(dead_code, reason = "workers exist on Unix only")]
    Nowhere(std::marker::PhantomData<&'a ()>),
}

impl<'a> FileAnalyzer<'a> {
    /// Creates an analyzer. Where `isolation` asks for workers, starts a worker, which gets ready while the caller goes
    /// on.
    pub fn new(isolation: &'a Isolation, grammars: &'a Grammars) -> FileAnalyzer<'a> {
        let in_process = || ParserPlace::InProcess(Box::default());
        let place = match isolation {
            Isolation::InProcess => in_process(),
            #[cfg(not(unix))]
            Isolation::Subprocess(_) => in_process(),
            #[cfg(unix)]
            Isolation::Subprocess(pool) => match pool.take(grammars) {
                Ok(worker) => ParserPlace::Worker { pool, worker: Some(worker) },
                Err(error) => {
                    tracing::warn!(%error, "no parser worker could be started; files are parsed in this process");
                    in_process()
                }
            },
        };
        FileAnalyzer { grammars, place }
    }

    /// Whether a crash of a parser ends this process.
    pub fn is_in_process(&self) -> bool {
        matches!(self.place, ParserPlace::InProcess(_))
    }

    /// The structure of `text`.
    ///
    /// # Errors
    /// [`Lost`] when the parser ended its process, took too long or used too much memory, or when the analysis
    /// panicked. Such a text must not be parsed again: another attempt would end in the same way.
    pub fn analyze(&mut self, language: LanguageId, text: &str) -> Result<Analysis, Lost> {
        if !self.grammars.has_parser(language) {
            return Ok(Analyzer::of_text(text));
        }
        #[cfg(unix)]
        if let ParserPlace::Worker { .. } = self.place {
            match self.in_worker(|worker| worker.analyze(language, text)) {
                Ok(outcome) => return outcome.and_then(|analysis| analysis),
                Err(error) => {
                    tracing::warn!(%error, "no parser worker could be started; files are parsed in this process");
                    self.place = ParserPlace::InProcess(Box::default());
                }
            }
        }
        let ParserPlace::InProcess(analyzer) = &mut self.place else { unreachable!("set above") };
        match catch_unwind(AssertUnwindSafe(|| analyzer.analyze(self.grammars, language, text))) {
            Ok(analysis) if analysis.notes.contains(&Note::Quarantined) => Err(Lost::too_long()),
            Ok(analysis) => Ok(analysis),
            Err(panic) => {
                **analyzer = Analyzer::new();
                Err(Lost::panicked(&message_of(&*panic)))
            }
        }
    }

    /// The coloured parts of `text`, in order and not overlapping. `None` without a worker, if the language has no highlight
    /// query, or if the parser fails or takes too long: colours are not worth the crash of a process.
    pub fn colors(&mut self, language: LanguageId, text: &str) -> Option<Vec<ColoredSpan>> {
        #[cfg(unix)]
        if let ParserPlace::Worker { .. } = self.place {
            return match self.in_worker(|worker| worker.colors(language, text)) {
                Ok(outcome) => outcome.ok().flatten(),
                Err(error) => {
                    tracing::warn!(%error, "no parser worker could be started; the text has no colours");
                    None
                }
            };
        }
        let _ = (language, text);
        None
    }

    /// The text and the metadata of a document.
    ///
    /// # Errors
    /// [`DocumentError`] when the file cannot be read, or when its reader ended its process, took too long or panicked.
    pub fn extract(&mut self, form: DocumentForm, bytes: &[u8]) -> Result<Document, DocumentError> {
        #[cfg(unix)]
        if let ParserPlace::Worker { .. } = self.place {
            match self.in_worker(|worker| worker.extract(form, bytes)) {
                Ok(Ok(outcome)) => return outcome,
                Ok(Err(lost)) => return Err(DocumentError::of_reader(&lost.cause)),
                Err(error) => {
                    tracing::warn!(%error, "no parser worker could be started; files are read in this process");
                    self.place = ParserPlace::InProcess(Box::default());
                }
            }
        }
        let outcome = catch_unwind(|| document::extract(form, bytes));
        outcome.unwrap_or_else(|panic| {
            Err(DocumentError::Lost(format!("its reader panicked: {}", message_of(&*panic))))
        })
    }

    /// Asks a worker, and starts one if there is none. The outer error means that no worker could be started, the inner one
    /// that the worker died.
    #[cfg(unix)]
    fn in_worker<T>(
        &mut self,
        ask: impl Fn(&mut Worker) -> Result<T, Death>,
    ) -> Result<Result<T, Lost>, super::process::StartError> {
        let ParserPlace::Worker { pool, worker } = &mut self.place else { unreachable!("the caller looked") };
        // The first time that another process kills the worker, the file is not to blame, so the worker is asked once
        // more.
        for is_last in [false, true] {
            let current = match worker {
                Some(current) => current,
                None => worker.insert(pool.take(self.grammars)?),
            };
            current.wait_until_ready(self.grammars)?;
            match ask(current) {
                Ok(outcome) => return Ok(Ok(outcome)),
                Err(Death { is_from_outside: true, .. }) if !is_last => *worker = None,
                Err(Death { cause, .. }) => {
                    *worker = None;
                    return Ok(Err(Lost { cause }));
                }
            }
        }
        unreachable!("the last round returns")
    }
}

#[cfg(unix)]
impl Drop for FileAnalyzer<'_> {
    fn drop(&mut self) {
        if let ParserPlace::Worker { pool, worker } = &mut self.place
            && let Some(worker) = worker.take()
            && !std::thread::panicking()
        {
            pool.give_back(worker);
        }
    }
}
