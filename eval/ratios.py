"""Every ratio that Spyhop wants to reach, with its bar, in one run: `versus.py`, `first_answer.py`, `scaling.py`,
`lanes` and `stages` one after the other on the same trees.

    cargo build --release && cargo build --release -p spyhop-eval --examples
    python3 eval/ratios.py --bin target/release/spyhop --rg rg kubernetes-1.20.2 linux-6.1.176 --out ratios.md

Each TREE is copied without its history into a temporary folder and read once, so the page cache is warm. A tree of
more than half a gigabyte is a large one: its builds run once and its queries --large-runs times, it is not given to
the peers that are slow (sifs, ck), and the bars that follow the size are its own. probe, which takes 15 seconds and
more for a question, is left to `versus.py`. Growth is measured on parts of the last tree. Lanes that only walk and
look are cheap and run 9 times. A ratio is always of two figures of this run. What is not installed leaves its row
empty. Below a tree's table stands where the time of its index and of a warm question goes, what its bytes are, and
all of `versus.py`. The exit code is 0 whether or not the bars are met: the table says which are.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from types import SimpleNamespace

import first_answer
import memory
import scaling
import versus
from figures import QUESTIONS, warm
from planted import copy, sources

def said(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def lanes(options, tree, runs, *only):
    flags = [flag for lane in only for flag in ("--only", lane)]
    return said([options.lanes, tree, "--runs", str(runs), "--json", *flags])


class Tree:
    """What was measured of a tree."""

    def __init__(self, options, source, folder):
        self.name = os.path.basename(os.path.abspath(source))
        self.options, self.folder = options, os.path.realpath(folder)
        self.path = os.path.join(self.folder, "tree")
        copy(source, self.path)
        os.sync()  # else the first sync of an index waits for the copy
        self.bytes = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(self.path) for name in names
                         if os.path.isfile(os.path.join(at, name)) and not os.path.islink(os.path.join(at, name)))
        self.large = self.bytes > 500e6
        self.builds, self.runs = (1, options.large_runs) if self.large else (options.builds, options.runs)

    def measure(self):
        steps = (self.lanes, self.first_answer, self.versus, self.updates, self.questions, self.status, self.memory,
                 self.stages)
        for step in steps:
            begun = time.monotonic()
            warm(self.path)
            step()
            print(f"{self.name}: {step.__name__} took {time.monotonic() - begun:.0f} s", flush=True)

    def lanes(self):
        self.lane = lanes(self.options, self.path, self.builds, "terms", "analyze", "cursor", "at-once", "index")
        cheap = lanes(self.options, self.path, 9, "floor", "walk", "nothing-changed")
        self.lane.update((name, run) for name, run in cheap.items() if name != "index")

    def first_answer(self):
        texts, firsts = [], []
        for _ in range(self.builds):
            with tempfile.TemporaryDirectory() as index:
                env = dict(os.environ, SPYHOP_INDEX_DIR=index)
                asked = SimpleNamespace(tree=self.path, question="where is the page cache invalidated", pause=100)
                build, seen = first_answer.watch(asked, self.options.bin, env)
            answers = [(at, reply) for _, at, reply in seen if "refused" not in reply]
            most = max(first_answer.progress(reply)[0] for _, reply in answers)
            texts.append(next(at for at, reply in answers if first_answer.progress(reply)[0] == most))
            firsts.append(next((at for at, reply in answers if reply["results"]), build.done))
        self.all_text, self.first = statistics.median(texts), statistics.median(firsts)

    def versus(self):
        every, missing = versus.installed(self.options, self.path, self.folder)
        every = [tool for tool in every if tool.name != "probe" and not (self.large and tool.is_slow)]
        missing = [name for name in missing if name != "probe"]
        turns = versus.Turns(every)
        options = SimpleNamespace(seed=1, words=self.options.words, builds=self.builds, runs=self.runs, tree=self.name,
                                  bin=self.options.bin)
        literal = versus.measure(turns, options, self.path)
        self.comparison = list(versus.report(turns, missing, options, self.path, literal))
        if self.options.pictures:
            options.svg = os.path.join(self.options.pictures, f"versus-{self.name}.svg")
            versus.draw(turns, options)
        self.tools = {tool.name: tool for tool in turns.tools if tool.name not in turns.failed}
        self.index = self.tools["Spyhop"].stores[0]

    def status(self):
        self.source = said([self.options.bin, "status", "--json", "--root", self.path, "--index-dir",
                            self.place()])["source_bytes"]

    def place(self):
        """The index of the tree among those of the folder that `SPYHOP_INDEX_DIR` names."""
        return next(entry.path for entry in os.scandir(self.index) if entry.is_dir())

    def updates(self):
        """One file changed beside walk and stat, apart from the other tools, which leave the disk much to write."""
        bring = [self.options.bin, "index", "--quiet", self.path]
        env, looks, changed = self.tools["Spyhop"].env, [], []
        os.sync()
        for number, path in enumerate(random.Random(2).sample(sources(self.path), 7)):
            versus.run(bring, env, self.path, (0,))
            time.sleep(2.1)  # what was just written counts as unproven for two seconds
            versus.run(bring, env, self.path, (0,))
            looks.append(lanes(self.options, self.path, 1, "walk")["walk"]["seconds"])
            versus.edit(self.path, path, number)
            changed.append(versus.run(bring, env, self.path, (0,))[0])
        self.look, self.changed = statistics.median(looks), statistics.median(changed)

    def questions(self):
        """Cold questions apart from the other tools, which between two of them take the caches for themselves."""
        spyhop = self.tools["Spyhop"]
        warm(self.index)
        asked = [question for _ in range(self.options.rounds) for question in QUESTIONS]
        self.cold = statistics.median(versus.run(spyhop.ranked(question), spyhop.env, self.path, (0, 1))[0]
                                      for question in asked)

    def memory(self):
        flags = ["--root", self.path, "--index-dir", self.place(), "--stale-policy", "ignore", "--require-index"]
        seen = [memory.watched([self.options.bin, "search", question, *flags], os.environ, 0)
                for question in QUESTIONS for _ in range(3)]
        self.anonymous, self.resident = (max(run[at] for run in seen) * 1.048576 for at in (1, 2))

    def stages(self):
        self.stage = said([self.options.stages, self.path, "--index-dir", self.place(), "--rounds",
                           str(self.options.rounds), "--json"])

    def of(self, name, what):
        tool = self.tools.get(name)
        return tool and tool.median(what)

    def worst(self, name, what):
        """The greatest ratio of one query's median to another tool's."""
        own, other = (tool and tool.times.get(what) for tool in (self.tools["Spyhop"], self.tools.get(name)))
        return other and max(statistics.median(own[key]) / statistics.median(other[key]) for key in own)


def over(one, other):
    return None if one is None or not other else one / other


def rows(tree):
    """What is measured, the bar, the figure, its text; a figure is good up to its bar, of a `>=` from it on."""
    lane, seconds, large = tree.lane, {name: run["seconds"] for name, run in tree.lane.items()}, tree.large
    ms = lambda value: value and value * 1000
    cold, build = tree.of("Spyhop", "ranked"), tree.of("Spyhop", "build")
    whole, evidence = tree.stage["whole answer, tracing off"], tree.stage["evidence"]
    look = ms(seconds["walk"])
    mb, source = 1e6, lane["terms"]["bytes"]  # of files up to 1 MiB, as the bars are
    peak = tree.tools["Spyhop"].peak("build") * 1.048576
    yield "all searchable by text and path / lane read + terms", "<=", 3, over(tree.all_text, seconds["terms"]), \
        f"{tree.all_text:.2f} s / {seconds['terms']:.2f} s; first answer after {tree.first:.2f} s"
    for name, title in (("at-once", "complete index, parsed at once"), ("index", "complete index, text first")):
        yield f"{title} / lane read + parse + cursor walk", "<=", 1.25, over(seconds[name], seconds["cursor"]), \
            f"{seconds[name]:.1f} s / {seconds['cursor']:.1f} s; processor time {lane[name]['cpu'] / lane['cursor']['cpu']:.2f}"
    for name, what, bar in (("FTS5", "complete index", 1), ("FTS5", "first answer", 3), ("sifs", "first answer", 3),
                            ("ck", "complete index", 10)):
        other, own = tree.of(name, "build"), build if what == "complete index" else tree.first
        yield f"{name}'s build / {what}", ">=", bar, over(other, own), other and f"{other:.1f} s / {own:.1f} s"
    stored = tree.tools["Spyhop"].bytes
    yield "bytes of index / source", "<=", .35 if large else .3, stored / source, \
        f"{stored / mb:.0f} MB / {source / mb:.0f} MB in files up to 1 MiB"
    yield "peak memory of the build, MB", "<=", 700 if large else 250, peak, \
        f"in `lanes` {lane['index']['peak_anon'] / mb:.0f} MB anonymous"
    yield "peak memory of a query, MB", "<=", 60, tree.resident, f"{tree.anonymous:.0f} MB anonymous"
    yield "cold question, ms", "<=", 25, ms(tree.cold), \
        f"{ms(cold):.1f} ms in turns with the others, {ms(tree.of('Spyhop, comparing', 'ranked')):.0f} ms with the tree compared"
    for name, what, bar in (("ripgrep", "literal", 20), ("sifs", "ranked", 50), ("ck", "ranked", 10)):
        other = tree.of(name, what)
        yield f"{name}'s {what} / cold question", ">=", bar, over(other, cold), other and f"{ms(other):.0f} ms"
    for at, name, bar in ((0, "p50", 2), (2, "p99", 8)):
        yield f"warm question, {name}, ms", "<=", bar, whole[at] / 1000, ""
    yield "retrieval alone, p50, ms", "<=", .5, evidence[0] / 1000, ""
    for name, bar in (("codesearch", 1), ("ripgrep", .1)):
        own, other = tree.of("Spyhop", "literal"), tree.of(name, "literal")
        yield f"literal / {name}'s", "<=", bar, over(own, other), other and f"{ms(own):.1f} ms / {ms(other):.1f} ms"
    yield "literal / ripgrep's, the worst word", "<=", 1.3, tree.worst("ripgrep", "literal"), ""
    yield "nothing changed / list and stat", "<=", 1.5, over(seconds["nothing-changed"], seconds["floor"]), \
        f"{ms(seconds['nothing-changed']):.0f} ms / {ms(seconds['floor']):.0f} ms; our walk {look:.0f} ms; " \
        f"whole process {ms(tree.of('Spyhop', 'nothing changed')):.0f} ms"
    yield "one file changed, ms more than walk and stat", "<=", 40, ms(tree.changed - tree.look), \
        f"{ms(tree.changed):.0f} ms, whole process / {ms(tree.look):.0f} ms"


def profile(tree):
    """What the misses are made of."""
    spent = ", ".join(f"{title} {tree.lane[name]['seconds']:.1f} ({tree.lane[name]['cpu']:.1f})" for name, title in (
        ("terms", "read and cut into terms"), ("analyze", "read and analyse"), ("cursor", "read, parse and visit"),
        ("at-once", "the index"), ("index", "text first")))
    yield f"An index, s (processor time): {spent}."
    stages = ", ".join(f"{name} {of[0] / 1000:.1f} ({of[2] / 1000:.1f})" for name, of in tree.stage.items()
                       if name != "whole answer, tracing off" and of[2] >= 300)
    yield f"Stages of a warm question, p50 (p99) ms, some within others: {stages}."
    kinds = {}
    for folder, _, names in os.walk(tree.place()):
        for name in names:
            kind = name.rsplit(".", 1)[-1] if "." in name else "others"
            kinds[kind] = kinds.get(kind, 0) + os.path.getsize(os.path.join(folder, name))
    bytes_ = ", ".join(f"{kind} {size / 1e6:.1f}" for kind, size in sorted(kinds.items(), key=lambda it: -it[1])
                       if size >= 1e5)
    yield f"Bytes of the index, MB by kind of file: {bytes_}."


def growth(options, tree):
    asked = SimpleNamespace(tree=tree, bin=options.bin, callers=options.callers, seed=1, seconds=2)
    with tempfile.TemporaryDirectory() as folder:
        sizes = scaling.take(tree, options.sizes, os.path.realpath(folder), asked.seed)
        queries = os.path.join(folder, "queries")
        open(queries, "w", encoding="utf-8").close()
        for _ in range(options.growth_runs):
            for one in sizes:
                scaling.measure(one, asked, queries)
        print("\n".join(scaling.table(sizes)) + "\n", flush=True)
        if options.pictures:
            scaling.draw(sizes, SimpleNamespace(tree=tree, svg=os.path.join(options.pictures, "scaling.svg")))
        rate = [one.of("index") / one.of("source") for one in sizes]
        for two, (one, other) in zip(sizes[1:], zip(rate, rate[1:])):
            yield f"index time a MB, {two.megabytes:g} MB / the size before", "<=", 1.15, other / one, \
                f"{two.of('index'):.2f} s, {two.of('source'):.0f} MB"
        for kind in ("search p50", "search p99"):
            first, last = next((one for one in sizes if one.megabytes >= 10), sizes[0]), sizes[-1]
            yield f"{kind}, {last.megabytes:g} MB / {first.megabytes:g} MB", "<=", 4 if kind.endswith("50") else None, \
                last.of(kind) / first.of(kind), f"{last.of(kind):.2f} ms / {first.of(kind):.2f} ms"


def line(what, sign, bar, value, text):
    if value is None:
        return f"| {what} | | | not here | |"
    met = "" if bar is None else "yes" if (value <= bar if sign == "<=" else value >= bar) else "**no**"
    shown = f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return f"| {what} | {'' if bar is None else f'{sign} {bar:g}'} | {shown} | {met} | {text} |"


def report(trees, grown):
    head = "| | bar | here | met | |\n|---|--:|--:|---|---|"
    for tree in trees:
        yield f"**{tree.name}**: {tree.bytes / 1e6:.0f} MB, of which {tree.source / 1e6:.0f} MB are ranked by content; builds " \
              f"{tree.builds} times, queries and updates {tree.runs} times, medians; {os.cpu_count()} cores\n\n{head}"
        yield from (line(*row) for row in rows(tree))
        yield "\n" + "\n\n".join(tree.profile)
        yield "\n" + "\n".join(tree.comparison) + "\n"
    if grown:
        yield f"**Growth**, parts of {trees[-1].name}\n\n{head}"
        yield from (line(*row) for row in grown)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--bin", required=True, type=os.path.abspath, help="the program to measure; examples beside it")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--builds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large-runs", type=int, default=3)
    parser.add_argument("--words", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=16, help="of the questions, cold and warm")
    parser.add_argument("--sizes", type=float, nargs="*", default=[1, 10, 100, 1000], help="MB; none: no growth")
    parser.add_argument("--growth-runs", type=int, default=1)
    parser.add_argument("--pictures", help="a folder for the comparison and the growth as SVG")
    parser.add_argument("--out", help="a file for the tables, which are printed as well")
    options = parser.parse_args()
    for name in ("lanes", "stages", "callers"):
        setattr(options, name, os.path.join(os.path.dirname(options.bin), "examples", name))
    # A run takes the better part of an hour, so what it will need is looked for now.
    for program in (options.bin, options.lanes, options.stages, options.callers):
        if not os.path.isfile(program):
            parser.error(f"there is no program {program}")
    for source in options.trees:
        if not os.path.isdir(source):
            parser.error(f"there is no folder {source}")
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    trees = []
    for source in options.trees:
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(options, source, folder)
            tree.measure()
            tree.profile = list(profile(tree))
        trees.append(tree)
    grown = list(growth(options, options.trees[-1])) if options.sizes else []
    text = "\n".join(report(trees, grown))
    print(text)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
