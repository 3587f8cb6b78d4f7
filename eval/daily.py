#!/usr/bin/env python3
"""What a person who keeps Spyhop open all day expects, each line a command with its outcome.

    python3 eval/daily.py target/debug/spyhop [--only WORD]

Each check runs the program in a small repository, from a subfolder where that matters, and says what came out where it differs
from what is expected. Terminals, the picker, editors and completions have tests of their own in `tests/`. The exit code is 1
if a check fails.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILES = {
    "src/auth.rs": "/// Resolves the secret of a provider.\npub fn resolve_api_key(provider: &str) -> String {\n    lookup(provider)\n}\n\nfn lookup(name: &str) -> String {\n    format!(\"secret of {name}\")\n}\n",
    "src/pool.rs": "pub struct Pool;\n\nimpl Pool {\n    pub fn take_permit(&self) {}\n}\n\npub fn use_pool(pool: &Pool) {\n    pool.take_permit();\n}\n",
    "web/app.ts": "import { close } from './lib'\n\nexport function run() {\n  close()\n}\n",
    "web/lib.ts": "export function close() {}\n",
    "docs/guide.md": "# Brewing\n\nGrind the beans.\n",
    "config.json": "{ \"beans\": 3 }\n",
}

CHECKS = []


def check(name):
    def add(run):
        CHECKS.append((name, run))
        return run
    return add


class Tree:
    def __init__(self, program, folder):
        self.program, self.root = program, folder / "tree"
        self.index = folder / "index"
        for path, text in FILES.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text)
        for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
            subprocess.run(["git", *command], cwd=self.root, check=True)

    def run(self, *arguments, at="", stdin=None, **environment):
        env = {**os.environ, "SPYHOP_INDEX_DIR": str(self.index), "NO_COLOR": "1", **environment}
        return subprocess.run([self.program, *arguments], cwd=self.root / at, capture_output=True, text=True, env=env,
                              input=stdin if stdin is not None else "", timeout=120)


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


@check("paths are relative to the current folder")
def _(tree):
    expect(tree.run("lookup", "--mode", "compact", at="src"), 0, out=r"^auth\.rs:\d+:\d+: ")
    expect(tree.run("files", "auth", at="src"), 0, out=r"^auth\.rs$")
    expect(tree.run("files", "auth", at="web"), 0, out=r"^\.\./src/auth\.rs$")
    expect(tree.run("grep", "-n", "lookup", "../src", at="web"), 0, out=r"^\.\./src/auth\.rs:3:")


@check("grep without a path searches the current folder")
def _(tree):
    expect(tree.run("grep", "lookup", ".", at="web"), 1, not_out=".")


@check("JSON has root-relative paths")
def _(tree):
    reply = json.loads(tree.run("resolve_api_key", "--json", at="src").stdout)
    assert reply["results"][0]["path"] == "src/auth.rs", reply["results"][0]


@check("words that a command cannot take are an error with the search")
def _(tree):
    for words in (["import", "cycle", "detection"], ["map", "reduce", "shuffle"], ["files", "upload", "handler"]):
        expect(tree.run(*words), 2, err="spyhop search " + " ".join(words))
    expect(tree.run("export", "csv"), 2)
    assert not (tree.root / "csv").exists()


@check("a misspelled command is answered with the command")
def _(tree):
    expect(tree.run("statsu"), 2, err="did you mean 'status'")
    expect(tree.run("serach", "foo"), 2, err="did you mean 'search'")
    expect(tree.run("help", "nope"), 2, err="nope")


@check("a page of hits fits a screen")
def _(tree):
    ran = tree.run("where is the key of a provider resolved")
    expect(ran, 0, out="resolve_api_key", not_out="matches nothing")
    assert len(ran.stdout.splitlines()) <= 24, ran.stdout


@check("compact is path:line:column: text, the rest goes to standard error")
def _(tree):
    ran = tree.run("permit of the pool", "--mode", "compact")
    lines = ran.stdout.splitlines()
    assert lines and all(re.match(r"[^:]+:\d+:\d+: ", line) for line in lines), ran.stdout
    expect(ran, 0, err="result")


@check("nothing found and an empty tree say what to do next")
def _(tree):
    expect(tree.run("grep", "no such words", "."), 1)
    empty = tree.root / "empty"
    empty.mkdir(exist_ok=True)
    expect(tree.run("anything", "--root", "."  , at="empty"), 1, out=r"\w+")


@check("grep takes ripgrep's flags")
def _(tree):
    expect(tree.run("grep", "-c", "lookup", "src/auth.rs"), 0, out="2")
    expect(tree.run("grep", "-q", "lookup", "."), 0, not_out=".")
    expect(tree.run("grep", "-l", "-t", "rust", "pool", "src"), 0, out="src/pool.rs")
    expect(tree.run("grep", "--vimgrep", "lookup", "src"), 0, out=r"^src/auth\.rs:3:5:")
    expect(tree.run("grep", "-r", "found", "lookup", "src/auth.rs"), 0, out="found")
    expect(tree.run("grep", "-g", "!*.rs", "lookup", "."), 1)
    expect(tree.run("grep", "x", "-", stdin="a\nx\n"), 0, out="^x$")
    expect(tree.run("grep", "lookup", "missing", "src"), 2, out="lookup", err="missing")
    expect(tree.run("grep", "--files", "-0", "."), 0, out="\0")


@check("files and symbols print everything in a pipe")
def _(tree):
    ran = tree.run("files")
    assert set(ran.stdout.split()) >= set(FILES), ran.stdout
    assert "\0" in tree.run("files", "-0").stdout
    expect(tree.run("symbols", "permit"), 0, out=r"^src/pool\.rs:4: \w+ .*take_permit$")
    expect(tree.run("symbols", "--vimgrep", "take_permit"), 0, out=r"^src/pool\.rs:4:")


@check("globs, kinds and languages are understood")
def _(tree):
    expect(tree.run("beans", "--glob", "!*.json"), 0, out="guide.md", not_out="config.json")
    for kind in ("func", "Fn", "functions", "methods"):
        expect(tree.run("take_permit resolve_api_key", "--kind", kind), 0)
    expect(tree.run("x", "--kind", "nope"), 2, err="choose one of")


@check("an index folder inside the tree is not source, and --db takes no file")
def _(tree):
    inside = tree.root / "own-index"
    expect(tree.run("index", "-q", "--index-dir", "own-index"), 0)
    ran = tree.run("files", "--index-dir", "own-index", "--hidden", "--no-ignore")
    assert inside.exists() and "own-index" not in ran.stdout, ran.stdout
    expect(tree.run("status", "--db", "config.json"), 2, err="config.json")


@check("bare spyhop shows the main commands, -h is short")
def _(tree):
    expect(tree.run(), 2, err="spyhop grep")
    short, long = tree.run("search", "-h").stdout, tree.run("search", "--help").stdout
    assert len(short.splitlines()) <= 45 < len(long.splitlines()), (len(short.splitlines()), len(long.splitlines()))
    for command in ("search", "grep", "files", "symbols", "index", "mcp"):
        expect(tree.run(command, "--help"), 0, out="Examples")


@check("index says how long it took and what is next")
def _(tree):
    expect(tree.run("index"), 0, out=r"\d+ files")


@check("a huge folder is not indexed unasked in a pipe")
def _(tree):
    expect(tree.run("anything", "--root", "/usr"), 2, err="--yes")


@check("read shows numbered lines of a file or a definition")
def _(tree):
    expect(tree.run("read", "auth.rs", "--lines", "2-3", at="src"), 0, out=r"2.*resolve_api_key")
    expect(tree.run("read", "--symbol", "Pool.take_permit"), 0, out="take_permit")


@check("the code graph answers who calls what")
def _(tree):
    expect(tree.run("callers", "lookup"), 0, out=r"auth\.rs:3: .*resolve_api_key")
    expect(tree.run("callers", "Pool.take_permit"), 0, out="use_pool")
    expect(tree.run("callers", "web/lib.ts#close"), 0, out=r"app\.ts:4")
    expect(tree.run("imports", "app.ts", at="web"), 0, out=r"lib\.ts")
    expect(tree.run("callers", "lookpu"), 2, err="lookpu")


@check("--open opens the editor at the line")
def _(tree):
    log = tree.root.parent / "editor.log"
    editor = tree.root.parent / "vim"
    editor.write_text(f"#!/bin/sh\necho \"$@\" > {log}\n")
    editor.chmod(0o755)
    expect(tree.run("symbols", "take_permit", "--open", "1", VISUAL=str(editor), EDITOR=str(editor)), 0)
    assert "+4" in log.read_text() and "pool.rs" in log.read_text(), log.read_text()


@check("completions are printed for every shell")
def _(tree):
    for shell in ("bash", "zsh", "fish", "powershell", "nushell"):
        expect(tree.run("completions", shell), 0, out="spyhop")


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
