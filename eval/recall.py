#!/usr/bin/env python3
"""Compare our symbols with a plain scan for the declarations that a tree certainly has.

    python3 eval/recall.py --eval target/release/spyhop-eval rust=tokio kotlin=kotlinx.coroutines cpp=abseil-cpp c=linux

What is scanned for, by language, one line at a time:

    rust      items with `pub`, in macros too
    kotlin    declarations that begin in the first column
    cpp       classes, structures and enumerations with a body, and namespaces
    c         SYSCALL_DEFINE and functions whose name begins in the first column of a line with `(`

A declaration is known if a symbol of ours has its name and its line. --verbose lists the others. Lines in comments are
left out if they begin with a sign of a comment; a scan cannot tell others, so each miss has to be read. The exit code is
1 when less than 99.5 % are known.
"""

import argparse
import json
import os
import re
import subprocess
import sys

LEAST = 99.5
BATCH = 200  # files of one call of the program
SKIPPED = re.compile(r"(^|/)(\.git|third[-_]?party|node_modules|build)/")
WORDS = r"(?:\w+(?:\([^)]*\))?\s+)*"
SCANS = {
    "rust": ((".rs",), [
        r'^\s*pub(?:\([^)]*\))?\s+(?:(?:default|const|async|unsafe|extern(?:\s+"[^"]*")?)\s+)*'
        r"(?:fn|struct|enum|trait|union|mod|type|static|const)\s+(?:mut\s+)?([A-Za-z]\w*)",
    ]),
    "kotlin": ((".kt",), [
        rf"^(?:@[\w.]+\s+)*{WORDS}(?:class|interface|object|typealias)\s+(\w+)",
        rf"^(?:@[\w.]+\s+)*{WORDS}fun\s+(?:<[^(]*>\s*)?(?:[\w.]+(?:<[^(]*>)?\??\.)?(\w+)\s*\(",
        rf"^(?:@[\w.]+\s+)*{WORDS}(?:val|var)\s+(?:<[^(]*>\s*)?(?:[\w.]+(?:<[^(]*>)?\??\.)?(\w+)\s*[:=]",
    ]),
    "cpp": ((".cc", ".cpp", ".h", ".hpp"), [
        r"^\s*(?:class|struct|enum\s+class|enum|union)\s+(?:[A-Z_]{4,}\s+|\[\[[^]]*\]\]\s*)*(\w+)\s*(?:final\s*)?(?::[^:;{}]+)?\{",
        r"^\s*(?:inline\s+)?namespace\s+(\w+)\s*\{",
    ]),
    "c": ((".c",), [r"^SYSCALL_DEFINE\d\((\w+)", r"^(?:\w+[ *]+)+\*?(\w+)\([^;]*\)\s*\{?$"]),
}  # fmt: skip
NO_NAMES = {"if", "while", "for", "switch", "return", "defined", "sizeof", "final"}
COMMENT = re.compile(r"^\s*(//|/\*|\*)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", required=True, help="the program spyhop-eval")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("trees", nargs="+", metavar="LANG=TREE")
    args = parser.parse_args()
    print("| language | tree | files | declarations | known | recall % |\n|---|---|--:|--:|--:|--:|")
    below = [row(args, *pair.partition("=")[::2]) for pair in args.trees]
    sys.exit(1 if any(below) else 0)


def row(args, language, tree):
    if language not in SCANS or not os.path.isdir(tree):
        sys.exit(f"{language}={tree}: no tree, or no language of {', '.join(SCANS)}")
    extensions, patterns = SCANS[language]
    patterns = [re.compile(pattern) for pattern in patterns]
    found = {path: scanned(path, patterns) for path in paths(tree, extensions)}
    found = {path: names for path, names in found.items() if names}
    known, total, misses = 0, 0, []
    files = sorted(found)
    for at in range(0, len(files), BATCH):
        symbols = outlines(args.eval, files[at : at + BATCH])
        for path in files[at : at + BATCH]:
            for name, line, text in found[path]:
                total += 1
                if any(first - 12 <= line <= last for first, last in symbols.get((path, name), [])):
                    known += 1
                else:
                    misses.append(f"    MISS {os.path.relpath(path, tree)}:{line} {name}: {text.strip()[:100]}")
    recall = 100.0 * known / total if total else 0.0
    print(f"| {language} | {os.path.basename(os.path.abspath(tree))} | {len(files)} | {total} | {known} | {recall:.2f} |", flush=True)
    if args.verbose:
        print("\n".join(misses))
    return recall < LEAST


def paths(tree, extensions):
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, tree).replace(os.sep, "/")
            if name.endswith(extensions) and not SKIPPED.search(inside) and not os.path.islink(path):
                yield path


def scanned(path, patterns):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = re.sub(r"/\*.*?\*/", lambda match: re.sub(r"[^\n]", " ", match[0]), file.read(), flags=re.DOTALL)
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if COMMENT.match(line):
            continue
        match = next(filter(None, (pattern.match(line) for pattern in patterns)), None)
        if match and match[1] not in NO_NAMES:
            rows.append((match[1], number, line))
    return rows


def outlines(program, files):
    done = subprocess.run([program, "outline", "--json", *files], stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{program} outline failed on one of {files[0]} and {len(files) - 1} more")
    symbols = {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        row = json.loads(line)
        symbols.setdefault((row["path"], row["name"]), []).append((row["line"], row["end_line"]))
    return symbols


if __name__ == "__main__":
    main()
