//! Analyses one file after another, in a worker or in this process.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::isolation::Isolation;
#[cfg(unix)]
use super::lost::LossKind;
use super::lost::{Lost, message_of};
#[cfg(unix)]
use super::pool::WorkerPool;
#[cfg(unix)]
use super::process::{Death, StartError, Worker};
use crate::analyze::{Analyzer, ColoredSpan};
use crate::document::{self, Document, DocumentError, DocumentForm};
use crate::grammar::Grammars;
use spyhop_base::id::LanguageId;
use spyhop_base::model::{Analysis, Note, Symbol, SymbolKind};
use spyhop_base::path;
use spyhop_base::text::{LineIndex, Lines, Span};

/// Analyses one file after another, in a parser worker or in this process. Each thread needs its analyzer.
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
        /// Why there is no worker, if none could be started. No further one is then tried.
        refusal: Option<String>,
    },
    #[cfg(not(unix))]
    #[expect(dead_code, reason = "workers exist on Unix only")]
    Nowhere(std::marker::PhantomData<&'a ()>),
}

impl<'a> FileAnalyzer<'a> {
    /// Creates an analyzer. Where `isolation` asks for workers, starts a worker, which gets ready while the caller goes
    /// on. If no worker can be started, every text is lost: this process never takes the place of a worker.
    pub fn new(isolation: &'a Isolation, grammars: &'a Grammars) -> FileAnalyzer<'a> {
        let place = match isolation {
            Isolation::InProcess => ParserPlace::InProcess(Box::default()),
            #[cfg(not(unix))]
            Isolation::Subprocess(_) => ParserPlace::InProcess(Box::default()),
            #[cfg(unix)]
            Isolation::Subprocess(pool) => {
                let worker = pool.take(grammars).ok();
                ParserPlace::Worker { pool, worker, refusal: None }
            }
        };
        FileAnalyzer { grammars, place }
    }

    /// Whether a text can be parsed now: in this process, or in a worker that can be started.
    pub fn is_available(&mut self) -> bool {
        #[cfg(unix)]
        if let ParserPlace::Worker { pool, worker, .. } = &mut self.place {
            return Self::ready_worker(pool, worker, self.grammars).is_ok();
        }
        true
    }

    /// Whether a crash of a parser ends this process.
    pub fn is_in_process(&self) -> bool {
        matches!(self.place, ParserPlace::InProcess(_))
    }

    /// The structure of `text`, the content of the file at `path`. A file that is a component defines its own name, too.
    ///
    /// # Errors
    /// As [`FileAnalyzer::analyze_text`].
    pub fn analyze(&mut self, path: &str, language: LanguageId, text: &str) -> Result<Analysis, Lost> {
        let analysis = self.analyze_text(language, text)?;
        Ok(match self.grammars.kind_of_file(language) {
            Some(kind) => analysis.preceded_by(named_by_file(kind, path, text)),
            None => analysis,
        })
    }

    /// The structure of `text`.
    ///
    /// # Errors
    /// [`Lost`] when the parser ended its process, hung or used too much memory, when the analysis panicked, or when there
    /// was no worker. [`Lost::kind`] says whether another attempt may succeed.
    pub fn analyze_text(&mut self, language: LanguageId, text: &str) -> Result<Analysis, Lost> {
        if !self.grammars.needs_parser(language) {
            let analysis = || Analyzer::without_parser(self.grammars, language, text);
            return catch_unwind(AssertUnwindSafe(analysis))
                .map_err(|panic| Lost::panicked(&message_of(&*panic)));
        }
        #[cfg(unix)]
        if let ParserPlace::Worker { .. } = self.place {
            return self.in_worker(|worker| worker.analyze(language, text))?;
        }
        let ParserPlace::InProcess(analyzer) = &mut self.place else { unreachable!("returned above") };
        match catch_unwind(AssertUnwindSafe(|| analyzer.analyze(self.grammars, language, text))) {
            Ok(analysis) if analysis.notes.contains(&Note::Quarantined) => Err(Lost::watchdog(text.len())),
            Ok(analysis) => Ok(analysis),
            Err(panic) => {
                **analyzer = Analyzer::new();
                Err(Lost::panicked(&message_of(&*panic)))
            }
        }
    }

    /// The definitions of a text that is too large to be parsed, by line rules; see [`Analyzer::definitions_by_rule`]. A text on
    /// which the analysis panics has none.
    pub fn definitions_by_rule(&self, language: LanguageId, text: &str) -> Option<Vec<Symbol>> {
        let found = || Analyzer::definitions_by_rule(self.grammars, language, text);
        catch_unwind(AssertUnwindSafe(found)).ok().flatten()
    }

    /// The coloured parts of `text`, in order and not overlapping. `None` without a worker, if the language has no highlight
    /// query, or if the parser fails or takes too long: colours are not worth the crash of a process.
    pub fn colors(&mut self, language: LanguageId, text: &str) -> Option<Vec<ColoredSpan>> {
        #[cfg(unix)]
        if let ParserPlace::Worker { .. } = self.place {
            return self.in_worker(|worker| worker.colors(language, text)).ok().flatten();
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
            let outcome = self.in_worker(|worker| worker.extract(form, bytes));
            return outcome.unwrap_or_else(|lost| Err(DocumentError::of_reader(&lost.cause)));
        }
        let outcome = catch_unwind(|| document::extract(form, bytes));
        outcome.unwrap_or_else(|panic| {
            Err(DocumentError::Lost(format!("its reader panicked: {}", message_of(&*panic))))
        })
    }

    /// Asks a worker, and starts one if there is none.
    #[cfg(unix)]
    fn in_worker<T>(&mut self, ask: impl Fn(&mut Worker) -> Result<T, Death>) -> Result<T, Lost> {
        let ParserPlace::Worker { pool, worker, refusal } = &mut self.place else {
            unreachable!("the caller looked")
        };
        if let Some(cause) = refusal {
            return Err(Lost { cause: cause.clone(), kind: LossKind::NoWorker });
        }
        // The first time that another process kills the worker, the file is not to blame, so a worker is asked once more.
        for is_last in [false, true] {
            let Death { cause, kind } = match Self::ready_worker(pool, worker, self.grammars) {
                Ok(current) => match ask(current) {
                    Ok(outcome) => return Ok(outcome),
                    Err(death) => death,
                },
                Err(StartError::NotReady(death)) if death.kind == LossKind::Outside => death,
                Err(error) => {
                    tracing::warn!(%error, "no parser worker could be started; files have no structure");
                    let cause = format!("there was no parser: {error}");
                    return Err(Lost { cause: refusal.insert(cause).clone(), kind: LossKind::NoWorker });
                }
            };
            *worker = None;
            if is_last || kind != LossKind::Outside {
                return Err(Lost { cause, kind });
            }
        }
        unreachable!("the last round returns")
    }

    /// The worker, started if there is none, when it is ready.
    #[cfg(unix)]
    fn ready_worker<'w>(
        pool: &WorkerPool,
        worker: &'w mut Option<Worker>,
        grammars: &Grammars,
    ) -> Result<&'w mut Worker, StartError> {
        let mut current = match worker.take() {
            Some(current) => current,
            None => pool.take(grammars)?,
        };
        current.wait_until_ready(grammars)?;
        Ok(worker.insert(current))
    }
}

#[cfg(unix)]
impl Drop for FileAnalyzer<'_> {
    fn drop(&mut self) {
        if let ParserPlace::Worker { pool, worker, .. } = &mut self.place
            && let Some(worker) = worker.take()
            && !std::thread::panicking()
        {
            pool.give_back(worker);
        }
    }
}

/// The symbol that the file at `path` is, on the first line of its text.
fn named_by_file(kind: SymbolKind, path: &str, text: &str) -> Symbol {
    let lines = LineIndex::new(text);
    let start = text.len() - text.trim_start().len();
    let line = lines.line_of(start as u32);
    let span = Span::new(start, start + text[start..].lines().next().unwrap_or_default().trim_end().len());
    let name = path::stem(path).into();
    Symbol {
        name,
        kind,
        span,
        lines: Lines { first: line, last: line },
        container: None,
        parent: None,
        signature: span,
    }
}
