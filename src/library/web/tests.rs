//! Tests of the addresses of folders in repositories.

use super::*;

fn references(names: &[&str]) -> Vec<RemoteReference> {
    let reference =
        |name: &&str| RemoteReference { name: name.to_string(), target: None, commit: "0".repeat(40) };
    names.iter().map(reference).collect()
}

#[test]
fn addresses_of_folders_are_divided() {
    let known = references(&["HEAD", "refs/heads/main", "refs/heads/fix/tree", "refs/tags/v/1"]);
    let check = |url: &str, repository: &str, named: Option<(&str, Option<&str>)>| {
        let address = WebAddress::parse(url).unwrap();
        assert_eq!(address.repository.url(), repository, "{url}");
        let found = address.named(&known);
        let found = found.as_ref().map(|(name, folder)| (name.as_str(), folder.as_deref()));
        assert_eq!(found, named, "{url}");
    };
    let hub = "https://github.com/a/b";
    check(hub, hub, None);
    check("https://github.com/a/b/", hub, None);
    check("https://github.com/a/b/tree/main", hub, Some(("main", None)));
    check("https://github.com/a/b/tree/main/src/x", hub, Some(("main", Some("src/x"))));
    check("https://github.com/a/b/tree/fix/tree/src", hub, Some(("fix/tree", Some("src"))));
    check("https://github.com/a/b/tree/0123abc/src", hub, Some(("0123abc", Some("src"))));
    let lab = "https://gitlab.example.org/group/sub/b";
    check("https://gitlab.example.org/group/sub/b/-/tree/v/1/lib", lab, Some(("v/1", Some("lib"))));
    check("https://example.org/a/b/tree/main", "https://example.org/a/b/tree/main", None);
    check("git@example.org:a/b.git", "git@example.org:a/b.git", None);
}
