"""Measures shards of one process: what their indexes take, and what a question costs as shards are added.

    python python/bench/shards.py DATA TREE...            each tree is a shard; a row after each tree, about all trees so far
    python python/bench/shards.py DATA TREE --deal 1,8,32  20,000 files of the tree, dealt to so many shards; a row for each number

Indexes are in the folder DATA; one that is there is brought up to date. The shards answer as one searcher, as those of a machine of a
cluster do. The questions are words of comments and names of the first tree, drawn by a seed, so all rows ask the same; a first round
warms up. A shard of less than some hundred files has no list of trigrams, and looks longer for parts of words. The processor time includes that of the front. "Own memory" is that of the process, "mapped" its pages of indexes and program.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import time
from pathlib import Path
from typing import Sequence

import spyhop

from batch import questions

COLUMNS = "shards|text, GB|files|index, processor s|index, GB|question, processor ms|p50, ms|p99, ms|own memory, MB|mapped, MB"

N_DEALT = 20_000


def processor() -> float:
    """The processor time of this process, in seconds."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory(name: str) -> int:
    """Megabytes of the process, by the name of `/proc`."""
    found = re.search(rf"{name}:\s*(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) // 1024 if found else 0


def ask(searcher: spyhop.Searcher, front: spyhop.Front, query: str) -> None:
    question = front.ask("search", {"query": query}, ["all"])
    while messages := question.next():
        for number, message in messages:
            question.take(number, searcher.answer(message))
    question.reply()


class Shards:
    """The shards of a row."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.engines: list[spyhop.Engine] = []
        self.indexing = 0.0

    def add(self, tree: Path) -> None:
        engine = spyhop.Engine(tree, index_dir=self.data / "indexes" / f"{tree.parent.name}-{tree.name}", stale="ignore")
        begun = processor()
        engine.update()
        self.indexing += processor() - begun
        self.engines.append(engine)

    def row(self, asked: Sequence[str], rounds: int) -> str:
        states = [engine.ask("status").to_dict() for engine in self.engines]
        text, files, stored = (sum(state[name] for state in states) for name in ("source_bytes", "files", "index_bytes"))
        searcher, front = spyhop.Searcher(self.engines), spyhop.Front()
        times, used = [], 0.0
        for turn in range(rounds + 1):
            used = processor() if turn == 1 else used
            for query in asked:
                begun = time.perf_counter()
                ask(searcher, front, query)
                if turn:
                    times.append(1000 * (time.perf_counter() - begun))
        used = 1000 * (processor() - used) / len(times)
        times.sort()
        cells = [len(states), f"{text / 1e9:.2f}", f"{files:,}", f"{self.indexing:.0f}", f"{stored / 1e9:.2f}", f"{used:.2f}"]
        cells += [f"{times[len(times) * part // 100]:.1f}" for part in (50, 99)] + [memory("RssAnon"), memory("RssFile")]
        return "|".join(str(cell) for cell in cells)


def dealt(tree: Path, folder: Path, n_shards: int) -> list[Path]:
    """Copies of files of a tree, dealt to folders."""
    files = sorted(file for file in tree.rglob("*.[chrgpj]*") if file.is_file() and file.stat().st_size < 100_000)
    for number, file in enumerate(files[:: max(len(files) // N_DEALT, 1)][:N_DEALT]):
        target = folder / str(number % n_shards) / file.relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    return sorted(folder.iterdir())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("trees", type=Path, nargs="+")
    arguments.add_argument("--deal", type=lambda text: [int(part) for part in text.split(",")], default=[])
    arguments.add_argument("--questions", type=int, default=200)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    given = arguments.parse_args()
    asked = questions(given.trees[0], given.questions, given.seed)
    print(COLUMNS, flush=True)
    shards = Shards(given.data)
    for n_shards in given.deal:
        shards = Shards(given.data)
        for part in dealt(given.trees[0], given.data / f"dealt-{n_shards}", n_shards):
            shards.add(part)
        print(shards.row(asked, given.rounds), flush=True)
    for tree in [] if given.deal else given.trees:
        shards.add(tree)
        print(shards.row(asked, given.rounds), flush=True)


if __name__ == "__main__":
    main()
