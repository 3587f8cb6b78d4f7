"""Compares the throughput of `Engine.search_many` with that of the Rust API.

    python python/bench/batch.py TREE PROGRAM [--queries 10000] [--rounds 3] [--threads N]

PROGRAM is the example `throughput`, built with the options of the wheel: `cargo build --manifest-path
python/Cargo.toml --release --example throughput`.
The questions are sentences of comments and names of functions in TREE, drawn by a seed. Both sides ask the same
questions of the same index, on as many threads, and keep the whole replies. Each round runs each side in a process of
its own, in turns, so that the load of the machine meets both. The clock covers the batch only; the processor time is that
of the whole process, with opening the index and importing the package.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SENTENCE = re.compile(r"^\s*(?:///|//!|//|#) ([A-Z][^`\[\]\n]{20,120}?)[.:]", re.M)
NAME = re.compile(r"\b(?:fn|def|func|function) (\w{4,})")


def questions(tree: Path, n: int, seed: int = 1) -> list[str]:
    """Sentences and names of a tree, and words that follow each other in the sentences, until there are enough."""
    files = (file for file in sorted(tree.rglob("*")) if file.suffix in {".rs", ".py", ".go", ".c", ".js", ".ts"})
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files if file.is_file()]
    sentences = sorted({found for text in texts for found in SENTENCE.findall(text)})
    names = sorted({found for text in texts for found in NAME.findall(text)})
    if not sentences or not names:
        raise SystemExit(f"{tree} has no comments and functions to ask about")
    rng = random.Random(seed)
    asked = set(sentences + names)
    while len(asked) < n:
        words = rng.choice(sentences).split()
        first = rng.randrange(len(words))
        asked.add(" ".join(words[first : first + rng.randint(2, 8)]))
    return rng.sample(sorted(asked), n)


def child(tree: str, index: str, file: str, threads: int) -> None:
    """Asks the questions of a file as `throughput` does."""
    import spyhop

    asked = Path(file).read_text(encoding="utf-8").splitlines()
    engine = spyhop.Engine(tree, index_dir=index, threads=threads)
    engine.update()
    engine.search_many(asked[:100], activity=False)
    begun = time.perf_counter()
    replies = engine.search_many(asked, activity=False)
    seconds = time.perf_counter() - begun
    hits = sum(len(reply) for reply in replies)
    print(f"{seconds:.3f} s for {len(replies)} questions with {hits} hits on {threads} threads")


def timed(command: list[str]) -> tuple[float, float, str]:
    """The seconds of a batch, the processor time of its process, and what it found."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    seconds, found = said.split(" s for ")
    return float(seconds), usage.ru_utime + usage.ru_stime, found.strip()


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("tree")
    arguments.add_argument("program")
    arguments.add_argument("--queries", type=int, default=10_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index, file = os.path.join(folder, "index"), os.path.join(folder, "questions.txt")
        Path(file).write_text("\n".join(questions(Path(options.tree), options.queries)) + "\n", encoding="utf-8")
        work = [options.tree, index, file, str(options.threads)]
        sides = {"rust": [options.program, *work], "python": [sys.executable, __file__, "--child", *work]}
        # The first run builds the index.
        timed(sides["rust"])
        rates: dict[str, list[tuple[float, float]]] = {side: [] for side in sides}
        for _ in range(options.rounds):
            found = set()
            for side, command in sides.items():
                seconds, processor, answer = timed(command)
                found.add(answer)
                rates[side].append((options.queries / seconds, options.queries / processor))
                per_second, per_processor = rates[side][-1]
                print(f"{side:6} {per_second:8.1f} queries/s {per_processor:8.1f} queries per second of processor time; {answer}")
            if len(found) != 1:
                raise SystemExit(f"the answers differ: {found}")
    for at, name in enumerate(["of the throughput", "of the throughput by processor time"]):
        ratios = [python[at] / rust[at] for python, rust in zip(rates["python"], rates["rust"])]
        print(f"python has {statistics.median(ratios):.3f} {name} of rust (median of {options.rounds} rounds)")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
    else:
        main()
