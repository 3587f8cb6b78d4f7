//! Tests of the aliases against the parameters of their tools.

use serde_json::json;

use super::super::tools::{CallTarget, called};
use super::*;

#[test]
fn every_alias_leads_to_parameters_that_there_are() {
    for alias in ALIASES.iter() {
        let CallTarget::Tool(tool, Some(_)) = called(alias.name) else { panic!("{}", alias.name) };
        for (others, becomes) in &alias.params {
            let (Becomes::As(own) | Becomes::Converted(own, _) | Becomes::Largest(own)) = becomes else {
                continue;
            };
            let known = |name: &str| tool.params().any(|param| param.name == name);
            // A table that several aliases share may have entries that only some of them need.
            assert!(known(own) || (*own == "query" && known("queries")), "{others} of {}", alias.name);
            // A parameter may have other forms of its own values.
            let is_new = |other: &str| !known(other) || other == *own;
            assert!(others.split(' ').all(is_new), "{others} of {} are parameters of the tool", alias.name);
        }
        for own in &alias.own {
            assert!(tool.params().all(|param| param.name != own.name), "{} of {}", own.name, alias.name);
        }
        assert_eq!(alias.deprecated_in.is_some(), alias.state != AliasState::Hidden, "{}", alias.name);
        assert_eq!(alias.removal.is_some(), alias.state == AliasState::Deprecated, "{}", alias.name);
        assert!(!alias.why.is_empty(), "{}", alias.name);
    }
}

#[test]
fn every_spelling_leads_to_a_parameter_of_its_tool() {
    for name in TABLE.tools.keys() {
        let CallTarget::Tool(tool, None) = called(name) else { panic!("{name}") };
        let known = |name: &str| tool.params().any(|param| param.name == name);
        for (others, becomes) in &spellings(name, None) {
            let (Becomes::As(own) | Becomes::Converted(own, _) | Becomes::Largest(own)) = becomes else {
                continue;
            };
            assert!(known(own) || (*own == "query" && known("queries")), "{others} of {name}");
            let is_new = |other: &str| !known(other) || other == *own;
            assert!(others.split(' ').all(is_new), "{others} of {name} are parameters of the tool");
        }
    }
    let Value::Object(from) = json!({ "pattern": "a", "context_lines": 2, "case_insensitive": true }) else {
        unreachable!()
    };
    let to = json!({ "pattern": "a", "expand": 2, "ignore_case": true });
    assert_eq!(translated(&spellings("grep_files", None), from).map(Value::Object), Ok(to));
}

#[test]
fn parameters_are_translated() {
    let check = |name: &str, from: Value, to: Value| {
        let CallTarget::Tool(_, Some(alias)) = called(name) else { panic!("{name}") };
        let Value::Object(from) = from else { unreachable!() };
        assert_eq!(translated(&alias.params, from).map(Value::Object), Ok(to), "{name}");
    };
    check("search_code", json!({ "query": "a" }), json!({ "query": "a" }));
    check(
        "search_code",
        json!({ "q": "a", "perPage": 3, "extensionFilter": [".ts", "rs"] }),
        json!({ "query": "a", "max_results": 3, "path_glob": ["*.ts", "*.rs"] }),
    );
    check(
        "semantic_search",
        json!({ "query": "a", "target_directories": ["src"], "explanation": "because" }),
        json!({ "query": "a", "path": "src" }),
    );
    check(
        "grep",
        json!({ "pattern": "a", "-i": true, "-n": true, "-A": 1, "-B": 3, "type": "py", "output_mode": "content" }),
        json!({ "pattern": "a", "ignore_case": true, "expand": 3, "lang": "python" }),
    );
    check(
        "grep",
        json!({ "pattern": "a", "-i": "true", "-n": "true", "-A": "1", "-B": ["3"], "type": ["py"] }),
        json!({ "pattern": "a", "ignore_case": "true", "expand": 3, "lang": "python" }),
    );
    check(
        "grep",
        json!({ "query": "a", "case_sensitive": true }),
        json!({ "pattern": "a", "ignore_case": false }),
    );
    check(
        "read",
        json!({ "file_path": "a.rs", "offset": 0, "limit": 20 }),
        json!({ "path": "a.rs", "lines": "1-20" }),
    );
    for (offset, limit) in [(json!("5"), json!("20")), (json!(5.0), json!([20]))] {
        let given = json!({ "path": "a.rs", "offset": offset, "limit": limit });
        check("read", given, json!({ "path": "a.rs", "lines": "5-24" }));
    }
    let whole =
        json!({ "target_file": "a.rs", "should_read_entire_file": true, "start_line_one_indexed": 4 });
    check("read", whole, json!({ "path": "a.rs" }));
    for range in [json!([3, -1]), json!(["3", "-1"]), json!("[3, -1]")] {
        let given = json!({ "path": "a.rs", "view_range": range });
        check("view", given, json!({ "path": "a.rs", "lines": "3-" }));
    }
    check(
        "remember",
        json!({ "name": "Retries", "content": "They lock the account" }),
        json!({ "text": "Retries\nThey lock the account" }),
    );
    check(
        "open_file",
        json!({ "target_file": "a.rs", "start_line_one_indexed": 4, "end_line_one_indexed_inclusive": 9 }),
        json!({ "path": "a.rs", "lines": "4-9" }),
    );
    check(
        "glob",
        json!({ "pattern": "**/*.rs", "path": "src" }),
        json!({ "pattern": "**/*.rs", "path": "src" }),
    );
    check("get_callers", json!({ "function_name": "take" }), json!({ "target": "take" }));
    check(
        "goto_definition",
        json!({ "file_path": "a.rs", "line": 4, "character": 6 }),
        json!({ "target": "a.rs:4:7" }),
    );
    check(
        "find_referencing_symbols",
        json!({ "name_path": "Pool/take", "relative_path": "a.rs" }),
        json!({ "target": "a.rs#Pool.take" }),
    );
    let place = json!({ "path": "a.rs", "line": 4, "column": 6 });
    check("go_to_definition", place, json!({ "target": "a.rs:4:6" }));
    let place = json!({ "uri": "file:///w/a.rs", "line": 3, "character": 6 });
    check("goto_definition", place, json!({ "target": "file:///w/a.rs:4:7" }));
    check(
        "find_usages",
        json!({ "symbol": "take", "path": "src" }),
        json!({ "target": "take", "path": "src" }),
    );
    let incoming = json!({ "symbol": "take", "direction": "incoming" });
    check("call_hierarchy", incoming, json!({ "target": "take", "only": "callers" }));
    check("search_code", json!({ "query": "a", "n_results": 3 }), json!({ "query": "a", "max_results": 3 }));
    check(
        "view_file",
        json!({ "AbsolutePath": "/w/a.rs", "StartLine": 3, "EndLine": 9 }),
        json!({ "path": "/w/a.rs", "lines": "3-9" }),
    );
    check("read", json!({ "path": "a.rs", "lines": [3, 9] }), json!({ "path": "a.rs", "lines": "3-9" }));
    check("read", json!({ "path": "a.rs", "lines": "3-" }), json!({ "path": "a.rs", "lines": "3-" }));
    check("blast_radius", json!({ "file": "a.rs", "max_depth": 2 }), json!({ "target": "a.rs", "depth": 2 }));
    check("get_callers", json!({ "file": "a.rs", "line": "4" }), json!({ "target": "a.rs:4" }));
    let CallTarget::Tool(_, Some(alias)) = called("search_code") else { unreachable!() };
    let Value::Object(twice) = json!({ "q": "a", "query": "b" }) else { unreachable!() };
    assert_eq!(translated(&alias.params, twice).unwrap_err(), "'query' is given twice, once by another name");
}

#[test]
fn an_argument_that_asks_for_what_no_tool_does_is_refused() {
    let refused = |tool: &str, given: Value| {
        let Value::Object(given) = given else { unreachable!() };
        translated(&spellings(tool, None), given).unwrap_err()
    };
    let mode = refused("grep_files", json!({ "pattern": "a", "output_mode": "files_with_matches" }));
    assert!(
        mode.starts_with("'output_mode' is \"files_with_matches\", but answers have the matching lines"),
        "{mode}"
    );
    let numbers = refused("grep_files", json!({ "pattern": "a", "-n": false }));
    assert_eq!(numbers, "'-n' is false, but lines always have their numbers; leave it out");
    let line = refused("find_references", json!({ "file": "a.rs", "line": "four" }));
    assert_eq!(line, "line is \"four\"; give a whole number");
    let offset = refused("read_file", json!({ "path": "a.rs", "offset": "top" }));
    assert_eq!(offset, "offset is \"top\"; give a whole number");
}
