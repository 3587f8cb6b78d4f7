"""Counts the real lines that are masked without need: lines that mention passwords, tokens and secrets.

    python3 eval/secret_lines.py --bin target/debug/spyhop TREE...

From the text files of the trees, such as `src docs ~/.cargo/registry/src`, 2,000 different lines that hold one of the words
are drawn by a seed. `spyhop grep` prints them with masks and without. Every masked line is printed, because some hold a real
secret of a test or an example: subtract those by hand. Exit code 1 when more than one line in a hundred is masked.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

WORDS = re.compile(rb"password|passwd|passphrase|secret|token|api_?key|credential|\bpwd\b|_pass\b", re.I)
MOST_BYTES = 400_000


def lines_of(tree):
    """The different lines of a tree with one of the words, sorted by path."""
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name not in (".git", "target", "node_modules"))
        for name in sorted(names):
            path = os.path.join(folder, name)
            if os.path.islink(path) or not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
                continue
            with open(path, "rb") as file:
                text = file.read()
            if b"\0" not in text:
                yield from (line.strip(b"\r\n") for line in text.split(b"\n") if WORDS.search(line))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="+")
    parser.add_argument("--bin", default="target/release/spyhop")
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    found = {line for tree in args.tree for line in lines_of(tree) if 6 <= len(line) <= 300}
    drawn = random.Random(args.seed).sample(sorted(found), min(args.count, len(found)))
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "lines.txt"), "wb") as file:
            # Lines that were drawn alone do not continue each other.
            file.write(b"".join(line + b"\n--\n" for line in drawn))
        shown = [
            subprocess.run([os.path.abspath(args.bin), "grep", *flags, "^", "lines.txt"], cwd=scratch,
                           stdout=subprocess.PIPE, check=True).stdout.split(b"\n")
            for flags in ([], ["--show-secrets"])
        ]
    masked = [(line, plain) for line, plain in zip(*shown) if line != plain]
    for line, plain in masked:
        print(plain.decode(errors="replace"), line.decode(errors="replace"), sep="\n    ")
    print(f"{len(masked)} of {len(drawn)} lines are masked, of {len(found)} that hold one of the words")
    sys.exit(int(len(masked) * 100 > len(drawn)))


if __name__ == "__main__":
    main()
