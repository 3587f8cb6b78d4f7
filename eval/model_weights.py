#!/usr/bin/env python3
"""What a model's signal is worth: NDCG@10 with each weight of it, and with the weight that was learned on the other trees.

    for weight in 0 0.3 0.6 1.0 1.5 100; do
        python3 eval/model_weights.py profile similar $weight > /tmp/$weight.toml
        spyhop-eval run eval/sets/*.toml --trees TREES --index-dir INDEXES --local-model MODEL \\
            --profile /tmp/$weight.toml --out /tmp/run-$weight.jsonl
    done
    python3 eval/model_weights.py table /tmp/run-*.jsonl

`profile` prints the built-in profile with this weight of a signal for questions in words, and half of it for mixed ones. The last
row of the table has for each tree the run that is the best one on all other trees: a weight that has not seen the tree. With a weight
of 100 the first fifty files are in the order of the model alone.
"""
import json
import sys
from collections import defaultdict
from math import log2
from pathlib import Path
from statistics import mean

PROFILE = Path(__file__).resolve().parent.parent / "src/search/profile/default.toml"


def profile(signal: str, weight: float) -> str:
    head, found, rest = PROFILE.read_text().partition(f"[signals.{signal}]\n")
    if not found:
        sys.exit(f"the profile has no signal '{signal}'")
    text, _, after = rest.split("\n", 2)
    values = f"value = {{ names = 0.0000, mixed = {weight / 2:.4f}, words = {weight:.4f} }}"
    return "\n".join([head + found + text, values, after])


def ndcg(row: dict) -> float:
    """NDCG@10 as `spyhop-eval` computes it: a hit counts for the best target that no hit before it answers."""
    grades, answered, gain = [target["grade"] for target in row["targets"]], set(), 0.0
    for rank, hit in enumerate(row["hits"][:10], 1):
        new = set(hit["targets"]) - answered
        answered |= new
        gain += max((grades[at] for at in new), default=0) / log2(rank + 1)
    best = sorted(grades, reverse=True)[:10]
    return gain / sum(grade / log2(rank + 1) for rank, grade in enumerate(best, 1))


def by_tree(path: str) -> dict[str, float]:
    """The mean NDCG of each tree."""
    trees = defaultdict(list)
    for row in map(json.loads, Path(path).read_text().splitlines()):
        if row["row"] == "query":
            trees[row["tree"]].append(ndcg(row))
    return {tree: mean(values) for tree, values in trees.items()}


def table(paths: list[str]) -> None:
    runs = {path: by_tree(path) for path in paths}
    trees = sorted(set.intersection(*(set(run) for run in runs.values())))
    for path, run in runs.items():
        print(f"{mean(run[tree] for tree in trees):.4f}  {path}")

    def learned(tree: str) -> float:
        others = [other for other in trees if other != tree]
        best = max(runs, key=lambda path: mean(runs[path][other] for other in others))
        return runs[best][tree]

    print(f"{mean(learned(tree) for tree in trees):.4f}  the best run of the other trees, for each of {len(trees)} trees")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["profile", signal, weight]:
            print(profile(signal, float(weight)), end="")
        case ["table", *paths] if paths:
            table(paths)
        case _:
            sys.exit(__doc__)
