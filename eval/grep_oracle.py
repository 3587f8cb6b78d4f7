"""Compares `spyhop grep` with ripgrep 15 on real repositories: what both print for the same flags, byte by byte.

    python3 eval/grep_oracle.py --bin target/release/spyhop --rg rg TREE...

For each tree 300 patterns are sampled from its files by a seeded generator: identifiers, parts of them, phrases
with blanks and punctuation, regular expressions of five shapes, one-character and Unicode patterns; each with flags, the
forms of output and of matching in turn, among them -i and -w. One pattern in ten comes from a file that is not UTF-8,
has a byte order mark or ends its lines with CR LF, where there is one. How many there were of each kind is printed.
The tree is indexed first, and everything is asked under `--stale-policy ignore`, so that the index narrows. Exit code 1
when any answer differs.

`--changes` works on a copy, with its index made before anything changes, and asks under `refresh` after each of these:
edits, deletions, renames and new files; in a git tree, another branch checked out, an older state of the tree; edits on
that branch; and the first branch again. Patterns are sampled anew each time.

`--hostile N` needs no tree: it writes files that are hard to search (NUL bytes everywhere, UTF-16 with and without a mark,
bytes that are no text, lines of megabytes, odd line ends and names) and asks N questions about them, each with flags and
paths that a seeded generator draws. An answer equals ripgrep's, or differs for a reason that `EXCEPTIONS` names; each of
these reasons is a line of `docs/grep.md`, which is checked too.
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
        our_flags = ["--rg-json" if flag == "--json" else flag for flag in flags]
        command = [args.bin, "grep", *our_flags, "--root", ".", "--index-dir", index, "--stale-policy", policy,
                   "--show-secrets", "-e", pattern]
        other = [args.rg, "--no-config", "--sort", "path", *flags, "-e", pattern]
        mine, theirs = run(command, tree), run(other, tree)
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


def hostile_files(top, chance):
    """Writes the files, and gives their paths and those of their folders."""
    words = ["needle", "Needle", "naïve needle", "größe", "x", "needle(1)", "", "\t needle\t", "end"]
    def text(lines=40):
        return "\n".join(" ".join(chance.choice(words) for _ in range(chance.randint(0, 5))) for _ in range(lines))
    plain = lambda: text().encode()
    def cut(piece, many=1):
        whole = bytearray(plain())
        for _ in range(many):
            at = chance.randrange(len(whole) + 1)
            whole[at:at] = piece
        return bytes(whole)
    files = {
        "nul-early": b"needle\0needle\nneedle\n", "nul-first": b"\0needle\n", "nul-line": plain() + b"\nneedle \0 x\nneedle",
        "nul-late": b"needle\n" * 12_000 + b"\0needle\n", "nul-last": plain() + b"\0", "nuls": b"\0" * 3000,
        "nul-far": b"filler line\n" * 9_000 + b"needle\n\0\nneedle\n", "z-nul-after-64k": b"x" * 65_536 + b"\0\nneedle\n",
        "empty": b"", "blank": b"\n\n\n", "no-end": b"one\nneedle", "cr": b"needle\rneedle\r", "crlf": plain().replace(b"\n", b"\r\n"),
        "mixed": b"needle\r\nneedle\nneedle\r\r\nneedle\n", "latin": "größe needle\nnaïve\n".encode("latin-1") * 5,
        "utf16le": b"\xff\xfe" + text().encode("utf-16-le"), "utf16be": b"\xfe\xff" + text().encode("utf-16-be"),
        "utf16le-bare": text().encode("utf-16-le"), "utf16-odd": b"\xff\xfe" + text().encode("utf-16-le") + b"x",
        "utf16-lone": b"\xff\xfe\0\xd8n\0e\0e\0d\0l\0e\0\n\0", "utf32": text().encode("utf-32"), "mark": b"\xef\xbb\xbf" + plain(),
        "mark-inside": plain() + b"\n\xef\xbb\xbfneedle\n", "control": b"\x01\x02needle\x1b[31mx\x1b[0m\n", "shift-jis": "needle テスト\n".encode("shift-jis"),
        "z-long": b"needle " + b"a" * 300_000 + b" needle\nneedle\n", "z-longer": b"b" * 3_000_000 + b"needle" + b"c" * 100 + b"\nneedle\n",
        "many": b"needle needle needle " * 2_000 + b"\n", "many-lines": b"needle\n" * 5_000,
        "deep/er/a.txt": plain(), "deep/b.rs": plain(), "deep/.hidden.txt": plain(), "left-out/c.txt": plain(), "d.log": plain(),
        "-dash.txt": plain(), "a blank.txt": plain(), "a:colon:1:.txt": plain(), "größe.txt": plain(), "d\tab.txt": plain(),
    }
    for number in range(12):
        files[f"drawn-{number}"] = cut(chance.choice([b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\x80needle"]), chance.randint(1, 4))
    files[".gitignore"] = b"left-out/\n*.log\n"
    for path, data in files.items():
        whole = os.path.join(top, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as file:
            file.write(data)
    os.makedirs(os.path.join(top, ".git"))
    return sorted(files), ["deep", "left-out", "deep/er", "."]


# Flags that exclude each other are in one group, of which at most one is drawn.
DRAWN = [
    [["-n"], ["-N"]], [["-i"], ["-S"], ["-s"]], [["-w"], ["-x"]], [["-v"]], [["-o"], ["--passthru"], ["-r", "<$0>"], ["--trim"]],
    [["-A", "1"], ["-B", "2"], ["-C", "1"]], [["-a"], ["--binary"], ["-u"], ["-uu"], ["-uuu"]], [["-m", "1"], ["-m", "3"]],
    [["-c"], ["-l"], ["--count-matches"], ["--files-without-match"], ["--json"], ["--vimgrep"], ["-q"]],
    [["-M", "40"], ["-M", "100", "--max-columns-preview"]], [["--column"]], [["-b"]], [["-0"]], [["--heading"], ["--no-heading"]],
    [["-U"], ["-U", "--multiline-dotall"]], [["--crlf"], ["--null-data"]], [["--no-unicode"]], [["--stop-on-nonmatch"]],
    [["--include-zero", "-c"]], [["-E", "utf-16le"], ["-E", "latin1"], ["-E", "none"], ["-E", "shift-jis"]], [["-F"]],
    [["-g", "!deep"], ["-g", "*.txt"], ["-g", "!*.txt"], ["-g", "deep/**"], ["--iglob", "*.TXT"]], [["-t", "txt"], ["-T", "txt"]],
    [["-d", "1"], ["-d", "2"]], [["--max-filesize", "50"], ["--max-filesize", "1K"], ["--max-filesize", "1M"]],
    [["--mmap"], ["--no-mmap"]], [["-H"], ["-I"]], [["-."]], [["--one-file-system"]], [["--color", "always"]], [["-j", "1"]],
]
ASKED = [
    "needle", "Needle", "größe", "x", "", ".", "x*", "^$", "needle$", "^needle", r"\bneedle\b", r"needle\(1\)", "naïve needle", r"\w+",
    r"(?-u:\xff)", r"\x00", r"needle.*x", "end|x", r"\s+$", r"\r", "no such thing", r"[^a-z]+", "b", "n",
]

def overlap(paths):
    """Whether a file is reached by two of the paths."""
    inside = lambda a, b: b == "." or a == b or a.startswith(b + "/")
    return any(inside(a, b) for at, a in enumerate(paths) for other, b in enumerate(paths) if at != other)


# Why an answer may differ: a sentence of docs/grep.md, and whether it is about a case. Lines are compared as a set.
EXCEPTIONS = [
    ("A file that is reached by two paths of the command line is printed once",
     lambda flags, paths, ours, theirs: overlap(paths) and ours <= theirs),
    ("How much of a file is shown before a NUL byte depends in ripgrep on the lines of the files before",
     lambda flags, paths, ours, theirs: theirs <= ours and {"-E", "--null-data"} & set(flags)),
    ("the line between files stands also before the message about a binary file",
     lambda flags, paths, ours, theirs: ours - theirs <= {b"--"} and {"-A", "-B", "-C"} & set(flags)),
]


def hostile(args, top, scratch):
    """Asks random questions about hostile files; how many answers differ without a reason."""
    chance = random.Random(f"{args.seed} hostile")
    files, folders = hostile_files(top, chance)
    index = os.path.join(scratch, "index")
    run([args.bin, "index", "--root", ".", "--index-dir", index, "-q"], top).check_returncode()
    about = open(os.path.join(os.path.dirname(__file__), "../docs/grep.md"), encoding="utf-8").read()
    about = " ".join(about.split())
    unnamed = [sentence for sentence, _ in EXCEPTIONS if sentence not in about]
    if unnamed:
        sys.exit(f"docs/grep.md does not name: {unnamed}")
    wrong, excepted = 0, Counter()
    for number in range(args.hostile):
        groups = chance.sample(DRAWN, chance.randint(0, 4))
        flags = [flag for group in groups for flag in chance.choice(group)]
        pattern = chance.choice(ASKED)
        paths = chance.choice([[], [], [], [chance.choice(files)], [chance.choice(folders)], chance.sample(files, 2),
                               [chance.choice(folders), chance.choice(files)]])
        # A path such as `-dash.txt` follows `--`.
        tail = ["-e", pattern, "--", *paths]
        our_flags = ["--rg-json" if flag == "--json" else flag for flag in flags]
        policy = chance.choice(["ignore", "refresh"])
        command = [args.bin, "grep", *our_flags, "--root", ".", "--index-dir", index, "--stale-policy", policy, "--show-secrets", *tail]
        mine = run(command, top)
        theirs = run([args.rg, "--no-config", "--sort", "path", *flags, *tail], top)
        same = mine.stdout == theirs.stdout and mine.returncode == theirs.returncode
        if "--json" in flags and mine.returncode == theirs.returncode:
            try:
                same = events(mine.stdout) == events(theirs.stdout)
            except ValueError:
                pass
        if same:
            continue
        sets = [set(answer.stdout.splitlines()) for answer in (mine, theirs)]
        reasons = [sentence for sentence, is_of in EXCEPTIONS if is_of(flags, paths, *sets)]
        if reasons:
            excepted[reasons[0]] += 1
            continue
        wrong += 1
        if wrong <= args.show:
            mine_lines, their_lines = set(mine.stdout.splitlines()), set(theirs.stdout.splitlines())
            print(f"  differs: {flags} -e {pattern!r} -- {paths} ({policy}; {mine.returncode}, {theirs.returncode})")
            for whose, lines, err in [("ours", mine_lines - their_lines, mine.stderr), ("rg's", their_lines - mine_lines, theirs.stderr)]:
                print(f"    {whose} only: {[line[:120] for line in sorted(lines)[:3]]} {err[:160]}")
    named = "; ".join(f"{count} for '{sentence}'" for sentence, count in excepted.items())
    print(f"hostile files: {args.hostile} questions, {wrong} differ, {sum(excepted.values())} for a named reason: {named}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="*")
    parser.add_argument("--bin", default="target/release/spyhop")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--changes", action="store_true")
    parser.add_argument("--hostile", type=int, default=0, metavar="N", help="ask N questions about hostile files")
    parser.add_argument("--back", type=int, default=20, help="how many commits the other branch lies back")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    name = version(args.rg)
    if name is None or not name.startswith("ripgrep 15"):
        sys.exit(f"this compares with ripgrep 15, and {args.rg} is {name}")
    failed = 0
    if args.hostile:
        with tempfile.TemporaryDirectory() as scratch:
            top = os.path.join(scratch, "hostile")
            os.makedirs(top)
            failed += hostile(args, top, scratch)
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
