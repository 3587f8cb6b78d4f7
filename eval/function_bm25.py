#!/usr/bin/env python3
"""Plain BM25 over the functions of a tree: the baseline for query sets whose answers are places.

    python3 eval/function_bm25.py target/release/spyhop SET.jsonl... --trees TREES [--named] [--no-tests]

A document is a function or method of the program's outline: the text from the first line of the definition to the last
line, without the comment above. With --named the path and the qualified name are part of the text. With --no-tests the
functions of tests, examples and documentation are left out.

A term is a word of letters, digits and underscores in lower case. A word of several parts (by case, digits and
underscores) also gives a term per part. There are no stop words and no stemming. The score is BM25 with k1 = 1.2,
b = 0.75 and idf = ln(1 + (N - n + 0.5) / (n + 0.5)); a repeated term of the query counts each time. Path and line break
ties.

The sets are JSON lines as `place_sets.py`, `commit_sets.py` and `issues.py` write them. Queries without `places` are
left out. The measures are those of `spyhop-eval run` over the first --depth functions. A function answers a place when
the paths are equal, or one path ends with the other behind a `/`, and the lines overlap. MRR is MRR@10. An average is
the mean over trees of the mean over the queries of each tree.
"""

import argparse
import collections
import functools
import heapq
import json
import math
import pathlib
import re

from commit_sets import is_test
from functions import functions

WORD = re.compile(r"\w+")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
HEAD = ["queries", "MRR", "place@1", "place@5", "all@5", "all@10"]


@functools.lru_cache(maxsize=200_000)
def terms(text):
    """How often each term stands in a text."""
    counts = collections.Counter()
    for word, count in collections.Counter(WORD.findall(text)).items():
        counts[word.lower()] += count
        parts = PART.findall(word)
        if len(parts) > 1 or parts and parts[0] != word:
            for part in parts:
                counts[part.lower()] += count
    return counts


class Functions:
    """The functions of a tree, and the postings of the terms in `wanted`."""

    def __init__(self, program, folder, arguments, wanted):
        self.k1, self.b, self.rows, self.lengths, texts = arguments.k1, arguments.b, [], [], {}
        self.postings = collections.defaultdict(list)
        for function in functions(program, folder):
            if arguments.no_tests and is_test(function.path):
                continue
            if function.path not in texts:
                texts[function.path] = (folder / function.path).read_text(errors="replace").split("\n")
            text = "\n".join(texts[function.path][function.first - 1 : function.last])
            counts = terms(f"{function.path} {function.name}\n{text}" if arguments.named else text)
            for term in wanted & counts.keys():
                self.postings[term].append((len(self.rows), counts[term]))
            self.rows.append(function)
            self.lengths.append(counts.total())

    def best(self, query, depth):
        """The functions with the highest scores, best first."""
        mean, scores = sum(self.lengths) / max(1, len(self.lengths)), collections.defaultdict(float)
        for term, weight in terms(query).items():
            found = self.postings.get(term, ())
            idf = math.log(1 + (len(self.rows) - len(found) + 0.5) / (len(found) + 0.5))
            for row, count in found:
                norm = self.k1 * (1 - self.b + self.b * self.lengths[row] / mean)
                scores[row] += weight * idf * count * (self.k1 + 1) / (count + norm)
        return [self.rows[row] for row in heapq.nsmallest(depth, scores, key=lambda row: (-scores[row], row))]


def answers(function, place):
    one, other, (first, last) = function.path, place["path"], place["lines"]
    same = one == other or one.endswith(f"/{other}") or other.endswith(f"/{one}")
    return same and function.first <= last and first <= function.last


def measures(ranked, places):
    """MRR, place@1, place@5, all@5 and all@10 of one query."""
    hits = [[rank for rank, function in enumerate(ranked, 1) if answers(function, place)] for place in places]
    ranks = [min(own, default=math.inf) for own in hits]
    first, last = min(ranks), max(ranks)
    return [1 / first if first <= 10 else 0, first <= 1, first <= 5, last <= 5, last <= 10]


def mean(rows):
    return [sum(column) / len(rows) for column in zip(*rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("sets", type=pathlib.Path, nargs="+")
    parser.add_argument("--trees", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--named", action="store_true", help="path and qualified name are part of the text")
    parser.add_argument("--no-tests", action="store_true", help="leave out tests, examples and documentation")
    parser.add_argument("--k1", type=float, default=1.2)
    parser.add_argument("--b", type=float, default=0.75)
    parser.add_argument("--depth", type=int, default=50)
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    table = []
    for path in arguments.sets:
        asked = collections.defaultdict(list)
        for row in map(json.loads, filter(str.strip, path.read_text().split("\n"))):
            if "places" in row:
                asked[row.get("corpus", path.stem)].append(row)
        values, n_functions = {}, 0
        for corpus, rows in asked.items():
            folder = next((trees / corpus for trees in arguments.trees if (trees / corpus).is_dir()), None)
            if folder is None:
                print(f"left out, no tree {corpus}")
                continue
            tree = Functions(program, folder, arguments, {term for row in rows for term in terms(row["query"])})
            values[corpus] = [measures(tree.best(row["query"], arguments.depth), row["places"]) for row in rows]
            n_functions += len(tree.rows)
        if values:
            cells = [f"{value:.3f}" for value in mean([mean(rows) for rows in values.values()])]
            table.append([path.stem, str(sum(map(len, values.values()))), *cells, str(n_functions)])
    print(f"| set | {' | '.join(HEAD)} | functions |\n|---|{'--:|' * (len(HEAD) + 1)}")
    print("\n".join(f"| {' | '.join(row)} |" for row in table))


if __name__ == "__main__":
    main()
