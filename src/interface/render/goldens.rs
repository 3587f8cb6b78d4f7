//! Golden tests: the complete output of replies that are built by hand.
//!
//! The content of the replies is invented; the tests of the engine check the real content. The tests compare complete
//! outputs, because the layout is the subject of these tests.

use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use super::json::JsonPaths;
use super::paint::columns;
use super::{json, text};
use crate::render::paint::Style;
use spyhop_base::id::Generation;
use spyhop_base::model::{Note, SkipReason, Skipped, SymbolKind};
use spyhop_base::path::RelPath;
use spyhop_base::text::{Lines, Span};
use spyhop_engine::LanguageRow;
use spyhop_engine::api::Languages;
use spyhop_engine::api::*;
use spyhop_search::profile::Signal;

fn reason(signal: Signal, contribution: f32, text: &str) -> Reason {
    Reason { signal, contribution, text: text.to_string() }
}

fn first_hit() -> Hit {
    let snippet = "pub fn resolve_api_key(provider: &str) {\r\n    let title = \"\u{1b}]0;x\";\n}\n";
    Hit {
        source: None,
        path: RelPath::new("src/auth/resolve key.rs").unwrap(),
        lines: Lines { first: 9, last: 11 },
        kind: SymbolKind::Fn,
        symbol: Some("resolve_api_key".into()),
        language: "rust",
        snippet: Some(Snippet {
            head: vec![ContextLine { line: 4, text: "impl Auth {".into() }],
            text: snippet.into(),
            lines: Lines { first: 9, last: 11 },
            highlights: vec![Span::new(7, 14), Span::new(23, 31)],
            cut: true,
        }),
        representative_line: Some(SourceLine {
            line: 9,
            column: 8,
            text: "pub fn resolve_api_key(provider: &str) {".into(),
            highlights: vec![Span::new(7, 14), Span::new(23, 31)],
        }),
        score: 0.9123456,
        band: Band::High,
        reasons: vec![
            reason(Signal::Symbol, 0.5, "symbol: resolve_api_key matches 'auth/resolve'"),
            reason(Signal::Lexical, 0.4623456, "lexical: matched tokens [provider, key]"),
            reason(Signal::Test, -0.1, "test: the file is a test"),
            reason(Signal::Base, 0.05, "base: any match"),
        ],
        callers: None,
        also_in: Vec::new(),
        page: None,
        sent_before: None,
        content: None,
        stale: false,
        query_index: None,
    }
}

fn second_hit() -> Hit {
    Hit {
        source: None,
        path: RelPath::new("docs/auth.md").unwrap(),
        lines: Lines { first: 1, last: 4 },
        kind: SymbolKind::Doc,
        symbol: None,
        language: "markdown",
        snippet: None,
        representative_line: None,
        score: 0.25,
        band: Band::Weak,
        reasons: vec![reason(Signal::Base, 0.25, "base: any match")],
        also_in: Vec::new(),
        callers: None,
        page: None,
        sent_before: None,
        content: None,
        stale: true,
        query_index: None,
    }
}

fn reply() -> SearchReply {
    SearchReply {
        offset: 0,
        query: "provider auth".into(),
        queries: Vec::new(),
        results: vec![first_hit(), second_hit()],
        evidence_used: "lexical+symbol+path".into(),
        literal_lines: 1,
        total: 42,
        literal_complete: false,
        next: Some("c2".into()),
        notes: Vec::new(),
        snapshot: Snapshot {
            root: PathBuf::from("/w/tree"),
            branch: Some("main".into()),
            commit: Some("0123456789abcdef".into()),
            generation: Generation(5),
            checked_at: Some(UNIX_EPOCH + Duration::from_millis(1_700_000_000_250)),
            indexed_files: 120,
            skipped_files: 7,
            stale_files: 1,
            building: None,
        },
        sources: Vec::new(),
        warnings: vec!["another process is indexing".into()],
    }
}

/// The reply to a batch of two queries, which have found a hit each.
fn batch() -> SearchReply {
    let mut reply = SearchReply { queries: vec!["provider".into(), "auth".into()], ..reply() };
    (0..).zip(&mut reply.results).for_each(|(place, hit)| hit.query_index = Some(place));
    reply
}

fn status_sample() -> Status {
    Status {
        state: State::Stale,
        detail: None,
        index_path: PathBuf::from("/cache/k"),
        recipe: IndexRecipe {
            index_path: PathBuf::from("/cache/k"),
            root: PathBuf::from("/w/tree"),
            view: None,
            index_dir: None,
            grammars: None,
            hidden: false,
            no_ignore: false,
            no_built_in: false,
            secrets: false,
            max_file_bytes: None,
        },
        root: PathBuf::from("/w/tree"),
        branch: None,
        commit: None,
        generation: Some(Generation(5)),
        files: 120,
        chunks: 900,
        symbols: 800,
        source_bytes: 1_048_575,
        index_bytes: 1_536,
        languages: vec![("rust", 100), ("text", 20)],
        skipped: vec![(SkipReason::Ignored, 4), (SkipReason::TooLarge, 1)],
        notes: vec![(Note::SyntaxErrors, 2)],
        structure: StructureCounts { parsed: 100, by_rule: 15, text_only: 4, path_only: 1 },
        grammar_faults: vec![],
        stale_files: Some(3),
        building: None,
        views: vec![ViewRow {
            root: "/w/tree".into(),
            head: "main".into(),
            is_of_commit: false,
            files: 3,
            updated_at: UNIX_EPOCH,
            staged: false,
        }],
        watcher: None,
        vectors: None,
    }
}

fn skipped_sample() -> SkippedReply {
    let entry = |path: &str, reason, detail: &str, is_dir| {
        Skipped::new(RelPath::new(path).unwrap(), reason, detail.into(), is_dir).into()
    };
    SkippedReply {
        entries: vec![
            entry("a.bin", SkipReason::Binary, "", false),
            entry("target", SkipReason::BuiltIn, "target beside Cargo.toml", true),
        ],
        counts: vec![(SkipReason::BuiltIn, 1), (SkipReason::Binary, 1)],
        warnings: vec![],
    }
}

fn why_not_sample() -> WhyNot {
    WhyNot {
        source: None,
        root: "/w/tree".into(),
        path: RelPath::new("docs/auth.md").unwrap(),
        verdict: Verdict::Ranked,
        rank: Some(14),
        hit: Some(second_hit()),
        missing: vec![Gap { signal: Signal::Symbol, own: 0.0, tenth: 0.31 }],
        text: "docs/auth.md ranks 14th".into(),
        nearest: vec![],
        structure: StructureCounts { parsed: 119, path_only: 1, ..StructureCounts::default() },
    }
}

fn check(got: String, expected: &str) {
    assert!(got == expected, "got:\n{got}\nexpected:\n{expected}");
}

const FIRST_JSON: &str = concat!(
    r#"{"path":"src/auth/resolve key.rs","line":9,"end_line":11,"kind":"fn","symbol":"resolve_api_key","#,
    r#""language":"rust","head":[{"line":4,"text":"impl Auth {"}],"#,
    r#""snippet":"pub fn resolve_api_key(provider: &str) {\r\n    let title = \"\u001b]0;x\";\n}\n","#,
    r#""score":0.912346,"band":"high","reasons":["#,
    r#"{"signal":"symbol","share":0.5,"text":"symbol: resolve_api_key matches 'auth/resolve'"},"#,
    r#"{"signal":"lexical","share":0.462346,"text":"lexical: matched tokens [provider, key]"},"#,
    r#"{"signal":"test","share":-0.1,"text":"test: the file is a test"},"#,
    r#"{"signal":"base","share":0.05,"text":"base: any match"}],"#,
    r#""stale":false,"snippet_line":9,"highlights":[[7,14],[23,31]]}"#,
);

const SECOND_JSON: &str = concat!(
    r#"{"path":"docs/auth.md","line":1,"end_line":4,"kind":"doc","symbol":null,"#,
    r#""language":"markdown","snippet":null,"score":0.25,"band":"weak","#,
    r#""reasons":[{"signal":"base","share":0.25,"text":"base: any match"}],"#,
    r#""stale":true,"snippet_line":null,"highlights":[]}"#,
);

const REST_JSON: &str = concat!(
    r#""backend":"lexical+symbol+path","fallback_grep_hits":1,"total":42,"complete":false,"next":"c2","#,
    r#""snapshot":{"root":"/w/tree","branch":"main","commit":"0123456789abcdef","generation":5,"#,
    r#""checked_at":"2023-11-14T22:13:20.250Z","indexed_files":120,"skipped_files":7,"stale_files":1},"#,
    r#""warnings":["another process is indexing"]}"#,
);

#[test]
fn a_search_as_json() {
    let expected = format!(r#"{{"query":"provider auth","results":[{FIRST_JSON},{SECOND_JSON}],{REST_JSON}"#);
    check(json::line(&reply()), &expected);
    let mut bare = reply();
    bare.results.clear();
    bare.next = None;
    bare.snapshot.branch = None;
    bare.snapshot.commit = None;
    bare.snapshot.checked_at = None;
    let got: serde_json::Value = serde_json::from_str(&json::line(&bare)).unwrap();
    assert_eq!(got["results"], serde_json::json!([]));
    for unknown in [&got["next"], &got["snapshot"]["branch"], &got["snapshot"]["checked_at"]] {
        assert!(unknown.is_null());
    }
}

#[test]
fn a_search_as_json_lines() {
    let expected = format!("{FIRST_JSON}\n{SECOND_JSON}\n{{\"query\":\"provider auth\",{REST_JSON}\n");
    check(JsonPaths::default().search_lines(reply()), &expected);
}

#[test]
fn several_queries_as_json() {
    let got: serde_json::Value = serde_json::from_str(&json::line(&batch())).unwrap();
    assert_eq!(got["queries"], serde_json::json!(["provider", "auth"]));
    assert_eq!(
        (&got["results"][0]["query_index"], &got["results"][1]["query_index"]),
        (&0.into(), &1.into())
    );
    assert_eq!(JsonPaths::default().search_lines(batch()).lines().count(), 3);
}

#[test]
fn shares_still_add_up_when_they_are_written() {
    let mut hit = first_hit();
    hit.score = 2.0 / 3.0;
    hit.reasons = (0..20).map(|_| reason(Signal::Lexical, hit.score / 20.0, "x")).collect();
    let reply = SearchReply { results: vec![hit], ..reply() };
    let got: serde_json::Value = serde_json::from_str(&json::line(&reply)).unwrap();
    let hit = &got["results"][0];
    let sum: f64 =
        hit["reasons"].as_array().unwrap().iter().map(|reason| reason["share"].as_f64().unwrap()).sum();
    assert!((sum - hit["score"].as_f64().unwrap()).abs() < 1e-4);
}

/// A style that shows the whole page.
fn whole_page() -> Style {
    Style { all: true, ..Style::default() }
}

#[test]
fn a_search_on_one_screen() {
    check(
        text::search(&reply(), Mode::Default, &Style::default()),
        "src/auth/resolve key.rs:9  fn resolve_api_key  0.91 high\n\
         \x20 rust, lines 9-11 · matches provider, key\n\
         \x20    4 │ impl Auth {\n\
         \x20      ┆\n\
         \x20    9 │ pub fn resolve_api_key(provider: &str) {\n\
         \x20   10 │     let title = \"␛]0;x\";\n\
         \x20   11 │ }\n\
         \x20      ┆\n\
         \n\
         docs/auth.md:1  weak  doc  changed since indexed\n\
         \n\
         2 of 42 results · at least 1 line holds the query as written · main@0123456789 · 1 stale\n\
         more: --cursor c2\n",
    );
}

#[test]
fn a_page_of_many_hits_fits_its_screen() {
    let colours = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    let long = |mut hit: Hit, at: usize| {
        hit.path = RelPath::new(&format!("src/{}resolve.rs", "deep/".repeat(at))).unwrap();
        hit.representative_line = first_hit().representative_line;
        hit.representative_line.as_mut().unwrap().text += &"größer\t漢字 ".repeat(at);
        if let Some(snippet) = &mut hit.snippet {
            snippet.text = format!("{}{}", snippet.text, "\tlet wide = \"漢字\"; ".repeat(at));
        }
        hit
    };
    for (height, width, strong, weak) in [
        (0, 0, 1, 9),
        (24, 80, 10, 0),
        (24, 80, 3, 7),
        (50, 200, 10, 0),
        (50, 80, 4, 6),
        (24, 40, 0, 10),
        (10, 80, 2, 2),
    ] {
        let hits = std::iter::repeat_with(first_hit).take(strong);
        let hits = hits.chain(std::iter::repeat_with(second_hit).take(weak)).enumerate();
        let reply = SearchReply { results: hits.map(|(at, hit)| long(hit, at)).collect(), ..reply() };
        for color in [false, true] {
            let style = Style { height, width, color, ..Style::default() };
            let got = text::search(&reply, Mode::Default, &style);
            let plain = colours.replace_all(&got, "").into_owned();
            let rows = |line: &str| if width == 0 { 1 } else { columns(line).div_ceil(width).max(1) };
            let most = if height == 0 { 40 } else { height.max(14) };
            let taken: usize = plain.lines().map(rows).sum();
            assert!(taken < most, "{height}x{width} {strong} {weak}: {taken} rows\n{plain}");
            assert_eq!(plain.matches("  0.25 weak").count(), usize::from(strong == 0), "{plain}");
            // Only a path that is longer than the screen is wide goes on in the next row.
            for line in plain.lines().filter(|line| line.contains("  ")) {
                assert!(width == 0 || columns(line) <= width, "{line}");
            }
        }
    }
}

#[test]
fn a_search_as_text() {
    check(
        text::search(&reply(), Mode::Default, &whole_page()),
        "src/auth/resolve key.rs:9  fn resolve_api_key  0.91 high\n\
         \x20 rust, lines 9-11 · matches provider, key\n\
         \x20    4 │ impl Auth {\n\
         \x20      ┆\n\
         \x20    9 │ pub fn resolve_api_key(provider: &str) {\n\
         \x20   10 │     let title = \"␛]0;x\";\n\
         \x20   11 │ }\n\
         \x20      ┆\n\
         \n\
         docs/auth.md:1  doc  0.25 weak  changed since indexed\n\
         \x20 markdown, lines 1-4\n\
         \n\
         2 of 42 results · at least 1 line holds the query as written · main@0123456789 · generation 5 · \
         120 files · 7 skipped · 1 stale\n\
         more: --cursor c2\n",
    );
}

#[test]
fn a_search_in_compact_mode() {
    let expected = "src/auth/resolve key.rs:9:8: pub fn resolve_api_key(provider: &str) {\n\
                    docs/auth.md:1:1: doc, changed since indexed\n";
    check(text::search(&reply(), Mode::Compact, &Style::default()), expected);
    let queries = ["provider".to_string(), "auth".to_string()];
    check(text::batch(&batch(), &queries, Mode::Compact, &Style::default()), expected);
    let style = Style { width: 44, ..Style::default() };
    let got = text::search(&reply(), Mode::Compact, &style);
    assert!(got.starts_with("src/auth/resolve key.rs:9:8: pub fn resolve…\n"), "{got}");
    check(
        text::summary(&reply(), &Style::default()),
        "2 of 42 results · at least 1 line holds the query as written · main@0123456789 · 1 stale · \
         more: --cursor c2\n",
    );
}

#[test]
fn a_search_in_debug_mode_shows_every_signal() {
    let mut reply = reply();
    reply.results.truncate(1);
    reply.results[0].snippet = None;
    reply.next = None;
    check(
        text::search(&reply, Mode::Debug, &Style::default()),
        "src/auth/resolve key.rs:9  fn resolve_api_key  0.91 high\n\
         \x20 rust, lines 9-11\n\
         \x20 +0.500 symbol            resolve_api_key matches 'auth/resolve'\n\
         \x20 +0.462 lexical           matched tokens [provider, key]\n\
         \x20 -0.100 test              the file is a test\n\
         \x20 +0.050 base              any match\n\
         \n\
         1 of 42 results · at least 1 line holds the query as written · main@0123456789 · generation 5 · \
         120 files · 7 skipped · 1 stale\n\
         checked at 2023-11-14T22:13:20.250Z\n",
    );
}

#[test]
fn a_search_in_colour_with_links_on_a_narrow_terminal() {
    let mut reply = reply();
    reply.results.truncate(1);
    reply.next = None;
    let style = Style { color: true, hyperlinks: true, host: "box".into(), width: 30, ..whole_page() };
    check(
        text::search(&reply, Mode::Default, &style).replace('\x1b', "^"),
        "^]8;;file://box/w/tree/src/auth/resolve%20key.rs^\\^[35msrc/auth/resolve key.rs^[0m:^[32m9^[0m^]8;;^\\  \
         fn ^[1mresolve_api_key^[0m  ^[1m^[32m0.91 high^[0m\n\
         \x20 ^[2mrust, lines 9-11 · matches …^[0m\n\
         \x20 ^[32m   4^[0m │ ^[34mimpl^[0m Auth {\n\
         \x20      ┆\n\
         \x20 ^[32m   9^[0m │ ^[34mpub^[0m ^[34mfn^[0m ^[1m^[31mresolve^[0m_api_key(^[1m^[31mprovider^[0m: &str) {\n\
         \x20 ^[32m  10^[0m │     ^[34mlet^[0m title = ^[32m\"␛]0;x\"^[0m;\n\
         \x20 ^[32m  11^[0m │ }\n\
         \x20      ┆\n\
         \n\
         ^[2m1 of 42 results · at least 1 …^[0m\n",
    );
}

#[test]
fn nothing_found_says_so_and_to_people_what_to_do() {
    let mut reply = reply();
    reply.results.clear();
    reply.total = 0;
    let only = "No results found for: provider auth\n";
    for mode in [Mode::Compact, Mode::Debug] {
        check(text::search(&reply, mode, &Style::default()), only);
    }
    let got = text::search(&reply, Mode::Default, &Style::default());
    assert!(got.starts_with(only) && got.contains("`spyhop grep 'provider auth'`"), "{got}");
}

#[test]
fn a_page_past_the_end_says_how_many_there_are() {
    let mut reply = reply();
    reply.results.clear();
    let got = text::search(&reply, Mode::Default, &Style::default());
    check(got, "No further results for: provider auth (42 in all)\n");
}

#[test]
fn hits_of_a_batch_name_their_query() {
    let queries = ["provider".to_string(), "auth".to_string()];
    let got = text::batch(&batch(), &queries, Mode::Default, &whole_page());
    assert!(got.contains("  0.91 high  ← provider\n"), "{got}");
    assert!(got.contains("  changed since indexed  ← auth\n"), "{got}");
}

#[test]
fn hits_of_one_file_stand_together() {
    let mut reply = reply();
    let plain = Hit { snippet: None, ..first_hit() };
    let further = Hit { lines: Lines { first: 40, last: 50 }, ..plain.clone() };
    reply.results = vec![plain, further, second_hit()];
    let got = text::search(&reply, Mode::Default, &whole_page());
    let shape: Vec<&str> = got.lines().map(|line| line.split("  ").next().unwrap_or("")).collect();
    assert_eq!(
        shape[..7],
        ["src/auth/resolve key.rs:9", "", "src/auth/resolve key.rs:40", "", "", "docs/auth.md:1", ""]
    );
}

#[test]
fn a_status() {
    check(
        text::status(&status_sample(), &Style::default()),
        "state       stale\n\
         index       /cache/k\n\
         root        /w/tree\n\
         branch      -\n\
         commit      -\n\
         generation  5\n\
         files       120\n\
         chunks      900\n\
         symbols     800\n\
         sources     1.0 MiB\n\
         index size  1.5 KiB\n\
         also holds  main\n\
         stale files 3\n\
         languages   rust 100, text 20\n\
         structure   by a parser 100, by line rules 15, text only 4, path only 1\n\
         skipped     ignored 4, too-large 1\n\
         notes       the parser met errors 2\n",
    );
    check(
        json::line(&status_sample()),
        concat!(
            r#"{"state":"stale","detail":null,"index_path":"/cache/k","root":"/w/tree","branch":null,"commit":null,"#,
            r#""generation":5,"files":120,"chunks":900,"symbols":800,"source_bytes":1048575,"index_bytes":1536,"#,
            r#""languages":[{"name":"rust","files":100},{"name":"text","files":20}],"#,
            r#""skipped":[{"reason":"ignored","files":4},{"reason":"too-large","files":1}],"#,
            r#""notes":[{"note":"syntax-errors","files":2}],"structure":{"parsed":100,"by_rule":15,"text_only":4,"path_only":1},"#,
            r#""stale_files":3,"views":[{"root":"/w/tree","head":"main","files":3,"used":"1970-01-01T00:00:00.000Z"}]}"#,
        ),
    );
}

#[test]
fn a_missing_index_says_what_to_run() {
    let missing = Status { state: State::Missing, generation: None, ..status_sample() };
    check(
        text::status(&missing, &Style::default()),
        "state       missing\n\
         index       /cache/k\n\
         root        /w/tree\n\
         Run: spyhop index /w/tree\n\
         Expected index at: /cache/k\n",
    );
}

#[test]
fn what_is_left_out() {
    check(
        text::skipped(&skipped_sample(), &Style::default()),
        "a.bin  binary\n\
         target/  built-in  target beside Cargo.toml\n\
         \n\
         \x20     1 built-in       A built-in rule takes it for a build product or a dependency.\n\
         \x20     1 binary         It holds NUL bytes or too many control characters.\n",
    );
    check(
        json::line(&skipped_sample()),
        concat!(
            r#"{"entries":[{"path":"a.bin","reason":"binary","detail":"","is_dir":false},"#,
            r#"{"path":"target","reason":"built-in","detail":"target beside Cargo.toml","is_dir":true}],"#,
            r#""counts":[{"reason":"built-in","files":1},{"reason":"binary","files":1}]}"#,
        ),
    );
    let none = SkippedReply { entries: vec![], counts: vec![], warnings: vec![] };
    check(text::skipped(&none, &Style::default()), "Nothing was left out.\n");
}

#[test]
fn evidence_that_cannot_change_a_score_near_0_is_in_percent() {
    let reasons = vec![
        reason(Signal::Lexical, 0.000_000_3, "lexical: matched tokens [key]"),
        reason(Signal::Test, -0.000_000_1, "test: the file is a test"),
        reason(Signal::Base, 0.000_04, "base: before any evidence"),
    ];
    let hit = Hit { score: 0.000_04, reasons, ..first_hit() };
    let shown = text::why_not(&WhyNot { hit: Some(hit), ..why_not_sample() }, &Style::default());
    for line in ["  +75 % lexical", "  -25 % test", "+0.000040 base"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

#[test]
fn why_a_file_ranks_low() {
    check(
        text::why_not(&why_not_sample(), &Style::default()),
        "docs/auth.md ranks 14th\n\
         \n\
         docs/auth.md:1  doc  0.25 weak  changed since indexed\n\
         \x20 markdown, lines 1-4\n\
         \x20 +0.250 base              any match\n\
         \n\
         against the tenth hit, in log-odds:\n\
         \x20 symbol            +0.00, the tenth has +0.31\n\
         \nstructure of the files of the tree: by a parser 119, path only 1\n",
    );
    check(
        json::line(&why_not_sample()),
        &format!(
            "{}{SECOND_JSON}{}",
            r#"{"path":"docs/auth.md","verdict":"ranked","detail":null,"rank":14,"hit":"#,
            concat!(
                r#","missing":[{"signal":"symbol","own":0.0,"tenth":0.31}],"text":"docs/auth.md ranks 14th","#,
                r#""structure":{"parsed":119,"by_rule":0,"text_only":0,"path_only":1}}"#,
            ),
        ),
    );
    let left_out = WhyNot {
        verdict: Verdict::Skipped(skipped_sample().entries.remove(1).skipped),
        rank: None,
        hit: None,
        missing: vec![],
        text: "target is left out: built-in (target beside Cargo.toml)".into(),
        ..why_not_sample()
    };
    check(
        text::why_not(&left_out, &Style::default()),
        "target is left out: built-in (target beside Cargo.toml)\n\
         \x20 A built-in rule takes it for a build product or a dependency.\n\
         \nstructure of the files of the tree: by a parser 119, path only 1\n",
    );
}

#[test]
fn the_languages() {
    let row = |name, extensions: &[&str], overridden, files| LanguageRow {
        name,
        title: name.to_uppercase(),
        extensions: extensions.iter().map(|extension| extension.to_string()).collect(),
        overridden,
        files,
    };
    let rows = [row("rust", &["rs"], false, Some(12)), row("c", &["c", "h"], true, None)];
    check(
        text::languages(&rows, &Style::default()),
        "rust         RUST       12  rs\n\
         c            C              c h  (overridden)\n",
    );
    check(
        json::line(&Languages { languages: rows.to_vec() }),
        concat!(
            r#"{"languages":[{"name":"rust","title":"RUST","extensions":["rs"],"overridden":false,"files":12},"#,
            r#"{"name":"c","title":"C","extensions":["c","h"],"overridden":true,"files":null}]}"#,
        ),
    );
}

#[test]
fn an_index_update() {
    let report = RefreshReport {
        generation: Generation(6),
        added: 2,
        changed: 1,
        deleted: 0,
        renamed: 0,
        parsed: 3,
        bytes: 2048,
        put_aside: None,
    };
    check(
        text::refresh(&report),
        "generation 6: 2 added, 1 changed, 0 deleted, 0 renamed; 3 parsed, 2.0 KiB read\n",
    );
    check(
        json::line(&report),
        r#"{"generation":6,"added":2,"changed":1,"deleted":0,"renamed":0,"parsed":3,"bytes":2048}"#,
    );
    check(text::refresh(&RefreshReport::default()), "nothing changed, generation 0\n");
}

#[test]
fn an_index_that_travels() {
    let exported = Exported {
        path: "/tmp/index.spyhop".into(),
        bytes: 3 << 20,
        files: 12,
        sources: 11,
        lacking: 1,
        heads: vec!["main".into(), "topic".into()],
    };
    check(
        text::exported(&exported),
        "/tmp/index.spyhop: 12 files and 1 other view, 11 sources (1 changed since and are not in it), 3.0 MiB\n",
    );
    check(
        json::line(&exported),
        r#"{"path":"/tmp/index.spyhop","bytes":3145728,"files":12,"sources":11,"lacking":1,"heads":["main","topic"]}"#,
    );
    let report =
        RefreshReport { generation: Generation(6), changed: 1, parsed: 1, ..RefreshReport::default() };
    let imported = Imported {
        files: 12,
        head: "main".into(),
        commit: Some("0123abc".into()),
        made_by: "0.1.0".into(),
        report,
    };
    check(
        text::imported(&imported),
        "imported 12 files of main at 0123abc, made by spyhop 0.1.0\n\
         generation 6: 0 added, 1 changed, 0 deleted, 0 renamed; 1 parsed, 0 B read\n",
    );
    let detached = Imported { head: "@0123abc".into(), ..imported.clone() };
    assert!(text::imported(&detached).starts_with("imported 12 files of @0123abc, made by"));
    let bare = Imported { head: String::new(), commit: None, ..imported.clone() };
    assert!(text::imported(&bare).starts_with("imported 12 files, made by"));
    check(
        json::line(&imported),
        concat!(
            r#"{"files":12,"head":"main","commit":"0123abc","made_by":"0.1.0","generation":6,"added":0,"changed":1,"#,
            r#""deleted":0,"renamed":0,"parsed":1,"bytes":0}"#,
        ),
    );
}

#[test]
fn a_failure_as_json() {
    check(
        json::line(&json::error("query is empty", "bad-request")),
        r#"{"error":"query is empty","kind":"bad-request"}"#,
    );
}
