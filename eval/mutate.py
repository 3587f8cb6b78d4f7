#!/usr/bin/env python3
"""Indexes mutated source files with the real program, and fails when the program dies, hangs or loses a file.

    python3 eval/mutate.py target/release/spyhop --per-language 20000 --seeds ~/trees
    python3 eval/mutate.py target/debug/spyhop --seconds 120

Mutants are made of the fixtures of each grammar, and of the files below each --seeds folder: ranges are deleted,
repeated, moved to another file and truncated, words are lengthened, tokens are repeated thousands of times, and last
lines lose their line break. Before the mutants come forms that are known to trouble parsers: openings that nothing
closes. Each batch is a separate tree; `spyhop index` must exit with 0 in time, and every file must be indexed. A file
may lose its structure; it must then be listed as quarantined, with a cause. The same --seed gives the same mutants.

A mutant is at most 100,000 bytes. The report counts, for each language, the mutants, the files in quarantine and the
causes; --keep FOLDER stores the smallest input of each cause, and every batch that failed.
"""

import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

GRAMMARS = pathlib.Path(__file__).resolve().parent.parent / "src/syntax/grammars"
MAX_BYTES = 100_000
BATCH = 400

OPENINGS = [
    "(", "[", "{", "<", "a(", "a[", "a{", "a<", "a=>", "a | ", "a && ", "a ? ", "a: ", "a -> ", "a.", "a,", "@", "@a(",
    "#", "#{", "${", "$(", "`", '"', "'", '"""', "'''", "/*", "//", "--", "{-", "<!--", "<a>", "<?", "<%", "<<~A\n",
    "- ", "? ", "> ", "* ", "if ", "else ", "do ", "begin ", "not ", "!", "*", "&", "=", "\\", "\t", "\n", "%",
    "%TAG ! ", "%YAML ", "{1..", "{中", "é", "'a", "r#\"", "->", "::", "|a|", "fn a(", "case ", "where ", "let ",
]
TAILS = ["", "@", "@Foo", "  @Jv", "@a(b", "#", "'", '"', "/*", "<<", "<<~A", "{", "\\", "%TAG !a", "%", "${", "`", "r#\""]
WIDE = ["中", "𝄞", "é", "\u2028", "\u200b", "\ufeff", "𱡠"]


def languages(wanted):
    """Name, extension and fixtures of each grammar."""
    found = {}
    for folder in sorted(GRAMMARS.iterdir()):
        if not (folder / "grammar.toml").exists() or (wanted and folder.name not in wanted):
            continue
        manifest = tomllib.loads((folder / "grammar.toml").read_text())
        fixtures = [path for path in sorted((folder / "fixtures").iterdir()) if path.suffix != ".outline"]
        texts = [path.read_bytes() for path in fixtures]
        found[folder.name] = (manifest["extensions"][0], set(manifest["extensions"]), texts)
    return found


def add_seeds(found, folders, most):
    """Adds up to `most` files of each language from the folders."""
    by_extension = {extension: name for name, (_, all_of, _) in found.items() for extension in all_of}
    paths = collections.defaultdict(list)
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            name = by_extension.get(path.suffix[1:])
            if name and path.is_file() and not path.is_symlink() and 50 < path.stat().st_size <= 40_000:
                paths[name].append(path)
    for name, all_of in sorted(paths.items()):
        chosen = random.Random(name).sample(all_of, min(most, len(all_of)))
        found[name][2].extend(path.read_bytes() for path in chosen)


def forms():
    """Texts that are all structure: openings that nothing closes, last lines that nothing ends, words too long."""
    for tail in TAILS:
        yield f"a = 1\n{tail}".encode()
    for length in (300, 1_100, 5_000):
        word = "A" * length
        yield f"x = <<~{word}\n  a\n{word}\n".encode()
        yield f"cat <<{word}\na\n{word}\n".encode()
        yield f"%TAG !{word}! {word}\n---\na: b\n".encode()
        yield f"{'%TAG !a! b' + chr(10)}".encode() * (length // 10) + b"---\na: b\n"
        yield f"R\"{word}(a){word}\"".encode()
        yield f"{word}\n".encode()
    for prefix in ("%TAG ", "%TAG ! ", "x ", "a: ", "!a ", "&a ", "# ", "\"a\" "):
        for marker in ("- ", "? ", ": ", "> ", "1. "):
            yield (prefix + marker * 315).encode()
    for count in (1_000, 15_000, 30_000):
        for opening in OPENINGS:
            yield (opening * count).encode()[:MAX_BYTES]


def mutant(draw, seeds, all_seeds):
    """One mutated file."""
    text = draw.choice(seeds)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        start = draw.randrange(len(text) + 1)
        length = int(len(text) ** draw.random())
        end = min(start + length, len(text))
        kind = draw.randrange(9)
        if kind == 0:
            text = text[:start] + text[end:]
        elif kind == 1:
            # After a sign most often: that is where half-typed lines end.
            signs = [match.end() for match in re.finditer(rb"[^\w\s]", text)] or [start]
            text = text[: draw.choice(signs) if draw.random() < 0.7 else start]
        elif kind == 2:
            copies = draw.choice((2, 2, 3, 10, 100, 1_000))
            text = text[:start] + text[start:end] * min(copies, MAX_BYTES // max(1, end - start)) + text[end:]
        elif kind == 3:
            other = draw.choice(seeds if draw.random() < 0.7 else draw.choice(all_seeds))
            at = draw.randrange(len(other) + 1)
            text = text[:start] + other[at : at + length] + text[end:]
        elif kind == 4:
            text = text[:start] + draw.choice(OPENINGS).encode() * draw.choice((1, 1, 3, 300, 5_000)) + text[start:]
        elif kind == 5:
            words = list(re.finditer(rb"\w+", text))
            if words:
                word = draw.choice(words)
                text = text[: word.start()] + word.group() * draw.choice((2, 40, 300)) + text[word.end() :]
        elif kind == 6:
            text = text[:start] + draw.choice(WIDE).encode() + text[start:]
        elif kind == 7:
            # Half a line that somebody types below a whole one.
            ends = [match.end() for match in re.finditer(rb"\n", text)] or [len(text)]
            text = text[: draw.choice(ends)] + draw.choice(TAILS).encode()
        elif kind == 8 and text:
            at = min(start, len(text) - 1)
            text = text[:at] + bytes([draw.randrange(32, 127)]) + text[at + 1 :]
        text = text[:MAX_BYTES]
    return text


class Report:
    def __init__(self, program, keep, timeout):
        self.program, self.keep, self.timeout = program, keep, timeout
        self.mutants, self.lost, self.failures = collections.Counter(), collections.Counter(), []
        self.causes = collections.defaultdict(collections.Counter)
        self.smallest = {}

    def run(self, language, extension, texts):
        with tempfile.TemporaryDirectory(prefix="spyhop-mutate-") as folder:
            folder = pathlib.Path(folder)
            tree = folder / "tree"
            tree.mkdir()
            for number, text in enumerate(texts):
                (tree / f"m{number:04}.{extension}").write_bytes(text)
            self.mutants[language] += len(texts)
            problem = self.check(language, folder, len(texts))
            if problem:
                self.failures.append(f"{language}: {problem}")
                print(f"FAILED {language}: {problem}", flush=True)
                if self.keep:
                    shutil.copytree(tree, self.keep / f"failed-{len(self.failures)}-{language}")

    def check(self, language, folder, count):
        """What is wrong with the program's run on one batch, if anything is."""
        def spyhop(*arguments):
            command = [self.program, *arguments, "--index-dir", str(folder / "index")]
            return subprocess.run(command, cwd=folder / "tree", capture_output=True, timeout=self.timeout)

        try:
            index = spyhop("index", "-q")
        except subprocess.TimeoutExpired:
            return f"spyhop index hung for {self.timeout} s"
        if index.returncode != 0:
            return f"spyhop index ended with {index.returncode}: {index.stderr.decode(errors='replace')[-300:]}"
        skipped = json.loads(spyhop("skipped", "--json").stdout)
        indexed = json.loads(spyhop("status", "--json").stdout)["files"]
        rows = [row for row in skipped["entries"] if row["reason"] != "quarantined"]
        # Mutants may hold NUL bytes or look minified; those are other reasons, each with its row.
        gone = {row["path"] for row in rows if row["reason"] in ("binary", "encoding", "unreadable", "special")}
        if indexed + len(gone) != count:
            return f"{indexed} of {count} files are indexed and {len(gone)} are listed"
        for row in skipped["entries"]:
            if row["reason"] != "quarantined":
                continue
            if not row["detail"]:
                return f"{row['path']} is in quarantine without a cause"
            cause = re.sub(r"[\d.]+ (s|MiB)\b", r"N \1", row["detail"])
            self.lost[language] += 1
            self.causes[language][cause] += 1
            text = (folder / "tree" / row["path"]).read_bytes()
            if len(text) < len(self.smallest.get((language, cause), b"x" * (MAX_BYTES + 1))):
                self.smallest[(language, cause)] = text
        return None

    def print(self, seconds):
        print(f"{'language':<12} {'files':>8} {'lost':>6}  causes")
        for language in sorted(self.mutants):
            causes = "; ".join(f"{n} {cause}" for cause, n in self.causes[language].most_common(4))
            print(f"{language:<12} {self.mutants[language]:>8} {self.lost[language]:>6}  {causes}")
        total = sum(self.mutants.values())
        print(f"{total} files in {seconds:.0f} s, {sum(self.lost.values())} without structure, {len(self.failures)} failures")
        if self.keep:
            for number, ((language, cause), text) in enumerate(sorted(self.smallest.items())):
                (self.keep / f"{language}-{number}").write_bytes(text)
                print(f"{language}-{number}: {len(text)} bytes: {cause}")


def batches(found, per_language, seed):
    """Language after language a batch, until each has had its number of mutants. The first half of a batch is of forms."""
    all_seeds = [texts for _, _, texts in found.values()]
    draws = {name: random.Random(f"{seed} {name}") for name in found}
    queues = {name: list(forms()) for name in found}
    left = {name: per_language for name in found}
    while left:
        for name in list(left):
            texts = queues[name][: BATCH // 2]
            del queues[name][: BATCH // 2]
            while len(texts) < min(BATCH, left[name]):
                texts.append(mutant(draws[name], found[name][2], all_seeds))
            left[name] -= len(texts)
            if left[name] <= 0:
                del left[name]
            yield name, texts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the spyhop program")
    parser.add_argument("--per-language", type=int, default=1_000_000, help="mutants of each language")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--seeds", nargs="*", default=[], help="folders of real source files")
    parser.add_argument("--languages", help="names, separated by commas; all without it")
    parser.add_argument("--seed", type=int, default=1)
    # A batch takes seconds. A file that hangs takes its budget of processor time, and one after another may do so.
    parser.add_argument("--timeout", type=float, default=600, help="seconds after which a batch counts as hung")
    parser.add_argument("--keep", type=pathlib.Path, help="where inputs are stored")
    arguments = parser.parse_args()
    found = languages(arguments.languages and arguments.languages.split(","))
    add_seeds(found, arguments.seeds, 80)
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
    report = Report(str(pathlib.Path(arguments.program).resolve()), arguments.keep, arguments.timeout)
    began = time.monotonic()
    for name, texts in batches(found, arguments.per_language, arguments.seed):
        report.run(name, found[name][0], texts)
        if time.monotonic() - began > arguments.seconds:
            break
    report.print(time.monotonic() - began)
    sys.exit(1 if report.failures else 0)


if __name__ == "__main__":
    main()
