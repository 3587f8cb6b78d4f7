#!/usr/bin/env python3
"""The tests that `impact` names for commits, beside what the names of files alone give.

    python3 eval/graph_tests.py PROGRAM REPOSITORY [--commits 40] [--first 20] [--verbose]

REPOSITORY is a git repository with history; a worktree of it is made in a temporary folder. Commits that are no merges, and
change source files as well as test files, are taken from the newest on. For each, the tree of the commit is checked out, and
`impact --diff -` gets the part of the commit's diff that is about source files. The share of the commit's test files that are
among the first tests of the answer is compared with that of a ranking by names alone: test files whose name without `test` and
`spec` is that of a changed file, nearest folders first. Fixtures and examples are not test files.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

SOURCES = {".py", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".rs", ".go", ".java", ".kt", ".c", ".cc", ".cpp", ".h", ".rb"}
ASIDE = {"fixture", "fixtures", "mock", "mocks", "testdata", "testutil", "testutils", "example", "examples"}
TEST = re.compile(r"(^|[/_.-])(tests?|specs?|__tests__|e2e)([/_.-]|$)|(Test|Tests|Spec|IT)\.\w+$")
MOST_FILES = 20


def git(folder, *arguments):
    return subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=True).stdout


def is_test(path):
    return bool(TEST.search(path)) and not ASIDE & set(path.lower().split("/")[:-1])


def subject(path):
    name = pathlib.PurePosixPath(path)
    stem = name.name.split(".")[0]
    if stem in {"index", "mod", "__init__", "lib", "main"}:
        stem = name.parent.name
    stem = re.sub(r"(Tests?|Spec|IT)$", "", stem) or stem
    return "_".join(word for word in re.split(r"[_-]", stem.lower()) if word not in {"test", "tests", "spec"})


def by_name(files, changed):
    """Test files with the name of a changed file, those with more common folders first."""
    subjects = {subject(path): path for path in changed}

    def shared(path):
        return len(set(path.split("/")[:-1]) & set(subjects[subject(path)].split("/")[:-1]))

    found = [path for path in files if is_test(path) and subject(path) in subjects]
    return sorted(found, key=lambda path: (-shared(path), path))


def commits(repository, most):
    for commit in git(repository, "rev-list", "--no-merges", "--min-parents=1", "HEAD").split():
        names = git(repository, "diff-tree", "--no-commit-id", "--name-only", "-r", "--diff-filter=AM", commit)
        names = [name for name in names.splitlines() if pathlib.PurePosixPath(name).suffix in SOURCES]
        tests = [name for name in names if is_test(name)]
        sources = [name for name in names if not TEST.search(name) and not ASIDE & set(name.lower().split("/"))]
        if tests and sources and len(names) <= MOST_FILES:
            yield commit, sources, tests
            most -= 1
            if most == 0:
                return


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("repository")
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--first", type=int, default=20)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    repository = str(pathlib.Path(options.repository).resolve())
    with tempfile.TemporaryDirectory() as folder:
        tree = f"{folder}/tree"
        env = {**os.environ, "SPYHOP_INDEX_DIR": f"{folder}/index"}
        git(repository, "worktree", "add", "--detach", tree, "HEAD")
        try:
            measure(options, repository, tree, env)
        finally:
            git(repository, "worktree", "remove", "--force", tree)


def measure(options, repository, tree, env):
    rows, times = [], []
    for commit, sources, tests in commits(repository, options.commits):
        git(tree, "checkout", "--quiet", "--force", commit)
        subprocess.run([options.program, "index", "-q", "--wait"], cwd=tree, env=env, check=True)
        diff = git(tree, "diff", f"{commit}^", commit, "--", *sources)
        start = time.monotonic()
        command = [options.program, "impact", "--diff", "-", "--json", "--max-results", "200", "--min-confidence", "0.1"]
        ran = subprocess.run(command, cwd=tree, env=env, input=diff, capture_output=True, text=True)
        times.append(time.monotonic() - start)
        if ran.returncode > 1:
            print(f"{commit[:10]}: {ran.stderr.strip()}")
            continue
        answer = json.loads(ran.stdout)
        named = [row["path"] for row in answer["tests"]][:options.first]
        convention = by_name(git(tree, "ls-files").splitlines(), sources)[:options.first]
        rows.append((tests, named, convention))
        if options.verbose:
            missed = [path for path in tests if path not in named]
            print(commit[:10], f"{len(tests) - len(missed)}/{len(tests)}", f"of {len(named)} named; missed:", *missed)
    total = sum(len(tests) for tests, _, _ in rows)
    print(f"{pathlib.Path(repository).name}: {len(rows)} commits, {total} changed test files, first {options.first} named")
    print("| ranking | changed test files named | commits with all named | tests named, median |\n|---|--:|--:|--:|")
    for name, place in [("`impact --diff`", 1), ("names of files alone", 2)]:
        found = sum(len(set(row[0]) & set(row[place])) for row in rows)
        whole = sum(set(row[0]) <= set(row[place]) for row in rows)
        named = statistics.median(len(row[place]) for row in rows)
        print(f"| {name} | {found / total:.3f} | {whole / len(rows):.3f} | {named:g} |")
    print(f"impact: median {statistics.median(times):.3f} s, with the start of the process")


if __name__ == "__main__":
    main()
