//! Asking the sources of a set: all of them joined, or one after the other.

use std::sync::{Arc, Mutex};

use super::super::api::*;
use super::super::cancel;
use super::super::core::Engine;
use super::super::current;
use super::super::set_source::{Ready, SetSource};
use super::set::SourceSet;
use crate::error::{Error, ErrorKind};
use spyhop_base::parallel;
use spyhop_base::store;
use spyhop_index::inverted;
use spyhop_search::SearchSnapshot;

/// The memory of mapped files, in bytes, above which an answer of several sources releases what it has read. The next
/// question finds its parts in the system's cache.
const MAX_MAPPED: u64 = 48 << 20;

/// The sources that were asked: those that answer, and a warning for each of the others.
pub(super) struct AskedSet<'s> {
    pub ready: Vec<Ready<'s>>,
    pub silent: Vec<String>,
}

/// The answers of sources, and a warning for each source that does not answer.
pub(super) type EachAnswer<'s, T> = (Vec<(&'s SetSource, T)>, Vec<String>);

/// The warning about a source that does not answer.
pub(super) fn silent(name: &SourceName, error: &Error) -> String {
    format!("source '{name}' does not answer: {error}")
}

impl SourceSet {
    /// Answers from the joined snapshot of the sources that can answer. Sources whose index turns out to be damaged are
    /// left out, and named, and the rest answers.
    pub(super) fn with_joined<T>(
        &self,
        answer: impl Fn(&AskedSet<'_>, &SearchSnapshot) -> Result<T, Error>,
    ) -> Result<T, Error> {
        parallel::with_helper_thread(|| {
            let mut asked = self.ready()?;
            cancel::begin_answer()?;
            loop {
                let parts = asked.ready.iter().map(|ready| Arc::clone(&ready.snapshot)).collect();
                let snapshot = self.joined(parts)?;
                let answered = inverted::guarded(|| answer(&asked, &snapshot));
                if store::mapped_bytes().is_some_and(|bytes| bytes > MAX_MAPPED) {
                    snapshot.release_pages();
                }
                match answered {
                    Err(error) if error.kind() == ErrorKind::Damaged => {
                        asked = asked.without_damaged(error)?
                    }
                    other => {
                        snapshot.note_checks();
                        return other;
                    }
                }
            }
        })
    }

    /// The sources that can answer.
    fn ready(&self) -> Result<AskedSet<'_>, Error> {
        let open = |source: &SetSource| current::ready(source.engine.as_ref().map_err(Error::copy)?, &|_| ());
        let all = parallel::map(self.sources.len() > 1, self.sources.iter().collect(), open, || ());
        let (mut asked, mut first) = (AskedSet { ready: Vec::new(), silent: Vec::new() }, None);
        for (opened, source) in all.into_iter().zip(&self.sources) {
            match (opened, &source.engine) {
                (Ok((snapshot, freshness)), Ok(engine)) => {
                    asked.ready.push(Ready { source, engine, snapshot, freshness });
                }
                (Err(error), _) => {
                    asked.silent.push(silent(&source.name, &error));
                    first.get_or_insert(error);
                }
                (Ok(_), Err(_)) => unreachable!("only an engine is ready"),
            }
        }
        match first {
            Some(error) if asked.ready.is_empty() => Err(error),
            _ => Ok(asked),
        }
    }

    /// Asks the sources one after the other. An error of one source is a warning, unless the request is wrong or no source
    /// answers.
    pub(super) fn each<T>(
        &self,
        mut ask: impl FnMut(&SetSource, &Engine) -> Result<T, Error>,
    ) -> Result<EachAnswer<'_, T>, Error> {
        let (mut answers, mut warnings, mut first) = (Vec::new(), Vec::new(), None);
        for source in &self.sources {
            let answer = source.engine.as_ref().map_err(Error::copy).and_then(|engine| ask(source, engine));
            match answer {
                Ok(answer) => answers.push((source, answer)),
                Err(error) if matches!(error.kind(), ErrorKind::BadRequest | ErrorKind::Cancelled) => {
                    return Err(error);
                }
                Err(error) => {
                    warnings.push(silent(&source.name, &error));
                    first.get_or_insert(error);
                }
            }
        }
        match first {
            Some(error) if answers.is_empty() => Err(error),
            _ => Ok((answers, warnings)),
        }
    }
}

impl SourceSet {
    /// The sources, answering from their last commits, without a comparison with their trees.
    pub fn of_last_commits(&self) -> SourceSet {
        let source = |source: &SetSource| SetSource {
            name: source.name.clone(),
            engine: source
                .engine
                .as_ref()
                .map(|engine| engine.with_policy(engine.policy().last_commit()))
                .map_err(Error::copy),
            provenance: source.provenance.clone(),
            package: source.package.clone(),
        };
        SourceSet { sources: self.sources.iter().map(source).collect(), joined: Mutex::default() }
    }
}

impl AskedSet<'_> {
    /// The sources whose indexes pass their checks, after an answer that met damage.
    pub(super) fn without_damaged(mut self, error: Error) -> Result<Self, Error> {
        let before = self.ready.len();
        self.ready.retain(|ready| {
            let is_sound = ready.engine.index().workspace().damage().is_none();
            if !is_sound {
                self.silent.push(silent(&ready.source.name, &error));
            }
            is_sound
        });
        if self.ready.is_empty() {
            return Err(error);
        }
        if self.ready.len() == before {
            let text = format!("{error}; each index passes every check, so this is a fault of the program");
            return Err(Error::new(ErrorKind::Internal, text));
        }
        Ok(self)
    }
}

/// The reason why the answer of a source is incomplete, with the name of the source.
pub(super) fn incomplete_of(name: &SourceName, why: Incomplete) -> Incomplete {
    why.cause.with(of_source(name, &why))
}

/// A warning of one source.
pub(super) fn of_source(name: &SourceName, warning: &str) -> String {
    format!("source '{name}': {warning}")
}
