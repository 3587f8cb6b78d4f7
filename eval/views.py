"""Revisions of one repository searched by --view, against real checkouts of them: answers and bytes.

    python3 eval/views.py --bin target/release/spyhop REPOSITORY [--revisions 20] [--words 10]

REPOSITORY is cloned twice. In one clone the newest commit is indexed, then --revisions commits, spread over its history
by their count, are asked by `--view` with one index for all. In the other clone the same commits are checked out one
after the other and asked with a new index each. The questions are --queries sentences of this script and --words words
that are drawn from the checkout, by --seed, each as a ranked search, an exhaustive one and an exact one; besides what
is listed by `files`, `map` and `skipped`. Answers are compared as JSON without roots, generations and times. With
--again the views are asked a second time when all have been made, which must not change an answer either.

The table has a row a revision: answers that differ, files, seconds for the first answer by --view and by a new index,
and by how many bytes the index has grown with the view. The exit code is 1 when an answer differs. Only the standard
library is used.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

QUERIES = ["where errors are turned into text", "read the configuration file", "a lock that is held too long",
           "main", "TODO", "retry after a timeout", "test of the parser"]
WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{5,30}")
# What names the tree, the index or the moment.
VARYING = {"root", "generation", "checked_at", "branch", "next"}
ALL = ["--json", "-n", "20"]


def git(folder, *arguments):
    run = subprocess.run(["git", "-c", "advice.detachedHead=false", *arguments], cwd=folder, check=True,
                         capture_output=True, text=True)
    return run.stdout


def revisions(folder, number):
    """Commits of the main line, from the oldest to the newest, evenly spread."""
    line = git(folder, "rev-list", "--first-parent", "--reverse", "HEAD").split()
    if number >= len(line):
        return line
    return [line[place * (len(line) - 1) // max(number - 1, 1)] for place in range(number)]


def words(folder, number, chance):
    """Words of the files of a checkout, each from another file where there are enough."""
    paths = [path for path in git(folder, "ls-files", "-z").split("\0") if path]
    chance.shuffle(paths)
    found = []
    for path in paths:
        try:
            with open(os.path.join(folder, path), "rb") as file:
                inside = WORD.findall(file.read(1 << 16))
        except OSError:
            continue
        if inside:
            found.append(chance.choice(inside).decode())
        if len(found) == number:
            break
    return found


def questions(queries):
    asked = [["files", "", *ALL], ["map", "--json"], ["skipped", "--json"]]
    for query in queries:
        asked.append(["search", *ALL, "--", query])
        asked.append(["search", "--exhaustive", "--mode", "debug", *ALL, "--", query])
        asked.append(["grep", "--fixed", "--json", "--max-results", "100", "--", query])
    return asked


def bare(value):
    if isinstance(value, dict):
        return {name: bare(inside) for name, inside in value.items() if name not in VARYING}
    if isinstance(value, list):
        # A checkout has an empty folder where the commit has a submodule.
        return [bare(inside) for inside in value if not is_submodule(inside)]
    return value


def is_submodule(value):
    return isinstance(value, dict) and value.get("reason") == "special" and value.get("detail") == "submodule"


def ask(program, folder, index, question, view=None):
    named = [] if view is None else ["--view", view]
    command = [program, question[0], "--root", folder, *named, *question[1:]]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=dict(os.environ, SPYHOP_INDEX_DIR=index))
    if run.returncode == 2:
        return {"failed": run.stderr.replace(folder, "ROOT")}
    return bare(json.loads(run.stdout))


def size(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def differing(own, other, has_submodules):
    """Which answers differ."""
    found = []
    for question, one, two in zip(*own, other):
        if has_submodules:
            for reply in (one, two):
                reply.get("snapshot", {}).pop("skipped_files", None)
        if one != two:
            found.append(" ".join(question[:-1] + [repr(question[-1])]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("repository")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--revisions", type=int, default=20)
    parser.add_argument("--queries", type=int, default=len(QUERIES))
    parser.add_argument("--words", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.bin)
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="spyhop-views-") as scratch:
        scratch = os.path.realpath(scratch)
        # The name of the root is the same, in case anything depends on it.
        viewed, checked = (os.path.join(scratch, side, "tree") for side in ("viewed", "checked"))
        for folder in (viewed, checked):
            git(scratch, "clone", "-q", os.path.abspath(options.repository), folder)
        kept = os.path.join(scratch, "kept")
        subprocess.run([program, "index", "-q", viewed], check=True, env=dict(os.environ, SPYHOP_INDEX_DIR=kept))
        first = size(kept)
        print(f"the newest commit takes {first:,} bytes")
        print(f"{'revision':<12}{'files':>7}{'questions':>11}{'differ':>8}{'view s':>9}{'new s':>9}{'bytes more':>13}")
        wrong, total, grown, answers = 0, 0, [], {}
        for commit in revisions(viewed, options.revisions):
            git(checked, "checkout", "-q", "-f", "--detach", commit)
            git(checked, "clean", "-q", "-f", "-d", "-x")
            asked = questions(QUERIES[:options.queries] + words(checked, options.words, chance))
            fresh = os.path.join(scratch, "fresh")
            begun = time.perf_counter()
            theirs = [ask(program, checked, fresh, asked[0])]
            new = time.perf_counter() - begun
            theirs += [ask(program, checked, fresh, question) for question in asked[1:]]
            shutil.rmtree(fresh)
            before = size(kept)
            begun = time.perf_counter()
            ours = [ask(program, viewed, kept, asked[0], commit)]
            took = time.perf_counter() - begun
            grown.append(size(kept) - before)
            ours += [ask(program, viewed, kept, question, commit) for question in asked[1:]]
            has_submodules = "160000 commit" in git(viewed, "ls-tree", "-r", commit)
            found = differing((asked, ours), theirs, has_submodules)
            answers[commit] = (asked, ours, has_submodules)
            wrong += len(found)
            total += len(asked)
            files = theirs[0].get("snapshot", {}).get("indexed_files", 0)
            print(f"{commit[:10]:<12}{files:>7}{len(asked):>11}{len(found):>8}{took:>9.2f}{new:>9.2f}{grown[-1]:>13,}")
            for question in found[:5]:
                print(f"    differs: {question}")
            sys.stdout.flush()
        if options.again:
            for commit, (asked, ours, has_submodules) in answers.items():
                again = [ask(program, viewed, kept, question, commit) for question in asked]
                found = differing((asked, ours), again, has_submodules)
                wrong += len(found)
                total += len(asked)
                for question in found[:5]:
                    print(f"{commit[:10]} asked again differs: {question}")
        typical = sorted(grown)[len(grown) // 2]
        print(f"{wrong} of {total} answers differ; a view more takes {sum(grown) // len(grown):,} bytes on average, "
              f"{typical:,} in the middle, {100 * typical / first:.1f} % of the first")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
