//! Tests of the URIs of files.

use super::*;

#[test]
fn paths_become_uris_and_come_back() {
    for (path, uri) in [
        ("/w/a.rs", "file:///w/a.rs"),
        ("/w/a b/größe#1?.rs", "file:///w/a%20b/gr%C3%B6%C3%9Fe%231%3F.rs"),
        ("/w/100%/[id].ts", "file:///w/100%25/%5Bid%5D.ts"),
    ] {
        assert_eq!(of_path(Path::new(path)).unwrap().as_str(), uri);
        assert_eq!(path_of(uri).unwrap(), Path::new(path));
    }
    assert_eq!(normal("file:///w/%61+[b].rs"), "file:///w/a%2B%5Bb%5D.rs");
    assert_eq!(normal("untitled:a"), "untitled:a");
    assert_eq!(path_of("file://localhost/w/a"), Some(PathBuf::from("/w/a")));
    assert_eq!(path_of("FILE:/w/a"), Some(PathBuf::from("/w/a")));
    for other in ["untitled:Untitled-1", "file://server/share/a", "file:a", "file:///a%00b", "fil"] {
        assert_eq!(path_of(other), None, "{other}");
    }
}
