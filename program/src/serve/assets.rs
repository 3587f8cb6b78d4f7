//! The page and its program, as they are embedded in the binary.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::{Response, StatusCode};

use super::reply::full;
use crate::http::HttpResponse;

/// The page, which reads its state from the address.
const PAGE: &str = "index.html";

const EMBEDDED: &[(&str, &str, &[u8])] = &[
    (PAGE, "text/html; charset=utf-8", include_bytes!("assets/index.html")),
    ("app.js", "text/javascript; charset=utf-8", include_bytes!("assets/app.js")),
    ("app.css", "text/css; charset=utf-8", include_bytes!("assets/app.css")),
];

/// The embedded files, each also compressed.
pub struct Assets(Vec<Asset>);

struct Asset {
    name: &'static str,
    kind: HeaderValue,
    tag: HeaderValue,
    plain: Bytes,
    compressed: Bytes,
}

impl Assets {
    pub fn new() -> Assets {
        Assets(EMBEDDED.iter().map(|(name, kind, bytes)| Asset::new(name, kind, bytes)).collect())
    }

    /// The page.
    pub fn page(&self, headers: &HeaderMap) -> HttpResponse {
        self.0[0].answer(headers)
    }

    /// The file of this name.
    pub fn file(&self, name: &str, headers: &HeaderMap) -> Option<HttpResponse> {
        self.0[1..].iter().find(|asset| asset.name == name).map(|asset| asset.answer(headers))
    }
}

impl Asset {
    fn new(name: &'static str, kind: &'static str, bytes: &'static [u8]) -> Asset {
        let mut compressor = GzEncoder::new(Vec::new(), Compression::best());
        let compressed = compressor.write_all(bytes).and_then(|()| compressor.finish());
        let tag = format!("\"{}\"", &blake3::hash(bytes).to_hex()[..20]);
        Asset {
            name,
            kind: HeaderValue::from_static(kind),
            tag: HeaderValue::from_str(&tag).expect("hexadecimal digits in quotes"),
            plain: Bytes::from_static(bytes),
            compressed: compressed.expect("memory takes every byte").into(),
        }
    }

    fn answer(&self, asked: &HeaderMap) -> HttpResponse {
        let names =
            |header: header::HeaderName| asked.get_all(header).into_iter().flat_map(|value| value.to_str());
        let is_known =
            names(header::IF_NONE_MATCH).any(|tags| tags.split(',').any(|tag| tag.trim() == self.tag));
        let takes_gzip = names(header::ACCEPT_ENCODING).any(|codings| codings.split(',').any(is_gzip));
        let mut answer = match (is_known, takes_gzip) {
            (true, _) => Response::new(full(Bytes::new())),
            (false, true) => Response::new(full(self.compressed.clone())),
            (false, false) => Response::new(full(self.plain.clone())),
        };
        let headers = answer.headers_mut();
        headers.insert(header::ETAG, self.tag.clone());
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        if is_known {
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
            return answer;
        }
        headers.insert(header::CONTENT_TYPE, self.kind.clone());
        if takes_gzip {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        answer
    }
}

/// Whether a coding that a client accepts is gzip, and not with the weight 0.
fn is_gzip(coding: &str) -> bool {
    let mut parts = coding.split(';').map(str::trim);
    let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
    is_named && !parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0f32)))
}
