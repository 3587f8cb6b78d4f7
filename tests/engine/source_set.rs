//! Several trees that are searched as one: the answer is that of one tree with all files.

use spyhop::{
    AddNoteRequest, Corpus, EntriesRequest, EntryKind, FileGraphQuestion, FileGraphRequest, FilterSpec,
    GraphQuestion, GraphRequest, ListNotesRequest, NoteKind, Options, PackReply, PackRequest, ReadReply,
    ReadRequest, Remedy, SearchReply, SearchRequest, SkippedRequest, SkippedRow, SourceName, Verdict,
    ViewsRequest, WhyNotRequest,
};
use spyhop_engine::{Engine, ErrorKind};

use super::same_answers::{as_indexed, requests};
use super::{Random, Tree, exact, generated, options, paths, refresh, rendered};
use crate::support::cases;

fn engine(tree: &Tree) -> Engine {
    let engine = Engine::open(tree.root(), as_indexed(tree)).unwrap();
    refresh(&engine);
    engine
}

fn set(trees: &[(&str, &Tree)]) -> Corpus {
    Corpus::new(trees.iter().map(|(name, tree)| (SourceName::new(name), engine(tree)))).unwrap()
}

/// A reply without the names of the sources.
fn without_sources(reply: &SearchReply) -> serde_json::Value {
    let mut value = rendered(reply);
    for field in ["sources", "answering"] {
        value.as_object_mut().unwrap().remove(field);
    }
    for hit in value["results"].as_array_mut().unwrap() {
        assert!(hit.as_object_mut().unwrap().remove("source").is_some());
    }
    value
}

#[test]
fn any_partition_of_a_tree_answers_as_the_tree_does() {
    for (seed, n_parts) in [(3, 2), (8, 9), (5, 3)].into_iter().take(cases(2, 3)) {
        let mut random = Random(seed);
        let whole = Tree::new("");
        let parts: Vec<Tree> = (0..n_parts).map(|_| Tree::new("")).collect();
        for number in 0..150 {
            let (path, text) = generated(number, &mut random);
            whole.write(&path, &text);
            // A file of the same path was replaced in the whole tree, so it must be in one part only.
            parts.iter().for_each(|part| {
                let _ = std::fs::remove_file(part.root().join(&path));
            });
            parts[random.below(n_parts)].write(&path, &text);
        }
        let names: Vec<String> = (0..n_parts).map(|part| format!("part{part}")).collect();
        let named: Vec<(&str, &Tree)> = names.iter().map(String::as_str).zip(&parts).collect();
        let (engine, set) = (engine(&whole), set(&named));
        let mut found = 0;
        for request in requests() {
            let exhaustive = SearchRequest { exhaustive: true, ..request.clone() };
            for request in [request, exhaustive] {
                let (one, all) = (engine.search(&request).unwrap(), set.ask(&request).unwrap());
                assert_eq!(rendered(&one), without_sources(&all), "{seed}: {}", request.query);
                assert_eq!(exact(&one), exact(&all), "{seed}: {}", request.query);
                assert_eq!(one.snapshot.indexed_files, all.snapshot.indexed_files);
                found += usize::from(!all.results.is_empty());
            }
        }
        assert!(found > requests().len(), "{found}");
    }
}

/// The dictionaries of many sources are filtered from the second question on.
#[test]
fn a_question_is_answered_alike_again_and_again() {
    let trees: Vec<Tree> = (0..12).map(|_| Tree::new("")).collect();
    for (number, tree) in trees.iter().enumerate() {
        tree.write("src/lib.rs", format!("pub fn pour_{number}() {{}}\npub fn grind_beans() {{}}\n"));
    }
    let names: Vec<String> = (0..12).map(|part| format!("part{part}")).collect();
    let set = set(&names.iter().map(String::as_str).zip(&trees).collect::<Vec<_>>());
    for query in ["pour_7", "grind the beans", "pour_13", "pour"] {
        let ask = || exact(&set.ask(&SearchRequest::new(query)).unwrap());
        let first = ask();
        assert_eq!((&ask(), &ask()), (&first, &first), "{query}");
    }
    let found = set.ask(&SearchRequest::new("pour_7")).unwrap();
    assert_eq!(found.results[0].source, Some(SourceName::new("part7")));
}

#[test]
fn a_set_of_one_tree_answers_as_the_tree_does() {
    let tree = Tree::new(crate::support::SMALL);
    let (one, all) = (engine(&tree), set(&[("small", &tree)]));
    for query in ["resolve the api key", "draw_circle", "\"Grind the beans\""] {
        let request = SearchRequest::new(query);
        let (one, all) = (one.ask(&request).unwrap(), all.ask(&request).unwrap());
        assert_eq!(exact(&one), exact(&all), "{query}");
        assert!(all.results.iter().all(|hit| hit.source.as_ref().unwrap().as_str() == "small"));
    }
}

#[test]
fn equal_paths_of_several_trees_are_different_files() {
    let client = Tree::new("\n=== src/lib.rs\npub fn retry_request() {}\n");
    let server = Tree::new("\n=== src/lib.rs\npub fn retry_request() {}\n");
    let reply =
        set(&[("client", &client), ("server", &server)]).ask(&SearchRequest::new("retry_request")).unwrap();
    let sources: Vec<&str> = reply.results.iter().map(|hit| hit.source.as_ref().unwrap().as_str()).collect();
    assert_eq!((paths(&reply), sources), (vec!["src/lib.rs", "src/lib.rs"], vec!["client", "server"]));
    let scores = [reply.results[0].score, reply.results[1].score];
    assert!((scores[0] - scores[1]).abs() < 1e-6, "{scores:?}");
    let roots: Vec<_> = reply.sources.iter().map(|source| source.snapshot.root.clone()).collect();
    assert_eq!(roots, [client.root(), server.root()]);
    assert_eq!(reply.literal_lines, 2);
}

#[test]
fn pages_of_a_set_continue_where_the_page_before_ended() {
    let trees = [Tree::new(""), Tree::new("")];
    for (number, tree) in (0..40).zip(trees.iter().cycle()) {
        tree.write(&format!("src/part{number}.rs"), format!("pub fn merge_{number}_windows() {{}}\n"));
    }
    let set = set(&[("a", &trees[0]), ("b", &trees[1])]);
    let all = set.ask(&SearchRequest { max_results: 50, ..SearchRequest::new("merge windows") }).unwrap();
    let mut paged = Vec::new();
    let mut request = SearchRequest { max_results: 7, ..SearchRequest::new("merge windows") };
    loop {
        let page = set.ask(&request).unwrap();
        paged.extend(exact(&page));
        request.cursor = page.next;
        if request.cursor.is_none() {
            break;
        }
    }
    assert_eq!((paged.len(), paged), (40, exact(&all)));
}

#[test]
fn a_changed_tree_is_updated_before_the_answer() {
    let trees = [Tree::new(crate::support::SMALL), Tree::new("\n=== a.rs\npub fn pour_water() {}\n")];
    let open = |tree: &Tree| Engine::open(tree.root(), options(tree)).unwrap();
    let set =
        Corpus::new([(SourceName::new("one"), open(&trees[0])), (SourceName::new("two"), open(&trees[1]))])
            .unwrap();
    assert!(set.ask(&SearchRequest::new("steep_leaves")).unwrap().results.is_empty());
    trees[1].write("b.rs", "pub fn steep_leaves() {}\n");
    let reply = set.ask(&SearchRequest::new("steep_leaves")).unwrap();
    assert_eq!(paths(&reply), ["b.rs"]);
}

#[test]
fn a_source_that_cannot_answer_is_named_and_the_rest_answers() {
    let trees = [Tree::new(crate::support::SMALL), Tree::new("\n=== a.rs\npub fn pour_water() {}\n")];
    let lost = Tree::new(crate::support::SMALL);
    let never = Options { on_missing: spyhop::OnMissing::Fail, ..as_indexed(&lost) };
    let unindexed = || Engine::open(lost.root(), never.clone()).unwrap();
    let set = Corpus::new([
        (SourceName::new("one"), engine(&trees[0])),
        (SourceName::new("lost"), unindexed()),
        (SourceName::new("two"), engine(&trees[1])),
    ])
    .unwrap();
    let reply = set.ask(&SearchRequest::new("pour_water")).unwrap();
    assert_eq!((paths(&reply)[0], reply.literal_complete), ("a.rs", false));
    assert!(reply.warnings.iter().any(|text| text.contains("source 'lost' does not answer")), "{reply:?}");
    let alone = Corpus::new([(SourceName::new("lost"), unindexed())]).unwrap();
    assert_eq!(alone.ask(&SearchRequest::new("water")).unwrap_err().kind(), ErrorKind::NoIndex);
}

#[test]
fn a_wrong_set_or_request_is_refused() {
    let tree = Tree::new(crate::support::SMALL);
    let name = || SourceName::new("small");
    let none = Corpus::new(std::iter::empty()).err().unwrap();
    let twice = Corpus::new([(name(), engine(&tree)), (name(), engine(&tree))]).err().unwrap();
    assert_eq!([none.kind(), twice.kind()], [ErrorKind::BadRequest; 2]);
    assert!(twice.to_string().contains("'small'"), "{twice}");
    let request = SearchRequest { per_file: 0, ..SearchRequest::new("water") };
    let error = set(&[("small", &tree)]).ask(&request).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadRequest);
}

#[test]
fn quoted_parts_filter_the_files_of_each_tree() {
    let one = Tree::new("\n=== src/lib.rs\n// give up at once\npub fn retry_request() {}\n");
    let other = Tree::new("\n=== src/lib.rs\npub fn retry_request() {}\n");
    let set = set(&[("one", &one), ("other", &other)]);
    let reply = set.ask(&SearchRequest::new("retry +\"give up\"")).unwrap();
    let sources: Vec<&str> = reply.results.iter().map(|hit| hit.source.as_ref().unwrap().as_str()).collect();
    assert_eq!(sources, ["one"]);
}

#[test]
fn secrets_are_masked_if_one_engine_masks_them() {
    let mut random = Random(4);
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let drawn: String = (0..36).map(|_| letters[random.below(letters.len())] as char).collect();
    let token = format!("ghp_{drawn}");
    let code = format!("\n=== src/lib.rs\npub const API_TOKEN: &str = \"{token}\";\n");
    let trees = [Tree::new(&code), Tree::new(&code)];
    for tree in &trees {
        // A file whose content is not ranked: its hit is a line that is read for the answer.
        let rows = "0,1,2,3\n".repeat(300_000);
        tree.write("data.csv", format!("API_TOKEN={token}\n{rows}"));
    }
    let engine = |tree: &Tree, show_secrets: bool| {
        let engine = Engine::open(tree.root(), Options { show_secrets, ..as_indexed(tree) }).unwrap();
        refresh(&engine);
        engine
    };
    for (first, second, is_shown) in [(true, true, true), (true, false, false), (false, true, false)] {
        let set = Corpus::new([
            (SourceName::new("a"), engine(&trees[0], first)),
            (SourceName::new("b"), engine(&trees[1], second)),
        ])
        .unwrap();
        for exhaustive in [false, true] {
            let request = SearchRequest { exhaustive, ..SearchRequest::new("API_TOKEN") };
            let reply = set.ask(&request).unwrap();
            let shown: Vec<&str> = paths(&reply);
            assert!(shown.contains(&"src/lib.rs") && shown.contains(&"data.csv"), "{shown:?}");
            let text = format!("{reply:?}");
            assert_eq!(text.matches(&token).count() > 0, is_shown, "{first} {second} {exhaustive}");
        }
    }
}

/// The source and the place of each row.
fn places<'r>(
    rows: impl Iterator<Item = (&'r Option<SourceName>, &'r spyhop::RelPath)>,
) -> Vec<(&'r str, &'r str)> {
    rows.map(|(source, path)| (source.as_ref().unwrap().as_str(), path.as_str())).collect()
}

#[test]
fn lines_entries_and_notes_of_several_trees_name_their_tree() {
    let route = "from flask import Flask\napp = Flask(__name__)\n\n@app.route('/users')\ndef users():\n    return take()\n";
    let shop = Tree::new("\n=== pool.py\ndef take():\n    return 1\n");
    let till =
        Tree::new("\n=== pool.py\ndef take():\n    return 2\n=== only.py\ndef settle():\n    return 3\n");
    shop.write("app.py", route);
    till.write("web/app.py", route);
    let set = set(&[("shop", &shop), ("till", &till)]);
    let read = |path: &str, symbol: &str| {
        let path = (!path.is_empty()).then(|| spyhop::RelPath::new(path).unwrap());
        let symbol = (!symbol.is_empty()).then(|| symbol.to_string());
        let request = ReadRequest { path, symbol, ..ReadRequest::default() };
        set.ask(&request)
    };
    let text = |reply: Result<ReadReply, spyhop::Error>| match reply.unwrap() {
        ReadReply::Text(text) => (text.source.unwrap().to_string(), text.text.join("\n")),
        other => panic!("{other:?}"),
    };
    // A file of one tree, of a named tree, of both; a definition of one tree, of a named tree, of both; of none.
    assert_eq!(text(read("only.py", "")).0, "till");
    assert_eq!(text(read("till:pool.py", "")).1, "def take():\n    return 2");
    let error = read("pool.py", "").unwrap_err();
    assert!(error.to_string().contains("'shop', 'till'") && error.kind() == ErrorKind::BadRequest, "{error}");
    assert_eq!(text(read("", "settle")), ("till".to_string(), "def settle():\n    return 3".to_string()));
    assert_eq!(text(read("", "shop:take")).1, "def take():\n    return 1");
    let ReadReply::Choices(choices) = read("", "take").unwrap() else { panic!("there are two") };
    let rows = choices.choices.iter().map(|row| (&row.source, &row.path));
    assert_eq!(places(rows), [("shop", "pool.py"), ("till", "pool.py")]);
    assert_eq!(read("", "no_such_name").unwrap_err().kind(), ErrorKind::NotFound);

    let routes = set.ask(&EntriesRequest::new(EntryKind::Route, "")).unwrap();
    let rows = routes.rows.iter().map(|row| (&row.source, &row.path));
    assert_eq!(places(rows), [("shop", "app.py"), ("till", "web/app.py")]);
    assert_eq!((routes.total, routes.sources.len(), routes.incomplete), (2, 2, None));

    for (tree, text) in [(&shop, "The shop takes one"), (&till, "The till takes two")] {
        engine(tree).ask(&AddNoteRequest::new(NoteKind::Failure, text)).unwrap();
    }
    let notes = set.ask(&ListNotesRequest::default()).unwrap();
    let sources: Vec<&str> = notes.notes.iter().map(|row| row.source.as_ref().unwrap().as_str()).collect();
    assert_eq!((sources, notes.total), (vec!["shop", "till"], 2));
    // What is about one tree says so, and why.
    let error = set.ask(&ViewsRequest).unwrap_err().to_string();
    assert!(error.starts_with("views is about one tree, because views are those of one index"), "{error}");

    // A search shows the notes of all trees.
    let notes = set.ask(&SearchRequest { notes: true, ..SearchRequest::new("shop takes") }).unwrap().notes;
    assert_eq!(notes[0].source.as_ref().unwrap().as_str(), "shop");
}

/// Two trees that both have `pool.py`; one of them leaves a file out.
fn shop_and_till() -> (Tree, Tree) {
    let shop = Tree::new(
        "\n=== pool.py\ndef take_lock():\n    return 1\n=== a.py\nimport pool\npool.take_lock()\n=== build/x.py\nx = 1\n",
    );
    let till =
        Tree::new("\n=== pool.py\nimport only\n=== only.py\nimport pool\ndef settle_lock():\n    return 3\n");
    shop.write(".gitignore", "build/\n");
    till.write("x.bin", "\0\u{1}\u{2}");
    (shop, till)
}

#[test]
fn a_path_may_name_its_source() {
    let (shop, till) = shop_and_till();
    let set = set(&[("shop", &shop), ("till", &till)]);
    let search = |path: &str| {
        let filter = FilterSpec { path: Some(path.to_string()), ..FilterSpec::default() };
        set.ask(&SearchRequest { filter, ..SearchRequest::new("lock") })
    };
    let names = |reply: SearchReply| {
        let rows = reply.results.iter().map(|hit| (&hit.source, &hit.path));
        places(rows).into_iter().map(|(name, path)| format!("{name}:{path}")).collect::<Vec<_>>()
    };
    assert_eq!(names(search("shop:pool.py").unwrap()), ["shop:pool.py"]);
    assert_eq!(names(search("till:").unwrap()), ["till:only.py"]);
    let error = search("shpo:pool.py").unwrap_err();
    assert_eq!(error.to_string(), "no source 'shpo' is asked, only 'shop', 'till'; did you mean 'shop'?");
    let path = Some(spyhop::RelPath::new("shpo:pool.py").unwrap());
    let error = set.ask(&ReadRequest { path, ..ReadRequest::default() }).unwrap_err();
    assert!(error.to_string().contains("did you mean 'shop'?"), "{error}");
    let error = set.ask(&GraphRequest::new(GraphQuestion::References, "shpo:pool.py#take")).unwrap_err();
    assert!(error.to_string().contains("did you mean 'shop'?"), "{error}");
    let error = set.ask(&GraphRequest::new(GraphQuestion::References, "zzyzx_quux")).unwrap_err();
    let Some(Remedy::SearchLines { sources, .. }) = error.remedy() else { panic!("{error}") };
    assert_eq!(sources, &["shop", "till"]);
}

#[test]
fn left_out_files_ranks_and_imports_of_several_trees_name_their_tree() {
    let (shop, till) = shop_and_till();
    let set = set(&[("shop", &shop), ("till", &till)]);
    let skipped = |after: Option<&str>| {
        let request = SkippedRequest { after: after.map(str::to_string), ..SkippedRequest::default() };
        let rows = set.ask(&request).unwrap().entries;
        rows.iter().map(SkippedRow::place).collect::<Vec<_>>()
    };
    assert_eq!(skipped(None), ["shop:.gitignore", "shop:build", "till:x.bin"]);
    assert_eq!(skipped(Some("shop:build")), ["till:x.bin"]);

    let why_not = |path: &str| set.ask(&WhyNotRequest::new(path, SearchRequest::new("lock")));
    let found = why_not("only.py").unwrap();
    assert_eq!((found.source.unwrap().as_str(), found.verdict), ("till", Verdict::Ranked));
    let rank = |path: &str| why_not(path).unwrap().rank.unwrap();
    // One ranking over both trees.
    assert_ne!(rank("shop:pool.py"), rank("till:only.py"));
    let error = why_not("pool.py").unwrap_err();
    assert!(error.to_string().contains("the sources 'shop', 'till' have the file"), "{error}");
    let skipped = why_not("build/x.py").unwrap();
    assert_eq!(skipped.source.unwrap().as_str(), "shop");
    assert!(matches!(skipped.verdict, Verdict::Skipped(_)), "{:?}", skipped.verdict);

    let graph = |question| set.ask(&FileGraphRequest { question, ..FileGraphRequest::default() }).unwrap();
    let hubs = graph(FileGraphQuestion::Hubs);
    let files = hubs.files.iter().map(|file| (&file.source, &file.path));
    assert_eq!(places(files), [("shop", "pool.py"), ("till", "only.py"), ("till", "pool.py")]);
    let cycles = serde_json::to_value(graph(FileGraphQuestion::Cycles)).unwrap();
    assert_eq!(cycles["cycles"], serde_json::json!([["till:only.py", "till:pool.py"]]));
    let export = serde_json::to_value(graph(FileGraphQuestion::Export)).unwrap();
    let edges: Vec<_> =
        export["edges"].as_array().unwrap().iter().map(|edge| edge["source"].clone()).collect();
    assert_eq!(edges, ["shop", "till", "till"]);
}

#[test]
fn a_pack_of_several_trees_divides_its_budget() {
    let (shop, till) = shop_and_till();
    let set = set(&[("shop", &shop), ("till", &till)]);
    let pack = |request: &PackRequest| set.ask(request).unwrap();
    let files = |reply: &PackReply| {
        let files = reply.files.iter().map(|file| (&file.source, &file.path));
        places(files).into_iter().map(|(name, path)| format!("{name}:{path}")).collect::<Vec<_>>()
    };
    let request = PackRequest { budget: 3_000, ..PackRequest::new("settle the lock that was taken") };
    let reply = pack(&request);
    let found = files(&reply);
    assert!(
        found.contains(&"till:only.py".to_string()) && found.contains(&"shop:pool.py".to_string()),
        "{found:?}"
    );
    assert!(reply.budget == 3_000 && reply.tokens <= 3_000 && reply.sources.len() == 2);
    // A start point is of the source that it names, or of each source that has it.
    let seeds = |files: &[&str], symbols: &[&str]| PackRequest {
        seed_files: files.iter().map(|text| text.to_string()).collect(),
        seed_symbols: symbols.iter().map(|text| text.to_string()).collect(),
        ..request.clone()
    };
    let first = |request: &PackRequest| files(&pack(request))[0].clone();
    assert_eq!(first(&seeds(&["shop:a.py"], &[])), "shop:a.py");
    assert_eq!(first(&seeds(&["a.py"], &[])), "shop:a.py");
    assert_eq!(first(&seeds(&[], &["settle_lock"])), "till:only.py");
    let error = set.ask(&seeds(&["no.py"], &[])).unwrap_err().to_string();
    assert!(error.contains("seed_file 'no.py' is in no source"), "{error}");
    let error = set.ask(&seeds(&["shpo:a.py"], &[])).unwrap_err().to_string();
    assert!(error.contains("did you mean 'shop'?"), "{error}");
}

#[test]
fn what_is_open_in_several_trees_is_summed_or_named() {
    let shop = Tree::new("\n=== pool.py\ndef take():\n    return 1\n\ndef run(x):\n    x.take()\n");
    let till =
        Tree::new("\n=== pool.py\ndef take():\n    return 2\n\ndef run(x, y):\n    x.take()\n    y.take()\n");
    let user = Tree::new("\n=== user.py\ndef run(x):\n    x.take()\n");
    let set = set(&[("shop", &shop), ("till", &till), ("user", &user)]);
    let reply = set.ask(&spyhop::GraphRequest::new(spyhop::GraphQuestion::Callers, "take")).unwrap();
    let mentions = reply.mentions.as_ref().unwrap();
    assert_eq!((mentions.total, mentions.possible), (6, 4), "{mentions:?}");
    let why = reply.incomplete.unwrap().text;
    assert_eq!(why, "4 of 6 mentions may be uses that no rule proves");
}
