#!/usr/bin/env python3
"""Counts false claims: reasons of hits that are untrue of the lines of the hit.

    python3 eval/claims.py target/release/spyhop --trees TREES [--each N] SET...

SET is a query set in one of Spyhop's own forms, TOML or JSON lines. Every query is asked for ten hits. A claim is a
reason about the place that is shown; the script checks with the text of the file that

- a definition that "is defined here" has its name in the lines of the hit,
- a hit that "contains the query as written" contains the query in these lines,
- each of the "matched tokens" has a word with the first three letters of its stem, or an irregular form of it, in these
  lines.

The exit code is 1 if a claim is false. The false claims are printed.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib


# Forms of one word with other beginnings; terms are compared by stems and families of words.
IRREGULAR = {
    "broke": ["bre"], "broken": ["bre"], "found": ["fin"], "give": ["gav"], "given": ["gav"], "held": ["hol"],
    "keep": ["kep"], "kept": ["kee"], "taken": ["too"], "takes": ["too"], "took": ["tak"],
}


def queries(path):
    """(tree, root, query) of each query of a set."""
    if path.suffix == ".toml":
        table = tomllib.loads(path.read_text())
        for query in table["queries"]:
            yield table["corpus"], table.get("root", "."), query["query"]
        return
    for line in path.read_text().splitlines():
        query = json.loads(line)
        yield query.get("corpus", path.stem), query.get("root", "."), query["query"]


def ask(program, root, index, query):
    command = [program, "search", "--json", "--max-results", "10", "--stale-policy", "ignore", "--index-dir", index, "--root", ".", "--", query]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return json.loads(told.stdout)["results"] if told.returncode == 0 else []


def claims(query, hit, lines):
    """(kind, whether it is true) of each claim of a hit."""
    shown = "\n".join([line["text"] for line in hit.get("head", [])] + lines[hit["line"] - 1 : hit["end_line"]])
    for text in [reason["text"] for reason in hit["reasons"]]:
        defined = re.fullmatch(r"definition: .*'(.+)' is defined here", text)
        if defined:
            name = re.split(r"[.:#\\/]", defined[1])[-1]
            yield "definition", name in shown
        if re.fullmatch(r"literal: contains the query as written(; .*)?", text):
            yield "literal", query.strip().strip('"') in shown
        tokens = re.match(r"lexical: matched tokens \[(.*?)\]", text)
        for token in tokens[1].split(", ") if tokens else []:
            stem = re.sub(r"(?<=..)(ing|ed|es|s|e)$", "", token)
            beginnings = [stem[:3], *IRREGULAR.get(token, [])]
            yield f"token '{token}'", any(beginning.lower() in shown.lower() for beginning in beginnings)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("sets", nargs="+", type=pathlib.Path)
    parser.add_argument("--trees", type=pathlib.Path, action="append", required=True)
    parser.add_argument("--each", type=int, default=10_000, help="only so many queries of a set")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        known = {}
        for path in arguments.sets:
            for name, root, query in list(queries(path))[: arguments.each]:
                tree = next((trees / name / root for trees in arguments.trees if (trees / name).exists()), None)
                if tree is None:
                    continue
                if tree not in known:
                    known[tree] = f"{folder}/{len(known)}"
                    subprocess.run([program, "index", "--index-dir", known[tree], "."], cwd=tree, capture_output=True)
                for hit in ask(program, tree, known[tree], query):
                    count["hits"] += 1
                    lines = (tree / hit["path"]).read_text(errors="replace").split("\n")
                    for kind, is_true in claims(query, hit, lines):
                        count[kind.split(" ")[0]] += 1
                        if not is_true:
                            count["false " + kind.split(" ")[0]] += 1
                            print(f"false {kind}: {name} {hit['path']}:{hit['line']} for {query!r}")
    print(dict(count))
    return int(any(kind.startswith("false") for kind in count))


if __name__ == "__main__":
    sys.exit(main())
