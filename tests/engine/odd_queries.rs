//! Questions of any characters: no operation panics, and a panic in one query of several loses that query only.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use spyhop::{
    ExtraTerms, HostSignal, Options, Profile, SearchBatch, SignalInput, SignalValue, TokenizerHook,
    Transform, WhyNotRequest,
};
use spyhop_engine::api::{
    FilesRequest, GraphQuestion, GraphRequest, GrepRequest, PackRequest, ReadRequest, SearchNotesRequest,
    SearchRequest, StalePolicy, SymbolsRequest,
};
use spyhop_engine::{Cancel, Engine, Error, ErrorKind};
use spyhop_search::filter::FilterSpec;

use super::{options, refresh};
use crate::support::{SMALL, Tree};

/// Pieces of questions: words of the tree, signs that the parsers of queries treat specially, and blanks and letters of
/// several bytes.
const PIECES: &str = "resolve_api_key¦draw_circle¦Größe¦größe¦kahve_ölçü¦x¦7¦Ölçü.döndür¦ ¦\n¦\t¦\u{3000}¦\u{a0}¦\
    \u{85}¦\u{2028}¦\u{feff}¦\u{200b}¦\r\n¦=¦: ¦. ¦ (¦'¦\"¦`¦+\"¦\\¦/¦::¦->¦#L¦:12¦-¦- ¦1. ¦• ¦*¦[¦\
    ]¦{¦}¦%s¦$¦!¦?¦|¦&¦~¦é\u{301}¦ﬃ¦İ¦ß¦字¦検索¦👩\u{200d}💻¦\u{202e}¦\0¦\u{1b}[1m¦and¦then¦add¦\
    File \"a.py\", line 3¦src/größe.py:2¦at ";

const ODD: &str = "
=== src/größe.py
def größe(ölçü):
    \"\"\"Verbindung 'x\u{a0}= y'\u{3000}failed: %s.\"\"\"
    raise ValueError(f\"x = {ölçü}\u{3000}z ist zu groß\")


class Ölçü:
    def döndür(self):
        return größe('検索\u{3000}字')
";

fn odd_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES.split('¦').collect::<Vec<_>>()).prop_map(str::to_string),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 1..14).prop_map(|pieces| pieces.concat())
}

/// Fails for a panic, which the engine reports as a fault of the program.
fn sound<T>(what: &str, text: &str, answer: Result<T, Error>) {
    if let Err(error) = answer {
        assert_ne!(error.kind(), ErrorKind::Internal, "{what} {text:?}: {error}");
    }
}

fn ask_all(engine: &Engine, text: &str) {
    let search = SearchRequest { min_score: Some(0.0), expand: 1, ..SearchRequest::new(text) };
    sound("search", text, engine.search(&search));
    let queries = [text.to_string(), "circle".to_string(), text.chars().rev().collect()];
    sound("batch", text, engine.ask(&SearchBatch::new(queries.to_vec(), search.clone())));
    sound("pack", text, engine.ask(&PackRequest { budget: 600, ..PackRequest::new(text) }));
    for fixed in [true, false] {
        sound("grep", text, engine.ask(&GrepRequest { fixed, rank: fixed, ..GrepRequest::new(text) }));
    }
    sound("files", text, engine.ask(&FilesRequest::new(text)));
    sound("symbols", text, engine.ask(&SymbolsRequest::new(text)));
    sound(
        "read",
        text,
        engine.ask(&ReadRequest { symbol: Some(text.to_string()), ..ReadRequest::default() }),
    );
    sound("why-not", text, engine.ask(&WhyNotRequest { path: "src/größe.py".into(), search }));
    sound("notes", text, engine.ask(&SearchNotesRequest::new(text)));
    for question in [GraphQuestion::References, GraphQuestion::Impact] {
        sound("graph", text, engine.ask(&GraphRequest::new(question, text)));
    }
    let texts = vec![text.to_string()];
    let filter = FilterSpec { path_globs: texts.clone(), exclude: texts, ..FilterSpec::default() };
    sound("filter", text, engine.search(&SearchRequest { filter, ..SearchRequest::new("circle") }));
}

#[test]
fn questions_of_any_characters_are_answered() {
    let tree = Tree::new(&format!("{SMALL}{ODD}"));
    let engine = Engine::open(tree.root(), options(&tree)).unwrap();
    refresh(&engine);
    let engine =
        engine.with_policy(spyhop::CallPolicy { stale_policy: StalePolicy::Ignore, ..engine.policy() });
    for blank in ["\u{3000}", "\u{a0}", "\u{85}", "\u{2028}"] {
        ask_all(&engine, &format!("x = y{blank}z is too large"));
        ask_all(&engine, &format!("{blank}'größe'{blank}= 7: döndür{blank}"));
    }
    let cases = std::env::var("SPYHOP_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(24);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    proptest!(config, |(text in odd_text())| ask_all(&engine, &text));
}

/// A hook that panics at one word, in the tokenizer of the index or of a query.
struct Panics;

impl TokenizerHook for Panics {
    fn fingerprint(&self) -> String {
        "panics".to_string()
    }

    fn extra_terms(&self, word: &str) -> Vec<String> {
        assert_ne!(word, "explode", "no terms");
        Vec::new()
    }
}

#[test]
fn a_panic_of_one_query_is_the_error_of_that_query() {
    let tree = Tree::new(SMALL);
    let extra_terms = ExtraTerms::of(Panics);
    let engine = Engine::open(tree.root(), Options { extra_terms, ..options(&tree) }).unwrap();
    refresh(&engine);
    let request = SearchRequest::new("");
    let asked = |queries: &[&str]| {
        let queries: Vec<String> = queries.iter().map(|query| query.to_string()).collect();
        engine.ask(&SearchBatch::new(queries.to_vec(), request.clone()))
    };
    let whole = asked(&["draw circle", "provider secret"]).unwrap();
    let reply = asked(&["explode", "draw circle", "explode", "provider secret"]).unwrap();
    let paths = |reply: &spyhop::SearchReply| {
        reply.results.iter().map(|hit| hit.path.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(paths(&reply), paths(&whole));
    let places: Vec<usize> = reply.results.iter().filter_map(|hit| hit.query_index).collect();
    assert!(places.contains(&1) && places.contains(&3), "{places:?}");
    let lost: Vec<_> = reply.warnings.iter().filter(|text| text.contains("is not answered")).collect();
    assert!(lost.len() == 2 && lost[0].starts_with("the query 'explode' is not answered: "), "{lost:?}");
    assert!(whole.literal_complete && !reply.literal_complete);

    for error in [
        engine.search(&SearchRequest::new("explode")).unwrap_err(),
        asked(&["explode", "explode"]).unwrap_err(),
        engine.ask(&PackRequest::new("explode")).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
        assert!(error.to_string().contains("no terms"), "{error}");
    }
    assert!(!engine.search(&SearchRequest::new("draw circle")).unwrap().results.is_empty());
}

/// A signal that cancels the call at one query, and panics at another.
struct Watches {
    cancel: Cancel,
    asked: Arc<Mutex<Vec<String>>>,
}

impl HostSignal for Watches {
    fn name(&self) -> &str {
        "watches"
    }

    fn measure(&self, input: &SignalInput<'_>) -> Option<SignalValue> {
        self.asked.lock().unwrap().push(input.query.to_string());
        assert_ne!(input.query, "explode circle", "no measure");
        if input.query == "draw circle 3" {
            self.cancel.cancel();
        }
        None
    }
}

#[test]
fn a_batch_ends_between_queries_and_loses_the_one_whose_ranking_panics() {
    let tree = Tree::new(SMALL);
    let (cancel, asked) = (Cancel::default(), Arc::new(Mutex::new(Vec::new())));
    let watches = Watches { cancel: cancel.clone(), asked: Arc::clone(&asked) };
    let signals = vec![Arc::new(watches) as Arc<dyn HostSignal>].into();
    let engine = Engine::open(tree.root(), Options { signals, ..options(&tree) }).unwrap();
    refresh(&engine);
    let mut profile = Profile::built_in().clone();
    profile.set_own_weight("watches", None, Transform::Value, 0.1);
    let request = SearchRequest { profile: Some(Arc::new(profile)), ..SearchRequest::new("") };
    let queries: Vec<String> = (0..10).map(|number| format!("draw circle {number}")).collect();
    let cancelled =
        Engine::cancellable(&cancel, || engine.ask(&SearchBatch::new(queries.to_vec(), request.clone())))
            .unwrap_err();
    assert_eq!(cancelled.kind(), ErrorKind::Cancelled);
    let asked = asked.lock().unwrap().clone();
    assert!(asked.iter().any(|query| query == "draw circle 3"), "{asked:?}");
    assert!(asked.iter().all(|query| query.as_str() <= "draw circle 3"), "{asked:?}");

    let queries = ["explode circle", "draw circle"].map(str::to_string);
    let reply = engine.ask(&SearchBatch::new(queries.to_vec(), request.clone())).unwrap();
    assert!(reply.results.iter().all(|hit| hit.query_index == Some(1)) && !reply.results.is_empty());
    let lost = reply.warnings.iter().find(|text| text.contains("is not answered")).unwrap();
    assert!(lost.contains("'explode circle'") && lost.contains("fault of the program"), "{lost}");
    assert_eq!(
        engine.ask(&SearchBatch::new(queries[..1].to_vec(), request.clone())).unwrap_err().kind(),
        ErrorKind::Internal
    );
}
