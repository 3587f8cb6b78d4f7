#!/usr/bin/env python3
"""Makes a query set about templates, for `spyhop-eval run`.

    python3 eval/view_sets.py NAME=FOLDER... > SETS/view.jsonl
    spyhop-eval run SETS/view.jsonl --trees TREES

A query is up to two texts that the page of a template shows and no other template of the tree, in lower case; the answer is the
template. No answer of any search is looked at. The tree of NAME is searched as TREES/NAME.
"""

import argparse
import collections
import json
import pathlib
import random
import re

TEMPLATE = re.compile(r"\.(erb|haml|slim|hbs|ejs|vue|twig|j2|jinja2?|mustache|tmpl|tpl|blade\.php|phtml|cshtml)$"
                      r"|/(templates|views)/.*\.html?$")
ASIDE = re.compile(r"(^|/)(tests?|spec|fixtures?|node_modules|vendor)/")
SHOWN = re.compile(r">\s*([A-Z][A-Za-z' ]{8,70})\s*<")
OF_HAML = re.compile(r"(?m)^\s*(?:%[\w.#]+(?:\{[^}]*\})?\s+)?([A-Z][A-Za-z' ]{8,60})$")
QUOTED = re.compile(r"['\"]([A-Z][A-Za-z' ]{8,60})['\"]")


def texts(path, source):
    found = (OF_HAML if path.endswith(".haml") else SHOWN).findall(source) + QUOTED.findall(source)
    return [text.strip() for text in found if 2 <= len(text.split()) <= 7]


def templates(folder):
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        if TEMPLATE.search("/" + name) and not ASIDE.search(name):
            yield name, path.read_text(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--each", type=int, default=40)
    arguments = parser.parse_args()
    for tree in arguments.trees:
        name, folder = tree.split("=", 1)
        files = dict(templates(pathlib.Path(folder)))
        count = collections.Counter(text for path, source in files.items() for text in set(texts(path, source)))
        draw, rows = random.Random("1" + name), []
        for path, source in sorted(files.items()):
            own = sorted({text for text in texts(path, source) if count[text] == 1})
            words = " ".join(draw.sample(own, min(2, len(own)))).lower().replace("'", " ").split()
            if len(words) >= 3:
                rows.append((" ".join(words), path))
        draw.shuffle(rows)
        for number, (query, path) in enumerate(rows[: arguments.each]):
            print(json.dumps({"corpus": name, "id": f"{name}-view-{number}", "kind": "view", "query": query, "relevant": [path]}))


if __name__ == "__main__":
    main()
