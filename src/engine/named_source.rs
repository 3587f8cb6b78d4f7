//! Paths that name their source, as in `client:src/lib.rs`.
//!
//! Answers of several trees print such paths, so every operation that takes a path takes them: the source is asked alone.

use std::sync::Arc;

use super::api::SourceName;
use super::core::Engine;
use super::corpus::{Corpus, CorpusMember};
use super::operation::Operation;
use crate::error::Error;
use spyhop_base::similar;

impl Corpus {
    /// The member that a text names, as in `client:src/lib.rs`, and the rest of the text.
    pub(super) fn addressed<'c, 't>(&'c self, text: &'t str) -> (Option<&'c SourceName>, &'t str) {
        let named =
            text.split_once(':').filter(|(_, rest)| !rest.starts_with(':')).and_then(|(name, rest)| {
                let member = self.members.iter().find(|member| member.name().as_str() == name)?;
                Some((Some(member.name()), rest))
            });
        named.unwrap_or((None, text))
    }

    /// The source that the paths of a request name, with the request for that source alone; `None` if they name none.
    pub(super) fn of_named_source<O: Operation>(&self, request: &O) -> Result<Option<(Corpus, O)>, Error> {
        if self.alone().is_some() {
            return Ok(None);
        }
        let mut request = request.clone();
        let mut named: Option<&SourceName> = None;
        for path in request.paths_in_sources() {
            let (Some(name), rest) = self.addressed(path) else {
                self.check_source_of(path)?;
                continue;
            };
            if let Some(other) = named.filter(|other| *other != name) {
                let text =
                    format!("paths are of the sources '{other}' and '{name}'; ask one source at a time");
                return Err(Error::bad(text));
            }
            let rest = rest.to_string();
            named = Some(name);
            *path = rest;
        }
        let source = named.and_then(|name| self.members.iter().find(|member| member.name() == name));
        let alone = |source: &CorpusMember| {
            let members = vec![source.with_policy(&|policy| policy)];
            let (remote, keeps_pages) = (self.remote.clone(), self.keeps_pages);
            Corpus { members, joined: Arc::default(), remote, keeps_pages }
        };
        Ok(source.map(|source| (alone(source), request)))
    }

    /// Fails if sources are asked and none of them has the folder or file that the answer is limited to.
    pub(super) fn check_scope(&self, scope: Option<&str>) -> Result<(), Error> {
        let Some(path) = scope.filter(|path| !path.is_empty()) else { return Ok(()) };
        if self.alone().is_some() || self.remote.is_some() {
            return Ok(());
        }
        let mut engines = self.members.iter().filter_map(|member| member.engine.as_ref().ok()).peekable();
        let may_have = |engine: &Engine| !engine.tree().is_of_folder() || engine.root().join(path).exists();
        match engines.peek().is_none() || engines.any(may_have) {
            true => Ok(()),
            false => Err(Error::bad(format!("path '{path}' does not exist in {}", self.listed()))),
        }
    }

    /// Fails if a text begins with the name of a source that is not asked.
    pub(super) fn check_source_of(&self, text: &str) -> Result<(), Error> {
        let is_asked = |name: &str| self.members.iter().any(|own| own.name().as_str() == name);
        match SourceName::before_path(text).filter(|name| !is_asked(name)) {
            Some(name) => {
                let similar = self.members.iter().map(|own| own.name().as_str());
                let near = similar::did_you_mean(name, similar);
                let text = format!("no source '{name}' is asked, only {}{near}", self.listed());
                Err(Error::bad(text))
            }
            None => Ok(()),
        }
    }
}
