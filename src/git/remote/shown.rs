//! URLs without what may be secret, for requests and for texts.

/// A URL without the text between `//` and the `@` before the host.
pub(super) fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_string() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => url.to_string(),
    }
}

/// A URL for a text: without everything between `//` and the last `@`, because a password that is not quoted may contain `/`
/// and `@`, and without a query or a fragment, which may hold a token.
pub(super) fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_string() };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let start = rest.rfind('@').map_or(0, |at| at + 1);
    // Behind a query, an `@` may still be part of a password.
    format!("{scheme}://{}", rest.get(start..end).unwrap_or_default())
}
