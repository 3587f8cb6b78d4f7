//! Tests of the aliases against the parameters of their tools.

use serde_json::json;

use super::super::tools::{CallTarget, called};
use super::*;

#[test]
fn every_alias_leads_to_parameters_that_there_are() {
    for alias in ALIASES {
        let CallTarget::Tool(tool, Some(_)) = called(alias.name) else { panic!("{}", alias.name) };
        for (other, becomes) in alias.params {
            let (Becomes::As(own, _) | Becomes::Largest(own)) = becomes else { continue };
            let known = |name: &str| tool.params().any(|param| param.name == name);
            // A table that several aliases share may have entries that only some of them need.
            assert!(known(own) || (*own == "query" && known("queries")), "{other} of {}", alias.name);
            assert!(!known(other), "{other} of {} is a parameter of the tool", alias.name);
        }
        for own in alias.own {
            assert!(tool.params().all(|param| param.name != own.name), "{} of {}", own.name, alias.name);
        }
        assert_eq!(alias.deprecated_in.is_some(), alias.state != AliasState::Hidden, "{}", alias.name);
        assert_eq!(alias.removal.is_some(), alias.state == AliasState::Deprecated, "{}", alias.name);
        assert!(!alias.why.is_empty() && (alias.replay || alias.state == AliasState::Removed));
    }
}

#[test]
fn every_spelling_leads_to_a_parameter_of_its_tool() {
    for (name, spellings) in SPELLINGS {
        let CallTarget::Tool(tool, None) = called(name) else { panic!("{name}") };
        let known = |name: &str| tool.params().any(|param| param.name == name);
        for (other, becomes) in *spellings {
            let (Becomes::As(own, _) | Becomes::Largest(own)) = becomes else { continue };
            assert!(known(own) || (*own == "query" && known("queries")), "{other} of {name}");
            assert!(!known(other), "{other} of {name} is a parameter of the tool");
        }
    }
    let Value::Object(from) = json!({ "pattern": "a", "context_lines": 2, "case_insensitive": true }) else {
        unreachable!()
    };
    let to = json!({ "pattern": "a", "expand": 2, "ignore_case": true });
    assert_eq!(translated(spellings("grep_files", None), from).map(Value::Object), Ok(to));
}

#[test]
fn parameters_are_translated() {
    let check = |name: &str, from: Value, to: Value| {
        let CallTarget::Tool(_, Some(alias)) = called(name) else { panic!("{name}") };
        let Value::Object(from) = from else { unreachable!() };
        assert_eq!(translated(alias.params, from).map(Value::Object), Ok(to), "{name}");
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
        json!({ "query": "a", "case_sensitive": true }),
        json!({ "pattern": "a", "ignore_case": false }),
    );
    check(
        "read",
        json!({ "file_path": "a.rs", "offset": 0, "limit": 20 }),
        json!({ "path": "a.rs", "lines": "1-20" }),
    );
    check("view", json!({ "path": "a.rs", "view_range": [3, -1] }), json!({ "path": "a.rs", "lines": "3-" }));
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
    check("blast_radius", json!({ "file": "a.rs", "max_depth": 2 }), json!({ "target": "a.rs", "depth": 2 }));
    let CallTarget::Tool(_, Some(alias)) = called("search_code") else { unreachable!() };
    let Value::Object(twice) = json!({ "q": "a", "query": "b" }) else { unreachable!() };
    assert_eq!(translated(alias.params, twice).unwrap_err(), "'query' is given twice, once by another name");
}
