//! Runs of the evaluation: side by side, and with other weights.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::Page;
use crate::support::{SMALL, Tree};

const HEADER: &str = r#"{"row":"header","format":1,"version":"0","profile":"p","sets":["s"],"k":10,"depth":20,"repeat":1,"threads":0,"missing":[]}"#;
const TREE: &str = r#"{"row":"tree","set":"s","tree":"t","folder":"t","language":"-","files":1,"chunks":1,"source_bytes":1,"index_bytes":1,"parsed":1,"index_ms":1.0}"#;

/// A query whose first target is hit at `rank`.
fn query(id: &str, kind: &str, rank: usize) -> String {
    let hit = |at: usize| {
        json!({ "path": format!("{at}.rs"), "lines": { "first": 1, "last": 2 }, "score": 0.5, "chars": 3,
            "targets": if at == rank { vec![0] } else { vec![] } })
    };
    json!({
        "row": "query", "set": "s", "tree": "t", "folder": "t", "language": "-", "id": id, "kind": kind, "query": "q",
        "targets": [{ "path": "a.rs", "grade": 1 }], "ms": 1.5, "hits": (1..=3).map(hit).collect::<Vec<_>>(),
    })
    .to_string()
}

/// A folder beside a tree with two runs, and one file that is no run.
pub fn with_runs(tree: &Tree) -> PathBuf {
    let folder = tree.index_dir().with_file_name("runs");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, rows: &[String]| {
        let text = format!("{HEADER}\n{TREE}\n{}\n", rows.join("\n"));
        std::fs::write(folder.join(name), text).unwrap();
    };
    write("one.jsonl", &[query("1", "names", 1), query("2", "words", 2), query("3", "words", 9)]);
    write("two.jsonl", &[query("1", "names", 2), query("2", "words", 1), query("3", "words", 9)]);
    std::fs::write(folder.join("bad.jsonl"), "{}\n").unwrap();
    folder
}

fn served() -> (Tree, Page, PathBuf) {
    let tree = Tree::new(SMALL);
    let folder = with_runs(&tree);
    let page = Page::new(&tree, &["--eval", folder.to_str().unwrap()]);
    (tree, page, folder)
}

#[test]
fn two_runs_side_by_side() {
    let (_tree, page, _) = served();
    let runs = page.json("eval/runs");
    let names: Vec<&Value> = runs["runs"].as_array().unwrap().iter().map(|run| &run["name"]).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(runs["failed"][0]["name"], "bad");
    let reply = page.json("eval/compare?a=one&b=two");
    assert_eq!((&reply["wins"], &reply["losses"], &reply["ties"]), (&json!(1), &json!(1), &json!(1)));
    let second = 1.0 / 3f64.log2();
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(near(&reply["mean"]["a"], (1.0 + second) / 3.0), "{reply}");
    assert_eq!(reply["kinds"].as_array().unwrap().len(), 2);
    assert!(near(&reply["kinds"][0]["a"], 1.0) && near(&reply["kinds"][0]["b"], second), "{reply}");
    let rows = reply["queries"].as_array().unwrap();
    assert!(near(&rows[0]["difference"], second - 1.0), "{reply}");
    assert_eq!((&rows[0]["b"]["ranks"], &rows[2]["a"]["ranks"]), (&json!([2]), &json!([null])));
    let query = page.json("eval/query?run=two&set=s&id=1");
    assert_eq!(query["hits"][1]["targets"], json!([0]));
    assert_eq!(page.get("/api/v1/eval/query?run=two&set=s&id=9").status, 404);
    for name in ["..%2Fone", "%2Fetc%2Fpasswd", "none", ".hidden"] {
        assert_eq!(page.get(&format!("/api/v1/eval/compare?a={name}")).status, 404, "{name}");
    }
}

#[test]
fn other_weights_change_the_order_and_are_saved() {
    let (tree, page, folder) = served();
    tree.write("src/draw.py", "def sketch():\n    return draw_circle\n");
    let weights = json!({ "words": { "file-name.value": 90.0 }, "names": { "file-name.value": 90.0 } });
    let begun = std::time::Instant::now();
    let reply = loop {
        let answer =
            page.post("eval/rerank", &json!({ "q": "draw a circle on the canvas", "weights": weights }));
        assert_eq!(answer.status, 200, "{}", answer.text());
        let reply = answer.json();
        // The file is found once its change is in the index.
        if reply["before"].as_array().unwrap().len() > 1 {
            break reply;
        }
        assert!(begun.elapsed().as_secs() < 60, "{reply}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert_eq!(reply["before"][0]["path"], "src/paint.py", "{reply}");
    assert_eq!(reply["reply"]["results"][0]["path"], "src/draw.py", "{reply}");
    assert_eq!(reply["moves"][0]["after"], 1, "{reply}");

    let profile = page.json("eval/profile");
    assert!(profile["weights"].as_array().unwrap().len() > 50, "{profile}");
    let save = |name: &str, replaces: bool| {
        page.post("eval/profile", &json!({ "name": name, "weights": weights, "replaces": replaces }))
    };
    assert_eq!(save("mine", false).json()["file"], "mine.toml");
    assert!(folder.join("mine.toml").is_file());
    let again = save("mine", false);
    assert!(again.status == 400 && again.text().contains("replaces"), "{}", again.text());
    assert_eq!(save("mine", true).status, 200);
    let saved = page.json("eval/profile?name=mine");
    assert_eq!((&saved["name"], &saved["profiles"]), (&json!("mine"), &json!(["mine"])));
    for name in ["../mine", "a/b", ".x", ""] {
        assert_eq!(save(name, false).status, 400, "{name}");
    }
    let wrong = json!({ "q": "a", "weights": { "words": { "no-such.value": 1.0 } } });
    assert_eq!(page.post("eval/rerank", &wrong).status, 400);
}

#[test]
fn without_a_folder_nothing_is_shown() {
    let tree = Tree::new(SMALL);
    let page = Page::new(&tree, &[]);
    for path in ["eval/runs", "eval/profile", "eval/compare?a=one"] {
        assert_eq!(page.get(&format!("/api/v1/{path}")).status, 403, "{path}");
    }
    let body = json!({ "name": "mine", "weights": {} });
    assert_eq!(page.post("eval/profile", &body).status, 403);
}
