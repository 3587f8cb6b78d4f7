//! Shards that are asked in rounds: the answer is that of one tree with all files, bit for bit.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use spyhop::{
    Corpus, ExtraTerms, FilesRequest, FilterSpec, GrepReply, GrepRequest, Options, Profile, SearchBatch,
    SearchReply, SearchRequest, SourceName, TokenizerHook, Verdict, ViewsRequest, WhyNot, WhyNotRequest,
};
use spyhop_engine::federated::{Federation, FederationError, FederationStep, Front, IdentityPart, Searcher};
use spyhop_engine::{Engine, Operation};

use super::same_answers::{as_indexed, requests};
use super::{Random, Tree, WORDS, exact, generated, options, refresh, rendered};

/// A tree, and the same files dealt to shards.
pub struct Shards {
    pub whole: Engine,
    searchers: Vec<Searcher>,
    pub names: Vec<String>,
    pub front: Arc<Front>,
    pub trees: Vec<Tree>,
}

/// Files that were dealt to trees, and a tree with all of them.
pub struct DealtTrees {
    pub parts: Vec<Tree>,
    whole: Tree,
}

impl DealtTrees {
    /// A shard for each tree, or for two trees from those on for which `begins_pair` is true.
    pub fn shards(self, begins_pair: impl Fn(usize) -> bool) -> Shards {
        let mut searchers: Vec<Searcher> = Vec::new();
        let mut left = self.parts.iter().enumerate().peekable();
        while let Some((number, first)) = left.next() {
            let named =
                |number: usize, tree: &Tree| (SourceName::new(&format!("tree{number}")), engine(tree));
            let corpus = match left.peek() {
                Some((next, _)) if begins_pair(*next) => {
                    let (next, second) = left.next().unwrap();
                    Corpus::new([named(number, first), named(next, second)]).unwrap()
                }
                _ => Corpus::from(&engine(first)),
            };
            searchers.push(Searcher::new(corpus));
        }
        let names = (0..searchers.len()).map(|shard| format!("shard{shard}")).collect();
        let whole = engine(&self.whole);
        let front = Arc::new(Front::new().unwrap());
        let trees = self.parts.into_iter().chain([self.whole]).collect();
        Shards { whole, searchers, names, front, trees }
    }
}

/// What a question cost.
#[derive(Default)]
pub struct Cost {
    pub rounds: usize,
    most_bytes: usize,
    /// By shard: the messages to it.
    messages: Vec<usize>,
}

pub fn engine(tree: &Tree) -> Engine {
    let engine = Engine::open(tree.root(), as_indexed(tree)).unwrap();
    refresh(&engine);
    engine
}

impl Shards {
    /// Generated files, dealt to shards, some of which have several trees.
    fn new(seed: u64, n_files: usize, n_parts: usize) -> Shards {
        Shards::dealt(seed, (n_files, n_parts), |number, text| match number % 3 {
            0 => text + "// as_written in the second pass of the common_marker\n",
            _ => text,
        })
        .shards(|part| part % 3 == 2)
    }

    /// Generated files in the folders `team0`, `team1` and so on, each of which is a shard.
    fn of_folders(seed: u64, n_files: usize, n_parts: usize) -> Shards {
        let mut random = Random(seed);
        let mut trees: Vec<Tree> = (0..=n_parts).map(|_| Tree::new("")).collect();
        for number in 0..n_files {
            let (path, text) = generated(number, &mut random);
            let (part, text) = (random.below(n_parts), text + "// as_written, or \"will merge the\" cache\n");
            for tree in [part, n_parts] {
                trees[tree].write(&format!("team{part}/{path}"), &text);
            }
        }
        let whole = trees.pop().unwrap();
        DealtTrees { parts: trees, whole }.shards(|_| false)
    }

    /// Generated files with what `text` makes of their texts, dealt to trees; the last tree has all files.
    pub fn dealt(
        seed: u64,
        (n_files, n_parts): (usize, usize),
        text: impl Fn(usize, String) -> String,
    ) -> DealtTrees {
        let mut random = Random(seed);
        let mut trees: Vec<Tree> = (0..=n_parts).map(|_| Tree::new("")).collect();
        for number in 0..n_files {
            let (path, own) = generated(number, &mut random);
            let own = text(number, own);
            trees[n_parts].write(&path, &own);
            trees[random.below(n_parts)].write(&path, &own);
        }
        let whole = trees.pop().unwrap();
        DealtTrees { parts: trees, whole }
    }

    fn search(&self, request: &SearchRequest) -> (SearchReply, Cost) {
        self.ask(request)
    }

    /// The answer to a request over the shards.
    pub fn ask<O: Operation + Send + Sync + 'static>(&self, request: &O) -> (O::Reply, Cost) {
        self.run(self.front.ask(request.clone(), &self.names).unwrap()).unwrap()
    }

    pub fn run<T>(&self, mut federation: Federation<T>) -> Result<(T, Cost), FederationError> {
        let mut cost = Cost { messages: vec![0; self.searchers.len()], ..Cost::default() };
        loop {
            match federation.step()? {
                FederationStep::Answer(reply) => return Ok((*reply, cost)),
                FederationStep::Ask(messages) => {
                    assert!(!messages.is_empty() && cost.rounds < 20, "the question does not end");
                    cost.rounds += 1;
                    for (shard, message) in messages {
                        let reply = self.searchers[shard].answer(&message);
                        cost.messages[shard] += 1;
                        cost.most_bytes = cost.most_bytes.max(message.len()).max(reply.len());
                        federation.take(shard, &reply)?;
                    }
                }
                _ => unreachable!(),
            }
        }
    }

    /// Asks the tree and the shards alike. Answers must be equal wherever both are complete.
    fn check(&self, request: &SearchRequest) -> Result<bool, String> {
        let one = self.whole.search(request).unwrap();
        let (all, _) = self.search(request);
        check_equal(&one, &all, &request.query)?;
        Ok(!one.results.is_empty())
    }
}

fn check_equal(one: &SearchReply, all: &SearchReply, what: &str) -> Result<(), String> {
    let pairs = exact(one).into_iter().zip(exact(all));
    if let Some((one, all)) = pairs.clone().find(|(one, all)| one != all) {
        return Err(format!("{what}:\n{one}\nis over shards\n{all}"));
    }
    if rendered(one) != rendered(all) {
        return Err(format!("{what}:\n{}\nis over shards\n{}", rendered(one), rendered(all)));
    }
    match one.snapshot.indexed_files == all.snapshot.indexed_files {
        true => Ok(()),
        false => Err(format!("{what}: {} files over shards", all.snapshot.indexed_files)),
    }
}

/// Questions of all kinds: with a typing error, quoted parts, frames, code, few hits of a file, an excess of literal matches.
fn varied() -> Vec<SearchRequest> {
    let mut requests = requests();
    let texts = [
        "aquire the cache",
        "acquirecache",
        "mergeWindow",
        "\"will merge the\"",
        "+\"will acquire\" cache",
        "\"no file holds this\"",
        "Traceback\n  File \"key/merge_cache_1.py\", line 4, in notify_order\nValueError: journal 7",
        "common_marker",
        "pass of the common_marker",
        "as_written",
        "in the second pass of",
        "common_mar",
        "a",
        "?!",
        "zzyzx",
        "Acquire",
        "cache zzyzxes",
    ];
    requests.extend(texts.map(SearchRequest::new));
    for (per_file, min_score, expand) in [(1, None, 0), (2, Some(0.3), 2)] {
        let mut request = SearchRequest::new("merge the cache window");
        (request.per_file, request.min_score, request.expand) = (per_file, min_score, expand);
        requests.push(request);
    }
    for text in ["common_marker", "Will merge the", "\"as_written\"", "merge the cache", "aquire the cache"] {
        let (exhaustive, max_results) = (true, 30);
        requests.push(SearchRequest { exhaustive, max_results, per_file: 1, ..SearchRequest::new(text) });
    }
    let kind = |kind: &str| FilterSpec { kind: vec![kind.parse().unwrap()], ..FilterSpec::default() };
    requests.push(SearchRequest { filter: kind("fn"), ..SearchRequest::new("notify order_quota") });
    requests.push(SearchRequest { filter: kind("class"), ..SearchRequest::new("common_marker") });
    requests
}

fn check_all(shards: &Shards, requests: &[SearchRequest]) -> Result<usize, String> {
    let mut found = 0;
    for request in requests {
        found += usize::from(shards.check(request)?);
    }
    Ok(found)
}

#[test]
fn a_partition_answers_as_the_tree_does() {
    let shards = Shards::new(11, 150, 5);
    assert!(shards.searchers.len() > 2);
    let requests = varied();
    let found = check_all(&shards, &requests).unwrap();
    assert!(found * 4 > requests.len() * 3, "{found} of {}", requests.len());
}

#[test]
fn the_budget_of_the_literal_pass_is_dealt_out() {
    // More files hold the texts than the pass reads, with the reserve and without it.
    let shards = Shards::new(5, 1_300, 4);
    for query in ["pass of the common_marker", "common_marker", "as_written", "in the second pass of"] {
        let one = shards.whole.search(&SearchRequest::new(query)).unwrap();
        assert!(!one.literal_complete && one.literal_lines > 100, "{query}: {}", one.literal_lines);
        let (all, cost) = shards.search(&SearchRequest::new(query));
        check_equal(&one, &all, query).unwrap();
        assert!(cost.rounds <= 7, "{query}: {}", cost.rounds);
    }
}

#[test]
fn pages_and_batches_over_shards_are_those_of_the_tree() {
    let shards = Shards::new(3, 200, 3);
    for query in ["merge the cache", "acquire"] {
        let (mut one, mut all) = (SearchRequest::new(query), SearchRequest::new(query));
        for page in 1..=3 {
            let (of_one, (of_all, _)) = (shards.whole.search(&one).unwrap(), shards.search(&all));
            check_equal(&of_one, &of_all, &format!("{query}, page {page}")).unwrap();
            assert_eq!(of_one.results.len(), 10, "{query}, page {page}");
            (one.cursor, all.cursor) = (of_one.next, of_all.next);
        }
    }
    let queries: Vec<String> =
        ["merge the cache", "common_marker", "aquire a token"].map(String::from).into();
    let request = SearchRequest { max_results: 30, ..SearchRequest::new("") };
    let batch = SearchBatch::new(queries, request);
    let one = shards.whole.ask(&batch).unwrap();
    let (all, cost) = shards.ask(&batch);
    check_equal(&one, &all, "a batch").unwrap();
    assert!(one.results.iter().any(|hit| hit.query_index == Some(2)) && cost.rounds <= 7, "{}", cost.rounds);
}

#[test]
fn a_profile_is_not_answered_from_the_evidence_of_another() {
    let shards = Shards::new(4, 60, 2);
    let text = Profile::built_in().to_toml().replace("k1 = 1.2", "k1 = 0.3");
    let other = Some(Arc::new(Profile::parse(&text).unwrap()));
    let plain = SearchRequest::new("merge the cache window");
    let weighed = SearchRequest { profile: other, ..plain.clone() };
    let (one, all) = (shards.whole.search(&plain).unwrap(), shards.whole.search(&weighed).unwrap());
    assert!(check_equal(&one, &all, "the profiles").is_err());
    for request in [&plain, &weighed, &plain] {
        shards.check(request).unwrap();
    }
}

#[test]
fn lines_over_shards_are_those_of_the_tree() {
    let shards = Shards::new(9, 120, 4);
    let json = |reply: &GrepReply| {
        let mut value = serde_json::to_value(reply).unwrap();
        value.as_object_mut().unwrap().remove("snapshot");
        value
    };
    for (pattern, enclosing, max_count) in [
        ("common_marker", true, None),
        (r"fn \w+_cache", false, None),
        ("the", false, Some(1)),
        ("zzz", false, None),
    ] {
        let mut request = GrepRequest::new(pattern);
        (request.enclosing, request.max_count, request.max_results) = (enclosing, max_count, 15);
        // With a limit for each file, the total counts further lines in the context of the page.
        request.expand = u32::from(max_count.is_none());
        for page in 1..=3 {
            let one = shards.whole.ask(&request).unwrap();
            let (all, cost) = shards.ask(&request);
            assert_eq!((json(&one), 1), (json(&all), cost.rounds), "{pattern}, page {page}");
            assert_eq!(one.lines.is_empty(), pattern == "zzz", "{pattern}, page {page}");
            request.cursor = one.next;
            if request.cursor.is_none() {
                break;
            }
        }
    }
    let mut federation = shards.front.ask(GrepRequest::new("common_marker"), &shards.names).unwrap();
    federation.lose(0, "the repository 'a' does not answer");
    let (reply, _) = shards.run(federation).unwrap();
    assert_eq!(reply.incomplete.unwrap().text, "the repository 'a' does not answer");
}

#[test]
fn lines_in_ranked_files_are_those_of_the_tree() {
    let shards = Shards::new(10, 150, 5);
    let json = |reply: &GrepReply| {
        let mut value = serde_json::to_value(reply).unwrap();
        value.as_object_mut().unwrap().remove("snapshot");
        (value, reply.file_ranks.clone())
    };
    let (mut n_pages, mut most_rounds) = (0, 0);
    for (pattern, fixed, kind, max_count) in [
        ("common_marker", true, None, None),
        (r"fn \w+_cache", false, None, None),
        ("merge|window", false, None, Some(1)),
        ("the", false, Some("fn"), None),
        (r#""as_written""#, true, None, None),
        (r"[{}]", false, None, None),
        ("zzz", false, None, None),
    ] {
        let kind = kind.map(|kind: &str| kind.parse().unwrap()).into_iter().collect();
        let mut request = GrepRequest { rank: true, fixed, max_count, ..GrepRequest::new(pattern) };
        (request.max_results, request.enclosing, request.filter.kind) = (12, true, kind);
        for page in 1..=4 {
            let one = shards.whole.ask(&request).unwrap();
            let (all, cost) = shards.ask(&request);
            assert_eq!(json(&one), json(&all), "{pattern}, page {page}");
            (n_pages, most_rounds) = (n_pages + 1, cost.rounds.max(most_rounds));
            request.cursor = one.next;
            if request.cursor.is_none() {
                break;
            }
        }
    }
    assert!(n_pages > 15 && most_rounds <= 6, "{n_pages} pages, {most_rounds} rounds");
}

#[test]
fn the_rank_of_a_file_is_that_in_the_tree() {
    let dealt = Shards::dealt(12, (300, 4), |_, text| text + "// a second pass of the scheduler\n");
    let shards = dealt.shards(|part| part == 2);
    let all = FilesRequest { max_results: 300, ..FilesRequest::new("") };
    let files = shards.whole.ask(&all).unwrap().files;
    let mut verdicts = std::collections::BTreeSet::new();
    for query in ["merge the cache", "second pass of the scheduler", "zzyzx", "aquire"] {
        for path in files.iter().step_by(29).map(|row| row.path.as_str()).chain(["no/such_file.rs"]) {
            for kind in ["class", ""] {
                let kind = kind.parse().into_iter().collect();
                let filter = FilterSpec { kind, ..FilterSpec::default() };
                let request = WhyNotRequest::new(path, SearchRequest { filter, ..SearchRequest::new(query) });
                let (one, (all, _)) = (shards.whole.ask(&request).unwrap(), shards.ask(&request));
                let json = |told: &WhyNot| {
                    let mut value = serde_json::to_value(told).unwrap();
                    value.as_object_mut().unwrap().remove("structure");
                    value
                };
                verdicts.insert(format!("{:?}", one.verdict));
                if one.verdict != Verdict::NoSuchFile {
                    assert_eq!(json(&one), json(&all), "{query}, {path}");
                }
                assert_eq!(one.verdict, all.verdict);
            }
        }
    }
    let seen: Vec<&str> = verdicts.iter().map(String::as_str).collect();
    assert_eq!(seen, ["NoSuchFile", "NoTerm", "NotRescored", "Ranked"]);
}

#[test]
fn an_exhaustive_search_over_shards_has_the_files_without_indexed_text() {
    // Files of this size are known by their paths only.
    let dealt = Shards::dealt(6, (80, 3), |number, text| match number % 20 {
        0 => format!("{text}{}the needle_of_text\n", "filler words\n".repeat(90_000)),
        _ => text,
    });
    let shards = dealt.shards(|part| part == 1);
    let mut n_unranked = 0;
    for (text, kind) in [("needle_of_text", None), ("merge", None), ("needle_of_text", Some("fn"))] {
        let kind = kind.map(|kind: &str| kind.parse().unwrap()).into_iter().collect();
        let filter = FilterSpec { kind, ..FilterSpec::default() };
        let request = SearchRequest { exhaustive: true, max_results: 50, filter, ..SearchRequest::new(text) };
        let (one, all) = (shards.whole.search(&request).unwrap(), shards.search(&request).0);
        check_equal(&one, &all, text).unwrap();
        n_unranked += one.results.iter().filter(|hit| hit.lines.first > 90_000).count();
    }
    assert_eq!(n_unranked, 4);
}

#[test]
fn a_usual_question_takes_three_rounds_of_small_messages() {
    let shards = Shards::new(8, 300, 4);
    for query in
        ["how to merge the cache before the window", "merge_cache", "acquire token", "quota of a session"]
    {
        let (reply, cost) = shards.search(&SearchRequest::new(query));
        assert_eq!((reply.results.len(), cost.rounds), (10, 3), "{query}");
        assert!(cost.most_bytes < 100_000, "{query}: {}", cost.most_bytes);
    }
}

#[test]
fn a_shard_without_files_of_the_filter_tells_statistics_only() {
    let shards = Shards::of_folders(15, 190, 4);
    let in_team2 = FilterSpec { path: Some("team2".to_string()), ..FilterSpec::default() };
    let nowhere = FilterSpec { path_globs: vec!["nowhere/**".to_string()], ..FilterSpec::default() };
    for mut request in varied() {
        for filter in [&in_team2, &nowhere] {
            request.filter = filter.clone();
            shards.check(&request).unwrap();
        }
    }
    for query in [
        "how to merge the cache before the window",
        "merge_cache",
        "quota session update",
        "\"will merge the\"",
    ] {
        let request = SearchRequest { filter: in_team2.clone(), ..SearchRequest::new(query) };
        let (reply, cost) = shards.search(&request);
        let others = [0, 1, 3].map(|shard| cost.messages[shard]);
        assert_eq!((reply.results.len(), others), (10, [cost.messages[2] - 2; 3]), "{query}");
    }
}

#[test]
fn random_partitions_answer_as_the_tree_does() {
    let cases = crate::support::cases(2, 40) as u32;
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 10, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]));
    let words = prop::collection::vec(0..WORDS.len(), 1..6);
    let partitions = (any::<u64>(), 1..260usize, 1..9usize, prop::collection::vec(words, 8));
    let checked = runner.run(&partitions, |(seed, n_files, n_parts, queries)| {
        let shards = Shards::new(seed, n_files, n_parts);
        let drawn = queries.iter().map(|words| {
            let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
            SearchRequest { max_results: 50, ..SearchRequest::new(words.join(" ")) }
        });
        let requests: Vec<SearchRequest> = varied().into_iter().chain(drawn).collect();
        check_all(&shards, &requests).map_err(TestCaseError::fail).map(|_| ())
    });
    checked.unwrap();
}

#[test]
fn a_lost_shard_is_named_and_the_answer_is_not_complete() {
    let shards = Shards::new(2, 60, 3);
    let mut federation = shards.front.ask(SearchRequest::new("merge the cache"), &shards.names).unwrap();
    federation.lose(1, "the repositories 'b' and 'c' do not answer");
    let (reply, _) = shards.run(federation).unwrap();
    assert!(!reply.literal_complete && !reply.results.is_empty());
    assert_eq!(reply.warnings, ["the repositories 'b' and 'c' do not answer"]);
    // The other shards alone rank otherwise, which the comparison of these tests notices.
    let whole = shards.whole.search(&SearchRequest::new("merge the cache")).unwrap();
    assert!(check_equal(&whole, &reply, "without a shard").is_err());
}

#[test]
fn a_shard_that_changes_during_a_question_is_asked_again() {
    let tree = Tree::new(crate::support::SMALL);
    let searcher = Searcher::new(Corpus::from(&Engine::open(tree.root(), options(&tree)).unwrap()));
    let front = Arc::new(Front::new().unwrap());
    let mut federation = front.ask(SearchRequest::new("steep_leaves"), &["small".to_string()]).unwrap();
    let mut rounds = 0;
    let reply = loop {
        let messages = match federation.step().unwrap() {
            FederationStep::Answer(reply) => break reply,
            FederationStep::Ask(messages) => messages,
            _ => unreachable!(),
        };
        rounds += 1;
        if rounds == 3 {
            tree.write("tea.rs", "pub fn steep_leaves() {}\n");
            refresh(&Engine::open(tree.root(), options(&tree)).unwrap());
        }
        for (shard, message) in messages {
            federation.take(shard, &searcher.answer(&message)).unwrap();
        }
    };
    assert_eq!(reply.results[0].path.as_str(), "tea.rs");
    let whole = Engine::open(tree.root(), as_indexed(&tree)).unwrap();
    check_equal(&whole.search(&SearchRequest::new("steep_leaves")).unwrap(), &reply, "after the change")
        .unwrap();
}

/// A hook that changes the fingerprint of the tokenizer and nothing else.
struct NoTerms;

impl TokenizerHook for NoTerms {
    fn fingerprint(&self) -> String {
        "none".to_string()
    }

    fn extra_terms(&self, _word: &str) -> Vec<String> {
        Vec::new()
    }
}

#[test]
fn a_foreign_shard_is_refused_by_name() {
    let tree = Tree::new(crate::support::SMALL);
    let foreign = Options { extra_terms: ExtraTerms::of(NoTerms), ..options(&tree) };
    let searcher = Searcher::new(Corpus::from(&Engine::open(tree.root(), foreign).unwrap()));
    let front = Arc::new(Front::new().unwrap());
    let mut federation = front.ask(SearchRequest::new("tea"), &["alien".to_string()]).unwrap();
    let FederationStep::Ask(messages) = federation.step().unwrap() else { panic!("nothing to ask") };
    let refused = federation.take(0, &searcher.answer(&messages[0].1)).unwrap_err();
    match &refused {
        FederationError::Refused { shard, part, .. } => {
            assert_eq!((shard.as_str(), *part), ("alien", IdentityPart::Tokenizer));
        }
        other => panic!("{other}"),
    }
    assert!(refused.to_string().starts_with("the shard 'alien' is refused: its fingerprint"), "{refused}");
}

#[test]
fn what_is_no_message_is_an_error() {
    let tree = Tree::new(crate::support::SMALL);
    let searcher = Searcher::new(Corpus::from(&engine(&tree)));
    let front = Arc::new(Front::new().unwrap());
    let names = ["small".to_string()];
    let mut federation = front.ask(SearchRequest::new("tea"), &names).unwrap();
    let FederationStep::Ask(messages) = federation.step().unwrap() else { panic!("nothing to ask") };
    assert!(matches!(federation.take(0, b"junk"), Err(FederationError::BadReply { .. })));
    assert!(matches!(federation.take(0, &messages[0].1), Err(FederationError::BadReply { .. })));
    let cut = &messages[0].1[..messages[0].1.len() - 3];
    assert!(matches!(federation.take(0, &searcher.answer(cut)), Err(FederationError::Shard { .. })));
    assert!(matches!(front.ask(ViewsRequest, &names), Err(FederationError::NotFederated(_))));
    let request = SearchRequest { max_results: 0, ..SearchRequest::new("tea") };
    assert!(matches!(front.ask(request, &names), Err(FederationError::Front(_))));
}
