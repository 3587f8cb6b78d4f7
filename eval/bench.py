#!/usr/bin/env python3
"""Times of whole processes: Spyhop beside other tools, two builds in turns, growth with the tree, and the cost of changes.

    python3 eval/bench.py tools --bin target/release/spyhop --rg rg TREE...
    python3 eval/bench.py pair BEFORE AFTER TREE
    python3 eval/bench.py growth --bin target/release/spyhop TREE --sizes 1 10 100 900
    python3 eval/bench.py changes --bin target/release/spyhop TREE

Commands take turns within a run, so that the machine is the same for all of them. Figures are medians of --runs; trees are read
once before, so the page cache is warm. A query is a new process that answers into a pipe which is read to its end. The machine
drifts: only ratios within one run can be compared. Only the standard library is used; Linux gives processor time and memory.

`tools` copies each tree without its history, because files are edited and some tools write an index into the tree:

  build            an index from nothing, with peak resident memory and bytes of the index; tools that take minutes run once
  nothing changed  the index is brought up to date
  one file changed the same after a comment was appended to a file, each time to another one
  literal          each of --words words that a seed draws from the tree: all lines, with their numbers
  question         each of QUESTIONS: the first page with snippets

  ripgrep `rg -F -n` · codesearch `cindex`, `csearch -n` (`apt-get install codesearch`) · FTS5: windows of 50 lines (`fts5.py`)
  sifs `--mode bm25 --offline` (`cargo install sifs`) · ck `--lex` (`cargo install ck-search`). What is missing or fails is named.

`pair` prints each figure of two builds and their ratio: a complete index (time, processor time with the parser workers, peak,
bytes), an update without changes, cold questions, and warm questions of one process (`search --batch`).

`growth` takes randomly chosen whole files of TREE until a size in MB is reached. `changes` makes TREE a git repository: nothing
changed, one file and 1,000 files edited, another branch (one file in ten edited, one in a hundred added, removed or renamed) and
back; the exit code is 1 if the way back parses anything.
"""
import argparse
import ctypes
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from planted import COMMENTS, copy, sources

QUESTIONS = [
    "where is the configuration file parsed",
    "how are errors reported to the user",
    "retry after a timeout",
    "close the connection",
    "cache invalidation",
]
WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{3,}")
# What was written less than two seconds ago counts as unproven, so an update would hash it.
SETTLE = 2.1
MAX_FILE_BYTES = 1 << 20
PR_SET_CHILD_SUBREAPER = 36


class Failed(Exception):
    """A command that ended with another exit code than expected."""


class Run:
    """One process: seconds, seconds of processor time, peak resident MB and the lines of its output."""

    def __init__(self, command, cwd, env=None, codes=(0,), text=None):
        with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as given:
            given.write((text or "").encode())
            given.seek(0)
            begun = time.perf_counter()
            process = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(env or {})}, stdin=given,
                                       stdout=subprocess.PIPE, stderr=errors)
            self.output = process.stdout.read() if text is None and "--json" in command else b""
            self.lines = sum(piece.count(b"\n") for piece in iter(lambda: process.stdout.read(1 << 20), b""))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            self.seconds = time.perf_counter() - begun
            self.peak = usage.ru_maxrss / 1024
            self.processor = usage.ru_utime + usage.ru_stime + orphans()
            if process.returncode not in codes:
                errors.seek(0)
                said = errors.read().decode(errors="replace").strip().splitlines()[-1:]
                raise Failed(f"`{' '.join(command)}` failed: {' '.join(said)}")


def orphans():
    """Processor time of ended processes whose parent did not await them, such as parser workers."""
    spent = 0.0
    while True:
        try:
            pid, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return spent
        spent += usage.ru_utime + usage.ru_stime


def warm(tree):
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    while file.read(1 << 20):
                        pass


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def words(tree, chance, count):
    """Different words of the tree; within a file each word is as likely as any other."""
    files, drawn = sources(tree), set()
    for path in chance.sample(files, len(files)):
        with open(os.path.join(tree, path), encoding="utf-8", errors="ignore") as file:
            drawn |= {chance.choice(found) for found in [sorted(set(WORD.findall(file.read())))] if found}
        if len(drawn) >= count:
            break
    return sorted(drawn)[:count]


def edit(tree, paths, number):
    for path in paths:
        with open(os.path.join(tree, path), "a", encoding="utf-8") as file:
            file.write(f"{COMMENTS[os.path.splitext(path)[1]]} edited for the {number + 1}. time\n")


class Figures:
    """Measured values by row and column; each is a list, of which the median is shown."""

    def __init__(self):
        self.values = {}

    def note(self, row, column, value):
        self.values.setdefault(row, {}).setdefault(column, []).append(value)

    def of(self, row, column):
        values = self.values.get(row, {}).get(column)
        return None if values is None else statistics.median(values)

    def table(self, head, columns):
        """`columns` has the name of each column and the number of digits behind the point."""
        yield f"| {head} | " + " | ".join(name for name, _ in columns) + " |"
        yield "|---|" + "--:|" * len(columns)
        for row in self.values:
            cells = [self.of(row, name) for name, _ in columns]
            shown = ["" if cell is None else f"{cell:.{digits}f}" for cell, (_, digits) in zip(cells, columns)]
            yield f"| {row} | {' | '.join(shown)} |"


class Tool:
    """The commands of a tool; an operation that a tool lacks is `None`. `store` is the folder or file of its index."""

    def __init__(self, name, store=None, env=None, index=None, literal=None, question=None, is_slow=False):
        self.name, self.store, self.env, self.is_slow = name, store, env or {}, is_slow
        self.index, self.literal, self.question = index, literal, question


def tools(options, tree, folder):
    """The installed tools, and the names of the others."""
    at = lambda name: os.path.join(folder, name)
    fts5 = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "fts5.py")]
    # sifs waits for a network where there is one.
    alone = ["unshare", "-n"] if os.geteuid() == 0 and shutil.which("unshare") else []
    sifs = lambda text: [*alone, "sifs", "search", text, "--source", tree, "--mode", "bm25", "--offline", "--limit", "10",
                         "--cache-dir", at("sifs")]
    ck = lambda text: ["ck", "--lex", "--topk", "10", text, tree]
    found, missing = [*spyhops(options.bin, tree, at("spyhop"))], []
    for program, tool in (
        (options.rg, Tool("ripgrep", literal=lambda text: [options.rg, "--no-config", "--no-require-git", "-F", "-n", "-e",
                                                           text, "."])),
        ("cindex", Tool("codesearch", at("csearchindex"), {"CSEARCHINDEX": at("csearchindex")}, lambda: ["cindex", tree],
                        lambda text: ["csearch", "-n", re.escape(text)])),
        (sys.executable, Tool("FTS5", at("fts5"), index=lambda: [*fts5, "index", at("fts5"), tree],
                              question=lambda text: [*fts5, "ask", at("fts5"), tree, text])),
        ("sifs", Tool("sifs", at("sifs"), index=lambda: sifs(QUESTIONS[0]), question=sifs, is_slow=True)),
        ("ck", Tool("ck", os.path.join(tree, ".ck"), index=lambda: ck(QUESTIONS[0]), question=ck, is_slow=True)),
    ):
        if shutil.which(program):
            found.append(tool)
        else:
            missing.append(f"{tool.name} is not installed.")
    return found, missing


def spyhops(program, tree, store):
    for name, policy in (("Spyhop, `--no-refresh`", "ignore"), ("Spyhop, comparing the tree first", "refresh")):
        flags = ["--root", tree, "--stale-policy", policy]
        yield Tool(name, store if policy == "ignore" else None, {"SPYHOP_INDEX_DIR": store},
                   (lambda: [program, "index", "--quiet", tree]) if policy == "ignore" else None,
                   lambda text, flags=flags: [program, "grep", *flags, "-F", "-n", "-e", text],
                   lambda text, flags=flags: [program, "search", *flags, text])


class Comparison:
    """All tools on one tree, in turns."""

    COLUMNS = [("build s", 2), ("peak MB", 0), ("index MB", 1), ("nothing changed ms", 0), ("one file changed ms", 0),
               ("literal ms", 1), ("lines", 0), ("question ms", 1)]

    def __init__(self, options, tree, folder):
        self.tree, self.figures = tree, Figures()
        self.tools, self.remarks = tools(options, tree, folder)
        self.figures.values = {tool.name: {} for tool in self.tools}

    def each(self, do):
        """A tool that fails is left out from then on, except Spyhop, which ends the run."""
        for tool in list(self.tools):
            try:
                do(tool)
            except Failed as failure:
                if tool.name.startswith("Spyhop"):
                    raise SystemExit(str(failure)) from failure
                self.remarks.append(str(failure))
                self.tools.remove(tool)

    def build(self, tool):
        if tool.index:
            shutil.rmtree(tool.store, ignore_errors=True)
            if os.path.exists(tool.store):
                os.remove(tool.store)
            run = Run(tool.index(), self.tree, tool.env, (0, 1))
            self.figures.note(tool.name, "build s", run.seconds)
            self.figures.note(tool.name, "peak MB", run.peak)
            self.figures.note(tool.name, "index MB", size(tool.store) / 1e6)

    def update(self, tool, column=None):
        if tool.index:
            run = Run(tool.index(), self.tree, tool.env, (0, 1))
            if column:
                self.figures.note(tool.name, column, run.seconds * 1000)

    def ask(self, tool, column, command, text):
        if command:
            run = Run(command(text), self.tree, tool.env, (0, 1))
            self.figures.note(tool.name, f"{column} ms", run.seconds * 1000)
            if column == "literal":
                self.figures.note(tool.name, "lines", run.lines)

    def settle(self):
        time.sleep(SETTLE)
        self.each(self.update)

    def measure(self, options):
        chance = random.Random(options.seed)
        literal = words(self.tree, chance, options.words)
        for number in range(options.builds):
            self.each(lambda tool: None if number and tool.is_slow else self.build(tool))
        self.settle()
        for _ in range(options.runs):
            self.each(lambda tool: self.update(tool, "nothing changed ms"))
        for number, path in enumerate(chance.sample(sources(self.tree), options.runs)):
            edit(self.tree, [path], number)
            self.each(lambda tool: self.update(tool, "one file changed ms"))
        self.settle()
        for text in literal * options.runs:
            self.each(lambda tool: self.ask(tool, "literal", tool.literal, text))
        for text in QUESTIONS * options.runs:
            self.each(lambda tool: self.ask(tool, "question", tool.question, text))


def compare_tools(options):
    for source in options.trees:
        with tempfile.TemporaryDirectory() as folder:
            tree = os.path.join(os.path.realpath(folder), "tree")
            copy(source, tree)
            warm(tree)
            comparison = Comparison(options, tree, os.path.dirname(tree))
            comparison.measure(options)
            flags = ["--root", tree, "--index-dir", next(os.scandir(os.path.join(folder, "spyhop"))).path]
            status = json.loads(Run([options.bin, "status", "--json", *flags], tree).output)
        print(f"**{os.path.basename(os.path.abspath(source))}**: {status['files']} files, "
              f"{status['source_bytes'] / 1e6:.1f} MB of source; {options.builds} builds, {options.runs} runs, "
              f"{os.cpu_count()} cores\n")
        print("\n".join(comparison.figures.table("tool", Comparison.COLUMNS)))
        print("\n" + "\n".join(comparison.remarks))


def compare_builds(options):
    """Two builds of the program, in turns, each with a separate index."""
    figures, tree = Figures(), os.path.abspath(options.tree)
    warm(tree)
    programs = [os.path.abspath(options.before), os.path.abspath(options.after)]
    questions = options.questions and open(options.questions, encoding="utf-8").read().splitlines() or QUESTIONS
    with tempfile.TemporaryDirectory() as folder:
        indexes = [os.path.join(folder, name) for name in ("before", "after")]
        turns = list(zip(("before", "after"), programs, indexes))
        for number in range(options.runs):
            for name, program, index in turns[:: -1 if number % 2 else 1]:
                shutil.rmtree(index, ignore_errors=True)
                run = Run([program, "index", "--wait", "--quiet", "--index-dir", index, tree], tree)
                for row, value in (("index, s", run.seconds), ("index, s of processor time", run.processor),
                                   ("index, peak MB", run.peak), ("index, bytes", size(index))):
                    figures.note(row, name, value)
        time.sleep(SETTLE)
        for number in range(-1, options.runs * 3):
            for name, program, index in turns:
                run = Run([program, "index", "--wait", "--quiet", "--index-dir", index, tree], tree)
                if number >= 0:
                    figures.note("nothing changed, ms", name, run.seconds * 1000)
        for question in questions * options.runs:
            for name, program, index in turns:
                command = [program, "search", "--root", tree, "--index-dir", index, "--stale-policy", "ignore"]
                figures.note("cold question, ms", name, Run([*command, question], tree, codes=(0, 1)).seconds * 1000)
                once, often = (Run([*command, "--batch", "--json"], tree, codes=(0, 1), text=f"{question}\n" * times)
                               for times in (1, 1 + options.each))
                figures.note("warm question, ms", name, (often.seconds - once.seconds) / options.each * 1000)
                figures.note("warm question, ms of processor time", name,
                             (often.processor - once.processor) / options.each * 1000)
    print("| figure | before | after | ratio |\n|---|--:|--:|--:|")
    for row in figures.values:
        before, after = (figures.of(row, name) for name in ("before", "after"))
        print(f"| {row} | {before:.3f} | {after:.3f} | {after / before:.3f} |")


def parts(tree, megabytes, folder, seed):
    """A folder for each size, with whole files of the tree; a larger size holds the smaller ones."""
    listed = []
    for at, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = (os.path.join(at, name) for name in names)
        listed += [path for path in paths if os.path.isfile(path) and not os.path.islink(path)
                   and 0 < os.path.getsize(path) <= MAX_FILE_BYTES and b"\0" not in open(path, "rb").read(8192)]
    listed.sort()
    random.Random(seed).shuffle(listed)
    for wanted in sorted(megabytes):
        to, taken = os.path.join(folder, f"{wanted:g}"), 0
        for path in listed:
            copied = os.path.join(to, os.path.relpath(path, tree))
            os.makedirs(os.path.dirname(copied), exist_ok=True)
            shutil.copy(path, copied)
            taken += os.path.getsize(path)
            if taken >= wanted * 1e6:
                yield wanted, to
                break
        else:
            print(f"{tree} has {taken / 1e6:.0f} MB: {wanted:g} MB are left out", flush=True)


def growth(options):
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        taken = list(parts(os.path.abspath(options.tree), options.sizes, os.path.realpath(folder), options.seed))
        for _ in range(options.runs):
            for wanted, tree in taken:
                row, index = f"{wanted:g}", f"{tree}-index"
                shutil.rmtree(index, ignore_errors=True)
                flags = ["--root", tree, "--index-dir", index]
                build = Run([options.bin, "index", "--wait", "--quiet", *flags], tree)
                figures.note(row, "index s", build.seconds)
                figures.note(row, "s for 100 MB", build.seconds / wanted * 100)
                figures.note(row, "peak MB", build.peak)
                figures.note(row, "index MB", size(index) / 1e6)
                command = [options.bin, "search", *flags, "--stale-policy", "ignore"]
                for question in QUESTIONS:
                    cold = Run([*command, question], tree, codes=(0, 1)).seconds
                    figures.note(row, "cold ms", cold * 1000)
                    many = Run([*command, "--batch", "--json"], tree, codes=(0, 1), text=f"{question}\n" * 31).seconds
                    figures.note(row, "warm ms", (many - cold) / 30 * 1000)
    print("\n".join(figures.table("source MB", [("index s", 2), ("s for 100 MB", 2), ("peak MB", 0), ("index MB", 1),
                                               ("cold ms", 1), ("warm ms", 1)])))


class Changes:
    """A git repository with the tree, and what follows each change."""

    def __init__(self, options, folder):
        self.options, self.figures = options, Figures()
        self.tree = os.path.join(folder, "tree")
        self.env = {"SPYHOP_INDEX_DIR": os.path.join(folder, "index"), "CSEARCHINDEX": os.path.join(folder, "csearchindex"),
                    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        copy(options.tree, self.tree)
        self.git("init", "-q")
        self.commit("first")

    def git(self, *arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "advice.detachedHead=false"]
        return Run(["git", *who, *arguments], self.tree, self.env)

    def commit(self, branch):
        self.git("checkout", "-q", "-b", branch)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", branch)

    def follow(self, what):
        run = Run([self.options.bin, "index", "--quiet", "--json"], self.tree, self.env)
        parsed = json.loads(run.output)["parsed"]
        self.figures.note(what, "files parsed", parsed)
        self.figures.note(what, "spyhop ms", run.seconds * 1000)
        self.figures.note(what, "git status ms", self.git("status", "--porcelain").seconds * 1000)
        find = ["find", ".", "-path", "./.git", "-prune", "-o", "-size", "+0", "-print0"]
        self.figures.note(what, "find ms", Run(find, self.tree).seconds * 1000)
        if shutil.which("cindex"):
            self.figures.note(what, "cindex ms", Run(["cindex", self.tree], self.tree, self.env).seconds * 1000)
        time.sleep(SETTLE)
        Run([self.options.bin, "index", "--quiet"], self.tree, self.env)
        return parsed

    def second_release(self, chance):
        files = chance.sample(sources(self.tree), len(sources(self.tree)))
        tenth, hundredth = len(files) // 10, len(files) // 100
        edit(self.tree, files[:tenth], 0)
        for path in files[tenth:tenth + hundredth]:
            os.remove(os.path.join(self.tree, path))
        for path in files[tenth + hundredth:tenth + 2 * hundredth]:
            stem, end = os.path.splitext(os.path.join(self.tree, path))
            os.rename(stem + end, f"{stem}_renamed{end}")
        for path in files[tenth + 2 * hundredth:tenth + 3 * hundredth]:
            stem, end = os.path.splitext(os.path.join(self.tree, path))
            shutil.copy(stem + end, f"{stem}_added{end}")
        self.commit("second")

    def measure(self):
        chance = random.Random(self.options.seed)
        self.second_release(chance)
        self.git("checkout", "-q", "first")
        Run([self.options.bin, "index", "--quiet", "--wait"], self.tree, self.env)
        time.sleep(SETTLE)
        files, parsed = sources(self.tree), 0
        for number in range(self.options.runs):
            self.follow("nothing changed")
            for what, count in (("one file edited", 1), (f"{min(1000, len(files))} files edited", min(1000, len(files)))):
                edit(self.tree, chance.sample(files, count), number)
                self.follow(what)
            self.git("checkout", "-q", "-f", "first")
            self.follow("edits undone")
        self.git("checkout", "-q", "second")
        self.follow("to another branch, for the first time")
        for branch in ("first", "second") * self.options.runs:
            self.git("checkout", "-q", branch)
            parsed += self.follow("back to a branch")
        return parsed


def changes(options):
    with tempfile.TemporaryDirectory() as folder:
        run = Changes(options, os.path.realpath(folder))
        parsed = run.measure()
    columns = [("files parsed", 0), ("spyhop ms", 0), ("git status ms", 0), ("find ms", 0), ("cindex ms", 0)]
    print("\n".join(run.figures.table("change", columns)))
    return 1 if parsed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    kinds = {"tools": compare_tools, "pair": compare_builds, "growth": growth, "changes": changes}
    for name, run in kinds.items():
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("--runs", type=int, default=3)
        command.add_argument("--seed", type=int, default=1)
        if name == "pair":
            command.add_argument("before")
            command.add_argument("after")
            command.add_argument("--each", type=int, default=30, help="answers of a warm process to one question")
            command.add_argument("--questions", help="a file with a question on each line; else those of this script")
        else:
            command.add_argument("--bin", required=True, type=os.path.abspath, help="the program to measure")
        if name == "tools":
            command.add_argument("trees", nargs="+")
            command.add_argument("--rg", default="rg")
            command.add_argument("--builds", type=int, default=3)
            command.add_argument("--words", type=int, default=8)
        else:
            command.add_argument("tree")
        if name == "growth":
            command.add_argument("--sizes", type=float, nargs="+", default=[1, 10, 100], help="MB")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
