//! A tree of everything that goes wrong, indexed whole: nothing is fatal, nothing is silent.

mod tree;

use std::collections::BTreeSet;

use spyhop_base::model::SkipReason;
use spyhop_engine::Engine;
use spyhop_engine::api::{FilesRequest, Options, SearchRequest, SkippedReply, SkippedRequest, StalePolicy};

use self::tree::{Expect, Hostile};
use super::{Tree, open, options, refresh};
use crate::support::unprivileged;

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
        // What takes its parser too long or nests too deep is indexed by lines, and listed.
        Expect::Indexed if rows.iter().all(|row| row.reason == SkipReason::Quarantined) => Ok(()),
        Expect::Indexed
            if path.starts_with("deep/")
                && rows
                    .iter()
                    .all(|row| [SkipReason::TooDeep, SkipReason::ParseBudget].contains(&row.reason)) =>
        {
            Ok(())
        }
        Expect::Indexed | Expect::Found(_) if !rows.is_empty() => wrong("listed".into()),
        Expect::Indexed => Ok(()),
        Expect::Found(query) => match found(query) {
            Some((hit, false, true)) if hit == path => Ok(()),
            other => wrong(format!("{query} finds {other:?}")),
        },
        Expect::Listed(reason, detail) | Expect::PathOnly(reason, detail) => {
            let fits =
                |row: &&&spyhop::SkippedRow| row.reason.name() == reason && row.detail.starts_with(detail);
            if rows.iter().any(|row| fits(&row)) { Ok(()) } else { wrong(format!("not {reason}")) }
        }
    }
}

/// The paths of all files that are indexed, by content or by path.
fn indexed(engine: &Engine) -> BTreeSet<String> {
    let mut request = FilesRequest { max_results: 1000, ..FilesRequest::new("") };
    let mut paths = BTreeSet::new();
    loop {
        let reply = engine.ask(&request).unwrap();
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
    let tree = Tree::new("\n=== plain.rs\nfn plain_answer() {}\n");
    tree.git(&["init", "-q"]);
    let hostile = Hostile::build(&tree.root());
    let engine = open(&tree);
    refresh(&engine);
    // Asked as it is: files this fresh would be read again before each answer.
    let as_it_is = Options { stale_policy: StalePolicy::Ignore, ..options(&tree) };
    let asked = Engine::open(tree.root(), as_it_is).unwrap();
    let skipped = asked.ask(&SkippedRequest::default()).unwrap();
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
}
