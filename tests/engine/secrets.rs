//! Secrets in a tree: no reply shows one, in any field and any form, unless a person asks for it.
//!
//! Values are drawn when the test runs, so that none which looks real stands in this repository.

use proptest::prelude::*;
use spyhop::{
    Engine, ExplainSkipsRequest, FilesRequest, FilterSpec, GrepRequest, MapRequest, Mode, OnMissing,
    SearchRequest, SkippedRequest, StalePolicy, SymbolsRequest, WhyNotRequest,
};
use spyhop_engine::api::{Options, OutputFormat, PrintOptions};
use spyhop_interface::render::json::{self, JsonPaths};
use spyhop_interface::render::{Style, agent, text};

use super::{Random, Tree, options};
use crate::mcp::Session;

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const HEX: &str = "0123456789abcdef";

fn signs(random: &mut Random, of: &str, n: usize) -> String {
    (0..n).map(|_| of.as_bytes()[random.below(of.len())] as char).collect()
}

/// Letters and digits of `of` in turns, which spell no word: some that are drawn freely do, and are rightly taken for
/// somebody's example.
fn in_turns(random: &mut Random, of: &str, n: usize) -> String {
    let (digits, letters): (String, String) = of.chars().partition(char::is_ascii_digit);
    (0..n).map(|at| signs(random, if at % 2 == 0 { &letters } else { &digits }, 1)).collect()
}

/// A line that holds a secret, and what of it must not be seen.
fn planted(random: &mut Random) -> (String, Vec<String>) {
    let draw = |random: &mut Random, n: usize| in_turns(random, ALNUM, n) + "7aZ";
    match random.below(7) {
        0 => {
            let secret = in_turns(random, ALNUM, 36);
            (format!("    let harbour = \"gh{}_{secret}\";", "p"), vec![secret])
        }
        1 => {
            let secret = in_turns(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16);
            (format!("    harbour(\"AK{}{secret}\");", "IA"), vec![secret])
        }
        2 => {
            let secret = draw(random, 20);
            (format!("    let harbour_password = \"{secret}\";"), vec![secret])
        }
        3 => {
            let secret = signs(random, HEX, 40);
            (format!("    api_key: \"{secret}\", // harbour"), vec![secret])
        }
        4 => {
            let secret = draw(random, 16);
            (format!("    connect(\"postgres://harbour:{secret}@db:5432/x\");"), vec![secret])
        }
        5 => {
            let parts = [20, 60, 43].map(|n| draw(random, n));
            let [head, body, mark] = &parts;
            let line = format!("    // harbour ey{}{head}.ey{}{body}.{mark}", "J", "J");
            (line, parts.to_vec())
        }
        _ => {
            let lines: Vec<String> = (0..4).map(|_| signs(random, ALNUM, 64)).collect();
            let dashes = "-".repeat(5);
            let kind = ["RSA ", "", "EC "][random.below(3)];
            let text = format!(
                "    let harbour = r#\"{dashes}BEGIN {kind}PRIVATE KEY{dashes}\n{}\n{dashes}END {kind}PRIVATE KEY{dashes}\"#;",
                lines.join("\n")
            );
            (text, lines)
        }
    }
}

/// A tree of files with secrets, and these.
fn drawn(seed: u64) -> (Tree, Vec<String>) {
    let mut random = Random(seed);
    let tree = Tree::new("\n=== calm.rs\n/// A harbour without secrets.\npub fn calm_harbour() {}\n");
    let mut secrets = Vec::new();
    for number in 0..4 {
        let mut text = String::new();
        for item in 0..1 + random.below(3) {
            text += &format!("/// Opens harbour {item}.\npub fn open_harbour_{number}_{item}() {{\n");
            for _ in 0..1 + random.below(3) {
                let (line, planted_here) = planted(&mut random);
                text += &format!("    // the harbour\n{line}\n");
                secrets.extend(planted_here);
            }
            text += "}\n\n";
        }
        tree.write(&format!("src/harbour_{number}.rs"), text);
    }
    // The line that begins an item stands above the snippet of a long one.
    let secret = in_turns(&mut random, ALNUM, 36);
    let lines: Vec<String> = (0..60).map(|line| format!("    step_{line}();\n")).collect();
    let (head, body) = (format!("pub fn steer(token: &str /* gh{}_{secret} */) {{\n", "p"), lines.concat());
    tree.write("src/steer.rs", format!("{head}{body}    the_quiet_harbour_pilot();\n{body}}}\n"));
    secrets.push(secret);
    // Names that are secrets themselves.
    let secret = in_turns(&mut random, ALNUM, 36);
    tree.write("docs/harbour.md", format!("# Harbour gh{}_{secret}\n\nThe harbour.\n", "o"));
    secrets.push(secret);
    let secret = in_turns(&mut random, ALNUM, 36);
    tree.write(".gitignore", format!("harbour-gh{}_{secret}*\n", "s"));
    tree.write(&format!("harbour-gh{}_{secret}", "s"), "x\n");
    // Its name is the path of a row, which says where something is.
    tree.write("harbour.tfvars", format!("harbour = \"plain words {}\"\n", signs(&mut random, HEX, 12)));
    let password = format!("quiet-haven-{}", signs(&mut random, "abcdefgh", 12));
    tree.write("deploy.env", format!("HARBOUR_PASSWORD={password}\nHARBOUR={password}\n"));
    secrets.push(password);
    // One line of this length is cut where the secret is.
    let secret = in_turns(&mut random, ALNUM, 60);
    tree.write(
        "long.js",
        format!("{}harbour(); token = \"{secret}\"; {}\n", "a();".repeat(120), "b();".repeat(120)),
    );
    secrets.push(secret);
    (tree, secrets)
}

/// Finds eight characters in a row of a secret.
struct Pieces(regex::Regex);

impl Pieces {
    fn of(secrets: &[String]) -> Pieces {
        let mut pieces = Vec::new();
        for secret in secrets {
            pieces.extend((0..=secret.len() - 8).map(|at| regex::escape(&secret[at..at + 8])));
        }
        Pieces(regex::Regex::new(&pieces.join("|")).unwrap())
    }

    fn shown<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.0.find(text).map(|found| found.as_str())
    }
}

fn looks() -> Vec<PrintOptions> {
    let all = PrintOptions {
        heading: true,
        line_numbers: true,
        columns: true,
        color: true,
        ..PrintOptions::default()
    };
    let only = PrintOptions { only_matching: true, ..PrintOptions::default() };
    let forms = [
        OutputFormat::Lines,
        OutputFormat::Count,
        OutputFormat::CountMatches,
        OutputFormat::Files,
        OutputFormat::FilesWithout,
        OutputFormat::Events,
    ];
    forms
        .into_iter()
        .map(|form| PrintOptions { form, ..PrintOptions::default() })
        .chain([all, only])
        .collect()
}

const PATTERNS: &[&str] = &[
    "harbour",
    "[A-Za-z0-9]{8}",
    "^[A-Za-z0-9]+$",
    "(?i)password|key|token",
    "gh[pos]_....",
    ".*",
    "=[^=]*$",
];

/// Every reply of the library in every form, each with what was asked.
fn replies(engine: &Engine) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let style = Style { color: true, ..Style::default() };
    for mode in [Mode::Compact, Mode::Default, Mode::Debug] {
        for (query, exhaustive) in
            [("open harbour password", false), ("harbour", true), ("the_quiet_harbour_pilot();", false)]
        {
            let request =
                SearchRequest { mode, exhaustive, expand: 3, max_results: 50, ..SearchRequest::new(query) };
            let reply = engine.search(&request).unwrap();
            assert!(!reply.results.is_empty(), "{query}");
            let heads =
                reply.results.iter().filter_map(|hit| hit.snippet.as_ref()).flat_map(|snippet| &snippet.head);
            let has_head = heads.into_iter().any(|line| line.text.starts_with("pub fn steer("));
            assert!(has_head || mode != Mode::Default || !query.starts_with("the_quiet"), "{query}: no head");
            let what = format!("search {query:?} {mode:?}");
            all.push((what.clone(), format!("{reply:?}")));
            all.push((what.clone(), json::line(&reply)));
            all.push((what.clone(), JsonPaths::default().search_lines(reply.clone())));
            all.push((what.clone(), text::search(&reply, mode, &style)));
            let answer = agent::search(&reply, &[], mode);
            all.push((what, format!("{}\n{}", answer.text, answer.data)));
        }
    }
    for pattern in PATTERNS {
        for (expand, multi_line, invert) in [(0, false, false), (2, true, false), (1, false, true)] {
            let request =
                GrepRequest { expand, multi_line, invert, max_results: 1_000, ..GrepRequest::new(*pattern) };
            let what = format!("grep {pattern:?} {expand} {multi_line} {invert}");
            let reply = engine.ask(&request).unwrap();
            all.push((what.clone(), format!("{reply:?}")));
            all.push((what.clone(), json::line(&reply)));
            all.push((what.clone(), text::grep(&reply, &style)));
            let answer = agent::grep(&reply);
            all.push((what.clone(), format!("{}\n{}", answer.text, answer.data)));
            for looks in looks() {
                let mut out = Vec::new();
                engine
                    .print_grep(&request, &looks, |bytes| {
                        out.extend_from_slice(bytes);
                        true
                    })
                    .unwrap();
                all.push((format!("{what} {looks:?}"), String::from_utf8_lossy(&out).into_owned()));
            }
        }
    }
    let map = engine.ask(&MapRequest { max_items: 1_000, ..MapRequest::default() }).unwrap();
    all.push(("map".into(), format!("{}\n{map:?}\n{}", json::line(&map), agent::map(&map).text)));
    let filter = FilterSpec { path: Some("docs/harbour.md".into()), ..FilterSpec::default() };
    let map = engine.ask(&MapRequest { filter, ..MapRequest::default() }).unwrap();
    assert!(map.entries.iter().any(|entry| !entry.symbols.is_empty()));
    all.push(("map of a file".into(), format!("{}\n{map:?}\n{}", json::line(&map), text::map(&map, &style))));
    let files = engine.ask(&FilesRequest::new("src harbour")).unwrap();
    all.push(("files".into(), format!("{}\n{files:?}", json::line(&files))));
    let symbols = engine.ask(&SymbolsRequest { max_results: 1_000, ..SymbolsRequest::new("") }).unwrap();
    assert!(!symbols.symbols.is_empty());
    let rendered = format!("{}\n{}", json::line(&symbols), text::symbols(&symbols, &style));
    all.push(("symbols".into(), format!("{rendered}\n{symbols:?}\n{}", agent::symbols(&symbols).text)));
    for path in ["src/harbour_0.rs", "docs/harbour.md", "long.js", "deploy.env"] {
        let reply = engine
            .ask(&WhyNotRequest { path: path.into(), search: SearchRequest::new("harbour key") })
            .unwrap();
        all.push((format!("why-not {path}"), format!("{}\n{reply:?}", json::line(&reply))));
        all.push((format!("why-not {path}"), text::why_not(&reply, &style)));
        let reply = engine.ask(&ExplainSkipsRequest { path: path.into() }).unwrap();
        all.push((format!("explain {path}"), format!("{}\n{reply:?}", json::line(&reply))));
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_reply_shows_a_secret(seed in any::<u64>()) {
        let (tree, secrets) = drawn(seed);
        let pieces = Pieces::of(&secrets);
        // Also where files of secrets are indexed.
        for with_files in [false, true] {
            let engine = Engine::open(tree.root(), Options { secrets: with_files, ..options(&tree) }).unwrap();
            for (what, reply) in replies(&engine) {
                prop_assert_eq!(pieces.shown(&reply), None, "{}:\n{}", what, reply);
            }
            let skipped = engine.ask(&SkippedRequest::default()).unwrap();
            for row in &skipped.entries {
                prop_assert_eq!(pieces.shown(&row.detail), None, "{:?}", row);
            }
        }
        // The same with masks off, so that what was looked for is there to be found.
        let engine = Engine::open(tree.root(), Options { show_secrets: true, ..options(&tree) }).unwrap();
        let seen: String = replies(&engine).into_iter().map(|(_, reply)| reply).collect();
        for secret in secrets.iter().filter(|secret| !seen.contains(secret.as_str())) {
            prop_assert!(false, "{} is nowhere", secret);
        }
    }
}

#[test]
fn no_tool_shows_a_secret() {
    let (tree, secrets) = drawn(17);
    let pieces = Pieces::of(&secrets);
    let mut session = Session::new(&tree);
    use serde_json::json;
    for (tool, given) in [
        ("codebase_search", json!({ "query": "open harbour", "mode": "debug", "max_tokens": 100000 })),
        ("search_batch", json!({ "queries": ["harbour key", "password"], "expand": 5 })),
        (
            "grep_files",
            json!({ "pattern": "[A-Za-z0-9]{8}", "expand": 2, "max_results": 1000, "max_tokens": 100000 }),
        ),
        ("project_map", json!({ "path": "docs/harbour.md" })),
        ("file_search", json!({ "pattern": "src/*" })),
        ("why_not", json!({ "file": "docs/harbour.md", "query": "harbour" })),
        ("skipped_files", json!({ "max_tokens": 100000 })),
        ("index_status", json!({})),
    ] {
        let reply = session.call(tool, given.clone());
        assert_eq!(reply["result"]["isError"], false, "{reply}");
        assert_eq!(pieces.shown(&reply.to_string()), None, "{tool} {given}: {reply}");
    }
    // Nobody can ask for them there.
    let reply = session.call("grep_files", json!({ "pattern": "harbour", "show_secrets": true }));
    assert_eq!(reply["result"]["isError"], true, "{reply}");
}

#[test]
fn files_of_secrets_are_listed_and_ranked_when_asked() {
    let tree = Tree::new("\n=== a.rs\nfn a() {}\n=== prod.tfvars\nlantern_oil = \"word\"\n=== id_rsa\nx\n");
    tree.git(&["init", "-q"]);
    tree.git(&["add", "."]);
    let rows = |secrets: bool| {
        let engine = Engine::open(tree.root(), Options { secrets, ..options(&tree) }).unwrap();
        let total = engine.search(&SearchRequest::new("lantern_oil")).unwrap().total;
        let reply = engine.ask(&SkippedRequest::default()).unwrap();
        let rows = reply.entries.iter().map(|row| format!("{} {}", row.path, row.reason.name()));
        (rows.collect::<Vec<_>>(), total)
    };
    // Git tracks them, and they stay out.
    assert_eq!(rows(false), (vec!["id_rsa secret".to_string(), "prod.tfvars secret".to_string()], 0));
    assert_eq!(rows(true), (vec![], 1));
    // Each is a separate view: neither changes the other's.
    assert_eq!(rows(false).1, 0);
}

/// Settings and manifests that projects track, and sources that are named like credentials, can be found; the values
/// of the first are masked.
#[test]
fn files_that_only_announce_secrets_stay_in_the_index() {
    let files = "
=== credentials/lantern.go
package credentials
func LanternOil() string { return \"plain words\" }
=== src/credentials.rs
fn lantern_oil() -> &'static str { \"plain words\" }
=== deploy/credentials
lantern_oil = plain words
=== config/secrets.yaml
lantern_oil: plain words
=== service-account.json
{ \"lantern_oil\": \"plain words\" }
=== api/appsettings.json
{ \"LanternOilPassword\": \"plain words\" }
=== wp-config.php
<?php define('LANTERN_OIL_PASSWORD', 'plain words');
";
    for tracked in [false, true] {
        let tree = Tree::new(files);
        if tracked {
            tree.git(&["init", "-q"]);
            tree.git(&["add", "."]);
        }
        let engine = super::open(&tree);
        assert!(engine.ask(&SkippedRequest::default()).unwrap().entries.is_empty());
        let reply =
            engine.search(&SearchRequest { max_results: 50, ..SearchRequest::new("lantern oil") }).unwrap();
        assert_eq!(reply.results.len(), 7, "{reply:?}");
        let shown = |path: &str| {
            let snippet =
                reply.results.iter().find(|hit| hit.path.as_str() == path).unwrap().snippet.as_ref().unwrap();
            snippet.text.contains("plain words")
        };
        let sources = ["credentials/lantern.go", "src/credentials.rs"];
        assert!(sources.iter().all(|path| shown(path)), "{reply:?}");
        let masked = [
            "deploy/credentials",
            "config/secrets.yaml",
            "service-account.json",
            "api/appsettings.json",
            "wp-config.php",
        ];
        for path in masked {
            assert!(!shown(path), "{path}: {reply:?}");
        }
    }
}

#[test]
fn an_exact_search_finds_what_files_of_secrets_hold_and_shows_their_names() {
    let tree = Tree::new("\n=== a.rs\nfn a() {}\n=== prod.tfvars\nlantern_oil = \"word\"\n");
    tree.write(".env", "LANTERN=oil\nlantern=2\n");
    for (policy, on_missing) in [
        (StalePolicy::Refresh, OnMissing::Build),
        (StalePolicy::Ignore, OnMissing::Build),
        (StalePolicy::Ignore, OnMissing::Fail),
    ] {
        for hidden in [false, true] {
            let with = Options { hidden, stale_policy: policy, on_missing, ..options(&tree) };
            let engine = Engine::open(tree.root(), with).unwrap();
            if on_missing == OnMissing::Build {
                super::refresh(&engine);
            }
            let request =
                GrepRequest { case: spyhop_engine::api::Case::Ignored, ..GrepRequest::new("lantern") };
            let reply = engine.ask(&request).unwrap();
            let lines: Vec<String> =
                reply.lines.iter().map(|line| format!("{}: {}", line.path, line.text)).collect();
            let mut expected = vec!["prod.tfvars: lantern_oil = ******"];
            if hidden {
                expected.splice(0..0, [".env: LANTERN=***", ".env: lantern=*"]);
            }
            assert_eq!(lines, expected, "{policy:?} {hidden}");
        }
    }
}

#[test]
fn masked_secrets_do_not_change_matches_counts_and_positions() {
    let mut random = Random(23);
    let tree = Tree::new("\n=== a.rs\nfn a() {}\n");
    let secret = signs(&mut random, ALNUM, 36);
    let token = format!("gh{}_{secret}", "p");
    let line = format!("let größe = \"{token}\"; // {}", &secret[..6]);
    tree.write("b.rs", format!("{line}\nlet c = 1;\n"));
    let wide: Vec<u8> = format!("\u{feff}{line}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    tree.write("wide.txt", wide);
    tree.write("late.txt", format!("{}{line}\n", "a line of filler\n".repeat(300_000)));
    let masked = format!("let größe = \"ghp_[masked: github token]{}\"; // {}", "*".repeat(14), &secret[..6]);
    let print = |show_secrets: bool, looks: PrintOptions| {
        let engine = Engine::open(tree.root(), Options { show_secrets, ..options(&tree) }).unwrap();
        let mut out = Vec::new();
        let request = GrepRequest::new(secret[..6].to_string());
        let grep = engine.print_grep(&request, &looks, |bytes| {
            out.extend_from_slice(bytes);
            true
        });
        assert!(grep.unwrap().matched);
        String::from_utf8(out).unwrap()
    };
    for looks in looks() {
        let (with, without) = (print(false, looks.clone()), print(true, looks.clone()));
        if looks.color || looks.only_matching || looks.form == OutputFormat::Events {
            assert_eq!(with.lines().count(), without.lines().count(), "{looks:?}");
            let places = |out: &str| out.matches("\"start\":19,\"end\":25").count();
            assert_eq!(places(&with), places(&without), "{looks:?}");
            // Events tell how long they took.
            assert!(looks.form == OutputFormat::Events || with.len() == without.len(), "{with}\n{without}");
        } else {
            assert_eq!(with, without.replace(&line, &masked), "{looks:?}");
        }
    }
    let engine = super::open(&tree);
    let reply = engine.ask(&GrepRequest::new(secret[..6].to_string())).unwrap();
    assert_eq!((reply.total_lines, reply.total_files, reply.lines[0].column), (3, 3, 20));
    assert_eq!(reply.lines[0].text, masked);
    let highlights: Vec<_> = reply.lines[0].highlights.iter().map(|span| (span.start, span.end)).collect();
    assert_eq!(highlights, [(19, 25), (61, 67)]);
}
