//! Signals and terms that a host adds.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use spyhop::{
    Engine, ErrorKind, ExtraTerms, HostSignal, MemoryTree, Options, PlaceInput, Profile, QueryKind,
    SearchReply, SearchRequest, SignalInput, SignalValue, SymbolKind, TokenizerHook, Transform,
};

use crate::support::{Tree, ask, check_alike, first, refresh, requests};

/// Prefers one folder, and counts its calls.
struct Preferred {
    folder: &'static str,
    calls: Arc<AtomicUsize>,
}

impl HostSignal for Preferred {
    fn name(&self) -> &str {
        "preferred"
    }

    fn measure(&self, input: &SignalInput<'_>) -> Option<SignalValue> {
        self.calls.fetch_add(1, Relaxed);
        assert!(!input.query.is_empty() && input.lines > 0);
        input.path.starts_with(self.folder).then(|| SignalValue::new(1.5, format!("in {}", self.folder)))
    }
}

fn with(signals: Vec<Arc<dyn HostSignal>>) -> Options {
    Options { signals: signals.into(), ..Options::default() }
}

fn weighed(name: &str, transform: Transform, weight: f32) -> Option<Arc<Profile>> {
    let mut profile = Profile::built_in().clone();
    profile.set_own_weight(name, None, transform, weight);
    Some(Arc::new(profile))
}

#[test]
fn the_order_follows_the_weight_and_the_reasons_add_up() {
    let tree = Tree::mixed(120);
    let calls = Arc::new(AtomicUsize::new(0));
    let signal = Preferred { folder: "src/", calls: Arc::clone(&calls) };
    let engine = Engine::in_memory(tree.memory(), with(vec![Arc::new(signal)])).unwrap();
    let place = |transform, weight| {
        let profile = weighed("preferred", transform, weight);
        let request =
            SearchRequest { profile, max_results: 50, ..SearchRequest::new("the token of a provider") };
        let reply = engine.search(&request).unwrap();
        for hit in &reply.results {
            let total: f32 = hit.reasons.iter().map(|reason| reason.contribution).sum();
            assert!((total - hit.score).abs() < 1e-4, "{weight}: {total} is not {}", hit.score);
            let reasons: Vec<_> =
                hit.reasons.iter().filter(|reason| reason.text.starts_with("preferred: ")).collect();
            assert_eq!(reasons.len(), usize::from(weight != 0.0 && hit.path.as_str().starts_with("src/")));
            assert!(
                reasons
                    .iter()
                    .all(|reason| reason.contribution * weight > 0.0 && reason.text == "preferred: in src/")
            );
        }
        reply.results.iter().position(|hit| hit.path.as_str() == "src/auth.rs")
    };
    for transform in Transform::ALL {
        let plain = place(transform, 0.0).unwrap();
        assert_eq!(place(transform, 20.0), Some(0), "{transform:?}");
        assert!(place(transform, -20.0).is_none_or(|at| at > plain), "{transform:?}");
    }
    assert!(calls.load(Relaxed) > 0);
}

#[test]
fn a_signal_without_a_weight_changes_no_bit_and_is_not_asked() {
    let tree = Tree::mixed(60);
    let calls = Arc::new(AtomicUsize::new(0));
    let signal = Preferred { folder: "src/", calls: Arc::clone(&calls) };
    let plain = Engine::in_memory(tree.memory(), Options::default()).unwrap();
    let engine = Engine::in_memory(tree.memory(), with(vec![Arc::new(signal)])).unwrap();
    check_alike(&plain, &engine, &requests(), "without a weight");
    let zero = |request: SearchRequest| SearchRequest {
        profile: weighed("preferred", Transform::Value, 0.0),
        ..request
    };
    let requests: Vec<SearchRequest> = requests().into_iter().map(zero).collect();
    check_alike(&plain, &engine, &requests, "a weight of 0");
    assert_eq!(calls.load(Relaxed), 0);
}

/// Prefers the places whose text has a mark.
struct Marked(Arc<AtomicUsize>);

impl HostSignal for Marked {
    fn name(&self) -> &str {
        "marked"
    }

    fn measure(&self, _: &SignalInput<'_>) -> Option<SignalValue> {
        None
    }

    fn measure_place(&self, input: &PlaceInput<'_>) -> Option<SignalValue> {
        self.0.fetch_add(1, Relaxed);
        assert_eq!((input.kind, input.container), (SymbolKind::Fn, None));
        assert!(input.text.contains(input.name.unwrap()) && input.file.path.ends_with(".rs"));
        input.text.contains("MARK").then(|| SignalValue::new(1.0, format!("line {}", input.lines.first)))
    }
}

#[test]
fn a_signal_of_places_chooses_among_the_places_and_has_a_reason() {
    let calls = Arc::new(AtomicUsize::new(0));
    let plain = "pub fn one_token() {\n    open(token);\n}\n\npub fn two_token() {\n    open(token);\n}\n";
    let marked = plain.replace("two_token() {\n", "two_token() { // MARK\n");
    let tree = MemoryTree::of([("a.rs", plain.to_string()), ("b.rs", marked)]).unwrap();
    let engine = Engine::in_memory(tree, with(vec![Arc::new(Marked(Arc::clone(&calls)))])).unwrap();
    let answer = |weight: f32| -> SearchReply {
        let mut profile = Profile::built_in().clone();
        profile.set_own_place_weight("marked", None, weight);
        let profile = Some(Arc::new(profile));
        let reply =
            engine.search(&SearchRequest { profile, ..SearchRequest::new("open the token") }).unwrap();
        for hit in &reply.results {
            let total: f32 = hit.reasons.iter().map(|reason| reason.contribution).sum();
            assert!((total - hit.score).abs() < 1e-4, "{weight}: {total} is not {}", hit.score);
            let reasons: Vec<_> =
                hit.reasons.iter().filter(|reason| reason.text == "marked: line 5").collect();
            let is_marked = hit.path.as_str() == "b.rs" && hit.symbol.as_deref() == Some("two_token");
            assert_eq!(reasons.len(), usize::from(is_marked && weight != 0.0), "{hit:?}");
            assert!(reasons.iter().all(|reason| reason.contribution * weight >= 0.0), "{reasons:?}");
            assert!(weight < 3.0 || reasons.iter().all(|reason| reason.contribution > 0.0), "{reasons:?}");
        }
        reply
    };
    let first_of_b = |weight: f32| {
        let reply = answer(weight);
        let hit = reply.results.iter().find(|hit| hit.path.as_str() == "b.rs").unwrap();
        hit.symbol.clone().unwrap()
    };
    assert_eq!(first_of_b(0.0), "one_token");
    assert_eq!(calls.load(Relaxed), 0);
    assert_eq!(first_of_b(3.0), "two_token");
    assert!(calls.load(Relaxed) > 0);
    assert_eq!(first_of_b(-3.0), "one_token");
}

#[test]
fn a_profile_is_written_and_read_with_own_weights() {
    let mut profile = Profile::built_in().clone();
    assert_eq!(profile.own_signals().count(), 0);
    profile.set_own_weight("recent", Some(QueryKind::Words), Transform::Rank, 0.25);
    profile.set_own_place_weight("near", Some(QueryKind::Names), 1.5);
    let again = Profile::parse(&profile.to_toml()).unwrap();
    assert_eq!(again.to_toml(), profile.to_toml());
    assert_eq!(again.own_weights(QueryKind::Words, "recent"), [0.0, 0.0, 0.25]);
    assert_eq!(again.own_weights(QueryKind::Names, "recent"), [0.0; 3]);
    assert_eq!(again.own_place_weight(QueryKind::Names, "near"), 1.5);
    assert_eq!(again.own_place_weight(QueryKind::Words, "near"), 0.0);
    assert_eq!(again.own_signals().collect::<Vec<_>>(), ["near", "recent"]);
    let broken = profile.to_toml().replace("words = 0.2500", "words = nan");
    assert!(Profile::parse(&broken).unwrap_err().to_string().contains("own.recent"));
}

#[test]
fn wrong_names_are_refused() {
    struct Named(&'static str);
    impl HostSignal for Named {
        fn name(&self) -> &str {
            self.0
        }
        fn measure(&self, _: &SignalInput<'_>) -> Option<SignalValue> {
            None
        }
    }
    for (names, said) in [
        (vec!["lexical"], "'lexical' is a built-in signal"),
        (vec!["a b"], "'a b'"),
        (vec!["own1", "own1"], "two signals"),
    ] {
        let signals = names.into_iter().map(|name| Arc::new(Named(name)) as Arc<dyn HostSignal>).collect();
        let error = Engine::in_memory(MemoryTree::new(), with(signals)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::BadRequest);
        assert!(error.to_string().contains(said), "{error}");
    }
    let engine = Engine::in_memory(Tree::small().memory(), Options::default()).unwrap();
    let request =
        SearchRequest { profile: weighed("misspelt", Transform::Value, 1.0), ..SearchRequest::new("key") };
    let error = engine.search(&request).unwrap_err();
    assert!(error.kind() == ErrorKind::BadRequest && error.to_string().contains("misspelt"), "{error}");
}

/// Gives compounds their parts.
struct Compounds(u32);

impl TokenizerHook for Compounds {
    fn fingerprint(&self) -> String {
        format!("compounds {}", self.0)
    }

    fn extra_terms(&self, word: &str) -> Vec<String> {
        let parts: &[&str] = match word.to_lowercase().as_str() {
            "tokenwechsel" => &["wechsel", "token", "no term", ""],
            _ => &[],
        };
        parts.iter().map(|part| part.to_string()).collect()
    }
}

#[test]
fn terms_of_a_host_are_found_and_are_another_index() {
    let tree = MemoryTree::of([
        ("a.rs", "/// Der Tokenwechsel.\npub fn tokenwechsel() {}\n"),
        ("b.rs", "pub fn other() {}\n"),
    ])
    .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let open = |extra_terms: ExtraTerms| {
        let index_dir = Some(folder.path().to_path_buf());
        Engine::in_memory(tree.clone(), Options { index_dir, extra_terms, ..Options::default() }).unwrap()
    };
    let plain = open(ExtraTerms::default());
    assert_eq!(refresh(&plain).parsed, 2);
    assert!(ask(&plain, "wechsel zeigen").results.is_empty());
    let one = open(ExtraTerms::of(Compounds(1)));
    assert_eq!(refresh(&one).parsed, 2, "what the hook adds is not in the index of before");
    assert_eq!(first(&one, "wechsel zeigen").as_deref(), Some("tokenwechsel"));
    assert_eq!(refresh(&open(ExtraTerms::of(Compounds(1)))).parsed, 0);
    assert_eq!(refresh(&open(ExtraTerms::of(Compounds(2)))).parsed, 2, "the version of the hook counts");
    assert_eq!(refresh(&open(ExtraTerms::default())).parsed, 0, "the index without a hook is as it was");
}

#[test]
fn a_hit_below_the_first_files_shows_the_symbol_that_a_host_term_names() {
    // Only the first files are divided into places; the symbol of another hit is chosen by the terms of its name.
    let text = "pub fn leer() {}\n\npub fn tokenwechsel() {}\n";
    let tree = MemoryTree::of((0..20).map(|number| (format!("a{number}.rs"), text))).unwrap();
    let options = Options { extra_terms: ExtraTerms::of(Compounds(1)), ..Options::default() };
    let engine = Engine::in_memory(tree, options).unwrap();
    let request = SearchRequest { max_results: 50, ..SearchRequest::new("wechsel token") };
    let reply = engine.search(&request).unwrap();
    let symbols: Vec<_> = reply.results.iter().map(|hit| hit.symbol.as_deref()).collect();
    assert!(symbols.len() >= 20, "{symbols:?}");
    assert!(symbols.iter().all(|symbol| *symbol == Some("tokenwechsel")), "{symbols:?}");
}
