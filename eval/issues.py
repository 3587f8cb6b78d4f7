#!/usr/bin/env python3
"""Writes the trees and the query set of an issue localisation benchmark, for `spyhop-eval run`.

    python3 eval/issues.py dev.jsonl MIRRORS OUT

A line of dev.jsonl is an issue: `id`, `repository`, `base_commit`, `text`, `files` and `functions` (a path and
`Class.method`) that its fix changed. MIRRORS holds a git directory for each repository as MIRRORS/OWNER+NAME/repo; for
django/django any clone with its commits, OWNER+django, will do. OUT gets a tree for each issue, OUT/trees/REPO@COMMIT,
with the Python files that are no tests, and OUT/issues.jsonl: the text is the question, the files are its targets, and the
lines of the functions, as Python's parser tells them, its places. The table of `spyhop-eval run` then has the share
of issues of which all changed functions are among the first five and ten hits, as `all@5` and `all@10`.
"""

import argparse
import ast
import json
import pathlib
import subprocess

TESTS = ("tests/", "test_", "conftest", "/testing/", "_test.py")


def mirror(mirrors, repository):
    exact = mirrors / repository.replace("/", "+") / "repo"
    others = sorted(mirrors.glob("*+" + repository.split("/")[1] + "/repo"))
    return exact if exact.exists() else others[0] if others else None


def write_tree(git, commit, folder):
    """Writes the Python files of a commit that are no tests."""
    listed = subprocess.run(git + ["ls-tree", "-r", "--name-only", commit], capture_output=True, text=True, check=True)
    paths = [path for path in listed.stdout.splitlines() if path.endswith(".py") and not any(t in path for t in TESTS)]
    batch = subprocess.Popen(git + ["cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for path in paths:
        batch.stdin.write(f"{commit}:{path}\n".encode())
        batch.stdin.flush()
        size = int(batch.stdout.readline().split()[-1])
        text = batch.stdout.read(size + 1)[:-1]
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text)
    batch.stdin.close()
    batch.wait()


def lines_of(text, name):
    """The lines of the function `Class.method`, decorators included; nothing where there is none."""
    nodes = [ast.parse(text)]
    for part in name.split("."):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        inside = [child for node in nodes for child in ast.walk(node) if isinstance(child, kinds)]
        nodes = [child for child in inside if child.name == part]
    if not nodes:
        return None
    node = nodes[0]
    return [min([node.lineno] + [decorator.lineno for decorator in node.decorator_list]), node.end_lineno]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("issues", type=pathlib.Path)
    parser.add_argument("mirrors", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="only each N-th issue, for a quick look")
    arguments = parser.parse_args()
    rows = []
    for issue in [json.loads(line) for line in arguments.issues.read_text().splitlines()][:: arguments.every]:
        repository, commit = issue["repository"], issue["base_commit"]
        source = mirror(arguments.mirrors, repository)
        if source is None:
            print(f"left out, no mirror of {repository}")
            continue
        corpus = f"{repository.split('/')[1]}@{commit[:10]}"
        folder = arguments.out / "trees" / corpus
        if not folder.exists():
            write_tree(["git", f"--git-dir={source}"], commit, folder)
        row = {"corpus": corpus, "language": "python", "id": issue["id"], "kind": "issue",
               "query": issue["text"][:10_000], "relevant": issue["files"]}
        places = []
        for path, name in issue["functions"] if issue["function_level"] else []:
            lines = lines_of((folder / path).read_text(errors="replace"), name) if (folder / path).exists() else None
            if lines is None:
                print(f"{issue['id']}: no function {name} in {path}")
            else:
                places.append({"path": path, "lines": lines})
        if places and len(places) == len(issue["functions"]):
            row["places"] = places
        if all((folder / path).exists() for path in issue["files"]):
            rows.append(row)
    (arguments.out / "issues.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(f"{len(rows)} issues, {sum('places' in row for row in rows)} with functions")


if __name__ == "__main__":
    main()
