//! `file:` URIs to paths and back.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

/// What a URI's path does not spell as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The path of a `file:` URI of this machine; `None` for every other URI.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let scheme = uri.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:"))?;
    let rest = uri[scheme.len()..].strip_prefix("//").unwrap_or(&uri[scheme.len()..]);
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let encoded = rest.split(['?', '#']).next().filter(|path| path.starts_with('/'))?;
    let bytes: Vec<u8> = percent_decode_str(encoded).collect();
    (!bytes.contains(&0)).then(|| platform_path(bytes))?
}

#[cfg(unix)]
fn platform_path(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(std::ffi::OsString::from_vec(bytes).into())
}

/// A path with a drive stands behind a slash: `/C:/tree`.
#[cfg(not(unix))]
fn platform_path(bytes: Vec<u8>) -> Option<PathBuf> {
    let text = String::from_utf8(bytes).ok()?;
    let is_drive = text.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if is_drive { &text[1..] } else { &text[..] }))
}

/// The URI of an absolute path.
pub fn of_path(path: &Path) -> Option<Uri> {
    let path = path_bytes(path)?;
    let slash = if path.starts_with(b"/") { "" } else { "/" };
    Uri::from_str(&format!("file://{slash}{}", percent_encode(&path, ENCODED))).ok()
}

/// The URI as this module spells the URI: clients encode different characters of one path.
pub fn normal(uri: &str) -> String {
    let spelled = path_of(uri).and_then(|path| of_path(&path));
    spelled.map_or_else(|| uri.to_string(), |spelled| spelled.as_str().to_string())
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStrExt;
    Some(path.as_os_str().as_bytes().to_vec())
}

#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Option<Vec<u8>> {
    let text = path.to_str()?;
    Some(text.strip_prefix(r"\\?\").unwrap_or(text).replace('\\', "/").into_bytes())
}

#[cfg(all(test, unix))]
mod tests;
