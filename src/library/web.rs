//! Addresses of web pages of repositories, as a browser shows them, and the references that they name.

use super::error::LibraryError;
use super::manifest::SourceOrigin;
use spyhop_base::similar;
use spyhop_files::git::{RemoteReference, RemoteRepository};

/// How many names an error suggests.
const OFFERED: usize = 8;

/// A repository on another machine, with the part of its web page's address that names a reference and a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WebAddress {
    /// The repository.
    pub repository: RemoteRepository,
    /// The reference and the folder, such as `main/src`.
    pub page: Option<String>,
}

impl WebAddress {
    /// The repository that a URL names. Addresses of folders at GitHub and GitLab are understood.
    pub fn parse(url: &str) -> Result<WebAddress, LibraryError> {
        let url = url.trim_end_matches('/');
        let (repository, page) = split_page(url).unwrap_or((url, None));
        Ok(WebAddress { repository: RemoteRepository::parse(repository)?, page: page.map(str::to_string) })
    }

    /// The reference and the folder that the address names, of which a name may have several parts: the longest name among
    /// those of the repository.
    pub fn named(&self, references: &[RemoteReference]) -> Option<(String, Option<String>)> {
        let page = self.page.as_deref()?;
        let is_begin = |name: &&str| {
            page.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let names = references.iter().map(|reference| plain(&reference.name));
        let first = page.split('/').next().unwrap_or_default();
        let name = names.filter(is_begin).max_by_key(|name| name.len()).unwrap_or(first);
        let folder = page[name.len()..].trim_matches('/');
        Some((name.to_string(), (!folder.is_empty()).then(|| folder.to_string())))
    }
}

/// The name of a branch or tag without its namespace.
fn plain(name: &str) -> &str {
    ["refs/heads/", "refs/tags/"].iter().find_map(|kind| name.strip_prefix(kind)).unwrap_or(name)
}

/// The URL of the repository, and what follows `/tree/` in the address of a folder.
fn split_page(url: &str) -> Option<(&str, Option<&str>)> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let start = url.len() - rest.len();
    if let Some(at) = rest.find("/-/tree/") {
        return Some((&url[..start + at], Some(&rest[at + "/-/tree/".len()..])));
    }
    // GitHub has no mark before the page, and a folder of another host may be called `tree`.
    let mut parts = rest.match_indices('/').map(|(at, _)| at);
    let (host_end, tree) = (parts.next()?, parts.nth(1)?);
    let is_github = rest[..host_end].split('.').any(|part| part == "github");
    let page = rest[tree..].strip_prefix("/tree/").filter(|_| is_github)?;
    Some((&url[..start + tree], Some(page)))
}

/// The reference of a repository that `asked` names: the default branch, a branch, a tag, or the 40 digits of a commit.
pub(super) fn resolve(
    origin: &SourceOrigin,
    references: &[RemoteReference],
) -> Result<RemoteReference, LibraryError> {
    let Some(asked) = &origin.reference else {
        let head = references.iter().find(|reference| reference.name == "HEAD");
        return head.cloned().ok_or_else(|| {
            LibraryError::bad_source(
                &origin.location,
                "its server lists no commits; commit something first, or give the URL that git clone takes",
            )
        });
    };
    let full = [asked.clone(), format!("refs/heads/{asked}"), format!("refs/tags/{asked}")];
    let known = full.iter().find_map(|name| references.iter().find(|reference| reference.name == *name));
    if let Some(known) = known {
        return Ok(known.clone());
    }
    if asked.len() == 40 && asked.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let commit = asked.to_ascii_lowercase();
        return Ok(RemoteReference { name: commit.clone(), target: None, commit });
    }
    let mut near: Vec<String> =
        references.iter().map(|reference| plain(&reference.name).to_string()).collect();
    similar::sort(&mut near, asked);
    near.truncate(OFFERED);
    Err(LibraryError::UnknownReference { reference: asked.clone(), location: origin.location.clone(), near })
}

#[cfg(all(test, feature = "network"))]
mod tests;
