"""The official Python client searches three sources of a library at once and reads where each hit came from.

    VENV/bin/python tests/clients/python/sources.py target/debug/spyhop

The library is made by the command line: a folder, a tag of a git repository and a source archive. The client asks all of them,
a group and one, follows an import to the source that is the package, and goes on when one source is removed.
"""
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from session import data, said

CLIENT = """from rate_limit import backoff_delay


def send_request(attempt):
    \"\"\"Sends a request again after a delay.\"\"\"
    return backoff_delay(attempt)
"""
LIMITS = """def backoff_delay(attempt):
    \"\"\"The delay before the next attempt of a request.\"\"\"
    return attempt * 100
"""
PAGES = """// Shows how long a request waits for its next attempt.
export function showDelay(delay) {
  return `waiting ${delay} ms`;
}
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def git(folder, *args):
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", *author, *args], cwd=folder, check=True, capture_output=True)


def make_library(program, folder):
    """The sources `client`, `limits` and `pages`; the last two are the group `deps`. Returns the commit of `limits`."""
    client, limits, pages = folder / "client", folder / "limits", folder / "pages"
    write(client / "send.py", CLIENT)
    write(limits / "rate_limit/__init__.py", LIMITS)
    write(limits / "pyproject.toml", '[project]\nname = "rate-limit"\nversion = "1.0"\n')
    git(limits, "init", "-q", "-b", "main")
    git(limits, "add", "-A")
    git(limits, "commit", "-q", "-m", "first")
    git(limits, "tag", "v1")
    write(pages / "package/index.js", PAGES)
    with tarfile.open(folder / "pages.tgz", "w:gz") as archive:
        archive.add(pages / "package", "package")

    def add(*args):
        subprocess.run([program, "add", "-q", "--library", folder / "library", *args], check=True)

    add(client)
    add(limits, "--ref", "v1", "--group", "deps")
    add(folder / "pages.tgz", "--name", "pages", "--group", "deps")
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=limits, check=True, capture_output=True, text=True)
    return head.stdout.strip()


async def asked(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    return data(result), result.content[0].text


async def checked(session, program, folder, commit):
    query = "delay before the next attempt of a request"
    found, text = await asked(session, "codebase_search", query=query, **{"in": ["all"]})
    rows = {row["source"]["name"]: row for row in found["results"]}
    assert set(rows) == {"client", "limits", "pages"} and found["complete"], found
    assert found["answering"] == 3, found
    source = rows["limits"]["source"]
    assert (source["kind"], source["ref"], source["commit"]) == ("git", "v1", commit), source
    assert source["url"] == str(folder / "limits") and source["imported_at"].endswith("Z"), source
    assert rows["limits"]["link"].startswith("file://"), rows["limits"]
    assert "limits:rate_limit/__init__.py:1" in text, text
    assert f"source limits: git {folder / 'limits'} v1 at {commit}, imported " in text, text
    assert f"source pages: tar {folder / 'pages.tgz'}, imported " in text, text
    said(f"three sources at once: {len(found['results'])} hits, {len(text.encode()) // 4} tokens")

    found, _ = await asked(session, "codebase_search", query=query, **{"in": ["deps"]})
    assert {row["source"]["name"] for row in found["results"]} == {"limits", "pages"}, found
    found, text = await asked(session, "grep_files", pattern="request", **{"in": ["all"]})
    assert [row["source"]["name"] for row in found["results"]] == ["client", "client", "limits", "pages"], found
    said("a group, and lines source by source")

    found, text = await asked(session, "find_references", target="backoff_delay", **{"in": ["all"]})
    users = {(row["source"]["name"], row["line"]) for row in found["results"]}
    assert ("client", 6) in users, text
    said("a use in one source of a definition in another")

    library = folder / "library"
    subprocess.run([program, "library", "remove", "--library", library, "pages"], check=True, capture_output=True)
    found, text = await asked(session, "codebase_search", query=query, **{"in": ["client", "pages"]})
    assert {row["source"]["name"] for row in found["results"]} == {"client"} and not found["complete"], found
    assert any("'pages'" in warning for warning in found["warnings"]), found["warnings"]
    said("a removed source is named, and the others answer")


async def main(program):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        commit = make_library(program, folder)
        (folder / "root").mkdir()
        environment = {"SPYHOP_INDEX_DIR": str(folder / "indexes")}
        arguments = ["mcp", "--library", str(folder / "library"), str(folder / "root")]
        server = StdioServerParameters(command=program, args=arguments, env=environment)
        async with stdio_client(server) as (read, write_to), ClientSession(read, write_to) as session:
            await session.initialize()
            await checked(session, program, folder, commit)


if __name__ == "__main__":
    anyio.run(main, str(pathlib.Path(sys.argv[1]).resolve()))
