//! Repositories on other machines: their branches and tags, and the files of one commit without its history.
//!
//! The program `git` talks to the server ([`command`]), because it is what reaches a user's servers anyway: with the user's
//! credential helpers, proxies, certificates and SSH. The program runs within limits ([`child`], [`limits`]): a hostile server can make it
//! neither run for ever nor fill memory or disk, and ends with it when it does. What is fetched is written to a bare repository
//! that [`super::open_objects`] opens; gix reads it. Nothing is asked on a terminal, and no hook, filter or submodule command is
//! run. The messages of `git` are sorted into causes by [`error`].

mod child;
mod command;
mod error;
mod limits;
mod shown;
#[cfg(all(test, unix))]
mod tests;

use std::path::Path;

use gix::bstr::ByteSlice;
use gix::url::Scheme;

use child::{CallWatch, GitOutput};
use limits::{CallLimits, RemoteLimits};
use shown::without_secrets;

use super::discover::open_objects;
use super::reach::Reach;
use super::remote_error::{RemoteError, RemoteReference};

/// The name of the fetched commit in the repository that is written.
const FETCHED: &str = "refs/spyhop/fetched";

/// The digits of an object's id.
const ID_DIGITS: usize = 40;

/// A repository on another machine.
#[derive(Clone, Debug)]
pub struct RemoteRepository {
    url: gix::Url,
    limits: RemoteLimits,
}

impl PartialEq for RemoteRepository {
    fn eq(&self, other: &RemoteRepository) -> bool {
        self.url == other.url
    }
}

impl Eq for RemoteRepository {}

impl RemoteRepository {
    /// The repository at a URL, which has the scheme `https`, `http`, `ssh` or `git`, or the form `user@host:path`. The user
    /// of an `https` or `http` URL is left out: it may be a token, and a credential helper names the user.
    ///
    /// # Errors
    /// `BadUrl` if the URL has another scheme, a password, no host, or a part that a program would take for an option.
    pub fn parse(text: &str) -> Result<RemoteRepository, RemoteError> {
        let shown = without_secrets(text);
        let bad = |reason: &str| RemoteError::BadUrl { url: shown.clone(), reason: reason.to_string() };
        if text.chars().any(char::is_control) {
            return Err(bad("it has a control character"));
        }
        let mut url = gix::url::parse(text.as_bytes().as_bstr()).map_err(|_| bad("it is not a valid URL"))?;
        if !matches!(url.scheme, Scheme::Http | Scheme::Https | Scheme::Ssh | Scheme::Git) {
            return Err(bad("its scheme is none of https, http, ssh and git"));
        }
        if url.password().is_some() {
            return Err(bad(
                "it has a password; leave the password out, and let a credential helper of Git supply it",
            ));
        }
        let is_http = matches!(url.scheme, Scheme::Http | Scheme::Https);
        if is_http && url.path.find_byteset(b"?#").is_some() {
            return Err(bad("it has a query or a fragment; give the URL that git clone takes"));
        }
        if is_http {
            url.set_user(None);
        }
        if url.host().is_none_or(str::is_empty) || url.path_is_root() {
            return Err(bad("it names no repository of a host"));
        }
        let parts = [url.host().unwrap_or_default(), url.user().unwrap_or_default(), text];
        if parts.iter().any(|part| part.starts_with('-')) || url.path.starts_with(b"-") {
            return Err(bad("a part of it begins with '-'"));
        }
        Ok(RemoteRepository { url, limits: RemoteLimits::default() })
    }

    /// The URL, which has no password, and no user if the scheme is `https` or `http`.
    pub fn url(&self) -> String {
        self.url.to_bstring().to_str_lossy().into_owned()
    }

    /// `HEAD`, the branches and the tags; with `asked`, only `HEAD` and those that `asked` may name.
    ///
    /// # Errors
    /// `NoGit`, `Unreachable`, `TimedOut`, `NoRepository`, `NeedsCredentials`, `BadAnswer`, `TooLarge`, `Cancelled`; `File` if no
    /// temporary folder can be written.
    pub fn references(
        &self,
        asked: Option<&str>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<RemoteReference>, RemoteError> {
        let folder = tempfile::tempdir().map_err(|error| RemoteError::File {
            action: "create a folder in",
            path: std::env::temp_dir(),
            source: error,
        })?;
        let names = match asked {
            None => ["refs/heads/*", "refs/tags/*"].map(str::to_string).to_vec(),
            // The commit of a tag has a separate line.
            Some(asked) => {
                let full = [asked.to_string(), format!("refs/heads/{asked}"), format!("refs/tags/{asked}")];
                let names = full.into_iter().filter(|name| is_reference(name));
                names.flat_map(|name| [format!("{name}^{{}}"), name]).collect()
            }
        };
        let (limits, url) = (&self.limits.listing, self.url());
        let mut arguments = vec!["ls-remote", "--symref", "--", &url, "HEAD"];
        arguments.extend(names.iter().map(String::as_str));
        let output = self.call(&arguments, folder.path(), limits, &|_| (), is_cancelled)?;
        if !output.status.success() {
            let wanted = asked.unwrap_or("its references");
            return Err(RemoteError::of_output(url, &output, wanted, folder.path(), limits));
        }
        self.parsed(&output.answer)
    }

    /// The references of an answer, tags with the commits that they stand for. Names that git does not allow are left out.
    fn parsed(&self, answer: &[u8]) -> Result<Vec<RemoteReference>, RemoteError> {
        let mut found: Vec<RemoteReference> = Vec::new();
        let mut head = None;
        for line in answer.lines() {
            let Some((id, name)) = line.to_str().ok().and_then(|line| line.split_once('\t')) else {
                continue;
            };
            if let Some(target) = id.strip_prefix("ref: ") {
                head = (name == "HEAD" && is_reference(target)).then(|| target.to_string()).or(head);
                continue;
            }
            if id.len() > ID_DIGITS {
                let reason =
                    "only SHA-1 is supported; clone the repository, and add its folder without a ref";
                let what = "objects that are named by SHA-256";
                return Err(RemoteError::BadAnswer { url: self.url(), what, reason: reason.to_string() });
            }
            if !is_commit(id) {
                continue;
            }
            if let Some(tag) = name.strip_suffix("^{}") {
                // The line follows that of the tag.
                if let Some(last) = found.last_mut().filter(|last| last.name == tag) {
                    last.commit = id.to_string();
                }
            } else if name == "HEAD" || is_reference(name) {
                found.push(RemoteReference { name: name.to_string(), target: None, commit: id.to_string() });
            }
            if found.len() as u64 > self.limits.references {
                let (limit, what) = (self.limits.references, "branches and tags");
                return Err(RemoteError::TooLarge { url: self.url(), limit, what });
            }
        }
        if let Some(first) = found.iter_mut().find(|reference| reference.name == "HEAD") {
            first.target = head;
        }
        Ok(found)
    }

    /// Fetches a branch, a tag or a commit without its history into a new bare repository in `folder`, which must be empty or
    /// missing, and returns the commit. `progress` is called with the number of bytes so far. `wanted` is a full name, or the
    /// 40 digits of a commit.
    ///
    /// # Errors
    /// As [`RemoteRepository::references`]; `File` if the folder cannot be written; `Lost` if the server no longer has what is
    /// wanted.
    pub fn fetch(
        &self,
        wanted: &str,
        folder: &Path,
        progress: &dyn Fn(u64),
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<String, RemoteError> {
        let (limits, url) = (&self.limits.fetch, self.url());
        if !(wanted == "HEAD" || is_commit(wanted) || is_reference(wanted)) {
            return Err(RemoteError::Lost { url, wanted: wanted.to_string() });
        }
        let spec = format!("+{wanted}:{FETCHED}");
        let arguments =
            ["fetch", "--progress", "--depth=1", "--no-tags", "--no-recurse-submodules", "--", &url, &spec];
        let output = self.call(&arguments, folder, limits, progress, is_cancelled)?;
        if !output.status.success() {
            return Err(RemoteError::of_output(url, &output, wanted, folder, limits));
        }
        let bad =
            |reason: String| RemoteError::BadAnswer { url: self.url(), what: "what is no commit", reason };
        let fetched =
            open_objects(folder, &Reach::Within(Vec::new())).map_err(|error| bad(error.to_string()))?;
        let fetched = fetched.ok_or_else(|| bad("the fetched repository cannot be opened".to_string()))?;
        let revision = fetched.revision(FETCHED).map_err(|error| bad(error.to_string()))?;
        Ok(revision.commit)
    }

    /// Runs `git` in a new repository in `folder`.
    fn call(
        &self,
        arguments: &[&str],
        folder: &Path,
        limits: &CallLimits,
        progress: &dyn Fn(u64),
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<GitOutput, RemoteError> {
        if is_cancelled() {
            return Err(RemoteError::Cancelled { url: self.url() });
        }
        command::create_repository(folder).map_err(|source| RemoteError::File {
            action: "write the fetched files to",
            path: folder.to_path_buf(),
            source,
        })?;
        let mut git = command::git(&self.url.scheme, folder, limits);
        let watch = CallWatch { limits, folder, progress, is_cancelled };
        child::run(git.args(arguments), &watch).map_err(|end| RemoteError::of_end(self.url(), end))
    }
}

/// Whether a text is the id of an object.
fn is_commit(text: &str) -> bool {
    text.len() == ID_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a text is the full name of a reference that git allows, so that it is neither an option nor a pattern.
fn is_reference(name: &str) -> bool {
    name.starts_with("refs/") && gix::validate::reference::name(name.into()).is_ok()
}
