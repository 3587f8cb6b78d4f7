"""The official Python client with the real server over HTTP.

    python3 -m venv VENV && VENV/bin/pip install -r tests/clients/python/requirements.txt
    VENV/bin/python tests/clients/python/over_http.py target/debug/spyhop

With the token it follows progress, lists, searches and meets the borders of the roots; without it, with another one, from
a foreign page and under a foreign name it gets nowhere; then twenty clients ask at once, and the server ends when it is
told to. Each step prints a line; the first that fails ends the run with a traceback and exit code 1.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

import anyio
import httpx2
import jsonschema
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from session import ACTIVE, FILES, data, make, said

CLIENTS = 20


@contextlib.asynccontextmanager
async def client(url, headers):
    """A session of the client, which sends these headers with everything."""
    async with create_mcp_http_client(headers=headers) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(*streams, read_timeout_seconds=120) as session:
                hello = await session.initialize()
                assert hello.server_info.name == "spyhop" and hello.instructions
                yield session


def serve(program, folder):
    """The server, once it listens, and where."""
    # One thread, so that there is progress to tell when the first client asks.
    command = [program, "mcp", "--structured", "full", "--threads", "1", str(folder / "tree")]
    command += ["--http", "127.0.0.1:0", "--token-file", str(folder / "token")]
    env = {**os.environ, "SPYHOP_INDEX_DIR": str(folder / "index")}
    server = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    url = re.search(r"http://\S+", server.stderr.readline()).group()
    assert "a token was written to" in server.stderr.readline()
    return server, url


async def with_token(url, headers, folder):
    async with client(url, headers) as session:
        seen = []

        async def follow(part, total, message):
            seen.append(part)

        for _ in range(20):
            result = await session.call_tool("codebase_search", {"query": "where is the api key resolved"},
                                             progress_callback=follow)
            if data(result).get("state") != "indexing":
                break
            seen.clear()
        assert seen and seen == sorted(set(seen)) and seen[-1] == 100, seen
        assert data(result)["results"][0]["path"] == "auth.py", result
        tools = (await session.list_tools()).tools
        assert [tool.name for tool in tools] == ACTIVE, tools
        found = data(await session.call_tool("grep_files", {"pattern": r"def resolve_\w+"}))
        assert [(row["path"], row["line"]) for row in found["results"]] == [("auth.py", 4)], found
        status = data(await session.call_tool("index_status"))
        assert status["root"] == str(folder / "tree"), status
        for path in ["/etc", "../index", "~"]:
            refused = await session.call_tool("codebase_search", {"query": "a", "path": path})
            assert refused.is_error and refused.structured_content["kind"] == "bad-request", (path, refused)
    said(f"with the token ({len(seen)} notifications of progress)")


async def the_schemas(url, headers):
    """Every tool that only reads answers as its published schema says."""
    root = pathlib.Path(__file__).resolve().parents[3]
    schemas = json.loads((root / "docs" / "tool-schemas.json").read_text(encoding="utf-8"))
    calls = (root / "tests" / "clients" / "calls.json").read_text(encoding="utf-8")
    calls = json.loads(calls.replace("SYMBOL", "resolve_api_key").replace("FILE", "auth.py"))
    async with client(url, headers) as session:
        for tool, arguments in calls.items():
            result = data(await session.call_tool(tool, arguments))
            jsonschema.validate(result, {**schemas, **schemas["tools"][tool]})
    said(f"{len(calls)} results by their schemas")


def innermost(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def refused(url, headers, status, step):
    """The client gets nowhere, and what it was answered has this status."""
    statuses = []

    async def note(response):
        statuses.append(response.status_code)

    try:
        async with httpx2.AsyncClient(headers=headers, event_hooks={"response": [note]}) as http:
            async with streamable_http_client(url, http_client=http) as streams:
                async with ClientSession(*streams, read_timeout_seconds=30) as session:
                    await session.initialize()
    except Exception as error:
        assert innermost(error) is not None and statuses and set(statuses) == {status}, (statuses, innermost(error))
        said(f"{step}: {status}")
    else:
        raise AssertionError(f"{step}: the client was let in")


async def apart(url, headers):
    """Two sessions at once: what one touched and was sent is nothing to the other."""
    question = {"query": "where is the api key resolved", "limit": 1, "dedupe": True}
    async with client(url, headers) as one, client(url, headers) as other:
        await one.call_tool("touch", {"files": ["auth.py"]})
        hits = [data(await one.call_tool("codebase_search", question))["results"][0] for _ in range(2)]
        assert [reason["text"] for reason in hits[0]["reasons"] if reason["signal"] == "session"], hits
        assert hits[0]["snippet"] and hits[1]["snippet"] is None and hits[1]["sent_before"]["call"] == 1, hits
        hit = data(await other.call_tool("codebase_search", question))["results"][0]
        assert hit["snippet"] and all(reason["signal"] != "session" for reason in hit["reasons"]), hit
    said("separate sessions")


async def many(url, headers):
    """Clients that ask at once, each for another thing; no answer is that of another client."""
    answered = []

    async def ask(number):
        async with client(url, headers) as session:
            for module in range(number, FILES, FILES // 3):
                found = data(await session.call_tool("grep_files", {"pattern": f"def step_{module}_7\\("}))
                assert [row["path"] for row in found["results"]] == [f"part_{module % 10}/module_{module}.py"], found
                hits = data(await session.call_tool("codebase_search", {"query": f"step_{module}_7", "limit": 1}))
                assert hits["results"][0]["path"] == f"part_{module % 10}/module_{module}.py", hits
        answered.append(number)

    async with anyio.create_task_group() as group:
        for number in range(CLIENTS):
            group.start_soon(ask, number)
    assert sorted(answered) == list(range(CLIENTS)), answered
    said(f"{CLIENTS} clients at once")


async def run(url, folder):
    token = (folder / "token").read_text().strip()
    bearer = {"Authorization": f"Bearer {token}"}
    await with_token(url, bearer, folder)
    await refused(url, {}, 401, "without a token")
    await refused(url, {"Authorization": f"Bearer {token[:-1]}x"}, 401, "with another token")
    await refused(url, {**bearer, "Origin": "http://evil.example"}, 403, "from a foreign page")
    await refused(url, {**bearer, "Host": "evil.example"}, 403, "under a foreign name")
    await the_schemas(url, bearer)
    await apart(url, bearer)
    await many(url, bearer)


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        (folder / "tree").mkdir()
        make(folder / "tree")
        server, url = serve(program, folder)
        try:
            anyio.run(run, url, folder)
            server.send_signal(signal.SIGTERM)
            assert server.wait(timeout=60) == 0
            said("end")
        finally:
            server.kill()
            server.wait()


if __name__ == "__main__":
    main()
