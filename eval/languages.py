"""How fast each language is parsed, analysed and indexed, as a table.

    cargo build --release -p spyhop-eval --example lanes && cargo build --release
    python3 eval/languages.py --bin target/release TREE...

The files of each language in the given trees, smallest hash of their path first until --megabytes are reached, are
copied into a folder of their own, and `eval/lanes.rs` times three lanes on it, with one thread: reading and parsing,
reading and analysing, a complete index. Rates are megabytes of source a second, medians of --runs. Files that the
index would not rank by content (above 1 MiB, generated, minified) are copied but count for nothing. A language with
less than --least megabytes is left out: its time is mostly the start of a process. Only the standard library is used.
"""
import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

LANES = ["parse", "analyze", "index"]


def languages(program):
    """Extension to language, as the program has them; a header counts as C."""
    rows = json.loads(subprocess.run([program, "languages", "--json"], capture_output=True, check=True).stdout)
    return {extension: row["name"] for row in rows["languages"] for extension in row["extensions"]}


def sources(trees, by_extension):
    """The files of each language, in an order that depends on their names alone."""
    found = {}
    for tree in trees:
        for folder, folders, names in os.walk(tree):
            folders[:] = [name for name in folders if name not in (".git", "node_modules")]
            for name in names:
                path = Path(folder, name)
                language = by_extension.get(path.suffix[1:].lower())
                if language and path.is_file() and not path.is_symlink():
                    digest = hashlib.sha256(str(path.relative_to(tree)).encode(errors="replace")).hexdigest()
                    found.setdefault(language, []).append((digest, path))
    return {language: [path for _, path in sorted(files)] for language, files in sorted(found.items())}


def copy(files, target, most):
    """Copies files up to `most` bytes; how many bytes they were."""
    total = 0
    for number, path in enumerate(files):
        size = path.stat().st_size
        if size > 1 << 20 or total + size > most:
            continue
        total += size
        folder = target / str(number // 200)
        folder.mkdir(exist_ok=True)
        shutil.copyfile(path, folder / f"{number}{path.suffix}")
    return total


def rates(program, tree, runs):
    """MB/s of each lane, in their order, and what the tree holds."""
    command = [program, str(tree), "--threads", "1", "--runs", str(runs)]
    for lane in LANES:
        command += ["--only", lane]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [line.split("|") for line in out.splitlines() if line.startswith("| ")][1:]
    held = re.match(r"(\d+) files of text, ([\d.]+) MB; (\d+) of them", out)
    return [float(row[5]) for row in rows], held.groups()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default="target/release", type=Path, help="folder with spyhop and examples/lanes")
    parser.add_argument("--megabytes", type=float, default=12.0)
    parser.add_argument("--least", type=float, default=0.1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", action="append", help="a language; all that are found unless given")
    parser.add_argument("trees", nargs="+", type=Path)
    args = parser.parse_args()
    by_extension = languages(args.bin / "spyhop")
    print("| language | files | parsed | MB | parse MB/s | analyse MB/s | index MB/s | analyse / parse |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for language, files in sources(args.trees, by_extension).items():
        if args.only and language not in args.only:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            if copy(files, Path(scratch), args.megabytes * 1e6) < args.least * 1e6:
                continue
            (parse, analyse, index), (held, mb, parsed) = rates(args.bin / "examples/lanes", scratch, args.runs)
            print(
                f"| {language} | {held} | {parsed} | {mb} | {parse:.1f} | {analyse:.1f} | {index:.1f} "
                f"| {parse / analyse:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
