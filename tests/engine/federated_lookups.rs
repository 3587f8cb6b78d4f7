//! Look-ups over shards: definitions and files by name as in one tree with all files; the code graph, maps and reading as in
//! several trees of one process.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde::Serialize;
use serde_json::Value;
use spyhop::{
    AddNoteRequest, Corpus, EntriesRequest, EntryKind, FileGraphQuestion, FileGraphRequest, FilesRequest,
    FilterSpec, GraphQuestion, GraphRequest, ListNotesRequest, MapRequest, Mode, NoteKind, PackRequest,
    ReadRequest, RelPath, SearchNotesRequest, SkippedRequest, SourceName, StatusRequest, SymbolsRequest,
};
use spyhop_engine::Operation;

use super::WORDS;
use super::federated::{Shards, engine};

/// Files that call each other's functions, and a few with routes, dealt to shards, of one tree or two.
fn shards(seed: u64, n_files: usize, n_parts: usize, begins_pair: fn(usize) -> bool) -> Shards {
    Shards::dealt(seed, (n_files, n_parts), |number, text| {
        let (does, what) = (WORDS[number % WORDS.len()], WORDS[number * 7 % WORDS.len()]);
        match number % 4 {
            0 => {
                let before = number.saturating_sub(4);
                format!("{text}pub fn call_{number}() -> u32 {{\n    call_{before}() + {does}_{what}(call_4())\n}}\n")
            }
            1 => format!(
                "from flask import Flask\nimport {does}.{what}\n\napp = Flask(__name__)\n\n\n{text}\
                 @app.get(\"/{does}/{number}\")\ndef show_{does}():\n    return {does}().{what}_{does}()\n"
            ),
            _ => text,
        }
    })
    .shards(begins_pair)
}

/// The JSON of a reply without its snapshots and folders, and with the offset of the next page in place of its cursor.
fn json(reply: &impl Serialize) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                // The folders of a machine do not travel.
                ["snapshot", "root", "index_path", "views"].iter().for_each(|name| _ = fields.remove(*name));
                if let Some(Value::String(next)) = fields.get_mut("next") {
                    *next = next.rsplit('-').next().unwrap_or_default().to_string();
                }
                fields.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(reply).unwrap();
    strip(&mut value);
    value
}

/// The trees of the shards in one process, by the names of the shards.
fn together(shards: &Shards) -> Corpus {
    let parts = shards.names.iter().zip(&shards.trees);
    Corpus::new(parts.map(|(name, tree)| (SourceName::new(name), engine(tree)))).unwrap()
}

/// Asks the shards and the trees of one process alike.
fn check_together<O>(shards: &Shards, corpus: &Corpus, request: &O) -> Result<Value, String>
where
    O: Operation<Reply: Serialize> + std::fmt::Debug + Send + Sync + 'static,
{
    // The folder of a tree stays on its machine.
    let plain = |text: String| {
        let roots = shards.trees.iter().map(|tree| format!("'{}'", tree.root().display()));
        roots.fold(text, |text, root| text.replace(&root, "the folder of the shard"))
    };
    let one = corpus.ask(request).map(|reply| json(&reply)).map_err(|error| plain(error.to_string()));
    let question = shards.front.ask(request.clone(), &shards.names).map_err(|error| error.to_string());
    let all = question.and_then(|question| shards.run(question).map_err(|error| error.to_string()));
    let all = all.map(|(reply, _)| json(&reply));
    match one == all {
        true => Ok(one.unwrap_or(Value::Null)),
        false => Err(format!("{request:?}:\n{one:#?}\nis over shards\n{all:#?}")),
    }
}

/// Asks the shards and the tree with all files alike, page by page.
fn check_files(shards: &Shards, request: &FilesRequest) -> Result<usize, String> {
    let (mut one, mut all) = (request.clone(), request.clone());
    for page in 1.. {
        let (of_one, (of_all, cost)) = (shards.whole.ask(&one).unwrap(), shards.ask(&all));
        if json(&of_one) != json(&of_all) || cost.rounds != 1 {
            return Err(format!("{request:?}, page {page}: {:#?}\n{:#?}", json(&of_one), json(&of_all)));
        }
        if of_one.next.is_none() || page == 3 {
            return Ok(of_one.total);
        }
        (one.cursor, all.cursor) = (of_one.next, of_all.next);
    }
    unreachable!()
}

/// As [`check_files`], for definitions. A tree alone also says where a name is mentioned that no symbol is like.
fn check_symbols(shards: &Shards, request: &SymbolsRequest) -> Result<usize, String> {
    let (mut one, mut all) = (request.clone(), request.clone());
    for page in 1.. {
        let (mut of_one, (of_all, _)) = (shards.whole.ask(&one).unwrap(), shards.ask(&all));
        of_one.warnings.truncate(of_all.warnings.len());
        if json(&of_one) != json(&of_all) {
            return Err(format!("{request:?}, page {page}: {:#?}\n{:#?}", json(&of_one), json(&of_all)));
        }
        if of_one.next.is_none() || page == 3 {
            return Ok(of_one.total);
        }
        (one.cursor, all.cursor) = (of_one.next, of_all.next);
    }
    unreachable!()
}

/// Names of all kinds: as written, with a typing error, with gaps, of several words, globs, with a container.
const NAMES: &[&str] = &[
    "",
    "merge",
    "mergecache",
    "mrgcch",
    "aquire_cache",
    "merge cache",
    "*_cache",
    "merge.cache",
    "zzzyx",
    "call_12",
    "mwx",
];

fn check_names(shards: &Shards, names: &[String]) -> Result<usize, String> {
    let mut found = 0;
    for name in names {
        for include_scattered in [false, true] {
            let files =
                FilesRequest { include_scattered, max_results: 7, ..FilesRequest::new(name.as_str()) };
            found += check_files(shards, &files)?;
        }
        for kind in [None, Some("fn"), Some("method"), Some("class"), Some("trait")] {
            let kind = kind.map(|kind| kind.parse().unwrap()).into_iter().collect();
            let filter = FilterSpec { kind, ..FilterSpec::default() };
            found += check_symbols(
                shards,
                &SymbolsRequest { filter, max_results: 5, ..SymbolsRequest::new(name.as_str()) },
            )?;
        }
    }
    Ok(found)
}

#[test]
fn names_over_shards_are_found_as_in_one_tree() {
    let shards = shards(21, 160, 4, |part| part == 2);
    let names: Vec<String> = NAMES.iter().map(|name| name.to_string()).collect();
    assert!(check_names(&shards, &names).unwrap() > 1_000);
    let deep = FilesRequest { max_results: 900, cursor: Some("g0-150".to_string()), ..FilesRequest::new("") };
    assert_eq!(shards.ask(&deep).0.files.len(), 10);
}

#[test]
fn random_partitions_find_names_as_in_one_tree() {
    let config = Config {
        cases: crate::support::cases(2, 30) as u32,
        failure_persistence: None,
        max_shrink_iters: 10,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[9; 32]));
    let word = || 0..WORDS.len();
    let names = prop::collection::vec((word(), word(), 0..4usize, 1..8usize), 6);
    let checked =
        runner.run(&(any::<u64>(), 1..150usize, 1..7usize, names), |(seed, n_files, n_parts, names)| {
            let shards = shards(seed, n_files, n_parts, |part| part % 3 == 1);
            let drawn = names.into_iter().map(|(a, b, form, letters)| {
                let whole = [WORDS[a], ["_", "", ".", " "][form], WORDS[b]].concat();
                whole.chars().take(letters * 2).collect::<String>()
            });
            let names: Vec<String> = drawn.collect();
            check_names(&shards, &names).map_err(TestCaseError::fail).map(|_| ())
        });
    checked.unwrap();
}

/// Questions to the code graph about functions, files, places and names that nothing defines.
fn graph_requests(corpus: &Corpus) -> Vec<GraphRequest> {
    let called = corpus.ask(&SymbolsRequest { max_results: 6, ..SymbolsRequest::new("e_") }).unwrap();
    let names = called.symbols.iter().map(|row| row.name.clone());
    let places = called.symbols.iter().take(2).map(|row| format!("{}:{}", row.path, row.lines.first));
    let files = called.symbols.iter().take(2).map(|row| row.path.to_string());
    let others =
        ["call_8", "call_4", "nothing_of_this_name", "shard1:call_4", "elsewhere:call_4"].map(String::from);
    let targets: Vec<String> = names.chain(places).chain(files).chain(others).collect();
    let each =
        |target: &String| GraphQuestion::ALL.map(|question| GraphRequest::new(question, target.as_str()));
    targets.iter().flat_map(each).collect()
}

fn check_trees(shards: &Shards) -> Result<usize, String> {
    let corpus = together(shards);
    let mut found = 0;
    for request in graph_requests(&corpus) {
        let reply = check_together(shards, &corpus, &request)?;
        found += reply["results"].as_array().map_or(0, Vec::len);
        found += reply["mentions"]["possible"].as_u64().unwrap_or(0) as usize;
    }
    for (max_items, depth, path) in
        [(200, 2, None), (30, 1, None), (2, 2, None), (50, 3, Some("merge")), (9, 1, Some("no"))]
    {
        let filter = FilterSpec { path: path.map(String::from), ..FilterSpec::default() };
        check_together(shards, &corpus, &MapRequest { filter, max_items, depth })?;
    }
    for kind in [EntryKind::Route, EntryKind::Command] {
        let reply = check_together(shards, &corpus, &EntriesRequest::new(kind, ""))?;
        found += reply["results"].as_array().map_or(0, Vec::len);
    }
    for question in [
        FileGraphQuestion::Export,
        FileGraphQuestion::Cycles,
        FileGraphQuestion::Orphans,
        FileGraphQuestion::Hubs,
    ] {
        check_together(shards, &corpus, &FileGraphRequest { question, ..FileGraphRequest::default() })?;
    }
    let files = corpus.ask(&FilesRequest::new("")).unwrap().files;
    let paths = files.iter().take(4).map(|row| row.path.clone());
    for path in paths.chain([RelPath::new("no/such_file.rs").unwrap()]) {
        check_together(shards, &corpus, &ReadRequest { path: Some(path), ..ReadRequest::default() })?;
    }
    for name in ["call_8", "merge_cache", "no_such_name"] {
        check_together(
            shards,
            &corpus,
            &ReadRequest { symbol: Some(name.to_string()), ..ReadRequest::default() },
        )?;
    }
    check_together(shards, &corpus, &SkippedRequest::default())?;
    let status = check_together(shards, &corpus, &StatusRequest)?;
    found += status["sources"].as_array().map_or(0, Vec::len);
    Ok(found)
}

/// Tasks with and without start points.
fn pack_requests(corpus: &Corpus) -> Vec<PackRequest> {
    let file = corpus.ask(&FilesRequest::new("")).unwrap().files[3].path.to_string();
    let seeded = |files: &[&str], symbols: &[&str]| PackRequest {
        seed_files: files.iter().map(|own| own.to_string()).collect(),
        seed_symbols: symbols.iter().map(|own| own.to_string()).collect(),
        budget: 3_000,
        ..PackRequest::new("merge the cache")
    };
    let mut requests: Vec<PackRequest> =
        ["merge the cache", "add a route that shows the quota", "zzyzx"].map(PackRequest::new).into();
    requests.extend([
        seeded(&[&file], &[]),
        seeded(&[], &["call_8"]),
        seeded(&[], &["shard1:call_4"]),
        seeded(&["no/such_file.rs"], &[]),
    ]);
    requests.extend([Mode::Debug, Mode::Compact].map(|mode| PackRequest { mode, ..requests[0].clone() }));
    requests
}

/// Asks for packs, page by page. Returns the number of files.
fn check_packs(shards: &Shards) -> Result<usize, String> {
    let (corpus, mut found) = (together(shards), 0);
    for mut request in pack_requests(&corpus) {
        for _ in 0..3 {
            let reply = check_together(shards, &corpus, &request)?;
            found += reply["results"].as_array().map_or(0, Vec::len);
            let Some(next) = reply["next"].as_str() else { break };
            request.cursor = Some(format!("g0-{next}"));
        }
    }
    Ok(found)
}

#[test]
fn packs_over_shards_are_those_of_several_trees() {
    assert!(check_packs(&shards(6, 90, 3, |_| false)).unwrap() > 50);
}

#[test]
fn the_graph_maps_and_files_over_shards_are_those_of_several_trees() {
    assert!(check_trees(&shards(5, 90, 3, |_| false)).unwrap() > 20);
}

#[test]
fn random_partitions_answer_tree_by_tree_as_several_trees_do() {
    let config = Config {
        cases: crate::support::cases(1, 12) as u32,
        failure_persistence: None,
        max_shrink_iters: 4,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[3; 32]));
    let checked = runner.run(&(any::<u64>(), 20..70usize, 1..5usize), |(seed, n_files, n_parts)| {
        let shards = shards(seed, n_files, n_parts, |_| false);
        check_trees(&shards).and_then(|_| check_packs(&shards)).map_err(TestCaseError::fail).map(|_| ())
    });
    checked.unwrap();
}

#[test]
fn notes_over_shards_are_those_of_their_trees() {
    let shards = shards(4, 60, 3, |_| false);
    let mut note = AddNoteRequest::new(NoteKind::Failure, "the cache is merged twice if the window is stale");
    note.links = vec!["common_marker".to_string()];
    for tree in &shards.trees[1..3] {
        let [link] = &engine(tree).ask(&SymbolsRequest::new("")).unwrap().symbols[..1] else { panic!() };
        note.links = vec![format!("{}#{}", link.path, link.name)];
        engine(tree).ask(&note).unwrap();
    }
    let corpus = together(&shards);
    let listed = check_together(&shards, &corpus, &ListNotesRequest::default()).unwrap();
    assert_eq!(listed["total"], 2);
    let found = check_together(&shards, &corpus, &SearchNotesRequest::new("why is the cache merged twice"));
    assert_eq!(found.unwrap()["total"], 2);
}

#[test]
fn a_lost_shard_is_named_by_every_look_up() {
    let shards = shards(2, 60, 3, |_| false);
    let why = "the repositories 'b' and 'c' do not answer";
    let mut files = shards.front.ask(FilesRequest::new(""), &shards.names).unwrap();
    files.lose(1, why);
    let (reply, _) = shards.run(files).unwrap();
    assert_eq!((reply.complete, reply.warnings), (Some(false), vec![why.to_string()]));
    let mut graph =
        shards.front.ask(GraphRequest::new(GraphQuestion::References, "call_8"), &shards.names).unwrap();
    graph.lose(1, why);
    match shards.run(graph) {
        Ok((reply, _)) => assert!(reply.warnings[0].contains(why) && reply.incomplete.is_some(), "{reply:?}"),
        Err(error) => assert!(error.to_string().contains("call_8"), "{error}"),
    }
}
