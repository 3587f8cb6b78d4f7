#!/usr/bin/env python3
"""Whether the answer to a question fits one screen, in a real pseudo-terminal.

    python3 eval/screens.py target/release/spyhop FOLDER [--questions 55] [--seed 1] [--show]

FOLDER has a subfolder for each tree, with the name of its set of questions: `FOLDER/beets` for `eval/sets/beets.toml`, fetched
by `spyhop-eval fetch` or another snapshot of the same project; the answers need not be right. The questions are drawn by
`--seed`, from each tree as many as from any other. Each is asked in the default mode, on screens of 24 rows by 80 columns
and of 50 by 200. An answer is what standard output and standard error write to the terminal. It must leave a row for the
prompt, no line but a warning may be wider than the screen, and it must have no second gap behind a gap. The exit code is 1 if an answer
fails.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import random
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import tomllib
import unicodedata

SCREENS = [(24, 80), (50, 200)]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\].*?(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]")


def columns(line):
    """The columns that a line takes; a tab ends at the next multiple of eight."""
    at = 0
    for letter in line:
        if letter == "\t":
            at += 8 - at % 8
        elif not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf":
            at += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
    return at


def in_terminal(command, folder, rows, width, environment):
    """What a command writes to a terminal of this size, as text without escape sequences."""
    own, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", rows, width, 0, 0))
    process = subprocess.Popen(command, cwd=folder, stdin=other, stdout=other, stderr=other, env=environment,
                               start_new_session=True)
    # The terminal stays open until everything is read: Linux may drop what is written right before the last close.
    written = bytearray()
    while True:
        has_ended = process.poll() is not None
        if select.select([own], [], [], 0.1)[0]:
            written += os.read(own, 1 << 16)
        elif has_ended:
            break
    os.close(other)
    os.close(own)
    return ESCAPE.sub("", written.decode("utf-8", "replace")).replace("\r\n", "\n")


def faults(text, rows, width):
    lines = text.rstrip("\n").split("\n")
    found = []
    taken = sum(max(1, -(-columns(line) // width)) for line in lines)
    if taken > rows - 1:
        found.append(f"{taken} rows, a screen has {rows} with the prompt")
    wide = [line for line in lines if columns(line) > width and not line.startswith("spyhop: warning: ")]
    if wide:
        found.append(f"{len(wide)} lines wider than {width}, such as {wide[0][:60]!r}")
    if any(one.strip() == other.strip() == "┆" for one, other in zip(lines, lines[1:])):
        found.append("two gaps in a row")
    return found


def drawn(folder, sets, count, seed):
    """As many questions of each tree as of any other, in the order of the trees: (tree, question)."""
    trees = sorted(tree.name for tree in folder.iterdir() if (sets / f"{tree.name}.toml").exists())
    if not trees:
        sys.exit(f"{folder} has no subfolder with the name of a set in {sets}")
    dice = random.Random(seed)
    pools = {}
    for tree in trees:
        queries = tomllib.loads((sets / f"{tree}.toml").read_text())["queries"]
        pools[tree] = dice.sample([query["query"] for query in queries], len(queries))
    chosen = []
    while len(chosen) < count and any(pools.values()):
        for tree in trees:
            if pools[tree] and len(chosen) < count:
                chosen.append((tree, pools[tree].pop()))
    return sorted(chosen)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--questions", type=int, default=55)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print the answers that fail")
    args = parser.parse_args()
    program = str(pathlib.Path(args.program).resolve())
    sets = pathlib.Path(__file__).parent / "sets"
    chosen = drawn(args.folder, sets, args.questions, args.seed)
    failed = 0
    most = {screen: 0 for screen in SCREENS}
    with tempfile.TemporaryDirectory() as index:
        environment = {"PATH": os.environ["PATH"], "HOME": index, "TERM": "xterm-256color", "LANG": "C.UTF-8",
                       "SPYHOP_INDEX_DIR": f"{index}/index"}
        for tree in sorted({tree for tree, _ in chosen}):
            subprocess.run([program, "index", "-q", "--wait"], cwd=args.folder / tree, env=environment, check=True,
                           stdout=subprocess.DEVNULL)
        for tree, question in chosen:
            for rows, width in SCREENS:
                command = [program, "--no-pager", "--", question]
                text = in_terminal(command, args.folder / tree, rows, width, environment)
                most[rows, width] = max(most[rows, width], len(text.rstrip("\n").split("\n")))
                found = faults(text, rows, width)
                if found:
                    failed += 1
                    print(f"FAILED  {tree}, {rows}x{width}: {question}: {'; '.join(found)}")
                    if args.show:
                        print("".join(f"    | {line}\n" for line in text.split("\n")), end="")
    trees = len({tree for tree, _ in chosen})
    lines = ", ".join(f"{most[screen]} lines of {screen[0]}x{screen[1]}" for screen in SCREENS)
    print(f"{len(chosen)} questions on {trees} trees, {len(SCREENS)} screens: {failed} failed; the longest takes {lines}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
