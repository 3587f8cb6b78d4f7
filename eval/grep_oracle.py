"""Compares `spyhop grep` with ripgrep 15 on real repositories: what both print for the same flags, byte by byte.

    python3 eval/grep_oracle.py --bin target/release/spyhop --rg rg TREE...

For each tree 300 patterns are sampled from its own files by a seeded generator: identifiers, parts of them, phrases
with blanks and punctuation, regular expressions of five shapes, one-character and Unicode patterns; each with flags, the
forms of output and of matching in turn, among them -i and -w. One pattern in ten comes from a file that is not UTF-8,
has a byte order mark or ends its lines with CR LF, where there is one. How many there were of each kind is printed.
The tree is indexed first, and everything is asked under `--stale-policy ignore`, so that the index narrows. Exit code 1
when any answer differs.

`--changes` works on a copy, with its index made before anything changes, and asks under `refresh` after each of these:
edits, deletions, renames and new files; in a git tree, another branch checked out, an older state of the tree; edits on
that branch; and the first branch again. Patterns are sampled anew each time.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

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
            text = open(path, "rb").read(1 << 20)
        except OSError:
            continue
        encoding = "utf-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
        text = text.decode(encoding, "replace")
        lines = [line for line in text.splitlines() if line.strip() and "\0" not in line and "\ufffd" not in line]
        if lines:
            yield chance.choice(lines)


def portrait(tree, files):
    """What the tree is like, in words, and the files of it that are odd, and those with letters beyond ASCII."""
    counts, odd, far = Counter(), [], []
    for path in files:
        try:
            text = open(os.path.join(tree, path), "rb").read()
        except OSError:
            continue
        marked = text[:2] in (b"\xff\xfe", b"\xfe\xff") or text[:3] == b"\xef\xbb\xbf"
        if b"\0" in text and not marked:
            counts["binary"] += 1
            continue
        counts["lines"] += text.count(b"\n")
        crlf = b"\r\n" in text
        try:
            far.extend([] if text.isascii() else [path])
            text.decode()
            foreign = False
        except UnicodeDecodeError:
            foreign = True
        counts["with CR LF"] += crlf
        counts["not UTF-8"] += foreign
        counts["with a mark"] += marked
        if crlf or foreign or marked:
            odd.append(path)
            # The rare are not drowned by the frequent.
            odd.extend([path] * (20 if foreign else 0))
    words = ", ".join(f"{counts[name]} {name}" for name in ("lines", "binary", "with CR LF", "not UTF-8", "with a mark"))
    return f"{len(files)} files: {words}", odd, far


def vocabulary(tree, files, chance):
    """The distinct words of two thousand files, sorted."""
    words = set()
    for path in chance.sample(files, min(len(files), 2000)):
        try:
            words.update(WORD.findall(open(os.path.join(tree, path), "rb").read(1 << 20).decode("utf-8", "replace")))
        except OSError:
            continue
    return sorted(words)


def sampler(lines, distant, chance, known=None):
    """A function for each kind of pattern; it gives a pattern and the flags that say how to read it. Words come from
    the lines, or evenly from those of `known`."""
    def word(least=3):
        if known:
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
        for _ in range(1000):
            line = next(lines).strip()
            start = chance.randrange(max(1, len(line) - 8))
            found = line[start:start + chance.randint(4, 40)].strip()
            if " " in found and re.search(r"[^\w\s]", found):
                return found, ["-F"]
        return "};", ["-F"]

    def one():
        return chance.choice(list("{};#@$~^|`%") + ["é", "Z", "9", "_"]), ["-F"]

    def unicode():
        for _ in range(300):
            letters = re.findall(r"[^\W\d_a-zA-Z][^\W_]*", next(distant)) if distant else []
            if letters:
                return chance.choice(letters)[:40], []
        return chance.choice(["größe", "é", "Ω", "日本", "naïve"]), []

    return {
        "identifier": identifier,
        "part": part,
        "phrase": phrase,
        "one character": one,
        "Unicode": unicode,
        "regex: whole word": lambda: (rf"\b{word()}\b", []),
        "regex: two words": lambda: (rf"{word()}.*{word()}", []),
        "regex: either called": lambda: (rf"({word()}|{word()})\s*\(", []),
        "regex: at the start": lambda: (rf"^\s*{word()}\s+\w+", []),
        "regex: inside": lambda: (rf"{word()[:4]}[a-z_]*{word()[-3:]}\W", []),
    }


# Of 25 patterns.
SHARES = {
    "identifier": 6, "part": 5, "phrase": 5, "one character": 2, "Unicode": 2, "regex: whole word": 1,
    "regex: two words": 1, "regex: either called": 1, "regex: at the start": 1, "regex: inside": 1,
}


def patterns(tree, files, chance, count, distinct=False):
    """`count` patterns, each with its kind and its flags; and what the tree is like. Words are as frequent as in the
    tree, or, if `distinct`, each as likely as any other."""
    about, odd, far = portrait(tree, files)
    distant = texts(far, tree, chance) if far else None
    known = vocabulary(tree, files, chance) if distinct else None
    plain = sampler(texts(files, tree, chance), distant, chance, known)
    strange = sampler(texts(odd, tree, chance), distant, chance) if odd else plain
    kinds = [kind for kind, share in SHARES.items() for _ in range(share)]
    found = []
    while len(found) < count:
        kind = kinds[len(found) % len(kinds)]
        pattern, flags = (strange if chance.randrange(10) == 0 else plain)[kind]()
        if "\n" in pattern or not pattern or len(pattern) > 200:
            continue
        found.append((kind, pattern, flags + FORMS[len(found) % len(FORMS)]))
    return found, about


def counted(asked):
    """How many there are of each kind, and with each way of matching."""
    kinds = Counter(kind for kind, _, _ in asked)
    ways = {"-i": {"-i", "-iw"}, "-w": {"-w", "-iw"}, "-S": {"-S"}, "-x": {"-x"}}
    rows = [f"{kind} {count}" for kind, count in kinds.items()]
    rows += [f"with {way} {sum(bool(any_of & set(flags)) for _, _, flags in asked)}" for way, any_of in ways.items()]
    return ", ".join(rows)


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
    for kind, pattern, flags in asked:
        own_flags = ["--rg-json" if flag == "--json" else flag for flag in flags]
        own = [args.bin, "grep", *own_flags, "--root", ".", "--index-dir", index, "--stale-policy", policy,
               "--show-secrets", "-e", pattern]
        other = [args.rg, "--no-config", "--sort", "path", *flags, "-e", pattern]
        mine, theirs = run(own, tree), run(other, tree)
        same = mine.stdout == theirs.stdout
        if "--json" in flags:
            same = events(mine.stdout) == events(theirs.stdout)
        if not same or mine.returncode != theirs.returncode:
            wrong += 1
            if wrong <= args.show:
                mine_lines, their_lines = set(mine.stdout.splitlines()), set(theirs.stdout.splitlines())
                print(f"  differs: {kind}: {flags} -e {pattern!r} ({mine.returncode}, {theirs.returncode})")
                print(f"    ours only: {list(mine_lines - their_lines)[:2]} {mine.stderr[:200]}")
                print(f"    rg's only: {list(their_lines - mine_lines)[:2]} {theirs.stderr[:200]}")
    return wrong


def listed(args, tree):
    out = run([args.rg, "--no-config", "--files", "--sort", "path"], tree).stdout
    return out.decode("utf-8", "surrogateescape").splitlines()


def git(tree, *words):
    done = run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *words], tree)
    if done.returncode:
        sys.exit(f"git {' '.join(words)}: {done.stderr.decode()}")
    return done.stdout.decode().strip()


def edit(tree, files, chance):
    """Edits, deletions, renames and new files; of some files nothing but a letter changes, and neither size nor time."""
    for path in chance.sample(files, min(120, len(files))):
        whole = os.path.join(tree, path)
        kind = chance.randrange(6)
        if kind == 0:
            with open(whole, "ab") as file:
                file.write(b"\nlet zz_appended = needle_of_change();\n")
        elif kind == 1:
            os.remove(whole)
        elif kind == 2:
            os.rename(whole, whole + ".moved.txt")
        elif kind == 3:
            with open(whole + ".new.txt", "w") as file:
                file.write("needle_of_change in a new file\n")
        elif kind == 4:
            before = os.stat(whole)
            text = open(whole, "rb").read()
            with open(whole, "r+b") as file:
                file.write(text.replace(b"e", b"q", 1))
            os.utime(whole, ns=(before.st_atime_ns, before.st_mtime_ns))
        else:
            os.makedirs(whole + ".d")
            os.rename(whole, os.path.join(whole + ".d", os.path.basename(path)))


def states(tree, chance, back):
    """Changes the tree from one state to the next, and gives the name of each."""
    files = lambda: [path for path in listed_by_git(tree) if os.path.isfile(os.path.join(tree, path))]
    if not os.path.isdir(os.path.join(tree, ".git")):
        edit(tree, [path for path in walked(tree)], chance)
        yield "edited"
        return
    first = git(tree, "rev-parse", "--abbrev-ref", "HEAD")
    edit(tree, files(), chance)
    yield "edited"
    git(tree, "stash", "-u", "-q")
    git(tree, "checkout", "-q", "-b", "spyhop-oracle", f"HEAD~{back}")
    yield f"a branch {back} commits back"
    edit(tree, files(), chance)
    git(tree, "add", "-A")
    git(tree, "commit", "-q", "--no-verify", "-m", "x")
    edit(tree, files(), chance)
    yield "that branch, edited"
    git(tree, "stash", "-u", "-q")
    git(tree, "checkout", "-q", first)
    yield "the first branch again"


def listed_by_git(tree):
    return [path for path in git(tree, "ls-files", "-z").split("\0") if path]


def walked(tree):
    for folder, folders, names in os.walk(tree):
        folders.sort()
        yield from (os.path.relpath(os.path.join(folder, name), tree) for name in sorted(names))


def ask(args, tree, index, chance, policy, state):
    """Samples patterns and compares; how many differ."""
    files = listed(args, tree)
    asked, about = patterns(tree, files, chance, args.count)
    if policy == "refresh":
        asked = asked + [("change", "needle_of_change", ["-n"]), ("change", "zz_appended", ["-c"])]
    wrong = compare(args, tree, index, asked, policy)
    name = os.path.basename(tree)
    print(f"{name}{state}: {len(asked)} patterns, {wrong} differ ({policy}); {about}; {counted(asked)}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--bin", default="target/release/spyhop")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--changes", action="store_true")
    parser.add_argument("--back", type=int, default=20, help="how many commits the other branch lies back")
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
            if args.changes:
                for state in states(tree, chance, args.back):
                    failed += ask(args, tree, index, chance, "refresh", f", {state}")
            else:
                failed += ask(args, tree, index, chance, "ignore", "")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
