//! The evaluation harness as a program, on small trees: what it prints, writes and refuses. How the measures come out of
//! a list is tested beside them; `measures.rs` compares them with another implementation.

mod measures;
#[path = "../support/skip.rs"]
mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use serde_json::Value;
use spyhop::{ActivitySource, Call, Feature, Profile, SearchRequest, Signal, Transform};

/// A folder with trees, sets and what the program writes.
struct Folder {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

/// A tree of three files, and questions about it: found, shared by two targets, in lines, and not found at all.
const SMALL: &str = r#"
=== trees/web/auth.rs
/// Resolves the secret of a provider.
pub fn resolve_api_key(provider: &str) -> String {
    format!("secret of {provider}")
}

pub struct Vault;
=== trees/web/paint.py
def draw_circle(radius):
    """Draws a circle on the canvas."""
    return canvas.arc(radius)
=== trees/web/guide.md
# Brewing

Grind the beans, then pour the water.
=== web.toml
corpus = "web"
language = "rust"

[[queries]]
id = "key"
kind = "semantic"
query = "where is the api key resolved"
relevant = ["web/auth.rs", { path = "auth.rs", lines = [1, 4], grade = 2 }]

[[queries]]
id = "circle"
query = "draw_circle"
relevant = ["paint.py"]

[[queries]]
id = "water"
query = "pour the water"
relevant = ["guide.md", "auth.rs"]
"#;

impl Folder {
    fn new(text: &str) -> Folder {
        let folder = Folder { folder: tempfile::tempdir().unwrap() };
        for part in text.split("\n=== ").skip(1) {
            let (path, content) = part.split_once('\n').unwrap();
            let path = folder.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{}\n", content.trim_end())).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, words: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_spyhop-eval"));
        let ran = command.args(words.split_whitespace()).current_dir(self.folder.path()).output().unwrap();
        Ran {
            code: ran.status.code().unwrap(),
            out: String::from_utf8(ran.stdout).unwrap(),
            err: String::from_utf8(ran.stderr).unwrap(),
        }
    }

    /// The output of a run that must succeed.
    fn ok(&self, words: &str) -> String {
        let ran = self.run(words);
        assert_eq!(ran.code, 0, "{words}: {}", ran.err);
        ran.out
    }

    /// The message of a run that must be refused.
    fn refused(&self, words: &str) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}");
        ran.err
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

/// The cells of the first row of a table of `out` whose first cell is `label`.
fn row<'o>(out: &'o str, label: &str) -> Vec<&'o str> {
    let cells = |line: &'o str| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>();
    out.lines().map(cells).find(|cells| cells[0] == label).unwrap_or_else(|| panic!("no {label} in {out}"))
}

/// A run file without its times.
fn timeless(text: &str) -> Vec<Value> {
    let without = |line: &str| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        for name in ["ms", "index_ms"] {
            row.as_object_mut().unwrap().remove(name);
        }
        row
    };
    text.lines().map(without).collect()
}

#[test]
fn a_run_measures_and_writes_the_same_each_time() {
    let folder = Folder::new(SMALL);
    let out = folder.ok("run web.toml --trees trees --out a.jsonl");
    assert_eq!(row(&out, "set")[2..8], ["NDCG@10", "MRR@10", "MAP@50", "recall@10", "success@1", "tokens"]);
    // "key" has two targets at the first hit: 2 / (2 + 1 / log2 3), and recall 1. "circle" has one, at the first.
    assert_eq!(row(&out, "semantic")[1..7], ["1", "0.760", "1.000", "0.500", "1.000", "1.000"]);
    assert_eq!(row(&out, "names")[1..7], ["1", "1.000", "1.000", "1.000", "1.000", "1.000"]);
    assert_eq!((row(&out, "web")[1], row(&out, "rust")[1]), ("3", "3"));
    assert_eq!(row(&out, "all")[1..3], ["3", "3"], "files, and how many were parsed");

    folder.ok("run web.toml --trees trees --out b.jsonl --index-dir kept --repeat 3 --threads 2");
    folder.ok("run web.toml --trees trees --out c.jsonl --index-dir kept");
    let [a, b, c] = ["a.jsonl", "b.jsonl", "c.jsonl"].map(|name| timeless(&folder.read(name)));
    assert_eq!(a[2..], b[2..]);
    assert_eq!(a[2..], c[2..]);
    assert_eq!((&a[1]["parsed"], &c[1]["parsed"]), (&3.into(), &0.into()), "a kept index is used again");
}

#[test]
fn queries_and_trees_are_chosen() {
    let folder = Folder::new(SMALL);
    let out = folder.ok("run web.toml --trees trees --kind names --lang rust --only web -k 5 --depth 5");
    assert_eq!(row(&out, "web")[1], "1");
    let out = folder.ok("run web.toml --trees trees --worst 9");
    assert!(out.contains("\n0.613 water: pour the water\n      ranks 1,-\n"), "{out}");
    assert!(!out.contains("circle: draw_circle"), "{out}");
    let error = folder.refused("run web.toml --trees trees --kind riddle");
    assert!(
        error.contains("--kind: nothing is called 'riddle'; choose of: names, semantic, words"),
        "{error}"
    );
    let error = folder.refused("run web.toml --trees trees --depth 5");
    assert!(error.contains("--depth 5 is less than -k 10"), "{error}");
}

#[test]
fn a_tree_that_is_missing_is_named_and_left_out() {
    let gone = "\n=== more.jsonl\n{\"corpus\": \"web\", \"query\": \"draw_circle\", \"relevant\": [\"paint.py\"]}\n\
                {\"corpus\": \"gone\", \"query\": \"x\", \"relevant\": [\"y\"]}\n";
    let folder = Folder::new(&format!("{SMALL}{gone}"));
    let ran = folder.run("run more.jsonl --trees trees");
    assert_eq!((ran.code, row(&ran.out, "more")[1]), (0, "1"));
    assert!(ran.out.ends_with("left out, not there: more/gone\n"), "{}", ran.out);
    assert_eq!(ran.err, "left out, not there: gone\n");
    assert!(folder.refused("run more.jsonl --trees trees --only gone").contains("no tree is there"));
}

#[test]
fn trees_may_lie_in_several_folders() {
    let more = "\n=== others/pub/menu.py\ndef brew():\n    return 1\n\
                \n=== more.jsonl\n{\"corpus\": \"pub\", \"query\": \"brew\", \"relevant\": [\"menu.py\"]}\n";
    let folder = Folder::new(&format!("{SMALL}{more}"));
    let out = folder.ok("run web.toml more.jsonl --trees trees --trees others");
    assert_eq!((row(&out, "web")[1], row(&out, "more")[1..3].to_vec()), ("3", vec!["1", "1.000"]));
    let error = folder.refused("run web.toml --trees trees --trees gone");
    assert!(error.contains("--trees: there is no folder gone"), "{error}");
}

#[test]
fn a_bad_set_is_refused_with_its_place() {
    let folder = Folder::new(&SMALL.replace("relevant = [\"paint.py\"]", "relevant = []"));
    let error = folder.refused("run web.toml --trees trees");
    assert!(error.starts_with("error: web.toml:13: a query has no target; expected "), "{error}");
}

#[test]
fn runs_are_compared() {
    let folder = Folder::new(SMALL);
    folder.ok("run web.toml --trees trees --out a.jsonl");
    let out = folder.ok("compare a.jsonl a.jsonl");
    let cells = row(&out, "all");
    assert_eq!(cells[4..], ["+0.0000", "+0.0000", "+0.0000", "1.0000", "0", "0", "3"]);
    // The list of "circle" loses its first hit.
    let mut rows = timeless(&folder.read("a.jsonl"));
    let circle = rows.iter_mut().find(|row| row["id"] == "circle").unwrap();
    circle["hits"].as_array_mut().unwrap().remove(0);
    rows.iter_mut().for_each(|row| (row["ms"], row["index_ms"]) = (0.into(), 0.into()));
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    fs::write(folder.path("b.jsonl"), lines).unwrap();
    let out = folder.ok("compare a.jsonl b.jsonl");
    assert_eq!(row(&out, "names")[2..5], ["1.0000", "0.0000", "-1.0000"]);
    assert!(out.contains("worse  -1.000 circle: draw_circle\n       ranks 1 -> -\n"), "{out}");
    assert!(folder.refused("compare a.jsonl web.toml").contains("web.toml:1: "));
}

/// Three more trees for a profile to be learned from; their questions are answered by the file whose name does not say
/// what the text says.
fn teachers() -> String {
    let mut out = SMALL.to_string();
    let mut questions = String::new();
    for (tree, words) in
        [("tea", ["kettle", "cup"]), ("ink", ["bottle", "quill"]), ("ink@9", ["paper", "blot"])]
    {
        for word in words {
            out += &format!(
                "\n=== more/{tree}/src/{word}.py\ndef other():\n    return 0\n\n\
                             \n=== more/{tree}/src/part_{}.py\ndef fill_{word}():\n    \"\"\"Fills the {word}.\"\"\"\n\n",
                word.len()
            );
            questions += &format!(
                "{{\"corpus\": \"{tree}\", \"query\": \"fill the {word}\", \"relevant\": [\"part_{}.py\"]}}\n",
                word.len()
            );
        }
    }
    out + "\n=== more.jsonl\n" + &questions
}

#[test]
fn weights_are_learned_the_same_each_time_and_ranked_by() {
    let folder = Folder::new(&teachers());
    // Names of files outweigh everything, which the questions say is wrong.
    let mut wrong = Profile::built_in().clone();
    for (feature, weight) in [("file-name.value", 20.0), ("defined-name.value", 0.01)] {
        wrong.set_weight(None, feature.parse().unwrap(), weight);
    }
    wrong.name = "wrong".to_string();
    fs::write(folder.path("wrong.toml"), wrong.to_toml()).unwrap();
    let fit = "fit web.toml more.jsonl --trees trees --trees more --index-dir kept --profile wrong.toml --name mine --seeds 2 --names 0";
    let out = folder.ok(&format!("{fit} --out a.toml"));
    let more = row(&out, "more");
    assert!(more[2].parse::<f64>().unwrap() < 0.8 && more[3] == "1.0000", "{out}");
    // Two revisions of one repository are held out together.
    assert_eq!(row(&out, "set")[1..4], ["queries", "NDCG@10 start", "held out"]);
    assert_eq!((row(&out, "all")[1], row(&out, "more")[1], row(&out, "web")[1]), ("9", "6", "3"), "{out}");
    assert_eq!(out, folder.ok(&format!("{fit} --out b.toml --threads 1")));
    let text = folder.read("a.toml");
    assert_eq!(text, folder.read("b.toml"));
    let head = "# Fitted, not written: spyhop-eval fit web more --name mine --folds 8 --seed 1 --seeds 2 --strength 0.1 \
                --kinds 1.5 --names 0\n#\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains(" learned from 6 of 9 queries about 4 trees; from the profile 'wrong "), "{text}");
    assert!(text.contains("3 folds, means of seeds 1 to 2:\n#   more: 6 queries, "), "{text}");
    let profile = Profile::parse(&text).unwrap();
    assert_eq!(
        (profile.name.as_str(), profile.to_toml()),
        ("mine", text[text.find("name = ").unwrap()..].to_string())
    );
    for kind in spyhop::QueryKind::ALL {
        let weight = |name: &str| profile.weight(kind, name.parse().unwrap());
        let start = |name: &str| Profile::built_in().weight(kind, name.parse().unwrap());
        assert_eq!(weight("sibling.value"), start("sibling.value"));
        assert!(weight("lexical.rank") >= 0.0 && weight("test.value") <= 0.0);
        assert_ne!(weight("lexical.relative"), start("lexical.relative"));
    }
    folder.ok("run web.toml more.jsonl --trees trees --trees more --profile a.toml");
}

#[test]
fn scores_are_learned_and_judged() {
    let folder = Folder::new(&teachers());
    let fit = "fit-scores web.toml more.jsonl --trees trees --trees more --index-dir kept --foreign 6";
    folder.ok(&format!("{fit} --out a.toml"));
    folder.ok(&format!("{fit} --out b.toml"));
    assert_eq!(folder.read("a.toml"), folder.read("b.toml"));
    let (start, learned) = (Profile::built_in(), Profile::parse(&folder.read("a.toml")).unwrap());
    assert_ne!(learned.scores, start.scores);
    let feature = "lexical.rank".parse().unwrap();
    assert!(
        spyhop::QueryKind::ALL
            .iter()
            .all(|kind| { (learned.weight(*kind, feature) - start.weight(*kind, feature)).abs() < 1e-3 })
    );
    // Scores change, the order does not.
    let run = "run web.toml more.jsonl --trees trees --trees more --index-dir kept --out";
    folder.ok(&format!("{run} x.jsonl"));
    folder.ok(&format!("{run} y.jsonl --profile a.toml"));
    let compared = folder.ok("compare x.jsonl y.jsonl");
    assert_eq!(row(&compared, "all")[1], "9", "{compared}");
    let judged = folder.ok(&format!("{fit} --judge --profile a.toml"));
    assert_eq!(row(&judged, "more")[1], "6", "{judged}");
    assert!(row(&judged, "foreign")[1].parse::<usize>().unwrap() >= 3, "{judged}");
    assert!(folder.refused(fit).contains("--out"));
}

/// What the fit takes for granted: a file's sum under a profile is nothing but weights times what it measures.
#[test]
fn weights_times_measures_are_the_sum() {
    let folder = Folder::new(&teachers());
    let options = spyhop::Options { index_dir: Some(folder.path("index")), ..spyhop::Options::default() };
    let engine = spyhop::Engine::open(folder.path("more"), options).unwrap();
    for (at, text) in
        ["fill the kettle", "fill_quill", "where does fill_cup fill the cup", "other"].iter().enumerate()
    {
        let mut profile = Profile::built_in().clone();
        let features = || {
            Signal::ALL
                .iter()
                .flat_map(|signal| Transform::ALL.map(|transform| Feature { signal: *signal, transform }))
        };
        for (folder, feature) in features().enumerate() {
            profile.set_weight(None, feature, ((folder + at) % 7) as f32 * 0.1 - 0.2);
        }
        let profile = Arc::new(profile);
        let request = SearchRequest { profile: Some(Arc::clone(&profile)), ..SearchRequest::new(*text) };
        let call = Call::default().with_session(ActivitySource::Ignored);
        let candidates = engine.candidates(&request, &call).unwrap();
        assert!(candidates.files.len() > 1, "{text}");
        for file in &candidates.files {
            let sum: f32 = features()
                .filter(|feature| feature.signal != Signal::Sibling)
                .map(|feature| profile.weight(candidates.kind, feature) * file.measure(feature))
                .sum();
            assert!((sum - file.sum).abs() < 1e-3, "{text}: {} {sum} {}", file.path.as_str(), file.sum);
        }
    }
}

#[test]
fn a_fit_without_enough_repositories_is_refused() {
    let folder = Folder::new(&teachers());
    let check = |words: &str, expected: &str| {
        let error = folder.refused(&format!("fit {words} --out a.toml"));
        assert!(error.contains(expected), "{error}");
        assert!(!folder.path("a.toml").exists());
    };
    check("web.toml --trees trees", "repositories held out; give two or more");
    check("more.jsonl --trees more --only ink,ink@9", "repositories held out; give two or more");
    check("web.toml --trees more", "no tree is there; missing: web/web");
    check("web.toml more.jsonl --trees more --trees trees --strength 0", "choose a number above 0");
}

#[test]
fn a_profile_is_ranked_by() {
    let folder = Folder::new(SMALL);
    let mut profile = Profile::built_in().clone();
    profile.name = "mine".to_string();
    profile.set_weight(None, "definition.value".parse().unwrap(), -20.0);
    fs::write(folder.path("mine.toml"), profile.to_toml()).unwrap();
    folder.ok("run web.toml --trees trees --profile mine.toml --out a.jsonl");
    folder.ok("run web.toml --trees trees --out b.jsonl");
    let [a, b] = ["a.jsonl", "b.jsonl"].map(|name| timeless(&folder.read(name)));
    assert!(a[0]["profile"].as_str().unwrap().starts_with("mine "));
    assert_ne!(a[2..], b[2..]);
    let error = folder.refused("run web.toml --trees trees --profile web.toml");
    assert!(error.contains("profile version 0 is not"), "{error}");
}

/// A path as an argument.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn corpora_are_fetched_and_verified() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/eval/fetch.py");
    let ran = Command::new("python3").arg(script).output().expect("python3 is needed for this test");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}
