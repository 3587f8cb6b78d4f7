#!/usr/bin/env python3
"""Samples of call sites, and the code graph against what a reader found they mean.

    python3 eval/call_sites.py draw TREE... --ending .go [--sites 20] [--seed 1] > draft.tsv
    python3 eval/call_sites.py check EVAL TREES eval/sets/graph/go.tsv ... [--verbose]

`draw` chooses call sites by seed: a name before `(`, outside of comments and literals, that is no keyword and no definition.
It asks no index. A reader completes the last column of each row: `PATH:LINE` of the definition in the tree, several with
blanks between where any of them is right, or `-` for a definition outside of the tree or for what is no call. `~PATH:LINE`
is the declaration of a called variable or field: a row that names it is right, and a site without a row is not missed.

`check` compares the rows of `spyhop-eval graph-rows` (EVAL is the program) for the trees below the folder TREES. Among rows with a
confidence of at least .5, a row is right if it names an expected place; a site counts as found if one of its rows is right.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys

KEYWORDS = set("""if for while switch return sizeof defined func catch synchronized super this match in as fn new else do
typeof assert throw loop move unsafe where impl dyn pub use let mut ref case default go defer select range select type struct
interface map chan var const __attribute__ alignof _Alignof offsetof""".split())


def blanked(text):
    """The text with blanks for comments and literals."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|`[^`]*`|\'(?:\\.[^\']*|[^\'\\\n])\''
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S)


def sites_of(tree, ending):
    for path in sorted(tree.rglob("*" + ending)):
        text = blanked(path.read_text(errors="replace"))
        for number, line in enumerate(text.split("\n"), 1):
            if re.match(r"\s*(#|@)", line):
                continue
            for found in re.finditer(r"\b([A-Za-z_]\w*)(?:::<[^()]*>)?\(", line):
                before = line[:found.start()].rstrip()
                is_definition = re.search(r"\b(func|fn|def)(\s*\([^()]*\))?$", before) or (
                    line[:1].strip() and ending in (".c", ".h"))
                is_member = re.search(r"(public|private|protected|static|abstract|final)\b[^=.(]*$", before)
                if found[1] not in KEYWORDS and not is_definition and not is_member:
                    yield (path.relative_to(tree).as_posix(), number, found.start() + 1, found[1])


def draw(args):
    print("tree\tpath\tline\tcolumn\tname\texpected")
    for tree in args.trees:
        tree = pathlib.Path(tree)
        sites = list(sites_of(tree, args.ending))
        for site in sorted(random.Random(args.seed).sample(sites, min(args.sites, len(sites)))):
            print(tree.name, *site, "", sep="\t")


def check(args):
    for sample in args.samples:
        sites = [line.split("\t") for line in pathlib.Path(sample).read_text().splitlines()[1:]]
        trees = sorted({site[0] for site in sites})
        rows = collections.defaultdict(list)
        for tree in trees:
            ran = subprocess.run([args.eval, "graph-rows", str(pathlib.Path(args.trees) / tree)], capture_output=True, text=True, check=True)
            for line in ran.stdout.splitlines():
                row = json.loads(line).get("use")
                if row:
                    path, at, column, _, to, to_line, _, confidence, rule = row
                    rows[tree, path, at, column].append((confidence, to, to_line, rule))
        given = right = wanted = found = 0
        for tree, path, line, column, name, expected in sites:
            is_variable = expected.startswith("~")
            places = [place.lstrip("~").rsplit(":", 1) for place in expected.split()] if expected != "-" else []
            got = [row for row in rows[tree, path, int(line), int(column)] if row[0] >= 0.5]
            good = [row for row in got if any(row[1] == to and abs(row[2] - int(at)) <= 2 for to, at in places)]
            if is_variable:
                given, right = given + bool(got), right + bool(good)
                continue
            wanted, found = wanted + bool(places), found + bool(good)
            given, right = given + bool(got), right + bool(good)
            if args.verbose and (bool(got) != bool(good) or bool(places) != bool(good)):
                print("WRONG" if got and not good else "missed", tree, f"{path}:{line}:{column}", name, "expected", expected,
                      "got", rows[tree, path, int(line), int(column)][:4])
        print(f"{pathlib.Path(sample).stem}: {len(sites)} sites, {wanted} of the tree; "
              f"precision {right / max(given, 1):.3f}, recall {found / max(wanted, 1):.3f}")


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    drawing = commands.add_parser("draw")
    drawing.add_argument("trees", nargs="+")
    drawing.add_argument("--ending", required=True)
    drawing.add_argument("--sites", type=int, default=20)
    drawing.add_argument("--seed", type=int, default=1)
    drawing.set_defaults(run=draw)
    checking = commands.add_parser("check")
    checking.add_argument("eval")
    checking.add_argument("trees")
    checking.add_argument("samples", nargs="+")
    checking.add_argument("--verbose", action="store_true")
    checking.set_defaults(run=check)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    sys.exit(main())
