"""A whole session of the official Python client with the real server.

    python3 -m venv VENV && VENV/bin/pip install -r tests/clients/python/requirements.txt
    VENV/bin/python tests/clients/python/session.py target/debug/spyhop

The session makes a new tree, large enough that the first index takes a moment, and then does what a client does: list,
see the index being built, cancel, follow progress, search, page, meet errors, use another system's name. Each step
prints a line; the first that fails ends the run with a traceback and exit code 1.
"""
import pathlib
import sys
import tempfile

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

FILES = 250
ACTIVE = ["codebase_search", "file_search", "grep_files", "index_status", "tool_search"]
FOUND = ["search_batch"]


def make(tree):
    """A tree of FILES modules, each about another thing, and one that says what is asked for below."""
    for number in range(FILES):
        body = "\n".join(
            f"def step_{number}_{step}(value):\n    \"\"\"Turns value {step} of part {number}.\"\"\"\n"
            f"    return value + {step} * {number}\n"
            for step in range(80)
        )
        path = tree / f"part_{number % 10}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body)
    (tree / "auth.py").write_text(
        '"""Keys of providers."""\n\n\ndef resolve_api_key(provider):\n'
        '    """Resolves the secret key of a provider."""\n    return f"secret of {provider}"\n'
    )


def said(step):
    print(f"ok  {step}", flush=True)


def data(result):
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def the_head(session, found=()):
    """The list of tools: those of the profile, and those that the client has found since."""
    tools = (await session.list_tools()).tools
    assert [tool.name for tool in tools] == [*ACTIVE, *found], tools
    assert all(tool.annotations.read_only_hint for tool in tools)
    assert tools == (await session.list_tools()).tools
    said("list")


async def an_index_that_is_built(session, log):
    status = data(await session.call_tool("index_status"))
    assert status["state"] == "indexing", status
    assert set(status["indexing"] or {"files", "bytes"}) >= {"files", "bytes"}
    said("state while indexing")

    seen = []
    with anyio.CancelScope() as scope:
        async def stop(part, total, message):
            scope.cancel()

        await session.call_tool("codebase_search", {"query": "api key"}, progress_callback=stop)
    assert scope.cancelled_caught
    with anyio.fail_after(10):
        while "cancelled" not in log.read_text():
            await anyio.sleep(0.05)
    assert data(await session.call_tool("index_status"))["root"]
    said("cancel")

    async def follow(part, total, message):
        seen.append((part, total, message))

    result = None
    for _ in range(20):
        result = await session.call_tool("codebase_search", {"query": "where is the api key resolved"},
                                         progress_callback=follow)
        if data(result).get("state") != "indexing":
            break
        seen.clear()
    parts = [part for part, _, _ in seen]
    assert parts and parts == sorted(set(parts)) and parts[-1] == 100, seen
    assert data(result)["results"][0]["path"] == "auth.py", result
    said(f"progress ({len(parts)} notifications)")


async def answers(session):
    result = await session.call_tool("codebase_search", {"query": "where is the api key resolved", "limit": 3})
    reply, text = data(result), result.content[0].text
    hit = reply["results"][0]
    assert (hit["path"], hit["symbol"]) == ("auth.py", "resolve_api_key"), hit
    assert hit["link"].endswith("/auth.py#L4") and hit["link"].startswith("file:///"), hit["link"]
    assert abs(sum(reason["share"] for reason in hit["reasons"]) - hit["score"]) < 1e-4
    assert text.startswith(f"auth.py:{hit['line']}-{hit['end_line']} python fn resolve_api_key "), text
    assert reply["snapshot"]["checked_at"], reply["snapshot"]
    said("search")

    found = data(await session.call_tool("grep_files", {"pattern": r"def resolve_\w+"}))
    assert [(row["path"], row["line"]) for row in found["results"]] == [("auth.py", 4)] and found["complete"], found
    found = data(await session.call_tool("grep", {"pattern": "DEF RESOLVE", "-i": True, "-n": True, "type": "py"}))
    assert found["total_lines"] == 1, found
    found = data(await session.call_tool("file_search", {"pattern": "auth"}))
    assert found["results"][0]["path"] == "auth.py", found
    outline = await session.call_tool("project_map", {"max_tokens": 1000})
    assert data(outline)["files"] == FILES + 1 and len(outline.content[0].text) <= 4000
    said("grep, files, map")

    def key(hit):
        return hit["path"], hit["line"]

    question = {"query": "turns value of part", "per_file": 1}
    whole = [key(hit) for hit in data(await session.call_tool("codebase_search", {**question, "limit": 12}))["results"]]
    paged, cursor = [], None
    while len(paged) < 12:
        page = await session.call_tool("codebase_search", {**question, "max_tokens": 500, "cursor": cursor})
        assert len(page.content[0].text) <= 4 * 500
        paged += [key(hit) for hit in data(page)["results"]]
        cursor = data(page)["next"]
    assert paged[:12] == whole, (paged, whole)
    said("page")


async def failures(session):
    for arguments, words in [
        ({}, "needs 'query'"),
        ({"query": "a", "colour": "red"}, "no parameter 'colour'"),
        ({"query": "a", "lang": "klingon"}, "klingon"),
        ({"query": "a", "path": "../elsewhere"}, "'..'"),
        ({"query": "a", "path": "/etc/passwd"}, "outside"),
    ]:
        result = await session.call_tool("codebase_search", arguments)
        assert result.is_error and words in result.content[0].text, (arguments, result)
        assert result.structured_content["kind"] == "bad-request"
    try:
        await session.call_tool("no_such_tool")
    except MCPError as error:
        assert "no_such_tool" in str(error)
    else:
        raise AssertionError("an unknown tool must be an error of the protocol")
    said("error")


async def other_names(session):
    canonical = data(await session.call_tool("codebase_search", {"query": "resolve_api_key", "max_results": 2}))
    for name, notice in [("search_code", None), ("semantic_search", "codebase_search")]:
        result = await session.call_tool(name, {"query": "resolve_api_key", "top_k": 2})
        # Scores differ a little: what was shown in a session weighs in its next question.
        places = [[(hit["path"], hit["line"]) for hit in reply["results"]] for reply in (canonical, data(result))]
        assert places[0] == places[1], name
        told = (result.meta or {}).get("spyhop/deprecated", {})
        assert told.get("replacement") == notice, (name, result.meta)
    found = data(await session.call_tool("tool_search", {"query": "several queries at once"}))["tools"]
    assert [tool["name"] for tool in found] == FOUND and "queries" in found[0]["inputSchema"]["properties"], found
    batch = data(await session.call_tool("search_batch", {"queries": ["resolve_api_key", "secret of provider"]}))
    assert batch["results"][0]["path"] == "auth.py"
    said("alias and deferred")


async def session_with(program, folder):
    log = folder / "log"
    server = StdioServerParameters(
        command=program,
        args=["mcp", "--structured", "full", "--threads", "1", str(folder / "tree")],
        env={"SPYHOP_INDEX_DIR": str(folder / "index"), "SPYHOP_LOG": "spyhop::mcp=info"},
    )
    with log.open("w") as errors:
        async with stdio_client(server, errlog=errors) as streams:
            async with ClientSession(*streams, read_timeout_seconds=120) as session:
                hello = await session.initialize()
                assert hello.server_info.name == "spyhop" and hello.instructions
                said(f"initialize, protocol {hello.protocol_version}")
                await the_head(session)
                await an_index_that_is_built(session, log)
                await answers(session)
                await failures(session)
                await other_names(session)
                await the_head(session, found=FOUND)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        (folder / "tree").mkdir()
        make(folder / "tree")
        anyio.run(session_with, program, folder)


if __name__ == "__main__":
    main()
