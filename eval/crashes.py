"""Kills the program at random moments and looks at what is left.

    python3 eval/crashes.py --bin target/release/spyhop TREE [--moments 500] [--seed 1]

TREE is copied and made a git repository; --plants of its files carry words that name their states (see planted.py).
Moments are dealt out over what is killed: a build from nothing, a refresh after a part of the planted files changed,
a refresh after a change of branch, merges (one small change, killed after its commit, since merging comes last, and
every few small segments merge), and a collection (`spyhop gc`) of what a deleted branch left behind. A
moment is drawn over the time that an undisturbed run takes, and a tenth more; the pause decides only which moment is
tried.

After each kill, with no repair in between: the index answers from one whole state, the one before or the one of the
tree, or, after a first build, says that there is no index or that it holds a part of the files, or, on a branch that it has
not seen, that it does not hold it; `spyhop doctor` finds nothing; and
the next run, half of the time after another kill, makes the answers those of the tree. Anything else ends the script
with the moment and its seed. Only the standard library is used.
"""
import argparse
import glob
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from planted import copy, plant, word

KINDS = ["build", "refresh", "branch", "merge", "gc"]


class World:
    def __init__(self, options, folder):
        self.program = os.path.abspath(options.bin)
        self.tree = os.path.join(folder, "tree")
        self.folder = folder
        self.indexes = 0
        self.random = random.Random(options.seed)
        copy(options.tree, self.tree)
        self.plants = plant(self.tree, options.plants, self.random)
        self.state = [0] * len(self.plants)
        self.number = 0
        self.branches = 0
        self.git("init", "-q", "-b", "main")
        self.git("config", "gc.auto", "0")
        self.commit()

    def git(self, *arguments):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
        subprocess.run(["git", *who, *arguments], cwd=self.tree, env=env, check=True, stdout=subprocess.DEVNULL)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", f"state {self.number}")

    def env(self):
        return dict(os.environ, SPYHOP_INDEX_DIR=os.path.join(self.folder, f"index{self.indexes}"))

    def run(self, *arguments, text=None):
        return subprocess.run([self.program, *arguments], cwd=self.tree, env=self.env(), input=text,
                              capture_output=True, text=True)

    def timed(self, *arguments):
        begun = time.monotonic()
        run = self.run(*arguments)
        if run.returncode != 0:
            raise Wrong(f"{arguments}: {run.stderr}")
        return time.monotonic() - begun

    def commit_point(self):
        """What tells one commit from the next."""
        pattern = os.path.join(self.folder, f"index{self.indexes}", "**", "tantivy", "meta.json")
        try:
            stats = [os.stat(path) for path in glob.glob(pattern, recursive=True)]
        except OSError:
            return None
        return [(stat.st_ino, stat.st_mtime_ns) for stat in stats]

    def killed(self, arguments, fuse, usual, merging=False):
        """Whether the run was killed before it ended; if not, how long it took is noted. Where it is about merging,
        both count from the commit."""
        begun = time.monotonic()
        before = self.commit_point()
        child = subprocess.Popen([self.program, *arguments], cwd=self.tree, env=self.env(), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if merging:
            while child.poll() is None and self.commit_point() == before:
                time.sleep(0.0002)
            begun = time.monotonic()
        try:
            child.wait(fuse)
            usual.append(time.monotonic() - begun)
        except subprocess.TimeoutExpired:
            child.kill()
        _, error = child.communicate()
        if child.returncode not in (0, -9):
            raise Wrong(f"{arguments}: {error.decode()}")
        return child.returncode == -9

    def change(self, count):
        self.number += 1
        for one in self.random.sample(self.plants, count):
            self.state[one.number] = self.number
            one.write(self.number)

    def answers(self, states):
        """Which of some states the index is of; "partial" of the last one, None when there is no index,
        "unseen" when it has others but not the one that is checked out, and therefore refuses."""
        asked = [(one, number) for one in self.plants
                 for number in sorted({state[one.number] for state in states} | {self.number})]
        text = "".join(f"{word(one.number, number, end)}\n" for one, number in asked for end in "ht")
        run = self.run("search", "--batch", "--require-index", "--no-refresh", text=text)
        replies = [json.loads(line) for line in run.stdout.splitlines()]
        if len(replies) != 2 * len(asked):
            raise Wrong(f"{len(replies)} answers to {2 * len(asked)} questions: {run.stderr}")
        if all(reply.get("kind") == "no-index" for reply in replies):
            return None
        if all(reply.get("kind") == "stale" for reply in replies):
            return "unseen"
        found = {}
        for at, reply in enumerate(replies):
            one, number = asked[at // 2]
            if "error" in reply or {hit["path"] for hit in reply["results"]} - {one.path}:
                raise Wrong(f"plant {one.number}, state {number}: {json.dumps(reply)[:400]}")
            if reply["total"]:
                found.setdefault(one.number, []).append(number)
        building = [reply["snapshot"].get("building") for reply in replies]
        if all(building):
            # A first build that was killed on its way answers from what it had written down, and says so.
            if any(reply["complete"] for reply in replies):
                raise Wrong(f"a part calls itself complete: {building[0]}")
            if all(of == [states[-1][number]] * 2 for number, of in found.items()):
                return "partial"
        for state in states:
            if found == {number: [of, of] for number, of in enumerate(state)}:
                return state
        raise Wrong(f"a mixture: {found}, none of {states}")

    def healthy(self):
        run = self.run("doctor", "--json")
        if run.returncode != 0 or not json.loads(run.stdout)["clean"]:
            raise Wrong(f"doctor: {run.stdout}{run.stderr}")

    def recovers(self):
        took = self.timed("index", "--quiet")
        if self.answers([self.state]) != self.state:
            raise Wrong("a run that nothing disturbed does not give the state of the tree")
        self.healthy()
        return took


class Wrong(Exception):
    pass


class Rounds:
    """What is killed, one function for each kind: makes the change, and says with what arguments to run."""

    def __init__(self, world):
        self.world = world

    def build(self):
        self.world.indexes += 1
        return ["index", "--quiet"]

    def refresh(self):
        self.world.change(self.world.random.randrange(1, len(self.world.plants)))
        return ["index", "--quiet"]

    def merge(self):
        self.world.change(1)
        return ["index", "--quiet"]

    def branch(self):
        """Another branch with other files, and back the next time."""
        world = self.world
        world.commit()
        world.branches += 1
        world.git("checkout", "-q", "-b", f"branch{world.branches}")
        world.change(len(world.plants) // 2)
        return ["index", "--quiet"]

    def gc(self):
        """A branch is indexed, left and deleted; what only it had is to be collected."""
        world = self.world
        world.commit()
        before = list(world.state)
        branch = f"gone{world.branches}"
        world.branches += 1
        world.git("checkout", "-q", "-b", branch)
        world.change(len(world.plants) // 2)
        world.commit()
        world.timed("index", "--quiet")
        world.git("checkout", "-q", "-")
        world.state = before
        world.git("branch", "-q", "-D", branch)
        world.timed("index", "--quiet")
        return ["gc"]


def moment(world, kind, usual, tally):
    before = list(world.state)
    arguments = getattr(Rounds(world), kind)()
    if kind == "gc":
        before = list(world.state)
    merging = kind == "merge"
    # Not every run merges, so that the longest of the last ones counts.
    whole = max(usual[-8:]) if merging else statistics.median(usual[-5:])
    was_killed = world.killed(arguments, whole * world.random.random() * 1.1, usual, merging)
    found = world.answers([before, world.state])
    allowed = {"build": (None, "partial"), "branch": ("unseen",)}.get(kind, ())
    if not isinstance(found, list) and not (was_killed and found in allowed):
        raise Wrong("an index that answered does no longer")
    if found != world.state and not was_killed:
        raise Wrong("it ended by itself and answers from before")
    world.healthy()
    tally["moments"] += 1
    tally["killed"] += was_killed
    tally["none"] += found in (None, "unseen")
    tally["part"] += found == "partial"
    tally["new"] += found == world.state
    tally["old"] += isinstance(found, list) and found != world.state
    # Half of the time the next one meets what this kill left behind.
    if kind == "build" or world.random.random() < 0.5:
        took = world.recovers()
        if merging:
            # What was killed is merged by the next one that has something to write.
            world.change(1)
            world.killed(["index", "--quiet"], None, usual, merging)
        elif kind != "gc" and was_killed and found != world.state:
            usual.append(took)
    else:
        tally["again"] += 1
        if world.killed(["index", "--quiet"], world.random.random() * whole, []):
            world.answers([before, world.state])
        world.healthy()
        world.recovers()
    if kind == "gc":
        usual.append(world.timed("gc"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--moments", type=int, default=500)
    parser.add_argument("--plants", type=int, default=24)
    parser.add_argument("--only", choices=KINDS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = World(options, os.path.realpath(folder))
        kinds = options.only or KINDS
        print(f"{options.moments} moments, seed {options.seed}\n")
        print("| killed | moments | before its end | no index | a part | old state | new state | killed again | usual ms |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|", flush=True)
        for nth, kind in enumerate(kinds):
            tally = dict.fromkeys(["moments", "killed", "none", "part", "old", "new", "again"], 0)
            world.recovers()
            usual = []
            for _ in range(3):
                world.killed(getattr(Rounds(world), kind)(), None, usual, kind == "merge")
            count = options.moments * (nth + 1) // len(kinds) - options.moments * nth // len(kinds)
            for number in range(count):
                try:
                    moment(world, kind, usual, tally)
                except Wrong as wrong:
                    raise SystemExit(f"{kind}, moment {number}, seed {options.seed}: {wrong}")
            world.recovers()
            figures = " | ".join(str(tally[name]) for name in tally)
            print(f"| {kind} | {figures} | {statistics.median(usual) * 1000:.0f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
