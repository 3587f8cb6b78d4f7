"""What it costs to follow a tree that changes, beside what others pay for the same.

    python3 eval/changes.py --bin target/release/spyhop TREE
    python3 eval/changes.py --bin target/release/spyhop --clone zig --releases 0.8.1 0.9.1
    python3 eval/changes.py --bin target/release/spyhop TREE --lanes target/release/examples/lanes

TREE is copied and made a git repository with one commit; a --clone keeps its history, and --releases are two of its
tags. In TREE without --releases the second release is made up: of every ten files one is edited, and of every hundred
one removed, one added and one renamed. Times are those of whole processes, medians of --runs, everything warm; the
programs take turns within a run, so that the machine is the same for all:

  spyhop      `spyhop index`
  git status  what git pays to see what moved, by its index
  walk        `find` over the tree with a stat of each file; with --lanes the lane "walk and stat" of the example
  cindex      Google codesearch, which brings its index up to date (`apt-get install codesearch`), where it is installed

Files parsed are those of spyhop's own report; git says how many the two releases differ in. The exit code is 1 when
the way back to a branch that was indexed before parses anything. Only the standard library is used.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from figures import warm
from planted import COMMENTS, copy


class World:
    def __init__(self, options, folder):
        self.program = os.path.abspath(options.bin)
        self.lanes = options.lanes and os.path.abspath(options.lanes)
        self.tree = os.path.join(folder, "tree")
        self.env = dict(os.environ, SPYHOP_INDEX_DIR=os.path.join(folder, "index"),
                        CSEARCHINDEX=os.path.join(folder, "csearchindex"),
                        GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
        self.random = random.Random(options.seed)
        self.times = {}
        self.parsed = {}
        self.has_cindex = shutil.which("cindex") is not None

    def git(self, *arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "advice.detachedHead=false"]
        run = subprocess.run(["git", *who, *arguments], cwd=self.tree, env=self.env, check=True, capture_output=True,
                             text=True)
        return run.stdout

    def timed(self, *command):
        begun = time.perf_counter()
        run = subprocess.run(command, cwd=self.tree, env=self.env, capture_output=True)
        took = time.perf_counter() - begun
        if run.returncode != 0:
            raise SystemExit(f"{command}: {run.stderr.decode()}")
        return took, run.stdout

    def note(self, what, who, seconds):
        self.times.setdefault(what, {}).setdefault(who, []).append(seconds)

    def index(self, what):
        took, out = self.timed(self.program, "index", "--quiet", "--json")
        self.note(what, "spyhop", took)
        report = json.loads(out)
        self.parsed.setdefault(what, []).append(report["parsed"])
        return report

    def others(self, what, cindex=True):
        # `git status` writes down what it saw; without that it would look into the same files every time.
        self.note(what, "git status", self.timed("git", "status", "--porcelain")[0])
        self.note(what, "walk", self.walk())
        if cindex and self.has_cindex:
            self.note(what, "cindex", self.timed("cindex", self.tree)[0])

    def walk(self):
        if not self.lanes:
            return self.timed("find", ".", "-path", "./.git", "-prune", "-o", "-size", "+0", "-print0")[0]
        _, out = self.timed(self.lanes, self.tree, "--only", "walk", "--runs", "1")
        row = next(line for line in out.decode().splitlines() if line.startswith("| walk"))
        return float(row.split("|")[2])

    def files(self):
        kept = [path for path in self.git("ls-files", "-z").split("\0") if os.path.splitext(path)[1] in COMMENTS]
        return [path for path in kept if os.path.isfile(os.path.join(self.tree, path))]

    def edit(self, paths, text):
        for path in paths:
            comment = COMMENTS[os.path.splitext(path)[1]]
            with open(os.path.join(self.tree, path), "a", encoding="utf-8") as file:
                file.write(f"{comment} {text}\n")

    def settle(self):
        time.sleep(2.1)  # what was just written counts as unproven for two seconds
        self.timed(self.program, "index", "--quiet")
        self.git("status")


def made_up(world):
    """A second release of a tree that has one."""
    files = world.files()
    world.edit(files[::10], "changed in the second release")
    for number, path in enumerate(files):
        whole = os.path.join(world.tree, path)
        name, extension = os.path.splitext(whole)
        if number % 100 == 5:
            os.remove(whole)
        elif number % 100 == 6:
            os.rename(whole, f"{name}_moved{extension}")
        elif number % 100 == 7:
            shutil.copy(whole, f"{name}_added{extension}")
            world.edit([os.path.relpath(f"{name}_added{extension}", world.tree)], "added in the second release")


def prepare(world, options):
    """The two branches, `one` checked out."""
    if options.clone:
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", os.path.abspath(options.clone), world.tree],
                       check=True)
        for branch, tag in zip(("one", "two"), options.releases):
            world.git("checkout", "-q", "-f", "-b", branch, tag)
    else:
        copy(options.tree, world.tree)
        world.git("init", "-q", "-b", "one")
        world.git("config", "gc.auto", "0")
        world.git("add", "-A", "-f")
        world.git("commit", "-q", "-m", "one")
        world.git("checkout", "-q", "-b", "two")
        made_up(world)
        world.git("add", "-A", "-f")
        world.git("commit", "-q", "-m", "two")
    world.git("checkout", "-q", "one")
    differing = world.git("diff", "--name-only", "--no-renames", "one", "two").splitlines()
    print(f"{len(world.git('ls-files').splitlines())} files in one, {len(differing)} differ in two", flush=True)


def edits(world, runs):
    for _ in range(runs):
        world.index("nothing changed")
        world.others("nothing changed")
    files = world.files()
    for number in range(runs):
        world.edit([world.random.choice(files)], f"edit {number}")
        world.index("one file edited")
        world.others("one file edited")
    for number in range(runs):
        many = world.random.sample(files, min(1000, len(files)))
        world.edit(many, f"many edits {number}")
        world.index(f"{len(many)} files edited")
        world.others(f"{len(many)} files edited")
    world.git("checkout", "-q", "-f", "one")


def releases(world, runs):
    """There and back, and both again: what was parsed once is known. How many files the ways back parsed."""
    world.settle()
    world.git("checkout", "-q", "two")
    world.index("to release two, first time")
    world.others("to release two, first time")
    back = []
    for number in range(runs):
        for branch in ("one", "two"):
            what = f"back to release {branch}"
            world.git("checkout", "-q", branch)
            back.append(world.index(what)["parsed"])
            world.others(what, cindex=number == 0)
    return back


def show(world):
    who = ["spyhop", "git status", "walk", *(["cindex"] if world.has_cindex else [])]
    print("\n| what | files parsed | " + " | ".join(f"{name} ms" for name in who) + " |")
    print("|---|--:|" + "--:|" * len(who))
    for what, times in world.times.items():
        figures = [f"{statistics.median(times[name]) * 1000:.0f}" if name in times else "" for name in who]
        parsed = sorted(set(world.parsed[what]))
        shown = parsed[0] if len(parsed) == 1 else f"{parsed[0]} to {parsed[-1]}"
        print(f"| {what} | {shown} | " + " | ".join(figures) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--clone", help="a git repository with history, instead of a tree")
    parser.add_argument("--releases", nargs=2, metavar="TAG")
    parser.add_argument("--lanes", help="the example of this name")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if bool(options.tree) == bool(options.clone) or bool(options.clone) != bool(options.releases):
        parser.error("give a TREE, or a --clone with --releases")
    with tempfile.TemporaryDirectory() as folder:
        world = World(options, os.path.realpath(folder))
        prepare(world, options)
        warm(world.tree)
        world.index("first index")
        world.note("first index", "walk", world.walk())
        if world.has_cindex:
            world.note("first index", "cindex", world.timed("cindex", world.tree)[0])
        world.settle()
        edits(world, options.runs)
        back = releases(world, options.runs)
        show(world)
        if any(back):
            print(f"\nthe ways back parsed {back} files")
        sys.exit(any(back))


if __name__ == "__main__":
    main()
