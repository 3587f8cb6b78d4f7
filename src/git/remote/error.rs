//! From a failure of gix to the reason for which a repository cannot be fetched.

use std::error::Error;
use std::io;
use std::path::Path;

use gix::protocol::transport::client::AuthenticationRequired;

use super::super::remote_error::RemoteError;

impl RemoteError {
    /// The error for a failure of gix, which writes to `folder`.
    pub(super) fn of(url: &str, folder: &Path, error: &gix::Error) -> RemoteError {
        let url = url.to_string();
        let mut chain: Vec<&(dyn Error + 'static)> = vec![error];
        let mut next = error.source();
        while let Some(cause) = next {
            chain.push(cause);
            next = cause.source();
        }
        let reason = reason(&chain);
        let io = || chain.iter().filter_map(|error| error.downcast_ref::<io::Error>());
        if let Some(full) = io().find(|error| is_of_disk(error)) {
            let source = full.raw_os_error().map_or_else(|| full.kind().into(), io::Error::from_raw_os_error);
            return RemoteError::File {
                action: "write the fetched files to",
                path: folder.to_path_buf(),
                source,
            };
        }
        let needs_credentials = io().any(|error| {
            error.get_ref().is_some_and(|inner| inner.is::<AuthenticationRequired>())
                || error.kind() == io::ErrorKind::PermissionDenied
        });
        if needs_credentials || error.is_unauthenticated() || error.is_permission_denied() {
            return RemoteError::NeedsCredentials { url, reason };
        }
        let is_missing = error.is_not_found() || io().any(|error| error.kind() == io::ErrorKind::NotFound);
        match is_missing {
            true => RemoteError::NoRepository { url, reason },
            false => RemoteError::Unreachable { url, reason },
        }
    }
}

fn is_of_disk(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), StorageFull | ReadOnlyFilesystem | QuotaExceeded | FileTooLarge)
}

/// The texts of an error and its causes, each once. gix says last what the server or the system said.
fn reason(chain: &[&(dyn Error + 'static)]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for text in
        chain.iter().flat_map(|error| error.to_string().lines().map(str::to_string).collect::<Vec<_>>())
    {
        let text = text.trim().trim_end_matches(['.', ':']).to_string();
        if !text.is_empty() && !parts.iter().any(|known| known.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}
