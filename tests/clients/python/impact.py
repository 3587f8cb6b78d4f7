"""The official Python client asks a real repository what breaks if a function changes, in at most three calls.

    VENV/bin/python tests/clients/python/impact.py target/debug/spyhop [REPOSITORY SYMBOL DEPENDENT TEST]

The client knows only the listed tools. It searches for a tool, and calls the tool that it finds. By default the repository is
this one: the answer about `touched_lines` has to name a function that uses it, and the file with its tests.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from session import data, said

HERE = pathlib.Path(__file__).resolve().parents[3]
MOST_CALLS = 3
MAX_TOKENS = 1500


async def asked(program, index, repository, symbol, dependent, test):
    server = StdioServerParameters(
        command=program,
        args=["mcp", "--structured", "full", str(repository)],
        env={"SPYHOP_INDEX_DIR": str(index)},
    )
    calls = 0
    async with stdio_client(server) as streams:
        async with ClientSession(*streams, read_timeout_seconds=300) as session:
            await session.initialize()
            listed = [tool.name for tool in (await session.list_tools()).tools]
            assert "impact" not in listed and "tool_search" in listed, listed

            async def call(name, arguments):
                nonlocal calls
                calls += 1
                return await session.call_tool(name, arguments)

            found = data(await call("tool_search", {"query": "what breaks if I change a function"}))["tools"]
            name = found[0]["name"]
            assert name == "impact" and "target" in found[0]["inputSchema"]["properties"], found
            result = await call(name, {"target": symbol, "max_tokens": MAX_TOKENS})
            answer, text = data(result), result.content[0].text
            assert len(text) <= 4 * MAX_TOKENS, len(text)
            owners = [row["from"]["symbol"] for row in answer["results"] if row["from"]]
            assert dependent in owners and dependent in text, (owners, text)
            tests = [row["path"] for row in answer["tests"]]
            assert any(test in path for path in tests) and "tests to run:" in text, (tests, text)
            assert calls <= MOST_CALLS, calls
            # Names that other systems taught lead to the same answer.
            other = data(await session.call_tool("blast_radius", {"symbol": symbol, "max_tokens": MAX_TOKENS}))
            assert other["results"] == answer["results"]
    said(f"what depends on {symbol}: {calls} calls, {len(text) // 4} tokens, {len(owners)} symbols, {len(tests)} tests")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    repository, symbol, dependent, test = sys.argv[2:] or [HERE, "touched_lines", "Engine.compared", "src/engine/changes.rs"]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "SPYHOP_INDEX_DIR": folder}
        subprocess.run([program, "index", "-q", "--wait", "--root", str(repository)], env=env, check=True)
        anyio.run(asked, program, folder, pathlib.Path(repository).resolve(), symbol, dependent, test)


if __name__ == "__main__":
    main()
