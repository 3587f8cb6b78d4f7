//! Tests of the sets, the profiles and the search among tools.

use std::collections::HashSet;

use super::super::offer::{ToolOffer, find};
use super::super::profile::ToolProfile;
use super::*;
use crate::catalog::aliases::AliasState;

/// The tools that exist without a flag of the server.
fn without_grant() -> Vec<&'static str> {
    TOOLS.iter().filter(|tool| tool.grant().is_none()).map(|tool| tool.name).collect()
}

#[test]
fn names_are_sorted_and_used_once() {
    assert!(TOOLS.is_sorted_by(|a, b| a.name < b.name) && ALIASES.is_sorted_by(|a, b| a.name < b.name));
    for alias in ALIASES.iter() {
        assert!(tool(alias.name).is_none(), "{}", alias.name);
    }
    assert!(ACTIVE.is_sorted() && ACTIVE.iter().all(|name| without_grant().contains(name)));
}

#[test]
fn every_row_of_tools_is_taken_by_a_tool() {
    for tool in TOOLS {
        let params: Vec<&Param> = tool.params().collect();
        for param in tool.required.iter().chain(tool.without) {
            let rows = tool.operation.map_or(&[][..], |operation| operation.params);
            assert!(rows.iter().any(|row| row.param.name == param.name), "{} of {}", param.name, tool.name);
        }
        assert!(tool.required.iter().all(|param| params.iter().any(|own| own.name == param.name)));
        for left in tool.without {
            let others = TOOLS
                .iter()
                .filter(|other| other.operation.map(|row| row.name) == tool.operation.map(|row| row.name));
            let is_taken = others.flat_map(Tool::params).any(|param| param.name == left.name);
            assert!(is_taken, "no tool takes {}, which {} leaves out", left.name, tool.name);
        }
    }
}

#[test]
fn no_two_tools_do_the_same() {
    let mut seen = HashSet::new();
    for tool in TOOLS {
        let asks = tool.required.first().map(|param| param.name);
        assert!(seen.insert((tool.operation.map(|row| row.name), asks)), "{}", tool.name);
    }
}

#[test]
fn profiles_gate() {
    let listed = |profile: ToolProfile| profile.listed().map(|tool| tool.name).collect::<Vec<_>>();
    assert_eq!(listed(ToolProfile::Default), ACTIVE);
    assert_eq!(listed(ToolProfile::Minimal), ACTIVE);
    assert_eq!(listed(ToolProfile::Host), ["tool_search"]);
    assert_eq!(listed(ToolProfile::Full), without_grant());
    let minimal: Vec<&Tool> = TOOLS.iter().filter(|tool| ToolProfile::Minimal.offers(tool)).collect();
    assert!(minimal.len() <= 8 && minimal.iter().all(|tool| tool.read_only), "{minimal:?}");
    for name in ["read_file", "symbol_search", "project_map"] {
        assert!(minimal.iter().any(|tool| tool.name == name), "{name}");
    }
    assert_eq!(listed(ToolProfile::Reduced), ["codebase_search", "grep_files", "tool_search"]);
    for profile in ToolProfile::ALL {
        assert!(profile.listed().all(|tool| profile.offers(tool)));
        assert_eq!(ToolProfile::by_name(profile.name()), Some(profile));
    }
}

#[test]
fn a_model_limits_what_its_profile_lists() {
    let listed = |offer: ToolOffer| {
        TOOLS.iter().filter(|tool| offer.lists(tool)).map(|tool| tool.name).collect::<Vec<_>>()
    };
    let reduced = ["codebase_search", "grep_files", "tool_search"];
    for profile in [ToolProfile::Full, ToolProfile::Default, ToolProfile::Minimal, ToolProfile::Reduced] {
        let offer = ToolOffer { may_record: true, ..ToolOffer::from(profile) };
        assert_eq!(listed(offer.to_model("ollama/qwen3")), reduced, "{profile:?}");
        assert_eq!(offer.to_model("claude-opus-4"), offer, "a name without a row changes nothing");
        for tool in TOOLS {
            assert_eq!(offer.to_model("gpt-5-nano").offers(tool), offer.offers(tool), "{profile:?}");
        }
    }
    assert_eq!(listed(ToolOffer::from(ToolProfile::Host).to_model("ollama")), ["tool_search"]);
}

#[test]
fn the_search_among_tools_names_every_hidden_tool() {
    let search = tool("tool_search").unwrap();
    let all = ToolProfile::ALL.into_iter().flat_map(|profile| [false, true].map(|may| (profile, may)));
    for (profile, may) in all {
        let offer = ToolOffer { may_record: may, may_change_library: may, ..ToolOffer::from(profile) };
        for offer in [offer, offer.to_model("ollama")] {
            let text = offer.description(search);
            let named: Vec<&str> =
                text.split_once(": ").map_or(Vec::new(), |(_, names)| names.split(", ").collect());
            for tool in find(offer, "") {
                assert!(named.contains(&tool.name), "{} in {offer:?}", tool.name);
            }
            assert!(named.iter().all(|name| tool(name).is_some_and(|tool| !offer.lists(tool))), "{text}");
        }
    }
    let text = |profile: ToolProfile| ToolOffer::from(profile).description(search);
    assert_eq!(text(ToolProfile::Minimal), text(ToolProfile::Default));
    assert_eq!(text(ToolProfile::Full), search.description());
}

#[test]
fn a_tool_on_grant_exists_only_where_it_is_allowed() {
    let offer = |profile, may_record, may_change_library| ToolOffer {
        may_record,
        may_change_library,
        ..ToolOffer::from(profile)
    };
    for tool in TOOLS.iter().filter(|tool| tool.grant().is_some()) {
        let is_note = tool.grant() == Some(ALLOW_MEMORY);
        for profile in ToolProfile::ALL {
            let (with, other) = (offer(profile, is_note, !is_note), offer(profile, !is_note, is_note));
            for without in [ToolOffer::from(profile), other] {
                assert!(!without.offers(tool) && !without.lists(tool), "{profile:?}");
            }
            assert_eq!(with.offers(tool), profile != ToolProfile::Minimal, "{profile:?}");
            assert_eq!(with.lists(tool), profile == ToolProfile::Full, "{profile:?}");
        }
    }
    let found = |may: bool, query: &str, name: &str| {
        find(offer(ToolProfile::Default, may, may), query).iter().any(|tool| tool.name == name)
    };
    for (query, name) in
        [("record a note", "record_revision"), ("add a repository to the library", "add_source")]
    {
        assert!(found(true, query, name) && !found(false, query, name), "{name}");
    }
    assert_eq!(find(ToolProfile::Default, "sources in the library")[0].name, "library");
}

#[test]
fn tools_are_found_by_their_words_and_aliases_never() {
    let found =
        |query: &str| find(ToolProfile::Default, query).iter().map(|tool| tool.name).collect::<Vec<_>>();
    assert_eq!(found("several queries at once")[0], "search_batch");
    assert_eq!(found("why is a file missing from the answers")[0], "why_not");
    assert_eq!(found("outline of the project")[0], "project_map");
    assert_eq!(found("which files were left out")[0], "skipped_files");
    assert_eq!(found("uses and implementations of a type")[0], "find_references");
    assert_eq!(found("who calls a function")[0], "trace_symbol");
    assert_eq!(found("what breaks if I change this")[0], "impact");
    assert_eq!(found("call graph")[0], "trace_symbol");
    assert_eq!(found("zebra"), Vec::<&str>::new());
    // A client lists what is found, so only what fits is.
    for query in
        ["find files by name", "read a file", "read some lines of a file", "search", "list the routes"]
    {
        assert!(found(query).len() <= 5, "{query}: {:?}", found(query));
    }
    assert_eq!(found("read a file"), ["read_file"]);
    assert_eq!(found("list the routes")[0], "list_routes");
    assert!(!found("find files by name").contains(&"touch"));
    let mut deferred = without_grant();
    deferred.retain(|name| !ACTIVE.contains(name));
    assert_eq!(found(""), deferred);
    assert_eq!(find(ToolProfile::Host, "").len(), without_grant().len() - 1);
    assert_eq!(found("notes about failures of earlier work")[0], "search_revision_memory");
    for alias in ALIASES.iter() {
        for name in found(alias.name).into_iter().chain(found(&format!("{} tool", alias.why))) {
            assert!(tool(name).is_some(), "{name}");
        }
    }
}

#[test]
fn a_removed_name_is_told_from_one_that_never_was() {
    let table = vec![
        Alias { state: AliasState::Removed, name: "old", ..ALIASES[0].clone() },
        Alias { state: AliasState::Hidden, name: "older", ..ALIASES[0].clone() },
    ];
    let table: &[Alias] = table.leak();
    assert!(matches!(called_in(table, "old"), CallTarget::Removed(alias) if alias.name == "old"));
    assert!(matches!(called_in(table, "older"), CallTarget::Tool(_, Some(_))));
    assert!(matches!(called_in(table, "oldest"), CallTarget::Unknown));
    assert!(matches!(called_in(table, "touch"), CallTarget::Tool(_, None)));
}

#[test]
fn every_operation_has_a_tool_or_a_reason_for_none() {
    use crate::operations::{LIBRARY_OPERATIONS, MEMORY_OPERATIONS, OPERATIONS};
    // The server keeps its indexes itself, and people look after the machine. The other questions to the graph are relations
    // of `find_references` and `trace_symbol`.
    const WITHOUT: &[&str] = &[
        "callees",
        "callers",
        "def",
        "doctor",
        "export",
        "gc",
        "impls",
        "import",
        "importers",
        "imports",
        "index",
        "languages",
        "library path",
        "library show",
        "library watch",
        "memory export",
        "memory import",
        "memory show",
        "tests-of",
        "watch",
    ];
    let all = OPERATIONS.iter().chain(LIBRARY_OPERATIONS).chain(MEMORY_OPERATIONS);
    let has_tool =
        |name: &str| TOOLS.iter().any(|tool| tool.operation.is_some_and(|operation| operation.name == name));
    let mut without: Vec<&str> = all.map(|listed| listed.row().name).filter(|name| !has_tool(name)).collect();
    without.sort_unstable();
    assert_eq!(without, WITHOUT);
}
