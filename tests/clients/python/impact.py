"""The official Python client renames methods of a real tree by the answers alone, and the compiler accepts each rename.

    VENV/bin/python tests/clients/python/impact.py target/debug/spyhop RXJS COMMAND
    VENV/bin/python tests/clients/python/impact.py target/debug/spyhop TREE COMMAND METHOD...

The client knows only the listed tools. It searches for the tool that finds uses, and asks for every use of a method. Then it
renames the definition and each resolved use, and COMMAND in the tree must find no error. With the definition alone, COMMAND
must find some. `.ci/clients impact` takes RxJS from the registry of packages.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from session import data, said

METHODS = ["Subscription.add", "Subscription.remove", "Subscription._hasParent", "Notification.observe"]


async def answer(session, method):
    """The places of the definitions and of the resolved uses: (path, line, column)."""
    found = data(await session.call_tool("tool_search", {"query": "find the uses of a method"}))["tools"]
    assert found[0]["name"] == "find_references", [tool["name"] for tool in found]
    reply = data(await session.call_tool("find_references", {"target": method, "max_results": 1000, "max_tokens": 100000}))
    assert reply["results"] and not reply.get("truncated"), reply
    uses = [(row["path"], row["line"], row["column"]) for row in reply["results"] if not row["is_possible"]]
    return [(own["path"], own["line"], 1) for own in reply["definitions"]], uses


def rename(tree, name, places):
    """Renames the first `name` from each place on, from the end of a line to its beginning."""
    for path, line, column in sorted(places, reverse=True):
        lines = (tree / path).read_text().split("\n")
        head, rest = lines[line - 1][: column - 1], lines[line - 1][column - 1 :]
        lines[line - 1] = head + re.sub(rf"(?<![\w$]){name}(?![\w$])", f"{name}Renamed", rest, count=1)
        (tree / path).write_text("\n".join(lines))


def errors(command, tree):
    done = subprocess.run(shlex.split(command), cwd=tree, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


async def renamed(program, tree, command, methods):
    with tempfile.TemporaryDirectory() as index:
        env = {**os.environ, "SPYHOP_INDEX_DIR": index}
        subprocess.run([program, "index", "-q", "--wait", "--root", tree], env=env, check=True)
        server = StdioServerParameters(command=program, args=["mcp", "--structured", "full", str(tree)], env=env)
        async with stdio_client(server) as streams, ClientSession(*streams, read_timeout_seconds=300) as session:
            await session.initialize()
            for method in methods:
                definitions, uses = await answer(session, method)
                for places, is_valid in [(definitions, False), (definitions + uses, True)]:
                    texts = {path: (tree / path).read_text() for path, _, _ in places}
                    rename(tree, method.rsplit(".")[-1], places)
                    found = errors(command, tree)
                    assert is_valid == (not found), f"{method}, {len(places)} places:\n{found[:2000]}"
                    for path, text in texts.items():
                        (tree / path).write_text(text)
                said(f"{method} is renamed in {len(uses)} places of use, and the compiler accepts the tree")


def main():
    program, source, command, *methods = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder).resolve() / "tree"
        shutil.copytree(source, tree)
        found = errors(command, tree)
        assert not found, f"errors before any rename:\n{found[:2000]}"
        anyio.run(renamed, str(pathlib.Path(program).resolve()), tree, command, methods or METHODS)


if __name__ == "__main__":
    main()
