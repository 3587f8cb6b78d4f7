//! Reading a file's bytes as source text, or the reason why there is no text.
//!
//! This module owns opening, the size limit, decoding, the content hash and the tests of a file's content: binary,
//! generated, minified. Names and ignore rules belong to [`crate::walk`]; lines and structure belong to the callers.
//!
//! A file is opened once, by [`crate::confined`], and everything is read from that handle. Between the walk and the read
//! a tree can change: a file that became a FIFO must not block us, and a file or a folder that became a link must not
//! lead us out of the root.

mod encoding;
mod judge;
mod known;
mod limits;
mod machine;
mod open;
mod outcome;
mod tree_source;

pub use known::{Reread, reread, with_content};
pub use limits::Limits;
pub use machine::is_machine_written;
pub use open::regular;
pub use outcome::{ReadOutcome, Source};
pub use tree_source::{TreeSource, entry_of};

use self::encoding::TextEncoding;
use spyhop_base::model::SkipReason;

/// Reads the file at `path`, which must be a regular file.
#[cfg(test)]
pub fn read(path: &std::path::Path, limits: &Limits) -> ReadOutcome {
    let folder = crate::confined::RootFolder::new(path.parent().unwrap());
    let name = spyhop_base::path::RelPath::new(path.file_name().unwrap().to_str().unwrap()).unwrap();
    TreeSource::Folder(folder).read(&name, limits)
}

/// The text of `bytes`, and whether it was decoded from another encoding than UTF-8.
pub fn decode(bytes: Vec<u8>) -> Result<(String, bool), (SkipReason, String)> {
    TextEncoding::of(&bytes)?.decode(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::encoding::HEAD_BYTES;
    use super::machine::{MARKER_BYTES, MINIFIED_BYTES};
    use super::*;
    use spyhop_base::id::ContentHash;

    /// The outcome of `read` for a file of this name and content, in one line.
    fn read_as(name: &str, bytes: &[u8], limits: &Limits) -> String {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        let outcome = read(&path, limits);
        if let ReadOutcome::Source(source) = &outcome {
            assert_eq!((source.hash, source.bytes), (ContentHash::of(bytes), bytes.len() as u64));
        }
        print(&outcome)
    }

    fn print(outcome: &ReadOutcome) -> String {
        match outcome {
            ReadOutcome::Source(Source { text, decoded: false, .. }) => format!("{text:?}"),
            ReadOutcome::Source(Source { text, decoded: true, .. }) => format!("decoded {text:?}"),
            ReadOutcome::PathOnly { reason, detail, .. } => format!("path only, {}: {detail}", reason.name()),
            ReadOutcome::Skipped { reason, detail } => format!("{}: {detail}", reason.name()),
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: &str) {
        assert_eq!(read_as("a.rs", bytes, &Limits::default()), expected);
        let decoded = match decode(bytes.to_vec()) {
            Ok((text, false)) => format!("{text:?}"),
            Ok((text, true)) => format!("decoded {text:?}"),
            Err((reason, detail)) => format!("{}: {detail}", reason.name()),
        };
        assert_eq!(decoded, expected);
    }

    #[test]
    fn unicode() {
        check(b"", r#""""#);
        check("größe\r\n".as_bytes(), r#""größe\r\n""#);
        check(b"\xef\xbb\xbfa", r#""a""#);
        check(b"\xff\xfea\0\xe4\0", r#"decoded "aä""#);
        check(b"\xfe\xff\0a\0\xe4", r#"decoded "aä""#);
        check(b"\xff\xfe", r#"decoded """#);
        check(b"\xff\xfea", "encoding: broken UTF-16LE");
        check(b"\xfe\xff\xd8\0\0a", "encoding: broken UTF-16BE");
        check(b"\xff\xfe\0\0a\0\0\0\xe4\0\0\0", r#"decoded "aä""#);
        check(b"\0\0\xfe\xff\0\0\0a\0\x01\xf4\x33", r#"decoded "a🐳""#);
        check(b"\xff\xfe\0\0a\0\0", "encoding: broken UTF-32");
        check(b"\xff\xfe\0\0\0\xd8\0\0", "encoding: broken UTF-32");
        check(b"\xff\xfea\0\0\0", "binary: NUL at byte 1");
        check(b"f\0n\0 \0m\0a\0i\0n\0 \0\xe4\0", r#"decoded "fn main ä""#);
        check(b"\0f\0n\0 \0m\0a\0i\0n\0 \0\xe4", r#"decoded "fn main ä""#);
        check(b"f\0n\0 \0m\0a\0i\0n\0 \0\xd8\xd8", "binary: NUL at byte 1");
        check(b"f\0n\0 \0a\0", "binary: NUL at byte 1");
        check(&b"\x01\0\x02\0".repeat(4), "binary: 8 control characters in 8 bytes");
        check(b"\xef\xbb\xbfa long enough line \xff", "encoding: not the UTF-8 that it begins as");
    }

    #[test]
    fn binaries() {
        check(b"ab\0c", "binary: NUL at byte 2");
        check(b"\x01\x02\x03\x04abcdef", "binary: 4 control characters in 10 bytes");
        check(b"\x01\x02\x03abcdefg", r#""\u{1}\u{2}\u{3}abcdefg""#);
        check(b"\x1b[1m\t\x0c\r\n", r#""\u{1b}[1m\t\u{c}\r\n""#);
        let mut late = vec![b'a'; HEAD_BYTES];
        late.push(0);
        check(&late, &format!("{:?}", "a".repeat(HEAD_BYTES) + "\0"));
    }

    #[test]
    fn legacy_encodings() {
        check(b"// die Gr\xf6\xdfe in Metern", r#"decoded "// die Größe in Metern""#);
        check(b"// it\x92s \x93quoted\x94 \x96 a comment of some length, as they are", {
            r#"decoded "// it’s “quoted” – a comment of some length, as they are""#
        });
        // "reads the settings file", "the size of a character", "a check of the length of a line"
        check(b"// \x90\xdd\x92\xe8\x83t\x83@\x83C\x83\x8b\x82\xf0\x93\xc7\x82\xde", {
            r#"decoded "// 設定ファイルを読む""#
        });
        check(b"// \xd7\xd6\xb7\xfb\xb5\xc4\xb4\xf3\xd0\xa1 int n;", r#"decoded "// 字符的大小 int n;""#);
        check(b"// \xcf\xf0\xee\xe2\xe5\xf0\xea\xe0 \xe4\xeb\xe8\xed\xfb \xf1\xf2\xf0\xee\xea\xe8", {
            r#"decoded "// Проверка длины строки""#
        });
        let noise: Vec<u8> = (0..400u32).map(|at| (at * at * 7 + at * 13) as u8 | 0x80).collect();
        let refused = decode(noise).unwrap_err();
        assert_eq!(refused.0, SkipReason::Encoding);
        assert!(refused.1.starts_with("byte 0x80 at 0 is not UTF-8, and "), "{}", refused.1);
    }

    #[test]
    fn a_file_above_the_limit_is_found_by_its_path() {
        let limits = Limits { max_file_bytes: 10, ..Limits::default() };
        assert_eq!(read_as("a", b"0123456789", &limits), r#""0123456789""#);
        assert_eq!(read_as("a", b"0123456789a", &limits), "path only, too-large: 11 bytes, above 10");
        let sparse = tempfile::NamedTempFile::new().unwrap();
        sparse.as_file().set_len(1 << 30).unwrap();
        assert_eq!(
            print(&read(sparse.path(), &Limits::default())),
            "path only, too-large: 1073741824 bytes, above 1048576"
        );
    }

    #[test]
    fn generated_code_says_so() {
        let limits = Limits::default();
        let yes = |text: &str, detail: &str| {
            assert_eq!(
                read_as("a.go", text.as_bytes(), &limits),
                format!("path only, generated: {detail}"),
                "{text}"
            );
            let kept = Limits { skip_generated: false, ..limits };
            assert_eq!(read_as("a.go", text.as_bytes(), &kept), format!("{text:?}"));
        };
        let no = |text: &str| assert_eq!(read_as("a.go", text.as_bytes(), &limits), format!("{text:?}"));
        yes(
            "// Copyright\n\n// Code generated by x/y. DO NOT EDIT.\n\npackage a",
            "// Code generated by x/y. DO NOT EDIT.",
        );
        yes("/* Code generated by z. DO NOT EDIT. */", "/* Code generated by z. DO NOT EDIT. */");
        yes("/**\n * @generated SignedSource<<0a>>\n */", "* @generated SignedSource<<0a>>");
        yes("# @generated", "# @generated");
        yes("<!-- @generated -->", "<!-- @generated -->");
        yes(&format!("{}// @generated", "\n".repeat(39)), "// @generated");
        no(&format!("{}// @generated", "\n".repeat(40)));
        no(&format!("{}\n// @generated", "a".repeat(MARKER_BYTES)));
        no(&format!("a{}", "ä".repeat(MARKER_BYTES)));
        yes(&format!("// @generated a{}", "ä".repeat(90)), &format!("// @generated a{}", "ä".repeat(52)));
        yes("// <auto-generated/>\nclass A {}", "// <auto-generated/>");
        yes("//------\n// <auto-generated>\n//     by a tool\n// </auto-generated>", "// <auto-generated>");
        let python = "# Generated by the protocol buffer compiler.  DO NOT EDIT!";
        yes(&format!("# -*- coding: utf-8 -*-\n{python}\nimport a\n"), python);
        no("// skips files with <auto-generated/>");
        no("// files with a `@generated` marker");
        no("//! skips '@generated' files");
        no("// see @generatedBy");
        no("if line.contains(\"@generated\") {}");
        no("// Code generated by hand, you may edit it.");
        no("// The header: Code generated by x. DO NOT EDIT.");
        no("x := \"// Code generated by x. DO NOT EDIT.\"");
    }

    #[test]
    fn minified_code_has_long_lines() {
        let limits = Limits::default();
        let line = "a".repeat(6000);
        let long = "path only, minified: lines of 6000 bytes on average";
        assert_eq!(read_as("a.js", line.as_bytes(), &limits), long);
        assert_eq!(read_as("a.CSS", line.as_bytes(), &limits), long);
        assert_eq!(read_as("a.txt", line.as_bytes(), &limits), format!("{line:?}"));
        let kept = Limits { skip_minified: false, ..limits };
        assert_eq!(read_as("a.js", line.as_bytes(), &kept), format!("{line:?}"));
        let short = "a".repeat(MINIFIED_BYTES);
        assert_eq!(read_as("a.js", short.as_bytes(), &limits), format!("{short:?}"));
        let of = |length: usize| format!("{}\n", "a".repeat(length - 1)).repeat(20);
        assert_eq!(read_as("a.js", of(400).as_bytes(), &limits), format!("{:?}", of(400)));
        assert_eq!(
            read_as("a.js", of(401).as_bytes(), &limits),
            "path only, minified: lines of 401 bytes on average"
        );
    }

    #[test]
    fn a_file_that_is_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(print(&read(dir.path(), &Limits::default())), "special: it became a directory");
        let gone = print(&read(&dir.path().join("gone"), &Limits::default()));
        assert!(gone.starts_with("unreadable: "), "{gone}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_nothing_hangs() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let shown = |name: &str| print(&read(&path(name), &Limits::default()));
        fs::write(path("real"), "text").unwrap();
        std::os::unix::fs::symlink("real", path("link")).unwrap();
        assert_eq!(shown("link"), "symlink: it became a link");
        assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
        assert_eq!(shown("pipe"), "special: it is not a regular file");
        let _socket = std::os::unix::net::UnixListener::bind(path("socket")).unwrap();
        assert_eq!(shown("socket"), "special: it is not a regular file");
        assert_eq!(
            print(&read(Path::new("/dev/zero"), &Limits::default())),
            "special: it is not a regular file"
        );
    }
}
