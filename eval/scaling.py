"""How an index and its answers grow with the source: index time, bytes and latency against size.

    cargo build --release -p spyhop-eval --example callers
    python3 eval/scaling.py --bin target/release/spyhop --callers target/release/examples/callers TREE
    python3 eval/scaling.py ... TREE --sizes 1 10 100 1000 --svg scaling.svg

The files of TREE (up to 1 MiB, no NUL byte at the beginning, none below a folder whose name begins with a dot) are
shuffled by a seed, and a size is as many of them from the beginning as reach so many MB: whole files, the larger size
holds the smaller one, and the mixture of languages is that of the tree, roughly so at 1 MB. A size that the tree does
not have is left out. Each is a folder of its own, and all is done --runs times, the sizes in turn, so that the machine
is the same for all; figures are medians of the runs.

  index s       `spyhop index` from nothing, a whole process; peak resident memory and bytes of the index
  source MB     what of it is ranked by content, as `spyhop status` says
  cold ms       `spyhop search --stale-policy ignore`, a whole process, median over the questions of `figures.py`
  p50, p99      one thread on an open engine that does not look for changes (`callers.rs`), the questions there and
                exact searches for --words words that a seed draws from the smallest size, so that each size has them

What answers an exact search grows with the tree by itself; what a ranked one shows does not. Below the table are the
growth ratios: index time a MB from the smallest size to the largest, and the query's p50 from 10 MB (or what comes
next) to the largest. Only the standard library is used; Linux gives the memory.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile

import svg
from figures import QUESTIONS, timed
from versus import size, words

MOST_BYTES = 1 << 20


def files(tree):
    """Paths below the tree with their bytes, sorted."""
    found = []
    for folder, folders, names in os.walk(tree):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path) and 0 < os.path.getsize(path) <= MOST_BYTES:
                with open(path, "rb") as file:
                    if b"\0" not in file.read(8192):
                        found.append((os.path.relpath(path, tree), os.path.getsize(path)))
    return sorted(found)


class Size:
    """A part of the tree and what was measured on it."""

    def __init__(self, megabytes, folder):
        self.megabytes = megabytes
        self.tree = os.path.join(folder, f"{megabytes:g}", "tree")
        self.index = os.path.join(folder, f"{megabytes:g}", "index")
        self.figures = {}

    def note(self, **figures):
        for name, figure in figures.items():
            self.figures.setdefault(name, []).append(figure)

    def of(self, name):
        return statistics.median(self.figures[name])


def take(tree, megabytes, folder, seed):
    """Copies the sizes that the tree has."""
    listed = files(tree)
    random.Random(seed).shuffle(listed)
    sizes = []
    for wanted in sorted(megabytes):
        one, taken = Size(wanted, folder), 0
        for path, length in listed:
            to = os.path.join(one.tree, path)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy(os.path.join(tree, path), to)
            taken += length
            if taken >= wanted * 1e6:
                sizes.append(one)
                break
        else:
            print(f"{tree} has {taken / 1e6:.0f} MB: {wanted:g} MB are left out", flush=True)
            shutil.rmtree(os.path.dirname(one.tree))
    return sizes


def measure(one, options, queries):
    shutil.rmtree(one.index, ignore_errors=True)
    env, place = dict(os.environ), ["--root", one.tree, "--index-dir", one.index]
    seconds, peak, _ = timed([options.bin, "index", "--quiet", *place], env)
    status = json.loads(timed([options.bin, "status", *place, "--json"], env)[2])
    one.note(index=seconds, peak=peak, files=status["files"], source=status["source_bytes"] / 1e6,
             bytes=size(one.index) / 1e6)
    command = [options.bin, "search", *place, "--stale-policy", "ignore"]
    one.note(cold=statistics.median(timed([*command, question], env)[0] * 1000 for question in QUESTIONS))
    command = [options.callers, one.tree, "--index-dir", one.index, "--queries", queries, "--threads", "1", "--seconds",
               str(options.seconds), "--json"]
    rows = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    for row in rows["threads"]:
        one.note(**{f"{row['kind']} p50": row["p50_us"] / 1000, f"{row['kind']} p99": row["p99_us"] / 1000})


def table(sizes):
    yield ("| source MB | files | index s | s a 100 MB | peak MB | index MB | of source | cold ms | search p50 ms "
           "| p99 | grep p50 ms | p99 |")
    yield "|--:" * 12 + "|"
    for one in sizes:
        source, index, peak = one.of("source"), one.of("index"), one.of("peak")
        latencies = [f"{one.of(name):.2f}" for name in ("search p50", "search p99", "grep p50", "grep p99")]
        yield (f"| {source:.1f} | {one.of('files'):.0f} | {index:.2f} | {index / source * 100:.2f} | {peak:.0f} "
               f"| {one.of('bytes'):.1f} | {one.of('bytes') / source:.2f} | {one.of('cold'):.1f} "
               f"| {' | '.join(latencies)} |")


def growth(sizes):
    first, last = sizes[0], sizes[-1]
    rate = {one: one.of("index") / one.of("source") for one in sizes}
    yield f"Index time a MB, {last.megabytes:g} MB over {first.megabytes:g} MB: {rate[last] / rate[first]:.2f}."
    yield "From size to size: " + ", ".join(f"{rate[two] / rate[one]:.2f}" for one, two in zip(sizes, sizes[1:])) + "."
    middle = next((one for one in sizes if one.megabytes >= 10), first)
    for kind in ("search p50", "search p99", "grep p50", "grep p99", "cold"):
        ratio = last.of(kind) / middle.of(kind)
        yield f"{kind}, {last.megabytes:g} MB over {middle.megabytes:g} MB: {ratio:.2f}."


def draw(sizes, options):
    def over(*names):
        return {name: [(one.of("source"), one.of(name)) for one in sizes] for name in names}

    label = "source, MB"
    panels = [
        ("index time, s", label, over("index")),
        ("index, MB, and peak memory of the build, MB", label, over("bytes", "peak")),
        ("ranked search, ms", label, over("search p50", "search p99", "cold")),
        ("exact search, ms", label, over("grep p50", "grep p99")),
    ]
    svg.lines(options.svg, f"parts of {os.path.basename(os.path.abspath(options.tree))}", panels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--bin", required=True, type=os.path.abspath)
    parser.add_argument("--callers", required=True, type=os.path.abspath, help="the example of this name")
    parser.add_argument("--sizes", type=float, nargs="+", default=[1, 10, 100], help="MB")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2, help="of each kind of query, a size and run")
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--svg", help="a file for the picture")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sizes = take(options.tree, options.sizes, os.path.realpath(folder), options.seed)
        if not sizes:
            parser.error("the tree is smaller than the smallest size")
        queries = os.path.join(folder, "queries")
        with open(queries, "w", encoding="utf-8") as file:
            for word in words(sizes[0].tree, random.Random(options.seed), options.words):
                file.write(f"grep {word}\n")
        for _ in range(options.runs):
            for one in sizes:
                measure(one, options, queries)
        print("\n".join(table(sizes)) + "\n")
        print("\n".join(growth(sizes)))
        if options.svg:
            draw(sizes, options)


if __name__ == "__main__":
    main()
