//! A tree of everything that goes wrong, indexed whole: nothing is fatal, nothing is silent.
//!
//! `SPYHOP_HOSTILE=full` makes the large files as large as they get and prints how long it took; a release build
//! is meant for that: `SPYHOP_HOSTILE=full cargo test --release --test integration hostile -- --nocapture`.

mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use serde_json::Value;
use spyhop_base::model::SkipReason;
use spyhop_engine::Engine;
use spyhop_engine::api::{FilesRequest, Options, SearchRequest, SkippedReply, StalePolicy};

use self::tree::{Expect, FULL, Hostile, QUICK};
use super::{Tree, open, options, refresh};
use crate::support::unprivileged;

fn is_full() -> bool {
    std::env::var_os("SPYHOP_HOSTILE").is_some_and(|scale| scale == "full")
}

/// The complaints about one expectation.
fn check(
    engine: &Engine,
    indexed: &BTreeSet<String>,
    skipped: &SkippedReply,
    path: &str,
    expect: Expect,
) -> Result<(), String> {
    let rows: Vec<_> = skipped
        .entries
        .iter()
        .filter(|row| {
            let rest = path.strip_prefix(row.path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || (row.is_dir && rest.starts_with('/')))
        })
        .collect();
    let found = |query: &str| {
        let reply = engine.search(&SearchRequest { max_results: 3, ..SearchRequest::new(query) }).unwrap();
        reply.results.first().map(|hit| (hit.path.as_str().to_string(), hit.stale, hit.snippet.is_some()))
    };
    let wrong = |what: String| Err(format!("{path:?}: {what}, rows {rows:?}"));
    match expect {
        Expect::Indexed | Expect::Found(_) | Expect::PathOnly(..) if !indexed.contains(path) => {
            wrong("not in the index".into())
        }
        Expect::Listed(..) if indexed.contains(path) => wrong("in the index".into()),
        // What takes its parser too long is indexed by lines, and listed.
        Expect::Indexed if rows.iter().all(|row| row.reason == SkipReason::Quarantined) => Ok(()),
        Expect::Indexed | Expect::Found(_) if !rows.is_empty() => wrong("listed".into()),
        Expect::Indexed => Ok(()),
        Expect::Found(query) => match found(query) {
            Some((hit, false, true)) if hit == path => Ok(()),
            other => wrong(format!("{query} finds {other:?}")),
        },
        Expect::Listed(reason, detail) | Expect::PathOnly(reason, detail) => {
            let fits = |row: &&&spyhop_base::model::Skipped| {
                row.reason.name() == reason && row.detail.starts_with(detail)
            };
            if rows.iter().any(|row| fits(&row)) { Ok(()) } else { wrong(format!("not {reason}")) }
        }
    }
}

/// The paths of all files that are indexed, by content or by path.
fn indexed(engine: &Engine) -> BTreeSet<String> {
    let mut request = FilesRequest { max_results: 1000, ..FilesRequest::new("") };
    let mut paths = BTreeSet::new();
    loop {
        let reply = engine.files(&request).unwrap();
        paths.extend(reply.files.iter().map(|row| row.path.as_str().to_string()));
        request.cursor = reply.next;
        if request.cursor.is_none() {
            return paths;
        }
    }
}

#[test]
fn every_odd_file_is_indexed_or_listed() {
    unprivileged(index_hostile_tree);
}

fn index_hostile_tree() {
    let scale = if is_full() { &FULL } else { &QUICK };
    let tree = Tree::new("\n=== plain.rs\nfn plain_answer() {}\n");
    tree.git(&["init", "-q"]);
    let hostile = Hostile::build(&tree.root(), scale);
    let engine = open(&tree);
    let start = Instant::now();
    let report = refresh(&engine);
    if is_full() {
        eprintln!("{} files and {} MB indexed in {:.1?}", report.added, report.bytes >> 20, start.elapsed());
    }
    // Asked as it is: files this fresh would be read again before each answer.
    let as_it_is = Options { stale_policy: StalePolicy::Ignore, ..options(&tree) };
    let asked = Engine::open(tree.root(), as_it_is).unwrap();
    let skipped = asked.skipped().unwrap();
    let indexed = indexed(&asked);
    let complaints: Vec<String> = hostile
        .expected
        .iter()
        .filter_map(|(path, expect)| check(&asked, &indexed, &skipped, path, *expect).err())
        .collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));

    // No two rows say the same, and together with what is indexed they are all there is.
    let rows: BTreeSet<_> = skipped.entries.iter().map(|row| (&row.path, &row.detail)).collect();
    assert_eq!(rows.len(), skipped.entries.len());

    // A refresh finds nothing to do. It may write down times that have come to prove something since.
    let again = refresh(&engine);
    assert_eq!((again.added, again.changed, again.deleted, again.parsed), (0, 0, 0, 0));
    assert_eq!(engine.status().unwrap().stale_files, Some(0));
    by_the_binary(&tree, &hostile);
}

/// The binary prints each name on one line of its own, and JSON gives names exactly.
fn by_the_binary(tree: &Tree, hostile: &Hostile) {
    assert_eq!(
        tree.paths(&["plain_answer", "--index-dir", tree.index_dir().to_str().unwrap()])[0],
        "plain.rs"
    );
    let run = |args: &[&str]| {
        let index_dir = tree.index_dir();
        let ran = tree.run(&[args, &["--index-dir", index_dir.to_str().unwrap()]].concat());
        assert_ne!(ran.code, 2, "{args:?}: {}", ran.err);
        ran.out
    };
    for (path, expect) in &hostile.expected {
        let Expect::Found(query) = expect else { continue };
        if !path.starts_with("names/") {
            continue;
        }
        let reply: Value = serde_json::from_str(&run(&[query, "-n", "1", "--json", "--no-refresh"])).unwrap();
        assert_eq!(reply["results"][0]["path"], **path);
        let text = run(&[query, "-n", "1", "--mode", "compact", "--color", "never", "--no-refresh"]);
        let shown = spyhop_base::clean::path(path);
        assert!(text.starts_with(&format!("{shown}:1:")), "{text:?}");
        assert!(
            text.lines().count() <= 2 && !text.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']),
            "{text:?}"
        );
    }
    let rows: Value = serde_json::from_str(&run(&["skipped", "--json"])).unwrap();
    let rows = rows["entries"].as_array().unwrap();
    let listed = run(&["skipped", "--color", "never"]);
    let lines: Vec<&str> = listed.split('\n').take_while(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), rows.len(), "{listed}");
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len());
    if is_full() {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        rows.iter()
            .zip(&lines)
            .for_each(|(row, line)| reasons.entry(row["reason"].as_str().unwrap()).or_default().push(line));
        reasons
            .iter()
            .for_each(|(reason, lines)| eprintln!("{reason}: {}\n  {}", lines.len(), lines.join("\n  ")));
    }
}
