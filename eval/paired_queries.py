#!/usr/bin/env python3
"""The time of warm questions with two builds, in turns: milliseconds a question, and the ratio.

    python3 eval/paired_queries.py BEFORE AFTER TREE [--turns 5] [--each 30] [--questions FILE]

Each build indexes TREE into a folder of its own. A question is asked once, and then EACH times more, by one process
(`spyhop search --batch`), so that the start of the process and the first reading of the index do not count. FILE has a
question on each line; without it, general questions about a large program are asked.
"""

import argparse
import pathlib
import statistics
import subprocess
import tempfile
import time

QUESTIONS = """where is memory reclaimed when it is low
retry backoff of a failed request
what parses the flags
how is an update paused
garbage collection of old entries
where are hooks called before a write
leader election and lease
how is the state written to disk
parse a number with a suffix
watch for changes of a folder
convert between versions
chosen by priority
restore rules after a restart
where is a token checked
init
open_file
read_config
which test covers the cache""".splitlines()


def spent(binary, tree, index, question, times):
    begun = time.perf_counter()
    subprocess.run([binary, "search", "--batch", "--root", ".", "--index-dir", index, "--stale-policy", "ignore", "--json"],
                   cwd=tree, input=f"{question}\n" * times, text=True, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("tree")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--each", type=int, default=30)
    parser.add_argument("--questions", type=pathlib.Path)
    args = parser.parse_args()
    questions = args.questions.read_text().splitlines() if args.questions else QUESTIONS
    binaries = [str(pathlib.Path(path).resolve()) for path in (args.before, args.after)]
    with tempfile.TemporaryDirectory() as folder:
        indexes = [f"{folder}/{place}" for place in range(2)]
        for binary, index in zip(binaries, indexes):
            subprocess.run([binary, "index", "--root", ".", "--index-dir", index, "-q"], cwd=args.tree, check=True)
        medians = []
        for question in questions:
            rows = [[], []]
            for _ in range(args.turns):
                for row, binary, index in zip(rows, binaries, indexes):
                    once, often = (spent(binary, args.tree, index, question, times) for times in (1, 1 + args.each))
                    row.append((often - once) / args.each * 1000)
            before, after = (statistics.median(row) for row in rows)
            medians.append((before, after))
            print(f"{before:7.2f} {after:7.2f} {after / before:5.2f}  {question}", flush=True)
    before, after = (statistics.median(column) for column in zip(*medians))
    ratio = statistics.median(after / before for before, after in medians)
    print(f"p50 {before:.2f} to {after:.2f} ms; median ratio {ratio:.2f}; mean {statistics.mean(b for b, _ in medians):.2f} to "
          f"{statistics.mean(a for _, a in medians):.2f} ms")


if __name__ == "__main__":
    main()
