#!/usr/bin/env python3
"""Routes and commands of real projects against lists that were made by reading their sources.

    python3 eval/routes.py SPYHOP TREES [--commands] [--rows] [NAME...]

TREES has a folder for each project, with the name of its list in eval/sets/routes (with --commands in eval/sets/commands):
NAME.tsv. The first line of a list names the repository and the commit. A row is method, path and handler; of a command sort,
name and what it runs. Parameters of a path count as equal whatever their name
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

SETS = pathlib.Path(__file__).resolve().parent / "sets"
PARAMETER = re.compile(r"\(\?P<\w+>(?:[^()]|\([^()]*\))*\)|<[^>]*>|\{[^}]*\}|:\w+|\[[^\]]*\]")


def normal(path):
    path = PARAMETER.sub("{}", path.replace("^", "").replace("$", ""))
    return path.rstrip("/") or "/"


def parts(handler):
    return re.split(r"[.#:]+", handler)


def is_same_handler(found, expected):
    if expected == "-" or found == expected:
        return found in ("", expected)
    wanted = parts(expected)
    return parts(found)[-len(wanted):] == wanted


def expected_rows(kind, name):
    lines = (SETS / kind / f"{name}.tsv").read_text().splitlines()
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


def found_row(kind, row):
    if kind == "routes":
        return row["method"], normal(row["route"]), row["handler"]
    runs = row["handler"] if row["definition"] else row["handler_path"] or row["handler"]
    return row["sort"], row["name"], runs


def compare(kind, name, program, trees, shows):
    normal_path = normal if kind == "routes" else str
    expected = [(method, normal_path(path), handler) for method, path, handler in expected_rows(kind, name)]
    found = [found_row(kind, row) for row in found_rows(program, trees / name, kind)]
    left, by_path, whole = list(expected), 0, 0
    for row in found:
        same = [listed for listed in left if listed[:2] == row[:2]]
        exact = [listed for listed in same if is_same_handler(row[2], listed[2])]
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
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    kind = "commands" if "--commands" in sys.argv else "routes"
    if len(arguments) < 2:
        sys.exit(__doc__)
    program, trees = str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1])
    names = arguments[2:] or sorted(path.stem for path in (SETS / kind).glob("*.tsv"))
    print("| project | listed | found | precision | recall | precision with handler | recall with handler |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    total = [0, 0, 0, 0]
    for name in names:
        counts = compare(kind, name, program, trees, "--rows" in sys.argv)
        total = [count + more for count, more in zip(total, counts)]
        print(line(name, counts))
    print(line("all", total))


def line(name, counts):
    expected, found, by_path, whole = counts
    shares = [share(by_path, found), share(by_path, expected), share(whole, found), share(whole, expected)]
    return f"| {name} | {expected} | {found} | " + " | ".join(shares) + " |"


if __name__ == "__main__":
    main()
