//! `docs/openapi.json` against the replies: every path is asked, and every reply and event is checked by its schema.

use std::collections::BTreeSet;
use std::fs;

use super::definitions::definitions;
use serde_json::{Value, json};

use super::evaluation::with_runs;
use super::schema::faults;
use super::{BEARER, EVENTS, Page, events};
use crate::support::Tree;

const TREE: &str = r#"
=== Cargo.toml
[package]
name = "harbour"
=== src/main.rs
mod berth;

/// Moors a ship at a berth.
fn main() {
    berth::moor_ship(3);
}
=== src/berth.rs
/// A place for a ship.
pub struct Berth;

impl Berth {
    pub fn take(&self) -> u32 {
        moor_ship(1)
    }
}

/// Moors a ship: ties it to the berth.
pub fn moor_ship(length: u32) -> u32 {
    length + 1
}

#[test]
fn ships_are_moored() {
    assert_eq!(moor_ship(1), 2);
}
=== web/app.py
from flask import Flask

app = Flask(__name__)


@app.route("/berths")
def list_berths():
    return []
=== notes.md
# Harbour

How ships are moored.
=== .gitignore
*.log
=== run.log
nothing
"#;

/// What is asked of each path of the interface.
const ASKED: &[(&str, &str)] = &[
    ("search", "?q=how+is+a+ship+moored"),
    ("search", "?q=lang:rust+-test+moor_ship&mode=exact&limit=2"),
    ("search", "?q=kind:fn+moor&mode=symbols"),
    ("search", "?q=*.rs"),
    ("search", "?q=moor(&mode=exact"),
    ("search", "?q=ship+in:harbour"),
    ("search", "?q=ship&detail=debug&view=main"),
    ("search", "?q=ship&mode=exact&counts=false"),
    ("complete", "?q=la"),
    ("complete", "?q=moor+path:sr"),
    ("complete", "?q=view:"),
    ("complete", "?q=in:"),
    ("file", "?path=src/berth.rs"),
    ("file", "?path=src/berth.rs&view=main"),
    ("file", "?path=src/lib.rs&in=harbour"),
    ("file", "?path=src/lib.rs&root=harbour"),
    ("excerpt", "?path=src/berth.rs&lines=2-4"),
    ("diff", "?path=src/main.rs&from=main"),
    ("diff", "?path=new.rs&from=main"),
    ("folder", ""),
    ("folder", "?path=src&view=main"),
    ("coverage", ""),
    ("coverage", "?path=src&depth=1"),
    ("server", ""),
    ("latencies", ""),
    ("catalog", ""),
    ("explain", "?path=run.log"),
    ("grep", "?pattern=moor_ship&max_results=3&expand=1"),
    ("grep", "?pattern=ship&in=harbour"),
    ("files", "?pattern=berth"),
    ("symbols", "?pattern=moor"),
    ("read", "?path=src/berth.rs&lines=1-3"),
    ("read", "?symbol=moor_ship"),
    ("map", ""),
    ("map", "?path=src"),
    ("pack", "?task=moor+a+ship+at+a+berth"),
    ("def", "?target=moor_ship"),
    ("def", "?target=src/main.rs:5:14"),
    ("refs", "?target=moor_ship"),
    ("callers", "?target=moor_ship&depth=2"),
    ("callees", "?target=main"),
    ("impls", "?target=Berth"),
    ("tests-of", "?target=moor_ship"),
    ("imports", "?target=src/main.rs"),
    ("importers", "?target=src/berth.rs"),
    ("trace", "?target=main&to=moor_ship"),
    ("impact", "?diff=working"),
    ("impact", "?target=src/berth.rs"),
    ("graph", "?hubs"),
    ("graph", "?question=cycles"),
    ("refs", "?target=moor_ship&mentions=true"),
    ("graph", "?action=export"),
    ("routes", ""),
    ("commands", ""),
    ("entries", ""),
    ("status", ""),
    ("views", ""),
    ("doctor", ""),
    ("languages", ""),
    ("skipped", ""),
    ("why-not", "?file=src/berth.rs&query=moor+a+ship"),
    ("why-not", "?file=notes.md&query=zeppelin"),
    ("why-not", "?file=notes.md&q=lang:rust+-berth+moor+a+ship"),
    ("notes", ""),
    ("notes", "?query=mooring+of+ships"),
    ("memory/list", ""),
    ("memory/search", "?query=mooring+of+ships"),
    ("memory/show", "?id=NOTE"),
    ("sources", ""),
    ("library/list", ""),
    ("library/status", ""),
    ("library/show", "?source_name=harbour"),
    ("eval/runs", ""),
    ("eval/compare", "?a=one&b=two"),
    ("eval/compare", "?a=one"),
    ("eval/query", "?run=one&set=s&id=1"),
    ("eval/profile", ""),
];

/// What is posted.
fn posted() -> Vec<(&'static str, Value)> {
    let weights = json!({ "words": { "lexical.relative": 5.0 } });
    vec![
        ("highlight", json!({ "items": [{ "language": "rust", "text": "fn a() { 1 }" }] })),
        ("open", json!({ "path": "src/main.rs", "line": 3 })),
        ("eval/rerank", json!({ "q": "how is a ship moored", "weights": weights, "limit": 5 })),
        ("eval/profile", json!({ "name": "mine", "weights": weights })),
    ]
}

/// The document.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/openapi.json");

/// The document, and checks of values by its schemas.
struct Contract(Value);

impl Contract {
    fn read() -> Contract {
        Contract(serde_json::from_str(&fs::read_to_string(DOCUMENT).unwrap()).unwrap())
    }

    fn operation(&self, path: &str, method: &str) -> &Value {
        let found = &self.0["paths"][format!("/api/v1/{path}")][method];
        assert!(found.is_object(), "{method} {path} is not in docs/openapi.json");
        found
    }

    /// Checks a value by a schema that may refer to the schemas of the document.
    fn check(&self, what: &str, schema: &Value, value: &Value) {
        let faults = faults(&self.0, schema, value);
        assert!(faults.is_empty(), "{what}: {}\n{value}", faults.join("\n"));
    }

    fn check_reply(&self, path: &str, method: &str, value: &Value) {
        let schema =
            &self.operation(path, method)["responses"]["200"]["content"]["application/json"]["schema"];
        self.check(&format!("{method} {path}"), schema, value);
    }

    fn check_events(&self, path: &str, events: &[(String, Value)]) {
        let content = &self.operation(path, "get")["responses"]["200"]["content"];
        let schemas = &content["text/event-stream"]["x-events"];
        for (name, data) in events {
            assert!(schemas[name].is_object(), "{path}: the event {name} is not in docs/openapi.json");
            self.check(&format!("{path}, event {name}"), &schemas[name], data);
        }
    }
}

/// A server of a repository with a change, notes, a library and runs; and the id of a note.
fn served() -> (Tree, Page, String) {
    let tree = Tree::new(TREE);
    tree.git(&["init", "-q", "-b", "main"]);
    tree.commit();
    let main = fs::read_to_string(tree.root().join("src/main.rs")).unwrap();
    tree.write("src/main.rs", main.replace("moor_ship(3)", "moor_ship(4)"));
    tree.write("new.rs", "pub fn anchor() {}\n");
    tree.write("data.bin", [0u8, 1, 2, 255]);
    let library = Tree::new("\n=== src/lib.rs\npub fn ship_of_the_library() {}\n");
    let ran = tree.run(&["add", library.root().to_str().unwrap(), "--name", "harbour", "-q"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let note = tree.json(&[
        "memory",
        "add",
        "Mooring of ships fails above 100 m",
        "--kind",
        "failure",
        "--link",
        "src/berth.rs",
    ]);
    let id = note["results"][0]["id"].as_str().unwrap().to_string();
    let runs = with_runs(&tree);
    tree.run(&["index", "-q"]);
    let mut command = tree.command();
    command.args(["serve", "--port", "0", "--allow-open", "--eval", runs.to_str().unwrap()]);
    let command = command.env("SPYHOP_MCP_TOKEN", super::TOKEN).env("VISUAL", "true");
    // The library must outlive the server.
    let page = Page::start(command);
    std::mem::forget(library);
    (tree, page, id)
}

#[test]
fn every_reply_is_as_the_document_says() {
    let contract = Contract::read();
    let (_tree, page, note) = served();
    let mut asked: BTreeSet<String> = BTreeSet::new();
    for (path, query) in ASKED {
        let query = query.replace("NOTE", &note);
        let value = page.json(&format!("{path}{query}"));
        contract.check_reply(path, "get", &value);
        asked.insert(format!("get {path}"));
    }
    for (path, body) in posted() {
        let answer = page.post(path, &body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        contract.check_reply(path, "post", &answer.json());
        asked.insert(format!("post {path}"));
    }
    for query in ["?q=mooring", "?q=moor_ship", "?q=kind:no+x", "?q=berth", "?q=ship&mode=exact&limit=1"] {
        let events = page.events(&format!("/api/v1/search{query}"));
        assert!(!events.is_empty());
        contract.check_events("search", &events);
    }
    let error =
        contract.0["components"]["responses"]["Error"]["content"]["application/json"]["schema"].clone();
    for path in
        ["search?q=kind:no", "nothing", "file?path=none.rs", "search?bad=1", "eval/query?run=none&set=a&id=b"]
    {
        let answer = page.get(&format!("/api/v1/{path}"));
        assert!(answer.status >= 400, "{path}");
        contract.check(path, &error, &answer.json());
    }
    // The stream of states never ends, so its first event is read.
    asked.insert("get events".to_string());
    let known: BTreeSet<String> = contract.0["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| {
            let path = path.strip_prefix("/api/v1/").unwrap();
            methods.as_object().unwrap().keys().map(move |method| format!("{method} {path}"))
        })
        .collect();
    assert_eq!(asked, known);
}

/// `SPYHOP_BLESS` rewrites the schemas of replies in the document.
#[test]
fn the_document_has_the_schemas_of_the_replies() {
    let mut document = Contract::read().0;
    let schemas = document["components"]["schemas"].as_object_mut().unwrap();
    schemas.extend(definitions("/components/schemas"));
    let used = used_schemas(&document);
    let schemas = document["components"]["schemas"].as_object_mut().unwrap();
    schemas.retain(|name, _| used.contains(name));
    document.sort_all_objects();
    let expected = printed(&document, 0, 0) + "\n";
    if std::env::var_os("SPYHOP_BLESS").is_some() {
        fs::write(DOCUMENT, &expected).unwrap();
    }
    assert!(
        fs::read_to_string(DOCUMENT).unwrap() == expected,
        "docs/openapi.json has other schemas than the types of replies; SPYHOP_BLESS=1 rewrites the file"
    );
}

/// The names of the schemas to which the paths of a document lead.
fn used_schemas(document: &Value) -> BTreeSet<String> {
    let (mut used, mut open) =
        (BTreeSet::new(), vec![&document["paths"], &document["components"]["responses"]]);
    while let Some(value) = open.pop() {
        if let Some(name) = value["$ref"].as_str().and_then(|path| path.strip_prefix("#/components/schemas/"))
            && used.insert(name.to_string())
        {
            open.push(&document["components"]["schemas"][name]);
        }
        open.extend(value.as_object().into_iter().flat_map(|fields| fields.values()));
        open.extend(value.as_array().into_iter().flatten());
    }
    used
}

/// A value as JSON text, with what fits a line on one line.
fn printed(value: &Value, indent: usize, before: usize) -> String {
    let flat = one_line(value);
    let is_short = indent > 0 && indent + before + flat.len() <= 120;
    let (open, rows, close): (_, Vec<String>, _) = match value {
        _ if is_short => return flat,
        Value::Object(fields) if !fields.is_empty() => {
            let row = |(key, value): (&String, &Value)| {
                let key = format!("{}: ", json!(key));
                let text = printed(value, indent + 1, key.len() + 1);
                key + &text
            };
            ('{', fields.iter().map(row).collect(), '}')
        }
        Value::Array(items) if !items.is_empty() => {
            ('[', items.iter().map(|item| printed(item, indent + 1, 1)).collect(), ']')
        }
        _ => return flat,
    };
    let pad = " ".repeat(indent + 1);
    let rows: Vec<String> = rows.into_iter().map(|row| pad.clone() + &row).collect();
    format!("{open}\n{}\n{}{close}", rows.join(",\n"), " ".repeat(indent))
}

fn one_line(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let rows: Vec<String> =
                fields.iter().map(|(key, value)| format!("{}: {}", json!(key), one_line(value))).collect();
            format!("{{{}}}", rows.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(one_line).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

#[test]
fn the_states_of_trees_are_streamed() {
    use std::io::{BufReader, Write};
    let (tree, page, _) = served();
    let mut stream = page.connect();
    let head = format!("GET /api/v1/events HTTP/1.1\r\nHost: HOST\r\n{BEARER}\r\n{EVENTS}\r\n\r\n");
    let head = head.replace("HOST", &page.address.to_string()).replace("TOKEN", super::TOKEN);
    stream.write_all(head.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        std::io::BufRead::read_line(&mut reader, &mut line).unwrap();
    }
    let contract = Contract::read();
    let mut next = || {
        let chunk = String::from_utf8(super::read_chunk(&mut reader).unwrap()).unwrap();
        events(&chunk)
    };
    let first = next();
    contract.check_events("events", &first);
    assert_eq!(first[0].1["root"], tree.root().file_name().unwrap().to_str().unwrap());
    // A change of the tree is in the index some time later, and the page is told.
    let begun = std::time::Instant::now();
    let mut told = Vec::new();
    while told.is_empty() || page.json("files?pattern=quay")["total"] == 0 {
        assert!(begun.elapsed().as_secs() < 90, "the change was not told");
        tree.write(&format!("src/quay_{}.rs", begun.elapsed().as_millis()), "pub fn quay() {}\n");
        told = next();
        contract.check_events("events", &told);
    }
}

/// `SPYHOP_BLESS` rewrites the operations of the catalog in the document: their summaries and parameters.
#[test]
fn the_document_has_the_parameters_of_the_catalog() {
    let mut document = Contract::read().0;
    let (_tree, page, _) = served();
    let catalog = page.json("catalog");
    let rows = catalog["operations"].as_array().unwrap();
    assert!(rows.len() > 25, "{}", rows.len());
    for row in rows {
        let path = format!("/api/v1/{}", row["path"].as_str().unwrap());
        let operation = &mut document["paths"][&path]["get"];
        assert!(operation.is_object(), "{path}");
        let known = operation["parameters"].as_array().cloned().unwrap_or_default();
        let of_name = |name: &Value| known.iter().find(|own| own["name"] == *name);
        let params = row["params"].as_array().unwrap();
        let mut all: Vec<Value> = params.iter().map(|own| parameter(own, of_name(&own["name"]))).collect();
        // Every question about a tree takes these too.
        let is_common = |own: &&Value| {
            ["root", "view", "in", "q"].contains(&own["name"].as_str().unwrap())
                && params.iter().all(|param| param["name"] != own["name"])
        };
        all.extend(known.iter().filter(is_common).cloned());
        operation["parameters"] = all.into();
        operation["summary"] = sentence(&row["help"]).into();
    }
    document.sort_all_objects();
    let expected = printed(&document, 0, 0) + "\n";
    if std::env::var_os("SPYHOP_BLESS").is_some() {
        fs::write(DOCUMENT, &expected).unwrap();
    }
    assert!(
        fs::read_to_string(DOCUMENT).unwrap() == expected,
        "docs/openapi.json has other parameters than the catalog; SPYHOP_BLESS=1 rewrites the file"
    );
}

/// The parameter of a row of the catalog. Only the document knows which parameters a call has to give.
fn parameter(row: &Value, known: Option<&Value>) -> Value {
    let kind = match row["takes"].as_str().unwrap() {
        "flag" => "boolean",
        "number" => "integer",
        "fraction" => "number",
        _ => "string",
    };
    let mut schema = json!({ "type": kind });
    if row["takes"] == "choice" {
        schema["enum"] = row["choices"].clone();
    }
    let description = sentence(&row["help"]);
    let mut own = json!({ "description": description, "in": "query", "name": row["name"], "schema": schema });
    if let Some(required) = known.and_then(|known| known.get("required")) {
        own["required"] = required.clone();
    }
    own
}

/// A help text as a sentence.
fn sentence(help: &Value) -> String {
    format!("{}.", help.as_str().unwrap().trim_end_matches('.'))
}
