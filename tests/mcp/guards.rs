//! The surface: which names are there, in which state, and the bytes of what is listed.

use serde_json::{Value, json};
use spyhop_interface::catalog::aliases::{ALIASES, AliasState};
use spyhop_interface::catalog::profile::ToolProfile;
use spyhop_interface::catalog::tools::{self, TOOLS};
use spyhop_interface::render::agent;

use super::{Session, steady};
use crate::support::{SMALL, Tree, golden};

/// The line that answers `tools/list` in a profile.
fn head(tree: &Tree, profile: ToolProfile) -> String {
    let mut session = Session::start(tree.command().args(["mcp", "--profile", profile.name()]));
    let id = session.request("tools/list", json!({}));
    session.reply(id, |_| ())
}

#[test]
fn the_listed_head_is_the_same_bytes_in_every_run() {
    let tree = Tree::new(SMALL);
    for profile in ToolProfile::ALL {
        let before = head(&tree, profile);
        golden(&format!("tests/mcp/heads/{}.json", profile.name()), &before);
        let listed: Value = serde_json::from_str(&before).unwrap();
        let tokens = agent::tokens(&listed["result"]["tools"].to_string());
        assert!(tokens <= profile.head_budget(), "{}: {tokens} tokens", profile.name());
    }
    tree.run(&["index", "-q"]);
    for profile in ToolProfile::ALL {
        golden(&format!("tests/mcp/heads/{}.json", profile.name()), &head(&tree, profile));
    }
    // Less may be called there; what is seen at first does not tell.
    assert_eq!(head(&tree, ToolProfile::Minimal), head(&tree, ToolProfile::Default));
}

#[test]
fn profiles_gate_what_is_listed_and_what_is_called() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    for profile in ToolProfile::ALL {
        let mut session = Session::start(tree.command().args(["mcp", "--profile", profile.name()]));
        let listed = session.listed();
        assert!(listed.is_sorted(), "{listed:?}");
        assert_eq!(listed, profile.listed().map(|tool| tool.name).collect::<Vec<_>>());
        let found = session.data("tool_search", json!({}));
        let found: Vec<&str> =
            found["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        for tool in TOOLS {
            let offered = profile.offers(tool);
            let is_further = offered && !profile.lists(tool) && tool.operation.is_some();
            assert_eq!(found.contains(&tool.name), is_further, "{}", tool.name);
            let message = session.call(tool.name, json!({}));
            assert_eq!(
                message.get("error").is_some(),
                !offered,
                "{} in {}: {message}",
                tool.name,
                profile.name()
            );
        }
        let refused = session.call("touch", json!({ "files": ["src/auth.rs"] }));
        let gated = refused["error"]["message"].as_str().unwrap_or_default();
        assert_eq!(gated.contains("profile 'minimal'"), profile == ToolProfile::Minimal, "{refused}");
        assert_eq!(session.end(), 0);
    }
}

/// Arguments for each tool, under the names of its parameters.
fn arguments(tool: &str) -> Value {
    match tool {
        "codebase_search" => json!({ "query": "secret of a provider", "max_results": 2 }),
        "search_batch" => json!({ "queries": ["secret of a provider", "draw_circle"], "max_results": 2 }),
        "grep_files" => json!({ "pattern": "circle", "max_results": 2 }),
        "file_search" => json!({ "pattern": "*.rs", "max_results": 2 }),
        "index_status" => json!({}),
        "read_file" => json!({ "path": "src/paint.py", "lines": "2-3" }),
        "find_references" | "trace_symbol" | "impact" => json!({ "target": "resolve_api_key" }),
        "search_revision_memory" => json!({ "query": "circle" }),
        "record_revision" => json!({ "text": "A circle needs a radius" }),
        "get_context_pack" => json!({ "task": "draw_circle", "budget": 500 }),
        other => panic!("no arguments for {other}"),
    }
}

#[test]
fn other_names_are_never_shown_and_answer_as_their_tool_does() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    // A note that is recorded again is answered with a remark, by any name.
    tree.run(&["memory", "add", "A circle needs a radius"]);
    let mut session = Session::start(tree.command().args(["mcp", "--profile", "full", "--allow-memory"]));
    let listed = session.listed();
    for alias in ALIASES.iter() {
        assert!(!listed.contains(&alias.name.to_string()), "{}", alias.name);
        for query in ["", alias.name, alias.canonical] {
            let found = session.data("tool_search", json!({ "query": query }));
            let found = found["tools"].as_array().unwrap();
            assert!(found.iter().all(|tool| tool["name"] != alias.name), "{} by '{query}'", alias.name);
        }
        // Each in a separate session: what a session was shown weighs in its next question.
        let answer = |name: &str| {
            let mut session =
                Session::start(tree.command().args(["mcp", "--profile", "full", "--allow-memory"]));
            let mut given = arguments(alias.canonical);
            if name == alias.canonical {
                alias.implied.iter().for_each(|(param, value)| given[*param] = (*value).into());
            }
            let mut message = session.call(name, given);
            let result = &mut message["result"];
            result["structuredContent"] = steady(result["structuredContent"].take());
            let meta = result.as_object_mut().unwrap().remove("_meta");
            (message["result"].take(), meta)
        };
        let ((canonical, canonical_notice), (other, notice)) = (answer(alias.canonical), answer(alias.name));
        assert_eq!(canonical, other, "{}", alias.name);
        assert_eq!(canonical_notice, None);
        assert_eq!(canonical["isError"], false, "{canonical}");
        let told = notice.as_ref().map(|meta| meta["spyhop/deprecated"]["replacement"].clone());
        let expected = (alias.state == AliasState::Deprecated).then(|| alias.canonical.into());
        assert_eq!(told, expected, "{}", alias.name);
        assert!(!other.to_string().contains("deprecated"), "the notice is in the metadata only");
    }
}

#[test]
fn only_what_is_no_tool_is_an_error_of_the_protocol() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    let unknown = session.call("find_me", json!({}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["message"].as_str().unwrap().contains("'find_me'"), "{unknown}");
    for given in [json!({}), json!({ "query": true }), json!({ "query": "a", "max_results": 99 })] {
        let message = session.call("codebase_search", given);
        assert_eq!(message["result"]["isError"], true, "{message}");
        assert_eq!(message["result"]["structuredContent"]["kind"], "bad-request");
        let text = message["result"]["content"][0]["text"].as_str().unwrap().trim_end();
        assert_eq!(message["result"]["structuredContent"]["error"], text);
    }
    // What is no JSON does not end the session.
    session.send(&json!("no request"));
    assert!(session.data("index_status", json!({}))["files"].is_u64());
    assert_eq!(session.end(), 0);
}

#[test]
fn a_tool_that_was_found_is_listed_and_the_client_is_told() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let mut session = Session::start(tree.command().arg("mcp"));
    assert!(!session.listed().contains(&"why_not".to_string()));
    // A second search for the same tool changes nothing.
    for is_told in [true, false] {
        let arguments = json!({ "query": "why is a file not among the answers" });
        let id = session.request("tools/call", json!({ "name": "tool_search", "arguments": arguments }));
        let mut methods = Vec::new();
        session.reply(id, |message| methods.push(message["method"].as_str().unwrap_or_default().to_string()));
        assert_eq!(methods.contains(&"notifications/tools/list_changed".to_string()), is_told, "{methods:?}");
        assert!(session.listed().contains(&"why_not".to_string()));
    }
    assert_eq!(session.end(), 0);
}

#[test]
fn what_is_found_is_listed_behind_what_was_listed() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let mut session = Session::start(tree.command().args(["mcp", "--allow-memory"]));
    // The bytes of the tools in the list, without what closes it.
    let tools = |session: &mut Session| {
        let id = session.request("tools/list", json!({}));
        let line = session.reply(id, |_| ());
        let begin = line.find("\"tools\":[").unwrap();
        line[begin..line.rfind(']').unwrap()].to_string()
    };
    let before = tools(&mut session);
    for query in
        ["why is a file not among the answers", "callers of a function", "which files import each other", ""]
    {
        let listed = tools(&mut session);
        session.data("tool_search", json!({ "query": query }));
        let grown = tools(&mut session);
        assert!(grown.starts_with(&listed) && grown.starts_with(&before), "{query}");
    }
    let names = session.listed();
    assert_eq!(names.len(), TOOLS.iter().filter(|tool| tool.grant() != Some("--allow-library")).count());
    assert!(names[..5].is_sorted() && names[5] == "why_not", "{names:?}");
    assert_eq!(names.iter().collect::<std::collections::HashSet<_>>().len(), names.len());
    // What is not found is answered with the names of tools.
    let text = session.text("tool_search", json!({ "query": "zebra" }));
    assert!(text.contains("There are: file_imports, find_references, "), "{text}");
    assert_eq!(session.end(), 0);
}

#[test]
fn a_small_model_is_shown_fewer_tools_and_may_call_all() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    for (args, listed) in [
        (&["--model", "Ollama/qwen3:8b"][..], &["codebase_search", "grep_files", "tool_search"][..]),
        (&["--profile", "full", "--model", "gpt-5-mini"], &["codebase_search", "grep_files", "tool_search"]),
        (&["--profile", "host", "--model", "gpt-5-mini"], &["tool_search"]),
        (&["--model", "claude-opus-4-1"], tools::ACTIVE),
    ] {
        let mut session = Session::start(tree.command().arg("mcp").args(args));
        assert_eq!(session.listed(), listed, "{args:?}");
        assert!(session.data("index_status", json!({}))["files"].is_u64());
        assert_eq!(session.data("file_search", json!({ "pattern": "*.py" }))["total"], 1);
    }
}

#[test]
fn an_empty_answer_names_tools_and_no_command() {
    let tree = Tree::new(SMALL);
    let mut session = Session::new(&tree);
    for (tool, given) in [
        ("codebase_search", json!({ "query": "zyzzyva quokka" })),
        ("search_batch", json!({ "queries": ["zyzzyva", "quokka"] })),
        ("grep_files", json!({ "pattern": "zyzzyva" })),
        ("file_search", json!({ "pattern": "zyzzyva" })),
        ("symbol_search", json!({ "pattern": "zyzzyva" })),
        ("list_routes", json!({ "filter": "zyzzyva" })),
        ("list_commands", json!({ "filter": "zyzzyva" })),
        ("search_revision_memory", json!({ "query": "zyzzyva" })),
        ("find_references", json!({ "target": "zyzzyva" })),
        ("find_references", json!({ "target": "provider" })),
    ] {
        let text = session.text(tool, given.clone());
        assert!(!text.contains("spyhop ") && !text.contains(" --"), "{tool} {given}: {text}");
        let is_named = TOOLS.iter().any(|own| text.contains(own.name));
        assert!(
            is_named || tool.contains("revision") || text.contains("did you mean"),
            "{tool} {given}: {text}"
        );
    }
    // Nothing was asked for by words.
    let none = Tree::new("\n=== a.txt\nwords\n");
    let mut session = Session::new(&none);
    for (tool, said) in [
        ("list_routes", "No route found; grep_files"),
        ("list_commands", "No command found; project_map"),
        ("symbol_search", "No results found\n"),
    ] {
        let text = session.text(tool, json!({}));
        assert!(text.starts_with(said), "{tool}: {text}");
    }
}

#[test]
fn an_answer_with_tools_is_small() {
    let tree = Tree::new(SMALL);
    tree.run(&["index", "-q"]);
    let mut session = Session::start(tree.command().args(["mcp", "--profile", "host"]));
    for query in ["", "search", "files", "list everything"] {
        let message = session.call("tool_search", json!({ "query": query }));
        let text = message["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.len() / 4 <= 800, "{query}: {} tokens\n{text}", text.len() / 4);
    }
    assert_eq!(session.end(), 0);
}
