//! Arguments as clients really send them: numbers and booleans as strings, lists in texts, links and paths of other roots.

use serde_json::{Value, json};

use super::http::{GOOD, Server};
use super::{Session, steady};
use crate::support::{SMALL, Tree};

#[test]
fn arguments_mean_what_clients_meant() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    let root = tree.root().to_string_lossy().into_owned();
    let link = |path: &str| format!("file://{root}/{path}");
    let plain = json!({ "pattern": "CIRCLE", "ignore_case": true, "max_results": 1, "path": "src/paint.py", "expand": 1 });
    let expected = steady(session.data("grep_files", plain.clone()));
    assert_eq!(expected["results"][0]["path"], "src/paint.py");
    for (name, value) in [
        ("max_results", json!("1")),
        ("max_results", json!(["1"])),
        ("max_results", json!(1.0)),
        ("ignore_case", json!("true")),
        ("ignore_case", json!(1)),
        ("cursor", json!("")),
        ("lang", json!("")),
        ("view", json!("")),
        ("ignore_case", json!(["True"])),
        ("expand", json!("1")),
        ("pattern", json!(["CIRCLE"])),
        ("path", json!(["src/paint.py"])),
        ("path", json!("[\"src/paint.py\"]")),
        ("path", json!("/src/paint.py")),
        ("path", json!(link("src/paint.py"))),
        ("path", json!(link("src/paint.py#L2"))),
        ("lang", json!([])),
        ("lang", json!("[\"python\", \"rust\"]")),
        ("exclude", json!([])),
        ("root", json!(format!("file://{root}"))),
    ] {
        let mut given = plain.clone();
        given[name] = value;
        assert_eq!(steady(session.data("grep_files", given.clone())), expected, "{given}");
    }
    // All arguments as the text of an object, and no arguments in every form.
    let call = |session: &mut Session, tool: &str, arguments: Value| {
        let mut message = session.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(message["result"]["isError"], false, "{message}");
        steady(message["result"]["structuredContent"].take())
    };
    assert_eq!(call(&mut session, "grep_files", json!(plain.to_string())), expected);
    for nothing in [json!(null), json!(""), json!("{}"), json!([])] {
        assert_eq!(call(&mut session, "index_status", nothing)["state"], "ready");
    }
    let wrong = session.ask("tools/call", json!({ "name": "grep_files", "arguments": "circle" }));
    assert!(wrong["error"]["code"].is_i64(), "{wrong}");
    // A known method with other parameters is no unknown method.
    for given in [json!({ "name": "grep_files", "arguments": [1] }), json!({})] {
        let wrong = session.ask("tools/call", given);
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    }

    // The number of rows before a page, in place of a cursor.
    for (tool, given) in [
        ("codebase_search", json!({ "query": "circle secret" })),
        ("file_search", json!({ "pattern": "" })),
        ("symbol_search", json!({ "query": "" })),
    ] {
        let rows = |session: &mut Session, more: &[(&str, Value)]| {
            let mut given = given.clone();
            more.iter().for_each(|(name, value)| given[*name] = value.clone());
            session.data(tool, given)["results"].take()
        };
        let all = rows(&mut session, &[]);
        let second = rows(&mut session, &[("offset", json!("1")), ("max_results", json!(1))]);
        assert_eq!(second[0]["path"], all[1]["path"], "{tool}: {all}");
        assert_eq!(rows(&mut session, &[("offset", json!(0))])[0]["path"], all[0]["path"], "{tool}");
    }

    // Places of the code graph, and lines by other names.
    let trace = session.data("trace_symbol", json!({ "target": "src/paint.py:1" }))["definitions"].take();
    assert_eq!(trace[0]["symbol"], "draw_circle", "{trace}");
    for target in [link("src/paint.py#L1"), "/src/paint.py:1".to_string(), format!("{root}/src/paint.py:1")] {
        let found = session.data("trace_symbol", json!({ "target": target }));
        assert_eq!(found["definitions"], trace, "{target}");
    }
    for given in [
        json!({ "path": "src/paint.py", "lines": "2-3" }),
        json!({ "file_path": "/src/paint.py", "offset": "2", "limit": "2" }),
        json!({ "path": link("src/paint.py"), "start_line": ["2"], "end_line": 3 }),
    ] {
        let read = session.data("read_file", given.clone());
        assert_eq!(read["text"].as_str().unwrap().lines().count(), 2, "{given}: {read}");
    }

    // A path with its lines or a definition, as answers and other tools write it.
    for (path, lines) in [
        (link("src/paint.py#L2"), "2-3"),
        (link("src/paint.py#L2-L3"), "2-3"),
        (link("src/paint.py#L1-2"), "1-2"),
        (link("src/paint.py#L1C2"), "1-3"),
        ("src/paint.py#L3".to_string(), "3-3"),
        ("src/paint.py#draw_circle".to_string(), "1-3"),
        (format!("{root}/src/paint.py#draw_circle"), "1-3"),
    ] {
        let read = session.data("read_file", json!({ "path": path }));
        assert_eq!(format!("{}-{}", read["line"], read["end_line"]), lines, "{path}: {read}");
    }
    let read = session.data("read_file", json!({ "path": link("src/paint.py#L3"), "lines": "1-2" }));
    assert_eq!((&read["line"], &read["end_line"]), (&json!(1), &json!(2)), "{read}");

    let mode = json!({ "query": "circle", "mode": "COMPACT", "kind": ["FN"], "max_results": "" });
    assert_eq!(session.data("codebase_search", mode)["results"][0]["path"], "src/paint.py");
    assert_eq!(session.data("file_imports", json!({ "question": "HUBS" }))["question"], "hubs");
    assert_eq!(session.data("grep_files", json!({ "pattern": 404 }))["total_lines"], 0);
    assert_eq!(session.data("read_file", json!({ "path": "src/paint.py", "lines": [2, 3] }))["line"], 2);
    assert_eq!(session.data("read_file", json!({ "path": "src/paint.py", "lines": 2 }))["end_line"], 2);

    // Several folders and files, and patterns that begin with the root.
    let files = |session: &mut Session, tool: &str, given: Value| {
        let rows = session.data(tool, given)["results"].take();
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| row["path"].as_str().unwrap().to_string())
            .collect::<Vec<_>>()
    };
    for (name, value) in [
        ("path", json!(["docs", "src/paint.py"])),
        ("path", json!(["/docs", link("src/paint.py")])),
        ("path_glob", json!([format!("{root}/docs/**"), format!("{root}/src/paint.*")])),
    ] {
        let given = json!({ "pattern": "", name: value });
        assert_eq!(
            files(&mut session, "file_search", given.clone()),
            ["docs/guide.md", "src/paint.py"],
            "{given}"
        );
    }
    let given = json!({ "query": "circle", "target_directories": ["docs", "src"] });
    assert_eq!(files(&mut session, "search_code", given)[0], "src/paint.py");
    let absolute = |rest: &str| json!({ "pattern": format!("{root}/{rest}") });
    assert_eq!(files(&mut session, "glob", absolute("src/*.py")), ["src/paint.py"]);
    assert_eq!(files(&mut session, "glob", absolute("*.py")), [""; 0]);
    assert_eq!(files(&mut session, "file_search", absolute("src/paint.py")), ["src/paint.py"]);
    let said = session.text("codebase_search", json!({ "query": "a", "path": ["docs", "gone"] }));
    assert!(said.starts_with("path 'gone' does not exist"), "{said}");

    // What was not meant stays an error that names the value.
    for (given, text) in [
        (
            json!({ "pattern": "a", "max_results": "ten" }),
            "max_results of grep_files is \"ten\"; give a whole number",
        ),
        (json!({ "pattern": ["a", "b"] }), "pattern of grep_files is [\"a\",\"b\"]; give a text"),
        (json!({ "pattern": "a", "word": "yes" }), "word of grep_files is \"yes\"; give true or false"),
        (json!({ "pattern": "a", "output_mode": "count" }), "'output_mode' is \"count\", but answers have"),
        (json!({ "pattern": "a", "path": "/gone/x.py" }), "path '/gone/x.py' lies outside; choose a path in"),
    ] {
        let said = session.text("grep_files", given.clone());
        assert!(said.starts_with(text), "{given}: {said}");
    }
}

#[test]
fn arguments_may_be_a_text_over_http_too() {
    let tree = Tree::new(SMALL);
    let server = Server::new(&tree, &[]);
    let params = json!({ "name": "grep_files", "arguments": json!({ "pattern": "circle" }).to_string() });
    let body = json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }).to_string();
    let answer = server.post(GOOD, &body);
    assert!(
        answer.status == 200 && answer.body.contains("src/paint.py"),
        "{}: {}",
        answer.status,
        answer.body
    );
}
