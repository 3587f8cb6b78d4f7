//! The page and its program as they are sent.

use std::io::Read;

use super::{BEARER, Page};
use crate::support::{SMALL, Tree};

#[test]
fn files_of_the_page_are_compressed_and_known_again() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    for path in ["/", "/assets/app.js", "/assets/app.css"] {
        let plain = page.get(path);
        assert_eq!((plain.status, plain.header("content-encoding")), (200, None));
        let packed = page.ask("GET", path, &[BEARER, "Accept-Encoding: br, gzip"], "");
        assert_eq!(packed.header("content-encoding"), Some("gzip"));
        assert_eq!(packed.header("content-type"), plain.header("content-type"));
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&packed.body[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain.body);
        let tag = format!("If-None-Match: {}", plain.header("etag").unwrap());
        let known = page.ask("GET", path, &[BEARER, &tag], "");
        assert_eq!((known.status, known.body.len(), known.header("etag")), (304, 0, plain.header("etag")));
        let refused = page.ask("GET", path, &[BEARER, "Accept-Encoding: gzip;q=0"], "");
        assert_eq!(refused.header("content-encoding"), None);
    }
    let text = page.get("/").text();
    // The policy allows nothing that stands in the page itself.
    assert!(!text.contains("<style") && !text.contains("style=") && !text.contains(" on"), "{text}");
}
