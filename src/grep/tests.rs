//! The scan against what a few lines of plain Rust find, and at its edges.

use std::path::Path;

use super::*;
use spyhop_base::path::RelPath;

fn pattern(pattern: &str) -> Pattern {
    Pattern::new(&Wanted::new(pattern)).unwrap()
}

/// A folder with `files`, and their paths, sorted.
fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Vec<RelPath>) {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let mut paths: Vec<RelPath> = files.iter().map(|(path, _)| RelPath::new(path).unwrap()).collect();
    paths.sort();
    (folder, paths)
}

struct Asked<'a> {
    pattern: &'a str,
    after: Option<(&'a str, u32)>,
    page: usize,
    context: u32,
    threads: usize,
    counts: bool,
}

const ALL: Asked<'_> = Asked { pattern: "x", after: None, page: 1_000, context: 0, threads: 2, counts: true };

fn find(root: &Path, files: &[RelPath], asked: &Asked<'_>) -> ScanResult {
    let place = |path: &str| files.iter().position(|file| file.as_str() >= path).unwrap_or(files.len());
    scan(&LineScan {
        source_tree: &spyhop_files::read::TreeSource::Folder(spyhop_files::confined::RootFolder::new(root)),
        files,
        takes: &|_| true,
        pattern: &pattern(asked.pattern),
        after: asked.after.map(|(path, line)| (place(path), line)),
        counts: asked.counts,
        within: None,
        page: asked.page,
        context: (asked.context, asked.context),
        max_count: None,
        masks: true,
        threads: Some(asked.threads),
        reading: Reading::default(),
    })
}

fn places(found: &ScanResult) -> Vec<String> {
    found.lines.iter().map(|line| format!("{}:{}", line.path, line.number)).collect()
}

#[test]
fn a_bad_pattern_is_quoted_with_what_the_parser_says() {
    let message = |text: &str| {
        let wanted = Wanted { bounds: Bounds::Word, ..Wanted::new(text) };
        Pattern::new(&wanted).unwrap_err().to_string()
    };
    assert_eq!(message("fn ("), "pattern 'fn (' cannot be searched: unclosed group");
    assert!(message("a\nb").contains(r#"the literal "\n" is not allowed"#), "{}", message("a\nb"));
    assert!(message("(a{999}){999}{99}").contains("exceeds size limit"), "{}", message("(a{999}){999}{99}"));
    assert_eq!(message(&"x".repeat(10_001)), "pattern has 10001 characters; at most 10000 are allowed");
    let fixed = Wanted { fixed: true, ..Wanted::new("fn (") };
    assert!(Pattern::new(&fixed).is_ok());
}

#[test]
fn every_line_is_found_once_whatever_the_page_and_the_threads() {
    let text = |seed: usize| -> String {
        (0..40)
            .map(|line| if (line * seed).is_multiple_of(3) { "an x here x\n" } else { "nothing\n" })
            .collect()
    };
    let texts: Vec<(String, String)> =
        (0..30).map(|file| (format!("{}/{}.txt", file % 4, file), text(file))).collect();
    let files: Vec<(&str, &[u8])> =
        texts.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    let (folder, paths) = folder(&files);
    let mut expected: Vec<(RelPath, usize)> = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path.below(folder.path())).unwrap();
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains('x'));
        expected.extend(lines.map(|(at, _)| (path.clone(), at + 1)));
    }
    let expected: Vec<String> = expected.iter().map(|(path, line)| format!("{path}:{line}")).collect();
    assert!(expected.len() > 300, "{}", expected.len());
    let pages = [(1_000, 1, 0, true), (1_000, 4, 2, true), (7, 3, 0, true), (1, 2, 1, true)];
    let uncounted = [(1_000, 4, 0, false), (40, 1, 0, false), (7, 3, 1, false), (1, 2, 0, false)];
    for (page, threads, context, counts) in pages.into_iter().chain(uncounted) {
        let mut seen: Vec<String> = Vec::new();
        let mut after: Option<(String, u32)> = None;
        loop {
            let last = after.as_ref().map(|(path, line)| (path.as_str(), *line));
            let asked = Asked { after: last, page, threads, context, counts, ..ALL };
            let found = find(folder.path(), &paths, &asked);
            match counts {
                true => assert_eq!(found.total_lines, expected.len()),
                // One thread reads no file more than it needs, and a file has at most 40 lines.
                false if threads == 1 => assert!(found.total_lines <= page + 2 * 40, "{}", found.total_lines),
                false => assert!(found.total_lines >= found.lines.len()),
            }
            seen.extend(places(&found));
            after = found.lines.last().map(|line| (line.path.to_string(), line.number));
            if !found.more {
                break;
            }
        }
        assert_eq!(seen, expected, "page {page}, threads {threads}");
    }
}

#[test]
fn a_line_of_context_comes_once() {
    let (folder, paths) = folder(&[("a", b"1\n2 x\n3\n4\n5 x\n6\n7\n8\n9\n10 x\n")]);
    let shape = |asked: &Asked<'_>| -> Vec<String> {
        let found = find(folder.path(), &paths, asked);
        let numbers = |lines: &[(u32, String)]| {
            assert!(lines.iter().all(|(number, text)| *text == number.to_string()));
            lines.iter().map(|(number, _)| number.to_string()).collect::<Vec<_>>().join(" ")
        };
        let line =
            |line: &scan::Line| format!("{}|{}|{}", numbers(&line.before), line.number, numbers(&line.after));
        found.lines.iter().map(line).collect()
    };
    assert_eq!(shape(&Asked { context: 1, ..ALL }), ["1|2|3", "4|5|6", "9|10|"]);
    assert_eq!(shape(&Asked { context: 9, ..ALL }), ["1|2|3 4", "|5|6 7 8 9", "|10|"]);
    assert_eq!(shape(&Asked { context: 2, page: 1, ..ALL }), ["1|2|3 4"]);
    assert_eq!(shape(&Asked { context: 2, page: 1, after: Some(("a", 2)), ..ALL }), ["|5|6 7"]);
    assert_eq!(shape(&Asked { context: 2, after: Some(("a", 5)), ..ALL }), ["8 9|10|"]);
}

#[test]
fn encodings_are_those_of_ripgrep() {
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("größe x\n".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let late = ["x\n".repeat(100_000).as_bytes(), b"\0x\nx behind\n"].concat();
    let files: &[(&str, &[u8])] = &[
        ("bom", b"\xef\xbb\xbfx first\n"),
        ("latin", b"gr\xf6\xdfe x\n"),
        ("nul", b"\0 x\n"),
        ("nul-behind", &late),
        ("utf16", &utf16),
    ];
    let (folder, paths) = folder(files);
    let found = find(folder.path(), &paths, &Asked { pattern: "^x|e x", page: 200_000, ..ALL });
    let text = |at: usize| (found.lines[at].path.as_str(), found.lines[at].text.as_str());
    assert_eq!(text(0), ("bom", "x first"));
    assert_eq!(text(1), ("latin", "gr\u{fffd}\u{fffd}e x"));
    assert_eq!(text(found.lines.len() - 1), ("utf16", "größe x"));
    // How far it gets before it sees the NUL is a matter of its buffers.
    let lines = |path: &str| found.lines.iter().filter(|line| line.path.as_str() == path).count();
    assert_eq!((lines("nul"), lines("nul-behind") > 0), (0, true));
    assert!(found.lines.iter().all(|line| line.text != "x behind"));
}

#[test]
fn unreadable_files_are_named() {
    let (folder, mut paths) = folder(&[("a", b"x\n"), ("c", b"x\n")]);
    std::fs::create_dir(folder.path().join("b")).unwrap();
    paths.extend(["b", "gone"].map(|path| RelPath::new(path).unwrap()));
    paths.sort();
    let found = find(folder.path(), &paths, &ALL);
    assert_eq!(places(&found), ["a:1", "c:1"]);
    let unread: Vec<&str> = found.unread.iter().map(|unread| unread.path.as_str()).collect();
    assert_eq!(unread, ["b"]);
}
