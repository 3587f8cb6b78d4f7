"""Many processes on one index while its tree changes, every answer checked.

    python3 eval/many.py --bin target/release/spyhop TREE [--seconds 300] [--readers 8] [--writers 2]

TREE is copied. In the copy --plants files carry words that name their states (see planted.py); an editor moves one of
them on every --pause milliseconds or so, half of them by renaming a new file over the old one and half by writing into
the file, and in between changes, adds, renames and removes other files. --writers processes run `spyhop index` again
and again; readers ask for states that are, were or will be: command lines with and without --no-refresh, and
long-lived processes (`--batch`, `spyhop mcp`) with and without refresh.

An answer is wrong when
  - it has an error, or takes longer than a minute;
  - it finds a state that nobody has written yet, or names another file;
  - it was compared with the tree, and finds a state that ended before it was asked for, or does not find one that was
    there all the time;
  - it does not find all planted files by the word that all of them hold;
  - answers of one generation name two states of one file, head and end of a file that is replaced as a whole among
    them, or say both that a state is there and that it is not; or a later generation has an earlier state.
The table has figures for each kind of reader; the exit code is 1 when anything was wrong. Only the standard library is
used.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

from mcp_load import Session, quantile
from planted import EVERY, copy, plant, sources, word

now = time.monotonic


class Truth:
    """When which state was written, and what answers said."""

    def __init__(self, plants):
        self.plants = plants
        self.lock = threading.Lock()
        # For each plant, by state: when writing it began and when it was done.
        self.times = [[(now(), now())] for _ in plants]
        # (generation, plant, state, end) to whether it was found, and by whom.
        self.said = {}
        self.wrong = []

    def begin(self, number):
        with self.lock:
            self.times[number].append((now(), None))
            return len(self.times[number]) - 1

    def done(self, number, state):
        with self.lock:
            self.times[number][state] = (self.times[number][state][0], now())

    def newest(self, number):
        with self.lock:
            return len(self.times[number]) - 1

    def complain(self, text):
        with self.lock:
            self.wrong.append(text)

    def check(self, who, number, state, end, reply, asked, answered):
        """Checks an answer to the word of a state."""
        name = f"{who}: plant {number}, state {state}{end}, generation {reply['snapshot']['generation']}"
        paths = {hit["path"] for hit in reply["results"]}
        found = bool(reply["total"])
        if found != bool(paths) or paths - {self.plants[number].path}:
            return self.complain(f"{name}: total {reply['total']}, paths {paths}")
        with self.lock:
            times = list(self.times[number])
        begun, ended = times[state] if state < len(times) else (None, None)
        next_begun, next_ended = times[state + 1] if state + 1 < len(times) else (None, None)
        if found and (begun is None or begun > answered):
            return self.complain(f"{name}: found before it was written")
        if reply["snapshot"]["checked_at"] is not None:
            was_gone = next_ended is not None and next_ended < asked
            was_there = ended is not None and ended < asked and (next_begun is None or next_begun > answered)
            if found and was_gone:
                return self.complain(f"{name}: found {asked - next_ended:.3f} s after it ended")
            if not found and was_there:
                return self.complain(f"{name}: not found, {asked - ended:.3f} s after it was written")
        key = (reply["snapshot"]["generation"], number, state, end)
        with self.lock:
            if self.said.setdefault(key, (found, who))[0] != found:
                self.wrong.append(f"{name}: found {found}, not as {self.said[key][1]} saw it")

    def check_every(self, who, reply):
        paths = {hit["path"] for hit in reply["results"]}
        expected = {plant.path for plant in self.plants}
        if reply["total"] != len(expected) or paths - expected:
            self.complain(f"{who}: {reply['total']} files hold the common word, generation {reply['snapshot']['generation']}")

    def check_generations(self):
        """No generation has two states of a file, and none an earlier one than a generation before it."""
        states = {}
        for (generation, number, state, end), (found, who) in self.said.items():
            if found:
                whole = number % 2 == 0
                key = (number, "" if whole else end)
                other = states.setdefault(key, {}).setdefault(generation, (state, end, who))
                if other[0] != state:
                    text = f"generation {generation}: plant {number} is in state {state}{end} ({who}) and {other}"
                    self.wrong.append(text)
        for (number, _), by_generation in states.items():
            ordered = sorted(by_generation.items())
            for (one, (before, *_)), (other, (after, *_)) in zip(ordered, ordered[1:]):
                if after < before:
                    self.wrong.append(f"plant {number}: state {before} in generation {one}, {after} in {other}")
        return len({generation for by_generation in states.values() for generation in by_generation})


class CommandLine:
    def __init__(self, world, flags):
        self.command = [world.program, "search", "--json", "--per-file", "1", "-n", "50", *flags]
        self.world = world

    def ask(self, query):
        run = subprocess.run([*self.command, query], cwd=self.world.tree, env=self.world.env, capture_output=True,
                             timeout=60, stdin=subprocess.DEVNULL)
        if run.returncode not in (0, 1):
            raise RuntimeError(run.stderr.decode().strip())
        return json.loads(run.stdout)

    def close(self):
        pass


class Batch:
    def __init__(self, world, flags):
        command = [world.program, "search", "--batch", "--per-file", "1", "-n", "50", *flags]
        self.process = subprocess.Popen(command, cwd=world.tree, env=world.env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, query):
        self.process.stdin.write(query.encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the batch ended")
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply

    def close(self):
        self.process.stdin.close()
        self.process.wait(60)


class Agent:
    def __init__(self, world, flags):
        policy = ["--stale-policy", "ignore"] if flags else []
        self.session = Session(world.program, [*policy, "--structured", "full", world.tree], world.env)

    def ask(self, query):
        arguments = {"query": query, "per_file": 1, "max_results": 50}
        _, message = self.session.ask("tools/call", {"name": "codebase_search", "arguments": arguments})
        if "error" in message or message["result"].get("isError"):
            raise RuntimeError(json.dumps(message)[:400])
        return message["result"]["structuredContent"]

    def close(self):
        self.session.process.stdin.close()
        self.session.process.wait(60)


KINDS = [("command line", CommandLine), ("batch", Batch), ("mcp", Agent), ("command line", CommandLine)]


class World:
    def __init__(self, options, folder):
        self.options = options
        self.program = os.path.abspath(options.bin)
        self.tree = os.path.join(os.path.realpath(folder), "tree")
        self.env = dict(os.environ, SPYHOP_INDEX_DIR=os.path.join(folder, "index"))
        copy(options.tree, self.tree)
        self.random = random.Random(options.seed)
        plants = plant(self.tree, options.plants, self.random)
        planted = {one.path for one in plants}
        self.others = [path for path in sources(self.tree) if path not in planted]
        self.truth = Truth(plants)
        self.stop = threading.Event()
        self.lock = threading.Lock()
        self.rows = {}
        self.edits = {"planted, by rename": 0, "planted, in place": 0, "other": 0}
        self.writers = []

    def index(self):
        command = [self.program, "index", "--quiet", "--json"]
        run = subprocess.run(command, cwd=self.tree, env=self.env, capture_output=True, timeout=120)
        return run

    def edit(self):
        plants = self.truth.plants
        while not self.stop.wait(self.random.random() * 2 * self.options.pause / 1000):
            if self.random.random() < 0.3:
                self.edit_other()
                continue
            one = self.random.choice(plants)
            in_place = one.number % 2 == 1
            state = self.truth.begin(one.number)
            one.write(state, in_place)
            self.truth.done(one.number, state)
            self.edits["planted, in place" if in_place else "planted, by rename"] += 1

    def edit_other(self):
        at = self.random.randrange(len(self.others))
        path = os.path.join(self.tree, self.others[at])
        what = self.random.randrange(4)
        if what == 0:
            os.remove(path)
            self.others.pop(at)
        elif what == 1:
            name, extension = os.path.splitext(self.others[at])
            self.others[at] = f"{name}_{self.edits['other']}{extension}"
            os.rename(path, os.path.join(self.tree, self.others[at]))
        elif what == 2:
            with open(path, "ab") as file:
                file.write(b"\n")
        else:
            new = os.path.join(os.path.dirname(self.others[at]), f"added_{self.edits['other']}.rs")
            with open(os.path.join(self.tree, new), "w") as file:
                file.write(f"/// Added as number {self.edits['other']}.\nfn added_{self.edits['other']}() {{}}\n")
            self.others.append(new)
        self.edits["other"] += 1

    def write(self):
        while not self.stop.is_set():
            begun = now()
            run = self.index()
            with self.lock:
                self.writers.append(now() - begun)
            if run.returncode != 0:
                self.truth.complain(f"writer: {run.stderr.decode().strip()}")

    def read(self, number):
        name, kind = KINDS[number // 2 % len(KINDS)]
        flags = ["--no-refresh"] if number % 2 else []
        who = f"{name}, {'as indexed' if flags else 'refreshed'}"
        drawn = random.Random(self.options.seed * 1000 + number)
        reader = kind(self, flags)
        times, behind = [], 0
        while not self.stop.is_set():
            at = drawn.randrange(len(self.truth.plants))
            # Mostly the newest state, often the one before, sometimes one that is yet to come.
            state = max(0, self.truth.newest(at) - drawn.choice([0, 0, 0, 1, 1, 2, 5, -1]))
            every = drawn.random() < 0.05
            end = drawn.choice("ht")
            asked = now()
            try:
                reply = reader.ask(EVERY if every else word(at, state, end))
            except Exception as error:
                self.truth.complain(f"{who}: {error!r}")
                if self.stop.wait(0.2):
                    break
                continue
            answered = now()
            times.append(answered - asked)
            behind += bool(reply["warnings"])
            if every:
                self.truth.check_every(who, reply)
            else:
                self.truth.check(who, at, state, end, reply, asked, answered)
        reader.close()
        with self.lock:
            row = self.rows.setdefault(who, [0, [], 0])
            self.rows[who] = [row[0] + 1, row[1] + times, row[2] + behind]

    def settle(self):
        """When all is quiet, the index is that of the tree."""
        if self.index().returncode != 0:
            return self.truth.complain("the last refresh failed")
        reader = Batch(self, [])
        for one in self.truth.plants:
            state = self.truth.newest(one.number)
            for end in "ht":
                asked = now()
                reply = reader.ask(word(one.number, state, end))
                self.truth.check("at the end", one.number, state, end, reply, asked, now())
        reader.close()
        run = subprocess.run([self.program, "doctor", "--json"], cwd=self.tree, env=self.env, capture_output=True)
        try:
            clean = json.loads(run.stdout)["clean"]
        except (ValueError, KeyError):
            return print("\nthis program has no doctor")
        if not clean or run.returncode != 0:
            self.truth.complain(f"doctor: {run.stdout.decode()}")

    def report(self, seconds, generations):
        print(f"{seconds:.0f} s, seed {self.options.seed}\n")
        print("| reader | processes | answers | p50 ms | p99 ms | max ms | from the last commit |")
        print("|---|--:|--:|--:|--:|--:|--:|")
        for who, (processes, times, behind) in sorted(self.rows.items()):
            figures = " | ".join(f"{quantile(times, part):.1f}" for part in (0.5, 0.99, 1.0)) if times else " | | "
            print(f"| {who} | {processes} | {len(times)} | {figures} | {behind} |")
        refreshes = f"p50 {quantile(self.writers, 0.5):.0f} ms, p99 {quantile(self.writers, 0.99):.0f} ms"
        print(f"\n{self.options.writers} writers: {len(self.writers)} refreshes, {refreshes}")
        print("edits: " + ", ".join(f"{count} {name}" for name, count in self.edits.items()))
        print(f"{generations} generations answered; {len(self.truth.said)} different statements")
        wrong = self.truth.wrong
        print(f"wrong, mixed or failed: {len(wrong)}")
        alike = {}
        for text in wrong:
            alike.setdefault(re.sub(r"\d+", "N", text), []).append(text)
        for texts in sorted(alike.values(), key=len, reverse=True)[:20]:
            print(f"  {len(texts)} like: {texts[0]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--readers", type=int, default=8)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--plants", type=int, default=40)
    parser.add_argument("--pause", type=float, default=40, help="milliseconds between edits, about")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        world = World(options, folder)
        if world.index().returncode != 0:
            raise SystemExit("the first index failed")
        begun = now()
        jobs = [threading.Thread(target=world.edit)]
        jobs += [threading.Thread(target=world.write) for _ in range(options.writers)]
        jobs += [threading.Thread(target=world.read, args=(number,)) for number in range(options.readers)]
        for job in jobs:
            job.start()
        world.stop.wait(options.seconds)
        world.stop.set()
        for job in jobs:
            job.join()
        seconds = now() - begun
        world.settle()
        world.report(seconds, world.truth.check_generations())
        sys.exit(bool(world.truth.wrong))


if __name__ == "__main__":
    main()
