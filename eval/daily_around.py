"""What everyday use around the command line expects: agents, editors, packages, the front page; for `daily.py`."""

import json
import pathlib
import re
import subprocess

from daily_tree import Server, Terminal, check, expect


@check("an agent reads, searches, finds tools and uses names of other systems")
def _(tree):
    tree.run("index", "-q")
    with Server(tree, "mcp") as server:
        client = {"name": "daily", "version": "1"}
        hello = server.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        assert hello["capabilities"]["tools"].get("listChanged"), hello
        server.send(method="notifications/initialized")
        def call(name, **arguments):
            return server.ask("tools/call", name=name, arguments=arguments)["content"][0]["text"]
        listed = {tool["name"] for tool in server.ask("tools/list")["tools"]}
        assert {"codebase_search", "grep_files", "file_search"} <= listed, listed
        found = call("tool_search", query="why is a file not found")
        assert len(found) < 800 * 4, len(found)
        again = {tool["name"] for tool in server.ask("tools/list")["tools"]}
        assert "notifications/tools/list_changed" in server.notified and again > listed, (server.notified, again - listed)
        assert "take_permit" in call("read_file", path="src/pool.rs", lines="4-4")
        assert "src/pool.rs" in call("file_search", query="pool")
        assert "resolve_api_key" in call("grep_files", pattern="lookup\\(provider", include="*.rs", context_lines=0)
        assert "src" in call("project_map", max_depth=1)


@check("an editor finds symbols and definitions")
def _(tree):
    tree.run("index", "-q")
    with Server(tree, "lsp", headers=True) as server:
        folder = {"uri": tree.root.as_uri(), "name": "tree"}
        server.ask("initialize", processId=None, rootUri=tree.root.as_uri(), workspaceFolders=[folder], capabilities={})
        server.send(method="initialized", params={})
        symbols = server.ask("workspace/symbol", query="tkperm")
        assert symbols[0]["name"] == "take_permit", symbols
        at = {"textDocument": {"uri": (tree.root / "src/auth.rs").as_uri()}, "position": {"line": 2, "character": 6}}
        place = server.ask("textDocument/definition", **at)
        assert (place[0] if isinstance(place, list) else place)["range"]["start"]["line"] == 5, place


@check("an agent's texts name definitions and are cut off, and parameters of other systems are taken")
def _(tree):
    (tree.root / "src/many.rs").write_text("".join(f"fn many_{n}() {{ let bean = {n}; }}\n" for n in range(2000)))
    tree.run("index", "-q")
    index = json.loads(tree.run("status", "--json").stdout)["index_path"]
    with Server(tree, "mcp") as server:
        client = {"name": "daily", "version": "1"}
        server.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        server.send(method="notifications/initialized")
        def call(name, **arguments):
            reply = server.ask("tools/call", name=name, arguments=arguments)
            assert not reply.get("isError"), (name, arguments, reply)
            return reply
        text = call("grep_files", pattern="lookup\\(provider")["content"][0]["text"]
        assert "resolve_api_key" in text, text
        text = call("grep_files", pattern="LET BEAN", case_insensitive=True)["content"][0]["text"]
        assert len(text) < 40_000 and len(text.splitlines()) < 400, len(text)
        for name, arguments in (("code.status", {"path": "."}), ("code.search", {"query": "lookup", "db": index}),
                                ("file_search", {"query": "auth"}), ("project_map", {"max_depth": 1}),
                                ("grep_files", {"pattern": "close", "include": "*.ts", "context_lines": 1})):
            call(name, **arguments)
        reply = call("codebase_search", query="where is the key of a provider resolved")
        assert "resolve_api_key" in reply["content"][0]["text"], reply


@check("a file that is edited weighs in the session of the agent, without a call")
def _(tree):
    for name in ("one", "two"):
        (tree.root / f"{name}.rs").write_text("pub fn lantern() {}\n")
    tree.run("index", "-q")
    with Server(tree, "mcp") as server:
        server.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "daily", "version": "1"})
        server.send(method="notifications/initialized")
        def first():
            return server.ask("tools/call", name="codebase_search", arguments={"query": "lantern"})["content"][0]["text"]
        before = re.search(r"(one|two)\.rs", first()).group(0)
        other = "two.rs" if before == "one.rs" else "one.rs"
        (tree.root / other).write_text("pub fn lantern() {}\n\n")
        for _ in range(40):
            after = re.search(r"(one|two)\.rs", first()).group(0)
            if after == other:
                break
            subprocess.run(["sleep", "0.25"], check=True)
        assert after == other, (before, after)


@check("an editor finds uses, the symbols of a file and ranked hits")
def _(tree):
    tree.run("index", "-q")
    with Server(tree, "lsp", headers=True) as server:
        folder = {"uri": tree.root.as_uri(), "name": "tree"}
        server.ask("initialize", processId=None, rootUri=tree.root.as_uri(), workspaceFolders=[folder], capabilities={})
        server.send(method="initialized", params={})
        document = {"uri": (tree.root / "src/auth.rs").as_uri()}
        uses = server.ask("textDocument/references", textDocument=document, position={"line": 2, "character": 6},
                          context={"includeDeclaration": True})
        assert {use["range"]["start"]["line"] for use in uses} >= {2, 5}, uses
        names = [symbol["name"] for symbol in server.ask("textDocument/documentSymbol", textDocument=document)]
        assert names == ["resolve_api_key", "lookup"], names
        hits = server.ask("workspace/executeCommand", command="spyhop.search", arguments=[{"query": "key of a provider"}])
        assert hits[0]["path"] == "src/auth.rs" and hits[0]["reasons"], hits
        lines = server.ask("workspace/executeCommand", command="spyhop.grep", arguments=[{"pattern": "take_permit"}])
        assert len(lines) == 2, lines


@check("the picker finds while a person types, and prints what is chosen")
def _(tree):
    tree.run("index", "-q")
    with Terminal(tree, "ui", "--print", XDG_STATE_HOME=str(tree.root.parent)) as terminal:
        terminal.read_until("ranked")
        terminal.type("take permit")
        terminal.read_until(r"pool\.rs")
        terminal.type("\x14")
        terminal.read_until("exact")
        terminal.type("\x15lookup.provider")
        terminal.read_until(r"1 line\b")
        terminal.type("\r")
        terminal.read_until(r"src/auth\.rs:3:5\s*\Z")
        assert terminal.ended() == 0


@check("the front page shows an answer, says when to use what, how long a build takes and where binaries come from")
def _(tree):
    root = pathlib.Path(__file__).resolve().parent.parent
    text = (root / "README.md").read_text()
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
        assert (root / picture).exists(), picture
    assert (root / "docs/pictures/answer").exists() and "docs/pictures/answer" in text
    for words in ("When to use it", "ripgrep", "zoekt", "takes .* minutes", r"\.deb", "static", "Homebrew", "npm", "wheel"):
        assert re.search(words, text), words


@check("the repository has packages, recipes and an extension whose files are sound")
def _(tree):
    root = pathlib.Path(__file__).resolve().parent.parent
    for path in ("packaging/RELEASE.md", "docs/editors.md", "docs/ui.md"):
        assert (root / path).exists(), path
    json.loads((root / "editors/vscode/package.json").read_text())
    for script in [path for path in (root / "packaging").rglob("*") if path.is_file()]:
        if script.read_bytes().startswith((b"#!/bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash")):
            subprocess.run(["bash", "-n", str(script)], check=True)
