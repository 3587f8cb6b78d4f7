#!/usr/bin/env python3
"""Write fingerprints of a benchmark's texts, so that a test can prove that they do not occur in this repository.

    fingerprints.py FOLDER > tests/ranking/fingerprints.txt

FOLDER holds what `questions.py` asks: `repos.json` with a `name` for each repository, and any number of question files,
`*.jsonl` or `*.json`, in it and in its folders. Nothing but hashes is written: this repository must not hold the texts
itself. `tests/ranking/fingerprints.rs` reads them and says how it looks for each kind:

- `query`: a query of three or more words.
- `path`: a relevant path, and its ends of three or more components. Of shorter ends and paths only what nobody else is
  likely to have: a file name of several words, or a file in a folder called like the repository.
- `name`: a repository's name, whole and by its words, but for words that name a language or are everybody's.

Texts are lower case; queries and names are cut into words of letters, digits and (queries) underscores, joined by one
space. The hash is FNV-1a with 64 bits: it is a few lines in both languages, and it goes on from word to word, so the
test hashes every run of words of a text in one pass. Sorted, so that the output says nothing about the order.
"""

import json
import pathlib
import re
import sys

# Words of repositories' names that mean nothing by themselves.
ORDINARY = {"bash", "coroutines", "cpp", "csharp", "framework", "it", "json", "lazy"}

QUERY_WORD = re.compile(r"[a-z0-9_]+")
NAME_WORD = re.compile(r"[a-z0-9]+")


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: fingerprints.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    names = [repository["name"].lower() for repository in json.loads((folder / "repos.json").read_text())]
    rows = set()
    for file in sorted(folder.rglob("*.json*")):
        if file.name == "repos.json":
            continue
        # A question file is called after its tree, which `repos.json` need not list.
        names.append(file.stem.lower())
        for query, paths in questions(file):
            rows |= of_query(query)
            for path in paths:
                rows |= of_path(path, file.stem.lower())
    for name in names:
        rows |= of_name(name)
    print("# Made by eval/fingerprints.py, which says what these are. kind, words or components, hash")
    for kind, length, text in sorted((kind, length, fnv(text)) for kind, length, text in rows):
        print(f"{kind} {length} {text}")


def questions(file):
    """Each query of a question file with its relevant paths, whichever of the forms it has."""
    if file.suffix == ".jsonl":
        listed = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    else:
        listed = json.loads(file.read_text())
        listed = listed["queries"] if isinstance(listed, dict) else listed
    for question in listed:
        targets = question["relevant"] + question.get("secondary", [])
        yield question["query"], [target if isinstance(target, str) else target["path"] for target in targets]


def of_query(query):
    words = QUERY_WORD.findall(query.lower())
    return {("query", len(words), " ".join(words))} if len(words) >= 3 else set()


def of_path(path, name):
    parts = path.split("/")
    stem = parts[-1].rsplit(".", 1)[0]
    compound = len(re.findall(r"[A-Z]+[a-z]*|[a-z]+", stem)) > 1
    rows = set()
    for begin in range(len(parts)):
        end = parts[begin:]
        own_folder = len(end) == 2 and end[0].lower() == name
        short = compound if len(end) == 2 else compound and len(parts) == 1
        if len(end) >= 3 or own_folder or short:
            rows.add(("path", len(end), "/".join(end).lower()))
    return rows


def of_name(name):
    words = NAME_WORD.findall(name)
    whole = ("name", len(words), " ".join(words))
    return {whole} | {("name", 1, word) for word in words if word not in ORDINARY}


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


if __name__ == "__main__":
    main()
