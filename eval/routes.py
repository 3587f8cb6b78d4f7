#!/usr/bin/env python3
"""Routes of real projects against lists that were made by reading their sources.

    python3 eval/routes.py SPYHOP TREES [NAME...]

TREES has a folder for each project, with the name of its list in eval/sets/routes: NAME.tsv. The first line of a list names
the repository and the commit. A row is method, path and handler. Parameters of a path count as equal whatever their name
and their syntax, and so do paths with and without a `/` at the end. A handler is compared by its last name, and by its
type if the list has one; `-` means code inside of the declaration. Rows of tests are left out on both sides.

Prints precision and recall of method and path, and of method, path and handler. With --rows, also the rows that differ.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

SETS = pathlib.Path(__file__).resolve().parent / "sets" / "routes"
PARAMETER = re.compile(r"\(\?P<\w+>(?:[^()]|\([^()]*\))*\)|<[^>]*>|\{[^}]*\}|:\w+|\[[^\]]*\]")


def normal(path):
    path = PARAMETER.sub("{}", path.replace("^", "").replace("$", ""))
    return path.rstrip("/") or "/"


def parts(handler):
    return re.split(r"[.#:]+", handler)


def is_same_handler(found, expected):
    if expected == "-":
        return found == ""
    wanted = parts(expected)
    return parts(found)[-len(wanted):] == wanted


def expected_rows(name):
    lines = (SETS / f"{name}.tsv").read_text().splitlines()
    return [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]


def found_rows(program, tree, kind):
    with tempfile.TemporaryDirectory() as index:
        run = subprocess.run(
            [program, kind, "--json", "-n", "1000", "--root", tree, "--index-dir", index],
            capture_output=True, text=True, check=False,
        )
        if not run.stdout:
            sys.exit(f"{program} {kind} in {tree}: {run.stderr.strip()}")
        return [row for row in json.loads(run.stdout)["results"] if not row["is_test"]]


def compare(name, program, trees, shows):
    expected = [(method, normal(path), handler) for method, path, handler in expected_rows(name)]
    rows = found_rows(program, trees / name, "routes")
    found = [(row["method"], normal(row["route"]), row["handler"]) for row in rows]
    left, by_path, whole = list(expected), 0, 0
    for row in found:
        same = [own for own in left if own[:2] == row[:2]]
        exact = [own for own in same if is_same_handler(row[2], own[2])]
        if same:
            left.remove((exact or same)[0])
        elif shows:
            print(f"  {name} adds   {row}")
        if same and not exact and shows:
            print(f"  {name} handler {row} for {same[0]}")
        by_path, whole = by_path + bool(same), whole + bool(exact)
    if shows:
        for row in left:
            print(f"  {name} misses {row}")
    return len(expected), len(found), by_path, whole


def share(part, whole):
    return f"{part / whole:.3f}" if whole else "-"


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--rows"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    program, trees = str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1])
    names = arguments[2:] or sorted(path.stem for path in SETS.glob("*.tsv"))
    print("| project | routes | found | precision | recall | precision with handler | recall with handler |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    total = [0, 0, 0, 0]
    for name in names:
        counts = compare(name, program, trees, "--rows" in sys.argv)
        total = [own + more for own, more in zip(total, counts)]
        print(line(name, counts))
    print(line("all", total))


def line(name, counts):
    expected, found, by_path, whole = counts
    shares = [share(by_path, found), share(by_path, expected), share(whole, found), share(whole, expected)]
    return f"| {name} | {expected} | {found} | " + " | ".join(shares) + " |"


if __name__ == "__main__":
    main()
