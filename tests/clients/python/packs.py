"""The official Python client collects the code of a task of several goals with the tool get_context_pack.

    VENV/bin/python tests/clients/python/packs.py target/debug/spyhop
    VENV/bin/python tests/clients/python/packs.py --trees TREES target/release/spyhop eval/sets/tasks/restic.toml:1 ...

The client knows only the listed tools, so it searches for the tool first. By default the repository is this one. With a set
of tasks, each named by its number, the session compares calls and tokens until the client has read code of every file that a
task needs: with packs and their cursor, and with a search followed by reading the hits one by one and by a search of lines
for the longest words of the task.
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile
import tomllib

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from session import data, said

HERE = pathlib.Path(__file__).resolve().parents[3]
TASK = "mask secrets in the lines of a read and report how much of the tree is indexed"
NEEDED = ["src/engine/read.rs", "src/engine/graph.rs"]
BUDGET, MAX_PAGES, MAX_READ, MAX_WORDS = 8000, 4, 20, 4


class Counted:
    """A session that counts calls and the tokens of their texts."""

    def __init__(self, session):
        self.session, self.calls, self.tokens = session, 0, 0

    async def call(self, name, arguments):
        result = await self.session.call_tool(name, arguments)
        text = result.content[0].text
        self.calls, self.tokens = self.calls + 1, self.tokens + len(text.encode()) // 4
        return data(result), text


async def found_tool(counted):
    found = (await counted.call("tool_search", {"query": "code that a task needs"}))[0]["tools"]
    assert found[0]["name"] == "get_context_pack", [tool["name"] for tool in found]
    return found[0]["name"]


async def checked(session):
    """The tool is found, keeps its budget, sends nothing twice and goes on with a cursor."""
    listed = [tool.name for tool in (await session.list_tools()).tools]
    assert "get_context_pack" not in listed and "tool_search" in listed, listed
    counted = Counted(session)
    name = await found_tool(counted)
    pack, text = await counted.call(name, {"task": TASK, "budget": BUDGET})
    assert len(pack["goals"]) == 2 and pack["tokens"] <= BUDGET, pack["goals"]
    assert len(text.encode()) // 4 <= BUDGET * 1.1, len(text)
    assert all(file["reason"] and all(unit["reason"] for unit in file["units"]) for file in pack["results"])
    assert all(place["reason"] for place in pack["left_out"])
    key = lambda pack: {(file["path"], unit["line"]) for file in pack["results"] for unit in file["units"]}
    again, _ = await counted.call(name, {"task": TASK, "budget": BUDGET, "dedupe": True})
    assert not key(pack) & key(again), key(pack) & key(again)
    more, _ = await counted.call(name, {"task": TASK, "budget": BUDGET, "cursor": pack["next"]})
    assert not key(pack) & key(more) and more["results"], key(pack) & key(more)
    same, _ = await counted.call("context_pack", {"query": TASK, "max_tokens": BUDGET})
    assert same["results"] and same["goals"] == pack["goals"]
    said(f"a pack of two goals: {len(pack['results'])} files, {len(text.encode()) // 4} tokens, {counted.calls} calls")


def missing(needed, seen):
    return [path for path in needed if not any(path.endswith(known) or known.endswith(path) for known in seen)]


async def with_packs(session, task, needed):
    counted, seen = Counted(session), set()
    name = await found_tool(counted)
    arguments = {"task": task, "budget": BUDGET}
    for _ in range(MAX_PAGES):
        pack, _ = await counted.call(name, arguments)
        seen |= {file["path"] for file in pack["results"]}
        if not missing(needed, seen) or not pack["next"]:
            break
        arguments["cursor"] = pack["next"]
    return counted.calls, counted.tokens, missing(needed, seen)


async def with_search(session, task, needed):
    counted, seen = Counted(session), set()
    hits = []
    for text in [task, *re.split(r", and |\. | and |, then ", task)]:
        reply, _ = await counted.call("codebase_search", {"query": text, "mode": "compact"})
        hits += [(hit["path"], hit["line"], hit["end_line"]) for hit in reply["results"]]
    words = sorted(set(re.findall(r"\w{5,}", task.lower())), key=lambda word: (-len(word), word))
    for word in words[:MAX_WORDS]:
        reply, _ = await counted.call("grep_files", {"pattern": word, "fixed": True, "ignore_case": True, "rank": True})
        hits += [(line["path"], max(1, line["line"] - 20), line["line"] + 20) for line in reply["results"][:5]]
    for path, first, last in dict.fromkeys(hits):
        if counted.calls >= MAX_READ + MAX_WORDS + 4 or not missing(needed, seen):
            break
        if path not in seen:
            await counted.call("read_file", {"path": path, "lines": f"{first}-{last}"})
            seen.add(path)
    return counted.calls, counted.tokens, missing(needed, seen)


async def compared(session, task, needed):
    for way, ask in [("packs", with_packs), ("search and grep", with_search)]:
        calls, tokens, left = await ask(session, task, needed)
        state = "all files" if not left else f"{len(needed) - len(left)} of {len(needed)} files"
        said(f"{way}: {calls} calls, {tokens} tokens, {state}: {task[:60]}")


async def run(program, index, root, act):
    server = StdioServerParameters(
        command=program, args=["mcp", "--structured", "full", str(root)], env={"SPYHOP_INDEX_DIR": str(index)}
    )
    async with stdio_client(server) as streams:
        async with ClientSession(*streams, read_timeout_seconds=300) as session:
            await session.initialize()
            await act(session)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("tasks", nargs="*", help="SET.toml:NUMBER")
    parser.add_argument("--trees", type=pathlib.Path)
    arguments = parser.parse_args()
    program = str(arguments.program.resolve())
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "SPYHOP_INDEX_DIR": folder}

        def session(root, act):
            subprocess.run([program, "index", "-q", "--wait", "--root", str(root)], env=env, check=True)
            anyio.run(run, program, folder, pathlib.Path(root).resolve(), act)

        if not arguments.tasks:
            session(HERE, checked)
        for named in arguments.tasks:
            path, _, number = named.rpartition(":")
            tasks = tomllib.loads(pathlib.Path(path).read_text())
            query = tasks["queries"][int(number) - 1]
            root = arguments.trees / tasks["corpus"] / tasks["root"]
            session(root, lambda session: compared(session, query["query"], query["relevant"]))


if __name__ == "__main__":
    main()
