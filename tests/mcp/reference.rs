//! The page that documents all tools, `docs/tools.md`: it is written from the rows of the catalog.

use std::fmt::Write;

use spyhop_interface::catalog::aliases::{ALIASES, AliasState};
use spyhop_interface::catalog::models::MODELS;
use spyhop_interface::catalog::profile::ToolProfile;
use spyhop_interface::catalog::tools::{ACTIVE, TOOLS, Tool};
use spyhop_interface::catalog::{Param, Takes};

use crate::support::golden;

#[test]
fn the_reference_page_is_the_catalog() {
    golden("docs/tools.md", &reference());
}

fn reference() -> String {
    let mut out = String::from(
        "# Tools for agents\n\nWhat `spyhop mcp` offers. This page is written from the catalog \
         (`SPYHOP_BLESS=1 cargo test --test integration mcp`); edit the rows in `src/interface/catalog/`, not this page.\n\n\
         | tool | state | what it does |\n|---|---|---|\n",
    );
    for tool in TOOLS {
        let _ = writeln!(out, "| `{}` | {} | {} |", tool.name, state(tool), tool.description());
    }
    out.push_str(PROSE);
    out.push_str(
        "\n## Profiles\n\n| profile | listed | callable | tokens of the head, at most |\n|---|---|---|--:|\n",
    );
    for profile in ToolProfile::ALL {
        let names =
            |tools: Vec<&str>| tools.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let listed = names(profile.listed().map(|tool| tool.name).collect());
        let offered: Vec<_> =
            TOOLS.iter().filter(|tool| profile.offers(tool)).map(|tool| tool.name).collect();
        let without_grant = TOOLS.iter().filter(|tool| tool.grant().is_none()).count();
        let offered = if offered.len() == without_grant { "all".to_string() } else { names(offered) };
        let (name, budget) = (profile.name(), profile.head_budget());
        let _ = writeln!(out, "| `{name}` | {listed} | {offered} | {budget} |");
    }
    out.push_str(
        "\n`spyhop mcp --model NAME` names the provider or the model that asks. A tool is then listed and callable only if \
         the profile of its row has it too; a name without a row changes nothing. `*` stands for any text.\n\n\
         | provider or model | profile | why |\n|---|---|---|\n",
    );
    for (pattern, profile, why) in MODELS {
        let _ = writeln!(out, "| `{pattern}` | `{}` | {why} |", profile.name());
    }
    for tool in TOOLS {
        parameters(&mut out, tool);
    }
    aliases(&mut out);
    out
}

const PROSE: &str = "
An *active* tool is listed at first; a *deferred* one is found by `tool_search`, whose description names it, and is called
by its name. What `tool_search` has found is listed behind the tools before it, so that the list only grows. A tool *on
grant* exists only if the server was started with `--allow-memory` (`record_revision`, `list_revisions`,
`verify_revision`, `retire_revision`) or `--allow-library` (those that change the library), in every profile but
`minimal`; it is then deferred.

Paths are relative to the root, or absolute and inside a root that the server was started with; anything else is
refused. A path may also be a `file://` link of an answer, or begin with `/` at the root: `/src/a.py`; `path` may be
a list of paths if the tool takes `path_glob`. A pattern may begin with the path of the root. A list has at most
1,000 entries, and `queries` 100; a text has at most 64 KiB, a diff 16 MiB, and the patterns of one list have 64 KiB
together; a value above its limit is an error that names both. `null` is the same as leaving a parameter out. An unknown
parameter or a wrong value is an error that says what there is to choose from.

Values are read as clients send them: `\"10\"` is a number, `\"true\"` and `1` a boolean, `404` a text, and a choice may be in
capitals; an empty text leaves a parameter out; a list may be a single text or the text
of a JSON list; a list with one element may stand where one value is meant; all `arguments` may be the text of an object.

Every result has text for a model and structured content for a program. `max_tokens` bounds the text, counted as
bytes / 4, rounded up: whole hits are left for the next page, and the structured content holds the same hits. A single
hit that is too long by itself is cut within its code. `next` is the `cursor` of the next page, for the
same query and filters: a cursor is a place in the list that they give.
";

fn state(tool: &Tool) -> &'static str {
    match tool.grant() {
        Some(_) => "on grant",
        None if ACTIVE.contains(&tool.name) => "active",
        None => "deferred",
    }
}

fn parameters(out: &mut String, tool: &Tool) {
    let _ = writeln!(out, "\n## {}\n\n{}\n", tool.name, tool.description());
    if tool.params().next().is_none() {
        out.push_str("It takes nothing.\n");
        return;
    }
    out.push_str("| parameter | takes | default | what it does |\n|---|---|---|---|\n");
    for param in tool.params() {
        let names: Vec<String> =
            std::iter::once(&param.name).chain(param.aliases).map(|name| format!("`{name}`")).collect();
        let default = match param.default {
            Some(default) => format!("`{default}`"),
            None if tool.requires(param) => "required".to_string(),
            None => String::new(),
        };
        let help = param.help.replace('|', "\\|");
        let _ = writeln!(out, "| {} | {} | {default} | {help} |", names.join(", "), takes(param));
    }
}

fn takes(param: &Param) -> String {
    match param.takes {
        Takes::Nothing => "true or false".into(),
        Takes::Text | Takes::Texts | Takes::Bytes => "text".into(),
        Takes::Path => "path".into(),
        Takes::Repeated | Takes::List => "texts".into(),
        Takes::Paths => "paths".into(),
        Takes::Choice(choices) => format!("one of {}", choices().join(", ")),
        Takes::Choices(choices) => format!("some of {}", choices().join(", ")),
        Takes::Number(least, most) if most >= u32::MAX.into() => format!("number from {least}"),
        Takes::Number(least, most) => format!("number, {least} to {most}"),
        Takes::Fraction => "number, 0 to 1".into(),
    }
}

fn aliases(out: &mut String) {
    out.push_str(
        "\n## Other names\n\nNames that other systems taught their agents. They are neither listed nor found, and \
         answer as the tool does. An index that `index_dir` names has to be there already, and to be one of the root.\n\n\
         | name | stands for | also takes | state | deprecated in | removal | replay | why |\n|---|---|---|---|---|---|---|---|\n",
    );
    for alias in ALIASES.iter() {
        let names = |param: &&'static Param| {
            let all = std::iter::once(&param.name).chain(param.aliases);
            all.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let own: Vec<String> = alias.own.iter().map(names).collect();
        let _ = writeln!(
            out,
            "| `{}` | `{}` | {} | {} | {} | {} | {} | {} |",
            alias.name,
            alias.canonical,
            if own.is_empty() { "-".to_string() } else { own.join("; ") },
            alias.state.name(),
            alias.deprecated_in.unwrap_or("-"),
            alias.removal.unwrap_or("-"),
            if alias.state == AliasState::Removed { "no" } else { "yes" },
            alias.why
        );
    }
}
