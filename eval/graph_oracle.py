#!/usr/bin/env python3
"""The code graph against SCIP indexes: precision and recall of references, by confidence.

    python3 eval/graph_oracle.py PROGRAM TREE INDEX.scip [--symbols 200] [--seed 1] [--verbose]

INDEX.scip is made by an indexer with a real type checker, in TREE:

    npx @sourcegraph/scip-typescript index --infer-tsconfig --output /tmp/a.scip
    npx @sourcegraph/scip-python index --project-name a --output /tmp/a.scip

From the functions, methods and types that both the program and SCIP define at one line under one name, --symbols are drawn by
--seed. For each, `refs PATH#NAME` is compared with the references of SCIP, as pairs of file and line. A reference of the
program counts as right if SCIP has a reference to the symbol on that line; a reference of SCIP counts as found if the
program has a row there. Lines of imports count in both. The table has a row for each threshold of confidence, and for calls
alone, which are the references that a `(` follows. A row is undecided, and not counted, where SCIP has no occurrence of
any symbol at the place of the row: an indexer without the packages that a tree needs leaves such names unresolved. The last table is the calibration: of the rows of each rule, the mean
confidence and the share that is right.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(field number, value) of each field of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            value, at = data[at:at + 4], at + 4
        yield key >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def read_scip(path):
    """(symbol -> (file, line, column) of its definition, symbol -> {(file, line): columns}, resolved places)."""
    resolved = set()
    definitions, references = {}, collections.defaultdict(lambda: collections.defaultdict(list))
    for number, document in fields(pathlib.Path(path).read_bytes()):
        if number != 2:
            continue
        occurrences, name = [], ""
        for part, value in fields(document):
            if part == 1:
                name = value.decode()
            elif part == 2:
                occurrences.append(value)
        for occurrence in occurrences:
            span, symbol, roles = [], "", 0
            for part, value in fields(occurrence):
                if part == 1:
                    span = packed(value)
                elif part == 2:
                    symbol = value.decode()
                elif part == 3:
                    roles = value
            key = symbol if not symbol.startswith("local ") else f"{name} {symbol}"
            resolved.add((name, span[0] + 1, span[1]))
            if roles & 1:
                definitions.setdefault(key, (name, span[0] + 1, span[1]))
            else:
                references[key][(name, span[0] + 1)].append(span[1])
    # Both indexers take a constructor's call for a use of the constructor; the program takes it for one of the class.
    for symbol in list(references):
        for constructor in ("__init__().", "`<constructor>`()."):
            if symbol.endswith("#" + constructor):
                owner = symbol[:-len(constructor)]
                for where, columns in references.pop(symbol).items():
                    references[owner][where] += columns
                break
    return definitions, references, resolved


def ask(program, tree, index, *arguments):
    command = [program, *arguments, "--json", "--no-refresh", "--root", str(tree), "--index-dir", index]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tree)
    return json.loads(ran.stdout) if ran.stdout.strip().startswith("{") else None


def symbols_of(program, tree, index):
    """(file, line, name) -> (qualified name, kind) of each definition of the program."""
    found, cursor = {}, None
    while True:
        more = ["--cursor", cursor] if cursor else []
        reply = ask(program, tree, index, "symbols", "-n", "1000", *more)
        for row in reply["results"]:
            if row["kind"] in ("fn", "method", "class", "interface", "type", "enum", "struct", "trait"):
                qualified = ".".join(filter(None, [row["container"], row["name"]]))
                for line in range(row["line"], row["line"] + 6):
                    found.setdefault((row["path"], line, row["name"]), (qualified, row["kind"], row["line"]))
        cursor = reply["next"]
        if not cursor:
            return found


def is_call(lines, where, column, name):
    path, line = where
    text = lines(path)[line - 1] if line <= len(lines(path)) else ""
    return re.match(r"\s*(<[^()]*>)?\s*\(", text[column + len(name):]) is not None


def share(part, whole):
    return f"{part / whole:.3f}" if whole else "-"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("scip")
    parser.add_argument("--symbols", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    tree = args.tree.resolve()
    definitions, references, resolved = read_scip(args.scip)
    known = {name for name, *_ in definitions.values()}
    texts = {}

    def lines(path):
        if path not in texts:
            texts[path] = (tree / path).read_text(errors="replace").splitlines()
        return texts[path]

    with tempfile.TemporaryDirectory() as index:
        subprocess.run([args.program, "index", "-q", str(tree), "--index-dir", index], check=True)
        ours = symbols_of(args.program, tree, index)
        pairs = []
        for symbol, (path, line, column) in definitions.items():
            name = re.match(r"[\w$]+", lines(path)[line - 1][column:] if line <= len(lines(path)) else "")
            own = name and ours.get((path, line, name[0]))
            if own and references.get(symbol):
                pairs.append((symbol, path, name[0], own))
        pairs.sort()
        random.Random(args.seed).shuffle(pairs)
        pairs = pairs[:args.symbols]
        rows, wanted, undecided = [], [], 0
        for symbol, path, name, (qualified, kind, line) in pairs:
            reply = ask(args.program, tree, index, "refs", f"{path}:{line}", "-n", "1000", "--min-confidence", "0")
            gold = {where for where in references[symbol]}
            gold_calls = {
                where for where, columns in references[symbol].items()
                if any(is_call(lines, where, column, name) for column in columns)
            }
            answer = reply["results"] if reply else []
            got = collections.defaultdict(float)
            for row in answer:
                where = (row["path"], row["line"])
                if row["path"] in known and row["to"].get("line") == line and row["to"]["path"] == path:
                    if where not in gold and (*where, row["column"] - 1) not in resolved:
                        undecided += 1
                        continue
                    got[where] = max(got[where], row["confidence"])
                    rows.append((row["confidence"], where in gold, row["rule"], row["relation"] == "calls", symbol, where))
            wanted += [(got.get(where, 0.0), where in gold_calls, symbol, where) for where in gold]
    print(f"{tree.name}: {len(pairs)} symbols, {len(wanted)} references of SCIP, {len(rows)} rows, {undecided} undecided")
    print("| confidence | precision | recall | precision of calls | recall of calls |\n|---|--:|--:|--:|--:|")
    for least in (0.3, 0.5, 0.8):
        taken = [row for row in rows if row[0] >= least]
        calls = [row for row in taken if row[3]]
        found = [want for want in wanted if want[0] >= least]
        print(f"| {least} | {share(sum(row[1] for row in taken), len(taken))} | {share(len(found), len(wanted))} "
              f"| {share(sum(row[1] for row in calls), len(calls))} "
              f"| {share(sum(want[1] for want in found), sum(want[1] for want in wanted))} |")
    print("\n| rule | rows | mean confidence | right |\n|---|--:|--:|--:|")
    by_rule = collections.defaultdict(list)
    for row in rows:
        by_rule[row[2]].append(row)
    error = 0.0
    for rule, own in sorted(by_rule.items()):
        mean, right = sum(row[0] for row in own) / len(own), sum(row[1] for row in own) / len(own)
        error += len(own) * abs(mean - right)
        print(f"| {rule} | {len(own)} | {mean:.2f} | {right:.2f} |")
    print(f"\ncalibration error, by rule: {error / max(len(rows), 1):.3f}")
    if args.verbose:
        for confidence, right, rule, _, symbol, where in rows:
            if not right and confidence >= 0.5:
                print("wrong", f"{confidence:.2f}", rule, symbol.split(" ")[-1], *where, "|", lines(where[0])[where[1] - 1].strip()[:90])
        for confidence, _, symbol, where in wanted:
            if confidence < 0.5:
                print("missed", f"{confidence:.2f}", symbol.split(" ")[-1], *where, "|", lines(where[0])[where[1] - 1].strip()[:90])


if __name__ == "__main__":
    sys.exit(main())
