"""Spyhop beside other tools for the same on one tree, in one run: whole processes, medians.

    python3 eval/versus.py --bin target/release/spyhop --rg rg TREE
    python3 eval/versus.py --bin target/release/spyhop TREE --svg versus.svg --out versus.md

TREE is copied without its history into a temporary folder, because a file of it is edited and some tools write their
index into it, and read once, so the page cache is warm. Then the tools take turns, so that the machine is the same for
all:

  build            an index from nothing, --builds times, once by ck and sifs, which take minutes on a large tree; peak
                   resident memory and bytes of the index
  nothing changed  the index is brought up to date and nothing has moved, --runs times
  one file changed the same after a comment was appended to a file, another one each time
  literal          a word of the tree, each of --words that a seed draws, --runs times: all lines, with their numbers
  ranked           a question in words, those of `figures.py`, --runs times: the first page with snippets

A query is a new process that reads its index from a warm page cache, answers into a pipe that is read to its end, and
ends. Spyhop answers from its index as it is; the row below it compares the tree first, which is its default. The
others do as they do, which may be either; what has no index reads everything.

  ripgrep     `rg -F -n`; --rg names another one
  codesearch  Google's `cindex` and `csearch -n`, trigrams (`apt-get install codesearch`)
  FTS5        SQLite as Python carries it, windows of 50 lines: `fts5.py`
  sifs        `sifs search --mode bm25 --offline` (`cargo install sifs`); its searches make and renew the index
  probe       `probe search` (`cargo install probe-code`), which has no index
  ck          `ck --lex` (`cargo install ck-search`); its searches make and renew the index, in the tree

What is not installed, or fails, is named below the table. Lines are all that the tool printed for the words: tools
differ in which files they read, and those of ripgrep and Spyhop should be as many. Peak memory cannot be less than what
this script itself has, since the system counts that for a process that it starts; that is said below the table. Only
the standard library is used; Linux gives the memory.
"""
import argparse
import json
import os
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import svg
from figures import QUESTIONS, warm
from planted import COMMENTS, copy, sources

WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{3,}")


class Failed(Exception):
    pass


def lines_of(stream):
    """How many lines there are, none of them kept: what this script holds counts as its processes' peak memory."""
    return sum(piece.count(b"\n") for piece in iter(lambda: stream.read(1 << 20), b""))


def run(command, env, cwd, codes, take=lambda stream: stream.read()):
    """Seconds, peak resident MB and what `take` makes of the standard output of one process."""
    with tempfile.TemporaryFile() as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=errors,
                                   stdin=subprocess.DEVNULL)
        output = take(process.stdout)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - begun
        if os.waitstatus_to_exitcode(status) not in codes:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            raise Failed(f"`{' '.join(command)}` failed: {' '.join(said)}")
    return took, usage.ru_maxrss / 1024, output


class Tool:
    """What a tool is called with; `None` for what it does not do. `stores` is where its index lies."""

    searches_update = is_slow = False
    index = literal = ranked = None

    def __init__(self, name, tree, folder, stores=()):
        self.name, self.tree, self.folder = name, tree, folder
        self.stores = [os.path.join(folder, store) for store in stores]
        self.env = dict(os.environ)
        self.times, self.peaks, self.lines, self.bytes = {}, {}, {}, None

    def timed(self, what, command, codes=(0,), key=None):
        took, peak, output = run(command, self.env, self.tree, codes, lines_of)
        self.times.setdefault(what, {}).setdefault(key, []).append(took)
        self.peaks.setdefault(what, []).append(peak)
        return output

    def update(self, what):
        if self.searches_update:
            self.timed(what, self.ranked(QUESTIONS[0]), (0, 1))
        elif self.index:
            self.timed(what, self.index())

    def clear(self):
        for store in self.stores:
            shutil.rmtree(store, ignore_errors=True)
            if os.path.exists(store):
                os.remove(store)

    def median(self, what):
        """Seconds: the median over the queries of the median of each."""
        times = self.times.get(what)
        return times and statistics.median(statistics.median(of) for of in times.values())

    def peak(self, *whats):
        return max((peak for what in whats for peak in self.peaks.get(what, [])), default=None)


class Spyhop(Tool):
    def __init__(self, name, program, tree, folder, policy):
        super().__init__(name, tree, folder, ["spyhop"])
        self.env["SPYHOP_INDEX_DIR"] = self.stores[0]
        place = ["--root", tree, "--stale-policy", policy]
        if policy == "ignore":
            self.index = lambda: [program, "index", "--quiet", tree]
        self.literal = lambda text: [program, "grep", *place, "-F", "-n", "-e", text]
        self.ranked = lambda text: [program, "search", *place, text]


class Ripgrep(Tool):
    def __init__(self, program, tree, folder):
        super().__init__("ripgrep", tree, folder)
        self.literal = lambda text: [program, "--no-config", "--no-require-git", "-F", "-n", "-e", text, "."]


class Codesearch(Tool):
    def __init__(self, program, tree, folder):
        super().__init__("codesearch", tree, folder, ["csearchindex"])
        self.env["CSEARCHINDEX"] = self.stores[0]
        self.index = lambda: [program, tree]
        self.literal = lambda text: ["csearch", "-n", re.escape(text)]


class Fts5(Tool):
    def __init__(self, program, tree, folder):
        super().__init__("FTS5", tree, folder, ["fts5"])
        script = [program, os.path.join(os.path.dirname(os.path.abspath(__file__)), "fts5.py")]
        self.index = lambda: [*script, "index", self.stores[0], tree]
        self.ranked = lambda text: [*script, "ask", self.stores[0], tree, text]


class Sifs(Tool):
    searches_update = is_slow = True

    def __init__(self, program, tree, folder):
        super().__init__("sifs", tree, folder, ["sifs"])
        # It waits for a network where there is one.
        alone = ["unshare", "-n"] if os.geteuid() == 0 and shutil.which("unshare") else []
        self.ranked = lambda text: [*alone, program, "search", text, "--source", tree, "--mode", "bm25", "--offline",
                                    "--limit", "10", "--cache-dir", self.stores[0]]


class Probe(Tool):
    def __init__(self, program, tree, folder):
        super().__init__("probe", tree, folder)
        self.ranked = lambda text: [program, "search", text, tree, "--max-results", "10"]


class Ck(Tool):
    searches_update = is_slow = True

    def __init__(self, program, tree, folder):
        super().__init__("ck", tree, tree, [".ck"])
        self.ranked = lambda text: [program, "--lex", "--topk", "10", text, tree]


def installed(options, tree, folder):
    """The tools that are here, and the names of those that are not."""
    program = os.path.abspath(options.bin)
    tools = [Spyhop("Spyhop", program, tree, folder, "ignore"),
             Spyhop("Spyhop, comparing", program, tree, folder, "refresh")]
    missing = []
    others = [(options.rg, Ripgrep), ("cindex", Codesearch), (sys.executable, Fts5), ("sifs", Sifs),
              ("probe", Probe), ("ck", Ck)]
    for name, make in others:
        found = shutil.which(name)
        if found:
            tools.append(make(os.path.abspath(found), tree, folder))
        else:
            missing.append(name)
    return tools, missing


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def words(tree, chance, count):
    """Different words of the tree; within a file each is as likely as any other."""
    files, drawn = sources(tree), set()
    for path in chance.sample(files, len(files)):
        with open(os.path.join(tree, path), encoding="utf-8", errors="ignore") as file:
            drawn |= {chance.choice(found) for found in [sorted(set(WORD.findall(file.read())))] if found}
        if len(drawn) == count:
            break
    return sorted(drawn)


def edit(tree, path, number):
    with open(os.path.join(tree, path), "a", encoding="utf-8") as file:
        file.write(f"{COMMENTS[os.path.splitext(path)[1]]} edited for the {number + 1}. time\n")


class Turns:
    """Every tool in turn; one that fails is left out from then on, but for the first, which is what is measured."""

    def __init__(self, tools):
        self.tools, self.failed = tools, {}

    def each(self, do):
        for tool in self.tools:
            if tool.name not in self.failed:
                try:
                    do(tool)
                except Failed as failure:
                    if tool is self.tools[0]:
                        raise SystemExit(str(failure)) from failure
                    self.failed[tool.name] = str(failure)


def build(tool):
    tool.clear()
    tool.update("build")
    if tool.index or tool.searches_update:
        tool.bytes = sum(size(store) for store in tool.stores)


def settle(turns):
    time.sleep(2.1)  # what was just written counts as unproven for two seconds
    turns.each(lambda tool: tool.update("to settle"))


def ask(tool, what, texts, number):
    """One question a turn, so that no two tools are apart by more than a round."""
    command = getattr(tool, what)
    if command:
        text = texts[number]
        output = tool.timed(what, command(text), (0, 1), text)
        tool.lines.setdefault(what, {})[text] = output


def measure(turns, options, tree):
    chance = random.Random(options.seed)
    literal = words(tree, chance, options.words)
    for number in range(options.builds):
        turns.each(lambda tool: build(tool) if number == 0 or not tool.is_slow else None)
    settle(turns)
    for _ in range(options.runs):
        turns.each(lambda tool: tool.update("nothing changed"))
    for number, path in enumerate(chance.sample(sources(tree), options.runs)):
        edit(tree, path, number)
        turns.each(lambda tool: tool.update("one file changed"))
    settle(turns)
    for what, texts in (("literal", literal), ("ranked", QUESTIONS)):
        for number in list(range(len(texts))) * options.runs:
            turns.each(lambda tool: ask(tool, what, texts, number))
    return literal


COLUMNS = [("build", "build s", 1), ("nothing changed", "nothing changed ms", 1000),
           ("one file changed", "one file changed ms", 1000), ("literal", "literal ms", 1000),
           ("ranked", "ranked ms", 1000)]


def figure(value, form="{:.1f}"):
    return "" if value is None else form.format(value)


def table(tools):
    yield ("| tool | build s | peak MB | index MB | nothing changed ms | one file changed ms | literal ms | lines "
           "| ranked ms | query peak MB |")
    yield "|---|" + "--:|" * 9
    for tool in tools:
        times = [figure(tool.median(what) and tool.median(what) * scale, "{:.2f}" if scale == 1 else "{:.1f}")
                 for what, _, scale in COLUMNS]
        cells = [times[0], figure(tool.peak("build"), "{:.0f}"), figure(tool.bytes and tool.bytes / 1e6), *times[1:4],
                 str(sum(tool.lines["literal"].values())) if "literal" in tool.lines else "", times[4],
                 figure(tool.peak("literal", "ranked"), "{:.0f}")]
        yield f"| {tool.name} | " + " | ".join(cells) + " |"


def ratios(tools):
    """How many times as long as Spyhop the others take."""
    yield "| times Spyhop's | " + " | ".join(what for what, *_ in COLUMNS) + " |"
    yield "|---|" + "--:|" * len(COLUMNS)
    for tool in tools[1:]:
        cells = []
        for what, *_ in COLUMNS:
            own, other = tools[0].median(what), tool.median(what)
            cells.append(figure(own and other and other / own, "{:.2f}"))
        yield f"| {tool.name} | " + " | ".join(cells) + " |"


def report(turns, missing, options, tree, literal):
    tools = [tool for tool in turns.tools if tool.name not in turns.failed]
    status = json.loads(run([os.path.abspath(options.bin), "status", "--root", tree, "--json"], turns.tools[0].env,
                            tree, (0,))[2])
    name = os.path.basename(os.path.abspath(options.tree))
    yield f"{name}: {status['files']} files, {status['source_bytes'] / 1e6:.1f} MB of source; " \
          f"{options.builds} builds, {options.runs} runs, {os.cpu_count()} cores\n"
    yield from table(tools)
    yield ""
    yield from ratios(tools)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield f"\nPeaks below {own:.0f} MB are those of this script. Words: {', '.join(literal)}."
    for gone in missing:
        yield f"{gone} is not installed."
    yield from turns.failed.values()


def draw(turns, options):
    tools = [tool for tool in turns.tools if tool.name not in turns.failed]
    panels = [(title, [(tool.name, tool.median(what) and tool.median(what) * scale) for tool in tools])
              for what, title, scale in COLUMNS]
    panels.insert(1, ("peak memory of the build, MB", [(tool.name, tool.peak("build")) for tool in tools]))
    panels.insert(2, ("index MB", [(tool.name, tool.bytes and tool.bytes / 1e6) for tool in tools]))
    svg.dots(options.svg, f"{os.path.basename(os.path.abspath(options.tree))}, whole processes", panels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--bin", required=True, help="the program to measure")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--builds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--words", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", help="a file for the tables, which are printed as well")
    parser.add_argument("--svg", help="a file for the picture")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(os.path.realpath(folder), "tree")
        copy(options.tree, tree)
        os.sync()  # else the first sync of an index waits for the copy
        warm(tree)
        tools, missing = installed(options, tree, os.path.realpath(folder))
        turns = Turns(tools)
        literal = measure(turns, options, tree)
        text = "\n".join(report(turns, missing, options, tree, literal))
        print(text)
        if options.out:
            with open(options.out, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        if options.svg:
            draw(turns, options)


if __name__ == "__main__":
    main()
