#!/usr/bin/env python3
"""Makes query sets whose answers are places, from the source of any trees, for `spyhop-eval run`.

    python3 eval/place_sets.py target/release/spyhop TREES OUT [--each 20] [--only NAME,...]

TREES holds trees, each in a folder of its name. Of every tree up to --each queries of each kind are drawn (--seed), with
no look at any answer, and written to OUT/KIND.jsonl:

| kind | the query | the place |
|---|---|---|
| line | a line of four words or more that stands once in the tree | that line |
| message | a string literal of four words or more that stands once, as it is | the line |
| prefixed | the same behind the time, level and module of a log | the line |
| filled | a message with placeholders and four other words, with values in their place | the line |
| qualified | `Type.method`, which one definition has, in the notation of the language | the definition |
| slip | the same with two letters of the method swapped | the definition |
| type | the name of a type that one definition has | the line that begins the type |
| module | an item that nothing holds behind its package or file, `a.b.Type` or `file::name` | the line that begins the item |
| squashed, prefix, typo, style | a function's name of two words or more, which one definition has: in lower case without separators, its first 70 %, with two letters swapped, in the other naming style | the definition |
| frame | the frame of a stack trace, on another machine's path | the function that holds the line |

With --docs the set `doc` is made as well: the first sentence of the comment above a function is the query, and the
tree that is searched, OUT/undocumented/NAME, has all comments of whole lines taken out.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import subprocess

SEPARATOR = {"rust": "::", "cpp": "::", "php": "::", "ruby": "#", "java": "#"}
LANGUAGES = {
    "rs": "rust", "py": "python", "go": "go", "java": "java", "js": "javascript", "ts": "typescript", "tsx": "tsx",
    "cs": "csharp", "php": "php", "rb": "ruby", "cc": "cpp", "cpp": "cpp", "h": "cpp", "hpp": "cpp", "c": "c", "kt": "kotlin",
    "swift": "swift", "scala": "scala", "lua": "lua", "ex": "elixir", "hs": "haskell", "zig": "zig", "sh": "bash",
}
TYPES = ("class", "struct", "interface", "trait", "enum", "type")
FRAMES = {
    "python": '  File "/srv/app/lib/python3.11/site-packages/{path}", line {line}, in {name}\n    run()',
    "rust": "   4: app::{name}\n             at /home/ci/build/{path}:{line}:9",
    "go": "main.{name}(0xc000010000)\n\t/go/src/example.com/app/{path}:{line} +0x1d4",
    "java": "\tat com.example.app.{name}({file}:{line})",
    "typescript": "    at {name} (/usr/app/node_modules/lib/{path}:{line}:17)",
    "javascript": "    at {name} (/usr/app/node_modules/lib/{path}:{line}:17)",
}
COMMENT = re.compile(r"^\s*(//|#|/?\*|--|;|\"\"\"|''')")
STRING = re.compile(r'"((?:[^"\\\n]|\\.){12,160})"|\'((?:[^\'\\\n]|\\.){12,160})\'')
HOLE = re.compile(r"%[sdvqrxf]|%\(\w+\)[sd]|\{[\w.:!#?]*\}|\$\{?\w+\}?|#\{[\w.]+\}")
VALUES = ["42", "main", "/var/lib/data.db", "timeout", "user-7", "0x1f"]
TESTS = re.compile(r"(^|/)(tests?|testing|spec|__tests__|testdata|fixtures|examples?|bench\w*|docs?)(/|$)|[_.-](test|spec)\.|(^|/)test_")


class Tree:
    """The source files of a tree that are no tests, with their lines and definitions."""

    def __init__(self, program, folder, index):
        self.name, self.files, self.symbols = folder.name, {}, []
        listing = subprocess.run([program, "files", "--max-results", "1000", "--json", "--index-dir", index],
                                 cwd=folder, capture_output=True, text=True)
        paths = [row["path"] for row in json.loads(listing.stdout)["results"]] if listing.returncode == 0 else []
        for path in paths:
            extension = path.rsplit(".", 1)[-1]
            if extension in LANGUAGES and not TESTS.search(path) and (folder / path).stat().st_size < 300_000:
                self.files[path] = (folder / path).read_text(errors="replace").split("\n")
        for path in self.files:
            told = subprocess.run([program, "map", path, "--json", "--max-items", "5000", "--stale-policy", "ignore", "--index-dir", index],
                                  cwd=folder, capture_output=True, text=True)
            entries = json.loads(told.stdout)["entries"] if told.returncode == 0 else []
            for symbol in entries[0]["symbols"] if entries else []:
                self.symbols.append((path, symbol["name"], symbol["kind"], symbol["line"], symbol["end_line"]))

    def language(self, path):
        return LANGUAGES[path.rsplit(".", 1)[-1]]


def words(text):
    return re.findall(r"[A-Za-z_]\w+", text)


def lines(tree):
    count = collections.Counter(line.strip() for text in tree.files.values() for line in text)
    for path, text in tree.files.items():
        for number, line in enumerate(text, 1):
            line = line.strip()
            if len(words(line)) >= 4 and 20 <= len(line) <= 200 and count[line] == 1 and not COMMENT.match(line):
                yield line, path, number, number


def messages(tree):
    found = collections.defaultdict(list)
    for path, text in tree.files.items():
        for number, line in enumerate(text, 1):
            if COMMENT.match(line):
                continue
            for match in STRING.finditer(line):
                message = match.group(1) or match.group(2)
                if len(re.findall(r"[A-Za-z]{2,}", message)) >= 4 and " " in message and "\\" not in message:
                    found[message].append((path, number))
    for message, places in found.items():
        if len(places) == 1:
            yield message, *places[0]


def definitions(tree, kinds):
    """Definitions whose last name part only one definition has."""
    count = collections.Counter(name.rsplit(".", 1)[-1] for _, name, _, _, _ in tree.symbols)
    for path, name, kind, first, last in tree.symbols:
        if kind in kinds and count[name.rsplit(".", 1)[-1]] == 1:
            yield path, name, first, last


def in_module(tree, path, name):
    """The name of an item that nothing holds, behind its module in the notation of its language; None where that has none."""
    folders, _, file = path.rpartition("/")
    folders, stem = [part for part in folders.split("/") if re.fullmatch(r"\w+", part)], file.split(".")[0]
    language = tree.language(path)
    if language in ("java", "kotlin", "scala"):
        at = max((at for at, part in enumerate(folders) if part in ("java", "kotlin", "scala")), default=None)
        return None if at is None else ".".join([*folders[at + 1:], name])
    if language in ("python", "rust") and stem not in ("__init__", "mod", "lib", "main"):
        return SEPARATOR.get(language, ".").join([*folders[-1:], stem, name])
    if language == "go" and folders:
        return f"{folders[-1]}.{name}"
    if language == "php" and folders:
        return "\\".join([*(part.capitalize() for part in folders[-2:]), name])
    return None


def parts(name):
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def other_style(name):
    split = parts(name)
    return split[0] + "".join(part.capitalize() for part in split[1:]) if "_" in name else "_".join(split)


def swapped(draw, name):
    at = draw.randrange(1, len(name) - 2)
    return name[:at] + name[at + 1] + name[at] + name[at + 2:]


def queries(tree, each, seed):
    """(kind, query, path, first line, last line)"""
    def drawn(kind, items):
        draw, items = random.Random(f"{seed} {tree.name} {kind}"), list(items)
        draw.shuffle(items)
        return draw, items[:each]

    for line, path, first, last in drawn("line", lines(tree))[1]:
        yield "line", line, path, first, last
    every = list(messages(tree))
    for message, path, number in drawn("message", [m for m in every if not HOLE.search(m[0])])[1]:
        yield "message", message, path, number, number
        module = path.rsplit("/", 1)[-1].split(".")[0]
        yield "prefixed", f"2026-03-14 09:26:53,589 ERROR [{module}] pid=4711 {message}", path, number, number
    has_words = lambda message: len(re.findall(r"[A-Za-z]{2,}", HOLE.sub(" ", message))) >= 4
    draw, holed = drawn("filled", [m for m in every if HOLE.search(m[0]) and has_words(m[0])])
    for message, path, number in holed:
        yield "filled", HOLE.sub(lambda _: draw.choice(VALUES), message), path, number, number
    qualified = collections.Counter(name for _, name, _, _, _ in tree.symbols)
    methods = [s for s in tree.symbols if s[2] == "method" and "." in s[1] and qualified[s[1]] == 1]
    for path, name, _, first, last in drawn("qualified", methods)[1]:
        yield "qualified", name.replace(".", SEPARATOR.get(tree.language(path), ".")), path, first, last
    draw, chosen = drawn("slip", [method for method in methods if len(method[1].rsplit(".", 1)[1]) >= 6])
    for path, name, _, first, last in chosen:
        holder, name = name.rsplit(".", 1)
        yield "slip", holder + SEPARATOR.get(tree.language(path), ".") + swapped(draw, name), path, first, last
    types = [s for s in tree.symbols if s[2] in TYPES]
    of_name = collections.Counter(name.rsplit(".", 1)[-1] for _, name, _, _, _ in types)
    single = [s for s in types if of_name[s[1].rsplit(".", 1)[-1]] == 1]
    for path, name, _, first, _ in drawn("type", single)[1]:
        yield "type", name.rsplit(".", 1)[-1], path, first, first
    items = [(in_module(tree, path, name), path, first) for path, name, kind, first, _ in tree.symbols
             if "." not in name and kind in (*TYPES, "fn")]
    once = collections.Counter(text for text, _, _ in items)
    for text, path, first in drawn("module", [item for item in items if item[0] and once[item[0]] == 1])[1]:
        yield "module", text, path, first, first
    named = [s for s in definitions(tree, ("fn", "method")) if len(parts(s[1].rsplit(".", 1)[-1])) >= 2 and len(s[1].rsplit(".", 1)[-1]) >= 8]
    draw, chosen = drawn("names", named)
    for path, name, first, last in chosen:
        name = name.rsplit(".", 1)[-1].strip("_")
        yield "squashed", "".join(parts(name)), path, first, last
        yield "prefix", name[: max(5, len(name) * 7 // 10)], path, first, last
        yield "typo", swapped(draw, name), path, first, last
        yield "style", other_style(name), path, first, last
    functions = [s for s in tree.symbols if s[2] in ("fn", "method") and s[4] - s[3] >= 4 and tree.language(s[0]) in FRAMES]
    draw, chosen = drawn("frame", functions)
    for path, name, _, first, last in chosen:
        form = FRAMES[tree.language(path)]
        line = draw.randrange(first + 1, last + 1)
        yield "frame", form.format(path=path, file=path.rsplit("/", 1)[-1], line=line, name=name.rsplit(".", 1)[-1]), path, first, last


def sentence(text, first):
    """The first sentence of the comment of whole lines that ends above line `first`."""
    found, at = [], first - 2
    while at >= 0 and re.match(r"^\s*(///?|#(?!\[)|\*|/\*\*?)", text[at]):
        found.append(re.sub(r"^\s*(///?!?|#+|\*/?|/\*+)\s?", "", text[at]).strip())
        at -= 1
    joined = " ".join(reversed(found)).strip()
    match = re.match(r"([A-Z][^.@{}\\]{25,160}?)\.(\s|$)", joined)
    return match.group(1) if match and len(words(match.group(1))) >= 5 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("trees", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--docs", action="store_true")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    sets = collections.defaultdict(list)
    for folder in sorted(path for path in arguments.trees.iterdir() if path.is_dir()):
        if arguments.only and folder.name not in arguments.only.split(","):
            continue
        tree = Tree(program, folder, str(arguments.out.resolve() / "index" / folder.name))
        for number, (kind, query, path, first, last) in enumerate(queries(tree, arguments.each, arguments.seed)):
            place = {"path": path, "lines": [first, last]}
            sets[kind].append({"corpus": tree.name, "id": f"{tree.name}-{kind}-{number}", "kind": kind, "query": query,
                               "relevant": [path], "places": [place]})
        if arguments.docs:
            functions = [s for s in tree.symbols if s[2] in ("fn", "method") and s[4] - s[3] >= 3]
            rows = [(sentence(tree.files[s[0]], s[3]), s) for s in functions]
            rows = [(text, s) for text, s in rows if text]
            random.Random(f"{arguments.seed} {tree.name} doc").shuffle(rows)
            for number, (text, (path, _, _, first, last)) in enumerate(rows[: arguments.each]):
                place = {"path": path, "lines": [first, last]}
                sets["doc"].append({"corpus": tree.name, "id": f"{tree.name}-doc-{number}", "kind": "doc", "query": text,
                                    "relevant": [path], "places": [place]})
            bare = arguments.out / "undocumented" / tree.name
            for path, text in tree.files.items():
                (bare / path).parent.mkdir(parents=True, exist_ok=True)
                # Lines stay where they were.
                (bare / path).write_text("\n".join("" if re.match(r"^\s*(//|#(?!\[|include|define|if|endif|else)|\*|/\*)", line) else line for line in text))
    for kind, rows in sorted(sets.items()):
        (arguments.out / f"{kind}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        print(f"{kind}: {len(rows)} queries about {len({row['corpus'] for row in rows})} trees")


if __name__ == "__main__":
    main()
