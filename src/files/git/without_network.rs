//! Repositories on other machines without the feature `network`: no URL is accepted, and no value of the type exists.

use std::path::Path;

use super::remote_error::{RemoteError, RemoteReference};

/// A repository on another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteRepository {}

impl RemoteRepository {
    /// Refuses every URL.
    pub fn parse(text: &str) -> Result<RemoteRepository, RemoteError> {
        // A URL may have a password.
        let url = text.split(['@', '?', '#']).next_back().unwrap_or_default().to_string();
        let reason =
            "this program is built without the feature 'network'; clone the repository, and add its folder";
        Err(RemoteError::BadUrl { url, reason: reason.to_string() })
    }

    pub fn url(&self) -> String {
        match *self {}
    }

    /// `HEAD`, the branches and the tags.
    pub fn references(
        &self,
        _asked: Option<&str>,
        _is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<RemoteReference>, RemoteError> {
        match *self {}
    }

    pub fn fetch(
        &self,
        _wanted: &str,
        _folder: &Path,
        _progress: &dyn Fn(u64),
        _is_cancelled: &dyn Fn() -> bool,
    ) -> Result<String, RemoteError> {
        match *self {}
    }
}
