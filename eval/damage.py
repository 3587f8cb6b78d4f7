#!/usr/bin/env python3
"""The share of definitions that are still known behind a damaged place of a file.

    python3 eval/damage.py --eval target/release/spyhop-eval [--verbose]

Each fixture `basic` of a grammar is damaged at drawn places in three ways: a line that no language has, three lines cut out,
three lines of any fixture put in. A definition counts if its first line is behind the damage; it is still known if the
outline has its name at its line. The exit code is 1 below 95 %. Equal seeds draw equal places.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

GRAMMARS = pathlib.Path(__file__).resolve().parent.parent / "src/syntax/grammars"
UNKNOWN = "frob <~ %zap (a ~> b) [c | d] ;"
LEAST = 95.0
NEAR = 3  # lines: what leads a definition may have been cut


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", required=True, help="the program spyhop-eval")
    parser.add_argument("--each", type=int, default=6, help="places of each kind in a file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="a row for each language")
    args = parser.parse_args()
    draw = random.Random(args.seed)
    files = sorted(path for path in GRAMMARS.glob("*/fixtures/basic.*") if path.suffix != ".outline")
    texts = {path: path.read_text(encoding="utf-8").split("\n") for path in files}
    with tempfile.TemporaryDirectory() as folder:
        cases = [case for path in files for case in damaged(path, texts, draw, args.each, pathlib.Path(folder))]
        found = outlines(args.eval, files + [case[2] for case in cases])
    counts = collections.Counter()
    for path, kind, copy, at, shift in cases:
        for name, line in found[path]:
            if line > at:
                known = any(n == name and abs(l - line - shift) <= NEAR for n, l in found[copy])
                for key in (kind, path.parent.parent.name, "all"):
                    counts[key, "of"] += 1
                    counts[key, "known"] += known
    kinds = ["unknown line", "cut", "spliced", "all"]
    rows = kinds + (sorted({path.parent.parent.name for path in files}) if args.verbose else [])
    for key in rows:
        share = 100.0 * counts[key, "known"] / max(1, counts[key, "of"])
        print(f"{key:14} {counts[key, 'of']:7} {share:6.2f}")
    sys.exit(100.0 * counts["all", "known"] / counts["all", "of"] < LEAST)


def damaged(path, texts, draw, each, folder):
    """Damaged copies of a file: the kind, the copy, the last damaged line, by how many lines what is behind it moved."""
    lines = texts[path]
    for number in range(3 * each):
        kind = ("unknown line", "cut", "spliced")[number % 3]
        at = draw.randrange(1, max(2, len(lines) - 3))
        other = texts[draw.choice(list(texts))]
        begin = draw.randrange(max(1, len(other) - 3))
        new, last = {
            "unknown line": (lines[:at] + [UNKNOWN] + lines[at:], at),
            "cut": (lines[:at] + lines[at + 3 :], at + 3),
            "spliced": (lines[:at] + other[begin : begin + 3] + lines[at:], at),
        }[kind]
        copy = folder / f"{path.parent.parent.name}{number}" / path.name
        copy.parent.mkdir()
        copy.write_text("\n".join(new), encoding="utf-8")
        yield path, kind, copy, last, len(new) - len(lines)


def outlines(program, files):
    done = subprocess.run([program, "outline", "--json", *files], stdout=subprocess.PIPE, check=True)
    found = collections.defaultdict(list)
    for line in done.stdout.decode().splitlines():
        row = json.loads(line)
        found[pathlib.Path(row["path"])].append((row["name"], row["line"]))
    return found


if __name__ == "__main__":
    main()
