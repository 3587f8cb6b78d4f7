#!/usr/bin/env python3
"""What a person who keeps Spyhop open all day expects, each line a command with its outcome, as far as no test shows it.

    python3 eval/daily.py target/debug/spyhop [--only WORD]

Each check runs the program in a small repository, from a subfolder where that matters, and says what came out where it differs
from what is expected. The exit code is 1 if a check fails.
"""
import argparse
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = {
    "src/auth.rs": "/// Resolves the secret of a provider.\npub fn resolve_api_key(provider: &str) -> String {\n    lookup(provider)\n}\n\nfn lookup(name: &str) -> String {\n    format!(\"secret of {name}\")\n}\n",
    "src/pool.rs": "pub struct Pool;\n\nimpl Pool {\n    pub fn take_permit(&self) {}\n}\n\npub fn use_pool(pool: &Pool) {\n    pool.take_permit();\n}\n",
    "web/app.ts": "import { close } from './lib'\n\nexport function run() {\n  close()\n}\n",
    "web/lib.ts": "export function close() {}\n",
    "docs/guide.md": "# Brewing\n\nGrind the beans.\n",
    "config.json": "{ \"beans\": 3 }\n",
}
SCREENS = [(24, 80), (50, 200)]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\].*?(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]")
CHECKS = []


def check(name):
    def add(run):
        CHECKS.append((name, run))
        return run
    return add


class Tree:
    def __init__(self, program, folder):
        self.program, self.root, self.index = program, folder / "tree", folder / "index"
        for path, text in FILES.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
            subprocess.run(["git", *command], cwd=self.root, check=True)

    def env(self, **environment):
        return {**os.environ, "SPYHOP_INDEX_DIR": str(self.index), **environment}

    def run(self, *arguments, at="", **environment):
        return subprocess.run([self.program, *arguments], cwd=self.root / at, input="", capture_output=True, text=True,
                              env=self.env(NO_COLOR="1", **environment), timeout=120)

    def json(self, *arguments, at=""):
        return json.loads(self.run(*arguments, "--json", at=at).stdout)

    def on_screen(self, *arguments, rows, width):
        """What a command writes to a terminal of this size, as text without escape sequences."""
        control, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, width, 0, 0))
        process = subprocess.Popen([self.program, *arguments], cwd=self.root, stdin=terminal, stdout=terminal, stderr=terminal,
                                   env=self.env(TERM="xterm-256color"), start_new_session=True)
        # The terminal stays open until everything is read: Linux may drop what is written right before the last close.
        written = bytearray()
        while True:
            has_ended = process.poll() is not None
            if select.select([control], [], [], 0.1)[0]:
                written += os.read(control, 1 << 16)
            elif has_ended:
                break
        os.close(terminal)
        os.close(control)
        return ESCAPE.sub("", written.decode("utf-8", "replace")).replace("\r\n", "\n")


def expect(ran, code=None, out=None, err=None, not_out=None):
    faults = []
    if code is not None and ran.returncode != code:
        faults.append(f"exit code {ran.returncode}, expected {code}")
    for what, pattern, text in (("output", out, ran.stdout), ("errors", err, ran.stderr)):
        if pattern is not None and not re.search(pattern, text, re.M):
            faults.append(f"no {pattern!r} in the {what}")
    if not_out is not None and re.search(not_out, ran.stdout, re.M):
        faults.append(f"{not_out!r} in the output")
    if faults:
        shown = (ran.stdout + ran.stderr)[:600]
        raise AssertionError("; ".join(faults) + "\n" + "\n".join("    | " + line for line in shown.splitlines()))


def columns(line):
    """The columns that a line takes; a tab ends at the next multiple of eight."""
    at = 0
    for letter in line:
        if letter == "\t":
            at += 8 - at % 8
        elif not unicodedata.combining(letter) and unicodedata.category(letter) != "Cf":
            at += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
    return at


def misfits(text, rows, width):
    """Why an answer does not fit a screen: it leaves a row for the prompt, no line but a warning is wider than the screen, and
    no gap stands behind a gap."""
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


@check("an answer with its warnings fits a terminal")
def _(tree):
    for number in range(12):
        body = "".join(f"        total += grind(beans, {n})\n" for n in range(30))
        text = f"class Mill{number}:\n    size = 1\n\n    def grind_beans(\n        self,\n        coarse):\n{body}"
        (tree.root / f"src/mill{number}.py").write_text(text)
    tree.run("index", "-q")
    for rows, width in SCREENS:
        question = "where does the mill griind the coarse beanss by total"
        text = tree.on_screen("--no-pager", question, rows=rows, width=width)
        found = misfits(text, rows, width)
        assert not found and "no file contains 'griind'" in text and "grind_beans" in text, (found, text)


@check("words that a command cannot take are an error with the search, a misspelled command is answered with the command")
def _(tree):
    for words in (["import", "cycle", "detection"], ["map", "reduce", "shuffle"]):
        expect(tree.run(*words), 2, err="spyhop search " + " ".join(words))
    expect(tree.run("export", "csv"), 2)
    assert not (tree.root / "csv").exists()
    expect(tree.run("statsu"), 2, err="did you mean 'status'")
    expect(tree.run("serach", "foo"), 2, err="did you mean 'search'")
    expect(tree.run("help", "nope"), 2, err="nope")


@check("options and filters of other searches are answered with what is meant here")
def _(tree):
    expect(tree.run("-t", "rust", "lookup"), 2, err=r"search has no option '-t': --lang LANGUAGE")
    expect(tree.run("lookup", "-i"), 2, err=r"it ignores case; `spyhop grep` has it")
    expect(tree.run("symbols", "-w", "lookup"), 2, err=r"symbols has no option '-w': `spyhop grep` has it")
    expect(tree.run("language:rust", "path:src", "lookup"), 0, err=r"the filter is --lang rust[\s\S]*the filter is --path src")
    (tree.root / "rc").write_text("--max-count=1\n")
    expect(tree.run("grep", "-c", "lookup", "src/auth.rs", RIPGREP_CONFIG_PATH=str(tree.root / "rc")), 0, out="^1$")
    expect(tree.run("refs", "beans_column"), 2, err=r"spyhop grep -w beans_column searches for its lines")


@check("an index folder inside the tree is not source, --db is below the root from wherever it is typed and takes no file")
def _(tree):
    expect(tree.run("index", "-q", "--index-dir", "own-index"), 0)
    ran = tree.run("files", "-0", "--index-dir", "own-index", "--hidden", "--no-ignore")
    assert (tree.root / "own-index").exists() and "\0" in ran.stdout and "own-index" not in ran.stdout, ran.stdout
    expect(tree.run("status", "--db", "config.json"), 2, err="config.json")
    expect(tree.run("index", "-q", "--db", ".own/db", at="src"), 0)
    assert (tree.root / ".own/db/WORKSPACE").exists() and not (tree.root / "src/.own").exists()


@check("an error of the system names its path and what was tried")
def _(tree):
    expect(tree.run("index", "--index-dir", "/proc/none"), 2, err=r"create /proc/none: No such file")
    expect(tree.run("index", "--index-dir", "config.json/x"), 2, err="below the file .*config.json")
    expect(tree.run("export", "none/there/out.spyhop"), 2, err="none/there")
    expect(tree.run("files", "--root", "nowhere"), 2, err="nowhere")


@check("every printed path opens from where it was printed")
def _(tree):
    for arguments in (["grep", "-n", "lookup|close", ".."], ["grep", "--vimgrep", "lookup|close", ".."], ["files", "-n", "9"],
                      ["symbols", "permit"], ["symbols", "--vimgrep", "permit"], ["resolve the key", "--mode", "compact"],
                      ["search", "permit", "--vimgrep"], ["callers", "lookup", "--vimgrep"]):
        ran = tree.run(*arguments, at="web")
        paths = set(re.findall(r"^([\w./]+\.(?:rs|ts|md|json))\b", ran.stdout, re.M))
        assert paths and all((tree.root / "web" / path).is_file() for path in paths), (arguments, paths, ran.stdout, ran.stderr)
    expect(tree.run("map", at="web"), 0, out=r"\A\.\./  6 files[\s\S]*^ +\.\./src/auth\.rs")
    expect(tree.run("imports", "app.ts", at="web"), 0, out=r"lib\.ts")


@check("--here restricts, --absolute prints absolute paths")
def _(tree):
    expect(tree.run("files", "--here", at="web"), 0, out=r"\Aapp\.ts\nlib\.ts\n\Z")
    expect(tree.run("symbols", "--here", at="web"), 0, out=r"^lib\.ts:", not_out=r"\.rs")
    expect(tree.run("close", "--here", "--mode", "compact", at="web"), 0, out=r"^\w+\.ts:", not_out=r"\.rs")
    for arguments in (["files", "auth", "--absolute"], ["grep", "-l", "lookup", "../src", "--absolute"],
                      ["resolve the key", "--mode", "compact", "--absolute"]):
        expect(tree.run(*arguments, at="web"), 0, out=rf"^{re.escape(str(tree.root.resolve()))}/src/auth\.rs")


@check("a first index that takes longer than a second is announced in a pipe")
def _(tree):
    for number in range(120):
        lines = (f"pub fn brew_{number}_{n}(beans_{n}: u32) -> u32 {{ grind_{n}(beans_{n}) + {n} }}\n" for n in range(250))
        (tree.root / f"src/part{number:03}.rs").write_text("".join(lines))
    begun = time.monotonic()
    ran = tree.run("brew", "--threads", "1")
    took = time.monotonic() - begun
    assert took < 2 or re.search(r"has no index yet; indexing \d+ files", ran.stderr), (took, ran.stderr)


@check("weak hits are short and counted, --whole-page shows all, and statistics are for --mode debug")
def _(tree):
    for number in range(30):
        (tree.root / f"src/bean{number:02}.rs").write_text(f"fn roast_{number}() {{\n    let beans = {number};\n}}\n" * 3)
    (tree.root / "src/mill.rs").write_text("/// Grinds roasted beans into coffee.\npub fn grind_roasted_beans() {}\n")
    statistics = r"\d+ places|\d+ lines\b|chunks:|size:"
    page, whole = (tree.run("grind roasted beans", *more).stdout for more in ([], ["--whole-page", "-n", "20"]))
    assert "pub fn grind_roasted_beans" in page and not re.search(statistics, page), page
    assert re.search(r"\d+ weaker hits: --whole-page shows them", page, re.M) and len(page.splitlines()) <= 40, page
    assert len(whole.splitlines()) > len(page.splitlines()), whole
    expect(tree.run("grind roasted beans", "--mode", "debug"), 0, out=r"^ +[+-]0\.\d+ size ")


@check("a reason is something that a reader can check")
def _(tree):
    shown = tree.run("lookup").stdout
    assert "fn 'lookup' is defined here · called by resolve_api_key" in shown, shown
    expect(tree.run("key of a provider"), 0, out=r"matches .*key")


@check("why-not compares in log-odds, and only a file behind the tenth")
def _(tree):
    for number in range(14):
        words = "quokka burrow " * (14 - number)
        (tree.root / f"note{number:02}.md").write_text(f"# Note\n\n{words}\n{'other words here ' * 20 * number}\n")
    expect(tree.run("why-not", "note00.md", "quokka burrow"), 0, out="ranks", not_out="tenth")
    last = tree.json("why-not", "note13.md", "quokka burrow")
    assert last["rank"] > 10 and all(gap["tenth"] - gap["own"] > 0.05 for gap in last["missing"]), last


@check("lock files do not rank before sources")
def _(tree):
    (tree.root / "Cargo.lock").write_text("".join(f'[[package]]\nname = "lookup-{n}"\nversion = "1.0.0"\n' for n in range(500)))
    (tree.root / "package-lock.json").write_text(json.dumps({"packages": {f"lookup-{n}": {} for n in range(500)}}, indent=1))
    subprocess.run(["git", "add", "-A"], cwd=tree.root, check=True)
    paths = [hit["path"] for hit in tree.json("lookup")["results"]]
    assert paths[0] == "src/auth.rs", paths


@check("--kind comment finds comments that stand alone and sections of documents")
def _(tree):
    comment = "// The percolator drips slowly.\n" * 30
    (tree.root / "src/notes.rs").write_text(f"{comment}\n\nfn unrelated() {{}}\n")
    expect(tree.run("percolator drips", "--kind", "comment"), 0, out=r"notes\.rs")
    expect(tree.run("grind the beans", "--kind", "comment"), 0, out=r"guide\.md")


@check("the front page says when to use what, how long a build takes and where binaries come from; files of packages are sound")
def _(tree):
    text = (ROOT / "README.md").read_text()
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text):
        assert (ROOT / picture).exists(), picture
    assert (ROOT / "docs/pictures/answer").exists() and "docs/pictures/answer" in text
    for words in ("When to use it", "ripgrep", "zoekt", "takes .* minutes", r"\.deb", "static", "Homebrew", "npm", "wheel"):
        assert re.search(words, text), words
    for path in ("packaging/RELEASE.md", "docs/editors.md", "docs/ui.md"):
        assert (ROOT / path).exists(), path
    json.loads((ROOT / "editors/vscode/package.json").read_text())
    for script in [path for path in (ROOT / "packaging").rglob("*") if path.is_file()]:
        if script.read_bytes().startswith((b"#!/bin/sh", b"#!/bin/bash", b"#!/usr/bin/env bash")):
            subprocess.run(["bash", "-n", str(script)], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    program = str(pathlib.Path(args.program).resolve())
    failed = ran = 0
    for name, run in CHECKS:
        if args.only not in name:
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(Tree(program, pathlib.Path(folder)))
                print(f"ok      {name}")
            except (AssertionError, subprocess.TimeoutExpired, KeyError, IndexError) as error:
                failed += 1
                print(f"FAILED  {name}: {error}")
    print(f"{ran} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
