"""The functions of a tree, from the program's outlines, for `commit_sets.py`."""
import collections
import json
import subprocess
import tempfile

PAGE = 1_000

Function = collections.namedtuple("Function", "path name first last")


def functions(program, folder):
    """The functions and methods of the tree in `folder`, by path and line. Names are qualified."""
    found, cursor = [], None
    with tempfile.TemporaryDirectory(prefix="spyhop-functions-") as index:
        command = [program, "symbols", "--kind", "fn,method", "--max-results", str(PAGE), "--json", "--quiet",
                   "--root", str(folder), "--index-dir", index]
        while True:
            more = ["--no-refresh", "--cursor", cursor] if cursor else []
            done = subprocess.run(command + more, capture_output=True, text=True)
            if done.returncode == 1:
                return []
            if done.returncode:
                raise SystemExit(f"{folder}: {done.stderr.strip()}")
            reply = json.loads(done.stdout)
            for row in reply["results"]:
                name = f"{row['container']}.{row['name']}" if row["container"] else row["name"]
                found.append(Function(row["path"], name, row["line"], row["end_line"]))
            cursor = reply.get("next")
            if not cursor:
                return sorted(found, key=lambda found: (found.path, found.first, -found.last, found.name))
