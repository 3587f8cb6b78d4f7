"""Compares `spyhop grep` with ripgrep 15 on real repositories: what both print for the same flags, byte by byte.

    python3 eval/grep_oracle.py --bin target/release/spyhop --rg rg TREE...

For each tree 300 patterns are sampled from its own files by a seeded generator: identifiers, parts of them, phrases
with blanks and punctuation, regular expressions of five shapes, one-character and Unicode patterns; each with flags.
The tree is indexed first, and everything is asked under `--stale-policy ignore`, so that the index narrows. Exit code 1
when any answer differs. `--changes` edits, deletes, renames and, in a git tree, switches branches in a copy of each tree
first, and asks under `refresh`.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9]{2,}")
FORMS = [
    [], ["-n"], ["-i", "-n"], ["-w", "-n"], ["-S", "-n"], ["-c"], ["-l"], ["-o", "-n"], ["-x", "-n"], ["-m", "2", "-n"],
    ["-C", "1", "-n"], ["-A", "2"], ["-B", "1", "-n"], ["--column", "-n"], ["--count-matches"], ["--json"], ["-iw", "-n"],
]


def run(command, cwd):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def version(rg):
    try:
        out = subprocess.run([rg, "--version"], stdout=subprocess.PIPE).stdout.decode()
    except OSError:
        return None
    return out.split("\n")[0]


def texts(files, tree, chance):
    """Endless lines of random files."""
    while True:
        path = os.path.join(tree, chance.choice(files))
        try:
            text = open(path, "rb").read(1 << 20).decode("utf-8", "replace")
        except OSError:
            continue
        lines = [line for line in text.splitlines() if line.strip() and "\0" not in line]
        if lines:
            yield chance.choice(lines)


def vocabulary(tree, files, chance):
    """The distinct words of two thousand files, sorted."""
    words = set()
    for path in chance.sample(files, min(len(files), 2000)):
        try:
            words.update(WORD.findall(open(os.path.join(tree, path), "rb").read(1 << 20).decode("utf-8", "replace")))
        except OSError:
            continue
    return sorted(words)


def patterns(tree, files, chance, count, distinct=False):
    """`count` patterns with flags that say how to read them. Words are as frequent as in the tree, or, if `distinct`,
    each as likely as any other."""
    lines = texts(files, tree, chance)
    known = vocabulary(tree, files, chance) if distinct else []
    found = []

    def word(least=3):
        if distinct:
            while len(drawn := chance.choice(known)) < least:
                pass
            return drawn
        while True:
            words = [word for word in WORD.findall(next(lines)) if len(word) >= least]
            if words:
                return chance.choice(words)

    def identifier():
        return word(), []

    def part():
        text = word(6)
        start = chance.randrange(len(text) - 3)
        return text[start:start + chance.randint(3, len(text) - start)], []

    def phrase():
        line = next(lines).strip()
        start = chance.randrange(max(1, len(line) - 8))
        return line[start:start + chance.randint(4, 40)].strip() or "x", ["-F"]

    def regex():
        shape = chance.randrange(5)
        if shape == 0:
            return rf"\b{word()}\b", []
        if shape == 1:
            return rf"{word()}.*{word()}", []
        if shape == 2:
            return rf"({word()}|{word()})\s*\(", []
        if shape == 3:
            return rf"^\s*{word()}\s+\w+", []
        return rf"{word()[:4]}[a-z_]*{word()[-3:]}\W", []

    def one():
        return chance.choice(list("{};#@$~^|`%") + ["é", "Z", "9", "=="]), ["-F"]

    def unicode():
        for _ in range(300):
            letters = re.findall(r"[^\W\d_a-zA-Z][^\W_]*", next(lines))
            if letters:
                return chance.choice(letters), []
        return chance.choice(["größe", "é", "Ω", "日本", "naïve"]), []

    kinds = [identifier] * 6 + [part] * 5 + [phrase] * 5 + [regex] * 6 + [one] * 1 + [unicode] * 2
    while len(found) < count:
        pattern, flags = kinds[len(found) % len(kinds)]()
        if "\n" in pattern or not pattern or len(pattern) > 200:
            continue
        found.append((pattern, flags + chance.choice(FORMS)))
    return found


def timeless(out):
    """The output without what ripgrep's events say of time."""
    out = re.sub(rb'"(elapsed|elapsed_total)":\{[^}]*\}', b"", out)
    return sorted(out.split(b"\n")) if b'"type":"begin"' in out[:200] or b'"type":"summary"' in out[:300] else out


def events(out):
    """ripgrep's events in one spelling: keys in one order, times left out."""
    import json
    rows = []
    for line in out.splitlines():
        row = json.loads(line)
        row["data"].pop("elapsed_total", None)
        stats = row["data"].get("stats")
        for key in ("elapsed", "searches", "bytes_searched") if stats and row["type"] == "summary" else ("elapsed",):
            if stats:
                stats.pop(key, None)
        rows.append(json.dumps(row, sort_keys=True))
    return rows


def compare(args, tree, index, asked, policy):
    wrong = 0
    for pattern, flags in asked:
        own_flags = ["--rg-json" if flag == "--json" else flag for flag in flags]
        own = [args.bin, "grep", *own_flags, "--root", ".", "--index-dir", index, "--stale-policy", policy, "-q",
               "-e", pattern]
        other = [args.rg, "--no-config", "--no-require-git", "--sort", "path", *flags, "-e", pattern]
        mine, theirs = run(own, tree), run(other, tree)
        same = mine.stdout == theirs.stdout
        if "--json" in flags:
            same = events(mine.stdout) == events(theirs.stdout)
        if not same or mine.returncode != theirs.returncode:
            wrong += 1
            if wrong <= args.show:
                mine_lines, their_lines = set(mine.stdout.splitlines()), set(theirs.stdout.splitlines())
                print(f"  differs: {flags} -e {pattern!r} ({mine.returncode}, {theirs.returncode})")
                print(f"    ours only: {list(mine_lines - their_lines)[:2]} {mine.stderr[:200]}")
                print(f"    rg's only: {list(their_lines - mine_lines)[:2]} {theirs.stderr[:200]}")
    return wrong


def listed(args, tree):
    out = run([args.rg, "--no-config", "--no-require-git", "--files", "--sort", "path"], tree).stdout
    return out.decode("utf-8", "surrogateescape").splitlines()


def change(tree, files, chance):
    """Edits, deletions, renames, new files, a branch switch where there is git."""
    for path in chance.sample(files, min(60, len(files))):
        whole = os.path.join(tree, path)
        kind = chance.randrange(4)
        if kind == 0:
            with open(whole, "ab") as file:
                file.write(b"\nlet zz_appended = needle_of_change();\n")
        elif kind == 1:
            os.remove(whole)
        elif kind == 2:
            os.rename(whole, whole + ".moved.txt")
        else:
            with open(whole + ".new.txt", "w") as file:
                file.write("needle_of_change in a new file\n")
    if os.path.isdir(os.path.join(tree, ".git")):
        run(["git", "stash", "-u", "-q"], tree)
        run(["git", "checkout", "-q", "HEAD~20"], tree)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--bin", default="target/release/spyhop")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--changes", action="store_true")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    name = version(args.rg)
    if name is None or not name.startswith("ripgrep 15"):
        sys.exit(f"this compares with ripgrep 15, and {args.rg} is {name}")
    failed = 0
    for tree in args.trees:
        tree = os.path.abspath(tree)
        chance = random.Random(f"{args.seed} {os.path.basename(tree)}")
        with tempfile.TemporaryDirectory() as scratch:
            index = os.path.join(scratch, "index")
            if args.changes:
                copy = os.path.join(scratch, os.path.basename(tree))
                shutil.copytree(tree, copy, symlinks=True)
                tree = copy
            run([args.bin, "index", "--root", ".", "--index-dir", index, "-q"], tree).check_returncode()
            files = listed(args, tree)
            asked = patterns(tree, files, chance, args.count)
            policy = "ignore"
            if args.changes:
                change(tree, files, chance)
                asked = asked + [("needle_of_change", ["-n"]), ("zz_appended", ["-c"])]
                policy = "refresh"
            wrong = compare(args, tree, index, asked, policy)
            failed += wrong
            print(f"{os.path.basename(tree)}: {len(asked)} patterns in {len(files)} files, {wrong} differ ({policy})")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
