//! URLs without what may be secret, for texts.

/// A URL for a text: without everything between `//` and the last `@`, because a password that is not quoted may contain `/`
/// and `@`, and without a query or a fragment, which may hold a token.
pub(super) fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_string() };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let start = rest.rfind('@').map_or(0, |at| at + 1);
    // Behind a query, an `@` may still be part of a password.
    format!("{scheme}://{}", rest.get(start..end).unwrap_or_default())
}

/// A message in which every URL is without what may be secret.
pub(super) fn masked(text: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '<' | '>' | ',');
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find("://") {
        let before = &rest[..at];
        let scheme =
            before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
        let tail = &rest[scheme.len()..];
        let end = tail.find(is_end).unwrap_or(tail.len());
        out.push_str(scheme);
        out.push_str(&without_secrets(&tail[..end]));
        rest = &tail[end..];
    }
    out + rest
}
