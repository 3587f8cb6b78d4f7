#!/usr/bin/env python3
"""Makes a query set from the history of git repositories, for `spyhop-eval run`: commit message to changed functions.

    python3 eval/commit_sets.py target/release/spyhop CLONES OUT [--only FOLDER,NAME=FOLDER] [--each 40] [--back 300]

CLONES holds git repositories with their history: FOLDER/.git, FOLDER/repo, or FOLDER itself as a bare repository. The
name of a repository is the folder's name without a leading OWNER+, or the NAME that --only gives. A tree per commit is
expensive, so one base revision serves all questions of a repository: the commit --back first parents before HEAD. The
script writes the tree of the base to OUT/trees/NAME@REVISION and the questions to OUT/commits.jsonl. --seed draws up to
--each commits after the base.

| field | content |
|---|---|
| query | subject and body without trailers and issue numbers, up to 10,000 characters |
| kind | `message` for a commit with a body, `subject` for a commit without one |
| relevant | the source files that the commit changed and the base has |
| places | the functions that the commit changed, with their lines in the base |

A diff numbers the lines of the commit's parent. Each changed line belongs to the innermost function of the parent's
file, and the function is found in the base by path and qualified name. Where a file defines a name several times, the
n-th definition in the parent is the n-th in the base. The script ignores changes in tests, examples and documentation,
changes of white space and comments, and declarations without a body. The script leaves out:

- commits that change no function, more than five functions, or more than five files of any kind;
- commits with a changed function that the base does not have;
- merges, reverts, backports, version bumps, and commits by bots;
- commits whose subject announces a change of documentation, tests, style or build, has fewer than four words, or
  repeats the subject of a newer commit.

With `--files MIN-MAX` a question is a task: a commit that changes so many source files, all of which the base has.
The answer is the set of these files. A task has no places, and functions are not counted.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import tempfile

from place_sets import LANGUAGES, TESTS

MAX_FUNCTIONS, MAX_FILES = 5, 5
MAX_CHARACTERS = 10_000
BOT = re.compile(r"\[bot\]|\bbot\b|dependabot|renovate|greenkeeper|transifex|weblate", re.I)
LEFT_OUT = re.compile(
    r"^merge\b|^(re-?)?revert|^reappl|\broll(ed|ing)?[ -]?(back|forward)\b|^back(ed)? ?out|^undo\b"
    r"|^v?\d+\.\d+|^(\w+(\(.*?\))?!?: *)?(bump|release|prepare|cut|begin|tag)\b"
    r"|^(\w+(\(.*?\))?!?: *)?(update|upgrade)\b.*\b(v?\d+\.\d+|versions?|dependenc\w+|deps|changelog)\b"
    r"|^(docs?|tests?|ci|style|chore|build)\b[^:]{0,30}:|\[(ci skip|skip ci|docs?)\]"
    r"|\b(typos?|docs?|docstrings?|documentation|changelog|readme|comments?|formatting|spelling)\b",
    re.I,
)
ELSEWHERE = re.compile(r"\bthis reverts commit|\bbackport|\bcherry.?pick", re.I)
TRAILER = re.compile(
    r"^[A-Za-z]+(-[A-Za-z]+)+: |^-{3,}$"
    r"|^(fix(es|ed)?|close[sd]?|refs?|resolve[sd]?|see)\b:? *(\S+/\S+)?#?\d*\.?$",
    re.I,
)
NUMBER = re.compile(r"\s*\((?:\w+ )?#\d+\)")
MORE_TESTS = re.compile(r"(^|/)Tests?/|[a-z]Tests?[/.]")
NO_CODE = re.compile(r"^\s*($|//|#(?!\[|include|define|if|endif|else)|/?\*|--)")
DIFF = ["-r", "-p", "-U0", "-w", "--ignore-blank-lines", "--no-renames", "--no-color", "--no-commit-id"]
PAGE = 1_000
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
Function = collections.namedtuple("Function", "path name first last")


class Repository:
    """A git directory."""

    def __init__(self, folder):
        inside = [folder / ".git", folder / "repo", folder]
        self.directory = next(path for path in inside if (path / "HEAD").exists())

    def git(self, *arguments, **settings):
        command = ["git", f"--git-dir={self.directory}", "-c", "core.quotePath=false", *arguments]
        return subprocess.run(command, check=True, capture_output=True, **settings).stdout.decode(errors="replace")

    def write_tree(self, revision, folder):
        """Writes all files of a revision. `git archive` would leave out files that are marked export-ignore."""
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as scratch:
            environment = dict(os.environ, GIT_INDEX_FILE=f"{scratch}/index", GIT_LFS_SKIP_SMUDGE="1")
            self.git("read-tree", revision, env=environment)
            checkout = ["checkout-index", "-a", "-f", "-q"]
            try:
                self.git(f"--work-tree={folder.resolve()}", *checkout, env=environment, cwd=folder)
            except subprocess.CalledProcessError as error:
                print(f"{folder.name}: {error.stderr.decode(errors='replace').strip()}")

    def commits(self, base):
        """(hash, subject, body, author) of the commits after the base, without merges."""
        log = self.git("log", "--no-merges", "--format=%H%x1f%s%x1f%b%x1f%an <%ae>%x1e", f"{base}..HEAD")
        for entry in log.split("\x1e")[:-1]:
            yield entry.strip("\n").split("\x1f")


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


def is_test(path):
    """Whether it is a test, an example or documentation."""
    return bool(TESTS.search(path) or MORE_TESTS.search(path))


def is_source(path):
    return path.rsplit(".", 1)[-1] in LANGUAGES and not path.endswith(".d.ts") and not is_test(path)


def message(subject, body):
    """Subject and body without trailers and issue numbers, and without the subject's copy in the body."""
    subject = NUMBER.sub("", subject).strip()
    lines = [NUMBER.sub("", line.rstrip()) for line in body.split("\n") if not TRAILER.match(line.strip())]
    rest = "\n".join(line for line in lines if line.strip("*- ") != subject).strip()
    return f"{subject}\n\n{rest}".strip()


def changes(diff):
    """The files of a diff without context: the path before the change, or None for a new file, and the changes of code.

    A change is (first, last, False) for removed or replaced lines, and (n, n - 1, True) for lines added after line n.
    """
    files, left, hunk = [], 0, None
    for line in diff.split("\n"):
        if left > 0 and line[:1] in ("-", "+"):
            left -= 1
            if not NO_CODE.match(line[1:]) and hunk not in files[-1][1]:
                files[-1][1].append(hunk)
        elif line.startswith("diff --git "):
            files.append((None, []))
        elif line.startswith("--- a/"):
            files[-1] = (line[6:].rstrip("\t"), [])
        elif match := HUNK.match(line):
            first, gone, come = int(match[1]), int(match[2] or 1), int(match[3] or 1)
            left, hunk = gone + come, (first, first + gone - 1, gone == 0)
    return files


def innermost(found, line, between):
    """The smallest function that holds the line, or None. With `between` the function holds the next line as well."""
    holders = [f for f in found if f.first <= line and (line < f.last if between else line <= f.last)]
    return min(holders, key=lambda f: f.last - f.first, default=None)


def has_body(function, text):
    code = "\n".join(text[function.first - 1 : function.last]).rstrip()
    return not code.endswith(";") or "{" in code or "=>" in code


class Outline:
    """The functions of a tree that have a body, by path, and by path and qualified name."""

    def __init__(self, program, folder):
        self.of_path, self.named, texts = collections.defaultdict(list), collections.defaultdict(list), {}
        for function in functions(program, folder):
            text = texts.setdefault(function.path, (folder / function.path).read_text(errors="replace").split("\n"))
            if has_body(function, text) and not {"test", "tests"} & set(function.name.split(".")):
                self.of_path[function.path].append(function)
                self.named[function.path, function.name].append(function)


def candidates(repository, base, most_files):
    """(hash, text, kind, changes by source file) of the commits that can be questions, newest first."""
    seen = set()
    for commit, subject, body, author in repository.commits(base):
        text = message(subject, body)
        title = text.split("\n")[0]
        if BOT.search(author) or LEFT_OUT.search(title) or ELSEWHERE.search(f"{subject}\n{body}") or title in seen:
            continue
        if len(re.findall(r"[A-Za-z]{2,}", title)) < 4:
            continue
        try:
            files = changes(repository.git("diff-tree", *DIFF, commit))
        except subprocess.CalledProcessError:
            print(f"left out, {commit[:10]} needs objects that the repository does not have")
            continue
        sources = {path: hunks for path, hunks in files if path and is_source(path)}
        if len(files) <= most_files and any(sources.values()):
            seen.add(title)
            yield commit, text[:MAX_CHARACTERS], "message" if "\n" in text else "subject", sources


def questions(program, name, repository, base, tree):
    """The rows of all commits whose changed functions the base has."""
    known, drafts = Outline(program, tree), list(candidates(repository, base, MAX_FILES))
    with tempfile.TemporaryDirectory(prefix="spyhop-commits-") as scratch:
        scratch = pathlib.Path(scratch)
        for commit, _, _, sources in drafts:
            for path in sources:
                file = scratch / commit / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(repository.git("show", f"{commit}^:{path}"))
        parents = Outline(program, scratch)
    for commit, text, kind, sources in drafts:
        changed = set()
        for path, hunks in sources.items():
            found = parents.of_path[f"{commit}/{path}"]
            for first, last, between in hunks:
                lines = [first] if between else range(first, last + 1)
                changed |= {innermost(found, line, between) for line in lines} - {None}
        places = []
        for function in sorted(changed):
            path = function.path.split("/", 1)[1]
            twins, same = parents.named[function.path, function.name], known.named[path, function.name]
            if len(same) == len(twins):
                places.append((path, same[twins.index(function)]))
        if len(places) != len(changed) or not 1 <= len(places) <= MAX_FUNCTIONS:
            continue
        yield {"corpus": tree.name, "id": f"{name}-{commit[:10]}", "kind": kind, "query": text,
               "relevant": sorted(path for path in sources if (tree / path).exists()),
               "places": [{"path": path, "lines": [function.first, function.last]} for path, function in places]}


def tasks(name, repository, base, tree, least, most):
    """The rows of the commits that change `least` to `most` source files, all of which the base has."""
    for commit, text, kind, sources in candidates(repository, base, 3 * most):
        changed = sorted(path for path, hunks in sources.items() if hunks)
        if least <= len(changed) <= most and all((tree / path).exists() for path in changed):
            yield {"corpus": tree.name, "id": f"{name}-{commit[:10]}", "kind": kind, "query": text, "relevant": changed}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("clones", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", help="only these folders of CLONES")
    parser.add_argument("--each", type=int, default=40, help="questions per repository, at most")
    parser.add_argument("--back", type=int, default=300, help="first parents between the base and HEAD")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", help="tasks instead of functions: the number of changed source files, such as 3-8")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    folders = sorted(path.name for path in arguments.clones.iterdir() if path.is_dir())
    chosen = arguments.only.split(",") if arguments.only else folders
    rows = []
    for one in chosen:
        name, _, folder = one.rpartition("=")
        name = name or folder.split("+")[-1]
        repository = Repository(arguments.clones / folder)
        base = repository.git("rev-list", "--first-parent", f"--skip={arguments.back}", "--max-count=1", "HEAD").strip()
        if not base:
            print(f"left out, {name} has at most {arguments.back} first parents")
            continue
        tree = arguments.out / "trees" / f"{name}@{base[:10]}"
        if not tree.exists():
            repository.write_tree(base, tree)
        if arguments.files:
            least, most = (int(number) for number in arguments.files.split("-"))
            made = list(tasks(name, repository, base, tree, least, most))
        else:
            made = list(questions(program, name, repository, base, tree))
        random.Random(f"{arguments.seed} {name}").shuffle(made)
        rows += made[: arguments.each]
        print(f"{tree.name}: {len(made[: arguments.each])} of {len(made)} commits", flush=True)
    (arguments.out / "commits.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    n_answers = sum(len(row.get("places", row["relevant"])) for row in rows)
    what = "files" if arguments.files else "functions"
    print(f"{len(rows)} questions with {n_answers} {what} about {len({row['corpus'] for row in rows})} repositories")


if __name__ == "__main__":
    main()
